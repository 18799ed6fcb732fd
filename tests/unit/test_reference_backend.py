"""What a program means, said by examples; and what every backend refuses."""

from dataclasses import replace

import pytest

from rulewright.backends.base import Backend, BackendError
from rulewright.backends.durable import DurableMatcher
from rulewright.backends.reference import ReferenceMatcher, differ, ground, holds, matches, present, unify
from rulewright.backends.validate import MAX_SYMBOL, check_fact, check_program
from rulewright.productions import (
    MAX_COEFFICIENTS,
    MAX_NUMBER,
    Comparison,
    Fact,
    Firing,
    Pattern,
    Production,
    Program,
    Var,
)

X, Y, Z, N, M = map(Var, "XYZNM")
GO = Pattern("go")
COLUMNS = {
    "go": (),
    "edge": ("symbol", "symbol"),
    "path": ("symbol", "symbol"),
    "end": ("symbol",),
    "size": ("symbol", "number"),
}
PATHS = Program(
    (
        Production("step", 0, GO, Pattern("path", (X, Y)), (Pattern("edge", (X, Y)),)),
        Production("on", 0, GO, Pattern("path", (X, Z)), (Pattern("path", (X, Y)), Pattern("edge", (Y, Z)))),
        Production("end", 1, GO, Pattern("end", (X,)), (Pattern("path", (Y, X)),), absences=(Pattern("path", (X, Z)),)),
    ),
    COLUMNS,
)
BACKENDS = pytest.mark.parametrize("backend", [ReferenceMatcher, DurableMatcher])


def edge(left: str, right: str) -> Fact:
    return Fact("edge", (left, right))


def one(**parts: object) -> Program:
    """A program of one production that is well formed until a part is replaced."""
    production = Production("it", 1, GO, Pattern("end", (X,)), (Pattern("size", (X, N)),))
    return Program((replace(production, **parts),), COLUMNS)


# -- meaning -------------------------------------------------------------------------------------------------------


def test_a_pattern_binds_its_variables() -> None:
    assert unify(Pattern("edge", (X, Y)), edge("a", "b"), {}) == {X: "a", Y: "b"}
    assert unify(Pattern("edge", (X, X)), edge("a", "b"), {}) is None
    assert unify(Pattern("edge", (X, "b")), edge("a", "b"), {X: "c"}) is None
    assert unify(Pattern("path", (X, Y)), edge("a", "b"), {}) is None


@pytest.mark.parametrize(
    ("operator", "outcomes"),
    [
        ("<", [True, False, False]),
        ("<=", [True, True, False]),
        ("=", [False, True, False]),
        ("!=", [True, False, True]),
        (">=", [False, True, True]),
        (">", [False, False, True]),
    ],
)
def test_a_comparison_holds_a_sum_against_nought(operator: str, outcomes: list[bool]) -> None:
    comparison = Comparison(((2, N), (-1, M)), -1, operator)
    assert [holds(comparison, {N: n, M: 1}) for n in (0, 1, 2)] == outcomes


def test_a_distinction_tells_symbols_apart() -> None:
    assert differ(X, Y, {X: "a", Y: "b"})
    assert not differ(X, Y, {X: "a", Y: "a"})
    assert not differ(X, "a", {X: "a"})


def test_an_unbound_variable_of_an_absence_stands_for_anything() -> None:
    facts = {"edge": [edge("a", "b")]}
    assert present(Pattern("edge", ("a", Y)), {}, facts)
    assert not present(Pattern("edge", (Y, Y)), {}, facts)
    assert not present(Pattern("edge", (X, Y)), {X: "b"}, facts)


def test_a_firing_tells_its_premises_in_order() -> None:
    production = PATHS.productions[1]
    facts = {"path": [Fact("path", ("a", "b"))], "edge": [edge("b", "c"), edge("c", "d")]}
    assert list(matches(production, Fact("go"), facts)) == [
        Firing("on", (Fact("go"), Fact("path", ("a", "b")), edge("b", "c")), Fact("path", ("a", "c")))
    ]


def test_a_pattern_is_grounded_by_a_binding() -> None:
    assert ground(Pattern("size", (X, 3)), {X: "a"}) == Fact("size", ("a", 3))


