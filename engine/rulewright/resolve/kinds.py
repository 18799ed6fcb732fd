"""The kinds of the variables of a rule, worked out from the places they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import (
    NUMBER,
    Arithmetic,
    Atom,
    Change,
    Compare,
    Exists,
    MeasureOf,
    Rounded,
    Same,
    TestModifier,
    Variable,
    Vocabulary,
)
from rulewright.phrases.wording import kind_text
from rulewright.text import Span
from rulewright.walk import children


def variable_kinds(
    nodes: Iterable[Any], vocabulary: Vocabulary, span: Span
) -> tuple[Mapping[str, str], tuple[Diagnostic, ...]]:
    """The narrowest kind of each variable in the nodes of one rule, and the places that do not fit together."""
    kinds: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    named: list[str] = []
    for part, where in (placed for node in nodes for placed in _placed(node, span)):
        named += _named(part)
        for variable, kind in _demands(part, vocabulary):
            known = kinds.setdefault(variable.name, kind)
            if vocabulary.is_a(kind, known):
                kinds[variable.name] = kind
            elif not vocabulary.is_a(known, kind):
                one, other = kind_text(vocabulary, known), kind_text(vocabulary, kind)
                found = report("kind-conflict", where, variable=variable.name, one=one, other=other)
                diagnostics.append(found)
    for name in named:
        kinds.setdefault(name, "thing")
    return kinds, tuple(dict.fromkeys(diagnostics))


def _demands(node: Any, vocabulary: Vocabulary) -> list[tuple[Variable, str]]:
    """The kinds that one node demands of the variables in its places."""
    if isinstance(node, Atom | MeasureOf):
        roles = vocabulary.phrases[node.phrase].roles
        places = zip(roles, node.arguments, strict=True)
        return [(a, role.kind) for role, a in places if isinstance(a, Variable)]
    if isinstance(node, Change | TestModifier):
        return [(node.amount, NUMBER)] if isinstance(node.amount, Variable) else []
    if isinstance(node, Rounded):
        return [(node.expression, NUMBER)] if isinstance(node.expression, Variable) else []
    if isinstance(node, Compare | Arithmetic):
        return [(side, NUMBER) for side in (node.left, node.right) if isinstance(side, Variable)]
    return []


def _named(node: Any) -> list[str]:
    """Variables that a node mentions without saying of which kind they are."""
    if isinstance(node, Exists):
        return [node.variable.name]
    if isinstance(node, Same):
        return [side.name for side in (node.left, node.right) if isinstance(side, Variable)]
    return []


def _placed(node: Any, span: Span) -> list[tuple[Any, Span]]:
    """A node and everything below it, each with the nearest span."""
    where = getattr(node, "span", span)
    return [(node, where), *(p for child in children(node) for p in _placed(child, where))]
