"""A session as data: what happened, which rules applied and why, by the schema ``run.schema.json``.

All texts are sentences in the language of the session, made from the provenance of the run and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rulewright.diagnostics import Diagnostic
from rulewright.explain.clauses import arithmetic, clause_text
from rulewright.model import Compare, Same
from rulewright.provenance import ClauseTruth, Decision, Defeat, EffectDone, RuleMatch, Step, TestTaken, Value
from rulewright.session.session import Session
from rulewright.speech import say, worded

Data = dict[str, Any]


def describe_steps(session: Session, since: int = 0) -> list[Data]:
    """The steps of a session, without the first so many."""
    describer = Describer(session)
    return [describer.step(s) for s in session.steps[since:]]


def describe_session(session: Session) -> Data:
    """The steps of a session, and the facts that hold at its end."""
    return {
        "steps": describe_steps(session),
        "facts": session.facts(),
        "restrictions": session.restrictions(),
        "asks": session.asked() or None,
    }


def describe_clauses(session: Session, clauses: Sequence[ClauseTruth]) -> list[Data]:
    """Clauses that were true, as data."""
    return Describer(session).clauses(clauses)


def describe_anchor(session: Session, ident: str) -> Data:
    """Where a rule or the like comes from, as data."""
    return Describer(session).anchor(ident)


def describe_bindings(session: Session, bindings: Mapping[str, Value]) -> Data:
    """What variables stand for, as data."""
    describer = Describer(session)
    return {name: describer.value(v) for name, v in bindings.items()}


def describe_effects(session: Session, match: RuleMatch) -> list[str]:
    """What a rule brought about, in words."""
    describer = Describer(session)
    return [describer.effect(effect)["text"] for effect in match.effects]


def describe_defeat(session: Session, defeat: Defeat) -> Data:
    """What kept a rule from firing, as data."""
    return Describer(session).defeat(defeat)


def describe_diagnostic(diagnostic: Diagnostic) -> Data:
    """A diagnostic as data."""
    span = diagnostic.span
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "help": diagnostic.help,
        "file": span.source.name if span else None,
        "line": span.line if span else None,
        "column": span.column if span else None,
        "related": [{"label": label, "place": str(place)} for label, place in diagnostic.related],
    }


def signed(amount: Fraction) -> str:
    """A number with its sign."""
    return f"{'+' if amount >= 0 else '-'}{worded(abs(amount))}"


def verdict(match: RuleMatch) -> str:
    """What became of a rule that matched."""
    return "applies" if match.fired else "pre-empted" if match.defeats else "not picked"


class Describer:
    """Tells the parts of a run as data, in the language spoken."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.worder = session.worder
        self.success = {t.anchor.ident: t.success for t in session.compiled.edition.tests}

    def step(self, step: Step) -> Data:
        return {
            "number": step.number,
            "event": self.worder.statement(step.event, step.values),
            "phrase": step.event,
            "places": self.places(step.event, step.values),
            "because_of": list(step.causes),
            "voided": [self.defeat(d) for d in step.voided],
            "changes": [self.effect(e) for e in step.changes],
            "rules": [self.match(m) for m in step.matches],
            "decisions": [self.decision(d) for d in step.decisions],
            "held_back_by": [self.anchor(o) for o in step.held_back],
            "test": self.test(step.test) if step.test else None,
        }

    def places(self, phrase: str, values: Sequence[Value]) -> Data:
        roles = self.session.compiled.edition.vocabulary.phrases[phrase].roles
        return {r.name: self.value(v) for r, v in zip(roles, values, strict=False) if v != ""}

    def value(self, value: Value) -> str:
        return worded(value) if isinstance(value, Fraction) else self.worder.name(value, bare=True)

    def match(self, match: RuleMatch) -> Data:
        return {
            "number": match.number,
            **self.anchor(match.rule),
            "verdict": verdict(match),
            "for": {name: self.value(v) for name, v in match.bindings.items()},
            "clauses": self.clauses(match.clauses),
            "preempted_by": [self.defeat(d) for d in match.defeats],
            "effects": [self.effect(e) for e in match.effects],
        }

    def anchor(self, ident: str) -> Data:
        edition = self.session.compiled.edition
        anchor = edition.anchor_in(self.session.compiled.anchors[ident], self.worder.language.code)
        return {
            "rule": ident,
            "title": anchor.title,
            "cites": list(anchor.cites),
            "concepts": list(anchor.concepts),
            "assumptions": [{"id": a.ident, "text": a.text} for a in anchor.assumptions],
            "place": f"{anchor.span.source.name}:{anchor.span.line}",
        }

    def clauses(self, clauses: Sequence[ClauseTruth]) -> list[Data]:
        """Clauses as data, without those that say of a thing that it is itself, as *an attack is an attack* does."""
        told = [self.clause(c) for c in clauses if not (isinstance(c.condition, Same) and not c.condition.negated)]
        return [c for c in told if not self.says_nothing(c["text"])]

    def says_nothing(self, text: str) -> bool:
        """Whether a clause says of a thing that it is itself."""
        same = self.worder.language.sentences["same"][0]
        left, _, right = text.partition(same.removeprefix("{left}").removesuffix("{right}"))
        return left == right

    def clause(self, clause: ClauseTruth) -> Data:
        return {
            "text": clause_text(clause.condition, clause.bindings, self.worder),
            "numbers": arithmetic(clause, self.worder),
            "because": self.supports(clause),
        }

    def supports(self, clause: ClauseTruth) -> list[Data]:
        """Why what a clause rests on is so, where a definition says it."""
        return [{**self.anchor(s.item), "clauses": self.clauses(s.clauses)} for s in clause.because]

    def defeat(self, defeat: Defeat) -> Data:
        return {"kind": defeat.kind, **self.anchor(defeat.item), "clauses": self.clauses(defeat.clauses)}

    def effect(self, effect: EffectDone) -> Data:
        if effect.kind == "new":
            text = f"{self.value(effect.values[0])} ({self.worder.kind(effect.phrase)})"
        elif effect.kind == "modifier":
            amount = effect.values[0]
            assert isinstance(amount, Fraction)
            text = say(f"effect.to-{effect.phrase}", amount=signed(amount))
        elif effect.kind == "again":
            text = say("effect.again")
        elif effect.kind == "change":
            amount = effect.values[-1]
            assert isinstance(amount, Fraction)
            measure = self.worder.statement(effect.phrase, effect.values[:-1])
            text = say("effect.change", measure=measure, amount=amount)
        elif effect.kind == "unknown":
            text = say("effect.unknown", measure=self.worder.statement(effect.phrase, effect.values))
        else:
            text = self.worder.statement(effect.phrase, effect.values, effect.kind == "end")
        until = self.worder.name(effect.until) if effect.until else None
        return {"kind": effect.kind, "text": text, "until_end_of": until}

    def decision(self, decision: Decision) -> Data:
        return {
            "by": decision.by,
            "player": self.worder.name(decision.player) if decision.player else None,
            "about": self.worder.name(decision.about),
            "options": [self.worder.name(o) for o in decision.options],
            "picked": self.worder.name(decision.picked),
        }

    def held_against(self, test: TestTaken) -> str:
        """The numbers of a test, with what was added to the roll and to the characteristic kept apart."""
        added = {
            part: "".join(f" {signed(m.amount)}" for m in test.modifiers if m.of == part)
            for part in ("roll", "characteristic")
        }
        left, sign, right = arithmetic(test.clause, self.worder, test.total).split(" ", 2)
        return f"{left}{added['roll']} {sign} {right}{added['characteristic']}"

    def test(self, test: TestTaken) -> Data:
        condition = test.clause.condition
        assert isinstance(condition, Compare)
        return {
            "test": self.worder.name(test.test, bare=True),
            **self.anchor(test.rule),
            "bearer": self.worder.name(test.bearer),
            "dice": str(test.dice),
            "total": test.total,
            "first_total": test.first_total,
            "modifiers": [{"rule": m.rule, "of": m.of, "amount": signed(m.amount)} for m in test.modifiers],
            "numbers": self.held_against(test),
            "target": clause_text(self.success[test.rule], test.clause.bindings, self.worder),
            "because": self.supports(test.clause),
            "outcome": "passed" if test.passed else "failed",
        }
