"""The nearest miss of a rule: which clause failed first, at which step, on which values."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from rulewright.backends.reference import ReferenceMatcher
from rulewright.explain.failed import describe_miss, miss_text
from rulewright.explain.misses import Aim, nearest_miss
from rulewright.explain.nearest import Moment
from rulewright.session.looks import Looks
from rulewright.session.session import Session
from rulewright.workspace import load_edition

BASE = Path(__file__).parents[1] / "conformance" / "base"
GIVENS = (
    "Red is a side",
    "Archers is a unit with 10 health points and Discipline 7",
    "Knights is a unit with 5 health points",
    "Wolves is a unit",
    'the distance between Archers and Knights is 8"',
    "Knights is an enemy of Archers",
    "Wolves is an enemy of Archers",
    "Knights is fleeing",
)
STRONG = """definition strong "Who is whole and not alone"
  cites s1
  {unit} is strong
  if {unit} is not fleeing
  and the health points of {unit} are at least 20
"""
WORDS = """fact strong
  en: {unit} is strong
  en not: {unit} is not strong

"""


def miss(tmp_path: Path, clauses: str, *events: str, thing: str | None = "Archers", item: str = "more") -> Any:
    """The nearest miss of a rule with some clauses, as data, when things happen."""
    rules = tmp_path / "rules"
    shutil.copytree(BASE, rules)
    rule = f"rule more\n  cites s1\n  when {{unit}} breaks from combat\n{clauses}  then {{unit}} is destroyed\n"
    (rules / "e" / "more.rules").write_text(f"language English\n\n{WORDS}{STRONG}\n{rule}", encoding="utf-8")
    session = Session(load_edition("e", rules), ReferenceMatcher)
    looks = session.game.looks = Looks()
    for given in GIVENS:
        session.give(given)
    for event in events or ("Archers breaks from combat",):
        session.happens(event)
    assert not any(m.rule == item and m.fired for m in session.matches)
    ident = next((i for i, name in session.names.items() if name == thing), thing)
    moments = [Moment(session.compiled, look) for look in looks.taken]
    found = nearest_miss(session.compiled, item, moments, Aim(ident))
    assert found is not None
    return describe_miss(found, session.worder)


@pytest.mark.parametrize(
    ("clauses", "held", "failed", "numbers"),
    [
        ("  and {unit} is fleeing\n", 0, "Archers is fleeing", ""),
        ("  and {unit} is on the battlefield\n  and {unit} is fleeing\n", 1, "Archers is fleeing", ""),
        ("  and {unit} is not on the battlefield\n", 0, "Archers is not on the battlefield", ""),
        (
            "  and the health points of {unit} are at least a third of 60\n",
            0,
            "the health points of Archers are at least a third of 60",
            "10 < 20 (a third of 60)",
        ),
        (
            "  and {enemy} is an enemy of {unit}\n  and the distance between {enemy} and {unit} is less than 8\"\n",
            1,
            'the distance between Knights and Archers is less than 8"',
            "8 ≥ 8",
        ),
        (
            "  and there is no {enemy}\n    where {enemy} is an enemy of {unit}\n    where {enemy} is fleeing\n",
            0,
            "there is no enemy where enemy is an enemy of Archers and enemy is fleeing",
            "there is Knights",
        ),
        (
            "  and there are at least 3 {enemy}\n    where {enemy} is an enemy of {unit}\n",
            0,
            "there are at least 3 enemy where enemy is an enemy of Archers",
            "there are 2",
        ),
        ("  and {unit} is a side\n", 0, "Archers is a side", ""),
        ("  and {enemy} is an enemy of {unit}\n  and {unit} is {enemy}\n", 1, "Archers is Knights", ""),
        ("  and the Discipline of {unit} is not known\n", 0, "the Discipline of Archers is not known", ""),
        (
            "  and {unit} is fleeing\n  or {unit} is engaged in combat\n",
            0,
            "Archers is fleeing or Archers is engaged in combat",
            "",
        ),
        (
            "  and {enemy} is an enemy of {unit}\n  and the Discipline of {enemy} is at least 2\n",
            1,
            "the Discipline of Knights is at least 2",
            "the Discipline of Knights: not known",
        ),
    ],
)  # fmt: skip
def test_the_clause_that_failed(clauses: str, held: int, failed: str, numbers: str, tmp_path: Path) -> None:
    data = miss(tmp_path, clauses)
    assert data["step"] == 1
    assert (len(data["held"]), data["failed"]["text"], data["failed"]["numbers"]) == (held, failed, numbers)
    assert miss_text(data).startswith(f"step 1: more did not apply: {failed}")


def test_a_choice_without_candidates(tmp_path: Path) -> None:
    data = miss(
        tmp_path,
        "  choose {enemy} at random\n    where {enemy} is an enemy of {unit}\n    where {enemy} is engaged in combat\n",
    )
    assert len(data["held"]) == 1
    assert data["failed"]["text"].endswith("is engaged in combat")


def test_a_failed_definition_says_what_it_would_take(tmp_path: Path) -> None:
    data = miss(tmp_path, "  and {unit} is strong\n")
    assert data["failed"]["because"]["rule"] == "strong"
    assert miss_text(data).endswith(
        "Archers is strong; by strong it would take: the health points of Archers are at least 20; 10 < 20"
    )


def test_a_definition_may_miss_itself(tmp_path: Path) -> None:
    data = miss(tmp_path, "  and {unit} is strong\n", item="strong")
    assert (len(data["held"]), data["failed"]["numbers"]) == (1, "10 < 20")


def test_the_step_where_most_clauses_held_is_told_and_the_last_of_several(tmp_path: Path) -> None:
    clauses = "  and {unit} is fleeing\n  and {unit} is engaged in combat\n"
    happens = ("Archers breaks from combat", "Knights breaks from combat", "Wolves breaks from combat")
    data = miss(tmp_path, clauses, *happens, thing=None)
    assert (data["step"], data["failed"]["text"]) == (2, "Knights is engaged in combat")


def test_the_last_step_of_equals_and_the_thing_that_is_asked_about(tmp_path: Path) -> None:
    happens = ("Wolves breaks from combat", "Archers breaks from combat", "Archers breaks from combat")
    data = miss(tmp_path, "  and {unit} is fleeing\n", *happens)
    assert (data["step"], data["failed"]["text"]) == (3, "Archers is fleeing")


def test_nothing_set_it_off(tmp_path: Path) -> None:
    data = miss(tmp_path, "  and {unit} is fleeing\n", "Wolves breaks from combat")
    assert data["step"] is None
    assert miss_text(data) == "nothing that sets more off happened: when {unit} breaks from combat"


def test_a_clause_that_needs_a_later_one_waits_for_it(tmp_path: Path) -> None:
    data = miss(
        tmp_path,
        "  and {enemy} is not fleeing\n  and {enemy} is an enemy of {unit}\n  and {enemy} is engaged in combat\n",
    )
    assert data["held"][0].endswith("is an enemy of Archers")
    assert data["failed"]["text"] == "Wolves is engaged in combat"
