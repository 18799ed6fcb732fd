"""What a language still lacks: forms of its table of keywords, texts of the program, wordings, translations.

Every part is compared with what another language has, so that nothing here knows any language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rulewright.model import Edition, Kind, Name, Phrase, Shorthand, Vocabulary, Wording
from rulewright.speech import FIRST, is_wanted, messages, own_tongues
from rulewright.syntax.tables import FORMS, Table, missing_by_table
from rulewright.text import Span

SINGLE = {"language.decimal": ".", "articles.words": ""}
"""What a table says once: with what stands in for it."""


@dataclass(frozen=True)
class Lack:
    """Something that a language lacks.

    Attributes:
        name: what it is called: an entry of a table, an ident, or a text.
        instead: what is shown in its place.
        span: where it is declared.
    """

    name: str
    instead: str
    span: Span | None = None


@dataclass(frozen=True)
class Part:
    """A part of what a language needs.

    Attributes:
        name: which part, as ``keywords`` or ``phrases``.
        wanted: how much belongs to it.
        lacks: what is not there.
        place: the file that it belongs into, if it is one.
    """

    name: str
    wanted: int
    lacks: tuple[Lack, ...]
    place: str = ""


def lacking_forms(table: Table) -> Iterator[Part]:
    """What a table of keywords lacks, by the parts of the table."""
    missing = dict(missing_by_table(table.missing))
    entries = [entry for entry in SINGLE if entry in table.missing]
    lacks = tuple(Lack(entry, SINGLE[entry]) for entry in entries)
    yield Part("language", len(SINGLE), lacks, table.source.name)
    for name in FORMS:
        forms = table.forms[name]
        own = tuple(Lack(key, forms[key][0]) for key in missing.get(name, ()))
        yield Part(name, len(forms), own, table.source.name)


def lacking_messages(code: str) -> Part:
    """Which texts of the program a language lacks."""
    place = f"rulewright/messages/{code}.toml" if code in own_tongues() else f"grammar/messages/{code}.toml"
    wanted = {key: text for key, text in messages(FIRST).items() if is_wanted(key)}
    own = messages(code)
    return Part(
        "messages", len(wanted), tuple(Lack(key, text) for key, text in wanted.items() if key not in own), place
    )


def lacking_wordings(vocabularies: Sequence[Vocabulary], code: str) -> Iterator[Part]:
    """Which kinds, names, phrases and shorthands have no words in a language, and which forms of phrases have none."""
    groups: dict[str, Iterable[Kind | Name | Phrase | Shorthand]] = {
        "kinds": (item for vocabulary in vocabularies for item in vocabulary.kinds.values()),
        "names": (item for vocabulary in vocabularies for item in vocabulary.names.values()),
        "phrases": (item for vocabulary in vocabularies for item in vocabulary.phrases.values()),
        "shorthands": (item for vocabulary in vocabularies for item in vocabulary.shorthands.values()),
    }
    for name, items in groups.items():
        each = {(item.ident, str(item.span)): item for item in items}
        worded = [(item, form, wordings) for item in each.values() for form, wordings in _by_form(item.wordings)]
        lacks = tuple(
            Lack(item.ident if form == "plain" else f"{item.ident} ({form})", wordings[0].template, item.span)
            for item, form, wordings in worded
            if all(wording.language != code for wording in wordings)
        )
        yield Part(name, len(worded), lacks)


def _by_form(wordings: Sequence[Wording]) -> Iterator[tuple[str, list[Wording]]]:
    for form in dict.fromkeys(wording.form for wording in wordings):
        yield form, [wording for wording in wordings if wording.form == form]


def lacking_texts(edition: Edition, code: str, place: str) -> Part:
    """Which texts of an edition are not translated, of those that are written in another language.

    Args:
        edition: the edition.
        code: the language.
        place: the file that the translations belong into.
    """
    wanted = {fixed.text: fixed.span for fixed in reversed(list(edition.fixed_texts())) if fixed.language != code}
    own = edition.texts.get(code, {})
    lacks = tuple(Lack(text, text, span) for text, span in reversed(wanted.items()) if text not in own)
    return Part("texts", len(wanted), lacks, place)
