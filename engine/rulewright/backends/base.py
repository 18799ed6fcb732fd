"""What a backend is: a matcher that holds the facts of a world and is asked, stage by stage, what fires."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from rulewright.productions import Fact, Firing, Program
from rulewright.speech import Text


class BackendError(Exception):
    """The program, or a fact, is outside what the backend can hold; the message says which and why.

    Attributes:
        reason: the message, to be worded in the language that is spoken when it is read.
        production: the production that is too much, where it is one.
    """

    def __init__(self, message: str | Text, production: str = "") -> None:
        super().__init__(message)
        self.reason = message
        self.production = production


class Matcher(Protocol):
    """Holds facts between cycles; in a cycle, answers each stage's tokens with the firings.

    A cycle is any number of ``stage`` calls with rising stage numbers, closed by ``finish``.  The world may be changed
    only between cycles.  Facts derived in a cycle are seen by the same and by later stages of that cycle, and are gone
    after ``finish``.
    """

    def add(self, fact: Fact) -> None:
        """Adds a fact to the world; adding a fact twice is the same as adding it once."""

    def remove(self, fact: Fact) -> None:
        """Takes a fact out of the world; taking out what is not there does nothing."""

    def stage(self, number: int, tokens: Iterable[Fact], derived: Iterable[Fact] = ()) -> tuple[Firing, ...]:
        """Asserts ``derived`` facts, then the tokens, and returns every firing of that stage, sorted.

        A fact derived by a firing takes part at once in further matches of the same stage.  Each distinct pair of
        production and premises fires once.

        Raises:
            BackendError: when the firings of one cycle pass the backend's bound.
        """

    def finish(self) -> None:
        """Ends the cycle: tokens and derived facts go."""

    def close(self) -> None:
        """Frees what the matcher holds; it is not used afterwards."""


Backend = Callable[[Program], Matcher]
"""Opens a matcher with an empty world for a program."""
