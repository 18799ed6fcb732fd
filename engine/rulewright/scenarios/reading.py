"""Reads the sentences of a scenario without playing it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rulewright.backends.reference import ReferenceMatcher
from rulewright.diagnostics import Diagnostic, Fault, report
from rulewright.lowering.compile import Compiled
from rulewright.model import Create, Scenario
from rulewright.phrases.lexicon import Thing
from rulewright.scenarios.expectations import examine
from rulewright.session.session import Session

ONLY_IN_PLAY = ("missing-measure", "several-values")
"""Faults that tell nothing about a sentence, since what was not played is not known."""


def check_scenario(scenario: Scenario, compiled: Compiled) -> list[Diagnostic]:
    """What is wrong with the sentences of a scenario, each looked at by itself."""
    session = Session(compiled, ReferenceMatcher, scenario.language)
    found: list[Diagnostic] = []

    def attempt(read: object) -> None:
        assert callable(read)
        try:
            read()
        except Fault as fault:
            found.extend(d for d in fault.diagnostics if d.name not in ONLY_IN_PLAY and not _about_lost(d, lost))

    lost: list[str] = []
    for line in scenario.givens:
        before = len(found)
        attempt(lambda line=line: session.give(line.span))
        if len(found) > before:
            lost.append(line.span.text)
    _expect_new_things(scenario, session)
    for step in scenario.steps:
        for line in step.happenings:
            attempt(lambda line=line: session.read_answer(line.span) or session.read_happening(line.span))
        for line in step.expectations:
            attempt(lambda line=line: examine(line, session, ()))
    if not any(step.expectations for step in scenario.steps):
        found.append(report("expects-nothing", scenario.span, severity="warning", scenario=scenario.ident))
    return found


def _expect_new_things(scenario: Scenario, session: Session) -> None:
    """Things that rules may bring into the game, by the names they will have, may be spoken of."""
    kinds = {e.act.kind for r in session.compiled.rules for e in r.effects if isinstance(e.act, Create)}
    lines = [line.span.text for step in scenario.steps for line in (*step.happenings, *step.expectations)]
    for name in session.names.values() if kinds else ():
        new = re.compile(rf"(?<!\w){re.escape(name)}(?: \(\d+\))+")
        for ident in {match for text in lines for match in new.findall(text)}:
            session.lexicon = session.lexicon.with_things((ident, Thing(ident, kind)) for kind in sorted(kinds))


def _about_lost(diagnostic: Diagnostic, lost: Sequence[str]) -> bool:
    """Whether a name is missed only because the line that gives it could not be read."""
    name = diagnostic.said[0] if diagnostic.name == "unknown-name" else ""
    return bool(name) and any(re.match(rf"\W*{re.escape(name)}\b", text) for text in lost)
