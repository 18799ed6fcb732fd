"""Measures what many rules and many facts cost, from the text to the answer.

    python tests/benchmarks/scale.py              all measurements
    python tests/benchmarks/scale.py rules facts  some of them

``rules``: 5,000 productions with some 1,000 facts of units.  ``facts``: 250 productions with 50,000 facts.  ``apart``:
what rules cost that an event does not touch.  ``memory``: 100,000 events, 2,000 compiled rulesets, 1,000 sessions.
"""

from __future__ import annotations

import gc
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rulewright.backends.durable import DurableMatcher
from rulewright.lowering.compile import Compiled
from rulewright.productions import Pattern, Production, Program, Var
from rulewright.session.session import Session
from rulewright.workspace import load_edition

TOUCHED = 10
"""Rules that one event concerns."""


def vocabulary(groups: int) -> Iterator[str]:
    """Words for so many groups of rules: an event, a state and a measure for each."""
    yield "kind unit\n  en: unit|units"
    yield (
        "fact guards\n  role {other} is a unit\n  en: {unit} guards {other}\n  en not: {unit} does not guard {other}"
    )
    for group in range(groups):
        yield f"event e{group}\n  en: {{unit}} meets omen{group}"
        yield f"fact s{group}\n  en: {{unit}} bears mark{group}\n  en not: {{unit}} does not bear mark{group}"
        yield f"measure m{group}\n  en: the force{group} of {{unit}}\n  en with: force{group} {{value}}"


def rules(groups: int) -> Iterator[str]:
    """Ten rules for each group, two of them with exceptions."""
    for group in range(groups):
        following = (group + 1) % groups
        for number in range(TOUCHED):
            lines = [f"rule r{group}-{number}", f"when {{unit}} meets omen{group}"]
            lines.append(f"and the force{group} of {{unit}} is at least {number}")
            if number % 2:
                lines += ["and {friend} guards {unit}", f"and {{friend}} does not bear mark{following}"]
            if number % 3 == 0:
                lines.append(f"unless {{unit}} bears mark{following}")
            lines.append(f"then {{unit}} bears mark{group}")
            yield "\n  ".join(lines)


def load(groups: int) -> Compiled:
    """An edition of so many groups of ten rules."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for place, blocks in (("vocabulary", vocabulary(groups)), ("e", rules(groups))):
            (root / place).mkdir()
            opening = 'edition e "Large"\n  note made up\n\n' if place == "e" else ""
            parts = list(blocks)
            for start in range(0, len(parts), 500):
                text = "\n\n".join(parts[start : start + 500])
                (root / place / f"part{start}.rules").write_text(f"language English\n\n{opening}{text}\n")
                opening = ""
        return load_edition("e", root)


def populate(session: Session, units: int, groups: int, states: int) -> int:
    """Gives units with marks, forces and guards; the number of facts."""
    for number in range(units):
        session.give(
            f"U{number} is a unit with force{number % (groups - 1) + 1} {number % 12} and force0 {number % 10}"
        )
    for number in range(units):
        for state in range(states):
            session.give(f"U{number} bears mark{(number + 7 * state) % groups}")
        session.give(f"U{number} guards U{(number * 13 + 1) % units}")
        session.give(f"U{number} guards U{(number * 7 + 2) % units}")
    return len(session.game.world.facts) + len(session.game.world.values) + len(session.game.world.kinds)


def events(session: Session, count: int, groups: int = 1) -> float:
    """Seconds for one event, on average."""
    units = [ident for ident, kind in session.game.world.kinds.items() if kind == "unit"]
    began = time.process_time()
    for number in range(count):
        session.happens(f"{units[number * 37 % len(units)]} meets omen{number % groups}")
    return (time.process_time() - began) / count


def timed(work: Callable[[], object]) -> tuple[object, float]:
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def memory() -> float:
    """Megabytes in use."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


# -- measurements ----------------------------------------------------------------------------------------------------


def many_rules() -> None:
    compiled, seconds = timed(lambda: load(210))
    assert isinstance(compiled, Compiled)
    say(f"{len(compiled.program.productions)} productions: read and compiled in {seconds:.1f} s")
    session, seconds = timed(lambda: Session(compiled, DurableMatcher))
    assert isinstance(session, Session)
    say(
        f"  opened in {seconds:.1f} s, once more in {timed(lambda: Session(compiled, DurableMatcher).close())[1]:.2f} s"
    )
    facts, seconds = timed(lambda: populate(session, 150, 210, 2))
    say(f"  {facts} facts given in {seconds:.1f} s")
    say(f"  an event: {1000 * events(session, 200, 210):.2f} ms")
    session.close()


def many_facts() -> None:
    compiled = load(10)
    session = Session(compiled, DurableMatcher)
    facts, seconds = timed(lambda: populate(session, 8400, 10, 1))
    say(f"{len(compiled.program.productions)} productions, {facts} facts given in {seconds:.1f} s")
    say(f"  an event: {1000 * events(session, 200, 10):.2f} ms")
    session.close()


def untouched() -> None:
    times = {}
    for groups in (4, 210):
        compiled = load(groups)
        session = Session(compiled, DurableMatcher)
        populate(session, 170, groups, 2)
        events(session, 50)
        times[groups] = min(events(session, 100) for _ in range(20))
        say(f"{len(compiled.program.productions)} productions: {1000 * times[groups]:.2f} ms for an event of ten rules")
        session.close()
    say(f"  ratio {times[210] / times[4]:.2f}")


def flat() -> None:
    compiled = load(4)
    session = Session(compiled, DurableMatcher)
    populate(session, 20, 4, 2)
    for rounds in range(11):
        count = 1_000 if not rounds else 10_000
        seconds = events(session, count, 4)
        session.game.steps.clear()
        session.log.clear()
        session.game._by_number.clear()  # what is told of the past grows with it; all else must not
        say(f"  after {max(rounds, 0) * 10_000 + 1_000} events: {memory():.0f} MB, {1000 * seconds:.2f} ms an event")
    session.close()
    for rounds in range(5):
        for number in range(500):
            DurableMatcher(_program(rounds * 500 + number)).close()
        say(f"  after {(rounds + 1) * 500} compiled rulesets: {memory():.0f} MB")
    for rounds in range(5):
        for _ in range(200):
            one = Session(compiled, DurableMatcher)
            one.give("U1 is a unit with force0 5")
            one.happens("U1 meets omen0")
            one.close()
        say(f"  after {(rounds + 1) * 200} sessions: {memory():.0f} MB")


def _program(seed: int) -> Program:
    """Twenty productions like no others."""
    productions = tuple(
        Production(
            f"r{n}", 0, Pattern("t"), Pattern(f"h{seed}", (Var("x"),)), (Pattern("p", (Var("x"), f"s{seed}-{n}")),)
        )
        for n in range(20)
    )
    matcher_columns = {"t": (), "p": ("symbol", "symbol"), f"h{seed}": ("symbol",)}
    return Program(productions, matcher_columns)  # type: ignore[arg-type]


MEASUREMENTS = {"rules": many_rules, "facts": many_facts, "apart": untouched, "memory": flat}


def main(*wanted: str) -> None:
    for name in wanted or MEASUREMENTS:
        say(f"== {name}")
        MEASUREMENTS[name]()


if __name__ == "__main__":
    main(*sys.argv[1:])
