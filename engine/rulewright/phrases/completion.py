"""How a sentence that has been begun can go on: the next words of wordings, and the names that fit their places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, takewhile
from typing import Any

from rulewright.model import NUMBER, Role
from rulewright.phrases.introducing import introductions
from rulewright.phrases.lexicon import Entry, Lexicon
from rulewright.phrases.matching import Reader
from rulewright.phrases.wording import Worder
from rulewright.phrases.words import Fixed, Item, Slot, Template, fold
from rulewright.text import Source, Span

MOST = 60
"""Proposals made for one beginning; more do not help anybody."""


@dataclass(frozen=True)
class Proposal:
    """Words that a line can go on with.

    Attributes:
        text: the words.
        replaces: how many signs before the end of the line they take the place of.
        goes_on: the whole wording that they belong to.
    """

    text: str
    replaces: int
    goes_on: str = ""


def beginning(text: str) -> tuple[str, str]:
    """A line as what is finished of it, and the word that is still being typed."""
    finished = text[: text.rfind(" ") + 1]
    return finished, text[len(finished) :]


def offered(options: Iterable[tuple[str, str]], text: str) -> list[Proposal]:
    """Whole lines that begin as a text does, each with what is told of it."""
    begun = text.lstrip()
    return [Proposal(option, len(begun), told) for option, told in options if fold(option).startswith(fold(begun))]


def continuations(lexicon: Lexicon, worder: Worder, text: str) -> list[Proposal]:
    """The ways in which a sentence can go on that states what is so, tells what happens, or asks.

    Args:
        lexicon: the words there are.
        worder: says what things are called.
        text: the sentence so far; its last word may be unfinished.
    """
    finished, begun = beginning(text)
    completion = _Completion(lexicon, worder, finished, begun)
    found: dict[str, str] = {}
    for words, whole in islice(completion.standing(), MOST):
        found.setdefault(words, whole)
    for words, whole in completion.introducing():
        if not (found and completion.opens(words)):
            found.setdefault(words, whole)
    return [Proposal(words, len(begun), whole) for words, whole in found.items()]


class _Completion(Reader):
    """Holds the finished words of a sentence against templates, and looks at what stands behind them there."""

    def __init__(self, lexicon: Lexicon, worder: Worder, finished: str, begun: str) -> None:
        super().__init__(lexicon, Span(Source("typed", finished), 0, len(finished)))
        self.worder = worder
        self.begun = fold(begun)

    def standing(self) -> Iterator[tuple[str, str]]:
        """The next words of what speaks of things that are there, each with the wording they are of."""
        attributes = list(self._further_attributes())
        if attributes:
            yield from attributes
            return
        sentences = [
            (entry.template, _roles(entry), self._shown(entry.template))
            for key in (("event", "plain"), ("fact", "plain"), ("fact", "not"))
            for entry in self.lexicon.entries.get(key, ())
        ]
        for template, roles, whole in sentences:
            yield from ((words, whole) for words in self._after(template, 0, roles))
        for template in self.lexicon.own("comparisons", "="):
            yield from ((words, "") for words in self._after(template, 0, {}))
        for template, roles, whole in sentences if self.words else ():
            yield from ((words, whole) for words in self._after_question(template, roles))

    def introducing(self) -> Iterator[tuple[str, str]]:
        """The next words, if the sentence introduces something; its name is whatever stands first."""
        for template in self.lexicon.own("sentences", "introduction"):
            yield from ((words, "") for words in self._after(template, 0, {}))
        join = self.lexicon.language.sentences["with"][0]
        if join.startswith(self.begun) and any(not words for _, words in introductions(self.lexicon, self.span)):
            yield join, ""

    def opens(self, words: str) -> bool:
        """Whether words can stand right behind any new name, and so say nothing about the sentence."""
        return any(words == _joined(template[1:]) for template in self.lexicon.own("sentences", "introduction"))

    def _further_attributes(self) -> Iterator[tuple[str, str]]:
        """What can stand behind *with* and what joins attributes, where something is introduced."""
        language = self.lexicon.language
        joining = (",", *language.sentences["list-and"], *language.sentences["with"])
        joints = [n for n, word in enumerate(self.words) if word.type == "word" and word.folded in joining]
        if not joints or not any(len(words) < len(self.words) for _, words in introductions(self.lexicon, self.span)):
            return
        for entry in self.lexicon.entries.get(("measure", "with"), ()):
            role = Role("value", NUMBER, entry.phrase.dimension)
            seven = self.worder.number(Fraction(7), role.dimension)
            whole = self._shown(entry.template).replace("{value}", seven)
            yield from ((words, whole) for words in self._after(entry.template, joints[-1] + 1, {"value": role}))

    def _after_question(self, template: Template, roles: Mapping[str, Role]) -> Iterator[str]:
        """A question puts a word of the statement first: *may Archers shoot* asks for *Archers may shoot*."""
        first = self.words[0].folded
        for place, item in enumerate(template):
            if place and isinstance(item, Fixed) and first in item.forms:
                yield from self._after((*template[:place], *template[place + 1 :]), 1, roles)

    # --- along a template --------------------------------------------------------------------------------------------

    def _after(self, template: Template, at: int, roles: Mapping[str, Role]) -> Iterator[str]:
        """What can follow the finished words, if they follow a template from a word on."""
        if not template:
            return
        item, rest = template[0], template[1:]
        if at == len(self.words):
            yield from self._next(item, rest, roles)
        elif isinstance(item, Fixed):
            if self.words[at].folded in item.forms:
                yield from self._after(rest, at + 1, roles)
        else:
            for end in self._ends(item, at, roles):
                yield from self._after(rest, end, roles)
            yield from self._unfinished(item, at, roles)

    def _next(self, item: Item, rest: Template, roles: Mapping[str, Role]) -> Iterator[str]:
        if isinstance(item, Slot):
            yield from self._unfinished(item, len(self.words), roles)
            return
        forms = [item.shown, *(form for form in item.forms if form != fold(item.shown))]
        word = next((form for form in forms if fold(form).startswith(self.begun)), None)
        if word is not None:
            yield _joined([Fixed((), word), *rest])

    def _ends(self, slot: Slot, at: int, roles: Mapping[str, Role]) -> Iterable[int]:
        """Where what stands in a place may end."""
        if slot.role == "new":
            return range(at + 1, len(self.words) + 1)
        parse: Callable[[str, int], Iterator[tuple[Any, int]]] = (
            self._role_parser(roles) if slot.role in roles else self._own_slot
        )
        return sorted({end for _, end in parse(slot.role, at)})

    def _unfinished(self, slot: Slot, at: int, roles: Mapping[str, Role]) -> Iterator[str]:
        """What can follow in a place of which some words are there, or none."""
        role = roles.get(slot.role)
        if role is not None and role.kind == NUMBER:
            yield from self._unit(role, at)
            yield from self._measures(at) if slot.role != "value" else ()
        elif slot.role == "left":
            yield from self._measures(at)
        elif slot.role == "kind":
            yield from self._rest_of((self.worder.kind(ident) for ident, _ in self.lexicon.kinds), at)
        elif role is not None or slot.role == "side":
            yield from self._rest_of(self._names(role.kind if role is not None else slot.role), at)

    def _unit(self, role: Role, at: int) -> Iterator[str]:
        """What a number counts, behind the number."""
        if role.dimension is None or at + 1 > len(self.words) or self.words[at].type != "number":
            return
        number = Fraction(self.words[at].text)
        told = self.worder.number(number, role.dimension)
        unit = told.lstrip("+-0123456789.,/").lstrip()
        if told[-len(unit) - 1 : -len(unit)] == " ":
            yield from self._rest_of([unit], at + 1)

    def _measures(self, at: int) -> Iterator[str]:
        for entry in self.lexicon.entries.get(("measure", "plain"), ()):
            if at < len(self.words) or isinstance(entry.template[0], Fixed):
                yield from self._after(entry.template, at, _roles(entry))

    def _names(self, kind: str) -> Iterator[str]:
        vocabulary = self.lexicon.vocabulary
        things = {thing for named in self.lexicon.things.values() for thing in named}
        fitting = [thing.ident for thing in things if vocabulary.is_a(thing.kind, kind)]
        own = self.worder.names
        for ident in sorted(fitting, key=lambda ident: (ident not in own, self.worder.name(ident))):
            yield self.worder.name(ident)

    def _rest_of(self, names: Iterable[str], at: int) -> Iterator[str]:
        """Of each name that begins with the words from one on, those that follow."""
        typed = [word.folded for word in self.words[at:]]
        for name in names:
            words = name.split(" ")
            rest = words[len(typed) :]
            if rest and [fold(word) for word in words[: len(typed)]] == typed and fold(rest[0]).startswith(self.begun):
                yield " ".join(rest)

    def _shown(self, template: Sequence[Item]) -> str:
        variables = self.lexicon.language.variables
        return _spaced(
            item.shown if isinstance(item, Fixed) else f"{{{variables.get(item.role, item.role)}}}" for item in template
        )


def _joined(template: Sequence[Item]) -> str:
    """The words that a template begins with, up to its first place."""
    return _spaced(item.shown for item in takewhile(lambda item: isinstance(item, Fixed), template))  # type: ignore[union-attr]


def _spaced(words: Iterable[str]) -> str:
    return re.sub(r" ([,;:])", r"\1", " ".join(words))


def _roles(entry: Entry) -> Mapping[str, Role]:
    return {role.name: role for role in entry.phrase.roles}
