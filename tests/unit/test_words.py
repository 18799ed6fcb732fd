"""Sentences as words, wordings as templates."""

import pytest

from rulewright.phrases.words import Fixed, Slot, fold, roles_of, split, template


def words(text: str) -> list[tuple[str, str]]:
    return [(w.type, w.text) for w in split(text)]


def test_variables_names_in_quotes_and_numbers_are_words() -> None:
    assert words('{unit} is within 6" of "Old Guard"') == [
        ("variable", "unit"),
        ("word", "is"),
        ("word", "within"),
        ("number", "6"),
        ("word", '"'),
        ("word", "of"),
        ("quoted", "Old Guard"),
    ]


@pytest.mark.parametrize("mark", ['"', "”", "″"])
def test_an_inch_mark_after_a_number_is_a_word_of_its_own(mark: str) -> None:
    assert [w.folded for w in split(f"6{mark}")] == ["6", '"']


@pytest.mark.parametrize("quotes", ['""', "“”", "„“", "„”", "«»"])
def test_names_may_stand_in_any_quotation_marks(quotes: str) -> None:
    assert words(f"{quotes[0]}Old Guard{quotes[1]} flees") == [("quoted", "Old Guard"), ("word", "flees")]


def test_a_full_stop_at_the_end_is_dropped_and_one_inside_is_not() -> None:
    assert words("Capt. Smith flees.") == [("word", "Capt"), ("word", "."), ("word", "Smith"), ("word", "flees")]


def test_hyphens_join_and_apostrophes_part() -> None:
    assert [w.text for w in split("men-at-arms's")] == ["men-at-arms", "'s"]


def test_a_comment_is_no_part_of_a_sentence() -> None:
    assert [w.text for w in split("{unit} flees  # at once")] == ["unit", "flees"]


def test_words_know_their_place() -> None:
    text = "the Discipline of {unit}"
    assert [text[w.start : w.end] for w in split(text)] == ["the", "Discipline", "of", "{unit}"]


@pytest.mark.parametrize(
    ("one", "other"), [("Café", "CAFE\u0301"), ("D’Artagnan", "d'artagnan"), ("6”", '6"'), ("Straße", "STRASSE")]
)
def test_folded_words_are_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)
    assert [w.folded for w in split(one)] == [w.folded for w in split(other)]


def test_a_template_has_fixed_words_and_places() -> None:
    assert template("{unit} loses|lose {amount}") == (Slot("unit"), Fixed(("loses", "lose"), "loses"), Slot("amount"))
    assert template("no {test:bare}") == (Fixed(("no",), "no"), Slot("test", bare=True))
    assert roles_of("{unit} flees through {other}") == ("unit", "other")
