"""Changes of a script: what might have been so, or have come, instead.

A change is about entries of the script that was played first, by their numbers; so changes can be put together in any
order.  None changes a rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from rulewright.model import GAME, Atom, Vocabulary
from rulewright.provenance import Value
from rulewright.scenarios.script import AT_THE_START, Asked, Numbered, Script
from rulewright.session.log import Entry, Measurement, Occurrence, Statement
from rulewright.text import Source, Span

NOWHERE = Span(Source("", ""), 0, 0)
"""The place of what nobody wrote."""


@dataclass(frozen=True)
class Give:
    """A fact, or its absence, is given before anything happens."""

    atom: Atom


@dataclass(frozen=True)
class Omit:
    """A statement is not made."""

    entry: int


@dataclass(frozen=True)
class Skip:
    """One of the events of an entry does not happen."""

    entry: int
    event: int


@dataclass(frozen=True)
class SetMeasure:
    """A measure has another value; ``entry`` is where it was given, or before anything happens."""

    entry: int
    measure: str
    things: tuple[str, ...]
    value: Fraction


@dataclass(frozen=True)
class SetNumber:
    """The number in a place of an event is another."""

    entry: int
    event: int
    place: int
    value: Fraction


@dataclass(frozen=True)
class Settle:
    """A request is answered otherwise: another total of dice, another option."""

    asked: Asked
    value: Value


Change = Give | Omit | Skip | SetMeasure | SetNumber | Settle

_KINDS = (Settle, SetNumber, SetMeasure, Omit, Give, Skip)
"""Of changes that go equally far, those of an earlier kind are told first."""
_FAR = {Omit: 2, Give: 2, Skip: 3, SetMeasure: 2, Settle: 1, SetNumber: 1}
"""How far a change goes where it is not from one number to another."""
_UNSPOKEN = 3
"""So much farther goes a fact of which nothing was said in the game."""


def slot(change: Change) -> object:
    """What a change changes; two changes of the same cannot be put together."""
    if isinstance(change, Give):
        return (change.atom.phrase, change.atom.arguments)
    if isinstance(change, Omit):
        return change.entry
    if isinstance(change, SetMeasure):
        return (change.measure, change.things)
    if isinstance(change, Settle):
        return change.asked
    if isinstance(change, Skip):
        return (change.entry, change.event)
    return (change.entry, change.event, change.place)


def together(changes: Iterable[Change]) -> bool:
    """Whether changes can be put together: none changes what another changes, or takes away."""
    known = list(changes)
    skipped = {slot(c) for c in known if isinstance(c, Skip)}
    numbers = {(c.entry, c.event) for c in known if isinstance(c, SetNumber)}
    return len({slot(c) for c in known}) == len(known) and not skipped & numbers


@dataclass(frozen=True)
class Weighed:
    """Tells how far changes go from a script and what was answered in it."""

    script: Script
    said: Mapping[Asked, Value]
    vocabulary: Vocabulary

    def odd(self, changes: Iterable[Change]) -> bool:
        """Whether changes go against the scenario: there is more of something than at the start of the game."""
        most = {
            (detail.measure, known.things): known.value
            for known in (one.entry for one in self.script.entries)
            if isinstance(known, Measurement)
            and (detail := self.vocabulary.snapshots.get(known.measure)) is not None
            and detail.window == GAME
        }
        return any(isinstance(c, SetMeasure) and c.value > most.get((c.measure, c.things), c.value) for c in changes)

    def was(self, change: Change) -> Value | None:
        """What was there before; None when nothing was."""
        if isinstance(change, Settle):
            return self.said.get(change.asked)
        if isinstance(change, SetMeasure):
            known = self.script.entry(change.entry) if change.entry != AT_THE_START else None
            return known.value if isinstance(known, Measurement) else None
        if isinstance(change, SetNumber):
            entry = self.script.entry(change.entry)
            assert isinstance(entry, Occurrence)
            return entry.events[change.event][1][change.place]
        return None

    def far(self, changes: Iterable[Change]) -> tuple[Fraction, list[tuple[int, str]]]:
        """A key by which changes that go less far come first."""
        known = list(changes)
        return sum(map(self._far, known), Fraction(0)), sorted((_KINDS.index(type(c)), repr(slot(c))) for c in known)

    def _far(self, change: Change) -> Fraction:
        was, value = self.was(change), getattr(change, "value", None)
        if isinstance(was, Fraction) and isinstance(value, Fraction):
            return abs(value - was)
        strange = isinstance(change, Give) and not any(
            isinstance(one.entry, Statement) and one.entry.atom.phrase == change.atom.phrase
            for one in self.script.entries
        )
        return Fraction(_FAR[type(change)] + (_UNSPOKEN if strange else 0))


# --- put into a script ---------------------------------------------------------------------------------------------


def changed(script: Script, changes: Iterable[Change]) -> Script:
    """A script with changes put in."""
    for change in changes:
        script = _changed(script, change)
    return script


def _changed(script: Script, change: Change) -> Script:
    if isinstance(change, Settle):
        return replace(script, settled={**script.settled, change.asked: change.value})
    if isinstance(change, Give):
        return _before_all(script, Statement(change.atom))
    if isinstance(change, Omit):
        return replace(script, entries=tuple(one for one in script.entries if one.number != change.entry))
    if isinstance(change, SetMeasure):
        if change.entry == AT_THE_START:
            return _before_all(script, Measurement(change.measure, change.things, change.value))
        known = script.entry(change.entry)
        assert isinstance(known, Measurement)
        return _replaced(script, change.entry, replace(known, value=change.value))
    if isinstance(change, Skip):
        return replace(script, skipped=script.skipped | {(change.entry, change.event)})
    return _replaced(script, change.entry, _with_number(script.entry(change.entry), change))


def _with_number(entry: Entry, change: SetNumber) -> Occurrence:
    assert isinstance(entry, Occurrence)
    events = list(entry.events)
    event, values = events[change.event]
    events[change.event] = (event, (*values[: change.place], change.value, *values[change.place + 1 :]))
    return replace(entry, events=tuple(events))


def _replaced(script: Script, number: int, entry: Entry) -> Script:
    return replace(script, entries=tuple(Numbered(number, entry) if o.number == number else o for o in script.entries))


def _before_all(script: Script, entry: Entry) -> Script:
    """A script with an entry after all that is given before anything happens."""
    first = next((i for i, one in enumerate(script.entries) if one.number >= script.given), len(script.entries))
    return replace(script, entries=(*script.entries[:first], Numbered(AT_THE_START, entry), *script.entries[first:]))
