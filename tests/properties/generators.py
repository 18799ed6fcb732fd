"""Random programs with a script of what to do with them, made to provoke disagreement between backends.

Everything follows from a seed.  Programs have up to four stages, recursion, absences of what lower stages derive, all
kinds of comparisons, repeated variables, and symbols that look like the engine's own text.  Scripts change the world
between cycles, pass facts in as derived, send tokens twice, skip stages and sometimes send a fact that is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from rulewright.productions import (
    MAX_NUMBER,
    Column,
    Comparison,
    Fact,
    Operator,
    Pattern,
    Production,
    Program,
    Term,
    Value,
    Var,
)

PLAIN = ("a", "b", "c")
NASTY = (
    "", " ", "я", "Я", "\U0001f600", '"', "\\", '\\"', "'", "\0", "\x1f", "\n", "\x7f", "\u2028", "id", '{"id":"3"',
    '"id":"3', "ab", "ab c", "7", "78", "true", "null", "$m", "c0", "é", "e\u0301", "costarring", "liquid",
    "x" * 9_999, "x" * 10_000, "\1" * 10_000, "\U0001f600" * 10_000,
)  # fmt: skip
PLAIN_NAMES = ("A", "B", "C", "D", "E", "F", "G", "H")
NASTY_NAMES = ("A", "A/fact", "A/1", "#zero", "#boot", "Б", "", "kind", "\\", '"')
OPERATORS: tuple[Operator, ...] = ("<", "<=", "=", "!=", ">=", ">")
STAGES = 4


@dataclass(frozen=True)
class Cycle:
    """Changes of the world (True adds, False removes), then stages: number, tokens, derived facts."""

    changes: tuple[tuple[bool, Fact], ...]
    stages: tuple[tuple[int, tuple[Fact, ...], tuple[Fact, ...]], ...]


@dataclass(frozen=True)
class Case:
    """A program and what is done with it."""

    program: Program
    cycles: tuple[Cycle, ...]


@dataclass(frozen=True)
class Size:
    """How much of everything."""

    productions: tuple[int, int] = (1, 16)
    conditions: int = 4
    cycles: int = 5
    changes: int = 14


SMALL = Size()
CROWD = Size(productions=(60, 200), conditions=2, cycles=2)


def permuted(case: Case, random: Random) -> Case:
    """The same case with productions, conditions of no consequence, facts and tokens in another order."""
    productions = list(case.program.productions)
    random.shuffle(productions)

    def shuffled(items: Sequence[Fact]) -> tuple[Fact, ...]:
        return tuple(random.sample(items, len(items)))

    return Case(
        replace(case.program, productions=tuple(productions)),
        tuple(
            Cycle(_reordered(cycle.changes, random), tuple((n, shuffled(t), shuffled(d)) for n, t, d in cycle.stages))
            for cycle in case.cycles
        ),
    )


def _reordered(changes: Sequence[tuple[bool, Fact]], random: Random) -> tuple[tuple[bool, Fact], ...]:
    """Changes in another order that leaves the same world: what is done last to a fact stays last."""
    last = {fact: adds for adds, fact in changes}
    kept = list(last)
    random.shuffle(kept)
    return tuple((last[fact], fact) for fact in kept)


def generate(seed: int, *, plain: bool = False, size: Size | None = None) -> Case:
    """The case of a seed; ``plain`` keeps to small numbers and simple symbols."""
    random = Random(seed)
    return _Maker(random, plain, size or (CROWD if seed % 50 == 49 else SMALL)).case()


class _Maker:
    def __init__(self, random: Random, plain: bool, size: Size) -> None:
        self.random = random
        self.size = size
        nasty = not plain and random.random() < 0.5
        self.symbols = tuple(random.sample(NASTY if nasty else PLAIN, random.choice((2, 3))))
        self.numbers = tuple(random.sample(range(-2, 4), 3))
        if not plain and random.random() < 0.2:
            self.numbers = (-MAX_NUMBER, -MAX_NUMBER + 1, 0, 1, MAX_NUMBER - 1, MAX_NUMBER)
        names = random.sample(NASTY_NAMES if nasty else PLAIN_NAMES, 8)
        self.given, self.deduced, self.events = names[:3], names[3:6], [*names[6:], random.choice(names[:6])]
        self.columns: dict[str, tuple[Column, ...]] = {
            name: tuple(
                random.choice(("symbol", "symbol", "number")) for _ in range(random.choice((0, 1, 1, 2, 2, 3, 3)))
            )
            for name in names
        }
        self.homes = {name: random.sample(range(STAGES), random.choice((1, 1, 2))) for name in self.deduced}

    def case(self) -> Case:
        random = self.random
        productions = tuple(self.production(f"r{n}") for n in range(random.randint(*self.size.productions)))
        program = Program(productions, self.columns)
        world: dict[Fact, None] = {}
        return Case(program, tuple(self.cycle(world, productions) for _ in range(random.randint(1, self.size.cycles))))

    # -- productions --------------------------------------------------------

    def production(self, name: str) -> Production:
        random = self.random
        stage = random.choice((0, 0, 1, 1, 2, 3))
        trigger = self.pattern(random.choice(self.events))
        positive = [p for p in (*self.given, *self.deduced) if all(home <= stage for home in self.homes.get(p, ()))]
        negative = [p for p in (*self.given, *self.deduced) if all(home < stage for home in self.homes.get(p, ()))]
        conditions = tuple(
            self.pattern(random.choice(positive))
            for _ in range(random.choice((0, 1, 1, 2, 2, 3, self.size.conditions)))
        )
        bound = self.bound((trigger, *conditions))
        absences = tuple(self.pattern(random.choice(negative)) for _ in range(random.choice((0, 0, 0, 0, 1, 2))))
        heads = [p for p in self.deduced if stage in self.homes[p]] or [f"out{stage}"]
        return Production(
            name,
            stage,
            trigger,
            self.head(random.choice(heads), bound),
            conditions,
            tuple(self.comparison(bound["number"]) for _ in range(random.choice((0, 0, 0, 1, 1, 2)))),
            tuple(d for _ in range(random.choice((0, 0, 0, 1, 2))) for d in self.distinction(bound["symbol"])),
            absences,
        )

    def bound(self, patterns: Sequence[Pattern]) -> dict[Column, list[Var]]:
        found: dict[Column, dict[Var, None]] = {"symbol": {}, "number": {}}
        for pattern in patterns:
            for term, column in zip(pattern.terms, self.columns[pattern.predicate], strict=True):
                if isinstance(term, Var):
                    found[column][term] = None
        return {column: list(variables) for column, variables in found.items()}

    def pattern(self, predicate: str) -> Pattern:
        return Pattern(predicate, tuple(self.term(column) for column in self.columns[predicate]))

    def term(self, column: Column) -> Term:
        if self.random.random() < 0.1:
            return self.value(column)
        return Var(column[0] + str(self.random.randrange(5)))

    def head(self, predicate: str, bound: dict[Column, list[Var]]) -> Pattern:
        columns = self.columns.setdefault(predicate, ("symbol", "number"))
        terms: list[Term] = []
        for column in columns:
            variables = bound[column]
            use = variables and self.random.random() < 0.8
            terms.append(self.random.choice(variables) if use else self.value(column))
        return Pattern(predicate, tuple(terms))

    def value(self, column: Column) -> Value:
        return self.random.choice(self.symbols) if column == "symbol" else self.random.choice(self.numbers)

    def comparison(self, variables: Sequence[Var]) -> Comparison:
        random = self.random
        terms = tuple(
            (random.choice((-1, 1, 1, -1, 2, -2, 3, 0)), random.choice(variables))
            for _ in range(random.choice((0, 1, 1, 2, 2, 3)) if variables else 0)
        )
        if terms and random.random() < 0.05:
            terms = ((random.choice((-8_000, 8_000)), terms[0][1]), *terms[1:])
        constant = random.choice((0, 0, *self.numbers))
        return Comparison(terms, constant, random.choice(OPERATORS))

    def distinction(self, variables: Sequence[Var]) -> list[tuple[Var, Var | str]]:
        if not variables:
            return []
        left = self.random.choice(variables)
        right = self.random.choice((*variables, *self.symbols))
        return [(left, right)] if left != right or self.random.random() < 0.1 else []

    # -- scripts ------------------------------------------------------------

    def cycle(self, world: dict[Fact, None], productions: Sequence[Production]) -> Cycle:
        random = self.random
        known = (*self.given, *self.given, *self.deduced)
        bodies = [pattern for production in productions for pattern in production.conditions] or [Pattern("nobody")]
        changes = []
        for _ in range(random.randint(*((0, self.size.changes) if world else (10, 4 * self.size.changes)))):
            if world and random.random() < 0.35:
                fact = random.choice(list(world))
                world.pop(fact)
                changes.append((False, fact))
            else:
                fact = (
                    self.instance(random.choice(bodies)) if random.random() < 0.7 else self.fact(random.choice(known))
                )
                world[fact] = None
                changes.append((True, fact))
        numbers = [number for number in range(STAGES) if random.random() < 0.85]
        return Cycle(
            tuple(changes),
            tuple(
                (number, self.tokens([p.trigger for p in productions if p.stage == number]), self.derived())
                for number in numbers
            ),
        )

    def tokens(self, triggers: Sequence[Pattern]) -> tuple[Fact, ...]:
        random = self.random
        return tuple(
            self.instance(random.choice(triggers))
            if triggers and random.random() < 0.8
            else self.fact(random.choice(self.events))
            for _ in range(random.choice((0, 1, 2, 2, 3)))
        )

    def derived(self) -> tuple[Fact, ...]:
        random = self.random
        facts = [self.fact(random.choice((*self.given, *self.deduced))) for _ in range(random.choice((0, 0, 1, 2)))]
        if random.random() < 0.005:
            facts.append(Fact(self.given[0], (*self.fact(self.given[0]).values, "one too many")))
        return tuple(facts)

    def instance(self, pattern: Pattern) -> Fact:
        """A fact that the pattern matches, repeated variables apart."""
        columns = self.columns.get(pattern.predicate, ())
        return Fact(
            pattern.predicate,
            tuple(
                self.value(column) if isinstance(term, Var) else term
                for term, column in zip(pattern.terms, columns, strict=True)
            ),
        )

    def fact(self, predicate: str) -> Fact:
        return Fact(predicate, tuple(self.value(column) for column in self.columns[predicate]))
