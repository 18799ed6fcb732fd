"""Runs one case on several backends at once and stops where they differ; also from the command line.

    python tests/properties/agreement.py FIRST LAST     holds the cases of these seeds against the oracle
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from random import Random

from generators import Case, generate, permuted
from rulewright.backends import durable
from rulewright.backends.base import BackendError, Matcher
from rulewright.backends.reference import ReferenceMatcher
from rulewright.productions import Firing

BOUND = 3_000


def outcome(work: Callable[[], tuple[Firing, ...] | None]) -> object:
    """What a call returns, or the kind of error it raises."""
    try:
        return work()
    except BackendError:
        return BackendError


def steps(matcher: Matcher, case: Case) -> Iterator[object]:
    """Plays a case on a matcher, with the outcome of each stage."""
    for cycle in case.cycles:
        for adds, fact in cycle.changes:
            (matcher.add if adds else matcher.remove)(fact)
        for number, tokens, derived in cycle.stages:
            result = outcome(lambda n=number, t=tokens, d=derived: matcher.stage(n, t, d))
            yield result
            if result is BackendError:
                break
        matcher.finish()


def check(seed: int) -> Iterator[int]:
    """Holds the engine, and the engine on the same case in another order, against the oracle.

    Yields the number of firings of each stage, so that a caller can interleave cases.
    """
    case = generate(seed)
    random = Random(-1 - seed)
    matchers: list[Matcher] = [ReferenceMatcher(case.program, firings_per_cycle=BOUND)]
    plays = [steps(matchers[0], case)]
    for variant in (case, permuted(case, random)):
        shard = random.choice((4000, 4000, 1, 3))
        matchers.append(durable.DurableMatcher(variant.program, firings_per_cycle=BOUND, shard_rules=shard))
        plays.append(steps(matchers[-1], variant))
    for place, (expected, *found) in enumerate(zip(*plays, strict=True)):
        for one in found:
            assert one == expected, f"seed {seed}, stage {place} of the script: {differences(expected, one)}"
        yield len(expected) if isinstance(expected, tuple) else 0
    for matcher in matchers:
        matcher.close()


def differences(expected: object, found: object) -> str:
    """What one outcome has that the other lacks, as far as a message can hold."""
    if not isinstance(expected, tuple) or not isinstance(found, tuple):
        return f"{expected!r:.300} against {found!r:.300}"
    missing = [firing for firing in expected if firing not in found]
    extra = [firing for firing in found if firing not in expected]
    return f"missing {missing[:2]!r:.600}, extra {extra[:2]!r:.600}, of {len(expected)} and {len(found)}"


def interleave(seeds: range) -> int:
    """Plays cases by turns, three at a time; the number of firings."""
    total = 0
    for start in seeds[::3]:
        running = [check(seed) for seed in range(start, min(start + 3, seeds.stop))]
        while running:
            for play in list(running):
                firings = next(play, None)
                if firings is None:
                    running.remove(play)
                else:
                    total += firings
    return total


if __name__ == "__main__":
    durable.REFRESH_AFTER = 20
    first, last = int(sys.argv[1]), int(sys.argv[2])
    began = time.monotonic()
    fired = interleave(range(first, last))
    print(f"{last - first} cases, {fired} firings, no difference, {time.monotonic() - began:.0f} s")
