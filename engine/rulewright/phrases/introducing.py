"""Sentences that introduce a thing, such as *Archers is a unit of Red with 20 models and Discipline 7*."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulewright.phrases.lexicon import Lexicon
from rulewright.phrases.matching import Filled, Reader
from rulewright.phrases.words import Word, split
from rulewright.syntax.keywords import Language
from rulewright.text import Span


def introductions(lexicon: Lexicon, span: Span) -> Iterator[tuple[Filled, Sequence[Word]]]:
    """The ways to read a sentence as an introduction: its places by name, and the words after *with*."""
    words = split(span.text, lexicon.language.decimal)
    withs = lexicon.language.sentences["with"]
    cuts = [len(words), *(i for i, w in enumerate(words) if w.type == "word" and w.folded in withs)]
    for cut in cuts:
        end = len(span.text) if cut == len(words) else words[cut].start
        for filled in Reader(lexicon, span.within(0, end)).own("introduction"):
            yield filled, words[cut + 1 :]


def attributes_in(words: Sequence[Word], language: Language) -> list[list[Word]]:
    """The words after *with*, parted into attributes."""
    joining = (",", *language.sentences["list-and"])
    pieces: list[list[Word]] = [[]]
    for word in words:
        if word.type == "word" and word.folded in joining:
            pieces.append([])
        else:
            pieces[-1].append(word)
    return [piece for piece in pieces if piece]
