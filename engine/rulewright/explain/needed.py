"""What a comparison that failed would have needed: for each number in it, the bound, and a number that keeps to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from rulewright.arithmetic import compared, evaluate
from rulewright.explain.nearest import Failed
from rulewright.model import (
    Arithmetic,
    Compare,
    Expression,
    MeasureOf,
    Rounded,
    Variable,
    Vocabulary,
)
from rulewright.productions import SCALE, Operator
from rulewright.provenance import Value
from rulewright.walk import descend

TURNED: Mapping[Operator, Operator] = {">=": "<=", ">": "<", "<=": ">=", "<": ">", "=": "=", "!=": "!="}
NEAR = 20
"""So many whole numbers are tried where rounding moves the bound."""


@dataclass(frozen=True)
class Needed:
    """A number that would have let a comparison hold, the others being what they are.

    Attributes:
        of: the measure; or the variable of a number that the event at hand names.
        things: what the measure is of; None where that is left open.
        had: what it was; None when it is not known.
        operator: how it must stand to the bound.
        bound: the bound, exactly.
        suits: the number nearest to the bound that keeps to it; a whole one unless only the bound itself will do.
    """

    of: MeasureOf | Variable
    things: tuple[str | None, ...]
    had: Fraction | None
    operator: Operator
    bound: Fraction
    suits: Fraction


def needed(failed: Failed, vocabulary: Vocabulary) -> tuple[Needed, ...]:
    """What each number of a failed comparison would have needed to be; none where no number helps."""
    condition = failed.condition
    if not isinstance(condition, Compare):
        return ()
    values: dict[Expression, Fraction | None] = dict(failed.measures)
    for name in (n for n in _outside_measures(condition) if isinstance(n, Variable)):
        value = failed.bindings.get(name.name)
        values[name] = value if isinstance(value, Fraction) else None
    found = (_needed(condition, of, values, failed.bindings, vocabulary) for of in values)
    return tuple(dict.fromkeys(n for n in found if n is not None))


def _outside_measures(node: Expression | Compare) -> Iterator[Expression]:
    """The parts of a comparison that are numbers themselves."""
    if isinstance(node, Compare | Arithmetic):
        yield from _outside_measures(node.left)
        yield from _outside_measures(node.right)
    elif isinstance(node, Rounded):
        yield from _outside_measures(node.expression)
    else:
        yield node


def _needed(
    condition: Compare,
    of: Expression,
    values: Mapping[Expression, Fraction | None],
    bindings: Mapping[str, Value],
    vocabulary: Vocabulary,
) -> Needed | None:
    assert isinstance(of, MeasureOf | Variable)
    same = {of} | {node for node in values if _is_same(node, of, bindings)}
    others = {node: value for node, value in values.items() if node not in same and value is not None}
    if len(others) < len(values) - len(same):  # two are not known: none of them can be told
        return None

    def side(node: Expression, number: Fraction) -> Fraction:
        return evaluate(node, lambda part: number if part in same else others[part])

    def difference(number: Fraction) -> Fraction:
        return side(_unrounded(condition.left), number) - side(_unrounded(condition.right), number)

    start = difference(Fraction(0))
    slope = difference(Fraction(1)) - start
    if not slope:
        return None
    operator = condition.operator if slope > 0 else TURNED[condition.operator]
    bound = -start / slope
    suits = next(
        (
            n
            for n in _tried(operator, bound)
            if compared(side(condition.left, n), condition.operator, side(condition.right, n))
        ),
        None,
    )
    counted = isinstance(of, MeasureOf) and vocabulary.phrases[of.phrase].dimension is not None
    if suits is None or (suits * SCALE).denominator != 1 or (counted and suits < 0):
        return None
    if any(isinstance(node, Rounded) for node in descend(condition)):
        operator, bound = {">": ">=", "<": "<="}.get(operator, operator), suits  # type: ignore[assignment]
    return Needed(of, _things(of, bindings), values[of], operator, bound, suits)


def _is_same(one: Expression, other: Expression, bindings: Mapping[str, Value]) -> bool:
    """Whether two measures are one, because they are of the same things."""
    if not isinstance(one, MeasureOf) or not isinstance(other, MeasureOf) or None in _things(one, bindings):
        return False
    alike = (one.phrase, one.before) == (other.phrase, other.before)
    return alike and _things(one, bindings) == _things(other, bindings)


def _things(of: MeasureOf | Variable, bindings: Mapping[str, Value]) -> tuple[str | None, ...]:
    arguments = of.arguments if isinstance(of, MeasureOf) else ()
    named = (bindings.get(a.name) if isinstance(a, Variable) else getattr(a, "ident", None) for a in arguments)
    return tuple(n if isinstance(n, str) else None for n in named)


def _unrounded(node: Expression) -> Expression:
    if isinstance(node, Rounded):
        return _unrounded(node.expression)
    if isinstance(node, Arithmetic):
        return Arithmetic(node.operator, _unrounded(node.left), _unrounded(node.right))
    return node


def _tried(operator: Operator, bound: Fraction) -> Iterator[Fraction]:
    """Numbers that may keep to a bound, the nearest first."""
    if operator in ("=", "!="):
        yield from (bound, *(bound + sign * n for n in range(1, NEAR) for sign in (1, -1)))
        return
    up = operator in (">", ">=")
    first = math.ceil(bound) if up else math.floor(bound)
    starts = range(first - NEAR, first + NEAR) if up else range(first + NEAR, first - NEAR, -1)
    yield from map(Fraction, starts)
