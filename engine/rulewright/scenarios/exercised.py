"""What a scenario tries of its edition, from its steps and from what the rules looked at in each of them.

That a rule fired comes from the steps.  That a clause was the one that failed is found by holding the clauses against
each look, one by one, for each binding: a clause *misses* when all clauses before it hold with certain things, and it
does not.  Definitions are tried where a clause that is reached speaks of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulewright.explain.misses import set_off
from rulewright.explain.nearest import Binding, Moment, bound_by, tie
from rulewright.lowering import names
from rulewright.lowering.compile import Compiled
from rulewright.lowering.frame import free_variables
from rulewright.model import (
    NUMBER,
    AnyOf,
    Atom,
    Choice,
    Condition,
    Defeater,
    Definition,
    Effect,
    Exemption,
    Exists,
    Individual,
    MeasureDefinition,
    MeasureOf,
    Rule,
    Test,
    Variable,
)
from rulewright.productions import NOBODY, Fact, Term, Var
from rulewright.provenance import RuleMatch, Step, Value
from rulewright.resolve.kinds import variable_kinds
from rulewright.scenarios.coverage import (
    Key,
    Mark,
    Way,
    block_key,
    clause_key,
    condition_key,
    named_key,
)
from rulewright.session.looks import Look, Looks
from rulewright.session.world import encoded
from rulewright.walk import descend

MOST_STARTS = 2_000
"""Things, or pairs of things, that are held against the lines of a measure."""


def exercised(compiled: Compiled, steps: Sequence[Step], looks: Looks, end: Sequence[Fact]) -> set[Mark]:
    """What was tried in one game.

    Args:
        compiled: the edition.
        steps: what happened.
        looks: what the rules looked at, and what was expected of the state in between.
        end: the facts after the last step.
    """
    return _Exercise(compiled, steps).run(looks, end)


class _Exercise:
    def __init__(self, compiled: Compiled, steps: Sequence[Step]) -> None:
        self.compiled = compiled
        self.edition = compiled.edition
        self.steps = {step.number: step for step in steps}
        self.rules = {rule.anchor.ident: rule for rule in compiled.rules}
        self.exemptions = {e.anchor.ident: e for e in self.edition.exemptions}
        self.rule_of = {m.number: self.rules[m.rule] for s in steps for m in s.matches}
        self.marks: set[Mark] = set()
        self._asked: set[tuple[str, tuple[tuple[Var, str | int], ...]]] = set()

    def run(self, looks: Looks, end: Sequence[Fact]) -> set[Mark]:
        for look in looks.taken:
            step = self.steps.get(look.step)
            if step is not None:  # else the game stopped before it was done
                self._asked.clear()
                moment = Moment(self.compiled, look)
                if look.token.predicate.startswith("may:"):
                    self.coming_about(moment, step)
                else:
                    self.reacting(moment, step)
        for question in looks.questions:
            self._asked.clear()
            moment = Moment(self.compiled, Look(0, Fact(names.SETTLE), question.facts))
            self.asked(moment, question.condition, {})
        for step in self.steps.values():
            self.told(step)
        self.endings([look for look in looks.taken if look.token.predicate.startswith("on:")], end)
        return self.marks

    def mark(self, key: Key, way: Way) -> None:
        self.marks.add(Mark(key, way))

    # --- what the steps tell -------------------------------------------------------------------------------------

    def told(self, step: Step) -> None:
        """What is told of a step without looking again: exemptions, tests, orders."""
        for item in step.voided:
            self.exempted(self.exemptions[item.item])
        for match in step.matches:
            for item in match.defeats:
                if item.kind == "exemption":
                    self.exempted(self.exemptions[item.item])
                elif item.kind == "rule":
                    winner = self.rules[item.item]
                    self.mark(named_key(winner, "overrides", match.rule), "pre-empted")
        for order in self.edition.orders:
            if order.anchor.ident in step.held_back:
                self.mark(block_key(order.anchor), "fired")
        for test in self.edition.tests:
            if step.test is not None and step.test.rule == test.anchor.ident:
                self.mark(block_key(test.anchor), "fired")
                self.mark(block_key(test.anchor), "passed" if step.test.passed else "failed")
                self.mark(clause_key(test.anchor.ident, test.trigger.span), "set-off")

    def exempted(self, exemption: Exemption) -> None:
        self.mark(block_key(exemption.anchor), "fired")
        self.held(exemption.anchor.ident, exemption.conditions)

    def held(self, block: str, conditions: Sequence[Condition]) -> None:
        for condition in conditions:
            self.mark(condition_key(block, condition), "held")

    # --- rules ---------------------------------------------------------------------------------------------------

    def reacting(self, moment: Moment, step: Step) -> None:
        """The rules that an event sets off, or might have."""
        event = moment.look.token.predicate
        for rule in self.compiled.rules:
            if any(names.on(t.phrase) == event for t in rule.triggers):
                self.rule(moment, rule, [m for m in step.matches if m.rule == rule.anchor.ident])
        for test in self.edition.tests:
            if step.test is not None and step.test.rule == test.anchor.ident:
                self.test(moment, test)

    def test(self, moment: Moment, test: Test) -> None:
        start = tie(test.trigger, moment.look.token.values)
        if start is not None:
            self.measures(moment, test.success, start)

    def rule(self, moment: Moment, rule: Rule, matches: Sequence[RuleMatch]) -> None:
        ident = rule.anchor.ident
        conditions = (*rule.conditions, *(rule.choice.conditions if rule.choice else ()))
        for index, trigger in enumerate(rule.triggers):
            for start in set_off(self.compiled, rule, index, moment):
                ways, missed = self.conjunction(moment, ident, conditions, start)
                if missed:
                    self.mark(block_key(rule.anchor), "kept")
                if rule.choice:
                    self.choice(moment, ident, rule.choice, moment.all_of(rule.conditions, start))
                for match in (m for m in matches if m.fired):
                    mine = [way for way in ways if _agree(way, match.bindings)]
                    if mine or len(rule.triggers) == 1:
                        self.mark(clause_key(ident, trigger.span), "set-off")
                        self.alternatives(moment, ident, conditions, mine)
        for match in matches:
            self.match(moment, rule, match)

    def choice(self, moment: Moment, block: str, choice: Choice, ways: Sequence[Binding]) -> None:
        """The lines of a choice keep things out, as ``where`` lines do."""
        kinds, _ = variable_kinds(choice.conditions, self.edition.vocabulary, choice.span)
        things = moment.facts(names.is_a(kinds.get(choice.variable.name, "thing")))
        starts = [{**way, Var(choice.variable.name): thing.values[0]} for way in ways for thing in things]
        for start in starts:
            for trial in moment.trials(choice.conditions, start)[0]:
                for reached in trial.reached:
                    self.inside(moment, block, trial.condition, reached)
        self.lines(moment, block, choice.conditions, starts)

    def match(self, moment: Moment, rule: Rule, match: RuleMatch) -> None:
        """A rule that matched: it fired, or it was pre-empted."""
        ident, known = rule.anchor.ident, _encoded(match.bindings)
        self.defeaters(moment, ident, rule.defeaters, known)
        self.exemptions_at(moment, rule, match)
        if match.defeats:
            self.mark(block_key(rule.anchor), "kept")
        if match.fired:
            self.mark(block_key(rule.anchor), "fired")
            self.held(ident, rule.conditions)
            if rule.choice:
                self.held(ident, rule.choice.conditions)
                if match.chosen:
                    self.mark(clause_key(ident, rule.choice.span), "picked")
            for effect in rule.effects:
                self.measures(moment, effect.act, known)

    def defeaters(self, moment: Moment, block: str, defeaters: Sequence[Defeater], start: Binding) -> bool:
        """Tries the ``unless`` clauses of what matched; whether one of them defeats it."""
        defeated = False
        for defeater in defeaters:
            ways, _ = self.conjunction(moment, block, defeater.conditions, start)
            if ways:
                defeated = True
                self.held(block, defeater.conditions)
                self.alternatives(moment, block, defeater.conditions, ways)
        return defeated

    # --- exemptions ----------------------------------------------------------------------------------------------

    def coming_about(self, moment: Moment, step: Step) -> None:
        """The exemptions that are asked whether an event comes about."""
        event, values = moment.look.token.predicate.removeprefix("may:"), moment.look.token.values
        starts = {
            e.anchor.ident: start
            for e in self.edition.exemptions
            if e.head.phrase == event and (start := tie(e.head, values)) is not None
        }
        callers = [self.rule_of[number] for number in step.causes if number in self.rule_of]
        for ident in self.hold(moment, starts) - {defeat.item for defeat in step.voided}:
            for rule in callers:
                if ident in rule.regardless:
                    self.mark(named_key(rule, "regardless", ident), "mattered")

    def exemptions_at(self, moment: Moment, rule: Rule, match: RuleMatch) -> None:
        """The exemptions that may keep back all that a rule calls for."""
        heeded: dict[str, Binding] = {}
        set_aside: dict[str, Binding] = {}
        for exemption in self.edition.exemptions:
            ident = exemption.anchor.ident
            hit = [start for e in rule.effects if (start := _called(exemption, e, match.bindings)) is not None]
            if hit and len(hit) == len(rule.effects):
                (set_aside if ident in rule.regardless else heeded)[ident] = hit[0]
        self.hold(moment, heeded)
        for ident in self.hold(moment, set_aside):
            self.mark(named_key(rule, "regardless", ident), "mattered")

    def hold(self, moment: Moment, starts: Mapping[str, Binding]) -> set[str]:
        """Tries exemptions from the same event; those that hold and that no other one sets aside."""
        matched: set[str] = set()
        undefeated: set[str] = set()
        for ident, start in starts.items():
            exemption = self.exemptions[ident]
            ways, missed = self.conjunction(moment, ident, exemption.conditions, start)
            if ways:
                matched.add(ident)
                self.alternatives(moment, ident, exemption.conditions, ways)
                if self.defeaters(moment, ident, exemption.defeaters, start):
                    missed = True
                else:
                    undefeated.add(ident)
            if missed:
                self.mark(block_key(exemption.anchor), "kept")

        def holds(ident: str) -> bool:
            return ident in undefeated and not any(ident in self.exemptions[o].overrides and holds(o) for o in starts)

        holding = {ident for ident in starts if holds(ident)}
        for ident in holding:
            self.exempted(self.exemptions[ident])
            for other in matched.intersection(self.exemptions[ident].overrides):
                self.mark(named_key(self.exemptions[ident], "overrides", other), "pre-empted")
                self.mark(block_key(self.exemptions[other].anchor), "kept")
        return holding

    # --- conditions ----------------------------------------------------------------------------------------------

    def conjunction(
        self, moment: Moment, block: str, conditions: Sequence[Condition], start: Binding
    ) -> tuple[list[Binding], bool]:
        """Tries clauses one by one; every way in which all hold, and whether one of them missed."""
        trials, ways = moment.trials(conditions, start)
        for trial in trials:
            if trial.failed:
                self.mark(condition_key(block, trial.condition), "missed")
            for binding in trial.reached:
                self.inside(moment, block, trial.condition, binding)
        return ways, any(trial.failed for trial in trials)

    def alternatives(
        self, moment: Moment, block: str, conditions: Sequence[Condition], ways: Sequence[Binding]
    ) -> None:
        """Of clauses with alternatives, those that held."""
        for condition in conditions:
            for choice in condition.choices if isinstance(condition, AnyOf) else ():
                if any(moment.all_of(choice, way) for way in ways):
                    self.mark(condition_key(block, choice[0]), "held")

    def inside(self, moment: Moment, block: str, condition: Condition, binding: Binding) -> None:
        """What is tried along with a condition: its ``where`` lines, and the definitions that it speaks of."""
        if isinstance(condition, AnyOf):
            for choice in condition.choices:
                for trial in moment.trials(choice, binding)[0]:
                    for reached in trial.reached:
                        self.inside(moment, block, trial.condition, reached)
        elif isinstance(condition, Exists):
            self.where(moment, block, condition, binding)
        else:
            self.asked(moment, condition, binding)

    def asked(self, moment: Moment, node: object, binding: Binding) -> None:
        """Tries the definitions that a plain condition asks about."""
        if isinstance(node, Atom) and names.fact(node.phrase) in self.compiled.defined:
            for definition in self.edition.definitions:
                if definition.head.phrase == node.phrase:
                    self.definition(moment, definition, _places(node, binding))
        self.measures(moment, node, binding)

    def where(self, moment: Moment, block: str, condition: Exists, binding: Binding) -> None:
        """The lines of a quantifier: they hold for something that fits all of them; one misses where it alone does."""
        variable, (name, kind) = Var(condition.variable.name), moment.local(condition)
        known = variable in binding and not condition.negated and condition.at_least == 1
        outside = {v: value for v, value in binding.items() if v != variable}
        start, lines = binding if known else outside, condition.conditions
        trials, ways = moment.trials(lines, start, (name, kind))
        for trial in trials:
            for reached in trial.reached:
                self.inside(moment, block, trial.condition, reached)
        if ways and moment.instances(condition, binding):
            self.held(block, lines)
            self.alternatives(moment, block, lines, ways)
        things = [f.values[0] for f in moment.facts(names.is_a(kind))] if not known and kind != NUMBER else []
        each: list[Binding] = [{**outside, variable: thing} for thing in things]
        self.lines(moment, block, lines, each or [start], (name, kind))

    def lines(
        self,
        moment: Moment,
        block: str,
        lines: Sequence[Condition],
        starts: Sequence[Binding],
        local: tuple[str, str] = ("", ""),
    ) -> None:
        """Of lines that gather things, those that keep one out which fits all the others."""
        for place, line in enumerate(lines):
            if Mark(condition_key(block, line), "missed") not in self.marks:
                others = (*lines[:place], *lines[place + 1 :])
                fitting = (way for one in starts for way in moment.all_of(others, one, local))
                if any(next(moment.extend(line, way), None) is None for way in fitting):
                    self.mark(condition_key(block, line), "missed")

    # --- definitions ---------------------------------------------------------------------------------------------

    def measures(self, moment: Moment, node: object, binding: Binding) -> None:
        """Tries the definitions of the measures that something speaks of."""
        for part in descend(node):
            if isinstance(part, MeasureOf) and part.phrase in self.compiled.worked_out:
                for definition in self.edition.measures:
                    if definition.head.phrase == part.phrase:
                        self.definition(moment, definition, _places(part, binding))

    def definition(self, moment: Moment, definition: Definition | MeasureDefinition, places: Sequence[Term]) -> None:
        """A definition is asked for certain things; open places stand for any."""
        start = _tied(definition, places)
        if start is None:
            return
        ident = definition.anchor.ident
        key = (ident, tuple(sorted(start.items())))
        if key in self._asked:
            return
        self._asked.add(key)
        for begin in self.filled(moment, definition, start):
            ways, missed = self.conjunction(moment, ident, definition.conditions, begin)
            if missed:
                self.mark(block_key(definition.anchor), "kept")
            if ways:
                self.mark(block_key(definition.anchor), "fired")
                self.held(ident, definition.conditions)
                self.alternatives(moment, ident, definition.conditions, ways)
            if isinstance(definition, MeasureDefinition):
                self.gathered(moment, definition, begin)
                for way in ways:
                    self.measures(moment, definition.subject, way)

    def gathered(self, moment: Moment, definition: MeasureDefinition, start: Binding) -> None:
        """The conditions of a measure that is gathered keep things out, as ``where`` lines do."""
        if definition.how == "equals":
            return
        nodes: list[Any] = [definition.head, *definition.conditions, definition.subject]
        kinds, _ = variable_kinds(nodes, self.edition.vocabulary, definition.anchor.span)
        starts: Sequence[Binding] = [start]
        for name in free_variables(nodes):
            if Var(name) not in start and kinds.get(name) != NUMBER:
                things = moment.facts(names.is_a(kinds.get(name, "thing")))
                starts = [{**one, Var(name): thing.values[0]} for one in starts for thing in things][:MOST_STARTS]
        self.lines(moment, definition.anchor.ident, definition.conditions, starts)

    def filled(self, moment: Moment, definition: Definition | MeasureDefinition, start: Binding) -> Iterator[Binding]:
        """The start of a definition, with what no clause of it binds standing for anything of its kind."""
        named: list[Any] = [definition.head]
        if isinstance(definition, MeasureDefinition):
            named.append(definition.subject)
        nodes = [*named, *definition.conditions]
        kinds, _ = variable_kinds(nodes, self.edition.vocabulary, definition.anchor.span)
        bound = set().union(*map(bound_by, definition.conditions)) if definition.conditions else set()
        loose = [n for n in free_variables(named) if Var(n) not in start and n not in bound and kinds.get(n) != NUMBER]
        found: list[Binding] = [start]
        for name in loose:
            things = moment.facts(names.is_a(kinds.get(name, "thing")))
            found = [{**one, Var(name): f.values[0]} for one in found for f in things]
        yield from found

    # --- what ends -----------------------------------------------------------------------------------------------

    def endings(self, looks: Sequence[Look], end: Sequence[Fact]) -> None:
        """What ended the facts that rules brought about: a window, an event, or that something was so no longer."""
        states = [frozenset(look.facts) for look in looks]
        after = {look.step: n for n, look in enumerate(looks)}
        for step in self.steps.values():
            for match in step.matches:
                for effect in self.rules[match.rule].effects if match.fired else ():
                    if isinstance(effect.act, Atom) and (effect.until_spans or effect.lasting):
                        self.ending(match, effect, looks, [*states, frozenset(end)], after[step.number])

    def ending(
        self, match: RuleMatch, effect: Effect, looks: Sequence[Look], states: Sequence[frozenset[Fact]], first: int
    ) -> None:
        """What ended one fact, made after the look of a certain place among the states."""
        assert isinstance(effect.act, Atom)
        values = _values(effect.act, match.bindings)
        if values is None:
            return
        fact = Fact(names.fact(effect.act.phrase), values)
        gone = next((n for n in range(first + 1, len(states)) if fact not in states[n]), None)
        if gone != first + 1:
            self.lasting(match, effect, states[first + 1])
        if gone is not None:
            if gone - 1 > first:  # it was there in the look before: that event ended it, or what came of it
                self.ended_by(match, effect, looks[gone - 1])
            self.lasting(match, effect, states[gone])

    def ended_by(self, match: RuleMatch, effect: Effect, look: Look) -> None:
        block, event = match.rule, look.token.predicate.removeprefix("on:")
        own = {(a.span.start, a.span.end) for a in effect.until_events}
        for span in effect.until_spans:
            detail = self.edition.vocabulary.events.get(event)
            if (span.start, span.end) not in own and detail and effect.until_window in detail.closes:
                self.mark(clause_key(block, span), "ended")
        for atom in effect.until_events:
            if atom.phrase == event:
                start = tie(atom, look.token.values)
                if start is not None and _agree(start, match.bindings):
                    self.mark(clause_key(block, atom.span), "ended")

    def lasting(self, match: RuleMatch, effect: Effect, state: frozenset[Fact]) -> None:
        """Tries what a fact lasts on; what is not so has ended it."""
        if effect.lasting:
            moment = Moment(self.compiled, Look(0, Fact(names.SETTLE), tuple(sorted(state))))
            self._asked.clear()
            for trial in moment.trials(effect.lasting, _encoded(match.bindings))[0]:
                if len(trial.failed) == len(trial.reached):
                    self.mark(condition_key(match.rule, trial.condition), "ended")
                for binding in trial.reached:
                    self.inside(moment, match.rule, trial.condition, binding)


def _encoded(bindings: Mapping[str, Value]) -> Binding:
    return dict(zip(map(Var, bindings), encoded(bindings.values()), strict=True))


def _agree(way: Binding, bindings: Mapping[str, Value]) -> bool:
    return all(way.get(v, value) == value for v, value in _encoded(bindings).items())


def _places(node: Atom | MeasureOf, binding: Binding) -> list[Term]:
    """What stands in the places of a phrase, as far as it is known."""
    found: list[Term] = []
    for place, argument in enumerate(node.arguments):
        if isinstance(argument, Individual):
            found.append(argument.ident)
        elif isinstance(argument, Variable):
            found.append(binding.get(Var(argument.name), Var(argument.name)))
        else:
            found.append(Var(f"#{place}"))
    return found


def _tied(definition: Definition | MeasureDefinition, places: Sequence[Term]) -> Binding | None:
    head = definition.head
    if isinstance(definition, MeasureDefinition):
        head = Atom(head.phrase, head.arguments, definition.head_span)
    assert isinstance(head, Atom)
    return tie(head, places)


def _values(act: Atom, bindings: Mapping[str, Value]) -> tuple[str | int, ...] | None:
    """The values of the places of an effect; None where it speaks of what its rule did not know."""
    found: list[Value] = []
    for argument in act.arguments:
        if argument is None:
            found.append(NOBODY)
        elif isinstance(argument, Individual):
            found.append(argument.ident)
        elif isinstance(argument, Variable) and argument.name in bindings:
            found.append(bindings[argument.name])
        else:
            return None
    return encoded(found)


def _called(exemption: Exemption, effect: Effect, bindings: Mapping[str, Value]) -> Binding | None:
    """What is known of an exemption's variables at an event that a rule calls for; None when it is not of its sort."""
    act = effect.act
    if not isinstance(act, Atom) or act.negated or act.phrase != exemption.head.phrase:
        return None
    values = _values(act, bindings)
    return None if values is None else tie(exemption.head, values)
