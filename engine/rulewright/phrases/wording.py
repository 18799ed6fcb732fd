"""Words facts, events and conditions back into sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    Name,
    Number,
    Phrase,
    Rounded,
    Same,
    Total,
    Variable,
    Vocabulary,
    Wording,
)
from rulewright.phrases.words import Fixed, Slot, fold, roles_of, template, without_forms
from rulewright.productions import NOBODY
from rulewright.syntax.keywords import Language

Value = str | Fraction


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
        text = _wording_of(known, self.language)
        words = text.split(" ")
        return " ".join(words[1:]) if bare and len(words) > 1 and fold(words[0]) in self.language.articles else text

    def kind(self, ident: str) -> str:
        """The word for a kind."""
        wordings = self.vocabulary.kinds[ident].wordings
        own = [w for w in wordings if w.language == self.language.code] or list(wordings)
        return own[0].template.split("|")[0] if own else ident

    def number(self, value: Fraction, dimension: str | None = None) -> str:
        """A number, with what it counts."""
        text = number_text(value, self.language.decimal)
        if dimension is None:
            return text
        forms = [w for w in self.vocabulary.names[dimension].wordings if w.language == self.language.code]
        choices = (forms or list(self.vocabulary.names[dimension].wordings))[0].template.split("|")
        if not choices[0][0].isalnum():
            return text + choices[0]
        return f"{text} {choices[1] if value == 1 and len(choices) > 1 else choices[0]}"

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
        form: str = "plain",
    ) -> str:
        """A phrase with its places filled, as a sentence."""
        known = self.vocabulary.phrases[phrase]
        filled = {r.name: a for r, a in zip(known.roles, arguments, strict=True) if a is not None}
        if negated and not any(w.form == "not" for w in known.wordings):
            form = self.language.sentences["not-so"][0]
            return self.form(form, fact=self.atom(phrase, arguments, bindings))
        wording = self._fitting(known, "not" if negated else form, frozenset(filled))
        if wording is None:
            wording = self._fitting(known, form, frozenset(filled)) or known.wordings[0]
        dimensions = {r.name: r.dimension for r in known.roles if r.kind == NUMBER}
        if known.kind == "modifier":
            filled = {
                n: _signed(a, bindings, self.language.decimal) if n in dimensions else a for n, a in filled.items()
            }
        return self._fill(wording, lambda slot: self._argument(filled.get(slot.role), slot, bindings, dimensions))

    def _fitting(self, phrase: Phrase, form: str, filled: frozenset[str]) -> Wording | None:
        """The wording that says all that is filled, and as little else as possible."""
        forms = [w for w in phrase.wordings if w.form == form and w.language == self.language.code]
        forms = forms or [w for w in phrase.wordings if w.form == form]
        fitting = [w for w in forms if set(roles_of(w.template)) <= filled]
        return max(fitting, key=lambda w: len(roles_of(w.template)), default=forms[0] if forms else None)

    def _fill(self, wording: Wording, place: Callable[[Slot], str]) -> str:
        text = ""
        for item in template(wording.template):
            piece = item.shown if isinstance(item, Fixed) else place(item)
            text += piece if not text or piece.startswith(("'", "’", "%", ",")) else f" {piece}"
        return text

    def _argument(
        self,
        argument: Expression | None,
        slot: Slot,
        bindings: Mapping[str, Value],
        dimensions: Mapping[str, str | None],
    ) -> str:
        if argument is None:
            return "…"
        if slot.role in dimensions:
            value = bindings.get(argument.name) if isinstance(argument, Variable) else None
            if isinstance(value, Fraction):
                return self.number(value, dimensions[slot.role])
            if isinstance(argument, Number):
                return self.number(argument.value, argument.dimension or dimensions[slot.role])
        return self.expression(argument, bindings, slot.bare)

    # --- expressions and conditions ------------------------------------------------------------------------------

    def expression(self, node: Expression, bindings: Mapping[str, Value], bare: bool = False) -> str:
        """An expression in words."""
        if isinstance(node, Variable):
            if node.name not in bindings:
                return f"{{{node.name}}}"
            value = bindings[node.name]
            return self.number(value) if isinstance(value, Fraction) else self.name(value, bare)
        if isinstance(node, Individual):
            return self.name(node.ident, bare)
        if isinstance(node, Number):
            return self.number(node.value, node.dimension)
        if isinstance(node, Total):
            return self.language.numbers["total"][0]
        if isinstance(node, MeasureOf):
            form = "before" if node.before else "plain"
            return self.atom(node.phrase, node.arguments, bindings, form=form)
        if isinstance(node, Rounded):
            form = self.language.numbers["rounded-up" if node.up else "rounded-down"][0]
            return form.replace("{expression}", self.expression(node.expression, bindings))
        assert isinstance(node, Arithmetic)
        right = self.expression(node.right, bindings)
        if node.operator == "*":
            assert isinstance(node.left, Number)
            return self._scaled(node.left.value, right)
        key = "plus" if node.operator == "+" else "minus"
        first, second = self.language.numbers[key][0].split("{expression}")[0:2], right
        return f"{self.expression(node.left, bindings)}{first[1]}{second}"

    def _scaled(self, factor: Fraction, right: str) -> str:
        if factor.denominator == 1:
            form, number = self.language.numbers["times"][0], factor
        else:
            form, number = self.language.numbers["percent"][0].replace(" %", "%"), factor * 100
        if number.denominator != 1 and factor == Fraction(1, 3):
            return self.language.numbers["third"][0].replace("{expression}", right)
        return form.replace("{number}", number_text(number, self.language.decimal)).replace("{expression}", right)

    def condition(self, node: Condition | Change, bindings: Mapping[str, Value]) -> str:
        """A condition in words, with what its variables stand for."""
        if isinstance(node, Atom):
            return self.atom(node.phrase, node.arguments, bindings, node.negated)
        if isinstance(node, Compare):
            form = self.language.comparisons[node.operator][0]
            return self.form(
                form, left=self.expression(node.left, bindings), right=self.expression(node.right, bindings)
            )
        if isinstance(node, Same):
            form = self.language.sentences["different" if node.negated else "same"][0]
            return self.form(
                form, left=self.expression(node.left, bindings), right=self.expression(node.right, bindings)
            )
        if isinstance(node, Change):
            form = self.language.sentences[node.direction][0]
            return self.form(
                form,
                measure=self.expression(node.measure, bindings),
                amount=self.expression(node.amount, bindings),
            )
        if isinstance(node, AnyOf):
            return f" {self.language.keyword('OR')} ".join(
                f" {self.language.keyword('AND')} ".join(self.condition(c, bindings) for c in choice)
                for choice in node.choices
            )
        if isinstance(node, IsA):
            form = self.language.sentences["is-not-a" if node.negated else "is-a"][0]
            return self.form(form, thing=self.expression(node.thing, bindings), kind=self.kind(node.kind))
        if isinstance(node, Known):
            form = self.language.sentences["not-known" if node.negated else "known"][0]
            return self.form(form, measure=self.expression(node.measure, bindings))
        if isinstance(node, ComesFrom):
            form = self.language.sentences["comes-from" if node.directly else "goes-back-to"][0]
            return self.form(form, rule=self.expression(node.rule, bindings))
        key = "none" if node.negated else "exists" if node.at_least == 1 else "at-least"
        head = self.form(
            self.language.sentences[key][0], variable=f"{{{node.variable.name}}}", number=str(node.at_least)
        )
        inner = f" {self.language.keyword('AND')} ".join(self.condition(c, bindings) for c in node.conditions)
        return f"{head} {self.language.keyword('WHERE')} {inner}"

    @staticmethod
    def form(form: str, **places: str) -> str:
        """One of the language's own sentences with its places filled."""
        words = [item.shown if isinstance(item, Fixed) else places[item.role] for item in template(form)]
        return " ".join(words)


