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
from commands import rulewright
from terminal import at_terminal

from rulewright.cli.app import FAILED, OK, USAGE

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


def test_a_person_is_told_what_happened_and_then_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "open.scenario"
    file.write_text(OPEN_DIE, encoding="utf-8")
    at_terminal(monkeypatch, "", "thirteen", "13", "8")
    code, out, _ = rulewright(capsys, "run", str(file))
    assert code == OK
    asked = out[: out.index("(a total from 2 to 12)")]
    assert asked.startswith("Nobody rolled")
    assert "takes a Panic test" in asked
    assert out.count("Roll 2D6 and type the total") == 3
    assert "`thirteen` is no answer to this" in out
    assert out.rstrip().endswith("and Archers rolls 8 for its Panic test")
    at_terminal(monkeypatch, "quit")
    code, out, _ = rulewright(capsys, "run", str(file))
    assert code == FAILED
    assert out.rstrip().endswith("The scenario open was not played to its end.")


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


HEAVY = "rules/t9a-2/scenarios/heavy-losses.scenario"
A_THIRD = """FAILED heavy-losses ({place}:3)
  line 15
    expected: rule heavy-losses fires for Archers
    got:      it did not apply
    why:      step 3: heavy-losses did not apply: the health points Archers lost
              outside combat this phase are at least a third of the health
              points Archers had at the start of the phase; 5 < 20/3 (a third of
              20)
  line 16  Archers fails a Panic test; got: it did not happen
  line 17  Archers is fleeing; got: it is not so
  line 18  Archers flees directly away from Bowmen; got: it did not happen
  line 19  rule flee-from-closest is pre-empted by flee-from-cause; got: it did
           not apply
  so nothing asked for `Archers rolls 8 for its Panic test` (line 14)

failed: heavy-losses
1 passed, 1 failed
"""


