"""The traps of durable_rules, each met on purpose, and the limits, each on both of its sides."""

import gc
import itertools
import json
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator

import durable_rules_engine
import pytest
from rulewright.backends import durable
from rulewright.backends.base import BackendError
from rulewright.backends.durable import DurableMatcher, definitions
from rulewright.backends.durable_compile import (
    MAX_ABSENCES,
    MAX_JOINS,
    MAX_POSITIVE,
    MAX_PROPERTIES,
    Linear,
    column_name,
    pair,
    simplify,
)
from rulewright.backends.durable_layout import FAN, SAME_NODE, SENTINEL, check_limits, compile_program
from rulewright.backends.reference import ReferenceMatcher
from rulewright.backends.validate import MAX_SYMBOL
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

X, Y, Z, N, M, K = map(Var, "XYZNMK")
GO = Pattern("go")
TOKEN = Fact("go")
COLUMNS = {
    "go": (),
    "hit": ("symbol", "symbol"),
    "score": ("number", "number"),
    "pair": ("symbol", "symbol"),
    "thing": ("symbol",),
    "size": ("symbol", "number"),
    "flag": (),
    "out": (),
    "told": ("symbol",),
}


def rule(name: str = "r", **parts: object) -> Production:
    return Production(**{"name": name, "stage": 0, "trigger": GO, "head": Pattern("out"), **parts})


def program(*productions: Production, **columns: tuple[str, ...]) -> Program:
    return Program(productions, {**COLUMNS, **columns})


def ask(matcher: DurableMatcher, *tokens: Fact, stage: int = 0) -> tuple[Firing, ...]:
    """One cycle of one stage."""
    found = matcher.stage(stage, tokens or (TOKEN,))
    matcher.finish()
    return found


def both(given: Program, facts: Iterable[Fact], *tokens: Fact) -> tuple[Firing, ...]:
    """What the engine finds, when the oracle finds the same."""
    found = []
    for matcher in (DurableMatcher(given), ReferenceMatcher(given)):
        for fact in facts:
            matcher.add(fact)
        found.append(matcher.stage(0, tokens or (TOKEN,)))
        matcher.finish()
        matcher.close()
    assert found[0] == found[1]
    return found[0]


