"""From the typed model of an edition to its program: one stratified set of productions.

For a rule R the productions are

    match:R   the trigger and the conditions hold
    defeat:R  an ``unless`` clause, an exemption or an overriding rule speaks against it
    fire:R    it matches and nothing defeats it (one stage above ``defeat:R``)

An exemption has the same three predicates once for each rule it may defeat (``exemption@rule``), and once for the event
itself, so that an event that has been waiting is asked about again when its turn comes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rulewright.diagnostics import Diagnostic, report
from rulewright.lowering import names
from rulewright.lowering.bodies import NUMBER_COLUMN, TOTAL, Body, Count, Use, Workshop, column
from rulewright.lowering.strata import stages
from rulewright.model import (
    FACTS,
    MEASURES,
    NUMBER,
    Atom,
    Condition,
    Defeater,
    Definition,
    Edition,
    Exemption,
    Exists,
    Expression,
    Individual,
    Rule,
    Same,
    Test,
    Variable,
)
from rulewright.phrases.words import roles_of
from rulewright.productions import NOBODY, Pattern, Production, Program, Term, Var
from rulewright.resolve.kinds import variable_kinds
from rulewright.text import Span
from rulewright.walk import children, descend, substitute

COMPLEMENT = {">=": "<", ">": "<=", "<=": ">", "<": ">=", "=": "!=", "!=": "="}


@dataclass(frozen=True)
class Compiled:
    """An edition ready to be played.

    Attributes:
        variables: the variables of each rule, test and exemption site, in the order of the columns of ``fire:...``.
        uses: for each production, how the conditions of the text went into it.
        aliases: for each production, variables of the text that it knows under another name.
        counts: counts to be worked out between stages.
        owners: the item of the text that each predicate belongs to.
        stage_of: the stage of each predicate.
        exempted: events that an exemption may keep from coming about.
    """

    edition: Edition
    program: Program
    variables: Mapping[str, tuple[str, ...]]
    uses: Mapping[str, tuple[Use, ...]]
    aliases: Mapping[str, Mapping[Var, Term]]
    counts: tuple[Count, ...]
    owners: Mapping[str, str]
    stage_of: Mapping[str, int]
    exempted: frozenset[str]

    @cached_property
    def by_trigger(self) -> Mapping[str, tuple[Production, ...]]:
        """Productions by the predicate of their token."""
        table: dict[str, list[Production]] = {}
        for production in self.program.productions:
            table.setdefault(production.trigger.predicate, []).append(production)
        return {key: tuple(group) for key, group in table.items()}

    @cached_property
    def defined(self) -> frozenset[str]:
        """Predicates that definitions derive."""
        return frozenset(names.fact(d.head.phrase) for d in self.edition.definitions)

    def needs(self, trigger: str) -> tuple[str, ...]:
        """The definitions that the productions of a token rest on, directly or through others."""
        if trigger not in self._needs:
            found: set[str] = set()
            queue = [trigger]
            while queue:
                for production in self.by_trigger.get(queue.pop(), ()):
                    for pattern in (*production.conditions, *production.absences):
                        if pattern.predicate in self.defined and pattern.predicate not in found:
                            found.add(pattern.predicate)
                            queue.append(names.need(pattern.predicate.removeprefix("fact:")))
            self._needs[trigger] = tuple(sorted(names.need(p.removeprefix("fact:")) for p in found))
        return self._needs[trigger]

    @cached_property
    def _needs(self) -> dict[str, tuple[str, ...]]:
        return {}


def compile_edition(edition: Edition) -> tuple[Compiled | None, tuple[Diagnostic, ...]]:
    """Lowers an edition; None when what is wrong leaves no sound program."""
    lowering = _Lowering(edition)
    lowering.run()
    return lowering.result()


class _Lowering:
    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.vocabulary = edition.vocabulary
        self.shop = Workshop(edition.vocabulary)
        self.variables: dict[str, tuple[str, ...]] = {}
        self.exempted: set[str] = set()
        self.kinds: dict[str, Mapping[str, str]] = {}

    def run(self) -> None:
        self.declare_vocabulary()
        for definition in self.edition.definitions:
            self.definition(definition)
        for rule in self.edition.rules:
            self.rule(rule)
        for exemption in self.edition.exemptions:
            self.event_site(exemption)
        for rule in self.edition.rules:
            self.defeats(rule)
        for test in self.edition.tests:
            self.test(test)
        self.bookkeeping()

    # --- the vocabulary ------------------------------------------------------------------------------------------

    def declare_vocabulary(self) -> None:
        for kind in self.vocabulary.kinds:
            self.shop.declare(names.is_a(kind), ("symbol",), kind)
        for phrase in self.vocabulary.phrases.values():
            columns = self.shop.phrase_columns(phrase.ident)
            if phrase.kind in FACTS:
                self.shop.declare(names.fact(phrase.ident), columns, phrase.ident)
            elif phrase.kind in MEASURES:
                self.shop.declare(names.value(phrase.ident), (*columns, NUMBER_COLUMN), phrase.ident)
                if phrase.kind == "tally":
                    self.shop.declare(names.value(phrase.ident, before=True), (*columns, NUMBER_COLUMN), phrase.ident)
            else:
                for token in (names.on, names.book, names.may):
                    self.shop.declare(token(phrase.ident), columns, phrase.ident)
        self.shop.declare(names.ROLLED, ("symbol", "symbol", "number"), names.ROLLED)
        for outcome in (names.PASSES, names.FAILS):
            self.shop.declare(outcome, ("symbol", "symbol"), outcome)

    def always_there(self, event: str) -> frozenset[str]:
        """The places of an event that every wording fills."""
        plain = [set(roles_of(w.template)) for w in self.vocabulary.phrases[event].wordings if w.form == "plain"]
        return frozenset(set.intersection(*plain)) if plain else frozenset()

    # --- bodies with guarded kinds -------------------------------------------------------------------------------

    def guarded(self, bodies: Sequence[Body], kinds: Mapping[str, str], event: Atom | None) -> list[Body]:
        """Bodies in which each variable is tied to things of its kind, where its places do not do so already."""
        return [self._guard(body, kinds, event) for body in bodies]

    def _guard(self, body: Body, kinds: Mapping[str, str], event: Atom | None) -> Body:
        sure: set[str] = set()
        if event is not None:
            there = self.always_there(event.phrase)
            for role, argument in zip(self.vocabulary.phrases[event.phrase].roles, event.arguments, strict=True):
                if not isinstance(argument, Variable) or role.name not in there:
                    continue
                if self.vocabulary.is_a(role.kind, kinds.get(argument.name, "thing")):
                    sure.add(argument.name)
        for pattern in body.conditions:
            group, _, ident = pattern.predicate.partition(":")
            if group in ("fact", "value", "before") and ident in self.vocabulary.phrases:
                for role, term in zip(self.vocabulary.phrases[ident].roles, pattern.terms, strict=False):
                    if isinstance(term, Var) and self.vocabulary.is_a(role.kind, kinds.get(term.name, "thing")):
                        sure.add(term.name)
        loose = sorted(v.name for v in body.bound if v.name in kinds and v.name not in sure and kinds[v.name] != NUMBER)
        guards = tuple(Pattern(names.is_a(kinds[name]), (Var(name),)) for name in loose)
        return replace(body, conditions=(*guards, *body.conditions))

    def head(self, predicate: str, variables: Sequence[str], kinds: Mapping[str, str], owner: str) -> Pattern:
        self.shop.declare(predicate, tuple(column(kinds.get(v, "thing")) for v in variables), owner)
        return Pattern(predicate, tuple(Var(v) for v in variables))

    # --- definitions ---------------------------------------------------------------------------------------------

    def definition(self, definition: Definition) -> None:
        ident, span = definition.anchor.ident, definition.anchor.span
        kinds, _ = variable_kinds([definition.head, *definition.conditions], self.vocabulary, span)
        trigger = Pattern(names.need(definition.head.phrase))
        self.shop.declare(trigger.predicate, (), ident)
        start = Body(trigger, conditions=self._tied(definition.head, definition.conditions, kinds))
        head = self.shop.pattern(names.fact(definition.head.phrase), definition.head.arguments, definition.head.span)
        for number, body in enumerate(self.shop.bodies([start], definition.conditions, ident)):
            (guarded,) = self.guarded([body], kinds, None)
            self.shop.produce(f"{ident}/define.{number + 1}", guarded, head, ident, span)

    def _tied(self, head: Atom, conditions: Sequence[Condition], kinds: Mapping[str, str]) -> tuple[Pattern, ...]:
        """Ties the variables of a definition that no condition binds, such as one that is only said to differ."""
        binding = [c for c in conditions if not isinstance(c, Same) and not getattr(c, "negated", False)]
        bound = {n.name for c in binding for n in descend(c) if isinstance(n, Variable)}
        wanted = [a.name for a in head.arguments if isinstance(a, Variable)]
        return tuple(
            Pattern(names.is_a(kinds[v]), (Var(v),)) for v in wanted if v not in bound and kinds.get(v) != NUMBER
        )

    # --- rules ---------------------------------------------------------------------------------------------------

    def rule(self, rule: Rule) -> None:
        ident, span = rule.anchor.ident, rule.anchor.span
        choice = [rule.choice.variable, *rule.choice.conditions] if rule.choice else []
        unless = [c for d in rule.defeaters for c in d.conditions]
        nodes: list[Any] = [*rule.triggers, *rule.conditions, *choice, *unless, *rule.effects]
        kinds, _ = variable_kinds(nodes, self.vocabulary, span)
        self.kinds[ident] = kinds
        inside = _variables([*rule.triggers, *rule.conditions, *choice])
        outside = _variables([*rule.triggers, *rule.effects, *choice[:1]])
        outside |= {name: None for name in _variables(unless) if name in inside}
        if rule.choice and rule.choice.player_of:
            outside[rule.choice.player_of.name] = None
        self.variables[ident] = tuple(outside)
        head = self.head(names.match(ident), tuple(outside), kinds, ident)
        conditions = [*rule.conditions, *(rule.choice.conditions if rule.choice else ())]
        for index, trigger in enumerate(rule.triggers):
            start = Body(self.shop.pattern(names.on(trigger.phrase), trigger.arguments, trigger.span))
            bodies = self.guarded(self.shop.bodies([start], conditions, ident), kinds, trigger)
            for number, body in enumerate(bodies):
                self.shop.produce(f"{ident}/match.{index + 1}.{number + 1}", body, head, ident, span)
        self.head(names.fire(ident), tuple(outside), kinds, ident)
        self.shop.declare(names.defeat(ident), (*self.shop.columns[names.match(ident)], "symbol"), ident)
        for number, effect in enumerate(rule.effects):
            for event in effect.until_events:
                self.lasting(rule, number, event)

    def lasting(self, rule: Rule, number: int, event: Atom) -> None:
        """A lasting effect ends with an event."""
        ident = rule.anchor.ident
        lasts, end = names.lasts(f"{ident}.{number}"), names.end(f"{ident}.{number}")
        terms = tuple(Var(v) for v in self.variables[ident])
        for predicate in (lasts, end):
            self.shop.declare(predicate, self.shop.columns[names.match(ident)], ident)
        trigger = self.shop.pattern(names.book(event.phrase), event.arguments, event.span)
        body = Body(trigger, conditions=(Pattern(lasts, terms),))
        name = f"{ident}/until.{number + 1}/{event.phrase}"
        self.shop.produce(name, body, Pattern(end, terms), ident, event.span)

    def triggers(self, rule: Rule) -> Mapping[str, Atom]:
        return {t.phrase: t for t in rule.triggers}

    def defeats(self, rule: Rule) -> None:
        """What may defeat a rule, and the rule that it fires when nothing does."""
        ident = rule.anchor.ident
        terms = tuple(Var(v) for v in self.variables[ident])
        for event in self.triggers(rule):
            token = self.any_token(names.on(event))
            self.unless(ident, rule.defeaters, token)
            for exemption in self.edition.exemptions:
                if exemption.anchor.ident not in rule.regardless:
                    self.exemption_at_rule(exemption, rule, token)
        for other in self.edition.rules:
            if ident in other.overrides:
                self.override(other, rule)
        for event in self.triggers(rule):
            self.fires(ident, self.any_token(names.on(event)), terms, rule.anchor.span)

    def any_token(self, predicate: str) -> Pattern:
        """The token of an event, whatever its places hold."""
        return Pattern(predicate, tuple(self.shop.fresh() for _ in self.shop.columns[predicate]))

    def fires(self, site: str, token: Pattern, terms: tuple[Var, ...], span: Span) -> None:
        defeated = Pattern(names.defeat(site), (*terms, self.shop.fresh()))
        body = Body(token, conditions=(Pattern(names.match(site), terms),), absences=(defeated,))
        name = f"{site}/fire/{token.predicate}"
        self.shop.produce(name, body, Pattern(names.fire(site), terms), site, span)

    def unless(self, site: str, defeaters: Sequence[Defeater], token: Pattern) -> None:
        terms = tuple(Var(v) for v in self.variables[site])
        for number, defeater in enumerate(defeaters):
            start = Body(token, conditions=(Pattern(names.match(site), terms),))
            kinds, _ = variable_kinds(defeater.conditions, self.vocabulary, defeater.span)
            head = Pattern(names.defeat(site), (*terms, f"unless:{number}"))
            bodies = self.guarded(self.shop.bodies([start], defeater.conditions, site), kinds, None)
            for count, body in enumerate(bodies):
                name = f"{site}/unless.{number + 1}.{count + 1}/{token.predicate}"
                self.shop.produce(name, body, head, site, defeater.span)

    def override(self, winner: Rule, loser: Rule) -> None:
        mine, yours = self.triggers(winner), self.triggers(loser)
        shared = sorted(mine.keys() & yours.keys())
        if not shared:
            span = winner.anchor.span
            self.shop.diagnostics.append(
                report("overrides-nothing", span, rule=loser.anchor.ident, by=winner.anchor.ident)
            )
        for event in shared:
            same: dict[str, Var | str | int] = {}
            for one, two in zip(mine[event].arguments, yours[event].arguments, strict=True):
                if isinstance(one, Variable) and two is not None:
                    same[one.name] = self.shop.term(two, loser.anchor.span)
            terms = tuple(Var(v) for v in self.variables[loser.anchor.ident])
            theirs = tuple(same.get(v, self.shop.fresh()) for v in self.variables[winner.anchor.ident])
            matched = Pattern(names.match(loser.anchor.ident), terms)
            body = Body(
                self.any_token(names.on(event)),
                conditions=(matched, Pattern(names.fire(winner.anchor.ident), theirs)),
            )
            head = Pattern(names.defeat(loser.anchor.ident), (*terms, f"rule:{winner.anchor.ident}"))
            name = f"{loser.anchor.ident}/overridden/{winner.anchor.ident}/{event}"
            self.shop.produce(name, body, head, loser.anchor.ident, winner.anchor.span)

    # --- exemptions ----------------------------------------------------------------------------------------------

    def exemption_at_rule(self, exemption: Exemption, rule: Rule, token: Pattern) -> None:
        ident = rule.anchor.ident
        hit = [
            (e.act, s)
            for e in rule.effects
            if isinstance(e.act, Atom) and not e.act.negated
            for s in [_unify(exemption.head, e.act)]
            if s is not None
        ]
        if not hit:
            return
        if len(hit) < len(rule.effects):
            span = rule.anchor.span
            self.shop.diagnostics.append(report("half-exempted", span, rule=ident, exemption=exemption.anchor.ident))
            return
        site = f"{exemption.anchor.ident}@{ident}"
        bindings = tuple(b for _, s in hit[:1] for b in s)
        self.exemption(exemption, site, ident, token, bindings)
        terms = tuple(Var(v) for v in self.variables[ident])
        head = Pattern(names.defeat(ident), (*terms, f"exemption:{exemption.anchor.ident}"))
        body = Body(token, conditions=(Pattern(names.match(ident), terms), Pattern(names.fire(site), terms)))
        name = f"{ident}/exempted/{exemption.anchor.ident}/{token.predicate}"
        self.shop.produce(name, body, head, ident, exemption.anchor.span)

    def event_site(self, exemption: Exemption) -> None:
        """The event itself, asked about when its turn comes."""
        event = exemption.head.phrase
        self.exempted.add(event)
        phrase = self.vocabulary.phrases[event]
        roles = tuple(f"@{r.name}" for r in phrase.roles)
        base = f"event:{event}"
        if base not in self.variables:
            self.variables[base] = roles
            self.head(names.match(base), roles, {f"@{r.name}": r.kind for r in phrase.roles}, base)
            terms = tuple(Var(r) for r in roles)
            body = Body(Pattern(names.may(event), terms))
            self.shop.produce(f"{base}/match", body, Pattern(names.match(base), terms), base, phrase.span)
        bindings: list[tuple[Var, Var | str]] = []
        for role, argument in zip(roles, exemption.head.arguments, strict=True):
            if isinstance(argument, Variable):
                bindings.append((Var(argument.name), Var(role)))
            elif isinstance(argument, Individual):
                bindings.append((Var(role), argument.ident))
        token = self.any_token(names.may(event))
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
        span = exemption.anchor.span
        variables = self.variables[base]
        terms = tuple(Var(v) for v in variables)
        columns = self.shop.columns[names.match(base)]
        self.variables[site] = variables
        for predicate in (names.match(site), names.fire(site)):
            self.shop.declare(predicate, columns, exemption.anchor.ident)
        self.shop.declare(names.defeat(site), (*columns, "symbol"), exemption.anchor.ident)
        # The exemption's variables may be called like the rule's: they are renamed apart before they are tied.
        own = _variables(
            [exemption.head, *exemption.conditions, *(c for d in exemption.defeaters for c in d.conditions)]
        )
        apart = {v: Variable(f"{exemption.anchor.ident}.{v}") for v in own}
        tied = tuple((Var(apart[v.name].name) if v.name in apart else v, t) for v, t in bindings)
        conditions = [substitute(c, apart) for c in exemption.conditions]
        start = Body(token, conditions=(Pattern(names.match(base), terms),), bindings=tied)
        kinds, _ = variable_kinds([substitute(exemption.head, apart), *conditions], self.vocabulary, span)
        for number, body in enumerate(self.guarded(self.shop.bodies([start], conditions, site), kinds, None)):
            name = f"{site}/match.{number + 1}/{token.predicate}"
            self.shop.produce(name, body, Pattern(names.match(site), terms), site, span)
        for number, defeater in enumerate(exemption.defeaters):
            start = Body(token, conditions=(Pattern(names.match(site), terms),), bindings=tied)
            unless = [substitute(c, apart) for c in defeater.conditions]
            for count, body in enumerate(self.shop.bodies([start], unless, site)):
                name = f"{site}/unless.{number + 1}.{count + 1}/{token.predicate}"
                head = Pattern(names.defeat(site), (*terms, f"unless:{number}"))
                self.shop.produce(name, body, head, site, defeater.span)
        for other in self.edition.exemptions:
            if exemption.anchor.ident in other.overrides:
                winner = Pattern(names.fire(f"{other.anchor.ident}@{base}"), terms)
                body = Body(token, conditions=(Pattern(names.match(site), terms), winner))
                head = Pattern(names.defeat(site), (*terms, f"exemption:{other.anchor.ident}"))
                self.shop.declare(winner.predicate, columns, other.anchor.ident)
                name = f"{site}/overridden/{other.anchor.ident}/{token.predicate}"
                self.shop.produce(name, body, head, site, other.anchor.span)
        self.fires(site, token, terms, span)

    # --- tests ---------------------------------------------------------------------------------------------------

    def test(self, test: Test) -> None:
        """A test: whether all it needs is known, and whether a total passes or fails it."""
        ident, span = test.anchor.ident, test.anchor.span
        kinds, _ = variable_kinds([test.trigger, test.success], self.vocabulary, span)
        self.kinds[ident] = kinds
        bearer, kind = (self.shop.term(a, span) for a in test.trigger.arguments[:2])
        if not isinstance(bearer, Var):
            self.shop.diagnostics.append(report("test-without-bearer", span, test=ident))
            return
        self.variables[ident] = (bearer.name,)
        token = Pattern(names.ROLLED, (bearer, kind, TOTAL))
        outcomes = ((names.PASSES, test.success), (names.FAILS, _complement(test.success)))
        for predicate, success in outcomes:
            for body in self.shop.bodies([Body(token)], [success], ident):
                head = Pattern(predicate, (bearer, kind))
                self.shop.produce(f"{ident}/{predicate.partition(':')[2]}", body, head, ident, span)
        ready = Pattern(names.ready(ident), (bearer,))
        self.shop.declare(ready.predicate, ("symbol",), ident)
        start = Body(self.shop.pattern(names.on(test.trigger.phrase), test.trigger.arguments, span))
        for body in self.shop.bodies([start], [test.success], ident):
            known = replace(body, comparisons=())
            self.shop.produce(f"{ident}/ready", known, ready, ident, span)

    # --- tallies, records ------------------------------------------------------------------------------------------

    def bookkeeping(self) -> None:
        for ident, tally in self.vocabulary.tallies.items():
            phrase = self.vocabulary.phrases[ident]
            keys = tuple(Var(r.name) for r in phrase.roles)
            amount = Var(tally.amount.name)
            self.shop.declare(names.add(ident), (*self.shop.phrase_columns(ident), NUMBER_COLUMN), ident)
            start = Body(self.shop.pattern(names.book(tally.event.phrase), tally.event.arguments, phrase.span))
            kinds, _ = variable_kinds([tally.event, *tally.conditions], self.vocabulary, phrase.span)
            bodies = self.guarded(self.shop.bodies([start], tally.conditions, ident), kinds, tally.event)
            for number, body in enumerate(bodies):
                head = Pattern(names.add(ident), (*keys, amount))
                self.shop.produce(f"{ident}/add.{number + 1}", body, head, ident, phrase.span)
        for ident, record in self.vocabulary.records.items():
            phrase = self.vocabulary.phrases[ident]
            head = Pattern(names.keep(ident), tuple(Var(r.name) for r in phrase.roles))
            columns = self.shop.phrase_columns(ident)
            self.shop.declare(head.predicate, columns, ident)
            body = Body(self.shop.pattern(names.book(record.event.phrase), record.event.arguments, phrase.span))
            kinds, _ = variable_kinds([record.event], self.vocabulary, phrase.span)
            (guarded,) = self.guarded([body], kinds, record.event)
            self.shop.produce(f"{ident}/keep", guarded, head, ident, phrase.span)
            for number, event in enumerate(record.until):
                trigger = self.shop.pattern(names.book(event.phrase), event.arguments, event.span)
                kept = Pattern(names.fact(ident), head.terms)
                ended = Pattern(names.end(ident), head.terms)
                self.shop.declare(ended.predicate, columns, ident)
                name = f"{ident}/end.{number + 1}"
                self.shop.produce(name, Body(trigger, conditions=(kept,)), ended, ident, event.span)

    # --- the whole -----------------------------------------------------------------------------------------------

    def result(self) -> tuple[Compiled | None, tuple[Diagnostic, ...]]:
        shop = self.shop
        if any(d.severity == "error" for d in shop.diagnostics):
            return None, tuple(shop.diagnostics)
        positive: dict[str, set[str]] = {}
        negative: dict[str, set[str]] = {}
        for production in shop.productions:
            positive.setdefault(production.head.predicate, set()).update(p.predicate for p in production.conditions)
            negative.setdefault(production.head.predicate, set()).update(p.predicate for p in production.absences)
        for count in shop.counts:
            negative.setdefault(count.target, set()).add(count.source)
        stage_of, circle = stages(positive, negative)
        if circle is not None:
            self.shop.diagnostics.append(self._circle(circle))
            return None, tuple(shop.diagnostics)
        staged = tuple(replace(p, stage=stage_of[p.head.predicate]) for p in shop.productions)
        mentioned = {p.predicate for x in staged for p in (x.trigger, x.head, *x.conditions, *x.absences)}
        mentioned |= {n for c in shop.counts for n in (c.source, c.target)}
        columns = {name: shop.columns[name] for name in sorted(mentioned)}
        compiled = Compiled(
            edition=self.edition,
            program=Program(tuple(sorted(staged, key=lambda p: p.name)), columns),
            variables=self.variables,
            uses=shop.uses,
            aliases=shop.aliases,
            counts=tuple(shop.counts),
            owners=shop.owners,
            stage_of=stage_of,
            exempted=frozenset(self.exempted),
        )
        return compiled, tuple(shop.diagnostics)

    def _circle(self, circle: Sequence[str]) -> Diagnostic:
        items = list(dict.fromkeys(self.shop.owners.get(p, p).split("@")[0] for p in circle))
        spans = {a.ident: a.span for a in self.edition.anchors()}
        places = [(i, spans[i]) for i in items if i in spans]
        span = places[0][1] if places else None
        return report("circle", span, places[1:], circle=" -> ".join([*items, items[0]]))


# --- small things ----------------------------------------------------------------------------------------------------


def _variables(nodes: Sequence[Any]) -> dict[str, None]:
    """The variables of nodes that are not local to a quantifier, in the order they are first mentioned."""
    found: dict[str, None] = {}
    for node in nodes:
        if isinstance(node, Exists) and (node.negated or node.at_least > 1):
            found |= {name: None for name in _variables(node.conditions) if name != node.variable.name}
        elif isinstance(node, Variable):
            found[node.name] = None
        else:
            found |= _variables(children(node))
    return found


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
    if isinstance(expression, Individual):
        return expression.ident
    return NOBODY


def _complement(comparison: Any) -> Any:
    return replace(comparison, operator=COMPLEMENT[comparison.operator])
