"""Rules, what defeats them, and the exemptions at each rule and event (see decision 0003)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rulewright.diagnostics import report
from rulewright.lowering import names
from rulewright.lowering.frame import Frame, free_variables
from rulewright.lowering.workshop import Body
from rulewright.model import (
    FAILS_TEST,
    PASSES_TEST,
    Atom,
    Change,
    Create,
    Defeater,
    Effect,
    Exemption,
    Expression,
    Individual,
    Rule,
    Variable,
)
from rulewright.productions import NOBODY, Pattern, Term, Var
from rulewright.resolve.kinds import variable_kinds
from rulewright.text import Span
from rulewright.walk import substitute


class Rules:
    """Lowers rules and exemptions.

    Attributes:
        rules: the rules lowered, those for the outcomes of tests among them.
        exempted: events that an exemption may keep from coming about.
    """

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.rules: list[Rule] = []
        self.exempted: set[str] = set()

    def run(self) -> None:
        """Lowers them all."""
        for rule in self.frame.edition.rules:
            self.rule(rule)
        for exemption in self.frame.edition.exemptions:
            self.event_site(exemption)
        for rule in self.rules:
            self.defeats(rule)

    def rule(self, rule: Rule, given: tuple[Pattern, ...] = (), caller: Sequence[Any] = ()) -> None:
        """The match of a rule.

        Args:
            rule: the rule.
            given: further conditions, with the variables of the rule it follows from.
            caller: all sentences of that rule, which say of which kinds its variables are.
        """
        self.rules.append(rule)
        ident, span = rule.anchor.ident, rule.anchor.span
        choice = [rule.choice.variable, *rule.choice.conditions] if rule.choice else []
        unless = [c for d in rule.defeaters for c in d.conditions]
        nodes: list[Any] = [*rule.triggers, *rule.conditions, *choice, *unless, *rule.effects]
        kinds, _ = variable_kinds([*nodes, *caller], self.frame.vocabulary, span)
        created = {e.act.variable.name for e in rule.effects if isinstance(e.act, Create)}
        inside = free_variables([*rule.triggers, *rule.conditions, *choice])
        outside = _shared(rule.triggers) | free_variables([*rule.effects, *choice[:1]])
        outside |= {name: None for name in free_variables(unless) if name in inside}
        if rule.choice and rule.choice.player_of:
            outside[rule.choice.player_of.name] = None
        mine = tuple(name for name in outside if name not in created)
        self.frame.variables[ident] = mine
        head = self.frame.head(names.match(ident), mine, kinds, ident)
        conditions = [*rule.conditions, *(rule.choice.conditions if rule.choice else ())]
        prefixes: list[Body] = []
        for index, trigger in enumerate(rule.triggers):
            token = self.frame.shop.pattern(names.on(trigger.phrase), trigger.arguments, trigger.span)
            start = Body(token, conditions=given)
            bodies = self.frame.guarded(self.frame.lower([start], conditions, ident), kinds, trigger)
            for number, body in enumerate(bodies):
                self.frame.shop.produce(f"{ident}/match.{index + 1}.{number + 1}", body, head, ident, span)
                closed = body.closed()
                if closed is not None:
                    prefixes.append(self.frame.shop.prefix(closed))
        self.frame.shop.prefixes[ident] = tuple(prefixes)
        self.frame.head(names.fire(ident), mine, kinds, ident)
        self.frame.shop.declare(names.defeat(ident), (*self.frame.shop.columns[names.match(ident)], "symbol"), ident)
        for number, effect in enumerate(rule.effects):
            self.lasting(rule, number, effect)
            self.outcomes(rule, number, effect, [*nodes, *caller])

    def lasting(self, rule: Rule, number: int, effect: Effect) -> None:
        """An effect that lasts ends with an event, or when its conditions no longer hold."""
        if not effect.until_events and not effect.lasting:
            return
        ident = rule.anchor.ident
        one = f"{ident}.{number}"
        terms = tuple(Var(v) for v in self.frame.variables[ident])
        for predicate in (names.lasts(one), names.end(one), names.holds(one)):
            self.frame.shop.declare(predicate, self.frame.shop.columns[names.match(ident)], ident)
        in_force, end = Pattern(names.lasts(one), terms), Pattern(names.end(one), terms)
        for event in effect.until_events:
            trigger = self.frame.shop.pattern(names.book(event.phrase), event.arguments, event.span)
            name = f"{ident}/until.{number + 1}/{event.phrase}"
            self.frame.shop.produce(name, Body(trigger, conditions=(in_force,)), end, ident, event.span)
        if effect.lasting:
            token = Pattern(names.SETTLE)
            still = Pattern(names.holds(one), terms)
            start = Body(token, conditions=(in_force,))
            for count, body in enumerate(self.frame.lower([start], effect.lasting, ident)):
                self.frame.shop.produce(f"{ident}/while.{number + 1}.{count + 1}", body, still, ident, effect.span)
            ended = Body(token, conditions=(in_force,), absences=(still,))
            self.frame.shop.produce(f"{ident}/no-longer.{number + 1}", ended, end, ident, effect.span)

    def outcomes(self, rule: Rule, number: int, effect: Effect, nodes: Sequence[Any]) -> None:
        """What a test that a rule calls for brings about on success and on failure: a rule of its own for each."""
        act = effect.act
        if not isinstance(act, Atom):
            return
        ident = rule.anchor.ident
        awaited = names.awaits(f"{ident}.{number}")
        self.frame.shop.declare(awaited, self.frame.shop.columns[names.match(ident)], ident)
        given = (Pattern(awaited, tuple(Var(v) for v in self.frame.variables[ident])),)
        sides = ((PASSES_TEST, "on-success", effect.on_success), (FAILS_TEST, "on-failure", effect.on_failure))
        for event, word, effects in sides:
            if not effects:
                continue
            name = self.free_name(f"{ident}-{word}")
            anchor = replace(rule.anchor, ident=name, outcome=word)
            if not rule.anchor.titled:
                anchor = replace(anchor, title=name.replace("-", " "), outcome="")
            trigger = Atom(event, act.arguments[:2], act.span)
            follow = Rule(anchor, (trigger,), (), None, (), effects, (), rule.regardless)
            self.rule(follow, given, nodes)

    def free_name(self, wanted: str) -> str:
        """A name that no item of the edition and no other outcome has: the wanted one, or with a number after it."""
        taken = {a.ident for a in self.frame.edition.anchors()} | {r.anchor.ident for r in self.rules}
        numbered = (f"{wanted}-{number}" for number in itertools.count(2))
        return next(name for name in itertools.chain((wanted,), numbered) if name not in taken)

    def triggers(self, rule: Rule) -> Mapping[str, Atom]:
        return {t.phrase: t for t in rule.triggers}

    def defeats(self, rule: Rule) -> None:
        """What may defeat a rule, and the rule that it fires when nothing does."""
        ident = rule.anchor.ident
        terms = tuple(Var(v) for v in self.frame.variables[ident])
        for event in self.triggers(rule):
            token = self.frame.any_token(names.on(event))
            self.unless(ident, rule.defeaters, token)
            for exemption in self.frame.edition.exemptions:
                if exemption.anchor.ident not in rule.regardless:
                    self.exemption_at_rule(exemption, rule, token)
        for other in self.frame.edition.rules:
            if ident in other.overrides:
                self.override(other, rule)
        for event in self.triggers(rule):
            self.fires(ident, self.frame.any_token(names.on(event)), terms, rule.anchor.span)

    def fires(self, site: str, token: Pattern, terms: tuple[Var, ...], span: Span) -> None:
        defeated = Pattern(names.defeat(site), (*terms, self.frame.shop.fresh()))
        body = Body(token, conditions=(Pattern(names.match(site), terms),), absences=(defeated,))
        name = f"{site}/fire/{token.predicate}"
        self.frame.shop.produce(name, body, Pattern(names.fire(site), terms), site, span)

    def unless(
        self,
        site: str,
        defeaters: Sequence[Defeater],
        token: Pattern,
        bindings: tuple[tuple[Var, Var | str], ...] = (),
        apart: Mapping[str, Variable] | None = None,
    ) -> None:
        terms = tuple(Var(v) for v in self.frame.variables[site])
        for number, defeater in enumerate(defeaters):
            conditions = [substitute(c, apart or {}) for c in defeater.conditions]
            start = Body(token, conditions=(Pattern(names.match(site), terms),), bindings=bindings)
            kinds, _ = variable_kinds(conditions, self.frame.vocabulary, defeater.span)
            head = Pattern(names.defeat(site), (*terms, f"unless:{number}"))
            for count, body in enumerate(self.frame.guarded(self.frame.lower([start], conditions, site), kinds)):
                name = f"{site}/unless.{number + 1}.{count + 1}/{token.predicate}"
                self.frame.shop.produce(name, body, head, site, defeater.span)

    def override(self, winner: Rule, loser: Rule) -> None:
        mine, yours = self.triggers(winner), self.triggers(loser)
        shared = sorted(mine.keys() & yours.keys())
        if not shared:
            place = winner.anchor.span.place_of(loser.anchor.ident)
            found = report("overrides-nothing", place, rule=loser.anchor.ident, by=winner.anchor.ident)
            self.frame.shop.diagnostics.append(found)
        for event in shared:
            same: dict[str, Term] = {}
            for one, two in zip(mine[event].arguments, yours[event].arguments, strict=True):
                if isinstance(one, Variable) and two is not None:
                    same[one.name] = self.frame.shop.term(two, loser.anchor.span)
            subjects = zip(_subjects(winner), _subjects(loser), strict=False)
            same |= {w.name: self.frame.shop.term(s, loser.anchor.span) for w, s in subjects if isinstance(w, Variable)}
            terms = tuple(Var(v) for v in self.frame.variables[loser.anchor.ident])
            theirs = tuple(same.get(v, self.frame.shop.fresh()) for v in self.frame.variables[winner.anchor.ident])
            matched = Pattern(names.match(loser.anchor.ident), terms)
            won = Pattern(names.fire(winner.anchor.ident), theirs)
            head = Pattern(names.defeat(loser.anchor.ident), (*terms, f"rule:{winner.anchor.ident}"))
            name = f"{loser.anchor.ident}/overridden/{winner.anchor.ident}/{event}"
            body = Body(self.frame.any_token(names.on(event)), conditions=(matched, won))
            self.frame.shop.produce(name, body, head, loser.anchor.ident, winner.anchor.span)

    # --- exemptions ----------------------------------------------------------------------------------------------

    def exemption_at_rule(self, exemption: Exemption, rule: Rule, token: Pattern) -> None:
        ident = rule.anchor.ident
        acts = [e.act for e in rule.effects if isinstance(e.act, Atom) and not e.act.negated]
        hit = [tied for act in acts if (tied := _unify(exemption.head, act)) is not None]
        if not hit:
            return
        if len(hit) < len(rule.effects):
            return  # the rule has other effects too: it fires, and the event is asked about when its turn comes
        site = f"{exemption.anchor.ident}@{ident}"
        self.exemption(exemption, site, ident, token, hit[0])
        terms = tuple(Var(v) for v in self.frame.variables[ident])
        head = Pattern(names.defeat(ident), (*terms, f"exemption:{exemption.anchor.ident}"))
        body = Body(token, conditions=(Pattern(names.match(ident), terms), Pattern(names.fire(site), terms)))
        name = f"{ident}/exempted/{exemption.anchor.ident}/{token.predicate}"
        self.frame.shop.produce(name, body, head, ident, exemption.anchor.span)

    def event_site(self, exemption: Exemption) -> None:
        """The event itself, asked about when its turn comes."""
        event = exemption.head.phrase
        self.exempted.add(event)
        phrase = self.frame.vocabulary.phrases[event]
        roles = tuple(f"@{r.name}" for r in phrase.roles)
        base = f"event:{event}"
        if base not in self.frame.variables:
            self.frame.variables[base] = roles
            head = self.frame.head(names.match(base), roles, {f"@{r.name}": r.kind for r in phrase.roles}, base)
            body = Body(Pattern(names.may(event), head.terms))
            self.frame.shop.prefixes[base] = (body,)
            self.frame.shop.produce(f"{base}/match", body, head, base, phrase.span)
        bindings: list[tuple[Var, Var | str]] = []
        for role, argument in zip(roles, exemption.head.arguments, strict=True):
            if isinstance(argument, Variable):
                bindings.append((Var(argument.name), Var(role)))
            elif isinstance(argument, Individual):
                bindings.append((Var(role), argument.ident))
        token = self.frame.any_token(names.may(event))
        self.exemption(exemption, f"{exemption.anchor.ident}@{base}", base, token, tuple(bindings))

    def exemption(
        self,
        exemption: Exemption,
        site: str,
        base: str,
        token: Pattern,
        bindings: tuple[tuple[Var, Var | str], ...],
    ) -> None:
        """The exemption's own match, defeat and fire, for one rule or event it may keep from coming about."""
        ident, span = exemption.anchor.ident, exemption.anchor.span
        terms = tuple(Var(v) for v in self.frame.variables[base])
        columns = self.frame.shop.columns[names.match(base)]
        self.frame.variables[site] = self.frame.variables[base]
        self.frame.shop.prefixes[site] = self.frame.shop.prefixes[base]
        for predicate in (names.match(site), names.fire(site)):
            self.frame.shop.declare(predicate, columns, ident)
        self.frame.shop.declare(names.defeat(site), (*columns, "symbol"), ident)
        # The exemption's variables may be called like the rule's: they are renamed apart before they are tied.
        unless = [c for d in exemption.defeaters for c in d.conditions]
        own = free_variables([exemption.head, *exemption.conditions, *unless])
        apart = {v: Variable(f"{ident}.{v}") for v in own}
        tied = tuple((Var(apart[v.name].name) if v.name in apart else v, t) for v, t in bindings)
        conditions = [substitute(c, apart) for c in exemption.conditions]
        kinds, _ = variable_kinds([substitute(exemption.head, apart), *conditions], self.frame.vocabulary, span)
        start = Body(token, conditions=(Pattern(names.match(base), terms),), bindings=tied)
        for number, body in enumerate(self.frame.guarded(self.frame.lower([start], conditions, site), kinds)):
            name = f"{site}/match.{number + 1}/{token.predicate}"
            self.frame.shop.produce(name, body, Pattern(names.match(site), terms), site, span)
        self.unless(site, exemption.defeaters, token, tied, apart)
        for other in self.frame.edition.exemptions:
            if ident in other.overrides:
                winner = Pattern(names.fire(f"{other.anchor.ident}@{base}"), terms)
                self.frame.shop.declare(winner.predicate, columns, other.anchor.ident)
                body = Body(token, conditions=(Pattern(names.match(site), terms), winner))
                head = Pattern(names.defeat(site), (*terms, f"exemption:{other.anchor.ident}"))
                name = f"{site}/overridden/{other.anchor.ident}/{token.predicate}"
                self.frame.shop.produce(name, body, head, site, other.anchor.span)
        self.fires(site, token, terms, span)


