"""Where a rule came nearest to applying: its nearest miss among the steps of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rulewright.backends.reference import present, unify
from rulewright.explain.nearest import Binding, Moment, Reach, tie
from rulewright.lowering import names
from rulewright.lowering.compile import Compiled
from rulewright.model import (
    Atom,
    Condition,
    Definition,
    Exemption,
    Individual,
    IsA,
    MeasureDefinition,
    MeasureOf,
    Number,
    Rule,
    Variable,
    Vocabulary,
)
from rulewright.productions import NOBODY, Pattern, Var
from rulewright.provenance import Value
from rulewright.session.world import decoded, encoded
from rulewright.walk import descend


@dataclass(frozen=True)
class Aim:
    """For whom something should have applied: a thing, or those of a sentence; without either, anybody.

    Attributes:
        thing: a thing in any place.
        sentence: an event, a fact or a measure that should have come of it.
        bindings: what variables of the sentence stand for.
        symmetric: the first two places of the sentence may be exchanged.
    """

    thing: str | None = None
    sentence: Atom | MeasureOf | None = None
    bindings: Mapping[str, Value] = field(default_factory=dict)
    symmetric: bool = False

    @property
    def values(self) -> tuple[Value | None, ...]:
        """What the places of the sentence hold; None where that is left open."""
        assert self.sentence is not None
        return tuple(self._value(a) for a in self.sentence.arguments)

    def _value(self, argument: object) -> Value | None:
        if isinstance(argument, Variable):
            value = self.bindings.get(argument.name)
            return None if value == NOBODY else value
        if isinstance(argument, Number):
            return argument.value
        return argument.ident if isinstance(argument, Individual) else None

    @property
    def ways(self) -> tuple[tuple[Value | None, ...], ...]:
        """The values, and those with the first two exchanged where that says the same."""
        values = self.values
        return (values, (values[1], values[0], *values[2:])) if self.symmetric else (values,)

    def fits(self, values: Sequence[Value]) -> bool:
        """Whether an event or fact with these values is what the sentence says."""
        return any(all(w in (None, v) for w, v in zip(way, values, strict=True)) for way in self.ways)

    def starts(self, head: Atom | MeasureOf) -> list[Binding]:
        """The variables of a rule or definition when what it says of a word is the sentence; none when it cannot be."""
        wanted = self.sentence
        negated = isinstance(wanted, Atom) and wanted.negated
        if wanted is None or head.phrase != wanted.phrase or getattr(head, "negated", False) != negated:
            return []
        ties = [tie(head, [Var("#") if v is None else encoded([v])[0] for v in way]) for way in self.ways]
        return [start for start in ties if start is not None]


ANYBODY = Aim()


def aim_at(sentence: Atom | MeasureOf, vocabulary: Vocabulary, bindings: Mapping[str, Value] | None = None) -> Aim:
    """What is aimed at when something should have come of a sentence."""
    symmetric = vocabulary.phrases[sentence.phrase].symmetric and len(sentence.arguments) > 1
    return Aim(sentence=sentence, bindings=bindings or {}, symmetric=symmetric)


@dataclass(frozen=True)
class Miss:
    """The nearest miss of a rule or of what else an edition holds.

    Attributes:
        item: its name.
        triggers: the events that set it off; none for a definition.
        step: the number of the step where it came nearest; None when nothing set it off.
        reach: how far it came there.
        moment: what it looked at there.
        sought: what is known of its variables from what was asked.
    """

    item: str
    triggers: tuple[Atom, ...]
    step: int | None = None
    reach: Reach | None = None
    moment: Moment | None = None
    sought: Mapping[str, Value] = field(default_factory=dict)

    @property
    def awaited(self) -> tuple[Aim, ...]:
        """The events that would have set it off, for the things it was asked for."""
        return tuple(Aim(sentence=t, bindings=self.sought) for t in self.triggers)


@dataclass(frozen=True)
class _Start:
    moment: Moment
    binding: Binding
    conditions: tuple[Condition, ...]


def nearest_miss(compiled: Compiled, item: str, moments: Sequence[Moment], aim: Aim = ANYBODY) -> Miss | None:
    """The nearest miss of an item of the edition; None when there is no such item.

    Args:
        compiled: the edition.
        item: name of a rule, definition, exemption, test, order or way to work a measure out.
        moments: what the rules looked at.
        aim: for whom it should have applied.
    """
    triggers, starts, sought = _starts(compiled, item, moments, aim)
    if triggers is None:
        return None
    best = Miss(item, triggers, sought=sought)
    for start in starts:
        reach = start.moment.reach(start.binding, start.conditions)
        if best.reach is None or _far(reach) >= _far(best.reach):
            best = Miss(item, triggers, start.moment.look.step, reach, start.moment, sought)
    return best


def _far(reach: Reach) -> tuple[int, int]:
    return (1 if reach.failed is None else 0, len(reach.held))


def _starts(
    compiled: Compiled, item: str, moments: Sequence[Moment], aim: Aim
) -> tuple[tuple[Atom, ...] | None, list[_Start], Mapping[str, Value]]:
    """The events that set an item off, where it could begin to hold, and what is known of its variables."""
    edition = compiled.edition
    for rule in (r for r in compiled.rules if r.anchor.ident == item):
        conditions = (*rule.conditions, *(rule.choice.conditions if rule.choice else ()))
        starts = [_Start(m, s, conditions) for m in moments for s in rule_starts(compiled, rule, m, aim)]
        aims = wanted_of(compiled, rule, aim)
        first = aims[0][0] if aims and aims[0] else {}
        return rule.triggers, starts, dict(zip((v.name for v in first), decoded(first.values()), strict=True))
    for exemption in (e for e in edition.exemptions if e.anchor.ident == item):
        starts = [_Start(m, s, exemption.conditions) for m in moments for s in _head_starts(exemption, m, aim)]
        return (exemption.head,), starts, {}
    for defined in (d for d in _defined(compiled) if d.anchor.ident == item):
        on = [m for m in moments if not m.look.token.predicate.startswith("may:")] or moments
        return (), [_Start(m, s, defined.conditions) for m in on for s in _defined_starts(defined, aim)], {}
    for test in (t for t in edition.tests if t.anchor.ident == item):
        return (test.trigger,), [], {}
    for order in (o for o in edition.orders if o.anchor.ident == item):
        return (order.first, order.then), [], {}
    return None, [], {}


def _defined_starts(defined: Definition | MeasureDefinition, aim: Aim) -> list[Binding]:
    if aim.sentence is not None:
        return aim.starts(defined.head)
    variables = [Var(a.name) for a in defined.head.arguments if isinstance(a, Variable)]
    return [{v: aim.thing} for v in variables] if aim.thing else [{}]


def wanted_of(compiled: Compiled, rule: Rule, aim: Aim) -> list[list[Binding]]:
    """What variables of a rule must stand for; the first group of which one can be is the one that counts.

    When a thing is wanted, it stands in the place of the variable that the rule is about, or else of any other.
    """
    acts = [e.act for e in rule.effects]
    if aim.sentence is not None:
        heads = [a if isinstance(a, Atom) else getattr(a, "measure", None) for a in acts]
        return [[start for head in heads if head is not None for start in aim.starts(head)]]
    if aim.thing is None:
        return [[{}]]
    subjects = [a.name for act in acts if isinstance(act, Atom) for a in act.arguments[:1] if isinstance(a, Variable)]
    mentioned = [n.name for c in (*rule.triggers, *rule.conditions) for n in descend(c) if isinstance(n, Variable)]
    others = dict.fromkeys((*compiled.variables[rule.anchor.ident], *mentioned))
    return [[{Var(n): aim.thing} for n in group] for group in (subjects[:1], others)]


def rule_starts(compiled: Compiled, rule: Rule, moment: Moment, aim: Aim = ANYBODY) -> list[Binding]:
    """What is known of a rule's variables once the event of a moment has set it off; none when it does not."""
    found = [s for index in range(len(rule.triggers)) for s in set_off(compiled, rule, index, moment)]
    for group in wanted_of(compiled, rule, aim) if found else ():
        tied = [
            {**start, **wanted}
            for wanted in group
            for start in found
            if all(start.get(v, value) == value for v, value in wanted.items())
        ]
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


def _head_starts(exemption: Exemption, moment: Moment, aim: Aim) -> Iterator[Binding]:
    if moment.look.token.predicate == names.may(exemption.head.phrase):
        values = moment.look.token.values
        start = tie(exemption.head, values)
        if start is not None and aim.thing in (None, *values):
            yield start


def makers(compiled: Compiled, aim: Aim) -> list[str]:
    """The rules that bring about what a sentence says, and the definitions that derive it, for its things."""
    known = compiled.makers.get(aim.sentence.phrase, ()) if aim.sentence is not None else ()
    if not known:
        return []
    rules = [r.anchor.ident for r in compiled.rules if r.anchor.ident in known and any(wanted_of(compiled, r, aim))]
    defined = [d.anchor.ident for d in _defined(compiled) if d.anchor.ident in known and aim.starts(d.head)]
    return list(dict.fromkeys((*rules, *defined)))


def _defined(compiled: Compiled) -> tuple[Definition | MeasureDefinition, ...]:
    return (*compiled.edition.definitions, *compiled.edition.measures)
