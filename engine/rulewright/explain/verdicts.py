"""What became of a rule in a run, by the four verdicts; and why an event did not happen, or a fact is not so.

The report of a test and ``whynot`` are both told from here.  That a rule applied or was pre-empted comes from the
steps of the run; that it did not apply, from its nearest miss.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rulewright.explain.history import History
from rulewright.explain.misses import ANYBODY, Aim, Miss, makers, nearest_miss, wanted_of
from rulewright.explain.nearest import Moment, distance
from rulewright.lowering import names
from rulewright.model import FAILS_TEST, PASSES_TEST, TAKES_TEST, Atom, Variable
from rulewright.productions import Fact
from rulewright.provenance import ClauseTruth, Defeat, Entry, RuleMatch, Step, Support, TestTaken, Value
from rulewright.session.looks import Look
from rulewright.session.session import Session
from rulewright.session.world import decoded

Word = Literal["applies", "does not apply", "pre-empted", "silent"]


@dataclass(frozen=True)
class Verdict:
    """What became of a rule, or of what else an edition holds.

    Attributes:
        step: the step that this is about; None where nothing set it off.
        match: of a rule whose conditions held, for whom.
        clauses: the clauses that held where it applied, or was pre-empted.
        defeats: what pre-empted it.
        miss: where it did not apply, its nearest miss; None when another candidate was picked.
    """

    item: str
    word: Word
    step: int | None = None
    match: RuleMatch | None = None
    clauses: tuple[ClauseTruth, ...] = ()
    defeats: tuple[Defeat, ...] = ()
    miss: Miss | None = None

    @property
    def far(self) -> tuple[int, ...]:
        """How far it was from applying: the nearer, the lower."""
        if self.miss is None:
            return (("applies", "pre-empted", "does not apply").index(self.word),)
        return (3, *distance(self.miss.reach)) if self.miss.reach else (4,)


@dataclass(frozen=True)
class Application:
    """A step at which something applied, for which match of a rule if for one, and the clauses that held."""

    step: Step
    match: RuleMatch | None
    clauses: tuple[ClauseTruth, ...] = ()


def applications(item: str, thing: str | None, steps: Sequence[Step]) -> list[Application]:
    """Where an exemption, definition, test or order applied, for a thing or for any."""
    found = []
    for step in steps:
        by_itself = thing in (None, *step.values)
        found += [Application(step, None, d.clauses) for d in step.voided if d.item == item and by_itself]
        for match in (m for m in step.matches if thing in (None, *m.bindings.values())):
            exempted = [d for d in match.defeats if d.item == item and d.kind == "exemption"]
            found += [Application(step, match, d.clauses) for d in exempted]
            clauses = [*match.clauses, *(c for d in match.defeats for c in d.clauses)]
            supports = [s for c in clauses for s in _supports(c) if s.item == item]
            found += [Application(step, match, s.clauses) for s in supports[:1]]
        if item in step.held_back and by_itself:
            found.append(Application(step, None))
        if step.test and step.test.rule == item and thing in (None, step.test.bearer):
            found.append(Application(step, None))
    return found


def _supports(clause: ClauseTruth) -> list[Support]:
    return [s for b in clause.because for s in (b, *(x for c in b.clauses for x in _supports(c)))]


@dataclass(frozen=True)
class Absence:
    """Why an event did not happen, or a fact is not so.

    Attributes:
        aim: the event or fact that was looked for.
        voided: the step at which the event was about to happen, and did not come about.
        test: the step at which the test went the other way.
        open: the dice of the test are still asked for.
        ended: the fact was so before; the change that ended it.
        later: the step at which it happened, or came to be so, after those that are asked about.
        called: what they would have to bring about.
        makers: the rules and definitions that could.
        events: the events that would make it so of themselves, or be kept on record as it.
        others: facts or events of the same words that there were instead.
    """

    aim: Aim
    voided: Step | None = None
    test: tuple[int, TestTaken] | None = None
    open: bool = False
    ended: Entry | None = None
    later: int | None = None
    called: Aim = ANYBODY
    makers: tuple[str, ...] = ()
    events: tuple[Aim, ...] = ()
    others: tuple[tuple[Value, ...], ...] = ()


@dataclass(frozen=True)
class Inquiry:
    """Asks a run that was played with its looks recorded.

    Attributes:
        steps: the steps that are asked about.
        moments: what the rules looked at in them.
    """

    session: Session
    steps: Sequence[Step]
    moments: Sequence[Moment]

    @classmethod
    def of(cls, session: Session, looks: Sequence[Look]) -> Inquiry:
        """About all steps of a session."""
        return cls(session, session.steps, [Moment(session.compiled, look) for look in looks])

    def between(self, first: int, last: int | None = None) -> Inquiry:
        """About the steps from one to another; without that, to the end."""

        def inside(step: int) -> bool:
            return first <= step and (last is None or step <= last)

        steps = [s for s in self.steps if inside(s.number)]
        return Inquiry(self.session, steps, [m for m in self.moments if inside(m.look.step)])

    # --- verdicts --------------------------------------------------------------------------------------------------

    def verdicts(self, item: str, aim: Aim = ANYBODY) -> list[Verdict]:
        """What became of an item, for whom it is asked: each time that it matched, or else its nearest miss."""
        matched = [self._of_match(s, m) for s in self.steps for m in s.matches if self._about(m, item, aim)]
        applied = [
            Verdict(item, "applies", a.step.number, a.match, a.clauses)
            for a in (applications(item, aim.thing, self.steps) if aim.sentence is None else ())
        ]
        if matched or applied:
            return sorted([*matched, *applied], key=lambda v: v.far)
        miss = nearest_miss(self.session.compiled, item, self.moments, aim)
        if miss is None:
            return []
        holds = miss.reach is not None and miss.reach.failed is None
        return [Verdict(item, "applies" if holds else "does not apply", miss.step, miss=miss)]

    @staticmethod
    def _of_match(step: Step, match: RuleMatch) -> Verdict:
        word: Word = "applies" if match.fired else "pre-empted" if match.defeats else "does not apply"
        return Verdict(match.rule, word, step.number, match, match.clauses, match.defeats)

    def _about(self, match: RuleMatch, item: str, aim: Aim) -> bool:
        """Whether a match is one of an item, for those it is asked for."""
        if match.rule != item:
            return False
        if aim.sentence is None:
            return aim.thing in (None, *match.bindings.values())
        rule = next(r for r in self.session.compiled.rules if r.anchor.ident == item)
        wanted = [
            dict(zip((v.name for v in one), decoded(one.values()), strict=True))
            for group in wanted_of(self.session.compiled, rule, aim)
            for one in group
        ]
        return any(all(match.bindings.get(name, value) == value for name, value in one.items()) for one in wanted)

    def nearest(self, items: Sequence[str], aim: Aim = ANYBODY) -> list[Verdict]:
        """What became of several items, those first that came nearest to applying."""
        return sorted((v for item in items for v in self.verdicts(item, aim)), key=self.far)

    def far(self, verdict: Verdict) -> tuple[int, ...]:
        """How far something was from applying; where nothing set it off, what nearly did counts."""
        miss = verdict.miss
        if miss is None or miss.reach is not None:
            return verdict.far
        absences = [self.no_event(aim) for aim in miss.awaited]
        return (*verdict.far, 0 if any(a.voided or a.test or a.open for a in absences) else 1)

    @property
    def last(self) -> int:
        """The number of the last step that is asked about."""
        return self.steps[-1].number if self.steps else 0

    def winner(self, verdict: Verdict, defeat: Defeat) -> RuleMatch | None:
        """The match of the rule that overrode another, for the same things as far as they share any."""
        step = next((s for s in self.steps if s.number == verdict.step), None)
        of_rule = [m for m in step.matches if m.rule == defeat.item] if step else []
        mine = set(verdict.match.bindings.values()) if verdict.match else set()
        return max(of_rule, key=lambda m: len(mine & set(m.bindings.values())), default=None)

    # --- absences --------------------------------------------------------------------------------------------------

    def no_event(self, aim: Aim) -> Absence:
        """Why an event did not happen: it was voided, the test went the other way, or no rule brought it about."""
        assert isinstance(aim.sentence, Atom)
        event, values = aim.sentence.phrase, aim.values
        same = [s for s in self.steps if s.event == event]
        called = self.called(aim)
        other_way = event == FAILS_TEST
        tests = [
            (s.number, s.test)
            for s in self.steps
            if s.test and called is not aim and s.test.passed == other_way and _of_test(aim, s.test.bearer, s.test.test)
        ]
        later = [s.number for s in self.session.steps if s.event == event and not s.voided and aim.fits(s.values)]
        return Absence(
            aim,
            voided=next((s for s in same if s.voided and aim.fits(s.values)), None),
            test=tests[-1] if tests else None,
            open=called is not aim and self._asked_for(aim),
            later=next((number for number in later if number > self.last), None),
            called=called,
            makers=tuple(makers(self.session.compiled, called)),
            others=tuple(dict.fromkeys(s.values for s in same if not s.voided and self._near(values, s.values))),
        )

    def _asked_for(self, aim: Aim) -> bool:
        """Whether the dice are asked for that decide over a test which should have been passed, or failed."""
        request = self.session.request
        return request is not None and request.kind == "roll" and _of_test(aim, request.about, request.test)

    def _near(self, wanted: Sequence[Value | None], values: Sequence[Value]) -> bool:
        """Whether a fact or event has one of the things of this game in the place where it is wanted."""
        return any(w == v and w in self.session.names for w, v in zip(wanted, values, strict=True))

    def called(self, aim: Aim) -> Aim:
        """What a rule would have to call for: for a test that is passed or failed, the test itself."""
        event = aim.sentence
        if not isinstance(event, Atom) or event.phrase not in (PASSES_TEST, FAILS_TEST):
            return aim
        places = len(self.session.compiled.edition.vocabulary.phrases[TAKES_TEST].roles)
        return replace(aim, sentence=Atom(TAKES_TEST, (*event.arguments, *(None,) * (places - 2)), event.span))

    def no_fact(self, aim: Aim, moment: Moment) -> Absence:
        """Why a fact is not so at a moment: what could have made it so, and what there is instead."""
        assert isinstance(aim.sentence, Atom)
        phrase = aim.sentence.phrase
        facts = [decoded(f.values) for f in moment.facts(names.fact(phrase))]
        entries, predicate = self.session.game.world.history, names.fact(phrase)
        changes = [e for e in entries if e.fact.predicate == predicate and aim.fits(decoded(e.fact.values))]
        now = sum(e.number < self.seen(moment) for e in changes)
        return Absence(
            aim,
            ended=next((e for e in reversed(changes[:now]) if not e.holds), None),
            later=next((e.origin.step for e in changes[now:] if e.holds), None),
            called=aim,
            makers=tuple(makers(self.session.compiled, aim)),
            events=tuple(self._events(aim)),
            others=tuple(dict.fromkeys(values for values in facts if self._near(aim.values, values))),
        )

    def _events(self, aim: Aim) -> list[Aim]:
        """The events that would be kept on record as a fact, or make it so of themselves."""
        assert isinstance(aim.sentence, Atom)
        vocabulary = self.session.compiled.edition.vocabulary
        phrase = vocabulary.phrases[aim.sentence.phrase]
        known = {r.name: v for r, v in zip(phrase.roles, aim.values, strict=True) if v is not None}
        record = vocabulary.records.get(phrase.ident)
        found = [Aim(sentence=record.event, bindings=known)] if record else []
        for event, detail in vocabulary.events.items():
            acts = [effect.act for effect in detail.changes if isinstance(effect.act, Atom)]
            for start in (start for act in acts for start in aim.starts(act)):
                places = tuple(Variable(r.name) for r in vocabulary.phrases[event].roles)
                told = Atom(event, places, vocabulary.phrases[event].span)
                values = dict(zip((v.name for v in start), decoded(start.values()), strict=True))
                found.append(Aim(sentence=told, bindings=values))
        return found

    def ground(self, fact: Fact, moment: Moment) -> Entry | None:
        """What made a fact hold that holds at a moment; None where a definition derives it."""
        entries = self.session.game.world.history
        history = History(entries, self.session.compiled.edition.vocabulary)
        return history.ground(fact, self.seen(moment))

    def seen(self, moment: Moment) -> int:
        """How many changes of the world there had been at a moment."""
        steps = self.session.steps
        number = moment.look.step
        return steps[number - 1].seen if number <= len(steps) else len(self.session.game.world.history)


def _of_test(aim: Aim, bearer: str, test: str) -> bool:
    """Whether a test of somebody is one that should have been passed, or failed."""
    return all(w in (None, v) for w, v in zip(aim.values, (bearer, test), strict=True))
