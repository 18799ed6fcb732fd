"""Plays scripts, one after the other, on one engine; what two of them begin with in common is played once.

Dice and choices that were said find the request that they fit.  Where the game asks for more than was said, something
is picked, so that all that may come of it can be tried in turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rulewright.backends.base import Backend
from rulewright.backends.reference import ReferenceMatcher
from rulewright.diagnostics import Fault
from rulewright.lowering.compile import Compiled
from rulewright.provenance import Step, Value
from rulewright.scenarios.script import Answers, Asked, Numbered, Script, outcomes
from rulewright.session.log import Occurrence, Reply
from rulewright.session.looks import Looks
from rulewright.session.requests import Request
from rulewright.session.session import SavedSession, Session


@dataclass(frozen=True)
class Answered:
    """A request of a run and its answer.

    Attributes:
        step: how many steps there were when it was asked.
        open: nothing was said to it, so something was picked.
    """

    asked: Asked
    request: Request
    value: Value
    step: int
    open: bool = False


@dataclass
class Run:
    """A script that was played, as far as it went.

    Attributes:
        session: the game at its end.
        starts: for each entry that was carried out, its number and the number of its first step.
        unused: answers that nothing asked for.
        fault: what stopped it.
    """

    session: Session
    looks: Looks
    starts: list[tuple[int, int]] = field(default_factory=list)
    answered: list[Answered] = field(default_factory=list)
    unused: list[Answers] = field(default_factory=list)
    fault: Fault | None = None

    @property
    def steps(self) -> Sequence[Step]:
        """What happened."""
        return self.session.steps

    def entry_of(self, step: int) -> int:
        """The number of the entry in the course of which a step came about."""
        return max((pair for pair in self.starts if pair[1] <= step), key=lambda pair: pair[1])[0]


class _Mark(NamedTuple):
    """The game after an entry, and all that was said for it to come there."""

    said: object
    saved: SavedSession
    starts: tuple[tuple[int, int], ...]
    answered: tuple[Answered, ...]
    unused: tuple[Answers, ...]
    looks: int


class Rehearsal:
    """A game that is played over and over.

    Args:
        compiled: the edition.
        backend: opens the matcher that decides every match.
        language: code of the language of the sentences.
    """

    def __init__(self, compiled: Compiled, backend: Backend, language: str) -> None:
        self.compiled = compiled
        self.session = Session(compiled, backend, language)
        self._start = self.session.save()
        self._marks: list[_Mark] = []
        self._looks = Looks()

    def close(self) -> None:
        """Frees the engine."""
        self.session.close()

    def play(self, script: Script, picks: Sequence[Value] = ()) -> Run:
        """Plays a script; the session of the run is the one that goes on to play others, until ``rest`` is called.

        Args:
            script: what is said.
            picks: what is picked where nothing was said, in order; after them, the first of the outcomes.
        """
        entries = list(script.carried_out())
        done = self._in_common(script, entries)
        run = self._back_to(self._marks[done - 1] if done else None)
        left, first = list(picks), not self._marks
        try:
            for one in entries[done:]:
                run.starts.append((one.number, len(self.session.steps) + 1))
                self.session.carry_out([one.entry])
                if isinstance(one.entry, Occurrence):
                    self._answer(run, script, one.number, left)
                first = first and not any(a.open for a in run.answered)
                if first:
                    self._mark(run, script, one)
        except Fault as fault:
            run.fault = fault
        played = {number for number, _ in run.starts}
        run.unused += [a for number, answers in script.answers.items() if number not in played for a in answers]
        return run

    def rest(self, run: Run) -> None:
        """Gives a run that was played last a session of its own, in which nothing more will happen."""
        own = Session(self.compiled, ReferenceMatcher, self.session.language.code)
        own.restore(self.session.save())
        run.session = own

    # --- what is played once -------------------------------------------------------------------------------------

    def _in_common(self, script: Script, entries: Sequence[Numbered]) -> int:
        """How many entries a script begins with that were marked when the first was played."""
        number = 0
        for mark, one in zip(self._marks, entries, strict=False):
            if mark.said != _said(script, one):
                break
            number += 1
        return number

    def _back_to(self, mark: _Mark | None) -> Run:
        looks = Looks()
        self.session.restore(mark.saved if mark else self._start)
        self.session.game.looks = looks
        run = Run(self.session, looks)
        if mark is not None:
            looks.taken += self._looks.taken[: mark.looks]
            run.starts, run.answered, run.unused = list(mark.starts), list(mark.answered), list(mark.unused)
        return run

    def _mark(self, run: Run, script: Script, one: Numbered) -> None:
        said, looks = _said(script, one), len(run.looks.taken)
        self._looks = run.looks
        self._marks.append(
            _Mark(said, self.session.save(), tuple(run.starts), tuple(run.answered), tuple(run.unused), looks)
        )

    # --- answers -------------------------------------------------------------------------------------------------

    def _answer(self, run: Run, script: Script, entry: int, picks: list[Value]) -> None:
        """Answers all that is asked for in the course of an entry."""
        said, seen = list(script.answers.get(entry, ())), Counter[Asked]()
        while (request := self.session.request) is not None:
            alike = Asked(entry, request.kind, request.about, request.test or request.rule)
            asked = Asked(entry, alike.kind, alike.about, alike.item, seen[alike])
            seen[alike] += 1
            fitting = next((answers for answers in said if any(r.fits(request) for r in answers)), None)
            if fitting is not None:
                said.remove(fitting)
            value = script.settled.get(asked)
            if value is None or (request.options and value not in request.options):
                value = next((r.value for r in fitting or () if r.fits(request)), None)
            picked = value is None
            if value is None:
                value = picks.pop(0) if picks else outcomes(request)[0]
            run.answered.append(Answered(asked, request, value, len(self.session.steps), picked))
            self.session.carry_out([Reply(value, request)])
        run.unused += said


def _said(script: Script, one: Numbered) -> object:
    """An entry with all that is said to what it asks for."""
    settled = frozenset((asked, value) for asked, value in script.settled.items() if asked.entry == one.number)
    return one, script.answers.get(one.number, ()), settled
