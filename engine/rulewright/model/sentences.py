"""What sentences mean: expressions, atoms, conditions and effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from rulewright.model.words import Shorthand
from rulewright.productions import Operator
from rulewright.text import Span

COMPLEMENT: Mapping[Operator, Operator] = {">=": "<", ">": "<=", "<=": ">", "<": ">=", "=": "!=", "!=": "="}


@dataclass(frozen=True)
class Variable:
    """A place left open in a rule, such as ``{unit}``."""

    name: str


DENIED = Variable("{}")
"""Stands in a quantifier that only denies something; no text can name it."""


@dataclass(frozen=True)
class Individual:
    """A thing with a name."""

    ident: str


@dataclass(frozen=True)
class Number:
    """A literal number, with what it counts when that was said."""

    value: Fraction
    dimension: str | None = None


@dataclass(frozen=True)
class MeasureOf:
    """The value of a measure; ``before`` asks for a tally without the event at hand."""

    phrase: str
    arguments: tuple[Expression | None, ...]
    before: bool = False


@dataclass(frozen=True)
class Arithmetic:
    """A sum, difference or product; one side of a product is a literal number."""

    operator: Literal["+", "-", "*"]
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Rounded:
    """A number rounded to a whole one, up or down."""

    expression: Expression
    up: bool


@dataclass(frozen=True)
class Total:
    """The total of the dice of the test at hand."""


Expression = Variable | Individual | Number | MeasureOf | Arithmetic | Rounded | Total


@dataclass(frozen=True)
class Atom:
    """A phrase with its places filled; None where a wording leaves a place out."""

    phrase: str
    arguments: tuple[Expression | None, ...]
    span: Span = field(repr=False, compare=False)
    negated: bool = False


@dataclass(frozen=True)
class Compare:
    """A comparison of two numbers."""

    left: Expression
    operator: Operator
    right: Expression
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Same:
    """Two names for one thing, or, negated, two different things."""

    left: Variable | Individual
    right: Variable | Individual
    span: Span = field(repr=False, compare=False)
    negated: bool = False


@dataclass(frozen=True)
class Exists:
    """There is, there is no, there are at least N things such that ...

    *Every A is B* is held as *there is no A that is not B*; ``every`` remembers how it was said.  Where B is more
    than a plain sentence, its opposite is that there is nothing of which B holds.
    """

    variable: Variable
    conditions: tuple[Condition, ...]
    span: Span = field(repr=False, compare=False)
    negated: bool = False
    at_least: int = 1
    every: bool = False

    @property
    def claim(self) -> Condition:
        """What is said of every one."""
        last = self.conditions[-1]
        return last.conditions[0] if isinstance(last, Exists) and last.variable == DENIED else last


@dataclass(frozen=True)
class IsA:
    """A thing is of a kind, or, negated, is not."""

    thing: Variable | Individual
    kind: str
    span: Span = field(repr=False, compare=False)
    negated: bool = False


@dataclass(frozen=True)
class Known:
    """The value of a measure is known, or, negated, is not."""

    measure: MeasureOf
    span: Span = field(repr=False, compare=False)
    negated: bool = False


@dataclass(frozen=True)
class ComesFrom:
    """The event at hand was brought about by a rule, directly or at the end of a chain."""

    rule: Variable | Individual
    directly: bool
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class AnyOf:
    """Alternatives, each a conjunction."""

    choices: tuple[tuple[Condition, ...], ...]
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class ShorthandUse:
    """A shorthand with its places filled, still to be replaced by what it stands for."""

    shorthand: Shorthand
    arguments: tuple[Expression, ...]
    span: Span = field(repr=False, compare=False)


Condition = Atom | Compare | Same | Exists | IsA | Known | ComesFrom | AnyOf


@dataclass(frozen=True)
class Change:
    """An effect on a measure: falls or rises by an amount, or becomes it."""

    measure: MeasureOf
    direction: Literal["fall", "rise", "become"]
    amount: Expression
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class TestModifier:
    """An effect on the test at hand: something is added to its roll, or to the characteristic it is held against."""

    of: Literal["roll", "characteristic"]
    sign: Literal[1, -1]
    amount: Expression
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class RollAgain:
    """An effect on the test at hand: its dice are rolled again, once."""

    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Create:
    """An effect that brings a new thing into the game; the variable stands for it in the effects that follow."""

    variable: Variable
    kind: str
    span: Span = field(repr=False, compare=False)


Act = Atom | Change | TestModifier | RollAgain | Create


@dataclass(frozen=True)
class Effect:
    """What a rule brings about: an event, a fact (or its end), a change, something about the test at hand, a new thing.

    A fact may last until the end of a window, until events, or while conditions hold; the first to come ends it.  A
    test that is called for may have effects of its own on success and on failure.
    """

    act: Act
    span: Span = field(repr=False, compare=False)
    until_window: str | None = None
    until_events: tuple[Atom, ...] = ()
    until_spans: tuple[Span, ...] = field(default=(), repr=False, compare=False)
    lasting: tuple[Condition, ...] = ()
    on_success: tuple[Effect, ...] = ()
    on_failure: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class Choice:
    """One of several candidates is picked, at random or by the player of a thing."""

    variable: Variable
    conditions: tuple[Condition, ...]
    span: Span = field(repr=False, compare=False)
    player_of: Variable | None = None
