"""Variables of one item are never taken for those of another, whatever they are called."""

from pathlib import Path

import pytest

from rulewright.backends.durable import DurableMatcher
from rulewright.lowering.workshop import Body, Workshop
from rulewright.model import Vocabulary
from rulewright.productions import Pattern, Var
from rulewright.session.session import Session
from rulewright.workspace import load_edition

WORDS = """
language English

kind unit
  en: unit|units

event strikes
  role {enemy} is a unit
  en: {unit} strikes {enemy}

event flees
  en: {unit} flees
  en not: {unit} does not flee

event rests
  en: all rest

fact angry
  en: {unit} is angry

fact guards
  role {other} is a unit
  en: {unit} guards {other}

rule run
  when {unit} strikes {enemy}
  choose {friend} at random
    where {friend} guards {enemy}
  then {enemy} flees

exemption held
  {unit} does not flee
  while there is a {friend}
    where {friend} is angry

rule calm
  when all rest
  and {unit} guards {friend}
  then {unit} is angry
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "vocabulary").mkdir()
    (tmp_path / "e").mkdir()
    vocabulary, _, rules = WORDS.lstrip().partition("rule run")
    (tmp_path / "vocabulary" / "words.rules").write_text(vocabulary)
    edition = 'language English\n\nedition e "Names"\n  note made up\n\nrule run'
    (tmp_path / "e" / "rules.rules").write_text(edition + rules)
    opened = Session(load_edition("e", tmp_path), DurableMatcher)
    for sentence in ("Ants is a unit", "Bees is a unit", "Cats is a unit", "Cats guards Bees"):
        opened.give(sentence)
    return opened


def test_a_friend_of_the_exemption_is_not_the_friend_of_the_rule(session: Session) -> None:
    session.give("Ants is angry")
    session.happens("Ants strikes Bees")
    (match,) = session.matches
    assert match.bindings["friend"] == "Cats"
    assert [d.item for d in match.defeats] == ["held"]


def test_an_event_without_places_happens(session: Session) -> None:
    session.happens("all rest")
    assert session.holds("Cats is angry")


def test_renaming_does_not_run_in_circles() -> None:
    shop = Workshop(Vocabulary({}, {}, {}, {}, {}, {}, {}, {}, {}))
    one, two = Var("#1"), Var("#0")  # as the shop itself calls them, in another order
    shop._ask_once(Body(Pattern("on:e", (one, two))), Pattern("ask:p:b", (two,)), "r")
    (production,) = shop.productions
    assert production.trigger.terms[0] != production.trigger.terms[1]
    assert production.head.terms == production.trigger.terms[1:]
