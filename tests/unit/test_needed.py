"""What a failed comparison needed: bounds, numbers that keep to them, rounding, one measure said twice."""

import shutil
from pathlib import Path

import pytest

from rulewright.backends.reference import ReferenceMatcher
from rulewright.explain.misses import nearest_miss
from rulewright.explain.nearest import Moment
from rulewright.explain.needed import Needed, needed
from rulewright.session.looks import Looks
from rulewright.session.session import Session
from rulewright.speech import number_text
from rulewright.workspace import load_edition

BASE = Path(__file__).parents[1] / "conformance" / "base"


def needs(tmp_path: Path, clause: str) -> list[tuple[str | None, str, str, str]]:
    """What a clause needed that fails of Archers, with 10 health points and Discipline 7."""
    rules = tmp_path / "rules"
    shutil.copytree(BASE, rules)
    rule = f"rule more\n  cites s1\n  when {{unit}} breaks from combat\n  and {clause}\n  then {{unit}} is destroyed\n"
    (rules / "e" / "more.rules").write_text(f"language English\n\n{rule}", encoding="utf-8")
    session = Session(load_edition("e", rules), ReferenceMatcher)
    looks = session.game.looks = Looks()
    session.give("Archers is a unit with 10 health points and Discipline 7")
    session.happens("Archers breaks from combat")
    miss = nearest_miss(session.compiled, "more", [Moment(session.compiled, look) for look in looks.taken])
    assert miss is not None
    assert miss.reach is not None
    assert miss.reach.failed is not None
    return [told(one) for one in needed(miss.reach.failed, session.compiled.edition.vocabulary)]


def told(one: Needed) -> tuple[str | None, str, str, str]:
    had = number_text(one.had) if one.had is not None else None
    return had, one.operator, number_text(one.bound), number_text(one.suits)


@pytest.mark.parametrize(
    ("clause", "wanted"),
    [
        ("the health points of {unit} are at least 12", [("10", ">=", "12", "12")]),
        ("the health points of {unit} are more than 12", [("10", ">", "12", "13")]),
        ("the health points of {unit} are less than 10", [("10", "<", "10", "9")]),
        ("25% of the health points of {unit} is at least 3.5", [("10", ">=", "14", "14")]),
        ("7 is at most a third of the health points of {unit} rounded down", [("10", ">=", "21", "21")]),
        (
            "the health points of {unit} are at least 2 times the Discipline of {unit}",
            [("10", ">=", "14", "14"), ("7", "<=", "5", "5")],
        ),
        ("the health points of {unit} are less than the health points of {unit}", []),
        ("the health points of {unit} are less than 0", []),
    ],
)
def test_what_a_comparison_needed(clause: str, wanted: list[tuple[str | None, str, str, str]], tmp_path: Path) -> None:
    assert needs(tmp_path, clause) == wanted
