"""What a line at the table can go on with."""

from collections.abc import Iterator

import pytest

import rulewright
from rulewright.session.session import Session
from rulewright.syntax.signs import typed
from rulewright.table.proposals import proposals

COMMANDS = ("undo", "save")


@pytest.fixture(scope="module")
def muster() -> Iterator[Session]:
    session = rulewright.open_session("t9a-2")
    session.give("Red is a side")
    session.give("Archers is a unit of Red with 20 models, 20 health points and Discipline 7")
    session.give("Black Knights is a unit of Red with 5 models")
    yield session
    session.close()


def texts(session: Session, line: str) -> list[str]:
    return [proposal.text for proposal in proposals(line, session, COMMANDS)]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("", "Archers"),
        ("Bl", "Black Knights"),
        ("Black ", "Knights"),
        ("Black Kn", "Knights"),
        ("Archers lo", "loses"),
        ("Archers loses 5 ", "health points"),
        ("Archers loses 5 h", "health points"),
        ("Archers loses 5 health points ", "to"),
        ("Archers loses 5 health points to an attack of ", "Black Knights"),
        ("the Disc", "Discipline of"),
        ("the Discipline of Archers ", "is"),
        ("Spears is ", "a"),
        ("Spears is a ", "unit"),
        ("Spears is a unit of ", "Red"),
        ("Spears is a unit of Red ", "with"),
        ("Spears is a unit of Red with ", "Discipline"),
        ("Spears is a unit of Red with 20 models, 9 ", "health points"),
        ("may Archers ", "shoot"),
        ("is Archers fl", "fleeing"),
        ("un", "undo"),
    ],
)
def test_a_line_goes_on(muster: Session, line: str, wanted: str) -> None:
    found = proposals(line, muster, COMMANDS)
    assert wanted in [proposal.text for proposal in found]
    begun = line.rpartition(" ")[2]
    assert all(proposal.replaces == len(begun) for proposal in found)


@pytest.mark.parametrize(
    ("line", "unwanted"),
    [
        ("Archers loses ", "is a"),
        ("Archers loses 5 ", "Red"),
        ("Archers loses 5 health points to an attack of ", "Red"),
        ("Spears is a unit of ", "Archers"),
        ("Spears is a unit of Red with ", "the Discipline of"),
    ],
)
def test_only_what_fits_a_place_is_proposed(muster: Session, line: str, unwanted: str) -> None:
    assert texts(muster, line)
    assert unwanted not in texts(muster, line)


def test_sentences_that_are_made_of_proposals_alone_can_be_read(muster: Session) -> None:
    line = ""
    for wanted in ("Archers", "flees directly away from", "Black Knights"):
        assert wanted in texts(muster, line)
        line = f"{line}{wanted} "
    assert muster.read_happening(typed(line, "en"))


def test_what_is_asked_for_is_proposed_first() -> None:
    session = rulewright.open_session("t9a-2")
    session.give("Red is a side")
    session.give("Archers is a unit of Red with 20 models, 20 health points and Discipline 7")
    session.happens("Archers loses 5 health points to dangerous terrain")
    assert texts(session, "")[0] == "Archers rolls 7 for its Panic test"
    assert texts(session, "Archers ro") == ["Archers rolls 7 for its Panic test"]
    session.close()


def test_bulgarian_sentences_go_on_in_bulgarian() -> None:
    from rulewright.backends.durable import DurableMatcher

    session = Session(rulewright.load_edition("skirmish"), DurableMatcher, "bg")
    session.give("Вълците са страна")
    assert "на" in texts(session, "Бор е воин ")
    assert "Вълците" in texts(session, "Бор е воин на ")
    assert "лидерство" in texts(session, "Бор е воин на Вълците с л")
    session.close()
