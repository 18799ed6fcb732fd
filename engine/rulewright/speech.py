"""What the program says: its texts in every language, filled in the one that is spoken now.

The texts stand in ``messages/<code>.toml``, in the package or beside the keyword tables, under equal keys.  A text that
a language lacks is said in English, with a visible mark.  What is said later, perhaps in another language, is kept as a
``Text``: a key with the values of its places.

What somebody is to write into a file is told in the language of the file: a text names keywords as ``{kw.WHEN}``, and
examples, which are texts of their own, as ``{eg.then-test}``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from string import Formatter
from typing import Any, ClassVar

from rulewright import assets

FIRST = "en"
"""The language whose table holds every text."""

_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")
"""The variables that tell the locale; the first that says anything counts."""

_SPOKEN: ContextVar[str] = ContextVar("spoken", default="")
_EXPRESSLY: ContextVar[bool] = ContextVar("expressly", default=False)
_WRITTEN: ContextVar[str] = ContextVar("written", default="")


def spoken(otherwise: str = FIRST) -> str:
    """The code of the language that is spoken now; ``otherwise`` where nobody chose one."""
    return _SPOKEN.get() or otherwise


def asked_for(otherwise: str) -> str:
    """The code of the language that was asked for expressly; ``otherwise`` where nobody or the locale chose."""
    return spoken(otherwise) if _EXPRESSLY.get() else otherwise


@contextmanager
def speaking(code: str, expressly: bool = True) -> Iterator[None]:
    """Speaks a language inside the block; not ``expressly`` when only the locale asks for it."""
    spoken_before, expressly_before = _SPOKEN.set(code), _EXPRESSLY.set(expressly)
    try:
        yield
    finally:
        _SPOKEN.reset(spoken_before)
        _EXPRESSLY.reset(expressly_before)


def written() -> str:
    """The code of the language of the file that is spoken about; where there is none, the one that is spoken."""
    return _WRITTEN.get() or spoken()


@contextmanager
def writing(code: str) -> Iterator[None]:
    """Speaks about a file in a language inside the block; about none in particular where the code is empty."""
    before = _WRITTEN.set(code)
    try:
        yield
    finally:
        _WRITTEN.reset(before)


@cache
def own_tongues() -> tuple[str, ...]:
    """The codes of the languages that the program brings a table of messages for."""
    files = resources.files("rulewright").joinpath("messages").iterdir()
    return tuple(sorted(f.name.removesuffix(".toml") for f in files if f.name.endswith(".toml")))


@cache
def tables_beside() -> Mapping[str, str]:
    """The tables of messages that lie beside the keyword tables: code of the language and name of the file.

    A language that the program brings a table for is not among them.
    """
    try:
        names = assets.message_tables()
    except assets.AssetsNotFoundError:  # told where the grammar is wanted
        return {}
    codes = {name.rpartition("/")[2].removesuffix(".toml"): name for name in names}
    return {code: name for code, name in codes.items() if code not in own_tongues()}


@cache
def tongues() -> tuple[str, ...]:
    """The codes of the languages that have a table of messages."""
    return tuple(sorted({*own_tongues(), *tables_beside()}))


def language_of_locale(environment: Mapping[str, str]) -> str:
    """The language that the variables of the environment ask for, if it has a table of messages, else the first."""
    said = next((value for name in _LOCALE if (value := environment.get(name))), "")
    code = said.partition(".")[0].partition("_")[0].partition("@")[0].casefold()
    return code if code in tongues() else FIRST


@cache
def messages(code: str) -> Mapping[str, str]:
    """All texts of a language by key, such as ``run.cites``, or ``unknown-phrase.message`` for a diagnostic.

    Of a table that lies beside the keyword tables, those that can be used; what is wrong with the others is told by
    ``checks.messages``.
    """
    if code in own_tongues():
        text = resources.files("rulewright").joinpath(f"messages/{code}.toml").read_text(encoding="utf-8")
        return dict(texts_of(tomllib.loads(text)))
    if code not in tables_beside():
        return {}
    try:
        table = tomllib.loads(assets.grammar_text(tables_beside()[code]))
    except ValueError:  # neither UTF-8 nor TOML
        return {}
    return {key: _ended_alike(text, key) for key, text in texts_of(table) if can_be_used(key, text)}


def texts_of(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The entries of a table of messages by key, whatever they are."""
    for key, value in _flat(table):
        yield key.removeprefix("texts."), value


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def is_wanted(key: str) -> bool:
    """Whether a language has a text of that key; codes are the same in all of them."""
    return key in messages(FIRST) and not key.endswith(".code")


