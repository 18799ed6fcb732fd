"""The scenarios of every edition that is shipped try all of its rules, and every clause of them."""

import json
from pathlib import Path

import pytest

from rulewright.cli.app import OK, run_command
from rulewright.workspace import VOCABULARY, Tree

RULES = Path(__file__).parents[2] / "rules"
EDITIONS = Tree(RULES, "rules").editions()


def test_everything_is_tried(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(RULES.parent)
    code = run_command(["test", "rules", "--at-least", "100", "--json"])
    groups = {g["group"]: g for g in json.loads(capsys.readouterr().out)["coverage"]["groups"]}
    assert EDITIONS
    assert list(groups) == [*EDITIONS, VOCABULARY]
    assert not [gap for group in groups.values() for gap in group["gaps"]]
    assert all(group["rules"]["of"] for group in groups.values())
    assert code == OK
