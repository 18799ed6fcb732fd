"""The course of a scenario: which of its lines happen together, and which answers follow them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from rulewright.diagnostics import Diagnostic, Fault
from rulewright.model import Line, Scenario
from rulewright.session.session import Session
from rulewright.speech import later
from rulewright.text import Span

T = TypeVar("T")


def at_line(line: Line, act: Callable[[], T]) -> T:
    """Does something for a line of a scenario; a fault without a place of its own gets the line's."""
    try:
        return act()
    except Fault as fault:
        fault.diagnostics = tuple(_placed(d, line) for d in fault.diagnostics)
        raise


def _placed(diagnostic: Diagnostic, line: Line) -> Diagnostic:
    if diagnostic.span is None:
        return replace(diagnostic, span=line.span)
    if diagnostic.span.source is line.span.source:
        return diagnostic
    return replace(diagnostic, places=(*diagnostic.places, (later("place.playing"), line.span)))


def give_all(session: Session, lines: Sequence[Line]) -> None:
    """Gives a session what is so at the beginning."""
    for line in lines:
        at_line(line, partial(session.give, line.span))


def happen_together(session: Session, lines: Sequence[Line]) -> None:
    """Lets lines happen at one moment."""
    at_line(lines[0], partial(session.happens, *(line.span for line in lines)))


def first_together(lines: Sequence[Line]) -> tuple[Sequence[Line], Sequence[Line]]:
    """The lines that happen at one moment with the first, and the rest."""
    size = 1
    while size < len(lines) and lines[size].together:
        size += 1
    return lines[:size], lines[size:]


def first_answers(session: Session, lines: Sequence[Line]) -> tuple[list[Span], Sequence[Line]]:
    """The answers that lines begin with, and the rest."""
    size = 0
    while size < len(lines) and session.read_answer(lines[size].span):
        size += 1
    return [line.span for line in lines[:size]], lines[size:]


def fitting_answer(session: Session, answers: Sequence[Span]) -> Span | None:
    """The first answer that fits what the game asks for."""
    request = session.request
    assert request is not None
    return next((a for a in answers if any(r.fits(request) for r in session.read_answer(a))), None)


@dataclass(frozen=True)
class Course:
    """What is still to come of a scenario, when some of it is left open.

    Attributes:
        steps: the lines of each step that have not happened yet.
        answers: the answers that the scenario gives to what happened last, as far as they are not used up.
        forgotten: kinds of answers that the scenario gives and that are left open all the same.
    """

    steps: tuple[tuple[Line, ...], ...] = ()
    answers: tuple[Span, ...] = ()
    forgotten: frozenset[str] = frozenset()

    @property
    def place(self) -> tuple[object, ...]:
        """How far it has come; equal for equal places in one scenario."""
        return len(self.steps), len(self.steps[0]) if self.steps else 0, tuple(a.start for a in self.answers)

    def answered(self, session: Session) -> Course:
        """Answers what the game asks, as far as the scenario does.

        An answer that nothing asks for is passed over: in another course of the game something may.

        Raises:
            Fault: the game cannot go on.
        """
        answers = list(self.answers)
        while session.request is not None:
            answer = fitting_answer(session, answers)
            if answer is None:
                break
            at_line(Line(answer), partial(session.answer, answer))
            answers.remove(answer)
        return replace(self, answers=tuple(answers) if session.request is not None else ())

    def moved(self, session: Session) -> Course:
        """Lets the next lines happen, with the answers that follow them still to be given.

        Raises:
            Fault: the game cannot go on.
        """
        (lines, *later_steps) = self.steps
        _, rest = first_answers(session, lines)
        answers: list[Span] = []
        if rest:
            together, rest = first_together(rest)
            happen_together(session, together)
            given, rest = first_answers(session, rest)
            answers = [a for a in given if not {r.kind for r in session.read_answer(a)} & self.forgotten]
        steps = (tuple(rest), *later_steps) if rest else tuple(later_steps)
        return replace(self, steps=steps, answers=tuple(answers))


def course_of(scenario: Scenario, forgotten: frozenset[str] = frozenset()) -> Course:
    """The whole course of a scenario, with some kinds of answers forgotten."""
    return Course(tuple(step.happenings for step in scenario.steps if step.happenings), forgotten=forgotten)
