"""``rulewright compare --witness`` as a user meets it: situations in which two editions part."""

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from commands import answered, rulewright

from rulewright.cli.app import FAILED, OK

SCHEMA = json.loads(resources.files("rulewright.compare").joinpath("witnesses.schema.json").read_text(encoding="utf-8"))
LOSSES = ("t9a-2", "t9a-3", "--witness", "--concept", "panic.trigger.losses")
ROUNDED = ("t9a-2", "t9a-2@A-gen-03=rounded-down", "--witness", "--concept", "panic.trigger.losses")


def compare(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    return rulewright(capsys, "compare", *arguments)


def witnesses(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return answered(capsys, SCHEMA, "compare", *arguments)


def played(capsys: pytest.CaptureFixture[str], witness: Any, folder: Path, *editions: str) -> Any:
    """What ``compare --scenario`` makes of the text of a witness."""
    file = folder / "witness.scenario"
    file.write_text(witness["text"], encoding="utf-8")
    code, out, err = compare(capsys, *editions, "--scenario", str(file), "--rules", "rules", "--json")
    assert (code, err) == (OK, "")
    return json.loads(out)


def without_each_line(text: str) -> list[str]:
    """A text without one of the lines that give something or let something happen."""
    lines = text.splitlines(keepends=True)
    found = []
    for number, line in enumerate(lines):
        if line.startswith("  and "):
            found.append("".join(lines[:number] + lines[number + 1 :]))
    return found


def test_witnesses_are_played_again_and_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = witnesses(capsys, *LOSSES)
    assert len(data["witnesses"]) == 3
    assert data["untold"] == []
    for witness in data["witnesses"]:
        again = played(capsys, witness, tmp_path, "t9a-2", "t9a-3")
        concept = next(c for c in again["concepts"] if c["concept"] == witness["concept"])
        assert concept["differs"]
        assert [c["verdict"] for c in concept["cells"]] == [c["verdict"] for c in witness["cells"]]
        assert witness["turning"] in concept["turnings"]
        assert again["partings"][0]["parting"] is not None


def test_a_witness_can_do_without_none_of_its_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    witness = witnesses(capsys, *LOSSES)["witnesses"][0]
    for text in without_each_line(witness["text"]):
        again = played(capsys, {"text": text}, tmp_path, "t9a-2", "t9a-3")
        assert not any(t == witness["turning"] for c in again["concepts"] for t in c["turnings"])


def test_readings_are_told_apart_and_numbers_set_to_where_a_clause_turns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = witnesses(capsys, *ROUNDED, "--most-games", "90")
    (witness,) = data["witnesses"]
    assert [d["clauses"][0] for d in data["untold"]] == [None]
    assert data["searched"]["values"]
    concept = next(
        c for c in played(capsys, witness, tmp_path, *ROUNDED[:2])["concepts"] if c["concept"] == witness["concept"]
    )
    assert concept["differs"]


def test_what_no_situation_tells_apart_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    data = witnesses(capsys, *LOSSES, "--most-games", "1")
    assert data["witnesses"] == []
    assert len(data["untold"]) == 3
    assert data["searched"]["ended"]
    assert data["searched"]["games"] >= 1
    assert "--most-games" in compare(capsys, *LOSSES, "--most-games", "1")[1]


def test_in_bulgarian(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = compare(capsys, *LOSSES, "--lang", "bg")
    assert (code, err) == (OK, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "t9a-2 отпада, t9a-3 прилага се" in out
    assert "when Behemoth loses 4 health points to a ranged attack of Foresters" in out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("t9a-2", "t9a-3", "skirmish", "--witness"), "RW0652"),
        (("t9a-2", "--witness"), "RW0620"),
        (("t9a-2", "t9a-3", "--witness", "--concept", "panic.triger"), "RW0623"),
        ((*LOSSES[:3], "--scenario", "rules/t9a-2/scenarios/heavy-losses.scenario"), "RW0650"),
    ],
)
def test_what_is_refused(arguments: tuple[str, ...], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    done, out, err = compare(capsys, *arguments)
    assert (done, out) == (FAILED, "")
    assert err.startswith(f"error[{code}]")
    assert err.count("error[") == 1
