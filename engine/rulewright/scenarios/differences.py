"""The readings of an edition as data, and what another option of them changes in its scenarios.

By the schemas ``rulewright/readings/1`` and ``rulewright/differences/1`` (``readings.schema.json`` beside this file).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from rulewright.backends.base import Backend
from rulewright.diagnostics import Fault
from rulewright.explain.run import describe_diagnostic, describe_session
from rulewright.lowering.compile import Compiled
from rulewright.model import Dependent, Reading, ReadingChoice, Readings, Scenario
from rulewright.scenarios.runner import Played, play
from rulewright.speech import say, spoken
from rulewright.workspace import SCENARIO_SUFFIX, Loaded, Tree, load_for, read_scenarios

Data = dict[str, Any]

READINGS, DIFFERENCES = "rulewright/readings/1", "rulewright/differences/1"


# --- what there is -------------------------------------------------------------------------------------------------


def describe_readings(edition: str, readings: Readings) -> Data:
    """The readings of an edition as data, with the names of the blocks that hang on each."""
    known = sorted(readings.known.values(), key=lambda r: r.ident)
    return {"schema": READINGS, "edition": edition, "readings": [_reading(r, readings) for r in known]}


def _reading(reading: Reading, readings: Readings) -> Data:
    return {
        "id": reading.ident,
        "title": reading.title,
        "concepts": list(reading.concepts),
        "cites": list(reading.cites),
        "place": _place(reading),
        "takes": reading.taken,
        "in_force": readings.chosen[reading.ident],
        "options": [{"name": o.ident, "text": o.text} for o in reading.options],
        "blocks": [_block(d) for d in readings.dependents if reading.ident in d.needs],
    }


def _block(block: Dependent) -> Data:
    return {
        "kind": block.kind,
        "name": block.ident,
        "title": block.title or None,
        "needs": {reading: list(options) for reading, options in block.needs.items()},
        "place": _place(block),
    }


def _place(item: Reading | Dependent | Scenario) -> str:
    return f"{item.span.source.name}:{item.span.line}"


# --- what another option changes -----------------------------------------------------------------------------------


def describe_differences(tree: Tree, edition: str, asked: Sequence[ReadingChoice], backend: Backend) -> Data:
    """What other options change: the blocks that go and come, and the scenarios that take another course.

    Args:
        tree: where the edition lies.
        edition: its name.
        asked: the options to hold against those that the edition takes.
        backend: opens the matcher that decides every match.

    Raises:
        Fault: the edition cannot be read under one of the two, or a file of scenarios cannot be read.
    """
    before = _ready(tree.load(edition)).edition.readings_in(spoken())
    after = _ready(tree.load(edition, readings=asked)).edition.readings_in(spoken())
    alive = [(d, d.holds(before.chosen), d.holds(after.chosen)) for d in after.dependents]
    scenarios, apart = list(_scenarios(tree, edition)), []
    switched = {choice.reading for choice in after.switched}
    concerned = [s for s in scenarios if not switched <= {c.reading for c in s.readings}]
    for scenario in concerned:
        part = _parting(*(_played(tree, scenario, readings, backend) for readings in ((), asked)))
        if part is not None:
            apart.append({"scenario": scenario.ident, "title": scenario.title, "place": _place(scenario), **part})
    return {
        "schema": DIFFERENCES,
        "edition": edition,
        "switched": [
            {"id": r.ident, "title": r.title, "from": _option(r, before.chosen), "to": _option(r, after.chosen)}
            for r in (after.known[choice.reading] for choice in after.switched)
        ],
        "gone": [_block(d) for d, was, now in alive if was and not now],
        "come": [_block(d) for d, was, now in alive if now and not was],
        "scenarios": apart,
        "unchanged": len(concerned) - len(apart),
        "left_out": len(scenarios) - len(concerned),
    }


def _option(reading: Reading, chosen: Mapping[str, str]) -> Data:
    option = reading.option(chosen[reading.ident])
    assert option is not None
    return {"name": option.ident, "text": option.text}


def _ready(loaded: Loaded) -> Compiled:
    if loaded.compiled is None:
        raise Fault(*(d for d in loaded.diagnostics if d.severity == "error"))
    return loaded.compiled


def _scenarios(tree: Tree, edition: str) -> Iterator[Scenario]:
    for name, file in tree.files("", SCENARIO_SUFFIX):
        scenarios, diagnostics = read_scenarios(file, name)
        if any(s.edition == edition for s in scenarios) and diagnostics:
            raise Fault(*diagnostics)
        yield from (s for s in scenarios if s.edition == edition)


def _played(tree: Tree, scenario: Scenario, readings: Sequence[ReadingChoice], backend: Backend) -> Played:
    played = play(scenario, _ready(load_for(tree, scenario, readings)), backend)
    played.session.close()
    return played


def _parting(before: Played, after: Played) -> Data | None:
    """Where two courses of a scenario part, and how either goes on from there; None when they are the same.

    The same are two courses with the same steps and dice, in which the same rules apply and bring about the same, and
    the same keep others from it; and which stop, if they do, at the same line for the same reason.
    """
    steps = [describe_session(p.session)["steps"] for p in (before, after)]
    stops = [[describe_diagnostic(d) for d in p.fault if d.severity == "error"] for p in (before, after)]
    unmet = [[o.text for o in p.outcomes if not o.met] for p in (before, after)]
    courses = [[_course(step) for step in own] for own in steps]
    parted = (n for n, (one, two) in enumerate(zip_longest(*courses)) if one != two)
    number = next(parted, None)
    if number is None and stops[0] == stops[1] and unmet[0] == unmet[1]:
        return None
    lines = [own[number] if number is not None and number < len(own) else [] for own in courses]
    events = [own[0] if own else None for own in lines]
    sides = [
        {
            "event": events[n],
            "told": [line for line in lines[n][1:] if line not in lines[1 - n][1:]],
            "stopped": [d for d in stops[n] if d not in stops[1 - n]],
            "unmet": [text for text in unmet[n] if text not in unmet[1 - n]],
        }
        for n in (0, 1)
    ]
    return {
        "step": None if number is None else number + 1,
        "event": events[0] if events[0] == events[1] else None,
        "before": sides[0],
        "after": sides[1],
    }


def _course(step: Data) -> list[str]:
    """The event of a step, then what comes about in it: what applies, what is kept from it, what follows."""
    found = [say("course.voided", rule=d["rule"]) for d in step["voided"]]
    found += [say("course.waited", rule=o["rule"]) for o in step["held_back_by"]]
    found += [c["text"] for c in step["changes"]]
    for rule in step["rules"]:
        things = ", ".join(f"{name} {value}" for name, value in rule["for"].items())
        about = f"{rule['rule']}" + (f" ({things})" if things else "")
        if rule["verdict"] == "applies":
            applies = say("course.applies", rule=about)
            found += [f"{applies}: {e['text']}" for e in rule["effects"]] or [applies]
        else:
            by = [say("defeat.unless") if d["kind"] == "unless" else d["rule"] for d in rule["preempted_by"]]
            told = say(f"course.{rule['verdict'].replace(' ', '-')}", rule=about)
            found.append(say("course.by", told=told, by=", ".join(by)) if by else told)
    found += [say("course.picked", picked=d["picked"], options=", ".join(d["options"])) for d in step["decisions"]]
    if step["test"]:
        test = step["test"]
        rolled = say("run.rolled", bearer=test["bearer"], total=test["total"], dice=test["dice"])
        found.append(f"{rolled}: {say('verdict.' + test['outcome'])}")
    return [step["event"], *sorted(found)]
