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
    durable,
    print_json,
    situation,
)
from rulewright.explain.questions import answer_question
from rulewright.explain.terminal import print_answer
from rulewright.scenarios.runner import play


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
    backend = durable()
    if backend is None:
        return INTERNAL
    picked = situation(scenario, name, reading, rules)
    played = play(picked.scenario, picked.compiled, backend, seed)
    try:
        data = answer_question(played.session, question)
    finally:
        played.session.close()
    if json:
        print_json({"schema": "rulewright/answer/1", "scenario": picked.scenario.ident, **data})
    else:
        print_answer(data, console())
        complain(played.fault)
    return OK if not played.fault else FAILED
