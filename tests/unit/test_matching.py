"""Sentences matched to phrases: one reading for a sentence that is right, and what is said of one that is not."""

from fractions import Fraction
from pathlib import Path

import pytest

from rulewright.diagnostics import nearest
from rulewright.model import Arithmetic, Atom, Compare, Individual, MeasureOf, Number, Same, ShorthandUse, Variable
from rulewright.phrases.lexicon import Lexicon, Thing, vocabulary_things
from rulewright.phrases.matching import Reader
from rulewright.phrases.wording import Worder, number_text
from rulewright.resolve.sentences import Interpreter
from rulewright.syntax.keywords import languages
from rulewright.text import Source, Span
from rulewright.workspace import Tree

BASE = Path(__file__).parents[1] / "conformance" / "base"
UNIT, ENEMY = Variable("unit"), Variable("enemy")


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    edition = Tree(BASE, "").load("e").edition
    assert edition is not None
    english = languages()["en"]
    known = Lexicon(english, edition.vocabulary).with_things(vocabulary_things(edition.vocabulary, english))
    return known.with_things([("Archers", Thing("Archers", "unit")), ("The Old Guard", Thing("Old Guard", "unit"))])


def span(text: str) -> Span:
    return Span(Source("s", text), 0, len(text))


def told(lexicon: Lexicon, text: str) -> tuple[str, str]:
    interpreter = Interpreter(lexicon)
    interpreter.happening(span(text))
    (found,) = interpreter.diagnostics
    assert found.span is not None
    return found.name, found.span.text


def test_an_event_with_all_its_places(lexicon: Lexicon) -> None:
    (atom,) = Reader(lexicon, span("{unit} loses 5 health points to a spell")).events()
    assert (atom.phrase, atom.negated) == ("loses-health-points", False)
    assert set(atom.arguments) == {UNIT, Number(Fraction(5), "health-points"), Individual("spell")}


def test_a_place_that_a_wording_leaves_out_is_open(lexicon: Lexicon) -> None:
    (atom,) = Reader(lexicon, span("{unit} loses health points")).events()
    assert sorted(a is None for a in atom.arguments) == [False, True, True]


def test_a_negative_wording_is_a_negated_fact(lexicon: Lexicon) -> None:
    (atom,) = Reader(lexicon, span("{unit} is not engaged in combat")).facts()
    assert (atom.phrase, atom.negated) == ("engaged", True)


@pytest.mark.parametrize("fact", ["{unit} belongs to {side}", "{unit} is engaged in combat"])
def test_any_fact_can_be_denied(lexicon: Lexicon, fact: str) -> None:
    (plain,) = Reader(lexicon, span(fact)).facts()
    (denied,) = Reader(lexicon, span(f"it is not so that {fact}")).facts()
    assert (denied.phrase, denied.arguments, denied.negated) == (plain.phrase, plain.arguments, True)


@pytest.mark.parametrize("rest", ["", "Archers", "Archers is not fleeing", "Archers flees"])
def test_only_what_says_a_fact_can_be_denied(lexicon: Lexicon, rest: str) -> None:
    assert not Reader(lexicon, span(f"it is not so that {rest}")).conditions()


@pytest.mark.parametrize("name", ["Archers", "archers", "the Archers", '"Archers"', "Old Guard", "the old guard"])
def test_names_with_and_without_article_case_and_quotes(lexicon: Lexicon, name: str) -> None:
    assert len(Reader(lexicon, span(f"{name} flees")).events()) == 1


def test_a_name_of_another_kind_is_no_reading(lexicon: Lexicon) -> None:
    assert Reader(lexicon, span("{unit} loses 5 health points to Archers")).events() == []
    assert Reader(lexicon, span("{unit} loses 5 health points to Archers"), lenient=True).events() != []


