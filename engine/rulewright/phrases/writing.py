"""Writes what was read from a sentence as a sentence again, in any language: whatever can be read can be written.

Most things can be said in several ways.  Each place where there is a choice is asked about in the same order in every
language, so that how a sentence was worded in one language can be carried over to another; see ``Choices``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

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
    Shorthand,
    ShorthandUse,
    TestModifier,
    Total,
    Variable,
    Vocabulary,
    Wording,
)
from rulewright.phrases.filling import Filling, after_preposition, combined, fill
from rulewright.phrases.lexicon import RULE
from rulewright.phrases.words import fold, roles_of, split
from rulewright.speech import number_text
from rulewright.syntax.keywords import Language
from rulewright.text import Span

MOST_WAYS = 600
"""Ways to say one thing that are tried out."""

MOST_FORMS = 3
"""Forms of a name, such as a singular and a plural, in which it is looked for in a sentence."""

_VALUES = (Variable, Individual, Number, MeasureOf, Arithmetic, Rounded, Total)
_FRACTIONS = {Fraction(1, 2): "half", Fraction(1, 3): "third", Fraction(1, 4): "quarter"}


@dataclass(frozen=True)
class Own:
    """What one of the language's own sentences says: which it is, and what stands in its places."""

    key: str
    places: tuple[tuple[str, object], ...]


@dataclass(frozen=True)
class Introduction:
    """A thing is introduced: its name, its kind, its side, and the measures that are given with it."""

    new: str
    kind: str
    side: Individual | None
    attributes: tuple[tuple[str, Fraction], ...]


@dataclass(frozen=True)
class Window:
    """A stretch of time, as it is named after *over*, *opens* and *closes*."""

    ident: str


class NoWordingError(Exception):
    """There are no words for something in a language; says for what, and where it is declared."""

    def __init__(self, ident: str, span: Span | None) -> None:
        super().__init__(ident)
        self.ident = ident
        self.span = span


@dataclass
class Choices:
    """How a sentence is worded: at each place where there are several ways, the number of one.

    Attributes:
        taken: the ways, in the order in which they are asked for; further ones are the first.
        plural: whether the sentence is in the plural; None for what seems fit.
        form: the number of the form in which names of the vocabulary are written; not carried over.
        second: whether a value by itself is written as after a preposition; not carried over.
        sizes: how many ways there were, noted while the sentence is written.
    """

    taken: Sequence[int] = ()
    plural: bool | None = None
    form: int = 0
    second: bool = False
    sizes: list[int] = field(default_factory=list)

    def pick(self, ways: int) -> int:
        """The number of one of some ways."""
        asked = self.taken[len(self.sizes)] if len(self.sizes) < len(self.taken) else 0
        self.sizes.append(ways)
        return asked if asked < ways else 0

    def following(self) -> Choices | None:
        """The same but for the last choice that can be made otherwise; None when all were tried."""
        made = [a if a < n else 0 for a, n in zip([*self.taken, *[0] * len(self.sizes)], self.sizes, strict=False)]
        for index in reversed(range(len(made))):
            if made[index] + 1 < self.sizes[index]:
                return replace(self, taken=[*made[:index], made[index] + 1], sizes=[])
        return None


