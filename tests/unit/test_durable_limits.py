"""The limits of durable_rules, each on both of its sides, and what the engine is given."""

import itertools
import json

import pytest
from programs import TOKEN, K, M, N, X, Y, Z, both, program, rule

from rulewright.backends.base import BackendError
from rulewright.backends.durable import DurableMatcher, definitions
from rulewright.backends.durable_compile import (
    MAX_ABSENCES,
    MAX_JOINS,
    MAX_POSITIVE,
    MAX_PROPERTIES,
    column_name,
    pair,
)
from rulewright.backends.durable_layout import FAN, SAME_NODE, SENTINEL, check_limits, compile_program
from rulewright.productions import Comparison, Fact, Pattern, Program, Var

# -- limits of the engine ------------------------------------------------------------------------------------------


def test_conditions_are_limited_and_the_limit_works() -> None:
    def with_conditions(count: int, **parts: object) -> Program:
        return program(rule(conditions=tuple(Pattern("size", (X, Var(f"N{n}"))) for n in range(count)), **parts))

    assert len(both(with_conditions(MAX_POSITIVE - 1), [Fact("size", ("a", 1))])) == 1
    with pytest.raises(BackendError, match=r"production 'r': it has 17 conditions, its trigger included; .* 16"):
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
    with pytest.raises(BackendError, match=r"production 'r': .* 'much/fact' hangs 26 times on the others; .* 25"):
        DurableMatcher(with_joins(MAX_JOINS + 1))


def test_columns_are_limited_and_the_limit_works() -> None:
    def with_columns(count: int) -> Program:
        return program(
            rule(conditions=(Pattern("wide", tuple(Var(f"X{n}") for n in range(count))),)), wide=("symbol",) * count
        )

    assert len(both(with_columns(MAX_PROPERTIES), [Fact("wide", ("a",) * MAX_PROPERTIES)])) == 1
    with pytest.raises(BackendError, match=r"production 'r': 'wide/fact' needs 201 columns .* 200"):
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
    assert len({firing.head for firing in matcher.stage(0, [TOKEN])}) == 2 * 21
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
    names += [column_name((kind,) * MAX_PROPERTIES, n) for kind in ("symbol", "number") for n in range(MAX_PROPERTIES)]
    names += [pair(left, right) for left in range(MAX_PROPERTIES) for right in range(left + 1, MAX_PROPERTIES)]
    assert len({fnv(name) for name in names}) == len(names)
    operators = "eq neq gt gte lt lte ex nex mt imt iall iany and or all any not add sub mul div l r"
    assert not {fnv(name) for name in names} & {fnv("$" + name) for name in operators.split()}
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
        comparisons=(
            Comparison(((1, N),), -3, ">="),
            Comparison(((1, M), (-2, N)), 0, "<"),
            Comparison(((2, N), (3, M)), 0, "="),
        ),
        distinctions=((X, Y), (Y, "c")),
        absences=(Pattern("pair", (X, K)),),
    )
    given = program(
        near, rule("never", distinctions=((X, X),), conditions=(Pattern("thing", (X,)),)), pair=("symbol", "number")
    )
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


def joins(tests: list[dict[str, object]]) -> bool:
    return any(
        isinstance(value, dict) and next(iter(value)).startswith("c") for test in tests for value in test.values()
    )


def test_a_rule_is_protected_wherever_it_joins() -> None:
    rules = [
        rule(f"r{n}", trigger=Pattern("hit", (X, Y)), conditions=(Pattern("size", (X, N)), Pattern("size", (Y, N))))
        for n in range(FAN * 3)
    ]
    for shard in definitions(program(*rules)):
        for name, body in shard.items():
            for condition in body["all"]:
                (tests,) = (value["$and"] for value in condition.values())
                if any(
                    isinstance(value, dict) and next(iter(value)).startswith("c")
                    for test in tests
                    for value in test.values()
                ):
                    assert tests[-1] == SENTINEL, name


def test_conditions_that_hang_on_nothing_wait() -> None:
    """Joined in the order written, these would make a product of all things before any is looked up."""
    product = rule(
        trigger=Pattern("hit", (X, Y)),
        conditions=(Pattern("thing", (Z,)), Pattern("pair", (Z, X)), Pattern("pair", (X, "a"))),
    )
    ((_, body),) = [item for item in definitions(program(product))[0].items() if item[0] == "p0"]
    assert [next(iter(condition)) for condition in body["all"]] == ["c0", "c3", "c2", "c1"]
    facts = [Fact("thing", ("b",)), Fact("pair", ("b", "c")), Fact("pair", ("c", "a"))]
    (firing,) = both(program(product), facts, Fact("hit", ("c", "d")))
    assert [fact.predicate for fact in firing.premises] == ["hit", "thing", "pair", "pair"]


def test_compiling_is_deterministic() -> None:
    rules = [rule(f"r{n}", conditions=(Pattern("pair", (str(n % 90), X)), Pattern("thing", (X,)))) for n in range(300)]
    assert compile_program(program(*rules)) == compile_program(program(*rules))
