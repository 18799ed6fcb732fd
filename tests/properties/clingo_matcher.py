"""A third opinion: a matcher on clingo, which knows nothing of Rulewright.

A stage of a stratified program has one stable model, so each stage is handed to clingo whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import clingo

from rulewright.backends.reference import ground
from rulewright.productions import Fact, Firing, Pattern, Production, Program, Term, Value, Var


class Translation:
    """Names for clingo: predicates and symbols are numbered, for it need not see what is in them."""

    def __init__(self, program: Program) -> None:
        self.productions = program.productions
        self.numbers: dict[str, int] = {}
        self.symbols: list[str] = []

    def number(self, text: str) -> int:
        if text not in self.numbers:
            self.numbers[text] = len(self.symbols)
            self.symbols.append(text)
        return self.numbers[text]

    def term(self, term: Term, names: dict[Var, str]) -> str:
        if isinstance(term, Var):
            return names.setdefault(term, f"V{len(names)}")
        return f"s({self.number(term)})" if isinstance(term, str) else str(term)

    def atom(self, name: str, predicate: str, terms: Sequence[Term], names: dict[Var, str] | None = None) -> str:
        known = {} if names is None else names
        return f"{name}({self.number(predicate)},({''.join(self.term(term, known) + ',' for term in terms)}))"

    def rule(self, place: int, production: Production) -> str:
        names: dict[Var, str] = {}
        body = [self.atom("token", production.trigger.predicate, production.trigger.terms, names)]
        body += [self.atom("fact", pattern.predicate, pattern.terms, names) for pattern in production.conditions]
        bound = dict(names)
        row = "(" + "".join(name + "," for name in bound.values()) + ")"
        for comparison in production.comparisons:
            total = "+".join(
                [f"({c})*{bound[variable]}" for c, variable in comparison.terms] + [f"({comparison.constant})"]
            )
            body.append(f"{total} {comparison.operator} 0")
        body += [f"{bound[left]} != {self.term(right, bound)}" for left, right in production.distinctions]
        rules = []
        for index, pattern in enumerate(production.absences):
            inside = dict(bound)
            atom = self.atom("fact", pattern.predicate, pattern.terms, inside)
            shared = "".join(bound[t] + "," for t in dict.fromkeys(pattern.terms) if isinstance(t, Var) and t in bound)
            rules.append(f"there({place},{index},({shared})) :- {atom}.")
            body.append(f"not there({place},{index},({shared}))")
        rules.append(f"fire({place},{row}) :- {', '.join(body)}.")
        head = self.atom("fact", production.head.predicate, production.head.terms, dict(bound))
        rules.append(f"{head} :- fire({place},{row}).")
        return "\n".join(rules)

    def firings(self, stage: int, tokens: Iterable[Fact], facts: Iterable[Fact]) -> set[Firing]:
        active = [(n, p) for n, p in enumerate(self.productions) if p.stage == stage]
        lines = [self.atom("token", *token) + "." for token in tokens] + [
            self.atom("fact", *fact) + "." for fact in facts
        ]
        lines += [self.rule(place, production) for place, production in active]
        control = clingo.Control(logger=lambda *_: None)
        control.add("base", [], "\n".join(lines))
        control.ground([("base", [])])
        found: set[Firing] = set()
        with control.solve(yield_=True) as handle:
            (model,) = list(handle)[:1]
            for atom in model.symbols(atoms=True):
                if atom.name == "fire":
                    found.add(self.firing(self.productions[atom.arguments[0].number], atom.arguments[1].arguments))
        return found

    def firing(self, production: Production, row: Sequence[object]) -> Firing:
        patterns = (production.trigger, *production.conditions)
        variables = dict.fromkeys(term for pattern in patterns for term in pattern.terms if isinstance(term, Var))
        binding = dict(zip(variables, map(self.value, row), strict=True))
        return Firing(
            production.name,
            tuple(ground(pattern, binding) for pattern in patterns),
            ground(Pattern(*production.head), binding),
        )

    def value(self, symbol: object) -> Value:
        if symbol.type == clingo.SymbolType.Number:  # type: ignore[attr-defined]
            return int(symbol.number)  # type: ignore[attr-defined]
        return self.symbols[symbol.arguments[0].number]  # type: ignore[attr-defined]


class ClingoMatcher:
    """The ``Matcher`` that asks clingo, one stage at a time."""

    def __init__(self, program: Program) -> None:
        self._translation = Translation(program)
        self._columns = program.columns
        self._world: dict[Fact, None] = {}
        self._derived: dict[Fact, None] = {}

    def add(self, fact: Fact) -> None:
        if fact.predicate in self._columns:
            self._world[fact] = None

    def remove(self, fact: Fact) -> None:
        self._world.pop(fact, None)

    def stage(self, number: int, tokens: Iterable[Fact], derived: Iterable[Fact] = ()) -> tuple[Firing, ...]:
        self._derived.update(dict.fromkeys(derived))
        found = self._translation.firings(number, tokens, [*self._world, *self._derived])
        self._derived.update(dict.fromkeys(firing.head for firing in found))
        return tuple(sorted(found))

    def finish(self) -> None:
        self._derived.clear()

    def close(self) -> None:
        self._world.clear()
