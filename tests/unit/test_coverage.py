"""What scenarios leave untried: each kind of gap is there with one game, and gone with a second."""

import shutil
from collections.abc import Iterable
from pathlib import Path

import pytest

from rulewright.backends.reference import ReferenceMatcher
from rulewright.lowering.compile import Compiled
from rulewright.scenarios.coverage import Group, Mark, demands, describe_coverage
from rulewright.scenarios.exercised import exercised
from rulewright.session.looks import Looks
from rulewright.session.session import Session
from rulewright.workspace import load_edition

BASE = Path(__file__).parents[1] / "conformance" / "base"
WORDS = """language English

fact strong
  en: {unit} is strong
  en not: {unit} is not strong

measure foes
  en: the foes of {unit}

event halts
  en: {unit} halts
  en not: {unit} does not halt

event cheers
  en: {unit} cheers
  en not: {unit} does not cheer

"""
Line = str | int
"""A sentence that happens, one that is given (after ``given``), or dice that are rolled."""
Game = tuple[Line, ...]

SIDES: Game = (
    "given Archers is a unit with 10 health points and Discipline 7",
    "given Knights is a unit with 5 health points",
    "given Wolves is a unit",
)
BREAKS: Game = (*SIDES, "Archers breaks from combat")


def edition(tmp_path: Path, rules: str) -> Compiled:
    """The base edition with more rules."""
    folder = tmp_path / "rules"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(BASE, folder)
    (folder / "e" / "more.rules").write_text(WORDS + rules, encoding="utf-8")
    return load_edition("e", folder)


def played(compiled: Compiled, game: Iterable[Line]) -> set[Mark]:
    """What one game tries."""
    session, looks = Session(compiled, ReferenceMatcher), Looks()
    session.game.looks = looks
    for line in game:
        if isinstance(line, int):
            session.answer(line)
        elif line.startswith("chance picks "):
            session.answer(line.removeprefix("chance picks "))
        elif line.startswith("given "):
            session.give(line.removeprefix("given "))
        else:
            session.happens(line)
    return exercised(compiled, session.steps, looks.taken, session.game.world.all_facts())


def gaps(compiled: Compiled, *games: Game, block: str) -> set[tuple[str, str]]:
    """The gaps that games leave in a block: the clause (empty: the block itself), and what is missing."""
    marks = set().union(*(played(compiled, game) for game in games))
    mine = tuple(d for d in demands(compiled) if d.block.text == block)
    assert mine
    data = describe_coverage([Group("e", mine, marks)])["groups"][0]["gaps"]
    own = {("", way) for gap in data for way in gap["missing"]}
    return own | {(c["text"], way) for gap in data for c in gap["clauses"] for way in c["missing"]}


