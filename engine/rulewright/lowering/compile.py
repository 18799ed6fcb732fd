"""From the typed model of an edition to its program: one stratified set of productions.

For a rule R the productions are

    match:R   the trigger and the conditions hold
    defeat:R  an ``unless`` clause, an exemption or an overriding rule speaks against it
    fire:R    it matches and nothing defeats it (one stage above ``defeat:R``)

An exemption has the same three predicates once for each rule it may defeat (``exemption@rule``), and once for the event
itself, so that an event that has been waiting is asked about again when its turn comes.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rulewright.diagnostics import Diagnostic, report
from rulewright.lowering import names
from rulewright.lowering.bodies import CHARACTERISTIC, TOTAL, Bodies, column
from rulewright.lowering.strata import stages
from rulewright.lowering.workshop import Aggregate, Body, Use, WorkedOut, Workshop
from rulewright.model import (
    COMPLEMENT,
    FACTS,
    FAILS_TEST,
    MEASURES,
    NUMBER,
    PASSES_TEST,
    Anchor,
    Atom,
    Change,
    Condition,
    Create,
    Defeater,
    Definition,
    Edition,
    Effect,
    Exemption,
    Exists,
    Expression,
    Individual,
    MeasureOf,
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


@dataclass(frozen=True)
class Compiled:
    """An edition ready to be played.

    Attributes:
        rules: its rules, and for each test with outcomes of its own, a rule for its success and its failure.
        variables: the variables of each rule, test and exemption site, in the order of the columns of ``fire:...``.
        uses: for each production, how the conditions of the text went into it.
        aliases: for each production, variables of the text that it knows under another name.
        aggregates: what is worked out between stages.
        worked_out: measures that are worked out.
        needs_of: for each production, the tokens of the definitions and measures that it rests on.
        stage_of: the stage of each predicate.
        exempted: events that an exemption may keep from coming about.
    """

    edition: Edition
    program: Program
    rules: tuple[Rule, ...]
    variables: Mapping[str, tuple[str, ...]]
    uses: Mapping[str, tuple[Use, ...]]
    aliases: Mapping[str, Mapping[Var, Term]]
    aggregates: tuple[Aggregate, ...]
    worked_out: Mapping[str, WorkedOut]
    needs_of: Mapping[str, frozenset[str]]
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

    @cached_property
    def anchors(self) -> Mapping[str, Anchor]:
        """The anchors of everything that cites the source, by ident."""
        return {a.ident: a for a in (*self.edition.anchors(), *(r.anchor for r in self.rules))}

    def needs(self, trigger: str) -> tuple[str, ...]:
        """The tokens of definitions and measures that the productions of a token rest on, directly or not."""
        if trigger not in self._needs:
            found: set[str] = set()
            queue = [trigger]
            while queue:
                for production in self.by_trigger.get(queue.pop(), ()):
                    further = self.needs_of.get(production.name, frozenset()) - found
                    found |= further
                    queue += further
            self._needs[trigger] = tuple(sorted(found))
        return self._needs[trigger]

    @cached_property
    def _needs(self) -> dict[str, tuple[str, ...]]:
        return {}


def compile_edition(edition: Edition) -> tuple[Compiled | None, tuple[Diagnostic, ...]]:
    """Lowers an edition; None when what is wrong leaves no sound program."""
    return _Lowering(edition).run()


class _Lowering:
    def __init__(self, edition: Edition) -> None:
        self.edition = edition
        self.vocabulary = edition.vocabulary
        self.shop = Workshop(edition.vocabulary, frozenset(d.head.phrase for d in edition.definitions))
        self.lower = Bodies(self.shop).lower
        self.rules: list[Rule] = []
        self.variables: dict[str, tuple[str, ...]] = {}
        self.exempted: set[str] = set()

    def run(self) -> tuple[Compiled | None, tuple[Diagnostic, ...]]:
        self.declare_vocabulary()
        for measure in self.edition.measures:
            keys = tuple(a.name for a in measure.head.arguments if isinstance(a, Variable))
            self.shop.work_out(
                measure.head.phrase,
                keys,
                measure.how,
                measure.subject,
                measure.conditions,
                measure.anchor.ident,
                measure.anchor.span,
            )
        for rule in self.edition.rules:
            self.rule(rule)
        for exemption in self.edition.exemptions:
            self.event_site(exemption)
        for rule in self.rules:
            self.defeats(rule)
        for test in self.edition.tests:
            self.test(test)
        self.bookkeeping()
        self.on_demand()
        return self.result()

    # --- the vocabulary ------------------------------------------------------------------------------------------

    def declare_vocabulary(self) -> None:
        for kind in self.vocabulary.kinds:
            self.shop.declare(names.is_a(kind), ("symbol",), kind)
        for phrase in self.vocabulary.phrases.values():
            columns = tuple(column(r.kind) for r in phrase.roles)
            if phrase.kind in FACTS:
                self.shop.declare(names.fact(phrase.ident), columns, phrase.ident)
            elif phrase.kind in MEASURES:
                self.shop.declare(names.value(phrase.ident), (*columns, "number"), phrase.ident)
                if phrase.kind == "tally":
                    self.shop.declare(names.value(phrase.ident, before=True), (*columns, "number"), phrase.ident)
            else:
                for token in (names.on, names.book, names.may):
                    self.shop.declare(token(phrase.ident), columns, phrase.ident)
        self.shop.declare(names.ROLLED, ("symbol", "symbol", "number", "number"), names.ROLLED)
        self.shop.declare(names.SETTLE, (), names.SETTLE)
        for predicate in (names.CAUSE, names.CHAIN):
            self.shop.declare(predicate, ("symbol",), predicate)
        for outcome in (names.PASSES, names.FAILS):
            self.shop.declare(outcome, ("symbol", "symbol"), outcome)

    def always_there(self, event: str) -> frozenset[str]:
        """The places of an event that every wording fills."""
        plain = [set(roles_of(w.template)) for w in self.vocabulary.phrases[event].wordings if w.form == "plain"]
        return frozenset(set.intersection(*plain)) if plain else frozenset()

    # --- bodies with guarded kinds -------------------------------------------------------------------------------

    def guarded(self, bodies: Sequence[Body], kinds: Mapping[str, str], event: Atom | None = None) -> list[Body]:
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
            if group in ("match", "lasts", "awaits"):
                sure |= {t.name for t in pattern.terms if isinstance(t, Var)}
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

    # --- definitions and measures, on demand -----------------------------------------------------------------------

    def on_demand(self) -> None:
        """Lowers definitions and measures for all the ways they are asked for, and for a question from outside."""
        for definition in self.edition.definitions:
            self.shop.asked.setdefault((definition.head.phrase, "b" * len(definition.head.arguments)))
            self.shop.asked.setdefault((definition.head.phrase, "f" * len(definition.head.arguments)))
        for ident, measure in self.shop.worked_out.items():
            self.shop.asked.setdefault((ident, "b" * len(measure.keys)))
        done = 0
        while done < len(self.shop.asked):
            ident, places = list(self.shop.asked)[done]
            done += 1
            if ident in self.shop.worked_out:
                self.measure(ident, places)
            else:
                for definition in self.edition.definitions:
                    if definition.head.phrase == ident:
                        self.definition(definition, places)

    def definition(self, definition: Definition, places: str) -> None:
        ident, span, head = definition.anchor.ident, definition.anchor.span, definition.head
        kinds, _ = variable_kinds([head, *definition.conditions], self.vocabulary, span)
        pattern = self.shop.pattern(names.fact(head.phrase), head.arguments, head.span)
        start = self.asked_for(head.phrase, places, pattern.terms, ident)
        known = {t for p in start.conditions for t in p.terms}
        tied = tuple(p for p in self._tied(head, definition.conditions, kinds) if p.terms[0] not in known)
        start = replace(start, conditions=(*start.conditions, *tied))
        for number, body in enumerate(self.lower([start], definition.conditions, f"{ident}.{places}")):
            (guarded,) = self.guarded([body], kinds)
            self.shop.produce(f"{ident}/define.{number + 1}/{places}", guarded, pattern, ident, span)

    def asked_for(self, ident: str, places: str, terms: Sequence[Term], owner: str) -> Body:
        """The beginning of the bodies that work something out: the token, and for which things it is wanted."""
        trigger = Pattern(names.need(ident, places))
        self.shop.declare(trigger.predicate, (), owner)
        known = tuple(t for t, p in zip(terms, places, strict=True) if p == "b")
        if not known:
            return Body(trigger)
        asked = Pattern(names.ask(ident, places), known)
        columns = self.shop.columns[names.fact(ident) if ident in self.shop.defined else names.value(ident)]
        wanted = tuple(c for c, p in zip(columns, places, strict=False) if p == "b")
        self.shop.declare(asked.predicate, wanted, owner)
        return Body(trigger, conditions=(asked,))

    def _tied(self, head: Atom, conditions: Sequence[Condition], kinds: Mapping[str, str]) -> tuple[Pattern, ...]:
        """Ties the variables of a definition that no condition binds, such as one that is only said to differ."""
        binding = [c for c in conditions if not isinstance(c, Same) and _binds(c)]
        bound = {n.name for c in binding for n in descend(c) if isinstance(n, Variable)}
        wanted = [a.name for a in head.arguments if isinstance(a, Variable)]
        return tuple(
            Pattern(names.is_a(kinds[v]), (Var(v),)) for v in wanted if v not in bound and kinds.get(v) != NUMBER
        )

    def measure(self, ident: str, places: str) -> None:
        """A measure that is worked out: what it is gathered from, and how."""
        wanted = self.shop.worked_out[ident]
        keys = tuple(Var(k) for k in wanted.keys)
        conditions: list[Condition] = list(wanted.conditions)
        kinds, _ = variable_kinds([*conditions, wanted.subject], self.vocabulary, wanted.span)
        start = self.asked_for(ident, places, keys, wanted.owner)
        parts: list[Expression] = []
        if wanted.how != "counts":
            inside = [n for n in descend(wanted.subject) if isinstance(n, MeasureOf | Variable)]
            local = {k for n in inside if isinstance(n, MeasureOf) for k in children(n)}
            parts = list(dict.fromkeys(n for n in inside if isinstance(n, MeasureOf) or n not in local))
        looked_up = Bodies(self.shop)
        bodies = self.lower([start], conditions, f"{wanted.owner}.measure")
        head: list[Var] = list(keys)
        values: list[Var] = []
        for part in parts:
            if isinstance(part, MeasureOf):
                pattern = looked_up.value(part, wanted.span, wanted.owner)
                bodies = [replace(b, conditions=(*b.conditions, pattern)) for b in bodies]
                values.append(_last(pattern))
            elif isinstance(part, Variable):
                values.append(Var(part.name))
        counted = [Var(wanted.subject.name)] if isinstance(wanted.subject, Variable) and not parts else []
        witnesses = [
            Var(n) for n in _variables([*conditions, wanted.subject]) if Var(n) not in (*keys, *counted, *values)
        ]
        head += [*values, *counted, *(() if wanted.how == "counts" else witnesses)]
        source, target = names.gather(ident), names.value(ident)
        sorts = {Var(n): column(k) for n, k in kinds.items()} | dict.fromkeys(values, "number")
        self.shop.declare(source, tuple(sorts.get(v, "symbol") for v in head), wanted.owner)
        for number, body in enumerate(self.guarded(bodies, kinds)):
            name = f"{wanted.owner}/gather.{number + 1}/{ident}"
            self.shop.produce(name, body, Pattern(source, tuple(head)), wanted.owner, wanted.span)
        asked = names.ask(ident, places) if keys else None
        where = tuple((part, len(keys) + n) for n, part in enumerate(parts))
        self.shop.aggregates.append(Aggregate(wanted.how, source, target, len(keys), wanted.subject, where, asked))

    # --- rules ---------------------------------------------------------------------------------------------------

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
        kinds, _ = variable_kinds([*nodes, *caller], self.vocabulary, span)
        created = {e.act.variable.name for e in rule.effects if isinstance(e.act, Create)}
        inside = _variables([*rule.triggers, *rule.conditions, *choice])
        outside = _variables([*rule.triggers, *rule.effects, *choice[:1]])
        outside |= {name: None for name in _variables(unless) if name in inside}
        if rule.choice and rule.choice.player_of:
            outside[rule.choice.player_of.name] = None
        mine = tuple(name for name in outside if name not in created)
        self.variables[ident] = mine
        head = self.head(names.match(ident), mine, kinds, ident)
        conditions = [*rule.conditions, *(rule.choice.conditions if rule.choice else ())]
        prefixes: list[Body] = []
        for index, trigger in enumerate(rule.triggers):
            token = self.shop.pattern(names.on(trigger.phrase), trigger.arguments, trigger.span)
            start = Body(token, conditions=given)
            bodies = self.guarded(self.lower([start], conditions, ident), kinds, trigger)
            for number, body in enumerate(bodies):
                self.shop.produce(f"{ident}/match.{index + 1}.{number + 1}", body, head, ident, span)
                closed = body.closed()
                if closed is not None:
                    prefixes.append(self.shop.prefix(closed))
        self.shop.prefixes[ident] = tuple(prefixes)
        self.head(names.fire(ident), mine, kinds, ident)
        self.shop.declare(names.defeat(ident), (*self.shop.columns[names.match(ident)], "symbol"), ident)
        for number, effect in enumerate(rule.effects):
            self.lasting(rule, number, effect)
            self.outcomes(rule, number, effect, [*nodes, *caller])

    def lasting(self, rule: Rule, number: int, effect: Effect) -> None:
        """An effect that lasts ends with an event, or when its conditions no longer hold."""
        if not effect.until_events and not effect.lasting:
            return
        ident = rule.anchor.ident
        one = f"{ident}.{number}"
        terms = tuple(Var(v) for v in self.variables[ident])
        for predicate in (names.lasts(one), names.end(one), names.holds(one)):
            self.shop.declare(predicate, self.shop.columns[names.match(ident)], ident)
        in_force, end = Pattern(names.lasts(one), terms), Pattern(names.end(one), terms)
        for event in effect.until_events:
            trigger = self.shop.pattern(names.book(event.phrase), event.arguments, event.span)
            name = f"{ident}/until.{number + 1}/{event.phrase}"
            self.shop.produce(name, Body(trigger, conditions=(in_force,)), end, ident, event.span)
        if effect.lasting:
            token = Pattern(names.SETTLE)
            still = Pattern(names.holds(one), terms)
            start = Body(token, conditions=(in_force,))
            for count, body in enumerate(self.lower([start], effect.lasting, ident)):
                self.shop.produce(f"{ident}/while.{number + 1}.{count + 1}", body, still, ident, effect.span)
            ended = Body(token, conditions=(in_force,), absences=(still,))
            self.shop.produce(f"{ident}/no-longer.{number + 1}", ended, end, ident, effect.span)

    def outcomes(self, rule: Rule, number: int, effect: Effect, nodes: Sequence[Any]) -> None:
        """What a test that a rule calls for brings about on success and on failure: a rule of its own for each."""
        act = effect.act
        if not isinstance(act, Atom):
            return
        ident = rule.anchor.ident
        awaited = names.awaits(f"{ident}.{number}")
        self.shop.declare(awaited, self.shop.columns[names.match(ident)], ident)
        given = (Pattern(awaited, tuple(Var(v) for v in self.variables[ident])),)
        sides = ((PASSES_TEST, "on-success", effect.on_success), (FAILS_TEST, "on-failure", effect.on_failure))
        for event, word, effects in sides:
            if not effects:
                continue
            title = f"{rule.anchor.title} ({word.replace('-', ' ')})"
            anchor = replace(rule.anchor, ident=self.free_name(f"{ident}-{word}"), title=title)
            trigger = Atom(event, act.arguments[:2], act.span)
            follow = Rule(anchor, (trigger,), (), None, (), effects, (), rule.regardless)
            self.rule(follow, given, nodes)

    def free_name(self, wanted: str) -> str:
        """A name that no item of the edition and no other outcome has: the wanted one, or with a number after it."""
        taken = {a.ident for a in self.edition.anchors()} | {r.anchor.ident for r in self.rules}
        numbered = (f"{wanted}-{number}" for number in itertools.count(2))
        return next(name for name in itertools.chain((wanted,), numbered) if name not in taken)

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

    def unless(
        self,
        site: str,
        defeaters: Sequence[Defeater],
        token: Pattern,
        bindings: tuple[tuple[Var, Var | str], ...] = (),
        apart: Mapping[str, Variable] | None = None,
    ) -> None:
        terms = tuple(Var(v) for v in self.variables[site])
        for number, defeater in enumerate(defeaters):
            conditions = [substitute(c, apart or {}) for c in defeater.conditions]
            start = Body(token, conditions=(Pattern(names.match(site), terms),), bindings=bindings)
            kinds, _ = variable_kinds(conditions, self.vocabulary, defeater.span)
            head = Pattern(names.defeat(site), (*terms, f"unless:{number}"))
            for count, body in enumerate(self.guarded(self.lower([start], conditions, site), kinds)):
                name = f"{site}/unless.{number + 1}.{count + 1}/{token.predicate}"
                self.shop.produce(name, body, head, site, defeater.span)

    def override(self, winner: Rule, loser: Rule) -> None:
        mine, yours = self.triggers(winner), self.triggers(loser)
        shared = sorted(mine.keys() & yours.keys())
        if not shared:
            place = winner.anchor.span.place_of(loser.anchor.ident)
            found = report("overrides-nothing", place, rule=loser.anchor.ident, by=winner.anchor.ident)
            self.shop.diagnostics.append(found)
        for event in shared:
            same: dict[str, Term] = {}
            for one, two in zip(mine[event].arguments, yours[event].arguments, strict=True):
                if isinstance(one, Variable) and two is not None:
                    same[one.name] = self.shop.term(two, loser.anchor.span)
            subjects = zip(_subjects(winner), _subjects(loser), strict=False)
            same |= {w.name: self.shop.term(s, loser.anchor.span) for w, s in subjects if isinstance(w, Variable)}
            terms = tuple(Var(v) for v in self.variables[loser.anchor.ident])
            theirs = tuple(same.get(v, self.shop.fresh()) for v in self.variables[winner.anchor.ident])
            matched = Pattern(names.match(loser.anchor.ident), terms)
            won = Pattern(names.fire(winner.anchor.ident), theirs)
            head = Pattern(names.defeat(loser.anchor.ident), (*terms, f"rule:{winner.anchor.ident}"))
            name = f"{loser.anchor.ident}/overridden/{winner.anchor.ident}/{event}"
            body = Body(self.any_token(names.on(event)), conditions=(matched, won))
            self.shop.produce(name, body, head, loser.anchor.ident, winner.anchor.span)

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
            head = self.head(names.match(base), roles, {f"@{r.name}": r.kind for r in phrase.roles}, base)
            body = Body(Pattern(names.may(event), head.terms))
            self.shop.prefixes[base] = (body,)
            self.shop.produce(f"{base}/match", body, head, base, phrase.span)
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
        ident, span = exemption.anchor.ident, exemption.anchor.span
        terms = tuple(Var(v) for v in self.variables[base])
        columns = self.shop.columns[names.match(base)]
        self.variables[site] = self.variables[base]
        self.shop.prefixes[site] = self.shop.prefixes[base]
        for predicate in (names.match(site), names.fire(site)):
            self.shop.declare(predicate, columns, ident)
        self.shop.declare(names.defeat(site), (*columns, "symbol"), ident)
        # The exemption's variables may be called like the rule's: they are renamed apart before they are tied.
        unless = [c for d in exemption.defeaters for c in d.conditions]
        own = _variables([exemption.head, *exemption.conditions, *unless])
        apart = {v: Variable(f"{ident}.{v}") for v in own}
        tied = tuple((Var(apart[v.name].name) if v.name in apart else v, t) for v, t in bindings)
        conditions = [substitute(c, apart) for c in exemption.conditions]
        kinds, _ = variable_kinds([substitute(exemption.head, apart), *conditions], self.vocabulary, span)
        start = Body(token, conditions=(Pattern(names.match(base), terms),), bindings=tied)
        for number, body in enumerate(self.guarded(self.lower([start], conditions, site), kinds)):
            name = f"{site}/match.{number + 1}/{token.predicate}"
            self.shop.produce(name, body, Pattern(names.match(site), terms), site, span)
        self.unless(site, exemption.defeaters, token, tied, apart)
        for other in self.edition.exemptions:
            if ident in other.overrides:
                winner = Pattern(names.fire(f"{other.anchor.ident}@{base}"), terms)
                self.shop.declare(winner.predicate, columns, other.anchor.ident)
                body = Body(token, conditions=(Pattern(names.match(site), terms), winner))
                head = Pattern(names.defeat(site), (*terms, f"exemption:{other.anchor.ident}"))
                name = f"{site}/overridden/{other.anchor.ident}/{token.predicate}"
                self.shop.produce(name, body, head, site, other.anchor.span)
        self.fires(site, token, terms, span)

    # --- tests ---------------------------------------------------------------------------------------------------

    def test(self, test: Test) -> None:
        """A test: whether all it needs is known, and whether a total passes or fails it."""
        ident, span = test.anchor.ident, test.anchor.span
        bearer, kind = (self.shop.term(a, span) for a in test.trigger.arguments[:2])
        if not isinstance(bearer, Var):
            self.shop.diagnostics.append(report("test-without-bearer", span, test=ident))
            return
        self.variables[ident] = (bearer.name,)
        token = Pattern(names.ROLLED, (bearer, kind, TOTAL, CHARACTERISTIC))
        complement = replace(test.success, operator=COMPLEMENT[test.success.operator])
        for predicate, success in ((names.PASSES, test.success), (names.FAILS, complement)):
            for body in self.lower([Body(token)], [success], ident):
                head = Pattern(predicate, (bearer, kind))
                self.shop.produce(f"{ident}/{predicate.partition(':')[2]}", body, head, ident, span)
        ready = Pattern(names.ready(ident), (bearer,))
        self.shop.declare(ready.predicate, ("symbol",), ident)
        start = Body(self.shop.pattern(names.on(test.trigger.phrase), test.trigger.arguments, span))
        for body in self.lower([start], [test.success], ident):
            self.shop.produce(f"{ident}/ready", replace(body, comparisons=()), ready, ident, span)

    # --- tallies, records ------------------------------------------------------------------------------------------

    def bookkeeping(self) -> None:
        for ident, tally in self.vocabulary.tallies.items():
            phrase = self.vocabulary.phrases[ident]
            head = Pattern(names.add(ident), (*(Var(r.name) for r in phrase.roles), Var(tally.amount.name)))
            self.shop.declare(head.predicate, self.shop.columns[names.value(ident)], ident)
            start = Body(self.shop.pattern(names.book(tally.event.phrase), tally.event.arguments, phrase.span))
            kinds, _ = variable_kinds([tally.event, *tally.conditions], self.vocabulary, phrase.span)
            bodies = self.guarded(self.lower([start], tally.conditions, ident), kinds, tally.event)
            for number, body in enumerate(bodies):
                self.shop.produce(f"{ident}/add.{number + 1}", body, head, ident, phrase.span)
        for ident, record in self.vocabulary.records.items():
            phrase = self.vocabulary.phrases[ident]
            head = Pattern(names.keep(ident), tuple(Var(r.name) for r in phrase.roles))
            columns = self.shop.columns[names.fact(ident)]
            self.shop.declare(head.predicate, columns, ident)
            body = Body(self.shop.pattern(names.book(record.event.phrase), record.event.arguments, phrase.span))
            kinds, _ = variable_kinds([record.event], self.vocabulary, phrase.span)
            (guarded,) = self.guarded([body], kinds, record.event)
            self.shop.produce(f"{ident}/keep", guarded, head, ident, phrase.span)
            for number, event in enumerate(record.until):
                trigger = self.shop.pattern(names.book(event.phrase), event.arguments, event.span)
                ended = Pattern(names.end(ident), head.terms)
                self.shop.declare(ended.predicate, columns, ident)
                kept = Body(trigger, conditions=(Pattern(names.fact(ident), head.terms),))
                self.shop.produce(f"{ident}/end.{number + 1}", kept, ended, ident, event.span)

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
        for aggregate in shop.aggregates:
            sources = {aggregate.source, *([aggregate.asked] if aggregate.asked else [])}
            negative.setdefault(aggregate.target, set()).update(sources)
        stage_of, circle = stages(positive, negative)
        if circle is not None:
            return None, (*shop.diagnostics, self._circle(circle))
        staged = tuple(replace(p, stage=stage_of[p.head.predicate]) for p in shop.productions)
        mentioned = {p.predicate for x in staged for p in (x.trigger, x.head, *x.conditions, *x.absences)}
        mentioned |= {n for a in shop.aggregates for n in (a.source, a.target)}
        columns = {name: shop.columns[name] for name in sorted(mentioned)}
        compiled = Compiled(
            edition=self.edition,
            program=Program(tuple(sorted(staged, key=lambda p: p.name)), columns),
            rules=tuple(self.rules),
            variables=self.variables,
            uses=shop.uses,
            aliases=shop.aliases,
            aggregates=tuple(shop.aggregates),
            worked_out=shop.worked_out,
            needs_of=shop.needs,
            stage_of=stage_of,
            exempted=frozenset(self.exempted),
        )
        return compiled, tuple(shop.diagnostics)

    def _circle(self, circle: Sequence[str]) -> Diagnostic:
        spans = {a.ident: a.span for a in self.edition.anchors()}
        owners = [self.shop.owners.get(p, p).partition("@")[0] for p in circle]
        # What is said inside a definition belongs to it under a longer name.
        items = list(dict.fromkeys(o if o in spans else o.rpartition(".")[0] or o for o in owners))
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


def _binds(condition: Condition) -> bool:
    """Whether a condition ties its variables to things."""
    if isinstance(condition, Exists):
        return not condition.negated and condition.at_least == 1
    return not getattr(condition, "negated", False)


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


def _last(pattern: Pattern) -> Var:
    term = pattern.terms[-1]
    assert isinstance(term, Var)
    return term