def can_be_used(key: str, text: Any) -> bool:
    """Whether an entry of a table is a text that is wanted, and has no other places than the English one."""
    return isinstance(text, str) and is_wanted(key) and places_of(text) <= wanted_places(key)


def wanted_places(key: str) -> set[str]:
    """The places of the English text of a key."""
    return places_of(messages(FIRST)[key])


def places_of(template: str) -> set[str]:
    """The places of a text, such as ``found`` or ``kw.WHEN``; a brace without a partner is a place without a name."""
    try:
        parts = list(Formatter().parse(template))
    except ValueError:
        return {""}
    return {name if not form and not how else "" for _, name, form, how in parts if name is not None}


def _ended_alike(text: str, key: str) -> str:
    """A text with the blanks at its ends that the English one has, by which it is joined to others."""
    first = messages(FIRST)[key]
    before, behind = len(first) - len(first.lstrip()), len(first.rstrip())
    return f"{first[:before]}{text.strip()}{first[behind:]}" if first.strip() else text


@dataclass(frozen=True)
class Text:
    """A text of the tables with the values of its places; as a string it is in the language spoken then."""

    key: str
    values: tuple[tuple[str, Any], ...] = ()

    def __str__(self) -> str:
        return say(self.key, **dict(self.values))


def later(key: str, /, **values: Any) -> Text:
    """A text to be said later."""
    return Text(key, tuple(values.items()))


@dataclass(frozen=True)
class Listed:
    """Several values, with a text of the tables between them."""

    items: tuple[Any, ...]
    between: str = "list.comma"

    def __str__(self) -> str:
        return say(self.between).join(map(worded, self.items))


@dataclass(frozen=True)
class Called:
    """What the vocabulary calls something, in each language that has words for it; nothing but its id without any.

    Attributes:
        words: code of a language and words, the first of each language preferred.
    """

    ident: str
    words: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        own = [text for code, text in self.words if code == spoken()]
        return own[0] if own else marked(*reversed(self.words[0])) if self.words else self.ident


def listed(items: Iterable[Any], between: str = "list.comma", none: str = "list.none") -> Listed | Text:
    """Several values to be said later; where there are none, a text that says so."""
    found = tuple(items)
    return Listed(found, between) if found else Text(none)


def worded(value: Any) -> str:
    """A value as it is said: numbers with the decimal mark of the language spoken."""
    return number_text(value, say("decimal")) if isinstance(value, Fraction) else str(value)


def say(key: str, /, **values: Any) -> str:
    """A text in the language spoken, its places filled."""
    return said_in(spoken(), key, **{name: worded(value) for name, value in values.items()})


def counted(key: str, number: int, /, **values: Any) -> str:
    """A text that speaks of a number of things, in the form for one or for many."""
    return say(f"{key}-{'one' if number == 1 else 'many'}", number=number, **values)


def said_in(code: str, key: str, /, **values: str) -> str:
    """A text in some language, its places filled with what is worded already."""
    own = messages(code).get(key)
    template = messages(FIRST)[key] if own is None else own
    filled = template.format(**values, kw=_Keywords(), eg=_Examples(values))
    wordless = not any(map(str.isalpha, "".join(text for text, *_ in Formatter().parse(template))))
    return filled if own is not None or wordless else marked(filled, FIRST)


class _Keywords:
    """The keywords of the language that is written, for places such as ``{kw.WHEN}``."""

    lookup: ClassVar[Callable[[str, str], str]]

    def __getattr__(self, name: str) -> str:
        return _Keywords.lookup(written(), name)


def keywords_by(lookup: Callable[[str, str], str]) -> None:
    """Lets texts name keywords: what knows them lies above this module, and says here how they are looked up.

    Args:
        lookup: gives the form to write, by the code of the language and the name of the keyword.
    """
    _Keywords.lookup = staticmethod(lookup)


class _Examples:
    """Texts of the language that is written, for places such as ``{eg.then-test}``; they share the values around."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> str:
        return said_in(written(), f"eg.{name}", **self._values)


def marked(text: str, code: str) -> str:
    """A text that stands in for one in another language, with the mark that shows it; nothing stays nothing."""
    return f"{text.rstrip()} [{code}]{text[len(text.rstrip()) :]}" if any(map(str.isalpha, text)) else text


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
