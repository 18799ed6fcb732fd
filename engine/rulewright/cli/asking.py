"""Asks a person at the terminal for dice and choices."""

from __future__ import annotations

from rich.text import Text

from rulewright.cli.common import console
from rulewright.diagnostics import Fault, did_you_mean, report
from rulewright.explain.run import describe_steps
from rulewright.explain.terminal import print_step
from rulewright.session.requests import Request
from rulewright.session.session import Session
from rulewright.speech import FIRST, messages, say


class Quit(Exception):
    """The person wants to play no further."""


class Person:
    """Somebody at the terminal, who is told what happened and then asked.

    Attributes:
        lines: what was answered, as lines that could stand in the scenario.
    """

    def __init__(self, title: str) -> None:
        self.title = title
        self.lines: list[str] = []
        self._shown = 0

    def __call__(self, session: Session) -> int | str:
        """Asks until there is an answer to the open request of the session.

        Raises:
            Quit: the person wants to stop.
            Fault: the input has ended.
        """
        request = session.request
        assert request is not None
        self._tell(session)
        out = console()
        while True:
            try:
                text = out.input(f"{question_of(session, request)} > ").strip()
            except EOFError:
                raise Fault(report("input-ended", request=session.asked())) from None
            if text.casefold() in _words("quit") and text not in map(session.worder.name, request.options):
                raise Quit
            answer = _answer(text)
            if text.casefold() in ("", *_words("help")) or not _fits(session, answer):
                out.print(_explained(session, request, text))
                continue
            line = session.example(request, text)
            self.lines.append(f"{session.language.keyword('AND')} {line}")
            return answer

    def _tell(self, session: Session) -> None:
        """What happened since the last question."""
        out = console()
        if not self._shown:
            out.print(Text(self.title, style="bold"))
        self._shown = print_steps(session, self._shown)
        out.print()

    def print_lines(self) -> None:
        """What to add to the scenario for it to be played like this again."""
        if self.lines:
            out = console()
            out.print("\n" + say("asking.again"))
            for line in self.lines:
                out.print(f"  {line}")


def print_steps(session: Session, since: int) -> int:
    """Prints the steps of a session without the first so many; returns how many there are."""
    out = console()
    rules = {match.number: match.rule for match in session.matches}
    for step in describe_steps(session, since):
        out.print()
        print_step(step, rules, out)
    return len(session.steps)


def _words(what: str) -> list[str]:
    """The words for stopping, or for asking what is meant: those of the language spoken, and the first ones."""
    key = f"asking.{what}-words"
    return [*say(key).split(", "), *messages(FIRST)[key].split(", ")]


def _answer(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


def _fits(session: Session, answer: int | str) -> bool:
    """Whether the game takes an answer."""
    before = session.save()
    try:
        session.answer(answer)
    except Fault as fault:
        if any(d.name not in ("wrong-answer", "not-an-option", "die-out-of-range") for d in fault.diagnostics):
            raise
        return False
    finally:
        session.restore(before)
    return True


def question_of(session: Session, request: Request) -> str:
    """What a session asks for, with the totals that the dice can have."""
    dice = request.dice
    range_ = " " + say("asking.total", lowest=dice.lowest, highest=dice.highest) if dice else ""
    return session.asked() + range_


def _explained(session: Session, request: Request, text: str) -> str:
    """What may be answered; what is wrong with the answer, if there was one."""
    wrong = say("asking.no-answer", answer=text) if text.casefold() not in ("", *_words("help")) else ""
    end = say("asking.quit")
    if request.dice is not None:
        dice = request.dice
        told = say("asking.roll", dice=str(dice), lowest=dice.lowest, highest=dice.highest)
    else:
        options = [session.worder.name(o) for o in request.options]
        told = say("asking.options", options=", ".join(options))
        hint = str(did_you_mean(text, options) or "") if wrong else ""
        end = f"{hint[0].upper()}{hint[1:]} {end}" if hint else end
    return " ".join(filter(None, (wrong, told, end)))
