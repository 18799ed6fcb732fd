"""Translates a program into rules of durable_rules; pure, and ignorant of how the engine is run.

Every fact goes to the engine as one flat object::

    {"id": "17", "kind": "within/fact", "s0": "Archers", "s1": "Wizard", "n2": 6000}

``kind`` is the predicate with its role: ``charges/2`` is a token of stage 2, ``within/fact`` a fact.  Column *i* is
called ``si`` when it holds symbols, ``ni`` when it holds numbers.  ``ei_j`` is 1 where columns *i* and *j* hold the
same value, else 0; only kinds that some pattern compares with themselves carry it.

A production becomes one rule: the token, then the conditions (first those that hang on what is known by then), then,
where a comparison needs it, the constant fact ``#zero``, then the absences.  ``durable_layout`` then arranges the tests
so that the engine's own limits are kept.  Why each protective measure stands is told in
``engine/decisions/0002-durable-rules-protocol.md``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from json.encoder import encode_basestring
from math import gcd
from typing import Literal, NamedTuple

from rulewright.backends.base import BackendError
from rulewright.backends.validate import shown
from rulewright.productions import MAX_NUMBER, Column, Comparison, Fact, Pattern, Production, Program, Value, Var
from rulewright.speech import Text, later

MAX_POSITIVE = 16
"""Positive conditions of one engine rule, the token and ``#zero`` included: the engine's tuples have 16 places."""

MAX_JOINS = 25
"""Join tests of one condition: the engine has room for 32 entries, its own brackets included."""

MAX_PROPERTIES = 200
"""Columns and column pairs of one kind: the engine reads no more than 253 properties, its own included."""

MAX_TEXT = 1_000_000
"""Bytes of one fact as the engine reads it."""

MAX_ABSENCES = 100
"""Absences of one production."""

ZERO = "#zero"
"""The kind of the fact whose property ``z`` is 0; nothing a program can say produces it."""

Json = dict[str, object]
Operator = Literal["$eq", "$neq", "$lte", "$gte"]


class Place(NamedTuple):
    """Where a variable gets its value: premise number (0 is the token) and column."""

    premise: int
    column: int


@dataclass(frozen=True)
class Condition:
    """One condition of an engine rule, its tests sorted by what they cost the engine."""

    alias: str
    kind: str
    negative: bool
    constants: tuple[tuple[str, Value], ...]
    ranges: tuple[tuple[Operator, str, Value], ...]
    joins: tuple[tuple[Operator, str, Json], ...]


@dataclass(frozen=True)
class Rule:
    """A production as an engine rule, and the way back from what the engine reports."""

    production: Production
    name: str
    conditions: tuple[Condition, ...]
    positives: int
    premises: tuple[int, ...]
    """For each premise of a firing, its place among the positive conditions of the engine rule."""
    head: tuple[Place | Value, ...]

    def derive(self, premises: Sequence[Fact]) -> Fact:
        """The fact that a firing on these premises derives."""
        return Fact(
            self.production.head.predicate,
            tuple(premises[part[0]].values[part[1]] if isinstance(part, Place) else part for part in self.head),
        )


@dataclass(frozen=True)
class Encoding:
    """How the facts of one kind are written for the engine."""

    kind: str
    opening: str
    columns: tuple[str, ...]
    pairs: tuple[tuple[int, int], ...]

    def write(self, values: Sequence[Value]) -> str:
        """The text of a fact from its kind to its closing brace; the message's own id goes before it."""
        parts = [self.opening]
        for name, value in zip(self.columns, values, strict=True):
            parts += name, encode_basestring(value) if isinstance(value, str) else int.__repr__(value)
        for left, right in self.pairs:
            parts.append(f',"{pair(left, right)}":{int(values[left] == values[right])}')
        parts.append("}")
        text = "".join(parts)
        if len(text) > MAX_TEXT // 4 and len(text.encode()) > MAX_TEXT:
            raise BackendError(later("engine.long-fact", kind=shown(self.kind), limit=MAX_TEXT))
        return text


def fact_kind(predicate: str) -> str:
    """The kind of the facts of a predicate."""
    return f"{predicate}/fact"


def token_kind(predicate: str, stage: int) -> str:
    """The kind of the tokens of a predicate in one stage."""
    return f"{predicate}/{stage}"


def column_name(columns: Sequence[Column], index: int) -> str:
    """The property that holds a column."""
    return f"{columns[index][0]}{index}"


