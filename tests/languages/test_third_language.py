"""A third language is data: a partial table and a small tree of rules in it are used, and no code knows them.

What the table lacks is in English, with a mark; what is wrong with a table is told, and never as a traceback.
"""

import json
import os
import shutil
import subprocess
import sys
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

from rulewright import assets
from rulewright.syntax.keywords import languages
from rulewright.syntax.tables import FORMS, Table, read_tables

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TABLE = (HERE / "keywords" / "de.toml").read_text(encoding="utf-8")
TEXTS = (HERE / "messages" / "de.toml").read_text(encoding="utf-8")
SCENARIO = "rules/wald/scenarios/entdeckt.scenario"
STRINGS = ("agreement", "before", "elsewhere", "meant", "slips", "variables")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder of assets with the third language in it."""
    shutil.copytree(ROOT / "grammar", tmp_path / "grammar")
    for file in (HERE / "rules").rglob("*.txt"):  # called so that nothing else collects them
        copy = tmp_path / file.relative_to(HERE).with_suffix("")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    (tmp_path / "grammar" / "keywords" / "de.toml").write_text(TABLE, encoding="utf-8")
    (tmp_path / "grammar" / "messages").mkdir()
    (tmp_path / "grammar" / "messages" / "de.toml").write_text(TEXTS, encoding="utf-8")
    return tmp_path


def rulewright(home: Path, *arguments: str) -> tuple[int, str]:
    environment = {**os.environ, assets.VARIABLE: str(home), "PYTHONPATH": str(ROOT / "engine"), "COLUMNS": "80"}
    command = [sys.executable, "-m", "rulewright", *arguments]
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)
    told = done.stdout + done.stderr
    assert "Traceback" not in told
    assert done.returncode in (0, 1)
    return done.returncode, told


# --- a partial table -----------------------------------------------------------------------------------------------


def test_a_file_in_a_third_language_is_checked_and_played(home: Path) -> None:
    assert rulewright(home, "check") == (0, "0 errors, 0 warnings\n")
    assert rulewright(home, "test") == (0, "1 passed, 0 failed\n")


def test_what_is_told_in_a_third_language_marks_what_it_lacks(home: Path) -> None:
    code, told = rulewright(home, "run", SCENARIO, "--lang", "de")
    assert code == 0
    lines = [line.strip() for line in told.splitlines()]
    assert "1  Schützen entdeckt Wölfe" in lines
    assert "- Wölfe ist verborgen" in lines
    assert "=> Schützen flieht" in lines
    assert "zitiert w-1" in lines
    assert "Erwartet" in lines
    assert "aus hinterhalt" in lines
    assert 'applies [en] hinterhalt "Aus dem Hinterhalt"' in lines
    assert "=> it is not so that Schützen ist verborgen [en]" in lines
    assert "10 ≥ 10 (50% of 20 [en])" in lines


def test_a_phrase_without_a_wording_is_marked_too(home: Path) -> None:
    more = "language English\n\nrule more\n  cites w-2\n  when {unit} flees\n  then {unit} halts\n"
    (home / "rules" / "wald" / "more.rules").write_text(more, encoding="utf-8")
    code, told = rulewright(home, "run", SCENARIO, "--lang", "de")
    assert code == 0
    assert "=> Schützen halts [en]" in told


def test_a_rule_is_shown_in_a_third_language(home: Path) -> None:
    code, told = rulewright(home, "show", "wald", "hinterhalt")
    assert code == 0
    assert "\nRegel hinterhalt" in f"\n{told}"
    assert "  wenn {unit} entdeckt {enemy}\n" in told
    assert "  unless [en] die Stärke von {unit} is more than 30,5 Modelle\n" in told


def test_a_question_is_answered_in_a_third_language(home: Path) -> None:
    code, told = rulewright(home, "ask", SCENARIO, "Wölfe sind verborgen?")
    assert code == 0
    assert told.startswith("yes")
    assert rulewright(home, "ask", SCENARIO, "Wölfe sind verborgen?", "--lang", "de")[1].startswith("ja")


def test_a_finding_is_told_in_a_third_language_with_its_keywords(home: Path) -> None:
    late = home / "late.scenario"
    late.write_text(
        "Sprache Deutsch\n\nSzenario s\n  Ausgabe wald\n  gegeben Rot ist eine Seite\n"
        "  wenn Rot flieht\n  gegeben Blau ist eine Seite\n  dann Rot flieht\n",
        encoding="utf-8",
    )
    code, told = rulewright(home, "check", "late.scenario", "--lang", "de")
    assert code == 1
    assert "Fehler[RW0319]: `gegeben` kommt, nachdem schon etwas geschehen ist" in told
    assert "Rat: stellt alle Zeilen mit `gegeben` vor das erste `wenn`" in told
    code, told = rulewright(home, "check", "late.scenario")
    assert "`gegeben` comes after something has already happened" in told
    late.write_text(late.read_text(encoding="utf-8").replace("wald", "feld"), encoding="utf-8")
    code, told = rulewright(home, "run", "late.scenario", "--lang", "de")
    assert "Fehler[RW0319]" in told


WRONG_TEXTS = {
    "not TOML": ("[texts.run]", "[texts.run", "RW0701", 18),
    "no such text": ('met = "ja"', 'mett = "ja"', "RW0705", 20),
    "no text": ('met = "ja"', "met = 3", "RW0704", 20),
    "no such place": ('met = "ja"', 'met = "ja {found}"', "RW0707", 20),
    "a brace": ('met = "ja"', 'met = "ja {"', "RW0707", 20),
    "a form of a place": ("{edition}", "{edition:d}", "RW0707", 4),
    "a code": ("[late-given]", '[late-given]\ncode = "RW1"', "RW0705", 8),
}


@pytest.mark.parametrize("case", WRONG_TEXTS)
def test_what_is_wrong_with_a_table_of_texts_is_told_and_does_no_harm(case: str, home: Path) -> None:
    old, new, finding, line = WRONG_TEXTS[case]
    assert old in TEXTS
    (home / "grammar" / "messages" / "de.toml").write_text(TEXTS.replace(old, new, 1), encoding="utf-8")
    code, told = rulewright(home, "check")
    assert code == 1
    assert f"error[{finding}]" in told
    assert f"grammar/messages/de.toml:{line}:" in told
    assert told.count("error[") == 1
    assert rulewright(home, "run", SCENARIO, "--lang", "de")[0] == 0
    assert finding in rulewright(home, "check", "--lacking", "de", "--json")[1]


def test_a_table_of_texts_that_is_not_utf_8_is_told(home: Path) -> None:
    (home / "grammar" / "messages" / "de.toml").write_bytes(TEXTS.encode("latin-1", "replace") + "ä".encode("latin-1"))
    code, told = rulewright(home, "check", "--lang", "de")
    assert code == 1
    assert "RW0002" in told


# --- what a language lacks -----------------------------------------------------------------------------------------


def test_all_that_a_language_lacks_is_named_with_counts_and_places(home: Path) -> None:
    code, told = rulewright(home, "check", "--lacking", "de", "--json")
    data = json.loads(told)
    assert code == 1
    schema = resources.files("rulewright").joinpath("explain/lacking.schema.json").read_text(encoding="utf-8")
    jsonschema.validate(data, json.loads(schema))
    assert (data["schema"], data["language"], data["name"]) == ("rulewright/lacking/1", "de", "Deutsch")
    parts = {part["part"]: part for part in data["parts"]}
    assert parts["keywords"]["there"] == 12
    assert parts["keywords"]["wanted"] == len(languages()["en"].keywords)
    assert {"name": "UNLESS", "instead": "unless", "place": ""} in parts["keywords"]["lacking"]
    assert [lack["name"] for lack in parts["comparisons"]["lacking"]] == [">", "<=", "<", "=", "!="]
    assert parts["messages"]["there"] == TEXTS.count(" = ")
    assert parts["messages"]["file"] == "grammar/messages/de.toml"
    assert (parts["kinds"]["wanted"], parts["kinds"]["there"]) == (2, 2)
    lacks = {lack["name"]: lack for lack in parts["phrases"]["lacking"]}
    assert set(lacks) == {"hidden (not)", "halts"}
    assert lacks["halts"]["instead"] == "{unit} halts|halt"
    assert lacks["halts"]["place"].startswith("rules/vocabulary/words.rules:5")
    assert data["lacking"] == sum(len(part["lacking"]) for part in data["parts"])
    assert data["diagnostics"] == []


def test_the_report_keeps_to_eighty_columns(home: Path) -> None:
    code, told = rulewright(home, "check", "rules/wald", "--lacking", "de")
    assert code == 1
    assert all(len(line) <= 80 for line in told.splitlines())
    assert "keywords: 12 of 69\n" in told
    assert "wordings of phrases: 10 of 12\n" in told
    assert told.rstrip().endswith("lacking")


def test_translations_beside_an_edition_are_held_against_its_texts(home: Path) -> None:
    def lacking() -> list[str]:
        data = json.loads(rulewright(home, "check", "--lacking", "bg", "--json")[1])
        return [lack["name"] for part in data["parts"] if part["part"] == "texts" for lack in part["lacking"]]

    texts = ["Im Wald", "Ein paar Sätze", "Aus dem Hinterhalt", "Wer flieht, verbirgt sich nicht"]
    assert lacking() == texts
    table = home / "rules" / "wald" / "texts.bg.toml"
    table.write_text('"Im Wald" = "В гората"\n[rules]\n"Aus dem Hinterhalt" = "От засада"\n', encoding="utf-8")
    assert lacking() == texts[1:]  # what no one reads is not there
    code, told = rulewright(home, "check")
    assert "warning[RW0704]" in told
    assert "rules/wald/texts.bg.toml:2:1" in told
    assert rulewright(home, "test")[0] == 0
    table.write_text('"Im Wald" = "В гората"\n"Aus dem Hinterhalt" = "От засада"\n', encoding="utf-8")
    assert lacking() == ["Ein paar Sätze", "Wer flieht, verbirgt sich nicht"]
    table.write_text('"Im Wald" = \n', encoding="utf-8")
    code, told = rulewright(home, "check", "--lacking", "bg")
    assert code == 1
    assert "RW0701" in told
    assert "rules/wald/texts.bg.toml:1:" in told


def test_a_text_lacks_a_translation_where_it_is_in_another_language_than_wanted(home: Path) -> None:
    def lacking(code: str) -> list[str]:
        data = json.loads(rulewright(home, "check", "--lacking", code, "--json")[1])
        return [lack["name"] for part in data["parts"] if part["part"] == "texts" for lack in part["lacking"]]

    assert lacking("de") == []
    more = 'language English\n\nrule more "In another tongue"\n  cites w-2\n  when {unit} flees\n  then {unit} halts\n'
    (home / "rules" / "wald" / "more.rules").write_text(more, encoding="utf-8")
    assert lacking("de") == ["In another tongue"]
    assert "In another tongue" not in lacking("en")


def test_a_language_without_a_table_is_no_language(home: Path) -> None:
    code, told = rulewright(home, "check", "--lacking", "fr")
    assert code == 1
    assert "there is no table of keywords for a language `fr`" in told


def test_nothing_is_lacking_of_the_keywords_of_the_shipped_languages() -> None:
    found = {table.code: (table.missing, table.diagnostics) for table in read_tables(STRINGS)}
    assert found["en"] == ((), ())
    assert found["bg"] == ((), ())


# --- broken tables -------------------------------------------------------------------------------------------------

LATE = 'plus = ["plus {expression} zu {expression}"]'
BROKEN = {
    "not TOML": ('AND = ["und"]', 'AND = ["und]', {"table-unreadable"}, 'AND = ["und]'),
    "no language": ('code = "de"\n', "", {"table-without-language"}, "[language]"),
    "a code of one letter": ('"de"', '"d"', {"table-without-language"}, "[language]"),
    "no list of names": ('["Deutsch", "German"]', '"Deutsch"', {"table-entry", "table-without-language"}, "names"),
    "a code taken": ('"de"', '"bg"', {"table-twice"}, ""),
    "a name taken": ('"German"', '"english"', {"table-twice"}, ""),
    "no mark": ('decimal = ","', 'decimal = ";"', {"table-entry"}, "decimal"),
    "no list": ('["wenn"]', '"wenn"', {"table-entry"}, "WHEN"),
    "an empty list": ('["wenn"]', "[]", {"table-entry"}, "WHEN"),
    "numbers in a list": ('["wenn"]', '["wenn", 3]', {"table-entry"}, "WHEN"),
    "an unknown keyword": ("WHEN =", "WEHN =", {"table-unknown-entry"}, "WEHN"),
    "an unknown table": ("[suffixes]", "[sufixes]", {"table-unknown-entry"}, "[sufixes]"),
    "one word for two": ('["und"]', '["und", "Wenn"]', {"table-same-word"}, "Wenn"),
    "a place left out": ("mindestens {right}", "mindestens", {"table-places"}, "{left} ist|sind mindestens"),
    "a place too many": ("mindestens {right}", "mindestens {right} {wer}", {"table-places"}, "{left} ist"),
    "a late place": ("[numbers]", f"[numbers]\n{LATE}", {"table-beginning"}, "plus {"),
    "no pattern": ("[sentences]", "[slips]\n'(ab' = 'ba'\n[sentences]", {"table-pattern"}, "'(ab'"),
    "no such group": ("[sentences]", "[slips]\n'ab' = '\\1'\n[sentences]", {"table-pattern"}, "'ab'"),
    "no such keyword": ("[sentences]", '[meant]\n"falls" = "wann"\n[sentences]', {"table-no-keyword"}, '"falls"'),
    "no such place": ("[sentences]", '[elsewhere]\n"THEN order" = "da"\n[sentences]', {"table-no-keyword"}, '"THEN'),
}


def table_of(home: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> Table:
    (home / "grammar" / "keywords" / "de.toml").write_text(text, encoding="utf-8")
    monkeypatch.setenv(assets.VARIABLE, str(home))
    return next(table for table in read_tables(STRINGS) if table.source.name.endswith("de.toml"))


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_wrong_with_a_table_is_told_at_its_place(
    case: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new, names, place = BROKEN[case]
    assert old in TABLE
    table = table_of(home, TABLE.replace(old, new, 1), monkeypatch)
    assert {d.name for d in table.diagnostics} == names, "\n".join(map(str, table.diagnostics))
    span = table.diagnostics[0].span
    assert span is not None
    assert table.source.line(span.line)[span.column - 1 :].startswith(place) or place in table.source.line(span.line)
    if table.usable:
        assert set(table.forms) == set(FORMS)
        assert all(forms for part in table.forms.values() for forms in part.values())


def test_a_form_that_is_of_no_use_leaves_the_english_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(home, TABLE.replace('["wenn"]', '"wenn"'), monkeypatch)
    assert table.forms["keywords"]["WHEN"] == ("when",)
    assert "keywords.WHEN" in table.missing


def test_an_english_form_gives_way_to_a_word_of_the_table(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(home, TABLE.replace('["wenn"]', '["wenn", "while", "is a"]'), monkeypatch)
    assert table.forms["keywords"]["IS_A"] == ("is an", "a kind of")
    assert not table.diagnostics


def test_a_broken_table_is_told_by_check_and_does_no_harm_to_other_languages(home: Path) -> None:
    (home / "grammar" / "keywords" / "de.toml").write_text(TABLE.replace('["und"]', '["und]'), encoding="utf-8")
    english = home / "rules" / "plain.scenario"
    english.write_text(
        "language English\n\nscenario s\n  edition other\n"
        "  given Red is a side\n  when Red flees\n  then Archers flees\n"
    )
    code, told = rulewright(home, "check")
    assert code == 1
    assert "error[RW0701]" in told
    assert "grammar/keywords/de.toml:1" in told
    assert told.count("error[") == 4  # of the other two files: that they name no language, or no edition
    code, told = rulewright(home, "run", SCENARIO)
    assert code == 1
    assert "error[RW0101]" in told
    assert "error[RW0701]" in told
    (home / "rules" / "wald" / "edition.rules").write_text("language English\n\nedition wald\n  note English\n")
    english.write_text(english.read_text().replace("other", "wald").replace("Red flees", "Archers flees"))
    english.write_text(english.read_text().replace("  when", "  and Archers is a unit of Red\n  when"))
    assert rulewright(home, "test", "rules/plain.scenario") == (0, "1 passed, 0 failed\n")


def test_without_the_english_table_nothing_goes(home: Path) -> None:
    (home / "grammar" / "keywords" / "en.toml").write_text("[language]\n", encoding="utf-8")
    code, told = rulewright(home, "check")
    assert code == 1
    assert "error[RW0702]" in told
