"""The rows of a concept: blocks of several editions that answer each other, clause beside clause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from rulewright.compare.alignment import AKIN, best_pairs, called_alike, match_clauses
from rulewright.compare.clauses import Clause
from rulewright.compare.marks import Piece, marked
from rulewright.explain.rules import Item

Sign = Literal["same", "differs", "some", "own", "alone"]
"""How the clauses of one line stand to each other: all say the same; they differ; some of the blocks that answer each
other have none; they have the same words, but each edition means its own thing by them; there is but one block."""


@dataclass(frozen=True)
class Told:
    """A block of an edition with its clauses."""

    item: Item
    clauses: tuple[Clause, ...]

    def about(self, clause: Clause, concept: str) -> bool:
        """Whether a clause is what the block says of a concept: all are, unless some are marked."""
        return concept in clause.concepts or not any(concept in c.concepts for c in self.clauses)


@dataclass(frozen=True)
class Line:
    """Clauses that answer each other, one for each edition that has one."""

    sign: Sign
    clauses: tuple[Clause | None, ...]
    pieces: tuple[tuple[Piece, ...], ...]
    says: tuple[int | None, ...]
    """For each edition a number; those with the same number say the same."""


@dataclass
class Row:
    """Blocks that answer each other, one for each edition that has one, and the lines of their clauses."""

    blocks: list[Told | None]
    lines: list[list[Clause | None]] = field(default_factory=list)

    @property
    def first(self) -> Sequence[Clause]:
        """For each line, the first of its clauses."""
        return [next(clause for clause in line if clause is not None) for line in self.lines]

    def add(self, place: int, block: Told) -> None:
        """Puts the block of one more edition beside the others."""
        self.blocks[place] = block
        found = match_clauses(block.clauses, self.first)
        lines = list(self.lines)
        at = 0
        for number, clause in enumerate(block.clauses):
            said = called_alike(clause, found.renaming)
            if number in found.links:
                line = lines[found.links[number]]
                line[place] = said
                at = max(at, self.lines.index(line) + 1)
            else:
                new: list[Clause | None] = [None] * len(self.blocks)
                new[place] = said
                self.lines.insert(at, new)
                at += 1


def rows_of(blocks: Sequence[Sequence[Told]]) -> list[Row]:
    """The blocks of several editions on one concept in rows; in each row those that are most alike."""
    rows: list[Row] = []
    for place, own in enumerate(blocks):
        likeness = partial(_likeness, own, rows)
        pairs = best_pairs(range(len(own)), range(len(rows)), likeness, AKIN)
        for number, block in enumerate(own):
            if number in pairs:
                rows[pairs[number]].add(place, block)
        for number, block in enumerate(own):
            if number not in pairs:
                row = Row([None] * len(blocks))
                row.add(place, block)
                rows.append(row)
    return rows


def _likeness(blocks: Sequence[Told], rows: Sequence[Row], number: int, other: int) -> float:
    block, row = blocks[number], rows[other]
    if all(type(other.item) is not type(block.item) for other in row.blocks if other is not None):
        return 0.0
    return match_clauses(block.clauses, row.first).likeness


def lines_of(row: Row, concept: str) -> list[Line]:
    """The lines of a row that are about a concept."""
    found = []
    speaking = sum(1 for block in row.blocks if block is not None)
    for line in row.lines:
        own = [c if c and b and b.about(c, concept) else None for c, b in zip(line, row.blocks, strict=True)]
        if any(own):
            found.append(line_of(own, speaking))
    return found


def line_of(clauses: Sequence[Clause | None], speaking: int) -> Line:
    """Clauses that answer each other as a line, where so many blocks answer each other."""
    there = [c for c in clauses if c is not None]
    kinds: list[Clause] = []
    says: list[int | None] = []
    for clause in clauses:
        same = next((n for n, k in enumerate(kinds) if clause is not None and k.key == clause.key), None)
        if clause is not None and same is None:
            kinds.append(clause)
            same = len(kinds) - 1
        says.append(same)
    sign: Sign = "same"
    if speaking == 1:
        sign = "alone"
    elif len(kinds) > 1:
        sign = "differs" if len({c.text for c in there}) > 1 else "own"
    elif len(there) < speaking:
        sign = "some"
    texts = [c.text for c in there]
    pieces = iter(marked(texts) if sign == "differs" else [(Piece(text),) for text in texts])
    return Line(sign, tuple(clauses), tuple(next(pieces) if c else () for c in clauses), tuple(says))
