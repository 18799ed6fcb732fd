"""Asks a person at the terminal for dice and choices."""

from __future__ import annotations

from rulewright.cli.common import console
from rulewright.diagnostics import Fault, report
from rulewright.session.session import Session


def ask_on_terminal(session: Session) -> int | str:
    """Asks until there is an answer to the open request of the session."""
    out = console()
    while True:
        try:
            text = out.input(f"{session.asked()} > ").strip()
        except EOFError:
            raise Fault(report("unanswered-prompt", request=session.asked())) from None
        answer: int | str = int(text) if text.isascii() and text.isdigit() else text
        trial = session.fork()
        try:
            trial.answer(answer)
        except Fault as fault:
            for diagnostic in fault.diagnostics:
                out.print(f"{diagnostic.message}; {diagnostic.help}")
        else:
            return answer
        finally:
            trial.close()
