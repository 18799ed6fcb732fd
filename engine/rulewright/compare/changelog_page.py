"""What changed between two versions of rules as a page: edition by edition, then what it comes to in play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rulewright.forms.page import Entry, Page, Tone
from rulewright.speech import say

Data = dict[str, Any]
_TONES: dict[str, Tone] = {"added": "good", "removed": "bad", "changed": "warning"}


def changelog_page(data: Data) -> Page:
    """The page of a changelog of meaning."""
    blocks = [_edition(edition) for edition in data["editions"] if edition["change"] != "same"]
    if data["impact"] is not None:
        blocks += _impact(data["impact"])
    verdict = say("diff.some" if data["changed"] else "diff.none")
    return Page(say("diff.title", old=data["old"], new=data["new"]), verdict, data["language"], tuple(blocks))


def _edition(edition: Data) -> Entry:
    inside = [_thing(thing) for thing in edition["things"]]
    if edition["laid_out"]:
        inside.append(Entry(say("diff.laid-out", files=", ".join(edition["laid_out"])), "note", "quiet"))
    return Entry(f"{edition['edition']}: {say('diff.edition.' + edition['change'])}", "heading", inside=tuple(inside))


def _thing(thing: Data) -> Entry:
    name = thing["id"]
    title = say("run.titled", rule=name, title=thing["title"]) if thing["title"] else name
    mark = f"{say('diff.change.' + thing['change'])}: {say('block.' + thing['kind'])}"
    tone = _TONES.get(thing["change"], "plain")
    return Entry(title, "rule", tone, mark, tuple(_inside(thing)))


def _inside(thing: Data) -> Iterator[Entry]:
    before, after = thing["before"], thing["after"]
    if before and after and before["id"] != after["id"]:
        yield Entry(say("diff.now", old=before["id"], new=after["id"]))
    places = list(dict.fromkeys(side["place"] for side in (before, after) if side))
    yield Entry(_arrow(*places), "source", "quiet")
    for line in thing["lines"]:
        yield from _line(line)
    if thing["reordered"]:
        yield Entry(say("diff.reordered"))
    yield from (Entry(clause, "clause") for clause in thing["clauses"])
    yield from (_about(about) for about in thing["about"])


def _arrow(*sides: str) -> str:
    return say("diff.from-to", old=sides[0], new=sides[1]) if len(sides) > 1 else sides[0]


def _line(line: Data) -> Iterator[Entry]:
    before, after = line["before"], line["after"]
    both = before is not None and after is not None
    if before is not None:
        yield _clause(before, say("diff.before" if both else "diff.removed"), "bad")
    if after is not None:
        yield _clause(after, say("diff.after" if both else "diff.added"), "good")
    if line["number"] is not None:
        yield Entry(_arrow(line["number"]["before"], line["number"]["after"]), "numbers")
    if line["change"] == "meaning":
        yield Entry(say("diff.other-sense"), "note", "quiet")


def _clause(clause: Data, mark: str, tone: Tone) -> Entry:
    place = f" ({say('diff.place', line=clause['line'])})" if clause["line"] is not None else ""
    return Entry(clause["text"], "clause", tone, f"{mark}{place}:")


def _about(about: Data) -> Entry:
    """A title or a list that is no part of the meaning: what is gone from it, and what has come."""
    gone = [f"− {text}" for text in about["before"] if text not in about["after"]]
    come = [f"+ {text}" for text in about["after"] if text not in about["before"]]
    told = "; ".join([*gone, *come]) or ", ".join(about["after"])
    return Entry(told, "source", mark=f"{say('diff.about.' + about['what'])}:")


# --- in play ---------------------------------------------------------------------------------------------------------


def _impact(impact: Data) -> Iterator[Entry]:
    scenarios = impact["scenarios"]
    told = say("diff.impact.some" if scenarios else "diff.impact.none", played=impact["played"], changed=len(scenarios))
    inside = [Entry(told), *map(_scenario, scenarios)]
    if impact["unread"]:
        inside.append(Entry(say("diff.impact.unread", places=", ".join(impact["unread"])), "note", "bad"))
    yield Entry(say("diff.impact.title"), "heading", inside=tuple(inside))
    if impact["uncovered"]:
        yield Entry(say("diff.impact.uncovered"), "heading", inside=tuple(map(_uncovered, impact["uncovered"])))


def _uncovered(thing: Data) -> Entry:
    mark = f"{say('diff.change.' + thing['change'])}: {say('block.' + thing['kind'])}"
    return Entry(f"{thing['id']} ({thing['place']})", "rule", "warning", mark)


def _scenario(scenario: Data) -> Entry:
    inside = [Entry(scenario["place"], "source", "quiet")]
    sides = [scenario["before"], scenario["after"]]
    if sides[0]["passed"] != sides[1]["passed"]:
        told = [say("diff.impact.met" if side["passed"] else "diff.impact.unmet") for side in sides]
        inside.append(Entry(say("diff.impact.result", before=told[0], after=told[1])))
    if scenario["step"] is None:
        inside.append(Entry(say("diff.impact.end")))
    else:
        event = scenario["event"] or _arrow(*(side["event"] or say("diff.impact.nothing") for side in sides))
        inside.append(Entry(event, "step", mark=say("diff.impact.step", step=scenario["step"])))
    for side, mark, tone in zip(sides, ("diff.before", "diff.after"), ("bad", "good"), strict=True):
        inside += _side(side, f"{say(mark)}:", tone)
    if scenario["through"]:
        inside.append(Entry(say("diff.impact.through", names=", ".join(scenario["through"]))))
    return Entry(say("run.titled", rule=scenario["id"], title=scenario["title"]), "step", inside=tuple(inside))


def _side(side: Data, mark: str, tone: Any) -> Iterable[Entry]:
    stopped = [diagnostic["message"] for diagnostic in side["stopped"]]
    unmet = [say("diff.impact.missed", text=text) for text in side["unmet"]]
    return (Entry(text, "effect", tone, mark) for text in (*side["told"], *stopped, *unmet))
