"""``rulewright why`` as a user meets it."""

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from rulewright.cli.app import FAILED, OK, USAGE, run_command

FILE = "rules/t9a-2/scenarios/heavy-losses.scenario"


def why(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_command(["why", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "internal error" not in out + err
    return code, out, err


def in_one_line(text: str) -> str:
    return " ".join(text.split())


def test_a_fact_is_proved_back_to_what_was_given(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = why(capsys, FILE, "Archers is fleeing")
    assert (code, err) == (OK, "")
    assert max(map(len, out.splitlines())) <= 80
    told = in_one_line(out)
    for part in (
        "Archers is fleeing (step 5)",
        "5 Archers fails a Panic test because of the dice of step 4",
        "failed Archers rolls 8 on 2D6",
        '4 Archers takes a Panic test because of heavy-losses "A quarter of the health points lost in one phase"',
        "5 ≥ 5 (25% of 20)",
        "the health points Archers lost outside combat this phase: 5 (step 2)",
        "assuming A-gen-03: a quarter is taken exactly, without rounding",
        "2 Archers loses 5 health points to an attack of Bowmen (given)",
        "Given the Discipline of Archers: 7; the health points Archers had at the start of the phase: 20",
    ):
        assert part in told, part
    assert "Red is not Blue" not in out


def test_all_shows_what_goes_without_saying(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = why(capsys, FILE, "Bowmen is an enemy of Archers", "--all")
    assert "Red is not Blue" in out or "Blue is not Red" in out


def test_a_number_is_told_with_what_it_is_made_of(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = why(capsys, FILE, "the health points of Archers are 15")
    assert code == OK
    assert "15 = 20 (given) − 5 (step 2)" in out


def test_a_preempted_rule_is_told_with_what_preempted_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = why(capsys, FILE, "flee-from-closest")
    assert code == OK
    told = in_one_line(out)
    assert 'pre-empted flee-from-closest "Away from the closest enemy"' in told
    assert 'by rule flee-from-cause "Away from the enemy that caused the test"' in told
    assert 'goes before flee-from-closest "Away from the closest enemy", which would apply as well' in told


@pytest.mark.parametrize(
    "what", ["Bowmen is fleeing", "Archers is not fleeing", "destroyed-once", "Archers passes a Panic test"]
)
def test_what_is_not_so_is_said_and_fails(capsys: pytest.CaptureFixture[str], what: str) -> None:
    code, out, err = why(capsys, FILE, what)
    assert (code, err) == (FAILED, "")
    assert what in out
    assert f'rulewright whynot {FILE} "{what}" --scenario heavy-losses' in in_one_line(out)


def test_a_moment_can_be_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = why(capsys, FILE, "Archers is not fleeing", "--at", "4")
    assert (code, "nothing has said so" in out) == (OK, True)
    assert why(capsys, FILE, "Archers is fleeing", "--at", "4")[0] == FAILED
    assert why(capsys, FILE, "Archers is fleeing", "--at", "5")[0] == OK
    _, out, _ = why(capsys, FILE, "the health points of Archers are 20", "--at", "1")
    assert "the health points of Archers: 20" in in_one_line(out)


@pytest.mark.parametrize("what", ["4", "step 4", "Step 4"])
def test_a_step_is_told_with_its_rulings(capsys: pytest.CaptureFixture[str], what: str) -> None:
    code, out, _ = why(capsys, FILE, what)
    assert code == OK
    assert "Why step 4 happened" in out
    assert "Archers rolls 8 on 2D6" in out


def test_a_concept_stands_for_all_rules_about_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = why(capsys, FILE, "panic.trigger", "--json")
    assert {goal["rule"]["rule"] for goal in json.loads(out)["goals"]} == {"heavy-losses"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((FILE, "step 99"), "there is no step 99; the game has 6"),
        ((FILE, "Archers is fleeing", "--at", "0"), "there is no step 0"),
        ((FILE, "heavy-loss"), "has no rule `heavy-loss`"),
        ((FILE, "Archers eats soup"), "matches no phrase"),
        ((FILE, "--scenario", "nowhere"), "nowhere"),
        ((FILE, "--html", "--json"), "one form"),
        (("nowhere.scenario",), "nowhere.scenario"),
    ],
)
def test_bad_input_is_a_diagnostic(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = why(capsys, *arguments)
    assert code in (FAILED, USAGE)
    assert message in out + err


def test_the_same_answer_in_all_forms(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    schema = json.loads(resources.files("rulewright").joinpath("explain/why.schema.json").read_text(encoding="utf-8"))
    code, out, _ = why(capsys, FILE, "Archers is fleeing", "--json")
    assert code == OK
    jsonschema.Draft202012Validator(schema).validate(json.loads(out))
    _, out, _ = why(capsys, FILE, "Archers is fleeing", "--markdown")
    assert "\n- 5 **Archers fails a Panic test**\n  - because of the dice of step 4\n" in out
    page = tmp_path / "why.html"
    code, out, _ = why(capsys, FILE, "Archers is fleeing", "--html", "--output", str(page), "--lang", "bg")
    assert (code, out) == (OK, "")
    text = page.read_text(encoding="utf-8")
    assert '<html lang="bg">' in text
    assert "Доказателството като картина" in text
    assert text.count("<svg") == 1
    plain = tmp_path / "why.txt"
    why(capsys, FILE, "Archers is fleeing", "--output", str(plain))
    _, out, _ = why(capsys, FILE, "Archers is fleeing")
    assert plain.read_text(encoding="utf-8") == out


def test_a_measure_goes_back_to_the_number_it_was_taken_from(capsys: pytest.CaptureFixture[str]) -> None:
    file = "rules/psychology/scenarios/panic.scenario"
    arguments = (file, "Sextons passes a Panic test", "--scenario", "twenty-beside-five")
    _, out, _ = why(capsys, *arguments)
    told = in_one_line(out)
    assert '8 ≤ 7 +1 +1 by safety-in-numbers by nerve-by-cool "Psychology is tested against Cool"' in told
    assert "the Cool of Sextons: 7 (given)" in told
    assert "the Cool of Sextons: 7" in told.partition(" Given ")[2]


def test_a_command_to_go_on_with_can_be_typed_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = why(capsys, FILE, 'Archers is within 6" of Bowmen')
    assert f"rulewright whynot {FILE} 'Archers is within 6\" of Bowmen' --scenario heavy-losses" in in_one_line(out)


def test_what_is_counted_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    out = why(capsys, "rules/skirmish/scenarios/alone.scenario", "2", "--lang", "bg")[1]
    assert "- има поне 2 враг, където враг е в ръкопашен бой с Бор 2: Габър, Хвойна" in in_one_line(out)
