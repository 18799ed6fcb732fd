"""Which clauses of a block hold sentences, and what kind of sentence each holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rulewright.convert.sentences import Place
from rulewright.resolve.blocks import RULE_BLOCKS
from rulewright.syntax.tree import Block, Clause

_TERMINALS = {"lasting": "WHILE"}
_CONDITIONS = ("and", "or", "if", "where", "holds", "while", "lasting", "unless")
_PLACES: dict[str, Place] = {
    "choose": "choice",
    "counts": "expression",
    "adds": "expression",
    "highest": "expression",
    "lowest": "expression",
    "equals": "expression",
    "succeeds": "comparison",
    "first": "event",
    "when": "event",
    "changes": "effect",
    "begins": "fact",
    "copies": "measure",
    "stands_for": "condition",
    "sums": "sum",
    "over": "window",
    "opens": "window",
    "closes": "window",
}
_ONE_LINE = (
    *(
        "source",
        "sentences",
        "is_a",
        "begins",
        "symmetric",
        "counted_in",
        "only_one",
        "opens",
        "closes",
        "sums",
        "over",
    ),
    *("copies", "stands_for", "role", "concept", "cites", "until", "roll", "rolled_by", "overrides", "regardless"),
    *("head", "first", "owner_chooses", "edition", "reading", "wording", "negative", "attribute", "before"),
    *("may", "may_not", "must"),
)
"""Clauses whose text may not go on below."""


@dataclass(frozen=True)
class Part:
    """A clause and what it holds.

    Attributes:
        terminal: the keyword it begins with; empty where it begins with none.
        form: the place of the keyword, where another form of it is used there.
        places: what kinds of sentence it may hold; none where its text is no sentence.
    """

    clause: Clause
    terminal: str
    form: str = ""
    places: tuple[Place, ...] = ()

    @property
    def goes_on(self) -> bool:
        """Whether the text may go on below."""
        return self.clause.kind not in _ONE_LINE


def parts(block: Block) -> Iterator[Part]:
    """The clauses of a block, each with those below it after it."""
    part = ""
    conditions = False
    for clause in block.clauses:
        if clause.kind not in ("and", "or", "together", "concept"):
            part = clause.kind
        conditions = (conditions or clause.kind == "and") and clause.kind != "when"
        if block.kind == "scenario":
            yield _scenario_part(clause, part)
        elif block.kind == "order" and clause.kind == "then":
            yield Part(clause, "THEN", "order", ("event",))
        elif clause.kind == "or" and part == "when" and not conditions and block.kind == "rule":
            yield Part(clause, "OR", places=("event",))
        elif part == "then" and clause.kind in ("then", "and"):
            yield from _effect(clause)
        elif clause.kind == "head":
            yield Part(clause, "", places=("no-event",) if block.kind == "exemption" else ("fact", "measure"))
        elif clause.kind == "until":
            yield Part(clause, "UNTIL", places=("event",))
        elif clause.kind in _PLACES:
            yield Part(clause, clause.kind.upper(), places=(_PLACES[clause.kind],))
            yield from _below(clause)
        elif clause.kind in _CONDITIONS:
            yield Part(clause, clause.kind.upper(), places=("condition",))
            yield from _below(clause)
        else:
            yield Part(clause, clause.kind.upper())


def _scenario_part(clause: Clause, part: str) -> Part:
    places: dict[str, Place] = {"given": "given", "when": "happening", "then": "expectation"}
    told = clause.kind in ("given", "when", "then", "and", "together")
    return Part(clause, clause.kind.upper(), places=(places[part],) if told and part in places else ())


def _below(clause: Clause) -> Iterator[Part]:
    """The conditions below a clause."""
    for detail in clause.details:
        terminal = _TERMINALS.get(detail.kind, detail.kind.upper())
        yield Part(detail, terminal, places=("condition",))
        yield from _below(detail)


def _effect(clause: Clause, terminal: str = "") -> Iterator[Part]:
    """An effect, with the lines that say how long it lasts and what its outcomes lead to."""
    yield Part(clause, terminal or clause.kind.upper(), places=("effect",))
    part = ""
    for detail in clause.details:
        part = detail.kind if detail.kind not in ("and", "or") else part
        if part == "until":
            yield Part(detail, detail.kind.upper(), places=("until",))
        elif part == "lasting":
            yield Part(detail, _TERMINALS.get(detail.kind, detail.kind.upper()), places=("condition",))
            yield from _below(detail)
        else:
            yield from _effect(detail)


def vocabulary_block(block: Block) -> bool:
    """Whether the variables of a block are the places of a phrase, which have the same name in all languages."""
    return block.kind not in RULE_BLOCKS
