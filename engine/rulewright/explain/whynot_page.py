"""Why not, laid out: the page of the data of ``explain.whynot``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.explain.further import further
from rulewright.explain.terminal import titled
from rulewright.forms.page import Block, Entry, Page, Tone
from rulewright.speech import Listed, say, spoken

Data = dict[str, Any]

OPEN = 3
"""So many candidates are shown in full; the others are folded."""

_TONES: dict[str, Tone] = {"applies": "good", "does not apply": "bad", "pre-empted": "warning"}


def whynot_page(data: Data) -> Page:
    """The page of an answer to *why not*."""
    scenario = data["scenario"]
    place = say("run.scenario", id=scenario["id"], edition=scenario["edition"], place=scenario["place"])
    blocks: list[Block] = []
    for reading in data["readings"]:
        told = say("run.instead", **{key: reading[key] for key in ("option", "instead_of", "text")})
        blocks.append(Entry(told, "source", "quiet", say("run.reading", id=reading["id"]).strip()))
    blocks += _so(data) if data["so"] else []
    if data["failed"] is not None and data["absent"] is None:
        blocks.append(_failed(data["failed"], ()))
    blocks += [_source(one) for one in data["present"]]
    if data["absent"] is not None:
        blocks.append(_absence(data["absent"], answered=True))
    if data["silent"] is not None:
        blocks.append(_silence(data["silent"], data["asked"]["text"]))
    shown = [_candidate(c) for c in data["candidates"] if c["verdict"] != "applies"]
    applied = _applied(data["candidates"])
    if applied and data["asked"]["kind"] == "concept" and shown:  # what did not apply is what is asked about
        told = say("whynot.applied", count=len(applied))
        blocks.append(Entry(told, "note", "good", inside=tuple(applied), folded=True))
    else:
        shown = [*applied, *shown]
    blocks += shown[:OPEN]
    if rest := shown[OPEN:]:
        blocks.append(Entry(say("whynot.further", count=len(rest)), "note", "quiet", inside=tuple(rest), folded=True))
    return Page(_title(data["asked"]), place, spoken(), tuple(blocks))


def _title(asked: Data) -> str:
    title = say("whynot.title", what=asked["text"])
    if asked["for"]:
        title = say("whynot.title-for", what=asked["text"], name=asked["for"])
    return title + (say("whynot.at", step=asked["at"], event=asked["event"]) if asked["at"] else "")


def _note(key: str, inside: Sequence[Entry] = (), tone: Tone = "plain", folded: bool = False, **values: Any) -> Entry:
    return Entry(say(f"whynot.{key}", **values), "note", tone, inside=tuple(inside), folded=folded)


# --- so after all, or silent ---------------------------------------------------------------------------------------


def _so(data: Data) -> list[Block]:
    so, what = data["so"], data["asked"]["text"]
    inside: list[Entry] = [Entry(s["event"], "step", mark=_step(s["step"])) for s in so["steps"]]
    if so["since"]:
        inside.append(_source(so["since"]))
    if so["by"]:
        inside.append(_note("by", rules=Listed(tuple(so["by"]))))
    inside.append(_note("ask-why", tone="quiet", command=further(data, "why", what)))
    return [Entry(say(f"whynot.so-{so['kind']}"), "heading", "good", inside=tuple(inside))]


def _step(number: int) -> str:
    return say("whynot.step", step=number)


def _silence(silent: Data, asked: str) -> Entry:
    inside = [
        Entry(say("whynot.other-edition", edition=o["edition"], rules=Listed(tuple(o["rules"]))), "rule")
        for o in silent["others"]
    ]
    if not inside and silent["about"] != "not-in-force":
        inside.append(_note("no-other", tone="quiet"))
    left_out = [
        Entry(say("whynot.left-out", sentences=Listed(tuple(n["sentences"])), reason=n["reason"]), "source", "quiet")
        for n in silent["not_modelled"]
    ]
    if left_out:
        told = say("whynot.not-modelled", edition=silent["edition"])
        inside.append(Entry(told, "note", "quiet", inside=tuple(left_out), folded=True))
    about = say(f"whynot.silent-{silent['about']}", asked=asked, edition=silent["edition"], needs=silent["needs"] or "")
    return Entry(about, "heading", "warning", say("whynot.verdict", word=say("verdict.silent")), tuple(inside))


# --- one rule ------------------------------------------------------------------------------------------------------


def _candidate(rule: Data, nested: bool = False) -> Entry:
    inside = tuple(_inside(rule))
    if rule["cites"] and not nested:
        inside += (Entry(", ".join(rule["cites"]), "source", "quiet", say("run.cites").strip()),)
    return _verdict(rule, inside)


def _verdict(rule: Data, inside: tuple[Entry, ...]) -> Entry:
    word = say("whynot.verdict", word=say(f"verdict.{rule['verdict'].replace(' ', '-')}"))
    return Entry(titled(rule), "rule", _TONES[rule["verdict"]], word, inside)


def _applied(candidates: Sequence[Data]) -> list[Entry]:
    """The rules that applied, each with the steps at which it did."""
    by_rule: dict[str, list[Data]] = {}
    for one in candidates:
        if one["verdict"] == "applies":
            by_rule.setdefault(one["rule"], []).append(one)
    found = []
    for times in by_rule.values():
        steps = [_at_step(one, "at-step") for one in times]
        shown = tuple(steps[:OPEN])
        if rest := steps[OPEN:]:
            told = say("whynot.further", count=len(rest))
            shown += (Entry(told, "note", "quiet", inside=tuple(rest), folded=True),)
        found.append(_verdict(times[0], shown))
    return found


def _at_step(rule: Data, key: str) -> Entry:
    """The step at which a rule applied or came nearest, with the clauses that held there."""
    held = [Entry(text, "clause", "good") for text in rule["held"]]
    held += [_clause(c, "good") for c in rule["clauses"]]
    inside = [_note("held", held, "quiet", folded=True, count=len(held))] if held else []
    if rule["clauses"] and rule["for"]:
        who = Listed(tuple(say("whynot.stands-for", variable=v, name=n) for v, n in rule["for"].items()))
        inside.insert(0, Entry(str(who), "note", "quiet"))
    if rule["rolled"]:
        inside.append(Entry(rule["rolled"], "dice"))
    mark = say(f"whynot.{key}", step=rule["step"]) if rule["event"] else ""
    return Entry(rule["event"] or say("whynot.the-end"), "step", mark=mark, inside=tuple(inside))


def _inside(rule: Data) -> list[Entry]:
    inside = []
    if rule["step"] is not None:
        inside.append(_at_step(rule, "nearest" if rule["failed"] else "at-step"))
    elif rule["kind"] == "order":
        inside.append(_note("never-waiting", when=Listed(tuple(rule["set_off_by"])), tone="bad"))
    if rule["too_late"]:
        inside.append(_note("too-late", tone="bad"))
    key = "no-trigger" if rule["step"] is None else ""
    missing = [*(_absence(a, key) for a in rule["absent"]), *(_source(p) for p in rule["present"])]
    if rule["failed"]:
        inside.append(_failed(rule["failed"], missing))
    else:
        inside += missing
    if rule["verdict"] == "does not apply" and rule["picked"]:
        inside.append(_note("picked", picked=rule["picked"], tone="bad"))
    return inside + [_defeat(d) for d in rule["preempted_by"]]


def _clause(clause: Data, tone: Tone = "plain") -> Entry:
    inside = [Entry(clause["numbers"], "numbers")] if clause["numbers"] else []
    inside += [_clause(c) for support in clause["because"] for c in support["clauses"]]
    return Entry(clause["text"], "clause", tone, inside=tuple(inside))


def _defeat(defeat: Data) -> Entry:
    clauses = [_clause(c) for c in defeat["clauses"]]
    if defeat["kind"] != "unless" and defeat["cites"]:
        clauses.append(Entry(", ".join(defeat["cites"]), "source", "quiet", say("run.cites").strip()))
    return Entry(
        say(f"defeat.{defeat['kind']}", rule=defeat["rule"]), "rule", "warning", say("run.by").strip(), tuple(clauses)
    )


# --- a clause that failed ------------------------------------------------------------------------------------------


def _failed(failed: Data, missing: Sequence[Entry]) -> Entry:
    """A clause that failed, with what it needed; what was missing stands below the clause on which all hangs."""
    inside = []
    if failed["numbers"] and (not failed["needed"] or "(" in failed["numbers"]):
        inside.append(Entry(failed["numbers"], "numbers"))
    for number, needed in enumerate(failed["needed"]):
        inside.append(Entry(needed["text"], "note", mark=say("whynot.or") if number else ""))
    for within in failed["within"]:
        key = "alternative" if failed["kind"] == "any-of" else "next-of-them"
        inside.append(_note(key, [_failed(within["failed"], ())]))
    if failed["because"]:
        inside.append(_note("would-take", [_failed(failed["because"], missing)], rule=failed["because"]["rule"]))
    else:
        inside += missing
    return Entry(failed["text"], "clause", "bad", inside=tuple(inside))


def _absence(absence: Data, key: str = "", answered: bool = False) -> Entry:
    """Why an event did not happen, or a fact was not so.

    Args:
        absence: the data.
        key: how it is said that it did not happen.
        answered: this is what was asked about itself, and the rules that could bring it about are told elsewhere.
    """
    inside = [Entry(text, "fact", mark=say("whynot.instead")) for text in absence["instead"]]
    if absence["voided"]:
        voided = absence["voided"]
        by = [_defeat(d) for d in voided["by"]]
        inside.append(Entry(say("whynot.voided"), "step", "warning", _step(voided["step"]), tuple(by)))
    if absence["test"]:
        inside.append(Entry(absence["test"]["text"], "dice", mark=_step(absence["test"]["step"])))
    if absence["open"]:
        inside.append(_note("open", asks=absence["open"]))
    if absence["ended"]:
        inside.append(_source(absence["ended"], ended=True))
    if absence["later"]:
        inside.append(_note("later", step=absence["later"]))
    inside += [_candidate(c, nested=True) for c in absence["nearest"]]
    settled = answered or any(absence[how] for how in ("voided", "test", "open", "later", "nearest"))
    if absence["makers"] and not settled:
        inside.append(_note("makers", rules=Listed(tuple(absence["makers"])), tone="quiet"))
    if not absence["later"]:
        inside += [_absence(e) for e in absence["events"]]
    if not (settled or absence["ended"] or absence["makers"] or absence["events"]):
        inside.append(_note(f"nobody-{absence['kind']}", tone="quiet"))
    return Entry(absence["looked_for"], "fact", "bad", say(f"whynot.{key or 'no-' + absence['kind']}"), tuple(inside))


def _source(entry: Data, ended: bool = False) -> Entry:
    """Where a fact comes from, or what ended it."""
    how = say(f"{'ended' if ended else 'since'}.{entry['source']}", rules=Listed(tuple(entry["by"])))
    where = say("whynot.since-step", how=how, step=entry["step"]) if entry["step"] else how
    return Entry(say("whynot.because", text=entry["text"], how=where), "fact", "plain" if ended else "warning")
