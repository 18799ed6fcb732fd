"""A clause that failed, as data and in words: what was the case instead, what it needed, what would mend it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rulewright.explain.clauses import arithmetic, clause_text, trigger_text
from rulewright.explain.misses import Miss
from rulewright.explain.nearest import Failed, Reach
from rulewright.explain.needed import Needed, needed
from rulewright.lowering.compile import Compiled
from rulewright.model import (
    CALLED_BY,
    CAUSED_BY,
    COMPLEMENT,
    AnyOf,
    Atom,
    Change,
    ComesFrom,
    Compare,
    Condition,
    Exists,
    Individual,
    IsA,
    Known,
    MeasureOf,
    Number,
    Variable,
)
from rulewright.phrases.wording import Worder
from rulewright.productions import NOBODY
from rulewright.provenance import ClauseTruth, Value
from rulewright.speech import Listed, number_text, say

Data = dict[str, Any]


def describe_miss(miss: Miss, worder: Worder) -> Data:
    """A nearest miss as data."""
    reach = miss.reach
    return {
        "rule": miss.item,
        "step": miss.step,
        "set_off_by": [trigger_text(t, worder) for t in miss.triggers],
        "held": held_of(reach, worder) if reach else [],
        "failed": describe_failed(reach.failed, worder) if reach and reach.failed else None,
    }


def held_of(reach: Reach, worder: Worder) -> list[str]:
    """The clauses that held, in words."""
    return [clause_text(c, reach.bindings, worder) for c in reach.held]


def describe_failed(failed: Failed, worder: Worder) -> Data:
    """A failed clause as data."""
    because = None
    if failed.because is not None and failed.because[1].failed is not None:
        because = {"rule": failed.because[0], **describe_failed(failed.because[1].failed, worder)}
    return {
        "kind": kind_of(failed.condition),
        "text": clause_text(failed.condition, failed.bindings, worder),
        "numbers": numbers_of(failed, worder),
        "needed": [describe_needed(n, failed, worder) for n in needed(failed, worder.vocabulary)],
        "within": [
            {"held": held_of(r, worder), "failed": describe_failed(r.failed, worder)} for r in failed.within if r.failed
        ],
        "because": because,
    }


def kind_of(condition: Condition) -> str:
    """What sort of clause one is, in a word of the schema."""
    if isinstance(condition, Atom):
        return "no-fact" if condition.negated else "fact"
    if isinstance(condition, Exists):
        return "every" if condition.every else "none" if condition.negated else "there-are"
    kinds = ((Compare, "comparison"), (AnyOf, "any-of"), (IsA, "kind"), (Known, "known"), (ComesFrom, "cause"))
    return next((word for sort, word in kinds if isinstance(condition, sort)), "same")


def describe_needed(one: Needed, failed: Failed, worder: Worder) -> Data:
    """What a number would have needed to be, as data."""
    measure = one.of if isinstance(one.of, MeasureOf) else None
    dimension = worder.vocabulary.phrases[measure.phrase].dimension if measure else None
    told = {
        "measure": worder.expression(one.of, {} if measure is None else failed.bindings).strip("{}"),
        "had": _counted(one.had, dimension, worder) if one.had is not None else say("miss.unknown"),
        "bound": _counted(one.bound, dimension, worder),
    }
    key = f"needed.{_WORDS[one.operator]}"
    exact = one.suits == one.bound and one.operator in (">=", "<=", "=")
    such = "" if exact else say("needed.such-as", number=_counted(one.suits, dimension, worder))
    return {
        "phrase": measure.phrase if measure else None,
        "things": list(one.things),
        "had": number_text(one.had) if one.had is not None else None,
        "operator": one.operator,
        "bound": number_text(one.bound),
        "suits": number_text(one.suits),
        "text": say(key, **told) + such,
    }


def _counted(value: Fraction, dimension: str | None, worder: Worder) -> str:
    """A number, with the sign of what it counts; a word for that stands in the measure already."""
    text = worder.number(value, dimension)
    return text if " " not in text else worder.number(value)


_WORDS = {">=": "at-least", ">": "more-than", "<=": "at-most", "<": "less-than", "=": "exactly", "!=": "other-than"}


def mendings(failed: Failed, compiled: Compiled, worder: Worder, event: str = "") -> list[str]:
    """Sentences each of which, given before a step, lets a clause hold that failed there; none if no single one does.

    Args:
        failed: the clause.
        compiled: the edition.
        worder: words the sentences.
        event: the event of the step; what it sets of itself cannot be given before it.
    """
    condition = failed.condition
    derived = {d.head.phrase for d in compiled.edition.definitions} | set(compiled.worked_out)
    fixed = derived | _set_by(event, compiled) | {CALLED_BY, CAUSED_BY}
    if isinstance(condition, Atom) and condition.phrase in fixed:
        return []
    if isinstance(condition, Atom) and condition.negated:
        each = {frozenset(map(str, values)): values for values in failed.facts}  # once, where it holds both ways
        return [worder.statement(condition.phrase, v, negated=True) for v in each.values()] if len(each) == 1 else []
    if isinstance(condition, Atom):
        arguments = tuple(_named(a, failed.bindings) for a in condition.arguments)
        told = not any(isinstance(a, Variable) for a in arguments)
        return [worder.atom(condition.phrase, arguments, {})] if told else []
    if isinstance(condition, Compare):
        ones = [
            n for n in needed(failed, worder.vocabulary) if isinstance(n.of, MeasureOf) and n.of.phrase not in fixed
        ]
        return [text for n in ones if (text := _given(n, failed, worder))]
    if isinstance(condition, Exists) and failed.count != condition.at_least - 1:
        return []
    for reach in failed.within:
        found = mendings(reach.failed, compiled, worder, event) if reach.failed and reach.left == 1 else []
        if found:
            return found
    return []


def _set_by(event: str, compiled: Compiled) -> set[str]:
    """The words that an event sets of itself: facts and measures it changes, records of it, copies it takes."""
    vocabulary = compiled.edition.vocabulary
    detail = vocabulary.events.get(event)
    if detail is None:
        return set()
    acts = [effect.act for effect in detail.changes]
    changed = {(a.measure if isinstance(a, Change) else a).phrase for a in acts if isinstance(a, Atom | Change)}
    records = {record for record, kept in vocabulary.records.items() if kept.event.phrase == event}
    return changed | records | {s for s, copy in vocabulary.snapshots.items() if copy.window in detail.opens}


def _given(one: Needed, failed: Failed, worder: Worder) -> str:
    """The sentence that gives a measure a number that it needed; empty where it cannot be given."""
    if not isinstance(one.of, MeasureOf) or None in one.things or one.of.before:
        return ""
    phrase = worder.vocabulary.phrases[one.of.phrase]
    if phrase.kind == "tally":
        return ""
    arguments = tuple(_named(a, failed.bindings) for a in one.of.arguments)
    measure = worder.atom(one.of.phrase, arguments, {})
    return worder.own("comparisons", "=", left=measure, right=worder.number(one.suits, phrase.dimension))


def _named(argument: Any, bindings: Mapping[str, Value]) -> Any:
    """A place with the thing or number that its variable stands for."""
    value = bindings.get(argument.name) if isinstance(argument, Variable) else None
    if value is None or value == NOBODY:
        return argument
    return Number(value) if isinstance(value, Fraction) else Individual(value)


def numbers_of(failed: Failed, worder: Worder) -> str:
    """What was the case instead: the opposite comparison with its numbers, how many there were, which one there is."""
    if isinstance(failed.witness, str):
        return say("miss.there-is", thing=worder.name(failed.witness))
    if failed.count is not None:
        return say("miss.there-are", count=failed.count) if failed.count != 1 else say("miss.one")
    condition = failed.condition
    if not isinstance(condition, Compare):
        return ""
    unknown = [m for m, value in failed.measures if value is None]
    if unknown:
        told = ", ".join(worder.expression(m, failed.bindings) for m in unknown)
        return say("miss.not-known", measures=told)
    opposite = Compare(condition.left, COMPLEMENT[condition.operator], condition.right, condition.span)
    known = tuple((m, value) for m, value in failed.measures if value is not None)
    try:
        return arithmetic(ClauseTruth(opposite, failed.bindings, known), worder)
    except KeyError:  # a number that nothing names
        return ""


# --- in words ------------------------------------------------------------------------------------------------------


def miss_text(data: Data) -> str:
    """A nearest miss in words."""
    if data["step"] is None:
        if not data["set_off_by"]:
            return say("miss.not-applied", rule=data["rule"])
        return say("miss.not-set-off", rule=data["rule"], when=set_off_text(data["set_off_by"]))
    head = say("test.step", step=data["step"], told=say("miss.not-applied", rule=data["rule"]))
    return f"{head}: {failed_text(data['failed'])}" if data["failed"] else head


def set_off_text(events: Sequence[str]) -> Listed:
    """The events that set something off, in words."""
    return Listed(tuple(events), "list.or-when")


def failed_text(failed: Data) -> str:
    """A failed clause in words, with the clause of the definition that it fails for."""
    text = failed["text"] + (f"; {failed['numbers']}" if failed["numbers"] else "")
    because = failed["because"]
    return say("miss.would-take", text=text, rule=because["rule"], clause=failed_text(because)) if because else text
