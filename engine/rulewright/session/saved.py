"""A game at one moment: what it takes to go back to it, and how to tell whether two go on alike."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from rulewright.lowering import names
from rulewright.model import Rule, Test
from rulewright.productions import Fact
from rulewright.provenance import Decision, EffectDone, RuleMatch, Step, Value
from rulewright.session.agenda import Happening
from rulewright.session.looks import SavedLooks
from rulewright.session.requests import Request
from rulewright.session.tests_taken import OpenTest
from rulewright.session.world import Key, SavedWorld

if TYPE_CHECKING:
    from rulewright.session.game import Game

Resume = Callable[["Game", Value], None]
"""How a game goes on with an answer; it belongs to no game, so that a saved game can be restored into another."""


@dataclass
class Turn:
    """An event being taken, between its matches and its effects: choices may still be open."""

    happening: Happening
    matches: list[RuleMatch]
    changes: tuple[EffectDone, ...]
    ends: list[Fact]
    touched: list[Key]
    test: Test | None
    choices: list[tuple[Rule, list[int]]]
    seen: int
    decisions: list[Decision] = field(default_factory=list)

    def copy(self) -> Turn:
        """The same, with choices that can be made in another way."""
        return replace(self, matches=list(self.matches), choices=list(self.choices), decisions=list(self.decisions))


@dataclass(frozen=True)
class SavedGame:
    """A game at one moment, as ``Game.restore`` takes it.

    Attributes:
        agenda: what must happen at once, and what waits its turn.
        by_number: the rule of each match so far.
        looks: what the rules looked at, where that was recorded.
    """

    world: SavedWorld
    steps: tuple[Step, ...]
    request: Request | None
    created: Mapping[str, str]
    agenda: tuple[tuple[Happening, ...], tuple[Happening, ...]]
    answer: Resume | None
    turn: Turn | None
    open_test: OpenTest | None
    decided: tuple[Decision, ...]
    since_given: int
    by_number: Mapping[int, str]
    looks: SavedLooks = ((), ())


def key_of(saved: SavedGame, columns: Container[str]) -> object:
    """What the course of a game can depend on: games of one edition with equal keys go on alike.

    How a game came here is left out, but for what its rules can ask of it.

    Args:
        saved: the game.
        columns: the predicates that its productions speak of.
    """

    def waits(happening: Happening) -> object:
        calls = frozenset((c.rule, c.cause, c.awaits) for c in happening.calls)
        causes = frozenset(saved.by_number.get(n) for n in happening.causes) if names.CAUSE in columns else ()
        chain = frozenset(happening.chain) if names.CHAIN in columns else ()
        said = (happening.event, happening.values, happening.regardless, happening.held_back)
        return *said, calls, causes, chain

    turn, test = saved.turn, saved.open_test
    return (
        saved.world.key(),
        saved.request,
        tuple(tuple(map(waits, some)) for some in saved.agenda),
        (
            waits(turn.happening),
            tuple((m.rule, frozenset(m.bindings.items()), m.fired) for m in turn.matches),
            tuple((rule.anchor.ident, tuple(indexes)) for rule, indexes in turn.choices),
        )
        if turn is not None
        else None,
        (
            waits(test.happening),
            tuple(sorted((m.rule, m.of, m.amount) for m in test.modifiers)),
            test.first_total is None,
        )
        if test is not None
        else None,
    )
