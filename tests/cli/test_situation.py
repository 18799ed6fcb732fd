"""``rulewright compare --scenario`` as a user meets it: one situation under several editions."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from commands import answered, rulewright

from rulewright.cli.app import FAILED, OK

SCHEMA = json.loads(resources.files("rulewright.compare").joinpath("situation.schema.json").read_text(encoding="utf-8"))
LOSSES = ("t9a-2", "t9a-3", "--scenario", "rules/t9a-2/scenarios/heavy-losses.scenario")
OPEN = """\
language English

scenario open "Five of twenty"
  edition t9a-2
  given Red is a side
  and Blue is a side
  and Archers is a unit of Red with 20 models, 20 health points and Discipline 7
  and Bowmen is a unit of Blue with 10 models
  and Archers is 18" from Bowmen
  when the shooting phase starts
  and Archers loses 5 health points to an attack of Bowmen
"""


def compare(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    return rulewright(capsys, "compare", *arguments)


def compared(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return answered(capsys, SCHEMA, "compare", *arguments)


def on(data: Any, concept: str) -> Any:
    return next(c for c in data["concepts"] if c["concept"] == concept)


def test_the_clause_that_makes_the_difference(capsys: pytest.CaptureFixture[str]) -> None:
    losses = on(compared(capsys, *LOSSES), "panic.trigger.losses")
    assert losses["differs"]
    assert [cell["verdict"] for cell in losses["cells"]] == ["applies", "does not apply"]
    assert losses["cells"][0]["rules"][0]["effects"] == ["Archers takes a Panic test"]
    (turning,) = losses["turnings"]
    assert (turning["applies"], turning["not"], turning["for"]) == ("t9a-2", "t9a-3", "Archers")
    assert (turning["kind"], turning["held"]) == ("clause", None)
    assert turning["failed"].endswith("are at least 3; 0 < 3")


def test_where_they_part_and_what_is_so_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    data = compared(capsys, *LOSSES)
    assert data["partings"][0]["parting"]["step"] == 2
    assert "Archers is fleeing" in data["editions"][0]["facts"]
    assert data["editions"][0]["tests"] == ["Archers fails a Panic test (8 against 7)"]
    assert [d["name"] for d in data["editions"][1]["unfit"]] == ["nothing-asked", "no-such-rule"]


def test_a_clause_stands_beside_the_one_that_answers_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Under another reading of one clause, that clause is what makes the difference."""
    file = tmp_path / "rounded.scenario"
    file.write_text(OPEN.replace("20 models, 20 health", "22 models, 22 health"), encoding="utf-8")
    data = compared(capsys, "t9a-2", "t9a-2@A-gen-03=rounded-down", "--scenario", str(file), "--rules", "rules")
    (turning,) = on(data, "panic.trigger.losses")["turnings"]
    assert (turning["applies"], turning["not"]) == ("t9a-2@A-gen-03=rounded-down", "t9a-2")
    assert "5 ≥ 5" in turning["held"]
    assert "5 < 5.5" in turning["failed"]


def test_open_dice_have_odds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "open.scenario"
    file.write_text(OPEN, encoding="utf-8")
    one, other = compared(capsys, "t9a-2", "t9a-3", "--scenario", str(file), "--rules", "rules")["editions"]
    chances = {o["text"]: o["chance"]["most"] for o in one["odds"]["outcomes"]}
    assert chances["Archers is fleeing"] == "5/12"
    assert other["odds"] is None


def test_what_an_edition_does_not_know_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    data = compared(capsys, "t9a-2", "t9a-3", "--scenario", "rules/t9a-3/scenarios/losses.scenario")
    assert [e["stopped"] for e in data["editions"]] == [True, False]
    assert "the Discipline of Wardens" in data["editions"][0]["unfit"][-1]["message"]
    losses = on(data, "panic.trigger.losses")
    assert losses["cells"][0] == {"verdict": "not reached", "rules": []}
    assert losses["turnings"][0]["kind"] == "not-reached"


def test_an_edition_plays_like_itself(capsys: pytest.CaptureFixture[str]) -> None:
    data = compared(capsys, "t9a-2", "t9a-2@A-gen-03=rounded-down", *LOSSES[2:])
    assert not any(c["differs"] for c in data["concepts"])
    assert data["partings"][0]["parting"] is None
    assert [e["facts"] for e in data["editions"]] == [[], []]


@pytest.mark.parametrize(
    "scenario", ["psychology/scenarios/panic", "skirmish/scenarios/rout", "t9a-3/scenarios/terror"]
)
def test_several_editions(scenario: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = f"rules/{scenario}.scenario"
    data = compared(capsys, "psychology", "t9a-2", "t9a-3", "skirmish", "--scenario", file)
    assert len(data["partings"]) == 3
    for concept in data["concepts"]:
        verdicts = {e["name"]: c["verdict"] for e, c in zip(data["editions"], concept["cells"], strict=True)}
        assert all(verdicts[t["applies"]] == "applies" for t in concept["turnings"])
        assert concept["differs"] == (len(set(verdicts.values())) > 1 or bool(concept["turnings"]))


def test_in_bulgarian(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = compare(capsys, *LOSSES, "--lang", "bg")
    assert (code, err) == (OK, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "От какво идва разликата" in out
    assert "t9a-2: heavy-losses се прилага, за Archers" in out


def test_its_forms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "heavy-losses applies, for Archers" in compare(capsys, *LOSSES, "--markdown")[1]
    file = tmp_path / "page.html"
    assert compare(capsys, *LOSSES, "--html", "--output", str(file)) == (OK, "", "")
    assert "heavy-losses does not apply" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((*LOSSES, "--concept", "panic"), "RW0650"),
        (("t9a-2", "t9a-3", "--name", "heavy-losses"), "RW0651"),
        ((*LOSSES, "--name", "no-such"), "RW0007"),
        (("t9a-2", *LOSSES[2:]), "RW0620"),
        (("t9a-2", "t9a-3", "--scenario", "nothing.scenario"), "RW0001"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    done, out, err = compare(capsys, *arguments)
    assert (done, out) == (FAILED, "")
    assert err.startswith(f"error[{code}]")
    assert err.count("error[") == 1
