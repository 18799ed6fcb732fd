"""``rulewright why``: plays a scenario and proves what happened, back to what was given."""

from __future__ import annotations

from pathlib import Path

from rulewright.cli.app import FAILED, INTERNAL, OK
from rulewright.cli.common import Reading, complain, durable, situation
from rulewright.cli.forms import TERMINAL, Forms, deliver
from rulewright.explain.why import describe_why
from rulewright.explain.why_page import why_page
from rulewright.scenarios.report import describe_scenario
from rulewright.scenarios.runner import play


def why(
    file: Path,
    what: str | None = None,
    *,
    scenario: str | None = None,
    at: int | None = None,
    forms: Forms = TERMINAL,
    seed: int | None = None,
    reading: Reading = None,
    rules: Path | None = None,
) -> int:
    """Play a scenario and prove what happened in it, back to what was given.

    Example: rulewright why rules/t9a-2/scenarios/heavy-losses.scenario "Archers is fleeing"
    """
    forms.check()
    backend = durable()
    if backend is None:
        return INTERNAL
    picked = situation(file, scenario, reading, rules)
    played = play(picked.scenario, picked.compiled, backend, seed)
    try:
        told = describe_why(played.session, what, at)
    finally:
        played.session.close()
    data = {"schema": told.pop("schema"), "scenario": describe_scenario(picked.scenario), "file": str(file), **told}
    deliver(data, why_page, forms)
    if not forms.json:
        complain(played.fault)
    return OK if data["answer"] == "yes" and not played.fault else FAILED
