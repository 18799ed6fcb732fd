"""What the sentences of a file say, by the place they stand in; and how that is said in another language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from rulewright.model import Individual, IsA, Variable
from rulewright.phrases.introducing import attributes_in, introductions
from rulewright.phrases.lexicon import WINDOW, Lexicon
from rulewright.phrases.matching import Quantified, Reader, unique
from rulewright.phrases.variables import renamed
from rulewright.phrases.words import sentence_text
from rulewright.phrases.writing import Introduction, NoWordingError, Own, Window, Writer
from rulewright.resolve.sentences import RULE_FORMS
from rulewright.resolve.vocabulary import begun_with
from rulewright.text import Source, Span

Place = Literal[
    "event",
    "no-event",
    "fact",
    "condition",
    "effect",
    "until",
    "choice",
    "comparison",
    "measure",
    "expression",
    "window",
    "sum",
    "given",
    "happening",
    "expectation",
]


def readings(lexicon: Lexicon, span: Span, place: Place) -> list[object]:
    """All that a sentence may say in a place."""
    found = _READ[place](Reader(lexicon, span))
    return unique([_comparable(node) for node in found])


def _comparable(node: object) -> object:
    if isinstance(node, Quantified):
        number = (("number", node.number),) if node.form == "at-least" else ()
        return Own(node.form, (("variable", node.variable), *number))
    return node


def _own(reader: Reader, *keys: str) -> list[object]:
    return [Own(key, tuple(sorted(filled.items()))) for key in keys for filled in reader.own(key)]


def _until(reader: Reader) -> list[object]:
    return _own(reader, "window-end") or list(reader.events())


def _choice(reader: Reader) -> list[object]:
    found = _own(reader, "at-random") or _own(reader, "by-player")
    return [own for own in found if isinstance(own, Own) and all(isinstance(v, Variable) for _, v in own.places)]


def _windows(reader: Reader) -> list[object]:
    return [Window(found.ident) for found in reader.names(WINDOW)]


def _sum(reader: Reader) -> list[object]:
    language = reader.lexicon.language
    parts = begun_with(reader.span, language, "sum")
    if parts is None:
        return []
    name, rest = parts
    blanks = len(rest.text) - len(rest.text.lstrip())
    events = Reader(reader.lexicon, rest.within(blanks, len(rest.text))).events()
    return [Own("sum", (("variable", Variable(name)), ("event", event))) for event in events]


def _given(reader: Reader) -> list[object]:
    for filled, words in introductions(reader.lexicon, reader.span):
        side = filled.get("side")
        attributes = []
        for piece in attributes_in(words, reader.lexicon.language):
            part = reader.span.within(piece[0].start, piece[-1].end)
            attributes += Reader(reader.lexicon, part).attributes()[:1]
        named = side if isinstance(side, Individual) else None
        return [Introduction(str(filled["new"]), str(filled["kind"]), named, tuple(attributes))]
    return list(reader.conditions())


def _happening(reader: Reader) -> list[object]:
    answers = _own(reader, "roll-answer") or _own(reader, "chance-answer") or _own(reader, "choice-answer")
    return _spoken_of(answers, reader)[:1] or list(reader.events()) or _stated(reader) or _given(reader)


def _stated(reader: Reader) -> list[object]:
    return [node for node in reader.conditions() if not isinstance(node, IsA)]


def _spoken_of(found: list[object], reader: Reader) -> list[object]:
    """Readings about things of a game before those about words of the vocabulary that are called the same."""
    known = reader.lexicon.vocabulary.names
    return sorted(
        found, key=lambda own: sum(i.ident in known for _, i in getattr(own, "places", ()) if isinstance(i, Individual))
    )


def _expectation(reader: Reader) -> list[object]:
    about_rules = [own for key in RULE_FORMS for own in _own(reader, key)]
    if about_rules:
        return _spoken_of(about_rules, reader)[:1]
    return [*reader.events(("plain", "not")), *reader.conditions()]


_READ: Mapping[Place, Callable[[Reader], Sequence[object]]] = {
    "event": Reader.events,
    "no-event": lambda reader: reader.events(("not",)),
    "fact": Reader.facts,
    "condition": Reader.conditions,
    "effect": Reader.effects,
    "until": _until,
    "choice": _choice,
    "comparison": Reader.comparison,
    "measure": Reader.measures,
    "expression": Reader.expressions,
    "window": _windows,
    "sum": _sum,
    "given": _given,
    "happening": _happening,
    "expectation": _expectation,
}


@dataclass(frozen=True)
class Translator:
    """Says in one language what a sentence of another one says.

    Attributes:
        source, target: all words that may be used, in the language of the sentences and in the other one.
        plain: how a sentence was worded is of no account: everything is worded in the way that comes first.
    """

    source: Lexicon
    target: Lexicon
    writers: tuple[Writer, Writer]
    plain: bool = False

    def sentence(self, span: Span, place: Place, names: Mapping[str, str], before: str = "") -> str:
        """A sentence in the other language, as it is said after some words; variables get other names.

        Raises:
            NoWordingError: there are no words for it, or none that could not be taken for something else.
        """
        told = readings(self.source, span, place)
        if len(told) != 1:
            raise NoWordingError(sentence_text(span), span)
        text = sentence_text(span)
        wanted = renamed(told[0], names)
        missing = NoWordingError(text, span)
        try:
            written = self._written(told[0], wanted, text, place, before)
        except NoWordingError as error:
            written, missing = None, error
        if written is None and readings(self.target, _span(text), place) == [wanted]:
            return text  # it reads the same in both
        if written is None:
            raise missing
        return written

    def _written(self, told: object, wanted: object, text: str, place: Place, before: str) -> str | None:
        """The first way to say something that says nothing else, worded like a text if that can be."""
        from_writer, to_writer = self.writers
        like = None if self.plain else from_writer.manner(told, text)
        for written, _ in to_writer.ways(wanted, like, before):
            if readings(self.target, _span(written), place) == [wanted]:
                return written
        return None


def _span(text: str) -> Span:
    return Span(Source("written", text), 0, len(text))