@BACKENDS
def test_recursion_ends_and_absence_waits_for_it(backend: Backend) -> None:
    matcher = backend(PATHS)
    for left, right in ["ab", "bc", "ca", "cd"]:
        matcher.add(edge(left, right))
    first = matcher.stage(0, [Fact("go")])
    assert {firing.head.values for firing in first} == {(x, y) for x in "abc" for y in "abcd"}
    assert {firing.head for firing in matcher.stage(1, [Fact("go")])} == {Fact("end", ("d",))}
    matcher.finish()
    matcher.remove(edge("c", "d"))
    matcher.stage(0, [Fact("go")])
    assert matcher.stage(1, [Fact("go")]) == ()
    matcher.finish()
    matcher.close()


@BACKENDS
def test_derived_facts_are_gone_after_the_cycle(backend: Backend) -> None:
    matcher = backend(PATHS)
    assert matcher.stage(1, [Fact("go")], [Fact("path", ("a", "b"))]) != ()
    matcher.finish()
    assert matcher.stage(1, [Fact("go")]) == ()
    matcher.finish()
    matcher.close()


@BACKENDS
def test_a_token_lives_for_one_stage(backend: Backend) -> None:
    """What is handed in for a later stage meets no production of an earlier one."""
    matcher = backend(PATHS)
    assert matcher.stage(0, [Fact("go")]) == ()
    assert matcher.stage(1, [], [edge("a", "b")]) == ()
    matcher.finish()
    matcher.close()


@BACKENDS
def test_firings_come_in_one_order(backend: Backend) -> None:
    orders = []
    for edges in (["ab", "bc", "ca"], ["ca", "ab", "bc"]):
        for productions in (PATHS.productions, PATHS.productions[::-1]):
            matcher = backend(Program(productions, COLUMNS))
            for left, right in edges:
                matcher.add(edge(left, right))
            orders.append(matcher.stage(0, [Fact("go")]))
            matcher.finish()
            matcher.close()
    assert all(order == orders[0] == tuple(sorted(order)) for order in orders)


@BACKENDS
def test_facts_and_tokens_are_sets(backend: Backend) -> None:
    matcher = backend(PATHS)
    matcher.add(edge("a", "b"))
    matcher.add(edge("a", "b"))
    assert len(matcher.stage(0, [Fact("go"), Fact("go")], [edge("a", "b")])) == 1
    matcher.finish()
    matcher.remove(edge("a", "b"))
    matcher.remove(edge("a", "b"))
    assert matcher.stage(0, [Fact("go")]) == ()
    matcher.finish()
    matcher.close()


# -- the order of calls --------------------------------------------------------------------------------------------


@BACKENDS
def test_the_world_stands_still_within_a_cycle(backend: Backend) -> None:
    matcher = backend(PATHS)
    matcher.stage(0, [Fact("go")])
    with pytest.raises(RuntimeError, match="between cycles"):
        matcher.add(edge("a", "b"))
    with pytest.raises(RuntimeError, match="between cycles"):
        matcher.remove(edge("a", "b"))
    with pytest.raises(RuntimeError, match="must rise"):
        matcher.stage(0, [Fact("go")])
    matcher.finish()
    matcher.finish()
    matcher.add(edge("a", "b"))
    matcher.close()


@BACKENDS
def test_an_error_ends_the_cycle_and_leaves_the_world(backend: Backend) -> None:
    matcher = backend(PATHS, firings_per_cycle=9)
    for left, right in ["ab", "bc", "ca"]:
        matcher.add(edge(left, right))
    with pytest.raises(BackendError, match="more than 9 firings"):
        matcher.stage(0, [Fact("go")])
    matcher.remove(edge("c", "a"))
    assert len(matcher.stage(0, [Fact("go")])) == 3
    matcher.finish()
    with pytest.raises(BackendError, match="2 columns"):
        matcher.stage(0, [], [Fact("edge", ("a",))])
    assert len(matcher.stage(0, [Fact("go")])) == 3
    matcher.finish()
    matcher.close()


