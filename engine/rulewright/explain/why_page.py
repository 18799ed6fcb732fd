"""The page of a proof: the answer, the steps it rests on from the last to the first, what was given, and a picture."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rulewright.explain.further import further
from rulewright.explain.why_picture import picture
from rulewright.forms.page import Block, Entry, Page, Tone
from rulewright.speech import Listed, say, spoken

Data = dict[str, Any]

_LONG = 90
"""Lines; in a proof that is longer, what did not lead here directly is folded."""
_NEAR = 4
"""Steps that stay unfolded in a long proof."""
_TONES: dict[str, Tone] = {"applies": "good", "pre-empted": "warning", "not picked": "quiet"}


def why_page(data: Data) -> Page:
    """The page of the data of ``explain.why``, with the scenario it is about."""
    scenario = data["scenario"]
    place = say("run.scenario", id=scenario["id"], edition=scenario["edition"], place=scenario["place"])
    return Page(scenario["title"], place, spoken(), tuple(_blocks(data)))


def _blocks(data: Data) -> Iterator[Block]:
    if data["answer"] == "no":
        yield Entry(_no(data), "heading", "bad")
        if data["asked"]["text"]:
            command = further(data, "whynot", data["asked"]["text"])
            yield Entry(say("proof.whynot", command=command), "note", "quiet")
        return
    teller = _Teller(data)
    goals = [teller.goal(goal) for goal in data["goals"]]
    given = {step["number"] for step in data["steps"] if step["source"] == "given"}
    if data["asked"]["kind"] == "outcome" and all(goal["step"] in given for goal in data["goals"]):
        goals.insert(0, Entry(say("proof.nothing-by-rules"), "note"))
    yield Entry(_question(data), "heading", inside=tuple(goals))
    steps = [teller.step(s) for s in data["steps"]]
    long = sum(1 + s.lines() for s in steps) > _LONG
    told = tuple(_folded(e, s, n) if long else e for n, (e, s) in enumerate(zip(steps, data["steps"], strict=True)))
    if told:
        yield Entry(say("proof.steps"), "heading", inside=told)
    if data["given"]:
        all_given = Entry("; ".join(data["given"]), "fact", "quiet")
        yield Entry(say("proof.given"), "heading", inside=(all_given,))
    drawing = picture(data)
    if drawing is not None:
        yield drawing


def _folded(entry: Entry, step: Data, place: int) -> Entry:
    """An entry of a long proof: closed, unless it is one of those that led here directly, and near."""
    if (step["chain"] and place < _NEAR) or not entry.inside:
        return entry
    return Entry(entry.text, entry.role, entry.tone, entry.mark, entry.inside, folded=True)


def _no(data: Data) -> str:
    kind = data["asked"]["kind"]
    after = say("proof.after-step", step=data["at"]) if data["at"] else ""
    return say(f"proof.no-{kind}", what=data["asked"]["text"]) + after


def _question(data: Data) -> str:
    asked = data["asked"]
    what = asked["text"] if asked["kind"] != "step" else str(data["goals"][0]["step"])
    after = say("proof.after-step", step=data["at"]) if data["at"] else ""
    return say(f"proof.asked-{asked['kind']}", what=what) + after


class _Teller:
    """Words the parts of one proof; what a definition says is told once."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.said: dict[str, int] = {}
        self.assumed: set[tuple[str, str]] = set()
        self.here = 0

    # --- the answer ----------------------------------------------------------------------------------------------

    def goal(self, goal: Data) -> Entry:
        if goal["clause"] is not None:
            entry = self.clause(goal["clause"], 0)
            inside = entry.inside
            if goal["absent"]:
                ended = goal["ended"]
                text = say("proof.never") if ended is None else say("proof.ended", origin=_origin(ended))
                inside = (Entry(text, "note", "quiet"),)
            return Entry(entry.text, "fact", "good", inside=inside)
        text = _at_step(goal["text"], goal["step"])
        if goal["rule"] is not None:
            rule = goal["rule"]
            return Entry(f"{_titled(rule)}: {text}", "fact", _TONES[rule["verdict"]], _verdict(rule["verdict"]))
        return Entry(text, "fact", "good")

    # --- steps ---------------------------------------------------------------------------------------------------

    def step(self, step: Data) -> Entry:
        self.here = step["number"]
        event = step["event"] if step["source"] != "given" else say("proof.it-was-given", event=step["event"])
        return Entry(event, "step", mark=str(step["number"]), inside=tuple(self._inside(step)))

    def _inside(self, step: Data) -> Iterator[Entry]:
        for cause in step["because_of"]:
            yield Entry(_at_step(_titled(cause), cause["step"]), "note", mark=say("proof.because"))
        if step["source"] == "itself":
            yield Entry(say("proof.of-itself"), "note", "quiet")
        if step["outcome_of"] is not None:
            yield Entry(say("proof.outcome", step=step["outcome_of"]), "note", mark=say("proof.because"))
        for order in step["held_back_by"]:
            sources = tuple(self.sources(order))
            yield Entry(_titled(order), "note", "quiet", say("run.waited").strip(), sources, folded=True)
        for defeat in step["voided"]:
            yield Entry(
                _titled(defeat),
                "rule",
                "warning",
                say("run.voided").strip(),
                (*self.clauses(defeat), *self.sources(defeat)),
            )
        yield from (Entry(change["text"], "effect") for change in step["changes"])
        yield from map(self.rule, step["rules"])
        if step["rules"]:
            yield from map(_decision, step["decisions"])
        if step["test"] is not None:
            yield self._test(step["test"])

    def rule(self, rule: Data) -> Entry:
        inside = [*self.clauses(rule)]
        for defeat in rule["preempted_by"]:
            told = () if defeat["kind"] == "rule" else tuple(self.clauses(defeat))
            told += tuple(self.sources(defeat)) if defeat["kind"] == "exemption" else ()
            text = say(f"defeat.{defeat['kind']}", rule=_titled(defeat))
            inside.append(Entry(text, "note", "warning", say("run.by").strip(), told))
        for other in rule["overrode"]:
            inside.append(Entry(say("proof.overrode", rule=_titled(other)), "note", "quiet"))
        for effect in rule["effects"]:
            until = say("run.until-end", window=effect["until_end_of"]) if effect["until_end_of"] else ""
            inside.append(Entry(effect["text"] + until, "effect"))
        return Entry(
            _titled(rule), "rule", _TONES[rule["verdict"]], _verdict(rule["verdict"]), (*inside, *self.sources(rule))
        )

    def _test(self, test: Data) -> Entry:
        rolled = say("run.rolled", bearer=test["bearer"], total=test["total"], dice=test["dice"])
        if test["first_total"] is not None:
            rolled += say("proof.first-rolled", total=test["first_total"])
        inside = [
            Entry(test["target"], "clause", inside=(Entry(test["numbers"], "numbers"),), mark=say("run.needs").strip())
        ]
        for modifier in test["modifiers"]:
            inside.append(Entry(say("proof.modified", amount=modifier["amount"], rule=modifier["rule"]), "note"))
        inside += [*_values(test["values"]), *self._definitions(test["because"], 0), *self.sources(test)]
        tone: Tone = "good" if test["outcome"] == "passed" else "bad"
        return Entry(rolled, "dice", tone, say(f"verdict.{test['outcome']}"), tuple(inside))

    def sources(self, item: Data) -> Iterator[Entry]:
        """Where something stands in the source, and how that is read; how it is read is told in full once."""
        if item["cites"]:
            yield Entry(", ".join(item["cites"]), "source", "quiet", say("run.cites").strip())
        for assumption in (a for a in item["assumptions"] if (a["id"], a["text"]) not in self.assumed):
            yield Entry(assumption["text"], "source", "quiet", say("run.assuming", id=assumption["id"]).strip())
        again = [a["id"] for a in item["assumptions"] if (a["id"], a["text"]) in self.assumed]
        if again:
            yield Entry(say("proof.assuming-again", ids=", ".join(again)), "source", "quiet")
        self.assumed |= {(a["id"], a["text"]) for a in item["assumptions"]}

    # --- clauses -------------------------------------------------------------------------------------------------

    def clauses(self, item: Data, depth: int = 0) -> Iterator[Entry]:
        for clause in item["clauses"]:
            if clause["text"]:
                yield self.clause(clause, depth)

    def clause(self, clause: Data, depth: int) -> Entry:
        """A clause with its numbers; the step that what it says comes from stands behind it."""
        facts = clause["facts"]
        origins = list(dict.fromkeys(map(_origin, facts)))
        text = clause["text"]
        inside: list[Entry] = []
        if len(origins) == 1 and not clause["because"]:
            text += f" ({origins[0]})"
        else:
            other = [f for f in facts if f["source"] not in ("given", "kind")]
            inside += [Entry(f"{f['text']} ({_origin(f)})", "fact", "quiet") for f in other]
        if clause["numbers"]:
            inside.append(Entry(clause["numbers"], "numbers"))
        inside += [*_values(clause["values"]), *self._definitions(clause["because"], depth)]
        return Entry(text, "clause", inside=tuple(inside), muted=clause["trivial"])

    def _definitions(self, supports: Sequence[Data], depth: int) -> Iterator[Entry]:
        """Why something is so by definition; what was told already is not told again."""
        for support in supports:
            key = json.dumps([support[part] for part in ("rule", "clauses", "values", "because")], sort_keys=True)
            told = self.said.get(key)
            name = say("proof.defined", rule=_titled(support))
            if told is not None:
                yield Entry(name + say("proof.see", step=told) if told else name, "note", "quiet")
                continue
            self.said[key] = self.here
            inside = (
                *self.clauses(support, depth + 1),
                *_values(support["values"], always=True),
                *self._definitions(support["because"], depth + 1),
                *self.sources(support),
            )
            yield Entry(name, "note", "quiet", inside=inside, folded=depth > 0 and len(inside) > 1)


