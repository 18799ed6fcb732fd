"""One situation under several editions as a page: a table of verdicts, what makes the difference, each edition."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulewright.explain.odds_page import Teller
from rulewright.forms.page import Block, Entry, Page, Table
from rulewright.speech import say

Data = dict[str, Any]

_TELLING = ("clause", "pre-empted", "picked", "silent", "trigger", "not-reached")
"""The kinds of what makes a difference: what is a cause first, then what only follows from something before it."""


def situation_page(data: Data) -> Page:
    """The page of a situation under several editions."""
    names = [edition["name"] for edition in data["editions"]]
    scenario = data["scenario"]
    title = say("situation.title", title=scenario["title"], editions=", ".join(names))
    place = say("run.scenario", id=scenario["id"], edition=scenario["edition"], place=scenario["place"])
    rows = tuple((c["concept"], *(_word(cell["verdict"]) for cell in c["cells"])) for c in data["concepts"])
    blocks: list[Block] = [Table("", (say("compare.concept"), *names), rows)]
    blocks += [_parting(one) for one in data["partings"]]
    turned: dict[str, Entry] = {}
    turnings = [(turning, concept["concept"]) for concept in data["concepts"] for turning in concept["turnings"]]
    for turning, name in sorted(turnings, key=lambda one: _TELLING.index(one[0]["kind"])):
        turned.setdefault(str(turning), _turning(turning, name))
    if turned:
        blocks.append(Entry(say("situation.difference"), "heading", inside=tuple(turned.values())))
    blocks += [_edition(edition, number, data) for number, edition in enumerate(data["editions"])]
    return Page(title, place, data["language"], tuple(blocks))


def _word(verdict: str) -> str:
    return say(f"verdict.{verdict.replace(' ', '-')}")


# --- where they part -------------------------------------------------------------------------------------------------


def _parting(one: Data) -> Entry:
    """The first step at which two games part, and how either goes on from there."""
    both, parting = {"first": one["first"], "other": one["other"]}, one["parting"]
    if parting is None:
        return Entry(say("situation.alike", **both), "heading")
    head = (
        say("situation.ends", **both)
        if parting["step"] is None
        else say("situation.part", **both, step=parting["step"])
    )
    sides = ((one["first"], parting["before"]), (one["other"], parting["after"]))
    return Entry(head, "heading", inside=tuple(e for name, side in sides for e in _side(name, side, parting)))


def _side(name: str, side: Data, parting: Data) -> Iterator[Entry]:
    told = [Entry(text, "effect") for text in side["told"]]
    event = side["event"] or (say("situation.over") if parting["step"] is not None else "")
    if told or (event and parting["event"] is None):
        yield Entry(event, "step", mark=f"{name}:", inside=tuple(told))


def _turning(turning: Data, concept: str) -> Entry:
    """The clause of one edition that held, beside that of the other which did not."""
    applies = say("situation.applies", rule=turning["rule"])
    if turning["for"]:
        applies = say("situation.for", rule=applies, thing=turning["for"])
    held = (Entry(turning["held"], "clause", "good"),) if turning["held"] else ()
    failed = (Entry(turning["failed"], "clause", "bad"),) if turning["failed"] else ()
    lacking = turning["kind"] == "clause" and not turning["held"]
    note = (Entry(say("situation.no-such-clause"), "note", "quiet"),) if lacking else ()
    return Entry(
        concept,
        "rule",
        inside=(
            Entry(applies, "rule", mark=f"{turning['applies']}:", inside=(*held, *note)),
            Entry(
                say(f"situation.turning.{turning['kind']}", rule=turning["other"] or ""),
                "rule",
                mark=f"{turning['not']}:",
                inside=failed,
            ),
        ),
    )


# --- an edition ------------------------------------------------------------------------------------------------------


def _edition(edition: Data, number: int, data: Data) -> Entry:
    rules = tuple(e for c in data["concepts"] for e in _rules(c, number))
    seen = tuple({entry.text: entry for entry in rules}.values())
    tests = tuple(Entry(text, "dice") for text in edition["tests"])
    facts = tuple(Entry(text, "fact") for text in edition["facts"])
    unfit = tuple(Entry(finding["message"], "note", "warning") for finding in edition["unfit"])
    if edition["stopped"]:
        unfit = (Entry(say("situation.stopped"), "note", "warning", inside=unfit),)
    inside = (
        *unfit,
        *seen,
        *tests,
        *((Entry(say("situation.at-the-end"), inside=facts),) if facts else ()),
        *((Entry(edition["odds"]["asks"], "dice", inside=tuple(_odds(edition["odds"]))),) if edition["odds"] else ()),
    )
    return Entry(edition["name"], "heading", inside=inside or (Entry(say("situation.nothing")),))


def _rules(concept: Data, number: int) -> Iterator[Entry]:
    cell = concept["cells"][number]
    for rule in cell["rules"]:
        title = say("run.titled", rule=rule["rule"], title=rule["title"])
        head = f"{title}: {_word(cell['verdict'])}"
        if rule["for"]:
            head = say("situation.for", rule=head, thing=rule["for"])
        inside = [Entry(say("run.cites") + ", ".join(rule["cites"]), "source")] if rule["cites"] else []
        inside += [Entry(text, "effect") for text in rule["effects"]]
        inside += [Entry(rule["missed"], "clause")] if rule["missed"] else []
        inside += [Entry(say("situation.by", rules=", ".join(rule["preempted_by"])))] if rule["preempted_by"] else []
        yield Entry(head, "rule", inside=tuple(inside))


def _odds(odds: Data) -> Iterator[Entry]:
    """What may come of open dice and choices, with its chance."""
    teller = Teller(fractions=False)
    for test in odds["tests"]:
        yield from teller.lines([{"text": test["text"], "chance": test["taken"]}])
    yield from teller.lines(odds["outcomes"])
