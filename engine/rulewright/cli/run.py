"""``rulewright run``: plays the scenarios of a file and explains what happened."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rulewright.cli.app import FAILED, INTERNAL, OK
from rulewright.cli.asking import Person, Quit
from rulewright.cli.common import (
    Reading,
    complain,
    console,
    contradicted,
    durable,
    pick_scenario,
    print_json,
    readings_asked_for,
    tree_of,
)
from rulewright.diagnostics import Diagnostic
from rulewright.explain.terminal import print_run
from rulewright.scenarios.report import describe_run
from rulewright.scenarios.runner import play
from rulewright.speech import say
from rulewright.workspace import load_for, read_scenarios


def run(
    scenario: Path,
    name: str | None = None,
    /,
    *,
    json: Annotated[bool, Parameter(negative="")] = False,
    seed: int | None = None,
    reading: Reading = None,
    rules: Path | None = None,
) -> int:
    """Play the scenarios of a file and explain, event by event, which rules applied and why.

    Example: rulewright run rules/t9a-2/scenarios/heavy-losses.scenario
    """
    choices = readings_asked_for(reading)
    backend = durable()
    if backend is None:
        return INTERNAL
    scenarios, diagnostics = read_scenarios(scenario, str(scenario))
    if name is not None and not diagnostics:
        picked = pick_scenario(scenarios, name)
        scenarios, diagnostics = ((), (picked,)) if isinstance(picked, Diagnostic) else ((picked,), ())
    diagnostics = diagnostics or tuple(d for one in scenarios for d in contradicted(one, choices))
    if diagnostics:
        complain(diagnostics, json)
        return FAILED
    tree = tree_of(rules, scenario.parent)
    at_terminal = bool(sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()) and not json
    code, reports = OK, []
    for number, one in enumerate(scenarios):
        loaded = load_for(tree, one, choices)
        if loaded.compiled is None:
            complain(loaded.diagnostics, json)
            return FAILED
        person = Person(one.title) if at_terminal else None
        try:
            played = play(one, loaded.compiled, backend, seed, person)
        except Quit:
            print(say("asking.not-played", scenario=one.ident))
            return FAILED
        data = describe_run(played)
        reports.append(data)
        if not json:
            out = console()
            if number:
                out.print("\n" + "-" * out.width + "\n")
            print_run(data, out)
            complain(played.fault)
            if person is not None:
                person.print_lines()
        played.session.close()
        code = code if played.passed else FAILED
    if json:
        print_json(reports[0] if len(reports) == 1 else {"schema": "rulewright/runs/1", "runs": reports})
    return code
