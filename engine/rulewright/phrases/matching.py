"""Matches sentences to phrases.

A sentence is matched as a whole: every reading that uses all its words is found, so that two readings show up as an
ambiguity instead of being settled by the order of the vocabulary.  Kinds are respected where a name stands in a
place; kinds of variables are settled later, over the whole rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal, TypeVar, cast

from rulewright.model import (
    NUMBER,
    Arithmetic,
    Atom,
    Change,
    ComesFrom,
    Compare,
    Create,
    Expression,
    Individual,
    IsA,
    Known,
    MeasureOf,
    Number,
    Phrase,
    Role,
    RollAgain,
    Rounded,
    Same,
    ShorthandUse,
    TestModifier,
    Total,
    Variable,
)
from rulewright.phrases.lexicon import DIMENSION, RULE, WINDOW, Entry, Lexicon, name_key
from rulewright.phrases.words import Fixed, Template, Word, split
from rulewright.productions import Operator
from rulewright.text import Span

ANYTHING = "thing"
MOST_STEPS = 300_000
"""A sentence that takes longer to match, with many names in many places, matches nothing."""

MOST_WORDS = 100
"""Longer sentences match nothing: matching goes as deep as expressions are nested."""
_T = TypeVar("_T")
Filled = dict[str, Any]
SlotParser = Callable[[str, int], Iterator[tuple[Any, int]]]


@dataclass(frozen=True)
class Quantified:
    """The head of a quantified condition; what it is about follows in ``where`` clauses."""

    variable: Variable
    form: Literal["exists", "none", "at-least", "every"]
    number: int
    span: Span


Sentence = (
    Atom
    | Compare
    | Same
    | IsA
    | Known
    | ComesFrom
    | Change
    | TestModifier
    | RollAgain
    | Create
    | ShorthandUse
    | Quantified
)


class Reader:
    """Reads one sentence against a lexicon.

    Args:
        lenient: names may stand in places of any kind, and numbers may count anything; used to say what is wrong with
            a sentence.
        guess: any few words may be a name, an ``Individual`` whose ident starts with ``?``, and what a number counts;
            used for the same end.
    """

    def __init__(self, lexicon: Lexicon, span: Span, lenient: bool = False, guess: bool = False) -> None:
        self.lexicon = lexicon
        self.span = span
        self.lenient = lenient
        self.guess = guess
        words = split(span.text, lexicon.language.decimal)
        self.words: tuple[Word, ...] = words if len(words) <= MOST_WORDS else ()
        self._present = {word.folded for word in self.words}
        self._steps = 0
        self._numbers: dict[int, list[tuple[Expression, int]]] = {}

    # --- whole sentences -----------------------------------------------------------------------------------------

    def events(self, forms: tuple[str, ...] = ("plain",)) -> list[Atom]:
        """Readings as an event; ``forms`` may ask for negative wordings too."""
        return [atom for form in forms for atom in self._atoms("event", form)]

    def facts(self) -> list[Atom]:
        """Readings as a fact, worded positively or negatively."""
        denied = (replace(filled["fact"], span=self.span, negated=True) for filled in self._own("sentences", "not-so"))
        return unique([*self._atoms("fact", "plain"), *self._atoms("fact", "not"), *denied])

    def conditions(self) -> list[Sentence]:
        """Readings as a condition."""
        found: list[Sentence] = [*self.facts(), *self._comparisons(), *self._quantified()]
        if not any(isinstance(reading, Atom) for reading in found):
            found += self._sames()
        found += self._built_in()
        for short, template in self.lexicon.shorthands:
            roles = {r.name: r for r in short.roles}
            for filled in self._whole(template, self._role_parser(roles)):
                found.append(ShorthandUse(short, tuple(filled[r.name] for r in short.roles), self.span))
        kinds = any(isinstance(reading, IsA) for reading in found)
        # "{means} is an attack" speaks of the kind, even where a thing of the vocabulary is called just so.
        return unique([r for r in found if not (kinds and isinstance(r, Same))])

    def effects(self) -> list[Sentence]:
        """Readings as an effect."""
        found: list[Sentence] = [*self.events(), *self.facts()]
        directions: tuple[Literal["fall", "rise", "become"], ...] = ("fall", "rise", "become")
        for direction in directions:
            for filled in self._own("sentences", direction):
                found.append(Change(filled["measure"], direction, filled["amount"], self.span))
        found += self._about_tests()
        for filled in self._own("sentences", "create"):
            if isinstance(filled["variable"], Variable):
                found.append(Create(filled["variable"], filled["kind"], self.span))
        return unique(found)

    def own(self, key: str) -> list[Filled]:
        """Readings as one of the language's own sentences: its places by name."""
        return list(self._own("sentences", key))

    def measures(self) -> list[MeasureOf]:
        """Readings as a measure and nothing else."""
        found = (node for node, end in self.number(0) if end == len(self.words))
        return unique([node for node in found if isinstance(node, MeasureOf)])

    def expressions(self) -> list[Expression]:
        """Readings as a number to be worked out, or a thing to be counted."""
        return unique([node for node, end in self.number(0) if end == len(self.words)])

    def comparison(self) -> list[Compare]:
        """Readings as a comparison."""
        return unique(self._comparisons())

    def attributes(self) -> list[tuple[str, Fraction]]:
        """Readings as an attribute of a thing that is being introduced: a measure and its value."""
        found = []
        for entry in self.lexicon.entries.get(("measure", "with"), ()):
            dimension = entry.phrase.dimension
            for filled in self._whole(entry.template, lambda _, i, d=dimension: self._number_in(d, i)):  # type: ignore[misc]
                if isinstance(filled["value"], Number):
                    found.append((entry.phrase.ident, filled["value"].value))
        return unique(found)

    def names(self, kind: str) -> list[Individual]:
        """Readings as nothing but the name of a thing of a kind."""
        found = (node for node, end in self._entity(kind, 0) if end == len(self.words))
        return unique([node for node in found if isinstance(node, Individual)])

    # --- parts ---------------------------------------------------------------------------------------------------

    def _atoms(self, group: str, form: str) -> Iterator[Atom]:
        for entry in self.lexicon.fitting(group, form, self._present):
            yield from self._entry_atoms(entry, negated=form == "not")

    def _entry_atoms(self, entry: Entry, negated: bool) -> Iterator[Atom]:
        roles = {r.name: r for r in entry.phrase.roles}
        for filled in self._whole(entry.template, self._role_parser(roles)):
            yield Atom(entry.phrase.ident, _arguments(entry.phrase, filled), self.span, negated)

    def _comparisons(self) -> list[Compare]:
        found = []
        for operator in self.lexicon.language.comparisons:
            for filled in self._own("comparisons", operator):
                left, right = filled["left"], filled["right"]
                bare = isinstance(left, Variable) and isinstance(right, Variable) and operator in ("=", "!=")
                if not bare and not (isinstance(left, Number) and isinstance(right, Number)):
                    found.append(Compare(left, cast(Operator, operator), right, self.span))
        return unique(found)

    def _sames(self) -> Iterator[Same]:
        for key in ("same", "different"):
            for template in self.lexicon.own("sentences", key):
                for filled in self._whole(template, lambda _, i: self._entity(ANYTHING, i)):
                    if isinstance(filled["left"], Variable) or isinstance(filled["right"], Variable):
                        yield Same(filled["left"], filled["right"], self.span, key == "different")

    def _built_in(self) -> Iterator[Sentence]:
        """Conditions that belong to the language itself: kinds, and the rule that an event comes from."""
        for key in ("is-a", "is-not-a"):
            for filled in self._own("sentences", key):
                yield IsA(filled["thing"], filled["kind"], self.span, key == "is-not-a")
        for key in ("known", "not-known"):
            for filled in self._own("sentences", key):
                yield Known(filled["measure"], self.span, key == "not-known")
        for key in ("comes-from", "goes-back-to"):
            for filled in self._own("sentences", key):
                yield ComesFrom(filled["rule"], key == "comes-from", self.span)

    def _about_tests(self) -> Iterator[Sentence]:
        parts: tuple[Literal["roll", "characteristic"], ...] = ("roll", "characteristic")
        for part in parts:
            for filled in self._own("sentences", f"add-to-{part}"):
                yield TestModifier(part, 1, filled["amount"], self.span)
            for filled in self._own("sentences", f"take-from-{part}"):
                yield TestModifier(part, -1, filled["amount"], self.span)
        for _ in self._own("sentences", "roll-again"):
            yield RollAgain(self.span)

    def _quantified(self) -> Iterator[Quantified]:
        forms: tuple[Literal["exists", "none", "at-least", "every"], ...] = ("exists", "none", "at-least", "every")
        for form in forms:
            for filled in self._own("sentences", form):
                number = Fraction(filled.get("number", 1))
                countable = number.denominator == 1 and number >= 1
                if isinstance(filled["variable"], Variable) and (countable or self.lenient):
                    yield Quantified(filled["variable"], form, int(number), self.span)

    def _own(self, table: str, key: str) -> Iterator[Filled]:
        for template in self.lexicon.own(table, key):
            yield from self._whole(template, self._own_slot)

    def _whole(self, template: Template, slots: SlotParser) -> Iterator[Filled]:
        if self._may_fit(template):
            yield from (filled for filled, end in self.fill(template, 0, slots) if end == len(self.words))

    def _may_fit(self, template: Template) -> bool:
        """Whether all fixed words of a template are in the sentence; most templates are ruled out by this."""
        return all(not self._present.isdisjoint(item.forms) for item in template if isinstance(item, Fixed))

    def fill(self, template: Template, start: int, slots: SlotParser) -> Iterator[tuple[Filled, int]]:
        """All ways to match a template from a word on: its places by name, and where it ends."""
        if not template:
            yield {}, start
            return
        self._steps += 1
        if self._steps > MOST_STEPS:
            return
        item, rest = template[0], template[1:]
        if isinstance(item, Fixed):
            if start < len(self.words) and self.words[start].folded in item.forms and self._plain(start):
                yield from self.fill(rest, start + 1, slots)
            return
        for node, end in slots(item.role, start):
            for filled, last in self.fill(rest, end, slots):
                yield {item.role: node, **filled}, last

    def _plain(self, index: int) -> bool:
        return self.words[index].type in ("word", "number")

    # --- places --------------------------------------------------------------------------------------------------

    def _role_parser(self, roles: Mapping[str, Role]) -> SlotParser:
        def parse(name: str, start: int) -> Iterator[tuple[Any, int]]:
            role = roles[name]
            if role.kind == NUMBER:
                return self._number_in(role.dimension, start)
            return self._entity(role.kind, start)

        return parse

    def _own_slot(self, name: str, start: int) -> Iterator[tuple[Any, int]]:
        if name == "number":
            if start < len(self.words) and self.words[start].type == "number":
                yield Fraction(self.words[start].text), start + 1
        elif name == "measure":
            yield from ((node, end) for node, end in self.number(start) if isinstance(node, MeasureOf))
        elif name == "new":
            yield from ((self._text(start, end), end) for end in range(start + 1, len(self.words)))
        elif name == "kind":
            yield from self._kind(start)
        elif name in ("rule", "other"):
            yield from self._entity(RULE, start)
        elif name in ("left", "right", "expression", "amount"):
            yield from self.number(start)
        elif name == "side":
            yield from self._entity("side", start)
        elif name == "fact" and start < len(self.words):
            rest = Reader(self.lexicon, self.span.within(self.words[start].start, len(self.span.text)), self.lenient)
            yield from ((atom, len(self.words)) for atom in rest._atoms("fact", "plain"))
        elif name == "window":
            yield from self._entity(WINDOW, start)
        elif name == "test":
            yield from self._entity("test", start)
        else:
            if (
                self.guess
                and name in ("thing", "bearer")
                and start < len(self.words)
                and self.words[start].type == "word"
            ):
                last = min(start + 5, len(self.words))
                yield from ((Individual("?" + self._text(start, end)), end) for end in range(start + 1, last + 1))
            yield from self._entity(None, start)

    def _text(self, start: int, end: int) -> str:
        first, last = self.words[start], self.words[end - 1]
        return first.text if start + 1 == end else self.span.text[first.start : last.end]

    def _kind(self, start: int) -> Iterator[tuple[str, int]]:
        for ident, key in self.lexicon.kinds:
            words = self.words[start : start + len(key)]
            if tuple(w.folded for w in words) == key and all(w.type == "word" for w in words):
                yield ident, start + len(key)
        if self.guess:
            for end in range(start + 1, min(start + 2, len(self.words)) + 1):
                yield "?" + self._text(start, end), end

    def _entity(self, kind: str | None, start: int) -> Iterator[tuple[Variable | Individual, int]]:
        """A variable or a name at a word; names are taken only when they are of the wanted kind."""
        if start >= len(self.words):
            return
        word = self.words[start]
        if word.type == "variable":
            yield Variable(word.text), start + 1
            return
        if word.type == "quoted":
            for key in dict.fromkeys(
                (name_key(word.text, self.lexicon.language), tuple(w.folded for w in split(word.text)))
            ):
                yield from ((i, start + 1) for i in self._named(key, kind))
            return
        if self.guess and kind not in (DIMENSION, WINDOW, ANYTHING, None):
            for end in range(start + 1, min(start + 5, len(self.words)) + 1):
                yield Individual("?" + self._text(start, end)), end
        first = start
        while True:
            for length in range(min(self.lexicon.longest_name, len(self.words) - first), 0, -1):
                key = tuple(w.folded for w in self.words[first : first + length])
                yield from ((i, first + length) for i in self._named(key, kind))
            if first + 1 < len(self.words) and self.words[first].folded in self.lexicon.language.articles:
                first += 1
            else:
                return

    def _named(self, key: tuple[str, ...], kind: str | None) -> Iterator[Individual]:
        for thing in self.lexicon.things.get(key, ()):
            if self.lenient or kind is None or self.lexicon.vocabulary.is_a(thing.kind, kind):
                yield Individual(thing.ident)

    # --- numbers -------------------------------------------------------------------------------------------------

    def _number_in(self, dimension: str | None, start: int) -> Iterator[tuple[Expression, int]]:
        """A number for a place that counts ``dimension``: a literal must say so, unless nothing is counted."""
        if self.guess and start + 1 < len(self.words) and self.words[start].type == "number":
            for end in range(start + 2, min(start + 4, len(self.words)) + 1):
                unit = "?" + self._text(start + 1, end)
                yield Number(Fraction(self.words[start].text), unit), end
        for node, end in self.number(start):
            if isinstance(node, Number) and node.dimension != dimension and not self.lenient:
                continue
            yield node, end
            if isinstance(node, Variable):
                yield from ((node, e) for d, e in self._entity(DIMENSION, end) if d == Individual(dimension or ""))

    def number(self, start: int) -> Iterator[tuple[Expression, int]]:
        """Numeric expressions from a word on, longest first."""
        if start not in self._numbers:
            self._numbers[start] = []
            found = list(self._primary(start))
            for node, end in found:
                found.extend(self._continued(node, end))
            self._numbers[start] = sorted(unique(found), key=lambda pair: -pair[1])
        return iter(self._numbers[start])

    def _continued(self, left: Expression, start: int) -> Iterator[tuple[Expression, int]]:
        signs: tuple[tuple[str, Literal["+", "-"]], ...] = (("plus", "+"), ("minus", "-"))
        for key, operator in signs:
            for template in self.lexicon.own("numbers", key):
                for filled, end in self.fill(template[1:], start, lambda _, i: iter(list(self._primary(i)))):
                    yield Arithmetic(operator, left, filled["expression"]), end
        for key, up in (("rounded-up", True), ("rounded-down", False)):
            for template in self.lexicon.own("numbers", key):
                yield from ((Rounded(left, up), end) for _, end in self.fill(template[1:], start, self._own_slot))

    def _primary(self, start: int) -> Iterator[tuple[Expression, int]]:
        if start >= len(self.words):
            return
        word = self.words[start]
        if word.type == "number":
            value = Fraction(word.text)
            yield Number(value), start + 1
            for dimension, end in self._entity(DIMENSION, start + 1):
                if isinstance(dimension, Individual):
                    yield Number(value, dimension.ident), end
        if word.type == "variable":
            yield Variable(word.text), start + 1
        yield from self._scaled(start)
        for template in self.lexicon.own("numbers", "total"):
            for _, end in self.fill(template, start, self._own_slot):
                yield Total(), end
        for form in ("plain", "before"):
            for entry in self.lexicon.fitting("measure", form, self._present):
                if not self._may_fit(entry.template):
                    continue
                roles = {r.name: r for r in entry.phrase.roles}
                for filled, end in self.fill(entry.template, start, self._role_parser(roles)):
                    yield MeasureOf(entry.phrase.ident, _arguments(entry.phrase, filled), form == "before"), end

    def _tight_slot(self, name: str, start: int) -> Iterator[tuple[Any, int]]:
        """Like the language's own places, but an expression reaches no farther than the next *plus* or *minus*."""
        return iter(list(self._primary(start))) if name == "expression" else self._own_slot(name, start)

    def _scaled(self, start: int) -> Iterator[tuple[Expression, int]]:
        factors = {"percent": Fraction(1, 100), "half": Fraction(1, 2), "third": Fraction(1, 3)}
        factors |= {"quarter": Fraction(1, 4), "times": Fraction(1)}
        for key, factor in factors.items():
            for template in self.lexicon.own("numbers", key):
                for filled, end in self.fill(template, start, self._tight_slot):
                    number = Number(filled.get("number", Fraction(1)) * factor)
                    yield Arithmetic("*", number, filled["expression"]), end


def _arguments(phrase: Phrase, filled: Filled) -> tuple[Expression | None, ...]:
    return tuple(filled.get(role.name) for role in phrase.roles)


def unique(items: list[_T]) -> list[_T]:
    """Items without repeats, in order."""
    return list(dict.fromkeys(items))
