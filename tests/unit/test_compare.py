"""How editions are compared: what clauses are about, what they mean, which answer each other, what differs in them."""

from pathlib import Path

import pytest

from rulewright.compare.alignment import alike, best_pairs, match_clauses
from rulewright.compare.clauses import clauses_of
from rulewright.compare.marks import marked
from rulewright.compare.matrix import describe_matrix
from rulewright.compare.meaning import matched
from rulewright.compare.sides import Side, sides
from rulewright.explain.rules import items_of, read_back
from rulewright.model import Variable
from rulewright.syntax.keywords import languages
from rulewright.workspace import Tree

WORDS = """language English

kind unit
  en: unit|units

name models
  is a dimension
  en: models|model

name phase-window
  is a window
  en: phase

measure models
  counted in models
  en: the models of {unit}

event charges
  role {enemy} is a unit
  en: {unit} charges {enemy}

event loses
  role {amount} is a number of models
  en: {unit} loses {amount}
  en: {unit} loses models

event phase-starts
  en: the phase starts
  opens the phase

fact near
  role {other} is a unit
  en: {unit} is near {other}
  both ways

fact follows
  role {other} is a unit
  en: {unit} follows {other}

fact calm
  en: {unit} is calm
"""


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    (tmp_path / "vocabulary").mkdir()
    (tmp_path / "vocabulary" / "words.rules").write_text(WORDS, encoding="utf-8")
    return Tree(tmp_path, "")


def editions(tree: Tree, one: str, other: str) -> tuple[Side, ...]:
    for name, text in (("one", one), ("other", other)):
        folder = Path(str(tree.root)) / name
        folder.mkdir()
        (folder / "edition.rules").write_text(
            f'language English\n\nedition {name} "{name}"\n  note for a test\n\n{text}', encoding="utf-8"
        )
    return sides(tree, ["one", "other"])


def signs(tree: Tree, one: str, other: str, concept: str = "a") -> list[str]:
    data = describe_matrix(editions(tree, one, other), None, "en")
    found = next(c for c in data["concepts"] if c["concept"] == concept)
    return [line["sign"] for row in found["rows"] for line in row["lines"]]


RULE = """rule r
  concept a
  when {unit} charges {enemy}
  and {unit} is near {enemy}
  then {unit} follows {enemy}
"""


# --- what clauses mean ---------------------------------------------------------------------------------------------


def test_what_variables_and_rules_are_called_makes_no_difference(tree: Tree) -> None:
    other = RULE.replace("{unit}", "{one}").replace("{enemy}", "{two}").replace("rule r", "rule other")
    assert signs(tree, RULE, other) == ["same"] * 3


def test_places_that_may_be_exchanged_make_none_either(tree: Tree) -> None:
    assert signs(tree, RULE, RULE.replace("{unit} is near {enemy}", "{enemy} is near {unit}")) == ["same"] * 3


def test_who_is_meant_does(tree: Tree) -> None:
    assert signs(tree, RULE, RULE.replace("{unit} follows {enemy}", "{enemy} follows {unit}")) == [
        "same",
        "same",
        "differs",
    ]


def test_a_word_of_two_editions_is_two_words(tree: Tree) -> None:
    own = "fact shaken\n  en: {unit} is Shaken\n\n" + RULE.replace("{unit} follows {enemy}", "{unit} is Shaken")
    assert signs(tree, own, own) == ["same", "same", "own"]


SUM = """tally lost
  counted in models
  en: the models {unit} lost this phase
  sums {amount} of {unit} loses {amount} models
  over the phase

rule r
  concept a
  when {unit} loses models
  and the models {unit} lost this phase are at least 3
  then {unit} is calm
"""


def test_a_sum_means_what_it_is_made_of(tree: Tree) -> None:
    assert set(signs(tree, SUM, SUM)) == {"same"}


