"""Reads tables of keywords: what a table says, what it lacks, and what is wrong with it.

A language is a file of data, which may be short of much or badly typed.  What can be used of it is used, the English
forms stand in for the rest, and nothing that is wrong in it goes unsaid.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from rulewright import assets
from rulewright.diagnostics import Diagnostic, after, did_you_mean, report
from rulewright.speech import FIRST, later, listed
from rulewright.text import Source, Span, plain

Forms = tuple[str, ...]

FORMS = ("keywords", "suffixes", "comparisons", "numbers", "sentences")
"""Tables of forms, which every language should have in full: those of the English table."""

WORDS = ("keywords", "suffixes")
"""Tables of words, no two of which may be the same."""

BEGINNING = {
    **dict.fromkeys(("plus", "minus", "rounded-up", "rounded-down"), "expression"),
    **dict.fromkeys(("role", "role-number", "role-number-of", "sum"), "variable"),
}
"""Forms that must begin with a place: what is said there is read before the form is looked for."""

_CODE = re.compile(r"[a-z]{2,3}")
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Table:
    """The table of one language, as far as it can be used.

    Attributes:
        source: its text.
        code: the code of its language; the name of the file where the table does not say it.
        usable: whether it says which language it is.
        names: how a file may name the language.
        decimal: the decimal mark.
        forms: by table and key, the forms; those of English for what is missing.
        strings: by table and key, the words of the tables that a language may have.
        articles: words that may stand before a name.
        missing: what is not there, as ``keywords.WHEN``.
        diagnostics: what is wrong with it.
    """

    source: Source
    code: str
    usable: bool
    names: Forms = ()
    decimal: str = "."
    forms: Mapping[str, Mapping[str, Forms]] = field(default_factory=dict)
    strings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    articles: Forms = ()
    missing: Forms = ()
    diagnostics: tuple[Diagnostic, ...] = ()


def read_tables(strings: Iterable[str]) -> tuple[Table, ...]:
    """All tables of keywords, the English one first.

    Args:
        strings: the tables of single words that a language may have, such as ``meant``.
    """
    wanted = f"keywords/{FIRST}.toml"
    names = sorted(assets.keyword_tables(), key=lambda name: (name != wanted, name))
    found: list[Table] = []
    for name in names:
        model = found[0].forms if found else None
        table = _Reading(name, tuple(strings), model).table()
        first = next((t for t in found if t.usable and table.usable and _same_language(t, table)), None)
        if first is not None:
            which = report("table-twice", Span(table.source, 0, 0), code=table.code, other=first.source.name)
            table = Table(table.source, table.code, usable=False, diagnostics=(*table.diagnostics, which))
        found.append(table)
    return tuple(found)


def _same_language(one: Table, other: Table) -> bool:
    names = {name.casefold() for name in one.names} & {name.casefold() for name in other.names}
    return one.code == other.code or bool(names)


class _Reading:
    """Reads one table against the English one, which is read against nothing but itself."""

    def __init__(self, name: str, strings: Sequence[str], model: Mapping[str, Mapping[str, Forms]] | None) -> None:
        self.name = name
        self.strings = strings
        self.model = model
        self.diagnostics: list[Diagnostic] = []
        self.missing: list[str] = []
        self.source = Source(f"grammar/{name}", "")

    def table(self) -> Table:
        """The table, as far as it can be used."""
        code = PurePosixPath(self.name).stem
        data = self._data()
        if data is None:
            return Table(self.source, code, usable=False, diagnostics=tuple(self.diagnostics))
        about = self._section(data, "language")
        self._strangers(data, "", ("language", "articles", *FORMS, *self.strings))
        self._strangers(about, "language", ("code", "names", "decimal"))
        own = about.get("code")
        names = self._list(about, "language", "names")
        usable = isinstance(own, str) and _CODE.fullmatch(own) is not None and bool(names)
        if not usable:
            self._complain("table-without-language", "language")
        articles = self._section(data, "articles")
        self._strangers(articles, "articles", ("words",))
        if "words" not in articles:
            self.missing.append("articles.words")
        forms = {name: self._forms(data, name) for name in FORMS}
        self._same_words(forms)
        strings = {name: self._strings(data, name, forms) for name in self.strings}
        return Table(
            self.source,
            own if usable and isinstance(own, str) else code,
            usable,
            names,
            self._decimal(about),
            {name: self._filled(name, own) for name, own in forms.items()},
            strings,
            self._list(articles, "articles", "words", empty=True),
            tuple(self.missing),
            tuple(self.diagnostics),
        )

    def _data(self) -> dict[str, Any] | None:
        try:
            text = plain(assets.grammar_text(self.name))
        except UnicodeDecodeError as error:
            self.diagnostics.append(report("not-text", path=self.source.name, offset=error.start))
            return None
        self.source = Source(self.source.name, text)
        data = entries(self.source)
        if isinstance(data, Diagnostic):
            self.diagnostics.append(data)
            return None
        return data

    # --- parts -------------------------------------------------------------------------------------------------------

    def _section(self, data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        section = data.get(name, {})
        if isinstance(section, dict):
            return section
        self._complain("table-entry", name, entry=name, wanted=later("table.table"))
        return {}

    def _strangers(self, section: Mapping[str, Any], table: str, known: Iterable[str]) -> None:
        """Entries that nothing looks at."""
        own = list(known)
        for key in (k for k in section if k not in own):
            hint = after(did_you_mean(key, own))
            place = f"{table}.{key}" if table else key
            self._complain("table-unknown-entry", place, entry=place, hint=hint)

    def _list(self, section: Mapping[str, Any], table: str, key: str, empty: bool = False) -> Forms:
        """A list of texts; nothing where it is not there or is none."""
        if key not in section:
            return ()
        value = section[key]
        good = isinstance(value, list) and all(isinstance(form, str) and form.strip() for form in value)
        if not good or not (value or empty):
            self._complain("table-entry", f"{table}.{key}", entry=f"{table}.{key}", wanted=later("table.list"))
            return ()
        return tuple(value)

    def _decimal(self, about: Mapping[str, Any]) -> str:
        mark = about.get("decimal")
        if mark is None:
            self.missing.append("language.decimal")
        elif mark not in (".", ","):
            self._complain("table-entry", "language.decimal", entry="language.decimal", wanted=later("table.mark"))
        return mark if mark in (".", ",") else "."

    def _forms(self, data: Mapping[str, Any], name: str) -> dict[str, Forms]:
        """The forms of a table that can be used."""
        section = self._section(data, name)
        known = self.model[name] if self.model else section
        self._strangers(section, name, known)
        found: dict[str, Forms] = {}
        for key in known:
            forms = self._list(section, name, key)
            if self.model and name not in WORDS:
                forms = tuple(form for form in forms if self._fits(name, key, form))
            if forms:
                found[key] = forms
            else:
                self.missing.append(f"{name}.{key}")
        return found

    def _fits(self, name: str, key: str, form: str) -> bool:
        """Whether a form has the places that the sentence needs, and begins as it must."""
        assert self.model is not None
        places = [set(_PLACE.findall(one)) for one in self.model[name][key]]
        needed, allowed, own = set.intersection(*places), set.union(*places), set(_PLACE.findall(form))
        entry = f"{name}.{key}"
        twice = name == "numbers" and len(_PLACE.findall(form)) != len(_PLACE.findall(self.model[name][key][0]))
        if twice or not needed <= own <= allowed:
            wanted = listed(f"`{{{place}}}`" for place in _PLACE.findall(self.model[name][key][0]))
            self._complain("table-places", entry, form, form=form, entry=entry, wanted=wanted)
            return False
        beginning = BEGINNING.get(key)
        if beginning and not form.lstrip().startswith(f"{{{beginning}}}"):
            self._complain("table-beginning", entry, form, form=form, place=f"{{{beginning}}}")
            return False
        return True

    def _filled(self, name: str, own: Mapping[str, Forms]) -> Mapping[str, Forms]:
        """The forms of a table, the English ones where there are none; not those that would mean two things."""
        if self.model is None:
            return own
        taken = {form.casefold() for forms in own.values() for form in forms} if name in WORDS else set()
        found = {}
        for key, forms in self.model[name].items():
            left = tuple(form for form in forms if form.casefold() not in taken)
            found[key] = own.get(key) or left or forms
        return found

    def _same_words(self, tables: Mapping[str, Mapping[str, Forms]]) -> None:
        """Words that stand for two things."""
        for name in WORDS:
            seen: dict[str, str] = {}
            for key, forms in tables[name].items():
                for form in forms:
                    folded = " ".join(form.casefold().split())
                    first = seen.setdefault(folded, key)
                    if first != key:
                        entry, other = f"{name}.{key}", f"{name}.{first}"
                        self._complain("table-same-word", entry, form, form=form, entry=entry, other=other)

    def _strings(
        self, data: Mapping[str, Any], name: str, forms: Mapping[str, Mapping[str, Forms]]
    ) -> Mapping[str, str]:
        """A table of single texts."""
        found: dict[str, str] = {}
        words = {form for own in forms["keywords"].values() for form in own}
        placed = {**forms["sentences"], **forms["keywords"]}
        for key, value in self._section(data, name).items():
            entry = f"{name}.{key}"
            if not isinstance(value, str):
                self._complain("table-entry", entry, entry=entry, wanted=later("table.text"))
            elif name == "slips" and not _is_pattern(key, value):
                self._complain("table-pattern", entry, form=key)
            elif (name == "meant" and value not in words) or (
                name == "elsewhere" and value.lstrip(", ") not in placed.get(key.partition(" ")[0], ())
            ):
                self._complain("table-no-keyword", entry, form=value, entry=entry)
            else:
                found[key] = value
        return found

    # --- places ------------------------------------------------------------------------------------------------------

    def _complain(self, finding: str, entry: str, near: str = "", /, **values: Any) -> None:
        self.diagnostics.append(report(finding, self._place(entry, near), **values))

    def _place(self, entry: str, near: str) -> Span:
        """Where an entry stands; a form of it, if one is asked for."""
        table, _, key = entry.partition(".")
        return place_of(self.source, table, key, near)


def entries(source: Source) -> dict[str, Any] | Diagnostic:
    """What a table of data says, or why it cannot be read."""
    try:
        return tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"line (\d+), column (\d+)", str(error))
        place = Span(source, 0, 0)
        if at:
            lines = source.text.split("\n")
            end = len(source.text)
            offset = min(sum(len(line) + 1 for line in lines[: int(at[1]) - 1]) + int(at[2]) - 1, end)
            place = Span(source, offset, min(offset + 1, end))
        return report("table-unreadable", place, reason=str(error).partition(" (at ")[0])


def place_of(source: Source, table: str, key: str = "", near: str = "") -> Span:
    """Where an entry stands in a table of data, or the head of its table; a text behind it, if one is asked for."""
    head = re.search(rf"^[ \t]*\[{re.escape(table)}\]" if table else "", source.text, re.MULTILINE)
    if head is None or not key:
        return Span(source, head.start() if head else 0, head.end() if head else 0)
    written = rf"(?:{re.escape(key)}|\"{re.escape(key)}\"|'{re.escape(key)}')"
    line = re.compile(rf"^[ \t]*({written})[ \t]*=", re.MULTILINE).search(source.text, head.end())
    if line is None:
        return Span(source, head.start(), head.end())
    at = source.text.find(near, line.end()) if near else -1
    return Span(source, at, at + len(near)) if at >= 0 else Span(source, line.start(1), line.end(1))


def _is_pattern(pattern: str, wanted: str) -> bool:
    """Whether a pattern can be looked for and what is to be written can be made from what is found."""
    try:
        groups = re.compile(pattern).groups
    except re.error:
        return False
    return all(int(number) <= groups for number in re.findall(r"\\(\d+)", wanted))


def missing_by_table(missing: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """What is missing, by the part of the table it belongs to."""
    found: dict[str, list[str]] = {}
    for entry in missing:
        table, _, key = entry.partition(".")
        found.setdefault(table, []).append(key)
    return iter(found.items())
