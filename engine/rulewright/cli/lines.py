"""Where the lines come from that are typed at a table: a terminal, with completion, or a pipe."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence

from rulewright.phrases.completion import Proposal

Proposing = Callable[[str], Sequence[Proposal]]
"""Gives the ways in which a line can go on."""
PROMPT = "> "


def at_terminal() -> bool:
    """Whether a person types and reads."""
    return bool(sys.stdin and sys.stdin.isatty() and sys.stdout.isatty())


def lines(proposing: Proposing) -> Iterator[str]:
    """Lines as they are typed, until there are no more; one that is broken off is an empty one."""
    if not at_terminal():
        if isinstance(sys.stdin, io.TextIOWrapper):  # what is no text is told of like any other slip
            sys.stdin.reconfigure(encoding="utf-8", errors="replace")
        for line in sys.stdin:  # noqa: UP028 (`yield from` would close it for those who read on)
            yield line
        return
    ask = _asking if os.environ.get("TERM", "dumb") == "dumb" else _completing(proposing)
    while True:
        try:
            yield ask()
        except KeyboardInterrupt:
            yield ""
        except EOFError:
            return


def _asking() -> str:
    return input(PROMPT)


def _completing(proposing: Proposing) -> Callable[[], str]:
    """Asks for a line at a terminal that can show what may follow."""
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document

    class Completing(Completer):
        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:  # noqa: ARG002
            for proposal in proposing(document.text_before_cursor):
                yield Completion(proposal.text, -proposal.replaces, display_meta=proposal.goes_on)

    session: PromptSession[str] = PromptSession(completer=Completing(), complete_while_typing=True)
    return lambda: session.prompt(PROMPT)
