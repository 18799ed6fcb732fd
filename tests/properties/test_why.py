"""Proofs of what happened hold: each fact and number they name was so, and where they say it comes from, it came from.

What is told is held against the notes of a ``Recorder`` around the matcher, against the steps and against the inputs of
the session; the history that proofs are made from is held against what the matcher was told.
"""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from proofs import Recorder, recording

from rulewright.backends.reference import ReferenceMatcher
from rulewright.explain.history import History
from rulewright.explain.why import describe_why
from rulewright.explain.why_page import why_page
from rulewright.forms.html import html
from rulewright.forms.markdown import markdown
from rulewright.productions import Fact
from rulewright.scenarios.report import describe_scenario
from rulewright.scenarios.runner import play
from rulewright.session.session import Occurrence, Reply, Session
from rulewright.session.world import decoded
from rulewright.speech import speaking
from rulewright.workspace import find_tree, load_for, read_scenarios

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "rules").glob("*/scenarios/*.scenario"))
EDITIONS = sorted({file.parents[1].name for file in FILES})

Data = dict[str, Any]
Facts = frozenset[Fact]


class Run:
    """A scenario that was played on a matcher that takes notes."""

    def __init__(self, session: Session) -> None:
        self.session = session
        recorder = session.game.matcher
        assert isinstance(recorder, Recorder)
        self.end = frozenset(recorder.world)
        self.steps = {s.number: s for s in session.steps}
        self.matches = {m.number: (s, m) for s in session.steps for m in s.matches}
        self.looks: dict[int, Facts] = {}
        notes = iter(recorder.looks)
        for step in session.steps:
            if step.event in session.compiled.exempted:
                _, self.looks[step.number] = next(notes)
            if not step.voided and f"on:{step.event}" in session.compiled.by_trigger:
                _, self.looks[step.number] = next(notes)
        self.happened = {event for entry in session.log if isinstance(entry, Occurrence) for event in entry.events}
        self.replies = [entry.value for entry in session.log if isinstance(entry, Reply)]

    def sentences(self, facts: Facts) -> set[str]:
        """The facts as sentences."""
        return {
            self.session.worder.statement(f.predicate[5:], decoded(f.values))
            for f in facts
            if f.predicate.startswith("fact:") and f.predicate[5:] in self.session.compiled.edition.vocabulary.phrases
        }

    def values(self, facts: Facts) -> set[tuple[str, Fraction]]:
        """The values of measures, each with the measure as it is said."""
        return {
            (self.session.worder.statement(f.predicate[6:], decoded(f.values[:-1])), decoded(f.values)[-1])
            for f in facts
            if f.predicate.startswith("value:")
        }


def played(file: Path, first_alone: bool) -> Iterator[tuple[Run, Data]]:
    """The scenarios of a file, played."""
    scenarios, wrong = read_scenarios(file, str(file.relative_to(ROOT)))
    assert not wrong
    for scenario in scenarios[:1] if first_alone else scenarios:
        loaded = load_for(find_tree(file.parent), scenario)
        assert loaded.compiled is not None
        one = play(scenario, loaded.compiled, recording(ReferenceMatcher))
        yield Run(one.session), {"scenario": describe_scenario(scenario), "file": file.name}
        one.session.close()


# --- holding a proof against a run ---------------------------------------------------------------------------------


def check_proof(data: Data, run: Run) -> int:
    """Holds all that a proof in English says against the run; the number of things that it says.

    Raises:
        AssertionError: it says what is not so, or leaves out what it refers to.
    """
    told = {step["number"]: step for step in data["steps"]}
    checked = 0
    for goal in data["goals"]:
        if goal["clause"] is not None:
            checked += _check_clause(goal["clause"], len(run.steps) + 1, run, told)
        else:
            assert goal["step"] in told
    for step in data["steps"]:
        happened = run.steps[step["number"]]
        assert step["event"] == run.session.worder.statement(happened.event, happened.values)
        assert bool(step["voided"]) == bool(happened.voided)
        checked += 1 + _check_source(step, run, told)
        for rule in step["rules"]:
            checked += _check_rule(rule, step, run, told)
        if step["test"] is not None:
            checked += _check_test(step, run, told)
    return checked


def _check_source(step: Data, run: Run, told: dict[int, Data]) -> int:
    """An event that nothing brought about was given; what brought another about is told, and did."""
    happened = run.steps[step["number"]]
    for cause in step["because_of"]:
        at, match = run.matches[cause["number"]]
        assert (at.number, match.rule) == (cause["step"], cause["rule"])
        assert at.number < happened.number
        assert match.fired
        events = [(e.phrase, e.values[:1]) for e in match.effects if e.kind == "event"]
        assert (happened.event, happened.values[:1]) in events
        assert cause["number"] in [r["number"] for r in told[cause["step"]]["rules"]]
    if step["outcome_of"] is not None:
        test = told[step["outcome_of"]]["test"]
        assert test is not None
        assert run.steps[step["outcome_of"]].values[:2] == happened.values[:2]
        assert ("pass" in happened.event) == (test["outcome"] == "passed") or happened.event.startswith("would")
    elif not step["because_of"] and step["source"] != "itself":
        assert step["source"] == "given"
        assert (happened.event, happened.values) in run.happened
    return len(step["because_of"]) + 1


