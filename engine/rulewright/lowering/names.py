"""Names of predicates: how the parts of the model appear in productions."""

from __future__ import annotations


def is_a(kind: str) -> str:
    """A thing is of a kind."""
    return f"isa:{kind}"


def fact(phrase: str) -> str:
    """A fact, restriction, duty, permission or record."""
    return f"fact:{phrase}"


def value(measure: str, before: bool = False) -> str:
    """The value of a measure in the last column; ``before`` for a tally without the event at hand."""
    return f"before:{measure}" if before else f"value:{measure}"


def on(event: str) -> str:
    """The token that sets off the rules of an event."""
    return f"on:{event}"


def book(event: str) -> str:
    """The token that sets off the keeping of tallies and records."""
    return f"book:{event}"


def may(event: str) -> str:
    """The token that asks whether an event comes about."""
    return f"may:{event}"


def need(ident: str, places: str) -> str:
    """The token under which a definition or measure is worked out, for known (b) and unknown (f) places."""
    return f"need:{ident}:{places}"


def ask(ident: str, places: str) -> str:
    """For which things a definition or measure is wanted."""
    return f"ask:{ident}:{places}"


def gather(measure: str, which: int = 0) -> str:
    """One of the things or values from which a measure is worked out, by a certain one of its definitions."""
    return f"gather:{measure}:{which}" if which else f"gather:{measure}"


def count(predicate: str) -> str:
    """How many things a predicate is true of."""
    return f"count:{predicate}"


def holds(effect: str) -> str:
    """The conditions under which an effect lasts still hold."""
    return f"holds:{effect}"


def awaits(effect: str) -> str:
    """A test that a rule called for is open; what it brings about depends on its outcome."""
    return f"awaits:{effect}"


CAUSE, CHAIN = "cause:direct", "cause:chain"
"""The rule that brought the event at hand about, and all rules that led to it."""

SETTLE = "settle"
"""The token that asks, after each event, which lasting effects have ended."""


def match(item: str) -> str:
    """The conditions of a rule or exemption hold."""
    return f"match:{item}"


def defeat(item: str) -> str:
    """A rule or exemption is defeated; the last column says by what."""
    return f"defeat:{item}"


def fire(item: str) -> str:
    """A rule or exemption applies."""
    return f"fire:{item}"


def add(tally: str) -> str:
    """Something to add to a tally."""
    return f"add:{tally}"


def keep(record: str) -> str:
    """Something to keep as a record."""
    return f"keep:{record}"


def lasts(effect: str) -> str:
    """An effect that lasts until an event is in force."""
    return f"lasts:{effect}"


def end(thing: str) -> str:
    """A record or a lasting effect ends."""
    return f"end:{thing}"


ROLLED = "rolled"
"""The token that holds dice against a test: bearer, test, total, what is added to the characteristic."""

PASSES, FAILS = "outcome:passes", "outcome:fails"


def ready(test: str) -> str:
    """All values that a test needs are known."""
    return f"ready:{test}"
