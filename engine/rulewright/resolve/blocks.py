"""Which blocks belong together, and the ids that stand in their lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rulewright.diagnostics import Diagnostic, report
from rulewright.syntax.tree import Block, Clause
from rulewright.text import Span

PHRASE_BLOCKS = ("fact", "modifier", "measure", "event", "tally", "snapshot", "record")
VOCABULARY_BLOCKS = ("kind", "name", "shorthand", "action", *PHRASE_BLOCKS)
RULE_BLOCKS = ("rule", "definition", "exemption", "test", "order")
READING = "reading"

QUOTES = '"“”„«»'
IDENT = re.compile(r"[^\W_][\w.\-]*")


def group_of(block: Block) -> str | None:
    """Blocks of one group need names of their own; None for those that need none."""
    if block.kind in ("kind", "name", READING):
        return block.kind
    if block.kind in VOCABULARY_BLOCKS:
        return "phrase"
    return "rule" if block.kind in RULE_BLOCKS else None


def idents_in(text: str) -> list[str]:
    """The ids in a text; a full stop at its end is not a part of them."""
    return [ident.rstrip(".") for ident in IDENT.findall(text)]


def concepts_of(block: Block, diagnostics: list[Diagnostic]) -> tuple[str, ...]:
    """The concepts that a block names, each of them one word."""
    found: list[str] = []
    for clause in block.each("concept"):
        for part in (p.strip() for p in clause.sentence.text.split(",")):
            ids = idents_in(part)
            if len(ids) != 1:
                example = ".".join(ids).lower() or "panic.trigger"
                diagnostics.append(report("unclear-concept", clause.sentence, text=part, example=example))
            found += ids
    return tuple(found)


def facets_of(block: Block) -> tuple[tuple[str, Span], ...]:
    """The concepts that only one clause of a block is about, each with the sentence of that clause.

    A ``concept`` line is about the clause below it when it stands among the clauses; before the first of them, when
    another such line, and what the block cites or assumes, stand between it and the head.
    """
    found: list[tuple[str, Span]] = []
    waiting: list[str] = []
    whole = anchored = begun = False
    for clause in block.clauses:
        if clause.kind == "concept":
            alone = begun or (whole and anchored)
            waiting += idents_in(clause.sentence.text) if alone else ()
            whole = whole or not alone
        elif clause.kind in ("cites", "assuming"):
            anchored = True
        elif clause.kind != "note":
            begun = True
            found += [(concept, clause.text or clause.keyword) for concept in waiting]
            waiting = []
    return tuple(found)


def citations_of(block: Block, to: Sequence[str], diagnostics: list[Diagnostic]) -> tuple[str, ...]:
    """The sentences that a block cites; ``to`` are the words for *to* in its language."""
    clauses = block.each("cites")
    return tuple(i for c in clauses for i in sentence_ids(c, c.sentence.text, to, diagnostics))


def sentence_ids(clause: Clause, text: str, to: Sequence[str], diagnostics: list[Diagnostic]) -> list[str]:
    """Sentence ids of a list such as ``t2-001, t2-003 to t2-005``."""
    found: list[str] = []
    for part in re.split(r",", text):
        ids = idents_in(part)
        if len(ids) == 3 and ids[1].casefold() in to:
            first, last = re.fullmatch(r"(.*?)(\d+)", ids[0]), re.fullmatch(r"(.*?)(\d+)", ids[2])
            if first and last and first[1] == last[1] and int(first[2]) <= int(last[2]) <= int(first[2]) + 10_000:
                width = len(first[2])
                found += [f"{first[1]}{n:0{width}}" for n in range(int(first[2]), int(last[2]) + 1)]
                continue
        if len(ids) == 1:
            found += ids
        else:
            diagnostics.append(report("unclear-ids", clause.sentence, text=part.strip()))
    return found