CASES: dict[str, tuple[str, str, Game, set[tuple[str, str]], Game]] = {
    "a rule that nothing sets off": (
        "rule more\n  cites s1\n  when {unit} breaks from combat\n  then {unit} halts\n",
        "more",
        SIDES,
        {("", "fired"), ("{unit} breaks from combat", "set-off")},
        BREAKS,
    ),
    "a trigger that nothing sets off": (
        "rule more\n  cites s1\n  when {unit} breaks from combat\n  or {unit} flees\n  then {unit} halts\n",
        "more",
        BREAKS,
        {("{unit} flees", "set-off")},
        (*SIDES, "Knights flees"),
    ),
    "a condition that never holds": (
        "rule more\n  cites s1\n  when {unit} breaks from combat\n  and {unit} is strong\n  then {unit} halts\n",
        "more",
        BREAKS,
        {("", "fired"), ("{unit} breaks from combat", "set-off"), ("{unit} is strong", "held")},
        (*SIDES, "given Archers is strong", "Archers breaks from combat"),
    ),
    "a condition that never fails": (
        "rule more\n  cites s1\n  when {unit} breaks from combat\n  and {unit} is strong\n  then {unit} halts\n",
        "more",
        (*SIDES, "given Archers is strong", "Archers breaks from combat"),
        {("", "kept"), ("{unit} is strong", "missed")},
        BREAKS,
    ),
    "a condition hidden behind another": (
        (
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  and {unit} is strong\n  and {unit} is fleeing\n"
            "  then {unit} halts\n"
        ),
        "more",
        (*BREAKS, "given Archers is strong", "given Archers is fleeing", "Archers breaks from combat"),
        {("{unit} is fleeing", "missed")},
        (*SIDES, "given Archers is strong", "Archers breaks from combat"),
    ),
    "an alternative that never holds": (
        (
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  and {unit} is strong\n  or {unit} is fleeing\n"
            "  then {unit} halts\n"
        ),
        "more",
        (*BREAKS, "given Archers is strong", "Archers breaks from combat"),
        {("{unit} is fleeing", "held")},
        (*SIDES, "given Archers is fleeing", "Archers breaks from combat"),
    ),
    "alternatives that never all fail": (
        (
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  and {unit} is strong\n  or {unit} is fleeing\n"
            "  then {unit} halts\n"
        ),
        "more",
        (*SIDES, "given Archers is strong", "given Archers is fleeing", "Archers breaks from combat"),
        {("", "kept"), ("{unit} is strong or {unit} is fleeing", "missed")},
        BREAKS,
    ),
    "a line that leaves nothing out": (
        (
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  and there is no {enemy}\n"
            "    where {enemy} is an enemy of {unit}\n    where {enemy} is strong\n  then {unit} halts\n"
        ),
        "more",
        (*BREAKS, "given Knights is an enemy of Archers", "given Knights is strong", "Archers breaks from combat"),
        {("{enemy} is an enemy of {unit}", "missed"), ("{enemy} is strong", "missed")},
        (*SIDES, "given Knights is an enemy of Archers", "given Wolves is strong", "Archers breaks from combat"),
    ),
    "an exception that never defeats": (
        (
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  unless {unit} is strong\n"
            "  and {unit} is fleeing\n  then {unit} halts\n"
        ),
        "more",
        (*BREAKS, "given Archers is strong", "Archers breaks from combat"),
        {("", "kept"), ("{unit} is strong", "held"), ("{unit} is fleeing", "held")},
        (*SIDES, "given Archers is strong", "given Archers is fleeing", "Archers breaks from combat"),
    ),
    "an exception of which a part never fails": (
        (
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  unless {unit} is strong\n"
            "  and {unit} is fleeing\n  then {unit} halts\n"
        ),
        "more",
        (*BREAKS, "given Archers is strong", "given Archers is fleeing", "Archers breaks from combat"),
        {("{unit} is fleeing", "missed")},
        (*SIDES, "given Archers is strong", "Archers breaks from combat"),
    ),
    "a choice of one": (
        (
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  choose {enemy} at random\n"
            "    where {enemy} is an enemy of {unit}\n  then {enemy} halts\n"
        ),
        "more",
        (*BREAKS, "given Knights is an enemy of Archers", "Archers breaks from combat"),
        {("{enemy} at random", "picked")},
        (
            *SIDES,
            "given Knights is an enemy of Archers",
            "given Wolves is an enemy of Archers",
            "Archers breaks from combat",
            "chance picks Wolves",
        ),
    ),
    "an override of nothing": (
        (
            "rule base\n  cites s1\n  when {unit} breaks from combat\n  and {unit} is strong\n  then {unit} cheers\n\n"
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  then {unit} halts\n  overrides base\n"
        ),
        "more",
        BREAKS,
        {("overrides base", "pre-empted")},
        (*SIDES, "given Archers is strong", "Archers breaks from combat"),
    ),
    "a rule that nothing overrides": (
        (
            "rule base\n  cites s1\n  when {unit} breaks from combat\n  unless {unit} is fleeing\n"
            "  then {unit} cheers\n\nrule more\n  cites s1\n  when {unit} breaks from combat\n"
            "  and {unit} is strong\n  then {unit} halts\n  overrides base\n"
        ),
        "base",
        (*BREAKS, "given Archers is fleeing"),
        {("", "kept"), ("{unit} is fleeing", "held")},
        (*SIDES, "given Archers is fleeing", "Archers breaks from combat"),
    ),
    "an exemption set aside for nothing": (
        (
            "exemption quiet\n  cites s1\n  {unit} does not halt\n  while {unit} is strong\n\n"
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  then {unit} halts\n  regardless of quiet\n"
        ),
        "more",
        BREAKS,
        {("regardless of quiet", "mattered")},
        (*SIDES, "given Archers is strong", "Archers breaks from combat"),
    ),
    "an exemption set aside for nothing, where a rule does more": (
        (
            "exemption quiet\n  cites s1\n  {unit} does not halt\n  while {unit} is strong\n\n"
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  then {unit} halts\n  and {unit} cheers\n"
            "  regardless of quiet\n"
        ),
        "more",
        BREAKS,
        {("regardless of quiet", "mattered")},
        (*SIDES, "given Archers is strong", "Archers breaks from combat"),
    ),
    "an exemption that never keeps anything back": (
        "exemption quiet\n  cites s1\n  {unit} does not halt\n  while {unit} is strong\n  unless {unit} is fleeing\n",
        "quiet",
        (*SIDES, "Archers halts"),
        {("", "fired"), ("{unit} is strong", "held"), ("{unit} is fleeing", "held"), ("{unit} is fleeing", "missed")},
        (
            *SIDES,
            "given Archers is strong",
            "Archers halts",
            "given Archers is fleeing",
            "Archers halts",
        ),
    ),
    "an exemption that is never set aside": (
        (
            "exemption quiet\n  cites s1\n  {unit} does not halt\n  while {unit} is strong\n\n"
            "exemption loud\n  cites s1\n  {unit} does not halt\n  while {unit} is fleeing\n  overrides quiet\n"
        ),
        "loud",
        (*SIDES, "Archers halts", "given Archers is fleeing", "Archers halts"),
        {("overrides quiet", "pre-empted")},
        (*SIDES, "given Archers is fleeing", "given Archers is strong", "Archers halts"),
    ),
    "a definition that never holds": (
        (
            "definition mighty\n  cites s1\n  {unit} is strong\n  if the health points of {unit} are at least 8\n\n"
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  and {unit} is strong\n  then {unit} halts\n"
        ),
        "mighty",
        (*SIDES, "Knights breaks from combat"),
        {("", "fired"), ("the health points of {unit} are at least 8", "held")},
        BREAKS,
    ),
    "a definition that always holds": (
        (
            "definition mighty\n  cites s1\n  {unit} is strong\n  if the health points of {unit} are at least 8\n\n"
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  and {unit} is not strong\n  then {unit} halts\n"
        ),
        "mighty",
        BREAKS,
        {("", "kept"), ("the health points of {unit} are at least 8", "missed")},
        (*SIDES, "Knights breaks from combat"),
    ),
    "a definition asked within a quantifier": (
        (
            "definition mighty\n  cites s1\n  {unit} is strong\n  if the health points of {unit} are at least 8\n\n"
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  and there is no {other}\n"
            "    where {other} is an enemy of {unit}\n    where {other} is strong\n  then {unit} halts\n"
        ),
        "mighty",
        (*SIDES, "given Knights is an enemy of Archers", "Archers breaks from combat"),
        {("", "fired"), ("the health points of {unit} are at least 8", "held")},
        (*SIDES, "given Archers is an enemy of Knights", "Knights breaks from combat"),
    ),
    "a measure that nothing asks for": (
        (
            "definition counted\n  cites s1\n  the foes of {unit}\n  counts {enemy}\n"
            "    where {enemy} is an enemy of {unit}\n\n"
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  and the foes of {unit} are at least 1\n"
            "  then {unit} halts\n"
        ),
        "counted",
        SIDES,
        {
            ("", "fired"),
            ("{enemy} is an enemy of {unit}", "held"),
            ("{enemy} is an enemy of {unit}", "missed"),
        },
        (*BREAKS, "given Knights is an enemy of Archers", "Archers breaks from combat"),
    ),
    "a test that is never passed": (
        "",
        "panic",
        (*SIDES, "Archers takes a Panic test", 8),
        {("", "passed")},
        (*SIDES, "Archers takes a Panic test", 7),
    ),
    "a test that is never failed": (
        "",
        "panic",
        (*SIDES, "Archers takes a Panic test", 7),
        {("", "failed")},
        (*SIDES, "Archers takes a Panic test", 8),
    ),
    "an outcome that never comes": (
        (
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  then {unit} takes a Panic test\n"
            "    on success {unit} cheers\n"
        ),
        "more-on-success",
        (*BREAKS, 8),
        {("", "fired"), ("{unit} takes a Panic test", "set-off")},
        (*BREAKS, 7),
    ),
    "an order that holds nothing back": (
        (
            "order cheers-first\n  cites s1\n  first {unit} cheers\n  then {unit} halts\n\n"
            "rule one\n  cites s1\n  when {unit} breaks from combat\n  then {unit} halts\n  and {unit} cheers\n\n"
        ),
        "cheers-first",
        SIDES,
        {("", "fired")},
        BREAKS,
    ),
    "a fact that outlasts the game": (
        (
            "rule more\n  cites s1\n  when {unit} breaks from combat\n  then {unit} is strong\n"
            "    until the end of the phase\n    until {unit} halts\n    while {unit} is on the battlefield\n"
            "    and {unit} is not fleeing\n"
        ),
        "more",
        (
            *SIDES,
            "the shooting phase starts",
            "Archers breaks from combat",
            "given Archers is not on the battlefield",
            "the shooting phase ends",
        ),
        {
            ("until the end of the phase", "ended"),
            ("until {unit} halts", "ended"),
            ("while {unit} is not fleeing", "ended"),
        },
        (
            *SIDES,
            "the shooting phase starts",
            "Archers breaks from combat",
            "Archers halts",
            "Archers breaks from combat",
            "the shooting phase ends",
            "Archers breaks from combat",
            "given Archers is fleeing",
            "Knights halts",
        ),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_gap_is_shown_and_closed(case: str, tmp_path: Path) -> None:
    rules, block, one, missing, two = CASES[case]
    compiled = edition(tmp_path, rules)
    assert gaps(compiled, one, block=block) == missing
    assert not gaps(compiled, one, two, block=block)


def test_marks_survive_a_compilation_in_which_blocks_are_left_out(tmp_path: Path) -> None:
    rule = "rule {}\n  cites s1\n  when {{unit}} breaks from combat\n  and {{unit}} is strong\n  then {{unit}} {}\n\n"
    without = edition(tmp_path, rule.format("first", "halts"))
    marks = played(without, BREAKS)
    whole = edition(tmp_path, rule.format("first", "halts") + rule.format("second", "cheers"))
    group = Group("e", tuple(d for d in demands(whole) if d.block.text in ("first", "second")), marks)
    missing = {d.block.text: group.missing(d.block) for d in group.demands}
    assert missing == {"first": ("fired",), "second": ("fired", "kept")}


def test_what_cannot_be_told_of_one_thing_is_told_of_the_others(tmp_path: Path) -> None:
    rules = """definition worth
  cites s1
  the foes of {unit}
  equals the health points of {enemy}
  if {enemy} is an enemy of {unit}

definition mighty
  cites s1
  {unit} is strong
  if the foes of {unit} are at least 5

rule more
  cites s1
  when {unit} breaks from combat
  and {unit} is strong
  then {unit} halts
"""
    two_values = (
        "given the health points of Wolves are 3",
        "given Knights is an enemy of Archers",
        "given Archers is an enemy of Knights",
        "given Wolves is an enemy of Knights",
    )
    game = (
        *SIDES,
        *two_values,
        "Archers breaks from combat",
        "Knights loses 1 health point",
        "Archers breaks from combat",
    )
    assert gaps(edition(tmp_path, rules), game, block="more") == set()
    assert gaps(edition(tmp_path, rules), game, block="mighty") == set()


def test_a_percentage_is_of_rules_and_of_clauses_each(tmp_path: Path) -> None:
    compiled = edition(tmp_path, "rule more\n  cites s1\n  when {unit} breaks from combat\n  then {unit} halts\n")
    mine = tuple(d for d in demands(compiled) if d.block.text in ("more", "flight"))
    group = Group("e", mine, played(compiled, BREAKS))
    assert (group.rules, group.clauses) == ((1, 2), (1, 2))
    assert group.reaches(50)
    assert not group.reaches(51)
    assert Group("empty", (), ()).reaches(100)
