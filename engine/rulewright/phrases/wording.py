"""Words facts, events and conditions back into sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rulewright.model import (
    NUMBER,
    AnyOf,
    Arithmetic,
    Atom,
    Change,
    ComesFrom,
    Compare,
    Condition,
    Expression,
    Individual,
    IsA,
    Known,
    MeasureOf,
    Number,
    Phrase,
    Rounded,
    Same,
    Total,
    Variable,
    Vocabulary,
    Wording,
)
from rulewright.phrases.filling import Filling, combined, fill
from rulewright.phrases.words import Slot, fold, roles_of, template, without_forms
from rulewright.productions import NOBODY
from rulewright.speech import Called, Text, later, marked, number_text, spoken
from rulewright.syntax.keywords import Language, languages

Value = str | Fraction
BUILT_IN = ("thing", NUMBER, "dimension", "rule", "side", "test", "window")
"""Kinds that there are without a vocabulary."""


@dataclass(frozen=True)
class Worder:
    """Writes sentences of one language.

    Attributes:
        names: what things that the vocabulary does not know are called.
    """

    vocabulary: Vocabulary
    language: Language
    names: Mapping[str, str]

    def name(self, ident: str, bare: bool = False) -> str:
        """What a thing is called, with its article unless ``bare``."""
        known = self.vocabulary.names.get(ident)
        if known is None or ident in self.names:
            return self.names.get(ident, ident)
        text = self._first(known.wordings, ident)
        words = text.split(" ")
        return " ".join(words[1:]) if bare and len(words) > 1 and fold(words[0]) in self.language.articles else text

    def kind(self, ident: str) -> str:
        """The word for a kind."""
        return self._first(self.vocabulary.kinds[ident].wordings, ident)

    def _first(self, wordings: Sequence[Wording], ident: str) -> str:
        """The first words for something in this language, or in any, marked."""
        chosen = next((w for w in wordings if w.language == self.language.code), next(iter(wordings), None))
        return self._marked(chosen.template.split("|")[0], chosen) if chosen else ident

    def _marked(self, text: str, wording: Wording) -> str:
        """A text made from a wording, with a mark when that is of another language."""
        return text if wording.language == self.language.code else marked(text, wording.language)

    def number(self, value: Fraction, dimension: str | None = None) -> str:
        """A number, with what it counts."""
        text = number_text(value, self.language.decimal)
        if dimension is None:
            return text
        wordings = self.vocabulary.names[dimension].wordings
        wording = next((w for w in wordings if w.language == self.language.code), wordings[0])
        choices = wording.template.split("|")
        if not choices[0][0].isalnum():
            return text + choices[0]
        return self._marked(f"{text} {choices[1] if value == 1 and len(choices) > 1 else choices[0]}", wording)

    # --- facts and events ----------------------------------------------------------------------------------------

    def statement(self, phrase: str, values: tuple[Value, ...], negated: bool = False) -> str:
        """A fact or event as a sentence; places that hold nobody are left out where a wording allows it."""
        arguments = tuple(None if v == NOBODY else _constant(v) for v in values)
        return self.atom(phrase, arguments, {}, negated)

    def atom(
        self,
        phrase: str,
        arguments: tuple[Expression | None, ...],
        bindings: Mapping[str, Value],
        negated: bool = False,
    ) -> str:
        """A phrase with its places filled, as a sentence."""
        return self._atom(phrase, arguments, bindings, negated).text

    def _atom(
        self,
        phrase: str,
        arguments: tuple[Expression | None, ...],
        bindings: Mapping[str, Value],
        negated: bool = False,
        form: str = "plain",
    ) -> Filling:
        known = self.vocabulary.phrases[phrase]
        filled = {r.name: a for r, a in zip(known.roles, arguments, strict=True) if a is not None}
        own = {w.form for w in known.wordings if w.language == self.language.code}
        if negated and "not" not in (own or {w.form for w in known.wordings}):
            return Filling(self.own("sentences", "not-so", fact=self.atom(phrase, arguments, bindings)))
        wording = self._fitting(known, "not" if negated else form, frozenset(filled))
        if wording is None:
            wording = self._fitting(known, form, frozenset(filled)) or known.wordings[0]
        dimensions = {r.name: r.dimension for r in known.roles if r.kind == NUMBER}
        if known.kind == "modifier":
            filled = {
                n: _signed(a, bindings, self.language.decimal) if n in dimensions else a for n, a in filled.items()
            }
        slots = [item for item in template(wording.template) if isinstance(item, Slot)]
        places = {slot.role: self._argument(filled.get(slot.role), slot, bindings, dimensions) for slot in slots}
        language = languages().get(wording.language, self.language)
        texts = [fill(language, wording.template, places, second=second) for second in (False, True)]
        return Filling(self._marked(texts[0], wording), second=self._marked(texts[1], wording))

    def _fitting(self, phrase: Phrase, form: str, filled: frozenset[str]) -> Wording | None:
        """The wording that says all that is filled, and as little else as possible."""
        forms = [w for w in phrase.wordings if w.form == form and w.language == self.language.code]
        forms = forms or [w for w in phrase.wordings if w.form == form]
        fitting = [w for w in forms if set(roles_of(w.template)) <= filled]
        return max(fitting, key=lambda w: len(roles_of(w.template)), default=forms[0] if forms else None)

    def _argument(
        self,
        argument: Expression | None,
        slot: Slot,
        bindings: Mapping[str, Value],
        dimensions: Mapping[str, str | None],
    ) -> Filling:
        if argument is None:
            return Filling("…")
        if slot.role in dimensions:
            value = bindings.get(argument.name) if isinstance(argument, Variable) else None
            if isinstance(value, Fraction):
                return Filling(self.number(value, dimensions[slot.role]))
            if isinstance(argument, Number):
                return Filling(self.number(argument.value, argument.dimension or dimensions[slot.role]))
        return self._value(argument, bindings, slot.bare)

    # --- expressions and conditions ------------------------------------------------------------------------------

    def expression(self, node: Expression, bindings: Mapping[str, Value]) -> str:
        """An expression in words."""
        return self._value(node, bindings).text

    def _value(self, node: Expression, bindings: Mapping[str, Value], bare: bool = False) -> Filling:
        if isinstance(node, Variable):
            if node.name not in bindings:
                return Filling(f"{{{node.name}}}")
            value = bindings[node.name]
            return Filling(self.number(value) if isinstance(value, Fraction) else self.name(value, bare))
        if isinstance(node, Individual):
            return Filling(self.name(node.ident, bare))
        if isinstance(node, Number):
            return Filling(self.number(node.value, node.dimension))
        if isinstance(node, Total):
            return Filling(self.own("numbers", "total"))
        if isinstance(node, MeasureOf):
            return self._atom(node.phrase, node.arguments, bindings, form="before" if node.before else "plain")
        if isinstance(node, Rounded):
            key = "rounded-up" if node.up else "rounded-down"
            return Filling(self.own("numbers", key, expression=self._value(node.expression, bindings)))
        assert isinstance(node, Arithmetic)
        right = self._value(node.right, bindings)
        if node.operator == "*":
            assert isinstance(node.left, Number)
            return Filling(self._scaled(node.left.value, right))
        key = "plus" if node.operator == "+" else "minus"
        both = combined(self.language, key, self._value(node.left, bindings), right)
        return Filling(self.language.mark(both.text, f"numbers.{key}"))

    def _scaled(self, factor: Fraction, right: Filling) -> str:
        if factor.denominator == 1:
            key, number = "times", factor
        else:
            key, number = "percent", factor * 100
        if number.denominator != 1 and factor == Fraction(1, 3):
            return self.own("numbers", "third", expression=right)
        return self.own("numbers", key, number=number_text(number, self.language.decimal), expression=right)

    def condition(self, node: Condition | Change, bindings: Mapping[str, Value]) -> str:
        """A condition in words, with what its variables stand for."""
        if isinstance(node, Atom):
            return self.atom(node.phrase, node.arguments, bindings, node.negated)
        if isinstance(node, Compare):
            left, right = self.expression(node.left, bindings), self.expression(node.right, bindings)
            return self.own("comparisons", node.operator, left=left, right=right)
        if isinstance(node, Same):
            left, right = self.expression(node.left, bindings), self.expression(node.right, bindings)
            return self.own("sentences", "different" if node.negated else "same", left=left, right=right)
        if isinstance(node, Change):
            measure, amount = self.expression(node.measure, bindings), self.expression(node.amount, bindings)
            return self.own("sentences", node.direction, measure=measure, amount=amount)
        if isinstance(node, AnyOf):
            return self.language.inside("OR").join(
                self.language.inside("AND").join(self.condition(c, bindings) for c in choice) for choice in node.choices
            )
        if isinstance(node, IsA):
            thing, kind = self.expression(node.thing, bindings), self.kind(node.kind)
            return self.own("sentences", "is-not-a" if node.negated else "is-a", thing=thing, kind=kind)
        if isinstance(node, Known):
            key = "not-known" if node.negated else "known"
            return self.own("sentences", key, measure=self.expression(node.measure, bindings))
        if isinstance(node, ComesFrom):
            key = "comes-from" if node.directly else "goes-back-to"
            return self.own("sentences", key, rule=self.expression(node.rule, bindings))
        key = "every" if node.every else "none" if node.negated else "exists" if node.at_least == 1 else "at-least"
        head = self.own("sentences", key, variable=f"{{{node.variable.name}}}", number=str(node.at_least))
        lines = node.conditions[:-1] if node.every else node.conditions
        inner = self.language.inside("AND").join(self.condition(c, bindings) for c in lines)
        where = f"{self.language.inside('WHERE')}{inner}" if lines else ""
        claim = f"{self.language.inside('HOLDS')}{self.condition(node.claim, bindings)}" if node.every else ""
        return f"{head}{where}{claim}"

    def own(self, table: str, key: str, **places: str | Filling) -> str:
        """One of the language's own forms with its places filled, marked where it is English for want of another."""
        forms: Mapping[str, tuple[str, ...]] = getattr(self.language, table)
        return self.language.mark(self.form(forms[key][0], **places), f"{table}.{key}")

    def form(self, form: str, **places: str | Filling) -> str:
        """A form with its places filled, as it can be typed."""
        filled = {name: Filling(place) if isinstance(place, str) else place for name, place in places.items()}
        return fill(self.language, form, filled)


