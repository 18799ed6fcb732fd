"""What might be changed for something in a game to turn out otherwise: candidates, each still to be tried.

Candidates come from the run: for what was not so, from the clauses that failed where a rule came nearest; for what was
so, from the clauses that it rests on.  Both go back from facts to the rules that brought them about, and from events to
what set them off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice, product

from rulewright.explain.misses import Aim, aim_at, makers, rule_starts
from rulewright.explain.nearest import Binding, Moment, tie
from rulewright.lowering import names
from rulewright.lowering.frame import free_variables
from rulewright.model import (
    BELONGS_TO,
    CALLED_BY,
    CAUSED_BY,
    COMPLEMENT,
    FAILS_TEST,
    NUMBER,
    PASSES_TEST,
    TAKES_TEST,
    WOULD_FAIL_TEST,
    WOULD_PASS_TEST,
    AnyOf,
    Atom,
    ComesFrom,
    Compare,
    Condition,
    Definition,
    Exemption,
    Exists,
    Individual,
    Known,
    Number,
    Rule,
    Variable,
)
from rulewright.productions import NOBODY, SCALE, Fact, Var
from rulewright.provenance import Defeat, RuleMatch, Step, Value
from rulewright.scenarios.boundaries import other_totals
from rulewright.scenarios.changes import NOWHERE, Change, Give, Omit, SetNumber, Settle, Skip
from rulewright.scenarios.expectations import wanted_of
from rulewright.scenarios.numbers import Numbers
from rulewright.scenarios.rehearsal import Run
from rulewright.scenarios.script import Script
from rulewright.session.log import Introduction, Statement
from rulewright.session.looks import Look
from rulewright.session.world import decoded, encoded
from rulewright.walk import atoms_of

PASSES, FAILS = (PASSES_TEST, WOULD_PASS_TEST), (FAILS_TEST, WOULD_FAIL_TEST)
DEEPEST = 7
"""So many rules, definitions and events back the reasons of something are looked for."""
MOST_MISSES = 6
"""So many near misses of one rule are looked at."""
MOST_THINGS = 12
"""So many things are tried in a place that is left open."""


class Repairs:
    """Candidates, read off one run.

    Args:
        run: a game in which something is not as wanted.
        script: the script that the game was played from.
        asked: the fact that is wanted, or wanted away, where the goal is one.
    """

    def __init__(self, run: Run, script: Script, asked: Atom | None) -> None:
        self.run, self.script = run, script
        self.session, self.steps = run.session, run.steps
        self.compiled = run.session.compiled
        self.vocabulary = self.compiled.edition.vocabulary
        self.kinds = run.session.game.world.kinds
        self.rules: dict[str, Rule] = {r.anchor.ident: r for r in self.compiled.rules}
        self.moments = [Moment(self.compiled, look) for look in run.looks.taken]
        self.given = Numbers(run, script)
        world = tuple(run.session.game.world.all_facts())
        self.end = Moment(self.compiled, Look(len(self.steps) + 1, Fact(names.SETTLE), world))
        introduced = [o.entry.ident for o in script.entries[: script.given] if isinstance(o.entry, Introduction)]
        self.introduced = {*introduced, *self.vocabulary.names, *self.rules}
        self.asked = asked
        self._seen: set[object] = set()

    def _first(self, *key: object) -> bool:
        """Whether something is looked into for the first time."""
        known = key in self._seen
        self._seen.add(key)
        return not known

    # --- rules ---------------------------------------------------------------------------------------------------

    def matches(self, rule: str, thing: str | None) -> Iterator[tuple[Step, RuleMatch]]:
        """The matches of a rule for a thing, fired or not."""
        for step in self.steps:
            for match in step.matches:
                if match.rule == rule and thing in (None, *match.bindings.values()):
                    yield step, match

    def moment(self, step: Step, question: str = "on:") -> Moment | None:
        """What the rules looked at in a step."""
        found = (m for m in self.moments if m.look.step == step.number and m.look.token.predicate.startswith(question))
        return next(found, None)

    def fires(self, item: str, thing: str | None, deep: int) -> Iterator[Change]:
        """A rule, exemption or definition that did not apply."""
        if not deep or not self._first("fires", item, thing):
            return
        rule = self.rules.get(item)
        if rule is None:
            yield from self.applies(item, thing, deep)
            return
        for step, match in self.matches(item, thing):
            for defeat in match.defeats:
                yield from self.undefeated(step, defeat, deep)
            if match.chosen is False:
                yield from self.picks(step)
        starts = [(m, s) for m in self.moments for s in rule_starts(self.compiled, rule, m, Aim(thing))]
        conditions = (*rule.conditions, *(rule.choice.conditions if rule.choice else ()))
        yield from self.missed(starts, conditions, deep)
        if not starts:
            for trigger in rule.triggers:
                yield from self.happens(trigger.phrase, [None] * len(trigger.arguments), deep - 1, thing)

    def missed(
        self, starts: Sequence[tuple[Moment, Binding]], conditions: Sequence[Condition], deep: int
    ) -> Iterator[Change]:
        """The near misses of a conjunction, the nearest first."""
        found = []
        for moment, start in starts:
            trials, ways = moment.trials(conditions, start)
            if not ways and trials:
                found.append((len(conditions) - len(trials), moment, trials[-1]))
        for _, moment, trial in sorted(found, key=lambda miss: miss[0])[:MOST_MISSES]:
            for binding in trial.failed[:MOST_MISSES]:
                yield from self.holds(trial.condition, binding, moment, deep - 1)

    def applies(self, item: str, thing: str | None, deep: int) -> Iterator[Change]:
        """An exemption, definition or test that did not apply."""
        for exemption in (e for e in self.compiled.edition.exemptions if e.anchor.ident == item):
            yield from self.exempted(exemption, thing, deep)
        for definition in (d for d in self.compiled.edition.definitions if d.anchor.ident == item):
            variables = [Var(a.name) for a in definition.head.arguments if isinstance(a, Variable)]
            begins: list[Binding] = [{v: thing} for v in variables] if thing else [{}]
            looked = [m for m in self.moments if m.look.token.predicate.startswith("on:")]
            yield from self.missed([(m, b) for m in looked for b in begins], definition.conditions, deep)
        for test in (t for t in self.compiled.edition.tests if t.anchor.ident == item):
            yield from self.happens(test.trigger.phrase, [thing, *[None] * (len(test.trigger.arguments) - 1)], deep - 1)

    def exempted(self, exemption: Exemption, thing: str | None, deep: int) -> Iterator[Change]:
        """An exemption that kept nothing from coming about."""
        starts = []
        for moment in self.moments:
            if moment.look.token.predicate == names.may(exemption.head.phrase):
                start = tie(exemption.head, moment.look.token.values)
                if start is not None and (thing is None or thing in moment.look.token.values):
                    starts.append((moment, start))
        yield from self.missed(starts, exemption.conditions, deep)
        if not starts:
            head = exemption.head
            yield from self.happens(head.phrase, [None] * len(head.arguments), deep - 1, thing)

    def unfires(self, item: str, thing: str | None, deep: int) -> Iterator[Change]:
        """A rule, exemption or definition that applied."""
        for step, match in self.matches(item, thing):
            if match.fired:
                yield from self.unmatched(step, match, deep)
        definitions = [d for d in self.compiled.edition.definitions if d.anchor.ident == item]
        for step in (s for s in self.steps if s.test and s.test.rule == item and thing in (None, s.test.bearer)):
            yield from self.unhappens(step, deep)
        for step in self.steps:
            for defeat in (*step.voided, *(d for m in step.matches for d in m.defeats)):
                if defeat.item == item:
                    yield from self.undefeated(step, defeat, deep)
            for moment in filter(None, [self.moment(step)] if definitions else []):
                for definition in definitions:
                    yield from self.underived(definition, [], moment, deep)

    def unmatched(self, step: Step, match: RuleMatch, deep: int) -> Iterator[Change]:
        """A rule that fired: one of its clauses, what set it off, what was picked, what would have pre-empted it."""
        moment = self.moment(step)
        if not deep or moment is None or not self._first("unmatched", match.number):
            return
        for clause in match.clauses:
            bindings = {**clause.bindings, **match.bindings}
            yield from self.breaks(clause.condition, _binding(bindings), moment, deep - 1)
        yield from self.unhappens(step, deep - 1)
        if match.chosen:
            yield from self.picks(step)
        yield from self.defeated(step, match, deep)

    def defeated(self, step: Step, match: RuleMatch, deep: int) -> Iterator[Change]:
        """What would keep a rule that matched from firing."""
        moment = self.moment(step)
        if moment is None:
            return
        start = _binding(match.bindings)
        for defeater in self.rules[match.rule].defeaters:
            yield from self.missed([(moment, start)], defeater.conditions, deep)
        thing = next((v for v in match.bindings.values() if isinstance(v, str)), None)
        for winner in self.compiled.rules:
            if match.rule in winner.overrides:
                yield from self.fires(winner.anchor.ident, thing, deep - 1)

    def undefeated(self, step: Step, defeat: Defeat, deep: int) -> Iterator[Change]:
        """What kept a rule or an event from coming about."""
        moment = self.moment(step, "may:") if step.voided else self.moment(step)
        if not deep or moment is None:
            return
        for winner in (m for m in step.matches if defeat.kind == "rule" and m.rule == defeat.item):
            yield from self.unmatched(step, winner, deep - 1)
        for clause in defeat.clauses:
            yield from self.breaks(clause.condition, _binding(clause.bindings), moment, deep - 1)

    def picks(self, step: Step) -> Iterator[Change]:
        """The other options of the choices of a step."""
        for answered in self.run.answered:
            if answered.request.kind != "roll" and answered.step + 1 == step.number:
                for option in answered.request.options[:MOST_THINGS]:
                    if option != answered.value:
                        yield Settle(answered.asked, option)

    # --- events --------------------------------------------------------------------------------------------------

    def came_about(self, event: str, wanted: Sequence[Value | None]) -> list[Step]:
        """The steps of an event."""
        return [s for s in self.steps if s.event == event and not s.voided and _fits(wanted, s.values)]

    def happens(
        self, event: str, wanted: Sequence[Value | None], deep: int, thing: str | None = None
    ) -> Iterator[Change]:
        """An event that did not come about, with certain things in its places, or with one in any of them."""
        thing = thing or next((w for w in wanted if isinstance(w, str)), None)
        if not deep or not self._first("happens", event, tuple(wanted), thing):
            return
        if event in (*PASSES, *FAILS):
            for step in self.steps:
                test = step.test if thing in (None, *step.values) else None
                if test and _fits(wanted[:2], (test.bearer, test.test)) and test.passed != (event in PASSES):
                    yield from self.rolled_otherwise(step)
            yield from self.happens(TAKES_TEST, [*wanted[:2], *self._open_places(TAKES_TEST)[2:]], deep, thing)
        for step in (s for s in self.steps if s.event == event and _fits(wanted, s.values)):
            for defeat in step.voided if thing in (None, *step.values) else ():
                yield from self.undefeated(step, defeat, deep)
        yield from self.with_another_number(event, wanted)
        for rule in self.makers(event, wanted):
            yield from self.fires(rule, thing, deep - 1)

    def makers(self, phrase: str, wanted: Sequence[Value | None], negated: bool = False) -> list[str]:
        """The rules that bring an event or a fact about, for the things that are wanted (None: any)."""
        sentence = Atom(phrase, tuple(map(_argument, wanted)), NOWHERE, negated)
        return [m for m in makers(self.compiled, aim_at(sentence, self.vocabulary)) if m in self.rules]

    def _open_places(self, phrase: str) -> list[None]:
        return [None] * len(self.vocabulary.phrases[phrase].roles)

    def with_another_number(self, event: str, wanted: Sequence[Value | None]) -> Iterator[Change]:
        """An event that was given with another number than the one that is wanted."""
        for step in (s for s in self.steps if s.event == event and not s.causes):
            other = [i for i, (w, v) in enumerate(zip(wanted, step.values, strict=True)) if w not in (None, v)]
            value = wanted[other[0]] if len(other) == 1 else None
            place = self.given.place_of(step)
            if isinstance(value, Fraction) and place is not None:
                yield SetNumber(*place, other[0], value)

    def unhappens(self, step: Step, deep: int) -> Iterator[Change]:
        """An event that came about: the test that led to it, what called for it, or that it happened at all."""
        if not deep or not self._first("unhappens", step.number):
            return
        if step.event in (*PASSES, *FAILS):
            tests = [s for s in self.steps if s.number < step.number and s.test and s.test.bearer == step.values[0]]
            for test in tests[-1:]:
                yield from self.rolled_otherwise(test)
                yield from self.unhappens(test, deep - 1)
        for earlier in self.steps:
            for match in earlier.matches:
                if match.number in step.causes:
                    yield from self.unmatched(earlier, match, deep - 1)
        thing = next((v for v in step.values if isinstance(v, str)), None)
        for exemption in self.compiled.edition.exemptions:
            if exemption.head.phrase == step.event:
                yield from self.exempted(exemption, thing, deep)
        place = self.given.place_of(step)
        if place is not None:
            yield Skip(*place)

    def rolled_otherwise(self, step: Step) -> Iterator[Change]:
        """The nearest total with which a test goes the other way."""
        test = step.test
        assert test is not None
        later = [s.number for s in self.steps if s.number > step.number and s.test and s.test.bearer == test.bearer]
        own = [
            a
            for a in self.run.answered
            if (a.request.kind, a.request.about, a.request.test) == ("roll", test.bearer, test.test)
            and step.number <= a.step < min(later, default=len(self.steps) + 1)
        ]
        others = other_totals(test)
        for answered in own if others else ():
            now = answered.value
            assert isinstance(now, Fraction)
            yield Settle(answered.asked, Fraction(min(others, key=lambda total: abs(total - now))))

    # --- clauses -------------------------------------------------------------------------------------------------

    def holds(self, condition: Condition, binding: Binding, moment: Moment, deep: int) -> Iterator[Change]:
        """A clause that did not hold."""
        if not deep:
            return
        if isinstance(condition, Atom):
            yield from (self.fact_ends if condition.negated else self.fact_holds)(condition, binding, moment, deep)
        elif isinstance(condition, Compare):
            for known in self.filled(condition, binding):
                yield from self.given.compared(condition, known, moment)
        elif isinstance(condition, Exists):
            yield from (self.fewer if condition.negated else self.more)(condition, binding, moment, deep)
        elif isinstance(condition, AnyOf):
            for choice in condition.choices:
                yield from self.missed([(moment, binding)], choice, deep)
        elif isinstance(condition, Known):
            yield from self.given.known(condition, binding, wanted=not condition.negated)
        elif isinstance(condition, ComesFrom) and isinstance(condition.rule, Individual):
            yield from self.fires(condition.rule.ident, None, deep - 1)

    def breaks(self, condition: Condition, binding: Binding, moment: Moment, deep: int) -> Iterator[Change]:
        """A clause that held."""
        if not deep:
            return
        if isinstance(condition, Atom):
            yield from (self.fact_holds if condition.negated else self.fact_ends)(condition, binding, moment, deep)
        elif isinstance(condition, Compare):
            opposite = Compare(condition.left, COMPLEMENT[condition.operator], condition.right, condition.span)
            yield from self.given.compared(opposite, binding, moment)
        elif isinstance(condition, Exists):
            yield from (self.more if condition.negated else self.fewer)(condition, binding, moment, deep)
        elif isinstance(condition, AnyOf):
            for choice in condition.choices:
                yield from self.all_broken(choice, binding, moment, deep)
        elif isinstance(condition, Known):
            yield from self.given.known(condition, binding, wanted=condition.negated)
        elif isinstance(condition, ComesFrom) and isinstance(condition.rule, Individual):
            for step, match in self.chain(moment.look.step, condition.directly):
                if match.rule == condition.rule.ident:
                    yield from self.unmatched(step, match, deep - 1)

    def chain(self, number: int, directly: bool) -> Iterator[tuple[Step, RuleMatch]]:
        """The matches that a step goes back to."""
        causes = {n for s in self.steps if s.number == number for n in s.causes}
        for step in reversed(self.steps[: number - 1]):
            for match in step.matches:
                if match.number in causes:
                    yield step, match
                    causes |= set() if directly else set(step.causes)

    def all_broken(
        self, conditions: Sequence[Condition], start: Binding, moment: Moment, deep: int
    ) -> Iterator[Change]:
        """Every clause of a conjunction that held, in every way it did."""
        for way in moment.all_of(conditions, start)[:MOST_MISSES]:
            for condition in conditions:
                yield from self.breaks(condition, way, moment, deep - 1)

    def more(self, condition: Exists, binding: Binding, moment: Moment, deep: int) -> Iterator[Change]:
        """One more thing of which a quantifier speaks."""
        name, kind = moment.local(condition)
        there = moment.instances(condition, binding)
        for thing in self.things(kind):
            if thing not in there:
                yield from self.missed([(moment, {**binding, Var(name): thing})], condition.conditions, deep)

    def fewer(self, condition: Exists, binding: Binding, moment: Moment, deep: int) -> Iterator[Change]:
        """One thing less of which a quantifier speaks."""
        name, _ = moment.local(condition)
        for thing in moment.instances(condition, binding)[:MOST_THINGS]:
            bound = {**binding, Var(name): thing} if thing != NOBODY else binding
            yield from self.all_broken(condition.conditions, bound, moment, deep)

    def things(self, kind: str) -> list[str]:
        """The things of the game that are of a kind."""
        known = [i for i in self.session.names if self.vocabulary.is_a(self.kinds.get(i, "thing"), kind)]
        return known[:MOST_THINGS]

    def filled(self, condition: Atom | Compare, binding: Binding) -> Iterator[Binding]:
        """A binding, with things of the game in the places that a clause leaves open."""
        open_ones = [v for v in free_variables([condition]) if Var(v) not in binding]
        kinds = {
            a.name: role.kind
            for use in atoms_of(condition)
            for a, role in zip(use.arguments, self.vocabulary.phrases[use.phrase].roles, strict=True)
            if isinstance(a, Variable)
        }
        if any(kinds.get(v, NUMBER) == NUMBER for v in open_ones):
            return
        for chosen in islice(product(*(self.things(kinds[v]) for v in open_ones)), MOST_THINGS):
            yield {**binding, **dict(zip(map(Var, open_ones), chosen, strict=True))}

    # --- facts ---------------------------------------------------------------------------------------------------

    def fact_holds(self, atom: Atom, binding: Binding, moment: Moment, deep: int) -> Iterator[Change]:
        """A fact that did not hold: by definition, on record, brought about by a rule, ended before, or given."""
        wanted = _values(atom, binding)
        if not self._first("holds", atom.phrase, tuple(wanted), moment.look.step):
            return
        if names.fact(atom.phrase) in self.compiled.defined:
            for definition in self.compiled.edition.definitions:
                if definition.head.phrase == atom.phrase:
                    start = tie(definition.head, [_term(w, n) for n, w in enumerate(wanted)])
                    if start is not None:
                        yield from self.missed([(moment, start)], definition.conditions, deep)
            return
        if atom.phrase in (CALLED_BY, CAUSED_BY):
            yield from self.called(atom.phrase, wanted, deep)
            return
        for step, match in self.effects("end", atom.phrase, wanted, moment.look.step):
            yield from self.unmatched(step, match, deep - 1) if match else self.unhappens(step, deep - 1)
        record = self.vocabulary.records.get(atom.phrase)
        if record is not None:
            yield from self.happens(record.event.phrase, self.recorded(atom.phrase, wanted), deep - 1)
        else:
            for rule in self.makers(atom.phrase, wanted):
                thing = next((w for w in wanted if isinstance(w, str)), None)
                yield from self.fires(rule, thing, deep - 1)
        yield from self.statements(atom.phrase, wanted, negated=True)
        if self.may_be_given(atom):
            for known in self.filled(atom, binding):
                yield from self.stated(atom.phrase, _values(atom, known), negated=False)

    def fact_ends(self, atom: Atom, binding: Binding, moment: Moment, deep: int) -> Iterator[Change]:
        """A fact that held: each definition, record, rule or statement that it rests on."""
        wanted = _values(atom, binding)
        if not self._first("ends", atom.phrase, tuple(wanted), moment.look.step):
            return
        if names.fact(atom.phrase) in self.compiled.defined:
            for definition in self.compiled.edition.definitions:
                if definition.head.phrase == atom.phrase:
                    yield from self.underived(definition, wanted, moment, deep)
            return
        if atom.phrase in (CALLED_BY, CAUSED_BY):
            yield from self.uncalled(atom.phrase, wanted, moment, deep)
            return
        for step, match in self.effects("fact", atom.phrase, wanted, moment.look.step):
            yield from self.unmatched(step, match, deep - 1) if match else self.unhappens(step, deep - 1)
        record = self.vocabulary.records.get(atom.phrase)
        if record is not None:
            for step in self.came_about(record.event.phrase, self.recorded(atom.phrase, wanted)):
                if step.number <= moment.look.step:
                    yield from self.unhappens(step, deep - 1)
        said = list(self.statements(atom.phrase, wanted, negated=False))
        yield from said
        if not said and None not in wanted and self.may_be_given(atom):
            yield from self.stated(atom.phrase, wanted, negated=True)

    def called(self, phrase: str, wanted: Sequence[Value | None], deep: int) -> Iterator[Change]:
        """A test that was not called for by a rule, or not caused by somebody."""
        test, bearer, by = wanted
        if phrase == CALLED_BY and isinstance(by, str):
            yield from self.fires(by, bearer if isinstance(bearer, str) else None, deep - 1)
        elif phrase == CAUSED_BY:
            yield from self.happens(TAKES_TEST, [bearer, test, by], deep - 1)

    def uncalled(self, phrase: str, wanted: Sequence[Value | None], moment: Moment, deep: int) -> Iterator[Change]:
        """What called for a test, or made somebody its cause."""
        test, bearer, by = wanted
        cause = by if phrase == CAUSED_BY else None
        steps = self.came_about(TAKES_TEST, [bearer, test, cause])
        for step in [s for s in steps if s.number <= moment.look.step][-1:]:
            callers_of = [(s, m) for s in self.steps for m in s.matches if m.number in step.causes]
            for earlier, match in callers_of:
                if phrase == CAUSED_BY or match.rule == by:
                    yield from self.unmatched(earlier, match, deep - 1)

    def underived(
        self, definition: Definition, wanted: Sequence[Value | None], moment: Moment, deep: int
    ) -> Iterator[Change]:
        """Every way in which a definition held."""
        places = wanted or [None] * len(definition.head.arguments)
        start = tie(definition.head, [_term(w, n) for n, w in enumerate(places)])
        if start is not None:
            yield from self.all_broken(definition.conditions, start, moment, deep)

    def recorded(self, record: str, wanted: Sequence[Value | None]) -> list[Value | None]:
        """What the places of the event of a record hold."""
        detail = self.vocabulary.records[record]
        known = {role.name: w for role, w in zip(self.vocabulary.phrases[record].roles, wanted, strict=True)}
        return [
            known.get(a.name) if isinstance(a, Variable) else a.ident if isinstance(a, Individual) else None
            for a in detail.event.arguments
        ]

    def effects(
        self, kind: str, phrase: str, wanted: Sequence[Value | None], before: int
    ) -> Iterator[tuple[Step, RuleMatch | None]]:
        """What made a fact hold, or end, up to a step."""
        for step in (s for s in self.steps if s.number <= before):
            done = [(None, e) for e in step.changes]
            for match, effect in [*done, *((m, e) for m in step.matches for e in m.effects)]:
                if effect.kind == kind and effect.phrase == phrase and _fits(wanted, effect.values):
                    yield step, match

    def statements(self, phrase: str, wanted: Sequence[Value | None], negated: bool) -> Iterator[Change]:
        """The statements of the script that say a fact, or deny it, and that can be left out."""
        introduced = {o.entry.span for o in self.script.entries if isinstance(o.entry, Introduction)}
        for one in self.script.entries:
            entry = one.entry
            if not isinstance(entry, Statement) or one.number < 0 or entry.atom.span in introduced:
                continue
            atom = entry.atom
            if atom.phrase == phrase and atom.negated == negated and self.same(phrase, wanted, wanted_of(atom)):
                yield Omit(one.number)

    def same(self, phrase: str, wanted: Sequence[Value | None], values: Sequence[Value | None]) -> bool:
        """Whether a fact is one that is wanted."""
        other = [values[1], values[0], *values[2:]] if self.vocabulary.phrases[phrase].symmetric else values
        return any(all(w in (None, v) for w, v in zip(wanted, way, strict=True)) for way in (values, other))

    def may_be_given(self, atom: Atom) -> bool:
        """Whether a fact may be said to hold: a plain one, and not the goal itself while a rule brings that about."""
        phrase = self.vocabulary.phrases[atom.phrase]
        if phrase.kind != "fact" or atom.phrase in (BELONGS_TO, CALLED_BY, CAUSED_BY):
            return False
        wanted = self.asked
        if wanted is None or wanted.phrase != atom.phrase:
            return True
        return not self.makers(wanted.phrase, self._open_places(wanted.phrase), wanted.negated)

    def stated(self, phrase: str, values: Sequence[Value | None], negated: bool) -> Iterator[Change]:
        """A fact that is given before anything happens, of things that fit it."""
        roles = self.vocabulary.phrases[phrase].roles
        things = [v for v in values if isinstance(v, str) and v != NOBODY]
        kinds = [
            self.vocabulary.is_a(self.kinds.get(v, "thing"), role.kind)
            for v, role in zip(values, roles, strict=True)
            if isinstance(v, str) and v != NOBODY
        ]
        if all(kinds) and len(set(things)) == len(things) and self.introduced.issuperset(things):
            arguments = tuple(_argument(v) for v in values)
            yield Give(Atom(phrase, arguments, NOWHERE, negated))


def _binding(bindings: object) -> Binding:
    assert isinstance(bindings, dict)
    return {Var(name): encoded([value])[0] for name, value in bindings.items()}


def _values(atom: Atom, binding: Binding) -> list[Value | None]:
    """The values in the places of a fact, as far as they are known; nobody where a place is left out."""
    found: list[Value | None] = []
    for argument in atom.arguments:
        if isinstance(argument, Variable):
            value = binding.get(Var(argument.name))
            found.append(None if value is None else decoded([value])[0])
        elif isinstance(argument, Individual):
            found.append(argument.ident)
        else:
            found.append(argument.value if isinstance(argument, Number) else None)
    return found


def _argument(value: Value | None) -> Individual | Number | None:
    if value is None or value == NOBODY:
        return None
    return Number(value) if isinstance(value, Fraction) else Individual(value)


def _term(value: Value | None, place: int) -> str | int | Var:
    if value is None:
        return Var(f"?{place}")
    return int(value * SCALE) if isinstance(value, Fraction) else value


def _fits(wanted: Iterable[Value | None], values: Iterable[Value]) -> bool:
    return all(w is None or w == v for w, v in zip(wanted, values, strict=False))
