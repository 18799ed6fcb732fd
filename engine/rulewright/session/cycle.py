"""One question to the matcher: a token, stage by stage, with the counts and sums worked out between the stages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rulewright.arithmetic import evaluate
from rulewright.backends.base import BackendError, Matcher
from rulewright.diagnostics import Fault, report
from rulewright.lowering.compile import Compiled
from rulewright.lowering.workshop import Aggregate
from rulewright.model import Expression
from rulewright.productions import MAX_NUMBER, SCALE, Fact, Firing
from rulewright.speech import Listed

Values = tuple[str | int, ...]


@dataclass(frozen=True)
class Answer:
    """All firings of a cycle, and the facts worked out between its stages."""

    firings: tuple[Firing, ...]
    worked_out: tuple[Fact, ...] = ()

    @cached_property
    def by_head(self) -> dict[str, dict[Fact, list[Firing]]]:
        """Firings by the predicate of what they derive, and by what they derive."""
        table: dict[str, dict[Fact, list[Firing]]] = defaultdict(dict)
        for firing in self.firings:
            table[firing.head.predicate].setdefault(firing.head, []).append(firing)
        return table

    def heads(self, predicate: str) -> dict[Fact, list[Firing]]:
        """What was derived for a predicate, with the firings that derive it."""
        return self.by_head.get(predicate, {})


def ask(matcher: Matcher, compiled: Compiled, token: Fact, given: Sequence[Fact] = ()) -> Answer:
    """Asks what a token sets off.

    Args:
        matcher: holds the world.
        compiled: the edition.
        token: the token.
        given: facts that hold for this question alone.

    Raises:
        Fault: the engine cannot go on, or a worked-out number cannot be held.
    """
    productions = compiled.by_trigger.get(token.predicate, ())
    if not productions:
        return Answer(())
    tokens: dict[int, list[Fact]] = defaultdict(list)
    for stage in {p.stage for p in productions}:
        tokens[stage].append(token)
    for need in compiled.needs(token.predicate):
        if need != token.predicate:
            for stage in {p.stage for p in compiled.by_trigger.get(need, ())}:
                tokens[stage].append(Fact(need))
    waiting = list(compiled.aggregates_of(token.predicate))
    derived: dict[str, list[Values]] = defaultdict(list)
    for fact in given:
        derived[fact.predicate].append(fact.values)
    firings: list[Firing] = []
    found: list[Fact] = []
    extra = list(given)
    try:
        for stage in sorted(tokens):
            due = [a for a in waiting if compiled.stage_of.get(a.target, 0) <= stage]
            waiting = [a for a in waiting if a not in due]
            totals = _all_worked_out(due, derived)
            found += totals
            fresh = matcher.stage(stage, tokens[stage], [*extra, *totals])
            firings.extend(fresh)
            for firing in fresh:
                derived[firing.head.predicate].append(firing.head.values)
            extra = []
        found += _all_worked_out(waiting, derived)
    except BackendError as error:
        raise Fault(report("engine-limit", reason=error.reason)) from error
    finally:
        matcher.finish()
    return Answer(tuple(firings), tuple(found))


def _all_worked_out(aggregates: Sequence[Aggregate], derived: Mapping[str, Sequence[Values]]) -> list[Fact]:
    """What several aggregates come to; definitions of one measure must agree."""
    found: dict[tuple[str, Values], Fact] = {}
    for aggregate in aggregates:
        for fact in _worked_out(aggregate, derived):
            known = found.setdefault((fact.predicate, fact.values[:-1]), fact)
            if known != fact:
                raise _several(aggregate, fact.values[:-1], {_unscaled(known), _unscaled(fact)})
    return list(found.values())


def _unscaled(fact: Fact) -> Fraction:
    value = fact.values[-1]
    assert isinstance(value, int)
    return Fraction(value, SCALE)


def _several(aggregate: Aggregate, key: Values, values: set[Fraction]) -> Fault:
    shown = Listed(tuple(sorted(values)))
    return Fault(report("several-values", measure=aggregate.shown, thing=key[0] if key else "", values=shown))


def _worked_out(aggregate: Aggregate, derived: Mapping[str, Sequence[Values]]) -> list[Fact]:
    groups: dict[Values, set[Values]] = defaultdict(set)
    if aggregate.asked is not None and aggregate.how in ("counts", "adds"):
        groups |= {values: set() for values in derived.get(aggregate.asked, ())}
    for values in derived.get(aggregate.source, ()):
        groups[values[: aggregate.keys]].add(values)
    return [
        Fact(aggregate.target, (*key, _result(aggregate, key, members)))
        for key, members in sorted(groups.items(), key=repr)
    ]


def _result(aggregate: Aggregate, key: Values, members: set[Values]) -> int:
    if aggregate.how == "counts":
        return len(members) * SCALE
    values = [_value(aggregate, member) for member in members]
    if aggregate.how == "equals" and len(set(values)) > 1:
        raise _several(aggregate, key, set(values))
    if aggregate.how == "adds":
        result = sum(values, Fraction(0))
    else:
        result = min(values) if aggregate.how == "lowest" else max(values)
    scaled = result * SCALE
    if scaled.denominator != 1 or abs(scaled) > MAX_NUMBER:
        raise Fault(report("number-out-of-range", number=result))
    return scaled.numerator


def _value(aggregate: Aggregate, member: Values) -> Fraction:
    places = dict(aggregate.places)

    def known(node: Expression) -> Fraction:
        value = member[places[node]]
        assert isinstance(value, int)
        return Fraction(value, SCALE)

    assert aggregate.subject is not None
    return evaluate(aggregate.subject, known)
