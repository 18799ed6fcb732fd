"""Walks over the nodes of the model: parts, mentions, replacement of variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rulewright.model import (
    AnyOf,
    Arithmetic,
    Atom,
    Change,
    ComesFrom,
    Compare,
    Create,
    Effect,
    Exists,
    Expression,
    Individual,
    IsA,
    Known,
    MeasureOf,
    Rounded,
    Same,
    ShorthandUse,
    TestModifier,
    Variable,
)

Bindings = Mapping[str, Expression]


def children(node: Any) -> list[Any]:
    """The parts of a condition, effect or expression, one level down."""
    if isinstance(node, Atom | MeasureOf | ShorthandUse):
        return [a for a in node.arguments if a is not None]
    if isinstance(node, Compare | Arithmetic | Same):
        return [node.left, node.right]
    if isinstance(node, Change):
        return [node.measure, node.amount]
    if isinstance(node, Exists):
        return [node.variable, *node.conditions]
    if isinstance(node, AnyOf):
        return [c for choice in node.choices for c in choice]
    if isinstance(node, Rounded):
        return [node.expression]
    if isinstance(node, IsA):
        return [node.thing]
    if isinstance(node, Known):
        return [node.measure]
    if isinstance(node, ComesFrom):
        return [node.rule]
    if isinstance(node, TestModifier):
        return [node.amount]
    if isinstance(node, Create):
        return [node.variable]
    if isinstance(node, Effect):
        return [node.act, *node.until_events, *node.lasting, *node.on_success, *node.on_failure]
    return []


def descend(node: Any) -> list[Any]:
    """A node and everything below it."""
    return [node, *(n for child in children(node) for n in descend(child))]


def atoms_of(node: Any) -> list[Atom | MeasureOf]:
    """Uses of phrases in a node."""
    return [n for n in descend(node) if isinstance(n, Atom | MeasureOf)]


def individuals_of(node: Any) -> list[Individual]:
    """Names in a node."""
    return [n for n in descend(node) if isinstance(n, Individual)]


def substitute(node: Any, bindings: Bindings) -> Any:
    """A node with variables replaced."""
    if isinstance(node, Variable):
        return bindings.get(node.name, node)
    if isinstance(node, Atom | MeasureOf):
        return replace(node, arguments=tuple(substitute(a, bindings) for a in node.arguments))
    if isinstance(node, Compare | Arithmetic | Same):
        return replace(node, left=substitute(node.left, bindings), right=substitute(node.right, bindings))
    if isinstance(node, Exists):
        other = bindings.get(node.variable.name)
        if isinstance(other, Variable) and not node.negated and node.at_least == 1:  # it is known outside as well
            node, inner = replace(node, variable=other), bindings
        else:
            inner = {k: v for k, v in bindings.items() if k != node.variable.name}
        return replace(node, conditions=tuple(substitute(c, inner) for c in node.conditions))
    if isinstance(node, Rounded):
        return replace(node, expression=substitute(node.expression, bindings))
    if isinstance(node, Known):
        return replace(node, measure=substitute(node.measure, bindings))
    if isinstance(node, IsA):
        return replace(node, thing=substitute(node.thing, bindings))
    if isinstance(node, ComesFrom):
        return replace(node, rule=substitute(node.rule, bindings))
    if isinstance(node, AnyOf):
        return replace(node, choices=tuple(tuple(substitute(c, bindings) for c in ch) for ch in node.choices))
    return node
