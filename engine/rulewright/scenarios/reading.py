"""Reads the sentences of a scenario without playing it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from rulewright.backends.reference import ReferenceMatcher
from rulewright.diagnostics import Diagnostic, Fault, report
from rulewright.lowering.compile import Compiled
from rulewright.model import Create, Line, Scenario
from rulewright.phrases.lexicon import Thing
from rulewright.phrases.matching import Reader
from rulewright.phrases.words import fold, split
from rulewright.scenarios.expectations import examine
from rulewright.session.session import Session
from rulewright.text import Span

ONLY_IN_PLAY = ("missing-measure", "several-values")
"""Faults that tell nothing about a sentence, since what was not played is not known."""


def check_scenario(scenario: Scenario, compiled: Compiled) -> list[Diagnostic]:
    """What is wrong with the sentences of a scenario, each looked at by itself."""
    session = Session(compiled, ReferenceMatcher, scenario.language)
    found: list[Diagnostic] = []

    def attempt(line: Line, read: Callable[[Span], object]) -> None:
        try:
            read(line.span)
        except Fault as fault:
            faults = [replace(d, span=d.span or line.span) for d in fault.diagnostics if d.name not in ONLY_IN_PLAY]
            found.extend(d for d in faults if not _about_lost(d, lost))

    lost: set[str] = set()
    for line in scenario.givens:
        before = len(found)
        attempt(line, session.give)
        if len(found) > before:
            lost |= _introduced(line.span, session)
    _expect_new_things(scenario, session)
    for step in scenario.steps:
        for line in step.happenings:
            attempt(line, partial(_look_at, session))
        for line in step.expectations:
            attempt(line, lambda span: examine(Line(span), session, ()))
    if not any(step.expectations for step in scenario.steps):
        found.append(report("expects-nothing", scenario.span, severity="warning", scenario=scenario.ident))
    return found


def _look_at(session: Session, span: Span) -> None:
    if not session.read_answer(span):
        session.look_at(span)


def session_at_start(scenario: Scenario, compiled: Compiled) -> Session:
    """A session that knows the names of a scenario, those of things that rules may bring into it as well."""
    session = Session(compiled, ReferenceMatcher, scenario.language)
    for line in scenario.givens:
        with suppress(Fault):
            session.give(line.span)
    for line in (line for step in scenario.steps for line in step.happenings):
        with suppress(Fault):
            session.look_at(line.span)
    _expect_new_things(scenario, session)
    return session


def _expect_new_things(scenario: Scenario, session: Session) -> None:
    """Things that rules may bring into the game, by the names they will have, may be spoken of."""
    kinds = {e.act.kind for r in session.compiled.rules for e in r.effects if isinstance(e.act, Create)}
    lines = [line.span.text for step in scenario.steps for line in (*step.happenings, *step.expectations)]
    for name in session.names.values() if kinds else ():
        new = re.compile(rf"(?<!\w){re.escape(name)}(?: \(\d+\))+")
        for ident in {match for text in lines for match in new.findall(text)}:
            session.lexicon = session.lexicon.with_things((ident, Thing(ident, kind)) for kind in sorted(kinds))


def _introduced(span: Span, session: Session) -> set[str]:
    """The names that a line would have given, had it been right."""
    words = split(span.text, session.language.decimal)
    withs = session.language.sentences["with"]
    cuts = [w.start for w in words if w.type == "word" and w.folded in withs]
    parts = [span.within(0, end) for end in (*cuts, len(span.text))]
    read = [f for part in parts for f in Reader(session.lexicon, part, lenient=True, guess=True).own("introduction")]
    return {fold(str(filled["new"])) for filled in read} - {""}


def _about_lost(diagnostic: Diagnostic, lost: set[str]) -> bool:
    """Whether a sentence cannot be read only because it speaks of what should have been introduced before."""
    if diagnostic.name not in ("unknown-name", "unknown-phrase") or diagnostic.span is None:
        return False
    return any(name in fold(diagnostic.span.text) for name in lost)
