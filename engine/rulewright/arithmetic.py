"""Works out expressions, exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from rulewright.model import Arithmetic, Expression, Number, Rounded
from rulewright.productions import Operator


def evaluate(node: Expression, value: Callable[[Expression], Fraction]) -> Fraction:
    """The value of an expression.

    Args:
        node: the expression.
        value: gives the values of variables, measures and the total of the dice.
    """
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Rounded):
        exact = evaluate(node.expression, value)
        return Fraction(math.ceil(exact) if node.up else math.floor(exact))
    if isinstance(node, Arithmetic):
        left, right = evaluate(node.left, value), evaluate(node.right, value)
        return left + right if node.operator == "+" else left - right if node.operator == "-" else left * right
    return value(node)


def compared(left: Fraction, operator: Operator, right: Fraction) -> bool:
    """Whether a comparison of two numbers is true."""
    return {
        "<": left < right,
        "<=": left <= right,
        "=": left == right,
        "!=": left != right,
        ">=": left >= right,
        ">": left > right,
    }[operator]
