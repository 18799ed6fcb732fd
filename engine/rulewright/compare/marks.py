"""Which words of clauses that answer each other differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from rulewright.compare.alignment import words_of


@dataclass(frozen=True)
class Piece:
    """Some words of a clause, and whether the others say something else there."""

    text: str
    differs: bool = False


def marked(texts: Sequence[str]) -> list[tuple[Piece, ...]]:
    """Several clauses in pieces: what some other of them does not say is marked."""
    return [
        _pieces(text, [other for place, other in enumerate(texts) if place != own]) for own, text in enumerate(texts)
    ]


def _pieces(text: str, others: Sequence[str]) -> tuple[Piece, ...]:
    words = words_of(text)
    shared = [_shared(words, words_of(other)) for other in others]
    told = [(word, any(place not in own for own in shared)) for place, word in enumerate(words)]
    return tuple(
        Piece(" ".join(word for word, _ in group), differs)
        for differs, group in groupby(told, key=lambda pair: pair[1])
    )


def _shared(words: Sequence[str], others: Sequence[str]) -> set[int]:
    """The places of the words that the other clause has too, in the same order."""
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    return {place for block in blocks for place in range(block.a, block.a + block.size)}
