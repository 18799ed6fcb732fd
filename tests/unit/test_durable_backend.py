"""The traps of durable_rules, each met on purpose."""

import contextlib
import gc
import itertools
import json
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator

import durable_rules_engine
import pytest
from programs import TOKEN, K, M, N, X, Y, Z, both, program, rule

from rulewright.backends import durable, durable_layout
from rulewright.backends.base import BackendError
from rulewright.backends.durable import DurableMatcher
from rulewright.backends.durable_compile import (
    Linear,
    simplify,
)
from rulewright.backends.validate import MAX_SYMBOL
from rulewright.productions import (
    MAX_COEFFICIENTS,
    MAX_NUMBER,
    Comparison,
    Fact,
    Firing,
    Pattern,
    Production,
    Var,
)


def ask(matcher: DurableMatcher, *tokens: Fact) -> tuple[Firing, ...]:
    """One cycle of one stage."""
    found = matcher.stage(0, tokens or (TOKEN,))
    matcher.finish()
    return found


class Spy:
    """Stands between the matcher and the engine, counts the calls and lets one of them fail."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[object, ...]]] = []
        self.failing: tuple[str, int] | None = None

    def __getattr__(self, name: str) -> object:
        real = getattr(durable_rules_engine, name)
        if isinstance(real, type):
            return real

        def call(*arguments: object) -> object:
            self.calls.append((name, arguments))
            if (name, self.count(name)) == self.failing:
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
        two = rule(
            "two", trigger=Pattern("score", (N, K)), conditions=(Pattern("size", (X, M)),), comparisons=(comparison,)
        )
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
    largest = rule(trigger=Pattern("score", (N, M)), conditions=(Pattern("size", (X, K)),), comparisons=(comparison,))
    extremes = (-MAX_NUMBER, MAX_NUMBER)
    facts = [Fact("size", ("a", number)) for number in extremes]
    assert len(both(program(largest), facts, *(Fact("score", (n, m)) for n in extremes for m in extremes))) == 3


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
    given = program(
        rule(conditions=(Pattern("thing", (X,)),), head=Pattern("flag")), rule("s", conditions=(Pattern("flag"),))
    )
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


def test_an_id_that_is_taken_is_passed_over(spy: Spy) -> None:
    """Two ids of one hash would be one message to the engine; it answers 2, and the next number serves."""
    matcher = DurableMatcher(program(rule(conditions=(Pattern("thing", (X,)),))))
    honest = durable_rules_engine.assert_fact
    answers = {'{"id":"1"': (2, 0), '{"id":"2"': (2, 0)}
    spy.assert_fact = lambda handle, text: answers.get(text[:9]) or honest(handle, text)  # type: ignore[attr-defined]
    for n in range(5):
        matcher.add(Fact("thing", (str(n),)))
    assert len(ask(matcher)) == 5
    matcher.close()


def test_facts_that_fire_often_are_asserted_anew(spy: Spy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "REFRESH_AFTER", 50)
    comparison = Comparison(((2, N), (3, M)), 0, ">")
    given = program(
        rule(trigger=Pattern("score", (N, M)), conditions=(Pattern("thing", (X,)),), comparisons=(comparison,))
    )
    matcher = DurableMatcher(given)
    matcher.add(Fact("thing", ("a",)))
    before = spy.count("assert_fact")
    for _ in range(210):
        assert len(ask(matcher, Fact("score", (1, 1)))) == 1
    # Each cycle sends a token and a clone; the thing and the nought of the comparisons are renewed now and then.
    assert 4 <= spy.count("assert_fact") - before - 2 * 210 <= 8
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
        spy.failing = name, nth
        with contextlib.suppress(BackendError):
            ask(matcher)
        spy.failing = None
        assert ask(matcher) == expected
    if name in ("assert_fact", "retract_fact"):
        spy.calls.clear()
        spy.failing = name, 1
        change, fact = (
            (matcher.add, Fact("thing", ("d",))) if name == "assert_fact" else (matcher.remove, Fact("thing", ("a",)))
        )
        with pytest.raises(BackendError, match="made to fail"):
            change(fact)
    spy.failing = None
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
    spy.failing = "create_ruleset", 1
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
    gc.collect()
    spy.calls.clear()
    matcher = DurableMatcher(program(rule(), rule("s")), shard_rules=1)
    gone = weakref.ref(matcher)
    del matcher
    gc.collect()
    assert gone() is None
    assert spy.count("delete_state") == spy.count("delete_ruleset") == 2


def test_a_program_is_compiled_once_and_forgotten_with_it() -> None:
    given = program(rule(), rule("s"))
    before = dict(durable_layout._known)
    for shard in (1, 1, 2):
        DurableMatcher(given, shard_rules=shard).close()
    assert len(durable_layout._known.keys() - before.keys()) == 2
    del given
    gc.collect()
    assert durable_layout._known.keys() <= before.keys()


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
import sys
from rulewright.backends.durable import DurableMatcher
from rulewright.productions import Fact, Pattern, Production, Program, Var

X, Y = Var("X"), Var("Y")
thing = [Pattern("thing", (X,)), Pattern("thing", (Y,))]
rule = Production("r", 0, Pattern("go"), Pattern("out"), tuple(thing))
program = Program((rule,), {"go": (), "thing": ("symbol",), "out": ()})

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

unit = 1024 if sys.platform == "darwin" else 1
for work, times in ((open_and_close, 300), (ask, 1000)):
    for _ in range(times):
        work()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(3 * times):
        work()
    print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // unit)
"""


def test_neither_matchers_nor_cycles_leave_memory_behind() -> None:
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", GROWTH],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert all(int(kilobytes) < 4_000 for kilobytes in done.stdout.split()), done.stdout
