"""Keyword tables: one TOML file per natural language, read into frozen data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache

from rulewright.diagnostics import Fault, report
from rulewright.speech import FIRST, keywords_by, listed, marked
from rulewright.syntax.tables import Forms, Table, read_tables

MARKS = "\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f\u200c\u200d"
"""Accents, joiners and other marks that belong to the letter before them, for use in a class of characters."""

QUOTED = r""""[^"\n]+"|“[^”\n]+”|„[^“”"\n]+[“”"]|«[^»\n]+»|»[^«\n]+«|”[^”\n]+”"""
"""What stands in quotation marks, in one line; the low ones are often closed with a plain one."""


@dataclass(frozen=True)
class Language:
    """The words of one natural language.

    Attributes:
        code: two or three letters, as in ``en``.
        names: how a file may name its language.
        decimal: the mark before the decimals of a number; a point is always read as one.
        keywords: terminal name to accepted forms, the preferred one first.
        elsewhere: forms of keywords that are used in a certain place when text is written out: keyword and place,
            as in ``UNTIL window``, to the form.
        suffixes: what may follow the language code in a wording line, by terminal (``NEGATIVE`` to ``not``).
        articles: words that may stand before a name without changing it.
        comparisons: operator to sentence forms.
        numbers: forms of numeric expressions.
        sentences: forms of the sentences that belong to the language itself.
        meant: words that are taken for keywords, and the keywords.
        slips: patterns of other ways to say what it has words for, and the words it has.
        lacking: what its table does not say, as ``keywords.WHEN``; the English forms stand there.
        agreement: patterns by which one of several forms of a word is chosen when text is written: for what it agrees
            with (``plural``, ``feminine``, ``neuter``), and for the forms themselves (``plural-form`` and so on).
        before: forms that are written only before words that match a pattern.
        variables: what a variable is called, by a name that all languages share.
    """

    code: str
    names: Forms
    decimal: str
    keywords: Mapping[str, Forms]
    elsewhere: Mapping[str, str]
    suffixes: Mapping[str, Forms]
    articles: Forms
    comparisons: Mapping[str, Forms]
    numbers: Mapping[str, Forms]
    sentences: Mapping[str, Forms]
    meant: Mapping[str, str]
    slips: Mapping[str, str]
    lacking: frozenset[str]
    agreement: Mapping[str, str]
    before: Mapping[str, str]
    variables: Mapping[str, str]

    def fitting(self, forms: Sequence[str], following: str) -> str:
        """The first of some forms whose last word may stand before what follows, such as *a* or *an*."""
        follows = following.casefold()
        own = {form: self.before.get(form.rsplit(" ", 1)[-1].casefold()) for form in forms}
        asked_for = (form for form, pattern in own.items() if pattern and re.match(pattern, follows))
        return next(asked_for, None) or next((form for form, pattern in own.items() if not pattern), forms[0])

    def keyword(self, terminal: str, place: str = "") -> str:
        """The preferred form of a keyword, if need be in a certain place."""
        return self.elsewhere.get(f"{terminal} {place}", self.keywords[terminal][0])

    def shown(self, terminal: str, place: str = "") -> str:
        """The preferred form of a keyword for a reader: with a mark where it is English for want of one."""
        return self.mark(self.keyword(terminal, place), f"keywords.{terminal}")

    def inside(self, terminal: str) -> str:
        """A keyword with what parts it from the words around it, where it goes on inside a line."""
        form = self.shown(terminal, "inside")
        return f"{form} " if form.startswith(",") else f" {form} "

    def mark(self, text: str, entry: str) -> str:
        """A text made with a form of the table, with a mark where the form is English for want of one."""
        return marked(text, FIRST) if entry in self.lacking else text


_STRINGS = tuple(field.name for field in fields(Language) if field.type == "Mapping[str, str]")
"""The tables of single texts, which a language may have."""


@cache
def tables() -> Mapping[str, Table]:
    """All tables of keywords, those that cannot be used too, by the names of their files."""
    return {table.source.name: table for table in read_tables(_STRINGS)}


@cache
def languages() -> Mapping[str, Language]:
    """All languages that have a table of keywords that can be used, by code.

    Raises:
        Fault: the English table, which stands in for the others, is not whole.
    """
    first = next((table for table in tables().values() if table.code == FIRST), None)
    if first is None or not first.usable or first.diagnostics:
        missing = report("no-table", code=FIRST, known=listed(table.code for table in tables().values()), hint="")
        raise Fault(*(first.diagnostics if first else [missing]))
    return {table.code: _language(table) for table in sorted(tables().values(), key=lambda t: t.code) if table.usable}


def _language(table: Table) -> Language:
    lacking = frozenset(table.missing)
    return Language(
        code=table.code,
        names=table.names,
        decimal=table.decimal,
        articles=table.articles,
        lacking=lacking,
        **table.forms,  # type: ignore[arg-type]
        **table.strings,  # type: ignore[arg-type]
    )


def _shown(code: str, name: str) -> str:
    """How a keyword, or a word after the code of a wording, is shown in a language, English where that has no table."""
    language = languages().get(code, languages()[FIRST])
    entry = f"keywords.{name}" if name in language.keywords else f"suffixes.{name}"
    form = (language.keywords.get(name) or language.suffixes[name])[0]
    return language.mark(form, entry) if language.code == code else marked(form, FIRST)


keywords_by(_shown)


def _any_of(forms: Forms) -> str:
    """A pattern for some forms, the longest first."""
    longest_first = sorted(forms, key=len, reverse=True)
    return "|".join(re.escape(form).replace(r"\ ", r"[ \t]+") for form in longest_first)


def terminals(language: Language) -> str:
    """The keyword terminals of a language, as Lark definitions to stand below the structure."""
    lines = []
    for name, forms in language.keywords.items():
        lines.append(rf"{name}.4: /(?:{_any_of(forms)})(?![\w-])/i")
    for name, suffixes in {"WORDING": (), **language.suffixes}.items():
        between = rf"[ \t]+(?:{_any_of(suffixes)})" if suffixes else ""
        lines.append(rf"{name}.4: /[a-z]{{2,3}}{between}[ \t]*:/i")
    return "\n".join(lines) + "\n"