# -- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        (Program(PATHS.productions + PATHS.productions[:1], COLUMNS), "'step': the name is taken"),
        (one(stage=-1), "stage -1"),
        (one(trigger=Pattern("unknown")), "'unknown' are not declared"),
        (one(trigger=Pattern("go", (X,))), "'go' has 0 columns, the pattern has 1"),
        (one(trigger=Pattern("p" * (MAX_SYMBOL + 1))), "longer than 10000 characters"),
        (one(head=Pattern("end", (Y,))), "variable 'Y' of the head is bound by no condition"),
        (one(head=Pattern("end", (N,))), "variable 'N' stands for symbols and for numbers"),
        (one(head=Pattern("end", (1,))), "number 1 stands in a column of symbols"),
        (one(conditions=(Pattern("size", (X, "many")),)), "symbol 'many' stands in a column of numbers"),
        (one(conditions=(Pattern("size", (X, MAX_NUMBER + 1)),)), "beyond"),
        (one(conditions=(Pattern("size", (X, True)),)), "not bool True"),
        (one(conditions=(Pattern("size", (X, 1.5)),)), "not float 1.5"),
        (one(comparisons=(Comparison(((1, M),), 0, ">"),)), "variable 'M' of a comparison is bound by no condition"),
        (one(comparisons=(Comparison(((1, X),), 0, ">"),)), "variable 'X' of a comparison stands for symbols"),
        (one(comparisons=(Comparison(((1, N),), 0, "~"),)), "'~' is not a comparison"),
        (one(comparisons=(Comparison(((0.5, N),), 0, ">"),)), "0.5 in a comparison is not a whole number"),
        (one(comparisons=(Comparison(((MAX_COEFFICIENTS + 1, N),), 0, ">"),)), "add up to more than 9000"),
        (one(distinctions=((Y, X),)), "variable 'Y' of a distinction is bound by no condition"),
        (one(distinctions=((X, N),)), "variable 'N' of a distinction stands for numbers"),
        (one(distinctions=((X, "\ud800"),)), "lone surrogate"),
        (one(absences=(Pattern("end", (Y,)),)), "the absence of 'end', which the same or a later stage derives"),
        (
            Program((*PATHS.productions, *one(stage=0, conditions=(Pattern("end", (X,)),)).productions), COLUMNS),
            "'it': it rests in stage 0 on 'end', which a later stage derives",
        ),
    ],
)
@BACKENDS
def test_a_program_that_is_not_well_formed_is_refused(backend: Backend, program: Program, reason: str) -> None:
    with pytest.raises(BackendError, match="production ") as caught:
        backend(program)
    assert reason in str(caught.value)


def test_a_variable_of_an_absence_need_not_be_bound() -> None:
    check_program(one(absences=(Pattern("edge", (X, Y)),)))


@pytest.mark.parametrize(
    ("fact", "error", "reason"),
    [
        (Fact("edge", ("a",)), BackendError, "has 1 values, its predicate has 2 columns"),
        (Fact("edge", ("a", 1)), BackendError, "value 2: number 1 stands in a column of symbols"),
        (Fact("size", ("a", "b")), BackendError, "value 2: symbol 'b' stands in a column of numbers"),
        (Fact("size", ("a", -MAX_NUMBER - 1)), BackendError, "value 2: number -1000000000000001 is beyond"),
        (Fact("size", ("a", True)), TypeError, "value 2: .* not bool True"),
        (Fact("size", ("a", 1.0)), TypeError, "value 2: .* not float 1.0"),
        (Fact("edge", ("a", None)), TypeError, "value 2: .* not NoneType None"),
        (Fact("edge", ("a", "x\udc00")), BackendError, r"symbol 'x\\udc00' holds a lone surrogate"),
        (Fact("edge", ("a", "yes" + "x" * MAX_SYMBOL)), BackendError, "symbol 'yesx+.*' is longer than 10000"),
    ],
)
@BACKENDS
def test_a_fact_that_does_not_fit_is_refused(backend: Backend, fact: Fact, error: type[Exception], reason: str) -> None:
    matcher = backend(PATHS)
    with pytest.raises(error, match=reason) as caught:
        matcher.add(fact)
    assert len(str(caught.value)) < 300
    with pytest.raises(error, match=reason):
        matcher.stage(0, [Fact("go")], [fact])
    matcher.close()


def test_a_fact_nobody_mentions_is_of_no_concern() -> None:
    assert not check_fact(Fact("weather", (None,)), COLUMNS)
