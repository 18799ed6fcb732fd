"""Why a rule did not apply: its nearest miss among the steps of a run, as data, then in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rulewright.backends.reference import present, unify
from rulewright.explain.clauses import arithmetic, clause_text, trigger_text
from rulewright.explain.nearest import Binding, Failed, Moment, Reach, tie
from rulewright.lowering import names
from rulewright.lowering.compile import Compiled
from rulewright.model import (
    COMPLEMENT,
    Atom,
    Compare,
    Condition,
    Exemption,
    Individual,
    IsA,
    Rule,
    Variable,
)
from rulewright.phrases.wording import Worder
from rulewright.productions import Pattern, Var
from rulewright.provenance import ClauseTruth, Value
from rulewright.session.looks import Look
from rulewright.speech import Listed, say
from rulewright.walk import descend

Data = dict[str, Any]


@dataclass(frozen=True)
class Miss:
    """The nearest miss of a rule, definition, exemption or test.

    Attributes:
        item: its name.
        triggers: the events that set it off; none for a definition.
        step: the number of the step where most of its clauses held; None when nothing set it off.
        reach: how far it came there.
    """

    item: str
    triggers: tuple[Atom, ...]
    step: int | None = None
    reach: Reach | None = None


def nearest_miss(compiled: Compiled, item: str, looks: Iterable[Look], thing: str | None = None) -> Miss | None:
    """The nearest miss of an item of the edition; None when it is none that could miss, such as an order.

    Args:
        compiled: the edition.
        item: name of a rule, definition, exemption or test.
        looks: what the rules looked at.
        thing: the thing for which it should have applied; without it, any.
    """
    triggers: tuple[Atom, ...] = ()
    starts: list[tuple[Moment, Binding, tuple[Condition, ...]]] | None = None
    moments = [Moment(compiled, look) for look in looks]
    for rule in (r for r in compiled.rules if r.anchor.ident == item):
        triggers = rule.triggers
        conditions = (*rule.conditions, *(rule.choice.conditions if rule.choice else ()))
        starts = [(m, s, conditions) for m in moments for s in rule_starts(compiled, rule, m, thing)]
    for exemption in (e for e in compiled.edition.exemptions if e.anchor.ident == item):
        triggers = (exemption.head,)
        starts = [(m, s, exemption.conditions) for m in moments for s in _head_starts(exemption, m, thing)]
    for definition in (d for d in compiled.edition.definitions if d.anchor.ident == item):
        on = [m for m in moments if m.look.token.predicate.startswith("on:")]
        variables = [Var(a.name) for a in definition.head.arguments if isinstance(a, Variable)]
        begins: list[Binding] = [{v: thing} for v in variables] if thing else [{}]
        starts = [(m, s, definition.conditions) for m in on for s in begins]
    for test in (t for t in compiled.edition.tests if t.anchor.ident == item):
        triggers, starts = (test.trigger,), []
    if starts is None:
        return None
    best = Miss(item, triggers)
    for moment, start, conditions in starts:
        reach = moment.reach(start, conditions)
        if best.reach is None or _far(reach) >= _far(best.reach):
            best = Miss(item, triggers, moment.look.step, reach)
    return best


def _far(reach: Reach) -> tuple[int, int]:
    return (1 if reach.failed is None else 0, len(reach.held))


def rule_starts(compiled: Compiled, rule: Rule, moment: Moment, thing: str | None = None) -> list[Binding]:
    """What is known of a rule's variables once the event of a moment has set it off; none when it does not.

    When a thing is wanted, it stands in the place of the variable that the rule is about, or else of any other.
    """
    found = [s for index in range(len(rule.triggers)) for s in set_off(compiled, rule, index, moment)]
    if thing is None:
        return found
    subjects = [
        a.name for e in rule.effects if isinstance(e.act, Atom) for a in e.act.arguments[:1] if isinstance(a, Variable)
    ]
    mentioned = [n.name for c in (*rule.triggers, *rule.conditions) for n in descend(c) if isinstance(n, Variable)]
    for wanted in (subjects[:1], dict.fromkeys((*compiled.variables[rule.anchor.ident], *mentioned))):
        tied = [{**s, Var(n): thing} for n in wanted for s in found if s.get(Var(n), thing) == thing]
        if tied:
            return list(tied)
    return []


def set_off(compiled: Compiled, rule: Rule, index: int, moment: Moment) -> Iterator[Binding]:
    """The bindings with which an event sets off a rule by one trigger: as it says, for things of the right kinds."""
    trigger = rule.triggers[index]
    if moment.look.token.predicate != names.on(trigger.phrase):
        return
    values = moment.look.token.values
    start = tie(trigger, values)
    first = f"{rule.anchor.ident}/match.{index + 1}.1"
    if start is None or first not in compiled.by_name:
        return
    clauses = {
        Pattern(names.is_a(n.kind), (Var(n.thing.name),))
        for c in rule.conditions
        for n in descend(c)
        if isinstance(n, IsA) and isinstance(n.thing, Variable)
    }
    current: list[Binding] = [start]
    for pattern in compiled.by_name[first].conditions:
        group = pattern.predicate.partition(":")[0]
        facts = moment.facts(pattern.predicate) if group in ("awaits", "isa") else ()
        if group == "awaits":
            current = [b for one in current for f in facts if (b := unify(pattern, f, one)) is not None]
        elif group == "isa" and pattern not in clauses and pattern.terms[0] in start:
            current = [b for b in current if present(pattern, b, {pattern.predicate: facts})]
    yield from current


def _head_starts(exemption: Exemption, moment: Moment, thing: str | None) -> Iterator[Binding]:
    if moment.look.token.predicate == names.may(exemption.head.phrase):
        values = moment.look.token.values
        start = tie(exemption.head, values)
        if start is not None and (thing is None or thing in values):
            yield start


def callers(compiled: Compiled, phrase: str, wanted: Sequence[Value | None], negated: bool = False) -> list[str]:
    """The rules that bring about an event or a fact, for the things that are wanted (None: any)."""
    found = []
    for rule in compiled.rules:
        for effect in rule.effects:
            act = effect.act
            if isinstance(act, Atom) and act.phrase == phrase and act.negated == negated:
                fits = (
                    w is None or not isinstance(a, Individual) or a.ident == w
                    for a, w in zip(act.arguments, wanted, strict=False)
                )
                if all(fits):
                    found.append(rule.anchor.ident)
    return list(dict.fromkeys(found))


# --- as data -------------------------------------------------------------------------------------------------------


def describe_miss(miss: Miss, worder: Worder) -> Data:
    """A nearest miss as data."""
    reach = miss.reach
    return {
        "rule": miss.item,
        "step": miss.step,
        "set_off_by": [trigger_text(t, worder) for t in miss.triggers],
        "held": [clause_text(c, reach.bindings, worder) for c in reach.held] if reach else [],
        "failed": describe_failed(reach.failed, worder) if reach and reach.failed else None,
    }


def describe_failed(failed: Failed, worder: Worder) -> Data:
    """A failed clause as data."""
    because = None
    if failed.because is not None and failed.because[1].failed is not None:
        because = {"rule": failed.because[0], **describe_failed(failed.because[1].failed, worder)}
    return {
        "text": clause_text(failed.condition, failed.bindings, worder),
        "numbers": numbers_of(failed, worder),
        "because": because,
    }


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
        return say("miss.not-set-off", rule=data["rule"], when=Listed(tuple(data["set_off_by"]), "list.or-when"))
    head = say("test.step", step=data["step"], told=say("miss.not-applied", rule=data["rule"]))
    return f"{head}: {failed_text(data['failed'])}" if data["failed"] else head


def failed_text(failed: Data) -> str:
    """A failed clause in words, with the clause of the definition that it fails for."""
    text = failed["text"] + (f"; {failed['numbers']}" if failed["numbers"] else "")
    because = failed["because"]
    return say("miss.would-take", text=text, rule=because["rule"], clause=failed_text(because)) if because else text
