"""The matrix of concepts by editions, held against what the texts say or are silent on, row by row."""

import tomllib
from pathlib import Path

import pytest

from rulewright.compare.matrix import describe_matrix
from rulewright.compare.sides import sides
from rulewright.workspace import Tree

EDITIONS = ("psychology", "skirmish", "t9a-2", "t9a-3")
KNOWN = tomllib.loads((Path(__file__).parent / "concepts.toml").read_text(encoding="utf-8"))
TREE = Tree(Path(__file__).parents[2] / "rules", "rules")


@pytest.fixture(scope="module")
def speaking() -> dict[str, set[str]]:
    """For each concept of the matrix the editions that are not silent on it."""
    data = describe_matrix(sides(TREE, EDITIONS), None, "en")
    return {
        concept["concept"]: {e for e, group in zip(EDITIONS, concept["groups"], strict=True) if group is not None}
        for concept in data["concepts"]
    }


def test_every_row_is_known() -> None:
    assert len(KNOWN["says"]) == 90
    assert set(KNOWN["differs"]) <= set(KNOWN["says"])


@pytest.mark.parametrize("concept", KNOWN["says"])
def test_an_edition_says_something_or_is_silent(concept: str, speaking: dict[str, set[str]]) -> None:
    expected = set(KNOWN["says"][concept])
    for edition, reason in KNOWN["differs"].get(concept, {}).items():
        assert reason
        expected ^= {edition}
    assert speaking.get(concept, set()) == expected
