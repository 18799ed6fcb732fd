"""The verbs as a user meets them: output, exit codes, bad input."""

import json
import os
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from rulewright.cli.app import FAILED, OK, USAGE, run_command

ROOT = Path(__file__).parents[2]
SCENARIOS = ROOT / "rules" / "t9a-2" / "scenarios"
MAIN = "rules/t9a-2/scenarios/heavy-losses.scenario"

OPEN_DIE = """language English
scenario open "Nobody rolled"
  edition t9a-2
  given Red is a side
  and Archers is a unit of Red with 20 models, 20 health points and Discipline 7
  when the shooting phase starts
  and Archers loses 5 health points to dangerous terrain
  then rule heavy-losses fires for Archers
"""


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def rulewright(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_command(list(arguments))
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "internal error" not in out + err
    return code, out, err


def test_run_tells_rules_clauses_citations_dice_and_what_was_preempted(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = rulewright(capsys, "run", MAIN, "heavy-losses")
    assert (code, err) == (OK, "")
    for told in (
        'applies    heavy-losses "A quarter of the health points lost in one phase"',
        "5 ≥ 5 (25% of 20)",
        "cites t2-002, t2-006, t2-007, t2-008, t2-009",
        "assuming A-gen-03: a quarter is taken exactly, without rounding",
        "failed     Archers rolls 8 on 2D6",
        "8 > 7",
        "=> Archers flees directly away from Bowmen",
        'pre-empted flee-from-closest "Away from the closest enemy"',
        "by rule flee-from-cause",
    ):
        assert told in out
    assert max(map(len, out.splitlines())) <= 80


def test_every_shipped_run_is_data_by_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    text = resources.files("rulewright").joinpath("scenarios/run.schema.json").read_text(encoding="utf-8")
    validator = jsonschema.Draft202012Validator(json.loads(text))
    seen = 0
    for file in sorted(SCENARIOS.glob("*.scenario")):
        code, out, _ = rulewright(capsys, "run", str(file), "--json")
        assert code == OK
        data = json.loads(out)
        for run in data["runs"] if data["schema"] == "rulewright/runs/1" else [data]:
            validator.validate(run)
            seen += 1
    assert seen > 50


def test_an_open_die_is_an_error_unless_rolled_by_seed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "open.scenario"
    file.write_text(OPEN_DIE, encoding="utf-8")
    code, _, err = rulewright(capsys, "run", str(file))
    assert code == FAILED
    assert "error[RW0521]" in err
    assert "Archers rolls 7 for its Panic test" in err
    outcomes = set()
    for seed in range(12):
        code, out, err = rulewright(capsys, "run", str(file), "--seed", str(seed))
        assert (code, err) == (OK, "")
        assert rulewright(capsys, "run", str(file), "--seed", str(seed))[1] == out
        outcomes.add("failed     " in out)
    assert outcomes == {True, False}


def test_test_counts_and_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "test", MAIN)
    assert code == OK
    assert out.strip() == "2 passed, 0 failed"
    file = tmp_path / "wrong.scenario"
    text = (ROOT / MAIN).read_text(encoding="utf-8")
    file.write_text(text.replace("and Archers is fleeing", "and Archers is not fleeing"), encoding="utf-8")
    code, out, _ = rulewright(capsys, "test", str(file))
    assert code == FAILED
    for told in ("FAILED heavy-losses", "expected: Archers is not fleeing", "got:", "why:", "1 passed, 1 failed"):
        assert told in out


def test_a_changed_rule_changes_the_outcome(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(ROOT / "rules", tmp_path / "rules")
    rules = tmp_path / "rules" / "t9a-2" / "triggers.rules"
    text = rules.read_text(encoding="utf-8")
    assert text.count("25% of") == 1
    rules.write_text(text.replace("25% of", "a third of"), encoding="utf-8")
    code, out, _ = rulewright(capsys, "test", str(tmp_path / "rules" / "t9a-2" / "scenarios" / "heavy-losses.scenario"))
    assert code == FAILED
    assert "expected: rule heavy-losses fires for Archers" in out


def test_check_finds_nothing_in_the_shipped_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert rulewright(capsys, "check")[:2] == (OK, "0 errors, 0 warnings\n")
    code, out, _ = rulewright(capsys, "check", "--json")
    assert code == OK
    assert json.loads(out) == {"schema": "rulewright/diagnostics/1", "diagnostics": []}


def test_show_reads_back_and_shows_productions(capsys: pytest.CaptureFixture[str]) -> None:
    assert "t9a-2" in rulewright(capsys, "show")[1]
    code, out, _ = rulewright(capsys, "show", "t9a-2", "engaged")
    assert code == OK
    assert "{unit} takes no Panic test\n  while {unit} is engaged in combat" in out
    code, out, _ = rulewright(capsys, "show", "t9a-2", "engaged", "--productions")
    assert code == OK
    assert "match:engaged@heavy-losses" in out
    assert '"all"' in out


def test_ask_answers_from_facts_and_rules(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "ask", MAIN, "is Archers fleeing?")
    assert code == OK
    assert out.startswith("yes")
    assert "by failed-test" in out
    assert rulewright(capsys, "ask", MAIN, "may Archers shoot?")[1] == "yes: nothing forbids it\n"
    code, out, _ = rulewright(capsys, "ask", MAIN, "what applies to Archers?", "--json")
    assert json.loads(out)["answer"] == "Archers"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([], OK),
        (["--version"], OK),
        (["fly"], USAGE),
        (["run"], USAGE),
        (["run", MAIN, "--seed", "x"], USAGE),
        (["show", "--wings"], USAGE),
        (["run", "no-such-file"], FAILED),
        (["run", "rules"], FAILED),
        (["run", MAIN, "no-such-scenario"], FAILED),
        (["test", "no-such-folder"], FAILED),
        (["check", "no-such-folder"], FAILED),
        (["show", "no-such-edition"], FAILED),
        (["show", "t9a-2", "no-such-rule"], FAILED),
        (["ask", MAIN, "may Nobody shoot?"], FAILED),
        (["ask", MAIN, ""], FAILED),
        (["ask", MAIN, "?"], FAILED),
        (["ask", MAIN, "{unit} is fleeing"], FAILED),
        (["run", MAIN, "--rules", "no-such-folder"], FAILED),
    ],
)
def test_exit_codes(arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert rulewright(capsys, *arguments)[0] == code


@pytest.mark.parametrize("verb", ["run", "test", "check"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00r",
        b"\x00\x01\x02",
        b"language English\n" + b"#" * 2_000_000,
        b"language English\nnonsense",
        b"\n\n\n",
    ],
    ids=["empty", "not-utf-8", "binary", "too-large", "nonsense", "blank"],
)
def test_bad_files_are_diagnosed(verb: str, content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.scenario"
    file.write_bytes(content)
    code, out, err = rulewright(capsys, verb, str(file))
    assert code == FAILED
    assert (out + err).count("error[") == 1


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m rulewright run {MAIN} | head -n 1"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "engine")}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith("A quarter lost")
