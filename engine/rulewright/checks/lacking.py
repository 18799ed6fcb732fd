"""What a language still lacks: forms of its table of keywords, texts of the program, wordings, translations.

Every part is compared with what another language has, so that nothing here knows any language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rulewright.model import Edition, Kind, Name, Phrase, Shorthand, Vocabulary, Wording
from rulewright.speech import FIRST, messages
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


def lacking_messages(code: str, place: str) -> Part:
    """Which texts of the program a language lacks."""
    wanted = {key: text for key, text in messages(FIRST).items() if not key.endswith(".code")}
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


def lacking_texts(edition: Edition, code: str, translated: Mapping[str, Any] | None, place: str) -> Part:
    """Which texts of an edition are not translated; none, where it is written in the language.

    Args:
        edition: the edition.
        code: the language.
        translated: the table of translations, by the original texts; None where there is none.
        place: its file.
    """
    if edition.language == code:
        return Part("texts", 0, (), place)
    wanted: dict[str, Span | None] = {}
    for text, span in _texts(edition):
        wanted.setdefault(text, span)
    own = set(_keys(translated or {}))
    return Part("texts", len(wanted), tuple(Lack(t, t, s) for t, s in wanted.items() if t not in own), place)


def _texts(edition: Edition) -> Iterator[tuple[str, Span | None]]:
    """The texts of an edition that are not sentences: titles, assumptions, options of readings, reasons."""
    found: list[tuple[str, Span | None]] = [(edition.title, edition.source.span if edition.source else None)]
    if edition.source:
        found.append((edition.source.title, edition.source.span))
        found += [(left_out.reason, edition.source.span) for left_out in edition.source.not_modelled]
    for reading in edition.readings.known.values():
        found += [(reading.title, reading.span), *((option.text, reading.span) for option in reading.options)]
    for anchor in edition.anchors():
        found += [(anchor.title, anchor.span), *((a.text, anchor.span) for a in anchor.assumptions if not a.options)]
    return ((text, span) for text, span in found if text)


def _keys(table: Mapping[str, Any]) -> Iterator[str]:
    """The keys of a table, and of the tables in it, that stand before texts."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _keys(value)
        else:
            yield key