def pair(left: int, right: int) -> str:
    """The property that says whether two columns of a fact hold the same value."""
    return f"e{min(left, right)}_{max(left, right)}"


def compile_rules(program: Program) -> tuple[Rule, ...]:
    """The engine rules of a program, in its order; productions that can never fire have none.

    Raises:
        BackendError: naming the production that passes a limit of the engine, and the limit.
    """
    drafts = (
        _Draft(production, f"p{number}", program.columns).rule()
        for number, production in enumerate(program.productions)
    )
    return tuple(rule for rule in drafts if rule is not None)


# -- comparisons ---------------------------------------------------------------------------------------------------


class Linear(NamedTuple):
    """A comparison brought into lowest terms: ``sum(coefficient * variable) + constant`` is >= 0, = 0 or != 0."""

    terms: tuple[tuple[int, Var], ...]
    constant: int
    relation: Literal[">=", "=", "!="]


def simplify(comparison: Comparison) -> Linear | bool:
    """Merges repeated variables and divides by the common factor; a bool where the outcome is certain."""
    merged: dict[Var, int] = {}
    for coefficient, variable in comparison.terms:
        merged[variable] = merged.get(variable, 0) + coefficient
    sign = -1 if comparison.operator in ("<", "<=") else 1
    terms = tuple((sign * coefficient, variable) for variable, coefficient in merged.items() if coefficient)
    constant = sign * comparison.constant - (1 if comparison.operator in ("<", ">") else 0)
    factor = gcd(*(coefficient for coefficient, _ in terms))
    relation: Literal[">=", "=", "!="] = (
        "=" if comparison.operator == "=" else "!=" if comparison.operator == "!=" else ">="
    )
    if not terms:
        return constant >= 0 if relation == ">=" else (constant == 0) == (relation == "=")
    if relation != ">=" and constant % factor:
        return relation == "!="
    lowest = Linear(tuple((c // factor, variable) for c, variable in terms), constant // factor, relation)
    reach = sum(abs(c) for c, _ in lowest.terms) * MAX_NUMBER
    if abs(lowest.constant) > reach:
        return lowest.constant > 0 if relation == ">=" else relation == "!="
    return lowest


def _sum(terms: Sequence[tuple[int, Json]], constant: int) -> Json:
    """The engine's expression for a sum of multiples and a constant; ``terms`` is not empty."""
    total: Json | None = None
    for coefficient, reference in terms:
        term: Json = reference if coefficient == 1 else {"$mul": {"$l": reference, "$r": coefficient}}
        total = term if total is None else {"$add": {"$l": total, "$r": term}}
    assert total is not None
    return {"$add": {"$l": total, "$r": constant}} if constant else total


# -- one production ------------------------------------------------------------------------------------------------


def join_order(production: Production) -> list[int]:
    """The numbers of the conditions, each as soon as it hangs on variables known by then, most constants first."""
    known = {term for term in production.trigger.terms if isinstance(term, Var)}
    left = list(range(len(production.conditions)))
    order = []
    while left:
        best = max(left, key=_promise(production.conditions, known))
        left.remove(best)
        order.append(best)
        known.update(term for term in production.conditions[best].terms if isinstance(term, Var))
    return order


def _promise(conditions: Sequence[Pattern], known: set[Var]) -> Callable[[int], tuple[int, int, int]]:
    def promise(index: int) -> tuple[int, int, int]:
        terms = conditions[index].terms
        joined = sum(term in known for term in terms if isinstance(term, Var))
        return min(joined, 1), joined + sum(not isinstance(term, Var) for term in terms), -index

    return promise


@dataclass
class _Open:
    """A condition that still takes tests."""

    alias: str
    kind: str
    constants: list[tuple[str, Value]] = field(default_factory=list)
    ranges: list[tuple[Operator, str, Value]] = field(default_factory=list)
    joins: list[tuple[Operator, str, Json]] = field(default_factory=list)

    def closed(self, *, negative: bool = False) -> Condition:
        """The condition, complete."""
        return Condition(self.alias, self.kind, negative, tuple(self.constants), tuple(self.ranges), tuple(self.joins))


class _Draft:
    """A production on its way to an engine rule."""

    def __init__(self, production: Production, name: str, columns: Mapping[str, tuple[Column, ...]]) -> None:
        self.production = production
        self.name = name
        self.columns = columns
        self.patterns = (production.trigger, *production.conditions)
        self.order = [0, *(number + 1 for number in join_order(production))]
        self.places: dict[Var, Place] = {}
        self.conditions: dict[int, _Open] = {}
        self.zero: _Open | None = None

    def rule(self) -> Rule | None:
        """The finished rule, or None where the production can never fire."""
        for premise in self.order:
            self._bind(premise)
        for comparison in self.production.comparisons:
            linear = simplify(comparison)
            if linear is False:
                return None
            if isinstance(linear, Linear):
                self._compare(linear)
        for left, right in self.production.distinctions:
            if left == right:
                return None
            self._differ(left, right)
        positive = [self.conditions[premise].closed() for premise in self.order]
        if self.zero is not None:
            positive.append(self.zero.closed())
        absences = [self._absence(n, pattern) for n, pattern in enumerate(dict.fromkeys(self.production.absences))]
        self._check(positive, absences)
        return Rule(
            self.production,
            self.name,
            (*positive, *absences),
            len(positive),
            tuple(self.order.index(premise) for premise in range(len(self.order))),
            tuple(self.places[term] if isinstance(term, Var) else term for term in self.production.head.terms),
        )

    def _bind(self, premise: int) -> None:
        """Adds a positive condition; its new variables get their places, the known ones become tests."""
        pattern = self.patterns[premise]
        kind = fact_kind(pattern.predicate) if premise else token_kind(pattern.predicate, self.production.stage)
        condition = self.conditions[premise] = _Open(f"c{premise}", kind)
        for index, term in enumerate(pattern.terms):
            if isinstance(term, Var):
                place = self.places.setdefault(term, Place(premise, index))
                if place != (premise, index):
                    self._equal(condition, premise, index, place)
            else:
                condition.constants.append((self._property(pattern, index), term))

    def _absence(self, number: int, pattern: Pattern) -> Condition:
        condition = _Open(f"a{number}", fact_kind(pattern.predicate))
        own: dict[Var, Place] = {}
        for index, term in enumerate(pattern.terms):
            if not isinstance(term, Var):
                condition.constants.append((self._property(pattern, index), term))
            elif term in self.places:
                condition.joins.append(("$eq", self._property(pattern, index), self._reference(self.places[term])))
            elif (place := own.setdefault(term, Place(-1, index))) != (-1, index):
                self._equal(condition, -1, index, place)
        return condition.closed(negative=True)

    def _equal(self, condition: _Open, premise: int, index: int, place: Place) -> None:
        """Demands that a column of this condition equals what stands at a place known already."""
        if place.premise == premise:
            condition.constants.append((pair(place.column, index), 1))
        else:
            name = self._property(self.patterns[premise], index)
            condition.joins.append(("$eq", name, self._reference(place)))

    def _differ(self, left: Var, right: Var | str) -> None:
        """Demands a difference, in whichever of the two conditions comes last."""
        place = self.places[left]
        if not isinstance(right, Var):
            self.conditions[place.premise].ranges.append(("$neq", self._name(place), right))
            return
        early, late = sorted((place, self.places[right]), key=self._rank)
        if early.premise == late.premise:
            self.conditions[late.premise].constants.append((pair(early.column, late.column), 0))
        else:
            self.conditions[late.premise].joins.append(("$neq", self._name(late), self._reference(early)))

    def _compare(self, linear: Linear) -> None:
        """Adds a comparison where it costs least: on one condition, between two, or against ``#zero``."""
        terms = sorted(
            ((c, self.places[variable]) for c, variable in linear.terms), key=lambda term: self._rank(term[1])
        )
        coefficient, place = terms[-1]
        own = [term for term in terms if term[1].premise == place.premise]
        self._no_overflow(linear)
        if len(terms) == 1:
            # In lowest terms the coefficient of a lone variable is 1 or -1.
            condition, bound = self.conditions[place.premise], -coefficient * linear.constant
            if linear.relation == "=":
                condition.constants.append((self._name(place), bound))
            else:
                operator: Operator = "$neq" if linear.relation == "!=" else "$gte" if coefficient > 0 else "$lte"
                condition.ranges.append((operator, self._name(place), bound))
        elif len(own) == 1 and abs(coefficient) == 1:
            rest = [(-coefficient * c, self._reference(p)) for c, p in terms[:-1]]
            self._join(
                self.conditions[place.premise],
                self._name(place),
                _sum(rest, -coefficient * linear.constant),
                linear.relation,
                "$gte" if coefficient > 0 else "$lte",
            )
        else:
            self.zero = self.zero or _Open("z", ZERO)
            total = _sum([(c, self._reference(p)) for c, p in terms], linear.constant)
            self._join(self.zero, "z", total, linear.relation, "$lte")

    @staticmethod
    def _join(condition: _Open, name: str, other: Json, relation: str, at_least: Operator) -> None:
        if relation == "!=":
            condition.joins.append(("$neq", name, other))
        elif relation == ">=":
            condition.joins.append((at_least, name, other))
        elif len(other) == 1 and not next(iter(other)).startswith("$"):
            condition.joins.append(("$eq", name, other))
        else:
            # Sums are left out of equality joins, which the engine evaluates early for its hash index.
            condition.joins += [("$gte", name, other), ("$lte", name, other)]

    def _no_overflow(self, linear: Linear) -> None:
        if sum(abs(c) for c, _ in linear.terms) * MAX_NUMBER + abs(linear.constant) >= 2**63:
            self._refuse(later("engine.bits"))

    def _check(self, positive: Sequence[Condition], absences: Sequence[Condition]) -> None:
        if len(positive) > MAX_POSITIVE:
            key = "engine.conditions" if self.zero is None else "engine.conditions-and-comparisons"
            self._refuse(later(key, count=len(positive), limit=MAX_POSITIVE))
        if len(absences) > MAX_ABSENCES:
            self._refuse(later("engine.absences", count=len(absences), limit=MAX_ABSENCES))
        for condition in (*positive, *absences):
            if len(condition.joins) > MAX_JOINS:
                kind, count = shown(condition.kind), len(condition.joins)
                self._refuse(later("engine.joins", kind=kind, count=count, limit=MAX_JOINS))

    def _refuse(self, reason: Text) -> None:
        name = self.production.name
        raise BackendError(later("engine.production", production=shown(name), reason=reason), name)

    def _rank(self, place: Place) -> tuple[int, int]:
        return self.order.index(place.premise), place.column

    def _property(self, pattern: Pattern, index: int) -> str:
        return column_name(self.columns[pattern.predicate], index)

    def _name(self, place: Place) -> str:
        return self._property(self.patterns[place.premise], place.column)

    def _reference(self, place: Place) -> Json:
        return {f"c{place.premise}": self._name(place)}


# -- how facts are written -----------------------------------------------------------------------------------------


def encodings(
    program: Program, rules: Sequence[Rule], addresses: Mapping[str, Mapping[str, str | int]]
) -> dict[str, Encoding]:
    """The way to write the facts of each kind that some rule mentions.

    Raises:
        BackendError: naming a production whose predicate has too many columns.
    """
    columns = dict(_kinds(program))
    pairs: dict[str, set[tuple[int, int]]] = {}
    for rule in rules:
        for condition in rule.conditions:
            found = pairs.setdefault(condition.kind, set())
            for name, _ in condition.constants:
                if name.startswith("e"):
                    left, _, right = name[1:].partition("_")
                    found.add((int(left), int(right)))
            size = len(found) + len(columns.get(condition.kind, ()))
            if size > MAX_PROPERTIES:
                name = rule.production.name
                reason = later("engine.columns", kind=shown(condition.kind), count=size, limit=MAX_PROPERTIES)
                raise BackendError(later("engine.production", production=shown(name), reason=reason), name)
    return {
        kind: Encoding(
            kind=kind,
            opening=",".join(f"{encode_basestring(name)}:{_scalar(value)}" for name, value in addresses[kind].items()),
            columns=tuple(f',"{column_name(columns[kind], index)}":' for index in range(len(columns[kind]))),
            pairs=tuple(sorted(pairs[kind])),
        )
        for kind in pairs
        if kind != ZERO
    }


def _scalar(value: str | int) -> str:
    return encode_basestring(value) if isinstance(value, str) else int.__repr__(value)


def _kinds(program: Program) -> Iterator[tuple[str, tuple[Column, ...]]]:
    for production in program.productions:
        trigger = production.trigger.predicate
        yield token_kind(trigger, production.stage), program.columns[trigger]
        for pattern in (*production.conditions, *production.absences):
            yield fact_kind(pattern.predicate), program.columns[pattern.predicate]
