"""What is said to a session, as data: the entries of its log, and sentences that answer a request."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from rulewright.model import Atom
from rulewright.provenance import Value
from rulewright.session.requests import Request
from rulewright.text import Span


@dataclass(frozen=True)
class Introduction:
    """Log entry: a thing entered the game."""

    name: str
    ident: str
    kind: str
    span: Span | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Statement:
    """Log entry: a fact was given."""

    atom: Atom


@dataclass(frozen=True)
class Measurement:
    """Log entry: the value of a measure was given."""

    measure: str
    things: tuple[str, ...]
    value: Fraction
    span: Span | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Occurrence:
    """Log entry: events happened at one moment, mostly one alone."""

    events: tuple[tuple[str, tuple[Value, ...]], ...]
    spans: tuple[Span, ...] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True)
class Reply:
    """Log entry: a request was answered."""

    value: Value
    request: Request | None = field(default=None, compare=False)
    span: Span | None = field(default=None, repr=False, compare=False)


Entry = Introduction | Statement | Measurement | Occurrence | Reply
"""What a log is made of; each keeps the place where it was said, which does not count when two are compared."""


@dataclass(frozen=True)
class AnswerSentence:
    """A sentence that answers a request: dice rolled, chance's or a player's pick."""

    kind: Literal["roll", "chance", "choice"]
    about: str
    value: Value
    test: str
    span: Span | None = field(repr=False, compare=False)

    def fits(self, request: Request) -> bool:
        """Whether this answers a request."""
        if self.kind == "roll":
            return (
                request.kind == "roll" and self.test == request.test and self.about in (request.about, request.roller)
            )
        if self.value not in request.options:
            return False
        if self.kind == "chance":
            return request.kind == "chance" and self.about in ("", request.about)
        return request.kind in ("choice", "order") and self.about in (request.player, request.about)
