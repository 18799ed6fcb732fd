"""What effects do to the world: all of one event are worked out against the same state, then applied together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from rulewright.arithmetic import evaluate
from rulewright.diagnostics import Fault, report
from rulewright.lowering import names
from rulewright.lowering.compile import Compiled
from rulewright.model import (
    NUMBER,
    TAKES_TEST,
    Atom,
    Change,
    Create,
    Effect,
    Expression,
    Individual,
    MeasureOf,
    RollAgain,
    TestModifier,
    Variable,
)
from rulewright.phrases.wording import phrase_text, speaker
from rulewright.productions import NOBODY, Fact
from rulewright.provenance import EffectDone, Modifier, RuleMatch, Value
from rulewright.resolve.vocabulary import begins_for
from rulewright.session.agenda import Call, Happening
from rulewright.session.cycle import Answer
from rulewright.session.world import Holding, World, decoded, encoded
from rulewright.speech import later
from rulewright.syntax.keywords import languages

Bindings = Mapping[str, Value]
LONGEST_CHAIN = 2_000


@dataclass
class Outcome:
    """What the matches of one event bring about, gathered before anything is applied.

    Attributes:
        done: what each match did, by its number.
        events: events to come, each with the match that brought it about.
        modifiers: what is added to the test at hand.
        roll_again: the dice of the test at hand are rolled again.
        changes: things to do to the world, in any order.
    """

    done: dict[int, list[EffectDone]] = field(default_factory=dict)
    events: list[tuple[Happening, RuleMatch]] = field(default_factory=list)
    modifiers: list[Modifier] = field(default_factory=list)
    roll_again: bool = False
    changes: list[Callable[[], None]] = field(default_factory=list)


class Consequences:
    """Works out and applies effects in one world.

    Attributes:
        created: things that effects brought into the game, and their kinds.
    """

    def __init__(self, compiled: Compiled, world: World, ask_matcher: Callable[[Fact, Sequence[Fact]], Answer]) -> None:
        self.compiled = compiled
        self.vocabulary = compiled.edition.vocabulary
        self.world = world
        self.created: dict[str, str] = {}
        self._ask_matcher = ask_matcher
        self._rules = {r.anchor.ident: r for r in compiled.rules}

    # --- all effects of one event ----------------------------------------------------------------------------------

    def work_out(self, fired: Sequence[RuleMatch], by: Happening, step: int) -> Outcome:
        """Works out the effects of the matches that fired.

        Raises:
            Fault: two of them contradict each other, or a value is not known.
        """
        self._check_contradictions([(m, e) for m in fired for e in self._rules[m.rule].effects])
        outcome = Outcome()
        for match in fired:
            outcome.done[match.number] = []
            bindings = dict(match.bindings)
            for number, effect in enumerate(self._rules[match.rule].effects):
                self._work_out_one(match, number, effect, bindings, by, step, outcome)
        return outcome

    def _work_out_one(
        self,
        match: RuleMatch,
        number: int,
        effect: Effect,
        bindings: dict[str, Value],
        by: Happening,
        step: int,
        outcome: Outcome,
    ) -> None:
        act, done = effect.act, outcome.done[match.number]
        if isinstance(act, Create):
            with self.world.changed_by("rule", step, match.number):
                bindings[act.variable.name] = self._create(act, match)
            done.append(EffectDone("new", act.kind, (bindings[act.variable.name],)))
        elif isinstance(act, TestModifier):
            amount = act.sign * self.number(act.amount, bindings)
            outcome.modifiers.append(Modifier(match.number, match.rule, act.of, amount))
            done.append(EffectDone("modifier", act.of, (amount,)))
        elif isinstance(act, RollAgain):
            outcome.roll_again = True
            done.append(EffectDone("again", "", ()))
        elif isinstance(act, Atom) and act.phrase in self.vocabulary.events:
            values = self.values(act.arguments, bindings, act.phrase)
            done.append(EffectDone("event", act.phrase, values))
            outcome.events.append((self._caused(values, match, number, effect, by), match))
        else:
            index = len(done)
            in_force = self._in_force(match, number, effect)
            change = self.change(effect, bindings, Holding(step, match.number, effect.until_window, in_force))
            done.append(change.preview)

            def carry_out() -> None:
                with self.world.changed_by("rule", step, match.number):
                    done[index] = change.carry_out()
                    if in_force is not None:
                        self.world.put_plain(in_force, Holding(step, match.number))

            outcome.changes.append(carry_out)

    def apply(self, outcome: Outcome) -> None:
        """Applies what was worked out."""
        for change in outcome.changes:
            change()

    def _caused(
        self, values: tuple[Value, ...], match: RuleMatch, number: int, effect: Effect, by: Happening
    ) -> Happening:
        """An event that a rule brings about."""
        assert isinstance(effect.act, Atom)
        event = effect.act.phrase
        calls: tuple[Call, ...] = ()
        if event == TAKES_TEST:
            awaited = None
            if effect.on_success or effect.on_failure:
                own = encoded(match.bindings[v] for v in self.compiled.variables[match.rule])
                awaited = Fact(names.awaits(f"{match.rule}.{number}"), own)
            cause = str(values[2]) if len(values) > 2 else NOBODY
            calls = (Call(match.number, match.rule, cause, awaited),)
        chain = (*by.chain, match.rule)[-LONGEST_CHAIN:]
        regardless = frozenset(self._rules[match.rule].regardless)
        return Happening(event, values, (match.number,), calls, regardless, chain)

    def _create(self, act: Create, match: RuleMatch) -> str:
        """A new thing, called after the first thing its rule speaks of."""
        after = next((v for v in match.bindings.values() if isinstance(v, str)), act.kind)
        number = 2
        while f"{after} ({number})" in self.world.kinds:
            number += 1
        ident = f"{after} ({number})"
        self.world.introduce(ident, act.kind)
        for atom in begins_for(self.vocabulary, act.kind, ident):
            self.world.put(atom.phrase, self.values(atom.arguments, {}), Holding(0, match.number))
        self.created[ident] = act.kind
        return ident

    # --- contradictions --------------------------------------------------------------------------------------------

    def _check_contradictions(self, acts: Sequence[tuple[RuleMatch, Effect]]) -> None:
        """Two effects of one event that cannot both be had are reported, never settled by their order."""
        wanted: dict[tuple[object, ...], tuple[object, str]] = {}
        for match, effect in acts:
            act = effect.act
            created = {e.act.variable.name for e in self._rules[match.rule].effects if isinstance(e.act, Create)}
            if isinstance(act, Change):
                if any(isinstance(a, Variable) and a.name in created for a in act.measure.arguments):
                    continue
                key: tuple[object, ...] = (act.measure.phrase, self.values(act.measure.arguments, match.bindings))
                becomes = act.direction == "become"
                outcome: object = self.number(act.amount, match.bindings) if becomes else "changes"
            elif isinstance(act, Atom) and act.phrase not in self.vocabulary.events:
                if any(isinstance(a, Variable) and a.name in created for a in act.arguments):
                    continue
                key = (act.phrase, self.values(act.arguments, match.bindings))
                outcome = act.negated
            else:
                continue
            other = wanted.setdefault(key, (outcome, match.rule))
            if other[0] != outcome:
                raise self.contradiction(other[1], match.rule, next(iter(match.bindings.values()), ""))

    def contradiction(self, one: str, other: str, thing: Value) -> Fault:
        """The Fault of two rules that bring about what cannot both be had."""
        anchors = self.compiled.anchors
        related = [(later("place.other-rule"), anchors[one].span)] if one != other else []
        name = "contradictory-effects"
        return Fault(report(name, anchors[other].span, related, one=one, other=other, thing=thing))

    # --- facts and measures ----------------------------------------------------------------------------------------

    def change(self, effect: Effect, bindings: Bindings, holding: Holding) -> WorldChange:
        """What an effect will do to the world: make a fact hold or cease, or change a measure.

        A measure that was not given has nothing to rise or fall from, and so does not change.
        """
        act = effect.act
        if isinstance(act, Change):
            return self._measure_change(act, bindings)
        assert isinstance(act, Atom)
        phrase, values = act.phrase, self.values(act.arguments, bindings)
        if act.negated:
            return WorldChange(EffectDone("end", phrase, values), lambda: self.world.drop(phrase, values))
        preview = EffectDone("fact", phrase, values, effect.until_window)
        return WorldChange(preview, lambda: self.world.put(phrase, values, holding))

    def _measure_change(self, act: Change, bindings: Bindings) -> WorldChange:
        measure = act.measure.phrase
        things = tuple(map(str, self.values(act.measure.arguments, bindings)))
        amount = self.number(act.amount, bindings)
        if act.direction != "become" and self.world.value(measure, things) is None:
            return WorldChange(EffectDone("unknown", measure, things), lambda: None)
        preview = EffectDone("change", measure, (*things, amount))
        change = WorldChange(preview, lambda: None)

        def carry_out() -> None:
            old = self.world.value(measure, things) or Fraction(0)
            new = {"become": amount, "fall": old - amount, "rise": old + amount}[act.direction]
            if new < 0 and act.direction == "fall":
                thing, shown = things[0] if things else "", phrase_text(self.vocabulary, measure)
                raise Fault(report("below-nought", thing=thing, have=old, lose=amount, measure=shown))
            self.world.set_value(measure, things, new, None if act.direction == "become" else new - old)
            change.preview = replace(preview, values=(*things, new))

        change.do = carry_out
        return change

    def _in_force(self, match: RuleMatch, number: int, effect: Effect) -> Fact | None:
        """Notes that an effect is in force, so that what ends it can find it; None when only a window ends it."""
        if not effect.until_events and not effect.lasting:
            return None
        values = encoded(match.bindings[v] for v in self.compiled.variables[match.rule])
        return Fact(names.lasts(f"{match.rule}.{number}"), values)

    def end(self, end: Fact) -> None:
        """A record, or a fact that lasted until something, ends."""
        what = end.predicate.removeprefix("end:")
        if what in self.vocabulary.records:
            self.world.drop(what, decoded(end.values))
            return
        rule, _, number = what.rpartition(".")
        act = self._rules[rule].effects[int(number)].act
        assert isinstance(act, Atom)
        bindings = dict(zip(self.compiled.variables[rule], decoded(end.values), strict=True))
        self.world.release(act.phrase, self.values(act.arguments, bindings), Fact(names.lasts(what), end.values))

    def settle(self) -> None:
        """Ends the facts that last only while something is so, until none of them is left without its ground."""
        while any(self.world.facts_of(predicate) for predicate in self.compiled.lasting):
            answer = self._ask_matcher(Fact(names.SETTLE), ())
            ends = ends_of(answer)
            if not ends:
                return
            for end in ends:
                self.end(end)

    # --- values --------------------------------------------------------------------------------------------------

    def values(self, arguments: Sequence[Expression | None], bindings: Bindings, event: str = "") -> tuple[Value, ...]:
        """The values of the places of a sentence; a place of an event that is left out holds nobody, or nought."""
        roles = self.vocabulary.phrases[event].roles if event else ()
        found: list[Value] = []
        for index, argument in enumerate(arguments):
            if argument is None:
                found.append(Fraction(0) if roles and roles[index].kind == NUMBER else NOBODY)
            elif isinstance(argument, Individual):
                found.append(argument.ident)
            elif isinstance(argument, Variable):
                found.append(bindings[argument.name])
            else:
                found.append(self.number(argument, bindings))
        return tuple(found)

    def number(self, node: Expression, bindings: Bindings | None = None) -> Fraction:
        """The value of an expression; a Fault when it rests on a measure that is not known."""
        known = bindings or {}

        def look_up(part: Expression) -> Fraction:
            if isinstance(part, Variable):
                value = known[part.name]
                assert isinstance(value, Fraction)
                return value
            assert isinstance(part, MeasureOf)
            things = tuple(map(str, self.values(part.arguments, known)))
            found = self.measured(part.phrase, things)
            if found is None:
                raise Fault(
                    report("missing-measure", measure=self.measure_text(part.phrase, things), use=later("use.here"))
                )
            return found

        return evaluate(node, look_up)

    def measure_text(self, measure: str, things: tuple[str, ...]) -> str:
        """A measure of certain things in words."""
        own = languages()[self.compiled.edition.language]
        return speaker(self.vocabulary, own, {}).statement(measure, things)

    def measured(self, measure: str, things: tuple[str, ...]) -> Fraction | None:
        """The value of a measure, worked out where a definition says how; None when it is not known."""
        if measure not in self.compiled.worked_out:
            return self.world.value(measure, things)
        places = "b" * len(things)
        given = [Fact(names.ask(measure, places), things)] if things else []
        answer = self._ask_matcher(Fact(names.need(measure, places)), given)
        for fact in answer.worked_out:
            if fact.predicate == names.value(measure) and fact.values[:-1] == things:
                value = decoded(fact.values)[-1]
                assert isinstance(value, Fraction)
                return value
        return None


@dataclass
class WorldChange:
    """One change of the world: what it is said to do, and how it is done."""

    preview: EffectDone
    do: Callable[[], None]

    def carry_out(self) -> EffectDone:
        """Does it, and says what was done."""
        self.do()
        return self.preview


def ends_of(answer: Answer) -> list[Fact]:
    """What an answer says has ended, in a fixed order."""
    return sorted(h for p, heads in answer.by_head.items() if p.startswith("end:") for h in heads)
