"""What is typed in different ways and read alike, in both languages, in rules and in scenarios."""

import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from rulewright import Fault, open_session
from rulewright.backends.reference import ReferenceMatcher
from rulewright.phrases.words import split
from rulewright.scenarios.runner import play
from rulewright.scripts import in_script, look_alike, mixed_words, twin
from rulewright.syntax.parser import parse
from rulewright.syntax.signs import settled, typed
from rulewright.text import Source, plain
from rulewright.workspace import Tree, read, read_scenarios

RULES = Path(__file__).parents[2] / "rules"
ENGLISH = RULES / "t9a-2" / "scenarios" / "heavy-losses.scenario"
BULGARIAN = RULES / "skirmish" / "scenarios" / "alone.scenario"

Change = Callable[[str], str]
WAYS: dict[str, Change] = {
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "line-ends": lambda text: text.replace("\n", "\r\n"),
    "old-line-ends": lambda text: text.replace("\n", "\r"),
    "line-separators": lambda text: text.replace("\n", "\u2028"),
    "byte-order-mark": lambda text: "\ufeff" + text,
    "wide-blanks": lambda text: text.replace(" ", "\u00a0"),
    "narrow-blanks": lambda text: text.replace(" a ", "\u202fa\u2009").replace(" е ", "\u3000е\u2007"),
    "soft-hyphens": lambda text: text.replace("е", "е\u00ad").replace("e", "e\u00ad"),
    "no-width": lambda text: text.replace("о", "\u200bо").replace("o", "\u200d\u2060o"),
    "unbreaking-hyphens": lambda text: text.replace("-", "\u2011"),
    "dashes-in-words": lambda text: text.replace("пета-фаза", "пета–фаза").replace("heavy-losses", "heavy–losses"),
    "primes": lambda text: re.sub(r'(?<=\d)"', "″", text),
    "curly-inches": lambda text: re.sub(r'(?<=\d)"', "“", text),
    "two-strokes": lambda text: text.replace('5"', "5''").replace('8"', "8′′"),
    "inches-apart": lambda text: text.replace('5"', '5 "').replace('8"', "8\u00a0″"),
}
SOME = ("decomposed", "primes", "curly-inches", "two-strokes", "inches-apart", "dashes-in-words")
"""Ways that do not come up in each of the texts."""


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("path", [ENGLISH, BULGARIAN], ids=["en", "bg"])
def test_scenarios_are_read_alike(path: Path, way: str, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    changed = WAYS[way](text)
    assert changed != text or way in SOME
    file = tmp_path / "a.scenario"
    file.write_bytes(changed.encode())
    scenarios, wrong = read_scenarios(file, "a")
    assert not wrong, "\n".join(map(str, wrong))
    loaded = Tree(RULES, "").load(scenarios[0].edition)
    assert loaded.compiled is not None
    played = [play(scenario, loaded.compiled, ReferenceMatcher) for scenario in scenarios[:2]]
    assert all(one.passed for one in played), [str(d) for one in played for d in one.fault]


@pytest.mark.parametrize("way", ["decomposed", "wide-blanks", "soft-hyphens", "no-width", "byte-order-mark"])
@pytest.mark.parametrize("name", ["t9a-2/triggers.rules", "skirmish/melee.rules"])
def test_rules_are_read_alike_and_columns_count_what_is_seen(name: str, way: str, tmp_path: Path) -> None:
    text = (RULES / name).read_text(encoding="utf-8")
    file = tmp_path / "a.rules"
    file.write_bytes(WAYS[way](text).encode())
    source = read(file, "a")
    assert isinstance(source, Source)
    assert source.text == text
    assert parse(source) == parse(Source("a", text))


def test_the_column_is_the_same_in_decomposed_letters(tmp_path: Path) -> None:
    places = set()
    for form in ("NFC", "NFD"):
        file = tmp_path / form
        file.write_text(unicodedata.normalize(form, "език български\n\nправило й\n  когато йй\n  чййч йй\n"), "utf-8")
        source = read(file, "a")
        assert isinstance(source, Source)
        places |= {(d.place, d.code) for d in parse(source)[1]}
    assert len(places) == 1
    assert next(iter(places))[0] == "a:5:3"


@pytest.mark.parametrize("quotes", ['""', "“”", "„“", "„”", '„"', "«»", "»«", "””"])
def test_quotation_marks_of_all_sorts(quotes: str) -> None:
    opening, closing = quotes
    text = f"език български\n\nиздание проба {opening}Ред и закон{closing}\n  източник {opening}Нещо{closing}\n"
    blocks, wrong = parse(Source("a", text))
    assert not wrong
    assert blocks[0].title == "Ред и закон"
    assert next((w.type, w.text) for w in split(f"{opening}Ред и закон{closing} бяга")) == ("quoted", "Ред и закон")


@pytest.mark.parametrize("inch", ['"', "”", "“", "″", "ʺ", "''", "’’", "′′", ' "', " ″"])
def test_inch_marks_of_all_sorts(inch: str) -> None:
    assert [(w.type, w.folded) for w in split(f"на 6,5{inch} от Ела", ",")] == [
        ("word", "на"),
        ("number", "6.5"),
        ("word", '"'),
        ("word", "от"),
        ("word", "ела"),
    ]


def test_commas_of_lists_and_of_decimals_stand_side_by_side() -> None:
    words = split('с 20 модела, 6,5" и 7,25, 8', ",")
    assert [w.text for w in words if w.type == "number"] == ["20", "6.5", "7.25", "8"]
    assert [w.text for w in words if w.text == ","] == [",", ","]


@pytest.mark.parametrize("sign", "-−–")
def test_signs_of_numbers(sign: str) -> None:
    assert [w.text for w in split(f"{sign}1 to hit")] == ["-1", "to", "hit"]


def test_a_mixed_word_is_told_at_its_letter_and_read_in_one_script() -> None:
    source, (finding,) = settled(Source("a", "Cтрелци бягат"))
    assert source.text == "Стрелци бягат"
    assert (finding.name, finding.place) == ("latin-in-cyrillic", "a:1:1")


def test_which_script_is_meant_where_all_letters_are_in_both() -> None:
    assert settled(Source("a", "сop бяга, а Ела чака"))[0].text.startswith("сор ")
    assert settled(Source("a", "сop flees, and Elm waits"))[0].text.startswith("cop ")
    assert settled(Source("a", "сop flees from сор, and Elm waits"))[0].text.startswith("сор ")


@pytest.mark.parametrize(
    "text",
    [
        "правило стрелци-on-success",
        "# коментaр",
        "  бележка коментaр\n    и ощe",
        '  прочит "коментaр"',
        "правило а „коментaр“",
        "  приема A-1 „на два\n    рeда“",
        "A-бг-01.т",
    ],
)
def test_where_letters_of_two_scripts_do_no_harm(text: str) -> None:
    assert settled(Source("a", text)) == (Source("a", text), [])


def test_after_a_quotation_and_a_note_words_are_looked_at_again() -> None:
    text = '  бележка еднo\n  и "двe" е трe\n  и 6" от чeтири 5" ощe\n'
    assert [d.span.line for d in settled(Source("a", text))[1] if d.span] == [2, 3, 3]


def test_words_of_look_alike_letters() -> None:
    assert twin("cop") == "сор"
    assert twin("сор") == "cop"
    assert twin("стрелци") is None
    assert in_script("Cтpeлa", "Cyrillic") == "Стрела"
    assert look_alike("cop", "Сор")
    assert not look_alike("сор", "Сор")
    assert mixed_words("a " * 10 + "б" * 10) == []


def test_keywords_in_look_alike_letters_are_told_and_read() -> None:
    text = "език български\n\nвид конница\n  e войска\n  bg: конница\n\nвеличина сила\n  bg: силата на {войска}\n"
    blocks, wrong = parse(Source("a", f"{text}  bg c: сила {{value}}\n"))
    assert [(d.name, d.place) for d in wrong] == [("latin-for-cyrillic", "a:4:3"), ("latin-for-cyrillic", "a:9:3")]
    assert [c.kind for c in blocks[0].clauses] == ["is_a", "wording"]
    assert [c.kind for c in blocks[1].clauses] == ["wording", "attribute"]


def test_what_is_typed_to_a_session_is_looked_at_too() -> None:
    session = open_session("t9a-2", rules=RULES)
    session.give("Red\u00a0is a si\u00adde")
    with pytest.raises(Fault, match="Archers"):
        session.give("Аrchers is a unit of Red")
    with pytest.raises(Fault, match="is typed in Cyrillic"):
        session.give("Archers is а unit of Red")
    assert typed("a\u00a0b", "en").text == "a b"
    assert plain("й".join("аб")) == unicodedata.normalize("NFC", "ай" + "б")
