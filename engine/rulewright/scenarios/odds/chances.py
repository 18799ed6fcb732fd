"""How likely each mark is: exactly, from all branches; or from a sample of them."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from time import monotonic

from rulewright.scenarios.odds.branches import Branch, Explorer, State
from rulewright.scenarios.odds.marks import Mark

NONE, ALL = Fraction(0), Fraction(1)
_CERTAINTY = 1.959964
"""So many standard deviations to either side hold 95% of what chance brings."""

Best = Callable[[Iterable[Fraction]], Fraction]


@dataclass(frozen=True)
class Chance:
    """How likely something is.

    Attributes:
        least: if all choices of players are against it.
        most: if all are for it; the same where no choice matters.
        error: for what was sampled, the bounds of the 95% interval.
    """

    least: Fraction
    most: Fraction
    error: tuple[float, float] | None = None

    @property
    def open(self) -> bool:
        """Whether it is neither certain nor out of the question."""
        return self.most > 0 and self.least < 1

    def opposite(self) -> Chance:
        """The chance of its not being so."""
        error = (1 - self.error[1], 1 - self.error[0]) if self.error else None
        return Chance(1 - self.most, 1 - self.least, error)


NEVER = Chance(NONE, NONE)
Chances = Mapping[Mark, Chance]


# --- ends ----------------------------------------------------------------------------------------------------------


def standing(ends: Sequence[frozenset[Mark]]) -> list[frozenset[Mark]]:
    """What is so at each end, but for what is so at all of them."""
    facts = [frozenset(m for m in marks if m.kind in ("fact", "value")) for marks in ends]
    common = frozenset.intersection(*facts) if facts else frozenset()
    return [own - common for own in facts]


def mark_ends(states: Iterable[State]) -> list[frozenset[Mark]]:
    """Marks each end with its number; leaves of its facts those that tell it from others.

    Returns:
        The ends that differ in what is so, by their numbers.
    """
    ends = [s for s in states if s.request is None and not s.stopped]
    apart: dict[frozenset[Mark], str] = {}
    for state, facts in zip(ends, standing([s.marks for s in ends]), strict=True):
        wanted = frozenset(m for m in state.marks if m.kind == "wanted")
        state.marks = wanted | facts | {Mark("end", apart.setdefault(facts, str(len(apart))))}
    return list(apart)


# --- exactly -------------------------------------------------------------------------------------------------------


def exactly(first: Branch, order: Sequence[State]) -> tuple[Chances, dict[State, list[Chances]]]:
    """How likely each mark is: from the first branch on, and from each option of each state in which a player decides.

    Args:
        first: leads to the first state.
        order: all states, each after those it leads to.
    """
    deciding = [state for state in order if state.chooses]
    most = _at_least_once(order, max)
    least = _at_least_once(order, min) if deciding else most

    def after(branch: Branch) -> Chances:
        low, high = least[branch.to], most[branch.to]
        found = {mark: Chance(low.get(mark, NONE), chance) for mark, chance in high.items()}
        return found | dict.fromkeys(branch.marks, Chance(ALL, ALL))

    return after(first), {state: [after(b) for b in state.branches if b is not None] for state in deciding}


def _at_least_once(order: Sequence[State], best: Best) -> dict[State, Mapping[Mark, Fraction]]:
    """How likely each mark comes about at least once from each state on, if players choose the best for it."""
    found: dict[State, Mapping[Mark, Fraction]] = {}
    for state in order:
        ways = [(a.chance, b, found[b.to]) for a, b in zip(state.answers, state.branches, strict=True) if b is not None]
        if state.request is None:
            found[state] = dict.fromkeys(state.marks, ALL)
        elif state.chooses:
            found[state] = _chosen(state, [(b.marks, below) for _, b, below in ways], best)
        else:
            found[state] = _thrown([(chance, b.marks, below) for chance, b, below in ways if chance is not None])
    return found


def _chosen(
    state: State, ways: Sequence[tuple[frozenset[Mark], Mapping[Mark, Fraction]]], best: Best
) -> dict[Mark, Fraction]:
    marks = dict.fromkeys(mark for along, below in ways for mark in (*along, *below))
    chances = {mark: best(ALL if mark in along else below.get(mark, NONE) for along, below in ways) for mark in marks}
    return {mark: chance for mark, chance in chances.items() if chance} | {Mark("choice", str(state.number)): ALL}


def _thrown(ways: Sequence[tuple[Fraction, frozenset[Mark], Mapping[Mark, Fraction]]]) -> dict[Mark, Fraction]:
    found: dict[Mark, Fraction] = defaultdict(Fraction)
    for chance, along, below in ways:
        for mark in along:
            found[mark] += chance
        for mark, further in below.items():
            if mark not in along:
                found[mark] += chance * further
    return dict(found)


# --- by sampling ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """What came about in games that were played at random, players choosing each option equally often.

    Attributes:
        size: so many games.
        chances: how often each mark came about.
        options: the same for the games in which each option of the first choice was taken.
        ends: what was so at the ends, by their numbers.
    """

    size: int
    chances: Chances
    options: dict[State, list[Chances]]
    ends: list[frozenset[Mark]]


def sampled(explorer: Explorer, size: int, seed: int, seconds: float) -> Sample:
    """Plays games at random from the first state on: so many, or fewer when the time is over."""
    dice = random.Random(seed)  # noqa: S311 (dice of a game, repeatable on purpose)
    end = monotonic() + seconds
    games: list[_Game] = []
    while len(games) < size and (not games or monotonic() < end):
        games.append(_game(explorer, dice))
    facts = iter(standing([game.end for game in games if game.end is not None]))
    numbers: dict[frozenset[Mark], str] = {}
    told = []
    for game in games:
        own = game.marks
        if game.end is not None:
            so = next(facts)
            wanted = frozenset(m for m in game.end if m.kind == "wanted")
            own |= so | wanted | {Mark("end", numbers.setdefault(so, str(len(numbers))))}
        told.append((own, game.first))
    options: dict[State, list[Chances]] = {
        state: [counted([m for m, first in told if first == (state, n)]) for n in range(len(state.answers))]
        for state in dict.fromkeys(first[0] for _, first in told if first is not None)
    }
    return Sample(len(games), counted([marks for marks, _ in told]), options, list(numbers))


@dataclass(frozen=True)
class _Game:
    """One game: what came about, what was so at its end if it came to one, and the first choice with its option."""

    marks: frozenset[Mark]
    end: frozenset[Mark] | None
    first: tuple[State, int] | None


def _game(explorer: Explorer, dice: random.Random) -> _Game:
    first: tuple[State, int] | None = None
    branch = explorer.first
    marks = set(branch.marks)
    while branch.to.request is not None:
        state = branch.to
        if state.chooses:
            index = dice.randrange(len(state.answers))
            marks.add(Mark("choice", str(state.number)))
            first = first or (state, index)
        else:
            weights = [float(a.chance or 0) for a in state.answers]
            index = dice.choices(range(len(weights)), weights)[0]
        branch = explorer.branch(state, index)
        marks |= branch.marks
    if branch.to.stopped:
        return _Game(frozenset(marks) | branch.to.marks, None, first)
    return _Game(frozenset(marks), branch.to.marks, first)


def counted(games: Sequence[frozenset[Mark]]) -> Chances:
    """How often each mark came about in some games, with the bounds of the 95% interval."""
    counts = Counter(mark for marks in games for mark in marks)
    size = len(games)
    return {m: Chance(Fraction(n, size), Fraction(n, size), interval(n, size)) for m, n in counts.items()}


def interval(count: int, size: int) -> tuple[float, float]:
    """The 95% interval of Wilson for what came about so many times of a number."""
    share, square = count / size, _CERTAINTY**2
    middle = (share + square / (2 * size)) / (1 + square / size)
    half = _CERTAINTY / (1 + square / size) * sqrt(share * (1 - share) / size + square / (4 * size**2))
    return max(0.0, middle - half), min(1.0, middle + half)
