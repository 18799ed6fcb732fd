"""Plays generated rulebooks in several ways and stops where they differ; also from the command line.

python tests/properties/rulebook_agreement.py FIRST LAST     plays the rulebooks of these seeds
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from proofs import check_proofs
from rulebooks import Rulebook, make, permuted

from rulewright.backends.base import Backend
from rulewright.backends.durable import DurableMatcher
from rulewright.backends.reference import ReferenceMatcher
from rulewright.diagnostics import Fault
from rulewright.lowering.compile import Compiled
from rulewright.session.session import Session

State = tuple[object, ...]


def state(session: Session) -> State:
    """All that a session holds, but for the order of what has none."""
    game = session.game
    world = game.world
    return (
        tuple(session.steps),
        session.request,
        frozenset(world.facts.items()),
        frozenset(world.values.items()),
        frozenset(world.tallies.items()),
        frozenset(world.before.items()),
        frozenset(world.windows.items()),
        tuple(session.facts()),
    )


@dataclass
class Play:
    """One way of playing a rulebook: the session, and the dice that answer it."""

    session: Session
    dice: Random
    faults: list[str] = field(default_factory=list)

    def happens(self, sentence: str) -> None:
        """Lets something happen, and answers all that is asked."""
        try:
            self.session.happens(sentence)
            while (request := self.session.request) is not None:
                if request.dice is not None:
                    self.session.answer(
                        sum(self.dice.randint(1, request.dice.sides) for _ in range(request.dice.count))
                    )
                else:
                    self.session.answer(self.session.name(self.dice.choice(sorted(request.options))))
        except Fault as fault:
            self.faults.append(", ".join(f"{d.name}: {d.message}" for d in fault.diagnostics))
            while (request := self.session.request) is not None:  # a fault of an answer leaves the question open
                break

    @property
    def rests(self) -> bool:
        """Whether nothing is asked."""
        return self.session.request is None


def opened(book: Rulebook, compiled: Compiled, backend: Backend) -> Play:
    """A session with all that is given."""
    session = Session(compiled, backend)
    for sentence in (*book.things, *book.givens):
        session.give(sentence)
    return Play(session, Random(book.dice))


@dataclass
class Tally:
    """What happened in the rulebooks that were played."""

    books: int = 0
    steps: int = 0
    matches: int = 0
    defeats: int = 0
    tests: int = 0
    decisions: int = 0
    faults: int = 0
    voided: int = 0


def agree(seed: int, root: Path, tally: Tally, third: Backend | None = None) -> None:
    """Plays the rulebook of a seed on the engine, on the oracle, in another order, on a fork and as a replay.

    Raises:
        AssertionError: two ways to play it differ, or a proof does not hold.
    """
    book, compiled = make(seed, root)
    random = Random(-1 - seed)
    other_book = permuted(book, random)
    other_compiled = other_book.load(root)
    assert other_compiled is not None, f"seed {seed}: refused in another order"
    backends: Sequence[tuple[str, Rulebook, Compiled, Backend]] = [
        ("engine", book, compiled, DurableMatcher),
        ("oracle", book, compiled, ReferenceMatcher),
        ("another order", other_book, other_compiled, DurableMatcher),
        *([("third", book, compiled, third)] if third else []),
    ]
    plays = {name: opened(one, edition, backend) for name, one, edition, backend in backends}
    first = plays["engine"]
    where = random.randrange(len(book.happenings))
    for number, sentence in enumerate(book.happenings):
        if number == where and first.rests:
            fork = Play(first.session.fork(), Random())
            fork.dice.setstate(first.dice.getstate())
            fork.faults = list(first.faults)
            plays["fork"] = fork
        for play in plays.values():
            play.happens(sentence)
        _compare(seed, f"{number + 1}, {sentence}", plays)
        if not first.rests:
            break
    replay = Session.replay(compiled, ReferenceMatcher, first.session.log)
    _compare(seed, "the end", {"engine": first, "replay": Play(replay, first.dice, first.faults)})
    try:
        tally.matches += check_proofs(first.session)
    except AssertionError as error:
        raise AssertionError(f"seed {seed}, proofs: {error}") from error
    for play in plays.values():
        play.session.close()
    replay.close()
    tally.books += 1
    tally.faults += len(first.faults)
    for step in first.session.steps:
        tally.steps += 1
        tally.defeats += sum(bool(m.defeats) for m in step.matches)
        tally.tests += step.test is not None
        tally.decisions += len(step.decisions)
        tally.voided += bool(step.voided)


def _compare(seed: int, place: str, plays: dict[str, Play]) -> None:
    (_, first), *others = plays.items()
    expected = state(first.session)
    for name, play in others:
        assert play.faults == first.faults, f"seed {seed}, {place}: {name}: {play.faults} against {first.faults}"
        found = state(play.session)
        if found != expected:
            told = next(_differences(expected, found), "the same when shown")
            raise AssertionError(f"seed {seed}, {place}: {name} differs: {told}")


def _differences(expected: State, found: State) -> Iterator[str]:
    for one, two in zip(expected, found, strict=True):
        if one != two:
            if isinstance(one, tuple) and isinstance(two, tuple):
                for left, right in zip(one, two, strict=False):
                    if left != right:
                        yield f"{left!r:.1500}\n  against\n{right!r:.1500}"
            elif isinstance(one, frozenset) and isinstance(two, frozenset):
                yield f"{sorted(map(repr, one - two))} against {sorted(map(repr, two - one))}"
            yield f"{one!r:.800} against {two!r:.800}"


def main(first: int, last: int) -> None:
    """Plays the rulebooks of some seeds and reports the time it took."""
    began, tally = time.monotonic(), Tally()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, last):
            agree(seed, Path(folder) / "rules", tally)
    sys.stdout.write(f"{tally}, no difference, {time.monotonic() - began:.0f} s\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
