"""``rulewright diff`` as a user meets it: what is a change of meaning, and what is none."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from commands import rulewright

from rulewright.cli.app import FAILED, OK, USAGE
from rulewright.workspace import load_cached

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads(resources.files("rulewright.compare").joinpath("changelog.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the vocabulary and of one edition, to be edited."""
    copy = tmp_path / "rules"
    for folder in ("vocabulary", "t9a-2"):
        shutil.copytree(ROOT / "rules" / folder, copy / folder)
    return copy


def edit(tree: Path, name: str, old: str, new: str) -> None:
    file = tree / "t9a-2" / name
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def changed(capsys: pytest.CaptureFixture[str], tree: Path, *more: str, code: int) -> Any:
    """What changed in the edition that was edited."""
    arguments = more or ("--no-scenarios",)
    done, out, err = rulewright(capsys, "diff", "rules/t9a-2", tree / "t9a-2", "--json", *arguments)
    assert (done, err) == (code, "")
    data = json.loads(out)
    jsonschema.validate(data, SCHEMA)
    assert data["changed"] == (code == FAILED)
    return data


# --- what changed ----------------------------------------------------------------------------------------------------


def test_the_same_rules_are_no_change(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    data = changed(capsys, tree, "--lang", "en", code=OK)
    assert [(e["edition"], e["change"]) for e in data["editions"]] == [("t9a-2", "same")]
    assert data["impact"] == {"played": 0, "scenarios": [], "uncovered": [], "unread": []}


def test_a_number_is_told_with_what_it_was(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    edit(tree, "triggers.rules", "at least 25% of", "at least 30% of")
    (edition,) = changed(capsys, tree, code=FAILED)["editions"]
    (thing,) = edition["things"]
    (line,) = thing["lines"]
    assert (thing["id"], thing["change"], line["change"]) == ("heavy-losses", "changed", "number")
    assert line["number"] == {"before": "a quarter", "after": "30%"}
    rules = (tree / "t9a-2" / "triggers.rules").read_text(encoding="utf-8").splitlines()
    assert "at least 30% of" in rules[line["after"]["line"] - 1]


def test_a_clause_that_is_gone_is_told_alone(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    edit(tree, "triggers.rules", "  and {friend} fled through {unit} in this flee move\n", "")
    (edition,) = changed(capsys, tree, code=FAILED)["editions"]
    (thing,) = edition["things"]
    (line,) = thing["lines"]
    assert (thing["id"], line["change"], line["after"]) == ("fled-through", "removed", None)
    assert "fled through" in line["before"]["text"]


def test_a_rule_under_another_name_means_the_same(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    edit(tree, "triggers.rules", "rule off-the-board ", "rule table-left ")
    (edition,) = changed(capsys, tree, code=OK)["editions"]
    (thing,) = edition["things"]
    assert (thing["change"], thing["before"]["id"], thing["after"]["id"]) == ("renamed", "off-the-board", "table-left")


def test_layout_and_comments_are_no_change(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    edit(
        tree,
        "triggers.rules",
        "  and {friend} is friendly to {unit}\n",
        "  # a comment\n  and  {friend} is friendly to {unit}\n",
    )
    (edition,) = changed(capsys, tree, code=OK)["editions"]
    assert (edition["change"], edition["things"], edition["laid_out"]) == ("restated", [], ["t9a-2/triggers.rules"])


def test_another_language_is_wording(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    file = tree / "t9a-2" / "triggers.rules"
    done, _, err = rulewright(capsys, "convert", file, "--to", "bg", "--in-place", "--rules", tree)
    assert (done, err) == (OK, "")
    (edition,) = changed(capsys, tree, code=OK)["editions"]
    assert {thing["change"] for thing in edition["things"]} == {"wording"}
    assert "heavy-losses" in {thing["id"] for thing in edition["things"]}


def test_citations_and_titles_are_told_apart_from_meaning(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    edit(tree, "triggers.rules", '"A friend is destroyed close by"', '"A friend dies close by"')
    (edition,) = changed(capsys, tree, code=OK)["editions"]
    (thing,) = edition["things"]
    assert (thing["change"], [about["what"] for about in thing["about"]]) == ("described", ["title"])
    assert thing["about"][0]["after"] == ["A friend dies close by"]


def _off_the_board(tree: Path) -> tuple[str, str]:
    """The text of a rule, and that of its file without it."""
    text = (tree / "t9a-2" / "triggers.rules").read_text(encoding="utf-8")
    head, name, rest = text.partition("rule off-the-board")
    body, gap, after = rest.partition("\nrule ")
    assert gap
    return name + body, f"{head}rule {after}"


def test_a_rule_in_another_file_means_the_same(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    rule, others = _off_the_board(tree)
    (tree / "t9a-2" / "triggers.rules").write_text(others, encoding="utf-8")
    (tree / "t9a-2" / "table.rules").write_text(f"language English\n\n{rule}", encoding="utf-8")
    (edition,) = changed(capsys, tree, code=OK)["editions"]
    (thing,) = edition["things"]
    assert (thing["change"], thing["moved"]) == ("moved", True)


def test_a_rule_that_is_new_is_told_with_its_clauses(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    rule, _ = _off_the_board(tree)
    extra = rule.replace("off-the-board", "off-and-afraid").replace("is destroyed", "takes a Panic test")
    (tree / "t9a-2" / "table.rules").write_text(f"language English\n\n{extra}", encoding="utf-8")
    (edition,) = changed(capsys, tree, code=FAILED)["editions"]
    (thing,) = edition["things"]
    assert (thing["id"], thing["change"], thing["before"]) == ("off-and-afraid", "added", None)
    assert thing["clauses"] == ["when unit flees off the battlefield", "then unit takes a Panic test"]


# --- in play ---------------------------------------------------------------------------------------------------------


def test_scenarios_that_go_otherwise_name_the_changed_rule(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    for file in (tree / "t9a-2" / "scenarios").glob("*.scenario"):
        if file.name != "heavy-losses.scenario":
            file.unlink()
    edit(tree, "triggers.rules", "at least 25% of", "at least 30% of")
    impact = changed(capsys, tree, "--lang", "en", code=FAILED)["impact"]
    first = next(s for s in impact["scenarios"] if s["id"] == "heavy-losses")
    assert impact["played"] > 0
    assert (first["before"]["passed"], first["after"]["passed"]) == (True, False)
    assert (first["step"], first["through"]) == (3, ["heavy-losses"])
    assert any("heavy-losses" in told for told in first["before"]["told"])
    assert impact["uncovered"] == []


def test_what_no_scenario_tries_is_listed(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    shutil.rmtree(tree / "t9a-2" / "scenarios")
    edit(tree, "triggers.rules", "at least 25% of", "at least 30% of")
    impact = changed(capsys, tree, "--lang", "en", code=FAILED)["impact"]
    assert [(u["kind"], u["id"]) for u in impact["uncovered"]] == [("rule", "heavy-losses")]


# --- which versions --------------------------------------------------------------------------------------------------


def test_a_file_takes_the_place_of_the_one_in_its_edition(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    edit(tree, "triggers.rules", "at least 25% of", "at least 30% of")
    file = tree / "t9a-2" / "triggers.rules"
    code, out, err = rulewright(capsys, "diff", "rules/t9a-2/triggers.rules", file, "--no-scenarios", "--lang", "en")
    assert (code, err) == (FAILED, "")
    assert "a quarter → 30%" in out


@pytest.fixture
def repository(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A repository in the current folder; what was read from ``rules`` of another is forgotten, before and after."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    monkeypatch.chdir(tree.parent)
    author = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for command in (("init", "-q"), ("add", "-A"), (*author, "commit", "-qm", "first")):
        subprocess.run(["git", *command], check=True, cwd=tree.parent)
    edit(tree, "triggers.rules", "at least 25% of", "at least 30% of")
    load_cached.cache_clear()
    yield tree
    load_cached.cache_clear()


@pytest.mark.parametrize(
    "names",
    [("HEAD",), ("HEAD:rules",), ("HEAD:rules", "rules"), ("HEAD:rules/t9a-2",), ("HEAD:rules/t9a-2/triggers.rules",)],
)
def test_a_revision_is_held_against_the_working_tree(
    names: tuple[str, ...], capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    code, out, err = rulewright(capsys, "diff", *names, "--no-scenarios", "--lang", "en")
    assert (code, err) == (FAILED, "")
    assert "a quarter → 30%" in out
    assert rulewright(capsys, "diff", "HEAD", "HEAD", "--no-scenarios", "--lang", "en")[0] == OK


@pytest.mark.parametrize("code", ["en", "bg"])
@pytest.mark.parametrize("form", ["--markdown", "--html"])
def test_other_forms(code: str, form: str, capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    edit(tree, "triggers.rules", "at least 25% of", "at least 30% of")
    done, out, err = rulewright(capsys, "diff", "rules", tree, "--no-scenarios", form, "--lang", code)
    assert (done, err) == (FAILED, "")
    assert "heavy-losses" in out
    assert ("changed" in out) == (code == "en")


# --- what is wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "finding"),
    [
        (("rules", "nowhere"), "RW0670"),
        (("nosuch:rules",), "RW0670"),
        (("--", "-x:rules"), "RW0670"),
        (("tests",), "RW0011"),
        (("rules", "rules/t9a-2/triggers.rules"), "RW0672"),
        (("README.md", "LICENSE"), "RW0673"),
    ],
)
def test_what_is_no_version_is_one_finding(
    names: tuple[str, ...], finding: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = rulewright(capsys, "diff", *names)
    assert (code, out, err.count("[RW")) == (FAILED, "", 1)
    assert finding in err


def test_without_git_a_revision_is_one_finding(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    code, out, err = rulewright(capsys, "diff", "HEAD~1")
    assert (code, out, err.count("[RW")) == (FAILED, "", 1)
    assert "RW0671" in err


def test_outside_a_repository_a_revision_is_one_finding(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tree: Path
) -> None:
    monkeypatch.chdir(tree.parent)
    code, out, err = rulewright(capsys, "diff", "HEAD~1")
    assert (code, out, err.count("[RW")) == (FAILED, "", 1)
    assert "RW0670" in err


def test_rules_that_cannot_be_read_are_told_at_their_place(capsys: pytest.CaptureFixture[str], tree: Path) -> None:
    edit(tree, "triggers.rules", "is friendly to", "is frendly to")
    code, out, err = rulewright(capsys, "diff", "rules", tree)
    assert (code, out) == (FAILED, "")
    assert "triggers.rules" in err


def test_a_version_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert rulewright(capsys, "diff")[0] == USAGE
