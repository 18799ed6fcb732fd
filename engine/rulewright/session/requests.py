"""What a game asks for when it cannot go on by itself: dice, chance, a player's choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rulewright.model import Dice


@dataclass(frozen=True)
class Request:
    """One thing asked for.

    Attributes:
        kind: ``roll`` asks for a total of dice; ``chance`` for a pick at random; ``choice`` for a player's pick among
            candidates; ``order`` for which of several waiting events comes first.
        about: the thing it is about: who rolls, whose flight has a choice of directions.
        dice: for ``roll``, the dice.
        test: for ``roll``, the test.
        rule: the rule that asks.
        player: for ``choice`` and ``order``, the side whose player decides; empty when the unit has no side.
        options: what may be picked, for all but ``roll``.
        roller: for ``roll``, the thing whose player rolls; mostly the one who takes the test.
    """

    kind: Literal["roll", "chance", "choice", "order"]
    about: str
    rule: str
    dice: Dice | None = None
    test: str = ""
    player: str = ""
    options: tuple[str, ...] = ()
    roller: str = ""
