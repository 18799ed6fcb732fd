"""Odds are those of counting out every face of every die, option by option, without anything being merged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random

import pytest
from rulebooks import make

from rulewright.backends.durable import DurableMatcher
from rulewright.backends.reference import ReferenceMatcher
from rulewright.diagnostics import Fault
from rulewright.lowering.compile import Compiled
from rulewright.model import Dice, Line, Scenario
from rulewright.scenarios.course import Course, course_of, give_all
from rulewright.scenarios.odds.branches import Answers, Explorer, backwards, totals
from rulewright.scenarios.odds.chances import Chance, exactly, interval, mark_ends
from rulewright.scenarios.odds.findings import Findings, Limits, find
from rulewright.scenarios.odds.marks import Mark, Teller
from rulewright.scenarios.odds.odds import CHOICES, DICE
from rulewright.session.session import Session
from rulewright.syntax.signs import typed
from rulewright.workspace import find_tree, load_for, read_scenarios

RULES = Path("rules")
SMALL = [  # two rolls at most, or each total by itself could not be counted out in good time
    ("t9a-2", "heavy-losses", "heavy-losses"),
    ("skirmish", "breaking", "два-удара"),
    ("psychology", "pursuit", "victors-panic-first"),
    ("psychology", "pursuit", "both-enemies-rout"),
]
OPEN = DICE | CHOICES


def read(edition: str, file: str, name: str) -> tuple[Scenario, Compiled]:
    path = RULES / edition / "scenarios" / f"{file}.scenario"
    scenario = next(s for s in read_scenarios(path, str(path))[0] if s.ident == name)
    compiled = load_for(find_tree(RULES), scenario).compiled
    assert compiled is not None
    return scenario, compiled


@pytest.fixture
def opened() -> Iterator[tuple[Session, Course]]:
    sessions = []

    def open_one(edition: str, file: str, name: str, forgotten: frozenset[str] = OPEN) -> tuple[Session, Course]:
        scenario, compiled = read(edition, file, name)
        session = Session(compiled, DurableMatcher, scenario.language)
        sessions.append(session)
        give_all(session, scenario.givens)
        return session, course_of(scenario, forgotten)

    yield open_one
    for session in sessions:
        session.close()


def one_by_one(session: Session) -> tuple[Answers, ...]:
    """Every total and every option by itself."""
    request = session.request
    assert request is not None
    if request.dice is not None:
        return tuple(Answers((Fraction(t),), chance) for t, chance in totals(request.dice).items())
    even = Fraction(1, len(request.options)) if request.kind == "chance" else None
    return tuple(Answers((option,), even) for option in request.options)


def counted_out(session: Session, course: Course) -> Mapping[Mark, Chance]:
    """The chances from branches that are not merged, and totals that are not taken together."""
    before = session.save()
    teller = Teller(session.compiled.edition.vocabulary)
    explorer = Explorer(session, course, teller, one_by_one, merging=False)
    assert explorer.explore(2_000, 1)
    mark_ends(explorer.states)
    order = backwards(explorer.root)
    assert order is not None
    session.restore(before)
    return exactly(explorer.first, order)[0]


def enumerated(session: Session, course: Course) -> dict[Mark, Fraction]:
    """The chance of each mark of the way, summed over all plays; players choose each option equally often."""
    teller = Teller(session.compiled.edition.vocabulary)
    found: dict[Mark, Fraction] = defaultdict(Fraction)
    root = session.save()

    def play(course: Course, chance: Fraction) -> None:
        try:
            course = course.answered(session)
            while session.request is None and course.steps:
                course = course.moved(session).answered(session)
        except Fault:
            end(chance)
            return
        request = session.request
        if request is None:
            end(chance)
            return
        here = session.save()
        ways = (
            totals(request.dice)
            if request.dice is not None
            else dict.fromkeys(request.options, Fraction(1, len(request.options)))
        )
        for answer, likely in ways.items():
            session.restore(here)
            try:
                session.reply(Fraction(answer) if isinstance(answer, int) else answer)
            except Fault:
                end(chance * likely)
                continue
            play(course, chance * likely)

    def end(chance: Fraction) -> None:
        for mark in teller.along(session, session.steps):
            found[mark] += chance
        found[Mark("end", "any")] += chance

    play(course, Fraction(1))
    session.restore(root)
    return dict(found)


def of_way(chances: Mapping[Mark, Chance]) -> dict[Mark, tuple[Fraction, Fraction]]:
    return {m: (c.least, c.most) for m, c in chances.items() if m.kind in ("event", "rule")}


def of_end(chances: Mapping[Mark, Chance]) -> dict[Mark, tuple[Fraction, Fraction]]:
    return {m: (c.least, c.most) for m, c in chances.items() if m.kind in ("fact", "value")}


def sum_to_one(findings: Findings) -> bool:
    """Whether the chances of the ends and stops do; where players choose, that is so between their bounds."""
    chances = [c for m, c in findings.chances.items() if m.kind in ("end", "stopped")]
    least, most = sum(c.least for c in chances), sum(c.most for c in chances)
    return least == most == 1 if not findings.options else least <= 1 <= most


@pytest.mark.parametrize(("edition", "file", "name"), SMALL)
def test_odds_are_those_of_counting_out(opened, edition: str, file: str, name: str) -> None:
    session, course = opened(edition, file, name)
    findings = find(session, course, (), Limits())
    assert not findings.why_sampled
    assert sum_to_one(findings)
    plain = counted_out(session, course)
    assert of_way(findings.chances) == of_way(plain)
    assert of_end(findings.chances) == of_end(plain)
    if not findings.options:
        plays = enumerated(session, course)
        assert plays.pop(Mark("end", "any")) == 1
        assert {m: (c, c) for m, c in plays.items()} == of_way(findings.chances)


@pytest.mark.parametrize("seed", range(24))
def test_odds_of_generated_rulebooks_are_those_of_counting_out(tmp_path: Path, seed: int) -> None:
    book, compiled = make(seed, tmp_path / "rules")
    session = Session(compiled, ReferenceMatcher)
    for sentence in (*book.things, *book.givens):
        session.give(sentence)
    course = Course(tuple((Line(typed(sentence, "en")),) for sentence in book.happenings))
    findings = find(session, course, (), Limits())
    while sum(s.request is not None for s in findings.states) > 3:
        course = Course(course.steps[:-1])
        findings = find(session, course, (), Limits())
    assert sum_to_one(findings)
    plain = counted_out(session, course)
    assert of_way(findings.chances) == of_way(plain)
    assert of_end(findings.chances) == of_end(plain)
    session.close()


@pytest.mark.slow
def test_a_cascade_of_ten_tests_is_exact(opened) -> None:
    session, course = opened("psychology", "rout", "ten-friends", DICE)
    findings = find(session, course, (), Limits())
    assert not findings.why_sampled
    assert sum_to_one(findings)
    routs = findings.chance(Mark("event", "fails-test", ("Shields", "rout-test"))).most
    assert routs == Fraction(10, 36)
    passing = {6: Fraction(15, 36), 7: Fraction(21, 36), 8: Fraction(26, 36)}
    taken = [m.values for m in findings.chances if m.what == "passes-test" and m.values[1] == "panic-test"]
    assert len(taken) == 10
    for number, friend in enumerate(sorted(taken)):
        assert findings.chance(Mark("event", "passes-test", friend)).least == routs * passing[6 + number % 3]


@pytest.mark.parametrize(("edition", "file", "name"), [("psychology", "battles", "causeway-hunt"), SMALL[1]])
def test_a_sample_agrees_with_the_exact_odds(opened, edition: str, file: str, name: str) -> None:
    session, course = opened(edition, file, name)
    exact = find(session, course, (), Limits())
    some = find(session, course, (), Limits(most_states=3, samples=300, seed=7))
    assert some.why_sampled == "many"
    marks = [m for m in exact.chances if m.kind in ("event", "fact")]
    outside = [m for m in marks if not within(some.chance(m), exact.chance(m))]
    assert len(marks) > 10
    assert len(outside) <= len(marks) / 10  # one in twenty is to be expected


def within(sampled: Chance, exact: Chance) -> bool:
    """Whether the interval of a sample meets the bounds of what is exact."""
    assert sampled.error is not None
    return sampled.error[0] <= exact.most and exact.least <= sampled.error[1]


@pytest.mark.parametrize(("count", "sides"), [(1, 6), (2, 6), (3, 4)])
def test_totals_are_those_of_all_faces(count: int, sides: int) -> None:
    rolls = [sum(faces) for faces in product(range(1, sides + 1), repeat=count)]
    assert totals(Dice(count, sides)) == {t: Fraction(rolls.count(t), len(rolls)) for t in sorted(set(rolls))}


def test_the_interval_holds_what_is_likely() -> None:
    low, high = interval(50, 100)
    assert low < 0.5 < high
    assert interval(0, 100)[0] == 0 < interval(0, 100)[1] < 0.05
    random = Random(1)
    held = 0
    for _ in range(400):
        low, high = interval(sum(random.random() < 0.3 for _ in range(200)), 200)
        held += low <= 0.3 <= high
    assert held > 360
