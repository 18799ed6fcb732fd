"""The kinds of the variables of a rule, worked out from the places they stand in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import NUMBER, Arithmetic, Atom, Compare, Exists, MeasureOf, Same, Variable, Vocabulary
from rulewright.text import Span
from rulewright.walk import children, descend


def variable_kinds(
    nodes: Iterable[Any], vocabulary: Vocabulary, span: Span
) -> tuple[Mapping[str, str], tuple[Diagnostic, ...]]:
    """The narrowest kind of each variable in the nodes of one rule, and the places that do not fit together."""
    kinds: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []

    def note(variable: Variable, kind: str, where: Span) -> None:
        known = kinds.setdefault(variable.name, kind)
        if vocabulary.is_a(kind, known):
            kinds[variable.name] = kind
        elif not vocabulary.is_a(known, kind):
            diagnostics.append(report("kind-conflict", where, variable=variable.name, one=known, other=kind))

    def walk(node: Any, where: Span) -> None:
        where = getattr(node, "span", where)
        if isinstance(node, Atom | MeasureOf):
            for role, argument in zip(vocabulary.phrases[node.phrase].roles, node.arguments, strict=True):
                if isinstance(argument, Variable):
                    note(argument, role.kind, where)
        elif isinstance(node, Compare | Arithmetic):
            for side in (node.left, node.right):
                if isinstance(side, Variable):
                    note(side, NUMBER, where)

    nodes = list(nodes)
    for node in nodes:
        for part in _placed(node, span):
            walk(*part)
    things = [n for node in nodes for n in descend(node) if isinstance(n, Exists | Same)]
    for thing in things:
        for variable in (thing.variable,) if isinstance(thing, Exists) else (thing.left, thing.right):
            if isinstance(variable, Variable):
                kinds.setdefault(variable.name, "thing")
    return kinds, tuple(dict.fromkeys(diagnostics))


def _placed(node: Any, span: Span) -> list[tuple[Any, Span]]:
    where = getattr(node, "span", span)
    return [(node, where), *(p for child in children(node) for p in _placed(child, where))]
