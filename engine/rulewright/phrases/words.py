"""Sentences as words, and wordings as templates."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Literal

from rulewright.syntax.keywords import MARKS, QUOTED
from rulewright.text import Span

WordType = Literal["variable", "quoted", "number", "word"]

_WORD = r"""(?P<variable>\{[^{}\n]*\})
      | (?P<number>(?:(?<!\S)[+−–-])?\d+(?:[POINT]\d+)?)(?P<inch>[ ]?(?:["”“″ʺ]|''|’’|′′)(?!\w))?
      | (?P<quoted>{QUOTED})
      | (?P<comment>(?<=\n)[ \t]*\#[^\n]*|(?<=\s)\#(?=[\s\#]|$)[^\n]*)
      | (?P<word>\w[\w{MARKS}]*(?:-\w[\w{MARKS}]*)*|['’]s\b|\S[{MARKS}]*)"""
_WORD = _WORD.replace("{MARKS}", MARKS).replace("{QUOTED}", QUOTED)


@cache
def _word(decimal: str) -> re.Pattern[str]:
    """The pattern of a word, where numbers have a certain decimal mark, or a point."""
    return re.compile(_WORD.replace("POINT", "".join({".", decimal})), re.VERBOSE)


@dataclass(frozen=True)
class Word:
    """One word of a sentence: what it is, its folded text for comparing, and its place in the sentence."""

    type: WordType
    text: str
    folded: str
    start: int
    end: int


def fold(text: str) -> str:
    """Text made fit for comparing: composed, without case, with plain apostrophes and inch marks."""
    return unicodedata.normalize("NFC", text).casefold().replace("’", "'").replace("”", '"').replace("″", '"')


def split(text: str, decimal: str = ".") -> tuple[Word, ...]:
    """The words of a sentence; a closing full stop is dropped, and numbers get a decimal point."""
    words = []
    for match in _word(decimal).finditer(text):
        kind = match.lastgroup
        if kind == "comment":
            continue
        if match["number"] is not None:
            number = re.sub("[−–]", "-", match["number"]).replace(",", ".")
            words.append(Word("number", number, number, match.start("number"), match.end("number")))
            if match["inch"]:
                words.append(Word("word", match["inch"].strip(), '"', match.start("inch"), match.end("inch")))
            continue
        piece = match.group()
        if kind == "quoted":
            words.append(Word("quoted", piece[1:-1].strip(), fold(piece[1:-1].strip()), match.start(), match.end()))
        elif kind == "variable":
            inner = piece[1:-1].strip()
            words.append(Word("variable", inner, fold(inner), match.start(), match.end()))
        else:
            words.append(Word("word", piece, fold(piece), match.start(), match.end()))
    if words and words[-1].text == ".":
        words.pop()
    return tuple(words)


_COMMENT = re.compile(r"(?<=\n)[ \t]*#[^\n]*|(?<=\s)#(?=[\s#]|$)[^\n]*")


def sentence_text(span: Span) -> str:
    """A sentence on one line."""
    return " ".join(_COMMENT.sub("", span.text).split())


@dataclass(frozen=True)
class Fixed:
    """A word of a template, in all the forms it may take."""

    forms: tuple[str, ...]
    shown: str


@dataclass(frozen=True)
class Slot:
    """A place of a template; ``bare`` shows a name without its article."""

    role: str
    bare: bool = False


Item = Fixed | Slot
Template = tuple[Item, ...]

_PIECE = re.compile(r"\{([^{}:]*)(?::(\w+))?\}|[^\s{}]+")


@cache
def template(text: str) -> Template:
    """Reads a wording such as ``{unit} loses|lose {amount}``."""
    items: list[Item] = []
    for match in _PIECE.finditer(text):
        if match.group().startswith("{"):
            items.append(Slot(match[1].strip(), match[2] == "bare"))
            continue
        forms = match.group().split("|")
        parts = [tuple(w.folded for w in split(form)) for form in forms]
        if all(len(p) == 1 for p in parts):
            items.append(Fixed(tuple(p[0] for p in parts), forms[0]))
        else:
            items.extend(Fixed((w.folded,), w.text) for w in split(forms[0]))
    return tuple(items)


def without_forms(text: str) -> str:
    """A wording for display: of each word, its first form."""
    return " ".join(piece.split("|")[0] for piece in text.split(" "))


def roles_of(text: str) -> tuple[str, ...]:
    """The places of a wording, in its order."""
    return tuple(item.role for item in template(text) if isinstance(item, Slot))
