"""What an explanation is asked for: what is to be proved, and of which moment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from rulewright.arithmetic import compared, evaluate
from rulewright.diagnostics import Fault, did_you_mean, known_ones, report
from rulewright.explain.history import History
from rulewright.lowering import names
from rulewright.model import (
    CALLED_BY,
    CAUSED_BY,
    Atom,
    Compare,
    Expression,
    Individual,
    Known,
    MeasureOf,
    Number,
    Variable,
)
from rulewright.phrases.matching import Reader, unique
from rulewright.productions import Fact
from rulewright.provenance import ClauseTruth, Entry, RuleMatch, Step, Support, Value
from rulewright.resolve.blocks import IDENT
from rulewright.session.cycle import Answer, ask
from rulewright.session.grounds import Grounds
from rulewright.session.session import Claim, Session
from rulewright.session.world import decoded
from rulewright.speech import FIRST, messages, say
from rulewright.syntax.signs import typed
from rulewright.walk import descend

Kind = Literal["outcome", "step", "name", "event", "claim"]


@dataclass(frozen=True)
class Goal:
    """Something to be proved: that a clause was true at a moment, that an event came about, or what became of a rule.

    Attributes:
        step: the step of the event, or in which the rule matched.
        match: the number of the rule match.
        truth: the clause.
        moment: how many changes of the world there had been.
        ended: for a fact that is no longer so, the change that ended it.
    """

    step: int | None = None
    match: int | None = None
    truth: ClauseTruth | None = None
    moment: int = 0
    ended: Entry | None = None


@dataclass(frozen=True)
class Asked:
    """What is asked for, and the goals; without any, it is not so, or did not happen."""

    kind: Kind
    text: str
    goals: tuple[Goal, ...]


def read_asked(session: Session, history: History, what: str | None, at: int | None) -> Asked:
    """Reads what is asked for.

    Args:
        session: the game.
        history: its past.
        what: a step, the name of a rule or the like, a concept, or a sentence; None for the outcome.
        at: the step after which something is to be so, or in which it is to happen.

    Raises:
        Fault: there is no such step, or the text cannot be read.
    """
    if at is not None:
        _step(session, at)
    if what is None or not what.strip():
        return Asked("outcome", "", tuple(_outcome(session, history, at)))
    text = what.strip()
    number = _step_number(text)
    if number is not None:
        return Asked("step", text, (Goal(step=_step(session, number).number),))
    idents = named(session, text)
    if idents:
        uses = [use for use in _uses(session, idents) if at in (None, use.step)]
        return Asked("name", text, tuple(uses))
    if IDENT.fullmatch(text):
        known = sorted(session.compiled.anchors)
        hint = did_you_mean(text, known) or known_ones(known)
        raise Fault(report("no-such-rule", rule=text, edition=session.compiled.edition.ident, hint=hint))
    span = typed(text, "question")
    events = [e for e in unique(Reader(session.lexicon, span).events()) if not _open(e)]
    if events:
        return Asked("event", text, tuple(Goal(step=n) for n in _happened(session, events) if at in (None, n)))
    moment = len(history.entries) if at is None else session.steps[at - 1].done
    return Asked("claim", text, tuple(Standing(session, history, moment).goals(session.claim(span))))


def named(session: Session, text: str) -> frozenset[str]:
    """The rules and the like that have a name, or are about a concept or something it is divided into."""
    anchors = session.compiled.anchors
    if text in anchors:
        return frozenset({text})
    return frozenset(i for i, a in anchors.items() if any(f"{c}.".startswith(f"{text}.") for c in a.concepts))


def _step_number(text: str) -> int | None:
    words = {messages(FIRST)["proof.step-word"], say("proof.step-word")}
    found = re.fullmatch(rf"(?:(?:{'|'.join(map(re.escape, sorted(words)))})\s+)?(\d{{1,9}})", text.casefold())
    return int(found[1]) if found else None


def _step(session: Session, number: int) -> Step:
    if not 1 <= number <= len(session.steps):
        raise Fault(report("no-such-step", step=number, steps=len(session.steps)))
    return session.steps[number - 1]


def _open(atom: Atom) -> bool:
    return any(isinstance(a, Variable) for a in atom.arguments)


# --- outcomes, names and events ------------------------------------------------------------------------------------


def _outcome(session: Session, history: History, at: int | None) -> Iterator[Goal]:
    """The facts at the end that rules or events brought about, and the last events that rules brought about."""
    moment = len(history.entries) if at is None else session.steps[at - 1].done
    steps = session.steps[:at]
    phrases = session.compiled.edition.vocabulary.phrases
    told: set[int] = set()
    seen: set[tuple[str, frozenset[str | int]]] = set()
    for fact in history.facts(moment):
        phrase = phrases.get(fact.predicate.removeprefix("fact:"))
        entry = history.ground(fact, moment) if phrase is not None and fact.predicate.startswith("fact:") else None
        if entry is None or entry.origin.source not in ("rule", "event") or phrase is None:
            continue
        same = (fact.predicate, frozenset(fact.values) if phrase.symmetric else frozenset([repr(fact.values)]))
        if phrase.ident in (CALLED_BY, CAUSED_BY) or same in seen:
            continue
        seen.add(same)
        told.add(entry.origin.step)
        yield Goal(truth=_truth(session, fact), moment=moment)
    followed = {_step_of(session)[m].number for s in steps for m in s.causes} | {s.outcome_of for s in steps}
    start = max((s.number for s in steps if s.given), default=0)
    last = [s.number for s in steps if s.number >= start and not s.given and s.number not in followed | told]
    for number in last or [s.number for s in steps[-1:] if not told]:
        yield Goal(step=number)


def _truth(session: Session, fact: Fact, because: Sequence[Support] = ()) -> ClauseTruth:
    """The clause that says a fact."""
    phrase = session.compiled.edition.vocabulary.phrases[fact.predicate.partition(":")[2]]
    arguments = tuple(Individual(v) if isinstance(v, str) else Number(v) for v in decoded(fact.values))
    return ClauseTruth(Atom(phrase.ident, arguments, phrase.span), {}, facts=(fact,), because=tuple(because))


def _step_of(session: Session) -> dict[int, Step]:
    """The step of each match, by its number."""
    return {m.number: s for s in session.steps for m in s.matches}


def _uses(session: Session, idents: frozenset[str]) -> Iterator[Goal]:
    """Where rules, definitions, exemptions, tests and orders played a part."""
    for step in session.steps:
        parts = {*step.held_back, *(d.item for d in step.voided), *([step.test.rule] if step.test is not None else [])}
        if idents & parts:
            yield Goal(step=step.number)
        for match in step.matches:
            if _part_of(match, idents):
                yield Goal(step=step.number, match=match.number)


def _part_of(match: RuleMatch, idents: frozenset[str]) -> bool:
    def supports(clauses: Sequence[ClauseTruth]) -> bool:
        return any(s.item in idents or supports(s.clauses) for c in clauses for s in c.because)

    return (
        match.rule in idents
        or supports(match.clauses)
        or any(d.item in idents or supports(d.clauses) for d in match.defeats)
    )


def _happened(session: Session, events: Sequence[Atom]) -> list[int]:
    found = []
    for step in session.steps:
        for event in events:
            wanted = [_value(a) for a in event.arguments]
            if step.event == event.phrase and all(w in (None, v) for w, v in zip(wanted, step.values, strict=True)):
                found.append(step.number)
    return found


def _value(argument: Expression | None) -> Value | None:
    return (
        argument.ident if isinstance(argument, Individual) else argument.value if isinstance(argument, Number) else None
    )


def _things(node: MeasureOf) -> tuple[str, ...]:
    return tuple(str(_value(a)) for a in node.arguments)


# --- claims --------------------------------------------------------------------------------------------------------


class Standing:
    """What is so at a moment of a game: by its history and, where definitions tell, by a matcher that is told it."""

    def __init__(self, session: Session, history: History, moment: int) -> None:
        self.session, self.history, self.moment = session, history, moment
        self.compiled = session.compiled

    def goals(self, claim: Claim) -> list[Goal]:
        """What is to be proved for a claim; nothing when it is not so."""
        if isinstance(claim, Atom):
            return self._atom(claim)
        if isinstance(claim, Compare):
            return self._compare(claim)
        if isinstance(claim, Known):
            so = (self._value(claim.measure) is not None) != claim.negated
        else:
            so = self.session.is_true(claim)  # what something is does not change
        return [Goal(truth=ClauseTruth(claim, {}), moment=self.moment)] if so else []

    def _atom(self, atom: Atom) -> list[Goal]:
        predicate = names.fact(atom.phrase)
        wanted = [_value(a) for a in atom.arguments]

        def meant(fact: Fact) -> bool:
            return fact.predicate == predicate and all(
                w in (None, v) for w, v in zip(wanted, decoded(fact.values), strict=True)
            )

        found = {f: _truth(self.session, f) for f in self.history.facts(self.moment) if meant(f)}
        if predicate in self.compiled.defined:
            answer = self._ask(Fact(names.need(atom.phrase, "f" * len(wanted))))
            grounds = Grounds(self.compiled, answer)
            for fact in filter(meant, answer.heads(predicate)):
                found.setdefault(fact, _truth(self.session, fact, grounds.support(fact)))
        if not atom.negated:
            return [Goal(truth=truth, moment=self.moment) for truth in found.values()]
        if found:
            return []
        past = [e for e in self.history.entries[: self.moment] if not e.holds and meant(e.fact)]
        ended = past[-1] if past else None
        return [Goal(truth=ClauseTruth(atom, {}), moment=self.moment, ended=ended)]

    def _compare(self, compare: Compare) -> list[Goal]:
        values: dict[Expression, Fraction] = {}
        measures: list[tuple[MeasureOf, Fraction]] = []
        facts: list[Fact] = []
        because: list[Support] = []
        for node in dict.fromkeys(n for n in descend(compare) if isinstance(n, MeasureOf)):
            known = self._value(node)
            if known is None:
                return []
            values[node], supports = known
            measures.append((node, known[0]))
            facts.append(Fact(names.value(node.phrase), _things(node)))
            because += supports
        left, right = (evaluate(side, values.__getitem__) for side in (compare.left, compare.right))
        if not compared(left, compare.operator, right):
            return []
        truth = ClauseTruth(compare, {}, tuple(measures), tuple(facts), tuple(because))
        return [Goal(truth=truth, moment=self.moment)]

    def _value(self, node: MeasureOf) -> tuple[Fraction, Sequence[Support]] | None:
        """The value of a measure, and why, where a definition says how it is worked out; None when it is not known."""
        measure, things = node.phrase, _things(node)
        if measure not in self.compiled.worked_out:
            parts = self.history.parts(measure, things, self.moment)
            value = parts[-1].value if parts else None
            return None if value is None else (value, ())
        places = "b" * len(things)
        given = [Fact(names.ask(measure, places), things)] if things else []
        answer = self._ask(Fact(names.need(measure, places)), given)
        for fact in answer.worked_out:
            if fact.predicate == names.value(measure) and fact.values[:-1] == things:
                found = decoded(fact.values)[-1]
                assert isinstance(found, Fraction)
                return found, Grounds(self.compiled, answer).support(fact)
        return None

    def _ask(self, token: Fact, given: Sequence[Fact] = ()) -> Answer:
        matcher = self.session.backend(self.compiled.program)
        try:
            for fact in self.history.facts(self.moment):
                matcher.add(fact)
            return ask(matcher, self.compiled, token, given)
        finally:
            matcher.close()
