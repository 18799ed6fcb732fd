"""Lowers conditions to the bodies of productions.

A body is a conjunction; alternatives give several bodies.  What cannot be said in one body (nothing is such that ...,
at least N are such that ...) becomes a helper predicate of a lower stage.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from rulewright.diagnostics import Diagnostic, report
from rulewright.lowering import names
from rulewright.model import (
    NUMBER,
    AnyOf,
    Arithmetic,
    Atom,
    Compare,
    Condition,
    Exists,
    Expression,
    Individual,
    MeasureOf,
    Number,
    Same,
    Total,
    Variable,
    Vocabulary,
)
from rulewright.productions import (
    MAX_COEFFICIENTS,
    MAX_NUMBER,
    SCALE,
    Column,
    Comparison,
    Operator,
    Pattern,
    Production,
    Term,
    Var,
)
from rulewright.text import Span
from rulewright.walk import substitute

TOTAL = Var("#total")


@dataclass(frozen=True)
class Use:
    """How one condition went into a body: which variable holds the value of which measure."""

    condition: Condition
    measures: tuple[tuple[MeasureOf, Var], ...] = ()


@dataclass(frozen=True)
class Body:
    """A conjunction under construction."""

    trigger: Pattern
    conditions: tuple[Pattern, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    distinctions: tuple[tuple[Var, Var | str], ...] = ()
    absences: tuple[Pattern, ...] = ()
    bindings: tuple[tuple[Var, Term], ...] = ()
    uses: tuple[Use, ...] = ()

    @property
    def bound(self) -> frozenset[Var]:
        """Variables that the trigger or a condition binds."""
        return variables([self.trigger, *self.conditions])

    @property
    def equations(self) -> dict[Var, Term] | None:
        """What each equated variable stands for; None when two different names would have to be one."""
        known: dict[Var, Term] = {}
        for one, two in self.bindings:
            left, right = resolved(one, known), resolved(two, known)
            if left == right:
                continue
            if isinstance(left, Var):
                known[left] = right
            elif isinstance(right, Var):
                known[right] = left
            else:
                return None
        return known

    def closed(self) -> Body | None:
        """The body with its equations of names carried out; None when they contradict each other."""
        known = self.equations
        if known is None:
            return None

        def placed(pattern: Pattern) -> Pattern:
            return Pattern(pattern.predicate, tuple(resolved(t, known) for t in pattern.terms))

        apart = [(resolved(a, known), resolved(b, known)) for a, b in self.distinctions]
        return replace(
            self,
            trigger=placed(self.trigger),
            conditions=tuple(map(placed, self.conditions)),
            absences=tuple(map(placed, self.absences)),
            distinctions=tuple((a, b) for a, b in apart if isinstance(a, Var) and not isinstance(b, int)),
        )


def resolved(term: Term, known: Mapping[Var, Term]) -> Term:
    """A term with equations carried out."""
    while isinstance(term, Var) and term in known:
        term = known[term]
    return term


def variables(patterns: Iterable[Pattern]) -> frozenset[Var]:
    """The variables of patterns."""
    return frozenset(t for p in patterns for t in p.terms if isinstance(t, Var))


@dataclass(frozen=True)
class Count:
    """How many facts of ``source`` agree in their first ``keys`` columns: ``target(keys..., count)``."""

    source: str
    target: str
    keys: int


@dataclass
class Workshop:
    """Gathers the productions of an edition while its parts are lowered."""

    vocabulary: Vocabulary
    productions: list[Production] = field(default_factory=list)
    uses: dict[str, tuple[Use, ...]] = field(default_factory=dict)
    aliases: dict[str, Mapping[Var, Term]] = field(default_factory=dict)
    columns: dict[str, tuple[Column, ...]] = field(default_factory=dict)
    counts: list[Count] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    owners: dict[str, str] = field(default_factory=dict)
    _values: dict[MeasureOf, Pattern] = field(default_factory=dict)
    _fresh: int = 0

    # --- bookkeeping of names ------------------------------------------------------------------------------------

    def fresh(self) -> Var:
        """A variable of its own."""
        self._fresh += 1
        return Var(f"#{self._fresh}")

    def declare(self, predicate: str, columns: Sequence[Column], owner: str) -> None:
        """Notes the columns of a predicate, and which item it belongs to."""
        self.columns[predicate] = tuple(columns)
        self.owners[predicate] = owner

    def phrase_columns(self, phrase: str) -> tuple[Column, ...]:
        """The columns of the places of a phrase."""
        return tuple(column(r.kind) for r in self.vocabulary.phrases[phrase].roles)

    def produce(self, name: str, body: Body, head: Pattern, owner: str, span: Span) -> None:
        """Adds a production, unless a variable of its head is tied to nothing."""
        known = body.equations
        closed = body.closed()
        if known is None or closed is None:
            return
        body = closed
        head = Pattern(head.predicate, tuple(resolved(t, known) for t in head.terms))
        loose = sorted(v.name for v in variables([head]) - body.bound)
        loose += sorted(
            v.name
            for c in body.comparisons
            for _, v in c.terms
            if v not in body.bound and not v.name.startswith("#") and v.name not in loose
        )
        if loose:
            self.diagnostics.append(report("unsafe-variable", span, variable=loose[0], owner=owner))
            return
        self.productions.append(
            Production(
                name=name,
                stage=0,
                trigger=body.trigger,
                head=head,
                conditions=tuple(dict.fromkeys(body.conditions)),
                comparisons=body.comparisons,
                distinctions=body.distinctions,
                absences=tuple(dict.fromkeys(body.absences)),
            )
        )
        self.uses[name] = body.uses
        self.aliases[name] = known

    # --- terms and patterns --------------------------------------------------------------------------------------

    def term(self, expression: Expression | None, span: Span) -> Term:
        """A term for a place of a pattern; a place left out matches anything."""
        if expression is None:
            return self.fresh()
        if isinstance(expression, Variable):
            return Var(expression.name)
        if isinstance(expression, Individual):
            return expression.ident
        if isinstance(expression, Number):
            return self.scaled(expression.value, span)
        self.diagnostics.append(report("not-a-plain-value", span))
        return self.fresh()

    def scaled(self, value: Fraction, span: Span) -> int:
        """A literal number as the engine holds it."""
        exact = value * SCALE
        if exact.denominator != 1 or abs(exact) > MAX_NUMBER:
            self.diagnostics.append(report("number-out-of-range", span, number=value))
            return 0
        return exact.numerator

    def pattern(self, predicate: str, arguments: Sequence[Expression | None], span: Span) -> Pattern:
        """A pattern from the filled places of a phrase."""
        return Pattern(predicate, tuple(self.term(a, span) for a in arguments))

    # --- conditions ----------------------------------------------------------------------------------------------

    def bodies(self, start: Sequence[Body], conditions: Sequence[Condition], owner: str) -> list[Body]:
        """The bodies that say the start and all the conditions."""
        bodies = list(start)
        for condition in sorted(conditions, key=_rank):
            bodies = [grown for body in bodies for grown in self._grow(body, condition, owner)]
        return [self._in_order(body, conditions) for body in bodies]

    @staticmethod
    def _in_order(body: Body, conditions: Sequence[Condition]) -> Body:
        place = {id(c): n for n, c in enumerate(conditions)}
        return replace(body, uses=tuple(sorted(body.uses, key=lambda u: place.get(id(u.condition), -1))))

    def _grow(self, body: Body, condition: Condition, owner: str) -> list[Body]:
        if isinstance(condition, AnyOf):
            return [b for choice in condition.choices for b in self.bodies([body], choice, owner)]
        if isinstance(condition, Exists):
            return self._exists(body, condition, owner)
        if isinstance(condition, Compare):
            return [self._compare(body, condition)]
        if isinstance(condition, Same):
            return [self._same(body, condition)]
        pattern = self.pattern(names.fact(condition.phrase), condition.arguments, condition.span)
        if condition.negated:
            grown_body = replace(body, absences=(*body.absences, pattern))
        else:
            grown_body = replace(body, conditions=(*body.conditions, pattern))
        return [replace(grown_body, uses=(*body.uses, Use(condition)))]

    def _same(self, body: Body, condition: Same) -> Body:
        left, right = self.term(condition.left, condition.span), self.term(condition.right, condition.span)
        if not isinstance(left, Var):
            left, right = right, left
        assert isinstance(left, Var)
        assert not isinstance(right, int)
        uses = (*body.uses, Use(condition))
        if condition.negated:
            return replace(body, distinctions=(*body.distinctions, (left, right)), uses=uses)
        return replace(body, bindings=(*body.bindings, (left, right)), uses=uses)

    def _compare(self, body: Body, condition: Compare) -> Body:
        measures: list[tuple[MeasureOf, Var]] = []
        linear = self._linear(condition.left, measures, condition.span)
        for variable, coefficient in self._linear(condition.right, measures, condition.span).items():
            linear[variable] = linear.get(variable, Fraction(0)) - coefficient
        patterns = tuple(self._value_pattern(measure, condition.span) for measure, _ in measures)
        return replace(
            body,
            conditions=(*body.conditions, *patterns),
            comparisons=(*body.comparisons, *self._comparison(linear, condition.operator, condition.span)),
            uses=(*body.uses, Use(condition, tuple(measures))),
        )

    def _value_pattern(self, measure: MeasureOf, span: Span) -> Pattern:
        """The pattern that looks a measure up: the same one, with the same variable, wherever it is mentioned."""
        if measure not in self._values:
            pattern = self.pattern(names.value(measure.phrase, measure.before), measure.arguments, span)
            self._values[measure] = Pattern(pattern.predicate, (*pattern.terms, self.fresh()))
        return self._values[measure]

    def _linear(
        self, expression: Expression, measures: list[tuple[MeasureOf, Var]], span: Span
    ) -> dict[Var | None, Fraction]:
        """Coefficients by variable; the constant stands under None."""
        if isinstance(expression, Number):
            return {None: expression.value}
        if isinstance(expression, Variable):
            return {Var(expression.name): Fraction(1)}
        if isinstance(expression, Total):
            return {TOTAL: Fraction(1)}
        if isinstance(expression, MeasureOf):
            variable = self._value_pattern(expression, span).terms[-1]
            assert isinstance(variable, Var)
            if (expression, variable) not in measures:
                measures.append((expression, variable))
            return {variable: Fraction(1)}
        if isinstance(expression, Individual):
            self.diagnostics.append(report("not-a-plain-value", span))
            return {}
        assert isinstance(expression, Arithmetic)
        left = self._linear(expression.left, measures, span)
        right = self._linear(expression.right, measures, span)
        if expression.operator == "*":
            factor = left.get(None, Fraction(0))
            return {v: c * factor for v, c in right.items()}
        sign = 1 if expression.operator == "+" else -1
        for term, coefficient in right.items():
            left[term] = left.get(term, Fraction(0)) + sign * coefficient
        return left

    def _comparison(self, linear: dict[Var | None, Fraction], operator: Operator, span: Span) -> tuple[Comparison, ...]:
        constant = linear.pop(None, Fraction(0)) * SCALE
        common = math.lcm(constant.denominator, *(c.denominator for c in linear.values()))
        terms = tuple((int(c * common), v) for v, c in linear.items() if c and v is not None)
        if sum(abs(c) for c, _ in terms) > MAX_COEFFICIENTS or abs(constant * common) > MAX_NUMBER * 9:
            self.diagnostics.append(report("numbers-too-fine", span))
            return ()
        return (Comparison(terms, int(constant * common), operator),)

    def _exists(self, body: Body, condition: Exists, owner: str) -> list[Body]:
        if not condition.negated and condition.at_least == 1:
            grown = self.bodies([replace(body, uses=())], condition.conditions, owner)
            uses = (*body.uses, Use(condition))
            return [replace(g, uses=uses) for g in grown]
        predicate = f"some:{owner}:{len(self.productions)}"
        inner_name = f"{condition.variable.name}~{len(self.productions)}"  # apart from outer ones of the same name
        local = {condition.variable.name: Variable(inner_name)}
        conditions = [substitute(c, local) for c in condition.conditions]
        inside = self.bodies([replace(body, absences=(), uses=())], conditions, owner)
        used = {v for b in inside for v in variables(b.conditions + b.absences)}
        used |= {v for b in inside for c in b.comparisons for _, v in c.terms}
        used |= {t for b in inside for pair in b.distinctions for t in pair if isinstance(t, Var)}
        outer = sorted(v for v in body.bound & used if not v.name.startswith("#") and v.name != inner_name)
        keys: list[Var] = list(outer) if condition.negated else [*outer, Var(inner_name)]
        for number, one in enumerate(inside):
            name = f"{owner}/{predicate.rsplit(':', 1)[1]}.{number + 1}/{one.trigger.predicate}"
            self.produce(name, one, Pattern(predicate, tuple(keys)), owner, condition.span)
        columns = tuple(self._column_of(v, inside) for v in keys)
        self.declare(predicate, columns, owner)
        uses = (*body.uses, Use(condition))
        if condition.negated:
            return [replace(body, absences=(*body.absences, Pattern(predicate, tuple(keys))), uses=uses)]
        target, number_of = f"count:{predicate}", self.fresh()
        self.declare(target, (*columns[:-1], NUMBER_COLUMN), owner)
        self.counts.append(Count(predicate, target, len(outer)))
        enough = Comparison(((1, number_of),), -condition.at_least * SCALE, ">=")
        counted = Pattern(target, (*outer, number_of))
        return [
            replace(body, conditions=(*body.conditions, counted), comparisons=(*body.comparisons, enough), uses=uses)
        ]

    def _column_of(self, variable: Var, bodies: Sequence[Body]) -> Column:
        for body in bodies:
            for pattern in (body.trigger, *body.conditions):
                for term, kind in zip(pattern.terms, self.columns.get(pattern.predicate, ()), strict=False):
                    if term == variable:
                        return kind
        return "symbol"


NUMBER_COLUMN: Column = "number"


def column(kind: str) -> Column:
    """The sort of column for a place of a kind."""
    return NUMBER_COLUMN if kind == NUMBER else "symbol"


def _rank(condition: Condition) -> int:
    """Positive conditions first, so that what they bind is bound when it is needed."""
    if isinstance(condition, Exists):
        return 3 if condition.negated or condition.at_least > 1 else 1
    if isinstance(condition, Atom):
        return 2 if condition.negated else 0
    return 1
