"""What is told of a rule that did not match is so: its clauses are held against the model, and against the engine.

In generated rulebooks a rule has no failed clause exactly where the engine matched it; and where it has one, all
clauses before it can be true together, as the independent checker of the proofs finds, and with the failed one not.
"""

from pathlib import Path

import pytest
from proofs import Situation
from rulebook_agreement import opened
from rulebooks import make

from rulewright.backends.reference import ReferenceMatcher
from rulewright.explain.misses import rule_starts
from rulewright.explain.nearest import Moment, Reach
from rulewright.lowering.compile import Compiled
from rulewright.model import Rule
from rulewright.provenance import Value
from rulewright.session.looks import Look, Looks
from rulewright.session.world import decoded


def played(seed: int, root: Path) -> tuple[Compiled, list[tuple[Look, set[str]]]]:
    """A rulebook, and the looks of its game with the rules that matched."""
    book, compiled = make(seed, root)
    play = opened(book, compiled, ReferenceMatcher)
    looks = play.session.game.looks = Looks()
    for happening in book.happenings:
        if play.rests and play.session.game.looks is looks:
            play.happens(happening)
    matched = {s.number: {m.rule for m in s.matches} for s in play.session.steps}
    on = [look for look in looks.taken if look.token.predicate.startswith("on:") and look.step in matched]
    return compiled, [(look, matched[look.step]) for look in on]


def check_reach(compiled: Compiled, look: Look, rule: Rule, start: dict[str, Value], reach: Reach) -> None:
    """The clauses that held are true together; with the failed one they are not."""
    assert reach.failed is not None
    facts = frozenset((*look.facts, *look.given))
    situation = Situation(compiled, facts)
    kinds = situation.kinds(rule.triggers, rule.conditions, rule.effects)
    before, failed = reach.held, reach.failed.condition
    assert any(True for _ in situation.solve(before, start, kinds, ())), (rule.anchor.ident, before)
    assert not any(True for _ in situation.solve([*before, failed], start, kinds, ())), (rule.anchor.ident, failed)


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_the_failed_clause_is_false_and_all_before_it_true(first: int, tmp_path: Path) -> None:
    matches = misses = 0
    for seed in range(first, first + 10):
        compiled, looks = played(seed, tmp_path / "rules")
        for look, matched in looks:
            moment = Moment(compiled, look)
            for rule in (r for r in compiled.rules if r.choice is None):
                starts = rule_starts(compiled, rule, moment)
                reaches = [moment.reach(start, rule.conditions) for start in starts]
                assert any(r.failed is None for r in reaches) == (rule.anchor.ident in matched), (seed, rule.anchor)
                matches += rule.anchor.ident in matched
                for start, reach in zip(starts, reaches, strict=True):
                    if reach.failed is not None:
                        known = dict(zip((v.name for v in start), decoded(start.values()), strict=True))
                        check_reach(compiled, look, rule, known, reach)
                        misses += 1
    assert matches > 5
    assert misses > 10