def _signed(node: Expression, bindings: Mapping[str, Value], decimal: str) -> Expression:
    """The number of a modifier as a word with its sign."""
    value = node.value if isinstance(node, Number) else bindings.get(node.name) if isinstance(node, Variable) else None
    if not isinstance(value, Fraction):
        return node
    return Individual(f"{'+' if value >= 0 else '-'}{number_text(abs(value), decimal)}")


def _constant(value: Value) -> Expression:
    return Number(value) if isinstance(value, Fraction) else Individual(value)


def _wording_of(name: Name, language: Language) -> str:
    forms = [w for w in name.wordings if w.language == language.code] or list(name.wordings)
    return forms[0].template.split("|")[0] if forms else name.ident


def always_filled(phrase: Phrase) -> frozenset[str]:
    """The places of a phrase that every wording fills; in the others there may be nobody."""
    plain = [set(roles_of(w.template)) for w in phrase.wordings if w.form == "plain"]
    filled = set.intersection(*plain) if plain else set()
    first_two = {role.name for role in phrase.roles[:2]}
    if phrase.symmetric and not first_two <= filled:
        filled -= first_two
    return frozenset(filled)


def phrase_text(vocabulary: Vocabulary, phrase: str) -> str:
    """A phrase as its vocabulary words it first."""
    return without_forms(vocabulary.phrases[phrase].wordings[0].template)


def name_text(vocabulary: Vocabulary, ident: str) -> str:
    """A name as the vocabulary words it first; the ident where it has no words for it."""
    known = vocabulary.names.get(ident)
    return known.wordings[0].template.split("|")[0] if known and known.wordings else ident


def number_text(value: Fraction, decimal: str = ".") -> str:
    """An exact number: an integer, a decimal, or a fraction where no decimal is exact."""
    if value.denominator == 1:
        return str(value.numerator)
    for places in range(1, 13):
        scaled = value * 10**places
        if scaled.denominator == 1:
            whole, part = divmod(abs(scaled.numerator), 10**places)
            return f"{'-' if value < 0 else ''}{whole}{decimal}{part:0{places}d}"
    return f"{value.numerator}/{value.denominator}"
