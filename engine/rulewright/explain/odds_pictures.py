"""The pictures of odds: the tree of what may come, and the plot against a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rulewright.forms.drawing import Axis, Box, Series, plot, tree
from rulewright.forms.page import Picture, Tone
from rulewright.speech import Listed, say

Data = dict[str, Any]
Percent = Callable[[Fraction], str]

_BOXES = 40
"""So many states are drawn; those further on are hinted at."""
_SERIES = 4
_FACTS = 4


def picture_of_tree(data: Data, percent: Percent) -> Picture:
    """The first states of the tree, each where it is come to first."""
    title = say("odds.tree-drawn")
    drawn = _Drawn({s["number"]: s for s in data["tree"]}, percent)
    root = drawn.box(data["tree"][0], "", "plain")
    description = say("odds.tree-described", states=min(len(data["tree"]), _BOXES), of=len(data["tree"]))
    return Picture(title, tree(title, description, [root], direction="right"))


class _Drawn:
    """Boxes for states; one that is come to again is only named."""

    def __init__(self, states: Mapping[int, Data], percent: Percent) -> None:
        self.states, self.percent = states, percent
        self.seen: set[int] = set()

    def box(self, state: Data, label: str, tone: Tone) -> Box:
        number = state["number"]
        name = say("odds.number", number=number)
        if number >= _BOXES:
            return Box("…", tone="quiet", label=label)
        if state["branches"] and number in self.seen:
            return Box(name, tone="quiet", label=label)
        self.seen.add(number)
        if not state["branches"]:
            facts = [*state["facts"][:_FACTS], *(["…"] if len(state["facts"]) > _FACTS else [])]
            text = str(Listed(tuple(facts), "list.semicolon")) if facts else say(f"odds.box-{state['kind']}")
            return Box(text, "fact", "bad" if state["kind"] == "stopped" else tone, label=label)
        below = tuple(self.below(branch) for branch in state["branches"])
        return Box(state["asks"], "dice", note=name, label=label, below=below)

    def below(self, branch: Data) -> Box:
        chance = self.percent(Fraction(branch["chance"])) if branch["chance"] is not None else ""
        label = say("odds.label", text=branch["text"], percent=chance) if chance else branch["text"]
        tone: Tone = "plain" if branch["passes"] is None else "good" if branch["passes"] else "bad"
        return self.box(self.states[branch["to"]], label, tone)


def picture_of_plot(against: Data) -> Picture:
    """What depends on a number, as lines: where players choose, the most that they can bring about."""
    title = say("odds.against", measure=against["measure"])
    series = [
        Series(
            outcome["text"],
            tuple(
                (float(value), float(Fraction(chance["most"])))
                for value, chance in zip(against["values"], outcome["chances"], strict=True)
            ),
        )
        for outcome in against["outcomes"][:_SERIES]
    ]
    ranged = any(chance["least"] != chance["most"] for o in against["outcomes"][:_SERIES] for chance in o["chances"])
    across, upwards = Axis(against["measure"]), Axis(say("odds.at-most" if ranged else "odds.chance"), percent=True)
    described = str(Listed(tuple(one.name for one in series), "list.semicolon"))
    return Picture(title, plot(title, described, across, upwards, series))
