"""From the typed model of an edition to its program: one stratified set of productions.

For a rule R the productions are

    match:R   the trigger and the conditions hold
    defeat:R  an ``unless`` clause, an exemption or an overriding rule speaks against it
    fire:R    it matches and nothing defeats it (one stage above ``defeat:R``)

An exemption has the same three predicates once for each rule it may defeat (``exemption@rule``), and once for the event
itself, so that an event that has been waiting is asked about again when its turn comes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from rulewright.diagnostics import Diagnostic, report
from rulewright.lowering import names
from rulewright.lowering.bodies import Bodies, column
from rulewright.lowering.frame import Frame
from rulewright.lowering.on_demand import OnDemand
from rulewright.lowering.rules import Rules
from rulewright.lowering.strata import stages
from rulewright.lowering.upkeep import lower_bookkeeping, lower_test
from rulewright.lowering.workshop import Aggregate, Use, WorkedOut, Workshop
from rulewright.model import (
    FACTS,
    MEASURES,
    Anchor,
    Atom,
    Change,
    Edition,
    Rule,
    Variable,
)
from rulewright.phrases.lexicon import RULE, Lexicon, Thing, vocabulary_things
from rulewright.productions import Production, Program, Term, Var
from rulewright.syntax.keywords import Language


@dataclass(frozen=True)
class Compiled:
    """An edition ready to be played.

    Attributes:
        rules: its rules, and for each test with outcomes of its own, a rule for its success and its failure.
        variables: the variables of each rule, test and exemption site, in the order of the columns of ``fire:...``.
        uses: for each production, how the conditions of the text went into it.
        aliases: for each production, variables of the text that it knows under another name.
        aggregates: what is worked out between stages.
        worked_out: measures that are worked out, with the definitions of each.
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
    worked_out: Mapping[str, tuple[WorkedOut, ...]]
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
    def by_name(self) -> Mapping[str, Production]:
        """Productions by name."""
        return {production.name: production for production in self.program.productions}

    @cached_property
    def matched(self) -> Mapping[str, str]:
        """The rules, by the predicate that says that one matches."""
        return {names.match(rule.anchor.ident): rule.anchor.ident for rule in self.rules}

    @cached_property
    def lasting(self) -> tuple[str, ...]:
        """Predicates of effects that last while something is so, or until an event."""
        return tuple(predicate for predicate in self.program.columns if predicate.startswith("lasts:"))

    @cached_property
    def defined(self) -> frozenset[str]:
        """Predicates that definitions derive."""
        return frozenset(names.fact(d.head.phrase) for d in self.edition.definitions)

    @cached_property
    def anchors(self) -> Mapping[str, Anchor]:
        """The anchors of everything that cites the source, by ident."""
        return {a.ident: a for a in (*self.edition.anchors(), *(r.anchor for r in self.rules))}

    @cached_property
    def makers(self) -> Mapping[str, tuple[str, ...]]:
        """The rules that bring about a phrase or change it, and the definitions that derive it, by phrase."""
        table: dict[str, list[str]] = {}
        for rule in self.rules:
            for act in (effect.act for effect in rule.effects):
                phrase = act if isinstance(act, Atom) else act.measure if isinstance(act, Change) else None
                if phrase is not None:
                    table.setdefault(phrase.phrase, []).append(rule.anchor.ident)
        for definition in self.edition.definitions:
            table.setdefault(definition.head.phrase, []).append(definition.anchor.ident)
        for measure in self.edition.measures:
            table.setdefault(measure.head.phrase, []).append(measure.anchor.ident)
        return {phrase: tuple(dict.fromkeys(items)) for phrase, items in table.items()}

    @cached_property
    def rule_names(self) -> tuple[str, ...]:
        """The names that rules and their like are spoken of by, those not in force among them."""
        return tuple(dict.fromkeys((*self.anchors, *self.edition.readings.idle)))

    def lexicon(self, language: Language) -> Lexicon:
        """All that sentences of a language may use before anything is in the game."""
        if language.code not in self._lexicons:
            vocabulary = self.edition.vocabulary
            lexicon = Lexicon(language, vocabulary)
            lexicon.prepare()
            lexicon = lexicon.with_things(vocabulary_things(vocabulary, language))
            rules = ((ident, Thing(ident, RULE)) for ident in self.rule_names)
            self._lexicons[language.code] = lexicon.with_things(rules)
        return self._lexicons[language.code]

    @cached_property
    def _lexicons(self) -> dict[str, Lexicon]:
        return {}

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

    def aggregates_of(self, trigger: str) -> tuple[Aggregate, ...]:
        """What may have to be worked out when a token is asked about."""
        if trigger not in self._aggregates:
            tokens = {trigger, *self.needs(trigger)}
            heads = {p.head.predicate for token in tokens for p in self.by_trigger.get(token, ())}
            asks = {token.replace("need:", "ask:", 1) for token in tokens}
            self._aggregates[trigger] = tuple(
                a for a in self.aggregates if a.source in heads or a.asked in heads or a.asked in asks
            )
        return self._aggregates[trigger]

    @cached_property
    def _aggregates(self) -> dict[str, tuple[Aggregate, ...]]:
        return {}

    @cached_property
    def _needs(self) -> dict[str, tuple[str, ...]]:
        return {}


