"""The intermediate form between the rules language and the engine: facts, patterns, productions.

A program is a stratified Datalog program whose rules are all started by a *token*:

    production := head <- trigger, conditions, comparisons, distinctions, absences     (stage n)
    pattern    := predicate(term, ...)          term := Var | symbol (str) | number (int)
    fact       := predicate(symbol or number, ...)

* ``trigger`` matches a token: the event being looked at, or the demand for a definition.  Tokens live for one
  stage of one cycle.
* ``conditions`` are positive patterns over the facts of the world and the facts derived so far.
* ``comparisons`` are linear: the sum of ``coefficient * variable`` plus a constant, held against nought.
* ``distinctions`` demand that a symbol variable differs from another term.
* ``absences`` demand that no fact matches the pattern; a variable that no condition binds stands for anything.
* ``head`` is the fact derived; every variable in it is bound by the trigger or a condition.

A production of stage *n* may rest positively on what stages up to *n* derive, and negatively only on what the world
holds and stages below *n* derive.  Under that restriction the set of derived facts is unique, so neither the order of
productions nor the order of facts matters.

Numbers are exact: a rational ``q`` of the rules language is stored as the integer ``q * SCALE``.  Each column of a
predicate holds either symbols or numbers, never both; ``Program.columns`` says which.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

SCALE = 1000
"""Numbers are kept in thousandths."""

MAX_NUMBER = 10**12 * SCALE
"""Largest absolute scaled number a fact may hold."""

MAX_COEFFICIENTS = 9000
"""Largest sum of absolute coefficients of one comparison: ``9000 * MAX_NUMBER`` still fits a signed 64-bit integer."""

NOBODY = ""
"""The symbol that stands in a place of an event that was left out."""

Column = Literal["symbol", "number"]
Operator = Literal["<", "<=", "=", "!=", ">=", ">"]


class Var(NamedTuple):
    """A variable of a production."""

    name: str


Value = str | int
Term = Var | str | int


class Fact(NamedTuple):
    """A ground statement: a predicate and its values."""

    predicate: str
    values: tuple[Value, ...] = ()


class Pattern(NamedTuple):
    """A fact with variables in it."""

    predicate: str
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """``sum(coefficient * variable) + constant  operator  0``, in scaled integers.

    Coefficients are plain integers; ``constant`` is scaled like the values of the variables.
    """

    terms: tuple[tuple[int, Var], ...]
    constant: int
    operator: Operator


@dataclass(frozen=True)
class Production:
    """One rule for the engine; see the module's own text for the meaning of the parts."""

    name: str
    stage: int
    trigger: Pattern
    head: Pattern
    conditions: tuple[Pattern, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    distinctions: tuple[tuple[Var, Var | str], ...] = ()
    absences: tuple[Pattern, ...] = ()


@dataclass(frozen=True)
class Program:
    """All productions of one rulebook, and the type of each column of each predicate they mention."""

    productions: tuple[Production, ...]
    columns: Mapping[str, tuple[Column, ...]]


class Firing(NamedTuple):
    """One match: the production, the facts it rests on (the token first, then one per condition), what it derived."""

    production: str
    premises: tuple[Fact, ...]
    head: Fact