def _shared(triggers: Sequence[Atom]) -> dict[str, None]:
    """The variables that each of several triggers has."""
    each = [free_variables([trigger]) for trigger in triggers]
    return {name: None for name in each[0] if all(name in names_ for names_ in each)} if each else {}


def _subjects(rule: Rule) -> list[Expression]:
    """What the first effect of a rule is about: its first place."""
    act = rule.effects[0].act
    arguments = act.arguments if isinstance(act, Atom) else act.measure.arguments if isinstance(act, Change) else ()
    return [a for a in arguments[:1] if isinstance(a, Variable | Individual)]


def _unify(head: Atom, act: Atom) -> tuple[tuple[Var, Var | str], ...] | None:
    """How the variables of an exemption's head are tied to an effect; None when the two never meet."""
    if head.phrase != act.phrase:
        return None
    tied: list[tuple[Var, Var | str]] = []
    for one, two in zip(head.arguments, act.arguments, strict=True):
        if one is None:
            continue
        left, right = _plain(one), _plain(two)
        if isinstance(left, Var):
            tied.append((left, right))
        elif isinstance(right, Var):
            tied.append((right, left))
        elif left != right:
            return None
    return tuple(tied)


def _plain(expression: Expression | None) -> Var | str:
    if isinstance(expression, Variable):
        return Var(expression.name)
    return expression.ident if isinstance(expression, Individual) else NOBODY
