"""Whether everything is tried: what of an edition the scenarios should exercise, and what of it they did.

A *part* is a block or one of its clauses.  It wants to be tried in certain ways (a condition has to hold and has to be
the one that fails), and each way in which it was tried leaves a *mark*.  Marks name the block and the stretch of text,
not nodes of the model, so they may be put together from scenarios that were played under several compilations of the
same edition.  What leaves which marks is told in ``exercised``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rulewright.explain.rules import Item, block_of
from rulewright.lowering.compile import Compiled
from rulewright.model import (
    Anchor,
    AnyOf,
    Condition,
    Defeater,
    Effect,
    Exemption,
    Exists,
    MeasureDefinition,
    Order,
    Rule,
    Test,
)
from rulewright.phrases.words import sentence_text
from rulewright.syntax.keywords import Language, languages
from rulewright.text import Span

Data = dict[str, Any]
Way = Literal[
    "fired", "kept", "passed", "failed", "set-off", "held", "missed", "picked", "pre-empted", "mattered", "ended",
]  # fmt: skip
"""A way in which a part is tried.  Blocks: fired, kept from firing; a test: passed, failed.  Clauses: the others."""


class Key(NamedTuple):
    """What a part is known by: its block, its place, and for parts of one place, which of them."""

    block: str
    file: str
    start: int
    end: int
    detail: str = ""


class Mark(NamedTuple):
    """A part was tried in a certain way."""

    key: Key
    way: Way


@dataclass(frozen=True)
class Part:
    """A block or a clause, and the ways in which it wants to be tried.

    Attributes:
        kind: the kind of block, or what sort of clause it is.
        text: the sentence of a clause; the name of a block.
    """

    key: Key
    kind: str
    text: str
    span: Span
    wanted: tuple[Way, ...]


@dataclass(frozen=True)
class Demand:
    """What one block wants: to be tried itself, and its clauses."""

    block: Part
    clauses: tuple[Part, ...]


def block_key(anchor: Anchor) -> Key:
    """The key of a block as a whole."""
    return Key(anchor.ident, anchor.span.source.name, anchor.span.start, anchor.span.end, "block")


def clause_key(block: str, span: Span, detail: str = "") -> Key:
    """The key of a clause."""
    return Key(block, span.source.name, span.start, span.end, detail)


def condition_key(block: str, condition: Condition) -> Key:
    """The key of a condition; a group of alternatives is kept apart from the first of them."""
    return clause_key(block, condition.span, "alternatives" if isinstance(condition, AnyOf) else "")


# --- what is wanted ------------------------------------------------------------------------------------------------


def demands(compiled: Compiled) -> tuple[Demand, ...]:
    """What every block of an edition wants, in the order of the files; the shared blocks are among them."""
    edition = compiled.edition
    items: list[Item] = [
        *compiled.rules, *edition.definitions, *edition.measures, *edition.exemptions, *edition.tests, *edition.orders,
    ]  # fmt: skip
    found = map(_Reader(languages()[edition.language]).demand, items)
    return tuple(sorted(found, key=lambda d: (d.block.span.source.name, d.block.span.start, d.block.text)))


class _Reader:
    """Finds the parts of blocks; what no sentence of its own says is told with the keywords of a language."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def demand(self, item: Item) -> Demand:
        """What a block wants.  One that nothing but its trigger sets off cannot be kept from firing by a clause."""
        ident = item.anchor.ident
        clauses: list[Part] = []
        ways: tuple[Way, ...] = ("fired", "kept")
        if isinstance(item, Rule):
            clauses += self.rule(item)
            if not (item.conditions or item.defeaters):
                ways = ("fired",)
        elif isinstance(item, Exemption):
            clauses += self.conditions(ident, item.conditions, "condition")
            clauses += self.defeaters(ident, item.defeaters)
            clauses += self.named(item, "overrides", item.overrides)
        elif isinstance(item, Test):
            clauses.append(_part(ident, "trigger", item.trigger.span, "set-off"))
            ways = ("fired", "passed", "failed")
        elif isinstance(item, Order):
            ways = ("fired",)
        else:
            clauses += self.conditions(ident, item.conditions, "condition")
            gathers = isinstance(item, MeasureDefinition) and item.how != "equals"
            if gathers or not item.conditions:  # what a gathered measure keeps out is told of its conditions
                ways = ("fired",)
        return Demand(Part(block_key(item.anchor), block_of(item), ident, item.anchor.span, ways), tuple(clauses))

    def rule(self, rule: Rule) -> Iterator[Part]:
        ident = rule.anchor.ident
        for trigger in rule.triggers:
            yield _part(ident, "trigger", trigger.span, "set-off")
        yield from self.conditions(ident, rule.conditions, "condition")
        if rule.choice:
            yield _part(ident, "choice", rule.choice.span, "picked")
            yield from self.conditions(ident, rule.choice.conditions, "where")
        yield from self.defeaters(ident, rule.defeaters)
        for effect in rule.effects:
            yield from self.effect(ident, effect)
        yield from self.named(rule, "overrides", rule.overrides)
        yield from self.named(rule, "regardless", rule.regardless)

    def conditions(self, block: str, conditions: Sequence[Condition], kind: str) -> Iterator[Part]:
        for condition in conditions:
            if isinstance(condition, AnyOf):
                key, text = condition_key(block, condition), self.text(condition)
                yield Part(key, kind, text, condition.span, ("missed",))
                for choice in condition.choices:
                    yield _part(block, "alternative", choice[0].span, "held")
            else:
                yield _part(block, kind, condition.span, "held", "missed")
            yield from self.inside(block, condition)

    def text(self, condition: Condition) -> str:
        """A condition as it is written, with its alternatives."""
        parts = [c for choice in condition.choices for c in choice] if isinstance(condition, AnyOf) else [condition]
        return f" {self.language.keyword('OR')} ".join(sentence_text(part.span) for part in parts)

    def inside(self, block: str, condition: Condition) -> Iterator[Part]:
        """The ``where`` lines of a condition; what is said of every one is no line of its own."""
        if isinstance(condition, AnyOf):
            for part in (part for choice in condition.choices for part in choice):
                yield from self.inside(block, part)
        elif isinstance(condition, Exists):
            lines = condition.conditions[:-1] if condition.every else condition.conditions
            yield from self.conditions(block, lines, "where")
            if condition.every:
                yield from self.inside(block, condition.claim)

    def defeaters(self, block: str, defeaters: Sequence[Defeater]) -> Iterator[Part]:
        for defeater in defeaters:
            yield from self.conditions(block, defeater.conditions, "unless")

    def effect(self, block: str, effect: Effect) -> Iterator[Part]:
        """What a fact lasts until, or on."""
        until, lasts = self.language.keyword("UNTIL"), self.language.keyword("WHILE")
        for span in effect.until_spans:
            yield Part(clause_key(block, span), "until", f"{until} {sentence_text(span)}", span, ("ended",))
        for c in effect.lasting:
            yield Part(condition_key(block, c), "while", f"{lasts} {self.text(c)}", c.span, ("ended",))

    def named(
        self, item: Rule | Exemption, kind: Literal["overrides", "regardless"], named: Sequence[str]
    ) -> Iterator[Part]:
        word = self.language.keyword(kind.upper())
        wanted: Way = "pre-empted" if kind == "overrides" else "mattered"
        for name in named:
            span = item.anchor.span.place_of(name)
            yield Part(named_key(item, kind, name), kind, f"{word} {name}", span, (wanted,))


