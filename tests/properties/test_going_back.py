"""A session that went back goes on as if it had never gone on; what its key leaves out changes nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from rulewright.backends.durable import DurableMatcher
from rulewright.diagnostics import Fault
from rulewright.model import Scenario
from rulewright.provenance import Step
from rulewright.scenarios.runner import play
from rulewright.session.saved import key_of
from rulewright.session.session import Session
from rulewright.workspace import find_tree, load_for, read_scenarios

RULES = Path("rules")


def battles() -> Iterator[Scenario]:
    for file in sorted(RULES.glob("*/scenarios/battles.scenario")):
        scenarios, _ = read_scenarios(file, str(file))
        yield from scenarios[:2]


def told(session: Session) -> tuple[list[Step], list[str], object]:
    return list(session.steps), session.facts(), session.game.world.values


@pytest.mark.parametrize("scenario", list(battles()), ids=lambda s: f"{s.edition}-{s.ident}")
def test_going_back_and_on_again_is_the_same_course(scenario: Scenario) -> None:
    compiled = load_for(find_tree(RULES), scenario).compiled
    assert compiled is not None
    played = play(scenario, compiled, DurableMatcher).session
    session = Session(compiled, DurableMatcher, scenario.language)
    dice = random.Random(1)
    try:
        for entry in played.log:
            saved = session.save()
            if session.request is not None and session.request.dice is not None:
                session.answer(dice.randint(session.request.dice.lowest, session.request.dice.highest))
                session.restore(saved)
            session.carry_out([entry])
            if dice.random() < 0.2:  # gone back to from further on, and over to another session
                other = session.fork()
                assert told(other) == told(session)
                session.restore(saved)
                session.carry_out([entry])
                assert told(other) == told(session)
                other.close()
        assert told(session) == told(played)
        columns = compiled.program.columns
        assert key_of(session.save().game, columns) == key_of(played.save().game, columns)
    finally:
        played.close()
        session.close()


def test_an_input_that_is_refused_leaves_the_session_as_it_was() -> None:
    scenario = next(battles())
    compiled = load_for(find_tree(RULES), scenario).compiled
    assert compiled is not None
    played = play(scenario, compiled, DurableMatcher).session
    before, log = told(played), list(played.log)
    with pytest.raises(Fault):
        played.happens("nobody knows what this says")
    with pytest.raises(Fault):
        played.answer(7)
    assert (told(played), played.log) == (before, log)
    played.close()
