"""``rulewright odds`` as a user meets it: the number wanted comes first; every form, bad input, every scenario."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from importlib import resources
from itertools import count
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from rulewright.backends.durable import DurableMatcher
from rulewright.cli.app import FAILED, OK, USAGE, run_command
from rulewright.explain.odds_page import odds_page, percent_text
from rulewright.forms.html import html
from rulewright.forms.markdown import markdown
from rulewright.model import Scenario
from rulewright.scenarios.odds.findings import Limits
from rulewright.scenarios.odds.odds import CHOICES, DICE, odds_of, odds_of_scenario
from rulewright.session.session import Session
from rulewright.speech import speaking
from rulewright.workspace import find_tree, load_for, read_scenarios

ROOT = Path(__file__).parents[2]
MAIN = "rules/t9a-2/scenarios/heavy-losses.scenario"
PURSUIT = ("rules/psychology/scenarios/pursuit.scenario", "--scenario", "victors-panic-first")
SCHEMA = json.loads(resources.files("rulewright").joinpath("scenarios/odds/odds.schema.json").read_text("utf-8"))

LACKING = """language English
scenario unknown "Nobody knows how steady they are"
  edition t9a-2
  given Red is a side
  and Archers is a unit of Red with 20 models and 20 health points
  when the shooting phase starts
  and Archers loses 5 health points to dangerous terrain
