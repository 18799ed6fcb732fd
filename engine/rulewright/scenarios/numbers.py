"""Which numbers a script would have to give for a comparison in its game to turn out otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from rulewright.explain.nearest import Binding, Moment, tie
from rulewright.lowering import names
from rulewright.model import (
    Compare,
    Expression,
    Individual,
    Known,
    MeasureDefinition,
    MeasureOf,
    Number,
    Variable,
)
from rulewright.productions import SCALE, Var
from rulewright.provenance import Step
from rulewright.scenarios.boundaries import is_whole, leaves, turning_point
from rulewright.scenarios.changes import Change, Omit, SetMeasure, SetNumber, Skip
from rulewright.scenarios.rehearsal import Run
from rulewright.scenarios.script import AT_THE_START, Script
from rulewright.session.log import Introduction, Measurement, Occurrence
from rulewright.session.world import encoded

MOST_WAYS = 12
"""So many ways in which a measure is worked out are looked at."""


class Numbers:
    """The numbers that a script gives: values of measures, and those in its events."""

    def __init__(self, run: Run, script: Script) -> None:
        self.run, self.script = run, script
        self.edition = run.session.compiled.edition
        self.vocabulary = self.edition.vocabulary

    def place_of(self, step: Step) -> tuple[int, int] | None:
        """Where an event was given: the number of its entry, and its place in it; None when a rule brought it about."""
        if step.causes:
            return None
        number = self.run.entry_of(step.number)
        entry = next((o.entry for o in self.script.entries if o.number == number), None)
        if not isinstance(entry, Occurrence) or (step.event, step.values) not in entry.events:
            return None
        return number, entry.events.index((step.event, step.values))

    # --- comparisons ---------------------------------------------------------------------------------------------

    def compared(self, compare: Compare, binding: Binding, moment: Moment) -> Iterator[Change]:
        """Other numbers with which a comparison would hold."""
        parts = leaves(compare)
        found = {leaf: self.worth(leaf, binding, moment) for leaf in parts}
        known: dict[Expression, Fraction] = {leaf: value for leaf, value in found.items() if value is not None}
        for leaf in parts:
            if len(known) < len(parts) - (found[leaf] is None):
                continue  # another one is not known, so nothing can be said
            dimension = self.vocabulary.phrases[leaf.phrase].dimension if isinstance(leaf, MeasureOf) else None
            target = turning_point(compare, leaf, known, is_whole(dimension, self.vocabulary))
            if target is not None and target != found[leaf]:
                yield from self.revalued(leaf, binding, found[leaf], target, moment)

    def worth(self, leaf: MeasureOf | Variable, binding: Binding, moment: Moment) -> Fraction | None:
        """The value of a measure or a number at a moment."""
        if isinstance(leaf, Variable):
            value = binding.get(Var(leaf.name))
            return Fraction(value, SCALE) if isinstance(value, int) else None
        things = _things(leaf, binding)
        for fact in moment.facts(names.value(leaf.phrase, leaf.before)) if things is not None else ():
            if fact.values[:-1] == things:
                return Fraction(int(fact.values[-1]), SCALE)
        return None

    def revalued(
        self, leaf: MeasureOf | Variable, binding: Binding, now: Fraction | None, target: Fraction, moment: Moment
    ) -> Iterator[Change]:
        """Changes with which a number has a certain value at a moment."""
        if isinstance(leaf, Variable):
            if now is not None:
                yield from self.numbers_of_event(now, target, moment)
            return
        things = _things(leaf, binding)
        if things is None:
            return
        definitions = [d for d in self.edition.measures if d.head.phrase == leaf.phrase]
        if leaf.phrase in self.vocabulary.tallies:
            if now is not None:
                yield from self.tallied(leaf.phrase, things, target - now, moment)
        elif leaf.phrase in self.vocabulary.snapshots:
            yield from self.measured(leaf.phrase, things, now, target, only_if_given=True)
            yield from self.measured(self.vocabulary.snapshots[leaf.phrase].measure, things, now, target)
        elif definitions:
            for definition in definitions:
                yield from self.worked_out(definition, things, now, target, moment)
        else:
            yield from self.measured(leaf.phrase, things, now, target)

    def numbers_of_event(self, now: Fraction, target: Fraction, moment: Moment) -> Iterator[Change]:
        """Another number in the event that was looked at."""
        step = next((s for s in self.run.steps if s.number == moment.look.step), None)
        place = self.place_of(step) if step is not None else None
        if step is None or place is None:
            return
        for index, value in enumerate(step.values):
            if value == now:
                yield SetNumber(*place, index, target)

    def tallied(self, tally: str, things: tuple[str, ...], by: Fraction, moment: Moment) -> Iterator[Change]:
        """Other numbers in the events that a tally sums, up to a moment."""
        detail = self.vocabulary.tallies[tally]
        wanted = dict(zip((r.name for r in self.vocabulary.phrases[tally].roles), things, strict=True))
        index = detail.event.arguments.index(detail.amount)
        for step in self.run.steps:
            place = self.place_of(step)
            if step.event != detail.event.phrase or place is None or step.number > moment.look.step or step.voided:
                continue
            own = tie(detail.event, encoded(step.values)) or {}
            old = step.values[index]
            if isinstance(old, Fraction) and all(own.get(Var(name), thing) == thing for name, thing in wanted.items()):
                if old + by > 0:
                    yield SetNumber(*place, index, old + by)
                elif old + by == 0:
                    yield Skip(*place)

    def measured(
        self,
        measure: str,
        things: tuple[str, ...],
        now: Fraction | None,
        target: Fraction,
        only_if_given: bool = False,
    ) -> Iterator[Change]:
        """A measure that was given with another value; events that change it afterwards still do."""
        both = {things, (things[1], things[0], *things[2:])} if self.vocabulary.phrases[measure].symmetric else {things}
        given = [
            (o.number, o.entry)
            for o in self.script.entries
            if isinstance(o.entry, Measurement) and o.entry.measure == measure and o.entry.things in both
        ]
        for number, entry in given[-1:]:
            value = entry.value + target - now if now is not None else target
            if value >= 0:
                yield SetMeasure(number, measure, entry.things, value)
        if not given and not only_if_given:
            yield SetMeasure(AT_THE_START, measure, things, target)

    def worked_out(
        self,
        definition: MeasureDefinition,
        things: tuple[str, ...],
        now: Fraction | None,
        target: Fraction,
        moment: Moment,
    ) -> Iterator[Change]:
        """Another value of a measure that is worked out from others."""
        start: dict[Var, str | int] = {}
        for argument, thing in zip(definition.head.arguments, things, strict=True):
            if isinstance(argument, Variable):
                start[Var(argument.name)] = thing
        for way in moment.all_of(definition.conditions, start)[:MOST_WAYS]:
            if definition.how == "equals":
                wanted = Compare(definition.subject, "=", Number(target), definition.subject_span)
                yield from self.compared(wanted, way, moment)
            elif definition.how != "counts":
                for leaf in leaves(definition.subject):
                    value = self.worth(leaf, way, moment)
                    if value is not None and now is not None:
                        new = value + target - now if definition.how == "adds" else target
                        yield from self.revalued(leaf, way, value, new, moment)

    # --- known or not --------------------------------------------------------------------------------------------

    def known(self, condition: Known, binding: Binding, wanted: bool) -> Iterator[Change]:
        """A measure that is known after all, with a value that another thing has; or one that is not given."""
        measure, things = condition.measure.phrase, _things(condition.measure, binding)
        given = [(o.number, o.entry) for o in self.script.entries if isinstance(o.entry, Measurement)]
        alike = [(number, entry) for number, entry in given if entry.measure == measure]
        if things is None:
            return
        if wanted:
            for _, entry in alike[:1]:
                yield SetMeasure(AT_THE_START, measure, things, entry.value)
            return
        introduced = [o.entry.span for o in self.script.entries if isinstance(o.entry, Introduction)]
        for number, entry in alike:
            attribute = any(entry.span is not None and s is not None and s.holds(entry.span) for s in introduced)
            if not attribute and sorted(entry.things) == sorted(things):
                yield Omit(number)


def _things(measure: MeasureOf, binding: Mapping[Var, str | int]) -> tuple[str, ...] | None:
    """The things that a measure is of; None when one is not known."""
    found: list[str] = []
    for argument in measure.arguments:
        value = binding.get(Var(argument.name)) if isinstance(argument, Variable) else None
        thing = argument.ident if isinstance(argument, Individual) else value
        if not isinstance(thing, str):
            return None
        found.append(thing)
    return tuple(found)
