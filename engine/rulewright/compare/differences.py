"""The differences between the rules of two editions, as the matrix has them, each to be told apart by a situation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rulewright.compare.clauses import Clause, clauses_of
from rulewright.compare.games import Game
from rulewright.compare.matrix import below, make_sure_of
from rulewright.compare.rows import Told, lines_of, rows_of
from rulewright.compare.sides import Side
from rulewright.compare.turning import Turning, stands_at
from rulewright.explain.rules import items_of
from rulewright.model import Rule
from rulewright.syntax.keywords import Language

SOUGHT = frozenset({"when", "if", "where", "unless"})
"""The parts of rules in which a difference shows in whether they apply."""


@dataclass(frozen=True)
class Difference:
    """Clauses of two rules that answer each other and differ, or a clause or rule that only one edition has.

    Attributes:
        concept: the concept that they are about.
        rules: the names of the rules; None where an edition has none that answers.
        clauses: the clauses; None where a rule has none that answers; both, where a whole rule stands alone.
    """

    concept: str
    rules: tuple[str | None, str | None]
    clauses: tuple[Clause | None, Clause | None]

    def told_by(self, turning: Turning, games: Sequence[Game]) -> bool:
        """Whether it is this difference for which two games part."""
        place = games.index(turning.one)
        verdict = turning.counterpart
        if turning.match.rule != self.rules[place]:
            return False
        if self.rules[1 - place] is None:
            return verdict is None or not turning.other.unreached(verdict)
        if verdict is None or verdict.item != self.rules[1 - place]:
            return False
        clause = self.clauses[1 - place]
        return clause is not None and any(stands_at(clause, span) for span in turning.failed_at())


def differences_of(sides: Sequence[Side], concept: str | None, language: Language) -> list[Difference]:
    """The differences of the rules of two editions on a concept and those below it; on all, without one.

    Raises:
        Fault: no edition has a rule or the like on such a concept.
    """
    make_sure_of(concept, {c for side in sides for item in items_of(side.edition) for c in item.anchor.concepts})
    told = [
        [Told(item, clauses_of(item, side, language)) for item in items_of(side.edition) if isinstance(item, Rule)]
        for side in sides
    ]
    known = sorted({c for blocks in told for b in blocks for c in b.item.anchor.concepts})
    found: dict[object, Difference] = {}
    for name in (c for c in known if concept is None or below(c, concept)):
        for row in rows_of([[b for b in blocks if name in b.item.anchor.concepts] for blocks in told]):
            one, other = (b.item.anchor.ident if b is not None else None for b in row.blocks)
            if one is None or other is None:
                found.setdefault((one, other), Difference(name, (one, other), (None, None)))
                continue
            for line in lines_of(row, name):
                first, second = line.clauses
                clause = first or second
                if line.sign != "same" and clause is not None and clause.part in SOUGHT:
                    spans = tuple(c.span if c else None for c in line.clauses)
                    found.setdefault((one, other, spans), Difference(name, (one, other), (first, second)))
    return _answered(list(found.values()))


def _answered(found: Sequence[Difference]) -> list[Difference]:
    """Without those of rules that stand alone on one concept and are answered on another."""
    answered = {(n, d.rules[n]) for d in found if None not in d.rules for n in (0, 1)}
    return [d for d in found if None not in d.rules or not any((n, d.rules[n]) in answered for n in (0, 1))]
