"""What would have to change, as a page: the data of ``rulewright/whatif/1`` laid out for reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.forms.page import Entry, Page
from rulewright.speech import say, spoken

Data = dict[str, Any]

ANSWERS_SHOWN = 5
"""So many answers are told in full; the others are folded."""
ANSWERS_NAMED = 1
"""So many answers are named that nothing asks for any more."""
RULES_NAMED = 4
"""So many rules are named of those that apply in one game alone."""


def changes_page(data: Data) -> Page:
    """The smallest changes that would make a goal met, or unmet."""
    answers = [_answer(one, number) for number, one in enumerate(data["answers"], 1)]
    blocks = [Entry(_verdict(data), "heading", tone="good" if data["met"] else "plain")]
    if answers:
        key = "unmet-if" if data["met"] else "met-if"
        more = answers[ANSWERS_SHOWN:]
        folded = [Entry(say("whatif.more", number=len(more)), inside=tuple(more), folded=True)] if more else []
        blocks.append(Entry(say(f"whatif.{key}"), "heading", inside=(*answers[:ANSWERS_SHOWN], *folded)))
    else:
        blocks.append(Entry(say("whatif.nothing-makes-it-unmet" if data["met"] else "whatif.nothing-makes-it-met")))
        if data["nearest"]:
            blocks.append(Entry(data["nearest"]))
    blocks.append(Entry(_searched(data["searched"]), tone="quiet"))
    return Page(say("whatif.title", goal=data["goal"]), place_text(data["scenario"]), spoken(), tuple(blocks))


def place_text(scenario: Data) -> str:
    """Which scenario it is about."""
    return say("run.scenario", id=scenario["id"], edition=scenario["edition"], place=scenario["place"])


def _verdict(data: Data) -> str:
    if data["met"]:
        return say("whatif.met")
    return say("whatif.unmet-got", got=data["got"]) if data["got"] else say("whatif.unmet")


def _answer(answer: Data, number: int) -> Entry:
    """One set of changes: each in words, where it goes, what else comes of it."""
    first, *others = answer["changes"]
    inside = [*_lines(first)]
    for change in others:
        inside.append(Entry(say("whatif.and", text=_text(change)), "fact", inside=tuple(_lines(change))))
    inside += [Entry(say("whatif.whatever", asked=asked), "dice") for asked in answer["whatever"]]
    if answer["unasked"]:
        told = _some(answer["unasked"], ANSWERS_NAMED, "; ")
        inside.append(Entry(say("whatif.unasked", answers=told), "dice", tone="quiet"))
    inside += _rules("applies", answer["applies"])
    inside += _rules("applies-no-longer", answer["applies_no_longer"])
    if number == 1:
        whole = tuple(Entry(line, "source") for line in answer["text"].rstrip().split("\n"))
        inside.append(Entry(say("whatif.as-a-scenario"), "source", inside=whole, folded=True))
    return Entry(_text(first), "fact", mark=str(number), inside=tuple(inside))


def _text(change: Data) -> str:
    """A change in words, with the line it is about where that needs nothing but this change."""
    at_line = change["line"] is not None and change["put"] in (None, change["sentence"])
    return say("whatif.in-line", text=change["text"], line=change["line"]) if at_line else change["text"]


def _lines(change: Data) -> list[Entry]:
    """Where a change goes in the scenario, when it takes more than the sentence that tells of it."""
    if change["put"] is None or (change["line"] is not None and change["put"] == change["sentence"]):
        return []
    if change["line"] is not None:
        return [Entry(say("whatif.at-line", line=change["line"], text=change["put"]), "source")]
    return [Entry(say("whatif.new-line", line=change["after"], text=change["put"]), "source")]


def _rules(key: str, rules: Sequence[str]) -> list[Entry]:
    """Rules that apply in one of the two games alone."""
    if not rules:
        return []
    return [Entry(_some(rules, RULES_NAMED, ", "), "effect", mark=say(f"whatif.{key}"))]


def _some(texts: Sequence[str], most: int, between: str) -> str:
    """The first of some texts, and how many more there are."""
    named, rest = between.join(texts[:most]), len(texts) - most
    return say("whatif.and-more", texts=named, number=rest) if rest > 0 else named


def _searched(searched: Data) -> str:
    """How much was searched."""
    size = searched["changes"] or searched["most_changes"]
    games = _counted("games", searched["games"])
    key = "ended" if searched["ended"] else "searched"
    return say(f"whatif.{key}", games=games, changes=_counted("changes", size))


def _counted(what: str, number: int) -> str:
    return say(f"whatif.{what}-{'one' if number == 1 else 'many'}", number=number)
