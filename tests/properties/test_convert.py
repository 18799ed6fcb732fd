"""There and back between the languages: a file says the same, in the same words but for those that mean the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from rulewright.backends.reference import ReferenceMatcher
from rulewright.convert.convert import convert
from rulewright.diagnostics import Fault
from rulewright.explain.rules import items_of
from rulewright.model import Edition, Line, Scenario
from rulewright.phrases.variables import renamed
from rulewright.resolve.rules import resolve_edition
from rulewright.resolve.scenarios import resolve_scenarios
from rulewright.scenarios.expectations import examine
from rulewright.scenarios.reading import check_scenario, session_at_start
from rulewright.scenarios.runner import play
from rulewright.session.session import Session
from rulewright.syntax.keywords import Language, languages
from rulewright.syntax.parser import language_line, parse
from rulewright.text import Source, Span
from rulewright.workspace import Tree, load_for, read, read_scenarios

ROOT = Path(__file__).parents[2]
RULES = ROOT / "rules"
FILES = sorted(p.relative_to(ROOT).as_posix() for s in ("rules", "scenario") for p in RULES.rglob(f"*.{s}"))
QUICK = {
    "rules/vocabulary/units.rules",
    "rules/vocabulary/losses.rules",
    "rules/t9a-2/readings.rules",
    "rules/t9a-3/triggers.rules",
    "rules/psychology/stupidity.rules",
    "rules/skirmish/flight.rules",
    "rules/t9a-2/scenarios/names.scenario",
    "rules/skirmish/scenarios/battles.scenario",
}
EDITIONS = sorted(p.name for p in RULES.iterdir() if p.name != "vocabulary" and p.is_dir())
WORDED_ALIKE = 0.85
"""The share of lines that come back in the very same words; of the others, what comes back means the same."""


@cache
def tree() -> Tree:
    return Tree(RULES, "rules")


@cache
def source(name: str) -> Source:
    found = read(ROOT / name, name)
    assert isinstance(found, Source)
    return found


def written_in(text: Source) -> Language:
    _, language = language_line(text)
    assert language is not None
    return language


def the_other(language: Language) -> Language:
    return languages()["en" if language.code == "bg" else "bg"]


def said(text: Source, language: Language, plain: bool = False) -> Source:
    found, wrong = convert(text, tree(), language, plain)
    assert not wrong, "\n".join(map(str, wrong))
    return Source(text.name, found)


@cache
def converted(name: str) -> Source:
    return said(source(name), the_other(written_in(source(name))))


def some(names: list[str]) -> list[object]:
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.every_file) for name in names]


@pytest.mark.parametrize("name", some(FILES))
def test_there_and_back_gives_the_same_text(name: str) -> None:
    first = source(name)
    own = written_in(first)
    back = said(converted(name), own)
    assert said(back, own, plain=True).text == said(first, own, plain=True).text
    lines = list(zip(said(first, own).text.split("\n"), said(back, own).text.split("\n"), strict=True))
    assert sum(one == other for one, other in lines) >= WORDED_ALIKE * len(lines)
    assert re.findall(r"#.*", first.text) == re.findall(r"#.*", back.text)


@pytest.mark.parametrize("name", sorted(QUICK))
def test_laid_out_once_is_laid_out_for_good(name: str) -> None:
    own = written_in(source(name))
    once = said(source(name), own)
    assert said(once, own).text == once.text


def resolved(texts: list[Source]) -> Edition:
    blocks = [block for text in texts for block in parse(text)[0]]
    edition, wrong = resolve_edition(blocks)
    assert edition is not None
    assert not wrong, "\n".join(map(str, wrong))
    return edition


def without_names(item: object) -> object:
    """An item whose variables are called after the order in which they come."""
    names = dict.fromkeys(re.findall(r"Variable\(name='([^']*)'\)", repr(item)))
    return renamed(item, {name: f"v{number}" for number, name in enumerate(names)})


@pytest.mark.parametrize("edition", EDITIONS)
def test_an_edition_says_the_same_in_the_other_language(edition: str) -> None:
    names = [n for n in FILES if n.endswith(".rules") and n.split("/")[1] in ("vocabulary", edition)]
    one, other = resolved([source(n) for n in names]), resolved([converted(n) for n in names])
    assert one.vocabulary == other.vocabulary
    assert one.readings == other.readings
    assert one.source == other.source
    assert len(items_of(one)) == len(items_of(other))
    for mine, its in zip(items_of(one), items_of(other), strict=True):
        assert without_names(mine) == without_names(its)


def read_in(scenario: Scenario) -> tuple[object, ...]:
    """What the sentences of a scenario say, read without playing it; names stand as they are in every language."""
    compiled = load_for(tree(), scenario).compiled
    assert compiled is not None
    session = session_at_start(scenario, compiled)
    told: list[object] = [scenario.ident, scenario.edition, scenario.readings, *session.log]
    assert session.log
    for step in scenario.steps:
        told += [(line.together, *meant(line.span, session, happens)) for line in step.happenings]
        told += [(line.together, *meant(line.span, session, expected)) for line in step.expectations]
    assert 4 * told.count((False,)) < len(told)
    return tuple(told)


def meant(span: Span, session: Session, reading: Callable[[Span, Session], tuple[object, ...]]) -> tuple[object, ...]:
    """What a sentence says; nothing where it speaks of something that only comes about in play."""
    try:
        return reading(span, session)
    except Fault:
        return ()


def happens(span: Span, session: Session) -> tuple[object, ...]:
    answers = [a for a in session.read_answer(span) if a.about in (*session.names, "")]
    return tuple(answers or session.read_happening(span))


def expected(span: Span, session: Session) -> tuple[object, ...]:
    outcome = examine(Line(span), session, ())
    return outcome.met, outcome.reading


@pytest.mark.parametrize("name", some([n for n in FILES if n.endswith(".scenario")]))
def test_every_scenario_says_the_same_in_the_other_language(name: str) -> None:
    one, other = (
        [read_in(s) for s in resolve_scenarios(parse(text)[0])[0]] for text in (source(name), converted(name))
    )
    assert one
    assert one == other


@pytest.fixture(scope="module")
def other_tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """All rules, each file in the other language."""
    folder = tmp_path_factory.mktemp("other")
    for name in (n for n in FILES if n.endswith(".rules")):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(converted(name).text, encoding="utf-8")
    return Tree(folder / "rules", "rules")


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_converted_edition_has_nothing_wrong_with_it(edition: str, other_tree: Tree) -> None:
    assert other_tree.check(edition) == ()


@pytest.mark.parametrize("name", some([n for n in FILES if n.endswith(".scenario")]))
def test_converted_scenarios_turn_out_as_expected(name: str, other_tree: Tree, tmp_path: Path) -> None:
    path = tmp_path / "a.scenario"
    path.write_text(converted(name).text, encoding="utf-8")
    scenarios, wrong = read_scenarios(path, name)
    assert not wrong
    for scenario in scenarios:
        compiled = load_for(other_tree, scenario).compiled
        assert compiled is not None
        assert not check_scenario(scenario, compiled)
        played = play(scenario, compiled, ReferenceMatcher)
        assert played.passed, scenario.ident
        played.session.close()