def compile_edition(edition: Edition) -> tuple[Compiled | None, tuple[Diagnostic, ...]]:
    """Lowers an edition; None when what is wrong leaves no sound program."""
    return _Lowering(edition).run()


class _Lowering:
    def __init__(self, edition: Edition) -> None:
        shop = Workshop(edition.vocabulary, frozenset(d.head.phrase for d in edition.definitions))
        self.frame = Frame(edition, shop, Bodies(shop).lower)
        self.lowered = Rules(self.frame)

    def run(self) -> tuple[Compiled | None, tuple[Diagnostic, ...]]:
        self.declare_vocabulary()
        for measure in self.frame.edition.measures:
            keys = tuple(a.name for a in measure.head.arguments if isinstance(a, Variable))
            self.frame.shop.work_out(
                measure.head.phrase,
                keys,
                measure.how,
                measure.subject,
                measure.conditions,
                measure.anchor.ident,
                measure.anchor.span,
            )
        self.lowered.run()
        for test in self.frame.edition.tests:
            lower_test(self.frame, test)
        lower_bookkeeping(self.frame)
        OnDemand(self.frame).run()
        return self.result()

    def declare_vocabulary(self) -> None:
        for kind in self.frame.vocabulary.kinds:
            self.frame.shop.declare(names.is_a(kind), ("symbol",), kind)
        for phrase in self.frame.vocabulary.phrases.values():
            columns = tuple(column(r.kind) for r in phrase.roles)
            if phrase.kind in FACTS:
                self.frame.shop.declare(names.fact(phrase.ident), columns, phrase.ident)
            elif phrase.kind in MEASURES:
                self.frame.shop.declare(names.value(phrase.ident), (*columns, "number"), phrase.ident)
                if phrase.kind == "tally":
                    self.frame.shop.declare(names.value(phrase.ident, before=True), (*columns, "number"), phrase.ident)
            else:
                for token in (names.on, names.book, names.may):
                    self.frame.shop.declare(token(phrase.ident), columns, phrase.ident)
        self.frame.shop.declare(names.ROLLED, ("symbol", "symbol", "number", "number"), names.ROLLED)
        self.frame.shop.declare(names.SETTLE, (), names.SETTLE)
        for predicate in (names.CAUSE, names.CHAIN):
            self.frame.shop.declare(predicate, ("symbol",), predicate)
        for outcome in (names.PASSES, names.FAILS):
            self.frame.shop.declare(outcome, ("symbol", "symbol"), outcome)

    def result(self) -> tuple[Compiled | None, tuple[Diagnostic, ...]]:
        shop = self.frame.shop
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
            edition=self.frame.edition,
            program=Program(tuple(sorted(staged, key=lambda p: p.name)), columns),
            rules=tuple(self.lowered.rules),
            variables=self.frame.variables,
            uses=shop.uses,
            aliases=shop.aliases,
            aggregates=tuple(shop.aggregates),
            worked_out=shop.worked_out,
            needs_of=shop.needs,
            stage_of=stage_of,
            exempted=frozenset(self.lowered.exempted),
        )
        return compiled, tuple(shop.diagnostics)

    def _circle(self, circle: Sequence[str]) -> Diagnostic:
        spans = {a.ident: a.span for a in (*self.frame.edition.anchors(), *(r.anchor for r in self.lowered.rules))}
        items = list(dict.fromkeys(i for pair in pairwise(circle) if (i := self._between(*pair, spans)) in spans))
        places = [(i, spans[i]) for i in items]
        return report("circle", places[0][1], places[1:], circle=" -> ".join([*items, items[0]]))

    def _between(self, head: str, rest: str, known: Collection[str]) -> str:
        """The item of the text by which one predicate rests on another."""
        productions = (
            p.name
            for p in self.frame.shop.productions
            if p.head.predicate == head and any(x.predicate == rest for x in (*p.conditions, *p.absences))
        )
        owner = min(productions, default=self.frame.shop.owners.get(rest, "")).partition("/")[0].partition("@")[0]
        # What is said inside a definition belongs to it under a longer name.
        return owner if owner in known else owner.rpartition(".")[0]
