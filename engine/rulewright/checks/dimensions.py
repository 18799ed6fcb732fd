"""Unlike things are not compared: models with models, inches with inches.

A measure that does not say what it counts may be held against any.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import (
    Arithmetic,
    Change,
    Compare,
    Edition,
    Expression,
    MeasureOf,
    Number,
    Rounded,
    Vocabulary,
)
from rulewright.phrases.wording import name_text
from rulewright.text import Span
from rulewright.walk import descend


def check_dimensions(edition: Edition) -> list[Diagnostic]:
    """Comparisons, sums and changes that mix things that are not counted alike."""
    vocabulary = edition.vocabulary
    found = []
    for node in _nodes(edition):
        pairs: list[tuple[Expression, Expression, Span]] = []
        if isinstance(node, Compare):
            pairs.append((node.left, node.right, node.span))
        elif isinstance(node, Change):
            pairs.append((node.measure, node.amount, node.span))
        if pairs:
            inner = [n for n in descend(node) if isinstance(n, Arithmetic) and n.operator != "*"]
            pairs += [(n.left, n.right, pairs[0][2]) for n in inner]
        for left, right, span in pairs:
            one, other = dimension(left, vocabulary), dimension(right, vocabulary)
            if one is not None and other is not None and one != other:
                shown = name_text(vocabulary, one), name_text(vocabulary, other)
                found.append(report("unlike-measures", span, one=shown[0], other=shown[1]))
    return found


def dimension(node: Expression, vocabulary: Vocabulary) -> str | None:
    """What an expression counts; None when that is not said."""
    if isinstance(node, Number):
        return node.dimension
    if isinstance(node, MeasureOf):
        return vocabulary.phrases[node.phrase].dimension
    if isinstance(node, Rounded):
        return dimension(node.expression, vocabulary)
    if isinstance(node, Arithmetic):
        right = dimension(node.right, vocabulary)
        return right if node.operator == "*" else dimension(node.left, vocabulary) or right
    return None


def _nodes(edition: Edition) -> Iterator[Any]:
    """Everything that an edition says, node by node."""
    for rule in edition.rules:
        parts: list[Any] = [*rule.conditions, *rule.effects, *(c for d in rule.defeaters for c in d.conditions)]
        parts += rule.choice.conditions if rule.choice else ()
        for part in parts:
            yield from descend(part)
    defined = [c for d in edition.definitions for c in d.conditions]
    defined += [c for m in edition.measures for c in m.conditions]
    for condition in defined:
        yield from descend(condition)
    for exemption in edition.exemptions:
        for condition in (*exemption.conditions, *(c for d in exemption.defeaters for c in d.conditions)):
            yield from descend(condition)
    for test in edition.tests:
        yield from descend(test.success)
    for tally in edition.vocabulary.tallies.values():
        for condition in tally.conditions:
            yield from descend(condition)
