"""Words: phrases with their places and wordings, names, shorthands; and those that the engine itself knows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rulewright.text import Span

PhraseKind = Literal[
    "fact", "modifier", "restriction", "duty", "permission", "measure", "event", "tally", "snapshot", "record"
]
MEASURES = ("measure", "tally", "snapshot")
FACTS = ("fact", "modifier", "restriction", "duty", "permission", "record")
NUMBER = "number"

GAME = "game-window"
"""The window that is open from the beginning of a game to its end."""

TAKES_TEST, PASSES_TEST, FAILS_TEST = "takes-test", "passes-test", "fails-test"
WOULD_PASS_TEST, WOULD_FAIL_TEST = "would-pass-test", "would-fail-test"
CALLED_BY, CAUSED_BY = "test-called-by", "test-caused-by"
BELONGS_TO = "belongs-to"
"""Phrases that the engine itself knows: tests are taken, passed and failed; who called for them, whom to blame; and
whose side somebody is on, which says who decides and rolls for them."""


@dataclass(frozen=True)
class Role:
    """A place of a phrase: its name, the kind of thing that fills it, and for numbers what they count."""

    name: str
    kind: str
    dimension: str | None = None


@dataclass(frozen=True)
class Wording:
    """One way to word a phrase.

    Attributes:
        language: code of the language.
        form: ``plain``, ``not``, ``with`` (in a list of attributes) or ``before`` (a tally without this event).
        template: text with ``{role}`` places and ``|`` between forms of a word.
    """

    language: str
    form: Literal["plain", "not", "with", "before"]
    template: str
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Name:
    """A named individual of the vocabulary, such as a phase, a means or a test."""

    ident: str
    kind: str
    wordings: tuple[Wording, ...]
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Phrase:
    """A phrase: what sentences are made of.

    Attributes:
        roles: its places, in the order of the columns of its facts.
        dimension: for measures, what their value counts (the ident of a name of kind ``dimension``).
        symmetric: the first two places may be exchanged.
        action: for restrictions, duties and permissions, the action that may not, must or may be done.
    """

    ident: str
    kind: PhraseKind
    roles: tuple[Role, ...]
    wordings: tuple[Wording, ...]
    span: Span = field(repr=False, compare=False)
    dimension: str | None = None
    symmetric: bool = False
    action: str | None = None

    def role(self, name: str) -> int | None:
        """Index of the place called ``name``."""
        return next((i for i, r in enumerate(self.roles) if r.name == name), None)


@dataclass(frozen=True)
class Shorthand:
    """A phrase that stands for a condition, as *within N of* stands for a comparison of distances."""

    ident: str
    roles: tuple[Role, ...]
    wordings: tuple[Wording, ...]
    span: Span = field(repr=False, compare=False)
