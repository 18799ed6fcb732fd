"""From firings to grounds: which clauses of the text held, with which values."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rulewright.lowering import names
from rulewright.lowering.compile import Compiled
from rulewright.lowering.workshop import Use, resolved
from rulewright.model import AnyOf, Atom, Condition, Exists, Variable
from rulewright.productions import Fact, Firing, Pattern, Production, Var
from rulewright.provenance import ClauseTruth, Support, Value
from rulewright.session.cycle import Answer
from rulewright.session.world import decoded

_DEEPEST = 12
MOST_TOLD = 5
"""Of the things that a measure was gathered from, so many are told."""


class Grounds:
    """Reads the grounds of one answer."""

    def __init__(self, compiled: Compiled, answer: Answer) -> None:
        self.compiled = compiled
        self.answer = answer

    def clauses(self, firing: Firing, depth: int = 0) -> tuple[ClauseTruth, ...]:
        """The clauses that a firing rests on, with the values that made them true."""
        production = self.compiled.by_name[firing.production]
        bound = bindings(production, firing)
        for alias, term in self.compiled.aliases.get(firing.production, {}).items():
            bound[alias] = term if isinstance(term, str) else bound.get(term, "") if isinstance(term, Var) else ""
        shown = {v.name: value for v, value in bound.items() if not v.name.startswith("#")}
        found = []
        for use in self.compiled.uses.get(firing.production, ()):
            facts = self._facts(use, production, firing)
            measures = tuple((m, value) for m, v in use.measures if isinstance(value := bound[v], Fraction))
            rounded = tuple((m, value) for m, v in use.rounded if isinstance(value := bound[v], Fraction))
            because = tuple(s for f in facts for s in self.support(f, depth))
            counted = self._counted(use.counted, firing) if use.counted else ()
            found.append(ClauseTruth(use.condition, shown, measures, facts, because, rounded, counted))
        return tuple(found)

    def _counted(self, predicate: str, firing: Firing) -> tuple[Value, ...]:
        """The things that came to a number among the premises."""
        *keys, _ = next(f.values for f in firing.premises if f.predicate == names.count(predicate))
        things = sorted(f.values for f in self.answer.heads(predicate) if [*f.values[:-1]] == keys)
        return tuple(decoded([values[-1]])[0] for values in things)

    def _facts(self, use: Use, production: Production, firing: Firing) -> tuple[Fact, ...]:
        """The premises that belong to a clause."""
        aliases = self.compiled.aliases.get(firing.production, {})
        wanted = [Pattern(p, tuple(resolved(t, aliases) for t in terms)) for p, terms in _patterns(use.condition)]
        variables = {v for _, v in use.measures}
        found = []
        for pattern, fact in zip(production.conditions, firing.premises[1:], strict=True):
            if (pattern.terms and pattern.terms[-1] in variables) or any(_agrees(pattern, other) for other in wanted):
                found.append(fact)
        return tuple(dict.fromkeys(found))

    def support(self, fact: Fact, depth: int = 0) -> Sequence[Support]:
        """Why a fact that is worked out holds: its definition, or what a measure was gathered from."""
        if depth >= _DEEPEST:
            return ()
        if fact.predicate in self.compiled.defined:
            firings = self.answer.heads(fact.predicate).get(fact, [])[:1]
            return tuple(Support(f.production.partition("/define")[0], self.clauses(f, depth + 1)) for f in firings)
        group, _, measure = fact.predicate.partition(":")
        found: list[Support] = []
        for which, way in enumerate(self.compiled.worked_out.get(measure, ()) if group == "value" else ()):
            if way.owner in self.compiled.anchors:
                gathered = self.answer.heads(names.gather(measure, which))
                mine = [f for head, f in sorted(gathered.items()) if head.values[: len(way.keys)] == fact.values[:-1]]
                found += [self._gathered(way.owner, f[0], depth) for f in mine[:MOST_TOLD]]
        return tuple(found)

    def _gathered(self, owner: str, firing: Firing, depth: int) -> Support:
        """Why a measure took something in: the clauses, and the values that are told of in no clause."""
        production = self.compiled.by_name[firing.production]
        uses = self.compiled.uses.get(firing.production, ())
        told = {f for use in uses for f in self._facts(use, production, firing)}
        values = tuple(f for f in firing.premises[1:] if f.predicate.startswith(names.value("")) and f not in told)
        because = tuple(s for f in values for s in self.support(f, depth + 1))
        return Support(owner, self.clauses(firing, depth + 1), values, because)


def bindings(production: Production, firing: Firing) -> dict[Var, Value]:
    """What the variables of a production stood for in a firing."""
    found: dict[Var, Value] = {}
    for pattern, fact in zip((production.trigger, *production.conditions), firing.premises, strict=True):
        for term, value in zip(pattern.terms, decoded(fact.values), strict=True):
            if isinstance(term, Var):
                found[term] = value
    return found


def _patterns(condition: Condition) -> list[tuple[str, tuple[Var, ...]]]:
    """The facts a clause speaks of: predicate and variables; a place without a variable gets one of its own."""
    if isinstance(condition, Atom) and not condition.negated:
        terms = tuple(Var(a.name if isinstance(a, Variable) else "_") for a in condition.arguments)
        return [(names.fact(condition.phrase), terms)]
    if isinstance(condition, Exists) and not condition.negated:
        return [p for c in condition.conditions for p in _patterns(c)]
    if isinstance(condition, AnyOf):
        return [p for choice in condition.choices for c in choice for p in _patterns(c)]
    return []


def _agrees(pattern: Pattern, other: Pattern) -> bool:
    return pattern.predicate == other.predicate and all(
        two == Var("_") or one == two for one, two in zip(pattern.terms, other.terms, strict=True)
    )
