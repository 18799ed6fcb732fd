"""What a line that is typed at the table is: a command, a question, or a sentence for the game.

A sentence that can be read always counts as one, so that no word of command is ever in the way of a name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rulewright.diagnostics import Fault, nearest
from rulewright.phrases.introducing import introductions
from rulewright.phrases.matching import Reader
from rulewright.session.session import Session
from rulewright.speech import FIRST, messages, say
from rulewright.syntax.signs import typed
from rulewright.text import Span

Takes = Literal["nothing", "number", "text"]
"""What may stand behind a word of command: nothing, a number or nothing, or any text or nothing."""


@dataclass(frozen=True)
class Command:
    """A word of command, by its name in every language, and what stands behind it."""

    name: str
    rest: str = ""


@dataclass(frozen=True)
class Question:
    """Something asked about this moment."""

    text: str


@dataclass(frozen=True)
class Sentence:
    """Something said to the game: what is so, what happens, or an answer."""

    text: str


Meant = Command | Question | Sentence


def meant(line: str, session: Session, known: Mapping[str, Takes]) -> Meant:
    """What a line is.

    Args:
        line: what was typed: neither empty nor a comment.
        session: the game, which may ask for something.
        known: the commands there are, by name.
    """
    text = line.strip()
    if text.casefold() in words_of("help"):
        return Command("help")
    command = command_in(text.rstrip("? ") if text.endswith("?") else text, known)
    if text.endswith("?"):
        asks = command is not None and known[command.name] == "text" and bool(command.rest)
        return command if command is not None and asks else Question(text)
    sentence = without_keyword(text, session)
    if command is None or sentence != text or reads(text, session):
        return Sentence(sentence)
    return command


def command_in(text: str, known: Mapping[str, Takes]) -> Command | None:
    """The command that a text begins with, where what stands behind it is what it takes."""
    said = f"{' '.join(text.split())} "
    forms = ((form, name) for name in known for form in words_of(name))
    begun = [(form, name) for form, name in forms if said.casefold().startswith(f"{form} ")]
    if not begun:
        return None
    form, name = max(begun, key=lambda pair: len(pair[0]))
    rest = said[len(form) :].strip()
    fits = {"nothing": not rest, "number": not rest or (rest.isascii() and rest.isdigit()), "text": True}
    return Command(name, rest) if fits[known[name]] else None


def likely_command(line: str, session: Session, known: Mapping[str, Takes]) -> str | None:
    """The word of command that a line probably begins with, misspelt, where nothing in the game is called so."""
    word = line.split(maxsplit=1)[0]
    if any(word.casefold() in name.casefold().split() for name in session.names):
        return None
    return next(iter(nearest(word, [form for name in known for form in words_of(name)], 1)), None)


def words_of(command: str) -> list[str]:
    """The words for a command: those of the language spoken, then the first ones."""
    key = f"play.words.{command}"
    return list(dict.fromkeys([*say(key).split(", "), *messages(FIRST)[key].split(", ")]))


def without_keyword(text: str, session: Session) -> str:
    """A sentence as a scenario has it, without the keyword before it."""
    forms = [form for terminal in ("GIVEN", "WHEN", "AND") for form in session.language.keywords[terminal]]
    choice = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
    found = re.match(rf"(?:{choice})\s+(?=\S)", text, re.IGNORECASE)
    return text if found is None or _stands(typed(text, session.language.code), session) else text[found.end() :]


def reads(text: str, session: Session) -> bool:
    """Whether a line can be read as a sentence, or names an option of what is asked for."""
    try:
        span = typed(text, session.language.code)
    except Fault:
        return False
    if session.request is not None:
        return session.option_called(text) != "" or bool(session.read_answer(span))
    return _stands(span, session) or any(introductions(session.lexicon, span))


def _stands(span: Span, session: Session) -> bool:
    """Whether a sentence can be read that introduces nothing."""
    reader = Reader(session.lexicon, span)
    return bool(reader.events() or reader.conditions())
