"""What all parts of the lowering share: the edition, the workshop, and how variables are tied to their kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rulewright.lowering import names
from rulewright.lowering.bodies import column
from rulewright.lowering.workshop import Body, Workshop
from rulewright.model import (
    NUMBER,
    Atom,
    Condition,
    Edition,
    Exists,
    Variable,
    Vocabulary,
)
from rulewright.phrases.wording import always_filled
from rulewright.productions import Pattern, Var
from rulewright.walk import children


@dataclass
class Frame:
    """The lowering of one edition, as its parts see it.

    Attributes:
        variables: the variables of each rule, test and exemption site, in the order of the columns of ``match:...``.
    """

    edition: Edition
    shop: Workshop
    lower: Callable[[Sequence[Body], Sequence[Condition], str], list[Body]]
    variables: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def vocabulary(self) -> Vocabulary:
        """The words of the edition."""
        return self.edition.vocabulary

    def any_token(self, predicate: str) -> Pattern:
        """The token of an event, whatever its places hold."""
        return Pattern(predicate, tuple(self.shop.fresh() for _ in self.shop.columns[predicate]))

    def guarded(self, bodies: Sequence[Body], kinds: Mapping[str, str], event: Atom | None = None) -> list[Body]:
        """Bodies in which each variable is tied to things of its kind, where its places do not do so already."""
        return [self._guard(body, kinds, event) for body in bodies]

    def _guard(self, body: Body, kinds: Mapping[str, str], event: Atom | None) -> Body:
        sure: set[str] = set()
        if event is not None:
            phrase = self.vocabulary.phrases[event.phrase]
            there = always_filled(phrase)
            for role, argument in zip(phrase.roles, event.arguments, strict=True):
                if not isinstance(argument, Variable) or role.name not in there:
                    continue
                if self.vocabulary.is_a(role.kind, kinds.get(argument.name, "thing")):
                    sure.add(argument.name)
        for pattern in body.conditions:
            group, _, ident = pattern.predicate.partition(":")
            if group in ("match", "lasts", "awaits"):
                sure |= {t.name for t in pattern.terms if isinstance(t, Var)}
            if group in ("fact", "value", "before") and ident in self.vocabulary.phrases:
                phrase = self.vocabulary.phrases[ident]
                there = always_filled(phrase)
                for role, term in zip(phrase.roles, pattern.terms, strict=False):
                    if role.name not in there or not isinstance(term, Var):
                        continue
                    if self.vocabulary.is_a(role.kind, kinds.get(term.name, "thing")):
                        sure.add(term.name)
        loose = sorted(v.name for v in body.bound if v.name in kinds and v.name not in sure and kinds[v.name] != NUMBER)
        guards = tuple(Pattern(names.is_a(kinds[name]), (Var(name),)) for name in loose)
        return replace(body, conditions=(*guards, *body.conditions))

    def head(self, predicate: str, variables: Sequence[str], kinds: Mapping[str, str], owner: str) -> Pattern:
        self.shop.declare(predicate, tuple(column(kinds.get(v, "thing")) for v in variables), owner)
        return Pattern(predicate, tuple(Var(v) for v in variables))


def free_variables(nodes: Sequence[Any]) -> dict[str, None]:
    """The variables of nodes that are not local to a quantifier, in the order they are first mentioned."""
    found: dict[str, None] = {}
    for node in nodes:
        if isinstance(node, Exists) and (node.negated or node.at_least > 1):
            found |= {name: None for name in free_variables(node.conditions) if name != node.variable.name}
        elif isinstance(node, Variable):
            found[node.name] = None
        else:
            found |= free_variables(children(node))
    return found
