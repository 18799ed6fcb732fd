"""The smallest changes of a game that make a goal met, or unmet: every set of candidates is tried by playing it.

Single changes come first, then pairs, then more, up to a bound; the candidates that go with a change come from the game
that was played with it.  So when a pair is named, no single change that was searched does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rulewright.diagnostics import Fault
from rulewright.model import Line
from rulewright.provenance import Value
from rulewright.scenarios.changes import Change, Weighed, changed, together
from rulewright.scenarios.expectations import Outcome, examine
from rulewright.scenarios.goals import repairs
from rulewright.scenarios.rehearsal import Answered, Rehearsal, Run
from rulewright.scenarios.script import Script, outcomes

MOST_CHANGES = 3
"""So many changes are put together unless another number is asked for."""
MOST_GAMES = 400
"""So many games are played in a search unless another number is asked for."""
MOST_BRANCHES = 24
"""So many ways for open dice and choices to fall are played; what may fall in more ways counts as not certain."""
_FOR_GOOD = frozenset({"event", "fires"})
"""What happens once has happened, whatever comes after it."""


@dataclass(frozen=True)
class Tried:
    """A set of changes that was tried.

    Attributes:
        run: the first of its games, or the first in which the goal did not turn out as wanted.
        sure: whether it turned out as wanted, whatever was picked where nothing was said.
    """

    changes: tuple[Change, ...]
    run: Run
    outcome: Outcome
    sure: bool


@dataclass
class Found:
    """What a search came to.

    Attributes:
        base: the game without changes.
        met: whether the goal is met in it; then changes were looked for that make it unmet.
        answers: the smallest sets of changes, the best first.
        size: of how many changes they are.
        runs: how many games were played.
        ended: whether the search ended because it had played as many games as it may.
    """

    base: Tried
    met: bool
    weighed: Weighed
    answers: list[Tried] = field(default_factory=list)
    size: int = 0
    runs: int = 0
    ended: bool = False


@dataclass
class Search:
    """A search for changes.

    Attributes:
        script: the game as it was said.
        rehearsal: plays it.
        goal: the sentence that is to be met, or unmet.
    """

    script: Script
    rehearsal: Rehearsal
    goal: Line
    most_changes: int = MOST_CHANGES
    most_games: int = MOST_GAMES
    runs: int = 0
    _known: set[Change] = field(default_factory=set)

    def find(self) -> Found:
        """The smallest changes.

        Raises:
            Fault: the goal cannot be read, or the game cannot be played.
        """
        base = self.tried((), wanted=True)
        if base.run.fault is not None:
            raise base.run.fault
        met = base.sure
        if met:
            base = Tried((), base.run, base.outcome, sure=False)
        said = {a.asked: a.value for a in base.run.answered if not a.open}
        weighed = Weighed(self.script, said, self.rehearsal.compiled.edition.vocabulary)
        found = Found(base, met, weighed)
        frontier, seen = [base], set[frozenset[Change]]()
        for size in range(1, self.most_changes + 1):
            tried: list[Tried] = []
            for changes in self._candidates(frontier, weighed, wanted=not met):
                if frozenset(changes) in seen:
                    continue
                if self.runs >= self.most_games:
                    found.ended = True
                    break
                seen.add(frozenset(changes))
                one = self.tried(changes, wanted=not met)
                if one.run.fault is None:
                    tried.append(one)
            sure = [one for one in tried if one.sure]
            sure = [one for one in sure if not weighed.odd(one.changes)] or sure
            if sure or found.ended:
                found.answers, found.size = sorted(sure, key=lambda one: weighed.far(one.changes)), size
                break
            frontier = tried
        found.runs = self.runs
        return found

    def _candidates(self, frontier: Sequence[Tried], weighed: Weighed, wanted: bool) -> list[tuple[Change, ...]]:
        """Sets with one change more than those of the games that did not turn out as wanted, the most likely first.

        What only comes into view once a change is made is more likely than what was tried by itself before.
        """
        found: dict[tuple[Change, ...], bool] = {}
        for one in frontier:
            for change in repairs(one.run, changed(self.script, one.changes), one.outcome, wanted):
                changes = (*one.changes, change)
                if together(changes):
                    found[changes] = change in self._known
        self._known |= {changes[-1] for changes in found}
        return sorted(found, key=lambda changes: (found[changes], weighed.far(changes)))

    def tried(self, changes: Sequence[Change], wanted: bool) -> Tried:
        """Plays the game with changes, in all ways in which open dice and choices may fall."""
        script = changed(self.script, changes)
        first: Tried | None = None
        picks: list[Value] | None = []
        branches = 0
        while picks is not None:
            run = self.rehearsal.play(script, picks)
            self.runs += 1
            branches += 1
            outcome = self._outcome(run, wanted, may_fail=bool(changes))
            picks = _following([a for a in run.answered if a.open and not self._settled(run, outcome, a.step)])
            sure = run.fault is None and outcome.met == wanted and (picks is None or branches < MOST_BRANCHES)
            if first is None or not sure:
                self.rehearsal.rest(run)
                first = Tried(tuple(changes), run, outcome, sure)
            if not sure:
                return first
        assert first is not None
        return first

    def _settled(self, run: Run, outcome: Outcome, step: int) -> bool:
        """Whether what was to happen had happened by a step, so that nothing picked from there on undoes it."""
        if not outcome.met or outcome.form not in _FOR_GOOD:
            return False
        return examine(self.goal, run.session, run.steps[:step]).met

    def _outcome(self, run: Run, wanted: bool, may_fail: bool) -> Outcome:
        """The goal, held against a game; where that cannot be, it did not turn out as wanted."""
        try:
            if run.fault is None:
                return examine(self.goal, run.session, run.steps)
        except Fault:  # it speaks of a thing that never came into this game
            if not may_fail:
                raise
        return Outcome(self.goal.span, met=not wanted, got="")


def _following(open_ones: Sequence[Answered]) -> list[Value] | None:
    """What is to be picked in the next game, where nothing was said; None when all was tried."""
    for index in reversed(range(len(open_ones))):
        options = outcomes(open_ones[index].request)
        place = options.index(open_ones[index].value) + 1
        if place < len(options):
            return [*(a.value for a in open_ones[:index]), options[place]]
    return None
