"""Tests: what they need, who called for them, and how dice are held against them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from rulewright.diagnostics import Diagnostic, Fault, report
from rulewright.lowering import names
from rulewright.lowering.compile import Compiled
from rulewright.model import CALLED_BY, CAUSED_BY, TAKES_TEST, Individual, MeasureOf, Test, Variable
from rulewright.phrases.wording import name_text
from rulewright.productions import NOBODY, Fact
from rulewright.provenance import Modifier, TestTaken
from rulewright.session.agenda import Call, Happening
from rulewright.session.consequences import Consequences
from rulewright.session.cycle import Answer
from rulewright.session.grounds import Grounds
from rulewright.session.world import Holding, Key, World, encoded
from rulewright.speech import later, listed
from rulewright.walk import descend


class MissingMeasures(Fault):
    """A test compares measures that are not known.

    Attributes:
        measures: which, with the things in their places.
    """

    def __init__(self, measures: tuple[Key, ...], diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.measures = measures


@dataclass(frozen=True)
class OpenTest:
    """A test between its being taken and its outcome.

    Attributes:
        step: index of the step in which it was taken.
        first_total: what was rolled first, once the dice are to be rolled again.
    """

    test: Test
    happening: Happening
    step: int
    modifiers: tuple[Modifier, ...]
    first_total: int | None = None

    @property
    def bearer(self) -> str:
        """Who takes it."""
        return str(self.happening.values[0])

    @property
    def kind(self) -> str:
        """Which test it is."""
        return str(self.happening.values[1])

    @property
    def roller(self) -> str:
        """Whose player rolls the dice; the one who takes the test, where nobody else is named or there."""
        wanted = self.test.roller
        places = zip(self.test.trigger.arguments, self.happening.values, strict=True)
        named = [str(value) for argument, value in places if wanted is not None and argument == wanted]
        return named[0] if named and named[0] else self.bearer

    def outcome(self, event: str) -> Happening:
        """The event of its outcome."""
        by = self.happening
        return Happening(event, (self.bearer, self.kind), by.causes, by.calls, chain=by.chain, outcome_of=self.step + 1)

    def token(self, total: Fraction) -> Fact:
        """The token that holds a total against it."""
        roll = sum((m.amount for m in self.modifiers if m.of == "roll"), total)
        characteristic = sum((m.amount for m in self.modifiers if m.of == "characteristic"), Fraction(0))
        return Fact(names.ROLLED, encoded((self.bearer, self.kind, roll, characteristic)))

    def taken(self, compiled: Compiled, answer: Answer, total: int, seen: int) -> TestTaken:
        """How it went, from the matcher's answer to its token, after so many changes of the world."""
        passed = bool(answer.heads(names.PASSES))
        heads = answer.heads(names.PASSES if passed else names.FAILS)
        firing = next(f for firings in heads.values() for f in firings)
        clause = Grounds(compiled, answer).clauses(firing)[0]
        return TestTaken(
            test=self.kind,
            rule=self.test.anchor.ident,
            bearer=self.bearer,
            dice=self.test.dice,
            total=total,
            clause=clause,
            passed=passed,
            modifiers=self.modifiers,
            first_total=self.first_total,
            seen=seen,
        )

    def rolled_again(self, total: int) -> OpenTest:
        """The same test, its dice to be rolled a second time."""
        return replace(self, first_total=total)


def test_due(compiled: Compiled, happening: Happening, answer: Answer, consequences: Consequences) -> Test | None:
    """The test that an event takes, or None.

    Raises:
        Fault: the edition does not say how it is taken, or a value that it needs is not known.
    """
    if happening.event != TAKES_TEST:
        return None
    vocabulary = compiled.edition.vocabulary
    bearer, kind = str(happening.values[0]), str(happening.values[1])
    for test in compiled.edition.tests:
        wanted = test.trigger.arguments[1]
        if isinstance(wanted, Individual) and wanted.ident != kind:
            continue
        if Fact(names.ready(test.anchor.ident), (bearer,)) in answer.heads(names.ready(test.anchor.ident)):
            return test
        unknown = _unknown(test, happening, consequences)
        measures = listed((consequences.measure_text(*one) for one in unknown), "list.and-quoted", "item.value")
        use = later("use.for-test", test=test.anchor.ident)
        raise MissingMeasures(unknown, report("missing-measure", measure=measures, use=use))
    raise Fault(report("no-such-test", test=name_text(vocabulary, kind), edition=compiled.edition.ident))


def _unknown(test: Test, happening: Happening, consequences: Consequences) -> tuple[Key, ...]:
    """The measures that a test compares and that are not known, with the things in their places."""
    places = zip(test.trigger.arguments, happening.values, strict=True)
    bindings = {a.name: value for a, value in places if isinstance(a, Variable)}
    found = dict.fromkeys(
        (measure.phrase, tuple(map(str, consequences.values(measure.arguments, bindings))))
        for measure in descend(test.success)
        if isinstance(measure, MeasureOf)
    )
    return tuple(key for key in found if consequences.measured(*key) is None)


def note_calls(world: World, happening: Happening, step: int) -> None:
    """While a test is open, the facts say who called for it, whom it is to be blamed on, and who waits for it."""
    if happening.event != TAKES_TEST:
        return
    bearer, kind = str(happening.values[0]), str(happening.values[1])
    cause = str(happening.values[2]) if len(happening.values) > 2 else NOBODY
    for call in happening.calls or (Call(0, NOBODY, cause),):
        holding = Holding(step, call.match or None)
        with world.changed_by("test", step, call.match or None):
            if call.rule:
                world.put(CALLED_BY, (kind, bearer, call.rule), holding)
            if call.cause:
                world.put(CAUSED_BY, (kind, bearer, call.cause), holding)
            if call.awaits is not None:
                world.put_plain(call.awaits, holding)


def forget_calls(world: World, happening: Happening) -> None:
    """The test is over."""
    bearer, kind = happening.values[0], happening.values[1]
    for about in (names.fact(CALLED_BY), names.fact(CAUSED_BY)):
        for fact in world.facts_of(about, str(kind)):
            if fact.values[1] == bearer:
                world.drop_fact(fact)
    for call in happening.calls:
        if call.awaits is not None:
            world.drop_fact(call.awaits)
