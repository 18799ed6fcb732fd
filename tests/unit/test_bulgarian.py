"""Bulgarian files: what its table adds to the language, and what is alike in both languages."""

import unicodedata
from pathlib import Path

import pytest

from rulewright.explain.rules import items_of, read_back
from rulewright.model import Edition, Vocabulary
from rulewright.phrases.filling import Filling, combined, fill
from rulewright.phrases.wording import number_text
from rulewright.phrases.words import split
from rulewright.resolve.rules import resolve_edition
from rulewright.resolve.vocabulary import resolve_vocabulary
from rulewright.syntax.keywords import languages
from rulewright.syntax.parser import parse
from rulewright.text import Source
from rulewright.workspace import Tree, read

BULGARIAN, ENGLISH = languages()["bg"], languages()["en"]
VOCABULARY = """език български

вид войска
  bg: войска|войски

вид конница
  е войска
  bg: конница|конници

вид ход
  bg: ход|ходове

име стрели
  е dimension
  bg: стрели|стрела

име игра
  е window
  bg: боя

факт уморена
  bg: {войска} е уморена
  bg не: {войска} не е уморена
  bg not: {войска} е отпочинала

факт близо
  място {друга} е конница
  място {брой} е число
  bg: {войска} е близо до {друга} по {брой}

величина запас
  измерва се в стрели
  bg: запасът на {войска}
  bg с: запас {value}

събитие хаби
  място {брой} е брой стрели
  bg: {войска} хаби|хабят {брой}
  при това запасът на {войска} намалява с {брой}

събитие почива
  bg: {войска} почива|почиват

събитие край
  bg: боят свършва
  приключва боя

сметка изхабени
  измерва се в стрели
  bg: изхабените от {войска} стрели
  сумира {брой}, когато {войска} хаби {брой} стрели
  за game-window
"""
RULES = """език български

издание проба "Проба"

правило умора "Умората"
  когато {войска} хаби {колко} стрели
  и запасът на {войска} е по-малко от 2,5
  и {войска} не е {друга}
  и {друга} е конница
  тогава {войска} е уморена
    до края на боя
    до мига, в който {войска} почива
"""


def resolved(text: str) -> tuple[Vocabulary, list[str]]:
    blocks, wrong = parse(Source("words", text))
    vocabulary, found = resolve_vocabulary(blocks)
    return vocabulary, [str(d) for d in (*wrong, *found)]


def edition(rules: str = RULES) -> Edition:
    words = VOCABULARY.replace("  за game-window", "  за боя").replace("име игра", "име game-window")
    blocks = [b for text in (words, rules) for b in parse(Source("text", text))[0]]
    found, wrong = resolve_edition(blocks)
    assert found is not None
    assert not wrong, "\n".join(map(str, wrong))
    return found


@pytest.mark.parametrize("table", ["keywords", "suffixes", "comparisons", "numbers", "sentences"])
def test_the_bulgarian_table_says_all_that_the_english_one_says(table: str) -> None:
    assert getattr(BULGARIAN, table).keys() == getattr(ENGLISH, table).keys()
    assert all(getattr(BULGARIAN, table).values())


def test_a_comma_is_a_decimal_mark_where_the_table_says_so_and_a_point_is_one_everywhere() -> None:
    assert [(w.type, w.text) for w in split('6,5" и 7.25', ",")][:1] == [("number", "6.5")]
    assert [w.text for w in split("7.25", ",")] == ["7.25"]
    assert [w.text for w in split("20, 30", ",")] == ["20", ",", "30"]
    assert [w.text for w in split("6,5")] == ["6", ",", "5"]


def test_numbers_are_written_with_the_decimal_mark_of_the_language() -> None:
    (rule,) = edition().rules
    assert number_text(rule.conditions[0].right.value, BULGARIAN.decimal) == "2,5"  # type: ignore[union-attr]


def test_roles_kinds_sums_and_suffixes_are_read_in_bulgarian() -> None:
    found = edition().vocabulary
    assert found.kinds["конница"].parent == "войска"
    assert [(r.name, r.kind, r.dimension) for r in found.phrases["хаби"].roles] == [
        ("войска", "войска", None),
        ("брой", "number", "стрели"),
    ]
    assert [(r.name, r.kind) for r in found.phrases["близо"].roles][1:] == [("друга", "конница"), ("брой", "number")]
    assert [w.form for w in found.phrases["уморена"].wordings] == ["plain", "not", "not"]
    assert found.tallies["изхабени"].amount.name == "брой"


