"""What `whatif` names, applied, gives the goal; and nothing smaller that was searched does."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from rulewright.backends.durable import DurableMatcher
from rulewright.backends.reference import ReferenceMatcher
from rulewright.lowering.compile import Compiled
from rulewright.model import Line, Scenario
from rulewright.resolve.scenarios import resolve_scenarios
from rulewright.scenarios.expectations import examine
from rulewright.scenarios.rehearsal import Rehearsal
from rulewright.scenarios.runner import play
from rulewright.scenarios.script import scripted
from rulewright.scenarios.search import Found, Search
from rulewright.scenarios.whatif import describe_changes
from rulewright.syntax.parser import parse
from rulewright.syntax.signs import typed
from rulewright.text import Source
from rulewright.workspace import find_tree, load_for, read_scenarios

RULES = Path("rules")
EDITIONS = ("t9a-2", "t9a-3", "psychology", "skirmish")
GOALS = 12
"""So many goals of each edition, from the shipped scenarios."""


def goals(edition: str) -> Iterator[tuple[Scenario, Line]]:
    """Some of what the scenarios of an edition expect at their end."""
    found = []
    for file in sorted(RULES.glob(f"{edition}/scenarios/*.scenario")):
        scenarios, _ = read_scenarios(file, str(file))
        found += [(s, line) for s in scenarios for line in s.steps[-1].expectations[-2:]]
    yield from random.Random(edition).sample(found, GOALS)


def compiled_for(scenario: Scenario) -> Compiled:
    compiled = load_for(find_tree(RULES), scenario).compiled
    assert compiled is not None
    return compiled


def scenario_in(text: str) -> Scenario:
    blocks, wrong = parse(Source("written", text))
    (scenario,), found = resolve_scenarios(blocks)
    assert (wrong, found) == ((), ())
    return scenario


def holds_in(text: str, goal: Line, compiled: Compiled) -> bool:
    """Whether a scenario that was written out meets a goal, when it is played on the other backend."""
    played = play(scenario_in(text), compiled, ReferenceMatcher)
    assert [d for d in played.fault if d.severity == "error"] == []
    return examine(goal, played.session, played.session.steps).met


def searched(scenario: Scenario, goal: Line, compiled: Compiled, **bounds: int) -> tuple[Search, Found]:
    rehearsal = Rehearsal(compiled, DurableMatcher, scenario.language)
    search = Search(scripted(scenario, compiled, DurableMatcher), rehearsal, goal, **bounds)
    return search, search.find()


def check(scenario: Scenario, goal: Line, search: Search, found: Found) -> int:
    """Holds every answer against the game: by itself, written out, and with any of its changes left out."""
    compiled = search.rehearsal.compiled
    data = describe_changes(scenario, search, found)
    fresh = Search(search.script, Rehearsal(compiled, DurableMatcher, scenario.language), goal)
    for one, told in zip(found.answers, data["answers"], strict=True):
        assert fresh.tried(one.changes, wanted=not found.met).sure
        assert holds_in(told["text"], goal, compiled) != found.met
        for fewer in combinations(one.changes, len(one.changes) - 1):
            assert not fewer or not fresh.tried(fewer, wanted=not found.met).sure
    fresh.rehearsal.close()
    search.rehearsal.close()
    return len(found.answers)


@pytest.mark.parametrize("edition", EDITIONS)
def test_what_is_named_gives_the_goal_and_nothing_less_does(edition: str) -> None:
    answers = 0
    for scenario, goal in goals(edition):
        search, found = searched(scenario, goal, compiled_for(scenario), most_changes=2, most_games=60)
        answers += check(scenario, goal, search, found)
    assert answers >= GOALS


NEAR = """language English

scenario near "Losses, more or less"
  edition t9a-2
  given Red is a side
  and Blue is a side
  and Archers is a unit of Red with 90 models, {points} health points and Discipline {discipline}
  and Bowmen is a unit of Blue with 10 models
  and Bowmen is {distance}" from Archers
  when the shooting phase starts
  and Archers loses {lost} health points to an attack of Bowmen
  and Archers rolls {total} for its Panic test
"""


@pytest.mark.parametrize("seed", range(12))
def test_the_boundary_is_named_first(seed: int) -> None:
    dice = random.Random(seed)
    points, discipline = dice.randint(5, 60), dice.randint(3, 11)
    quarter = math.ceil(points / 4)
    lost, total = dice.randint(1, min(points - 1, quarter + 3)), dice.randint(2, 12)
    numbers = {"points": points, "discipline": discipline, "lost": lost, "total": total}
    scenario = scenario_in(NEAR.format(distance=dice.randint(1, 30), **numbers))
    compiled = compiled_for(scenario)
    fires = Line(typed("rule heavy-losses fires for Archers", "en"))
    search, found = searched(scenario, fires, compiled)
    data = describe_changes(scenario, search, found)
    other = quarter - 1 if lost >= quarter else quarter
    assert found.met == (lost >= quarter)
    check(scenario, fires, search, found)
    sentences = {c["sentence"] for a in data["answers"] for c in a["changes"] if c["kind"] == "number"}
    unit = "health point" if other == 1 else "health points"
    assert sentences == ({f"Archers loses {other} {unit} to an attack of Bowmen"} if other else set())
    if abs(other - lost) == 1:
        assert data["answers"][0]["changes"][0]["sentence"] in sentences
    flees = Line(typed("Archers is fleeing", "en"))
    search, found = searched(scenario, flees, compiled)
    assert found.met == (lost >= quarter and total > discipline)
    changes = {c["sentence"] for a in describe_changes(scenario, search, found)["answers"] for c in a["changes"]}
    if lost >= quarter:  # the test is taken, and the nearest total that goes the other way is named
        nearest = discipline if total > discipline else discipline + 1
        assert f"Archers rolls {nearest} for its Panic test" in changes
    check(scenario, flees, search, found)
