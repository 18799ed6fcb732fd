"""What a game asks for when it cannot go on by itself: dice, chance, a player's choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rulewright.model import Dice
from rulewright.phrases.wording import Worder
from rulewright.speech import say


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


def request_text(request: Request, worder: Worder) -> str:
    """A request in words."""
    name = worder.name
    about = name(request.about)
    if request.kind == "roll":
        roll = say("asked.roll", dice=str(request.dice), test=name(request.test), about=about)
        other = request.roller != request.about
        return say("asked.rolled-by", roll=roll, roller=name(request.roller)) if other else roll
    options = ", ".join(map(name, request.options))
    player = f" ({name(request.player)})" if request.player else ""
    return say(f"asked.{request.kind}", player=player, about=about, options=options)


def answer_text(request: Request, worder: Worder, answer: str = "") -> str:
    """A sentence that answers a request: with the total or the name of the option that is given, or for example."""
    own, name = worder.language.sentences, worder.name
    about = name(request.about)
    if request.kind == "roll" and request.dice is not None:
        total = answer or str((request.dice.lowest + request.dice.highest) // 2)
        places = {"bearer": about, "number": total, "test": name(request.test, bare=True)}
        return worder.form(own["roll-answer"][0], **places)
    choice = answer or name(request.options[0])
    if request.kind == "chance":
        return worder.form(own["chance-answer"][0], choice=choice, thing=about)
    return worder.form(own["choice-answer"][0], choice=choice, thing=name(request.player) if request.player else about)
