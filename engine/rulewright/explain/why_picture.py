"""A proof as a picture: facts, rules, events and dice as boxes, each above what it rests on."""

from __future__ import annotations

from typing import Any

from rulewright.forms.drawing import Box, tree
from rulewright.forms.page import Picture, Tone
from rulewright.speech import say

Data = dict[str, Any]

_MOST = 70
"""Boxes; what would come after them is left to the words of the page."""


def picture(data: Data) -> Picture | None:
    """The picture of the data of ``explain.why``; None where there is nothing to see."""
    drawer = _Drawer(data)
    roots = [drawer.goal(goal) for goal in data["goals"]]
    if not any(root.below for root in roots):
        return None
    title = say("proof.picture")
    description = say("proof.picture-shows", goals="; ".join(goal["text"] for goal in data["goals"]))
    return Picture(title, tree(title, description, roots))


class _Drawer:
    """Draws each step and each rule once, and refers to it from elsewhere."""

    def __init__(self, data: Data) -> None:
        self.steps = {step["number"]: step for step in data["steps"]}
        self.drawn: set[tuple[int, int]] = set()

    def goal(self, goal: Data) -> Box:
        if goal["clause"] is not None:
            return Box(goal["text"], "fact", "good", below=self._clause(goal["clause"]))
        box = self._event(goal["step"])
        if goal["rule"] is None:
            return box
        return self._rule(goal["step"], goal["rule"]["number"])

    def _clause(self, clause: Data) -> tuple[Box, ...]:
        grounds = [*clause["facts"], *(p for v in clause["values"] for p in v["parts"])]
        for support in clause["because"]:
            grounds += [g for inner in support["clauses"] for g in inner["facts"]]
        return self._origins(grounds)

    def _origins(self, grounds: list[Data]) -> tuple[Box, ...]:
        found: list[Box] = []
        for step in dict.fromkeys(g["step"] for g in grounds if g["step"] and g["source"] not in ("given", "kind")):
            rules = {g["rule"] for g in grounds if g["step"] == step}
            matches = (
                [r["number"] for r in self.steps[step]["rules"] if r["rule"] in rules] if step in self.steps else []
            )
            found += [self._rule(step, number) for number in matches] or [self._event(step)]
        return tuple(found)

    def _event(self, number: int) -> Box:
        """An event, above what brought it about."""
        step = self.steps.get(number)
        mark = say("proof.by-step", step=number)
        if step is None:
            return Box(mark, "note", "quiet")
        if not self._first(number, 0):
            return Box(step["event"], "note", "quiet", say("proof.see-above", step=number))
        below = [self._rule(cause["step"], cause["number"]) for cause in step["because_of"]]
        if step["outcome_of"] is not None:
            below.append(self._dice(step["outcome_of"]))
        note = f"{mark}, {say('origin.given')}" if step["source"] == "given" else mark
        tone: Tone = "warning" if step["voided"] else "plain"
        return Box(step["event"], "step", tone, note, below=tuple(below))

    def _rule(self, step: int, number: int) -> Box:
        """A rule, above the event it looked at and what its clauses rest on."""
        rule = next(r for r in self.steps[step]["rules"] if r["number"] == number)
        tone: Tone = "good" if rule["verdict"] == "applies" else "warning"
        if not self._first(step, number):
            return Box(rule["title"], "note", "quiet", say("proof.see-above", step=step))
        below = [self._event(step)]
        for clause in rule["clauses"]:
            below += self._clause(clause)
        numbers = "\n".join(clause["numbers"] for clause in rule["clauses"] if clause["numbers"])
        return Box(rule["title"], "rule", tone, numbers or rule["rule"], below=tuple(below))

    def _dice(self, number: int) -> Box:
        """The dice of a test, above the event that took it."""
        test = self.steps[number]["test"] if number in self.steps else None
        if test is None or not self._first(number, -1):
            return self._event(number)
        text = say("run.rolled", bearer=test["bearer"], total=test["total"], dice=test["dice"])
        rules = {m["rule"] for m in test["modifiers"]}
        added = [self._rule(number, r["number"]) for r in self.steps[number]["rules"] if r["rule"] in rules]
        return Box(text, "dice", "plain", test["numbers"], below=(self._event(number), *added))

    def _first(self, step: int, part: int) -> bool:
        """Whether a part of a step is drawn for the first time, and there is room for it."""
        if (step, part) in self.drawn or len(self.drawn) >= _MOST:
            return False
        self.drawn.add((step, part))
        return True
