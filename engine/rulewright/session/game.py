"""The game: takes events one by one, asks the matcher what they set off, and applies the effects.

An event is taken in this order:

1. exemptions are asked whether it comes about at all;
2. it is booked: tallies and records are kept, its own changes made, a window opened;
3. every rule looks at the same state; the matches that nothing defeats fire;
4. their effects are worked out against that state and applied together; events among them go to the agenda;
5. what lasts until this event ends, and a window that it closes is closed.

A game stops where it needs dice or a choice, and goes on with the answer.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Literal

from rulewright.backends.base import Backend
from rulewright.diagnostics import Fault, report
from rulewright.lowering import names
from rulewright.lowering.compile import Compiled
from rulewright.model import (
    BELONGS_TO,
    FAILS_TEST,
    GAME,
    PASSES_TEST,
    WOULD_FAIL_TEST,
    WOULD_PASS_TEST,
    Atom,
    Choice,
    Rule,
    Variable,
)
from rulewright.phrases.wording import phrase_text
from rulewright.productions import NOBODY, Fact
from rulewright.provenance import Decision, Defeat, EffectDone, RuleMatch, Source, Step, Value
from rulewright.session.agenda import Agenda, Happening
from rulewright.session.consequences import Consequences, ends_of
from rulewright.session.cycle import Answer, ask
from rulewright.session.looks import Looks
from rulewright.session.requests import Request
from rulewright.session.saved import Resume, SavedGame, Turn
from rulewright.session.tests_taken import OpenTest, forget_calls, note_calls, test_due
from rulewright.session.verdicts import read_matches, read_voided
from rulewright.session.world import Holding, Key, World, decoded, encoded
from rulewright.speech import Listed

STEPS_AT_ONCE = 1_000
"""Events that one given event may set off before the cascade is taken to be endless."""


class Game:
    """One game under one edition.

    Args:
        compiled: the edition.
        backend: opens the matcher that decides every match.

    Attributes:
        request: what the game waits for, or None when it is at rest.
        steps: what happened so far.
        consequences: works out and applies effects.
        looks: if set, records what the rules look at; ordinary play does without.
    """

    def __init__(self, compiled: Compiled, backend: Backend) -> None:
        self.compiled = compiled
        self.edition = compiled.edition
        self.vocabulary = compiled.edition.vocabulary
        self.matcher = backend(compiled.program)
        self.world = World(self.vocabulary, self.matcher)
        self.consequences = Consequences(compiled, self.world, self._ask_matcher)
        self.agenda = Agenda(self.edition.orders)
        self.request: Request | None = None
        self.steps: list[Step] = []
        self.looks: Looks | None = None
        self._answer: Resume | None = None
        self._turn: Turn | None = None
        self._open_test: OpenTest | None = None
        self._decided: list[Decision] = []
        self._since_given = 0
        self._by_number: dict[int, str] = {}
        self._rules = {r.anchor.ident: r for r in compiled.rules}
        for name in self.vocabulary.names.values():
            self.world.introduce(name.ident, name.kind)
        for ident in compiled.rule_names:
            self.world.introduce(ident, "rule")
        self.world.open(GAME, "", ())

    # --- what is given -------------------------------------------------------------------------------------------

    def introduce(self, ident: str, kind: str, begins: Iterable[Atom] = ()) -> None:
        """A thing enters the game, with what is so of its kind."""
        with self.world.changed_by("given", len(self.steps)):
            self.world.introduce(ident, kind)
        for atom in begins:
            self.state(atom, "kind")

    def state(self, atom: Atom, source: Source = "given") -> None:
        """A fact is given (or, negated, taken back)."""
        if names.fact(atom.phrase) in self.compiled.defined:
            raise Fault(report("defined-fact", atom.span, phrase=phrase_text(self.vocabulary, atom.phrase)))
        values = self.consequences.values(atom.arguments, {})
        with self.world.changed_by(source, len(self.steps)):
            if atom.negated:
                self.world.drop(atom.phrase, values)
            else:
                self.world.put(atom.phrase, values, Holding(len(self.steps)))
        self._settle()

    def measure(self, measure: str, things: tuple[str, ...], value: Fraction) -> None:
        """The value of a measure is given."""
        with self.world.changed_by("given", len(self.steps)):
            self.world.give_value(measure, things, value, beginning=not self.steps)
        self._settle()

    def _settle(self) -> None:
        with self.world.changed_by("lapse", len(self.steps)):
            self.consequences.settle()

    def happen(self, events: Iterable[tuple[str, tuple[Value, ...]]]) -> None:
        """Events happen at one moment; the game goes on until it rests or asks for something."""
        assert self.request is None, "a request must be answered first"
        self._since_given = 0
        self.agenda.waiting.extend(Happening(event, values) for event, values in events)
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
                found = report("die-out-of-range", total=value, dice=dice, lowest=dice.lowest, highest=dice.highest)
                raise Fault(found)
        elif value not in request.options:
            raise Fault(report("not-an-option", choice=value, options=Listed(request.options)))
        self.request = self._answer = None
        resume(self, value)
        self._run()

    # --- running -------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        while self.request is None and self.agenda:
            happening = self.agenda.next()
            rivals = self.agenda.rivals(happening, self._player)
            movers = {str(h.values[0]) if h.values else "": h for h in rivals}
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
                    partial(Game._take_picked, movers=movers),
                )
            else:
                self._take(happening)

    def _take_picked(self, picked: Value, movers: Mapping[str, Happening]) -> None:
        mover = movers[str(picked)]
        player = self._player(mover)
        self._decided = [Decision("player", player or None, mover.event, tuple(sorted(movers)), str(picked))]
        self._take(mover)

    def _ask(self, request: Request, resume: Resume) -> None:
        self.request, self._answer = request, resume

    def _player(self, happening: Happening) -> str:
        return self.side_of(str(happening.values[0])) if happening.values else ""

    def side_of(self, thing: str) -> str:
        """The side a thing belongs to, or nobody."""
        known = self.world.facts_of(names.fact(BELONGS_TO), thing) if self.vocabulary.has_sides() else []
        return str(known[0].values[1]) if known else NOBODY

    def _take(self, happening: Happening) -> None:
        self.agenda.take(happening)
        self._since_given += 1
        if self._since_given > STEPS_AT_ONCE:
            raise Fault(report("endless-cascade", count=STEPS_AT_ONCE, loop=_loop(happening.chain)))
        if self._windows_first(happening):
            return
        voided = self._voided(happening)
        if voided:
            self.steps.append(replace(self._step(happening), voided=voided))
            return
        note_calls(self.world, happening, len(self.steps) + 1)
        changes, ends, touched = self._book(happening)
        seen = len(self.world.history)
        answer = self._look(Fact(names.on(happening.event), encoded(happening.values)), self._causes(happening))
        matches = read_matches(self.compiled, answer, len(self._by_number))
        self._by_number |= {m.number: m.rule for m in matches}
        test = test_due(self.compiled, happening, answer, self.consequences)
        self._turn = Turn(happening, matches, changes, ends, touched, test, self._choices(matches), seen)
        self._turn.decisions += self._decided
        self._decided = []
        self._choose()

    def _step(self, happening: Happening) -> Step:
        """The step of an event, before anything comes of it."""
        seen = len(self.world.history)
        return Step(
            len(self.steps) + 1,
            happening.event,
            happening.values,
            happening.causes,
            held_back=happening.held_back,
            outcome_of=happening.outcome_of,
            of_itself=happening.of_itself,
            seen=seen,
            done=seen,
        )

    def _ask_matcher(self, token: Fact, given: Sequence[Fact] = ()) -> Answer:
        return ask(self.matcher, self.compiled, token, given)

    def _look(self, token: Fact, given: list[Fact]) -> Answer:
        """Asks about the event of the step at hand."""
        if self.looks is not None:
            self.looks.take(len(self.steps) + 1, token, self.world.all_facts(), given)
        return self._ask_matcher(token, given)

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
        open_ones = [w for w in (*detail.opens, *detail.closes[1:]) if w in self.world.windows and w != GAME]
        for window in open_ones:
            ender = self._ender(window)
            if ender is not None and ender != happening.event:
                opener, values = self.world.windows[window]
                known = dict(zip((r.name for r in self.vocabulary.phrases[opener].roles), values, strict=True))
                roles = self.vocabulary.phrases[ender].roles
                ending = Happening(ender, tuple(known.get(r.name, NOBODY) for r in roles), of_itself=True)
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
        answer = self._look(Fact(names.may(happening.event), encoded(happening.values)), [])
        return read_voided(self.compiled, answer, happening, self.edition.exemptions)

    # --- booking -------------------------------------------------------------------------------------------------

    def _book(self, happening: Happening) -> tuple[tuple[EffectDone, ...], list[Fact], list[Key]]:
        """Opens the event's window, keeps tallies and records, makes the event's own changes."""
        number = len(self.steps) + 1
        detail = self.vocabulary.events[happening.event]
        answer = self._ask_matcher(Fact(names.book(happening.event), encoded(happening.values)))
        with self.world.changed_by("window", number):
            for window in detail.opens:  # first, for what is kept of this event belongs to it
                self.world.open(window, happening.event, happening.values)
        touched = []
        for tally in self.vocabulary.tallies:
            for fact in sorted(answer.heads(names.add(tally))):
                values = decoded(fact.values)
                amount = values[-1]
                assert isinstance(amount, Fraction)
                things = tuple(map(str, values[:-1]))
                with self.world.changed_by("tally", number):
                    self.world.add_to_tally(tally, things, amount)
                touched.append((tally, things))
        for record, kept in self.vocabulary.records.items():
            for fact in sorted(answer.heads(names.keep(record))):
                with self.world.changed_by("record", number):
                    self.world.put(record, decoded(fact.values), Holding(number, until=kept.window))
        bindings = dict(
            zip((r.name for r in self.vocabulary.phrases[happening.event].roles), happening.values, strict=True)
        )
        changes = [self.consequences.change(effect, bindings, Holding(number)) for effect in detail.changes]
        with self.world.changed_by("event", number):
            done = tuple(change.carry_out() for change in changes)
        return done, ends_of(answer), touched

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
        self._ask(Request(kind, about, rule.anchor.ident, player=player, options=options), Game._chosen)

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

    def _finish(self, turn: Turn) -> None:
        """Applies the effects of the matches that fired, and closes what this event closes."""
        happening, number = turn.happening, len(self.steps) + 1
        outcome = self.consequences.work_out([m for m in turn.matches if m.fired], happening, number)
        self._schedule(outcome.events)
        self.consequences.apply(outcome)
        step = replace(
            self._step(happening),
            matches=tuple(replace(m, effects=tuple(outcome.done.get(m.number, ()))) for m in turn.matches),
            changes=turn.changes,
            decisions=tuple(turn.decisions),
            seen=turn.seen,
        )
        self.steps.append(step)
        self._turn = None
        self._close(turn)
        self._settle()
        self.steps[-1] = replace(step, done=len(self.world.history))
        if happening.event in (WOULD_FAIL_TEST, WOULD_PASS_TEST):
            self._conclude(happening, outcome.roll_again)
        elif turn.test is not None:
            self._roll(OpenTest(turn.test, happening, len(self.steps) - 1, tuple(outcome.modifiers)))

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
                thing = happening.values[only_one]
                owner = owners.setdefault((happening.event, thing), (happening, match))
                if owner[0].values != happening.values:
                    raise self.consequences.contradiction(owner[1].rule, match.rule, thing)
        self.agenda.waiting.extend(merged.values())

    def _close(self, turn: Turn) -> None:
        """What lasted until this event goes, and the windows that it closes."""
        number = len(self.steps)
        with self.world.changed_by("until", number):
            for end in turn.ends:
                self.consequences.end(end)
        self.world.settle_tallies(turn.touched)
        with self.world.changed_by("window", number):
            for window in self.vocabulary.events[turn.happening.event].closes:
                self.world.close(window)
        if turn.happening.event in (PASSES_TEST, FAILS_TEST):
            with self.world.changed_by("test", number):
                forget_calls(self.world, turn.happening)

    # --- tests ---------------------------------------------------------------------------------------------------

    def _roll(self, test: OpenTest) -> None:
        self._open_test = test
        player = self.side_of(test.roller)
        rule = test.test.anchor.ident
        request = Request("roll", test.bearer, rule, test.test.dice, test.kind, player, roller=test.roller)
        self._ask(request, Game._rolled)

    def _rolled(self, total: Value) -> None:
        """Holds a total against the open test, and lets the outcome happen, or first be about to happen."""
        test = self._open_test
        assert test is not None
        assert isinstance(total, Fraction)
        seen = len(self.world.history)
        taken = test.taken(self.compiled, self._ask_matcher(test.token(total)), int(total), seen)
        self.steps[test.step] = replace(self.steps[test.step], test=taken)
        about_to = WOULD_PASS_TEST if taken.passed else WOULD_FAIL_TEST
        if about_to in self.vocabulary.events and test.first_total is None:
            self._open_test = test.rolled_again(int(total))
            self.agenda.at_once.append(test.outcome(about_to))
        else:
            self._open_test = None
            self.agenda.at_once.append(test.outcome(PASSES_TEST if taken.passed else FAILS_TEST))

    def would_pass(self, total: int) -> bool:
        """Whether a total would pass the open test, as it stands; nothing happens."""
        test = self._open_test
        assert test is not None
        return bool(self._ask_matcher(test.token(Fraction(total))).heads(names.PASSES))

    def _conclude(self, happening: Happening, roll_again: bool) -> None:
        """After the rules have looked at what is about to happen: the dice are rolled again, or it happens."""
        test = self._open_test
        assert test is not None
        if roll_again:
            self._roll(test)
        else:
            self._open_test = None
            event = PASSES_TEST if happening.event == WOULD_PASS_TEST else FAILS_TEST
            self.agenda.at_once.append(test.outcome(event))

    # --- going back ------------------------------------------------------------------------------------------------

    def save(self) -> SavedGame:
        """The game as it is now."""
        return SavedGame(
            self.world.save(),
            tuple(self.steps),
            self.request,
            dict(self.consequences.created),
            (tuple(self.agenda.at_once), tuple(self.agenda.waiting)),
            self._answer,
            self._turn.copy() if self._turn is not None else None,
            self._open_test,
            tuple(self._decided),
            self._since_given,
            dict(self._by_number),
            self.looks.save() if self.looks is not None else ((), ()),
        )

    def restore(self, saved: SavedGame) -> None:
        """Goes back, or over, to a game that was saved under the same edition."""
        self.world.restore(saved.world)
        self.steps, self.request = list(saved.steps), saved.request
        self.consequences.created = dict(saved.created)
        self.agenda.at_once, self.agenda.waiting = map(deque, saved.agenda)
        self._answer = saved.answer
        self._turn = saved.turn.copy() if saved.turn is not None else None
        self._open_test, self._decided = saved.open_test, list(saved.decided)
        self._since_given, self._by_number = saved.since_given, dict(saved.by_number)
        if self.looks is not None:
            self.looks.restore(saved.looks)

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