"""


def odds(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_command(["odds", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "internal error" not in out + err
    return code, out, err


def data(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    code, out, _ = odds(capsys, *arguments, "--json")
    assert code == OK
    told = json.loads(out)
    jsonschema.validate(told, SCHEMA)
    return told


def test_the_number_wanted_stands_first(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = odds(capsys, MAIN, "--forget-dice")
    assert (code, err) == (OK, "")
    assert "2D6 for a Panic test of Archers: passed 58.3% (2–7); failed 41.7% (8–12)" in out.splitlines()[:4]
    assert max(map(len, out.splitlines())) <= 80


def test_in_bulgarian(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = odds(
        capsys, "rules/skirmish/scenarios/battles.scenario", "--forget-dice", "--forget-choices", "--lang", "bg"
    )
    assert code == OK
    assert "успех 58,3% (2–7); неуспех 41,7% (8–12)" in out
    assert "от 0% до 18,2%" in out
    assert "[en]" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_exact_fractions_are_data_and_shown_when_all_is(capsys: pytest.CaptureFixture[str]) -> None:
    told = data(capsys, MAIN, "--forget-dice")
    assert told["exact"]
    (test,) = told["tests"]
    assert (test["passed"]["least"], test["passed"]["most"], test["failed"]["most"]) == ("7/12", "7/12", "5/12")
    assert sum(Fraction(end["chance"]["most"]) for end in told["ends"]) == 1
    out = odds(capsys, MAIN, "--forget-dice", "--all")[1]
    assert "41.7% = 5/12" in out
    assert "[0] 2D6 for a Panic test of Archers" in out


def test_only_what_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    wanted = ("Archers is fleeing", "Archers does not flee", "rule heavy-losses fires for Archers")
    told = data(capsys, MAIN, *wanted, "--forget-dice")
    assert [w["chance"]["most"] for w in told["wanted"]] == ["5/12", "7/12", "1"]
    out = odds(capsys, MAIN, *wanted, "--forget-dice")[1]
    assert "Archers does not flee" in out
    assert "What may happen" not in out


def test_choices_are_told_side_by_side_with_worst_and_best(capsys: pytest.CaptureFixture[str]) -> None:
    told = data(capsys, *PURSUIT, "--forget-dice", "--forget-choices")
    (choice,) = told["choices"]
    assert len(choice["options"]) == 2
    open_ones = [o["chance"] for o in told["outcomes"] if o["chance"]["least"] != o["chance"]["most"]]
    assert open_ones
    assert all(Fraction(c["least"]) < Fraction(c["most"]) for c in open_ones)
    out = odds(capsys, *PURSUIT, "--forget-dice", "--forget-choices")[1]
    assert "Where two numbers stand, they are the worst and the best" in out
    assert "stay in place 0%" in out


def test_against_a_characteristic(capsys: pytest.CaptureFixture[str]) -> None:
    told = data(capsys, MAIN, "--forget-dice", "--against", "the Discipline of Archers = 4..10")["against"]
    assert told["values"] == list(range(4, 11))
    passed = next(o for o in told["outcomes"] if "passes" in o["text"])
    assert [c["most"] for c in passed["chances"]] == ["1/6", "5/18", "5/12", "7/12", "13/18", "5/6", "11/12"]
    whole = data(capsys, MAIN, "--forget-dice", "--against", "the Discipline of Archers")["against"]
    assert whole["values"] == list(range(2, 13))
    out = odds(capsys, MAIN, "--forget-dice", "--against", "the Discipline of Archers")[1]
    assert "██████████" in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_characteristic_that_is_lacking_is_left_open(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "unknown.scenario"
    file.write_text(LACKING, encoding="utf-8")
    told = data(capsys, str(file), "--rules", "rules")
    assert told["against"]["measure"] == "the Discipline of Archers"
    assert told["against"]["values"] == list(range(2, 13))
    code, out, err = odds(capsys, str(file), "--rules", "rules")
    assert (code, err) == (OK, "")
    assert "Against the Discipline of Archers" in out


def test_what_is_too_much_is_sampled_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    limits = ("--forget-dice", "--forget-choices", "--most-states", "3", "--samples", "40", "--seed", "5")
    told = data(capsys, *PURSUIT, *limits)
    assert not told["exact"]
    assert told["sample"] == {"why": "many", "most_states": 3, "seconds": 60, "games": 40, "seed": 5}
    assert all(t["taken"]["error"] for t in told["tests"])
    assert told == data(capsys, *PURSUIT, *limits)
    out = odds(capsys, *PURSUIT, *limits)[1]
    assert "Not exact: there are more than 3 states" in out
    assert "players chose each option equally often" in out


def test_what_takes_too_long_is_sampled_as_long_as_there_is_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("branches", "chances"):
        monkeypatch.setattr(f"rulewright.scenarios.odds.{module}.monotonic", count(step=10).__next__)
    told = data(capsys, *PURSUIT, "--forget-dice", "--most-seconds", "25")
    assert told["sample"] == {"why": "long", "most_states": 5000, "seconds": 25, "games": 3, "seed": 0}
    out = odds(capsys, *PURSUIT, "--forget-dice", "--most-seconds", "25")[1]
    assert "Not exact: it took longer than 25 seconds" in out


def test_every_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    asked = (MAIN, "--forget-dice", "--against", "the Discipline of Archers")
    page = tmp_path / "odds.html"
    assert odds(capsys, *asked, "--html", "--output", str(page))[0] == OK
    text = page.read_text(encoding="utf-8")
    pictures = re.findall("<svg.*?</svg>", text, re.DOTALL)
    assert len(pictures) == 2
    assert all(ET.fromstring(picture).tag.endswith("svg") for picture in pictures)
    assert "<details" in text
    assert odds(capsys, *asked, "--markdown")[1].startswith("# Odds")
    assert odds(capsys, *asked, "--markdown", "--html")[0] == FAILED


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "RW0580"),
        (("--forget-dice", "--against", "the Moon"), "RW0581"),
        (("--forget-dice", "--against", "the models of Archers"), "RW0582"),
        (("--forget-dice", "--against", "the Discipline of Archers = 9..4"), "RW0583"),
        (("--forget-dice", "--against", "the Discipline of Archers = 1..999999"), "RW0583"),
        (("nobody knows what this says", "--forget-dice"), "RW0201"),
        (("--forget-dice", "--scenario", "none-such"), "RW0007"),
    ],
)
def test_bad_input_is_one_finding(capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: str) -> None:
    ended, out, err = odds(capsys, MAIN, *arguments)
    assert (ended, out) == (FAILED, "")
    assert err.count("error[") == 1
    assert f"[{code}]" in err


@pytest.mark.parametrize("option", ["--samples", "--most-states"])
def test_less_than_one_is_no_limit(capsys: pytest.CaptureFixture[str], option: str) -> None:
    assert odds(capsys, MAIN, option, "0")[0] == USAGE


def test_percent_is_never_nothing_or_all_by_rounding_alone() -> None:
    with speaking("en"):
        shares = (Fraction(0), Fraction(1, 5000), Fraction(1, 3), Fraction(4999, 5000), Fraction(1))
        assert [percent_text(s) for s in shares] == ["0%", "<0.1%", "33.3%", ">99.9%", "100%"]


def test_at_the_table_the_session_is_left_alone() -> None:
    scenario = read_scenarios(Path(MAIN), MAIN)[0][0]
    compiled = load_for(find_tree(Path("rules")), scenario).compiled
    assert compiled is not None
    session = Session(compiled, DurableMatcher)
    for line in scenario.givens:
        session.give(line.span)
    assert odds_of(session)["asks"] is None
    session.happens("the shooting phase starts")
    session.happens("Archers loses 5 health points to an attack of Bowmen")
    before = list(session.steps), session.facts()
    told = odds_of(session, ["Archers is fleeing"])
    jsonschema.validate(told, SCHEMA)
    assert told["wanted"][0]["chance"]["most"] == "5/12"
    assert (list(session.steps), session.facts()) == before
    assert session.asked() == told["asks"]
    assert odds_page(told).title == "Odds from here on"
    session.close()


# --- every scenario --------------------------------------------------------------------------------------------------


def shipped() -> Iterator[Scenario]:
    for file in sorted(Path(ROOT / "rules").glob("*/scenarios/*.scenario")):
        yield from read_scenarios(file, file.relative_to(ROOT).as_posix())[0]


def asked_for(scenario: Scenario, language: str) -> None:
    compiled = load_for(find_tree(ROOT / "rules"), scenario).compiled
    assert compiled is not None
    with speaking(language):
        told = odds_of_scenario(
            scenario, compiled, DurableMatcher, forgotten=DICE | CHOICES, limits=Limits(most_states=60, samples=5)
        )
        jsonschema.validate(told, SCHEMA)
        page = odds_page(told)
        assert scenario.title in page.title
        assert html(page)
        assert markdown(page, everything=True)
    if told["exact"] and not told["choices"]:
        chances = [end["chance"]["most"] for end in (*told["ends"], *told["stopped"])]
        assert sum(map(Fraction, chances)) == 1


def test_a_game_that_some_dice_stop_tells_how_likely_that_is(capsys: pytest.CaptureFixture[str]) -> None:
    rout = "rules/psychology/scenarios/rout.scenario"
    told = data(capsys, rout, "--scenario", "shot-at-in-combat", "--forget-dice", "--forget-choices")
    (test,) = told["tests"]
    assert [test[part]["most"] for part in ("taken", "passed", "failed")] == ["1", "7/12", "5/12"]
    assert [one["chance"]["most"] for one in told["stopped"]] == ["5/12"]
    assert told["against"]["measure"] == "the Leadership of Hunters"


def test_a_number_that_is_worked_out_is_not_tried(capsys: pytest.CaptureFixture[str]) -> None:
    across = "rules/skirmish/scenarios/across.scenario"
    told = data(capsys, across, "--scenario", "какво-става-при-неуспех", "--forget-dice", "--forget-choices")
    assert told["against"] is None
    assert told["stopped"]


@pytest.mark.parametrize("scenario", list(shipped())[::48], ids=lambda s: f"{s.edition}-{s.ident}")
@pytest.mark.parametrize("language", ["en", "bg"])
def test_some_shipped_scenarios_have_odds(scenario: Scenario, language: str) -> None:
    asked_for(scenario, language)


@pytest.mark.every_file
@pytest.mark.parametrize("scenario", list(shipped()), ids=lambda s: f"{s.edition}-{s.ident}")
def test_every_shipped_scenario_has_odds(scenario: Scenario) -> None:
    asked_for(scenario, "bg")
