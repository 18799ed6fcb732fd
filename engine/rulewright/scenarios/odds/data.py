"""Odds as data, by the schema ``rulewright/odds/1`` (``odds.schema.json`` beside this file)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from rulewright.explain.run import describe_diagnostic
from rulewright.model import FAILS_TEST, PASSES_TEST, TAKES_TEST
from rulewright.phrases.words import sentence_text
from rulewright.provenance import Value
from rulewright.scenarios.odds.branches import State
from rulewright.scenarios.odds.chances import Chance, Chances
from rulewright.scenarios.odds.findings import Findings, Limits
from rulewright.scenarios.odds.marks import OF_TESTS, Mark, mark_text
from rulewright.session.requests import request_text
from rulewright.session.session import Session
from rulewright.speech import say, spoken

Data = dict[str, Any]

SCHEMA = "rulewright/odds/1"


def describe_odds(findings: Findings, session: Session, limits: Limits) -> Data:
    """The odds of a game from where its session stands."""
    describer = _Describer(findings, session)
    sampled = bool(findings.why_sampled)
    sample = {
        "why": findings.why_sampled,
        "most_states": limits.most_states,
        "games": limits.samples,
        "seed": limits.seed,
    }
    return {
        "schema": SCHEMA,
        "language": spoken(session.language.code),
        "scenario": None,
        "exact": not sampled,
        "states": len(findings.states),
        "sample": sample if sampled else None,
        "asks": describer.asked(findings.first),
        "wanted": describer.wanted(findings.chances),
        "tests": describer.tests(),
        "outcomes": describer.outcomes(),
        "choices": describer.choices(),
        "ends": describer.ends(),
        "stopped": describer.stopped(),
        "tree": [describer.state(s) for s in (findings.states[:1] if sampled else findings.states)],
        "against": None,
    }


def describe_chance(chance: Chance) -> Data:
    """A chance as exact fractions, and in percent."""
    least, most = chance.least, chance.most
    bounds = [round(100 * bound, 2) for bound in chance.error] if chance.error else None
    return {"least": str(least), "most": str(most), "percent": [_percent(least), _percent(most)], "error": bounds}


def _percent(share: Fraction) -> float:
    return round(float(100 * share), 4)


class _Describer:
    def __init__(self, findings: Findings, session: Session) -> None:
        self.findings, self.session, self.worder = findings, session, session.worder
        self._texts: dict[Mark, str] = {}

    def text(self, mark: Mark) -> str:
        """A mark in words; the same marks stand in many states."""
        if mark not in self._texts:
            self._texts[mark] = mark_text(mark, self.worder)
        return self._texts[mark]

    def asked(self, state: State) -> str | None:
        return request_text(state.request, self.worder) if state.request is not None else None

    def ordered(self, marks: Iterable[Mark]) -> list[Mark]:
        """Marks by the step in which they were met first; those of the end last."""
        seen = self.findings.seen
        last = max(seen.values(), default=0) + 1
        kinds = ("event", "rule", "fact", "value")
        return sorted(marks, key=lambda m: (seen.get(m, last), kinds.index(m.kind), self.text(m)))

    def wanted(self, chances: Chances) -> list[Data]:
        return [
            {
                "text": sentence_text(wanted.line.span),
                "chance": describe_chance(self.findings.chance_of_wanted(n, chances)),
            }
            for n, wanted in enumerate(self.findings.wanted)
        ]

    def tests(self) -> list[Data]:
        """The tests whose being taken, or outcome, is open."""
        found = []
        for taken in self.ordered(m for m in self.findings.chances if m.what == TAKES_TEST and m.kind == "event"):
            passed, failed = (
                self.findings.chance(Mark("event", event, taken.values[:2])) for event in (PASSES_TEST, FAILS_TEST)
            )
            chance = self.findings.chance(taken)
            if chance.open or passed.open or failed.open:
                told = {"taken": chance, "passed": passed, "failed": failed}
                found.append({"text": self.text(taken), **{key: describe_chance(c) for key, c in told.items()}})
        return found

    def outcomes(self) -> list[Data]:
        """What may or may not come about, but for tests."""
        return self.told(
            m
            for m, chance in self.findings.chances.items()
            if chance.open and m.kind in ("event", "rule", "fact", "value") and m.what not in OF_TESTS
        )

    def told(self, marks: Iterable[Mark], chances: Chances | None = None) -> list[Data]:
        known = self.findings.chances if chances is None else chances
        never = self.findings.never
        return [
            {"text": self.text(m), "kind": m.kind, "chance": describe_chance(known.get(m, never))}
            for m in self.ordered(marks)
        ]

    def choices(self) -> list[Data]:
        """The choices of players, each with what differs between its options."""
        found = []
        for state, options in sorted(self.findings.options.items(), key=lambda pair: pair[0].number):
            assert state.request is not None
            marks = dict.fromkeys(m for option in options for m in option if m.kind in ("event", "fact", "value"))
            differing = [m for m in marks if len({option.get(m, self.findings.never) for option in options}) > 1]
            reached = self.findings.chance(Mark("choice", str(state.number)))
            found.append(
                {
                    "asks": self.asked(state),
                    "reached": describe_chance(reached),
                    "options": [
                        {
                            "text": self.answer(state, answers.values),
                            "wanted": self.wanted(option),
                            "outcomes": self.told(differing, option),
                        }
                        for answers, option in zip(state.answers, options, strict=True)
                    ],
                }
            )
        return found

    def ends(self) -> list[Data]:
        """The ends that differ, the likeliest first."""
        chances = [self.findings.chance(Mark("end", str(n))) for n in range(len(self.findings.ends))]
        pairs = sorted(zip(chances, self.findings.ends, strict=True), key=lambda pair: -pair[0].most)
        return [
            {"chance": describe_chance(chance), "facts": [self.text(m) for m in self.ordered(marks)]}
            for chance, marks in pairs
        ]

    def stopped(self) -> list[Data]:
        return [
            {
                "chance": describe_chance(self.findings.chance(Mark("stopped", str(n)))),
                "diagnostics": [describe_diagnostic(d) for d in state.stopped],
            }
            for n, state in enumerate(self.findings.stops)
        ]

    # --- the tree ----------------------------------------------------------------------------------------------------

    def state(self, state: State) -> Data:
        """A state of the tree, with what each of the answers brings and which state it leads to."""
        ways = zip(state.answers, state.branches, strict=True)
        return {
            "number": state.number,
            "kind": state.request.kind if state.request is not None else "stopped" if state.stopped else "end",
            "asks": self.asked(state),
            "facts": [self.text(m) for m in self.ordered(m for m in state.marks if m.kind in ("fact", "value"))],
            "branches": [
                {
                    "text": self.answer(state, answers.values),
                    "passes": answers.passes,
                    "chance": str(answers.chance) if answers.chance is not None else None,
                    "brings": [self.text(m) for m in self.ordered(m for m in branch.marks if m.kind == "event")],
                    "to": branch.to.number,
                }
                for answers, branch in ways
                if branch is not None
            ],
        }

    def answer(self, state: State, values: Sequence[Value]) -> str:
        """Answers in words: an option, or the totals of dice."""
        assert state.request is not None
        if state.request.dice is None:
            return self.worder.name(str(values[0]))
        return say("list.comma").join(_spans([int(v) for v in values if isinstance(v, Fraction)]))


def _spans(numbers: Sequence[int]) -> list[str]:
    """Numbers in order, those that follow each other drawn together: *2-5*, *9*."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return [str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}" for run in runs]
