"""Arranges the conditions of engine rules so that the limits of durable_rules are out of reach.

The engine sorts a fact through a tree of tests.  Tests that are equal and stand at the same place are one node; a test
against another condition always passes there and is never shared.  A node may have 511 children, 255 conditions may end
on one node, and the walk has 64 slots for nodes yet to be visited, or it breaks off half way.  So conditions that
would crowd one node are spread by *routes*, tests that are always true, into a tree of small fan.
"""

from __future__ import annotations

import json
import weakref
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isqrt

from rulewright.backends.base import BackendError
from rulewright.backends.durable_compile import (
    ZERO,
    Condition,
    Encoding,
    Json,
    Rule,
    compile_rules,
    encodings,
)
from rulewright.backends.validate import check_program, shown
from rulewright.productions import Program, Value
from rulewright.speech import later

SHARD_RULES = 4000
"""Rules in one ruleset; the engine takes 4,096."""

FAN = 6
"""Children of a node that may all pass; with it 6**6 conditions on one kind stay within the engine's 64 slots."""

SAME_PROPERTY = 48
"""Constants of one property tested under one node: of these only one can pass, but each costs a comparison."""

SAME_NODE = 200
"""Conditions that end on one node."""

FEW_KINDS = 24
"""Up to here kinds are told apart without buckets."""

BATCH = 200
"""Firings of one rule reported in one call.  The engine measures the report with 32 bits: 200 firings of 16 facts with
``MAX_TEXT`` bytes fit."""

BOOT = "#boot"
"""The kind of the fact that makes the engine set up its state; see the driver."""

MAX_CHILDREN = 511
MAX_STACK = 64
BETA_LIST = 255

SENTINEL: Json = {"$and": [{"$ex": {"kind": 1}}]}
"""Closes every condition with joins: without it a false last join makes the engine read past the end."""


@dataclass(frozen=True)
class Shard:
    """One ruleset for the engine."""

    rules: Mapping[str, Rule]
    kinds: frozenset[str]
    definitions: Json
    text: str
    """The definitions as the engine reads them; strings are escaped as in facts, with which they are compared raw."""


@dataclass(frozen=True)
class Compiled:
    """A program ready for the engine."""

    shards: tuple[Shard, ...]
    encodings: Mapping[str, Encoding]
    boot: str
    zero: str
    """The two constant facts, without their ids."""


_known: dict[tuple[int, int, int], tuple[weakref.ref[Program], Compiled]] = {}


def prepare(program: Program, shard_rules: int = SHARD_RULES, batch: int = BATCH) -> Compiled:
    """The program checked and compiled; kept as long as the program, for an edition is opened game after game.

    Raises:
        BackendError: the program is not well formed, or passes a limit of the engine.
    """
    key = id(program), shard_rules, batch
    known = _known.get(key)
    if known is not None and known[0]() is program:
        return known[1]
    check_program(program)
    compiled = compile_program(program, shard_rules, batch)
    _known[key] = weakref.ref(program, lambda _: _known.pop(key, None)), compiled
    return compiled


def compile_program(program: Program, shard_rules: int = SHARD_RULES, batch: int = BATCH) -> Compiled:
    """Everything the driver needs to run a program that has been checked.

    Raises:
        BackendError: the program passes a limit of the engine.
    """
    rules = compile_rules(program)
    addresses = _addresses({BOOT, ZERO, *(condition.kind for rule in rules for condition in rule.conditions)})
    parts = [rules[start : start + shard_rules] for start in range(0, len(rules), shard_rules)]
    constant = {kind: json.dumps(addresses[kind])[1:-1] for kind in (BOOT, ZERO)}
    return Compiled(
        shards=tuple(_shard(part, addresses, batch) for part in parts),
        encodings=encodings(program, rules, addresses),
        boot=constant[BOOT] + "}",
        zero=constant[ZERO] + ',"z":0}',
    )


def definitions(program: Program) -> list[Json]:
    """Exactly what durable_rules is given: for each ruleset, its rules by name.

    Rules are named ``p0``, ``p1``, ... by the place of their production in the program; one that can never fire is
    left out.
    """
    return [shard.definitions for shard in compile_program(program).shards]


