"""The words a sentence may be made of: wordings of phrases, names of things, and the forms of the language itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from rulewright.model import FACTS, MEASURES, Phrase, Shorthand, Vocabulary, Wording
from rulewright.phrases.words import Fixed, Template, fold, split, template
from rulewright.syntax.keywords import Language

DIMENSION = "dimension"
RULE = "rule"
WINDOW = "window"


@dataclass(frozen=True)
class Thing:
    """A named individual and its kind."""

    ident: str
    kind: str


@dataclass(frozen=True)
class Entry:
    """One wording of a phrase, ready for matching."""

    phrase: Phrase
    wording: Wording
    template: Template


NameKey = tuple[str, ...]


def name_key(text: str, language: Language) -> NameKey:
    """The words of a name without leading articles."""
    words = tuple(w.folded for w in split(text, language.decimal)) or (fold(text),)
    while len(words) > 1 and words[0] in language.articles:
        words = words[1:]
    return words


@dataclass(frozen=True)
class Lexicon:
    """Everything sentences of one language may use, in one edition.

    Attributes:
        things: individuals by the words of their names; a name may stand for several until its kind decides.
        rules: idents of rules, which sentences may mention.
    """

    language: Language
    vocabulary: Vocabulary
    things: Mapping[NameKey, tuple[Thing, ...]] = field(default_factory=dict)

    def with_things(self, things: Iterable[tuple[str, Thing]]) -> Lexicon:
        """The same lexicon with further names."""
        table = dict(self.things)
        for name, thing in things:
            key = name_key(name, self.language)
            for form in (key, (*key, ".")) if name.rstrip().endswith(".") else (key,):
                if thing not in table.get(form, ()):
                    table[form] = (*table.get(form, ()), thing)
        other = replace(self, things=table)
        wordings = ("entries", "shorthands", "kinds", "_filed")
        vars(other).update((k, v) for k, v in vars(self).items() if k in wordings)  # they are the same
        return other

    def prepare(self) -> None:
        """Works out once what all lexicons with further names share."""
        self.fitting("event", "plain", ())
        _ = self.shorthands, self.kinds

    @cached_property
    def longest_name(self) -> int:
        """Words in the longest name."""
        return max(map(len, self.things), default=0)

    @cached_property
    def entries(self) -> Mapping[tuple[str, str], tuple[Entry, ...]]:
        """Wordings by phrase kind group (``fact``, ``measure``, ``event``) and form."""
        found: dict[tuple[str, str], list[Entry]] = {}
        for phrase in self.vocabulary.phrases.values():
            for wording in phrase.wordings:
                if wording.language == self.language.code:
                    entry = Entry(phrase, wording, template(wording.template))
                    found.setdefault((group_of(phrase), wording.form), []).append(entry)
        return {key: tuple(entries) for key, entries in found.items()}

    def fitting(self, group: str, form: str, words: Iterable[str]) -> list[Entry]:
        """The wordings of a group and form whose rarest word is among some words; no others can match them."""
        filed = self._filed.get((group, form), {})
        found = {number: entry for word in ("", *words) for number, entry in filed.get(word, ())}
        return [found[number] for number in sorted(found)]

    @cached_property
    def _filed(self) -> Mapping[tuple[str, str], Mapping[str, Sequence[tuple[int, Entry]]]]:
        """Wordings by their rarest word, in each of its forms, with their place in the vocabulary."""
        filed: dict[tuple[str, str], dict[str, list[tuple[int, Entry]]]] = {}
        for key, entries in self.entries.items():
            fixed = [[item.forms for item in entry.template if isinstance(item, Fixed)] for entry in entries]
            common = Counter(form for items in fixed for forms in items for form in set(forms))
            table = filed.setdefault(key, {})
            for number, (entry, items) in enumerate(zip(entries, fixed, strict=True)):
                rarest = min(items, key=lambda forms: sum(common[f] for f in forms), default=("",))
                for word in set(rarest):
                    table.setdefault(word, []).append((number, entry))
        return filed

    @cached_property
    def shorthands(self) -> tuple[tuple[Shorthand, Template], ...]:
        """Wordings of shorthands."""
        return tuple(
            (short, template(w.template))
            for short in self.vocabulary.shorthands.values()
            for w in short.wordings
            if w.language == self.language.code
        )

    @cached_property
    def kinds(self) -> tuple[tuple[str, NameKey], ...]:
        """The words for kinds, each with the kind."""
        code = self.language.code
        found: dict[tuple[str, NameKey], None] = {}
        for kind in self.vocabulary.kinds.values():
            forms = [f for w in kind.wordings if w.language == code for f in w.template.split("|")]
            found |= {(kind.ident, tuple(w.folded for w in split(form))): None for form in forms}
        return tuple(found)

    def own(self, table: str, key: str) -> tuple[Template, ...]:
        """The forms of one of the language's own sentences."""
        forms: Mapping[str, tuple[str, ...]] = getattr(self.language, table)
        return tuple(template(form) for form in forms[key])


def group_of(phrase: Phrase) -> str:
    """``fact``, ``measure`` or ``event``."""
    if phrase.kind in MEASURES:
        return "measure"
    return "fact" if phrase.kind in FACTS else "event"


def vocabulary_things(vocabulary: Vocabulary, language: Language) -> Iterable[tuple[str, Thing]]:
    """The names that the vocabulary itself declares, in one language."""
    for name in vocabulary.names.values():
        for wording in name.wordings:
            if wording.language == language.code:
                for form in wording.template.split("|"):
                    yield form, Thing(name.ident, name.kind)
