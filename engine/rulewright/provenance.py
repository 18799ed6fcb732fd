"""What happened in a game and on what grounds: plain data, from which every explanation is made.

A run is a sequence of steps, one for each event.  A step holds the rules that matched; each match either fires or was
pre-empted, and carries the clauses of the text with the values that made them true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from rulewright.model import Condition, Dice, MeasureOf, Rounded
from rulewright.productions import Fact

Value = str | Fraction
"""The ident of a thing, or a number."""


@dataclass(frozen=True)
class Support:
    """Why a definition holds: its ident and the clauses that made it true.

    Attributes:
        values: what the value of a measure was taken from, which no clause speaks of.
        because: for those of them that are worked out in turn, why.
    """

    item: str
    clauses: tuple[ClauseTruth, ...]
    values: tuple[Fact, ...] = ()
    because: tuple[Support, ...] = ()


@dataclass(frozen=True)
class ClauseTruth:
    """A clause of the text that was true.

    Attributes:
        condition: the clause.
        bindings: what its variables stood for.
        measures: the measures it compares, with their values.
        rounded: the rounded numbers it compares, with their values.
        facts: the facts it rests on.
        because: for facts that a definition derives, why.
        counted: the things it counts.
    """

    condition: Condition
    bindings: Mapping[str, Value]
    measures: tuple[tuple[MeasureOf, Fraction], ...] = ()
    facts: tuple[Fact, ...] = ()
    because: tuple[Support, ...] = ()
    rounded: tuple[tuple[Rounded, Fraction], ...] = ()
    counted: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Defeat:
    """What kept a matching rule from firing: an ``unless`` clause of its own, an exemption, or an overriding rule."""

    kind: Literal["unless", "exemption", "rule"]
    item: str
    clauses: tuple[ClauseTruth, ...]


@dataclass(frozen=True)
class EffectDone:
    """One effect of a firing: an event, a fact made or ended, a measure changed.

    Attributes:
        kind: an event, a fact made or ended, a measure changed, or not known and so left as it is, a new thing,
            something about the test at hand.
        phrase: the event, fact or measure; the kind of a new thing; the part of a test that is modified.
        values: its places; for a measure the last one is its new value.
        until: the window at whose end a fact goes, when that was said.
    """

    kind: Literal["event", "fact", "end", "change", "unknown", "new", "modifier", "again"]
    phrase: str
    values: tuple[Value, ...]
    until: str | None = None


@dataclass(frozen=True)
class RuleMatch:
    """A rule whose conditions held for certain things: it fired, or it was pre-empted.

    Attributes:
        number: counted through the whole run; causes refer to it.
        bindings: the variables of the rule.
        clauses: the clauses that held.
        defeats: what pre-empted it; empty when it fired.
        chosen: for a rule with a choice, whether this candidate was picked; None when there was nothing to choose.
    """

    number: int
    rule: str
    bindings: Mapping[str, Value]
    clauses: tuple[ClauseTruth, ...]
    defeats: tuple[Defeat, ...] = ()
    effects: tuple[EffectDone, ...] = ()
    chosen: bool | None = None

    @property
    def fired(self) -> bool:
        """Whether the rule had its effects."""
        return not self.defeats and self.chosen is not False


@dataclass(frozen=True)
class Modifier:
    """Something added to the roll of a test, or to the characteristic it is held against, and by which rule match."""

    match: int
    rule: str
    of: Literal["roll", "characteristic"]
    amount: Fraction


Source = Literal["given", "kind", "rule", "event", "record", "test", "tally", "window", "until", "lapse"]
"""What brings a change of the world about: it was given; it is so of everything of a kind; a rule; the event itself;
what is kept of the event, as a record or in a tally; a test that begins or is over; a window that opens or closes; an
event that ends something; and a condition that is no longer so."""


@dataclass(frozen=True)
class Origin:
    """Where a change of the world comes from.

    Attributes:
        step: the step it belongs to; for what is given, the one it was given after, 0 when that was before all.
        match: the number of the rule match, where there is one.
    """

    source: Source
    step: int
    match: int | None = None


@dataclass(frozen=True)
class Entry:
    """A change of the world: a fact came to hold or ceased to, or a measure took a value or lost it.

    Attributes:
        number: how many changes there were before it.
        fact: the fact; for a measure ``value:MEASURE`` of the things, without the value.
        holds: whether the fact holds from now on, or the measure has a value.
        value: the value that the measure takes.
        amount: by how much it rose or fell; None when it was set.
        copied: for a snapshot, the measure that was copied.
        until: the window at whose end the fact goes.
    """

    number: int
    fact: Fact
    holds: bool
    origin: Origin
    value: Fraction | None = None
    amount: Fraction | None = None
    copied: str | None = None
    until: str | None = None


@dataclass(frozen=True)
class TestTaken:
    """A test: who took it, the dice, what they were held against, and how it went.

    Attributes:
        clause: the clause that was true: of the success, or of its opposite.
        first_total: what was rolled first, when the dice were rolled again.
        seen: how many changes of the world there had been when the dice were held against it.
    """

    test: str
    rule: str
    bearer: str
    dice: Dice
    total: int
    clause: ClauseTruth
    passed: bool
    modifiers: tuple[Modifier, ...] = ()
    first_total: int | None = None
    seen: int = 0


@dataclass(frozen=True)
class Decision:
    """A choice that was made, by a player or by chance."""

    by: Literal["chance", "player"]
    player: str | None
    about: str
    options: tuple[str, ...]
    picked: str


@dataclass(frozen=True)
class Step:
    """One event and what came of it.

    Attributes:
        number: counted from 1.
        event: the phrase.
        values: its places.
        causes: numbers of the rule matches that brought it about; empty when it was given.
        voided: the exemptions that kept it from coming about.
        matches: rules whose conditions held.
        changes: what the event did of itself.
        held_back: orders by which others came before it.
        test: the test that was taken, for an event that takes one.
        outcome_of: for the outcome of a test, passed, failed or about to be, the step in which the test was taken.
        of_itself: the event came about because the window it ends had to be closed for the next event.
        seen: how many changes of the world there had been when the rules looked at it.
        done: how many there had been when it was over.
    """

    number: int
    event: str
    values: tuple[Value, ...]
    causes: tuple[int, ...] = ()
    voided: tuple[Defeat, ...] = ()
    matches: tuple[RuleMatch, ...] = ()
    changes: tuple[EffectDone, ...] = ()
    decisions: tuple[Decision, ...] = ()
    held_back: tuple[str, ...] = ()
    test: TestTaken | None = None
    outcome_of: int | None = None
    of_itself: bool = False
    seen: int = 0
    done: int = 0

    @property
    def given(self) -> bool:
        """Whether it was said to happen, rather than brought about."""
        return not self.causes and self.outcome_of is None and not self.of_itself