def _check_rule(rule: Data, step: Data, run: Run, told: dict[int, Data]) -> int:
    at, match = run.matches[rule["number"]]
    assert (at.number, match.rule) == (step["number"], rule["rule"])
    assert (rule["verdict"] == "applies") == match.fired
    assert [d["rule"] for d in rule["preempted_by"]] == [d.item for d in match.defeats]
    for other in rule["overrode"]:
        _, lost = run.matches[other["number"]]
        assert (match.rule, "rule") in [(d.item, d.kind) for d in lost.defeats]
    clauses = [*rule["clauses"], *(c for d in rule["preempted_by"] for c in d["clauses"])]
    return 1 + sum(_check_clause(clause, at.number, run, told) for clause in clauses)


def _check_test(step: Data, run: Run, told: dict[int, Data]) -> int:
    taken = run.steps[step["number"]].test
    assert taken is not None
    test = step["test"]
    assert test["total"] == taken.total
    assert Fraction(test["total"]) in run.replies
    assert (test["outcome"] == "passed") == taken.passed
    for modifier in test["modifiers"]:
        assert modifier["rule"] in [r["rule"] for r in step["rules"]]
    for value in test["values"]:
        _check_value(value, None, told)
    return 1


def _check_clause(clause: Data, step: int, run: Run, told: dict[int, Data]) -> int:
    """The facts of a clause were so when a step was looked at, and had been since what it says brought them about."""
    facts = run.looks.get(step, run.end)
    sentences, values = run.sentences(facts), run.values(facts)
    for ground in clause["facts"]:
        assert ground["text"] in sentences, f"step {step}: {ground}"
        _check_ground(ground, step, run, told)
    for value in clause["values"]:
        _check_value(value, values if "before" not in clause["text"] else None, told)
    inner = [c for s in clause["because"] for c in s["clauses"]]
    return len(clause["facts"]) + len(clause["values"]) + sum(_check_clause(c, step, run, told) for c in inner)


def _check_ground(ground: Data, step: int, run: Run, told: dict[int, Data]) -> None:
    since = ground["step"] or 0
    for between in range(since + 1, step + 1):
        if between in run.looks and not (between == step and run.steps[step].voided):
            assert ground["text"] in run.sentences(run.looks[between]), f"step {between}: {ground}"
    if ground["source"] in ("given", "kind"):
        return
    assert since in told
    here = run.steps[since]
    if ground["source"] == "rule":
        matches = [m for m in here.matches if m.rule == ground["rule"] and m.fired]
        done = {
            run.session.worder.statement(e.phrase, e.values) for m in matches for e in m.effects if e.kind == "fact"
        }
        assert (
            ground["text"] in done or any(e.kind == "new" for m in matches for e in m.effects) or _turned(ground, run)
        )
        assert ground["rule"] in [r["rule"] for r in told[since]["rules"]]
    elif ground["source"] == "event":
        done = {run.session.worder.statement(e.phrase, e.values) for e in here.changes if e.kind == "fact"}
        assert ground["text"] in done or _turned(ground, run)


def _turned(ground: Data, run: Run) -> bool:
    """Whether it is a fact that holds both ways, and so was brought about the other way round."""
    phrases = run.session.compiled.edition.vocabulary.phrases
    facts = {f for look in (*run.looks.values(), run.end) for f in look if f.predicate[5:] in phrases}
    return any(
        phrases[f.predicate[5:]].symmetric
        for f in facts
        if run.session.worder.statement(f.predicate[5:], decoded(f.values)) == ground["text"]
    )


def _check_value(value: Data, known: set[tuple[str, Fraction]] | None, told: dict[int, Data]) -> None:
    """The parts of a number add up to it, and it was so."""
    assert sum(Fraction(part["number"]) for part in value["parts"]) == Fraction(value["value"]), value
    assert known is None or (value["text"], Fraction(value["value"])) in known, value
    assert all(p["step"] in told for p in value["parts"] if p["source"] not in ("given", "kind", "nought")), value


# --- the shipped scenarios -----------------------------------------------------------------------------------------


def hold_all(file: Path, first_alone: bool) -> None:
    for run, scenario in played(file, first_alone):
        fired = sorted({m.rule for _, m in run.matches.values() if m.fired})
        for what in (None, *fired):
            data = describe_why(run.session, what)
            assert data["answer"] == "yes" or not run.steps
            assert check_proof(data, run) or not run.steps, f"{file.name}: {what}"
            assert not what or {g["rule"]["rule"] for g in data["goals"] if g["rule"]} >= {what}
            page = why_page({**scenario, **data})
            assert markdown(page, everything=True).count("\n") > len(data["steps"])
        assert "<details" in html(page) or not run.steps
        with speaking("bg"):
            for what in (None, *fired[:3]):
                page = why_page({**scenario, **describe_why(run.session, what)})
                assert "[en]" not in markdown(page, everything=True)


@pytest.mark.parametrize("file", FILES[::3], ids=lambda file: f"{file.parents[1].name}-{file.stem}")
def test_proofs_of_shipped_scenarios_hold(file: Path) -> None:
    hold_all(file, first_alone=True)


@pytest.mark.every_file
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parents[1].name}-{file.stem}")
def test_all_proofs_of_all_shipped_scenarios_hold(file: Path) -> None:
    hold_all(file, first_alone=False)


@pytest.mark.parametrize("edition", EDITIONS)
def test_the_history_knows_what_the_matcher_was_told(edition: str) -> None:
    file = ROOT / "rules" / edition / "scenarios" / "battles.scenario"
    for run, _ in played(file, first_alone=True):
        entries = run.session.game.world.history
        history = History(entries, run.session.compiled.edition.vocabulary)
        assert set(history.facts(len(entries))) == run.end
        for step in run.session.steps:
            if step.number in run.looks:
                known = {f for f in run.looks[step.number] if f.predicate.partition(":")[0] not in ("before", "cause")}
                assert {f for f in history.facts(step.seen) if not f.predicate.startswith("before:")} == known
