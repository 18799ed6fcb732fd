"""One slip, one finding: what is only complained about because something else is wrong is not mentioned.

A name, a kind or a wording that cannot be read makes the sentences that use it unreadable too.  Its own finding is
enough; once it is put right, the sentences are looked at again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rulewright.diagnostics import Diagnostic
from rulewright.phrases.words import fold, split
from rulewright.resolve.blocks import READING, RULE_BLOCKS, VOCABULARY_BLOCKS
from rulewright.syntax.tree import UNREADABLE, Block
from rulewright.text import Span

Words = tuple[str, ...]

_INCOMPLETE = {
    "bare-quantifier",
    "incomplete-block",
    "misplaced-clause",
    "name-without-kind",
    "no-reason",
    "no-wording",
    "record-role",
    "role-without-kind",
    "stray-where",
    "unclear-snapshot",
}
"""What a block is blamed for that lacks something, or seems to, once a line of it could not be read."""

_SWALLOWED = {"misspelt-keyword", "too-deep"}
"""What is said of a line that was taken for a part of the sentence above it."""

_DECLARATIONS = {
    "declared-twice",
    "kind-circle",
    "name-without-kind",
    "never-in-force",
    "no-wording",
    "open-brace",
    "place-left-out",
    "role-without-kind",
    "same-wording",
    "shorthand-circle",
    "unclear-role",
    "unknown-dimension",
    "unknown-kind",
    "unknown-language",
    "unknown-option",
    "unknown-reading",
}
_WHOLE = {"idle-reading", "sentence-not-covered", "missing-word", "no-edition-block"}
"""What can be said only of an edition that could be read as a whole."""

SYNTAX, KINDS, NAMES, PHRASES, SENTENCES, RULES, EDITION = range(7)
"""What rests on what: a finding is explained only by one of a lower level."""


@dataclass(frozen=True)
class _Ruin:
    """A block that is not there as it was meant: its names, and the words that its sentences would be known by."""

    level: int
    idents: frozenset[str]
    sentences: tuple[Words, ...]


class _Ruins:
    """All ruins, by what they explain."""

    def __init__(self) -> None:
        self._idents: dict[str, int] = {}
        self._sentences: dict[str, dict[Words, int]] = {}

    def add(self, ruins: Iterable[_Ruin]) -> None:
        """Adds ruins."""
        for ruin in ruins:
            for ident in ruin.idents:
                self._idents[ident] = min(ruin.level, self._idents.get(ident, ruin.level))
            for sentence in ruin.sentences:
                known = self._sentences.setdefault(sentence[0], {})
                known[sentence] = min(ruin.level, known.get(sentence, ruin.level))

    def explain(self, diagnostic: Diagnostic, words: Words, level: int) -> bool:
        """Whether a finding speaks of what a block of a lower level should have declared."""
        if any(self._idents.get(fold(said), level) < level for said in diagnostic.said):
            return True
        return any(
            one < level and _in_order(sentence, words)
            for first in set(words)
            for sentence, one in self._sentences.get(first, {}).items()
        )


class _Places:
    """Which block a finding lies in."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks: dict[str, list[Block]] = {}
        self.texts: dict[int, list[Span]] = {}
        for block in sorted(blocks, key=lambda b: b.span.start):
            self.blocks.setdefault(block.span.source.name, []).append(block)
        self.starts = {name: [b.span.start for b in found] for name, found in self.blocks.items()}

    def block(self, diagnostic: Diagnostic) -> Block | None:
        """The block that a finding lies in."""
        if diagnostic.span is None or diagnostic.span.source.name not in self.blocks:
            return None
        name = diagnostic.span.source.name
        index = bisect_right(self.starts[name], diagnostic.span.start) - 1
        return self.blocks[name][index] if index >= 0 else None

    def sentence(self, diagnostic: Diagnostic, block: Block | None) -> str:
        """The sentence that a finding is about."""
        if diagnostic.span is None:
            return ""
        if block is not None and id(block) not in self.texts:
            found = [c.text for clause in block.clauses for c in (clause, *clause.details) if c.text]
            self.texts[id(block)] = sorted(found, key=lambda span: span.start)
        texts = self.texts[id(block)] if block is not None else []
        index = bisect_right(texts, diagnostic.span.start, key=lambda span: span.start) - 1
        inside = index >= 0 and diagnostic.span.start < texts[index].end
        return (texts[index] if inside else diagnostic.span).text


