"""Why not: what kept a rule from applying, an event from happening, a fact from being so; as data, by the schema
``rulewright/whynot/1`` (``whynot.schema.json`` beside this file).

Each rule that could have produced what is asked about gets one of the four verdicts, the nearest first.  Where a fact
or an event was missing, it is told why that was so, two levels down.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rulewright.diagnostics import Fault, report
from rulewright.explain.clauses import clause_text, test_text, trigger_text
from rulewright.explain.failed import describe_failed, held_of, mendings
from rulewright.explain.misses import Aim, Miss, aim_at, makers
from rulewright.explain.nearest import Failed, Moment, Reach
from rulewright.explain.readings import not_in_force
from rulewright.explain.run import describe_anchor, describe_bindings, describe_clauses, describe_defeat
from rulewright.explain.sought import Editions, Sought, kind_of_item, on_concept
from rulewright.explain.verdicts import Absence, Inquiry, Verdict
from rulewright.lowering import names
from rulewright.model import AnyOf, Atom, Change, Condition, Edition, Effect, Exists, MeasureOf
from rulewright.productions import Fact
from rulewright.provenance import Defeat, Entry, Step, Value
from rulewright.session.looks import Look
from rulewright.session.session import Session
from rulewright.session.world import decoded, encoded
from rulewright.walk import descend

Data = dict[str, Any]

LEVELS = 2
"""So far down it is told why something was missing."""
TOLD = 2
"""So many of the rules that might have brought about what was missing are told of."""
INSTEAD = 3
"""So many facts or events of the same words are told of that there were instead."""


def describe_whynot(
    run: Inquiry, asked: Sought, others: Editions, thing: str | None = None, at: int | None = None
) -> Data:
    """Why what is asked about did not come about.

    Args:
        run: a run that was played to its end, with its looks.
        asked: what is asked about.
        others: gives the other editions by name, for concepts and words on which this one is silent.
        thing: for whom a rule should have applied.
        at: the number of the step that is asked about; without it, all of them.

    Raises:
        Fault: there is no such step, or a thing is named beside a sentence, which names its own.
    """
    session = run.session
    if at is not None and not 1 <= at <= len(session.steps):
        raise Fault(report("no-such-step", step=at, steps=len(session.steps)))
    if asked.sentence is not None and thing is not None:
        raise Fault(report("named-beside-sentence", name=session.worder.name(thing)))
    answer = _Answer(run, asked, others, thing, at).data()
    return {
        "asked": {
            "text": asked.text,
            "kind": "concept" if asked.concept else "sentence" if asked.sentence is not None else "rule",
            "for": session.worder.name(thing) if thing else None,
            "at": at,
            "event": event_text(session, at),
        },
        **answer,
    }


def event_text(session: Session, step: int | None) -> str | None:
    """The event of a step, as a sentence; None without a step."""
    found = next((s for s in session.steps if s.number == step), None)
    return session.worder.statement(found.event, found.values) if found else None


@dataclass(frozen=True)
class _Answer:
    whole: Inquiry
    asked: Sought
    others: Editions
    thing: str | None
    at: int | None

    @property
    def session(self) -> Session:
        """The session of the run."""
        return self.whole.session

    def data(self) -> Data:
        """What is so after all, what ended, the candidates, and on what the edition is silent."""
        window = self.whole if self.at is None else self.whole.between(self.at, self.at)
        telling = _Telling(self.session, self.whole)
        if self.asked.sentence is None:
            verdicts = window.nearest(self.asked.items, Aim(self.thing))
            applied = [v for v in verdicts if v.word == "applies"]
            so: Data = {"kind": "rule", "steps": [], "by": [], "since": None}
            candidates = [telling.candidate(v, window, LEVELS) for v in verdicts]
            return self._nothing() | {
                "so": so if applied and len(applied) == len(verdicts) else None,
                "candidates": candidates,
                "silent": None if self.asked.items else self._silent_on_concept(),
            }
        return self._sentence(self.asked.sentence, window, telling)

    # --- sentences -------------------------------------------------------------------------------------------------

    def _sentence(self, sentence: Condition, window: Inquiry, telling: _Telling) -> Data:
        vocabulary = self.session.compiled.edition.vocabulary
        if isinstance(sentence, Atom) and vocabulary.phrases[sentence.phrase].kind == "event":
            return self._event(sentence, window, telling)
        moment = self._moment(window)
        found = next(moment.extend(sentence, {}), None)
        if found is not None:
            return self._nothing() | {"so": self._so(sentence, moment, telling)}
        failed = moment.failure(sentence, {})
        told = self._nothing() | {"failed": describe_failed(failed, self.session.worder)}
        if isinstance(sentence, Atom) and not sentence.negated:
            aim = aim_at(sentence, vocabulary)
            absence = telling.whole.no_fact(aim, moment)
            verdicts = window.nearest(absence.makers, aim)
            told["absent"] = telling.absence(absence, window, 1, nested=False)
            silent = not verdicts and not absence.events
        else:
            aims = [aim_at(s, vocabulary) for s in _producible(sentence)]
            items = [(aim, item) for aim in aims for item in makers(self.session.compiled, aim)]
            verdicts = sorted((v for aim, item in items for v in window.verdicts(item, aim)), key=lambda v: v.far)
            silent = not verdicts
        told["present"] = telling.presence(failed, moment)
        told["candidates"] = [telling.candidate(v, window, LEVELS) for v in verdicts]
        return told | {"silent": self._silent_on_words(sentence) if silent else None}

    def _event(self, sentence: Atom, window: Inquiry, telling: _Telling) -> Data:
        aim = aim_at(replace(sentence, negated=False), self.session.compiled.edition.vocabulary)
        happened = [s for s in window.steps if s.event == sentence.phrase and not s.voided and aim.fits(s.values)]
        rules = {m.number: m.rule for s in self.session.steps for m in s.matches}
        if bool(happened) != sentence.negated:
            by = list(dict.fromkeys(rules[n] for s in happened for n in s.causes if n in rules))
            return self._nothing() | {
                "so": {"kind": "event", "steps": [telling.step(s) for s in happened], "by": by, "since": None},
            }
        if sentence.negated:
            thing = next((v for v in aim.values if isinstance(v, str)), None)
            exemptions = [
                e.anchor.ident for e in self.session.compiled.edition.exemptions if e.head.phrase == sentence.phrase
            ]
            verdicts = window.nearest(exemptions, Aim(thing))
            told = self._nothing() | {"present": [telling.happened(s) for s in happened]}
            silent = not verdicts
        else:
            absence = window.no_event(aim)
            verdicts = window.nearest(absence.makers, absence.called)
            told = self._nothing() | {"absent": telling.absence(absence, window, 1, nested=False)}
            silent = not absence.makers
        told["candidates"] = [telling.candidate(v, window, LEVELS) for v in verdicts]
        return told | {"silent": self._silent_on_words(sentence) if silent else None}

    @staticmethod
    def _nothing() -> Data:
        return {"so": None, "absent": None, "failed": None, "present": [], "candidates": [], "silent": None}

    def _moment(self, window: Inquiry) -> Moment:
        """The step that is asked about as its rules saw it; without one, the end."""
        if self.at is not None:
            return window.moments[-1]
        facts = tuple(self.session.game.world.all_facts())
        return Moment(self.session.compiled, Look(len(self.session.steps) + 1, Fact(names.SETTLE), facts))

    def _so(self, sentence: Condition, moment: Moment, telling: _Telling) -> Data:
        """What is so after all, and since when and by what, as far as it is a fact."""
        found: Data = {"kind": "fact", "steps": [], "by": [], "since": None}
        if isinstance(sentence, Atom) and not sentence.negated:
            aim = aim_at(sentence, self.session.compiled.edition.vocabulary)
            fact = next(f for f in moment.facts(names.fact(sentence.phrase)) if aim.fits(decoded(f.values)))
            found["since"] = telling.source(fact, moment)
        return found

    # --- silence ---------------------------------------------------------------------------------------------------

    def _silent_on_concept(self) -> Data:
        """What an edition says of a concept, or a block that is not in force: nothing; and which editions do."""
        edition = self.session.compiled.edition
        if self.asked.idle:
            return self._silence("not-in-force", []) | {"needs": not_in_force(self.asked.idle, edition.readings)}
        rules = {ident: on_concept(other.anchors(), self.asked.concept) for ident, other in self.others().items()}
        return self._silence("concept", [{"edition": e, "rules": list(r)} for e, r in rules.items() if r])

    def _silent_on_words(self, sentence: Condition) -> Data:
        """That nothing in an edition brings something about; and in which editions something does."""
        phrases = {s.phrase for s in _producible(sentence)}
        rules = {ident: _producing(other, phrases) for ident, other in self.others().items()}
        return self._silence("words", [{"edition": e, "rules": r} for e, r in rules.items() if r])

    def _silence(self, about: str, others: list[Data]) -> Data:
        source = self.session.compiled.edition.source
        left_out: dict[str, list[str]] = {}
        for skipped in source.not_modelled if source and about != "not-in-force" else ():
            left_out.setdefault(skipped.reason, []).append(skipped.sentence)
        return {
            "about": about,
            "edition": self.session.compiled.edition.ident,
            "needs": None,
            "others": others,
            "not_modelled": [{"reason": r, "sentences": s} for r, s in left_out.items()],
        }


def _producible(sentence: Condition) -> list[Atom | MeasureOf]:
    """The facts and measures in a sentence that something may bring about."""
    return list(dict.fromkeys(n for n in descend(sentence) if isinstance(n, Atom | MeasureOf)))


def _producing(edition: Edition, phrases: set[str]) -> list[str]:
    """The rules and the like of an edition that bring words about."""
    wholes = [(rule.anchor.ident, rule.effects) for rule in edition.rules]
    heads = [(d.anchor.ident, d.head) for d in edition.definitions]
    measures = [(m.anchor.ident, m.head) for m in edition.measures]
    return [ident for ident, node in (*wholes, *heads, *measures) if phrases & _said_by(node)]


def _said_by(node: Any) -> set[str]:
    """The phrases that a head says, or the effects of a rule bring about."""
    if isinstance(node, tuple):
        return {phrase for effect in node for phrase in _said_by(effect)}
    if isinstance(node, Effect):
        return _said_by(node.act) | _said_by(node.on_success) | _said_by(node.on_failure)
    if isinstance(node, Change):
        return {node.measure.phrase}
    return {node.phrase} if isinstance(node, Atom | MeasureOf) else set()


@dataclass(frozen=True)
class _Telling:
    """Verdicts and absences as data.

    Attributes:
        whole: the run from its beginning to its end, for what led to a step.
    """

    session: Session
    whole: Inquiry

    def step(self, step: Step) -> Data:
        return {"step": step.number, "event": self.session.worder.statement(step.event, step.values)}

    def candidate(self, verdict: Verdict, inquiry: Inquiry, depth: int) -> Data:
        """What became of one rule; with what was missing, so many levels down."""
        session, miss = self.session, verdict.miss
        reach = miss.reach if miss else None
        failed = reach.failed if reach else None
        bindings = verdict.match.bindings if verdict.match else reach.bindings if reach else {}
        event = event_text(session, verdict.step)
        missing: Data = {"absent": [], "present": []}
        if miss is not None and depth:
            missing = self.missing(miss, inquiry, depth)
        return {
            **describe_anchor(session, verdict.item),
            "kind": kind_of_item(session.compiled, verdict.item),
            "verdict": verdict.word,
            "step": verdict.step,
            "event": event,
            "for": describe_bindings(session, {k: v for k, v in bindings.items() if v != ""}),
            "clauses": describe_clauses(session, verdict.clauses),
            "preempted_by": [self.defeat(verdict, d, inquiry) for d in verdict.defeats],
            "picked": self.picked(verdict),
            "rolled": self.rolled(verdict),
            "too_late": verdict.word == "applies" and depth < LEVELS and verdict.step == inquiry.last,
            "set_off_by": [trigger_text(t, session.worder) for t in miss.triggers] if miss else [],
            "held": held_of(reach, session.worder) if reach else [],
            "failed": describe_failed(failed, session.worder) if failed else None,
            "mended_by": self.mendings(failed, verdict.step) if failed else [],
            **missing,
        }

    def mendings(self, failed: Failed, step: int | None) -> list[str]:
        """Sentences that, given before a step, let a clause hold that failed there."""
        event = next((s.event for s in self.session.steps if s.number == step), "")
        return mendings(failed, self.session.compiled, self.session.own_worder, event)

    def defeat(self, verdict: Verdict, defeat: Defeat, inquiry: Inquiry) -> Data:
        """What pre-empted a rule, and why that applied: for a rule that overrides, the clauses of its own match."""
        data = describe_defeat(self.session, defeat)
        winner = inquiry.winner(verdict, defeat) if defeat.kind == "rule" else None
        return data | ({"clauses": describe_clauses(self.session, winner.clauses)} if winner else {})

    def rolled(self, verdict: Verdict) -> str | None:
        """How a test went, for the verdict on how it is taken."""
        taken = [s.test for s in self.session.steps if s.number == verdict.step and s.test]
        mine = next((test for test in taken if test.rule == verdict.item), None)
        return test_text(mine, self.session.worder) if mine else None

    def picked(self, verdict: Verdict) -> str | None:
        """What was picked in the place of a candidate that met all conditions."""
        match = verdict.match
        if match is None or match.chosen is not False:
            return None
        rule = next(r for r in self.session.compiled.rules if r.anchor.ident == match.rule)
        step = self.session.steps[(verdict.step or 1) - 1]
        own = str(match.bindings[rule.choice.variable.name]) if rule.choice else ""
        picked = next((d.picked for d in step.decisions if own in d.options and d.picked != own), None)
        return self.session.worder.name(picked) if picked else None

    # --- what was missing ------------------------------------------------------------------------------------------

    def missing(self, miss: Miss, inquiry: Inquiry, depth: int) -> Data:
        """What was missing where a rule came nearest, and why; or why nothing set it off."""
        if miss.reach is None or miss.moment is None:
            absences = [self.absence(inquiry.no_event(aim), inquiry, depth) for aim in miss.awaited]
            return {"absent": absences, "present": []}
        before = self.whole.between(1, miss.moment.look.step)
        absences, present = [], []
        for failed in _leaves(miss.reach):
            if isinstance(failed.condition, Atom) and not failed.condition.negated:
                aim = aim_at(failed.condition, self.session.compiled.edition.vocabulary, failed.bindings)
                absences.append(self.absence(before.no_fact(aim, miss.moment), before, depth))
            present += self.presence(failed, miss.moment)
        return {"absent": absences, "present": present}

    def absence(self, absence: Absence, inquiry: Inquiry, depth: int, nested: bool = True) -> Data:
        """Why an event did not happen or a fact was not so.

        Args:
            absence: what is known of it.
            inquiry: the steps it is looked for in.
            depth: so many levels down it is told why what could have brought it about did not.
            nested: tell of the rules that could; where they are the answer itself, they are told there.
        """
        atom = absence.aim.sentence
        assert isinstance(atom, Atom)
        worder = self.session.worder
        event = worder.vocabulary.phrases[atom.phrase].kind == "event"
        told = []
        if nested and depth > 1 and not (absence.voided or absence.test or absence.open or absence.later):
            verdicts = inquiry.nearest(absence.makers, absence.called)
            told = [self.candidate(v, inquiry, depth - 1) for v in verdicts[:TOLD]]
        events = [self.absence(inquiry.no_event(aim), inquiry, depth - 1) for aim in absence.events] if depth else []
        return {
            "looked_for": clause_text(atom, absence.aim.bindings, worder),
            "kind": "event" if event else "fact",
            "instead": [worder.statement(atom.phrase, values) for values in absence.others[:INSTEAD]],
            "voided": self.voided(absence.voided) if absence.voided else None,
            "test": self.test(absence) if absence.test else None,
            "open": self.session.asked() if absence.open else None,
            "ended": self.entry(absence.ended) if absence.ended else None,
            "later": absence.later,
            "makers": list(absence.makers),
            "nearest": told,
            "events": events,
        }

    def voided(self, step: Step) -> Data:
        return {**self.step(step), "by": [describe_defeat(self.session, d) for d in step.voided]}

    def test(self, absence: Absence) -> Data:
        assert absence.test is not None
        number, test = absence.test
        return {"step": number, "rule": test.rule, "text": test_text(test, self.session.worder)}

    def presence(self, failed: Failed, moment: Moment) -> list[Data]:
        """Where a fact comes from that should not have been so."""
        atom = failed.condition
        if not isinstance(atom, Atom) or not atom.negated:
            return []
        return [self.source(Fact(names.fact(atom.phrase), encoded(v)), moment) for v in failed.facts[:1]]

    def source(self, fact: Fact, moment: Moment) -> Data:
        """Where a fact comes from."""
        ground = self.whole.ground(fact, moment)
        if ground is not None:
            return self.entry(ground)
        phrase = fact.predicate.partition(":")[2]
        derived = [d.anchor.ident for d in self.session.compiled.edition.definitions if d.head.phrase == phrase]
        return self._entry(phrase, decoded(fact.values), "definition", None, derived)

    def entry(self, entry: Entry) -> Data:
        """A change of the world: what came to hold, or ceased to, when and by what."""
        rules = {m.number: m.rule for s in self.session.steps for m in s.matches}
        phrase, origin = entry.fact.predicate.partition(":")[2], entry.origin
        by = [rules[origin.match]] if origin.match in rules else []
        return self._entry(phrase, decoded(entry.fact.values), origin.source, origin.step, by)

    def happened(self, step: Step) -> Data:
        """An event that happened though it should not have."""
        rules = {m.number: m.rule for s in self.session.steps for m in s.matches}
        by = [rules[n] for n in step.causes if n in rules]
        return self._entry(step.event, step.values, "rule" if by else "given", step.number, by)

    def _entry(self, phrase: str, values: tuple[Value, ...], source: str, step: int | None, by: Sequence[str]) -> Data:
        text = self.session.worder.statement(phrase, values)
        return {"text": text, "source": source, "step": step, "by": list(dict.fromkeys(by))}


def _leaves(reach: Reach) -> list[Failed]:
    """The clauses on which a conjunction fails in the end, inside definitions, alternatives and *there is*."""
    failed = reach.failed
    if failed is None:
        return []
    if failed.because is not None and failed.because[1].failed is not None:
        return _leaves(failed.because[1])
    inside = failed.within if isinstance(failed.condition, AnyOf | Exists) else ()
    return [leaf for one in inside[:TOLD] for leaf in _leaves(one)] or [failed]
