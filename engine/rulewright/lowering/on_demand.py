"""Definitions and measures, lowered for all the ways they are asked for (see decision 0006)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rulewright.lowering import names
from rulewright.lowering.bodies import Bodies, column
from rulewright.lowering.frame import Frame, free_variables
from rulewright.lowering.workshop import Aggregate, Body, WorkedOut
from rulewright.model import (
    NUMBER,
    Atom,
    Condition,
    Definition,
    Exists,
    Expression,
    MeasureOf,
    Same,
    Variable,
)
from rulewright.phrases.wording import phrase_text
from rulewright.productions import Pattern, Term, Var
from rulewright.resolve.kinds import variable_kinds
from rulewright.walk import children, descend


class OnDemand:
    """Lowers what is asked for."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame

    def run(self) -> None:
        """Lowers definitions and measures for all the ways they are asked for, and for a question from outside."""
        for definition in self.frame.edition.definitions:
            self.frame.shop.asked.setdefault((definition.head.phrase, "b" * len(definition.head.arguments)))
            self.frame.shop.asked.setdefault((definition.head.phrase, "f" * len(definition.head.arguments)))
        for ident, ways in self.frame.shop.worked_out.items():
            self.frame.shop.asked.setdefault((ident, "b" * len(ways[0].keys)))
        done = 0
        while done < len(self.frame.shop.asked):
            ident, places = list(self.frame.shop.asked)[done]
            done += 1
            if ident in self.frame.shop.worked_out:
                for number, way in enumerate(self.frame.shop.worked_out[ident]):
                    self.measure(ident, places, number, way)
            else:
                for definition in self.frame.edition.definitions:
                    if definition.head.phrase == ident:
                        self.definition(definition, places)

    def definition(self, definition: Definition, places: str) -> None:
        ident, span, head = definition.anchor.ident, definition.anchor.span, definition.head
        kinds, _ = variable_kinds([head, *definition.conditions], self.frame.vocabulary, span)
        pattern = self.frame.shop.pattern(names.fact(head.phrase), head.arguments, head.span)
        start = self.asked_for(head.phrase, places, pattern.terms, ident)
        known = {t for p in start.conditions for t in p.terms}
        tied = tuple(p for p in self._tied(head, definition.conditions, kinds) if p.terms[0] not in known)
        start = replace(start, conditions=(*start.conditions, *tied))
        for number, body in enumerate(self.frame.lower([start], definition.conditions, f"{ident}.{places}")):
            (guarded,) = self.frame.guarded([body], kinds)
            self.frame.shop.produce(f"{ident}/define.{number + 1}/{places}", guarded, pattern, ident, span)

    def asked_for(self, ident: str, places: str, terms: Sequence[Term], owner: str) -> Body:
        """The beginning of the bodies that work something out: the token, and for which things it is wanted."""
        trigger = Pattern(names.need(ident, places))
        self.frame.shop.declare(trigger.predicate, (), owner)
        known = tuple(t for t, p in zip(terms, places, strict=True) if p == "b")
        if not known:
            return Body(trigger)
        asked = Pattern(names.ask(ident, places), known)
        columns = self.frame.shop.columns[names.fact(ident) if ident in self.frame.shop.defined else names.value(ident)]
        wanted = tuple(c for c, p in zip(columns, places, strict=False) if p == "b")
        self.frame.shop.declare(asked.predicate, wanted, owner)
        return Body(trigger, conditions=(asked,))

    def _tied(self, head: Atom, conditions: Sequence[Condition], kinds: Mapping[str, str]) -> tuple[Pattern, ...]:
        """Ties the variables of a definition that no condition binds, such as one that is only said to differ."""
        binding = [c for c in conditions if not isinstance(c, Same) and _binds(c)]
        bound = {n.name for c in binding for n in descend(c) if isinstance(n, Variable)}
        wanted = [a.name for a in head.arguments if isinstance(a, Variable)]
        return tuple(
            Pattern(names.is_a(kinds[v]), (Var(v),)) for v in wanted if v not in bound and kinds.get(v) != NUMBER
        )

    def measure(self, ident: str, places: str, which: int, wanted: WorkedOut) -> None:
        """One definition of a measure that is worked out: what it is gathered from, and how."""
        keys = tuple(Var(k) for k in wanted.keys)
        conditions: list[Condition] = list(wanted.conditions)
        kinds, _ = variable_kinds([*conditions, wanted.subject], self.frame.vocabulary, wanted.span)
        start = self.asked_for(ident, places, keys, wanted.owner)
        parts: list[Expression] = []
        if wanted.how != "counts":
            inside = [n for n in descend(wanted.subject) if isinstance(n, MeasureOf | Variable)]
            local = {k for n in inside if isinstance(n, MeasureOf) for k in children(n)}
            parts = list(dict.fromkeys(n for n in inside if isinstance(n, MeasureOf) or n not in local))
        looked_up = Bodies(self.frame.shop)
        bodies = self.frame.lower([start], conditions, f"{wanted.owner}.measure")
        head: list[Var] = list(keys)
        values: list[Var] = []
        for part in parts:
            if isinstance(part, MeasureOf):
                pattern = looked_up.value(part, wanted.span, wanted.owner)
                bodies = [replace(b, conditions=(*b.conditions, pattern)) for b in bodies]
                values.append(_last(pattern))
            elif isinstance(part, Variable):
                values.append(Var(part.name))
        counted = [Var(wanted.subject.name)] if isinstance(wanted.subject, Variable) and not parts else []
        witnesses = [
            Var(n) for n in free_variables([*conditions, wanted.subject]) if Var(n) not in (*keys, *counted, *values)
        ]
        head += [*values, *counted, *(() if wanted.how == "counts" else witnesses)]
        source, target = names.gather(ident, which), names.value(ident)
        sorts = {Var(n): column(k) for n, k in kinds.items()} | dict.fromkeys(values, "number")
        self.frame.shop.declare(source, tuple(sorts.get(v, "symbol") for v in head), wanted.owner)
        for number, body in enumerate(self.frame.guarded(bodies, kinds)):
            name = f"{wanted.owner}/gather.{number + 1}/{ident}"
            self.frame.shop.produce(name, body, Pattern(source, tuple(head)), wanted.owner, wanted.span)
        asked = names.ask(ident, places) if keys else None
        where = tuple((part, len(keys) + n) for n, part in enumerate(parts))
        known = ident in self.frame.vocabulary.phrases
        shown = phrase_text(self.frame.vocabulary, ident) if known else ident
        aggregate = Aggregate(wanted.how, source, target, len(keys), wanted.subject, where, asked, shown)
        self.frame.shop.aggregates.append(aggregate)


def _binds(condition: Condition) -> bool:
    """Whether a condition ties its variables to things."""
    if isinstance(condition, Exists):
        return not condition.negated and condition.at_least == 1
    return not getattr(condition, "negated", False)


def _last(pattern: Pattern) -> Var:
    term = pattern.terms[-1]
    assert isinstance(term, Var)
    return term
