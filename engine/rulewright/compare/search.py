"""Looks for situations in which two editions part, one for each difference of their rules, and makes them small.

It begins with the shipped scenarios of both editions that name the rules, the shortest first; then one of their numbers
after the other is set to a value at which a clause turns.  What is found loses its lines one by one, as long as the
editions part as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from time import monotonic

from rulewright.backends.base import Backend
from rulewright.compare.differences import Difference
from rulewright.compare.games import Game, games_of
from rulewright.compare.sides import Side
from rulewright.compare.turning import Turning, turnings
from rulewright.compare.varied import Situation, boundaries, situation_of
from rulewright.model import Scenario
from rulewright.scenarios.runner import OPEN
from rulewright.speech import speaking
from rulewright.syntax.keywords import Language
from rulewright.workspace import SCENARIO_SUFFIX, Tree, read_scenarios

ANY = 7
"""What a measure is given that only one of the editions asks for."""
MOST_GAMES, SECONDS = 1000, 60
"""So many situations are played, and so long is looked for more, unless told otherwise."""


@dataclass(frozen=True)
class Witness:
    """A situation in which two editions part, and for which clause."""

    difference: Difference
    situation: Situation
    turning: Turning


@dataclass
class Search:
    """A search for witnesses.

    Attributes:
        sides: the two editions.
        played: how many situations were played.
        values: the boundary values that numbers were set to.
        tried: the scenarios it began with.
        ended: whether it ended because it may not go on.
    """

    sides: Sequence[Side]
    backend: Backend
    language: Language
    most_games: int = MOST_GAMES
    seconds: int = SECONDS
    played: int = 0
    values: set[Fraction] = field(default_factory=set)
    tried: list[Scenario] = field(default_factory=list)
    ended: bool = False
    _end: float = 0.0

    def find(self, wanted: Sequence[Difference], scenarios: Sequence[Scenario]) -> list[Witness]:
        """A witness for each of the differences for which there is one, as far as it may look."""
        self._end = monotonic() + self.seconds
        left, found = list(wanted), list[Witness]()
        for situation in self._situations(left, scenarios):
            for witness in self._told(situation, left):
                if witness.difference in left:
                    left.remove(witness.difference)
                    found.append(self._smallest(witness))
            if not left or self._over():
                break
        self.ended = self._over()
        return sorted(found, key=lambda w: wanted.index(w.difference))

    def _over(self) -> bool:
        return self.played >= self.most_games or monotonic() > self._end

    def _situations(self, left: Sequence[Difference], scenarios: Sequence[Scenario]) -> Iterator[Situation]:
        """The scenarios that name a rule of a difference for which nothing is found yet; then with other numbers."""
        bases = []
        for scenario in sorted(scenarios, key=_lines):
            if _names(scenario, left):
                self.tried.append(scenario)
                bases.append(self._complete(situation_of(scenario)))
                yield bases[-1]
        seen = {(b.givens, b.happenings) for b in bases}
        for base in bases:
            names = _names(base.origin, left)
            games = self.games(base) if names else None
            if games is None:
                continue
            of_both = {name for d in left for name in d.rules if name and set(d.rules) & names}
            pairs = {pair for g in games for pair in boundaries(g, of_both & set(g.items))}
            self.values |= {target for _, target in pairs}
            for one in base.with_numbers(sorted(pairs)):
                if (one.givens, one.happenings) not in seen:
                    seen.add((one.givens, one.happenings))
                    yield one

    def _told(self, situation: Situation, left: Sequence[Difference]) -> list[Witness]:
        """The differences that a situation tells."""
        games = self.games(situation)
        if games is None:
            return []
        found = [t for c in dict.fromkeys(d.concept for d in left) for t in turnings(c, games, self.language)]
        return [Witness(d, situation, t) for d in left for t in found if t.concept == d.concept and d.told_by(t, games)]

    def _smallest(self, witness: Witness) -> Witness:
        """A witness without the lines that it can do without."""
        shrunk = True
        while shrunk and not self._over():
            shrunk = False
            for smaller in witness.situation.without():
                told = self._told(smaller, [witness.difference])
                if told:
                    witness, shrunk = told[0], True
                    break
                if self._over():
                    break
        return witness

    # --- games -------------------------------------------------------------------------------------------------------

    def games(self, situation: Situation) -> list[Game] | None:
        """A situation as it goes under both editions; None where either cannot play it as far as its dice go."""
        scenario = situation.scenario()
        if scenario is None:
            return None
        self.played += 1
        games = games_of(scenario, self.sides, self.backend)
        for game in games:
            game.session.close()
        return games if all(_plays(game) for game in games) else None

    def _complete(self, situation: Situation) -> Situation:
        """A situation with the measures that one of the editions asks for, and the scenario does not give."""
        scenario = situation.scenario()
        if scenario is None:
            return situation
        for game in games_of(scenario, self.sides, self.backend):
            game.session.close()
            with speaking(scenario.language):
                lacking = [str(dict(d.values)["measure"]) for d in game.played.fault if d.name == "missing-measure"]
            for text in lacking:
                measure = text.strip("`").partition("`")[0]
                worder = game.session.own_worder
                situation = situation.given(worder.own("comparisons", "=", left=measure, right=str(ANY)))
        return situation


def _plays(game: Game) -> bool:
    stops = [d.name for d in game.played.fault if d.severity == "error"]
    return not game.played.stopped or stops[-1] in OPEN


def _lines(scenario: Scenario) -> int:
    return len(scenario.givens) + sum(len(step.happenings) for step in scenario.steps)


def _names(scenario: Scenario, left: Sequence[Difference]) -> set[str]:
    """The rules of differences that a scenario names in what it expects."""
    expected = " ".join(line.span.text for step in scenario.steps for line in step.expectations)
    words = set(re.findall(r"[\w-]+", expected))
    return {name for d in left for name in d.rules if name} & words


def shipped(tree: Tree, sides: Sequence[Side]) -> list[Scenario]:
    """The scenarios that lie with editions."""
    found: list[Scenario] = []
    for ident in dict.fromkeys(side.edition.ident for side in sides):
        for name, file in tree.files(ident, SCENARIO_SUFFIX):
            found += [scenario for scenario in read_scenarios(file, name)[0] if scenario.edition == ident]
    return found
