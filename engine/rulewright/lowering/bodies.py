"""Lowers conditions to the bodies of productions.

A body is a conjunction; alternatives give several bodies.  What cannot be said in one body (nothing is such that ...,
at least N are such that ..., a rounded number) becomes a helper of a lower stage.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from rulewright.diagnostics import report
from rulewright.lowering import names
from rulewright.lowering.workshop import Aggregate, Body, Use, Workshop, variables
from rulewright.model import (
    DENIED,
    NUMBER,
    AnyOf,
    Atom,
    ComesFrom,
    Compare,
    Condition,
    Exists,
    Expression,
    Individual,
    IsA,
    Known,
    MeasureOf,
    Number,
    Rounded,
    Same,
    Total,
    Variable,
)
from rulewright.phrases.wording import always_filled
from rulewright.productions import (
    MAX_COEFFICIENTS,
    MAX_NUMBER,
    SCALE,
    Column,
    Comparison,
    Operator,
    Pattern,
    Var,
)
from rulewright.resolve.kinds import variable_kinds
from rulewright.text import Span
from rulewright.walk import atoms_of, descend, substitute

TOTAL = Var("#total")
CHARACTERISTIC = Var("#characteristic")
"""What is added to the characteristic that a test is held against."""

MOST_ALTERNATIVES = 200
"""Each way to combine the alternatives of a rule is a production of its own."""

Linear = dict[Var | None, Fraction]
"""Coefficients by variable; the constant stands under None."""


@dataclass
class Bodies:
    """Lowers conditions for one workshop."""

    shop: Workshop
    _values: dict[MeasureOf | Rounded, Pattern] = field(default_factory=dict)

    def lower(self, start: Sequence[Body], conditions: Sequence[Condition], owner: str) -> list[Body]:
        """The bodies that say the start and all the conditions."""
        bodies = list(start)
        for condition in sorted(conditions, key=_rank):
            bodies = [grown for body in bodies for grown in self._grow(body, condition, owner)]
            if len(bodies) > MOST_ALTERNATIVES:
                self.shop.diagnostics.append(report("too-many-alternatives", condition.span, most=MOST_ALTERNATIVES))
                return bodies[:1]
        return [_in_order(body, conditions) for body in bodies]

    def _grow(self, body: Body, condition: Condition, owner: str) -> list[Body]:
        if isinstance(condition, AnyOf):
            return [b for choice in condition.choices for b in self.lower([body], choice, owner)]
        if isinstance(condition, Exists):
            return self._exists(body, condition, owner)
        if isinstance(condition, Compare):
            return [self._compare(body, condition, owner)]
        if isinstance(condition, Same):
            return [self._same(body, condition)]
        if isinstance(condition, IsA):
            pattern = self.shop.pattern(names.is_a(condition.kind), [condition.thing], condition.span)
            negated = condition.negated
        elif isinstance(condition, Known):
            looked_up, negated = self.value(condition.measure, condition.span, owner), condition.negated
            pattern = Pattern(looked_up.predicate, (*looked_up.terms[:-1], self.shop.fresh()))
        elif isinstance(condition, ComesFrom):
            predicate = names.CAUSE if condition.directly else names.CHAIN
            pattern, negated = self.shop.pattern(predicate, [condition.rule], condition.span), False
        else:
            pattern = self.shop.pattern(names.fact(condition.phrase), condition.arguments, condition.span)
            negated = condition.negated
        grown = (
            replace(body, absences=(*body.absences, pattern))
            if negated
            else replace(body, conditions=(*body.conditions, pattern))
        )
        return [replace(grown, uses=(*body.uses, Use(condition)))]

    def _same(self, body: Body, condition: Same) -> Body:
        left, right = (self.shop.term(side, condition.span) for side in (condition.left, condition.right))
        if not isinstance(left, Var):
            left, right = right, left
        assert isinstance(left, Var)
        assert not isinstance(right, int)
        uses = (*body.uses, Use(condition))
        if condition.negated:
            return replace(body, distinctions=(*body.distinctions, (left, right)), uses=uses)
        return replace(body, bindings=(*body.bindings, (left, right)), uses=uses)

    # --- comparisons ---------------------------------------------------------------------------------------------

    def _compare(self, body: Body, condition: Compare, owner: str) -> Body:
        named = self._named_value(condition, owner)
        if named is not None:
            measure, pattern, name = named
            use = Use(condition, ((measure, name),))
            return replace(body, conditions=(*body.conditions, pattern), uses=(*body.uses, use))
        measures: list[tuple[MeasureOf | Rounded, Var]] = []
        linear = self._linear(condition.left, measures, condition.span, owner)
        for variable, coefficient in self._linear(condition.right, measures, condition.span, owner).items():
            linear[variable] = linear.get(variable, Fraction(0)) - coefficient
        if TOTAL in linear:
            linear[CHARACTERISTIC] = -linear[TOTAL]
        patterns = tuple(self.value(measure, condition.span, owner) for measure, _ in measures)
        return replace(
            body,
            conditions=(*body.conditions, *patterns),
            comparisons=(*body.comparisons, *self._comparison(linear, condition.operator, condition.span)),
            uses=(*body.uses, self._use(condition, measures)),
        )

    @staticmethod
    def _use(condition: Compare, values: Sequence[tuple[MeasureOf | Rounded, Var]]) -> Use:
        measures = tuple((m, v) for m, v in values if isinstance(m, MeasureOf))
        return Use(condition, measures, tuple((m, v) for m, v in values if isinstance(m, Rounded)))

    def _named_value(self, condition: Compare, owner: str) -> tuple[MeasureOf, Pattern, Var] | None:
        """``the speed of {model} is {speed}``: the variable takes the value of the measure."""
        if condition.operator != "=":
            return None
        for measure, variable in ((condition.left, condition.right), (condition.right, condition.left)):
            if isinstance(measure, MeasureOf) and isinstance(variable, Variable):
                pattern = self.value(measure, condition.span, owner)
                named = Var(variable.name)
                return measure, Pattern(pattern.predicate, (*pattern.terms[:-1], named)), named
        return None

    def value(self, node: MeasureOf | Rounded, span: Span, owner: str) -> Pattern:
        """The pattern that looks a value up: the same one, with the same variable, wherever it is mentioned."""
        if node not in self._values:
            if isinstance(node, Rounded):
                self._values[node] = self._rounded(node, span, owner)
            else:
                pattern = self.shop.pattern(names.value(node.phrase, node.before), node.arguments, span)
                self._values[node] = Pattern(pattern.predicate, (*pattern.terms, self.shop.fresh()))
        return self._values[node]

    def _rounded(self, node: Rounded, span: Span, owner: str) -> Pattern:
        """A rounded number is worked out between stages, like a measure whose places are the variables in it."""
        keys = list(dict.fromkeys(n.name for n in descend(node) if isinstance(n, Variable)))
        ident = f"rounded.{len(self.shop.worked_out) + 1}"
        self.shop.declare(names.value(ident), (*(column("thing") for _ in keys), column(NUMBER)), owner)
        self.shop.work_out(ident, tuple(keys), "equals", node, (), owner, span)
        return Pattern(names.value(ident), (*map(Var, keys), self.shop.fresh()))

    def _linear(
        self, node: Expression, measures: list[tuple[MeasureOf | Rounded, Var]], span: Span, owner: str
    ) -> Linear:
        if isinstance(node, Number):
            return {None: node.value}
        if isinstance(node, Variable):
            return {Var(node.name): Fraction(1)}
        if isinstance(node, Total):
            return {TOTAL: Fraction(1)}
        if isinstance(node, MeasureOf | Rounded):
            variable = self.value(node, span, owner).terms[-1]
            assert isinstance(variable, Var)
            if (node, variable) not in measures:
                measures.append((node, variable))
            return {variable: Fraction(1)}
        if isinstance(node, Individual):
            self.shop.diagnostics.append(report("not-a-plain-value", span))
            return {}
        left = self._linear(node.left, measures, span, owner)
        right = self._linear(node.right, measures, span, owner)
        if node.operator == "*":
            factor = left.get(None, Fraction(0))
            return {v: c * factor for v, c in right.items()}
        sign = 1 if node.operator == "+" else -1
        for term, coefficient in right.items():
            left[term] = left.get(term, Fraction(0)) + sign * coefficient
        return left

    def _comparison(self, linear: Linear, operator: Operator, span: Span) -> tuple[Comparison, ...]:
        constant = linear.pop(None, Fraction(0)) * SCALE
        common = math.lcm(constant.denominator, *(c.denominator for c in linear.values()))
        terms = tuple((int(c * common), v) for v, c in linear.items() if c and v is not None)
        if sum(abs(c) for c, _ in terms) > MAX_COEFFICIENTS or abs(constant * common) > MAX_NUMBER * 200:
            self.shop.diagnostics.append(report("numbers-too-fine", span))
            return ()
        return (Comparison(terms, int(constant * common), operator),)

    # --- quantifiers ---------------------------------------------------------------------------------------------

    def _exists(self, body: Body, condition: Exists, owner: str) -> list[Body]:
        uses = (*body.uses, Use(condition))
        if not condition.negated and condition.at_least == 1:
            grown = self.lower([replace(body, uses=())], condition.conditions, owner)
            return [replace(g, uses=uses) for g in grown]
        number = self.shop.number()  # before the conditions are lowered: one inside this one takes the next
        predicate = f"some:{owner}:{number}"
        inner_name = f"{condition.variable.name}~{number}"  # apart from outer ones of the same name
        local = {condition.variable.name: Variable(inner_name)}
        conditions = [substitute(c, local) for c in condition.conditions]
        guards = (*body.conditions, *self._guard(inner_name, conditions, condition.span, owner))
        inside = self.lower([replace(body, conditions=guards, absences=(), uses=())], conditions, owner)
        used = {v for b in inside for v in variables(b.conditions + b.absences)}
        used |= {v for b in inside for c in b.comparisons for _, v in c.terms}
        used |= {t for b in inside for pair in b.distinctions for t in pair if isinstance(t, Var)}
        outer = sorted(v for v in body.bound & used if not v.name.startswith("#") and v.name != inner_name)
        keys: list[Var] = list(outer) if condition.negated else [*outer, Var(inner_name)]
        for count, one in enumerate(inside):
            name = f"{owner}/{number}.{count + 1}/{one.trigger.predicate}"
            self.shop.produce(name, one, Pattern(predicate, tuple(keys)), owner, condition.span)
        columns = tuple(self._column_of(v, inside) for v in keys)
        self.shop.declare(predicate, columns, owner)
        if condition.negated:
            return [replace(body, absences=(*body.absences, Pattern(predicate, tuple(keys))), uses=uses)]
        target, number_of = names.count(predicate), self.shop.fresh()
        self.shop.declare(target, (*columns[:-1], "number"), owner)
        self.shop.aggregates.append(Aggregate("counts", predicate, target, len(outer)))
        enough = Comparison(((1, number_of),), -condition.at_least * SCALE, ">=")
        counted = (*body.conditions, Pattern(target, (*outer, number_of)))
        uses = (*body.uses, Use(condition, counted=predicate))
        return [replace(body, conditions=counted, comparisons=(*body.comparisons, enough), uses=uses)]

    def _guard(self, name: str, conditions: Sequence[Condition], span: Span, owner: str) -> tuple[Pattern, ...]:
        """Ties a quantified variable to things of its kind, where its conditions do not do so already."""
        kind = variable_kinds(conditions, self.shop.vocabulary, span)[0].get(name, "thing")
        denies = name.partition("~")[0] == DENIED.name
        if kind == NUMBER or denies or any(self._ties(c, name, kind) for c in conditions):
            return ()
        if kind == "thing":
            found = report("unsafe-variable", span, variable=name.partition("~")[0], owner=owner.partition("@")[0])
            self.shop.diagnostics += [found] if found not in self.shop.diagnostics else []
        return (Pattern(names.is_a(kind), (Var(name),)),)

    def _ties(self, condition: Condition, name: str, kind: str) -> bool:
        """Whether a condition holds only for things of a kind in the place of a variable."""
        if isinstance(condition, AnyOf):
            return all(any(self._ties(c, name, kind) for c in choice) for choice in condition.choices)
        if isinstance(condition, Exists):
            plain = not condition.negated and condition.at_least == 1
            return plain and any(self._ties(c, name, kind) for c in condition.conditions)
        if isinstance(condition, ComesFrom) or getattr(condition, "negated", False):
            return False
        if isinstance(condition, IsA):
            return condition.thing == Variable(name) and self.shop.vocabulary.is_a(condition.kind, kind)
        for node in atoms_of(condition):
            phrase = self.shop.vocabulary.phrases[node.phrase]
            there = always_filled(phrase)
            for role, argument in zip(phrase.roles, node.arguments, strict=True):
                if argument == Variable(name) and role.name in there and self.shop.vocabulary.is_a(role.kind, kind):
                    return True
        return False

    def _column_of(self, variable: Var, bodies: Sequence[Body]) -> Column:
        for body in bodies:
            for pattern in (body.trigger, *body.conditions):
                for term, kind in zip(pattern.terms, self.shop.columns.get(pattern.predicate, ()), strict=False):
                    if term == variable:
                        return kind
        return "symbol"


def column(kind: str) -> Column:
    """The sort of column for a place of a kind."""
    return "number" if kind == NUMBER else "symbol"


def _in_order(body: Body, conditions: Iterable[Condition]) -> Body:
    """A body with its uses in the order of the text."""
    place: Mapping[int, int] = {id(part): n for n, c in enumerate(conditions) for part in (c, *descend(c))}
    return replace(body, uses=tuple(sorted(body.uses, key=lambda u: place.get(id(u.condition), -1))))


def _rank(condition: Condition) -> int:
    """Positive conditions first, so that what they bind is bound when it is needed."""
    if isinstance(condition, Exists):
        return 3 if condition.negated or condition.at_least > 1 else 1
    if isinstance(condition, Atom | IsA | Known):
        return 2 if condition.negated else 0
    return 1
