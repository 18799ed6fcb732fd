"""Rules read back: the typed model of an edition as text in the rules language, and productions in readable form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from rulewright.model import (
    Anchor,
    AnyOf,
    Assumption,
    Condition,
    Defeater,
    Definition,
    Edition,
    Effect,
    Exemption,
    Exists,
    MeasureDefinition,
    Order,
    Rule,
    Test,
)
from rulewright.phrases.words import sentence_text
from rulewright.productions import SCALE, Comparison, Pattern, Production, Term, Var
from rulewright.speech import number_text
from rulewright.syntax.keywords import Language
from rulewright.text import Span

Item = Rule | Definition | MeasureDefinition | Exemption | Test | Order


def items_of(edition: Edition) -> tuple[Item, ...]:
    """Everything in an edition that cites the source, in the order of the files."""
    items: list[Item] = [
        *edition.rules,
        *edition.definitions,
        *edition.measures,
        *edition.exemptions,
        *edition.tests,
        *edition.orders,
    ]
    return tuple(sorted(items, key=lambda i: (i.anchor.span.source.name, i.anchor.span.start)))


def block_of(item: Item) -> str:
    """What sort of block an item is, as ``block`` in the texts of the program has it."""
    return "definition" if isinstance(item, MeasureDefinition) else type(item).__name__.lower()


def read_back(item: Item, language: Language) -> str:
    """A rule, definition, exemption, test or order as text that reads in as the same."""
    return "\n".join(_Reader(language).item(item))


class _Reader:
    def __init__(self, language: Language) -> None:
        self.language = language
        self.facets: dict[Span, list[str]] = {}

    def clause(self, keyword: str, span: Span, depth: int = 1, place: str = "") -> Iterator[str]:
        """A clause, below the concepts that it alone is about."""
        yield from self.about(span, depth)
        yield self.line(keyword, sentence_text(span), depth, place)

    def about(self, span: Span, depth: int = 1) -> Iterator[str]:
        """The concepts that one clause alone is about."""
        if span in self.facets:
            yield self.line("CONCEPT", ", ".join(self.facets[span]), depth)

    def line(self, keyword: str, text: str, depth: int = 1, place: str = "") -> str:
        return f"{'  ' * depth}{self.language.shown(keyword, place)} {text}".rstrip()

    def item(self, item: Item) -> Iterator[str]:
        for concept, span in item.anchor.facets:
            self.facets.setdefault(span, []).append(concept)
        kind = "DEFINITION" if isinstance(item, MeasureDefinition) else type(item).__name__.upper()
        yield f'{self.language.shown(kind)} {item.anchor.ident} "{item.anchor.title}"'
        yield from self.anchor(item.anchor)
        if isinstance(item, Rule):
            yield from self.rule(item)
        elif isinstance(item, Definition):
            yield f"  {sentence_text(item.head.span)}"
            yield from self.conditions(item.conditions, "IF")
        elif isinstance(item, MeasureDefinition):
            yield f"  {sentence_text(item.head_span)}"
            yield from self.clause(item.how.upper(), item.subject_span)
            if item.how == "equals":
                yield from self.conditions(item.conditions, "IF")
            else:
                yield from self.conditions(item.conditions, "WHERE", "WHERE", 2)
        elif isinstance(item, Exemption):
            yield f"  {sentence_text(item.head.span)}"
            yield from self.conditions(item.conditions, "WHILE")
            yield from self.defeaters(item.defeaters)
            yield from (self.line("OVERRIDES", name) for name in item.overrides)
        elif isinstance(item, Test):
            yield self.line("WHEN", sentence_text(item.trigger.span))
            yield from self.about(item.dice_span)
            yield self.line("ROLL", str(item.dice))
            if item.roller:
                yield self.line("ROLLED_BY", f"{{{item.roller.name}}}")
            yield from self.clause("SUCCEEDS", item.success.span)
        else:
            yield from self.clause("FIRST", item.first.span)
            yield from self.clause("THEN", item.then.span, place="order")
            if item.owner_chooses:
                yield self.line("OWNER_CHOOSES", "")

    def anchor(self, anchor: Anchor) -> Iterator[str]:
        facets = [concept for concept, _ in anchor.facets]
        whole = [concept for concept in anchor.concepts if concept not in facets]
        if whole:
            yield self.line("CONCEPT", ", ".join(whole))
        if anchor.cites:
            yield self.line("CITES", ", ".join(anchor.cites))
        for assumption in anchor.assumptions:
            yield self.line("ASSUMING", f"{assumption.ident} {self.assumed(assumption)}")

    def assumed(self, assumption: Assumption) -> str:
        """What is assumed; of a reading the options, and as a comment what the one in force says."""
        if not assumption.options:
            return f'"{assumption.text}"'
        joined = f" {self.language.shown('OR')} ".join(assumption.options)
        return f"{joined}  # {assumption.text}"

    def rule(self, rule: Rule) -> Iterator[str]:
        for number, trigger in enumerate(rule.triggers):
            yield from self.clause("OR" if number else "WHEN", trigger.span)
        yield from self.conditions(rule.conditions, "AND")
        if rule.choice:
            yield from self.clause("CHOOSE", rule.choice.span)
            yield from self.conditions(rule.choice.conditions, "WHERE", "WHERE", 2)
        yield from self.defeaters(rule.defeaters)
        for number, effect in enumerate(rule.effects):
            yield from self.effect(effect, "AND" if number else "THEN")
        yield from (self.line("OVERRIDES", name) for name in rule.overrides)
        yield from (self.line("REGARDLESS", name) for name in rule.regardless)

    def defeaters(self, defeaters: Sequence[Defeater]) -> Iterator[str]:
        for defeater in defeaters:
            yield from self.conditions(defeater.conditions, "UNLESS")

    def conditions(
        self, conditions: Iterable[Condition], first: str, later: str = "AND", depth: int = 1
    ) -> Iterator[str]:
        for number, condition in enumerate(conditions):
            yield from self.condition(condition, later if number else first, depth)

    def condition(self, condition: Condition, keyword: str, depth: int) -> Iterator[str]:
        if isinstance(condition, AnyOf):
            for number, choice in enumerate(condition.choices):
                for part in choice:
                    yield from self.condition(part, "OR" if number else keyword, depth)
            return
        yield from self.clause(keyword, condition.span, depth)
        if isinstance(condition, Exists):
            inner = condition.conditions[:-1] if condition.every else condition.conditions
            yield from self.conditions(inner, "WHERE", "WHERE", depth + 1)
            if condition.every:
                yield from self.condition(condition.claim, "HOLDS", depth + 1)

    def effect(self, effect: Effect, keyword: str, depth: int = 1) -> Iterator[str]:
        yield from self.clause(keyword, effect.span, depth)
        for span in effect.until_spans:
            window = span not in [event.span for event in effect.until_events]
            yield self.line("UNTIL", sentence_text(span), depth + 1, "window" if window else "")
        yield from self.conditions(effect.lasting, "WHILE", "AND", depth + 1)
        for word, effects in (("ON_SUCCESS", effect.on_success), ("ON_FAILURE", effect.on_failure)):
            for below in effects:
                yield from self.effect(below, word, depth + 1)


# --- productions -----------------------------------------------------------------------------------------------------


def production_text(production: Production) -> str:
    """A production in the manner of a logic program; ``on``, ``may``, ``book`` and ``need`` are tokens."""
    parts = [f"{_pattern(production.trigger)} @ stage {production.stage}"]
    parts += [_pattern(p) for p in production.conditions]
    parts += [_comparison(c) for c in production.comparisons]
    parts += [f"{_term(a)} is not {_term(b)}" for a, b in production.distinctions]
    parts += [f"not {_pattern(p)}" for p in production.absences]
    return f"{_pattern(production.head)}\n    <- " + "\n     & ".join(parts)


def _pattern(pattern: Pattern) -> str:
    return f"{pattern.predicate}({', '.join(map(_term, pattern.terms))})"


def _term(term: Term) -> str:
    if isinstance(term, Var):
        return f"{{{term.name}}}"
    return repr(term) if isinstance(term, str) else number_text(Fraction(term, SCALE))


def _comparison(comparison: Comparison) -> str:
    terms = " + ".join(f"{c} * {_term(v)}" if c != 1 else _term(v) for c, v in comparison.terms)
    return f"{terms} {comparison.operator} {number_text(Fraction(-comparison.constant, SCALE))}"