@dataclass(frozen=True)
class Writer:
    """Writes sentences of one language.

    Attributes:
        names: what things that the vocabulary does not know are called.
        items: the keyword of each rule, definition and so on, such as ``RULE``.
    """

    vocabulary: Vocabulary
    language: Language
    names: Mapping[str, str] = field(default_factory=dict)
    items: Mapping[str, str] = field(default_factory=dict)

    # --- all ways to say it ----------------------------------------------------------------------------------------

    def ways(self, node: object, like: Choices | None = None, before: str = "") -> Iterator[tuple[str, Choices]]:
        """The ways to say something after some words, and how each is worded; one like a given one first.

        Raises:
            NoWordingError: there are no words for something in it.
        """
        plural, second = like.plural if like else None, after_preposition(self.language, before)
        if like:
            choices = Choices(like.taken, plural, second=second)
            yield self.write(node, choices), choices
        yield from self._from(node, Choices(plural=plural, second=second))

    def _from(self, node: object, following: Choices | None) -> Iterator[tuple[str, Choices]]:
        for _ in range(MOST_WAYS):
            if following is None:
                return
            yield self.write(node, following), following
            following = following.following()

    def manner(self, node: object, text: str) -> Choices | None:
        """How a sentence that says something is worded; None when it would never be written so."""
        wanted = self._words(text)
        seconds = (False, True) if isinstance(node, _VALUES) else (False,)
        for form, plural, second in product(range(MOST_FORMS), (None, False, True), seconds):
            for written, choices in self._from(node, Choices((), plural, form, second)):
                if self._words(written) != wanted:
                    continue
                others = {p: Choices(choices.taken, p, form, second) for p in (False, True)}
                other = {p: self._words(self.write(node, o)) for p, o in others.items()}
                if other[False] != other[True] and not isinstance(node, Compare | Change | Known):
                    return Choices(choices.taken, other[True] == wanted)
                return Choices(choices.taken, plural)
        return None

    def _words(self, text: str) -> tuple[str, ...]:
        words = [w.folded if w.type != "quoted" else f'"{w.folded}"' for w in split(text, self.language.decimal)]
        return tuple(w for w in words if w not in self.language.articles)

    # --- sentences -------------------------------------------------------------------------------------------------

    def write(self, node: object, choices: Choices) -> str:
        """Something that was read, worded in a certain way."""
        if isinstance(node, Introduction):
            return self._introduction(node, choices)
        if isinstance(node, Window):
            return self._window(node.ident)
        if isinstance(node, Atom):
            return self._atom(node, choices)
        if isinstance(node, ShorthandUse):
            roles = node.shorthand.roles
            filled = self._arguments(roles, node.arguments, choices)
            return self._fill(self._wording(node.shorthand, "plain", filled, choices), filled, choices.plural)
        if isinstance(node, Compare):
            forms = self.language.comparisons[node.operator]
            filled = {"left": self._value(node.left, choices), "right": self._value(node.right, choices)}
            return self._fill(forms[choices.pick(len(forms))], filled, choices.plural)
        if isinstance(node, _VALUES):
            return self._value(node, choices).shown(bare=False, second=choices.second)
        own = _as_own(node)
        filled = {name: self._place(name, value, choices) for name, value in own.places}
        forms = tuple(f for f in self.language.sentences[own.key] if set(roles_of(f)) == set(filled))
        return self._fill(forms[choices.pick(len(forms))], filled, choices.plural, own)

    def _atom(self, node: Atom, choices: Choices) -> str:
        phrase = self.vocabulary.phrases[node.phrase]
        filled = self._arguments(phrase.roles, node.arguments, choices, signed=phrase.kind == "modifier")
        if not node.negated:
            return self._fill(self._wording(phrase, "plain", filled, choices), filled, choices.plural)
        there_are = {w.form for w in phrase.wordings if self._says(w, filled)}
        if (choices.pick(2) and "plain" in there_are) or "not" not in there_are:
            fact = self._fill(self._wording(phrase, "plain", filled, choices), filled, choices.plural)
            return self._fill(self.language.sentences["not-so"][0], {"fact": Filling(fact)}, None)
        return self._fill(self._wording(phrase, "not", filled, choices), filled, choices.plural)

    def _says(self, wording: Wording, filled: Mapping[str, object]) -> bool:
        return wording.language == self.language.code and set(roles_of(wording.template)) == set(filled)

    def _wording(self, phrase: Phrase | Shorthand, form: str, filled: Mapping[str, Filling], choices: Choices) -> str:
        fitting = [w for w in phrase.wordings if w.form == form and self._says(w, filled)]
        if not fitting:
            raise NoWordingError(phrase.ident, phrase.span)
        return fitting[choices.pick(len(fitting))].template

    def _introduction(self, node: Introduction, choices: Choices) -> str:
        own: dict[str, object] = {"new": node.new, "kind": node.kind}
        if node.side is not None:
            own["side"] = node.side
        text = self.write(Own("introduction", tuple(own.items())), choices)
        given = []
        for measure, value in node.attributes:
            phrase = self.vocabulary.phrases[measure]
            forms = [w for w in phrase.wordings if w.form == "with" and w.language == self.language.code]
            if not forms:
                raise NoWordingError(measure, phrase.span)
            counted = Filling(self._number(value, phrase.dimension, choices))
            given.append(self._fill(forms[choices.pick(len(forms))].template, {"value": counted}, None))
        if not given:
            return text
        joined = f" {self.language.sentences['list-and'][0]} ".join([", ".join(given[:-1]), given[-1]][-len(given) :])
        return f"{text} {self.language.fitting(self.language.sentences['with'], joined)} {joined}"

    def _window(self, ident: str) -> str:
        name = self.name(ident)
        articles = self.language.articles
        return f"{articles[0]} {name}" if articles and fold(name.split(" ")[0]) not in articles else name

    # --- what stands in places ---------------------------------------------------------------------------------------

    def _arguments(
        self,
        roles: Sequence[Role],
        arguments: Sequence[Expression | None],
        choices: Choices,
        signed: bool = False,
    ) -> dict[str, Filling]:
        return {
            role.name: self._argument(role, argument, choices, signed)
            for role, argument in zip(roles, arguments, strict=True)
            if argument is not None
        }

    def _argument(self, role: Role, argument: Expression, choices: Choices, signed: bool) -> Filling:
        if role.kind == RULE and isinstance(argument, Individual):
            return Filling(argument.ident)
        if role.kind != NUMBER:
            return self._value(argument, choices)
        if isinstance(argument, Variable):
            named = f"{{{argument.name}}}"
            return Filling(f"{named} {self.counted(role.dimension)}" if role.dimension and choices.pick(2) else named)
        if signed and isinstance(argument, Number):
            return Filling(f"{'+' if argument.value >= 0 else ''}{number_text(argument.value, self.language.decimal)}")
        return self._value(argument, choices)

    def _place(self, name: str, value: object, choices: Choices) -> Filling:
        """What stands in a place of one of the language's own sentences."""
        if name == "number" and isinstance(value, Fraction | int):
            return Filling(number_text(Fraction(value), self.language.decimal))
        if name == "kind":
            return Filling(self.kind(str(value)))
        if isinstance(value, Individual) and (name == "rule" or (name == "other" and value.ident in self.items)):
            return Filling(value.ident)
        if name == "new":
            return self._quotable(str(value), choices)
        if name == "window" and isinstance(value, Individual):
            return Filling(self.name(value.ident))
        if name in ("fact", "event") and isinstance(value, Atom):
            return Filling(self._atom(value, choices))
        return self._value(value, choices)

    def _value(self, node: object, choices: Choices) -> Filling:
        """A thing or a number in words."""
        if isinstance(node, Variable):
            return Filling(f"{{{node.name}}}")
        if isinstance(node, Individual):
            if node.ident in self.vocabulary.names and node.ident not in self.names:
                name = self.name(node.ident, choices.form)
                words = name.split(" ")
                bare = " ".join(words[1:]) if fold(words[0]) in self.language.articles else name
                return Filling(name, bare)
            return self._quotable(self.names.get(node.ident, node.ident), choices)
        if isinstance(node, Number):
            return Filling(self._number(node.value, node.dimension, choices))
        if isinstance(node, Total):
            return Filling(self.language.numbers["total"][0])
        if isinstance(node, MeasureOf):
            phrase = self.vocabulary.phrases[node.phrase]
            filled = self._arguments(phrase.roles, node.arguments, choices)
            wording = self._wording(phrase, "before" if node.before else "plain", filled, choices)
            return Filling(self._fill(wording, filled, None), second=self._fill(wording, filled, None, second=True))
        if isinstance(node, Rounded):
            forms = self.language.numbers["rounded-up" if node.up else "rounded-down"]
            filled = {"expression": self._value(node.expression, choices)}
            form = forms[choices.pick(len(forms))]
            return Filling(self._fill(form, filled, None), second=self._fill(form, filled, None, second=True))
        assert isinstance(node, Arithmetic)
        if node.operator == "*":
            assert isinstance(node.left, Number)
            return Filling(self._scaled(node.left.value, self._value(node.right, choices), choices))
        right, left = self._value(node.right, choices), self._value(node.left, choices)
        return combined(self.language, "plus" if node.operator == "+" else "minus", left, right)

    def _scaled(self, factor: Fraction, right: Filling, choices: Choices) -> str:
        keys = [_FRACTIONS[factor]] if factor in _FRACTIONS else []
        keys += ["times"] if factor.denominator == 1 else []
        keys += ["percent"] if (factor * 100_000).denominator == 1 else []
        key = keys[choices.pick(len(keys))]
        forms = self.language.numbers[key]
        number = number_text(factor * 100 if key == "percent" else factor, self.language.decimal)
        return self._fill(forms[choices.pick(len(forms))], {"number": Filling(number), "expression": right}, None)

    def _quotable(self, name: str, choices: Choices) -> Filling:
        """A name, in quotation marks or without."""
        return Filling(f'"{name}"' if choices.pick(2) else name)

    def _number(self, value: Fraction, dimension: str | None, choices: Choices) -> str:
        text = number_text(value, self.language.decimal)
        if dimension is None:
            return text
        forms = self._forms(self.vocabulary.names[dimension].wordings, dimension)
        words = [f for f in forms if f[0].isalnum()]
        if not forms[0][0].isalnum() and not (choices.pick(2) and words):
            return text + forms[0]
        return f"{text} {words[1] if value == 1 and len(words) > 1 else words[0]}"

    # --- words for things --------------------------------------------------------------------------------------------

    def _forms(self, wordings: Iterable[Wording], ident: str) -> list[str]:
        forms = [f for w in wordings if w.language == self.language.code for f in w.template.split("|")]
        if not forms:
            known = self.vocabulary.names.get(ident) or self.vocabulary.kinds.get(ident)
            raise NoWordingError(ident, known.span if known else None)
        return forms

    def name(self, ident: str, form: int = 0) -> str:
        """What a thing of the vocabulary is called."""
        forms = self._forms(self.vocabulary.names[ident].wordings, ident)
        return forms[form if form < len(forms) else 0]

    def kind(self, ident: str) -> str:
        """The word for a kind."""
        return self._forms(self.vocabulary.kinds[ident].wordings, ident)[0]

    def counted(self, dimension: str) -> str:
        """The word for what is counted, where no number stands before it."""
        forms = [f for f in self._forms(self.vocabulary.names[dimension].wordings, dimension) if f[0].isalnum()]
        return forms[2] if len(forms) > 2 else forms[0]

    # --- wordings with their places filled ---------------------------------------------------------------------------

    def _fill(
        self,
        wording: str,
        filled: Mapping[str, Filling],
        plural: bool | None,
        own: Own | None = None,
        second: bool = False,
    ) -> str:
        rule = dict(own.places).get("rule") if own is not None else None
        return fill(self.language, wording, filled, plural, second, self._item_word(rule) if rule else "")

    def _item_word(self, rule: object) -> str:
        """What a rule, definition and so on is called where it is spoken of."""
        ident = rule.ident if isinstance(rule, Individual) else ""
        return self.language.keyword(self.items.get(ident, "RULE")).casefold()


def _as_own(node: object) -> Own:
    """A sentence that belongs to the language itself, as its places."""
    if isinstance(node, Own):
        return node
    if isinstance(node, Same):
        return Own("different" if node.negated else "same", (("left", node.left), ("right", node.right)))
    if isinstance(node, IsA):
        return Own("is-not-a" if node.negated else "is-a", (("thing", node.thing), ("kind", node.kind)))
    if isinstance(node, Known):
        return Own("not-known" if node.negated else "known", (("measure", node.measure),))
    if isinstance(node, ComesFrom):
        return Own("comes-from" if node.directly else "goes-back-to", (("rule", node.rule),))
    if isinstance(node, Change):
        return Own(node.direction, (("measure", node.measure), ("amount", node.amount)))
    if isinstance(node, TestModifier):
        return Own(f"{'add-to' if node.sign > 0 else 'take-from'}-{node.of}", (("amount", node.amount),))
    if isinstance(node, RollAgain):
        return Own("roll-again", ())
    assert isinstance(node, Create)
    return Own("create", (("variable", node.variable), ("kind", node.kind)))
