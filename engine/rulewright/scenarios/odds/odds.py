"""The odds of a game at some moment, or of a scenario with what it leaves open."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.backends.base import Backend
from rulewright.diagnostics import Fault
from rulewright.lowering.compile import Compiled
from rulewright.model import Scenario
from rulewright.phrases.words import sentence_text
from rulewright.scenarios.course import Course, course_of, give_all
from rulewright.scenarios.odds.against import Against, against_of, lacking_one
from rulewright.scenarios.odds.chances import Chance
from rulewright.scenarios.odds.data import Data, describe_chance, describe_odds
from rulewright.scenarios.odds.findings import Findings, Limits, find
from rulewright.scenarios.odds.marks import Mark, Wanted, mark_text, wanted_of
from rulewright.scenarios.report import describe_scenario
from rulewright.session.session import Session

DEFAULT = Limits()
DICE, CHOICES = frozenset({"roll", "chance"}), frozenset({"choice"})
"""The kinds of answers of a scenario that can be forgotten: what dice and chance decided, and what players did."""


def odds_of(session: Session, wanted: Sequence[str] = (), against: str = "", limits: Limits = DEFAULT) -> Data:
    """The odds of all that may come of where a session stands, as data; the session is left alone.

    Args:
        session: a game that asks for something.
        wanted: sentences whose odds alone are wanted: facts, events, what rules do.
        against: a measure that the odds are held against, such as ``the Discipline of Archers = 4..10``.
        limits: how far branches are played.

    Raises:
        Fault: a sentence cannot be read.
    """
    own = session.fork()
    try:
        return _odds(own, Course(), wanted, against, limits)
    finally:
        own.close()


def odds_of_scenario(
    scenario: Scenario,
    compiled: Compiled,
    backend: Backend,
    wanted: Sequence[str] = (),
    against: str = "",
    forgotten: frozenset[str] = frozenset(),
    limits: Limits = DEFAULT,
) -> Data:
    """The odds of all that may come of a scenario with the answers that it leaves open, as data.

    Args:
        scenario: the scenario.
        compiled: the edition it is played under.
        backend: opens the matcher that decides every match.
        wanted: sentences whose odds alone are wanted.
        against: a measure that the odds are held against.
        forgotten: kinds of answers that are open although the scenario gives them, such as ``DICE``.
        limits: how far branches are played.

    Raises:
        Fault: a sentence cannot be read, or the game cannot go on to where something is asked.
    """
    session = Session(compiled, backend, scenario.language)
    try:
        give_all(session, scenario.givens)
        data = _odds(session, course_of(scenario, forgotten), wanted, against, limits)
    finally:
        session.close()
    return data | {"scenario": describe_scenario(scenario)}


def _odds(session: Session, course: Course, wanted: Sequence[str], against: str, limits: Limits) -> Data:
    asked = [wanted_of(session, sentence) for sentence in wanted]
    chosen = against_of(session, against) if against else None
    findings = find(session, course, asked, limits)
    lacking = lacking_one(session, findings) if chosen is None else None
    if findings.first.stopped and chosen is None and lacking is None:
        raise Fault(*findings.first.stopped)
    data = describe_odds(findings, session, limits)
    measure = chosen or lacking
    if measure is not None:
        data["against"] = _held_against(session, course, asked, measure, limits)
    if lacking is not None and findings.first.stopped:
        data["stopped"] = []
    return data


def _held_against(session: Session, course: Course, wanted: Sequence[Wanted], against: Against, limits: Limits) -> Data:
    """How likely what depends on a measure is for each of its values."""
    before, found = session.save(), list[Findings]()
    for value in against.values:
        against.give(session, value)
        found.append(find(session, course, wanted, limits))
        session.restore(before)
    rows = [
        ("wanted", sentence_text(w.line.span), [f.chance_of_wanted(n) for f in found]) for n, w in enumerate(wanted)
    ]
    rows += [("event", mark_text(mark, session.worder), chances) for mark, chances in _depending(found)]
    return {
        "measure": against.text(session),
        "values": list(against.values),
        "exact": not any(f.why_sampled for f in found),
        "outcomes": [
            {"text": text, "kind": kind, "chances": [describe_chance(c) for c in chances]}
            for kind, text, chances in rows
        ],
    }


def _depending(found: Sequence[Findings]) -> list[tuple[Mark, list[Chance]]]:
    """The events whose chances are not the same for all values, by the step in which they were met first."""
    seen: dict[Mark, int] = {}
    for findings in found:
        for mark, step in findings.seen.items():
            seen[mark] = min(step, seen.get(mark, step))
    events = sorted((m for m in seen if m.kind == "event"), key=lambda m: seen[m])
    told = {mark: [f.chance(mark) for f in found] for mark in events}
    return [(m, chances) for m, chances in told.items() if len({(c.least, c.most) for c in chances}) > 1]
