"""What is found out about the odds of a game: all branches where there are few enough, else a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from rulewright.scenarios.course import Course
from rulewright.scenarios.odds.branches import Explorer, State, backwards
from rulewright.scenarios.odds.chances import NEVER, Chance, Chances, exactly, interval, mark_ends, sampled
from rulewright.scenarios.odds.marks import Mark, Teller, Wanted
from rulewright.session.session import Session

MOST_STATES, SAMPLES, SECONDS = 5_000, 500, 60

WhySampled = Literal["", "many", "circle", "long"]


@dataclass(frozen=True)
class Limits:
    """How far branches are played.

    Attributes:
        most_states: beyond so many states, a sample is taken.
        samples: of so many games.
        seconds: after so long a sample is taken, too, and no game of it is begun after as long again.
        seed: and these dice.
    """

    most_states: int = MOST_STATES
    samples: int = SAMPLES
    seed: int = 0
    seconds: int = SECONDS


@dataclass(frozen=True)
class Findings:
    """The odds of a game.

    Attributes:
        first: where something is asked first.
        states: all states, in the order in which they were found; some of them only, if a sample was taken.
        stops: those of them in which the game cannot go on.
        chances: how likely each mark is.
        options: how likely each is from each option of a choice on.
        ends: what is so at each end, but for what is so at all.
        seen: in which step each mark was met first.
        why_sampled: there are too many states, or some go round in circles, or it took too long; nothing when the odds
            are exact.
        games: so many games were played for a sample.
        never: the chance of a mark that did not come about.
    """

    first: State
    states: Sequence[State]
    stops: Sequence[State]
    chances: Chances
    options: dict[State, list[Chances]]
    ends: Sequence[frozenset[Mark]]
    seen: dict[Mark, int]
    wanted: Sequence[Wanted]
    why_sampled: WhySampled
    games: int
    never: Chance

    def chance(self, mark: Mark) -> Chance:
        """How likely a mark is."""
        return self.chances.get(mark, self.never)

    def chance_of_wanted(self, number: int, chances: Chances | None = None) -> Chance:
        """How likely a sentence that is wanted is to be so."""
        found = (self.chances if chances is None else chances).get(Mark("wanted", str(number)), self.never)
        return found.opposite() if self.wanted[number].negative else found


def find(session: Session, course: Course, wanted: Sequence[Wanted], limits: Limits) -> Findings:
    """Plays a game on in all ways from where a session stands; the session is afterwards as it was."""
    before = session.save()
    why: WhySampled = ""
    games = 0
    teller = Teller(session.compiled.edition.vocabulary, wanted)
    try:
        explorer = Explorer(session, course, teller)
        order = backwards(explorer.root) if explorer.explore(limits.most_states, limits.seconds) else None
        if order is not None:
            ends = mark_ends(explorer.states)
            chances, options = exactly(explorer.first, order)
            never = NEVER
        else:
            why = "long" if explorer.late else "many" if len(explorer.states) > limits.most_states else "circle"
            sample = sampled(explorer, limits.samples, limits.seed, limits.seconds)
            games = sample.size
            chances, options, ends = sample.chances, sample.options, sample.ends
            never = Chance(Fraction(0), Fraction(0), interval(0, games))
    finally:
        session.restore(before)
    return Findings(
        explorer.root, explorer.states, explorer.stops, chances, options, ends, teller.seen, wanted, why, games, never
    )
