"""Re-checks every step of a session against the model of its edition, without productions, stages or an engine.

A ``Recorder`` around a matcher notes the facts of the world whenever an event is looked at.  From these the checker
works out, by trying things out, which rules match, what defeats them and whether each clause that is told is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rulewright.arithmetic import evaluate
from rulewright.backends.base import Backend, Matcher
from rulewright.backends.reference import ReferenceMatcher
from rulewright.lowering.compile import Compiled
from rulewright.model import (
    AnyOf,
    Atom,
    Change,
    ComesFrom,
    Compare,
    Create,
    Definition,
    Exemption,
    Exists,
    Individual,
    IsA,
    Known,
    MeasureOf,
    Rule,
    Same,
    Variable,
)
from rulewright.productions import NOBODY, Fact, Firing, Program
from rulewright.provenance import ClauseTruth, RuleMatch, Step, Value
from rulewright.resolve.kinds import variable_kinds
from rulewright.session.session import Session
from rulewright.session.world import decoded
from rulewright.walk import descend

Bindings = Mapping[str, Value]
Facts = frozenset[Fact]


class Recorder:
    """A matcher that notes the world at each look: the token, the facts, and those given for this question alone."""

    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher
        self.world: dict[Fact, None] = {}
        self.looks: list[tuple[Fact, Facts]] = []
        self._fresh = True

    def add(self, fact: Fact) -> None:
        self.world[fact] = None
        self.matcher.add(fact)

    def remove(self, fact: Fact) -> None:
        self.world.pop(fact, None)
        self.matcher.remove(fact)

    def stage(self, number: int, tokens: Iterable[Fact], derived: Iterable[Fact] = ()) -> tuple[Firing, ...]:
        tokens, derived = list(tokens), list(derived)
        if self._fresh:
            origins = [f for f in derived if f.predicate.startswith("cause:")]
            self.looks += [(t, frozenset([*self.world, *origins])) for t in tokens if t.predicate[:3] in ("on:", "may")]
        self._fresh = False
        return self.matcher.stage(number, tokens, derived)

    def finish(self) -> None:
        self._fresh = True
        self.matcher.finish()

    def close(self) -> None:
        self.matcher.close()


def recording(backend: Backend) -> Backend:
    """The same backend, with notes taken."""

    def start(program: Program) -> Matcher:
        return Recorder(backend(program))

    return start


def check_proofs(session: Session) -> int:
    """Re-checks all steps of a session against what a matcher is told when its log is played again; counts the matches.

    Raises:
        AssertionError: something is told that is not so, or something that is so is not told.
    """
    again = Session.replay(session.compiled, recording(ReferenceMatcher), session.log, session.language.code)
    recorder = again.game.matcher
    assert isinstance(recorder, Recorder)
    looks = iter(recorder.looks)
    again.close()
    compiled = session.compiled
    for step in session.steps:
        if step.event in compiled.exempted:
            _check_voided(step, Situation(compiled, _next(looks, f"may:{step.event}")))
        if not step.voided and f"on:{step.event}" in compiled.by_trigger:
            _check_step(step, Situation(compiled, _next(looks, f"on:{step.event}")))
        else:
            assert not step.matches
    return len(session.matches)


def _next(looks: Iterator[tuple[Fact, Facts]], predicate: str) -> Facts:
    token, facts = next(looks)
    assert token.predicate == predicate
    return facts


# -- what is so ------------------------------------------------------------------------------------------------------


class Situation:
    """A world, in which the truth of conditions is found by trying out things."""

    def __init__(self, compiled: Compiled, facts: Facts) -> None:
        self.compiled = compiled
        self.edition = compiled.edition
        self.vocabulary = compiled.edition.vocabulary
        self.facts: dict[str, set[tuple[Value, ...]]] = {}
        for fact in facts:
            self.facts.setdefault(fact.predicate, set()).add(decoded(fact.values))
        self.definitions: dict[str, list[Definition]] = {}
        for definition in self.edition.definitions:
            self.definitions.setdefault(definition.head.phrase, []).append(definition)
        self.measures = {m.head.phrase: m for m in self.edition.measures}
        self._done: set[str] = set()
        self._values: dict[tuple[str, tuple[Value, ...]], Fraction | None] = {}

    def kinds(self, *nodes: Any) -> Mapping[str, str]:
        """The kinds of the variables in nodes of one item."""
        flat = [n for node in nodes for n in (node if isinstance(node, tuple) else [node])]
        return variable_kinds(flat, self.vocabulary, self.edition.source.span if self.edition.source else None)[0]

    def is_a(self, value: Value, kind: str) -> bool:
        return kind == "number" if isinstance(value, Fraction) else (value,) in self.facts.get(f"isa:{kind}", ())

    def extension(self, phrase: str) -> set[tuple[Value, ...]]:
        """All values of which a fact is true, by definition or not."""
        if phrase in self.definitions and phrase not in self._done:
            circle = {other for other in self._rests_on(phrase) if phrase in self._rests_on(other)} | {phrase}
            self._done |= circle
            while True:
                new = [
                    (other, row)
                    for other in circle
                    for definition in self.definitions[other]
                    for row in self._rows(definition)
                    if row not in self.facts.get(f"fact:{other}", ())
                ]
                if not new:
                    break
                for other, row in new:
                    self.facts.setdefault(f"fact:{other}", set()).add(row)
        return self.facts.get(f"fact:{phrase}", set())

    def _rows(self, definition: Definition) -> list[tuple[Value, ...]]:
        kinds = self.kinds(definition.head, definition.conditions)
        mentioned = dict.fromkeys(a.name for a in definition.head.arguments if isinstance(a, Variable))
        return [
            self.row(definition.head, found) for found in self.solve(definition.conditions, {}, kinds, tuple(mentioned))
        ]

    def _rests_on(self, phrase: str) -> set[str]:
        found: set[str] = set()
        queue = [phrase]
        while queue:
            one = queue.pop()
            parts = [c for d in self.definitions.get(one, ()) for c in d.conditions]
            if one in self.measures:
                parts += [*self.measures[one].conditions, self.measures[one].subject]
            for node in (n for part in parts for n in descend(part) if isinstance(n, Atom | MeasureOf)):
                if node.phrase not in found and (node.phrase in self.definitions or node.phrase in self.measures):
                    found.add(node.phrase)
                    queue.append(node.phrase)
        return found & set(self.definitions)

    def row(self, atom: Atom, bindings: Bindings) -> tuple[Value, ...]:
        return tuple(_ground(a, bindings) for a in atom.arguments)

    # -- numbers ------------------------------------------------------------

    def number(self, node: Any, bindings: Bindings) -> Fraction | None:
        """The value of an expression; None when it is not known."""
        unknown = False

        def look_up(part: Any) -> Fraction:
            nonlocal unknown
            value = bindings[part.name] if isinstance(part, Variable) else self.measured(part, bindings)
            unknown |= value is None
            return value if isinstance(value, Fraction) else Fraction(0)

        result = evaluate(node, look_up)
        return None if unknown else result

    def measured(self, node: MeasureOf, bindings: Bindings) -> Fraction | None:
        things = tuple(_ground(a, bindings) for a in node.arguments)
        if node.phrase in self.measures:
            key = node.phrase, things
            if key not in self._values:
                self._values[key] = self._worked_out(node.phrase, things)
            return self._values[key]
        predicate = f"{'before' if node.before else 'value'}:{node.phrase}"
        found = [row[-1] for row in self.facts.get(predicate, ()) if row[:-1] == things]
        assert len(found) < 2, f"{predicate} has several values"
        return found[0] if found else None  # type: ignore[return-value]

    def _worked_out(self, phrase: str, things: tuple[Value, ...]) -> Fraction | None:
        measure = self.measures[phrase]
        start = {a.name: v for a, v in zip(measure.head.arguments, things, strict=True) if isinstance(a, Variable)}
        kinds = self.kinds(measure.head, measure.conditions, measure.subject)
        found = list(self.solve(measure.conditions, start, kinds, ()))
        if measure.how == "counts":
            assert isinstance(measure.subject, Variable)
            return Fraction(len({b[measure.subject.name] for b in found}))
        different = {tuple(sorted(b.items())): b for b in found}.values()
        values = [v for b in different if (v := self.number(measure.subject, b)) is not None]
        if measure.how == "adds":
            return sum(values, Fraction(0))
        return (min(values) if measure.how == "lowest" else max(values)) if values else None

    # -- conditions ---------------------------------------------------------

    def solve(
        self, conditions: Sequence[Any], bindings: Bindings, kinds: Mapping[str, str], wanted: Sequence[str]
    ) -> Iterator[dict[str, Value]]:
        """All ways to bind the variables of conditions, and those wanted besides, so that the conditions are true."""
        known = dict(bindings)
        if any(name in kinds and not self.is_a(value, kinds[name]) for name, value in known.items()):
            return
        for place, condition in enumerate(conditions):
            rest = [*conditions[:place], *conditions[place + 1 :]]
            if isinstance(condition, AnyOf):
                for choice in condition.choices:
                    yield from self.solve([*choice, *rest], known, kinds, wanted)
                return
            if isinstance(condition, Exists) and not condition.negated and condition.at_least == 1:
                yield from self.solve([*condition.conditions, *rest], known, kinds, (*wanted, condition.variable.name))
                return
            if isinstance(condition, Atom) and not condition.negated:
                for row in self.extension(condition.phrase).copy():
                    found = _unified(condition, row, known)
                    if found is not None:
                        yield from self.solve(rest, found, kinds, wanted)
                return
        loose = [*_mentioned(conditions), *wanted]
        unbound = next((name for name in loose if name not in known), None)
        if unbound is not None:
            for (thing,) in self.facts.get(f"isa:{kinds[unbound]}", ()):
                yield from self.solve(conditions, {**known, unbound: thing}, kinds, wanted)
        elif all(self.is_so(c, known, kinds) for c in conditions):
            yield known

    def is_so(self, condition: Any, bindings: Bindings, kinds: Mapping[str, str]) -> bool:
        """Whether a condition is true of things that are known."""
        if isinstance(condition, Compare):
            left, right = self.number(condition.left, bindings), self.number(condition.right, bindings)
            return left is not None and right is not None and _compared(left, condition.operator, right)
        if isinstance(condition, Same):
            return (_ground(condition.left, bindings) == _ground(condition.right, bindings)) != condition.negated
        if isinstance(condition, IsA):
            return self.is_a(_ground(condition.thing, bindings), condition.kind) != condition.negated
        if isinstance(condition, Known):
            return (self.measured(condition.measure, bindings) is not None) != condition.negated
        if isinstance(condition, ComesFrom):
            which = "cause:direct" if condition.directly else "cause:chain"
            return (_ground(condition.rule, bindings),) in self.facts.get(which, ())
        if isinstance(condition, Exists) and (condition.negated or condition.at_least > 1):
            outer = {k: v for k, v in bindings.items() if k != condition.variable.name}
            found = self.solve(condition.conditions, outer, kinds, (condition.variable.name,))
            different = {b[condition.variable.name] for b in found}
            return len(different) == 0 if condition.negated else len(different) >= condition.at_least
        if isinstance(condition, Atom) and condition.negated:
            return not any(_unified(condition, row, bindings) for row in self.extension(condition.phrase))
        return any(True for _ in self.solve([condition], bindings, kinds, ()))

    # -- exemptions ---------------------------------------------------------

    def exempts(self, exemption: Exemption, event: str, values: Sequence[Value]) -> bool:
        """Whether an exemption, not defeated itself, keeps an event from coming about."""
        if exemption.head.phrase != event:
            return False
        start = _unified(exemption.head, tuple(values), {})
        if start is None:
            return False
        unless = tuple(c for d in exemption.defeaters for c in d.conditions)
        kinds = self.kinds(exemption.head, exemption.conditions, unless)
        return (
            any(True for _ in self.solve(exemption.conditions, start, kinds, ()))
            and not any(True for d in exemption.defeaters for _ in self.solve(d.conditions, start, kinds, ()))
            and not any(
                self.exempts(other, event, values)
                for other in self.edition.exemptions
                if exemption.anchor.ident in other.overrides
            )
        )


def _ground(argument: Any, bindings: Bindings) -> Value:
    if argument is None:
        return NOBODY
    if isinstance(argument, Variable):
        return bindings[argument.name]
    return argument.ident if isinstance(argument, Individual) else argument.value


def _unified(atom: Atom, row: tuple[Value, ...], bindings: Bindings) -> dict[str, Value] | None:
    """Bindings under which an atom says a row; a place left out may hold anything."""
    found = dict(bindings)
    for argument, value in zip(atom.arguments, row, strict=True):
        if isinstance(argument, Variable):
            if found.setdefault(argument.name, value) != value:
                return None
        elif argument is not None and _ground(argument, found) != value:
            return None
    return found


def _mentioned(conditions: Sequence[Any]) -> list[str]:
    """Variables that conditions bind: not those of an absence or a number, which mean nothing outside."""
    found: list[str] = []
    for condition in conditions:
        if not (isinstance(condition, Exists) or (isinstance(condition, Atom) and condition.negated)):
            found += [n.name for n in descend(condition) if isinstance(n, Variable)]
    return found


def _compared(left: Fraction, operator: str, right: Fraction) -> bool:
    return {
        "<": left < right, "<=": left <= right, "=": left == right,
        "!=": left != right, ">=": left >= right, ">": left > right,
    }[operator]  # fmt: skip


# -- what is told ----------------------------------------------------------------------------------------------------


def _check_voided(step: Step, situation: Situation) -> None:
    exempting = {e.anchor.ident for e in situation.edition.exemptions if situation.exempts(e, step.event, step.values)}
    told = {d.item for d in step.voided}
    assert told <= exempting, f"{step.event} {step.values}: {told - exempting} do not keep it from coming about"
    assert step.causes or told == exempting, f"{step.event} {step.values}: {exempting - told} should keep it back"


def _check_step(step: Step, situation: Situation) -> None:
    for rule in situation.compiled.rules:
        names = situation.compiled.variables[rule.anchor.ident]
        told = {tuple(m.bindings[n] for n in names): m for m in step.matches if m.rule == rule.anchor.ident}
        expected = {tuple(b[n] for n in names) for b in _matches(rule, step, situation)}
        assert set(told) == expected, f"{rule.anchor.ident} at {step.event} {step.values}: {told.keys() ^ expected}"
        for match in told.values():
            _check_match(match, rule, step, situation)


def _nodes(rule: Rule) -> tuple[Any, ...]:
    choice = (rule.choice.variable, *rule.choice.conditions) if rule.choice else ()
    unless = tuple(c for d in rule.defeaters for c in d.conditions)
    return (*rule.triggers, *rule.conditions, *choice, *unless, *rule.effects)


def _matches(rule: Rule, step: Step, situation: Situation) -> Iterator[dict[str, Value]]:
    """All ways in which the conditions of a rule are true of an event."""
    kinds = situation.kinds(_nodes(rule))
    conditions = [*rule.conditions, *(rule.choice.conditions if rule.choice else ())]
    created = {e.act.variable.name for e in rule.effects if isinstance(e.act, Create)}
    wanted = [n for n in situation.compiled.variables[rule.anchor.ident] if n not in created]
    for trigger in rule.triggers:
        if trigger.phrase != step.event:
            continue
        start = _unified(trigger, step.values, {})
        for opening in _awaited(rule, situation):
            if start is not None and all(opening.get(k, v) == v for k, v in start.items()):
                yield from situation.solve(conditions, {**start, **opening}, kinds, wanted)


def _awaited(rule: Rule, situation: Situation) -> Iterator[dict[str, Value]]:
    """For what a test brings about: the matches that wait for its outcome; for any other rule, nothing to add."""
    base = rule.anchor.ident.removesuffix("-on-success").removesuffix("-on-failure")
    if base == rule.anchor.ident:
        yield {}
        return
    names = situation.compiled.variables[base]
    for predicate, rows in situation.facts.items():
        if predicate.startswith(f"awaits:{base}."):
            yield from (dict(zip(names, row, strict=True)) for row in rows)


def _check_match(match: RuleMatch, rule: Rule, step: Step, situation: Situation) -> None:
    where = f"{match.rule} {dict(match.bindings)} at {step.event} {step.values}"
    kinds = situation.kinds(_nodes(rule))
    told = sorted((d.kind, d.item) for d in match.defeats)
    expected = sorted(set(_defeats(match, rule, step, situation, kinds)))
    assert sorted(set(told)) == expected, f"{where}: defeated by {told}, should be by {expected}"
    said = {id(c) for c in rule.conditions} | ({id(c) for c in rule.choice.conditions} if rule.choice else set())
    assert len(match.clauses) == len(said), f"{where}: {len(match.clauses)} clauses told of {len(said)}"
    for clause in match.clauses:
        _check_clause(clause, situation, kinds, where)
    for defeat in match.defeats:
        item: Any = next((e for e in situation.edition.exemptions if e.anchor.ident == defeat.item), rule)
        unless = tuple(c for d in item.defeaters for c in d.conditions)
        more = situation.kinds(item.head, item.conditions, unless) if isinstance(item, Exemption) else kinds
        for clause in defeat.clauses:
            _check_clause(clause, situation, more, f"{where}, {defeat.item}")


def _check_clause(clause: ClauseTruth, situation: Situation, kinds: Mapping[str, str], where: str) -> None:
    """A clause is true under its bindings, the values told are the values, the facts told are facts."""
    short = {name.rpartition(".")[2]: value for name, value in clause.bindings.items()}  # exemptions rename theirs
    bindings = {**clause.bindings, **short}
    true = situation.is_so(clause.condition, bindings, kinds)
    assert true, f"{where}: {clause.condition} is not true of {dict(clause.bindings)}"
    for measure, value in clause.measures:
        assert situation.measured(measure, bindings) == value, f"{where}: {measure} is not {value}"
    for fact in clause.facts:
        group, _, phrase = fact.predicate.partition(":")
        known = situation.extension(phrase) if group == "fact" else situation.facts.get(fact.predicate, set())
        worked_out = group == "value" and phrase in situation.measures
        assert worked_out or decoded(fact.values) in known, f"{where}: {fact} is not so"
    for support in clause.because:
        items = (*situation.edition.definitions, *situation.edition.measures)
        (item,) = (one for one in items if one.anchor.ident == support.item)
        group = "fact" if isinstance(item, Definition) else "value"
        assert any(f.predicate == f"{group}:{item.head.phrase}" for f in clause.facts), f"{where}: {support.item}"
        subject = () if isinstance(item, Definition) else (item.subject,)
        inner = situation.kinds(item.head, item.conditions, *subject)
        for one in support.clauses:
            _check_clause(one, situation, inner, f"{where}, {support.item}")


def _defeats(
    match: RuleMatch, rule: Rule, step: Step, situation: Situation, kinds: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    for defeater in rule.defeaters:
        if any(True for _ in situation.solve(defeater.conditions, match.bindings, kinds, ())):
            yield "unless", match.rule
    acts = [e.act for e in rule.effects if isinstance(e.act, Atom) and not e.act.negated]
    for exemption in situation.edition.exemptions:
        if exemption.anchor.ident in rule.regardless:
            continue
        hit = [act for act in acts if act.phrase == exemption.head.phrase]
        if len(hit) == len(rule.effects) and hit:
            values = tuple(_ground(a, match.bindings) for a in hit[0].arguments if _plain(a))
            if len(values) == len(hit[0].arguments) and situation.exempts(exemption, hit[0].phrase, values):
                yield "exemption", exemption.anchor.ident
    for other in situation.edition.rules:
        if match.rule in other.overrides:
            for winner in (m for m in step.matches if m.rule == other.anchor.ident and not m.defeats):
                if _same_event(rule, match, other, winner, step):
                    yield "rule", other.anchor.ident


def _plain(argument: Any) -> bool:
    return argument is None or isinstance(argument, Variable | Individual)


def _same_event(loser: Rule, lost: RuleMatch, winner: Rule, won: RuleMatch, step: Step) -> bool:
    """Whether two matches speak of the same things in their triggers, and whether their effects are about the same."""
    one = next((t for t in winner.triggers if t.phrase == step.event), None)
    two = next((t for t in loser.triggers if t.phrase == step.event), None)
    if one is None or two is None:
        return False
    pairs = [*zip(one.arguments, two.arguments, strict=True), *zip(_about(winner), _about(loser), strict=False)]
    return all(
        not isinstance(a, Variable) or b is None or won.bindings[a.name] == _ground(b, lost.bindings) for a, b in pairs
    )


def _about(rule: Rule) -> list[Any]:
    """What the first effect of a rule is about."""
    act = rule.effects[0].act
    arguments = act.arguments if isinstance(act, Atom) else act.measure.arguments if isinstance(act, Change) else ()
    return [a for a in arguments[:1] if isinstance(a, Variable | Individual)]
