"""``rulewright compare`` and ``rulewright new`` as a user meets them."""

import json
import re
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from commands import answered, rulewright

from rulewright.cli.app import FAILED, OK

SCHEMA = json.loads(resources.files("rulewright.compare").joinpath("matrix.schema.json").read_text(encoding="utf-8"))
EDITIONS = ("t9a-2", "t9a-3", "psychology", "skirmish")
LOSSES = ("compare", "t9a-2", "t9a-3", "--concept", "panic.trigger.losses")


def compared(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    return answered(capsys, SCHEMA, *arguments)


# --- what it tells ---------------------------------------------------------------------------------------------------


def test_two_editions_stand_beside_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = rulewright(capsys, *LOSSES)
    assert (code, err) == (OK, "")
    assert max(map(len, out.splitlines())) <= 80
    lines = [line.rstrip() for line in out.splitlines()]
    assert "≠ and the health points unit lost        and the health points unit lost *to" in lines
    assert "    *outside combat* this phase are at     enemy ranged attacks* this phase are" in lines
    assert "= then unit takes a Panic test           then unit takes a Panic test" in lines
    assert "  .single-model        A       –" in lines
    assert "panic.trigger.losses.min  in one alone; silent: t9a-2" in lines


def test_more_editions_stand_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = rulewright(capsys, "compare", *EDITIONS, "--concept", "panic.effect")
    assert (code, err) == (OK, "")
    assert max(map(len, out.splitlines())) <= 80
    assert re.search(r"panic.effect +A +B +C +D", out)
    assert re.search(r"^  ≠ then unit \*is fleeing\*$", out, re.MULTILINE)


def test_without_a_concept_it_is_an_overview_unless_all_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    short = rulewright(capsys, "compare", "t9a-2", "t9a-3")[1]
    whole = rulewright(capsys, "compare", "t9a-2", "t9a-3", "--all")[1]
    assert "then unit takes a Panic test" not in short
    assert "then unit takes a Panic test" in whole
    assert "--all" in short


@pytest.mark.parametrize("code", ["en", "bg"])
def test_every_concept_of_every_edition_is_told(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = compared(capsys, "compare", *EDITIONS, "--lang", code)
    known = {block["id"] for block in data["blocks"]}
    told = {block for c in data["concepts"] for row in c["rows"] for block in row["blocks"] if block is not None}
    assert told == known
    assert {name.partition("/")[0] for name in known} == set(EDITIONS)
    clauses = [clause for block in data["blocks"] for clause in block["clauses"]]
    foreign = [c["text"] for c in clauses if re.search(r"\[(en|bg)\]", c["text"])]
    assert foreign == []
    letters = "".join(
        re.sub(r"\{[^}]*\}", "", c["text"]) for c in clauses if c["part"] not in ("overrides", "regardless")
    )
    other = re.findall(r"\b[а-я]{3,}\b" if code == "en" else r"\b[a-z]{3,}\b", letters)
    names = {block["name"] for block in data["blocks"]}
    assert [word for word in other if not any(word in name for name in names)] == []


def test_what_is_said_of_a_concept_agrees_with_its_groups(capsys: pytest.CaptureFixture[str]) -> None:
    data = compared(capsys, "compare", *EDITIONS)
    for concept in data["concepts"]:
        for place, group in enumerate(concept["groups"]):
            says = any(row["blocks"][place] for row in concept["rows"])
            assert says == (group is not None), concept["concept"]
            assert says == any(line["clauses"][place] for row in concept["rows"] for line in row["lines"])


def test_pieces_make_up_their_clause_and_signs_fit_them(capsys: pytest.CaptureFixture[str]) -> None:
    data = compared(capsys, "compare", *EDITIONS)
    for line in (line for c in data["concepts"] for row in c["rows"] for line in row["lines"]):
        there = [clause for clause in line["clauses"] if clause is not None]
        assert all(" ".join(p["text"] for p in c["pieces"]) == " ".join(c["text"].split()) for c in there)
        marked = any(p["differs"] for c in there for p in c["pieces"])
        assert marked == (line["sign"] == "differs")


def test_a_homonym_is_never_merged(capsys: pytest.CaptureFixture[str]) -> None:
    """To break is a word that all share; a Rout test is one thing of a unit and another of a whole side."""
    data = compared(capsys, "compare", "psychology", "skirmish", "--concept", "rout.test")
    assert data["concepts"][0]["verdict"] == "differs"
    own = compared(capsys, "compare", "t9a-2", "t9a-3", "--concept", "shaken.state")
    assert own["concepts"][0]["groups"] == [None, 0]


def test_an_edition_under_another_reading(capsys: pytest.CaptureFixture[str]) -> None:
    data = compared(capsys, "compare", "t9a-2", "t9a-2@A-gen-03=rounded-down", "--concept", "panic.trigger.losses.base")
    (line,) = data["concepts"][0]["rows"][0]["lines"]
    assert [p["text"] for p in line["clauses"][1]["pieces"] if p["differs"]] == ["rounded down"]
    assert data["editions"][1]["readings"][0]["instead_of"] == "exact"
    both = compared(capsys, "compare", "t9a-2", "t9a-3", "--reading", "A-gen-03=rounded-down")
    assert [e["readings"][0]["option"] for e in both["editions"]] == ["rounded-down"] * 2


# --- forms -----------------------------------------------------------------------------------------------------------


class Anchors(HTMLParser):
    """What a page can be linked to, and what it links to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.ids.add(known.get("id") or "")
        if tag == "a":
            self.links.add((known["href"] or "").removeprefix("#"))
        self.loads += [known[name] or "" for name in ("src", "href") if name in known and tag != "a"]


@pytest.mark.parametrize("code", ["en", "bg"])
def test_the_page_needs_nothing_else_and_its_links_lead_somewhere(
    code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "compared.html"
    assert rulewright(capsys, "compare", *EDITIONS, "--html", "--output", str(file), "--lang", code) == (OK, "", "")
    text = file.read_text(encoding="utf-8")
    page = Anchors(text)
    assert page.loads == []
    assert page.links
    assert page.links <= page.ids
    assert {"panic.trigger.losses", "melee.leave.forbidden"} <= page.ids
    assert f'<html lang="{code}">' in text
    assert '<p class="filter" hidden>' in text
    assert "<mark>" in text


def test_as_markdown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, *LOSSES, "--markdown")
    assert code == OK
    assert "### panic.trigger.losses *differs*" in out
    assert "|  | t9a-2 | t9a-3 |" in out
    assert "| ≠ | and the health points unit lost **outside combat** this phase" in out


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("t9a-2",), "RW0620"),
        ((), "RW0620"),
        (("t9a-2", "t9a-2"), "RW0621"),
        (("t9a-2", "t9a-3@A-gen-03"), "RW0622"),
        (("t9a-2", "t9a-3", "--concept", "panic.triger"), "RW0623"),
        (("t9a-2", "t9a-4"), "RW0005"),
        (("t9a-2", "t9a-3@A-gen-03=upwards"), "RW0361"),
    ],
)
def test_what_cannot_be_compared(arguments: tuple[str, ...], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    done, out, err = rulewright(capsys, "compare", *arguments)
    assert (done, out) == (FAILED, "")
    assert err.startswith(f"error[{code}]")
    assert err.count("error[") == 1
    assert "help:" in err


# --- new editions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["en", "bg"])
def test_a_new_edition_is_checked_and_its_scenarios_pass(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    done, out, err = rulewright(capsys, "new", "edition", "house", "--title", "House rules", "--lang", code)
    assert (done, err) == (OK, "")
    assert "rules/vocabulary" in out
    assert "rules/house/scenarios/panic.scenario" in out
    assert rulewright(capsys, "check", "rules")[:2] == (OK, "0 errors, 0 warnings\n")
    assert rulewright(capsys, "test", "rules")[:2] == (OK, "2 passed, 0 failed\n")
    assert "House rules" in rulewright(capsys, "show", "house")[1]
    assert "rules/vocabulary" not in rulewright(capsys, "new", "edition", "other")[1]


def test_an_edition_like_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert rulewright(capsys, "new", "edition", "ours", "--like", "t9a-2", "--title", "As we play it")[0] == OK
    done, out, err = rulewright(capsys, "check", "rules/ours")
    assert (done, out, err) == (OK, "0 errors, 0 warnings\n", "")
    one = next(Path("rules/ours/scenarios").glob("heavy-losses.scenario"))
    assert rulewright(capsys, "test", str(one))[0] == OK
    assert 'edition ours "As we play it"' in Path("rules/ours/edition.rules").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("rule", "house"), "RW0630"),
        (("edition", "../house"), "RW0631"),
        (("edition", "vocabulary"), "RW0631"),
        (("edition", "taken"), "RW0632"),
        (("edition", "house", "--language", "xx"), "RW0633"),
        (("edition", "house", "--title", 'a "b"'), "RW0634"),
        (("edition", "house", "--title", " "), "RW0634"),
        (("edition", "house", "--title", ""), "RW0634"),
        (("edition", ""), "RW0631"),
        (("edition", "two\nlines"), "RW0631"),
        (("edition", "x" * 300), "RW0018"),
        (("edition", "house", "--rules", "rules/taken/note"), "RW0018"),
        (("edition", "house", "--like", "t9a-2", "--title", 'a "b"'), "RW0634"),
        (("edition", "house", "--like", "t9a-2", "--language", "bg"), "RW0635"),
        (("edition", "house", "--like", "t9a-9"), "RW0005"),
    ],
)
def test_what_cannot_be_begun(
    arguments: tuple[str, ...],
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules/taken").mkdir(parents=True)
    Path("rules/taken/note").write_text("a file, no folder")
    done, out, err = rulewright(capsys, "new", *arguments)
    assert (done, out) == (FAILED, "")
    assert err.startswith(f"error[{code}]")
    assert err.count("error[") == 1
    assert sorted(p.name for p in Path("rules").iterdir()) == ["taken"]
