"""Why something is so: its proof as data, by the schema ``why.schema.json``, made from the provenance of a run alone.

A proof is the part of a run that something rests on.  It is told step by step, from what is asked back to what was
given: each event with what brought it about, each rule with its clauses, each fact and each number with the step it
comes from.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rulewright.explain.asked import Asked, Goal, read_asked
from rulewright.explain.history import History
from rulewright.explain.run import Describer, signed, verdict
from rulewright.model import Atom, Individual, IsA, MeasureOf, Same, Total, Variable
from rulewright.productions import Fact
from rulewright.provenance import ClauseTruth, Defeat, Entry, RuleMatch, Step, Support, TestTaken
from rulewright.session.session import Session
from rulewright.session.world import decoded
from rulewright.speech import worded
from rulewright.walk import descend

Data = dict[str, Any]
SCHEMA = "rulewright/why/1"


def describe_why(session: Session, what: str | None = None, at: int | None = None) -> Data:
    """Why something is so, as data.

    Args:
        session: the game.
        what: a step, the name of a rule or the like, a concept, or a sentence; None for the outcome.
        at: the step after which something is to be so, or in which it is to happen.

    Raises:
        Fault: there is no such step, or the text cannot be read.
    """
    history = History(session.game.world.history, session.compiled.edition.vocabulary)
    asked = read_asked(session, history, what, at)
    return {"schema": SCHEMA, **_Proof(session, history).data(asked), "at": at}


@dataclass
class _Needed:
    """What of a step belongs to the proof.

    Attributes:
        depth: how many times one has to ask why, to get here.
        chain: whether it is one of the events that led here, rather than where a fact or a number comes from.
    """

    depth: int
    chain: bool
    matches: dict[int, None] = field(default_factory=dict)
    test: bool = False


class _Proof:
    """Gathers what belongs to a proof, a step at a time, and tells each part once."""

    def __init__(self, session: Session, history: History) -> None:
        self.session = session
        self.history = history
        self.vocabulary = session.compiled.edition.vocabulary
        self.describer = Describer(session)
        self.worder = session.worder
        self.steps = {s.number: s for s in session.steps}
        self.of_match = {m.number: (s, m) for s in session.steps for m in s.matches}
        self.needed: dict[int, _Needed] = {}
        self.rules: dict[int, Data] = {}
        self.tests: dict[int, Data] = {}
        self.given: dict[str, None] = {}
        self.waiting: deque[tuple[int, int | None]] = deque()
        self.at: tuple[int, bool] = (0, True)

    def data(self, asked: Asked) -> Data:
        """The proof of all that is asked for."""
        goals = [self.goal(goal, asked) for goal in asked.goals]
        while self.waiting:
            step, match = self.waiting.popleft()
            needed = self.needed[step]
            self.at = (needed.depth + 1, needed.chain)
            if match is not None:
                self.rules[match] = self.match(*self.of_match[match])
            else:
                self.event(self.steps[step])
        return {
            "asked": {"kind": asked.kind, "text": asked.text},
            "answer": "yes" if asked.goals else "no",
            "goals": goals,
            "steps": [self.step(self.steps[number]) for number in sorted(self.needed, reverse=True)],
            "given": list(self.given),
        }

    # --- what belongs to it --------------------------------------------------------------------------------------

    def need(self, step: int, match: int | None = None, *, chain: bool = False) -> None:
        """A step belongs to the proof, and a match in it."""
        depth, on_chain = self.at
        known = self.needed.get(step)
        if known is None:
            known = self.needed[step] = _Needed(depth, chain and on_chain)
            self.waiting.append((step, None))
        known.chain |= chain and on_chain
        if match is not None and match not in known.matches:
            known.matches[match] = None
            self.waiting.append((step, match))

    def need_match(self, number: int, *, chain: bool = False) -> None:
        """A match belongs to the proof."""
        self.need(self.of_match[number][0].number, number, chain=chain)

    def need_test(self, step: int) -> None:
        """The test taken in a step belongs to the proof, with what was added to its dice."""
        self.need(step, chain=True)
        test = self.steps[step].test
        if test is not None and not self.needed[step].test:
            self.needed[step].test = True
            self.tests[step] = self.test(test)
            for modifier in test.modifiers:
                self.need_match(modifier.match)
            for again in self._rolled_again(step):
                self.need_match(again)

    def _rolled_again(self, step: int) -> list[int]:
        """The matches that had the dice of a test rolled again."""
        outcomes = (s for s in self.steps.values() if s.outcome_of == step)
        return [m.number for s in outcomes for m in s.matches if any(e.kind == "again" for e in m.effects)]

    def event(self, step: Step) -> None:
        """What brought an event about belongs to the proof."""
        for cause in step.causes:
            self.need_match(cause, chain=True)
        if step.outcome_of is not None:
            self.need_test(step.outcome_of)
        for defeat in step.voided:
            self.clauses(defeat.clauses, step.seen, step)

    # --- telling -------------------------------------------------------------------------------------------------

    def goal(self, goal: Goal, asked: Asked) -> Data:
        """Something to be proved."""
        told: Data = {"step": goal.step, "rule": None, "clause": None, "absent": False, "ended": None}
        if goal.match is not None:
            step, match = self.of_match[goal.match]
            self.need(step.number, match.number, chain=True)
            told["text"] = self.worder.statement(step.event, step.values)
            told["rule"] = {"number": match.number, **self._named(match.rule), "verdict": verdict(match)}
        elif goal.step is not None:
            step = self.steps[goal.step]
            self.need(step.number, chain=True)
            told["text"] = self.worder.statement(step.event, step.values)
            if asked.kind in ("step", "name"):
                for match in step.matches:
                    self.need(step.number, match.number, chain=True)
                if step.test is not None:
                    self.need_test(step.number)
        elif goal.truth is not None:
            told["clause"] = self.clause(goal.truth, goal.moment, None)
            told["text"] = told["clause"]["text"] = self._said(goal.truth) or told["clause"]["text"]
            told["absent"] = isinstance(goal.truth.condition, Atom) and goal.truth.condition.negated
            told["ended"] = self.origin(goal.ended) if goal.ended is not None else None
        return told

    def _said(self, truth: ClauseTruth) -> str:
        """A fact as a sentence of its own, all its places filled."""
        facts = [f for f in truth.facts if f.predicate.startswith("fact:")]
        return self.worder.statement(facts[0].predicate.partition(":")[2], decoded(facts[0].values)) if facts else ""

    def step(self, step: Step) -> Data:
        """What of a step belongs to the proof."""
        needed = self.needed[step.number]
        source = "given" if step.given else "rules" if step.causes and step.outcome_of is None else "test"
        return {
            "number": step.number,
            "event": self.worder.statement(step.event, step.values),
            "depth": needed.depth,
            "chain": needed.chain,
            "source": "itself" if step.of_itself else source,
            "because_of": [] if step.outcome_of is not None else [self._cause(number) for number in step.causes],
            "outcome_of": step.outcome_of,
            "voided": [self.defeat(d, step.seen, step) for d in step.voided],
            "rules": [self.rules[number] for number in sorted(needed.matches)],
            "decisions": [self.describer.decision(d) for d in step.decisions],
            "held_back_by": [self.describer.anchor(o) for o in step.held_back],
            "changes": [self.describer.effect(e) for e in step.changes],
            "test": self.tests.get(step.number),
        }

    def _cause(self, number: int) -> Data:
        step, match = self.of_match[number]
        return {"number": number, "step": step.number, **self._named(match.rule)}

    def _named(self, ident: str) -> Data:
        anchor = self.describer.anchor(ident)
        return {"rule": anchor["rule"], "title": anchor["title"]}

    def match(self, step: Step, match: RuleMatch) -> Data:
        """A rule that matched: its clauses, what it brought about, what it overrode or what pre-empted it."""
        overridden = [m for m in step.matches if match.fired and self._overrides(match, m)]
        return {
            "number": match.number,
            **self.describer.anchor(match.rule),
            "verdict": verdict(match),
            "clauses": self.clauses(match.clauses, step.seen, step),
            "preempted_by": [self.defeat(d, step.seen, step) for d in match.defeats],
            "overrode": [{"number": m.number, **self._named(m.rule)} for m in overridden],
            "effects": [self.describer.effect(e) for e in match.effects],
        }

    @staticmethod
    def _overrides(winner: RuleMatch, other: RuleMatch) -> bool:
        return any(d.kind == "rule" and d.item == winner.rule for d in other.defeats)

    def defeat(self, defeat: Defeat, moment: int, step: Step) -> Data:
        """What pre-empted a rule or kept an event from coming about; an overriding rule is told in its own place."""
        winners = [m for m in step.matches if defeat.kind == "rule" and m.rule == defeat.item and m.fired]
        for winner in winners:
            self.need(step.number, winner.number)
        return {
            "kind": defeat.kind,
            **self.describer.anchor(defeat.item),
            "clauses": self.clauses(defeat.clauses, moment, step),
        }

    def test(self, test: TestTaken) -> Data:
        """The dice, and what they were held against."""
        told = self.describer.test(test)
        clause = self.clause(test.clause, test.seen, None)
        return {**told, "values": clause["values"], "because": clause["because"]}

    def clauses(self, clauses: Sequence[ClauseTruth], moment: int, step: Step | None) -> list[Data]:
        """Clauses that were true at a moment."""
        return [self.clause(c, moment, step) for c in clauses]

    def clause(self, clause: ClauseTruth, moment: int, step: Step | None) -> Data:
        """A clause that was true, and where what it rests on comes from."""
        told = self.describer.clause(clause) if not self._with_total(clause) else {"text": "", "numbers": ""}
        condition = clause.condition
        plain = (f for f in clause.facts if f.predicate.startswith("fact:"))
        grounds = [g for f in plain if (g := self.ground(f, moment)) is not None]
        values = [v for m, number in clause.measures if (v := self.value(m, number, clause, moment, step)) is not None]
        return {
            "text": told["text"],
            "numbers": told["numbers"],
            "trivial": isinstance(condition, Same | IsA) or self.describer.says_nothing(told["text"]),
            "facts": grounds,
            "values": values,
            "because": [self.support(s, moment, step) for s in clause.because],
        }

    @staticmethod
    def _with_total(clause: ClauseTruth) -> bool:
        """Whether a clause speaks of dice, which are told with their test."""
        return any(isinstance(n, Total) for n in descend(clause.condition))

    def support(self, support: Support, moment: int, step: Step | None) -> Data:
        """Why something is so by definition."""
        values = []
        for fact in support.values:
            *things, number = decoded(fact.values)
            assert isinstance(number, Fraction)
            measure = fact.predicate.partition(":")[2]
            value = self.made_of(measure, tuple(map(str, things)), number, moment)
            values += [value] if value is not None else []
        return {
            **self.describer.anchor(support.item),
            "clauses": self.clauses(support.clauses, moment, step),
            "values": values,
            "because": [self.support(s, moment, step) for s in support.because],
        }

    def ground(self, fact: Fact, moment: int) -> Data | None:
        """A fact and where it comes from; None where definitions or the event at hand say it."""
        entry = self.history.ground(fact, moment)
        if entry is None:
            return None
        text = self.worder.statement(fact.predicate.partition(":")[2], decoded(fact.values))
        return {"text": text, **self.origin(entry, text)}

    def origin(self, entry: Entry, text: str = "") -> Data:
        """Where a change comes from; what is given is noted among what the proof goes back to."""
        origin = entry.origin
        rule = None
        if origin.match is not None:
            self.need_match(origin.match)
            rule = self.of_match[origin.match][1].rule
        elif origin.source not in ("given", "kind") and origin.step in self.steps:
            self.need(origin.step)
        if origin.source in ("given", "kind") and text:
            self.given[text] = None
        return {"source": origin.source, "step": origin.step or None, "rule": rule}

    def value(
        self, measure: MeasureOf, value: Fraction, clause: ClauseTruth, moment: int, step: Step | None
    ) -> Data | None:
        """A number of a clause, and what it is made of; None where the things are not told."""
        things = tuple(
            a.ident
            if isinstance(a, Individual)
            else str(clause.bindings.get(a.name, ""))
            if isinstance(a, Variable)
            else ""
            for a in measure.arguments
        )
        without = step.number if measure.before and step is not None else None
        return self.made_of(measure.phrase, things, value, moment, without)

    def made_of(
        self, measure: str, things: tuple[str, ...], value: Fraction, moment: int, without: int | None = None
    ) -> Data | None:
        """A number, and what it is made of; None where a definition works it out."""
        parts = self.history.parts(measure, things, moment, without)
        if not parts:
            return None
        text = self.worder.statement(measure, things)
        told: list[Data] = []
        for part in parts:
            copy = self.history.parts(part.copied, things, part.number) if part.copied else []
            if part.copied and copy:
                opened = part.origin.source == "window"
                told += [{**self._part(c, text), "copied": part.origin.step if opened else None} for c in copy]
            else:
                told.append({**self._part(part, text), "copied": None})
        return {"text": text, "value": worded(value), "parts": told}

    def _part(self, entry: Entry, text: str) -> Data:
        assert entry.value is not None
        start = entry.amount is None
        given = f"{text}: {worded(entry.value)}" if start else ""
        number = worded(entry.value) if entry.amount is None else signed(entry.amount)
        if entry.origin.source == "window" or (start and not entry.value and entry.origin.source == "given"):
            return {"number": number, "source": "nought", "step": None, "rule": None}  # a tally begins
        return {"number": number, **self.origin(entry, given)}
