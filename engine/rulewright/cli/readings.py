"""``rulewright readings``: lists the readings of an edition, or shows what another option of them changes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rulewright.cli.app import FAILED, INTERNAL, OK
from rulewright.cli.common import complain, console, durable, print_json, readings_asked_for, tree_of
from rulewright.diagnostics import Fault
from rulewright.explain.readings import print_differences, print_readings
from rulewright.scenarios.differences import describe_differences, describe_readings
from rulewright.speech import spoken


def readings(
    edition: str,
    *options: str,
    json: Annotated[bool, Parameter(negative="")] = False,
    rules: Path | None = None,
) -> int:
    """List the ways in which an edition can be read, or show what another way changes.

    Example: rulewright readings t9a-2 A-gen-03=rounded-down
    """
    choices = readings_asked_for(options)
    tree = tree_of(rules)
    if not choices:
        loaded = tree.load(edition)
        if loaded.edition is None or loaded.compiled is None:
            complain(loaded.diagnostics, json)
            return FAILED
        data = describe_readings(edition, loaded.edition.readings_in(spoken()))
    else:
        backend = durable()
        if backend is None:
            return INTERNAL
        try:
            data = describe_differences(tree, edition, choices, backend)
        except Fault as fault:
            complain(fault.diagnostics, json)
            return FAILED
    if json:
        print_json(data)
    elif choices:
        print_differences(data, console())
    else:
        print_readings(data, console())
    return OK
