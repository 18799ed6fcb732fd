"""Effects on what cannot be brought about: words that are worked out, totals where there are no dice, open places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import Atom, Change, Edition, Effect, Rounded, Total, Variable
from rulewright.phrases.wording import phrase_text
from rulewright.speech import later
from rulewright.text import Span
from rulewright.walk import descend


def check_effects(edition: Edition) -> list[Diagnostic]:
    """Effects of rules and events that could not be carried out, totals outside tests, tests of one name."""
    vocabulary = edition.vocabulary
    worked_out = {d.head.phrase for d in edition.definitions} | {m.head.phrase for m in edition.measures}
    worked_out |= {*vocabulary.tallies, *vocabulary.snapshots, *vocabulary.records}
    found = []
    for effect, places in _effects(edition):
        act = effect.act
        target = act.phrase if isinstance(act, Atom) else act.measure.phrase if isinstance(act, Change) else None
        if target in worked_out:
            found.append(report("worked-out-effect", effect.span, phrase=phrase_text(vocabulary, target)))
        if places is None:
            continue
        if target is None or target in vocabulary.events:
            found.append(report("no-such-change", effect.span))
        for name in sorted({n.name for n in descend(effect) if isinstance(n, Variable)} - places):
            found.append(report("unsafe-variable", effect.span, variable=name, owner=later("item.event")))
    found += [report("total-without-dice", span) for span in _totals(edition)]
    return found + _same_tests(edition)


def _effects(edition: Edition) -> Iterator[tuple[Effect, set[str] | None]]:
    """Effects of rules; and those of events, with the places that the event has."""
    for rule in edition.rules:
        for effect in rule.effects:
            yield effect, None
            yield from ((e, None) for e in (*effect.on_success, *effect.on_failure))
    for ident, detail in edition.vocabulary.events.items():
        places = {r.name for r in edition.vocabulary.phrases[ident].roles}
        yield from ((effect, places) for effect in detail.changes)


def _totals(edition: Edition) -> Iterator[Span]:
    """Places that speak of the total of dice where no dice are held against anything."""
    for rule in edition.rules:
        parts: list[Any] = [*rule.conditions, *rule.effects, *(c for d in rule.defeaters for c in d.conditions)]
        yield from (p.span for p in parts if any(isinstance(n, Total) for n in descend(p)))
    for definition in edition.definitions:
        yield from (c.span for c in definition.conditions if any(isinstance(n, Total) for n in descend(c)))
    for test in edition.tests:
        rounded = (n for n in descend(test.success) if isinstance(n, Rounded))
        if any(isinstance(n, Total) for r in rounded for n in descend(r)):
            yield test.success.span


def _same_tests(edition: Edition) -> list[Diagnostic]:
    """Tests that are taken in two ways."""
    seen: dict[object, Span] = {}
    found = []
    for test in edition.tests:
        first = seen.setdefault(test.trigger.arguments[1], test.anchor.span)
        if first is not test.anchor.span:
            found.append(report("two-tests", test.anchor.span, [(later("place.first"), first)], test=test.anchor.ident))
    return found