def _values(values: Sequence[Data], always: bool = False) -> Iterator[Entry]:
    """What numbers are made of, where they are not simply as they were given, or always."""
    for value in values:
        parts = [p for p in value["parts"] if p["source"] != "nought"]
        if not parts:
            continue
        quiet = all(p["source"] in ("given", "kind") for p in parts)
        told = " ".join(_part(p, first=not n) for n, p in enumerate(parts))
        total = "" if len(parts) == 1 else f"{value['value']} = "
        yield Entry(f"{value['text']}: {total}{told}", "numbers", "quiet", muted=quiet and not always)


def _part(part: Data, first: bool) -> str:
    sign, number = part["number"][:1], part["number"].lstrip("+-")
    lead = "" if first and sign != "-" else f"{'−' if sign == '-' else '+'} "
    origin = _origin(part)
    if part["copied"] is not None:
        origin = f"{origin}, {say('proof.copied', step=part['copied'])}"
    return f"{lead}{number} ({origin})"


def _origin(ground: Data) -> str:
    """Where something comes from, in a word or two."""
    if ground["source"] in ("given", "kind") or not ground["step"]:
        return say("origin.given")
    return say("proof.by-step", step=ground["step"])


def _at_step(text: str, step: int | None) -> str:
    return f"{text} ({say('proof.by-step', step=step)})" if step is not None else text


def _verdict(verdict: str) -> str:
    return say(f"verdict.{verdict.replace(' ', '-')}")


def _titled(item: Data) -> str:
    """The name and title of a rule or the like; its name alone where that is its title."""
    if item["title"] == item["rule"]:
        return str(item["rule"])
    return say("run.titled", rule=item["rule"], title=item["title"])


def _decision(decision: Data) -> Entry:
    if decision["by"] == "chance":
        who = say("run.chance-picks")
    elif decision["player"]:
        who = say("run.side-picks", player=decision["player"])
    else:
        who = say("run.player-picks")
    options = Listed(tuple(decision["options"]))
    return Entry(say("run.picked", picked=decision["picked"], options=options), "dice", mark=who.strip())
