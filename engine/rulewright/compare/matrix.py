"""The matrix of concepts by editions, as data: what the rules of each say, clause beside clause, or silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rulewright.compare.clauses import Clause, clauses_of
from rulewright.compare.rows import Line, Row, Told, lines_of, rows_of
from rulewright.compare.sides import Side
from rulewright.diagnostics import Fault, did_you_mean, known_ones, report
from rulewright.explain.readings import describe_choices
from rulewright.explain.rules import Item, block_of, items_of
from rulewright.syntax.keywords import languages

SCHEMA = "rulewright/compare/1"

Data = dict[str, Any]


def describe_matrix(sides: Sequence[Side], concept: str | None, code: str) -> Data:
    """Editions side by side.

    Args:
        sides: the editions.
        concept: the concept that alone is looked at, with all below it; None for all.
        code: the code of the language in which it is said.

    Raises:
        Fault: no edition has a rule on such a concept.
    """
    language = languages()[code]
    told = [[Told(item, clauses_of(item, side, language)) for item in items_of(side.edition)] for side in sides]
    known = {c for blocks in told for block in blocks for c in block.item.anchor.concepts}
    asked = sorted(c for c in known if concept is None or below(c, concept))
    make_sure_of(concept, known)
    described = [_concept(name, asked, told, sides) for name in sorted(asked, key=lambda c: c.split("."))]
    shown = {b for c in described for row in c["rows"] for b in row["blocks"] if b is not None}
    return {
        "schema": SCHEMA,
        "language": code,
        "concept": concept,
        "editions": [describe_side(side, code) for side in sides],
        "concepts": described,
        "blocks": [
            _block(block, side, code)
            for side, blocks in zip(sides, told, strict=True)
            for block in blocks
            if _ident(block.item, side) in shown
        ],
    }


def make_sure_of(concept: str | None, known: Iterable[str]) -> None:
    """Makes sure that there is a concept, or one below it.

    Raises:
        Fault: there is none.
    """
    if concept is None or any(below(c, concept) for c in known):
        return
    hint = did_you_mean(concept, known) or known_ones(sorted({c.partition(".")[0] for c in known}))
    raise Fault(report("unknown-concept", concept=concept, hint=hint))


def below(concept: str, other: str) -> bool:
    """Whether a concept is another, or stands below it."""
    return concept == other or concept.startswith(f"{other}.")


def describe_side(side: Side, code: str) -> Data:
    """Which edition it is, under which readings, as data."""
    edition = side.edition
    return {
        "name": side.name,
        "edition": edition.ident,
        "title": edition.text(edition.title, edition.language, code),
        "readings": describe_choices(edition.readings_in(code)),
    }


def _concept(name: str, asked: Iterable[str], told: Sequence[Sequence[Told]], sides: Sequence[Side]) -> Data:
    own = [[block for block in blocks if name in block.item.anchor.concepts] for blocks in told]
    speaking = [place for place, blocks in enumerate(own) if blocks]
    rows = [(row, lines_of(row, name)) for row in rows_of(own)]
    groups = _groups(rows, own)
    above = [other for other in asked if other != name and below(name, other)]
    return {
        "concept": name,
        "below": max(above, key=len, default=None),
        "verdict": "alone"
        if len(speaking) == 1
        else "same"
        if len({g for g in groups if g is not None}) == 1
        else "differs",
        "groups": groups,
        "rows": [_row(row, lines, len(speaking), sides) for row, lines in rows],
    }


def _groups(rows: Sequence[tuple[Row, list[Line]]], own: Sequence[Sequence[Told]]) -> list[int | None]:
    """For each edition a number, None where it is silent; those with the same number say the same."""
    lines = [line for _, lines in rows for line in lines]
    said = [tuple(line.says[place] for line in lines) for place in range(len(own))]
    kinds = list(dict.fromkeys(s for s, blocks in zip(said, own, strict=True) if blocks))
    return [kinds.index(s) if blocks else None for s, blocks in zip(said, own, strict=True)]


def _row(row: Row, lines: Iterable[Line], speaking: int, sides: Sequence[Side]) -> Data:
    there = sum(1 for block in row.blocks if block is not None)
    return {
        "sign": "some" if there < speaking else "alone" if speaking == 1 else "same",
        "blocks": [_ident(b.item, s) if b else None for b, s in zip(row.blocks, sides, strict=True)],
        "lines": [{"sign": line.sign, "clauses": list(_cells(line))} for line in lines],
    }


def _cells(line: Line) -> Iterator[Data | None]:
    for clause, pieces in zip(line.clauses, line.pieces, strict=True):
        if clause is None:
            yield None
        else:
            parts = [{"text": piece.text, "differs": piece.differs} for piece in pieces]
            yield {**_clause(clause), "pieces": parts}


def _clause(clause: Clause) -> Data:
    return {"part": clause.part, "keyword": clause.keyword, "text": clause.text, "depth": clause.depth}


def _ident(item: Item, side: Side) -> str:
    return f"{side.name}/{item.anchor.ident}"


def _block(block: Told, side: Side, code: str) -> Data:
    anchor = side.edition.anchor_in(block.item.anchor, code)
    return {
        "id": _ident(block.item, side),
        "edition": side.name,
        "name": anchor.ident,
        "kind": block_of(block.item),
        "title": anchor.title,
        "place": f"{anchor.span.source.name}:{anchor.span.line}",
        "concepts": list(anchor.concepts),
        "cites": list(anchor.cites),
        "assumptions": [{"id": a.ident, "text": a.text} for a in anchor.assumptions],
        "clauses": [_clause(clause) for clause in block.clauses],
    }
