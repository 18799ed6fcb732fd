"""The game: takes events one by one, asks the matcher what they set off, and applies the effects.

An event is taken in this order:

1. exemptions are asked whether it comes about at all;
2. it is booked: tallies and records are kept, its own changes made, a window opened;
3. every rule looks at the same state; the matches that nothing defeats fire;
4. their effects are applied together; events among them go to the agenda;
5. what lasts until this event ends, and a window that it closes is closed.

A game stops where it needs dice or a choice, and goes on with the answer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from rulewright.arithmetic import evaluate
from rulewright.backends.base import Backend
from rulewright.diagnostics import Fault, report
from rulewright.lowering import names
from rulewright.lowering.compile import Compiled
from rulewright.model import (
    CALLED_BY,
    CAUSED_BY,
    FAILS_TEST,
    NUMBER,
    PASSES_TEST,
    TAKES_TEST,
    WOULD_FAIL_TEST,
    WOULD_PASS_TEST,
    Atom,
    Change,
    Choice,
    Create,
    Effect,
    Exemption,
    Expression,
    Individual,
    MeasureOf,
    RollAgain,
    Rule,
    Test,
    TestModifier,
    Variable,
)
from rulewright.phrases.wording import number_text
from rulewright.phrases.words import without_forms
from rulewright.productions import NOBODY, Fact
from rulewright.provenance import (
    Decision,
    Defeat,
    EffectDone,
    Modifier,
    RuleMatch,
    Step,
    TestTaken,
    Value,
)
from rulewright.resolve.vocabulary import begins_for
from rulewright.session.agenda import Agenda, Call, Happening
from rulewright.session.cycle import Answer, ask
from rulewright.session.grounds import Grounds
from rulewright.session.requests import Request
from rulewright.session.world import GAME, Holding, World, decoded, encoded
from rulewright.walk import descend

STEPS_AT_ONCE = 1_000
"""Events that one given event may set off before the cascade is taken to be endless."""


@dataclass
class _Turn:
    """An event being taken, between its matches and its effects: choices may still be open."""

    happening: Happening
    number: int
    matches: list[RuleMatch]
    changes: tuple[EffectDone, ...]
    ends: list[Fact]
    touched: list[tuple[str, tuple[str, ...]]]
    decisions: list[Decision] = field(default_factory=list)
    choices: list[tuple[Rule, list[int]]] = field(default_factory=list)
    test: Test | None = None
    modifiers: list[Modifier] = field(default_factory=list)
    roll_again: bool = False


@dataclass(frozen=True)
class _OpenTest:
    """A test between its being taken and its outcome; ``again`` when its dice were rolled a second time."""

    test: Test
    happening: Happening
    step: int
    modifiers: tuple[Modifier, ...]
    again: bool = False

    @property
    def bearer(self) -> str:
        return str(self.happening.values[0])

    @property
    def kind(self) -> str:
        return str(self.happening.values[1])


class Game:
    """One game under one edition.

    Args:
        compiled: the edition.
        backend: opens the matcher that decides every match.

    Attributes:
        request: what the game waits for, or None when it is at rest.
        steps: what happened so far.
        created: things that effects brought into the game, and their kinds.
    """

    def __init__(self, compiled: Compiled, backend: Backend) -> None:
        self.compiled = compiled
        self.edition = compiled.edition
        self.vocabulary = compiled.edition.vocabulary
        self.matcher = backend(compiled.program)
        self.world = World(self.vocabulary, self.matcher)
        self.agenda = Agenda(self.edition.orders)
        self.request: Request | None = None
        self.steps: list[Step] = []
        self._answer: Callable[[Value], None] | None = None
        self._turn: _Turn | None = None
        self._open_test: _OpenTest | None = None
        self.created: dict[str, str] = {}
        self._matches = 0
        self._since_given = 0
        self._by_number: dict[int, str] = {}
        self._rules = {r.anchor.ident: r for r in compiled.rules}
        for name in self.vocabulary.names.values():
            self.world.introduce(name.ident, name.kind)
        for ident in compiled.anchors:
            self.world.introduce(ident, "rule")
        self.world.open(GAME, "", ())

    # --- what is given -------------------------------------------------------------------------------------------

    def introduce(self, ident: str, kind: str, begins: Iterable[Atom] = ()) -> None:
        """A thing enters the game, with what is so of its kind."""
        self.world.introduce(ident, kind)
        for atom in begins:
            self.state(atom)

    def state(self, atom: Atom) -> None:
        """A fact is given (or, negated, taken back)."""
        if names.fact(atom.phrase) in self.compiled.defined:
            raise Fault(report("defined-fact", atom.span, phrase=self.phrase_text(atom.phrase)))
        values = self.values(atom.arguments, {})
        if atom.negated:
            self.world.drop(atom.phrase, values)
        else:
            self.world.put(atom.phrase, values, Holding(len(self.steps)))

    def measure(self, measure: str, things: tuple[str, ...], value: Fraction) -> None:
        """The value of a measure is given."""
        self.world.give_value(measure, things, value, beginning=not self.steps)

    def happen(self, event: str, values: tuple[Value, ...]) -> None:
        """An event happens; the game goes on until it rests or asks for something."""
        assert self.request is None, "a request must be answered first"
        self._since_given = 0
        self.agenda.waiting.append(Happening(event, values))
        self._run()

    def answer(self, value: Value) -> None:
        """Answers the open request: a total of dice as a number, or the ident of one of the options."""
        request, resume = self.request, self._answer
        assert request is not None, "nothing was asked"
        assert resume is not None
        if request.kind == "roll":
            dice = request.dice
            assert dice is not None
            if not isinstance(value, Fraction) or value.denominator != 1 or not dice.lowest <= value <= dice.highest:
                raise Fault(
                    report("die-out-of-range", total=value, dice=dice, lowest=dice.lowest, highest=dice.highest)
                )
        elif value not in request.options:
            raise Fault(report("not-an-option", choice=value, options=", ".join(request.options)))
        self.request = self._answer = None
        resume(value)
        self._run()

    # --- running -------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while self.request is None and self.agenda:
            happening = self.agenda.next()
            rivals = self.agenda.rivals(happening, self._player)
            movers = {str(h.values[0]): h for h in rivals}
            if len(movers) > 1:
                options = tuple(sorted(movers))
                self._ask(
                    Request(
                        "order",
                        str(happening.values[0]),
                        happening.event,
                        player=self._player(happening),
                        options=options,
                    ),
                    lambda picked, movers=movers: self._take(movers[str(picked)]),  # type: ignore[misc]
                )
            else:
                self._take(happening)

    def _ask(self, request: Request, resume: Callable[[Value], None]) -> None:
        self.request, self._answer = request, resume

    def _player(self, happening: Happening) -> str:
        return self.side_of(str(happening.values[0])) if happening.values else ""

    def side_of(self, thing: str) -> str:
        """The side a thing belongs to, or nobody."""
        for phrase in self.vocabulary.phrases.values():
            if phrase.kind == "fact" and len(phrase.roles) == 2 and phrase.roles[1].kind == "side":
                for fact in self.world.facts:
                    if fact.predicate == names.fact(phrase.ident) and fact.values[0] == thing:
                        return str(fact.values[1])
        return NOBODY

    def _take(self, happening: Happening) -> None:
        self.agenda.take(happening)
        self._since_given += 1
        if self._since_given > STEPS_AT_ONCE:
            raise Fault(report("endless-cascade", count=STEPS_AT_ONCE, loop=_loop(happening.chain)))
        if self._windows_first(happening):
            return
        voided = self._voided(happening)
        if voided:
            step = Step(len(self.steps) + 1, happening.event, happening.values, happening.causes, voided)
            self.steps.append(step)
            return
        self._note_calls(happening)
        changes, ends, touched = self._book(happening)
        answer = self._ask_matcher(Fact(names.on(happening.event), encoded(happening.values)), self._causes(happening))
        turn = _Turn(happening, len(self.steps) + 1, self._read(answer), changes, ends, touched)
        turn.test = self._test_due(happening, answer)
        turn.choices = self._choices(turn.matches)
        self._turn = turn
        self._choose()

    def _ask_matcher(self, token: Fact, given: Sequence[Fact] = ()) -> Answer:
        return ask(self.matcher, self.compiled, token, given)

    def _causes(self, happening: Happening) -> list[Fact]:
        """Facts about where an event comes from, for the rules that ask."""
        columns = self.compiled.program.columns
        direct = {self._by_number[n] for n in happening.causes} if names.CAUSE in columns else ()
        chain = set(happening.chain) if names.CHAIN in columns else ()
        return [*(Fact(names.CAUSE, (r,)) for r in sorted(direct)), *(Fact(names.CHAIN, (r,)) for r in sorted(chain))]

    # --- windows -------------------------------------------------------------------------------------------------

    def _windows_first(self, happening: Happening) -> bool:
        """A window that is still open ends before it is opened again, or before one around it ends."""
        detail = self.vocabulary.events.get(happening.event)
        if detail is None:
            return False
        open_ones = [w for w in (*detail.opens, *detail.closes[1:]) if w in self.world.windows]
        for window in open_ones:
            ender = self._ender(window)
            if ender is not None and ender != happening.event:
                opener, values = self.world.windows[window]
                known = dict(zip((r.name for r in self.vocabulary.phrases[opener].roles), values, strict=True))
                roles = self.vocabulary.phrases[ender].roles
                ending = Happening(ender, tuple(known.get(r.name, NOBODY) for r in roles))
                self.agenda.at_once.appendleft(happening)
                self.agenda.at_once.appendleft(ending)
                return True
        return False

    def _ender(self, window: str) -> str | None:
        return next((e for e, d in self.vocabulary.events.items() if d.closes[:1] == (window,)), None)

    # --- does it come about? -------------------------------------------------------------------------------------

    def _voided(self, happening: Happening) -> tuple[Defeat, ...]:
        if happening.event not in self.compiled.exempted:
            return ()
        answer = self._ask_matcher(Fact(names.may(happening.event), encoded(happening.values)))
        grounds = Grounds(self.compiled, answer)
        found = []
        for exemption in self.edition.exemptions:
            site = f"{exemption.anchor.ident}@event:{happening.event}"
            for fact in answer.heads(names.fire(site)):
                if exemption.anchor.ident not in happening.regardless:
                    found.append(self._exemption_defeat(exemption, site, fact, answer, grounds))
        return tuple(found)

    @staticmethod
    def _exemption_defeat(exemption: Exemption, site: str, fact: Fact, answer: Answer, grounds: Grounds) -> Defeat:
        matched = answer.heads(names.match(site))[Fact(names.match(site), fact.values)]
        return Defeat("exemption", exemption.anchor.ident, grounds.clauses(matched[0]))

    # --- booking -------------------------------------------------------------------------------------------------

    def _book(
        self, happening: Happening
    ) -> tuple[tuple[EffectDone, ...], list[Fact], list[tuple[str, tuple[str, ...]]]]:
        """Keeps tallies and records, makes the event's own changes, opens its window."""
        number = len(self.steps) + 1
        detail = self.vocabulary.events[happening.event]
        answer = self._ask_matcher(Fact(names.book(happening.event), encoded(happening.values)))
        touched = []
        for tally in self.vocabulary.tallies:
            for fact in sorted(answer.heads(names.add(tally))):
                values = decoded(fact.values)
                amount = values[-1]
                assert isinstance(amount, Fraction)
                things = tuple(map(str, values[:-1]))
                self.world.add_to_tally(tally, things, amount)
                touched.append((tally, things))
        for record, kept in self.vocabulary.records.items():
            for fact in sorted(answer.heads(names.keep(record))):
                self.world.put(record, decoded(fact.values), Holding(number, until=kept.window))
        ends = sorted({h for p, heads in answer.by_head.items() if p.startswith("end:") for h in heads})
        bindings = dict(
            zip((r.name for r in self.vocabulary.phrases[happening.event].roles), happening.values, strict=True)
        )
        done = [self._apply(effect, bindings, Holding(number)) for effect in detail.changes]
        for window in detail.opens:
            self.world.open(window, happening.event, happening.values)
        return tuple(d for d in done if d is not None), ends, touched

    # --- matches -------------------------------------------------------------------------------------------------

    def _read(self, answer: Answer) -> list[RuleMatch]:
        """The rule matches of an answer, fired or pre-empted, in an order that does not depend on the rules' order."""
        grounds = Grounds(self.compiled, answer)
        found = []
        for ident in sorted(self._rules):
            fired = {f.values for f in answer.heads(names.fire(ident))}
            for fact, firings in sorted(answer.heads(names.match(ident)).items()):
                self._matches += 1
                self._by_number[self._matches] = ident
                bindings = dict(zip(self.compiled.variables[ident], decoded(fact.values), strict=True))
                defeats = () if fact.values in fired else self._defeats(ident, fact, answer, grounds)
                found.append(RuleMatch(self._matches, ident, bindings, grounds.clauses(firings[0]), defeats))
        return found

    def _defeats(self, ident: str, matched: Fact, answer: Answer, grounds: Grounds) -> tuple[Defeat, ...]:
        found = []
        for fact, firings in sorted(answer.heads(names.defeat(ident)).items()):
            if fact.values[:-1] != matched.values:
                continue
            kind, _, what = str(fact.values[-1]).partition(":")
            if kind == "unless":
                found.append(Defeat("unless", ident, grounds.clauses(firings[0])))
            elif kind == "rule":
                found.append(Defeat("rule", what, ()))
            else:
                site = f"{what}@{ident}"
                exemption = next(e for e in self.edition.exemptions if e.anchor.ident == what)
                at = Fact(names.fire(site), matched.values)
                found.append(self._exemption_defeat(exemption, site, at, answer, grounds))
        return tuple(found)

    # --- choices -------------------------------------------------------------------------------------------------

    def _choices(self, matches: Sequence[RuleMatch]) -> list[tuple[Rule, list[int]]]:
        """Groups of matches that differ only in what is to be chosen, by their places in the list."""
        groups: dict[tuple[str, tuple[tuple[str, Value], ...]], list[int]] = defaultdict(list)
        for index, match in enumerate(matches):
            choice = self._rules[match.rule].choice
            if choice is not None and match.fired:
                rest = tuple(sorted((k, v) for k, v in match.bindings.items() if k != choice.variable.name))
                groups[match.rule, rest].append(index)
        return [(self._rules[rule], indexes) for (rule, _), indexes in groups.items() if len(indexes) > 1]

    def _choose(self) -> None:
        """Asks for the next open choice of the turn, or ends the turn when there is none."""
        turn = self._turn
        assert turn is not None
        if not turn.choices:
            self._finish(turn)
            return
        rule, indexes = turn.choices[0]
        choice = rule.choice
        assert choice is not None
        options = tuple(str(turn.matches[i].bindings[choice.variable.name]) for i in indexes)
        bindings = turn.matches[indexes[0]].bindings
        about = self._about(choice, rule, bindings)
        player = self.side_of(str(bindings[choice.player_of.name])) if choice.player_of else ""
        kind: Literal["chance", "choice"] = "choice" if choice.player_of else "chance"
        self._ask(Request(kind, about, rule.anchor.ident, player=player, options=options), self._chosen)

    @staticmethod
    def _about(choice: Choice, rule: Rule, bindings: Mapping[str, Value]) -> str:
        if choice.player_of:
            return str(bindings[choice.player_of.name])
        first = next((a for a in rule.triggers[0].arguments if isinstance(a, Variable)), None)
        return str(bindings[first.name]) if first else ""

    def _chosen(self, picked: Value) -> None:
        turn = self._turn
        assert turn is not None
        rule, indexes = turn.choices.pop(0)
        choice = rule.choice
        assert choice is not None
        variable = choice.variable.name
        options = []
        for index in indexes:
            match = turn.matches[index]
            options.append(str(match.bindings[variable]))
            turn.matches[index] = replace(match, chosen=match.bindings[variable] == picked)
        bindings = dict(turn.matches[indexes[0]].bindings)
        by: Literal["player", "chance"] = "player" if choice.player_of else "chance"
        player = self.side_of(str(bindings[choice.player_of.name])) if choice.player_of else None
        about = self._about(choice, rule, bindings)
        turn.decisions.append(Decision(by, player, about, tuple(options), str(picked)))
        self._choose()

    # --- effects -------------------------------------------------------------------------------------------------

    def _finish(self, turn: _Turn) -> None:
        """Applies the effects of the matches that fired, and closes what this event closes."""
        happening = turn.happening
        fired = [m for m in turn.matches if m.fired]
        self._check_contradictions([(m, e) for m in fired for e in self._rules[m.rule].effects])
        events: list[tuple[Happening, RuleMatch]] = []
        done = {m.number: self._bring_about(m, turn, events) for m in fired}
        self._schedule(events)
        step = Step(
            turn.number,
            happening.event,
            happening.values,
            happening.causes,
            matches=tuple(replace(m, effects=tuple(done.get(m.number, ()))) for m in turn.matches),
            changes=turn.changes,
            decisions=tuple(turn.decisions),
        )
        self.steps.append(step)
        self._turn = None
        self._close(turn)
        self._settle()
        if happening.event in (WOULD_FAIL_TEST, WOULD_PASS_TEST):
            self._conclude(happening, turn.roll_again)
        elif turn.test is not None:
            self._roll(_OpenTest(turn.test, happening, len(self.steps) - 1, tuple(turn.modifiers)))

    def _bring_about(
        self, match: RuleMatch, turn: _Turn, events: list[tuple[Happening, RuleMatch]]
    ) -> list[EffectDone]:
        """Carries out the effects of one match; events among them are gathered."""
        done: list[EffectDone] = []
        bindings = dict(match.bindings)
        for number, effect in enumerate(self._rules[match.rule].effects):
            act = effect.act
            if isinstance(act, Create):
                bindings[act.variable.name] = self._create(act, match)
                done.append(EffectDone("new", act.kind, (bindings[act.variable.name],)))
            elif isinstance(act, TestModifier):
                amount = act.sign * self.number(act.amount, bindings)
                turn.modifiers.append(Modifier(match.number, match.rule, act.of, amount))
                done.append(EffectDone("modifier", act.of, (amount,)))
            elif isinstance(act, RollAgain):
                turn.roll_again = True
                done.append(EffectDone("again", "", ()))
            elif isinstance(act, Atom) and act.phrase in self.vocabulary.events:
                values = self.values(act.arguments, bindings, act.phrase)
                done.append(EffectDone("event", act.phrase, values))
                caused = self._caused(act.phrase, values, match, turn.happening)
                events.append((self._awaiting(caused, match, number, effect), match))
            else:
                holding = Holding(turn.number, match.number, effect.until_window)
                result = self._apply(effect, bindings, holding)
                if result is not None:
                    done.append(result)
                    self._note_lasting(match, number, effect, turn.number)
        return done

    def _create(self, act: Create, match: RuleMatch) -> str:
        """A new thing, called after the first thing its rule speaks of."""
        after = next((str(v) for v in match.bindings.values() if isinstance(v, str)), act.kind)
        number = 2
        while f"{after} ({number})" in self.world.kinds:
            number += 1
        ident = f"{after} ({number})"
        self.introduce(ident, act.kind, begins_for(self.vocabulary, act.kind, ident))
        self.created[ident] = act.kind
        return ident

    def _awaiting(self, caused: Happening, match: RuleMatch, number: int, effect: Effect) -> Happening:
        """A test whose outcome its caller waits for."""
        if not effect.on_success and not effect.on_failure:
            return caused
        values = encoded(match.bindings[v] for v in self.compiled.variables[match.rule])
        awaited = Fact(names.awaits(f"{match.rule}.{number}"), values)
        return replace(caused, calls=tuple(replace(c, awaits=awaited) for c in caused.calls))

    def _caused(self, event: str, values: tuple[Value, ...], match: RuleMatch, by: Happening) -> Happening:
        regardless = frozenset(self._rules[match.rule].regardless)
        calls: tuple[Call, ...] = ()
        if event == TAKES_TEST:
            cause = str(values[2]) if len(values) > 2 else NOBODY
            calls = (Call(match.number, match.rule, cause),)
        chain = (*by.chain, match.rule)[-2 * STEPS_AT_ONCE :]
        return Happening(event, values, (match.number,), calls, regardless, chain)

    def _schedule(self, events: Sequence[tuple[Happening, RuleMatch]]) -> None:
        """Puts events on the agenda; what is called for twice at one moment happens once, with both causes."""
        merged: dict[tuple[str, tuple[Value, ...]], Happening] = {}
        owners: dict[tuple[str, Value], tuple[Happening, RuleMatch]] = {}
        for happening, match in sorted(events, key=lambda pair: (pair[0].event, _sortable(pair[0].values))):
            key = (happening.event, happening.values[:2] if happening.calls else happening.values)
            known = merged.get(key)
            merged[key] = happening if known is None else known.with_another_cause(happening)
            only_one = self.vocabulary.events[happening.event].only_one
            if only_one is not None:
                owner = owners.setdefault((happening.event, happening.values[only_one]), (happening, match))
                if owner[0].values != happening.values:
                    self._contradiction(owner[1].rule, match.rule, str(happening.values[only_one]))
        self.agenda.waiting.extend(merged.values())

    def _check_contradictions(self, acts: Sequence[tuple[RuleMatch, Effect]]) -> None:
        """Two effects of one event that cannot both be had are reported, never settled by their order."""
        wanted: dict[tuple[object, ...], tuple[object, str]] = {}
        for match, effect in acts:
            act = effect.act
            if isinstance(act, Change) and act.direction == "become":
                things = self.values(act.measure.arguments, match.bindings)
                key: tuple[object, ...] = (act.measure.phrase, things)
                outcome: object = self.number(act.amount, match.bindings)
            elif isinstance(act, Atom) and act.phrase not in self.vocabulary.events:
                key = (act.phrase, self.values(act.arguments, match.bindings))
                outcome = act.negated
            else:
                continue
            other = wanted.setdefault(key, (outcome, match.rule))
            if other[0] != outcome:
                self._contradiction(other[1], match.rule, str(next(iter(match.bindings.values()), "")))

    def _contradiction(self, one: str, other: str, thing: str) -> None:
        spans = {a.ident: a.span for a in self.edition.anchors()}
        raise Fault(
            report(
                "contradictory-effects",
                spans.get(other),
                [("the other rule", spans[one])] if one in spans and one != other else [],
                one=one,
                other=other,
                thing=thing,
            )
        )

    def _apply(self, effect: Effect, bindings: Mapping[str, Value], holding: Holding) -> EffectDone | None:
        """Makes a fact hold or cease, or changes a measure; events are not applied here."""
        act = effect.act
        if isinstance(act, Change):
            return self._change(act, bindings)
        assert isinstance(act, Atom)
        values = self.values(act.arguments, bindings)
        if act.negated:
            self.world.drop(act.phrase, values)
            return EffectDone("end", act.phrase, values)
        self.world.put(act.phrase, values, holding)
        return EffectDone("fact", act.phrase, values, effect.until_window)

    def _change(self, act: Change, bindings: Mapping[str, Value]) -> EffectDone | None:
        things = tuple(map(str, self.values(act.measure.arguments, bindings)))
        amount = self.number(act.amount, bindings)
        old = self.world.value(act.measure.phrase, things)
        if act.direction == "become":
            new = amount
        elif old is None:
            return None  # a measure that was not given has nothing to rise from
        else:
            new = old - amount if act.direction == "fall" else old + amount
        if new < 0 and old is not None:
            raise Fault(
                report(
                    "below-nought",
                    thing=things[0] if things else "",
                    have=number_text(old),
                    lose=number_text(amount),
                    measure=self.phrase_text(act.measure.phrase),
                )
            )
        self.world.set_value(act.measure.phrase, things, new)
        return EffectDone("change", act.measure.phrase, (*things, new))

    def _note_lasting(self, match: RuleMatch, number: int, effect: Effect, step: int) -> None:
        """Notes that an effect is in force, so that what ends it can find it."""
        if effect.until_events or effect.lasting:
            values = encoded(match.bindings[v] for v in self.compiled.variables[match.rule])
            self.world.put_plain(Fact(names.lasts(f"{match.rule}.{number}"), values), Holding(step, match.number))

    def _close(self, turn: _Turn) -> None:
        """What lasted until this event goes, and the windows that it closes."""
        for end in turn.ends:
            self._end(end)
        self.world.settle_tallies(turn.touched)
        for window in self.vocabulary.events[turn.happening.event].closes:
            self.world.close(window)
        if turn.happening.event in (PASSES_TEST, FAILS_TEST):
            self._forget_calls(turn.happening)

    def _end(self, end: Fact) -> None:
        what = end.predicate.removeprefix("end:")
        if what in self.vocabulary.records:
            self.world.drop(what, decoded(end.values))
            return
        rule, _, number = what.rpartition(".")
        act = self._rules[rule].effects[int(number)].act
        assert isinstance(act, Atom)
        bindings = dict(zip(self.compiled.variables[rule], decoded(end.values), strict=True))
        self.world.drop_fact(Fact(names.lasts(what), end.values))
        self.world.drop(act.phrase, self.values(act.arguments, bindings))

    def _settle(self) -> None:
        """Ends the facts that last only while something is so, until none of them is left without its ground."""
        while any(f.predicate.startswith("lasts:") for f in self.world.facts):
            answer = self._ask_matcher(Fact(names.SETTLE))
            ends = sorted(h for p, heads in answer.by_head.items() if p.startswith("end:") for h in heads)
            if not ends:
                return
            for end in ends:
                self._end(end)

    # --- tests ---------------------------------------------------------------------------------------------------

    def _test_due(self, happening: Happening, answer: Answer) -> Test | None:
        """The test that an event takes; a Fault when the edition or the scenario leaves it without what it needs."""
        if happening.event != TAKES_TEST:
            return None
        bearer, kind = str(happening.values[0]), str(happening.values[1])
        for test in self.edition.tests:
            wanted = test.trigger.arguments[1]
            if isinstance(wanted, Individual) and wanted.ident != kind:
                continue
            if Fact(names.ready(test.anchor.ident), (bearer,)) in answer.heads(names.ready(test.anchor.ident)):
                return test
            missing = sorted({n.phrase for n in descend(test.success) if isinstance(n, MeasureOf)})
            shown = ", ".join(self.phrase_text(m) for m in missing) or "a value"
            raise Fault(report("missing-measure", thing=bearer, measure=shown, use=test.anchor.title))
        raise Fault(report("no-such-test", test=self.name_text(kind), edition=self.edition.ident))

    def _roll(self, test: _OpenTest) -> None:
        request = Request(
            "roll", test.bearer, test.test.anchor.ident, test.test.dice, test.kind, self.side_of(test.bearer)
        )
        self._ask(request, lambda total: self._rolled(test, total))

    def _rolled(self, test: _OpenTest, total: Value) -> None:
        """Holds a total against the test, and lets the outcome happen, or first be about to happen."""
        assert isinstance(total, Fraction)
        roll = sum((m.amount for m in test.modifiers if m.of == "roll"), total)
        characteristic = sum((m.amount for m in test.modifiers if m.of == "characteristic"), Fraction(0))
        token = Fact(names.ROLLED, encoded((test.bearer, test.kind, roll, characteristic)))
        answer = self._ask_matcher(token)
        passed = bool(answer.heads(names.PASSES))
        heads = answer.heads(names.PASSES if passed else names.FAILS)
        firing = next(f for firings in heads.values() for f in firings)
        clause = Grounds(self.compiled, answer).clauses(firing)[0]
        taken = TestTaken(
            test.kind,
            test.test.anchor.ident,
            test.bearer,
            test.test.dice,
            int(total),
            clause,
            passed,
            test.modifiers,
            self.steps[test.step].test.total if self.steps[test.step].test else None,  # type: ignore[union-attr]
        )
        self.steps[test.step] = replace(self.steps[test.step], test=taken)
        about_to = WOULD_PASS_TEST if passed else WOULD_FAIL_TEST
        self._open_test = test
        if about_to in self.vocabulary.events and not test.again:
            self.agenda.at_once.append(self._outcome(test, about_to))
        else:
            self.agenda.at_once.append(self._outcome(test, PASSES_TEST if passed else FAILS_TEST))

    @staticmethod
    def _outcome(test: _OpenTest, event: str) -> Happening:
        by = test.happening
        return Happening(event, (test.bearer, test.kind), by.causes, by.calls, chain=by.chain)

    def _conclude(self, happening: Happening, roll_again: bool) -> None:
        """After the rules have looked at what is about to happen: the dice are rolled again, or it happens."""
        test = self._open_test
        assert test is not None
        if roll_again:
            self._roll(replace(test, again=True))
        else:
            event = PASSES_TEST if happening.event == WOULD_PASS_TEST else FAILS_TEST
            self.agenda.at_once.append(self._outcome(test, event))

    def _note_calls(self, happening: Happening) -> None:
        """While a test is open, the facts say who called for it and whom it is to be blamed on."""
        if happening.event != TAKES_TEST:
            return
        bearer, kind = str(happening.values[0]), str(happening.values[1])
        cause = str(happening.values[2]) if len(happening.values) > 2 else NOBODY
        for call in happening.calls or (Call(0, NOBODY, cause),):
            holding = Holding(len(self.steps), call.match or None)
            if call.rule:
                self.world.put(CALLED_BY, (kind, bearer, call.rule), holding)
            if call.cause:
                self.world.put(CAUSED_BY, (kind, bearer, call.cause), holding)
            if call.awaits is not None:
                self.world.put_plain(call.awaits, holding)

    def _forget_calls(self, happening: Happening) -> None:
        bearer, kind = happening.values[0], happening.values[1]
        about = (names.fact(CALLED_BY), names.fact(CAUSED_BY))
        for fact in [f for f in self.world.facts if f.predicate in about and f.values[:2] == (kind, bearer)]:
            self.world.drop_fact(fact)
        for call in happening.calls:
            if call.awaits is not None:
                self.world.drop_fact(call.awaits)

    # --- words for messages ----------------------------------------------------------------------------------------

    def phrase_text(self, phrase: str) -> str:
        """A phrase as its vocabulary words it."""
        return without_forms(self.vocabulary.phrases[phrase].wordings[0].template)

    def name_text(self, ident: str) -> str:
        """A name as the vocabulary words it."""
        known = self.vocabulary.names.get(ident)
        return known.wordings[0].template.split("|")[0] if known and known.wordings else ident

    # --- values --------------------------------------------------------------------------------------------------

    def values(
        self, arguments: Sequence[Expression | None], bindings: Mapping[str, Value], phrase: str = ""
    ) -> tuple[Value, ...]:
        """The values of the places of a sentence; a place of an event that is left out holds nobody, or nought."""
        roles = self.vocabulary.phrases[phrase].roles if phrase else ()
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

    def number(self, node: Expression, bindings: Mapping[str, Value] | None = None) -> Fraction:
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
                shown = self.phrase_text(part.phrase)
                raise Fault(report("missing-measure", thing=things[0], measure=shown, use="what happens here"))
            return found

        return evaluate(node, look_up)

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

    def close(self) -> None:
        """Frees the matcher."""
        self.matcher.close()


def _sortable(values: tuple[Value, ...]) -> tuple[tuple[int, Value], ...]:
    return tuple((0, v) if isinstance(v, str) else (1, v) for v in values)


def _loop(chain: Sequence[str]) -> str:
    """The rules that follow each other round and round at the end of a chain."""
    for length in range(1, min(len(chain) // 2, 50) + 1):
        if chain[-length:] == chain[-2 * length : -length]:
            return " -> ".join([*chain[-length:], chain[-length]])
    return " -> ".join(chain[-5:])
