"""Scenarios: what is given, what happens, what is expected."""

from __future__ import annotations

from dataclasses import dataclass, field

from rulewright.model.readings import ReadingChoice
from rulewright.text import Span


@dataclass(frozen=True)
class Line:
    """A line of a scenario, still a sentence: which names it may use depends on what was given before.

    Attributes:
        together: it happens at the same time as the line before it.
    """

    span: Span
    together: bool = False


@dataclass(frozen=True)
class Step:
    """What happens (with the dice and choices that go with it), then what is expected of it."""

    happenings: tuple[Line, ...]
    expectations: tuple[Line, ...]


@dataclass(frozen=True)
class Scenario:
    """A situation, what happens in it and what is expected.

    Attributes:
        readings: the options of readings of its edition under which it is played.
    """

    ident: str
    title: str
    language: str
    edition: str
    edition_span: Span
    readings: tuple[ReadingChoice, ...]
    givens: tuple[Line, ...]
    steps: tuple[Step, ...]
    span: Span = field(repr=False, compare=False)
