"""A rule read back is the same rule, and the order in which rules are written down changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rewriting import fingerprint, shuffled

from rulewright.backends.reference import ReferenceMatcher
from rulewright.explain.rules import items_of, read_back
from rulewright.lowering.compile import Compiled, compile_edition
from rulewright.model import Edition, Scenario
from rulewright.resolve.rules import resolve_edition
from rulewright.scenarios.runner import Played, play
from rulewright.syntax.keywords import languages
from rulewright.syntax.parser import parse
from rulewright.text import Source
from rulewright.workspace import read_scenarios

ROOT = Path(__file__).parents[2]
BASE = ROOT / "tests" / "conformance" / "base"
ENGLISH = languages()["en"]


@cache
def texts(*folders: Path) -> dict[str, str]:
    return {str(p): p.read_text(encoding="utf-8") for f in folders for p in sorted(f.rglob("*.rules"))}


@cache
def shipped() -> dict[str, str]:
    return texts(ROOT / "rules" / "vocabulary", ROOT / "rules" / "t9a-2")


def resolved(files: dict[str, str]) -> Edition:
    blocks, told = [], []
    for name, text in files.items():
        found, wrong = parse(Source(name, text))
        blocks += found
        told += wrong
    edition, findings = resolve_edition(blocks)
    assert not [*told, *findings], "\n".join(map(str, [*told, *findings]))
    assert edition is not None
    return edition


def compiled(files: dict[str, str]) -> Compiled:
    program, findings = compile_edition(resolved(files))
    assert program is not None, "\n".join(map(str, findings))
    return program


def without_items(text: str) -> str:
    """A file without the blocks that are read back."""
    kept, keep = [], True
    for line in text.splitlines():
        if line[:1].strip() and not line.startswith("#"):
            keep = line.split()[0] not in ("rule", "definition", "exemption", "test", "order")
        kept += [line] if keep else []
    return "\n".join(kept) + "\n"


def read_again(files: dict[str, str]) -> tuple[Edition, Edition]:
    """An edition, and the edition that comes of reading all its items back."""
    first = resolved(files)
    again = "\n\n".join(["language English", *(read_back(item, ENGLISH) for item in items_of(first))]) + "\n"
    return first, resolved({**{name: without_items(text) for name, text in files.items()}, "read-back": again})


def parts(edition: Edition) -> list[object]:
    """The items of an edition by name; places in the text take no part in comparing."""
    return sorted(items_of(edition), key=lambda item: item.anchor.ident)


# --- reading back ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("files", [shipped(), texts(BASE)], ids=["t9a-2", "base"])
def test_every_item_read_back_is_the_same_item(files: dict[str, str]) -> None:
    first, again = read_again(files)
    for one, other in zip(parts(first), parts(again), strict=True):
        assert one == other


EVENTS = ["{unit} flees", "{unit} breaks from combat", "{unit} takes a Panic test", "{unit} loses {amount} to {means}"]
FACTS = [
    "{unit} is fleeing",
    "{unit} is not engaged in combat",
    '{unit} is within 6" of {enemy}',
    "{enemy} is an enemy of {unit}",
    "{unit} is not {enemy}",
    "the health points of {unit} are at least 25% of the health points {unit} had at the start of the phase",
    "half the Discipline of {unit} is more than 3",
    "the Discipline of {unit} plus 2 is at most the Discipline of {enemy}",
]
EFFECTS = [
    "{unit} is destroyed",
    "{unit} loses 3 health points to a spell",
    "the health points of {unit} fall by 2",
    "{unit} is fleeing\n    until the end of the phase",
    "{unit} is fleeing\n    until {unit} flees",
]


@st.composite
def conditions(draw: st.DrawFn, keyword: str) -> str:
    """A condition, or alternatives, or a quantified one."""
    form = draw(st.integers(0, 3))
    if form == 0:
        head = draw(st.sampled_from(["there is no {other}", "there is a {other}", "there are at least 2 {other}"]))
        below = draw(st.lists(st.sampled_from(FACTS), min_size=1, max_size=2, unique=True))
        where = "".join(f"\n    where {fact.replace('{enemy}', '{other}')}" for fact in below)
        return f"  {keyword} {head}\n    where {{other}} is an enemy of {{unit}}{where}\n"
    facts = draw(st.lists(st.sampled_from(FACTS), min_size=1, max_size=form, unique=True))
    lines = [f"  {keyword} {facts[0]}\n"]
    if keyword == "and":
        lines += [f"  or {fact}\n" for fact in facts[1:]]
    return "".join(lines)


@st.composite
def rules(draw: st.DrawFn) -> str:
    """The text of a rule."""
    events = draw(st.lists(st.sampled_from(EVENTS), min_size=1, max_size=2, unique=True))
    lines = ["rule generated\n  cites s1\n", f"  when {events[0]}\n", *(f"  or {event}\n" for event in events[1:])]
    lines += draw(st.lists(conditions("and"), max_size=3))
    if draw(st.booleans()):
        chooser = draw(st.sampled_from(["at random", "by the player of {unit}"]))
        lines.append(f"  choose {{enemy}} {chooser}\n    where {{enemy}} is an enemy of {{unit}}\n")
    for _ in range(draw(st.integers(0, 2))):
        lines.append(draw(conditions("unless")))
        lines += [f"  and {fact}\n" for fact in draw(st.lists(st.sampled_from(FACTS), max_size=1))]
    effects = draw(st.lists(st.sampled_from(EFFECTS), min_size=1, max_size=3, unique=True))
    lines += [f"  {'and' if n else 'then'} {effect}\n" for n, effect in enumerate(effects)]
    return "".join(lines) + draw(st.sampled_from(["", "  overrides flight\n", "  regardless of in-combat\n"]))


@given(rules())
@settings(max_examples=30, deadline=None)
def test_a_rule_read_back_is_the_same_rule(rule: str) -> None:
    first, again = read_again({**texts(BASE), "more": f"language English\n\n{rule}"})
    assert parts(first) == parts(again)


# --- order -----------------------------------------------------------------------------------------------------------


def test_reordering_moves_lines_and_loses_none() -> None:
    files = shuffled(shipped(), Random(1))
    assert files != shuffled(shipped(), Random(2))
    for text in (shipped(), shuffled(shipped(), Random(2))):
        assert sorted(words_of(text)) == sorted(words_of(files))


def words_of(files: dict[str, str]) -> list[str]:
    return [line.strip() for text in files.values() for line in text.splitlines() if line.strip()[:1] not in ("", "#")]


@cache
def shipped_program() -> Compiled:
    return compiled(shipped())


@given(st.randoms(use_true_random=False))
@settings(max_examples=8, deadline=None)
def test_the_order_of_files_blocks_and_clauses_does_not_change_the_program(random: Random) -> None:
    assert fingerprint(compiled(shuffled(shipped(), random)).program) == fingerprint(shipped_program().program)


def test_another_program_has_another_fingerprint() -> None:
    other = {n: t.replace("at least 25% of", "at least 24% of") for n, t in shipped().items()}
    assert fingerprint(compiled(other).program) != fingerprint(shipped_program().program)
    other = {
        n: t.replace("{friend} is friendly to {unit}", "{unit} is friendly to {friend}") for n, t in shipped().items()
    }
    assert fingerprint(compiled(other).program) != fingerprint(shipped_program().program)


@cache
def scenarios() -> tuple[Scenario, ...]:
    found: list[Scenario] = []
    for path in sorted((ROOT / "rules" / "t9a-2" / "scenarios").glob("*.scenario")):
        read, diagnostics = read_scenarios(path, path.name)
        assert not diagnostics
        found += read
    return tuple(found)


def told(played: Played) -> list[object]:
    """What happened in a game, each step with the rules that fired and the effects."""
    worder = played.session.worder
    return [
        (
            worder.statement(step.event, step.values),
            sorted((m.rule, m.fired, sorted(map(str, m.bindings.items()))) for m in step.matches),
            sorted(d.item for d in step.voided),
        )
        for step in played.session.steps
    ]


def games(program: Compiled, some: Sequence[Scenario]) -> list[tuple[str, bool, list[object]]]:
    found = []
    for scenario in some:
        played = play(scenario, program, ReferenceMatcher)
        found.append((scenario.ident, played.passed, told(played)))
        played.session.close()
    return found


@given(st.randoms(use_true_random=False))
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_order_in_which_rules_are_written_does_not_change_a_game(random: Random) -> None:
    some = random.sample(scenarios(), 12)
    assert games(compiled(shuffled(shipped(), random)), some) == games(shipped_program(), some)
