"""The oracle: productions evaluated as plainly as can be, to check the engine against and to answer *why not*.

Facts are looked up by predicate; beyond that nothing is indexed, ordered or remembered between rounds.  It is meant
to be read and believed, not to be fast.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.backends.base import BackendError
from rulewright.backends.validate import check_fact, check_program, shown
from rulewright.productions import Comparison, Fact, Firing, Pattern, Production, Program, Value, Var
from rulewright.speech import later

FIRINGS_PER_CYCLE = 100_000

Binding = Mapping[Var, Value]
Facts = Mapping[str, Sequence[Fact]]
"""Facts by predicate."""


def by_predicate(facts: Iterable[Fact]) -> Facts:
    """Distinct facts, sorted into their predicates."""
    table: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in dict.fromkeys(facts):
        table[fact.predicate].append(fact)
    return table


def unify(pattern: Pattern, fact: Fact, binding: Binding) -> dict[Var, Value] | None:
    """``binding`` extended so that ``pattern`` becomes ``fact``, or None where it cannot."""
    if pattern.predicate != fact.predicate or len(pattern.terms) != len(fact.values):
        return None
    extended = dict(binding)
    for term, value in zip(pattern.terms, fact.values, strict=True):
        expected = extended.setdefault(term, value) if isinstance(term, Var) else term
        if expected != value:
            return None
    return extended


def holds(comparison: Comparison, binding: Binding) -> bool:
    """Whether a comparison is true under a binding of all its variables."""
    total = comparison.constant
    for coefficient, variable in comparison.terms:
        total += coefficient * int(binding[variable])
    outcomes = {
        "<": total < 0, "<=": total <= 0, "=": total == 0, "!=": total != 0, ">=": total >= 0, ">": total > 0,
    }  # fmt: skip
    return outcomes[comparison.operator]


def differ(left: Var, right: Var | str, binding: Binding) -> bool:
    """Whether a distinction is true under a binding of its variables."""
    return binding[left] != (binding[right] if isinstance(right, Var) else right)


def present(pattern: Pattern, binding: Binding, facts: Facts) -> bool:
    """Whether some fact matches the pattern; a variable the binding does not know stands for anything."""
    return any(unify(pattern, fact, binding) is not None for fact in facts.get(pattern.predicate, ()))


def matches(production: Production, token: Fact, facts: Facts) -> Iterator[Firing]:
    """Every firing of one production for one token over the given facts."""
    start = unify(production.trigger, token, {})
    partial: list[tuple[tuple[Fact, ...], Binding]] = [((token,), start)] if start is not None else []
    for pattern in production.conditions:
        partial = [
            ((*premises, fact), extended)
            for premises, binding in partial
            for fact in facts.get(pattern.predicate, ())
            if (extended := unify(pattern, fact, binding)) is not None
        ]
    for premises, binding in partial:
        if (
            all(holds(comparison, binding) for comparison in production.comparisons)
            and all(differ(left, right, binding) for left, right in production.distinctions)
            and not any(present(pattern, binding, facts) for pattern in production.absences)
        ):
            yield Firing(production.name, premises, ground(production.head, binding))


def ground(pattern: Pattern, binding: Binding) -> Fact:
    """The fact a pattern becomes under a binding of all its variables."""
    return Fact(pattern.predicate, tuple(binding[t] if isinstance(t, Var) else t for t in pattern.terms))


class ReferenceMatcher:
    """The ``Matcher`` of the oracle: each stage repeats all its productions until nothing new is derived."""

    def __init__(self, program: Program, *, firings_per_cycle: int = FIRINGS_PER_CYCLE) -> None:
        check_program(program)
        self._program = program
        self._bound = firings_per_cycle
        self._world: dict[Fact, None] = {}
        self._derived: dict[Fact, None] = {}
        self._stage: int | None = None
        self._count = 0

    def add(self, fact: Fact) -> None:
        self._between_cycles()
        if check_fact(fact, self._program.columns):
            self._world.setdefault(fact)

    def remove(self, fact: Fact) -> None:
        self._between_cycles()
        self._world.pop(fact, None)

    def stage(self, number: int, tokens: Iterable[Fact], derived: Iterable[Fact] = ()) -> tuple[Firing, ...]:
        if self._stage is not None and number <= self._stage:
            raise RuntimeError(f"stage {number} follows stage {self._stage}: stages of a cycle must rise")
        self._stage = number
        try:
            return self._fire(number, tokens, derived)
        except BaseException:
            self._end_cycle()
            raise

    def finish(self) -> None:
        self._end_cycle()

    def close(self) -> None:
        self._world.clear()
        self._end_cycle()

    def _fire(self, number: int, tokens: Iterable[Fact], derived: Iterable[Fact]) -> tuple[Firing, ...]:
        columns = self._program.columns
        self._derived.update((fact, None) for fact in derived if check_fact(fact, columns))
        known_tokens = dict.fromkeys(token for token in tokens if check_fact(token, columns))
        fired: dict[Firing, None] = {}
        while True:
            facts = by_predicate((*self._world, *self._derived))
            new = [
                firing
                for production in self._program.productions
                if production.stage == number
                for token in known_tokens
                for firing in matches(production, token, facts)
                if firing not in fired
            ]
            if not new:
                return tuple(sorted(fired))
            fired.update(dict.fromkeys(new))
            self._derived.update(dict.fromkeys(firing.head for firing in new))
            self._count += len(new)
            if self._count > self._bound:
                raise BackendError(later("engine.firings", limit=self._bound, production=shown(new[-1].production)))

    def _between_cycles(self) -> None:
        if self._stage is not None:
            raise RuntimeError("the world may change only between cycles")

    def _end_cycle(self) -> None:
        self._derived.clear()
        self._stage = None
        self._count = 0