def _addresses(kinds: set[str]) -> dict[str, dict[str, str | int]]:
    """The properties by which the facts of a kind are told from all others, in the order they are tested."""
    if len(kinds) <= FEW_KINDS:
        return {kind: {"kind": kind} for kind in kinds}
    size = isqrt(len(kinds)) + 1
    return {kind: {"g": number // size, "kind": kind} for number, kind in enumerate(sorted(kinds))}


def _shard(rules: Sequence[Rule], addresses: Mapping[str, Mapping[str, str | int]], batch: int) -> Shard:
    by_kind: defaultdict[str, list[tuple[Rule, Condition]]] = defaultdict(list)
    for rule in rules:
        for condition in rule.conditions:
            by_kind[condition.kind].append((rule, condition))
    tests: dict[tuple[str, str], list[Json]] = {}
    for kind, members in by_kind.items():
        opening: list[Json] = [{name: value} for name, value in addresses[kind].items()]
        for (rule, condition), path in zip(members, _paths([c for _, c in members]), strict=True):
            tests[rule.name, condition.alias] = opening + path
    boot: list[Json] = [{name: value} for name, value in addresses[BOOT].items()]
    result: Json = {BOOT: {"all": [{"b": {"$and": boot}}]}}
    for rule in rules:
        body = [
            {condition.alias + ("$not" if condition.negative else ""): {"$and": tests[rule.name, condition.alias]}}
            for condition in rule.conditions
        ]
        # dist 0: one fact may serve two conditions, and may block an absence although it is a premise.
        result[rule.name] = {"all": body, "cap": batch, "dist": 0}
    check_limits(result)
    text = json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    return Shard({rule.name: rule for rule in rules}, frozenset(by_kind), result, text)


def _paths(conditions: Sequence[Condition]) -> list[list[Json]]:
    """The tests of each of the conditions on one kind, after the kind itself."""
    chosen = _leading_constants(conditions)
    values: dict[str, list[Value]] = defaultdict(list)
    for name, value in {constant for constant in chosen if constant is not None}:
        values[name].append(value)
    chunk = {
        (name, value): (name, number // SAME_PROPERTY)
        for name, found in values.items()
        for number, value in enumerate(sorted(found, key=repr))
    }
    leaves = _leaves(conditions, chosen)
    # Under the kind stands a slot for each chunk of constants and for each leaf that has none; under a constant, a slot
    # for each of its leaves.
    top: dict[Leaf, int] = {}
    below: defaultdict[tuple[str, Value], dict[Leaf, int]] = defaultdict(dict)
    for constant, leaf in zip(chosen, leaves, strict=True):
        top.setdefault(leaf if constant is None else chunk[constant], len(top))
        if constant is not None:
            below[constant].setdefault(leaf, len(below[constant]))
    paths = []
    for condition, constant, leaf in zip(conditions, chosen, leaves, strict=True):
        if constant is None:
            path = _route(top[leaf], len(top))
        else:
            path = _route(top[chunk[constant]], len(top))
            path.append({constant[0]: constant[1]})
            path += _route(below[constant][leaf], len(below[constant]))
        paths.append(path + _ending(condition, constant, leaf))
    return paths


Leaf = tuple[str, int]
"""Where conditions part: the text of their own tests, and a number that keeps apart what must not share a node."""


def _leading_constants(conditions: Sequence[Condition]) -> list[tuple[str, Value] | None]:
    """For each condition the constant to test first: of the property with the most different values."""
    variety: Counter[str] = Counter(
        name for name, _ in {constant for condition in conditions for constant in condition.constants}
    )
    return [
        min(condition.constants, key=lambda constant: (-variety[constant[0]], constant[0]), default=None)
        for condition in conditions
    ]


def _leaves(conditions: Sequence[Condition], chosen: Sequence[tuple[str, Value] | None]) -> list[Leaf]:
    """A leaf of its own for a condition with joins, a shared one for up to ``SAME_NODE`` equal ones without."""
    crowd: Counter[tuple[tuple[str, Value] | None, str]] = Counter()
    leaves = []
    for number, (condition, constant) in enumerate(zip(conditions, chosen, strict=True)):
        own = repr(_own(condition, constant))
        if condition.joins:
            leaves.append((own, -1 - number))
        else:
            leaves.append((own, crowd[constant, own] // SAME_NODE))
            crowd[constant, own] += 1
    return leaves


def _own(condition: Condition, leading: tuple[str, Value] | None) -> list[Json]:
    """The tests of a condition against constants, but for the one that leads."""
    rest = sorted({constant for constant in condition.constants if constant != leading}, key=repr)
    ranges = sorted(set(condition.ranges), key=repr)
    tests: list[Json] = [{name: value} for name, value in rest]
    tests += [{operator: {name: value}} for operator, name, value in ranges]
    return tests


def _ending(condition: Condition, leading: tuple[str, Value] | None, leaf: Leaf) -> list[Json]:
    """What follows the routes: a mark that parts equal leaves, the tests against constants, the joins, the sentinel."""
    path: list[Json] = [{"$ex": {"kind": f"part {leaf[1]}"}}] if leaf[1] > 0 else []
    path += _own(condition, leading)
    if condition.joins:
        # Equalities first: from them the engine builds its hash index.
        for operator, name, other in sorted(condition.joins, key=lambda join: join[0] != "$eq"):
            path.append({name: other} if operator == "$eq" else {operator: {name: other}})
        path.append(SENTINEL)
    return path


def _route(number: int, size: int) -> list[Json]:
    """Tests that always pass, so that of ``size`` neighbours no more than ``FAN`` hang under one node."""
    route: list[Json] = []
    level = 1
    while size > FAN**level:
        number //= FAN
        route.append({"$ex": {"kind": f"route {level}.{number}"}})
        level += 1
    return route[::-1]


# -- the proof -----------------------------------------------------------------------------------------------------


@dataclass
class _Node:
    children: dict[str, tuple[Json, _Node]] = field(default_factory=dict)
    ends: int = 0


def check_limits(rules: Mapping[str, object]) -> None:
    """Builds the engine's tree of tests and holds it against the limits; past two of them the engine would hang or
    read beyond its tables.

    Raises:
        BackendError: naming the rule under whose conditions the tree is too full.
    """
    root = _Node()
    for name, rule in rules.items():
        assert isinstance(rule, dict)
        for place, condition in enumerate(rule["all"]):
            (body,) = condition.values()
            node = root
            for test in body["$and"]:
                key = repr(test)
                if test == SENTINEL or _is_join(test):
                    key = f"{name} {place} {key}"
                _, node = node.children.setdefault(key, (test, _Node()))
            node.ends += 1
            if node.ends > BETA_LIST:
                raise BackendError(later("engine.ends", rule=shown(name), limit=BETA_LIST))
            if len(root.children) > MAX_CHILDREN:
                raise BackendError(later("engine.root", rule=shown(name), limit=MAX_CHILDREN))
    need = _slots(root)
    if need > MAX_STACK:
        raise BackendError(later("engine.slots", count=need, limit=MAX_STACK))


def _slots(node: _Node) -> int:
    """The slots that the walk below a node may need: children that all pass wait while one of them is visited."""
    if len(node.children) > MAX_CHILDREN:
        raise BackendError(later("engine.tests", count=len(node.children), limit=MAX_CHILDREN))
    passing, deepest = 0, 0
    exclusive = set()
    for test, child in node.children.values():
        (name,) = test
        if name.startswith("$") or _is_join(test):
            passing += 1
        else:
            exclusive.add(name)
        deepest = max(deepest, _slots(child))
    passing += len(exclusive)
    return max(passing, passing - 1 + deepest) if passing else 0


def _is_join(test: Json) -> bool:
    ((name, value),) = test.items()
    if name.startswith("$") and isinstance(value, dict):
        (value,) = value.values()
    return isinstance(value, dict)
