"""What the report of a test tells, by the schema ``rulewright/test/1`` (``test.schema.json`` beside this file).

A scenario that failed is played once more, with what the rules look at recorded; from that comes why its first unmet
expectation was not met.  The others are often consequences of the same, and are only named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.diagnostics import Diagnostic
from rulewright.explain.misses import Miss, callers, describe_miss, miss_text, nearest_miss
from rulewright.explain.readings import describe_switched
from rulewright.explain.run import describe_clauses, describe_diagnostic
from rulewright.model import FAILS_TEST, PASSES_TEST, TAKES_TEST, Atom
from rulewright.phrases.words import sentence_text
from rulewright.provenance import Defeat, RuleMatch, Step
from rulewright.scenarios.expectations import Outcome, test_text, wanted_of
from rulewright.scenarios.runner import Played, play
from rulewright.session.looks import Look, Looks
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


def _distance(miss: Miss) -> tuple[int, int]:
    assert miss.reach is not None
    return miss.reach.left, -len(miss.reach.held)


class _Reasons:
    """Why an expectation was not met, from a scenario that is played once more."""

    def __init__(self, played: Played) -> None:
        looks = Looks()
        again = play(played.scenario, played.session.compiled, played.session.backend, looks=looks)
        again.session.close()
        self.session = again.session
        self.compiled = again.session.compiled
        self.looks = looks.taken

    def why(self, outcome: Outcome) -> list[Data]:
        """The reasons, each as words, with the step and rule it speaks of and, for a miss, the clause that failed."""
        steps = [s for s in self.session.steps if s.number > outcome.since]
        looks = [look for look in self.looks if look.step > outcome.since]
        if outcome.names[0] is not None:
            return self.rule(outcome, outcome.names[0], steps, looks)
        if not isinstance(outcome.reading, Atom):
            return []
        atom, wanted = outcome.reading, wanted_of(outcome.reading)
        if outcome.form == "not-event":
            same = [s for s in steps if s.event == atom.phrase and not s.voided]
            fits = [s for s in same if all(w in (None, v) for w, v in zip(wanted, s.values, strict=True))]
            return [r for s in fits[:1] for r in self.causes(s.causes)]
        if atom.negated:
            holdings = [
                h for f, h in self.session.game.world.facts.items() if f.predicate == f"fact:{atom.phrase}"
                and all(w in (None, v) for w, v in zip(wanted, f.values, strict=True))
            ]  # fmt: skip
            return [r for h in holdings[:1] for r in self.causes([h.match] if h.match else [])]
        phrase, arguments = atom.phrase, wanted
        if phrase in (PASSES_TEST, FAILS_TEST):
            if any(s.test and s.test.bearer == wanted[0] for s in steps):
                return []
            phrase, arguments = TAKES_TEST, wanted[:2]
        thing = next((w for w in arguments if isinstance(w, str)), None)
        return self.nobody(callers(self.compiled, phrase, arguments), thing, steps, looks)

    def rule(self, outcome: Outcome, rule: str, steps: Sequence[Step], looks: Sequence[Look]) -> list[Data]:
        """Why a rule did, or did not, fire, or was pre-empted."""
        _, thing, other = outcome.names
        about = [m for s in steps for m in s.matches if m.rule == rule and thing in (None, *m.bindings.values())]
        if outcome.form == "not-fires":
            return self.causes([m.number for m in about if m.fired][:1])
        defeated = [m for m in about if m.defeats]
        if outcome.form == "pre-empted" and about:
            return self.misses([other], thing, looks, steps) if other else []
        if defeated:
            return [self.defeat(m, d) for m in defeated[:1] for d in m.defeats]
        return [] if about else self.misses([rule], thing, looks, steps)

    def nobody(
        self, rules: Sequence[str], thing: str | None, steps: Sequence[Step], looks: Sequence[Look]
    ) -> list[Data]:
        """Why none of the rules that might have brought something about did."""
        matched = [m for s in steps for m in s.matches if m.rule in rules and thing in (None, *m.bindings.values())]
        told = [self.defeat(m, d) for m in matched if m.defeats for d in m.defeats[:1]]
        if told:
            return told[:MISSES_TOLD]
        return self.misses([r for r in rules if r not in {m.rule for m in matched}], thing, looks, steps)

    def misses(
        self,
        rules: Sequence[str],
        thing: str | None,
        looks: Sequence[Look],
        steps: Sequence[Step],
        depth: int = EVENTS_BACK,
    ) -> list[Data]:
        """The nearest misses of rules, the nearest first.

        When nothing set any of them off, the first of them, and why that which sets it off did not happen.
        """
        found = [m for r in rules if (m := nearest_miss(self.compiled, r, looks, thing)) is not None]
        near = sorted(
            (m for m in found if m.reach), key=lambda m: (m.reach.left, -len(m.reach.held)) if m.reach else ()
        )
        if near or not found:
            return [self.miss(m, steps) for m in near[:MISSES_TOLD]]
        told = [self.miss(found[0], steps)]
        for trigger in found[0].triggers if depth else ():
            told += self.absent(trigger.phrase, thing, looks, steps, depth)[:1]
        return told

    def absent(
        self, event: str, thing: str | None, looks: Sequence[Look], steps: Sequence[Step], depth: int
    ) -> list[Data]:
        """Why an event did not happen: the test went the other way, or no rule brought it about.

        The thing may have stood in another place of the event; then the reasons are those of anything.
        """
        tests = [(s.number, s.test) for s in steps if s.test and event in (PASSES_TEST, FAILS_TEST)]
        own = [(number, test) for number, test in tests if thing in (None, test.bearer)] or tests
        if own:
            number, test = own[-1]
            text = say("test.step", step=number, told=test_text(test, self.session))
            return [{"text": text, "step": number, "rule": test.rule, "miss": None}]
        rules = callers(self.compiled, TAKES_TEST if event in (PASSES_TEST, FAILS_TEST) else event, ())
        told = self.misses(rules, thing, looks, steps, depth - 1) if rules else []
        if thing is not None and not any(t["step"] for t in told):
            return self.misses(rules, None, looks, steps, depth - 1) if rules else []
        return told

    def miss(self, miss: Miss, steps: Sequence[Step]) -> Data:
        data = describe_miss(miss, self.session.worder)
        events = {t.phrase for t in miss.triggers}
        voided = next((s for s in steps if s.voided and s.event in events), None) if miss.step is None else None
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

    def defeat(self, match: RuleMatch, defeat: Defeat) -> Data:
        """What kept a rule that matched from firing."""
        step = next(s.number for s in self.session.steps if match in s.matches)
        what = say(f"defeat.{defeat.kind}", rule=defeat.item)
        told = say("why.pre-empted", rule=match.rule, by=what) + self.grounds(defeat)
        text = say("test.step", step=step, told=told)
        return {"text": text, "step": step, "rule": match.rule, "miss": None}

    def grounds(self, item: RuleMatch | Defeat) -> str:
        """The clauses that something rests on, after a colon; nothing where there are none."""
        clauses = describe_clauses(self.session, item.clauses)
        told = "; ".join(c["text"] + (f"; {c['numbers']}" if c["numbers"] else "") for c in clauses)
        return f": {told}" if told else ""
