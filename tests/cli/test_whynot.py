"""``rulewright whynot`` as a user meets it: the four verdicts, absences, forms, bad input."""

import json
from importlib import resources
from typing import Any

import jsonschema
import pytest

from rulewright.cli.app import FAILED, OK, run_command

HEAVY = "rules/t9a-2/scenarios/heavy-losses.scenario"
LOSSES = "rules/t9a-2/scenarios/losses.scenario"
FRIENDS = "rules/t9a-2/scenarios/friends.scenario"
ACROSS = "rules/skirmish/scenarios/across.scenario"
BATTLE = ("rules/psychology/scenarios/battles.scenario", "--scenario", "ridge-of-cairns")


def whynot(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_command(["whynot", *arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "internal error" not in out + err
    return code, " ".join(out.split()), " ".join(err.split())


def data_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    code = run_command(["whynot", *arguments, "--json"])
    out, err = capsys.readouterr()
    assert (code, err) == (OK, "")
    data = json.loads(out)
    schema = resources.files("rulewright").joinpath("explain/whynot.schema.json").read_text(encoding="utf-8")
    jsonschema.Draft202012Validator(json.loads(schema)).validate(data)
    return data


def test_the_value_it_had_and_the_value_it_needed(capsys: pytest.CaptureFixture[str]) -> None:
    asked = (LOSSES, "heavy-losses", "--scenario", "thirteen-lose-three")
    (candidate,) = data_of(capsys, *asked)["candidates"]
    lost, had = candidate["failed"]["needed"]
    assert (candidate["verdict"], candidate["step"]) == ("does not apply", 3)
    assert (lost["things"], lost["had"], lost["operator"], lost["bound"], lost["suits"]) == (
        ["Pikes"], "3", ">=", "3.25", "4",
    )  # fmt: skip
    assert (had["had"], had["operator"], had["bound"], had["suits"]) == ("13", "<=", "12", "12")
    code, out, _ = whynot(capsys, *asked)
    assert code == OK
    assert "3 < 3.25 (25% of 13)" in out
    assert "this phase: 3, at least 3.25 needed, such as 4" in out


def test_a_distance_that_is_too_great_and_what_would_mend_it(capsys: pytest.CaptureFixture[str]) -> None:
    asked = (FRIENDS, "friend-breaks", "--scenario", "friend-breaks-too-far-away")
    (candidate,) = data_of(capsys, *asked)["candidates"]
    assert candidate["mended_by"] == ['the distance between Halberds and Archers is exactly 6"']
    assert 'the distance between Halberds and Archers: 6.5", at most 6" needed' in whynot(capsys, *asked)[1]


def test_what_pre_empted_a_rule_and_why_that_applied(capsys: pytest.CaptureFixture[str]) -> None:
    (candidate,) = data_of(capsys, HEAVY, "flee-from-closest", "--for", "Archers")["candidates"]
    (defeat,) = candidate["preempted_by"]
    assert (candidate["verdict"], defeat["kind"], defeat["rule"]) == ("pre-empted", "rule", "flee-from-cause")
    assert defeat["clauses"][0]["text"] == "Bowmen is to blame for the Panic test of Archers"
    _, out, _ = whynot(capsys, *BATTLE, "friend-routs", "--for", "Pikes")
    assert "pre-empted: friend-routs" in out
    assert "by exemption already-routing - Pikes is routing" in out


def test_an_edition_is_silent_and_others_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    data = data_of(capsys, ACROSS, "panic.trigger.losses")
    assert data["candidates"] == []
    assert data["silent"]["about"] == "concept"
    assert {o["edition"]: o["rules"] for o in data["silent"]["others"]}["t9a-2"] == ["heavy-losses"]
    code, out, _ = whynot(capsys, ACROSS, "panic.trigger.losses", "--all")
    assert code == OK
    assert "silent: no rule of skirmish is on the concept panic.trigger.losses" in out
    assert "bg-" in out.partition("leaves out of its source")[2]


def test_a_rule_that_another_reading_would_put_in_force(capsys: pytest.CaptureFixture[str]) -> None:
    silent = data_of(capsys, *BATTLE, "nerve-by-leadership")["silent"]
    assert silent["about"] == "not-in-force"
    assert "A-psy-01 leadership" in silent["needs"]
    _, out, _ = whynot(capsys, *BATTLE, "nerve-by-leadership", "--lang", "bg")
    assert "мълчи: nerve-by-leadership" in out


def test_it_is_so_after_all(capsys: pytest.CaptureFixture[str]) -> None:
    for what in ("Archers is fleeing", "Archers takes a Panic test", "heavy-losses", "Knights is not fleeing"):
        assert data_of(capsys, HEAVY, what)["so"], what
        code, out, _ = whynot(capsys, HEAVY, what)
        assert code == OK
        assert f'rulewright why {HEAVY} "{what}"' in out
    since = data_of(capsys, HEAVY, "Archers is fleeing")["so"]["since"]
    assert (since["source"], since["step"], since["by"]) == ("rule", 5, ["failed-test"])


def test_why_a_fact_is_absent(capsys: pytest.CaptureFixture[str]) -> None:
    data = data_of(capsys, *BATTLE, "Wardens is routing")
    assert data["so"] is None
    first = data["candidates"][0]
    assert (first["rule"], first["step"]) == ("rout-run", None)
    fails = next(n for n in first["absent"][0]["nearest"] if n["rule"] == "panic-fails")
    assert fails["absent"][0]["test"]["text"] == "Wardens passes a Panic test (7 against 7)"


def test_what_is_asked_about_one_step(capsys: pytest.CaptureFixture[str]) -> None:
    before = data_of(capsys, HEAVY, "Archers is fleeing", "--at", "3")
    assert before["so"] is None
    assert before["absent"]["later"] == 5
    assert data_of(capsys, HEAVY, "Archers is fleeing", "--at", "6")["so"]
    engaged = data_of(capsys, HEAVY, "engaged", "--at", "4")["candidates"][0]
    assert engaged["failed"]["text"] == "Archers is engaged in combat"
    assert engaged["absent"][0]["makers"] == engaged["absent"][0]["events"] == []


def test_a_sentence_that_nothing_brings_about(capsys: pytest.CaptureFixture[str]) -> None:
    data = data_of(capsys, HEAVY, "the Discipline of Archers is at least 9")
    (needed,) = data["failed"]["needed"]
    assert (needed["had"], needed["suits"], data["silent"]["about"]) == ("7", "9", "words")


def test_what_is_so_and_should_not_be(capsys: pytest.CaptureFixture[str]) -> None:
    data = data_of(capsys, HEAVY, "Archers is not fleeing")
    assert [(p["text"], p["by"]) for p in data["present"]] == [("Archers is fleeing", ["failed-test"])]
    data = data_of(capsys, HEAVY, "Archers takes no Panic test")
    assert data["present"][0]["by"] == ["heavy-losses"]
    assert {c["kind"] for c in data["candidates"]} == {"exemption"}


@pytest.mark.parametrize("what", ["heavy-losses", "panic.trigger", "Knights is fleeing", "Archers takes no Panic test"])
@pytest.mark.parametrize("form", ["--markdown", "--html", "--all"])
def test_in_every_form_and_in_bulgarian(what: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = whynot(capsys, HEAVY, what, form, "--lang", "bg")
    assert (code, err) == (OK, "")
    assert "Защо не" in out


def test_the_terminal_keeps_to_its_width(capsys: pytest.CaptureFixture[str]) -> None:
    for what in ("panic", "Gate Guard is routing", "friend-routs"):
        assert run_command(["whynot", *BATTLE, what, "--all", "--lang", "bg"]) == OK
        assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("heavy-lossez",), "error[RW0540]: `heavy-lossez` is no rule of `t9a-2`"),
        (("panic.triger",), "`panic.trigger"),
        (("heavy-losses", "--at", "99"), "error[RW0017]: there is no step 99; the game has 6"),
        (("heavy-losses", "--at", "-1"), "error[RW0017]: there is no step -1"),
        (("heavy-losses", "--for", "Archrs"), "did you mean `Archers`?"),
        (("Archrs is fleeing",), "error[RW0203]: nothing is called `Archrs`"),
        (("Archers is fleeing", "--for", "Archers"), "error[RW0541]"),
        (("utter nonsense",), "error[RW0201]"),
        (("",), "error[RW0201]"),
        (("heavy-losses", "--scenario", "no-such"), "error[RW0007]"),
    ],
)
def test_bad_input_has_one_finding(arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = whynot(capsys, HEAVY, *arguments)
    assert (code, out) == (FAILED, "")
    assert told in err
    assert err.count("error[") == 1


def test_a_definition_is_looked_for_where_no_event_came_about(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("rules/psychology/scenarios/stupidity.scenario", "friends", "--scenario", "panics-while-suspended")
    (candidate,) = data_of(capsys, *asked)["candidates"]
    assert candidate["verdict"] == "does not apply"
    assert candidate["failed"]["text"]
