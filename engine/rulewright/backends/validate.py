"""What every backend demands of a program and of a fact before it takes them in; pure functions that raise."""

from __future__ import annotations

import weakref
from collections import defaultdict
from collections.abc import Iterator, Mapping

from rulewright.backends.base import BackendError
from rulewright.productions import (
    MAX_COEFFICIENTS,
    MAX_NUMBER,
    Column,
    Comparison,
    Fact,
    Pattern,
    Production,
    Program,
    Term,
    Value,
    Var,
)
from rulewright.speech import later

MAX_SYMBOL = 10_000
"""Longest symbol or name of a predicate, in characters: escaped and encoded it stays below 64 KiB."""

_SHOWN = 40


def shown(value: object) -> str:
    """A value for a message: its beginning, never more."""
    text = ascii(value[:_SHOWN] + "..." if isinstance(value, str) and len(value) > _SHOWN else value)
    return text if len(text) <= 4 * _SHOWN else text[: 4 * _SHOWN] + "..."


def check_value(value: Value, column: Column) -> None:
    """Refuses a value its column cannot hold.

    Raises:
        TypeError: the value is neither text nor a whole number (``True`` and ``False`` are not numbers here).
        BackendError: it is the other kind of value, or too large, or text that is not valid Unicode.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise TypeError(f"a value must be a symbol or a whole number, not {type(value).__name__} {shown(value)}")
    if isinstance(value, str):
        if column != "symbol":
            raise BackendError(f"symbol {shown(value)} stands in a column of numbers")
        if len(value) > MAX_SYMBOL:
            raise BackendError(later("engine.long-symbol", symbol=shown(value), limit=MAX_SYMBOL))
        if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise BackendError(f"symbol {shown(value)} holds a lone surrogate, which is not text")
    elif column != "number":
        raise BackendError(f"number {value} stands in a column of symbols")
    elif not -MAX_NUMBER <= value <= MAX_NUMBER:
        raise BackendError(later("engine.large-number", number=shown(value), limit=MAX_NUMBER))


def check_fact(fact: Fact, columns: Mapping[str, tuple[Column, ...]]) -> bool:
    """Whether any production mentions the predicate of ``fact``; refuses a fact that does not fit its columns."""
    expected = columns.get(fact.predicate)
    if expected is None:
        return False
    if len(expected) != len(fact.values):
        raise BackendError(
            f"fact {shown(fact.predicate)} has {len(fact.values)} values, its predicate has {len(expected)} columns"
        )
    for index, (value, column) in enumerate(zip(fact.values, expected, strict=True)):
        try:
            check_value(value, column)
        except BackendError as error:
            raise BackendError(
                later("engine.value", fact=shown(fact.predicate), place=index + 1, reason=error.reason)
            ) from None
        except TypeError as error:
            raise TypeError(f"fact {shown(fact.predicate)}, value {index + 1}: {error}") from None
    return True


_sound: dict[int, weakref.ref[Program]] = {}
"""Programs that have been checked; an edition is opened game after game."""


def check_program(program: Program) -> None:
    """Refuses a program that is not well formed: names, columns, types, safety and the discipline of stages.

    Raises:
        BackendError: naming the production and what is wrong with it.
    """
    key = id(program)
    known = _sound.get(key)
    if known is None or known() is not program:
        _check(program)
        _sound[key] = weakref.ref(program, lambda _: _sound.pop(key, None))


def _check(program: Program) -> None:
    names: set[str] = set()
    deriving: defaultdict[str, set[int]] = defaultdict(set)
    for production in program.productions:
        if production.name in names:
            raise BackendError(f"production {shown(production.name)}: the name is taken by another production")
        names.add(production.name)
        deriving[production.head.predicate].add(production.stage)
    for production in program.productions:
        for reason in _faults(production, program.columns, deriving):
            raise BackendError(
                later("engine.production", production=shown(production.name), reason=reason), production.name
            )


def bound_variables(production: Production) -> set[Var]:
    """The variables that the trigger or a condition gives a value."""
    return {
        term
        for pattern in (production.trigger, *production.conditions)
        for term in pattern.terms
        if isinstance(term, Var)
    }


def _faults(
    production: Production, columns: Mapping[str, tuple[Column, ...]], deriving: Mapping[str, set[int]]
) -> Iterator[str]:
    """What is wrong with one production, the first fault first."""
    if type(production.stage) is not int or production.stage < 0:
        yield f"stage {shown(production.stage)} is not a whole number from 0 up"
    types: dict[Var, Column] = {}
    bodies = (production.trigger, *production.conditions, *production.absences, production.head)
    for pattern in bodies:
        yield from _pattern_faults(pattern, columns, types)
    bound = bound_variables(production)
    for term in production.head.terms:
        if isinstance(term, Var) and term not in bound:
            yield f"variable {shown(term.name)} of the head is bound by no condition"
    for comparison in production.comparisons:
        yield from _comparison_faults(comparison, bound, types)
    for left, right in production.distinctions:
        yield from _distinction_faults(left, right, bound, types)
    for pattern in production.conditions:
        if any(stage > production.stage for stage in deriving.get(pattern.predicate, ())):
            yield f"it rests in stage {production.stage} on {shown(pattern.predicate)}, which a later stage derives"
    for pattern in production.absences:
        if any(stage >= production.stage for stage in deriving.get(pattern.predicate, ())):
            yield (
                f"it demands in stage {production.stage} the absence of {shown(pattern.predicate)}, "
                "which the same or a later stage derives"
            )


def _pattern_faults(
    pattern: Pattern, columns: Mapping[str, tuple[Column, ...]], types: dict[Var, Column]
) -> Iterator[str]:
    yield from _term_faults(pattern.predicate, "symbol", pattern.predicate, types)
    expected = columns.get(pattern.predicate)
    if expected is None:
        yield f"the columns of {shown(pattern.predicate)} are not declared"
    elif len(expected) != len(pattern.terms):
        yield f"{shown(pattern.predicate)} has {len(expected)} columns, the pattern has {len(pattern.terms)} terms"
    else:
        for term, column in zip(pattern.terms, expected, strict=True):
            yield from _term_faults(term, column, pattern.predicate, types)


def _term_faults(term: Term, column: Column, predicate: str, types: dict[Var, Column]) -> Iterator[str]:
    if isinstance(term, Var):
        if types.setdefault(term, column) != column:
            yield f"variable {shown(term.name)} stands for symbols and for numbers (in {shown(predicate)})"
        return
    try:
        check_value(term, column)
    except (TypeError, BackendError) as error:
        yield f"in {shown(predicate)}: {error}"


def _comparison_faults(comparison: Comparison, bound: set[Var], types: Mapping[Var, Column]) -> Iterator[str]:
    if comparison.operator not in ("<", "<=", "=", "!=", ">=", ">"):
        yield f"{shown(comparison.operator)} is not a comparison"
    for number in (comparison.constant, *(coefficient for coefficient, _ in comparison.terms)):
        if type(number) is not int:
            yield f"{shown(number)} in a comparison is not a whole number"
            return
    if sum(abs(coefficient) for coefficient, _ in comparison.terms) > MAX_COEFFICIENTS:
        yield f"the coefficients of a comparison add up to more than {MAX_COEFFICIENTS}"
    for _, variable in comparison.terms:
        if variable not in bound:
            yield f"variable {shown(variable.name)} of a comparison is bound by no condition"
        elif types[variable] != "number":
            yield f"variable {shown(variable.name)} of a comparison stands for symbols"


def _distinction_faults(left: Var, right: Var | str, bound: set[Var], types: Mapping[Var, Column]) -> Iterator[str]:
    for term in (left, right):
        if isinstance(term, Var):
            if term not in bound:
                yield f"variable {shown(term.name)} of a distinction is bound by no condition"
            elif types[term] != "symbol":
                yield f"variable {shown(term.name)} of a distinction stands for numbers"
        else:
            try:
                check_value(term, "symbol")
            except (TypeError, BackendError) as error:
                yield f"in a distinction: {error}"
