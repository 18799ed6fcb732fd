"""What a scenario expects, held against what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulewright.diagnostics import Fault, did_you_mean, report
from rulewright.model import Atom, Compare, Individual, Line, Number, Variable
from rulewright.phrases.matching import Reader, unique
from rulewright.phrases.words import sentence_text
from rulewright.provenance import ClauseTruth, RuleMatch, Step, Support, Value
from rulewright.resolve.sentences import Interpreter
from rulewright.session.session import Session
from rulewright.text import Span

RULE_FORMS = ("fires", "not-fires", "pre-empted", "not-pre-empted")


@dataclass(frozen=True)
class Outcome:
    """An expectation, whether it was met, and what was found instead."""

    span: Span
    met: bool
    got: str

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
        for filled in reader.own(key):
            return _rule(line, key, filled, session, steps)
    events = unique([*reader.events(), *reader.events(("not",))])
    conditions = [c for c in unique(reader.conditions()) if not isinstance(c, Atom) or c not in events]
    if len(events) == 1 and not conditions:
        return _event(line, events[0], session, steps)
    if conditions and not events:
        met = session.holds(line.span)
        return Outcome(line.span, met, "" if met else _state(conditions, session))
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
            known = session.names.values() if place == "thing" else session.compiled.anchors
            hint = did_you_mean(name, known) or "check its name"
            if place == "thing":
                raise Fault(report("unknown-name", line.span, name=name, hint=hint))
            raise Fault(report("no-such-rule", line.span, rule=name, edition=edition, hint=hint))


def _guesses(filled: Mapping[str, object]) -> int:
    return sum(isinstance(v, Individual) and v.ident.startswith("?") for v in filled.values())


def _event(line: Line, atom: Atom, session: Session, steps: Sequence[Step]) -> Outcome:
    wanted = [None if a is None or isinstance(a, Variable) else _value(a) for a in atom.arguments]
    same = [s for s in steps if s.event == atom.phrase and not s.voided]
    found = [s for s in same if all(w is None or w == v for w, v in zip(wanted, s.values, strict=True))]
    if bool(found) != atom.negated:
        return Outcome(line.span, met=True, got="")
    instead = found or same
    told = "; ".join(session.worder.statement(s.event, s.values) for s in instead)
    return Outcome(line.span, met=False, got=told or "nothing of the kind happened")


def _value(argument: object) -> Value:
    assert isinstance(argument, Individual | Number)
    return argument.ident if isinstance(argument, Individual) else argument.value


def _state(readings: Sequence[object], session: Session) -> str:
    for reading in readings:
        compare = session.compared(reading)
        if isinstance(compare, Compare):
            values = [session.number(side) for side in (compare.left, compare.right)]
            return f"{session.worder.number(values[0])}, held against {session.worder.number(values[1])}"
    return "it is not so"


def _rule(line: Line, key: str, filled: dict[str, object], session: Session, steps: Sequence[Step]) -> Outcome:
    for value in filled.values():
        if isinstance(value, Variable):
            raise Fault(report("open-place", line.span, variable=value.name))
    rule, thing, other = (
        v.ident if isinstance(v := filled.get(k), Individual) else None for k in ("rule", "thing", "other")
    )
    assert rule is not None
    about = [m for s in steps for m in s.matches if m.rule == rule and (thing is None or thing in m.bindings.values())]
    fired = [m for m in about if m.fired] or _other_items(rule, thing, steps)
    if key == "fires":
        met = bool(fired)
    elif key == "not-fires":
        met = not fired
    elif key == "not-pre-empted":
        met = not any(m.defeats for m in about)
    else:
        met = any(m.defeats and (other is None or any(d.item == other for d in m.defeats)) for m in about)
    return Outcome(line.span, met, "" if met else _verdicts(about, fired, session))


def _other_items(item: str, thing: str | None, steps: Sequence[Step]) -> list[object]:
    """Exemptions, definitions and tests that applied."""
    found: list[object] = []
    for step in steps:
        if any(d.item == item and d.kind == "exemption" for d in step.voided) and thing in (None, *step.values):
            found.append(step)
        for match in step.matches:
            if thing is not None and thing not in match.bindings.values():
                continue
            if any(d.item == item and d.kind == "exemption" for d in match.defeats):
                found.append(match)
            clauses = [*match.clauses, *(c for d in match.defeats for c in d.clauses)]
            if any(s.item == item for c in clauses for s in _supports(c)):
                found.append(match)
        if item in step.held_back and thing in (None, *step.values):
            found.append(step)
        if step.test and step.test.rule == item and thing in (None, step.test.bearer):
            found.append(step)
    return found


def _supports(clause: ClauseTruth) -> list[Support]:
    return [s for b in clause.because for s in (b, *(x for c in b.clauses for x in _supports(c)))]


def _verdicts(matches: Sequence[RuleMatch], fired: Sequence[object], session: Session) -> str:
    if not matches and not fired:
        return "its conditions did not hold"
    told = []
    for match in matches:
        things = ", ".join(session.name(v) for v in match.bindings.values() if isinstance(v, str))
        if match.fired:
            told.append(f"it fired for {things}")
        elif match.chosen is False:
            told.append(f"another was picked than {things}")
        else:
            by = ", ".join(dict.fromkeys("its own `unless`" if d.kind == "unless" else d.item for d in match.defeats))
            told.append(f"it was pre-empted for {things} by {by}")
    return "; ".join(told) or "it applied"
