"""From blocks to the model, the kinds of variables, and the stages of predicates."""

from fractions import Fraction
from pathlib import Path

import pytest

from rulewright.lowering.strata import stages
from rulewright.model import Edition, Exists, Number, Rule, Variable
from rulewright.resolve.kinds import variable_kinds
from rulewright.resolve.rules import resolve_edition
from rulewright.syntax.parser import parse
from rulewright.text import Source

BASE = Path(__file__).parents[1] / "conformance" / "base"


def edition(text: str) -> tuple[Edition, list[str]]:
    blocks = []
    files = {str(p): p.read_text(encoding="utf-8") for p in sorted(BASE.rglob("*.rules"))}
    for name, content in {**files, "more": f"language English\n\n{text}"}.items():
        found, diagnostics = parse(Source(name, content))
        assert not diagnostics
        blocks += found
    resolved, findings = resolve_edition(blocks)
    assert resolved is not None
    return resolved, [d.name for d in findings]


def rule(text: str) -> Rule:
    resolved, findings = edition(f"rule more\n  cites s1\n{text}")
    assert not findings
    return next(r for r in resolved.rules if r.anchor.ident == "more")


def test_a_rule_has_triggers_conditions_exceptions_and_effects() -> None:
    read = rule(
        "  when {unit} flees\n  or {unit} breaks from combat\n  and {unit} is fleeing\n"
        "  unless {unit} is engaged in combat\n  or {unit} is not on the battlefield\n"
        "  then {unit} is destroyed\n  and {unit} flees\n"
    )
    assert [t.phrase for t in read.triggers] == ["flees", "breaks"]
    assert len(read.conditions) == 1
    assert len(read.defeaters) == 2
    assert len(read.effects) == 2


def test_what_there_is_none_of_is_said_in_lines_below() -> None:
    (condition,) = rule(
        "  when {unit} flees\n  and there is no {enemy}\n    where {enemy} is an enemy of {unit}\n"
        "    where {enemy} is fleeing\n  then {unit} is destroyed\n"
    ).conditions
    assert isinstance(condition, Exists)
    assert (condition.negated, condition.variable, len(condition.conditions)) == (True, Variable("enemy"), 2)


def test_citations_may_be_lists_and_ranges_and_end_with_a_full_stop() -> None:
    read = rule("  cites s1 to s3, s2.\n  when {unit} flees\n  then {unit} is destroyed\n")
    assert read.anchor.cites == ("s1", "s1", "s2", "s3", "s2")


def test_an_assumption_has_an_id_and_words() -> None:
    read = rule('  assuming A-1 "it flees first"\n  when {unit} flees\n  then {unit} is destroyed\n')
    assert [(a.ident, a.text) for a in read.anchor.assumptions] == [("A-1", "it flees first")]


def test_a_shorthand_becomes_what_it_stands_for() -> None:
    (near, _) = rule(
        '  when {unit} flees\n  and {enemy} is within 6" of {unit}\n  and {enemy} is fleeing\n'
        "  then {enemy} is destroyed\n"
    ).conditions
    assert (near.operator, near.right) == ("<=", Number(Fraction(6), "inches"))  # type: ignore[union-attr]


@pytest.mark.parametrize(("dice", "count", "sides"), [("2D6", 2, 6), ("d6", 1, 6), ("3 D 10", 3, 10)])
def test_dice_may_be_written_in_several_ways(dice: str, count: int, sides: int) -> None:
    resolved, findings = edition(
        "name fear\n  is a test\n  en: a Fear test\n\ntest fear-test\n  cites s1\n  when {unit} takes a Fear test\n"
        f"  roll {dice.replace(' D ', ' D')}\n  succeeds if the total is at most the Discipline of {{unit}}\n"
    )
    assert not findings
    test = next(t for t in resolved.tests if t.anchor.ident == "fear-test")
    assert (test.dice.count, test.dice.sides) == (count, sides)


def test_an_item_with_something_wrong_is_left_out_and_the_others_are_there() -> None:
    resolved, findings = edition(
        "rule bad\n  cites s1\n  when {unit} fles\n  then {unit} is destroyed\n\n"
        "rule good\n  cites s1\n  when {unit} flees\n  then {unit} is destroyed\n"
    )
    assert findings == ["other-words"]
    assert {r.anchor.ident for r in resolved.rules} == {"flight", "good"}


# --- kinds ------------------------------------------------------------------------------------------------------------


def test_a_variable_is_of_the_narrowest_kind_of_its_places() -> None:
    resolved, findings = edition(
        "kind hero\n  is a unit\n  en: hero|heroes\n\nfact brave\n  en: {hero} is brave\n\n"
        "rule more\n  cites s1\n  when {x} flees\n  and {x} is brave\n  then {x} is destroyed\n"
    )
    assert not findings
    read = next(r for r in resolved.rules if r.anchor.ident == "more")
    kinds, conflicts = variable_kinds([*read.triggers, *read.conditions], resolved.vocabulary, read.anchor.span)
    assert (dict(kinds), conflicts) == ({"x": "hero"}, ())


def test_a_variable_of_two_kinds_is_a_conflict_at_the_second_place() -> None:
    _, findings = edition("rule more\n  cites s1\n  when {x} flees\n  and {u} belongs to {x}\n  then {u} flees\n")
    assert findings == ["kind-conflict"]


# --- stages ---------------------------------------------------------------------------------------------------------


def test_what_rests_on_an_absence_comes_one_stage_later() -> None:
    stage, circle = stages({"b": {"a"}, "c": {"b"}}, {"d": {"c"}, "e": {"d", "a"}})
    assert stage == {"a": 0, "b": 0, "c": 0, "d": 1, "e": 2}
    assert circle is None


def test_a_circle_of_plain_support_is_no_harm() -> None:
    assert stages({"a": {"b"}, "b": {"a"}}, {"c": {"a"}}) == ({"a": 0, "b": 0, "c": 1}, None)


def test_a_circle_through_an_absence_is_named() -> None:
    _, circle = stages({"b": {"a"}, "c": {"b"}}, {"a": {"c"}})
    assert circle is not None
    assert set(circle) == {"a", "b", "c"}


def test_a_predicate_that_rests_on_its_own_absence() -> None:
    _, circle = stages({}, {"a": {"a"}})
    assert circle is not None
    assert set(circle) == {"a"}
