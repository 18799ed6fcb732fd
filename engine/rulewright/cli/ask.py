"""``rulewright ask``: plays a scenario and answers a question about its end."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rulewright.cli.app import FAILED, INTERNAL, OK
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
from rulewright.diagnostics import Diagnostic, Fault
from rulewright.explain.questions import answer_question
from rulewright.explain.terminal import print_answer
from rulewright.scenarios.runner import play
from rulewright.workspace import load_for, read_scenarios


def ask(
    scenario: Path,
    question: str,
    name: str | None = None,
    *,
    json: Annotated[bool, Parameter(negative="")] = False,
    seed: int | None = None,
    reading: Reading = None,
    rules: Path | None = None,
) -> int:
    """Play a scenario and answer a question about its end: may it, must it, is it so, what applies to it.

    Example: rulewright ask rules/t9a-2/scenarios/heavy-losses.scenario "what applies to Archers?"
    """
    choices = readings_asked_for(reading)
    backend = durable()
    if backend is None:
        return INTERNAL
    scenarios, diagnostics = read_scenarios(scenario, str(scenario))
    if diagnostics:
        complain(diagnostics, json)
        return FAILED
    picked = pick_scenario(scenarios, name)
    wrong = [picked] if isinstance(picked, Diagnostic) else contradicted(picked, choices)
    if isinstance(picked, Diagnostic) or wrong:
        complain(wrong, json)
        return FAILED
    loaded = load_for(tree_of(rules, scenario.parent), picked, choices)
    if loaded.compiled is None:
        complain(loaded.diagnostics, json)
        return FAILED
    played = play(picked, loaded.compiled, backend, seed)
    try:
        data = answer_question(played.session, question)
    except Fault as fault:
        complain(fault.diagnostics, json)
        return FAILED
    finally:
        played.session.close()
    if json:
        print_json({"schema": "rulewright/answer/1", "scenario": picked.ident, **data})
    else:
        print_answer(data, console())
        complain(played.fault)
    return OK if not played.fault else FAILED
