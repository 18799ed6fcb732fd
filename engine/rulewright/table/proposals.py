"""What a line at the table can go on with: words of command, answers to what is asked for, and sentences."""

from __future__ import annotations

from collections.abc import Iterable

from rulewright.phrases.completion import Proposal, continuations, offered
from rulewright.session.session import Session
from rulewright.speech import say
from rulewright.table.commands import words_of


def proposals(text: str, session: Session, commands: Iterable[str]) -> list[Proposal]:
    """The ways in which a line can go on, those that are likeliest first.

    Args:
        text: the line so far.
        session: the game, whose names and open request count.
        commands: the commands there are, by name.
    """
    request = session.request
    words = [(words_of(name)[0], say(f"play.help.{name}")) for name in commands]
    if request is not None:
        told = session.asked()
        options = [(session.name(option), told) for option in request.options]
        return offered([*options, (session.example(request), told), *words], text)
    found = continuations(session.lexicon, session.own_worder, text)
    return [*found, *(offered(words, text) if text.strip() else [])]
