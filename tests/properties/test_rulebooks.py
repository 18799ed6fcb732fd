"""Whole rulebooks, told in sentences, play the same on the engine and on the oracle, in any order.

Each is played on both, with its blocks, files and givens in another order, on a fork from the middle on, and once more
from its log.  All steps must be the same, with their matches, defeats, grounds and effects; and what the steps tell is
held against the model of the rules.
"""

from dataclasses import replace
from pathlib import Path

import pytest
from proofs import check_proofs
from rulebook_agreement import Tally, agree, opened
from rulebooks import make

from rulewright.backends.reference import ReferenceMatcher
from rulewright.provenance import Defeat, Step


@pytest.mark.parametrize("start", range(0, 80, 10))
def test_a_rulebook_plays_the_same_in_every_way(start: int, tmp_path: Path) -> None:
    tally = Tally()
    for seed in range(start, start + 10):
        agree(seed, tmp_path / "rules", tally)
    assert tally.matches > 10


def test_what_the_rulebooks_are_for_happens_in_them(tmp_path: Path) -> None:
    tally = Tally()
    for seed in range(1_000, 1_015):
        agree(seed, tmp_path / "rules", tally)
    assert tally.steps > 100
    assert min(tally.matches, tally.defeats, tally.tests, tally.faults, tally.voided) > 0, tally


def _tampered(steps: list[Step]) -> dict[str, list[Step]]:
    """The same steps with something told that is not so."""
    place = next(n for n, step in enumerate(steps) if any(m.clauses and m.fired for m in step.matches))
    step = steps[place]
    match = next(m for m in step.matches if m.clauses and m.fired)
    others = tuple(m for m in step.matches if m is not match)
    stranger = replace(match, bindings=dict.fromkeys(match.bindings, "nobody"))
    clause = replace(match.clauses[0], bindings=dict.fromkeys(match.clauses[0].bindings, "nobody"))
    changed = {
        "a match is left out": others,
        "a match is made up": (*step.matches, stranger),
        "a clause is about others": (*others, replace(match, clauses=(clause, *match.clauses[1:]))),
        "a clause is left out": (*others, replace(match, clauses=match.clauses[1:])),
        "a defeat is made up": (*others, replace(match, defeats=(Defeat("unless", match.rule, ()),))),
    }
    return {
        what: [*steps[:place], replace(step, matches=matches), *steps[place + 1 :]] for what, matches in changed.items()
    }


def test_a_false_proof_is_noticed(tmp_path: Path) -> None:
    for seed in range(100):
        book, compiled = make(seed, tmp_path / "rules")
        play = opened(book, compiled, ReferenceMatcher)
        for sentence in book.happenings:
            if play.rests:
                play.happens(sentence)
        if any(m.clauses and m.fired for s in play.session.steps for m in s.matches):
            break
    assert check_proofs(play.session) > 0
    for steps in _tampered(play.session.game.steps).values():
        play.session.game.steps = steps
        with pytest.raises((AssertionError, KeyError)):
            check_proofs(play.session)
