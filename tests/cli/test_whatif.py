"""`rulewright whatif` as a user meets it: forms, languages, what is said of bad input."""

import json
from importlib import resources
from itertools import count
from pathlib import Path

import jsonschema
import pytest
from commands import rulewright

from rulewright.cli.app import FAILED, OK, USAGE

MAIN = "rules/t9a-2/scenarios/heavy-losses.scenario"
ALONE = "rules/skirmish/scenarios/alone.scenario"
NEAR = """language English
scenario near "Not quite a quarter"
  edition t9a-2
  given Red is a side
  and Blue is a side
  and Archers is a unit of Red with 20 models, 20 health points and Discipline 7
  and Bowmen is a unit of Blue with 10 models
  when the shooting phase starts
  and Archers loses 4 health points to an attack of Bowmen
  {dice}
  then rule heavy-losses does not fire
"""


def near(tmp_path: Path, dice: str = "") -> str:
    file = tmp_path / "near.scenario"
    file.write_text(NEAR.format(dice=dice), encoding="utf-8")
    return str(file)


def data(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    code, out, err = rulewright(capsys, "whatif", *arguments, "--json")
    assert (code, err) == (OK, "")
    found = json.loads(out)
    schema = resources.files("rulewright").joinpath("scenarios/whatif.schema.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator(json.loads(schema)).validate(found)
    assert isinstance(found, dict)
    return found


def test_the_nearest_change_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = near(tmp_path, "and Archers rolls 8 for its Panic test")
    code, out, _ = rulewright(capsys, "whatif", file, "rule heavy-losses fires for Archers")
    assert code == OK
    assert "As things stand: it did not apply." in out
    assert "1 Archers loses 5 health points to an attack of Bowmen (not 4), line 9" in out
    assert "Archers is a unit of Red with 20 models, 16 health points and Discipline 7" in " ".join(out.split())
    assert out.index("loses 5") < out.index("exactly 16")
    assert max(map(len, out.splitlines())) <= 80


def test_dice_that_nobody_rolled_are_part_of_the_answer_only_where_they_matter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = near(tmp_path)
    fires = data(capsys, file, "rule heavy-losses fires for Archers")
    first = fires["answers"][0]  # type: ignore[index]
    assert ([c["sentence"] for c in first["changes"]], first["whatever"]) == (
        ["Archers loses 5 health points to an attack of Bowmen"],
        ["2D6 for a Panic test of Archers"],
    )
    flees = data(capsys, file, "Archers is fleeing")
    changes = [c["sentence"] for c in flees["answers"][0]["changes"]]  # type: ignore[index]
    assert changes == ["Archers loses 5 health points to an attack of Bowmen", "Archers rolls 8 for its Panic test"]


def test_what_is_so_already_is_undone(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "whatif", MAIN, "Archers is fleeing")
    assert code == OK
    assert "This is so already." in out
    assert "It would not be so if" in out
    assert "1 Archers rolls 7 for its Panic test (not 8), line 14" in out
    assert "2 Archers loses 4 health points to an attack of Bowmen (not 5), line 13" in out


def test_where_nothing_is_found_it_says_how_near_it_came(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "whatif", MAIN, "rule friend-destroyed fires for Archers")
    assert code == OK
    assert "No change that was tried would make it so." in out
    assert "nothing that sets friend-destroyed off happened: when {friend} is destroyed" in out


def test_a_search_that_is_ended_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "whatif", MAIN, "Archers is fleeing", "--most-games", "2")
    assert code == OK
    assert "2 games were played, one change at a time; then the search was ended." in out


def test_a_search_ends_when_its_time_is_over(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulewright.scenarios.search.monotonic", count(step=10).__next__)
    code, out, _ = rulewright(capsys, "whatif", MAIN, "Archers is fleeing", "--most-seconds", "15")
    assert code == OK
    assert "one game was played, one change at a time; then the search was ended." in out
    assert "--most-seconds" in out


def test_what_is_set_otherwise_is_told_step_by_step(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "whatif", MAIN, "--set", "Archers rolls 7 for its Panic test")
    assert code == OK
    for told in (
        "The games part at step 4",
        "=> no longer: Archers rolls 8 on 2D6: failed",
        "=> Archers rolls 7 on 2D6: passed",
        "5 does not happen: Archers fails a Panic test",
        "5 happens now: Archers passes a Panic test",
        "no longer: failed-test (unit Archers)",
        "no longer: Archers is fleeing",
        "no longer met: Archers fails a Panic test",
    ):
        assert told in out


@pytest.mark.parametrize(
    ("sentence", "step", "gone"),
    [
        ("the Discipline of Archers is exactly 8", 4, "Archers is fleeing"),
        ("Archers is engaged in combat", 2, "Archers is fleeing"),
        ("Archers loses 4 health points to an attack of Bowmen", 2, "Archers is fleeing"),
        (
            "it is not so that Archers loses 5 health points to an attack of Bowmen",
            2,
            "the health points of Archers: 15",
        ),
    ],
)
def test_facts_values_and_events_are_set(
    sentence: str, step: int, gone: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = data(capsys, MAIN, "--set", sentence)
    assert found["parting"]["step"] == step  # type: ignore[index]
    assert gone in found["facts"]["before"]  # type: ignore[index]
    assert found["otherwise"]["set"] == [sentence]  # type: ignore[index]


def test_a_reading_and_an_edition_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    rounded = data(capsys, MAIN, "--reading", "A-gen-03=rounded-down")
    assert (rounded["parting"], rounded["expectations"]) == (None, [])
    other = data(capsys, MAIN, "--edition", "t9a-3")
    assert "heavy-losses (unit Archers)" in other["rules"]["before"]  # type: ignore[index]
    untold = [e["text"] for e in other["expectations"] if e["after"] is None]  # type: ignore[attr-defined]
    assert untold == ["rule flee-from-closest is pre-empted by flee-from-cause"]


def test_edited_rules_take_the_place_of_a_file_or_of_blocks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule = """language English

rule heavy-losses "Half of the health points lost in one phase"
  cites t2-006
  assuming A-gen-03 exact
  when the casualties of {unit} are removed
  and the health points {unit} lost outside combat this phase are at least 50% of
      the health points {unit} had at the start of the phase
  then {unit} takes a Panic test
"""
    for name, others in (("mine.rules", False), ("triggers.rules", True)):
        file = tmp_path / name
        file.write_text(rule, encoding="utf-8")
        found = data(capsys, MAIN, "--edit", str(file))
        assert "heavy-losses (unit Archers)" in found["rules"]["before"]  # type: ignore[index]
        code, _, err = rulewright(capsys, "whatif", MAIN, "--edit", str(file), "--set", "Archers is not fleeing")
        assert (code, err) == (OK, "")
        lacks = data(capsys, "rules/t9a-2/scenarios/friends.scenario", "--edit", str(file))
        assert (lacks["parting"] is not None) == others


@pytest.mark.parametrize("form", ["--markdown", "--html"])
def test_every_form_says_the_same(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "answer"
    code, out, err = rulewright(capsys, "whatif", MAIN, "Archers is fleeing", form, "--all", "--output", str(file))
    assert (code, out, err) == (OK, "", "")
    text = file.read_text(encoding="utf-8")
    assert "Archers rolls 7 for its Panic test (not 8), line 14" in text.replace("\\", "")
    assert "when the shooting phase starts" in text.replace("\\", "")


def test_it_answers_in_bulgarian(capsys: pytest.CaptureFixture[str]) -> None:
    goal = "правилото сам-в-края-на-фазата се прилага за Бор"
    code, out, _ = rulewright(capsys, "whatif", ALONE, goal, "--lang", "bg")
    assert code == OK
    assert '1 разстоянието между Бор и Ела е точно 6" (а не 6,5"), ред 14' in out
    assert "2 не беше казано: Бор е в ръкопашен бой с Хвойна, ред 12" in out


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        ([MAIN], FAILED, "RW0563"),
        ([MAIN, "Archers is fleeing", "--set", "Archers is fleeing"], FAILED, "RW0562"),
        ([MAIN, "--set", "Archers completes its flee move"], FAILED, "RW0560"),
        ([MAIN, "--set", "Archers is fleeing", "--set", "Archers is not fleeing"], FAILED, "RW0561"),
        (
            [MAIN, "--set=Archers rolls 7 for its Panic test", "--set=Archers rolls 9 for its Panic test"],
            FAILED,
            "RW0561",
        ),
        ([MAIN, "--set", "Archers is flying high"], FAILED, "RW0201"),
        ([MAIN, "--set", "the Discipline of Archers is at least 8"], FAILED, "error["),
        ([MAIN, "Archers dances"], FAILED, "error["),
        ([MAIN, "rule heavy-loses fires"], FAILED, "did you mean `heavy-losses`"),
        ([MAIN, "--edition", "t9a-9"], FAILED, "RW0005"),
        ([MAIN, "--edit", "nothing.rules"], FAILED, "RW0001"),
        ([MAIN, "--edit", MAIN], FAILED, "error["),
        ([MAIN, "--reading", "A-gen-99=x"], FAILED, "error["),
        ([MAIN, "--scenario", "nobody", "Archers is fleeing"], FAILED, "error["),
        ([MAIN, "Archers is fleeing", "--most-games", "0"], USAGE, "--most-games"),
        ([MAIN, "Archers is fleeing", "--json", "--html"], FAILED, "RW0016"),
        ([MAIN, "Archers is fleeing", "--output", "/nowhere/page.html"], FAILED, "RW0018"),
        (["nothing.scenario", "Archers is fleeing"], FAILED, "RW0001"),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, list) else "",
)
def test_what_is_wrong_is_told(arguments: list[str], code: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    found, out, err = rulewright(capsys, "whatif", *arguments)
    assert found == code
    assert told in out + err


def test_what_is_picked_after_the_goal_does_not_make_it_uncertain(capsys: pytest.CaptureFixture[str]) -> None:
    goal, scenario = "Бор се проваля на теста за самота", ("--scenario", "нерви-издържат")
    code, out, _ = rulewright(capsys, "whatif", ALONE, goal, *scenario, "--lang", "en")
    assert code == OK
    assert "1 Бор rolls 8 for its All Alone test (not 7)\n    line 78: Бор хвърля 8 за своя тест за самота" in out
    assert "2 games were played" in out
