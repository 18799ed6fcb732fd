"""The syntax tree: blocks of clauses, each node with its span.  Sentences are still opaque text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rulewright.text import Span

UNREADABLE = "unreadable"
"""The kind of a block of which not even the first line could be read."""


@dataclass(frozen=True)
class Clause:
    """A line of a block.

    Attributes:
        kind: the rule of the grammar, such as ``when`` or ``cites``.
        keyword: the keyword as written.
        text: what follows the keyword, continuation lines included; None when nothing may follow.
        details: clauses that stand below this one, further indented.
    """

    kind: str
    keyword: Span
    text: Span | None
    details: tuple[Clause, ...] = ()

    @property
    def span(self) -> Span:
        """Keyword and text together."""
        return Span(self.keyword.source, self.keyword.start, (self.text or self.keyword).end)

    @property
    def sentence(self) -> Span:
        """The text of a clause that must have one."""
        assert self.text is not None
        return self.text


@dataclass(frozen=True)
class Block:
    """A block: its kind (``rule``, ``event``, ...), name, title and clauses.

    Attributes:
        ident: the name; for a ``language`` block, the language named.
        title: the title without its quotes, or an empty text.
        language: code of the language the block is written in.
        span: the head line.
        lost: lines that could not be read as they stand; what they would have said is missing or guessed.
        whole: no line is missing.
    """

    kind: str
    keyword: Span
    ident: Span
    title: str
    clauses: tuple[Clause, ...]
    language: str
    span: Span
    lost: tuple[Span, ...] = ()
    whole: bool = True

    def each(self, *kinds: str) -> Iterator[Clause]:
        """The clauses of the given kinds, in order."""
        return (clause for clause in self.clauses if clause.kind in kinds)

    def one(self, kind: str) -> Clause | None:
        """The first clause of a kind, or None."""
        return next(self.each(kind), None)
