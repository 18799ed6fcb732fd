"""A script: what was said in a game, typed, so that the game can be played again with something changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from rulewright.backends.base import Backend
from rulewright.diagnostics import Fault
from rulewright.lowering.compile import Compiled
from rulewright.model import Scenario
from rulewright.provenance import Value
from rulewright.scenarios.runner import play
from rulewright.session.log import AnswerSentence, Entry, Introduction, Measurement, Occurrence, Reply, Statement
from rulewright.session.requests import Request
from rulewright.session.session import Session
from rulewright.text import Span

STRAY = "nothing-asked"
AT_THE_START = -1
"""The number of an entry that a change puts in before anything happens."""

Answers = tuple[AnswerSentence, ...]
"""One answer that was said, in all ways it can be read."""


@dataclass(frozen=True)
class Asked:
    """One of the requests of a game, told so that it can be found again in a changed one.

    Attributes:
        entry: the number of the entry in the course of which it was asked.
        item: the test, or the rule with a choice.
        nth: how many alike were asked before it in the course of this entry.
    """

    entry: int
    kind: str
    about: str
    item: str
    nth: int = 0


@dataclass(frozen=True)
class Numbered:
    """An entry with its number in the game that was played first."""

    number: int
    entry: Entry


@dataclass(frozen=True)
class Script:
    """What was said in a game.

    Attributes:
        entries: all of it but the answers.
        answers: the answers that were said after an entry, by its number.
        given: how many of the entries say what is so before anything happens.
        settled: what requests are answered with, whatever was said.
        skipped: events that do not happen: the number of their entry, and their place in it.
    """

    language: str
    entries: tuple[Numbered, ...]
    given: int
    answers: Mapping[int, tuple[Answers, ...]] = field(default_factory=dict)
    settled: Mapping[Asked, Value] = field(default_factory=dict)
    skipped: frozenset[tuple[int, int]] = frozenset()

    def entry(self, number: int) -> Entry:
        """The entry of a number."""
        return next(one.entry for one in self.entries if one.number == number)

    def carried_out(self) -> Iterator[Numbered]:
        """The entries without the events that do not happen."""
        for one in self.entries:
            if not isinstance(one.entry, Occurrence):
                yield one
                continue
            events = [e for index, e in enumerate(one.entry.events) if (one.number, index) not in self.skipped]
            if events:
                yield Numbered(one.number, replace(one.entry, events=tuple(events)))


def scripted(scenario: Scenario, compiled: Compiled, backend: Backend) -> Script:
    """The script of a scenario.

    Raises:
        Fault: a line of it cannot be read, or cannot happen.
    """
    played = play(scenario, compiled, backend, asker=any_answer)
    played.session.close()
    strays = [d.span for d in played.fault if d.name == STRAY and d.span is not None]
    stopped = [d for d in played.fault if d.severity == "error" and d.name != STRAY]
    if stopped:
        raise Fault(*stopped)
    said = [line.span for step in scenario.steps for line in step.happenings]
    script = script_of(played.session, said, strays)
    begins = min(span.start for span in said)
    given = [one for one in script.entries if (place := place_of(one.entry)) and place.start < begins]
    return replace(script, given=len(given))


def script_of(session: Session, said: Sequence[Span] | None = None, strays: Sequence[Span] = ()) -> Script:
    """The script of a session.

    Args:
        session: what was played.
        said: the places of answers that count; without it, all answers do.
        strays: answers that were said, and that nothing asked for.
    """
    entries: list[Numbered] = []
    answers: dict[int, list[tuple[int, Answers]]] = {}
    for entry in session.log:
        if not isinstance(entry, Reply):
            entries.append(Numbered(len(entries), entry))
        elif said is None or entry.span in said:
            known = answers.setdefault(len(entries) - 1, [])
            known.append((entry.span.start if entry.span else 0, (_answer(entry),)))
    for stray in strays:
        before = [one.number for one in entries if (place := place_of(one.entry)) and place.start < stray.start]
        answers.setdefault(max(before, default=0), []).append((stray.start, session.read_answer(stray)))
    ordered = {number: tuple(a for _, a in sorted(own, key=lambda pair: pair[0])) for number, own in answers.items()}
    given = next((one.number for one in entries if isinstance(one.entry, Occurrence)), len(entries))
    return Script(session.language.code, tuple(entries), given, ordered)


def _answer(reply: Reply) -> AnswerSentence:
    request = reply.request
    assert request is not None
    return AnswerSentence(
        "choice" if request.kind == "order" else request.kind, request.about, reply.value, request.test, reply.span
    )


def place_of(entry: Entry) -> Span | None:
    """Where an entry was said."""
    if isinstance(entry, Introduction | Measurement | Reply):
        return entry.span
    if isinstance(entry, Statement):
        return entry.atom.span
    return entry.spans[0] if entry.spans else None


def any_answer(session: Session) -> int | str:
    """Some answer to the open request."""
    request = session.request
    assert request is not None
    value = outcomes(request)[0]
    return int(value) if isinstance(value, Fraction) else session.name(value)


def outcomes(request: Request) -> tuple[Value, ...]:
    """Answers to a request in which all that can come of it shows: the extremes of dice, every option of a choice."""
    if request.dice is not None:
        return Fraction(request.dice.lowest), Fraction(request.dice.highest)
    return request.options
