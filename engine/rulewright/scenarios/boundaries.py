"""Where a comparison turns: the nearest value of one of its numbers with which it holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction

from rulewright.arithmetic import evaluate
from rulewright.model import Compare, Expression, MeasureOf, Rounded, Total, Variable, Vocabulary
from rulewright.productions import SCALE, Operator
from rulewright.provenance import TestTaken
from rulewright.walk import children, descend

LEAST = Fraction(1, SCALE)
"""The least by which two distances differ."""
PARTS = ("roll", "characteristic")
FARTHEST = 300
"""So far whole numbers are tried where rounding keeps the value from being worked out."""


def leaves(node: object) -> list[MeasureOf | Variable]:
    """The measures and numbers that a comparison rests on, each once."""
    if isinstance(node, MeasureOf | Variable):
        return [node]
    return list(dict.fromkeys(leaf for child in children(node) for leaf in leaves(child)))


def holds(compare: Compare, values: Mapping[Expression, Fraction]) -> bool:
    """Whether a comparison holds with certain values of its leaves."""
    left, right = (evaluate(side, lambda node: values[node]) for side in (compare.left, compare.right))
    return is_so(left, compare.operator, right)


def is_so(left: Fraction, operator: Operator, right: Fraction) -> bool:
    """Whether two numbers stand in a relation."""
    return {
        "<": left < right,
        "<=": left <= right,
        "=": left == right,
        "!=": left != right,
        ">=": left >= right,
        ">": left > right,
    }[operator]


def other_totals(test: TestTaken) -> list[int]:
    """The totals with which a test would have gone the other way."""
    condition = test.clause.condition
    assert isinstance(condition, Compare)
    if any(isinstance(node, Rounded) for node in descend(condition)):
        return [t for t in (test.dice.lowest, test.dice.highest) if t != test.total]
    added = {part: sum((m.amount for m in test.modifiers if m.of == part), Fraction(0)) for part in PARTS}
    values = dict(test.clause.measures)

    def side(node: Expression, total: int) -> Fraction:
        rolls = any(isinstance(n, Total) for n in descend(node))
        worth = evaluate(node, lambda n: Fraction(total) if isinstance(n, Total) else _worth(n, values, test))
        return worth + added["roll" if rolls else "characteristic"]

    return [
        total
        for total in range(test.dice.lowest, test.dice.highest + 1)
        if not is_so(side(condition.left, total), condition.operator, side(condition.right, total))
    ]


def _worth(node: Expression, values: Mapping[MeasureOf, Fraction], test: TestTaken) -> Fraction:
    if isinstance(node, MeasureOf):
        return values[node]
    assert isinstance(node, Variable)
    value = test.clause.bindings[node.name]
    assert isinstance(value, Fraction)
    return value


def turning_point(
    compare: Compare, leaf: Expression, values: Mapping[Expression, Fraction], whole: bool
) -> Fraction | None:
    """The value of a leaf, as near as can be to the one it has, with which a comparison holds.

    Args:
        compare: the comparison.
        leaf: the number that is to be another.
        values: the values of all leaves; that of this one may be missing.
        whole: whether only whole numbers will do.
    """
    now = values.get(leaf)

    def with_value(value: Fraction) -> dict[Expression, Fraction]:
        return {**values, leaf: value}

    def difference(value: Fraction) -> Fraction:
        known = with_value(value)
        return evaluate(compare.left, lambda n: known[n]) - evaluate(compare.right, lambda n: known[n])

    if any(isinstance(node, Rounded) for node in descend(compare)):
        start = now if now is not None else Fraction(0)
        tried: Iterable[Fraction] = (start + sign * by for by in range(FARTHEST) for sign in (1, -1))
        near = start
    else:
        slope = difference(Fraction(1)) - difference(Fraction(0))
        if slope == 0:
            return None
        exact = -difference(Fraction(0)) / slope
        unit = Fraction(1) if whole else LEAST
        steps = exact / unit
        ends = sorted({math.floor(steps), math.ceil(steps)})
        tried = [n * unit for n in (*ends, ends[0] - 1, ends[-1] + 1)]
        near = now if now is not None else exact
    fitting = [v for v in tried if v >= 0 and v != now and holds(compare, with_value(v))]
    return min(fitting, key=lambda value: abs(value - near), default=None)


def is_whole(dimension: str | None, vocabulary: Vocabulary) -> bool:
    """Whether what is counted comes in whole numbers, as models do; what is written with a sign is measured."""
    if dimension is None:
        return True
    return all(w.template.split("|")[0][:1].isalnum() for w in vocabulary.names[dimension].wordings)
