"""Where a comparison turns."""

from fractions import Fraction

import pytest

from rulewright.model import Arithmetic, Compare, Expression, Number, Rounded, Variable
from rulewright.scenarios.boundaries import holds, leaves, turning_point
from rulewright.text import Source, Span

LOST, HAD = Variable("lost"), Variable("had")
NOWHERE = Span(Source("test", ""), 0, 0)
QUARTER = Arithmetic("*", Number(Fraction(1, 4)), HAD)


def compare(left: Expression, operator: str, right: Expression) -> Compare:
    return Compare(left, operator, right, NOWHERE)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("comparison", "leaf", "values", "whole", "wanted"),
    [
        (compare(LOST, ">=", QUARTER), LOST, (4, 20), True, 5),
        (compare(LOST, ">=", QUARTER), HAD, (4, 20), True, 16),
        (compare(LOST, ">=", QUARTER), LOST, (4, 21), True, 6),
        (compare(LOST, "<", QUARTER), LOST, (9, 20), True, 4),
        (compare(LOST, "<", QUARTER), HAD, (5, 20), True, 21),
        (compare(LOST, ">", HAD), LOST, (3, 6), False, "6.001"),
        (compare(LOST, "<=", HAD), LOST, ("6.5", 6), False, 6),
        (compare(LOST, "!=", HAD), LOST, (6, 6), True, 5),
        (compare(LOST, "=", HAD), LOST, (3, "6.5"), True, None),
        (compare(LOST, ">=", Rounded(QUARTER, up=False)), LOST, (4, 23), True, 5),
        (compare(LOST, ">=", Rounded(QUARTER, up=True)), HAD, (5, 23), True, 20),
        (compare(Number(Fraction(1)), ">", Number(Fraction(2))), LOST, (4, 20), True, None),
        (compare(LOST, "<", Number(Fraction(0))), LOST, (4, 20), True, None),
    ],
)
def test_the_nearest_value_with_which_it_holds(
    comparison: Compare, leaf: Variable, values: tuple[int | str, int | str], whole: bool, wanted: int | str | None
) -> None:
    known: dict[Expression, Fraction] = {LOST: Fraction(values[0]), HAD: Fraction(values[1])}
    found = turning_point(comparison, leaf, known, whole)
    assert found == (None if wanted is None else Fraction(wanted))
    assert found is None or holds(comparison, {**known, leaf: found})


def test_a_value_that_is_not_known_is_found_too() -> None:
    assert turning_point(compare(LOST, ">=", QUARTER), LOST, {HAD: Fraction(20)}, whole=True) == 5


def test_the_leaves_of_a_comparison_are_named_once() -> None:
    assert leaves(compare(Arithmetic("+", LOST, HAD), "<", LOST)) == [LOST, HAD]