def test_a_parent_that_nothing_is_called_is_told() -> None:
    _, wrong = resolved("език български\n\nвид конница\n  е войски\n  bg: конница\n")
    assert any("войски" in text for text in wrong)


@pytest.mark.parametrize(
    "changed",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: unicodedata.normalize("NFD", text),
        lambda text: text.replace("правило", "ПРАВИЛО").replace("когато", "Когато").replace("тогава", "ТОГАВА"),
        lambda text: text.replace("хаби", "ХАБИ"),
        lambda text: text.replace('"Умората"', "„Умората“"),
        lambda text: text.replace("2,5", "2.5"),
        lambda text: text.replace("е по-малко от", "е под"),
    ],
    ids=["line-ends", "decomposed", "capital-keywords", "capital-words", "quotes", "decimal-point", "other-form"],
)
def test_what_makes_no_difference(changed: object, tmp_path: Path) -> None:
    assert callable(changed)
    file = tmp_path / "a.rules"
    file.write_bytes(changed(RULES).encode())
    source = read(file, "a")
    assert isinstance(source, Source)
    assert edition(source.text).rules == edition().rules


def test_a_variable_is_no_word_for_a_kind() -> None:
    rules = RULES.replace("{войска} не е {друга}", "{друга} не е {войска}")
    (rule,) = edition(rules).rules
    assert type(rule.conditions[1]).__name__ == "Same"


def test_until_is_written_as_fits_what_follows() -> None:
    (item,) = items_of(edition())
    text = read_back(item, BULGARIAN)
    assert "    до края на боя" in text
    assert "    до мига, в който {войска} почива" in text


@pytest.mark.parametrize("name", ["psychology", "skirmish", "t9a-2", "t9a-3"])
def test_every_word_of_an_edition_is_worded_in_both_languages(name: str) -> None:
    tree = Tree(Path(__file__).parents[2] / "rules", "rules")
    loaded = tree.load(name).edition
    assert loaded is not None
    vocabulary = loaded.vocabulary
    items = [*vocabulary.phrases.values(), *vocabulary.shorthands.values(), *vocabulary.names.values()]
    items += [k for k in vocabulary.kinds.values() if k.wordings]
    lacking = [
        f"{item.ident} ({form})"
        for item in items
        for form in {w.form for w in item.wordings}
        if {w.language for w in item.wordings if w.form == form} != {"bg", "en"}
    ]
    assert lacking == []


@pytest.mark.parametrize("name", ["psychology", "skirmish", "t9a-2", "t9a-3"])
def test_no_measure_ends_in_a_clause_that_would_need_a_comma_after_it(name: str) -> None:
    loaded = Tree(Path(__file__).parents[2] / "rules", "rules").load(name).edition
    assert loaded is not None
    measures = [p for p in loaded.vocabulary.phrases.values() if p.kind in ("measure", "tally", "snapshot")]
    wordings = [w.template for p in measures for w in p.wordings if w.language == "bg"]
    assert wordings
    assert [template for template in wordings if "," in template] == []


@pytest.mark.parametrize(
    ("left", "sentence"),
    [
        ("{разстояние}", "{разстояние} е по-малко от 3"),
        ("{съставна-част}", "{съставна-част} е по-малка от 3"),
        ("{по-нисък}", "{по-нисък} е по-малък от 3"),
        ("фигурите на {отряд}", "фигурите на {отряд} са по-малко от 3"),
        ("Петко", "Петко е по-малък от 3"),
    ],
)
def test_forms_agree_with_the_first_word_of_what_they_are_about(left: str, sentence: str) -> None:
    places = {"left": Filling(left), "right": Filling("3")}
    assert fill(BULGARIAN, BULGARIAN.comparisons["<"][0], places) == sentence


def test_verbs_after_a_comma_agree_with_what_stands_there() -> None:
    places = {"enemy": Filling("Бор"), "unit": Filling("Стрелците")}
    wording = "{enemy} е|са най-близкият враг, по когото {unit} може|могат да стреля|стрелят"
    assert fill(BULGARIAN, wording, places) == "Бор е най-близкият враг, по когото Стрелците могат да стрелят"


def test_a_value_after_a_preposition_takes_its_second_form() -> None:
    places = [Filling("радиусът", second="радиуса"), Filling("обсегът", second="обсега")]
    both = combined(BULGARIAN, "plus", *places)
    assert (both.text, both.second) == ("радиусът плюс обсега", "радиуса плюс обсега")
