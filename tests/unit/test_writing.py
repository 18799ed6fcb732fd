"""Sentences written back: agreement, what is left open, and what is kept."""

from pathlib import Path

import pytest

from rulewright.convert.convert import convert, translator
from rulewright.convert.sentences import Place
from rulewright.lowering.compile import Compiled
from rulewright.phrases.lexicon import Thing
from rulewright.phrases.variables import variable_names
from rulewright.phrases.writing import NoWordingError
from rulewright.syntax.keywords import languages
from rulewright.text import Source, Span
from rulewright.workspace import Tree, load_cached

ENGLISH, BULGARIAN = languages()["en"], languages()["bg"]
TREE = Tree(Path(__file__).parents[2] / "rules", "rules")


def edition(name: str) -> Compiled:
    compiled = load_cached(TREE, name).compiled
    assert compiled is not None
    return compiled


def said(text: str, place: Place, to: str, name: str = "t9a-2") -> str:
    source, target = (ENGLISH, BULGARIAN) if to == "bg" else (BULGARIAN, ENGLISH)
    own = translator(edition(name), source, target)
    return own.sentence(Span(Source("input", text), 0, len(text)), place, {})


@pytest.mark.parametrize(
    ("english", "place", "bulgarian"),
    [
        ("the models of {unit} are at least 5", "condition", "фигурите на {unit} са поне 5"),
        ("the Discipline of {unit} is known", "condition", "дисциплината на {unit} е известна"),
        ('{friend} is within 6" of {unit}', "condition", '{friend} е на не повече от 6" от {unit}'),
        ("{unit} loses {amount} health points", "event", "{unit} губи {amount} точки живот"),
        ("{unit} loses 1 model", "effect", "{unit} губи 1 фигура"),
        ("{means} is a ranged attack", "condition", "{means} е атака от разстояние"),
        ("there is no {other}", "condition", "няма {other}"),
        ("it is not so that {unit} may not shoot", "condition", "не е вярно, че {unit} не може да стреля"),
        ("the total is at most half of the Discipline of {unit}", "comparison",
         "резултатът е най-много половината от дисциплината на {unit}"),
        ("the Discipline of {unit} is more than 12.5", "condition", "дисциплината на {unit} е по-голяма от 12,5"),
        ("the models of {unit} fall by 2", "effect", "фигурите на {unit} намаляват с 2"),
        ("add 1 to the roll", "effect", "към резултата се прибавя 1"),
        ("the test is rolled again", "effect", "тестът се хвърля отново"),
        ("{other} is a new unit", "effect", "{other} е нов отряд"),
        ("the end of the phase", "until", "края на фазата"),
        ("{enemy} by the player of {unit}", "choice", "{enemy} от играча на {unit}"),
        ("this comes from the rule heavy-losses", "condition", "това идва от правилото heavy-losses"),
        ("rule engaged does not fire", "expectation", "изключението engaged не се прилага"),
    ],
)  # fmt: skip
def test_what_is_said_in_one_language_is_said_in_the_other(english: str, place: Place, bulgarian: str) -> None:
    assert said(english, place, "bg") == bulgarian
    assert said(bulgarian, place, "en") == english.replace("rule engaged", "exemption engaged")


def test_words_agree_with_what_the_sentence_is_about() -> None:
    own = translator(edition("skirmish"), ENGLISH, BULGARIAN)
    names = [(name, Thing(name, "воин")) for name in ("Бор", "Ела", "Близнаците")]
    own = type(own)(own.source.with_things(names), own.target.with_things(names), own.writers)
    for text, wanted in (
        ("Бор is knocked down", "Бор е съборен"),
        ("Ела is knocked down", "Ела е съборена"),
        ("Близнаците are knocked down", "Близнаците са съборени"),
        ("Близнаците may attack Ела", "Близнаците могат да атакуват Ела"),
    ):
        assert own.sentence(Span(Source("input", text), 0, len(text)), "condition", {}) == wanted


def test_a_sentence_without_words_in_the_other_language_is_refused() -> None:
    with pytest.raises(NoWordingError):
        said("{unit} хърка", "event", "en")


def test_names_of_variables_go_there_and_back() -> None:
    vocabulary = edition("skirmish").edition.vocabulary
    names = ["unit", "enemy", "other-side", "whatsit", "side"]
    there = variable_names(names, ENGLISH, BULGARIAN, vocabulary)
    assert there == {
        "unit": "отряд",
        "enemy": "враг",
        "other-side": "друга-страна",
        "whatsit": "whatsit",
        "side": "страна",
    }
    back = variable_names(there.values(), BULGARIAN, ENGLISH, vocabulary)
    assert {there[name]: name for name in names} == back
    assert variable_names(["unit", "отряд"], ENGLISH, BULGARIAN, vocabulary)["unit"] == "unit"


def test_comments_blank_lines_and_notes_are_kept() -> None:
    text = """language English   # the first line

# A comment.

rule trampled "A crowd runs over us"
  note this stays
  cites t2-001 to t2-003, t2-005
  assuming A-gen-01 inclusive or exclusive
  when {friend} flees through {unit}
  and the models of {friend} are at least
      # in between
      the models of {unit}                 # behind
  then {unit} takes a Panic test
"""
    found, wrong = convert(Source("rules/t9a-2/more.rules", text), TREE, BULGARIAN)
    assert not wrong
    assert (
        found
        == """език български   # the first line

# A comment.

правило trampled "A crowd runs over us"
  бележка this stays
  цитира t2-001 до t2-003, t2-005
  приема A-gen-01 inclusive или exclusive
  когато {приятел} бяга през {отряд}
  # in between
  и фигурите на {приятел} са поне фигурите на {отряд}  # behind
  тогава {отряд} прави тест за паника
"""
    )


@pytest.mark.parametrize(("name", "code"), [("t9a-2", "bg"), ("t9a-3", "bg"), ("psychology", "bg"), ("skirmish", "en")])
def test_every_title_assumption_and_reason_is_translated(name: str, code: str) -> None:
    missing = set()
    for loaded in TREE.variants(name):
        assert loaded.edition is not None
        known = loaded.edition.texts.get(code, {})
        missing |= {t.text for t in loaded.edition.fixed_texts() if t.language != code and t.text not in known}
    assert missing == set()


def test_what_is_not_translated_is_marked() -> None:
    found = edition("t9a-2").edition
    assert found.text("A friend breaks from combat close by", "en", "bg") == "Приятел се пречупва в боя наблизо"
    assert found.text("A friend sneezes", "en", "bg") == "A friend sneezes [en]"
    assert found.text("A friend sneezes", "en", "en") == "A friend sneezes"
