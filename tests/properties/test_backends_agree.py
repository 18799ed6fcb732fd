"""The engine and the oracle never disagree, whatever the program and whatever the order of its parts."""

import pytest
from agreement import compare, engine, interleave, oracle, players, shrunk
from generators import CROWD, generate
from hypothesis import given, settings
from hypothesis import strategies as st

from rulewright.backends import durable
from rulewright.backends.reference import ReferenceMatcher
from rulewright.productions import Fact, Firing, Pattern, Production, Program


@pytest.fixture(autouse=True)
def _facts_are_refreshed_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "REFRESH_AFTER", 20)


@pytest.mark.parametrize("start", range(0, 500, 50))
def test_the_engine_agrees_with_the_oracle(start: int) -> None:
    assert interleave(range(start, start + 50)) > 0


@settings(max_examples=60, deadline=None)
@given(st.integers(min_value=0, max_value=2**64))
def test_the_engine_agrees_on_cases_never_seen(seed: int) -> None:
    for _ in compare(players(seed)):
        pass


@pytest.mark.parametrize("seed", range(3))
def test_the_engine_agrees_where_hundreds_of_productions_crowd(seed: int) -> None:
    case = generate(seed, size=CROWD)
    for _ in compare([(oracle, case), (engine(), case), (engine(shard=40), case)]):
        pass


def test_the_generator_makes_cases_worth_running() -> None:
    """What the cases are for happens in them: firings that rest on absences, on comparisons, on one fact twice."""
    kinds = {"absence": 0, "comparison": 0, "distinction": 0, "fact twice": 0, "later stage": 0}
    for seed in range(100):
        case = generate(seed)
        productions = {production.name: production for production in case.program.productions}
        matcher = ReferenceMatcher(case.program)
        for cycle in case.cycles:
            for adds, fact in cycle.changes:
                (matcher.add if adds else matcher.remove)(fact)
            for number, tokens, _ in cycle.stages:
                for firing in matcher.stage(number, tokens):
                    production = productions[firing.production]
                    kinds["absence"] += bool(production.absences)
                    kinds["comparison"] += bool(production.comparisons)
                    kinds["distinction"] += bool(production.distinctions)
                    kinds["fact twice"] += len(set(firing.premises[1:])) < len(firing.premises) - 1
                    kinds["later stage"] += number > 0
            matcher.finish()
    assert all(count >= 50 for count in kinds.values()), kinds


class _Blind(ReferenceMatcher):
    """A backend with a fault: it never sees the fact ``D("b")``."""

    def _fire(self, *arguments):  # type: ignore[no-untyped-def]
        return tuple(firing for firing in super()._fire(*arguments) if Fact("D", ("b",)) not in firing.premises)


def test_a_difference_is_made_small() -> None:
    blind, case = next(
        (_Blind, case)
        for case in map(generate, range(1000))
        if any(Fact("D", ("b",)) in firing.premises for firing in _firings(case))
    )
    small = shrunk(blind, case)
    assert len(small.program.productions) == 1
    assert sum(len(cycle.changes) for cycle in small.cycles) <= len(small.program.productions[0].conditions)


def _firings(case) -> list[Firing]:  # type: ignore[no-untyped-def]
    matcher, found = ReferenceMatcher(case.program), []
    for cycle in case.cycles:
        for adds, fact in cycle.changes:
            (matcher.add if adds else matcher.remove)(fact)
        found += [firing for number, tokens, _ in cycle.stages for firing in matcher.stage(number, tokens)]
        matcher.finish()
    return found


def test_premises_are_the_callers_own_facts() -> None:
    program = Program(
        (Production("r", 0, Pattern("t"), Pattern("h"), (Pattern("p", ("a",)),)),),
        {"t": (), "p": ("symbol",), "h": ()},
    )
    fact, token = Fact("p", ("a",)), Fact("t")
    matcher = durable.DurableMatcher(program)
    matcher.add(fact)
    (firing,) = matcher.stage(0, [token])
    assert firing.premises[0] is token
    assert firing.premises[1] is fact
    matcher.finish()
    matcher.close()
