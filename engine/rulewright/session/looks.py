"""What the rules looked at: an optional recording of a game, for those who ask afterwards why a rule did not apply."""

from __future__ import annotations

from dataclasses import dataclass, field

from rulewright.productions import Fact


@dataclass(frozen=True)
class Look:
    """The state in which an event found the rules.

    Attributes:
        step: the number of the step.
        token: the question that was put: ``on:EVENT``, or ``may:EVENT`` for whether it comes about.
        facts: the facts of the world.
        given: facts that held for this question alone.
    """

    step: int
    token: Fact
    facts: tuple[Fact, ...]
    given: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Question:
    """Something asked about the state between two events: a condition of the model, and the facts at that moment."""

    condition: object
    facts: tuple[Fact, ...]


SavedLooks = tuple[tuple[Look, ...], tuple[Question, ...]]


@dataclass
class Looks:
    """The looks of a game, and what was asked between its events, in order."""

    taken: list[Look] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)

    def take(self, step: int, token: Fact, facts: list[Fact], given: list[Fact]) -> None:
        """Records a look."""
        self.taken.append(Look(step, token, tuple(facts), tuple(given)))

    def save(self) -> SavedLooks:
        """The looks as they are now."""
        return tuple(self.taken), tuple(self.questions)

    def restore(self, saved: SavedLooks) -> None:
        """Goes back, or over, to looks that were saved."""
        self.taken[:], self.questions[:] = saved

    def question(self, condition: object, facts: list[Fact]) -> None:
        """Records a question."""
        self.questions.append(Question(condition, tuple(facts)))
