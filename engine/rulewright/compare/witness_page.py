"""Situations in which two editions part as a page: each with the lines of its scenario, and what was searched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rulewright.compare.situation_page import turning_entry, verdict_text
from rulewright.forms.page import Block, Entry, Page
from rulewright.speech import say

Data = dict[str, Any]
FILES_SHOWN = 6
"""So many of the scenarios that were begun with are named before the others are folded."""


def witness_page(data: Data) -> Page:
    """The page of the situations in which two editions part."""
    names = [edition["name"] for edition in data["editions"]]
    title = say("witness.title", one=names[0], other=names[1])
    blocks: list[Block] = [_witness(one, names) for one in data["witnesses"]]
    if not data["witnesses"] and not data["untold"]:
        blocks.append(Entry(say("witness.no-difference")))
    if data["untold"]:
        told = tuple(_difference(one, names) for one in data["untold"])
        blocks.append(Entry(say("witness.untold"), "heading", inside=told))
    blocks.append(_searched(data["searched"]))
    return Page(title, data["concept"] or say("compare.all-concepts"), data["language"], tuple(blocks))


def _difference(one: Data, names: Sequence[str]) -> Entry:
    return Entry(one["concept"], "rule", inside=tuple(_sides(one, names)))


def _sides(one: Data, names: Sequence[str]) -> Iterator[Entry]:
    """The clauses that differ, each with its edition and rule."""
    for name, rule, clause in zip(names, one["rules"], one["clauses"], strict=True):
        if rule is None:
            yield Entry(say("verdict.silent"), "note", "quiet", mark=f"{name}:")
        else:
            whole = any(other is None for other in one["rules"])
            inside = (Entry(clause, "clause"),) if clause else ()
            lacking = () if clause or whole else (Entry(say("situation.no-such-clause"), "note", "quiet"),)
            yield Entry(rule, "rule", mark=f"{name}:", inside=(*inside, *lacking))


def _witness(one: Data, names: Sequence[str]) -> Entry:
    verdicts = ", ".join(
        say("witness.verdict", edition=name, verdict=verdict_text(cell["verdict"]))
        for name, cell in zip(names, one["cells"], strict=True)
    )
    lines = tuple(Entry(line.strip(), "note") for line in one["text"].splitlines() if line.strip())
    origin = say("witness.from", scenario=one["from"]["id"], place=one["from"]["place"])
    return Entry(
        say("witness.head", concept=one["concept"], verdicts=verdicts),
        "heading",
        inside=(
            *_sides(one, names),
            Entry(say("witness.situation"), inside=(*lines, Entry(origin, "note", "quiet"))),
            turning_entry(one["turning"], say("situation.difference")),
        ),
    )


def _searched(searched: Data) -> Entry:
    values = ", ".join(searched["values"]) or say("witness.no-values")
    key = "ended" if searched["ended"] else "searched"
    told = say(f"witness.{key}", games=searched["games"], scenarios=len(searched["scenarios"]), values=values)
    places = [Entry(s["id"], "note", mark=s["place"]) for s in searched["scenarios"]]
    return Entry(told, "note", "quiet", inside=tuple(places), folded=len(places) > FILES_SHOWN)
