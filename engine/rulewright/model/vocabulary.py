"""The vocabulary: kinds, and what events, tallies, snapshots and records do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rulewright.model.sentences import Atom, Condition, Effect, Variable
from rulewright.model.words import BELONGS_TO, Name, Phrase, Shorthand, Wording
from rulewright.text import Span


@dataclass(frozen=True)
class Kind:
    """A kind of thing, its parent kind, and what is so of each of them when it is introduced."""

    ident: str
    parent: str | None
    wordings: tuple[Wording, ...]
    begins: tuple[Atom, ...]
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class EventDetail:
    """What an event does of itself: effects made before any rule looks, windows opened and closed.

    Attributes:
        only_one: index of the place for which only one such event may come from one cause.
    """

    changes: tuple[Effect, ...] = ()
    opens: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    only_one: int | None = None


@dataclass(frozen=True)
class TallyDetail:
    """A sum over events: which event, which of its values, under which conditions, over which window.

    Attributes:
        facets: concepts that only one clause is about, each with the sentence of that clause.
    """

    event: Atom
    amount: Variable
    conditions: tuple[Condition, ...]
    window: str
    facets: tuple[tuple[str, Span], ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True)
class SnapshotDetail:
    """The value another measure had when a window opened."""

    measure: str
    window: str


@dataclass(frozen=True)
class RecordDetail:
    """A fact kept of each event of a sort, until a window closes or another event happens."""

    event: Atom
    window: str | None
    until: tuple[Atom, ...]


@dataclass(frozen=True)
class Vocabulary:
    """All words, by ident; ``meanings`` holds what each shorthand stands for."""

    kinds: Mapping[str, Kind]
    names: Mapping[str, Name]
    phrases: Mapping[str, Phrase]
    events: Mapping[str, EventDetail]
    tallies: Mapping[str, TallyDetail]
    snapshots: Mapping[str, SnapshotDetail]
    records: Mapping[str, RecordDetail]
    shorthands: Mapping[str, Shorthand]
    meanings: Mapping[str, Condition]

    def has_sides(self) -> bool:
        """Whether it has a fact that says on whose side somebody is."""
        phrase = self.phrases.get(BELONGS_TO)
        return phrase is not None and len(phrase.roles) == 2 and phrase.roles[1].kind == "side"

    def is_a(self, kind: str, ancestor: str) -> bool:
        """Whether ``kind`` is ``ancestor`` or a kind of it."""
        current: str | None = kind
        while current is not None:
            if current == ancestor:
                return True
            current = self.kinds[current].parent if current in self.kinds else None
        return False

    def lineage(self, kind: str) -> tuple[str, ...]:
        """The kind and its ancestors, nearest first."""
        found = []
        current: str | None = kind
        while current is not None:
            found.append(current)
            current = self.kinds[current].parent if current in self.kinds else None
        return tuple(found)
