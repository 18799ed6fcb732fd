"""Files that no editor would write by hand, and names and numbers at the edge: they work, or get one clear finding."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from cases import findings

SOON = 10
"""Seconds of the processor: far more than is needed, far less than what grows with the square of the size takes."""

RULES, SCENARIO = "e/more.rules", "e/x.scenario"
HEAD = "language English\n\n"
RULE = "rule more\n  cites s1\n  when {unit} flees\n  then {unit} is destroyed\n"
PLAY = """\
scenario x
  edition e
  given Archers is a unit with 8 health points
  when Archers flees
  then Archers flees
"""


def found(folder: Path, files: dict[str, str | bytes]) -> list[tuple[str, str]]:
    return [(d.name, d.place) for d in findings(files, folder)]


@pytest.mark.parametrize(
    ("data", "name", "place"),
    [
        (b"", "empty-file", "e/more.rules:1:1"),
        (b"\n \t\n\n", "empty-file", "e/more.rules:1:1"),
        (bytes(range(256)) * 100, "not-text", ""),
        ((HEAD + RULE).encode("utf-16"), "not-text", ""),
        ((HEAD + RULE + "# café\n").encode("latin-1"), "not-text", ""),
        ((HEAD + RULE).encode() + b"\0", "not-text", ""),
        ((HEAD + RULE * 70_000).encode(), "too-large", ""),
    ],
    ids=["empty", "blank", "binary", "utf-16", "latin-1", "nul", "5 MB"],
)
def test_what_is_no_text_is_told_once(tmp_path: Path, data: bytes, name: str, place: str) -> None:
    assert found(tmp_path, {RULES: data}) == [(name, place)]


def test_a_folder_that_is_called_like_a_file_is_looked_into(tmp_path: Path) -> None:
    assert found(tmp_path, {"e/chapter.rules/more.rules": HEAD + RULE}) == []


def test_a_file_that_is_not_there_is_told_without_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "e").mkdir()
    (tmp_path / RULES).symlink_to("nowhere.rules")
    assert found(tmp_path, {}) == [("unreadable-file", "")]


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + (HEAD + RULE).encode(),
        (HEAD + RULE).replace("\n", "\r\n").encode(),
        (HEAD + RULE).replace("\n", "\r").encode(),
        (HEAD + RULE).rstrip().encode(),
        (HEAD + RULE).replace("\n", "   \n").encode(),
        (HEAD + RULE).replace("  ", "\t").encode(),
        (HEAD + RULE).replace("  ", "     ").encode(),
        (HEAD + RULE).replace("\n", ".\n").replace("\n.", "\n").encode(),
        (HEAD + RULE).replace("rule", "RULE").replace("when", "When").encode(),
        b"# first\n\n" + (HEAD + RULE).replace("\n", "  # why\n# and\n      # so\n").encode(),
        (HEAD + RULE).replace("rule more", "rule more “Those who flee”").encode(),
        (HEAD + RULE).replace("rule more", "rule more «Those who flee» # a title").encode(),
        (HEAD + RULE).replace("language English", "LANGUAGE english  # a language").encode(),
    ],
    ids=[
        "byte order mark", "cr lf", "cr", "no last line end", "blanks at the ends", "tabs", "wide", "full stops",
        "capitals", "comments", "typographic quotes", "guillemets", "capital language",
    ],
)  # fmt: skip
def test_what_only_looks_odd_works(tmp_path: Path, data: bytes) -> None:
    assert found(tmp_path, {RULES: data}) == []


# --- size ------------------------------------------------------------------------------------------------------------


def test_a_comment_may_be_long(tmp_path: Path) -> None:
    assert found(tmp_path, {RULES: f"{HEAD}# {'x' * 900_000}\n{RULE}"}) == []


@pytest.mark.parametrize(
    ("text", "name", "place"),
    [
        (RULE.replace("flees", "flees " + "word " * 180_000), "long-line", "e/more.rules:5:3"),
        (RULE.replace("rule more", f'rule more "{"T" * 900_000}"'), "long-line", "e/more.rules:3:1"),
        (RULE.replace("more", "m" * 900_000), "long-name", "e/more.rules:3:6"),
        (RULE.replace("more", "m" * 10_000), "long-name", "e/more.rules:3:6"),
        ("x" * 900_000, "unknown-block", "e/more.rules:3:1"),
        (RULE.replace("  then", " " * 900_000 + "then"), "too-deep", "e/more.rules:6:900001"),
        (RULE.replace("flees", "flees" + " word" * 390), "unknown-phrase", "e/more.rules:5:8"),
        (RULE + "".join(" " * i + "and x\n" for i in range(3, 1000)), "too-deep", "e/more.rules:15:12"),
    ],
    ids=["sentence", "title", "name", "name of 10,000", "word", "margin", "longest sentence", "staircase"],
)
def test_what_is_too_long_is_told_at_once(tmp_path: Path, text: str, name: str, place: str) -> None:
    start = time.process_time()
    told = found(tmp_path, {RULES: HEAD + text})
    assert (name, place) in told
    assert len(told) <= 2
    assert time.process_time() - start < SOON


def test_a_name_of_two_hundred_letters_works(tmp_path: Path) -> None:
    assert found(tmp_path, {RULES: HEAD + RULE.replace("more", "m" * 200)}) == []
    assert found(tmp_path, {SCENARIO: HEAD + PLAY.replace("Archers", "A" * 200)}) == []


def test_a_longer_name_is_told_where_it_is_given_and_not_again(tmp_path: Path) -> None:
    assert found(tmp_path, {SCENARIO: HEAD + PLAY.replace("Archers", "A" * 201)}) == [("long-name", "e/x.scenario:5:9")]


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"name n{i}\n  is a phase\n  en: n{i}\n" for i in range(1_000)),
        "".join(f"fact f{i}\n  en: {{unit}} is f{i}\n" for i in range(1_000)),
    ],
    ids=["names", "facts"],
)
def test_many_blocks_take_no_more_time_each_than_few(tmp_path: Path, text: str) -> None:
    start = time.process_time()
    assert found(tmp_path, {RULES: HEAD + text}) == []
    assert time.process_time() - start < SOON


def test_of_very_many_wrong_blocks_the_first_ones_are_told(tmp_path: Path) -> None:
    text = "".join(f"rul r{i}\n whn {{unit}} fles\n" for i in range(20_000))
    told = found(tmp_path, {RULES: HEAD + text})
    assert len(told) == 201
    assert [t for t in told if t[0] == "too-many"] == [("too-many", "e/more.rules:202:2")]


def test_of_very_many_wrong_sentences_the_first_ones_are_told(tmp_path: Path) -> None:
    text = RULE + "".join(f"  and {{unit}} is gone {i}\n" for i in range(1_000))
    assert len(found(tmp_path, {RULES: HEAD + text})) == 500


# --- names -----------------------------------------------------------------------------------------------------------

NAMES = [
    "Стрелци", "Τοξότες", "射手", "रक्षक", "🐉", "👩\u200d👩\u200d👧", "Café", "Cafe\u0301", "“Old Guard”",
    '"Old Guard"',
    "«Old Guard»", "O'Brien's", "D’Artagnan", "The Old Guard", "3rd Foot", "7", "Men-at-arms", "A & B", "A/B", "A, B",
    "Unit #3", "Unit (3)", "The", "with", "Archers'", 'Ten" Guns', "Guard\u00a0One", "Old Guard and Young Guard",
    "Knights of Red", "Capt.", "Red.",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_unit_may_be_called_anything(tmp_path: Path, name: str) -> None:
    assert found(tmp_path, {SCENARIO: HEAD + PLAY.replace("Archers", name)}) == []


def test_a_name_is_the_same_however_its_letters_are_composed(tmp_path: Path) -> None:
    play = PLAY.replace("Archers is", "Café is").replace("when Archers", "when Cafe\u0301")
    assert found(tmp_path, {SCENARIO: HEAD + play.replace("Archers", "CAFÉ")}) == []
    rules = RULE.replace("more", "café") + RULE.replace("more", "other") + "  overrides cafe\u0301\n"
    assert found(tmp_path, {RULES: HEAD + rules}) == []


# --- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ["1000000000000", "0", "0.5", "0.001", "007", "12.50"])
def test_numbers_that_work(tmp_path: Path, number: str) -> None:
    rule = RULE.replace("is destroyed", f"loses {number} health points")
    assert (
        found(
            tmp_path,
            {RULES: HEAD + rule, SCENARIO: HEAD + PLAY.replace("8", number, 1).replace("flees", "breaks from combat")},
        )
        == []
    )


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("1000000000001", "number-out-of-range"),
        ("0.0005", "number-out-of-range"),
        ("1e5", "unclear-number"),
        ("1,000", "unclear-number"),
        ("1 000", "unclear-number"),
        ("1_000", "unclear-number"),
        ("1.5.2", "unclear-number"),
        ("5/2", "unclear-number"),
        ("½", "unclear-number"),
        ("five", "unknown-phrase"),
    ],
)
def test_numbers_that_do_not(tmp_path: Path, number: str, name: str) -> None:
    ((told, _),) = found(tmp_path, {RULES: HEAD + RULE.replace("is destroyed", f"loses {number} health points")})
    assert told == name


@pytest.mark.parametrize("number", ["1000000000001", "0.0005"])
def test_a_number_that_a_game_cannot_hold_is_told_where_it_is_given(tmp_path: Path, number: str) -> None:
    told = found(tmp_path, {SCENARIO: HEAD + PLAY.replace("8", number)})
    assert told == [("number-out-of-range", "e/x.scenario:5:9")]


@pytest.mark.parametrize("mark", ['"', "”", "″", " inches", " inch"])
def test_inches_in_all_their_spellings(tmp_path: Path, mark: str) -> None:
    near = f"  and {{enemy}} is within 6{mark} of {{unit}}\n  then"
    assert found(tmp_path, {RULES: HEAD + RULE.replace("  then", near)}) == []
