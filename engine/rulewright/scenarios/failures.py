"""What the report of a test tells, by the schema ``rulewright/test/1`` (``test.schema.json`` beside this file).

A scenario that failed is played once more, with what the rules look at recorded; from that comes why its first unmet
expectation was not met.  The others are often consequences of the same, and are only named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rulewright.diagnostics import Diagnostic
from rulewright.explain.clauses import test_text
from rulewright.explain.failed import describe_miss, miss_text
from rulewright.explain.misses import Aim, Miss, aim_at, makers
from rulewright.explain.readings import describe_switched
from rulewright.explain.run import describe_clauses, describe_diagnostic
from rulewright.explain.verdicts import Inquiry, Verdict
from rulewright.model import FAILS_TEST, PASSES_TEST, Atom
from rulewright.phrases.words import sentence_text
from rulewright.provenance import Defeat, RuleMatch
from rulewright.scenarios.expectations import Outcome
from rulewright.scenarios.runner import Played, play
from rulewright.session.looks import Looks
from rulewright.session.world import decoded
from rulewright.speech import say

Data = dict[str, Any]

SCHEMA = "rulewright/test/1"
STRAY, STOPPED = "nothing-asked", ("missing-die", "missing-choice")
MISSES_TOLD = 2
"""So many rules that might have brought something about are told of."""
EVENTS_BACK = 3
"""So far back it is asked why what sets a rule off did not happen."""


def describe_report(played: Sequence[Played], findings: Sequence[Diagnostic]) -> Data:
    """The report of a test as data."""
    return {
        "schema": SCHEMA,
        "passed": sum(p.passed for p in played),
        "failed": sum(not p.passed for p in played),
        "scenarios": [describe_test(p) for p in played],
        "diagnostics": [describe_diagnostic(d) for d in findings],
    }


def describe_test(played: Played) -> Data:
    """A tested scenario as data: what was not met and why, what stopped it, what nothing asked for."""
    scenario = played.scenario
    unmet = [o for o in played.outcomes if not o.met]
    return {
        "scenario": scenario.ident,
        "title": scenario.title,
        "place": f"{scenario.span.source.name}:{scenario.span.line}",
        "readings": describe_switched(played.session),
        "passed": played.passed,
        "unmet": [_unmet(o, _Reasons(played).why(o) if n == 0 else ()) for n, o in enumerate(unmet)],
        "strays": [
            {"text": sentence_text(d.span), "line": d.span.line} for d in played.fault if d.name == STRAY and d.span
        ],
        "stopped": _stopped(played),
        "diagnostics": [describe_diagnostic(d) for d in played.fault],
    }


def _unmet(outcome: Outcome, reasons: Sequence[Data]) -> Data:
    return {"text": outcome.text, "got": outcome.got, "line": outcome.span.line, "why": list(reasons)}


def _stopped(played: Played) -> Data | None:
    """A die or a choice that is missing, and the rules that called for it."""
    request = played.session.request
    found = next((d for d in played.fault if d.name in STOPPED), None)
    if request is None or found is None:
        return None
    steps = played.session.steps
    rules = {m.number: (s.number, m.rule) for s in steps for m in s.matches}
    causes = [rules[n] for n in steps[-1].causes if n in rules] if request.kind == "roll" and steps else []
    if request.kind in ("chance", "choice"):
        causes = [(len(steps) + 1, request.rule)]
    return {
        "asked": played.session.asked(),
        "line": found.span.line if found.span else None,
        "by": [{"rule": rule, "step": step} for step, rule in dict.fromkeys(causes)],
    }


class _Reasons:
    """Why an expectation was not met, from a scenario that is played once more; each reason as data.

    A reason is told in words, with the step and rule it speaks of and, for a miss, the clause that failed.
    """

    def __init__(self, played: Played) -> None:
        looks = Looks()
        again = play(played.scenario, played.session.compiled, played.session.backend, looks=looks)
        again.session.close()
        self.session = again.session
        self.whole = Inquiry.of(again.session, looks.taken)

    def why(self, outcome: Outcome) -> list[Data]:
        """The reasons."""
        inquiry = self.whole.between(outcome.since + 1)
        if outcome.names[0] is not None:
            return self.rule(outcome, outcome.names[0], inquiry)
        if not isinstance(outcome.reading, Atom):
            return []
        atom = outcome.reading
        aim = aim_at(replace(atom, negated=False), self.session.compiled.edition.vocabulary)
        if outcome.form == "not-event":
            fits = [s for s in inquiry.steps if s.event == atom.phrase and not s.voided and aim.fits(s.values)]
            return [r for s in fits[:1] for r in self.causes(s.causes)]
        if atom.negated:
            holdings = [
                h for f, h in self.session.game.world.facts.items()
                if f.predicate == f"fact:{atom.phrase}" and aim.fits(decoded(f.values))
            ]  # fmt: skip
            return [r for h in holdings[:1] for r in self.causes([h.match] if h.match else [])]
        if atom.phrase in (PASSES_TEST, FAILS_TEST) and any(
            s.test and s.test.bearer == aim.values[0] for s in inquiry.steps
        ):
            return []
        return self.nobody(inquiry.called(aim), inquiry)

    def rule(self, outcome: Outcome, rule: str, inquiry: Inquiry) -> list[Data]:
        """Why a rule did, or did not, fire, or was pre-empted."""
        _, thing, other = outcome.names
        verdicts = inquiry.verdicts(rule, Aim(thing))
        about = [v for v in verdicts if v.match is not None and v.match.rule == rule]
        if outcome.form == "not-fires":
            return self.causes([v.match.number for v in about if v.match and v.match.fired][:1])
        defeated = [v for v in about if v.defeats]
        if outcome.form == "pre-empted" and about:
            return self.misses(inquiry.nearest([other], Aim(thing)), inquiry) if other else []
        if defeated:
            return [self.defeat(v, d) for v in defeated[:1] for d in v.defeats]
        return [] if about else self.misses(verdicts, inquiry)

    def nobody(self, aim: Aim, inquiry: Inquiry) -> list[Data]:
        """Why none of the rules that might have brought something about did."""
        verdicts = inquiry.nearest(makers(inquiry.session.compiled, aim), aim)
        told = [self.defeat(v, d) for v in verdicts for d in v.defeats[:1]]
        return told[:MISSES_TOLD] if told else self.misses(verdicts, inquiry)

    def misses(self, verdicts: Sequence[Verdict], inquiry: Inquiry, depth: int = EVENTS_BACK) -> list[Data]:
        """The nearest misses of rules, the nearest first.

        When nothing set any of them off, the first of them, and why that which sets it off did not happen.
        """
        found = [v.miss for v in verdicts if v.miss is not None]
        near = [m for m in found if m.reach]
        if near or not found:
            return [self.miss(m, inquiry) for m in near[:MISSES_TOLD]]
        told = [self.miss(found[0], inquiry)]
        for aim in found[0].awaited if depth else ():
            told += self.absent(aim, inquiry, depth)[:1]
        return told

    def absent(self, aim: Aim, inquiry: Inquiry, depth: int) -> list[Data]:
        """Why an event did not happen: the test went the other way, or no rule brought it about."""
        absence = inquiry.no_event(aim)
        if absence.test is not None:
            number, test = absence.test
            text = say("test.step", step=number, told=test_text(test, self.session.worder))
            return [{"text": text, "step": number, "rule": test.rule, "miss": None}]
        return self.misses(inquiry.nearest(absence.makers, absence.called), inquiry, depth - 1)

    def miss(self, miss: Miss, inquiry: Inquiry) -> Data:
        """A nearest miss; where the event that sets the rule off did not come about, that."""
        data = describe_miss(miss, self.session.worder)
        awaited = miss.awaited if miss.step is None else ()
        voided = next((step for aim in awaited if (step := inquiry.no_event(aim).voided)), None)
        if voided is not None:
            event = self.session.worder.statement(voided.event, voided.values)
            told = say("why.voided", event=event, by=voided.voided[0].item)
            text = say("test.step", step=voided.number, told=told)
            return {"text": text, "step": voided.number, "rule": miss.item, "miss": data}
        return {"text": miss_text(data), "step": miss.step, "rule": miss.item, "miss": data}

    def causes(self, numbers: Sequence[int]) -> list[Data]:
        """The rule matches that brought something about, and on what grounds."""
        found = []
        for step in self.session.steps:
            for match in (m for m in step.matches if m.number in numbers):
                told = say("why.applied", rule=match.rule) + self.grounds(match)
                text = say("test.step", step=step.number, told=told)
                found.append({"text": text, "step": step.number, "rule": match.rule, "miss": None})
        return found

    def defeat(self, verdict: Verdict, defeat: Defeat) -> Data:
        """What kept a rule that matched from firing."""
        what = say(f"defeat.{defeat.kind}", rule=defeat.item)
        told = say("why.pre-empted", rule=verdict.item, by=what) + self.grounds(defeat)
        text = say("test.step", step=verdict.step, told=told)
        return {"text": text, "step": verdict.step, "rule": verdict.item, "miss": None}

    def grounds(self, item: RuleMatch | Defeat) -> str:
        """The clauses that something rests on, after a colon; nothing where there are none."""
        clauses = describe_clauses(self.session, item.clauses)
        told = "; ".join(c["text"] + (f"; {c['numbers']}" if c["numbers"] else "") for c in clauses)
        return f": {told}" if told else ""
