"""All ways in which a game can go on: states of which equal ones are one, and the branches between them.

Totals of one roll that pass, and those that fail, go on alike: rules see nothing else of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from time import monotonic

from rulewright.diagnostics import Diagnostic, Fault
from rulewright.model import FAILS_TEST, PASSES_TEST, TAKES_TEST, Dice, Total
from rulewright.provenance import Step, Value
from rulewright.scenarios.course import Course
from rulewright.scenarios.odds.marks import Mark, Teller
from rulewright.session.requests import Request
from rulewright.session.saved import key_of
from rulewright.session.session import SavedSession, Session
from rulewright.session.tests_taken import MissingMeasures
from rulewright.session.world import Key
from rulewright.walk import descend


@dataclass(frozen=True)
class Answers:
    """Answers to one request that the game goes on from alike.

    Attributes:
        values: totals of dice, or idents of options.
        chance: how likely one of them comes; None where a player chooses.
        passes: for totals, whether they pass the test.
    """

    values: tuple[Value, ...]
    chance: Fraction | None
    passes: bool | None = None


@dataclass(frozen=True)
class Branch:
    """What comes of some answers: what came about on the way, and where it leads to."""

    marks: frozenset[Mark]
    to: State


@dataclass(eq=False)
class State:
    """A state of the game: it waits for something, or is at its end, or cannot go on.

    Attributes:
        number: in the order in which the states were found, the first being 0.
        request: what it waits for.
        branches: what comes of each of the answers, as far as it has been played.
        marks: for an end, what is so there.
        stopped: what keeps the game from going on.
        lacking: measures, with the things in their places, for want of which it cannot.
        saved: the game, until all that comes of the state has been played.
    """

    number: int
    course: Course
    request: Request | None = None
    answers: tuple[Answers, ...] = ()
    branches: list[Branch | None] = field(default_factory=list)
    marks: frozenset[Mark] = frozenset()
    stopped: tuple[Diagnostic, ...] = ()
    lacking: tuple[Key, ...] = ()
    saved: SavedSession | None = None

    @property
    def chooses(self) -> bool:
        """Whether a player decides here."""
        return self.request is not None and self.request.kind in ("choice", "order")

    def next(self) -> list[State]:
        """The states it leads to, as far as they are known."""
        return [branch.to for branch in self.branches if branch is not None]


def totals(dice: Dice) -> dict[int, Fraction]:
    """How likely each total of dice is."""
    ways = Counter({0: 1})
    for _ in range(dice.count):
        rolled: Counter[int] = Counter()
        for total, count in ways.items():
            for face in range(1, dice.sides + 1):
                rolled[total + face] += count
        ways = rolled
    return {total: Fraction(count, dice.sides**dice.count) for total, count in sorted(ways.items())}


def open_answers(session: Session) -> tuple[Answers, ...]:
    """The answers to the open request, those together that go on alike."""
    request = session.request
    assert request is not None
    if request.dice is None:
        even = Fraction(1, len(request.options)) if request.kind == "chance" else None
        return tuple(Answers((option,), even) for option in request.options)
    likely = totals(request.dice)
    passing = _passing(session, list(likely))
    return tuple(
        Answers(tuple(map(Fraction, some)), sum((likely[total] for total in some), Fraction(0)), passes)
        for passes, some in ((True, passing), (False, [t for t in likely if t not in passing]))
        if some
    )


def _passing(session: Session, rolled: Sequence[int]) -> Sequence[int]:
    """The totals that pass the open test; where they are all on one side of some number, that number is looked for."""
    request, passes = session.request, session.game.would_pass
    assert request is not None
    test = next(t for t in session.compiled.edition.tests if t.anchor.ident == request.rule)
    if test.success.operator in ("=", "!=") or sum(isinstance(n, Total) for n in descend(test.success)) != 1:
        return [total for total in rolled if passes(total)]
    first = passes(rolled[0])
    turn = bisect_left(rolled, True, key=lambda total: passes(total) != first)  # noqa: FBT003 (what is looked for)
    return rolled[:turn] if first else rolled[turn:]


class Explorer:
    """Plays all branches of a game from where a session stands; the session goes back and forth, and ends anywhere.

    Args:
        session: the session; nothing else may use it meanwhile.
        course: what of a scenario is still to come.
        teller: tells what came about, and what is so at an end.
        answers: the answers to an open request, and which of them are taken together.
        merging: whether equal states are one.

    Attributes:
        states: the states found so far; when there are too many, no more are kept.
        stops: those of them in which the game cannot go on.
        late: whether branches were left because it took too long.
    """

    def __init__(
        self,
        session: Session,
        course: Course,
        teller: Teller,
        answers: Callable[[Session], tuple[Answers, ...]] = open_answers,
        merging: bool = True,
    ) -> None:
        self.session, self.teller = session, teller
        self._answers, self._merging = answers, merging
        self._known: dict[object, State] = {}
        self._rests: dict[object, Branch] = {}
        self._most_kept: int | None = None
        self.states: list[State] = []
        self.stops: list[State] = []
        self.late = False
        self.first = self._play(course, None)

    @property
    def root(self) -> State:
        """The state in which something is asked first."""
        return self.first.to

    def explore(self, most: int, seconds: float) -> bool:
        """Plays all branches; False when there are more states than ``most``, or it takes too long."""
        end = monotonic() + seconds
        waiting = deque([self.root])
        while waiting:
            state = waiting.popleft()
            for index in range(len(state.answers)):
                known = len(self.states)
                branch = self.branch(state, index)
                if len(self.states) > known:
                    waiting.append(branch.to)
                self.late = monotonic() > end
                if len(self.states) > most or self.late:
                    self._most_kept = 2 * most
                    return False
        return True

    def branch(self, state: State, index: int) -> Branch:
        """What comes of some of the answers of a state."""
        found = state.branches[index]
        if found is None:
            assert state.saved is not None
            self.session.restore(state.saved)
            found = self._play(state.course, state.answers[index])
            if self._keeping:
                state.branches[index] = found
                if None not in state.branches:
                    state.saved = None
        return found

    def _play(self, course: Course, answers: Answers | None) -> Branch:
        """Plays on with an answer, until something is asked; games that come to rest alike are played on once."""
        along: list[frozenset[Mark]] = []
        rests: list[object] = []
        known: Branch | None = None
        before, test = len(self.session.steps), self._open_test()
        outcome = self._outcome(answers)
        try:
            if answers is not None:
                self.session.reply(answers.values[0])
            course = course.answered(self.session)
            while self.session.request is None and course.steps and known is None:
                along.append(self._marks(before, test))
                before, test = len(self.session.steps), None
                rests.append(self._key(self.session.save(), course))
                known = self._rests.get(rests[-1])
                if known is None:
                    course = course.moved(self.session).answered(self.session)
            branch = known or Branch(self._marks(before, test), self._state(course))
        except MissingMeasures as fault:
            stopped = self._stopped(course, fault.diagnostics, fault.measures)
            branch = Branch(self._marks(before, test) | outcome, stopped)
        except Fault as fault:
            branch = Branch(self._marks(before, test) | outcome, self._stopped(course, fault.diagnostics))
        for rest, marks in zip(reversed(rests), reversed(along), strict=True):
            if self._keeping:
                self._rests[rest] = branch
            branch = Branch(branch.marks | marks, branch.to)
        return branch

    def _outcome(self, answers: Answers | None) -> frozenset[Mark]:
        """How a test comes out with some totals, though the game cannot go on with them."""
        request = self.session.request
        if request is None or answers is None or answers.passes is None:
            return frozenset()
        event = PASSES_TEST if answers.passes else FAILS_TEST
        return frozenset({Mark("event", event, (request.about, request.test))})

    @property
    def _keeping(self) -> bool:
        """Whether what is played is kept, so as not to be played again: a sample plays far more than can be kept."""
        return self._most_kept is None or len(self.states) < self._most_kept

    def _key(self, saved: SavedSession, course: Course) -> object:
        """Equal for games that go on alike, if equal ones are one."""
        columns = self.session.compiled.program.columns
        return (key_of(saved.game, columns), course.place) if self._merging else object()

    def _open_test(self) -> int | None:
        """The index of the step that took the test which is open."""
        request, steps = self.session.request, self.session.steps
        if request is None or request.dice is None:
            return None
        wanted = (request.about, request.test)
        return next(i for i in range(len(steps) - 1, -1, -1) if steps[i].values[:2] == wanted and self._takes(steps[i]))

    @staticmethod
    def _takes(step: Step) -> bool:
        return step.event == TAKES_TEST and not step.voided

    def _marks(self, before: int, test: int | None) -> frozenset[Mark]:
        """What came about since so many steps, and by an answer to the test that some step took."""
        steps: Sequence[Step] = self.session.steps
        rolled = [replace(steps[test], matches=(), changes=())] if test is not None and steps[test].test else []
        return self.teller.along(self.session, steps[before:], rolled)

    def _state(self, course: Course) -> State:
        saved = self.session.save()
        key = self._key(saved, course)
        known = self._known.get(key)
        if known is not None:
            return known
        state = State(len(self.states), course, self.session.request)
        if state.request is None:
            state.marks = self.teller.at_end(self.session)
        else:
            state.answers = self._answers(self.session)
            state.branches, state.saved = [None] * len(state.answers), saved
        if self._keeping:
            self._known[key] = state
            self.states.append(state)
        return state

    def _stopped(self, course: Course, found: tuple[Diagnostic, ...], lacking: tuple[Key, ...] = ()) -> State:
        """The game cannot go on."""
        known = next((s for s in self.stops if s.stopped == found), None)
        if known is not None:
            return known
        mark = Mark("stopped", str(len(self.stops)))
        state = State(len(self.states), course, marks=frozenset({mark}), stopped=found, lacking=lacking)
        self.stops.append(state)
        self.states.append(state)
        return state


def backwards(root: State) -> list[State] | None:
    """All states below one, each after those it leads to; None when some go round in circles."""
    below: dict[State, list[State]] = {}
    waiting = [root]
    while waiting:
        state = waiting.pop()
        if state not in below:
            below[state] = state.next()
            waiting += below[state]
    try:
        return list(TopologicalSorter(below).static_order())
    except CycleError:
        return None
