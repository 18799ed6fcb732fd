"""Keyword tables: one TOML file per natural language, read into frozen data."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from rulewright import assets

Forms = tuple[str, ...]

MARKS = "\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
"""Accents and other marks that join the letter before them, for use in a class of characters."""


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


def _forms(table: Mapping[str, list[str]]) -> dict[str, Forms]:
    return {key: tuple(forms) for key, forms in table.items()}


@cache
def languages() -> Mapping[str, Language]:
    """All languages that have a keyword table, by code."""
    found = {}
    for name in assets.keyword_tables():
        table = tomllib.loads(assets.grammar_text(name))
        about = table["language"]
        found[about["code"]] = Language(
            code=about["code"],
            names=tuple(about["names"]),
            decimal=about["decimal"],
            keywords=_forms(table["keywords"]),
            elsewhere=table.get("elsewhere", {}),
            suffixes=_forms(table["suffixes"]),
            articles=tuple(table["articles"]["words"]),
            comparisons=_forms(table["comparisons"]),
            numbers=_forms(table["numbers"]),
            sentences=_forms(table["sentences"]),
            meant=table.get("meant", {}),
            slips=table.get("slips", {}),
            agreement=table.get("agreement", {}),
            before=table.get("before", {}),
            variables=table.get("variables", {}),
        )
    return found


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
