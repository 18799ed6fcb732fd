"""Odds against a number that is left open: a characteristic that a test compares, with one value after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from rulewright.diagnostics import Fault, report
from rulewright.model import Individual, MeasureOf, Test
from rulewright.phrases.matching import Reader, unique
from rulewright.scenarios.odds.findings import Findings
from rulewright.session.session import Session
from rulewright.syntax.signs import typed
from rulewright.walk import descend

MOST_VALUES = 50
_RANGE = re.compile(r"(?P<measure>.*?)\s*=\s*(?P<low>-?\d{1,6})\s*(?:\.\.|…|–)\s*(?P<high>-?\d{1,6})\s*")


@dataclass(frozen=True)
class Against:
    """A measure of certain things, and the values it is given one after the other."""

    measure: MeasureOf
    values: Sequence[int]

    def text(self, session: Session) -> str:
        """The measure in words."""
        return session.worder.expression(self.measure, {})

    def give(self, session: Session, value: int) -> None:
        """Gives the measure a value."""
        worder = session.own_worder
        number = worder.number(Fraction(value), worder.vocabulary.phrases[self.measure.phrase].dimension)
        session.give(worder.own("comparisons", "=", left=worder.expression(self.measure, {}), right=number))


def against_of(session: Session, text: str) -> Against:
    """What odds are held against, as it is asked for: ``the Discipline of Archers``, or ``... = 4..10``.

    Raises:
        Fault: it is not a measure of things there are, or it is not clear which values it is to have.
    """
    ranged = _RANGE.fullmatch(text)
    span = typed(ranged["measure"] if ranged else text, session.language.code)
    measures = unique(Reader(session.lexicon, span).measures())
    if len(measures) != 1 or any(not isinstance(a, Individual) for a in measures[0].arguments):
        raise Fault(report("no-measure-against", text=text))
    if ranged:
        values = range(int(ranged["low"]), int(ranged["high"]) + 1)
        if not 1 < len(values) <= MOST_VALUES:
            raise Fault(report("unclear-range", text=text, most=MOST_VALUES))
        return Against(measures[0], values)
    found = _range(session, measures[0].phrase)
    if found is None:
        raise Fault(report("no-range-against", text=text))
    return Against(measures[0], found)


def lacking_one(session: Session, findings: Findings) -> Against | None:
    """The one measure for want of which tests cannot be taken, when nothing else is lacking and it can be given."""
    lacking = {key for state in findings.stops for key in state.lacking}
    if len(lacking) != 1 or any(not state.lacking for state in findings.stops):
        return None
    ((phrase, things),) = lacking
    values = _range(session, phrase) if phrase not in session.compiled.worked_out else None
    return Against(MeasureOf(phrase, tuple(map(Individual, things))), values) if values is not None else None


def _range(session: Session, phrase: str) -> range | None:
    """The totals of the dice that are held against a measure."""
    tests = [t for t in session.compiled.edition.tests if _compares(t, phrase)]
    if not tests:
        return None
    return range(min(t.dice.lowest for t in tests), max(t.dice.highest for t in tests) + 1)


def _compares(test: Test, phrase: str) -> bool:
    return any(isinstance(node, MeasureOf) and node.phrase == phrase for node in descend(test.success))