@pytest.mark.parametrize(
    ("sentence", "operator"),
    [
        ("the Discipline of {unit} is at least 7", ">="),
        ("the Discipline of {unit} is more than 7", ">"),
        ("the Discipline of {unit} is at most 7", "<="),
        ("the Discipline of {unit} is less than 7", "<"),
        ("the Discipline of {unit} is exactly 7", "="),
        ("the Discipline of {unit} is not 7", "!="),
    ],
)
def test_comparisons(lexicon: Lexicon, sentence: str, operator: str) -> None:
    (compare,) = Reader(lexicon, span(sentence)).conditions()
    assert compare == Compare(MeasureOf("discipline", (UNIT,)), operator, Number(Fraction(7)), span(sentence))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "factor"),
    [("25% of", "1/4"), ("25 percent of", "1/4"), ("half of", "1/2"), ("a third of", "1/3"), ("4 times", "4")],
)
def test_parts_and_multiples_are_exact(lexicon: Lexicon, words: str, factor: str) -> None:
    ((found, _),) = [
        pair for pair in Reader(lexicon, span(f"{words} the Discipline of {{unit}}")).number(0) if pair[1] > 4
    ]
    assert found == Arithmetic("*", Number(Fraction(factor)), MeasureOf("discipline", (UNIT,)))


def test_a_shorthand_is_read_as_itself(lexicon: Lexicon) -> None:
    (use,) = Reader(lexicon, span('{unit} is within 6" of {enemy}')).conditions()
    assert isinstance(use, ShorthandUse)
    assert dict(zip((r.name for r in use.shorthand.roles), use.arguments, strict=True)) == {
        "one": UNIT,
        "other": ENEMY,
        "reach": Number(Fraction(6), "inches"),
    }


def test_two_variables_may_be_said_to_differ(lexicon: Lexicon) -> None:
    assert [type(c) for c in Reader(lexicon, span("{unit} is not {enemy}")).conditions()] == [Same]


def test_a_phrase_of_the_vocabulary_comes_before_two_names_for_one_thing(lexicon: Lexicon) -> None:
    known = lexicon.with_things([("fleeing", Thing("fleeing", "rule"))])
    assert [type(c) for c in Reader(known, span("{unit} is not fleeing")).conditions()] == [Atom]


@pytest.mark.parametrize(
    ("sentence", "name", "place"),
    [
        ("Archers flees quickly", "unknown-phrase", "Archers flees quickly"),
        ("Archrs flees", "unknown-name", "Archrs"),
        ("Archers loses 5 health points to Old Guard", "wrong-kind", "Old Guard"),
        ("Archers loses 5", "unit-missing", "5"),
        ("Archers loses 5 models", "wrong-unit", "5"),
        ("Archers loses 5 hit points", "unknown-unit", "hit points"),
        ("Archers loses 1,5 health points", "unclear-number", "1,5"),
        ("{unit flees", "open-brace", "{unit"),
        ('"Archers flees', "open-quote", '"Archers flees'),
        ("Archers flees and Archers is fleeing", "two-sentences", "and Archers is fleeing"),
        ("Archers\n  and flees", "too-deep", "and flees"),
        ("Archers flees\n  adn flees", "misspelt-keyword", "adn"),
    ],
)
def test_what_is_wrong_with_a_sentence(lexicon: Lexicon, sentence: str, name: str, place: str) -> None:
    assert told(lexicon, sentence) == (name, place)


def test_the_nearest_come_first_and_nothing_when_nothing_is_near() -> None:
    assert nearest("Archrs", ["Axes", "Archers", "Arches"]) == ["Archers", "Arches"]
    assert nearest("Knights", ["Axes", "Archers"]) == []


# --- wording ----------------------------------------------------------------------------------------------------------


def test_a_fact_is_worded_as_it_is_read(lexicon: Lexicon) -> None:
    worder = Worder(lexicon.vocabulary, lexicon.language, {})
    told = ("Archers flees", "Archers is fleeing", "Archers loses 5 health points to a spell")
    for sentence in (*told, "Archers is not fleeing", "it is not so that Archers belongs to {side}"):
        (atom,) = Reader(lexicon, span(sentence)).events() or Reader(lexicon, span(sentence)).facts()
        assert worder.atom(atom.phrase, atom.arguments, {}, atom.negated) == sentence


@pytest.mark.parametrize(
    ("number", "text"),
    [("5", "5"), ("-5", "-5"), ("1/2", "0.5"), ("1/8", "0.125"), ("1/3", "1/3"), ("1000000000000", "1000000000000")],
)
def test_numbers_are_written_exactly(number: str, text: str) -> None:
    assert number_text(Fraction(number)) == text


def test_one_of_a_thing_is_in_the_singular(lexicon: Lexicon) -> None:
    worder = Worder(lexicon.vocabulary, lexicon.language, {})
    assert [worder.number(Fraction(n), "health-points") for n in (1, 2)] == ["1 health point", "2 health points"]
    assert worder.number(Fraction(6), "inches") == '6"'
