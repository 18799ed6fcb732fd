"""The readings of an edition as data, and what another option of them changes in its scenarios.

By the schemas ``rulewright/readings/1`` and ``rulewright/differences/1`` (``readings.schema.json`` beside this file).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulewright.backends.base import Backend
from rulewright.diagnostics import Fault
from rulewright.lowering.compile import Compiled
from rulewright.model import Dependent, Reading, ReadingChoice, Readings, Scenario
from rulewright.scenarios.comparison import Courses
from rulewright.scenarios.runner import Played, play
from rulewright.speech import spoken
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
        part = Courses(*(_played(tree, scenario, readings, backend) for readings in ((), asked))).parting()
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
