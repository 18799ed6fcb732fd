"""Diagnostics: what is wrong, where, and the way out.

Every diagnostic has an entry in ``messages/en.toml``: a stable code, a kebab name, a message and a help text with
places to fill.  A stage returns its value together with the diagnostics it found; only bugs raise.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Literal

from rulewright.scripts import look_alike, script_of
from rulewright.text import Span

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: stable code such as ``RW0201``.
        name: stable kebab name such as ``unknown-phrase``.
        message: what is wrong; the user's own text stands in back-ticks.
        help: the way out.
        span: where, or None when no text is at fault (a missing file).
        severity: ``error`` or ``warning``.
        related: further places that matter, each with a short label.
        said: the values that stand in the message.
    """

    code: str
    name: str
    message: str
    help: str
    span: Span | None = None
    severity: Severity = "error"
    related: tuple[tuple[str, Span], ...] = ()
    said: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def place(self) -> str:
        """``file:line:column``, or an empty text."""
        return str(self.span) if self.span else ""

    def __str__(self) -> str:
        where = f"{self.place}: " if self.span else ""
        return f"{where}{self.severity}[{self.code}]: {self.message}\n  help: {self.help}"


class Fault(Exception):
    """Carries diagnostics out of a call that has no value to give back."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("\n".join(str(d) for d in diagnostics))
        self.diagnostics = diagnostics


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """The table of all diagnostics by name: code, message, help."""
    text = resources.files("rulewright").joinpath("messages/en.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def report(
    name: str,
    /,
    span: Span | None = None,
    related: Iterable[tuple[str, Span]] = (),
    severity: Severity = "error",
    **values: Any,
) -> Diagnostic:
    """Makes the diagnostic called ``name``, with the places of its message filled from ``values``."""
    entry = catalogue()[name]
    shown = {key: _short(value) for key, value in values.items()}
    return Diagnostic(
        entry["code"],
        name,
        entry["message"].format(**shown),
        entry["help"].format(**shown),
        span,
        severity,
        tuple(related),
        tuple(shown.values()),
    )


def _short(value: Any) -> str:
    text = " ".join(str(value).split())
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


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """``did you mean ...?`` for the nearest choices, or an empty text."""
    close = nearest(word, choices)
    if close and look_alike(word, close[0]):
        return f"did you mean `{close[0]}`, in {script_of(close[0])} letters?"
    return "did you mean " + " or ".join(f"`{c}`" for c in close) + "?" if close else ""


def ordered(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Diagnostics without repeats, by file, place and code."""

    def key(d: Diagnostic) -> tuple[str, int, str, str]:
        return (d.span.source.name if d.span else "", d.span.start if d.span else 0, d.code, d.message)

    return tuple(sorted(dict.fromkeys(diagnostics), key=key))