@pytest.fixture
def a_third(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of the rules in which a third of the health points must be lost."""
    shutil.copytree(ROOT / "rules", tmp_path / "rules")
    rules = tmp_path / "rules" / "t9a-2" / "triggers.rules"
    text = rules.read_text(encoding="utf-8")
    assert text.count("25% of") == 1
    rules.write_text(text.replace("25% of", "a third of"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("a_third")
def test_a_changed_rule_is_told_with_the_clause_that_failed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = rulewright(capsys, "test", HEAVY)
    assert (code, err) == (FAILED, "")
    assert out == A_THIRD.format(place=HEAVY)


@pytest.mark.usefixtures("a_third")
def test_the_report_of_an_edition_keeps_to_its_width_and_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "test", "rules/t9a-2", "--json")
    assert code == FAILED
    text = resources.files("rulewright").joinpath("scenarios/test.schema.json").read_text(encoding="utf-8")
    data = json.loads(out)
    jsonschema.Draft202012Validator(json.loads(text)).validate(data)
    failed = [s for s in data["scenarios"] if not s["passed"]]
    assert len(failed) == data["failed"] > 20
    assert all(not u["why"] for s in failed for u in s["unmet"][1:])
    misses = [r["miss"] for s in failed for u in s["unmet"][:1] for r in u["why"] if r["rule"] == "heavy-losses"]
    assert sum(bool(m) and "third" in m["failed"]["text"] for m in misses if m and m["failed"]) > 20
    code, out, _ = rulewright(capsys, "test", "rules/t9a-2")
    assert max(len(line) for line in out.splitlines() if not line.startswith("FAILED ")) <= 80
    assert out.count("FAILED ") == data["failed"]
    names = out.rpartition("failed: ")[2].rpartition("\n")[0].rpartition("\n")[0]
    assert [n.strip() for n in names.replace("\n", " ").split(",")] == [s["scenario"] for s in failed]


@pytest.mark.usefixtures("a_third")
def test_pytest_tells_the_same() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "rulewright.scenarios.pytest_plugin", HEAVY]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "engine"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (
        "why:      step 3: heavy-losses did not apply: the health points Archers lost\n              outside"
        in done.stdout
    )
    assert "so nothing asked for `Archers rolls 8 for its Panic test` (line 14)" in done.stdout


def test_pytest_plays_a_scenario_under_the_reading_that_it_chooses(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "rules", tmp_path / "rules")
    file = tmp_path / "rules" / "t9a-2" / "scenarios" / "readings.scenario"
    text = file.read_text(encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "engine"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    told = []
    for content in (text, text.replace("  reading A-gen-01 exclusive\n", "", 1)):
        file.write_text(content, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "rulewright.scenarios.pytest_plugin", str(file)]
        told.append(subprocess.run(command, capture_output=True, text=True, env=environment, check=False).stdout)
    assert "12 passed" in told[0]
    assert "1 failed, 11 passed" in told[1]
    assert "FAILED six-inches-are-too-far" in told[1]


def test_run_shows_the_numbers_of_rounded_and_of_named_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = rulewright(capsys, "run", str(SCENARIOS / "readings.scenario"), "a-quarter-rounded-down")
    assert code == OK
    assert "rounded down\n        4 ≥ 4\n" in out
    shutil.copytree(ROOT / "tests" / "conformance" / "base", tmp_path / "rules")
    (tmp_path / "rules" / "e" / "more.rules").write_text(
        "language English\n\nrule named\n  cites s1\n  when {unit} flees\n"
        "  and the Discipline of {unit} is {n}\n  and {n} is at least 3\n  then {unit} is destroyed\n",
        encoding="utf-8",
    )
    file = tmp_path / "rules" / "e" / "more.scenario"
    file.write_text(
        "language English\n\nscenario named\n  edition e\n  given Archers is a unit with Discipline 7\n"
        "  when Archers flees\n  then rule named fires for Archers\n",
        encoding="utf-8",
    )
    code, out, _ = rulewright(capsys, "run", str(file))
    assert code == OK
    assert "- the Discipline of Archers is 7\n        7 = 7\n" in out


STOPPED = """language English
scenario stopped "It is said not to fire"
  edition t9a-2
  given Red is a side
  and Archers is a unit of Red with 20 models, 20 health points and Discipline 7
  when the shooting phase starts
  and Archers loses 5 health points to dangerous terrain
  then rule heavy-losses does not fire
  and the health points of Archers are 15
"""


def test_a_run_that_stops_says_which_rule_called_for_the_die(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "stopped.scenario"
    file.write_text(STOPPED, encoding="utf-8")
    code, out, _ = rulewright(capsys, "test", str(file))
    assert code == FAILED
    for told in (
        "expected: rule heavy-losses does not fire\n    got:      it fired for Archers\n",
        "    why:      step 3: heavy-losses applied: ",
        "5 ≥ 5 (25% of 20)",
        "stopped: line 7 needs 2D6 for a Panic test of Archers\n",
        "called for by heavy-losses (step 3)",
        "0 passed, 1 failed",
    ):
        assert told in out
    assert "RW0521" not in out


@pytest.mark.parametrize(
    ("changed", "to", "told"),
    [
        ("health points of Archers are 15", "health points of Archers are 14", "got:      they are 15\n"),
        ("Archers rolls 8", "Archers rolls 5", "got:      Archers passes a Panic test (5 against 7)\n"),
    ],
)
def test_what_came_instead(
    changed: str, to: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / MAIN).read_text(encoding="utf-8")
    assert changed in text
    file = tmp_path / "wrong.scenario"
    file.write_text(text.replace(changed, to, 1), encoding="utf-8")
    code, out, _ = rulewright(capsys, "test", str(file))
    assert code == FAILED
    assert told in out


def test_check_finds_nothing_in_the_shipped_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert rulewright(capsys, "check")[:2] == (OK, "0 errors, 0 warnings\n")
    code, out, _ = rulewright(capsys, "check", "rules/t9a-2", "--json")
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


def test_show_reads_back_in_another_language(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "show", "t9a-2", "engaged", "--lang", "bg")
    assert code == OK
    assert 'изключение engaged "В ръкопашен бой няма тест за паника"' in out
    assert "  докато {отряд} е в ръкопашен бой" in out
    assert rulewright(capsys, "show", "skirmish", "remove-casualties")[1].count("правило") == 1
    assert "[" not in rulewright(capsys, "show", "skirmish", "край", "--lang", "en")[1]
    assert rulewright(capsys, "show", "t9a-2", "--lang", "xx")[0] == USAGE


def test_convert_prints_or_writes_a_whole_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = rulewright(capsys, "convert", MAIN, "--to", "bg")
    assert (code, err) == (OK, "")
    assert out.startswith("език български")
    target = tmp_path / "a.scenario"
    assert rulewright(capsys, "convert", MAIN, "--to", "bg", "--output", str(target))[0] == OK
    assert target.read_text(encoding="utf-8") == out
    assert rulewright(capsys, "convert", str(target), "--to", "en", "--in-place", "--rules", "rules")[0] == OK
    assert target.read_text(encoding="utf-8") == Path(MAIN).read_text(encoding="utf-8")
    assert [p.name for p in tmp_path.iterdir()] == ["a.scenario"]
    code, _, err = rulewright(capsys, "convert", MAIN, "--to", "bg", "--output", str(target), "--in-place")
    assert code == FAILED
    assert "RW0015" in err


def test_rules_that_lie_in_no_tree_are_not_converted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "alone.rules"
    shutil.copy("rules/skirmish/leadership.rules", file)
    code, out, err = rulewright(capsys, "convert", str(file), "--to", "en", "--in-place")
    assert (code, out, err.count("error[")) == (FAILED, "", 1)
    assert err.startswith("error[RW0011]")
    assert file.read_text(encoding="utf-8") == Path("rules/skirmish/leadership.rules").read_text(encoding="utf-8")


def test_convert_writes_nothing_when_words_are_lacking(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shutil.copytree(ROOT / "rules", tmp_path / "rules")
    file = tmp_path / "rules" / "t9a-2" / "sneezing.rules"
    text = (
        "language English\n\nevent sneezes\n  en: {unit} sneezes\n\n"
        "rule sneeze\n  cites t2-002\n  when {unit} sneezes\n  then {unit} is fleeing\n"
    )
    file.write_text(text, encoding="utf-8")
    code, out, err = rulewright(capsys, "convert", str(file), "--to", "bg", "--in-place")
    assert (code, out) == (FAILED, "")
    assert err.count("RW0014") == 1
    assert "`sneezes`" in err
    assert "sneezing.rules:3" in " ".join(err.split())
    assert file.read_text(encoding="utf-8") == text
    shown = rulewright(capsys, "show", "t9a-2", "sneeze", "--lang", "bg", "--rules", str(tmp_path / "rules"))[1]
    assert "когато {unit} sneezes [en]" in shown


def test_show_lists_the_vocabulary(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "show", "t9a-2", "--vocabulary")
    assert code == OK
    assert "# fact" in out
    assert "  {unit} is fleeing" in out
    assert max(map(len, out.splitlines())) <= 80


def test_ask_answers_from_numbers_and_steps(capsys: pytest.CaptureFixture[str]) -> None:
    for question, answer in (
        ("is the Discipline of Archers at least 9?", "no: 7, held against 9"),
        ('is Archers within 12" of Knights?', "yes: 10, held against 12"),
        ("did Archers fail a Panic test?", "yes: step 5"),
        ("did Knights fail a Panic test?", "no: it did not happen"),
    ):
        code, out, _ = rulewright(capsys, "ask", MAIN, question)
        assert code == OK
        assert out.startswith(answer), out


def test_ask_cites_once_what_several_definitions_cite(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = rulewright(
        capsys, "ask", "rules/skirmish/scenarios/rout.scenario", "какво важи за Бор?", "--lang", "bg"
    )
    assert "собствено-лидерство, чуждо-лидерство, цитира bg-028\n" in out


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
    assert "0 passed" not in out


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m rulewright run {MAIN} | head -n 1"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "engine")}
    done = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=ROOT, env=environment, check=False)
    assert done.stderr == ""
    assert done.stdout.startswith("A quarter lost")


def test_rules_that_lie_in_no_tree_are_not_passed_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(ROOT / "rules" / "t9a-2", tmp_path / "t9a-2")
    for path in (tmp_path, tmp_path / "t9a-2", tmp_path / "t9a-2" / "flight.rules"):
        code, out, _ = rulewright(capsys, "check", str(path))
        assert code == FAILED
        assert "error[RW0011]" in out
