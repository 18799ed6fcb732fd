"""The scenarios of the shipped editions, file by file: as expected on both backends, by the same steps."""

from pathlib import Path

import pytest

from rulewright.backends.durable import DurableMatcher
from rulewright.backends.reference import ReferenceMatcher
from rulewright.explain.rules import items_of
from rulewright.scenarios.runner import play
from rulewright.workspace import SCENARIO_SUFFIX, Tree, load_for, read_scenarios

RULES = Path(__file__).parents[2] / "rules"
TREE = Tree(RULES, "rules")
FILES = sorted(RULES.rglob(f"*{SCENARIO_SUFFIX}"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}/{file.stem}")
def test_scenarios_come_out_on_both_backends_by_the_same_steps(file: Path) -> None:
    scenarios, findings = read_scenarios(file, file.name)
    assert scenarios
    assert not findings
    for scenario in scenarios:
        loaded = load_for(TREE, scenario)
        assert loaded.compiled is not None, "\n".join(map(str, loaded.diagnostics))
        played = [play(scenario, loaded.compiled, backend) for backend in (DurableMatcher, ReferenceMatcher)]
        for one in played:
            wrong = [f"{o.span}: {o.text}; got: {o.got}" for o in one.outcomes if not o.met]
            assert one.passed, "\n".join([scenario.ident, *wrong, *map(str, one.fault)])
        assert played[0].session.steps == played[1].session.steps, scenario.ident
        for one in played:
            one.session.close()


@pytest.mark.parametrize("edition", TREE.editions())
def test_every_rule_says_what_it_is_about(edition: str) -> None:
    own = TREE.own_files(edition)
    editions = [loaded.edition for loaded in TREE.variants(edition)]
    anchors = {item.anchor for one in editions if one is not None for item in items_of(one)}
    mine = [anchor for anchor in anchors if anchor.span.source.name in own]
    assert mine
    assert [anchor.ident for anchor in mine if not anchor.concepts] == []


def test_every_battle_is_long() -> None:
    for edition in ("psychology", "t9a-3"):
        scenarios, _ = read_scenarios(RULES / edition / "scenarios" / f"battles{SCENARIO_SUFFIX}", edition)
        lengths = [sum(len(step.happenings) for step in scenario.steps) for scenario in scenarios]
        assert lengths
        assert min(lengths) >= 15
