"""The nearest miss: the first clause of a rule that failed, in the moment in which most of them held.

Clauses are held one by one, in the order of the text, against the facts that the rules looked at, with the functions
of the oracle.  A clause that speaks of what only a later one says (a comparison of a number named further on, say)
waits for that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from rulewright.arithmetic import compared, evaluate
from rulewright.backends.reference import ReferenceMatcher, by_predicate, present, unify
from rulewright.diagnostics import Fault
from rulewright.lowering import names
from rulewright.lowering.compile import Compiled
from rulewright.lowering.frame import free_variables
from rulewright.model import (
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
    Same,
    Variable,
)
from rulewright.productions import NOBODY, SCALE, Fact, Pattern, Term, Var
from rulewright.provenance import Value
from rulewright.resolve.kinds import variable_kinds
from rulewright.session.cycle import ask
from rulewright.session.looks import Look
from rulewright.walk import children, descend

Binding = Mapping[Var, str | int]


@dataclass(frozen=True)
class Failed:
    """A clause that failed.

    Attributes:
        bindings: what its variables stood for.
        measures: the measures it compares, with their values; None where there is none.
        witness: for *there is no*, something there is after all.
        count: for *at least so many*, how many there were.
        because: for a fact that definitions derive, the nearest miss of one of them.
        facts: for a fact that should not have been so, the values with which it was.
        within: for alternatives, how far each of them comes; for *there is*, how far the nearest further thing does.
    """

    condition: Condition
    bindings: Mapping[str, Value]
    measures: tuple[tuple[MeasureOf, Fraction | None], ...] = ()
    witness: Value | None = None
    count: int | None = None
    because: tuple[str, Reach] | None = None
    within: tuple[Reach, ...] = ()
    facts: tuple[tuple[Value, ...], ...] = ()


@dataclass(frozen=True)
class Reach:
    """How far a conjunction holds: the clauses that do, the one that fails (None: all hold), a binding of them.

    Attributes:
        left: how many clauses were not held, the failed one among them.
    """

    held: tuple[Condition, ...]
    failed: Failed | None
    bindings: Mapping[str, Value]
    left: int = 0


@dataclass(frozen=True)
class Trial:
    """A clause that was tried.

    Attributes:
        reached: the bindings with which all clauses before it hold.
        failed: those of them with which this one does not.
    """

    condition: Condition
    reached: tuple[Binding, ...]
    failed: tuple[Binding, ...]


@dataclass
class Moment:
    """The facts of one look; what is worked out on demand is asked of the oracle."""

    compiled: Compiled
    look: Look
    _known: dict[str, Sequence[Fact]] = field(default_factory=dict)
    _matcher: ReferenceMatcher | None = None

    def __post_init__(self) -> None:
        self._known.update(by_predicate((*self.look.facts, *self.look.given)))

    def facts(self, predicate: str) -> Sequence[Fact]:
        """The facts of a predicate, worked out where a definition says how."""
        group, _, ident = predicate.partition(":")
        if group == "fact" and predicate in self.compiled.defined and f"={predicate}" not in self._known:
            self._known[f"={predicate}"] = self._defined(ident, predicate)
        if group == "value" and ident in self.compiled.worked_out and f"={predicate}" not in self._known:
            self._known[f"={predicate}"] = self._measured(ident, predicate)
        return self._known.get(f"={predicate}") or self._known.get(predicate, ())

    def _defined(self, ident: str, predicate: str) -> list[Fact]:
        places = "f" * len(self.compiled.edition.vocabulary.phrases[ident].roles)
        try:
            return self._derived(names.need(ident, places), predicate)
        except Fault:  # it cannot be told of some of the things
            return self._one_by_one(ident, predicate)

    def _measured(self, ident: str, predicate: str) -> list[Fact]:
        places, asked = self._questions(ident)
        try:
            return self._derived(names.need(ident, places), predicate, asked)
        except Fault:  # it has no value for some of the things
            return self._one_by_one(ident, predicate)

    def _questions(self, ident: str) -> tuple[str, list[Fact]]:
        """What is asked about a definition or measure of all things that might stand in its places."""
        roles = self.compiled.edition.vocabulary.phrases[ident].roles
        places = "b" * len(roles)
        things = [[f.values[0] for f in self.facts(names.is_a(r.kind))] for r in roles]
        return places, [Fact(names.ask(ident, places), keys) for keys in product(*things)] if roles else []

    def _one_by_one(self, ident: str, predicate: str) -> list[Fact]:
        places, asked = self._questions(ident)
        found: list[Fact] = []
        for one in asked:
            try:
                found += self._derived(names.need(ident, places), predicate, [one])
            except Fault:
                continue
        return found

    def _derived(self, token: str, predicate: str, asked: Sequence[Fact] = ()) -> list[Fact]:
        if self._matcher is None:
            self._matcher = ReferenceMatcher(self.compiled.program)
            for fact in self.look.facts:
                if fact.predicate in self.compiled.program.columns:
                    self._matcher.add(fact)
        given = [f for f in (*self.look.given, *asked) if f.predicate in self.compiled.program.columns]
        answer = ask(self._matcher, self.compiled, Fact(token), given)
        return [*answer.heads(predicate), *(f for f in answer.worked_out if f.predicate == predicate)]

    # --- how far a conjunction holds -------------------------------------------------------------------------------

    def reach(self, start: Binding, conditions: Sequence[Condition], depth: int = 3) -> Reach:
        """Holds clauses one by one against the facts.

        Args:
            start: what is known before the first clause.
            conditions: the clauses.
            depth: how many definitions deep a failed clause is looked into.
        """
        current: list[Binding] = [start]
        held: list[Condition] = []
        waiting = list(conditions)
        while waiting:
            condition = waiting.pop(_next(waiting, current[0]) or 0)
            following = _distinct(b for one in current for b in self.extend(condition, one))
            if not following:
                nearest = min(current, key=lambda one: self._gap(condition, one))
                failed = self.failure(condition, nearest, depth)
                return Reach(tuple(held), failed, _shown(nearest), len(waiting) + 1)
            held.append(condition)
            current = following
        return Reach(tuple(held), None, _shown(current[0]))

    def all_of(
        self, conditions: Sequence[Condition], start: Binding, local: tuple[str, str] = ("", "")
    ) -> list[Binding]:
        """Every way in which a conjunction holds; a local variable that nothing binds stands for any of its kind."""
        return self.trials(conditions, start, local)[1]

    def trials(
        self, conditions: Sequence[Condition], start: Binding, local: tuple[str, str] = ("", "")
    ) -> tuple[list[Trial], list[Binding]]:
        """How each clause of a conjunction turned out where those before it held, and every way in which all hold."""
        current: list[Binding] = [start]
        waiting = list(conditions)
        found: list[Trial] = []
        while waiting and current:
            place = _next(waiting, current[0], local[0])
            if place is None:
                anything = Pattern(names.is_a(local[1]), (Var(local[0]),))
                current = [b for one in current for b in self._matching(anything, one)]
                continue
            condition = waiting.pop(place)
            ways = [list(self.extend(condition, one)) for one in current]
            failed = tuple(one for one, following in zip(current, ways, strict=True) if not following)
            found.append(Trial(condition, tuple(current), failed))
            current = _distinct(b for following in ways for b in following)
        return found, current

    def extend(self, condition: Condition, binding: Binding) -> Iterator[Binding]:
        """Every way in which a clause holds, given what is known."""
        if isinstance(condition, AnyOf):
            for choice in condition.choices:
                yield from self.all_of(choice, binding)
        elif isinstance(condition, Exists):
            yield from self._exists(condition, binding)
        elif isinstance(condition, Compare):
            yield from self._compare(condition, binding)
        elif isinstance(condition, Same):
            yield from _same(condition, binding)
        else:
            pattern = _pattern_of(condition)
            if getattr(condition, "negated", False):
                if not present(pattern, binding, {pattern.predicate: self.facts(pattern.predicate)}):
                    yield binding
            else:
                yield from self._matching(pattern, binding)

    def _matching(self, pattern: Pattern, binding: Binding) -> Iterator[Binding]:
        for fact in self.facts(pattern.predicate):
            found = unify(pattern, fact, binding)
            named = {v: value for v, value in (found or {}).items() if not v.name.startswith("#")}
            if found is not None and NOBODY not in named.values():  # a variable never stands for nobody
                yield named

    def _exists(self, condition: Exists, binding: Binding) -> Iterator[Binding]:
        if not condition.negated and condition.at_least == 1:
            yield from self.all_of(condition.conditions, binding, self.local(condition))
            return
        found = self.instances(condition, binding)
        if len(found) >= condition.at_least if not condition.negated else not found:
            yield binding

    def local(self, condition: Exists) -> tuple[str, str]:
        """The variable of a quantifier, and the kind of thing it stands for."""
        kinds, _ = variable_kinds(condition.conditions, self.compiled.edition.vocabulary, condition.span)
        return condition.variable.name, kinds.get(condition.variable.name, "thing")

    def instances(self, condition: Exists, binding: Binding) -> list[str | int]:
        """The things of which a quantifier speaks and of which its conditions hold."""
        variable, (name, kind) = Var(condition.variable.name), self.local(condition)
        outside = {v: value for v, value in binding.items() if v != variable}
        found = []
        for one in self.all_of(condition.conditions, outside, (name, kind)):
            bound = variable in one or kind == NUMBER
            for way in [one] if bound else self._matching(Pattern(names.is_a(kind), (variable,)), one):
                value = way.get(variable, NOBODY)
                if kind == NUMBER or value == NOBODY or self._is_a(value, kind):
                    found.append(value)
        return list(dict.fromkeys(found))

    def _is_a(self, value: str | int, kind: str) -> bool:
        return Fact(names.is_a(kind), (value,)) in self.facts(names.is_a(kind))

    # --- comparisons -----------------------------------------------------------------------------------------------

    def _compare(self, condition: Compare, binding: Binding) -> Iterator[Binding]:
        pattern = _named_value(condition)
        if pattern is not None:
            yield from self._matching(pattern, binding)
            return
        for known, values in self._values(_measures(condition), binding):
            left, right = (_worth(side, known, values) for side in (condition.left, condition.right))
            if left is not None and right is not None and compared(left, condition.operator, right):
                yield known

    def _gap(self, condition: Condition, binding: Binding) -> tuple[bool, Fraction]:
        """How far the sides of a comparison are apart, those with no value last; all else is equally far."""
        if not isinstance(condition, Compare):
            return False, Fraction(0)
        each = [
            [_worth(side, known, values) for side in (condition.left, condition.right)]
            for known, values in self._values(_measures(condition), binding)
        ]
        gaps = [abs(left - right) for left, right in each if left is not None and right is not None]
        return not gaps, min(gaps, default=Fraction(0))

    def _values(
        self, measures: Sequence[MeasureOf], binding: Binding
    ) -> Iterator[tuple[Binding, dict[MeasureOf, Fraction]]]:
        """Every way in which measures have values."""
        if not measures:
            yield binding, {}
            return
        first, value = measures[0], Var("=value")
        predicate = names.value(first.phrase, first.before)
        for known in self._matching(Pattern(predicate, (*_terms(first.arguments), value)), binding):
            rest = {v: x for v, x in known.items() if v != value}
            for further, values in self._values(measures[1:], rest):
                yield further, {first: Fraction(int(known[value]), SCALE), **values}

    # --- what failed -----------------------------------------------------------------------------------------------

    def failure(self, condition: Condition, binding: Binding, depth: int = 3) -> Failed:
        """On what a clause fails that does not hold."""
        shown = _shown(binding)
        if isinstance(condition, Compare):
            values: list[tuple[MeasureOf, Fraction | None]] = []
            known = binding
            for measure in _measures(condition):
                found = next(self._values([measure], known), None)
                known = found[0] if found else known
                values.append((measure, found[1][measure] if found else None))
            return Failed(condition, _shown(known), tuple(values))
        if isinstance(condition, Exists):
            found_things = self.instances(condition, binding)
            if condition.negated:
                return Failed(condition, shown, witness=_decoded(found_things[0]) if found_things else None)
            nearest = self._next_instance(condition, binding, found_things, depth) if depth else ()
            return Failed(condition, shown, count=len(found_things), within=nearest)
        if isinstance(condition, AnyOf):
            each = tuple(self.reach(binding, choice, depth - 1) for choice in condition.choices) if depth else ()
            return Failed(condition, shown, within=each)
        if isinstance(condition, Atom) and condition.negated:
            pattern = _pattern_of(condition)
            facts = [f.values for f in self.facts(pattern.predicate) if unify(pattern, f, binding) is not None]
            return Failed(condition, shown, facts=tuple(tuple(map(_decoded, values)) for values in facts))
        because = self._definition(condition, binding, depth) if isinstance(condition, Atom) and depth else None
        return Failed(condition, shown, because=because)

    def _next_instance(
        self, condition: Exists, binding: Binding, found: Sequence[str | int], depth: int
    ) -> tuple[Reach, ...]:
        """How far the conditions of a quantifier hold of the thing that comes nearest to being one more."""
        name, kind = self.local(condition)
        if kind == NUMBER:
            return ()
        outside = {v: value for v, value in binding.items() if v.name != name}
        things = [f.values[0] for f in self.facts(names.is_a(kind)) if f.values[0] not in (*found, NOBODY)]
        reaches = [self.reach({**outside, Var(name): one}, condition.conditions, depth - 1) for one in things]
        return tuple(sorted(reaches, key=distance)[:1])

    def _definition(self, atom: Atom, binding: Binding, depth: int) -> tuple[str, Reach] | None:
        found = []
        for definition in self.compiled.edition.definitions:
            if definition.head.phrase != atom.phrase:
                continue
            terms = _terms(atom.arguments)
            wanted = [binding.get(t, t) if isinstance(t, Var) else t for t in terms]
            start = tie(definition.head, wanted)
            if start is not None:
                found.append((definition.anchor.ident, self.reach(start, definition.conditions, depth - 1)))
        return min(found, key=lambda pair: distance(pair[1]), default=None)


def distance(reach: Reach) -> tuple[int, int]:
    """How far a conjunction is from holding: the nearer, the lower."""
    return reach.left, -len(reach.held)


def tie(head: Atom | MeasureOf, values: Sequence[Term]) -> Binding | None:
    """The variables of a head when its places hold certain values; a variable leaves its place open."""
    start: dict[Var, str | int] = {}
    for term, value in zip(_terms(head.arguments), values, strict=True):
        if isinstance(value, Var):
            continue
        expected = start.setdefault(term, value) if isinstance(term, Var) else term
        if expected != value:
            return None
    return {v: value for v, value in start.items() if not v.name.startswith("#")}


def _distinct(bindings: Iterable[Binding]) -> list[Binding]:
    return list({tuple(sorted(b.items())): b for b in bindings}.values()) if bindings else []


def _decoded(value: str | int) -> Value:
    return Fraction(value, SCALE) if isinstance(value, int) else value


def _shown(binding: Binding) -> dict[str, Value]:
    return {v.name: _decoded(value) for v, value in binding.items()}


def _terms(arguments: Sequence[Expression | None]) -> tuple[Term, ...]:
    found: list[Term] = []
    for place, argument in enumerate(arguments):
        if isinstance(argument, Variable):
            found.append(Var(argument.name))
        elif isinstance(argument, Individual):
            found.append(argument.ident)
        elif isinstance(argument, Number):
            found.append(int(argument.value * SCALE))
        else:
            found.append(Var(f"#{place}"))
    return tuple(found)


def _pattern_of(condition: Atom | IsA | Known | ComesFrom) -> Pattern:
    if isinstance(condition, Atom):
        return Pattern(names.fact(condition.phrase), _terms(condition.arguments))
    if isinstance(condition, IsA):
        return Pattern(names.is_a(condition.kind), _terms([condition.thing]))
    if isinstance(condition, ComesFrom):
        return Pattern(names.CAUSE if condition.directly else names.CHAIN, _terms([condition.rule]))
    measure = condition.measure
    return Pattern(names.value(measure.phrase, measure.before), _terms([*measure.arguments, None]))


def _measures(condition: Compare) -> list[MeasureOf]:
    return list(dict.fromkeys(n for n in descend(condition) if isinstance(n, MeasureOf)))


def _named_value(condition: Compare) -> Pattern | None:
    if condition.operator != "=":
        return None
    for measure, variable in ((condition.left, condition.right), (condition.right, condition.left)):
        if isinstance(measure, MeasureOf) and isinstance(variable, Variable):
            terms = (*_terms(measure.arguments), Var(variable.name))
            return Pattern(names.value(measure.phrase, measure.before), terms)
    return None


def _worth(side: Expression, binding: Binding, values: Mapping[MeasureOf, Fraction]) -> Fraction | None:
    def known(node: Expression) -> Fraction:
        if isinstance(node, MeasureOf):
            return values[node]
        assert isinstance(node, Variable)
        return Fraction(int(binding[Var(node.name)]), SCALE)

    try:
        return evaluate(side, known)
    except KeyError:
        return None


def _same(condition: Same, binding: Binding) -> Iterator[Binding]:
    left, right = _terms([condition.left, condition.right])
    one, two = (binding.get(t, t) if isinstance(t, Var) else t for t in (left, right))
    if condition.negated:
        if one != two:
            yield binding
    elif isinstance(one, Var) and not isinstance(two, Var):
        yield {**binding, one: two}
    elif isinstance(two, Var) and not isinstance(one, Var):
        yield {**binding, two: one}
    elif one == two:
        yield binding


# --- which clause comes next ---------------------------------------------------------------------------------------


def bound_by(condition: Condition) -> set[str]:
    """Variables that a clause binds of itself."""
    if isinstance(condition, AnyOf):
        each = [set().union(*map(bound_by, choice)) for choice in condition.choices]
        return set.intersection(*each) if each else set()
    if isinstance(condition, Exists):
        plain = not condition.negated and condition.at_least == 1
        return set().union(*map(bound_by, condition.conditions)) if plain else set()
    if getattr(condition, "negated", False):
        return set()
    if isinstance(condition, Compare):
        named = _named_value(condition)
        inside = [v for m in _measures(condition) for v in free_variables([m])]
        return {*inside, *(t.name for t in (named.terms if named else ()) if isinstance(t, Var))}
    return set(free_variables([condition]))


def _needs(condition: Condition, bindable: set[str]) -> set[str]:
    """Variables that must be known before a clause can be held against the facts."""
    if isinstance(condition, AnyOf):
        return set().union(*(_needs_of(choice, bindable) for choice in condition.choices))
    if isinstance(condition, Exists):
        if condition.negated or condition.at_least > 1:
            return set(free_variables([condition])) & bindable
        return _needs_of(condition.conditions, bindable) - {condition.variable.name}
    if isinstance(condition, Compare):
        return set() if _named_value(condition) else _plain(condition)
    if isinstance(condition, Same) or getattr(condition, "negated", False):
        return set(free_variables([condition]))
    return set()


def _needs_of(conditions: Sequence[Condition], bindable: set[str]) -> set[str]:
    own = set().union(*map(bound_by, conditions)) if conditions else set()
    return set().union(*(_needs(c, bindable) for c in conditions)) - own if conditions else set()


def _plain(node: Condition | Expression) -> set[str]:
    """Variables of a comparison that stand for numbers, outside measures."""
    if isinstance(node, Variable):
        return {node.name}
    if isinstance(node, MeasureOf):
        return set()
    return set().union(*map(_plain, children(node))) if children(node) else set()


def _next(waiting: Sequence[Condition], binding: Binding, local: str = "") -> int | None:
    """The place of the first clause that speaks of nothing that a later one has yet to say.

    None when every clause waits for a local variable that nothing binds.
    """
    known = {v.name for v in binding}
    bindable = known.union(*map(bound_by, waiting)) | {local}
    for place, condition in enumerate(waiting):
        missing = _needs(condition, bindable) - known
        tells = isinstance(condition, Same) and not condition.negated and len(missing) == 1
        if not missing or tells:
            return place
    return None if local and local not in known else 0