def test_a_sum_of_other_things_is_another_though_it_is_worded_alike(tree: Tree) -> None:
    other = SUM.replace("  over the phase\n", "  if {unit} is calm\n  over the phase\n")
    assert signs(tree, SUM, other) == ["same", "own", "same", "some", "same", "same"]


def test_no_two_variables_stand_for_one() -> None:
    one, two, three = Variable("one"), Variable("two"), Variable("three")
    assert matched((one, two), (three, three), {}) is None
    assert matched((one, one), (two, three), {}) is None
    assert matched((one, two), (two, one), {}) == {"one": "two", "two": "one"}


# --- what clauses are about ----------------------------------------------------------------------------------------

FACETS = """rule r
  concept a
  assuming A-1 "something"
  concept a.when
  when {unit} charges {enemy}
  concept a.near, a.far
  and {unit} is near {enemy}
  then {unit} follows {enemy}
"""


def test_a_concept_before_a_clause_is_about_that_clause(tree: Tree) -> None:
    data = describe_matrix(editions(tree, FACETS, RULE), None, "en")
    told = {c["concept"]: [line["clauses"][0]["part"] for line in c["rows"][0]["lines"]] for c in data["concepts"]}
    assert told == {"a": ["when", "if", "then"], "a.when": ["when"], "a.near": ["if"], "a.far": ["if"]}
    assert {c["concept"]: c["below"] for c in data["concepts"]} == {
        "a": None,
        "a.when": "a",
        "a.near": "a",
        "a.far": "a",
    }
    assert {c["concept"]: c["verdict"] for c in data["concepts"]}["a.near"] == "alone"


def test_it_is_read_back_where_it_stands(tree: Tree) -> None:
    (item,) = items_of(editions(tree, FACETS, RULE)[0].edition)
    assert read_back(item, languages()["en"]) == FACETS.replace("rule r", 'rule r "r"').rstrip()


def test_a_block_with_no_concept_at_its_head_is_about_what_stands_before_its_clauses(tree: Tree) -> None:
    late = 'rule r\n  assuming A-1 "something"\n  concept a\n  when {unit} charges {enemy}\n  then {unit} is calm\n'
    assert signs(tree, late, late) == ["same", "same"]


# --- which answer each other ---------------------------------------------------------------------------------------


def test_clauses_that_say_the_same_are_found_before_those_that_are_alike(tree: Tree) -> None:
    two = RULE.replace("  then", "  and {unit} is near {third}\n  and {third} follows {enemy}\n  then")
    one, other = editions(tree, RULE, two)
    told = [clauses_of(items_of(side.edition)[0], side, languages()["en"]) for side in (one, other)]
    found = match_clauses(*told)
    assert found.links == {0: 0, 1: 1, 2: 4}
    assert found.equal == {0, 1, 2}


def test_the_best_pairs_come_first() -> None:
    likeness = {("a", "x"): 0.6, ("a", "y"): 0.9, ("b", "y"): 0.95, ("b", "x"): 0.1}
    assert best_pairs("ab", "xy", lambda a, b: likeness[a, b], 0.5) == {"b": "y", "a": "x"}
    assert best_pairs("ab", "xy", lambda a, b: likeness[a, b], 0.7) == {"b": "y"}


def test_what_variables_are_called_makes_nothing_less_alike() -> None:
    assert alike("{unit} flees from {enemy}", "{one} flees from {two}") == 1


# --- what differs ----------------------------------------------------------------------------------------------------


def test_the_words_that_differ_are_marked() -> None:
    pieces = marked(["at least 25% of the models", "at least a third of the health points"])
    assert [[p.text for p in each if p.differs] for each in pieces] == [["25%", "models"], ["a third", "health points"]]


def test_of_several_what_any_other_lacks_is_marked() -> None:
    pieces = marked(["a b c", "a b d", "a e d"])
    assert [[p.text for p in each if p.differs] for each in pieces] == [["b c"], ["b d"], ["e d"]]
