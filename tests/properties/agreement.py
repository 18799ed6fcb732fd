"""Plays one case on several backends at once and stops where they differ; also from the command line.

    python tests/properties/agreement.py FIRST LAST     holds the cases of these seeds against the oracle

A difference is reported with the smallest part of the case that still shows it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from generators import Case, generate, permuted

from rulewright.backends import durable, durable_layout
from rulewright.backends.base import Backend, BackendError, Matcher
from rulewright.backends.reference import ReferenceMatcher
from rulewright.productions import Firing, Program

BOUND = 3_000
"""Firings of one cycle; some cases pass it, and then every backend must say so."""

Item = TypeVar("Item")


def oracle(program: Program) -> Matcher:
    """The backend that all others are held against."""
    return ReferenceMatcher(program, firings_per_cycle=BOUND)


def engine(shard: int = durable_layout.SHARD_RULES, batch: int = durable_layout.BATCH) -> Backend:
    """The engine with so many rules in one ruleset and so many firings in one report."""

    def start(program: Program) -> Matcher:
        return durable.DurableMatcher(program, firings_per_cycle=BOUND, shard_rules=shard, batch=batch)

    return start


def outcome(work: Callable[[], tuple[Firing, ...]]) -> tuple[Firing, ...] | None:
    """What a stage returns, or None where it is refused."""
    try:
        return work()
    except BackendError:
        return None


def steps(matcher: Matcher, case: Case) -> Iterator[tuple[Firing, ...] | None]:
    """Plays a case on a matcher, with the outcome of each stage; a refused stage ends its cycle."""
    for cycle in case.cycles:
        for adds, fact in cycle.changes:
            (matcher.add if adds else matcher.remove)(fact)
        for number, tokens, derived in cycle.stages:
            result = outcome(lambda n=number, t=tokens, d=derived: matcher.stage(n, t, d))
            yield result
            if result is None:
                break
        matcher.finish()


def compare(players: Sequence[tuple[Backend, Case]]) -> Iterator[int]:
    """Holds all players against the first, stage by stage; yields the number of firings of each stage.

    Raises:
        AssertionError: two outcomes differ.
    """
    matchers = [backend(case.program) for backend, case in players]
    plays = [steps(matcher, case) for matcher, (_, case) in zip(matchers, players, strict=True)]
    for place, (expected, *found) in enumerate(zip(*plays, strict=True)):
        for one in found:
            assert one == expected, f"stage {place} of the script: {differences(expected, one)}"
        yield len(expected or ())
    for matcher in matchers:
        matcher.close()


def players(seed: int) -> list[tuple[Backend, Case]]:
    """The oracle, the engine, and the engine on the same case in another order."""
    case, random = generate(seed), Random(-1 - seed)
    engines = [engine(random.choice((4000, 4000, 1, 3)), random.choice((200, 200, 1, 2))) for _ in range(2)]
    return [(oracle, case), (engines[0], case), (engines[1], permuted(case, random))]


def interleave(seeds: range) -> int:
    """Plays cases by turns, three at a time; the number of firings."""
    total = 0
    for start in seeds[::3]:
        running = {seed: compare(players(seed)) for seed in range(start, min(start + 3, seeds.stop))}
        while running:
            for seed, play in list(running.items()):
                try:
                    firings = next(play, None)
                except AssertionError as error:
                    raise AssertionError(f"seed {seed}, {error}") from error
                if firings is None:
                    del running[seed]
                else:
                    total += firings
    return total


def differences(expected: tuple[Firing, ...] | None, found: tuple[Firing, ...] | None) -> str:
    """What one outcome has that the other lacks, as far as a message can hold."""
    if expected is None or found is None:
        return f"{expected!r:.300} against {found!r:.300}"
    missing = [firing for firing in expected if firing not in found]
    extra = [firing for firing in found if firing not in expected]
    return f"missing {missing[:2]!r:.600}, extra {extra[:2]!r:.600}, of {len(expected)} and {len(found)}"


# -- making a case small -------------------------------------------------------------------------------------------


def differs(backend: Backend, case: Case) -> bool:
    """Whether a backend and the oracle disagree on a case."""
    try:
        for _ in compare([(oracle, case), (backend, case)]):
            pass
    except AssertionError:
        return True
    return False


def shrunk(backend: Backend, case: Case) -> Case:
    """The case without all that can be left out while the two still disagree."""
    smaller: Case | None = case
    while smaller is not None:
        case = smaller
        smaller = next((candidate for candidate in _smaller(case) if differs(backend, candidate)), None)
    return case


def _smaller(case: Case) -> Iterator[Case]:
    for productions in _one_less(case.program.productions):
        yield replace(case, program=replace(case.program, productions=productions))
    for cycles in _one_less(case.cycles):
        yield replace(case, cycles=cycles)
    for place, cycle in enumerate(case.cycles):
        fewer = [replace(cycle, changes=changes) for changes in _one_less(cycle.changes)]
        fewer += [replace(cycle, stages=stages) for stages in _one_less(cycle.stages)]
        for less in fewer:
            yield replace(case, cycles=(*case.cycles[:place], less, *case.cycles[place + 1 :]))
    for place, production in enumerate(case.program.productions):
        parts = [replace(production, comparisons=less) for less in _one_less(production.comparisons)]
        parts += [replace(production, distinctions=less) for less in _one_less(production.distinctions)]
        parts += [replace(production, absences=less) for less in _one_less(production.absences)]
        for part in parts:
            others = (*case.program.productions[:place], part, *case.program.productions[place + 1 :])
            yield replace(case, program=replace(case.program, productions=others))


def _one_less(items: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    return (items[:place] + items[place + 1 :] for place in range(len(items)))


def main(first: int, last: int) -> None:
    """Holds the cases of some seeds against the oracle and reports the time it took."""
    durable.REFRESH_AFTER = 20
    began, firings = time.monotonic(), 0
    for start in range(first, last, 300):
        try:
            firings += interleave(range(start, min(start + 300, last)))
        except AssertionError as error:
            sys.stdout.write(f"{error}\n")
            seed = int(str(error).split(",")[0].removeprefix("seed "))
            for backend, case in players(seed)[1:]:
                if differs(backend, case):
                    sys.stdout.write(f"{shrunk(backend, case)}\n")
            raise SystemExit(1) from error
    seconds = time.monotonic() - began
    sys.stdout.write(f"{last - first} cases, {firings} firings, no difference, {seconds:.0f} s\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
