"""A game written as a scenario: what was said, and what came of it as expectations, so that it can be tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rulewright.diagnostics import Fault, report
from rulewright.model import Line
from rulewright.provenance import Step
from rulewright.scenarios.expectations import examine
from rulewright.syntax.signs import typed
from rulewright.table.record import lines_of
from rulewright.table.table import Table, Turn


def scenario_text(table: Table, name: str) -> str:
    """The game as a file of one scenario.

    Args:
        table: the game.
        name: what the scenario is to be called.

    Raises:
        Fault: nothing has happened yet.
    """
    if not any(turn.kind == "event" for turn in table.turns):
        raise Fault(report("nothing-happened", path=table.journal.name))
    language = table.session.language
    text = table.heading(name)
    for turns in _moments(table.turns):
        for turn in turns:
            text += lines_of(language, turn.kind, turn.sentences, first=turn is table.turns[0])
        told = _told(table, turns)
        keywords = [language.keyword("THEN"), *(language.keyword("AND") for _ in told[1:])]
        text += "".join(f"  {keyword} {sentence}\n" for keyword, sentence in zip(keywords, told, strict=bool(told)))
    return text


def _moments(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    """What was given, then each event with what belongs to it."""
    moment: list[Turn] = []
    for turn in turns:
        if turn.kind == "event" and moment:
            yield moment
            moment = []
        moment.append(turn)
    yield moment


def _told(table: Table, turns: Sequence[Turn]) -> list[str]:
    """What came of what was said, as sentences that are expected; those that cannot be read back are left out."""
    steps = table.session.steps[turns[0].steps.start : turns[-1].steps.stop]
    worder = table.session.own_worder
    told = [worder.statement(step.event, step.values) for step in steps if step.causes and not step.voided]
    return [sentence for sentence in dict.fromkeys(told) if _is_met(table, sentence, steps)]


def _is_met(table: Table, sentence: str, steps: Sequence[Step]) -> bool:
    try:
        return examine(Line(typed(sentence, table.session.language.code)), table.session, steps).met
    except Fault:
        return False
