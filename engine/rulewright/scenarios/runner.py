"""Plays scenarios and says whether what they expect came about."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from rulewright.backends.base import Backend
from rulewright.diagnostics import Diagnostic, Fault, report
from rulewright.lowering.compile import Compiled
from rulewright.model import Line, Scenario
from rulewright.phrases.words import sentence_text
from rulewright.scenarios.course import (
    at_line,
    first_answers,
    first_together,
    fitting_answer,
    give_all,
    happen_together,
)
from rulewright.scenarios.expectations import Outcome, examine
from rulewright.session.looks import Looks
from rulewright.session.requests import Request
from rulewright.session.session import Session
from rulewright.text import Span

Asker = Callable[[Session], int | str]
"""Asks a person for the answer to the open request of a session."""


@dataclass(frozen=True)
class Played:
    """A scenario that was played, as far as it went.

    Attributes:
        outcomes: its expectations, in order.
        fault: what stopped it, if anything did, and warnings.
        stopped: whether it was stopped before its end; else what is wrong was passed over.
    """

    scenario: Scenario
    session: Session
    outcomes: tuple[Outcome, ...]
    fault: tuple[Diagnostic, ...] = ()
    stopped: bool = False

    @property
    def passed(self) -> bool:
        """Whether it was played to its end and all its expectations were met."""
        return not any(d.severity == "error" for d in self.fault) and all(o.met for o in self.outcomes)


def play(
    scenario: Scenario,
    compiled: Compiled,
    backend: Backend,
    seed: int | None = None,
    asker: Asker | None = None,
    looks: Looks | None = None,
    strict: bool = True,
) -> Played:
    """Plays a scenario.

    Args:
        scenario: the scenario.
        compiled: the edition it is played under.
        backend: opens the matcher that decides every match.
        seed: rolls the dice and makes the random choices that the scenario leaves open.
        asker: asks a person for what is still open after that; without it, that is a fault.
        looks: records what the rules look at.
        strict: whether it stops at an answer to something else than what is asked, or at an expectation that means
            nothing under this edition; else these are passed over.
    """
    session = Session(compiled, backend, scenario.language)
    session.game.looks = looks
    dice = random.Random(seed) if seed is not None else None  # noqa: S311 (dice of a game, repeatable on purpose)
    outcomes: list[Outcome] = []
    strays: list[Diagnostic] = []
    start, expectations = 0, tuple[Line, ...]()
    try:
        give_all(session, scenario.givens)
        for step in scenario.steps:
            start, expectations = len(session.steps), step.expectations
            strays += _happen(step.happenings, session, dice, asker, strict)
            steps = session.steps[start:]
            for line in step.expectations:
                try:
                    outcomes.append(at_line(line, partial(examine, line, session, steps)))
                except Fault as fault:
                    if strict:
                        raise
                    strays += fault.diagnostics
            if looks is not None:
                for outcome in (o for o in outcomes[-len(step.expectations) :] if o.form == "state"):
                    looks.question(session.compared(outcome.reading) or outcome.reading, session.game.world.all_facts())
    except Fault as fault:
        if session.request is not None:
            outcomes += _too_much(expectations, session, start)
        return Played(scenario, session, tuple(outcomes), (*strays, *fault.diagnostics), stopped=True)
    return Played(scenario, session, tuple(outcomes), tuple(strays))


def _too_much(expectations: Sequence[Line], session: Session, start: int) -> list[Outcome]:
    """What happened already though it was expected not to, where a game stopped in the middle of a step."""
    found = []
    for line in expectations:
        try:
            outcome = examine(line, session, session.steps[start:])
        except Fault:
            continue
        if not outcome.met and outcome.form in ("not-fires", "not-event"):
            found.append(outcome)
    return found


def _happen(
    lines: Sequence[Line], session: Session, dice: random.Random | None, asker: Asker | None, strict: bool
) -> list[Diagnostic]:
    """Lets the lines of a step happen, each with the answers that follow it; returns answers that nothing asked for."""
    strays = []
    unasked, left = first_answers(session, lines)
    while left:
        together, left = first_together(left)
        before = len(session.steps)
        happen_together(session, together)
        answers, left = first_answers(session, left)
        unasked += _settle(session, answers, dice, asker, strict)
        strays += [*map(_stray, unasked), *unchanged(session, before, together[0].span)]
        unasked = []
        if session.request is not None:
            _say_what_is_missing(together[0], left[:1], session)
    return [*strays, *map(_stray, unasked)]


def _stray(answer: Span) -> Diagnostic:
    return report("nothing-asked", answer, answer=sentence_text(answer))


def unchanged(session: Session, before: int, span: Span | None = None) -> list[Diagnostic]:
    """Warnings of measures that should have risen or fallen since so many steps, and that nobody gave."""
    steps = session.steps[before:]
    done = [e for s in steps for e in (*s.changes, *(e for m in s.matches for e in m.effects)) if e.kind == "unknown"]
    measures = dict.fromkeys(session.worder.statement(e.phrase, e.values) for e in done)
    return [report("nothing-to-change", span, severity="warning", measure=measure) for measure in measures]


def _settle(
    session: Session, answers: list[Span], dice: random.Random | None, asker: Asker | None, strict: bool
) -> list[Span]:
    """Answers all that an event asks for: from the scenario, by the seeded dice, or by a person.

    Returns:
        The answers that were not asked for.
    """
    while (request := session.request) is not None:
        answer = fitting_answer(session, answers)
        if answer is not None:
            answers.remove(answer)
            at_line(Line(answer), partial(session.answer, answer))
        elif answers and strict:
            told = sentence_text(answers[0])
            raise Fault(report("wrong-answer", answers[0], answer=told, request=session.asked()))
        elif dice is not None and request.kind in ("roll", "chance"):
            session.answer(thrown(session, request, dice))
        elif asker is not None:
            session.answer(asker(session))
        else:
            break
    return answers


def _say_what_is_missing(line: Line, following: Sequence[Line], session: Session) -> None:
    """The Fault of a request that nothing answers; a line that looks like an answer gone wrong is named."""
    request = session.request
    assert request is not None
    for other in following:
        try:
            session.read_happening(other.span)
        except Fault as fault:
            if any(d.name == "unknown-name" for d in fault.diagnostics):
                raise
            told = sentence_text(other.span)
            raise Fault(report("wrong-answer", other.span, answer=told, request=session.asked())) from None
    name = "missing-die" if request.kind == "roll" else "missing-choice"
    raise Fault(report(name, line.span, request=session.asked(), example=session.example(request)))


def thrown(session: Session, request: Request, dice: random.Random) -> int | str:
    """An answer to a request for dice or chance, at random."""
    if request.dice is not None:
        return sum(dice.randint(1, request.dice.sides) for _ in range(request.dice.count))
    return session.name(dice.choice(request.options))
