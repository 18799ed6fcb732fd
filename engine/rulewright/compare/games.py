"""One situation played under several editions, and what became in each of what its rules say on a concept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from rulewright.backends.base import Backend
from rulewright.compare.matrix import below
from rulewright.compare.sides import Side
from rulewright.explain.misses import ANYBODY, Aim
from rulewright.explain.rules import Item, items_of
from rulewright.explain.verdicts import Inquiry, Verdict
from rulewright.model import Exemption, Rule, Scenario, Variable
from rulewright.provenance import RuleMatch
from rulewright.scenarios.runner import Played, play
from rulewright.session.looks import Looks
from rulewright.session.session import Session


@dataclass(frozen=True)
class Game:
    """A situation as it was played under one of the editions."""

    side: Side
    played: Played
    inquiry: Inquiry

    @property
    def session(self) -> Session:
        """The session at its end."""
        return self.played.session

    @cached_property
    def items(self) -> dict[str, Item]:
        """What the edition holds, by name."""
        return {item.anchor.ident: item for item in items_of(self.side.edition)}

    @cached_property
    def matches(self) -> list[RuleMatch]:
        """The rules that applied or were pre-empted, each time that they did."""
        return [match for step in self.session.steps for match in step.matches]

    def on(self, concept: str) -> list[str]:
        """The rules on a concept and on those below it; where there are none, the exemptions."""
        names = [n for n, item in self.items.items() if any(below(c, concept) for c in item.anchor.concepts)]
        rules = [n for n in names if isinstance(self.items[n], Rule)]
        return rules or [n for n in names if isinstance(self.items[n], Exemption)]

    def fired(self, concept: str) -> dict[str | None, RuleMatch]:
        """The first rule on a concept that applied to each thing, by the thing."""
        names = set(self.on(concept))
        found: dict[str | None, RuleMatch] = {}
        for match in self.matches:
            if match.fired and match.rule in names:
                found.setdefault(self.subject(match), match)
        return found

    def subject(self, match: RuleMatch) -> str | None:
        """The thing that a rule applied to: the first of what set it off."""
        rule = self.items[match.rule]
        assert isinstance(rule, Rule)
        named = [a.name for t in rule.triggers for a in t.arguments if isinstance(a, Variable)]
        values = [match.bindings.get(name) for name in named]
        return next((v for v in values if isinstance(v, str) and v in self.session.names), None)

    def verdicts(self, concept: str, thing: str | None = None) -> list[Verdict]:
        """What became of the rules on a concept, for a thing or for anybody, those first that came nearest."""
        return self.inquiry.nearest(self.on(concept), Aim(thing) if thing is not None else ANYBODY)

    def unreached(self, verdict: Verdict) -> bool:
        """Whether the game was stopped before anything could set a rule off."""
        return self.played.stopped and verdict.miss is not None and verdict.miss.reach is None

    def word(self, concept: str) -> str:
        """The verdict on a concept: that of the rule that came nearest to applying; without any, silence."""
        verdicts = self.verdicts(concept)
        if not verdicts:
            return "silent"
        return "not reached" if self.unreached(verdicts[0]) else verdicts[0].word


def games_of(scenario: Scenario, sides: Sequence[Side], backend: Backend) -> list[Game]:
    """Plays a scenario under each edition, as far as it can be played there."""
    found = []
    for side in sides:
        looks = Looks()
        played = play(scenario, side.compiled, backend, looks=looks, strict=False)
        found.append(Game(side, played, Inquiry.of(played.session, looks.taken)))
    return found


def at_issue(games: Sequence[Game]) -> list[str]:
    """The concepts whose rules applied or were pre-empted in any of the games, or that something is expected of.

    Concepts that only some clauses of a rule are about are told with it.  Of several concepts that the same rules are
    about in all editions, the widest stands for all.
    """
    found: dict[tuple[tuple[str, ...], ...], str] = {}
    for concept in sorted({c for game in games for name in _named(game) for c in _whole(game.items[name])}):
        found.setdefault(tuple(tuple(game.on(concept)) for game in games), concept)
    return sorted(found.values())


def _whole(item: Item) -> set[str]:
    """The concepts that an item is about as a whole."""
    return set(item.anchor.concepts) - {concept for concept, _ in item.anchor.facets}


def _named(game: Game) -> set[str]:
    """The rules that applied or were pre-empted, or that an expectation names."""
    expected = {name for outcome in game.played.outcomes for name in (outcome.names[0], outcome.names[2])}
    return {n for n in ({m.rule for m in game.matches} | expected) if n in game.items}
