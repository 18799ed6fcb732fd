"""The clause that makes the difference: what held in the rule of one edition, and not in that of another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rulewright.compare.alignment import match_clauses
from rulewright.compare.clauses import Clause, clauses_of
from rulewright.compare.games import Game
from rulewright.compare.rows import Told, rows_of
from rulewright.explain.clauses import arithmetic, clause_text, trigger_text, without_braces
from rulewright.explain.failed import describe_failed, failed_text
from rulewright.explain.misses import Miss
from rulewright.explain.nearest import Failed
from rulewright.explain.verdicts import Verdict
from rulewright.model import Rule
from rulewright.provenance import ClauseTruth, RuleMatch
from rulewright.syntax.keywords import Language
from rulewright.text import Span

Data = dict[str, Any]


@dataclass(frozen=True)
class Turning:
    """A thing to which the rules of one edition on a concept applied, and those of another did not.

    Attributes:
        one: the game in which a rule applied, as ``match``.
        other: the game in which none did.
    """

    concept: str
    one: Game
    other: Game
    thing: str | None
    match: RuleMatch
    language: Language

    def described(self) -> Data:
        """What makes the difference, as data."""
        verdict = self.counterpart
        held, failed = self._texts()
        return {
            "applies": self.one.side.name,
            "not": self.other.side.name,
            "for": self.one.session.worder.name(self.thing) if self.thing is not None else None,
            "rule": self.match.rule,
            "other": verdict.item if verdict else None,
            "kind": self.kind,
            "held": held,
            "failed": failed,
        }

    @cached_property
    def counterpart(self) -> Verdict | None:
        """What became of the rule of the other edition: the one that answers this one, or else the nearest."""
        verdicts = self.other.verdicts(self.concept, self.thing)
        rows = rows_of([[self._block(g, name) for name in g.on(self.concept)] for g in (self.one, self.other)])
        row = next((r for r in rows if r.blocks[0] and r.blocks[0].item.anchor.ident == self.match.rule), None)
        answering = row.blocks[1].item.anchor.ident if row and row.blocks[1] else None
        return next((v for v in verdicts if v.item == answering), verdicts[0] if verdicts else None)

    @cached_property
    def kind(self) -> str:
        """Why the rule of the other edition did not apply, in one word of the schema."""
        verdict = self.counterpart
        if verdict is None:
            return "silent"
        miss = verdict.miss
        if miss is None:
            return "pre-empted" if verdict.word == "pre-empted" else "picked"
        if self.other.unreached(verdict):
            return "not-reached"
        return "trigger" if _failed(miss) is None else "clause"

    def failed_at(self) -> list[Span]:
        """Where the clause stands that failed, the event that was missing, or the exception that held."""
        verdict = self.counterpart
        if verdict is None or self.kind == "not-reached":
            return []
        if verdict.miss is None:
            return [c.condition.span for d in verdict.defeats for c in d.clauses]
        failed = _failed(verdict.miss)
        return [failed.condition.span] if failed is not None else [t.span for t in verdict.miss.triggers]

    def _block(self, game: Game, name: str) -> Told:
        item = game.items[name]
        return Told(item, clauses_of(item, game.side, self.language))

    def _texts(self) -> tuple[str | None, str | None]:
        """What held, and what failed."""
        verdict = self.counterpart
        if verdict is None or self.kind in ("picked", "not-reached"):
            return None, None
        if verdict.miss is None:
            by = [d.item for d in verdict.defeats if d.kind != "unless"]
            clauses = [self._true(c, self.other) for d in verdict.defeats for c in d.clauses]
            return None, "; ".join([*by, *clauses])
        failed = _failed(verdict.miss)
        if failed is None:
            return self._trigger(self.one, self.match.rule), self._triggers(verdict.miss)
        text = failed_text(describe_failed(failed, self.other.session.worder))
        return self._held(verdict.item, failed.condition.span), text

    def _held(self, item: str, span: Span) -> str | None:
        """The clause of the rule that applied which answers one of the other rule; None where it has no such clause."""
        own, others = (self._block(g, n).clauses for g, n in ((self.one, self.match.rule), (self.other, item)))
        links = match_clauses(own, others).links
        answering = (own[i] for i, j in links.items() if stands_at(others[j], span))
        clause = next(answering, None)
        if clause is None:
            return None
        truths = (self._true(t, self.one) for t in self.match.clauses if stands_at(clause, t.condition.span))
        return next(truths, without_braces(clause.text))

    @staticmethod
    def _true(truth: ClauseTruth, game: Game) -> str:
        worder = game.session.worder
        numbers = arithmetic(truth, worder)
        text = clause_text(truth.condition, truth.bindings, worder)
        return f"{text}; {numbers}" if numbers else text

    @staticmethod
    def _trigger(game: Game, name: str) -> str:
        rule = game.items[name]
        assert isinstance(rule, Rule)
        return "; ".join(trigger_text(t, game.session.worder) for t in rule.triggers)

    def _triggers(self, miss: Miss) -> str:
        return "; ".join(trigger_text(t, self.other.session.worder) for t in miss.triggers)


def turnings(concept: str, games: Sequence[Game], language: Language) -> Iterator[Turning]:
    """Where the rules on a concept applied to a thing in one of two games, the first and another, and not in both."""
    for game in games[1:]:
        for one, other in ((games[0], game), (game, games[0])):
            there = other.fired(concept)
            for thing, match in one.fired(concept).items():
                if thing not in there:
                    yield Turning(concept, one, other, thing, match, language)


def _failed(miss: Miss) -> Failed | None:
    """The clause that failed; None where nothing set the rule off."""
    return miss.reach.failed if miss.reach is not None else None


def stands_at(clause: Clause, span: Span) -> bool:
    """Whether a stretch of text belongs to a clause."""
    return clause.span is not None and clause.span.holds(span)