def _signed(node: Expression, bindings: Mapping[str, Value], decimal: str) -> Expression:
    """The number of a modifier as a word with its sign."""
    value = node.value if isinstance(node, Number) else bindings.get(node.name) if isinstance(node, Variable) else None
    if not isinstance(value, Fraction):
        return node
    return Individual(f"{'+' if value >= 0 else '-'}{number_text(abs(value), decimal)}")


def _constant(value: Value) -> Expression:
    return Number(value) if isinstance(value, Fraction) else Individual(value)


def speaker(vocabulary: Vocabulary, own: Language, names: Mapping[str, str]) -> Worder:
    """Words sentences in the language spoken; in ``own``, where nobody chose one or it has no keyword table."""
    return Worder(vocabulary, languages().get(spoken(own.code), own), names)


def always_filled(phrase: Phrase) -> frozenset[str]:
    """The places of a phrase that every wording fills; in the others there may be nobody."""
    plain = [set(roles_of(w.template)) for w in phrase.wordings if w.form == "plain"]
    filled = set.intersection(*plain) if plain else set()
    first_two = {role.name for role in phrase.roles[:2]}
    if phrase.symmetric and not first_two <= filled:
        filled -= first_two
    return frozenset(filled)


def phrase_text(vocabulary: Vocabulary, phrase: str) -> Called:
    """A phrase as its vocabulary words it."""
    wordings = vocabulary.phrases[phrase].wordings
    return Called(phrase, tuple((w.language, without_forms(w.template)) for w in wordings))


def name_text(vocabulary: Vocabulary, ident: str) -> Called:
    """A name as the vocabulary words it."""
    known = vocabulary.names.get(ident)
    return Called(ident, tuple((w.language, w.template.split("|")[0]) for w in known.wordings) if known else ())


def kind_text(vocabulary: Vocabulary, ident: str) -> Called | Text:
    """A kind as the vocabulary words it; for those that are built in and that it has no words for, as the program."""
    known = vocabulary.kinds.get(ident)
    words = tuple((w.language, w.template.split("|")[0]) for w in known.wordings) if known else ()
    return later(f"kind.{ident}") if not words and ident in BUILT_IN else Called(ident, words)