class Spy:
    """Stands between the matcher and the engine, counts the calls and fails when told."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[object, ...]]] = []
        self.fail: Callable[[str, int], bool] = lambda name, number: False

    def __getattr__(self, name: str) -> object:
        real = getattr(durable_rules_engine, name)
        if isinstance(real, type):
            return real

        def call(*arguments: object) -> object:
            self.calls.append((name, arguments))
            if self.fail(name, self.count(name)):
                raise durable_rules_engine.error("made to fail")
            return real(*arguments)

        return call

    def count(self, name: str) -> int:
        return sum(called == name for called, _ in self.calls)


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> Spy:
    watcher = Spy()
    monkeypatch.setattr(durable, "engine", watcher)
    return watcher


# -- one fact in several parts -------------------------------------------------------------------------------------


def test_one_fact_may_serve_two_conditions() -> None:
    given = program(rule(conditions=(Pattern("thing", (X,)), Pattern("thing", (Y,)))))
    assert len(both(given, [Fact("thing", ("a",)), Fact("thing", ("b",))])) == 4


def test_a_premise_may_itself_be_what_must_be_absent() -> None:
    alone = rule(conditions=(Pattern("thing", (X,)),), absences=(Pattern("thing", (Y,)),))
    assert both(program(alone), [Fact("thing", ("a",))]) == ()
    mirrored = rule(conditions=(Pattern("pair", (X, Y)),), absences=(Pattern("pair", (Y, X)),))
    facts = [Fact("pair", ("a", "b")), Fact("pair", ("c", "c"))]
    assert [firing.premises[1] for firing in both(program(mirrored), facts)] == facts[:1]


def test_facts_that_fired_can_be_removed_again() -> None:
    """Without the scrub the third of these removals reads past a table and ends the process."""
    matcher = DurableMatcher(program(rule(conditions=(Pattern("thing", (X,)), Pattern("thing", (Y,))))))
    facts = [Fact("thing", (str(number),)) for number in range(8)]
    for _ in range(20):
        for fact in facts:
            matcher.add(fact)
        assert len(ask(matcher)) == 64
        for left, fact in enumerate(facts):
            matcher.remove(fact)
            assert len(ask(matcher)) == (7 - left) ** 2
    matcher.close()


def test_a_second_blocker_still_blocks() -> None:
    matcher = DurableMatcher(program(rule(absences=(Pattern("thing", (X,)),))))
    for name in "ab":
        matcher.add(Fact("thing", (name,)))
    assert ask(matcher) == ()
    matcher.remove(Fact("thing", ("a",)))
    assert ask(matcher) == ()
    matcher.remove(Fact("thing", ("b",)))
    assert len(ask(matcher)) == 1
    matcher.close()


# -- the same variable twice ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "production",
    [
        rule(trigger=Pattern("hit", (X, X))),
        rule(trigger=Pattern("hit", (X, Y)), distinctions=((X, Y),)),
        rule(trigger=Pattern("hit", (X, Y)), conditions=(Pattern("pair", (X, X)),)),
        rule(trigger=Pattern("hit", (X, Y)), conditions=(Pattern("pair", (Z, Z)),)),
        rule(trigger=Pattern("hit", (X, Y)), conditions=(Pattern("pair", (Z, Z)), Pattern("pair", (Z, Y)))),
        rule(trigger=Pattern("hit", (X, Y)), conditions=(Pattern("pair", (Z, X)),), distinctions=((Z, X), (Y, "b"))),
        rule(trigger=Pattern("hit", (X, Y)), absences=(Pattern("pair", (Z, Z)),)),
        rule(trigger=Pattern("hit", (X, Y)), absences=(Pattern("pair", (X, X)), Pattern("pair", (Z, Y)))),
        rule(trigger=Pattern("hit", (X, Y)), absences=(Pattern("pair", (X, Z)), Pattern("pair", (Z, Y)))),
        rule(trigger=Pattern("hit", (X, Y)), distinctions=((X, X),)),
    ],
)
def test_repeated_variables_mean_the_same_to_both(production: Production) -> None:
    names = "abc"
    pairs = [Fact("pair", values) for values in itertools.product(names, repeat=2)]
    tokens = [Fact("hit", values) for values in itertools.product(names, repeat=2)]
    given = program(production)
    for chosen in ([], pairs[:1], pairs[1:3], pairs[4:6], pairs):
        both(given, chosen, *tokens)


def test_numbers_join_and_repeat_too() -> None:
    numbers = (-MAX_NUMBER, -1, 0, 1, MAX_NUMBER)
    scores = [Fact("score", values) for values in itertools.product(numbers, repeat=2)]
    repeated = program(rule(trigger=Pattern("score", (N, N)), conditions=(Pattern("score", (N, M)),)))
    assert len(both(repeated, scores, *scores)) == 25
    blocked = program(rule(trigger=Pattern("score", (N, M)), absences=(Pattern("score", (M, N)),)))
    assert len(both(blocked, scores[:5], *scores)) == 20


# -- comparisons ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operator", ["<", "<=", "=", "!=", ">=", ">"])
@pytest.mark.parametrize(
    "terms",
    [
        ((1, N),),
        ((-3, N),),
        ((1, N), (-1, M)),
        ((2, N), (-4, M)),
        ((2, N), (3, M)),
        ((1, N), (1, M), (-1, K)),
        ((3, N), (-2, M), (5, K)),
        ((1, N), (-1, N)),
        ((2, K),),
        (),
    ],
)
def test_comparisons_mean_the_same_to_both(terms: tuple[tuple[int, Var], ...], operator: str) -> None:
    facts = [Fact("size", ("a", number)) for number in range(-3, 4)]
    tokens = [Fact("score", (n, m)) for n in range(-2, 3) for m in range(-2, 3)]
    for constant in (-2, 0, 3):
        comparison = Comparison(terms, constant, operator)
        one = rule(trigger=Pattern("score", (N, M)), conditions=(Pattern("size", (X, K)),), comparisons=(comparison,))
        two = rule("two", trigger=Pattern("score", (N, K)), conditions=(Pattern("size", (X, M)),), comparisons=(comparison,))
        both(program(one, two), facts, *tokens)


@pytest.mark.parametrize(
    ("terms", "constant", "operator", "expected"),
    [
        (((4, N), (-2, N)), -3, ">", Linear(((1, N),), -2, ">=")),
        (((2, N), (-4, M)), 3, "<=", Linear(((-1, N), (2, M)), -2, ">=")),
        (((2, N), (4, M)), 3, "=", False),
        (((2, N), (4, M)), 3, "!=", True),
        (((2, N), (4, M)), 6, "=", Linear(((1, N), (2, M)), 3, "=")),
        (((1, N), (-1, N)), 0, "=", True),
        (((1, N), (-1, N)), 0, "<", False),
        ((), 1, ">", True),
        (((1, N),), -MAX_NUMBER - 1, ">=", False),
        (((1, N),), MAX_NUMBER + 1, ">=", True),
        (((1, N),), MAX_NUMBER + 1, "=", False),
        (((1, N),), MAX_NUMBER + 1, "!=", True),
    ],
)
def test_comparisons_come_into_lowest_terms(
    terms: tuple[tuple[int, Var], ...], constant: int, operator: str, expected: object
) -> None:
    assert simplify(Comparison(terms, constant, operator)) == expected


@pytest.mark.parametrize("sign", [1, -1])
def test_arithmetic_stays_exact_at_its_largest(sign: int) -> None:
    half = MAX_COEFFICIENTS // 2
    comparison = Comparison(((sign * half, N), (sign * (half - 1), M), (sign, K)), 0, ">")
    largest = rule(
        trigger=Pattern("score", (N, M)), conditions=(Pattern("size", (X, K)),), comparisons=(comparison,)
    )
    extremes = (-MAX_NUMBER, MAX_NUMBER)
    facts = [Fact("size", ("a", number)) for number in extremes]
    assert len(both(program(largest), facts, *(Fact("score", (n, m)) for n in extremes for m in extremes))) == 4


def test_a_comparison_that_could_leave_64_bits_is_refused() -> None:
    comparison = Comparison(((MAX_COEFFICIENTS - 1, N), (1, M)), MAX_NUMBER * 1000, ">")
    with pytest.raises(BackendError, match="production 'r': a comparison may leave 64 bits"):
        DurableMatcher(program(rule(trigger=Pattern("score", (N, M)), comparisons=(comparison,))))


def test_two_columns_of_one_token_are_compared() -> None:
    comparison = Comparison(((1, N), (-1, M)), 0, ">")
    given = program(rule(trigger=Pattern("score", (N, M)), comparisons=(comparison,)))
    assert len(both(given, [], *(Fact("score", (n, m)) for n in range(3) for m in range(3)))) == 3


# -- symbols -------------------------------------------------------------------------------------------------------

STRANGE = [
    "", " ", "жаба", "\U0001f438", '"', "'", "\\", '\\"', "\\u0041", "A", "\0", "\x1f", "\x7f", "\n", "\u2028",
    '{"id":"1"', '"id":"1', '"}', "7", "78", "true", "null", "ab", "ab c", "$m", "#zero", "é", "e\u0301",
    "costarring", "liquid", "x" * MAX_SYMBOL, "x" * (MAX_SYMBOL - 1), "\1" * MAX_SYMBOL, "\U0001f438" * MAX_SYMBOL,
]  # fmt: skip


def test_symbols_may_be_any_text() -> None:
    """Each equals itself alone: as a constant, across a join, within a fact, in a distinction and in an absence."""
    facts = [Fact("pair", (left, right)) for left in STRANGE for right in (left, STRANGE[0])]
    rules = [rule(f"is {n}", conditions=(Pattern("pair", (text, text)),)) for n, text in enumerate(STRANGE)]
    rules.append(rule("join", trigger=Pattern("hit", (X, Y)), conditions=(Pattern("pair", (X, X)),)))
    rules.append(rule("same", conditions=(Pattern("pair", (X, X)),), head=Pattern("told", (X,))))
    rules.append(rule("other", conditions=(Pattern("pair", (X, Y)),), distinctions=((X, Y),)))
    rules.append(rule("not", conditions=(Pattern("pair", (X, Y)),), absences=(Pattern("pair", (Y, X)),)))
    tokens = [Fact("hit", (text, "")) for text in STRANGE]
    found = both(program(*rules), facts, TOKEN, *tokens)
    told = [firing.head.values[0] for firing in found if firing.production == "same"]
    assert sorted(told) == sorted(STRANGE)
    assert sum(firing.production == "join" for firing in found) == len(STRANGE)
    assert sum(firing.production == "other" for firing in found) == len(STRANGE) - 1


@pytest.mark.parametrize("name", ["a/fact", "a/0", "#boot", "#zero", "", "kind", "\\", '"', "Ж" * MAX_SYMBOL])
def test_predicates_may_have_any_name(name: str) -> None:
    named = rule(trigger=Pattern(name, (X,)), conditions=(Pattern(name, (Y,)),), absences=(Pattern("a", (X,)),))
    given = program(named, **{name: ("symbol",), "a": ("symbol",)})
    facts = [Fact(name, ("b",)), Fact("a", ("c",))]
    assert len(both(given, facts, *(Fact(name, (text,)) for text in "bc"))) == 1


def test_a_fact_of_a_million_bytes_is_refused() -> None:
    wide = rule(conditions=(Pattern("wide", tuple(Var(f"X{n}") for n in range(40))),))
    matcher = DurableMatcher(program(wide, wide=("symbol",) * 40))
    matcher.add(Fact("wide", ("\1" * 4_000,) * 40))
    with pytest.raises(BackendError, match="'wide/fact' is longer than 1000000 bytes"):
        matcher.add(Fact("wide", ("\1" * MAX_SYMBOL,) * 40))
    assert len(ask(matcher)) == 1
    matcher.close()


# -- limits of the engine ------------------------------------------------------------------------------------------


def test_conditions_are_limited_and_the_limit_works() -> None:
    def with_conditions(count: int, **parts: object) -> Program:
        return program(rule(conditions=tuple(Pattern("size", (X, Var(f"N{n}"))) for n in range(count)), **parts))

    assert len(both(with_conditions(MAX_POSITIVE - 1), [Fact("size", ("a", 1))])) == 1
    with pytest.raises(BackendError, match="production 'r': it has 17 conditions, its trigger included; .* 16"):
        DurableMatcher(with_conditions(MAX_POSITIVE))
    sum_of_two = (Comparison(((2, Var("N0")), (2, Var("N1")), (3, Var("N2"))), 0, ">"),)
    assert len(both(with_conditions(MAX_POSITIVE - 2, comparisons=sum_of_two), [Fact("size", ("a", 1))])) == 1
    with pytest.raises(BackendError, match="its trigger and the one that holds its comparisons included"):
        DurableMatcher(with_conditions(MAX_POSITIVE - 1, comparisons=sum_of_two))


def test_joins_are_limited_and_the_limit_works() -> None:
    def with_joins(count: int) -> Program:
        terms = tuple(Var(f"X{n}") for n in range(count))
        many = ("symbol",) * count
        return program(rule(trigger=Pattern("many", terms), conditions=(Pattern("much", terms),)), many=many, much=many)

    values = tuple(str(n) for n in range(MAX_JOINS))
    facts = [Fact("much", values), Fact("much", (*values[:-1], "other"))]
    assert len(both(with_joins(MAX_JOINS), facts, Fact("many", values))) == 1
    with pytest.raises(BackendError, match="production 'r': .* 'much/fact' hangs 26 times on the others; .* 25"):
        DurableMatcher(with_joins(MAX_JOINS + 1))


def test_columns_are_limited_and_the_limit_works() -> None:
    def with_columns(count: int) -> Program:
        return program(rule(conditions=(Pattern("wide", tuple(Var(f"X{n}") for n in range(count))),)), wide=("symbol",) * count)

    assert len(both(with_columns(MAX_PROPERTIES), [Fact("wide", ("a",) * MAX_PROPERTIES)])) == 1
    with pytest.raises(BackendError, match="production 'r': 'wide/fact' needs 201 columns .* 200"):
        DurableMatcher(with_columns(MAX_PROPERTIES + 1))


def test_absences_are_limited_and_the_limit_works() -> None:
    def with_absences(count: int) -> Program:
        return program(rule(absences=tuple(Pattern("size", (X, n)) for n in range(count))))

    assert both(with_absences(MAX_ABSENCES), [Fact("size", ("a", MAX_ABSENCES - 1))]) == ()
    assert len(both(with_absences(MAX_ABSENCES), [Fact("size", ("a", MAX_ABSENCES))])) == 1
    with pytest.raises(BackendError, match="production 'r': it demands 101 absences; the limit is 100"):
        DurableMatcher(with_absences(MAX_ABSENCES + 1))


def test_many_productions_may_join_on_one_predicate() -> None:
    """Each join is a branch of its own, and the engine has 64 slots for branches; routes keep them apart."""
    rules = [
        rule(f"r{n}", trigger=Pattern("hit", (X, Y)), conditions=(Pattern("size", (X, N)),), comparisons=at_least(n))
        for n in range(700)
    ]
    found = both(program(*rules), [Fact("size", ("a", 650)), Fact("size", ("b", 3))], Fact("hit", ("a", "b")))
    assert len(found) == 651


def at_least(number: int) -> tuple[Comparison]:
    return (Comparison(((1, N),), -number, ">="),)


def test_many_productions_may_start_from_one_test() -> None:
    """More than 255 conditions that end on one node leave its list without an end."""
    rules = [rule(f"r{n}", conditions=(Pattern("flag"),)) for n in range(SAME_NODE * 3 + 1)]
    assert len(both(program(*rules), [Fact("flag")])) == SAME_NODE * 3 + 1


def test_many_constants_may_be_told_apart() -> None:
    """At 512 tests under one node the engine never returns."""
    rules = [rule(f"r{n}", conditions=(Pattern("pair", (f"c{n}", X)), Pattern("size", (X, n)))) for n in range(1200)]
    facts = [Fact("pair", (f"c{n}", "a")) for n in range(0, 1200, 100)] + [Fact("size", ("a", n)) for n in range(600)]
    assert len(both(program(*rules), facts)) == 6


def test_many_predicates_may_be_told_apart() -> None:
    rules = [rule(f"r{n}", conditions=(Pattern(f"p{n}", (X,)),)) for n in range(1500)]
    columns = {f"p{n}": ("symbol",) for n in range(1500)}
    assert len(both(program(*rules, **columns), [Fact(f"p{n}", ("a",)) for n in range(0, 1500, 7)])) == 215


def test_rules_beyond_one_ruleset_still_work_together() -> None:
    """A chain whose links lie in different rulesets, closed within one stage."""
    links = [rule(f"r{n:04}", conditions=(Pattern(f"p{n}"),), head=Pattern(f"p{n + 1}")) for n in range(4100)]
    given = program(*links, **{f"p{n}": () for n in range(4101)})
    assert [len(part) - 1 for part in definitions(given)] == [4000, 100]
    matcher = DurableMatcher(given)
    assert len(matcher.stage(0, [TOKEN], [Fact("p3990")])) == 110
    matcher.finish()
    matcher.close()


@pytest.mark.parametrize("shard", [1, 2, 3])
def test_rulesets_take_turns_until_all_are_quiet(shard: int) -> None:
    paths = program(
        rule("step", conditions=(Pattern("pair", (X, Y)),), head=Pattern("path", (X, Y))),
        rule("back", conditions=(Pattern("path", (X, Y)),), head=Pattern("htap", (Y, X))),
        rule("on", conditions=(Pattern("htap", (Y, X)), Pattern("pair", (Y, Z))), head=Pattern("path", (X, Z))),
        path=("symbol", "symbol"),
        htap=("symbol", "symbol"),
    )
    matcher = DurableMatcher(paths, shard_rules=shard)
    for left, right in itertools.pairwise("abcdefg"):
        matcher.add(Fact("pair", (left, right)))
    heads = {firing.head for firing in ask(matcher)}
    assert len(heads) == 2 * 21
    matcher.close()


def test_the_proof_sees_what_is_too_full() -> None:
    def rules(*conditions: list[dict[str, object]]) -> dict[str, object]:
        return {f"r{n}": {"all": [{"c": {"$and": tests}}]} for n, tests in enumerate(conditions)}

    check_limits(rules(*([{"kind": "a"}] for _ in range(255))))
    with pytest.raises(BackendError, match="more than 255 conditions end on one test"):
        check_limits(rules(*([{"kind": "a"}] for _ in range(256))))
    check_limits(rules(*([{"kind": str(n)}] for n in range(511))))
    with pytest.raises(BackendError, match="more than 511"):
        check_limits(rules(*([{"kind": str(n)}] for n in range(512))))
    with pytest.raises(BackendError, match="512 tests stand at one place"):
        check_limits(rules(*([{"kind": "a"}, {"s0": str(n)}] for n in range(512))))
    check_limits(rules(*([{"kind": "a"}, {"s0": {"c0": "s0"}}] for _ in range(64))))
    with pytest.raises(BackendError, match="65 places to sort a fact; the limit is 64"):
        check_limits(rules(*([{"kind": "a"}, {"s0": {"c0": "s0"}}] for _ in range(65))))


def test_the_names_the_engine_hashes_are_apart() -> None:
    """It tells properties, aliases and messages apart by 32 bits alone."""
    names = ["id", "sid", "kind", "g", "z", "$m", "$i", "$s", "$forward"]
    names += [f"{letter}{n}" for letter in "sn" for n in range(MAX_PROPERTIES)]
    names += [pair(left, right) for left in range(MAX_PROPERTIES) for right in range(left + 1, MAX_PROPERTIES)]
    assert len({fnv(name) for name in names}) == len(names)
    operators = "eq neq gt gte lt lte ex nex mt imt iall iany and or all any not add sub mul div l r".split()
    assert not {fnv(name) for name in names} & {fnv("$" + name) for name in operators}
    aliases = ["z", *(f"c{n}" for n in range(MAX_POSITIVE)), *(f"a{n}" for n in range(MAX_ABSENCES))]
    assert len({fnv(name) for name in aliases} - {0}) == len(aliases)
    messages = ["sid-0", "$pulse", *map(str, range(100_000))]
    assert len({fnv(name) for name in messages}) == len(messages)


def fnv(text: str) -> int:
    value = 0x811C9DC5
    for byte in text.encode():
        value = (value ^ byte) * 16777619 & 0xFFFFFFFF
    return value


# -- what the engine is given --------------------------------------------------------------------------------------


def test_definitions_show_what_the_engine_is_given() -> None:
    near = rule(
        "near",
        stage=2,
        trigger=Pattern("hit", (X, Y)),
        conditions=(Pattern("thing", (Z,)), Pattern("size", (X, N)), Pattern("size", (Y, M))),
        comparisons=(Comparison(((1, N),), -3, ">="), Comparison(((1, M), (-2, N)), 0, "<"), Comparison(((2, N), (3, M)), 0, "=")),
        distinctions=((X, Y), (Y, "c")),
        absences=(Pattern("pair", (X, K)),),
    )
    given = program(near, rule("never", distinctions=((X, X),), conditions=(Pattern("thing", (X,)),)), pair=("symbol", "number"))
    total = {"$add": {"$l": {"$mul": {"$l": {"c2": "n1"}, "$r": 2}}, "$r": {"$mul": {"$l": {"c3": "n1"}, "$r": 3}}}}
    assert definitions(given) == [
        {
            "#boot": {"all": [{"b": {"$and": [{"kind": "#boot"}]}}]},
            "p0": {
                "all": [
                    {"c0": {"$and": [{"kind": "hit/2"}, {"e0_1": 0}, {"$neq": {"s1": "c"}}]}},
                    {"c2": {"$and": [{"kind": "size/fact"}, {"$gte": {"n1": 3}}, {"s0": {"c0": "s0"}}, SENTINEL]}},
                    {
                        "c3": {
                            "$and": [
                                {"kind": "size/fact"},
                                {"s0": {"c0": "s1"}},
                                {"$lte": {"n1": {"$add": {"$l": {"$mul": {"$l": {"c2": "n1"}, "$r": 2}}, "$r": -1}}}},
                                SENTINEL,
                            ]
                        }
                    },
                    {"c1": {"$and": [{"kind": "thing/fact"}]}},
                    {"z": {"$and": [{"kind": "#zero"}, {"$gte": {"z": total}}, {"$lte": {"z": total}}, SENTINEL]}},
                    {"a0$not": {"$and": [{"kind": "pair/fact"}, {"s0": {"c0": "s0"}}, SENTINEL]}},
                ],
                "cap": 200,
                "dist": 0,
            },
        }
    ]
    json.dumps(definitions(given))


def test_a_rule_is_protected_wherever_it_joins() -> None:
    rules = [
        rule(f"r{n}", trigger=Pattern("hit", (X, Y)), conditions=(Pattern("size", (X, N)), Pattern("size", (Y, N))))
        for n in range(FAN * 3)
    ]
    for shard in definitions(program(*rules)):
        for name, body in shard.items():
            for condition in body["all"]:
                (tests,) = (value["$and"] for value in condition.values())
                if any(isinstance(value, dict) and next(iter(value)).startswith("c") for test in tests for value in test.values()):
                    assert tests[-1] == SENTINEL, name


def test_conditions_that_hang_on_nothing_wait() -> None:
    """Joined in the order written, these would make a product of all things before any is looked up."""
    product = rule(
        trigger=Pattern("hit", (X, Y)), conditions=(Pattern("thing", (Z,)), Pattern("pair", (Z, X)), Pattern("pair", (X, "a")))
    )
    ((_, body),) = [item for item in definitions(program(product))[0].items() if item[0] == "p0"]
    assert [next(iter(condition)) for condition in body["all"]] == ["c0", "c3", "c2", "c1"]
    facts = [Fact("thing", ("b",)), Fact("pair", ("b", "c")), Fact("pair", ("c", "a"))]
    (firing,) = both(program(product), facts, Fact("hit", ("c", "d")))
    assert [fact.predicate for fact in firing.premises] == ["hit", "thing", "pair", "pair"]


def test_compiling_is_deterministic() -> None:
    rules = [rule(f"r{n}", conditions=(Pattern("pair", (str(n % 90), X)), Pattern("thing", (X,)))) for n in range(300)]
    assert compile_program(program(*rules)) == compile_program(program(*rules))


# -- the protocol --------------------------------------------------------------------------------------------------


def test_what_nobody_listens_to_is_not_sent(spy: Spy) -> None:
    matcher = DurableMatcher(program(rule(conditions=(Pattern("thing", (X,)),), head=Pattern("told", (X,)))))
    sent = spy.count("assert_fact")
    matcher.add(Fact("told", ("a",)))
    matcher.add(Fact("weather", ("rain",)))
    matcher.stage(0, [Fact("hit", ("a", "b"))])
    matcher.stage(1, [TOKEN], [Fact("told", ("b",))])
    matcher.finish()
    assert spy.count("assert_fact") == sent
    matcher.close()


def test_a_derived_fact_that_is_known_is_not_sent_again(spy: Spy) -> None:
    given = program(rule(conditions=(Pattern("thing", (X,)),), head=Pattern("flag")), rule("s", conditions=(Pattern("flag"),)))
    matcher = DurableMatcher(given)
    for fact in (Fact("thing", ("a",)), Fact("thing", ("b",)), Fact("flag")):
        matcher.add(fact)
    sent = spy.count("assert_fact")
    assert len(matcher.stage(0, [TOKEN], [Fact("flag")])) == 3
    assert spy.count("assert_fact") == sent + 2  # the token and its clone
    matcher.finish()
    matcher.close()


def test_a_quiet_token_needs_no_scrub(spy: Spy) -> None:
    matcher = DurableMatcher(program(rule(conditions=(Pattern("thing", (X,)),))))
    sent = spy.count("assert_fact")
    assert ask(matcher) == ()
    assert spy.count("assert_fact") == sent + 1
    matcher.close()


def test_ids_are_used_again(spy: Spy) -> None:
    matcher = DurableMatcher(program(rule(conditions=(Pattern("thing", (X,)),))))
    for n in range(200):
        matcher.add(Fact("thing", (str(n),)))
        assert len(ask(matcher)) == 1
        matcher.remove(Fact("thing", (str(n),)))
    ids = {json.loads(arguments[1])["id"] for name, arguments in spy.calls if name == "assert_fact"}
    assert len(ids) <= 4
    matcher.close()


def test_an_id_that_is_taken_is_passed_over(monkeypatch: pytest.MonkeyPatch, spy: Spy) -> None:
    real = durable_rules_engine.assert_fact

    def taken(handle: int, text: str) -> tuple[int, int]:
        answer = real(handle, text)
        return (2, answer[1]) if text.startswith('{"id":"5"') and real(handle, '{"id":"5","kind":"#boot"}') else answer

    matcher = DurableMatcher(program(rule(conditions=(Pattern("thing", (X,)),))))
    monkeypatch.setattr(durable, "engine", spy)
    spy.assert_fact = lambda handle, text: (2, 0) if '{"id":"1"' in text else real(handle, text)  # type: ignore[attr-defined]
    for n in range(5):
        matcher.add(Fact("thing", (str(n),)))
    assert len(ask(matcher)) == 5
    matcher.close()


def test_facts_that_fire_often_are_asserted_anew(spy: Spy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "REFRESH_AFTER", 50)
    comparison = Comparison(((2, N), (3, M)), 0, ">")
    given = program(rule(trigger=Pattern("score", (N, M)), conditions=(Pattern("thing", (X,)),), comparisons=(comparison,)))
    matcher = DurableMatcher(given)
    matcher.add(Fact("thing", ("a",)))
    before = spy.count("assert_fact")
    for _ in range(101):
        assert len(ask(matcher, Fact("score", (1, 1)))) == 1
    # Each cycle sends a token and a clone; the thing and the nought of the comparisons are renewed twice at least.
    assert 4 <= spy.count("assert_fact") - before - 2 * 101 <= 8
    matcher.close()


@pytest.mark.parametrize("name", ["assert_fact", "retract_fact", "start_action_for_state", "complete_and_start_action"])
def test_an_error_of_the_engine_leaves_the_world_as_it_was(spy: Spy, name: str) -> None:
    chain = program(
        rule(conditions=(Pattern("thing", (X,)),), head=Pattern("told", (X,))),
        rule("s", conditions=(Pattern("told", (X,)), Pattern("thing", (Y,)))),
    )
    matcher = DurableMatcher(chain)
    for letter in "abc":
        matcher.add(Fact("thing", (letter,)))
    expected = ask(matcher)
    assert len(expected) == 12
    for nth in range(1, 12):
        spy.calls.clear()
        spy.fail = lambda called, number, nth=nth: called == name and number == nth
        try:
            ask(matcher)
        except BackendError as error:
            assert "made to fail" in str(error)
        spy.fail = lambda called, number: False
        assert ask(matcher) == expected
    spy.fail = lambda called, number: called == name
    if name in ("assert_fact", "retract_fact"):
        spy.calls.clear()
        spy.fail = lambda called, number: called == name and number == 1
        change, fact = (matcher.add, Fact("thing", ("d",))) if name == "assert_fact" else (matcher.remove, Fact("thing", ("a",)))
        with pytest.raises(BackendError, match="made to fail"):
            change(fact)
    spy.fail = lambda called, number: False
    assert ask(matcher) == expected
    matcher.close()


def test_an_interruption_leaves_the_world_as_it_was() -> None:
    matcher = DurableMatcher(program(rule(conditions=(Pattern("thing", (X,)),))))
    matcher.add(Fact("thing", ("a",)))

    def tokens() -> Iterator[Fact]:
        yield TOKEN
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        matcher.stage(0, tokens())
    assert len(ask(matcher)) == 1
    matcher.close()


def test_a_program_the_engine_refuses_is_reported(spy: Spy) -> None:
    spy.fail = lambda called, number: called == "create_ruleset"
    with pytest.raises(BackendError, match="durable_rules refuses the program: made to fail"):
        DurableMatcher(program(rule()))


def test_an_empty_program_is_a_program() -> None:
    matcher = DurableMatcher(program())
    matcher.add(Fact("thing", ("a",)))
    assert ask(matcher) == ()
    matcher.close()


def test_reports_come_in_parts_when_they_are_long() -> None:
    given = program(rule(conditions=(Pattern("thing", (X,)), Pattern("thing", (Y,)))))
    assert len(both(given, [Fact("thing", (str(n),)) for n in range(30)])) == 900


# -- life and death ------------------------------------------------------------------------------------------------


def test_a_closed_matcher_says_so() -> None:
    matcher = DurableMatcher(program(rule(conditions=(Pattern("thing", (X,)),))))
    matcher.close()
    matcher.close()
    for use in (lambda: matcher.add(Fact("thing", ("a",))), lambda: matcher.stage(0, [TOKEN]), matcher.finish):
        with pytest.raises(RuntimeError, match="closed"):
            use()


def test_a_forgotten_matcher_frees_the_engine(spy: Spy) -> None:
    matcher = DurableMatcher(program(rule(), rule("s")), shard_rules=1)
    gone = weakref.ref(matcher)
    del matcher
    gc.collect()
    assert gone() is None
    assert spy.count("delete_state") == spy.count("delete_ruleset") == 2


def test_a_cycle_belongs_to_the_thread_that_began_it() -> None:
    matcher = DurableMatcher(program(rule(conditions=(Pattern("thing", (X,)),))))
    matcher.stage(0, [TOKEN])
    caught: list[Exception] = []

    def meddle() -> None:
        for use in (lambda: matcher.stage(1, [TOKEN]), lambda: matcher.add(Fact("thing", ("a",))), matcher.finish):
            try:
                use()
            except RuntimeError as error:
                caught.append(error)

    other = threading.Thread(target=meddle)
    other.start()
    other.join()
    assert [str(error) for error in caught] == ["a cycle belongs to the thread that began it"] * 3
    matcher.finish()
    matcher.add(Fact("thing", ("a",)))
    matcher.close()


def test_matchers_in_several_threads_do_not_meet() -> None:
    given = program(rule(conditions=(Pattern("thing", (X,)), Pattern("thing", (Y,))), distinctions=((X, Y),)))
    wrong: list[object] = []

    def play(number: int) -> None:
        matcher = DurableMatcher(given)
        for n in range(number):
            matcher.add(Fact("thing", (f"{number} {n}",)))
        wrong.extend(found for _ in range(50) if len(found := ask(matcher)) != number * (number - 1))
        matcher.close()

    threads = [threading.Thread(target=play, args=(number,)) for number in range(2, 8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


GROWTH = """
import resource
from rulewright.backends.durable import DurableMatcher
from rulewright.productions import Fact, Pattern, Production, Program, Var

X, Y = Var("X"), Var("Y")
thing = [Pattern("thing", (X,)), Pattern("thing", (Y,))]
program = Program((Production("r", 0, Pattern("go"), Pattern("out"), tuple(thing)),), {"go": (), "thing": ("symbol",), "out": ()})

def open_and_close():
    matcher = DurableMatcher(program)
    matcher.add(Fact("thing", ("a",)))
    matcher.stage(0, [Fact("go")])
    matcher.finish()
    matcher.close()

keeper = DurableMatcher(program)
for letter in "abcdefgh":
    keeper.add(Fact("thing", (letter,)))

def ask():
    keeper.stage(0, [Fact("go")])
    keeper.finish()

for work, times in ((open_and_close, 300), (ask, 1000)):
    for _ in range(times):
        work()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3 * times):
        work()
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_neither_matchers_nor_cycles_leave_memory_behind() -> None:
    pytest.importorskip("resource")
    done = subprocess.run([sys.executable, "-c", GROWTH], capture_output=True, text=True, check=True, env={"PYTHONPATH": ":".join(sys.path)})
    assert all(int(kilobytes) < 4_000 for kilobytes in done.stdout.split()), done.stdout
