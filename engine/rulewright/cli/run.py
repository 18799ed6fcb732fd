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
    durable,
    print_json,
    situations,
)
from rulewright.explain.terminal import print_run
from rulewright.scenarios.report import describe_run
from rulewright.scenarios.runner import play
from rulewright.speech import say


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
    backend = durable()
    if backend is None:
        return INTERNAL
    at_terminal = bool(sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()) and not json
    code, reports = OK, []
    for number, (one, compiled) in enumerate(
        (s.scenario, s.compiled) for s in situations(scenario, name, reading, rules)
    ):
        person = Person(one.title) if at_terminal else None
        try:
            played = play(one, compiled, backend, seed, person)
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
