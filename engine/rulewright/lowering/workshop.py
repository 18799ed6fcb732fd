"""Where productions are put together: bodies, names of variables, and what has to be worked out on demand.

Definitions are worked out *on demand*: a body that rests on a defined fact asks for it, with the things it already
knows in the places of that fact.  What is asked (``ask:P:bf``, b for a place that is known) rests on the trigger and on
facts of the world alone, never on other definitions, so that asking never closes a circle.  It may therefore ask for
more than is needed, never for less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from rulewright.diagnostics import Diagnostic, report
from rulewright.lowering import names
from rulewright.model import Condition, Expression, Individual, MeasureOf, Number, Rounded, Variable, Vocabulary
from rulewright.productions import MAX_NUMBER, SCALE, Column, Comparison, Pattern, Production, Term, Var
from rulewright.speech import Called
from rulewright.text import Span

How = Literal["counts", "adds", "highest", "lowest", "equals"]


@dataclass(frozen=True)
class Use:
    """How one condition went into a body.

    Attributes:
        measures: which variable holds the value of which measure.
        rounded: which one that of what is rounded.
        counted: the predicate of the things that are counted, if any.
    """

    condition: Condition
    measures: tuple[tuple[MeasureOf, Var], ...] = ()
    rounded: tuple[tuple[Rounded, Var], ...] = ()
    counted: str = ""


@dataclass(frozen=True)
class Body:
    """A conjunction under construction; ``bindings`` equate variables with other terms."""

    trigger: Pattern
    conditions: tuple[Pattern, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    distinctions: tuple[tuple[Var, Var | str], ...] = ()
    absences: tuple[Pattern, ...] = ()
    bindings: tuple[tuple[Var, Term], ...] = ()
    uses: tuple[Use, ...] = ()

    @property
    def bound(self) -> frozenset[Var]:
        """Variables that the trigger or a condition binds."""
        return variables([self.trigger, *self.conditions])

    @property
    def equations(self) -> dict[Var, Term] | None:
        """What each equated variable stands for; None when two different names would have to be one."""
        known: dict[Var, Term] = {}
        for one, two in self.bindings:
            left, right = resolved(one, known), resolved(two, known)
            if left == right:
                continue
            if isinstance(left, Var):
                known[left] = right
            elif isinstance(right, Var):
                known[right] = left
            else:
                return None
        return known

    def closed(self) -> Body | None:
        """The body with its equations carried out; None when they contradict each other."""
        known = self.equations
        if known is None:
            return None
        apart = [(resolved(a, known), resolved(b, known)) for a, b in self.distinctions]
        if any(a == b for a, b in apart):
            return None
        ordered = [(a, b) if isinstance(a, Var) else (b, a) for a, b in apart]
        return replace(
            self,
            trigger=placed(self.trigger, known),
            conditions=tuple(placed(p, known) for p in self.conditions),
            absences=tuple(placed(p, known) for p in self.absences),
            distinctions=tuple((a, b) for a, b in ordered if isinstance(a, Var) and not isinstance(b, int)),
        )


def resolved(term: Term, known: Mapping[Var, Term]) -> Term:
    """A term with equations carried out."""
    while isinstance(term, Var) and term in known:
        term = known[term]
    return term


def placed(pattern: Pattern, known: Mapping[Var, Term]) -> Pattern:
    """A pattern with equations carried out."""
    return Pattern(pattern.predicate, tuple(resolved(t, known) for t in pattern.terms))


def variables(patterns: Iterable[Pattern]) -> frozenset[Var]:
    """The variables of patterns."""
    return frozenset(t for p in patterns for t in p.terms if isinstance(t, Var))


@dataclass(frozen=True)
class Aggregate:
    """Something worked out between stages from the facts of ``source`` that agree in their first ``keys`` columns.

    The result is ``target(keys..., value)``.  For ``counts`` the value is how many such facts there are; otherwise each
    fact gives a value, worked out from ``subject`` with the columns that ``places`` names.

    Attributes:
        asked: the predicate whose facts say for which keys a count or a sum is wanted even where there is nothing.
        shown: the measure in words.
    """

    how: How
    source: str
    target: str
    keys: int
    subject: Expression | None = None
    places: tuple[tuple[Expression, int], ...] = ()
    asked: str | None = None
    shown: str | Called = ""


@dataclass(frozen=True)
class WorkedOut:
    """A measure that is worked out: its places, how, from what, and which item of the text says so."""

    keys: tuple[str, ...]
    how: How
    subject: Expression
    conditions: tuple[Condition, ...]
    owner: str
    span: Span


@dataclass
class Workshop:
    """Gathers the productions of an edition while its parts are lowered.

    Attributes:
        defined: phrases of facts that definitions derive.
        worked_out: measures that are worked out, by ident, with the definitions of each.
        prefixes: for each rule or site, bodies of world facts alone that bind its variables.
        asked: definitions asked for: phrase and which places are known.
        needs: for each production, the tokens of the definitions and measures that it rests on.
    """

    vocabulary: Vocabulary
    defined: frozenset[str] = frozenset()
    worked_out: dict[str, tuple[WorkedOut, ...]] = field(default_factory=dict)
    productions: list[Production] = field(default_factory=list)
    uses: dict[str, tuple[Use, ...]] = field(default_factory=dict)
    aliases: dict[str, Mapping[Var, Term]] = field(default_factory=dict)
    columns: dict[str, tuple[Column, ...]] = field(default_factory=dict)
    aggregates: list[Aggregate] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    owners: dict[str, str] = field(default_factory=dict)
    prefixes: dict[str, tuple[Body, ...]] = field(default_factory=dict)
    asked: dict[tuple[str, str], None] = field(default_factory=dict)
    needs: dict[str, frozenset[str]] = field(default_factory=dict)
    _asks: set[tuple[Pattern, tuple[Pattern, ...], Pattern]] = field(default_factory=set)
    _fresh: int = 0
    _numbers: int = 0

    # --- names ---------------------------------------------------------------------------------------------------

    def fresh(self) -> Var:
        """A variable of its own."""
        self._fresh += 1
        return Var(f"#{self._fresh}")

    def number(self) -> int:
        """A number for the name of a helper."""
        self._numbers += 1
        return self._numbers

    def declare(self, predicate: str, columns: Iterable[Column], owner: str) -> None:
        """Notes the columns of a predicate, and which item it belongs to."""
        self.columns[predicate] = tuple(columns)
        self.owners[predicate] = owner

    def work_out(
        self,
        ident: str,
        keys: tuple[str, ...],
        how: How,
        subject: Expression,
        conditions: tuple[Condition, ...],
        owner: str,
        span: Span,
    ) -> None:
        """Notes a definition of a measure that is worked out; only one that says *equals* can stand beside others."""
        others = self.worked_out.get(ident, ())
        one = WorkedOut(keys, how, subject, conditions, owner, span)
        if others and not all(w.how == "equals" for w in (*others, one)):
            self.diagnostics.append(report("two-measures", span, measure=ident, other=others[0].owner))
            return
        self.worked_out[ident] = (*others, one)

    # --- terms and patterns --------------------------------------------------------------------------------------

    def term(self, expression: Expression | None, span: Span) -> Term:
        """A term for a place of a pattern; a place left out matches anything."""
        if expression is None:
            return self.fresh()
        if isinstance(expression, Variable):
            return Var(expression.name)
        if isinstance(expression, Individual):
            return expression.ident
        if isinstance(expression, Number):
            return self.scaled(expression.value, span)
        self.diagnostics.append(report("not-a-plain-value", span))
        return self.fresh()

    def scaled(self, value: Fraction, span: Span) -> int:
        """A literal number as the engine holds it."""
        exact = value * SCALE
        if exact.denominator != 1 or abs(exact) > MAX_NUMBER:
            self.diagnostics.append(report("number-out-of-range", span, number=value))
            return 0
        return exact.numerator

    def pattern(self, predicate: str, arguments: Sequence[Expression | None], span: Span) -> Pattern:
        """A pattern from the filled places of a phrase."""
        return Pattern(predicate, tuple(self.term(a, span) for a in arguments))

    # --- productions -----------------------------------------------------------------------------------------------

    def produce(self, name: str, body: Body, head: Pattern, owner: str, span: Span) -> None:
        """Adds a production, unless a variable of its head is tied to nothing, with all it asks for."""
        known, closed = body.equations, body.closed()
        if known is None or closed is None:
            return
        head = placed(head, known)
        loose = sorted(v.name for v in variables([head]) - closed.bound)
        compared = {v for c in closed.comparisons for _, v in c.terms}
        compared |= {t for pair in closed.distinctions for t in pair if isinstance(t, Var)}
        compared |= {v for v in variables(closed.absences) if not v.name.startswith("#")}
        loose += sorted(v.name for v in compared - closed.bound if v.name not in loose)
        if loose:
            place = span.place_of(f"{{{loose[0]}}}")
            self.diagnostics.append(report("unsafe-variable", place, variable=loose[0], owner=owner))
            return
        self.needs[name] = self._ask_for(closed, known, owner)
        self._add(name, closed, head)
        self.uses[name] = body.uses
        self.aliases[name] = known

    def _add(self, name: str, body: Body, head: Pattern) -> None:
        production = Production(
            name=name,
            stage=0,
            trigger=body.trigger,
            head=head,
            conditions=tuple(dict.fromkeys(body.conditions)),
            comparisons=body.comparisons,
            distinctions=body.distinctions,
            absences=tuple(dict.fromkeys(body.absences)),
        )
        self.productions.append(production)

    # --- demands -------------------------------------------------------------------------------------------------

    def prefix(self, body: Body) -> Body:
        """The part of a body that rests on the world alone."""
        return Body(body.trigger, tuple(p for p in body.conditions if self.is_given(p.predicate)))

    def is_given(self, predicate: str) -> bool:
        """Whether the facts of a predicate are facts of the world, or what was asked."""
        group, _, ident = predicate.partition(":")
        if group == "fact":
            return ident not in self.defined
        if group == "value":
            return ident not in self.worked_out
        return group in ("isa", "before", "lasts", "awaits", "ask", "cause")

    def _ask_for(self, body: Body, known: Mapping[Var, Term], owner: str) -> frozenset[str]:
        """Asks for the definitions and measures that a body rests on; returns their tokens."""
        needs = set()
        for pattern in (*body.conditions, *body.absences):
            group, _, ident = pattern.predicate.partition(":")
            if group == "fact" and ident in self.defined:
                needs.add(self._ask(pattern, pattern.terms, ident, body, known, owner))
            elif group == "value" and ident in self.worked_out:
                needs.add(self._ask(pattern, pattern.terms[:-1], ident, body, known, owner))
        return frozenset(needs)

    def _ask(
        self, pattern: Pattern, terms: Sequence[Term], ident: str, body: Body, known: Mapping[Var, Term], owner: str
    ) -> str:
        """Asks for one definition or measure from a body; a measure is asked for with all its places known."""
        prefixes = [self._joined(p, body, known) for p in self._prefixes_of(body)]
        whole = ident in self.worked_out
        bound = frozenset.intersection(*(p.bound for p in prefixes))
        knows = [whole or not isinstance(t, Var) or t in bound for t in terms]
        places = "".join("b" if k else "f" for k in knows)
        self.asked.setdefault((ident, places))
        wanted = tuple(t for t, k in zip(terms, knows, strict=True) if k)
        if wanted:
            head = Pattern(names.ask(ident, places), wanted)
            columns = self.columns[pattern.predicate]
            self.declare(head.predicate, (c for c, k in zip(columns, knows, strict=False) if k), owner)
            for prefix in prefixes:
                self._ask_once(self._tied(prefix, wanted, ident), head, owner)
        return names.need(ident, places)

    def _prefixes_of(self, body: Body) -> Sequence[Body]:
        """Bodies of world facts that bind the variables a body knows from the rule or site it belongs to."""
        for pattern in body.conditions:
            group, _, site = pattern.predicate.partition(":")
            if group in ("match", "fire") and site in self.prefixes:
                return self.prefixes[site]
        return (Body(body.trigger),)

    def _joined(self, prefix: Body, body: Body, known: Mapping[Var, Term]) -> Body:
        own = self.prefix(body).conditions
        inherited = tuple(placed(p, known) for p in prefix.conditions)
        return Body(placed(prefix.trigger, known), tuple(dict.fromkeys((*inherited, *own))))

    def _tied(self, prefix: Body, wanted: Sequence[Term], ident: str) -> Body:
        """A prefix with only what is needed to bind the wanted terms; what nothing binds ranges over its kind."""
        kinds = self._kinds(ident)
        guards = tuple(
            Pattern(names.is_a(kind), (term,))
            for term, kind in zip(wanted, kinds, strict=False)
            if isinstance(term, Var) and term not in prefix.bound
        )
        given = variables([prefix.trigger])
        need = {t for t in wanted if isinstance(t, Var)} - given
        while True:
            kept = tuple(p for p in prefix.conditions if variables([p]) & need)
            wider = need | (variables(kept) - given)
            if wider == need:
                return Body(prefix.trigger, (*kept, *guards))
            need = wider

    def _kinds(self, ident: str) -> list[str]:
        phrase = self.vocabulary.phrases.get(ident)
        return [r.kind for r in phrase.roles] if phrase else ["thing"] * len(self.worked_out[ident][0].keys)

    def _ask_once(self, body: Body, head: Pattern, owner: str) -> None:
        """Adds what asks, unless the same was asked before under other names of variables."""
        renamed: dict[Var, Term] = {}
        for pattern in (body.trigger, *body.conditions, head):
            for term in pattern.terms:
                if isinstance(term, Var) and term not in renamed:
                    renamed[term] = Var(f"?{len(renamed)}")  # no variable of the text or of the shop is called so
        trigger, asked = placed(body.trigger, renamed), placed(head, renamed)
        conditions = tuple(placed(p, renamed) for p in body.conditions)
        if (trigger, conditions, asked) not in self._asks:
            self._asks.add((trigger, conditions, asked))
            self._add(f"{owner}/ask.{len(self._asks)}", Body(trigger, conditions), asked)
