"""What would have to change: the answer as data, by the schema ``rulewright/whatif/1`` (``whatif.schema.json``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rulewright.backends.base import Backend
from rulewright.diagnostics import Fault
from rulewright.explain.failed import describe_miss, miss_text
from rulewright.explain.misses import Aim, nearest_miss
from rulewright.explain.nearest import Moment
from rulewright.lowering.compile import Compiled
from rulewright.model import Line, ReadingChoice, Scenario
from rulewright.phrases.wording import Worder
from rulewright.phrases.words import sentence_text
from rulewright.provenance import Value
from rulewright.resolve.scenarios import resolve_scenarios
from rulewright.scenarios.boundaries import is_whole
from rulewright.scenarios.changes import Change, Give, Omit, SetMeasure, SetNumber, Settle, Skip, Weighed
from rulewright.scenarios.comparison import Courses
from rulewright.scenarios.rehearsal import Rehearsal, Run
from rulewright.scenarios.rewritten import (
    Writing,
    answer_sentence,
    event_sentence,
    given_sentence,
    measure_sentence,
    scenario_text,
)
from rulewright.scenarios.runner import play
from rulewright.scenarios.script import AT_THE_START, Script, place_of, script_of, scripted
from rulewright.scenarios.search import MOST_CHANGES, MOST_GAMES, Found, Search, Tried
from rulewright.scenarios.setting import set_otherwise
from rulewright.session.log import AnswerSentence, Occurrence, Statement
from rulewright.session.requests import request_text
from rulewright.session.session import Session
from rulewright.speech import say
from rulewright.syntax.parser import parse
from rulewright.text import Source, Span
from rulewright.workspace import Tree, load_cached

Data = dict[str, Any]

SCHEMA = "rulewright/whatif/1"
KINDS: dict[type[Change], str] = {
    Give: "given",
    Omit: "left-out",
    Skip: "does-not-happen",
    SetMeasure: "measure",
    SetNumber: "number",
    Settle: "answer",
}


def changes_in(session: Session, goal: Span, most_changes: int = MOST_CHANGES, most_games: int = MOST_GAMES) -> Data:
    """The smallest changes of a game that was played without a scenario, as data.

    Raises:
        Fault: the goal cannot be read.
    """
    rehearsal = Rehearsal(session.compiled, session.backend, session.language.code)
    search = Search(script_of(session), rehearsal, Line(goal), most_changes, most_games)
    try:
        return describe_changes(None, search, search.find())
    finally:
        rehearsal.close()


def describe_changes(scenario: Scenario | None, search: Search, found: Found) -> Data:
    """The smallest changes that a search came to, as data."""
    base = found.base
    return {
        "schema": SCHEMA,
        "scenario": describe_scenario(scenario) if scenario is not None else None,
        "goal": sentence_text(search.goal.span),
        "met": found.met,
        "got": base.outcome.got or None,
        "nearest": _nearest(base) if not found.answers else None,
        "answers": [_Answer(scenario, search.script, found, one).described() for one in found.answers],
        "searched": {
            "changes": found.size,
            "most_changes": search.most_changes,
            "games": found.runs,
            "most_games": search.most_games,
            "ended": found.ended,
        },
    }


def describe_scenario(scenario: Scenario) -> Data:
    """Which scenario an answer is about."""
    return {
        "id": scenario.ident,
        "title": scenario.title,
        "edition": scenario.edition,
        "place": f"{scenario.span.source.name}:{scenario.span.line}",
    }


def _nearest(base: Tried) -> str | None:
    """Where the rule that a goal speaks of came nearest to applying."""
    rule, thing, _ = base.outcome.names
    session = base.run.session
    moments = [Moment(session.compiled, look) for look in base.run.looks.taken]
    found = nearest_miss(session.compiled, rule, moments, Aim(thing)) if rule is not None else None
    if found is None or (found.reach is not None and found.reach.failed is None):
        return None
    return miss_text(describe_miss(found, session.worder))


@dataclass(frozen=True)
class Otherwise:
    """What is otherwise in one of two games of a scenario.

    Attributes:
        sentences: what is so instead, or happens instead.
        edit: the file of rules that takes the place of others.
        edition: the other edition.
        readings: the other options of readings.
    """

    sentences: tuple[Span, ...] = ()
    edit: Source | None = None
    edition: str | None = None
    readings: tuple[ReadingChoice, ...] = ()

    def described(self) -> Data:
        """As data."""
        return {
            "set": [sentence_text(span) for span in self.sentences],
            "edit": self.edit.name if self.edit else None,
            "edition": self.edition,
            "readings": [{"id": c.reading, "option": c.option} for c in self.readings],
        }

    def loaded(self, tree: Tree, scenario: Scenario) -> Compiled:
        """The rules that it is played under.

        Raises:
            Fault: they cannot be read.
        """
        edition = self.edition or scenario.edition
        known = load_cached(tree, edition).edition if edition in tree.editions() else None
        asked = {c.reading for c in self.readings}
        kept = [c for c in scenario.readings if c.reading not in asked and known and c.reading in known.readings.known]
        choices = (*kept, *self.readings)
        if self.edit is not None and known is not None:
            loaded = tree.edited(edition, self.edit, choices)
        else:
            loaded = tree.load(edition, readings=choices)
        if loaded.compiled is None:
            raise Fault(*loaded.diagnostics)
        return loaded.compiled

    def rewritten(self, scenario: Scenario, compiled: Compiled, backend: Backend) -> Scenario:
        """The scenario with what is so, or happens, instead.

        Raises:
            Fault: a sentence cannot be read, or the game cannot go on with it.
        """
        if not self.sentences:
            return scenario
        script = scripted(scenario, compiled, backend)
        rehearsal = Rehearsal(compiled, backend, scenario.language)
        try:
            script, changes = set_otherwise(script, rehearsal.play(script), self.sentences)
            after = rehearsal.play(script)
            rehearsal.rest(after)
        finally:
            rehearsal.close()
        if after.fault is not None:
            raise after.fault
        answered = [a for a in after.answered if not a.open]
        own = after.session.own_worder
        text = scenario_text(Writing(script, changes, answered, own).lines(scenario, expectations=True), own)
        name = say("whatif.otherwise-file", file=scenario.span.source.name)
        blocks, wrong = parse(Source(name, text))
        scenarios, found = resolve_scenarios(blocks)
        if wrong or found:
            raise Fault(*wrong, *found)
        return scenarios[0]


def describe_otherwise(
    scenario: Scenario, compiled: Compiled, tree: Tree, backend: Backend, otherwise: Otherwise
) -> Data:
    """What differs when something is otherwise, step by step, as data.

    Raises:
        Fault: what is to be otherwise cannot be read, or cannot be had.
    """
    changed = otherwise.rewritten(scenario, compiled, backend)
    other = otherwise.loaded(tree, scenario)
    before, after = play(scenario, compiled, backend, strict=False), play(changed, other, backend, strict=False)
    before.session.close()
    after.session.close()
    return {
        "schema": SCHEMA,
        "scenario": describe_scenario(scenario),
        "otherwise": otherwise.described(),
        **Courses(before, after).described(),
    }


class _Answer:
    """One set of changes, told."""

    def __init__(self, scenario: Scenario | None, script: Script, found: Found, tried: Tried) -> None:
        self.scenario, self.script, self.tried, self.base = scenario, script, tried, found.base
        self.weighed: Weighed = found.weighed
        self.session: Session = tried.run.session
        self.worder = self.session.worder
        self.writing = Writing(script, tried.changes, tried.run.answered, self.session.own_worder)

    def described(self) -> Data:
        before, after = _fired(self.base.run), _fired(self.tried.run)
        open_ones = [a for a in self.tried.run.answered if a.open]
        return {
            "changes": [self.change(one) for one in self.tried.changes],
            "whatever": [request_text(a.request, self.worder) for a in open_ones],
            "unasked": self.unasked(),
            "applies": [text for text in after if text not in before],
            "applies_no_longer": [text for text in before if text not in after],
            "text": self.text(),
        }

    def text(self) -> str | None:
        """The scenario with the changes in it."""
        if self.scenario is None:
            return None
        return scenario_text(self.writing.lines(self.scenario), self.session.own_worder)

    def unasked(self) -> list[str]:
        """The answers that were said in the scenario, and that nothing asks for any more."""
        before = {r.span for answers in self.base.run.unused for r in answers}
        now = [r for answers in self.tried.run.unused for r in answers[:1]]
        return [self.answer(r, r.span) for r in now if r.span is not None and r.span not in before]

    def answer(self, answer: AnswerSentence, span: Span) -> str:
        """An answer of the scenario as a sentence, though at the table a number was enough."""
        asked = [a for a in self.base.run.answered if a.value == answer.value and answer.fits(a.request)]
        return answer_sentence(asked[0], self.worder) if asked else sentence_text(span)

    def change(self, change: Change) -> Data:
        """A change in words, and the lines of the scenario that it goes into."""
        was = self.weighed.was(change)
        text = self.sentence(change, self.worder)
        shown = self.shown(change, was) if was is not None else None
        key = "instead" if shown is not None else KINDS[type(change)]
        line, put = self.lines(change)
        return {
            "kind": KINDS[type(change)],
            "text": say(f"whatif.{key}", text=text, was=shown or ""),
            "sentence": text,
            "was": shown,
            "line": line if self.scenario is not None else None,
            "put": put if self.scenario is not None else None,
            "after": self.after(change) if line is None else None,
        }

    def after(self, change: Change) -> int | None:
        """The line after which a new line is to be put."""
        if self.scenario is None:
            return None
        if isinstance(change, Settle):
            span = place_of(self.script.entry(change.asked.entry))
            return span.line if span is not None else None
        return self.scenario.givens[-1].span.line if self.scenario.givens else None

    def shown(self, change: Change, value: Value) -> str:
        """A value that was there before, in words."""
        if isinstance(value, str):
            return self.worder.name(value)
        vocabulary = self.worder.vocabulary
        dimension = None
        if isinstance(change, SetMeasure):
            dimension = vocabulary.phrases[change.measure].dimension
        elif isinstance(change, SetNumber):
            entry = self.script.entry(change.entry)
            assert isinstance(entry, Occurrence)
            dimension = vocabulary.phrases[entry.events[change.event][0]].roles[change.place].dimension
        return self.worder.number(value, None if is_whole(dimension, vocabulary) else dimension)

    def sentence(self, change: Change, worder: Worder) -> str:
        """What a change says, or takes away, as a sentence."""
        if isinstance(change, Give):
            return given_sentence(change, worder)
        if isinstance(change, SetMeasure):
            return measure_sentence(change, worder)
        if isinstance(change, SetNumber):
            return event_sentence(self.script, change, worder)
        if isinstance(change, Settle):
            return answer_sentence(next(a for a in self.tried.run.answered if a.asked == change.asked), worder)
        entry = self.script.entry(change.entry)
        if isinstance(change, Skip):
            assert isinstance(entry, Occurrence)
            return worder.statement(*entry.events[change.event])
        if isinstance(entry, Statement):
            return worder.atom(entry.atom.phrase, entry.atom.arguments, {}, entry.atom.negated)
        span = place_of(entry)
        return sentence_text(span) if span is not None else ""

    def lines(self, change: Change) -> tuple[int | None, str | None]:
        """The line of the scenario that a change is about, and what to put there; no line, where one is to be added."""
        own = self.session.own_worder
        if isinstance(change, Give) or (isinstance(change, SetMeasure) and change.entry == AT_THE_START):
            return None, self.sentence(change, own)
        if isinstance(change, Settle):
            said = self.said(change)
            return said, self.sentence(change, own)
        entry = self.script.entry(change.entry)
        if isinstance(entry, Occurrence) and isinstance(change, Skip | SetNumber):
            span = entry.spans[change.event] if change.event < len(entry.spans) else None
        else:
            span = place_of(entry)
        if span is None:
            return None, None
        if isinstance(change, SetMeasure):
            return span.line, self.writing.said(self.whole(span))
        return span.line, self.sentence(change, own) if isinstance(change, SetNumber) else None

    def whole(self, part: Span) -> Span:
        """The sentence of the scenario that something stands in."""
        steps = self.scenario.steps if self.scenario is not None else ()
        givens = self.scenario.givens if self.scenario is not None else ()
        lines = [*givens, *(line for step in steps for line in step.happenings)]
        return next((line.span for line in lines if line.span.holds(part)), part)

    def said(self, change: Settle) -> int | None:
        """The line of the answer that a change takes the place of."""
        answered = next(a for a in self.tried.run.answered if a.asked == change.asked)
        spans = [
            r.span
            for answers in self.script.answers.get(change.asked.entry, ())
            for r in answers
            if r.fits(answered.request) or (r.kind == "roll" and r.test == answered.request.test)
        ]
        return next((span.line for span in spans if span is not None), None)


def _fired(run: Run) -> list[str]:
    """The rules that fired in a game, each with the things of the game that it fired for."""
    session = run.session
    found = []
    for match in (m for m in session.matches if m.fired):
        things = [session.worder.name(v) for v in match.bindings.values() if isinstance(v, str) and v in session.names]
        about = ", ".join(dict.fromkeys(things))
        found.append(say("whatif.for", rule=match.rule, things=about) if about else match.rule)
    return list(dict.fromkeys(found))