def without_followups(
    blocks: Sequence[Block], syntax: Sequence[Diagnostic], others: Iterable[Diagnostic]
) -> list[Diagnostic]:
    """The findings of an edition without those that follow from others.

    Args:
        blocks: all blocks of its files.
        syntax: what the parser found.
        others: what was found later.
    """
    places = _Places(blocks)
    others = list(others)
    damaged = {id(b) for b in blocks if b.lost}
    damaged |= {id(places.block(d)) for d in others if d.name in _SWALLOWED}
    deep = {id(places.block(d)) for d in syntax if d.name == "too-deep"}
    ruins = _Ruins()
    ruins.add(r for b in blocks if b.lost for r in _ruins(b, SYNTAX))
    found = list(syntax)
    levelled = sorted(((_level(d, places.block(d)), n, d) for n, d in enumerate(others)), key=lambda t: t[:2])
    for level, _, diagnostic in levelled:
        block = places.block(diagnostic)
        if diagnostic.name in _WHOLE and any(d.severity == "error" for d in found):
            continue
        if block is not None and id(block) in damaged and diagnostic.name in _INCOMPLETE:
            continue
        if diagnostic.name == "too-deep" and block is not None and id(block) in deep:
            continue
        words = _words(places.sentence(diagnostic, block))
        if not ruins.explain(diagnostic, words, level):
            found.append(diagnostic)
        if block is not None and diagnostic.severity == "error":
            ruins.add(_ruins(block, level))
    return found


def _level(diagnostic: Diagnostic, block: Block | None) -> int:
    if diagnostic.name in (*_WHOLE, "unknown-rule") or block is None:
        return EDITION
    if block.kind == READING:
        return KINDS
    if diagnostic.name in _DECLARATIONS and block.kind in VOCABULARY_BLOCKS:
        return {"kind": KINDS, "name": NAMES}.get(block.kind, PHRASES)
    return SENTENCES if block.kind in VOCABULARY_BLOCKS else RULES


def _ruins(block: Block, level: int) -> Iterator[_Ruin]:
    """What is not there because of a finding in a block."""
    idents = frozenset({fold(block.ident.text)})
    if block.ident == block.span:  # the name was not sure: the first word of the line, or some of them joined
        words = block.span.text.split()[1:]
        idents = frozenset(fold("-".join(words[:n])) for n in range(1, len(words) + 1))
    if block.kind == UNREADABLE:
        lines = [line.text for line in block.lost]
        idents = frozenset(fold(word) for word in lines[0].split()[1:2])
        yield _Ruin(level, idents, tuple(filter(None, map(_wording, lines))))
    elif block.kind in VOCABULARY_BLOCKS and level < SENTENCES:
        texts = [line.text for line in block.lost if line != block.span]
        if level != SYNTAX:
            texts += [c.text.text for c in block.clauses if c.text and ":" in c.keyword.text]
        yield _Ruin(level, idents if level != SYNTAX else frozenset(), tuple(filter(None, map(_wording, texts))))
    elif block.kind == READING or (block.kind in RULE_BLOCKS and level <= RULES):
        yield _Ruin(level, idents, ())


def _wording(line: str) -> Words:
    """The words that a line of the vocabulary adds to a sentence: those that are not places or keywords."""
    text = re.sub(r"^[a-z]+(?:\s+\w+){0,2}\s*:|^[a-z]{2,3}\s", "", line, flags=re.IGNORECASE)
    text = re.sub(r"\{[^{}\s]*\}?", " ", text)
    return tuple(word.split("|")[0] for word in _words(re.sub(r"(?<=\w)(?:\|\S+)", "", text)))


def _words(text: str) -> Words:
    return tuple(w.folded for w in split(text) if w.type == "word")


def _in_order(wanted: Words, words: Words) -> bool:
    """Whether all wanted words are among the words, in their order."""
    rest = iter(words)
    return bool(wanted) and all(any(word == one for word in rest) for one in wanted)
