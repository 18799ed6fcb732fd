"""A third opinion: clingo, which knows nothing of Rulewright, finds the same firings."""

from pathlib import Path

import pytest

pytest.importorskip("clingo")

from clingo_matcher import ClingoMatcher
from generators import generate
from rulebook_agreement import Tally, agree

from rulewright.backends import durable
from rulewright.backends.base import BackendError
from rulewright.backends.reference import ReferenceMatcher


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_clingo_finds_the_same_firings(start: int) -> None:
    firings = 0
    for seed in range(start, start + 50):
        case = generate(seed, plain=True)
        matchers = [ClingoMatcher(case.program), durable.DurableMatcher(case.program), ReferenceMatcher(case.program)]
        for cycle in case.cycles:
            for adds, fact in cycle.changes:
                for matcher in matchers:
                    (matcher.add if adds else matcher.remove)(fact)
            for number, tokens, derived in cycle.stages:
                try:
                    found = [matcher.stage(number, tokens, derived) for matcher in matchers[1:]]
                except BackendError:
                    break
                expected = matchers[0].stage(number, tokens, derived)
                assert all(one == expected for one in found), f"seed {seed}"
                firings += len(expected)
            for matcher in matchers:
                matcher.finish()
        for matcher in matchers:
            matcher.close()
    assert firings > 100


@pytest.mark.parametrize("start", range(20_000, 20_010, 5))
def test_clingo_plays_generated_rulebooks_to_the_same_end(start: int, tmp_path: Path) -> None:
    tally = Tally()
    for seed in range(start, start + 5):
        agree(seed, tmp_path / "rules", tally, third=ClingoMatcher)
    assert tally.matches > 5
