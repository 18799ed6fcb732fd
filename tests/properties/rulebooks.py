"""Random rulebooks as texts of the rules language, each with a game: what is given, what happens, how it is answered.

Everything follows from a seed.  The words are fixed; which of them there are, and what the rules say with them, is not.
Events of one sort bring about only later sorts, so that no cascade is endless.  A block that the front end refuses (two
definitions in a circle through an absence, say) is left out, and the rest is tried again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from random import Random

from rulewright import workspace
from rulewright.lowering.compile import Compiled
from rulewright.workspace import Tree

STATES = ("tired", "hidden", "angry", "brave")
GIVEN_PAIRS = ("guards", "follows")
DEFINED_STATES = ("steady", "lonely", "doomed", "grand")
DEFINED_PAIRS = ("shelters", "outranks")
MEASURES = ("speed", "might")
WORKED_OUT = ("weight", "renown", "reach")
EVENTS = ("acts", "strikes", "loses", "takes-test", "passes-test", "fails-test", "flees", "vanishes")
"""In this order they bring each other about."""

WORDS = """
kind unit
  en: unit|units
  begins {unit} is on the table

kind rider
  is a unit
  en: rider|riders

kind spot
  en: spot|spots

kind side
  en: side|sides

kind test
  en: test|tests

name health-points
  is a dimension
  en: health points|health point

name inches
  is a dimension
  en: "|inches|inch

name round-window
  is a window
  en: round

name nerve-test
  is a test
  en: a Nerve test|Nerve tests

name old-mill
  is a spot
  en: the Old Mill

event round-starts
  en: the round starts
  opens the round

event round-ends
  en: the round ends
  closes the round

event acts
  en: {unit} acts
  en not: {unit} does not act

event strikes
  role {enemy} is a unit
  en: {unit} strikes {enemy}
  en not: {unit} does not strike {enemy}

event loses
  role {amount} is a number of health points
  en: {unit} loses {amount}
  en: {unit} loses health points
  en not: {unit} loses no health points
  changes the health points of {unit} fall by {amount}

event takes-test
  role {cause} is a unit
  en: {unit} takes {test} caused by {cause}
  en: {unit} takes {test}
  en not: {unit} takes no {test:bare}

event passes-test
  en: {unit} passes {test}

event fails-test
  en: {unit} fails {test}

event flees
  en: {unit} flees
  en not: {unit} does not flee

event vanishes
  en: {unit} vanishes
  changes {unit} is not on the table

fact test-called-by
  en: {test} of {unit} was called for by the rule {rule}

fact test-caused-by
  role {cause} is a unit
  en: {test} of {unit} was caused by {cause}

fact belongs-to
  en: {unit} belongs to {side}

fact on-table
  en: {unit} is on the table
  en not: {unit} is not on the table

fact stands-at
  en: {unit} stands at {spot}
  en: {unit} stands somewhere
  en not: {unit} does not stand at {spot}
  en not: {unit} does not stand anywhere

action shoot
  en may: {unit} may shoot
  en may not: {unit} may not shoot
  en must: {unit} must shoot

measure health
  counted in health points
  en: the health points of {unit}
  en with: {value}

measure distance
  role {one} is a unit
  role {other} is a unit
  counted in inches
  both ways
  en: the distance between {one} and {other}

tally health-lost
  counted in health points
  en: the health points {unit} lost this round
  en before: the health points {unit} lost this round before this loss
  sums {amount} of {unit} loses {amount}
  over the round

tally bold-losses
  counted in health points
  en: the health points {unit} lost boldly
  sums {amount} of {unit} loses {amount}
  if {unit} is not hidden
  over the game

snapshot health-at-start
  en: the health points {unit} had at the start of the round
  copies the health points of {unit}
  over the round

record struck
  role {enemy} is a unit
  en: {unit} struck {enemy} already
  when {unit} strikes {enemy}
  over the round

record acted
  en: {unit} acted lately
  when {unit} acts
  until {unit} flees

name game-window
  is a window
  en: game
