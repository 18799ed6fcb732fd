"""What passes a limit of the engine is told before anything is lost."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pytest

from rulewright.backends.base import BackendError, Matcher
from rulewright.backends.durable import DurableMatcher
from rulewright.backends.reference import ReferenceMatcher
from rulewright.diagnostics import Fault
from rulewright.productions import Fact, Firing, Program
from rulewright.session.session import Session
from rulewright.workspace import load_edition

WORDS = """
language English

kind unit
  en: unit|units

event meets
  en: {unit} meets all

fact next
  role {other} is a unit
  en: {unit} stands by {other}

fact seen
  role {other} is a unit
  role {third} is a unit
  en: {unit} saw {other} and {third}
"""

RULES = """
language English

edition e "Limits"
  note made up

rule crossing
  when {unit} meets all
  and {unit} stands by {friend}
  and {guest} stands by {captain}
  then {unit} saw {friend} and {guest}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for place, text in (("vocabulary", WORDS), ("e", RULES)):
        (tmp_path / place).mkdir()
        (tmp_path / place / "text.rules").write_text(text.lstrip())
    return tmp_path


def opened(root: Path, backend) -> Session:  # type: ignore[no-untyped-def]
    session = Session(load_edition("e", root), backend)
    for number in range(6):
        session.give(f"U{number} is a unit")
    for number in range(6):
        session.give(f"U0 stands by U{number}")
    return session


@pytest.mark.parametrize("backend", [DurableMatcher, ReferenceMatcher])
def test_an_event_with_too_many_firings_is_refused_and_leaves_no_trace(root: Path, backend) -> None:  # type: ignore[no-untyped-def]
    session = opened(root, partial(backend, firings_per_cycle=40))
    facts = session.facts()
    with pytest.raises(Fault) as caught:
        session.happens("U0 meets all")
    assert [d.name for d in caught.value.diagnostics] == ["engine-limit"]
    assert "more than 40 firings" in str(caught.value)
    assert session.facts() == facts
    assert not session.steps
    session.happens("U1 meets all")
    assert len(session.steps) == 1
    session.close()


class Full(ReferenceMatcher):
    """A backend that has room for no fact about U5."""

    def add(self, fact: Fact) -> None:
        if "U5" in fact.values and fact.predicate == "fact:next":
            raise BackendError("there is no room")
        super().add(fact)


def test_a_fact_that_finds_no_room_is_refused_and_leaves_no_trace(root: Path) -> None:
    session = Session(load_edition("e", root), Full)
    for sentence in ("U4 is a unit", "U5 is a unit", "U4 stands by U4"):
        session.give(sentence)
    with pytest.raises(Fault) as caught:
        session.give("U4 stands by U5")
    assert [d.name for d in caught.value.diagnostics] == ["engine-limit"]
    assert session.facts() == ["U4 stands by U4"]
    session.happens("U4 meets all")
    assert len(session.matches) == 1


def test_a_rule_that_the_engine_cannot_hold_is_found_when_it_is_loaded(root: Path) -> None:
    animals = (
        "ant",
        "bear",
        "cat",
        "dog",
        "elk",
        "fox",
        "goat",
        "hare",
        "jay",
        "kite",
        "lynx",
        "mole",
        "newt",
        "owl",
        "pig",
    )
    lines = ["rule crowd", "when {unit} meets all", *(f"and {{unit}} stands by {{{name}}}" for name in animals)]
    lines.append("and {ant} stands by {unit}")
    text = "\n  ".join([*lines, "then {ant} saw {bear} and {cat}"])
    (root / "e" / "more.rules").write_text(f"language English\n\n{text}\n")
    with pytest.raises(Fault) as caught:
        load_edition("e", root)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.name == "beyond-the-engine"
    assert diagnostic.place == f"{root}/e/more.rules:3:1"
    assert "the limit is 16" in diagnostic.message


def test_the_session_says_so_when_the_engine_fails_in_the_middle(root: Path) -> None:
    calls: list[int] = []

    class Failing(ReferenceMatcher):
        def stage(self, number: int, tokens: Iterable[Fact], derived: Iterable[Fact] = ()) -> tuple[Firing, ...]:
            calls.append(number)
            if len(calls) == 1:
                raise BackendError("durable_rules failed")
            return super().stage(number, tokens, derived)

    def start(program: Program) -> Matcher:
        return Failing(program)

    session = opened(root, start)
    facts = session.facts()
    with pytest.raises(Fault, match="durable_rules failed"):
        session.happens("U1 meets all")
    assert session.facts() == facts
    session.happens("U1 meets all")
    assert len(session.steps) == 1
    session.close()
