"""The clauses of a rule, definition, exemption, test or order: what each says, means, and is about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from rulewright.compare.meaning import Key, key
from rulewright.compare.sides import Side
from rulewright.explain.clauses import without_braces
from rulewright.explain.rules import Item
from rulewright.model import (
    AnyOf,
    Arithmetic,
    Atom,
    Choice,
    Compare,
    Condition,
    Defeater,
    Definition,
    Effect,
    Exemption,
    Exists,
    Expression,
    MeasureDefinition,
    MeasureOf,
    Rounded,
    Rule,
    Test,
    Variable,
    Vocabulary,
)
from rulewright.phrases.variables import renamed, variable_names, variables_of
from rulewright.phrases.wording import Worder
from rulewright.phrases.writing import Choices, NoWordingError, Own, Window, Writer
from rulewright.speech import say
from rulewright.syntax.keywords import Language, languages
from rulewright.syntax.parser import language_of
from rulewright.text import Span
from rulewright.walk import descend

Facets = tuple[tuple[str, Span], ...]
Node = TypeVar("Node")


@dataclass(frozen=True)
class Clause:
    """One clause.

    Attributes:
        keyword: what it begins with, as in a file of rules; empty where it begins with none.
        part: what it is in its block; only clauses of one part are held against each other.
        text: its sentence in the language spoken, with variables in braces.
        key: what it means.
        depth: how far it is indented: what a sum is made of stands below the clause that speaks of it.
        concepts: the concepts that only some clauses of the block are about, and this one is.
        shape: how a comparison is built, whatever it compares; empty for what is none.
        span: where it stands; None for what has no place of its own.
    """

    keyword: str
    part: str
    text: str
    key: Key
    depth: int = 0
    concepts: frozenset[str] = frozenset()
    shape: str = ""
    span: Span | None = None

    @property
    def sentence(self) -> str:
        """The clause with its keyword, as it is told."""
        return f"{self.keyword} {without_braces(self.text)}".strip()


def clauses_of(item: Item, side: Side, language: Language) -> tuple[Clause, ...]:
    """The clauses of an item in the order of the text, said in a language."""
    return tuple(_Clauses(item, side, language).all())


class _Clauses:
    def __init__(self, item: Item, side: Side, language: Language) -> None:
        vocabulary = side.edition.vocabulary
        self.item = _called(item, languages()[item.anchor.language], language, vocabulary)
        self.side = side
        self.language = language
        self.worder = Worder(vocabulary, language, {})
        self.writer = Writer(vocabulary, language)
        self.told: set[str] = set()

    def all(self) -> Iterator[Clause]:
        item = self.item
        if isinstance(item, Rule):
            yield from self._rule(item)
        elif isinstance(item, Definition):
            yield self._clause("", "head", item.head, item.head.span)
            yield from self._conditions(item.conditions, "IF", "if")
        elif isinstance(item, MeasureDefinition):
            yield self._clause("", "head", item.head, item.head_span)
            yield self._clause(item.how.upper(), item.how, item.subject, item.subject_span)
            yield from self._conditions(item.conditions, "IF" if item.how == "equals" else "WHERE", "if")
        elif isinstance(item, Exemption):
            yield self._clause("", "head", item.head, item.head.span)
            yield from self._conditions(item.conditions, "WHILE", "if")
            yield from self._unless(item.defeaters)
            yield from self._names("OVERRIDES", item.overrides)
        elif isinstance(item, Test):
            yield self._clause("WHEN", "when", item.trigger, item.trigger.span)
            yield self._plain("ROLL", "roll", str(item.dice), item.dice_span)
            if item.roller is not None:
                yield self._clause("ROLLED_BY", "roller", item.roller, item.trigger.span)
            yield self._clause("SUCCEEDS", "succeeds", item.success, item.success.span)
        else:
            yield self._clause("FIRST", "first", item.first, item.first.span)
            yield self._clause("THEN", "then", item.then, item.then.span, place="order")
            if item.owner_chooses:
                yield self._plain("OWNER_CHOOSES", "owner", "", None)

    def _rule(self, rule: Rule) -> Iterator[Clause]:
        for number, trigger in enumerate(rule.triggers):
            yield self._clause("OR" if number else "WHEN", "when", trigger, trigger.span)
        yield from self._conditions(rule.conditions, "AND", "if")
        if rule.choice is not None:
            yield self._choice(rule.choice)
            for condition in rule.choice.conditions:
                yield self._clause("WHERE", "where", condition, rule.choice.span, 1)
        yield from self._unless(rule.defeaters)
        for number, effect in enumerate(rule.effects):
            yield from self._effect(effect, "AND" if number else "THEN", 0)
        yield from self._names("OVERRIDES", rule.overrides)
        yield from self._names("REGARDLESS", rule.regardless)

    def _conditions(self, conditions: Iterable[Condition], first: str, part: str) -> Iterator[Clause]:
        for number, condition in enumerate(conditions):
            yield self._clause("AND" if number and first != "WHERE" else first, part, condition, condition.span)
            yield from self._sums(condition)

    def _unless(self, defeaters: Iterable[Defeater]) -> Iterator[Clause]:
        for defeater in defeaters:
            yield self._clause("UNLESS", "unless", defeater.conditions, defeater.span)
            yield from self._sums(*defeater.conditions)

    def _effect(self, effect: Effect, keyword: str, depth: int) -> Iterator[Clause]:
        yield self._clause(keyword, "then", effect.act, effect.span, depth)
        if effect.until_window is not None:
            window = self.worder.name(effect.until_window, bare=True)
            text = self.worder.own("sentences", "window-end", window=window)
            yield self._plain("UNTIL", "until", text, effect.span, depth + 1, "window")
        for event in effect.until_events:
            yield self._clause("UNTIL", "until", event, effect.span, depth + 1)
        for number, condition in enumerate(effect.lasting):
            yield self._clause("AND" if number else "WHILE", "while", condition, effect.span, depth + 1)
        for word, effects in (("ON_SUCCESS", effect.on_success), ("ON_FAILURE", effect.on_failure)):
            for below in effects:
                yield from self._effect(below, word, depth + 1)

    def _choice(self, choice: Choice) -> Clause:
        variable = self._words(choice.variable)
        if choice.player_of is None:
            text = self.worder.own("sentences", "at-random", variable=variable)
        else:
            text = self.worder.own("sentences", "by-player", variable=variable, thing=self._words(choice.player_of))
        meaning = (choice.variable, choice.player_of)
        return self._made("CHOOSE", "choose", text, key(meaning, self.side), choice.span)

    def _sums(self, *conditions: Condition) -> Iterator[Clause]:
        """What the sums are made of that a condition speaks of: which events count, and over which time."""
        spoken_of = (n for condition in conditions for n in descend(condition) if isinstance(n, MeasureOf))
        tallies = self.side.edition.vocabulary.tallies
        for use in {n.phrase: n for n in spoken_of if n.phrase in tallies}.values():
            if use.phrase not in self.told:
                self.told.add(use.phrase)
                yield from self._tally(use)

    def _tally(self, use: MeasureOf) -> Iterator[Clause]:
        """What counts; a place that is filled by a variable where the sum is spoken of is called like that here."""
        vocabulary = self.side.edition.vocabulary
        phrase, tally = vocabulary.phrases[use.phrase], vocabulary.tallies[use.phrase]
        own = languages()[language_of(phrase.span.source) or self.language.code]
        filled = {r.name: a.name for r, a in zip(phrase.roles, use.arguments, strict=True) if isinstance(a, Variable)}
        tally = renamed(_called(tally, own, self.language, vocabulary, filled), filled)
        facets = tally.facets
        counted, event = self._counted(tally.event, phrase.dimension), tally.event
        yield self._made("SUMS", "sums", counted, key(event, self.side), event.span, 1, facets)
        for number, condition in enumerate(tally.conditions):
            text, meaning = self._words(condition), key(condition, self.side)
            yield self._made("AND" if number else "IF", "sums-if", text, meaning, condition.span, 1, facets)
        yield self._plain("OVER", "over", self.writer.write(Window(tally.window), Choices()), None, 1)

    def _counted(self, event: Atom, dimension: str | None) -> str:
        """An event whose number is summed, in words that tell what is counted."""
        words = self._words(event)
        if dimension is None:
            return words
        counted = self.writer.counted(dimension)
        return next((text for text, _ in self.writer.ways(event) if counted in text), words)

    def _names(self, keyword: str, names: Iterable[str]) -> Iterator[Clause]:
        for name in names:
            yield self._made(keyword, keyword.lower(), name, (self.side.edition.ident, name), None)

    # --- single clauses ------------------------------------------------------------------------------------------

    def _clause(self, keyword: str, part: str, node: Any, span: Span | None, depth: int = 0, place: str = "") -> Clause:
        made = self._made(keyword, part, self._words(node), key(node, self.side), span, depth, place=place)
        return replace(made, shape=_shape(node) if isinstance(node, Compare) else "")

    def _plain(self, keyword: str, part: str, text: str, span: Span | None, depth: int = 0, place: str = "") -> Clause:
        return self._made(keyword, part, text, text, span, depth, place=place)

    def _made(
        self,
        keyword: str,
        part: str,
        text: str,
        meaning: Key,
        span: Span | None,
        depth: int = 0,
        facets: Facets | None = None,
        place: str = "",
    ) -> Clause:
        own = self.item.anchor.facets if facets is None else facets
        concepts = frozenset(concept for concept, where in own if span is not None and _meet(where, span))
        shown = say("compare.counted") if keyword == "SUMS" else self.language.shown(keyword, place) if keyword else ""
        return Clause(shown, part, text, meaning, depth, concepts, span=span)

    # --- words ---------------------------------------------------------------------------------------------------

    def _words(self, node: Any) -> str:
        if isinstance(node, tuple):
            return self.language.inside("AND").join(map(self._words, node))
        if isinstance(node, AnyOf):
            return self.language.inside("OR").join(self._words(choice) for choice in node.choices)
        if isinstance(node, Exists):
            return self._quantified(node)
        try:
            return self.writer.write(node, Choices())
        except NoWordingError:
            return self._marked(node)

    def _quantified(self, node: Exists) -> str:
        key = "every" if node.every else "none" if node.negated else "exists" if node.at_least == 1 else "at-least"
        places: dict[str, object] = {"variable": node.variable}
        if key == "at-least":
            places["number"] = node.at_least
        text = self.writer.write(Own(key, tuple(places.items())), Choices())
        lines = node.conditions[:-1] if node.every else node.conditions
        text += f"{self.language.inside('WHERE')}{self._words(tuple(lines))}" if lines else ""
        return text + (f"{self.language.inside('HOLDS')}{self._words(node.claim)}" if node.every else "")

    def _marked(self, node: Condition | Expression) -> str:
        """What has no words in the language spoken, in those that it has, with a mark."""
        if isinstance(node, Atom):
            return self.worder.atom(node.phrase, node.arguments, {}, node.negated)
        if isinstance(node, MeasureOf):
            return self.worder.expression(node, {})
        return self.worder.condition(node, {})  # type: ignore[arg-type]


def _called(
    node: Node, own: Language, wanted: Language, vocabulary: Vocabulary, others: Mapping[str, str] | None = None
) -> Node:
    """The same with its variables, which are called in their own language, called as another does; but for others."""
    found = [name for name in variables_of(node) if name not in (others or {})]
    renaming = {} if own is wanted else variable_names(found, own, wanted, vocabulary)
    return cast(Node, renamed(node, renaming))


def _shape(node: Compare | Expression) -> str:
    """How an expression is built: from which sorts of parts."""
    if isinstance(node, Rounded):
        return _shape(node.expression)
    if isinstance(node, Compare | Arithmetic):
        return f"({_shape(node.left)} {'?' if isinstance(node, Compare) else node.operator} {_shape(node.right)})"
    return type(node).__name__


def _meet(one: Span, other: Span) -> bool:
    """Whether two stretches of text have something in common."""
    return one.source == other.source and one.start < other.end and other.start < one.end
