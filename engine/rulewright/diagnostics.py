"""Diagnostics: what is wrong, where, and the way out.

Every diagnostic has an entry in ``messages``: a stable code, a kebab name, and in each language a message and a help
text with places to fill.  A stage returns its value together with the diagnostics it found; only bugs raise.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, Literal

from rulewright.scripts import look_alike, script_of
from rulewright.speech import FIRST, Called, Listed, Text, later, listed, messages, say, worded, writing
from rulewright.text import Span

Severity = Literal["error", "warning"]
Label = str | Text
Said = str | int | Fraction | Text | Listed | Called
"""What is kept of a value until it is worded."""


@dataclass(frozen=True)
class Diagnostic:
    """One finding, worded in the language that is spoken when it is read.

    Attributes:
        code: stable code such as ``RW0201``.
        name: stable kebab name such as ``unknown-phrase``.
        values: what stands in the places of its message and help.
        span: where, or None when no text is at fault (a missing file).
        severity: ``error`` or ``warning``.
        places: further places that matter, each with a short label.
    """

    code: str
    name: str
    values: tuple[tuple[str, Said], ...] = ()
    span: Span | None = None
    severity: Severity = "error"
    places: tuple[tuple[Label, Span], ...] = ()

    @property
    def message(self) -> str:
        """What is wrong; the user's own text stands in back-ticks."""
        return self._say("message")

    @property
    def help(self) -> str:
        """The way out."""
        return self._say("help")

    @property
    def related(self) -> tuple[tuple[str, Span], ...]:
        """Further places that matter, each with a short label in words."""
        return tuple((str(label), span) for label, span in self.places)

    @property
    def said(self) -> tuple[str, ...]:
        """The values that stand in the message, in words."""
        return tuple(_short(value) for _, value in self.values)

    @property
    def place(self) -> str:
        """``file:line:column``, or an empty text."""
        return str(self.span) if self.span else ""

    def _say(self, part: str) -> str:
        with writing(self.span.source.language if self.span else ""):
            return say(f"{self.name}.{part}", **{key: _short(value) for key, value in self.values})

    def __str__(self) -> str:
        where = f"{self.place}: " if self.span else ""
        severity = say(f"diagnostic.{self.severity}")
        return f"{where}{severity}[{self.code}]: {self.message}\n  {say('diagnostic.help')}{self.help}"


class Fault(Exception):
    """Carries diagnostics out of a call that has no value to give back."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__()
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return "\n".join(map(str, self.diagnostics))


@cache
def catalogue() -> Mapping[str, Mapping[str, str]]:
    """The table of all diagnostics by name: code, message, help, in the language whose table holds every text."""
    texts = messages(FIRST)
    names = [key.removesuffix(".code") for key in texts if key.endswith(".code")]
    return {name: {part: texts[f"{name}.{part}"] for part in ("code", "message", "help")} for name in names}


def report(
    name: str,
    /,
    span: Span | None = None,
    related: Iterable[tuple[Label, Span]] = (),
    severity: Severity = "error",
    **values: Any,
) -> Diagnostic:
    """Makes the diagnostic called ``name``, with the places of its message filled from ``values``.

    Values that are texts of the program themselves are given as ``Text``, and numbers as they are: both are worded
    with the message.
    """
    kept = ((key, value if isinstance(value, Said) else str(value)) for key, value in values.items())
    return Diagnostic(catalogue()[name]["code"], name, tuple(kept), span, severity, tuple(related))


def _short(value: Said) -> str:
    text = " ".join(worded(value).split())
    if len(text) <= 200:
        return text
    cut = text[:199]
    return (cut.rsplit(" ", 1)[0] + " …") if " " in cut[100:] else cut + "…"


def nearest(word: str, choices: Iterable[str], count: int = 3) -> list[str]:
    """The choices most like ``word``, best first, at most ``count``; none when nothing is alike."""
    known = list(dict.fromkeys(choices))
    alike = [choice for choice in known if look_alike(word, choice)]
    if alike:
        return alike[:count]
    folded = {choice.casefold(): choice for choice in known}
    close = difflib.get_close_matches(word.casefold()[:200], folded, n=count, cutoff=0.55)
    return [folded[c] for c in close]


def did_you_mean(word: str, choices: Iterable[str]) -> Text | None:
    """``did you mean ...?`` for the nearest choices; None when nothing is alike."""
    close = nearest(word, choices)
    if not close:
        return None
    names = Listed(tuple(f"`{c}`" for c in close), "list.or")
    if look_alike(word, close[0]):
        return later("hint.meant-cyrillic" if script_of(close[0]) == "Cyrillic" else "hint.meant-latin", names=names)
    return later("hint.meant", names=names)


def meant_word(word: str) -> Text:
    """``did you mean ...?`` for one word."""
    return later("hint.meant", names=f"`{word}`")


def after(hint: Text | None) -> Text | str:
    """A hint to stand behind another text, or nothing."""
    return later("hint.after", hint=hint) if hint else ""


def known_ones(names: Iterable[str]) -> Text:
    """The hint that names all that there is."""
    return later("hint.known", names=listed(names))


def ordered(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics without repeats, by file, place and code."""

    def key(d: Diagnostic) -> tuple[str, int, str, str]:
        return (d.span.source.name if d.span else "", d.span.start if d.span else 0, d.code, d.message)

    return tuple(sorted(dict.fromkeys(diagnostics), key=key))
