"""What would have to change, as a page: the data of ``rulewright/whatif/1`` laid out for reading."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rulewright.forms.page import Entry, Page
from rulewright.speech import counted, say, spoken

Data = dict[str, Any]

ANSWERS_SHOWN = 5
"""So many answers are told in full; the others are folded."""
STEPS_SHOWN, LINES_SHOWN, FEW = 20, 10, 3
"""So many steps, and so many rules or facts, are told before the others are folded; a few more are not folded."""
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


# --- what differs --------------------------------------------------------------------------------------------------


def otherwise_page(data: Data) -> Page:
    """What differs when something is otherwise: where the games part, step by step, then what is left of it."""
    blocks: list[Entry] = []
    if data["parting"] is None:
        blocks.append(Entry(say("whatif.no-difference"), "heading"))
    elif data["parting"]["step"] is None:
        blocks.append(Entry(say("whatif.same-steps"), "heading"))
    else:
        head = say("whatif.part", step=data["parting"]["step"])
        blocks.append(Entry(head, "heading", inside=_shortened(list(_steps(data["steps"])), STEPS_SHOWN)))
    rewritten = bool(data["otherwise"]["set"])  # its lines are those of no file
    stops = (_stops(data["stopped"]["before"]), _stops(data["stopped"]["after"], lines=not rewritten))
    blocks += _differing("stops", *stops)
    blocks += _differing("rules", data["rules"]["before"], data["rules"]["after"])
    blocks += _differing("facts", data["facts"]["before"], data["facts"]["after"])
    if data["expectations"]:
        expected = [_expectation(one) for one in data["expectations"]]
        blocks.append(Entry(say("whatif.expected"), "heading", inside=_shortened(expected, LINES_SHOWN)))
    title = say("whatif.title", goal=_changed(data["otherwise"]))
    return Page(title, place_text(data["scenario"]), spoken(), tuple(blocks))


def _shortened(entries: Sequence[Entry], most: int) -> tuple[Entry, ...]:
    """The first of some entries, and the others folded."""
    more = entries[most:]
    if len(more) < FEW:
        return tuple(entries)
    return (*entries[:most], Entry(say("whatif.further"), tone="quiet", inside=tuple(more), folded=True))


def _changed(otherwise: Data) -> str:
    """What is otherwise, in words."""
    told = [*otherwise["set"]]
    told += [say("whatif.edited", file=otherwise["edit"])] if otherwise["edit"] else []
    told += [say("whatif.edition", edition=otherwise["edition"])] if otherwise["edition"] else []
    told += [say("whatif.reading", **reading) for reading in otherwise["readings"]]
    return "; ".join(told)


def _steps(steps: Sequence[Data]) -> Iterator[Entry]:
    """The steps in which something differs, and in one line those between them in which nothing does."""
    alike: list[Data] = []
    for step in steps:
        if step["same"]:
            alike.append(step)
            continue
        yield from _alike(alike)
        alike = []
        yield _step(step)
    yield from _alike(alike)


def _alike(steps: Sequence[Data]) -> list[Entry]:
    if not steps:
        return []
    first, last = steps[0], steps[-1]
    text = say("whatif.one-alike", event=first["event"]) if len(steps) == 1 else say("whatif.alike", number=len(steps))
    mark = _number(first) if len(steps) == 1 else f"{_number(first)}-{_number(last)}"
    return [Entry(text, "note", tone="quiet", mark=mark)]


def _number(step: Data) -> str:
    return str(step["before"] or step["after"])


def _step(step: Data) -> Entry:
    """A step on one side alone, or on both with what differs in it."""
    if step["after"] is None:
        return Entry(say("whatif.only-before", event=step["event"]), "step", tone="bad", mark=_number(step))
    told = tuple(Entry(text, "effect", tone="good") for text in step["told_after"])
    if step["before"] is None:
        return Entry(
            say("whatif.only-after", event=step["event"]), "step", tone="good", mark=_number(step), inside=told
        )
    gone = tuple(Entry(say("whatif.gone", text=text), "effect", tone="bad") for text in step["told_before"])
    return Entry(step["event"], "step", mark=_number(step), inside=(*gone, *told))


def _differing(what: str, before: Sequence[str], after: Sequence[str]) -> list[Entry]:
    """What there is on one side alone."""
    told = [Entry(say("whatif.gone", text=text), "fact", tone="bad") for text in before]
    told += [Entry(say("whatif.come", text=text), "fact", tone="good") for text in after]
    return [Entry(say(f"whatif.{what}"), "heading", inside=_shortened(told, LINES_SHOWN))] if told else []


def _stops(findings: Sequence[Data], lines: bool = True) -> list[str]:
    """What stopped a game, or does not fit, with the lines it is about."""
    return [
        f"{say('test.line', line=d['line'])}: {d['message']}" if lines and d["line"] else d["message"] for d in findings
    ]


def _expectation(one: Data) -> Entry:
    """An expectation that is met on one side alone."""
    key = {True: "met-now", False: "unmet-now", None: "not-reached"}[one["after"]]
    return Entry(say(f"whatif.{key}", text=one["text"]), "fact", tone="good" if one["after"] else "bad")


# --- both ----------------------------------------------------------------------------------------------------------


def place_text(scenario: Data | None) -> str:
    """Which scenario it is about; nothing where it is about none."""
    if scenario is None:
        return ""
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
    if number == 1 and answer["text"]:
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
    games = counted("whatif.games", searched["games"])
    key = "ended" if searched["ended"] else "searched"
    return say(f"whatif.{key}", games=games, changes=counted("whatif.changes", size))
