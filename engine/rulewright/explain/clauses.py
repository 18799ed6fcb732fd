"""Clauses with their values: the author's own sentence, with the things it spoke of and the arithmetic worked out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from rulewright.arithmetic import evaluate
from rulewright.model import (
    FAILS_TEST,
    PASSES_TEST,
    AnyOf,
    Arithmetic,
    Atom,
    Compare,
    Condition,
    Exists,
    Expression,
    MeasureOf,
    Number,
    Rounded,
    Variable,
)
from rulewright.phrases.variables import renamed, variable_names
from rulewright.phrases.wording import Worder
from rulewright.phrases.words import sentence_text
from rulewright.provenance import ClauseTruth, TestTaken, Value
from rulewright.speech import say
from rulewright.syntax.keywords import languages
from rulewright.syntax.parser import language_of
from rulewright.text import Span
from rulewright.walk import descend

SIGNS = {"<": "<", "<=": "≤", "=": "=", "!=": "≠", ">=": "≥", ">": ">"}


def clause_text(condition: Condition, bindings: Mapping[str, Value], worder: Worder) -> str:
    """A clause as its author wrote it, with names in the places of variables; unnamed ones keep their own word.

    A clause written in another language is worded anew; so is one in the words that come first anyway, whose forms then
    agree with the names.
    """
    known = {name.rpartition(".")[2]: value for name, value in bindings.items()}
    if not own_words(condition.span, worder):
        return _worded_anew(condition, known, worder)
    written = sentence_text(condition.span)
    if not isinstance(condition, Exists | AnyOf) and worder.condition(condition, {}) == written:
        return without_braces(worder.condition(condition, known))

    def named(match: re.Match[str]) -> str:
        name = match[1].strip()
        value = known.get(name)
        if value is None:
            return name
        return worder.number(value) if isinstance(value, Fraction) else worder.name(value)

    text = re.sub(r"\{([^{}]*)\}", named, written)
    if isinstance(condition, Exists) and condition.conditions:
        conditions = [*condition.conditions[:-1], condition.claim] if condition.every else condition.conditions
        parts = [clause_text(c, bindings, worder) for c in conditions]
        claim = f"{worder.language.inside('HOLDS')}{parts.pop()}" if condition.every else ""
        where = worder.language.inside("WHERE") + worder.language.inside("AND").join(parts)
        return f"{text}{where if parts else ''}{claim}"
    if isinstance(condition, AnyOf):
        return worder.language.inside("OR").join(
            clause_text(c, bindings, worder) for choice in condition.choices for c in choice
        )
    return text


def _worded_anew(condition: Condition, known: Mapping[str, Value], worder: Worder) -> str:
    """A clause of another language; unnamed variables get the names that they have in the language spoken."""
    source = languages()[language_of(condition.span.source) or worder.language.code]
    own = {n.name: n.name.rpartition(".")[2] for n in descend(condition) if isinstance(n, Variable)}
    other = variable_names(own.values(), source, worder.language, worder.vocabulary)
    bindings = {other[name]: known[name] for name in own.values() if name in known}
    names = {name: other[short] for name, short in own.items()}
    return without_braces(worder.condition(renamed(condition, names), bindings))


def without_braces(text: str) -> str:
    """A sentence, or a piece of one, with its variables as bare names."""
    return re.sub(r"[{}]", "", text)


def own_words(span: Span, worder: Worder) -> bool:
    """Whether a stretch of text is in the language of the sentences that are made."""
    return language_of(span.source) in (worder.language.code, None)


def trigger_text(trigger: Atom, worder: Worder) -> str:
    """An event that sets something off, as its author wrote it or, from another language, worded anew."""
    return sentence_text(trigger.span) if own_words(trigger.span, worder) else worder.condition(trigger, {})


def arithmetic(clause: ClauseTruth, worder: Worder, total: int | None = None) -> str:
    """The numbers behind a comparison, such as ``5 ≥ 5 (25% of 20)``, or behind a count; empty for other clauses."""
    condition = clause.condition
    if clause.counted:
        return f"{len(clause.counted)}: {', '.join(worder.name(str(thing)) for thing in clause.counted)}"
    if not isinstance(condition, Compare):
        return ""
    values = dict(clause.measures)
    rounded = dict(clause.rounded)

    def known(node: Expression) -> Fraction:
        if isinstance(node, MeasureOf):
            return values[node]
        if isinstance(node, Variable):
            bound = clause.bindings[node.name]
            assert isinstance(bound, Fraction)
            return bound
        assert total is not None
        return Fraction(total)

    def value(node: Expression) -> Fraction:
        return evaluate(settled(node), known)

    def settled(node: Expression) -> Expression:
        """An expression with the values of what was rounded in it."""
        if isinstance(node, Rounded):
            return Number(rounded[node]) if node in rounded else node
        if isinstance(node, Arithmetic):
            return Arithmetic(node.operator, settled(node.left), settled(node.right))
        return node

    def shown(node: Expression) -> str:
        if not isinstance(node, Arithmetic):
            return worder.number(value(node))
        numbers = Arithmetic(node.operator, _plain(node.left, value), _plain(node.right, value))
        return f"{worder.number(value(node))} ({worder.expression(numbers, {})})"

    return f"{shown(condition.left)} {SIGNS[condition.operator]} {shown(condition.right)}"


def test_text(test: TestTaken, worder: Worder) -> str:
    """A test in words, such as *Archers passes a Panic test (5 against 7)*."""
    outcome = worder.statement(PASSES_TEST if test.passed else FAILS_TEST, (test.bearer, test.test))
    numbers = arithmetic(test.clause, worder, test.total).split(" ", 2)
    return say("got.against", outcome=outcome, total=numbers[0], needed=numbers[-1])


def _plain(node: Expression, value: object) -> Expression:
    """An expression with its measures replaced by their values."""
    assert callable(value)
    if isinstance(node, Arithmetic):
        return Arithmetic(node.operator, _plain(node.left, value), _plain(node.right, value))
    return Number(value(node))
