"""Marks: what may or may not come about in a game, and what is wanted to be known of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from rulewright.lowering import names
from rulewright.model import (
    FAILS_TEST,
    PASSES_TEST,
    TAKES_TEST,
    WOULD_FAIL_TEST,
    WOULD_PASS_TEST,
    Individual,
    Line,
    MeasureOf,
    Phrase,
    Vocabulary,
)
from rulewright.phrases.wording import Worder
from rulewright.productions import NOBODY
from rulewright.provenance import Step, Value
from rulewright.scenarios.expectations import examine
from rulewright.session.session import Session
from rulewright.session.world import decoded
from rulewright.speech import say
from rulewright.syntax.signs import typed

Kind = Literal["event", "rule", "fact", "value", "wanted", "end", "choice", "stopped"]
NEGATIVE = ("not-event", "not-fires", "not-pre-empted")
"""Forms of expectations that are met when something never comes about."""
OF_TESTS = (TAKES_TEST, PASSES_TEST, FAILS_TEST)


@dataclass(frozen=True)
class Mark:
    """Something that comes about, or is so at the end.

    Attributes:
        kind: an event, or a rule that fired, on the way; a fact, or the value of a measure, at the end; a sentence
            that is wanted; or what keeps the game from going on.
        what: the phrase, the rule, the number of the sentence, the name of the diagnostic.
        values: the places of the phrase; the thing that the rule fired for.
    """

    kind: Kind
    what: str
    values: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Wanted:
    """A sentence whose odds are wanted.

    Attributes:
        negative: it is so when what it speaks of never comes about.
        at_end: it speaks of how things stand, which counts at the end alone.
    """

    line: Line
    negative: bool
    at_end: bool


def wanted_of(session: Session, sentence: str) -> Wanted:
    """A sentence whose odds are wanted, read as an expectation.

    Raises:
        Fault: it cannot be read.
    """
    line = Line(typed(sentence, session.language.code))
    form = examine(line, session, session.steps).form
    return Wanted(line, form in NEGATIVE, form == "state")


@dataclass
class Teller:
    """Tells the marks of steps and of ends.

    Attributes:
        seen: each mark of the way, with the number of the step in which it was met first.
    """

    vocabulary: Vocabulary
    wanted: Sequence[Wanted] = ()
    seen: dict[Mark, int] = field(default_factory=dict)

    def along(self, session: Session, steps: Sequence[Step], rolled: Sequence[Step] = ()) -> frozenset[Mark]:
        """What came about in some steps, the last of which has just been taken, after a test was rolled for."""
        found = {mark: step.number for step in reversed(steps) for mark in self._of_step(step)}
        for mark, number in found.items():
            self.seen.setdefault(mark, number)
        return frozenset(found) | self._wanted(session, [*rolled, *steps], at_end=False)

    def at_end(self, session: Session) -> frozenset[Mark]:
        """What is so where a game has come to its end."""
        world, phrases = session.game.world, self.vocabulary.phrases
        own = [f for f in world.facts if f.predicate.startswith(names.fact(""))]
        facts = [(f.predicate.removeprefix(names.fact("")), decoded(f.values)) for f in own]
        stated = {
            Mark("fact", phrase, values)
            for phrase, values in facts
            if phrase in phrases and phrases[phrase].kind != "record" and not _turned(phrases[phrase], values)
        }
        measured = {
            Mark("value", measure, (*things, value))
            for (measure, things), value in world.values.items()
            if phrases[measure].kind == "measure" and not _turned(phrases[measure], things)
        }
        return frozenset(stated | measured) | self._wanted(session, session.steps, at_end=True)

    def _of_step(self, step: Step) -> Iterator[Mark]:
        """The events and rules of a step; not what was given, nor phases, nor what was only about to happen."""
        if step.voided:
            return
        detail = self.vocabulary.events[step.event]
        if step.event in OF_TESTS:
            yield test_mark(step.event, step.values)
        elif step.causes and not (detail.opens or detail.closes or step.event in (WOULD_FAIL_TEST, WOULD_PASS_TEST)):
            yield Mark("event", step.event, step.values)
        for match in step.matches:
            if match.fired:
                yield Mark("rule", match.rule, tuple(v for v in match.bindings.values() if isinstance(v, str))[:1])

    def _wanted(self, session: Session, steps: Sequence[Step], at_end: bool) -> frozenset[Mark]:
        asked = [(str(n), w) for n, w in enumerate(self.wanted) if w.at_end == at_end]
        return frozenset(Mark("wanted", n) for n, w in asked if examine(w.line, session, steps).met != w.negative)


def _turned(phrase: Phrase, values: Sequence[Value]) -> bool:
    """Whether this is the other way round of what is said already, of a phrase that holds both ways."""
    return phrase.symmetric and len(values) > 1 and str(values[0]) > str(values[1])


def test_mark(event: str, values: tuple[Value, ...]) -> Mark:
    """The mark of a test that is taken, passed or failed, whoever is to blame for it."""
    return Mark("event", event, (*values[:2], *(NOBODY for _ in values[2:])))


def mark_text(mark: Mark, worder: Worder) -> str:
    """A mark in words."""
    if mark.kind == "rule":
        thing = ", ".join(worder.name(str(value)) for value in mark.values)
        return say("odds.rule", rule=mark.what, thing=thing) if thing else say("odds.rule-alone", rule=mark.what)
    if mark.kind == "value":
        *things, value = mark.values
        measure = MeasureOf(mark.what, tuple(Individual(str(thing)) for thing in things))
        assert not isinstance(value, str)
        number = worder.number(value, worder.vocabulary.phrases[mark.what].dimension)
        return worder.own("comparisons", "=", left=worder.expression(measure, {}), right=number)
    return worder.statement(mark.what, mark.values)
