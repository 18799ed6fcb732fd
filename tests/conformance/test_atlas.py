"""An atlas of editions: one situation, several books; its whole table of outcomes, and what sets the books apart."""

import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from rulewright.backends.reference import ReferenceMatcher
from rulewright.compare.matrix import describe_matrix
from rulewright.compare.sides import sides
from rulewright.scenarios.runner import play
from rulewright.session.session import Session
from rulewright.workspace import Tree, load_cached, load_for, read_scenarios

TESTS = Path(__file__).parents[1]
ATLAS = TESTS / "atlas"
OUTCOMES = tomllib.loads((ATLAS / "outcomes.toml").read_text(encoding="utf-8"))
LETTERS = "abcdef"
SHOT = "a ranged attack of Foes"
BEGINS = {
    "same phase": (),
    "another phase": ("the magic phase starts",),
    "another turn": ("the turn of Blue starts", "the shooting phase starts"),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """The books, with the shared vocabulary and their own words laid over it."""
    root = tmp_path_factory.mktemp("atlas")
    shutil.copytree(TESTS.parent / "rules" / "vocabulary", root / "vocabulary")
    shutil.copytree(ATLAS, root, dirs_exist_ok=True)
    return Tree(root, "")


class Table:
    """A battle under one book."""

    def __init__(self, tree: Tree, letter: str, unit: str) -> None:
        loaded = load_cached(tree, f"book-{letter}")
        assert loaded.compiled is not None, loaded.diagnostics
        self.session = Session(loaded.compiled, ReferenceMatcher)
        for sentence in ("Red is a side", "Blue is a side", "Friends is a unit of Red", "Foes is a unit of Blue", unit):
            self.session.give(sentence)
        self.tested = False
        self.happens("the turn of Red starts")
        self.happens("the shooting phase starts")

    def happens(self, event: str) -> None:
        """Lets something happen; a test that it calls for is passed."""
        request = self.session.happens(event)
        while request is not None:
            assert request.kind == "roll"
            self.tested = True
            request = self.session.answer(2)

    def loses(
        self, number: str, cause: str = SHOT, counted: tuple[str, ...] = ("models", "health points", "points")
    ) -> None:
        """So many of each sort of thing are lost."""
        for sort in counted:
            self.happens(f"Archers loses {number} {sort}{' of strength' if sort == 'points' else ''} to {cause}")


def unit(size: str) -> str:
    return (
        f"Archers is a unit of Red with {size} models, {size} health points, {size} points of strength and Discipline 7"
    )


def who_tests(tree: Tree, unit: str, *losses: Any) -> str:
    """The letters of the books under which some losses call for a test."""
    found = ""
    for letter in LETTERS:
        table = Table(tree, letter, unit)
        for loss in losses:
            loss(table)
        found += letter if table.tested else ""
        table.session.close()
    return found


@pytest.mark.parametrize("losses", OUTCOMES["lost"])
def test_lost_at_once(losses: str, tree: Tree) -> None:
    lost, size = losses.split(" of ")
    assert who_tests(tree, unit(size), lambda table: table.loses(lost)) == OUTCOMES["lost"][losses]


@pytest.mark.parametrize("losses", OUTCOMES["lost-by-a-monster"])
def test_lost_by_a_monster(losses: str, tree: Tree) -> None:
    lost, size = losses.split(" of ")
    monster = f"Archers is a unit of Red with 1 model, {size} health points, {size} points of strength and Discipline 7"
    told = who_tests(tree, monster, lambda table: table.loses(lost, counted=("health points",)))
    assert told == OUTCOMES["lost-by-a-monster"][losses]


@pytest.mark.parametrize("cause", OUTCOMES["cause"])
def test_lost_to_what(cause: str, tree: Tree) -> None:
    assert who_tests(tree, unit("20"), lambda table: table.loses("6", cause)) == OUTCOMES["cause"][cause]


@pytest.mark.parametrize("losses", OUTCOMES["later"])
def test_lost_bit_by_bit(losses: str, tree: Tree) -> None:
    lost, begins = losses.split(" in ")

    def time_passes(table: Table) -> None:
        for event in BEGINS[begins.removeprefix("the ")]:
            table.happens(event)

    told = who_tests(tree, unit("20"), lambda t: t.loses("4"), time_passes, lambda t: t.loses(lost))
    assert told == OUTCOMES["later"][losses]


@pytest.mark.parametrize("letter", LETTERS)
def test_nothing_is_wrong_with_a_book(letter: str, tree: Tree) -> None:
    name = f"book-{letter}"
    assert tree.check(name) == ()
    scenarios, findings = read_scenarios(ATLAS / name / "scenarios" / "losses.scenario", name)
    assert not findings
    for scenario in scenarios:
        compiled = load_for(tree, scenario).compiled
        assert compiled is not None
        played = play(scenario, compiled, ReferenceMatcher)
        assert played.passed, scenario.ident
        played.session.close()


# --- what sets them apart ---------------------------------------------------------------------------------------------


def parted(tree: Tree, one: str, other: str) -> set[tuple[str, str | None, str | None]]:
    """Where two books part: the part of the block, and what either says there that the other does not."""
    data = describe_matrix(sides(tree, [f"book-{one}", f"book-{other}"]), "panic.trigger.losses", "en")
    lines = [line for row in data["concepts"][0]["rows"] for line in row["lines"] if line["sign"] != "same"]
    return {(_part(line), *(_marked(clause, line["sign"]) for clause in line["clauses"])) for line in lines}


def _part(line: dict[str, Any]) -> str:
    return next(clause["part"] for clause in line["clauses"] if clause is not None)


def _marked(clause: dict[str, Any] | None, sign: str) -> str | None:
    if clause is None:
        return None
    return clause["text"] if sign == "some" else " … ".join(p["text"] for p in clause["pieces"] if p["differs"])


def test_more_than_a_quarter_and_at_least_and_single_models(tree: Tree) -> None:
    assert parted(tree, "a", "b") == {
        ("if", "at least", "more than"),
        ("unless", "the models {unit} began the game with are exactly 1", None),
    }


def test_the_turn_and_the_phase_and_what_counts(tree: Tree) -> None:
    assert parted(tree, "c", "f") == {
        ("if", "and magic … turn … turn", "enemy … phase … phase"),
        ("sums", "", "of {enemy}"),
        ("sums-if", "or {means} is a spell", ""),
        ("sums-if", None, "{enemy} is an enemy of {unit}"),
        ("over", "turn", "phase"),
        ("unless", "the models {unit} began the game with are exactly 1", None),
    }


def test_the_battle_and_the_phase(tree: Tree) -> None:
    assert parted(tree, "e", "f") == {
        ("if", "battle … more than … began … game with", "phase … at least … had at … start of the phase"),
        ("over", "game", "phase"),
    }


def test_models_and_strength(tree: Tree) -> None:
    assert parted(tree, "b", "d") == {
        ("when", "models", "strength"),
        (
            "if",
            "models … phase are more than … models … had at … start of the phase",
            "unit strength … battle is at least … unit strength … began … game with",
        ),
        ("sums", "models", "points of strength"),
        ("over", "phase", "game"),
    }


def test_a_book_is_no_other_than_itself(tree: Tree) -> None:
    shutil.copytree(tree.root.joinpath("book-a"), tree.root.joinpath("copy"))  # type: ignore[arg-type]
    try:
        file = Path(str(tree.root.joinpath("copy", "edition.rules")))
        file.write_text(file.read_text(encoding="utf-8").replace("edition book-a", "edition copy"), encoding="utf-8")
        data = describe_matrix(sides(tree, ["book-a", "copy"]), None, "en")
        assert {concept["verdict"] for concept in data["concepts"]} == {"same"}
    finally:
        shutil.rmtree(Path(str(tree.root.joinpath("copy"))))
