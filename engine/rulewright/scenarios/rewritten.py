"""A scenario written anew with changes in it: as the lines of a file, which can be played as they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.model import Compare, Individual, Line, MeasureOf, Number, Scenario
from rulewright.phrases.wording import Worder
from rulewright.phrases.words import sentence_text
from rulewright.phrases.writing import Choices, NoWordingError, Writer
from rulewright.scenarios.boundaries import is_whole
from rulewright.scenarios.changes import NOWHERE, Change, Give, Omit, SetMeasure, SetNumber, Skip
from rulewright.scenarios.rehearsal import Answered
from rulewright.scenarios.script import AT_THE_START, Script, place_of
from rulewright.session.log import Occurrence
from rulewright.session.requests import answer_text
from rulewright.speech import worded
from rulewright.text import Span


def measure_sentence(change: SetMeasure, worder: Worder) -> str:
    """What gives a measure its value, as a sentence; what is counted is not said twice."""
    vocabulary = worder.vocabulary
    dimension = vocabulary.phrases[change.measure].dimension
    counted = None if is_whole(dimension, vocabulary) else dimension
    measure = MeasureOf(change.measure, tuple(map(Individual, change.things)))
    compare = Compare(measure, "=", Number(change.value, counted), NOWHERE)
    try:
        return Writer(vocabulary, worder.language, worder.names).write(compare, Choices())
    except NoWordingError:  # the language spoken lacks a word; the worder takes one of another, and marks it
        return worder.condition(compare, {})


def event_sentence(script: Script, change: SetNumber, worder: Worder) -> str:
    """An event with another number, as a sentence."""
    entry = script.entry(change.entry)
    assert isinstance(entry, Occurrence)
    event, values = entry.events[change.event]
    return worder.statement(event, (*values[: change.place], change.value, *values[change.place + 1 :]))


def given_sentence(change: Give, worder: Worder) -> str:
    """A fact that is given, as a sentence."""
    return worder.atom(change.atom.phrase, change.atom.arguments, {}, change.atom.negated)


def answer_sentence(answered: Answered, worder: Worder) -> str:
    """The answer to a request, as a sentence."""
    value = answered.value
    return answer_text(answered.request, worder, worder.name(value) if isinstance(value, str) else worded(value))


def scenario_text(lines: Sequence[str], worder: Worder) -> str:
    """A file that holds a scenario of certain lines."""
    own = worder.language
    return "\n".join([f"{own.keyword('LANGUAGE')} {own.names[0]}", "", *lines, ""])


class Writing:
    """Writes the lines of a scenario with changes in it.

    Args:
        script: what was said in the scenario.
        changes: what is otherwise.
        answered: all that is asked for in the changed game, with the answers.
        worder: words sentences in the language of the scenario.
    """

    def __init__(self, script: Script, changes: Sequence[Change], answered: Sequence[Answered], worder: Worder) -> None:
        self.script, self.changes, self.answered, self.worder = script, changes, answered, worder
        self.omitted = {c.entry for c in changes if isinstance(c, Omit)}
        self.measures = {c.entry: c for c in changes if isinstance(c, SetMeasure) and c.entry != AT_THE_START}
        self.numbers = {(c.entry, c.event): c for c in changes if isinstance(c, SetNumber)}
        self.skipped = {(c.entry, c.event) for c in changes if isinstance(c, Skip)}

    def lines(self, scenario: Scenario, expectations: bool = False) -> list[str]:
        """The block of the scenario; what is expected is of the game as it was, and left out unless asked for."""
        own = self.worder.language
        found = [f'{own.keyword("SCENARIO")} {scenario.ident} "{scenario.title}"']
        clauses = [f"{own.keyword('EDITION')} {scenario.edition}"]
        clauses += [f"{own.keyword('READING')} {c.reading} {c.option}" for c in scenario.readings]
        clauses += _after("GIVEN", self.givens(scenario.givens), self.worder)
        for step in scenario.steps:
            clauses += _after("WHEN", self.happenings(step.happenings), self.worder)
            expected = [("AND", sentence_text(line.span)) for line in step.expectations if expectations]
            clauses += _after("THEN", expected, self.worder)
        return [*found, *(f"  {clause}" for clause in clauses)]

    def givens(self, lines: Sequence[Line]) -> Iterator[tuple[str, str]]:
        """What is given, each clause with its keyword."""
        for line in lines:
            text = self.said(line.span)
            if text:
                yield "AND", text
        for change in self.changes:
            if isinstance(change, Give):
                yield "AND", given_sentence(change, self.worder)
            elif isinstance(change, SetMeasure) and change.entry == AT_THE_START:
                yield "AND", measure_sentence(change, self.worder)

    def said(self, span: Span) -> str:
        """A sentence that gives something, with the values it is to have; nothing when it is left out."""
        text, edits = span.text, dict[tuple[int, int], str]()
        for one in self.script.entries:
            place = place_of(one.entry)
            if place is None or not span.holds(place):
                continue
            if one.number in self.omitted:
                return ""
            change = self.measures.get(one.number)
            if change is not None and place == span:
                return measure_sentence(change, self.worder)
            if change is not None:
                edits[place.start - span.start, place.end - span.start] = self.attribute(change)
        for (start, end), new in sorted(edits.items(), reverse=True):
            text = text[:start] + new + text[end:]
        return " ".join(text.split()) if edits else sentence_text(span)

    def attribute(self, change: SetMeasure) -> str:
        """A measure as it stands in a list of attributes."""
        phrase = self.worder.vocabulary.phrases[change.measure]
        forms = [w for w in phrase.wordings if w.form == "with" and w.language == self.worder.language.code]
        return forms[0].template.replace("{value}", self.worder.number(change.value, phrase.dimension))

    def happenings(self, lines: Sequence[Line]) -> Iterator[tuple[str, str]]:
        """What happens, with what is answered to it; answers that were said are written anew."""
        events = self.events()
        open_entry: int | None = None
        for line in lines:
            place = events.get((line.span.start, line.span.end))
            if place is None or place[0] != open_entry:
                yield from self.answers(open_entry)
                open_entry = None
            if place is not None:
                started, open_entry = open_entry == place[0], place[0]
                if place not in self.skipped:
                    change = self.numbers.get(place)
                    text = event_sentence(self.script, change, self.worder) if change else sentence_text(line.span)
                    yield "TOGETHER" if started and line.together else "AND", text
            elif any(place_of(one.entry) == line.span for one in self.script.entries):
                text = self.said(line.span)
                if text:
                    yield "AND", text
        yield from self.answers(open_entry)

    def events(self) -> Mapping[tuple[int, int], tuple[int, int]]:
        """Where the events of the script stand in the text."""
        return {
            (span.start, span.end): (one.number, index)
            for one in self.script.entries
            if isinstance(one.entry, Occurrence)
            for index, span in enumerate(one.entry.spans)
        }

    def answers(self, entry: int | None) -> Iterator[tuple[str, str]]:
        """The answers to what is asked for in the course of an entry."""
        for answered in self.answered:
            if answered.asked.entry == entry:
                yield "AND", answer_sentence(answered, self.worder)


def _after(first: str, clauses: Iterable[tuple[str, str]], worder: Worder) -> list[str]:
    """Clauses with their keywords; the first of them has one of its own."""
    own = worder.language
    return [f"{own.keyword(key if n else first)} {text}" for n, (key, text) in enumerate(clauses)]
