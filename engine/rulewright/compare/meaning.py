"""What a clause means, as a key: clauses of two editions with keys that can be made equal say the same.

Words never decide: two editions may use one word in two ways.  A phrase, name or kind of the shared vocabulary means
the same everywhere; one that an edition declares is its own, but for what is summed, copied or kept, which means what
it is made of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from rulewright.compare.sides import Side
from rulewright.model import Atom, Individual, IsA, MeasureOf, Variable, Vocabulary
from rulewright.walk import descend

Key = Any
"""Nested tuples of plain values, with variables and pairs in them."""

Renaming = Mapping[str, str]
"""The variables of one block, and those of the other that they stand for."""


@dataclass(frozen=True)
class Pair:
    """Two places that may be exchanged."""

    left: Key
    right: Key


def key(node: Any, side: Side) -> Key:
    """What a node of the model means."""
    if node is None or isinstance(node, Variable | str | int | bool):
        return node
    if isinstance(node, tuple):
        return tuple(key(part, side) for part in node)
    if isinstance(node, Atom | MeasureOf):
        return _use(node, side)
    if isinstance(node, Individual):
        return ("name", _named(node.ident, side.edition.vocabulary.names, side))
    if isinstance(node, IsA):
        kind = _named(node.kind, side.edition.vocabulary.kinds, side)
        return ("is-a", key(node.thing, side), kind, node.negated)
    if is_dataclass(node):
        return (type(node).__name__, *(key(getattr(node, f.name), side) for f in fields(node) if f.compare))
    return node


def _use(node: Atom | MeasureOf, side: Side) -> Key:
    arguments = [key(argument, side) for argument in node.arguments]
    if side.edition.vocabulary.phrases[node.phrase].symmetric:
        arguments = [Pair(*arguments[:2]), *arguments[2:]]
    extra = node.negated if isinstance(node, Atom) else node.before
    return (type(node).__name__, _sense(node.phrase, side), tuple(arguments), extra)


def _named(ident: str, known: Mapping[str, Any], side: Side) -> Key:
    """A name or kind; what the vocabulary does not know is a rule of the edition, or built in."""
    if ident in known:
        return (side.edition.ident, ident) if side.declares(known[ident].span) else ident
    return (side.edition.ident, ident) if ident in {a.ident for a in side.edition.anchors()} else ident


def _sense(phrase: str, side: Side) -> Key:
    """What a phrase means."""
    vocabulary = side.edition.vocabulary
    if phrase in vocabulary.tallies:
        tally = vocabulary.tallies[phrase]
        made_of = (tally.event, tally.amount, tally.conditions)
        return ("tally", *_local(made_of, phrase, side), _named(tally.window, vocabulary.names, side))
    if phrase in vocabulary.snapshots:
        snapshot = vocabulary.snapshots[phrase]
        return ("snapshot", _sense(snapshot.measure, side), _named(snapshot.window, vocabulary.names, side))
    if phrase in vocabulary.records:
        record = vocabulary.records[phrase]
        return ("record", *_local((record.event, record.until), phrase, side), record.window)
    return (side.edition.ident, phrase) if side.declares(vocabulary.phrases[phrase].span) else phrase


def _local(nodes: tuple[Any, ...], phrase: str, side: Side) -> tuple[Key, Key]:
    """What a phrase is made of, its variables numbered, and the numbers of those in its places."""
    numbers = _numbered(nodes)
    roles = tuple(numbers.get(role.name) for role in _roles(side.edition.vocabulary, phrase))
    return _replaced(key(nodes, side), numbers), roles


def _roles(vocabulary: Vocabulary, phrase: str) -> tuple[Any, ...]:
    return vocabulary.phrases[phrase].roles


def _numbered(nodes: Any) -> dict[str, int]:
    flat = [n for node in nodes for part in (node if isinstance(node, tuple) else (node,)) for n in descend(part)]
    names = dict.fromkeys(n.name for n in flat if isinstance(n, Variable))
    return {name: number for number, name in enumerate(names)}


def _replaced(node: Key, numbers: Mapping[str, int]) -> Key:
    if isinstance(node, Variable):
        return ("place", numbers[node.name])
    if isinstance(node, Pair):
        return Pair(_replaced(node.left, numbers), _replaced(node.right, numbers))
    return tuple(_replaced(part, numbers) for part in node) if isinstance(node, tuple) else node


def matched(one: Key, other: Key, renaming: Renaming) -> Renaming | None:
    """The renaming, with what must be added to it, under which two keys are equal; None when there is none.

    No two variables of the first block stand for the same of the other.
    """
    if isinstance(one, Variable) and isinstance(other, Variable):
        if one.name in renaming:
            return renaming if renaming[one.name] == other.name else None
        return None if other.name in renaming.values() else {**renaming, one.name: other.name}
    if isinstance(one, Pair) and isinstance(other, Pair):
        straight = matched((one.left, one.right), (other.left, other.right), renaming)
        return straight if straight is not None else matched((one.left, one.right), (other.right, other.left), renaming)
    if isinstance(one, tuple) and isinstance(other, tuple):
        if len(one) != len(other):
            return None
        found: Renaming | None = renaming
        for left, right in zip(one, other, strict=True):
            found = matched(left, right, found) if found is not None else None
        return found
    return renaming if type(one) is type(other) and one == other else None


def called(node: Key, renaming: Renaming) -> Key:
    """A key with its variables called otherwise; two places that may be exchanged are put in one order."""
    if isinstance(node, Variable):
        return Variable(renaming.get(node.name, node.name))
    if isinstance(node, Pair):
        return Pair(*sorted((called(node.left, renaming), called(node.right, renaming)), key=repr))
    return tuple(called(part, renaming) for part in node) if isinstance(node, tuple) else node
