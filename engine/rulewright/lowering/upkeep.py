"""Tests, tallies and records: what is kept and held against dice, beside the rules."""

from __future__ import annotations

from dataclasses import replace

from rulewright.diagnostics import report
from rulewright.lowering import names
from rulewright.lowering.bodies import CHARACTERISTIC, TOTAL
from rulewright.lowering.frame import Frame
from rulewright.lowering.workshop import Body
from rulewright.model import (
    COMPLEMENT,
    Test,
)
from rulewright.productions import Pattern, Var
from rulewright.resolve.kinds import variable_kinds


def lower_test(frame: Frame, test: Test) -> None:
    """A test: whether all it needs is known, and whether a total passes or fails it."""
    ident, span = test.anchor.ident, test.anchor.span
    bearer, kind = (frame.shop.term(a, span) for a in test.trigger.arguments[:2])
    if not isinstance(bearer, Var):
        frame.shop.diagnostics.append(report("test-without-bearer", span, test=ident))
        return
    frame.variables[ident] = (bearer.name,)
    token = Pattern(names.ROLLED, (bearer, kind, TOTAL, CHARACTERISTIC))
    complement = replace(test.success, operator=COMPLEMENT[test.success.operator])
    for predicate, success in ((names.PASSES, test.success), (names.FAILS, complement)):
        for body in frame.lower([Body(token)], [success], ident):
            head = Pattern(predicate, (bearer, kind))
            frame.shop.produce(f"{ident}/{predicate.partition(':')[2]}", body, head, ident, span)
    ready = Pattern(names.ready(ident), (bearer,))
    frame.shop.declare(ready.predicate, ("symbol",), ident)
    start = Body(frame.shop.pattern(names.on(test.trigger.phrase), test.trigger.arguments, span))
    for body in frame.lower([start], [test.success], ident):
        frame.shop.produce(f"{ident}/ready", replace(body, comparisons=()), ready, ident, span)


def lower_bookkeeping(frame: Frame) -> None:
    """What adds to tallies, and what is kept as records, until it ends."""
    for ident, tally in frame.vocabulary.tallies.items():
        phrase = frame.vocabulary.phrases[ident]
        head = Pattern(names.add(ident), (*(Var(r.name) for r in phrase.roles), Var(tally.amount.name)))
        frame.shop.declare(head.predicate, frame.shop.columns[names.value(ident)], ident)
        start = Body(frame.shop.pattern(names.book(tally.event.phrase), tally.event.arguments, phrase.span))
        kinds, _ = variable_kinds([tally.event, *tally.conditions], frame.vocabulary, phrase.span)
        bodies = frame.guarded(frame.lower([start], tally.conditions, ident), kinds, tally.event)
        for number, body in enumerate(bodies):
            frame.shop.produce(f"{ident}/add.{number + 1}", body, head, ident, phrase.span)
    for ident, record in frame.vocabulary.records.items():
        phrase = frame.vocabulary.phrases[ident]
        head = Pattern(names.keep(ident), tuple(Var(r.name) for r in phrase.roles))
        columns = frame.shop.columns[names.fact(ident)]
        frame.shop.declare(head.predicate, columns, ident)
        body = Body(frame.shop.pattern(names.book(record.event.phrase), record.event.arguments, phrase.span))
        kinds, _ = variable_kinds([record.event], frame.vocabulary, phrase.span)
        (guarded,) = frame.guarded([body], kinds, record.event)
        frame.shop.produce(f"{ident}/keep", guarded, head, ident, phrase.span)
        for number, event in enumerate(record.until):
            trigger = frame.shop.pattern(names.book(event.phrase), event.arguments, event.span)
            ended = Pattern(names.end(ident), head.terms)
            frame.shop.declare(ended.predicate, columns, ident)
            kept = Body(trigger, conditions=(Pattern(names.fact(ident), head.terms),))
            frame.shop.produce(f"{ident}/end.{number + 1}", kept, ended, ident, event.span)
