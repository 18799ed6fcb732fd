"""``rulewright test --coverage`` as a user meets it: its words, its data, its exit codes."""

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
from commands import rulewright

from rulewright.cli.app import FAILED, OK, USAGE

ROOT = Path(__file__).parents[2]
EDITION = """language English

edition small "A small edition"
  note for examples

exemption steady "The steady take no test"
  {unit} takes no Panic test
  while {unit} is engaged in combat
  unless {unit} is fleeing

rule breaking "Breaking calls for a test"
  when {unit} breaks from combat
  or {unit} is destroyed
  and {unit} is on the battlefield
  then {unit} takes a Panic test

test panic "Two dice"
  when {unit} takes a Panic test
  roll 2D6
  succeeds if the total is at most 7
"""
SCENARIO = """language English

scenario breaks "One breaks, and fails"
  edition small
  given Red is a side
  and Archers is a unit of Red
  when Archers breaks from combat
  and Archers rolls 8 for its Panic test
  then Archers fails a Panic test
"""
FAILING = SCENARIO.replace("then Archers fails", "then Archers passes")
GAPS = """  exemption steady (rules/small/edition.rules:6)
    never fired
    line 8  {unit} is engaged in combat
      never held
    line 9  {unit} is fleeing
      never kept it from firing, never the one that failed
  rule breaking (rules/small/edition.rules:11)
    never kept from firing
    line 13  {unit} is destroyed
      never set it off
    line 14  {unit} is on the battlefield
      never the one that failed
  test panic (rules/small/edition.rules:17)
    never passed
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small edition with one scenario, in the current folder."""
    words = ROOT / "tests" / "conformance" / "base" / "vocabulary" / "words.rules"
    for path, text in (
        ("vocabulary/words.rules", words.read_text(encoding="utf-8")),
        ("small/edition.rules", EDITION),
        ("small/scenarios/breaks.scenario", SCENARIO),
    ):
        file = tmp_path / "rules" / path
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "rules"


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("paths", [(), ("rules",), ("rules/small",), ("rules/small/scenarios/breaks.scenario",)])
def test_gaps_are_told_by_name_and_place(paths: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = rulewright(capsys, "test", *paths, "--coverage")
    assert (code, err) == (OK, "")
    assert out.startswith("1 passed, 0 failed\nsmall: rules 2 of 3 fired, 1 of 3 kept from firing; clauses 2 of 6\n")
    assert out.partition("of 6\n")[2] == GAPS
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.usefixtures("small")
def test_without_the_option_nothing_is_told_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert rulewright(capsys, "test", "rules") == (OK, "1 passed, 0 failed\n", "")
    assert "coverage" not in json.loads(rulewright(capsys, "test", "rules", "--json")[1])


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(("percent", "code"), [("0", OK), ("1", FAILED), ("100", FAILED)])
def test_less_than_what_is_demanded_fails(percent: str, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert rulewright(capsys, "test", "rules", "--at-least", percent)[0] == code


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("percent", ["-1", "101", "most", "nan", ""])
def test_what_is_no_percentage_is_refused(percent: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "test", "rules", f"--at-least={percent}")
    assert code == USAGE
    assert "passed" not in out


def test_a_failed_scenario_is_a_failure_whatever_is_tried(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (small / "small" / "scenarios" / "breaks.scenario").write_text(FAILING, encoding="utf-8")
    code, out, _ = rulewright(capsys, "test", "rules", "--at-least", "0")
    assert code == FAILED
    assert "small: rules 2 of 3 fired" in out


def test_an_edition_that_no_scenario_plays_is_told(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (small / "other").mkdir()
    other = EDITION.replace("edition small", "edition other")
    (small / "other" / "edition.rules").write_text(other, encoding="utf-8")
    _, out, _ = rulewright(capsys, "test", "rules", "--coverage")
    assert "other: rules 0 of 3 fired, 0 of 3 kept from firing; clauses 0 of 6\n" in out
    assert "other:" not in rulewright(capsys, "test", "rules/small", "--coverage")[1]


def test_an_edition_that_cannot_be_read_is_told(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (small / "other").mkdir()
    other = EDITION.replace("edition small", "edition other").replace("is destroyed", "is gone")
    (small / "other" / "edition.rules").write_text(other, encoding="utf-8")
    code, out, _ = rulewright(capsys, "test", "rules", "--at-least", "0")
    assert code == FAILED
    assert "error[RW0201]: `{unit} is gone` matches no phrase" in out


def test_shared_blocks_are_a_group_of_their_own(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = "language English\n\nrule shared\n  when {unit} is destroyed\n  then {unit} is not on the battlefield\n"
    (small / "vocabulary" / "shared.rules").write_text(rule, encoding="utf-8")
    _, out, _ = rulewright(capsys, "test", "rules", "--coverage")
    assert "small: rules 2 of 3 fired" in out
    assert "vocabulary: rules 0 of 1 fired, 0 of 0 kept from firing; clauses 0 of 1\n" in out
    assert "vocabulary" not in rulewright(capsys, "test", "rules/small", "--coverage")[1]


@pytest.mark.usefixtures("small")
def test_the_same_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "test", "rules", "--at-least", "50", "--json")
    data = json.loads(out)
    schema = resources.files("rulewright").joinpath("scenarios/test.schema.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator(json.loads(schema)).validate(data)
    assert code == FAILED
    (group,) = data["coverage"]["groups"]
    assert data["coverage"]["at_least"] == 50
    assert (group["group"], group["enough"]) == ("small", False)
    assert group["rules"] == {"tried": 0, "of": 3}
    assert [gap["block"] for gap in group["gaps"]] == ["steady", "breaking", "panic"]
    assert group["gaps"][1] == {
        "block": "breaking",
        "kind": "rule",
        "place": "rules/small/edition.rules:11",
        "missing": ["kept"],
        "clauses": [
            {"kind": "trigger", "text": "{unit} is destroyed", "line": 13, "missing": ["set-off"]},
            {"kind": "condition", "text": "{unit} is on the battlefield", "line": 14, "missing": ["missed"]},
        ],
    }