def _part(block: str, kind: str, span: Span, *wanted: Way) -> Part:
    return Part(clause_key(block, span), kind, sentence_text(span), span, wanted)


def named_key(item: Rule | Exemption, kind: Literal["overrides", "regardless"], name: str) -> Key:
    """The key of a clause that names another block."""
    return clause_key(item.anchor.ident, item.anchor.span, f"{kind} {name}")


# --- what was found ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Group:
    """An edition, or the shared vocabulary: what its blocks want, and what was tried of it."""

    name: str
    demands: tuple[Demand, ...]
    marks: Collection[Mark]

    def missing(self, part: Part) -> tuple[Way, ...]:
        """The ways in which a part was not tried."""
        return tuple(way for way in part.wanted if Mark(part.key, way) not in self.marks)

    @property
    def rules(self) -> tuple[int, int]:
        """How many blocks were tried in all ways they want, and how many there are."""
        return sum(not self.missing(d.block) for d in self.demands), len(self.demands)

    @property
    def clauses(self) -> tuple[int, int]:
        """How many clauses were tried in all ways they want, and how many there are."""
        clauses = [clause for d in self.demands for clause in d.clauses]
        return sum(not self.missing(clause) for clause in clauses), len(clauses)

    def reaches(self, percent: float) -> bool:
        """Whether so many percent of the blocks, and of the clauses, were tried."""
        return all(100 * tried >= percent * of for tried, of in (self.rules, self.clauses))


def describe_coverage(groups: Sequence[Group], at_least: int | None = None) -> Data:
    """What was tried of editions, as data; ``at_least`` is the percentage that was demanded."""
    return {
        "at_least": at_least,
        "groups": [_describe_group(group, at_least) for group in groups],
    }


def _describe_group(group: Group, at_least: int | None) -> Data:
    blocks = [d.block for d in group.demands]
    kept = [b for b in blocks if len(b.wanted) > 1]
    tried, of = group.clauses
    return {
        "group": group.name,
        "rules": {"tried": group.rules[0], "of": group.rules[1]},
        "fired": {"tried": sum("fired" not in group.missing(b) for b in blocks), "of": len(blocks)},
        "kept": {"tried": sum(not set(group.missing(b)) - {"fired"} for b in kept), "of": len(kept)},
        "clauses": {"tried": tried, "of": of},
        "enough": at_least is None or group.reaches(at_least),
        "gaps": [gap for demand in group.demands for gap in _describe_gaps(group, demand)],
    }


def _describe_gaps(group: Group, demand: Demand) -> Iterator[Data]:
    block = demand.block
    own = group.missing(block)
    clauses = [(c, missing) for c in demand.clauses if (missing := group.missing(c))]
    if own or clauses:
        yield {
            "block": block.text,
            "kind": block.kind,
            "place": f"{block.span.source.name}:{block.span.line}",
            "missing": list(own),
            "clauses": [
                {"kind": c.kind, "text": c.text, "line": c.span.line, "missing": list(missing)}
                for c, missing in clauses
            ],
        }
