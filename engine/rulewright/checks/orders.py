"""Orders that send one another round in a circle: each sort of event would wait for the other."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import Atom, Edition, Individual

Sort = tuple[str, tuple[str, ...]]


def check_orders(edition: Edition) -> list[Diagnostic]:
    """The first circle of orders, if there is one."""
    before: dict[Sort, set[Sort]] = {}
    for order in edition.orders:
        before.setdefault(_sort(order.then), set()).add(_sort(order.first))
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        circle = error.args[1]
        steps = set(pairwise(circle))
        mine = [o for o in edition.orders if (_sort(o.first), _sort(o.then)) in steps]
        names = [o.anchor.ident for o in mine]
        related = [(o.anchor.ident, o.anchor.span) for o in mine[1:]]
        return [report("orders-in-a-circle", mine[0].anchor.span, related, orders=", ".join(names))]
    return []


def _sort(atom: Atom) -> Sort:
    return atom.phrase, tuple(a.ident for a in atom.arguments if isinstance(a, Individual))
