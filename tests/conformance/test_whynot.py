"""Every rule of the shipped scenarios has a verdict, whatever became of it, in both languages."""

import io
import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.console import Console

from rulewright.backends.reference import ReferenceMatcher
from rulewright.explain.readings import describe_switched
from rulewright.explain.sought import read_sought
from rulewright.explain.verdicts import Inquiry
from rulewright.explain.whynot import describe_whynot
from rulewright.explain.whynot_page import whynot_page
from rulewright.forms.terminal import print_page
from rulewright.model import Scenario
from rulewright.scenarios.report import describe_scenario
from rulewright.scenarios.runner import play
from rulewright.session.looks import Looks
from rulewright.speech import speaking
from rulewright.workspace import SCENARIO_SUFFIX, Tree, load_for, read_scenarios

RULES = Path(__file__).parents[2] / "rules"
TREE = Tree(RULES, "rules")
FILES = sorted(RULES.rglob(f"*{SCENARIO_SUFFIX}"))
SCHEMA = json.loads(resources.files("rulewright").joinpath("explain/whynot.schema.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
WORDS = {"applies", "does not apply", "pre-empted"}


def answers(scenario: Scenario, language: str) -> list[dict[str, Any]]:
    """Why not, for each rule of the edition of a scenario."""
    compiled = load_for(TREE, scenario).compiled
    assert compiled is not None
    looks = Looks()
    played = play(scenario, compiled, ReferenceMatcher, looks=looks)
    run = Inquiry.of(played.session, looks.taken)
    with speaking(language):
        head = {"schema": "rulewright/whynot/1", "scenario": describe_scenario(scenario), "file": ""}
        head["readings"] = describe_switched(played.session)
        items = [read_sought(played.session, item, dict) for item in compiled.anchors]
        return [head | describe_whynot(run, asked, dict) for asked in items]


def check(scenario: Scenario, language: str) -> None:
    """Each answer has verdicts, gives a reason for each, and can be laid out."""
    fired = {m.rule for m in run_of(scenario) if m.fired}
    for data in answers(scenario, language):
        verdicts = {c["verdict"] for c in data["candidates"]}
        asked = data["asked"]["text"]
        assert verdicts, asked
        assert verdicts <= WORDS, asked
        assert "applies" in verdicts or asked not in fired, asked
        for one in data["candidates"]:
            reasons = (one["failed"], one["absent"], one["preempted_by"], one["picked"], one["kind"] == "order")
            assert one["verdict"] == "applies" or any(reasons), (scenario.ident, asked)
        with speaking(language):
            out = Console(file=io.StringIO(), width=80, highlight=False, emoji=False, markup=False)
            print_page(whynot_page(data), out, everything=True)


def run_of(scenario: Scenario) -> Any:
    compiled = load_for(TREE, scenario).compiled
    assert compiled is not None
    return play(scenario, compiled, ReferenceMatcher).session.matches


@pytest.mark.parametrize("edition", TREE.editions())
def test_the_rules_of_some_scenarios_have_verdicts(edition: str) -> None:
    files = [file for file in FILES if file.parts[-3] == edition]
    for number, file in enumerate(files[::3]):
        scenarios = read_scenarios(file, file.name)[0]
        check(scenarios[number % len(scenarios)], ("en", "bg")[number % 2])
    first = read_scenarios(files[0], files[0].name)[0][0]
    for data in answers(first, "bg"):
        VALIDATOR.validate(data)


@pytest.mark.every_file
@pytest.mark.parametrize("language", ["en", "bg"])
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}/{file.stem}")
def test_the_rules_of_every_scenario_have_verdicts(file: Path, language: str) -> None:
    scenarios = read_scenarios(file, file.name)[0]
    assert scenarios
    for scenario in scenarios:
        check(scenario, language)
