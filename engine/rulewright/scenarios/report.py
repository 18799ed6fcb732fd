"""A played scenario as data, by the schema ``rulewright/run/1`` (``run.schema.json`` beside this file)."""

from __future__ import annotations

from typing import Any

from rulewright.explain.readings import describe_switched
from rulewright.explain.run import describe_diagnostic, describe_session
from rulewright.model import Scenario
from rulewright.phrases.words import sentence_text
from rulewright.scenarios.runner import Played

SCHEMA = "rulewright/run/1"


def describe_scenario(scenario: Scenario) -> dict[str, Any]:
    """Which scenario it is, as data."""
    return {
        "id": scenario.ident,
        "title": scenario.title,
        "edition": scenario.edition,
        "place": f"{scenario.span.source.name}:{scenario.span.line}",
    }


def describe_run(played: Played) -> dict[str, Any]:
    """A played scenario as data."""
    scenario = played.scenario
    described = describe_session(played.session)
    return {
        "schema": SCHEMA,
        "scenario": describe_scenario(scenario),
        "readings": describe_switched(played.session),
        "given": [sentence_text(line.span) for line in scenario.givens],
        **described,
        "expected": [{"text": o.text, "met": o.met, "got": o.got, "line": o.span.line} for o in played.outcomes],
        "diagnostics": [describe_diagnostic(d) for d in played.fault],
        "passed": played.passed,
    }