""".strip()

workspace.parse = lru_cache(maxsize=8)(workspace.parse)  # the fixed words are parsed once

VARIABLES = ("friend", "enemy", "guest", "witness", "mover", "captain")


@dataclass(frozen=True)
class Rulebook:
    """Blocks of text, and a game.

    Attributes:
        happenings: what happens, one sentence each.
        dice: seed of the answers to what is asked.
    """

    vocabulary: tuple[str, ...]
    blocks: tuple[str, ...]
    things: tuple[str, ...]
    givens: tuple[str, ...]
    happenings: tuple[str, ...]
    dice: int

    def load(self, root: Path) -> Compiled | None:
        """Loads it; blocks that are refused are left out."""
        loaded = _load(self, root)
        return loaded[0] if loaded else None


def _load(book: Rulebook, root: Path) -> tuple[Compiled | None, list[int], list[str]]:
    """Loads a rulebook: what is compiled, the numbers of refused blocks, and the names of the findings."""
    (root / "vocabulary").mkdir(parents=True, exist_ok=True)
    (root / "e").mkdir(exist_ok=True)
    for old in root.rglob("*.rules"):
        old.unlink()
    (root / "vocabulary" / "fixed.rules").write_text(f"language English\n\n{WORDS}\n")
    (root / "vocabulary" / "words.rules").write_text("language English\n\n" + "\n\n".join(book.vocabulary) + "\n")
    starts, lines = [], ["language English", "", 'edition e "Made up"', "  note made up", ""]
    half = len(book.blocks) // 2
    for number, block in enumerate(book.blocks):
        if number == half:
            (root / "e" / "one.rules").write_text("\n".join(lines) + "\n")
            lines = ["language English", ""]
        starts.append(("e/one.rules" if number < half else "e/two.rules", len(lines) + 1))
        lines += [*block.splitlines(), ""]
    (root / "e" / "two.rules").write_text("\n".join(lines) + "\n")
    loaded = Tree(root, "").load("e")
    errors = [d for d in loaded.diagnostics if d.severity == "error"]
    refused = set()
    for diagnostic in errors:
        for span in [diagnostic.span, *(span for _, span in diagnostic.related)]:
            if span is not None:
                line = span.source.text.count("\n", 0, span.start) + 1
                before = [n for n, (file, at) in enumerate(starts) if file == span.source.name and at <= line]
                refused.update(before[-1:])
    return loaded.compiled, sorted(refused), [d.name for d in errors]


def make(seed: int, root: Path) -> tuple[Rulebook, Compiled]:
    """The rulebook of a seed, without the blocks that the front end refuses, and what it is compiled to."""
    book = _Maker(Random(seed)).book()
    while True:
        compiled, refused, names = _load(book, root)
        if compiled is not None:
            return book, compiled
        assert refused, f"seed {seed}: {names} at no block"
        book = replace(book, blocks=tuple(b for n, b in enumerate(book.blocks) if n not in refused))


def permuted(book: Rulebook, random: Random) -> Rulebook:
    """The same with blocks, files and givens in another order."""
    things = random.sample(book.things, len(book.things))
    return replace(
        book,
        vocabulary=tuple(random.sample(book.vocabulary, len(book.vocabulary))),
        blocks=tuple(random.sample(book.blocks, len(book.blocks))),
        things=tuple(sorted(things, key=lambda thing: " of " in thing)),  # sides before those that belong to them
        givens=tuple(random.sample(book.givens, len(book.givens))),
    )


@dataclass
class _Scope:
    """What a rule speaks of: variables that are known, by kind, and definitions that may be used."""

    units: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    spots: list[str] = field(default_factory=list)
    level: int = 9
    spare: list[str] = field(default_factory=lambda: list(VARIABLES))

    def inner(self) -> _Scope:
        """A scope inside this one."""
        return replace(self, units=list(self.units), spots=list(self.spots))


class _Maker:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.units = random.sample(("Ants", "Bees", "Cats", "Dogs", "Elks"), random.choice((2, 3, 3, 3, 4)))

    def pick(self, *weighted: tuple[int, Callable[[], str]]) -> str:
        """One of several things to say, the heavier the likelier."""
        makers = [make for weight, make in weighted for _ in range(weight)]
        return self.random.choice(makers)()

    def maybe(self, chance: float) -> bool:
        return self.random.random() < chance

    # -- the whole ----------------------------------------------------------

    def book(self) -> Rulebook:
        random = self.random
        blocks = [b for level in range(3) for b in self.definitions(level)] + self.worked_out()
        triggers = [random.choice(EVENTS[:-1]) for _ in range(random.randint(3, 9))]
        if self.maybe(0.6):
            triggers += random.choices(("acts", "strikes", "loses"), k=2)
        exemptions = [f"x{n}" for n in range(random.choice((0, 1, 1, 2, 3)))]
        rules = [self.rule(n, event, triggers, exemptions) for n, event in enumerate(triggers)]
        blocks += rules + [self.exemption(n, exemptions) for n in range(len(exemptions))]
        blocks.append(
            "test nerve\n  when {unit} takes a Nerve test\n  roll 2D6\n"
            f"  succeeds if the total is {random.choice(('at most', 'less than', 'at least'))} "
            f"{random.choice(('the might of {unit}', 'the speed of {unit} plus 2', '7'))}"
        )
        if self.maybe(0.3):
            first, then = random.sample(("{unit} takes a Nerve test", "{unit} flees", "{unit} acts"), 2)
            choose = "\n  in the order their player chooses" if self.maybe(0.7) else ""
            blocks.append(f"order one-first\n  first {first}\n  then {then}{choose}")
        return Rulebook(
            self.vocabulary(),
            tuple(blocks),
            ("Red is a side", "Blue is a side", *(self.introduced(u) for u in self.units), "Ford is a spot"),
            self.givens(),
            tuple(self.happening() for _ in range(random.randint(4, 11))),
            random.randrange(2**32),
        )

    def vocabulary(self) -> tuple[str, ...]:
        blocks = []
        for state in (*STATES, *DEFINED_STATES):
            blocks.append(f"fact {state}\n  en: {{unit}} is {state}\n  en not: {{unit}} is not {state}")
        for pair in (*GIVEN_PAIRS, *DEFINED_PAIRS):
            both = "\n  both ways" if pair == "guards" else ""
            verb = pair[:-1]
            blocks.append(
                f"fact {pair}\n  role {{other}} is a unit\n  en: {{unit}} {pair} {{other}}\n"
                f"  en not: {{unit}} does not {verb} {{other}}{both}"
            )
        for measure in MEASURES:
            blocks.append(f"measure {measure}\n  en: the {measure} of {{unit}}\n  en with: {measure} {{value}}")
        blocks += [f"measure {measure}\n  en: the {measure} of {{unit}}" for measure in WORKED_OUT]
        if self.random.random() < 0.5:
            blocks.append("event would-fail-test\n  en: {unit} would fail {test}")
        return tuple(blocks)

    # -- the game -----------------------------------------------------------

    def introduced(self, unit: str) -> str:
        kind = self.random.choice(("unit", "unit", "rider"))
        parts = [f"{self.random.randint(6, 24)} health points"]
        parts += [f"{m} {self.number()}" for m in MEASURES if self.maybe(0.8)]
        self.random.shuffle(parts)
        side = f" of {self.random.choice(('Red', 'Blue'))}" if self.maybe(0.8) else ""
        return f"{unit} is a {kind}{side} with {' and '.join(parts)}"

    def givens(self) -> tuple[str, ...]:
        facts = {self.change(positive=True) for _ in range(self.random.randint(4, 16))}
        pairs = [(a, b) for n, a in enumerate(self.units) for b in self.units[n + 1 :]]
        facts |= {f"the distance between {a} and {b} is {self.number()} inches" for a, b in pairs if self.maybe(0.7)}
        return tuple(sorted(facts))

    def change(self, *, positive: bool = False) -> str:
        """A fact of the world, or that it is not so."""
        random = self.random
        unit, other = random.choice(self.units), random.choice(self.units)
        yes = positive or self.maybe(0.6)
        return self.pick(
            (4, lambda: f"{unit} is {'' if yes else 'not '}{random.choice(STATES)}"),
            (2, lambda: f"{unit} guards {other}" if yes else f"{unit} does not guard {other}"),
            (2, lambda: f"{unit} follows {other}" if yes else f"{unit} does not follow {other}"),
            (2, lambda: f"{unit} {'stands' if yes else 'does not stand'} at {random.choice(('Ford', 'the Old Mill'))}"),
        )

    def happening(self) -> str:
        random = self.random
        unit = random.choice(self.units)
        return self.pick(
            (3, lambda: f"{unit} acts"),
            (3, lambda: f"{unit} strikes {random.choice(self.units)}"),
            (4, lambda: f"{unit} loses {random.randint(1, 4)} health points"),
            (2, lambda: f"{unit} takes a Nerve test"),
            (1, lambda: f"{unit} takes a Nerve test caused by {random.choice(self.units)}"),
            (1, lambda: f"{unit} flees"),
            (1, lambda: "the round starts"),
            (1, lambda: "the round ends"),
            (2, self.change),
            (1, lambda: f"the {random.choice(MEASURES)} of {unit} is {self.number()}"),
        )

    def number(self) -> str:
        return self.random.choice(("0", "1", "2", "3", "4", "6", "7", "8.5", "12"))

    # -- conditions ---------------------------------------------------------

    def unit(self, scope: _Scope) -> str:
        return f"{{{self.random.choice(scope.units)}}}"

    def other(self, scope: _Scope) -> str:
        """A variable for another unit: a known one, or a new one, or a name."""
        if self.maybe(0.4) and scope.spare:
            scope.units.append(scope.spare.pop(0))
            return f"{{{scope.units[-1]}}}"
        return self.unit(scope)

    def condition(self, scope: _Scope, depth: int = 0) -> str:
        """A condition; lines of its own are indented by four."""
        fact = self.maybe(0.45)
        if fact or depth > 1:
            return self.fact(scope)
        return self.pick(
            (4, lambda: self.compare(scope)),
            (4, lambda: self.quantified(scope, depth)),
            (1, lambda: self.apart(scope)),
            (1, lambda: f"{self.unit(scope)} is {self.random.choice(('', 'not '))}a rider"),
            (1, lambda: f"the {self.random.choice(MEASURES)} of {self.unit(scope)} is "
             f"{self.random.choice(('', 'not '))}known"),
        )  # fmt: skip

    def apart(self, scope: _Scope) -> str:
        one, two = self.unit(scope), self.unit(scope)
        return f"{one} is not {two}" if one != two else self.fact(scope)

    def fact(self, scope: _Scope) -> str:
        """A fact, said or denied; denied of known things alone."""
        states = [*STATES, *(s for n, s in enumerate(DEFINED_STATES) if n // 2 + 1 <= scope.level)]
        pairs = [*GIVEN_PAIRS, *(p for n, p in enumerate(DEFINED_PAIRS) if n + 1 <= scope.level)]
        if self.maybe(0.35):
            unit = self.unit(scope)
            pair = self.random.choice(pairs)
            return self.pick(
                (4, lambda: f"{unit} is not {self.random.choice(states)}"),
                (2, lambda: f"{unit} does not {pair[:-1]} {self.unit(scope)}"),
                (1, lambda: f"{unit} does not stand anywhere"),
                (1, lambda: f"{unit} does not stand at the Old Mill"),
                (1, lambda: f"{unit} is not on the table"),
            )
        unit = self.unit(scope)
        return self.pick(
            (4, lambda: f"{unit} is {self.random.choice(states)}"),
            (4, lambda: f"{unit} {self.random.choice(pairs)} {self.other(scope)}"),
            (2, lambda: self.place(scope)),
            (1, lambda: f"{unit} is on the table"),
            (1, lambda: f"{unit} struck {self.other(scope)} already"),
            (1, lambda: f"{unit} acted lately"),
            (1, lambda: f"{unit} may {self.random.choice(('', 'not '))}shoot"),
        )

    def place(self, scope: _Scope) -> str:
        unit = self.unit(scope)
        if scope.spots and self.maybe(0.5):
            return f"{unit} stands at {{{self.random.choice(scope.spots)}}}"
        return f"{unit} stands {self.random.choice(('somewhere', 'at the Old Mill'))}"

    def value(self, scope: _Scope, *, points: bool = False) -> str:
        """A measure: of health points, or of nothing in particular."""
        unit = self.unit(scope)
        if points:
            return self.pick(
                (2, lambda: f"the health points of {unit}"),
                (1, lambda: f"the health points {unit} lost this round"),
                (1, lambda: f"the health points {unit} lost this round before this loss"),
                (1, lambda: f"the health points {unit} had at the start of the round"),
                (1, lambda: f"the health points {unit} lost boldly"),
            )
        known = [m for n, m in enumerate(WORKED_OUT) if n + 1 <= scope.level]
        return f"the {self.random.choice([*MEASURES, *MEASURES, *known])} of {unit}"

    def amount(self, scope: _Scope, *, points: bool) -> str:
        """A number to hold a value against."""
        number = self.number() + (" health points" if points else "")
        value = self.value(scope, points=points)
        return self.pick(
            (4, lambda: number),
            (2, lambda: value),
            (1, lambda: f"{self.random.choice(('half of', 'a third of', '25% of', '2 times'))} {value}"),
            (1, lambda: f"{value} {self.random.choice(('plus', 'minus'))} {number}"),
            (1, lambda: f"half of {value} rounded {self.random.choice(('up', 'down'))}"),
            (2, lambda: f"{{{self.random.choice(scope.numbers)}}}" if scope.numbers and points else number),
        )

    def compare(self, scope: _Scope) -> str:
        operator = self.random.choice(("at least", "at most", "more than", "less than", "exactly", "not"))
        if self.maybe(0.25) and len(scope.units) > 1:
            one, two = self.random.sample(scope.units, 2)
            return f"the distance between {{{one}}} and {{{two}}} is {operator} {self.number()} inches"
        points = self.maybe(0.4)
        return f"{self.value(scope, points=points)} is {operator} {self.amount(scope, points=points)}"

    def quantified(self, scope: _Scope, depth: int) -> str:
        if not scope.spare:
            return self.fact(scope)
        inner = scope.inner()
        inner.spare = scope.spare = scope.spare[:]
        name = scope.spare.pop(0)
        inner.units = [name, *scope.units]
        opening = self.random.choice(
            (f"there is a {{{name}}}", f"there is no {{{name}}}", f"there is no {{{name}}}",
             f"there are at least {self.random.choice((1, 2, 2, 3))} {{{name}}}", f"for every {{{name}}}")
        )  # fmt: skip
        binding = f"{{{name}}} {self.random.choice(GIVEN_PAIRS)} {self.unit(scope)}"
        if self.maybe(0.3):
            binding = f"{{{name}}} is {self.random.choice(STATES)}"
        lines = [f"where {binding}"]
        if self.maybe(0.6):
            lines.append(f"where {self.condition(inner, depth + 1 if depth else 2)}")
        if opening.startswith("for every"):
            lines.append(f"it holds that {{{name}}} is {self.random.choice(('', 'not '))}{self.random.choice(STATES)}")
        scope.spare = inner.spare
        if opening.startswith("there is a"):
            scope.units.append(name)
        return "\n".join([opening, *("    " + line.replace("\n", "\n  ") for line in lines)])

    def conditions(self, scope: _Scope, many: Sequence[int]) -> list[str]:
        """Lines of conditions, each with its keyword; some are alternatives."""
        lines = []
        for _ in range(self.random.choice(many)):
            lines.append(f"and {self.condition(scope)}")
            if self.maybe(0.12):
                lines.append(f"or {self.fact(replace(scope, spare=[]))}")
        return lines

    # -- blocks -------------------------------------------------------------

    def definitions(self, level: int) -> list[str]:
        """Definitions that rest on those below, and, without absences, on those of their own level."""
        heads = [s for n, s in enumerate(DEFINED_STATES) if n // 2 + 1 == level]
        heads += [p for n, p in enumerate(DEFINED_PAIRS) if n + 1 == level]
        blocks = []
        for head in heads:
            for number in range(self.random.choice((0, 1, 1, 2))):
                scope = _Scope(["unit"], level=level - 1)
                if head in DEFINED_STATES:
                    first, sentence = [f"{{unit}} is {self.random.choice(STATES)}"], f"{{unit}} is {head}"
                    self_made = f"{{friend}} is {head}"
                    if self.maybe(0.4):
                        scope.spare.remove("friend")
                        scope.units.append("friend")
                        first = [f"{{friend}} {self.random.choice(GIVEN_PAIRS)} {{unit}}"]
                        first += [self_made] if self.maybe(0.5) else []
                else:
                    scope.units.append("other")
                    sentence = f"{{unit}} {head} {{other}}"
                    first = [f"{{unit}} {self.random.choice(GIVEN_PAIRS)} {{other}}"]
                    if self.maybe(0.5):
                        scope.spare.remove("friend")
                        scope.units.append("friend")
                        first = [
                            f"{{unit}} {self.random.choice(GIVEN_PAIRS)} {{friend}}",
                            f"{{friend}} {head} {{other}}",
                        ]
                lines = [f"and {c}" for c in first] + self.conditions(scope, (0, 0, 1, 1, 2))
                blocks.append(_block(f"definition {head}-{number}", [sentence, *lines], opening="if"))
        return blocks

    def worked_out(self) -> list[str]:
        blocks = []
        for n, measure in enumerate(WORKED_OUT):
            scope = _Scope(["unit"], level=n)
            how = self.random.choice(("counts", "adds up", "takes the highest of", "takes the lowest of", "equals"))
            lines = [f"the {measure} of {{unit}}"]
            if how == "equals":
                lines.append(f"equals {self.value(scope)} {self.random.choice(('plus', 'minus'))} {self.number()}")
                blocks.append(f"definition {measure}-is\n  " + "\n  ".join(lines))
                continue
            scope.units, scope.spare = ["friend", "unit"], [v for v in scope.spare if v != "friend"]
            subject = "{friend}" if how == "counts" else self.value(replace(scope, units=["friend"]))
            lines.append(f"{how} {subject}")
            lines.append(f"  where {{friend}} {self.random.choice(GIVEN_PAIRS)} {{unit}}")
            if self.maybe(0.5):
                lines.append("  where " + self.condition(scope, 2).replace("\n", "\n  "))
            blocks.append(f"definition {measure}-is\n  " + "\n  ".join(lines))
        return blocks

    def trigger(self, event: str, scope: _Scope) -> str:
        scope.units.append("unit")
        if event == "strikes":
            scope.spare.remove("enemy")
            scope.units.append("enemy")
            return "{unit} strikes {enemy}"
        if event == "loses" and self.maybe(0.5):
            scope.numbers.append("lost")
            return "{unit} loses {lost} health points"
        return {
            "acts": "{unit} acts", "loses": "{unit} loses health points", "takes-test": "{unit} takes a Nerve test",
            "passes-test": "{unit} passes a Nerve test", "fails-test": "{unit} fails a Nerve test",
            "flees": "{unit} flees", "vanishes": "{unit} vanishes",
        }[event]  # fmt: skip

    def rule(self, number: int, event: str, triggers: Sequence[str], exemptions: Sequence[str]) -> str:
        scope = _Scope()
        lines = [f"when {self.trigger(event, scope)}"]
        lines += self.conditions(scope, (0, 0, 0, 1, 1, 1, 2, 3))
        if self.maybe(0.1):
            lines.append(f"and this {self.random.choice(('comes from', 'goes back to'))} the rule r0")
        if self.maybe(0.2) and scope.spare:
            picked, player = scope.spare.pop(0), self.unit(scope)
            how = self.random.choice(("at random", f"by the player of {player}"))
            lines.append(f"choose {{{picked}}} {how}")
            lines.append(f"  where {{{picked}}} {self.random.choice(('guards', 'follows'))} {self.unit(scope)}")
            scope.units.append(picked)
        for _ in range(self.random.choice((0, 0, 1, 1, 2))):
            known = replace(scope, spare=scope.spare[:])
            lines.append(f"unless {self.condition(known)}")
            if self.maybe(0.3):
                lines.append(f"and {self.fact(known)}")
        later = EVENTS[EVENTS.index(event) + 1 :]
        effects = [self.effect(event, later, scope, first=not n) for n in range(self.random.choice((1, 1, 1, 2)))]
        lines += [("and " if n else "then ") + effect for n, effect in enumerate(effects)]
        rivals = [n for n, other in enumerate(triggers) if other == event and n > number]
        if rivals and self.maybe(0.35):
            lines.append(f"overrides r{self.random.choice(rivals)}")
        if exemptions and self.maybe(0.15):
            lines.append(f"regardless of {self.random.choice(exemptions)}")
        return _block(f"rule r{number}", lines)

    def effect(self, event: str, later: Sequence[str], scope: _Scope, *, first: bool) -> str:
        unit = self.unit(scope)
        other = self.unit(scope)
        spot = self.random.choice(("the Old Mill", *(f"{{{s}}}" for s in scope.spots)))
        happens = [
            (3 if "loses" in later else 0, lambda: f"{unit} loses {self.random.choice((1, 2))} health points"),
            (2 if "strikes" in later else 0, lambda: f"{unit} strikes {other}"),
            (4 if "takes-test" in later else 0, lambda: self.called_test(unit, other, first)),
            (2 if "flees" in later else 0, lambda: f"{unit} flees"),
            (1 if "vanishes" in later else 0, lambda: f"{unit} vanishes"),
        ]
        if event == "takes-test" and self.maybe(0.5):
            which = self.random.choice(("roll", "characteristic"))
            return self.random.choice((f"add 1 to the {which}", f"take 1 from the {which}"))
        return self.pick(
            *happens,
            (4, lambda: self.lasting(f"{unit} is {self.random.choice(STATES)}", unit, scope, first)),
            (2, lambda: f"{unit} is not {self.random.choice(STATES)}"),
            (2, lambda: self.lasting(f"{unit} may {self.random.choice(('', 'not '))}shoot", unit, scope, first)),
            (2, lambda: self.lasting(f"{unit} follows {other}", unit, scope, first)),
            (1, lambda: f"{unit} stands at {spot}"),
            (1, lambda: f"the {self.random.choice(MEASURES)} of {unit} {self.random.choice(('rises', 'falls'))} by 1"),
            (1, lambda: f"the might of {unit} becomes {self.number()}"),
            (1 if event == "acts" else 0, lambda: "{recruit} is a new unit"),
        )

    def lasting(self, sentence: str, unit: str, scope: _Scope, first: bool) -> str:
        if not first or self.maybe(0.4):
            return sentence
        known = replace(scope, spare=[])
        ends = self.pick(
            (2, lambda: "until the end of the round"),
            (2, lambda: f"until {unit} {self.random.choice(('acts', 'flees', 'passes a Nerve test'))}"),
            (2, lambda: f"while {self.fact(known)}"),
            (1, lambda: f"while {self.compare(replace(known, numbers=[]))}"),
        )
        return f"{sentence}\n    {ends}"

    def called_test(self, unit: str, other: str, first: bool) -> str:
        sentence = f"{unit} takes a Nerve test" + (f" caused by {other}" if self.maybe(0.3) else "")
        if first and self.maybe(0.5):
            side = self.random.choice(("success", "failure"))
            sentence += (
                f"\n    on {side} {unit} {self.random.choice(('is tired', 'flees', 'is not hidden', 'may not shoot'))}"
            )
        return sentence

    def exemption(self, number: int, exemptions: Sequence[str]) -> str:
        scope = _Scope(["unit"])
        event = self.random.choice(("takes no Nerve test", "takes no Nerve test", "does not flee", "does not act"))
        lines = [f"{{unit}} {event}", f"while {self.condition(scope)}", *self.conditions(scope, (0, 0, 1))]
        if self.maybe(0.4):
            lines.append(f"unless {self.condition(replace(scope, spare=scope.spare[:]))}")
        if number + 1 < len(exemptions) and self.maybe(0.3):
            lines.append(f"overrides {exemptions[number + 1]}")
        return _block(f"exemption x{number}", lines)


def _block(head: str, lines: Sequence[str], opening: str = "") -> str:
    """A block with its lines indented; with an ``opening``, that is the keyword of the first condition."""
    if opening:
        lines = [lines[0], re.sub("^and ", f"{opening} ", lines[1]), *lines[2:]]
    return "\n".join([head, *("  " + line for line in lines)])
