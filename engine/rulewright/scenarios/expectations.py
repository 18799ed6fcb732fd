"""What a scenario expects, held against what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulewright.diagnostics import Fault, did_you_mean, report
from rulewright.explain.clauses import test_text
from rulewright.explain.readings import not_in_force
from rulewright.explain.verdicts import applications
from rulewright.model import (
    FAILS_TEST,
    PASSES_TEST,
    Atom,
    Compare,
    Expression,
    Individual,
    Line,
    Number,
    Variable,
)
from rulewright.phrases.matching import Reader, unique
from rulewright.phrases.words import sentence_text
from rulewright.provenance import RuleMatch, Step, Value
from rulewright.resolve.sentences import RULE_FORMS, Interpreter
from rulewright.session.session import Session
from rulewright.speech import later, say
from rulewright.text import Span


@dataclass(frozen=True)
class Outcome:
    """An expectation, whether it was met, and what was found instead.

    Attributes:
        form: ``fires``, ``not-fires``, ``pre-empted``, ``not-pre-empted``, ``event``, ``not-event`` or ``state``.
        names: for the forms about a rule, the rule, the thing and the other rule, as far as they are named.
        reading: the event, fact or comparison.
        since: the steps before those that it is about.
    """

    span: Span
    met: bool
    got: str
    form: str = "state"
    names: tuple[str | None, str | None, str | None] = (None, None, None)
    reading: object = None
    since: int = 0

    @property
    def text(self) -> str:
        """The expectation in words."""
        return sentence_text(self.span)


def examine(line: Line, session: Session, steps: Sequence[Step]) -> Outcome:
    """Holds one expectation against the steps of its group and the state now.

    Raises:
        Fault: the sentence cannot be read.
    """
    reader = Reader(session.lexicon, line.span)
    for key in RULE_FORMS:
        # A thing of this game goes before a word of the vocabulary that is called the same.
        for filled in sorted(reader.own(key), key=lambda f: getattr(f.get("thing"), "ident", "") not in session.names):
            return _rule(line, key, filled, session, steps)
    events = unique([*reader.events(), *reader.events(("not",))])
    conditions = [c for c in unique(reader.conditions()) if not isinstance(c, Atom) or c not in events]
    if len(events) == 1 and not conditions:
        return _event(line, events[0], session, steps)
    if conditions and not events:
        try:
            met = session.holds(line.span)
        except Fault as fault:
            if any(d.name != "missing-measure" for d in fault.diagnostics):
                raise
            got = "; ".join(d.message for d in fault.diagnostics)
            return Outcome(line.span, met=False, got=got, reading=conditions[0], since=_since(session, steps))
        got = "" if met else _state(conditions, session, sentence_text(line.span))
        return Outcome(line.span, met, got, reading=conditions[0], since=_since(session, steps))
    _misnamed_rule(line, session)
    interpreter = Interpreter(session.lexicon)
    interpreter.expectation(line.span)
    raise Fault(
        *interpreter.diagnostics[:1] or [report("ambiguous-sentence", line.span, sentence=line.span.text, readings="")]
    )


def _misnamed_rule(line: Line, session: Session) -> None:
    """A Fault when an expectation speaks of a rule, or for a thing, that is not there."""
    reader = Reader(session.lexicon, line.span, lenient=True, guess=True)
    readings = [f for key in RULE_FORMS for f in reader.own(key)]
    for filled in sorted(readings, key=_guesses):  # what is misspelt least is meant
        for place, value in filled.items():
            if not isinstance(value, Individual) or not value.ident.startswith("?"):
                continue
            name, edition = value.ident[1:], session.compiled.edition.ident
            known = session.names.values() if place == "thing" else session.compiled.rule_names
            hint = did_you_mean(name, known) or later("hint.check-name")
            if place == "thing":
                raise Fault(report("unknown-name", line.span, name=name, hint=hint))
            raise Fault(report("no-such-rule", line.span, rule=name, edition=edition, hint=hint))


def _guesses(filled: Mapping[str, object]) -> int:
    return sum(isinstance(v, Individual) and v.ident.startswith("?") for v in filled.values())


def _since(session: Session, steps: Sequence[Step]) -> int:
    return len(session.steps) - len(steps)


def wanted_of(atom: Atom) -> list[Value | None]:
    """What the places of an expected event or fact must hold; None where anything may."""
    return [None if a is None or isinstance(a, Variable) else _value(a) for a in atom.arguments]


def _event(line: Line, atom: Atom, session: Session, steps: Sequence[Step]) -> Outcome:
    form = "not-event" if atom.negated else "event"
    wanted = wanted_of(atom)
    same = [s for s in steps if s.event == atom.phrase and not s.voided]
    found = [s for s in same if _fits(wanted, s.values)]
    met = bool(found) != atom.negated
    got = "" if met else _instead(atom, wanted, found or same, session, steps)
    return Outcome(line.span, met, got, form, reading=atom, since=_since(session, steps))


def _fits(wanted: Sequence[Value | None], values: Sequence[Value]) -> bool:
    return all(w is None or w == v for w, v in zip(wanted, values, strict=True))


def _instead(
    atom: Atom, wanted: Sequence[Value | None], found: Sequence[Step], session: Session, steps: Sequence[Step]
) -> str:
    """What happened instead of an expected event, or what happened though it was expected not to."""
    tests = [s.test for s in steps if s.test and atom.phrase in (PASSES_TEST, FAILS_TEST) and not atom.negated]
    told = [test_text(t, session.worder) for t in tests if _fits(wanted[:2], (t.bearer, t.test))]
    told = told or [session.worder.statement(s.event, s.values) for s in found]
    if told:
        return "; ".join(dict.fromkeys(told))
    voided = [s for s in steps if s.event == atom.phrase and s.voided and _fits(wanted, s.values)]
    if voided:
        return say("got.voided", by=", ".join(d.item for d in voided[0].voided))
    return say("got.not-happened")


def _value(argument: object) -> Value:
    assert isinstance(argument, Individual | Number)
    return argument.ident if isinstance(argument, Individual) else argument.value


def _state(readings: Sequence[object], session: Session, expected: str) -> str:
    for reading in readings:
        compare = session.compared(reading)
        if isinstance(compare, Compare):
            return _numbers(compare, session, expected, isinstance(reading, Compare))
        if isinstance(reading, Atom) and reading.negated and None not in wanted_of(reading):
            return session.worder.atom(reading.phrase, reading.arguments, {})
    return say("got.not-so")


def _numbers(compare: Compare, session: Session, expected: str, plain: bool) -> str:
    """The numbers of a comparison that is not so: *they are 15*."""
    left, right = compare.left, compare.right
    shown = [session.worder.number(session.number(side), _counted(left, right)) for side in (left, right)]
    if not plain:
        return say("got.measure", measure=session.worder.expression(left, {}), number=shown[0])
    told = say("got.they-are" if " are " in expected else "got.it-is", number=shown[0])
    return told if isinstance(right, Number) else say("got.held-against", told=told, number=shown[1])


def _counted(*sides: Expression) -> str | None:
    return next((side.dimension for side in sides if isinstance(side, Number)), None)


def _rule(line: Line, key: str, filled: dict[str, object], session: Session, steps: Sequence[Step]) -> Outcome:
    for value in filled.values():
        if isinstance(value, Variable):
            raise Fault(report("open-place", line.span, variable=value.name))
    rule, thing, other = (
        v.ident if isinstance(v := filled.get(k), Individual) else None for k in ("rule", "thing", "other")
    )
    assert rule is not None
    about = [m for s in steps for m in s.matches if m.rule == rule and (thing is None or thing in m.bindings.values())]
    fired = [m for m in about if m.fired] or applications(rule, thing, steps)
    if key == "fires":
        met = bool(fired)
    elif key == "not-fires":
        met = not fired
    elif key == "not-pre-empted":
        met = not any(m.defeats for m in about)
    else:
        met = any(m.defeats and (other is None or any(d.item == other for d in m.defeats)) for m in about)
    idle = not_in_force(rule, session.compiled.edition.readings)
    got = "" if met else idle or _verdicts(about, fired, session)
    return Outcome(line.span, met, got, key, (rule, thing, other), since=_since(session, steps))


def _verdicts(matches: Sequence[RuleMatch], fired: Sequence[object], session: Session) -> str:
    if not matches and not fired:
        return say("got.not-applied")
    told = []
    for match in matches:
        things = ", ".join(
            dict.fromkeys(session.worder.name(v) for v in match.bindings.values() if isinstance(v, str) and v)
        )
        if match.fired:
            told.append(say("got.fired", things=things))
        elif match.chosen is False:
            told.append(say("got.not-picked", things=things))
        else:
            by = ", ".join(dict.fromkeys(say("defeat.unless") if d.kind == "unless" else d.item for d in match.defeats))
            told.append(say("got.pre-empted", things=things, by=by))
    return "; ".join(dict.fromkeys(told)) or say("got.applied")
