"""``rulewright whatif``: what would have to change for something to be so, or what another fact or rule changes."""

from __future__ import annotations

from pathlib import Path

from rulewright.cli.app import INTERNAL, OK
from rulewright.cli.common import Reading, durable, situation
from rulewright.cli.forms import TERMINAL, Forms, deliver
from rulewright.explain.whatif import changes_page
from rulewright.model import Line
from rulewright.scenarios.script import scripted
from rulewright.scenarios.search import MOST_CHANGES, MOST_RUNS, Search
from rulewright.scenarios.whatif import describe_changes
from rulewright.syntax.signs import typed


def whatif(
    file: Path,
    goal: str | None = None,
    *,
    scenario: str | None = None,
    most_changes: int = MOST_CHANGES,
    most_games: int = MOST_RUNS,
    reading: Reading = None,
    rules: Path | None = None,
    forms: Forms = TERMINAL,
) -> int:
    """Find the smallest changes of a scenario that would make something so, or not so.

    Example: rulewright whatif rules/t9a-2/scenarios/heavy-losses.scenario "Archers is fleeing"
    """
    forms.check()
    backend = durable()
    if backend is None:
        return INTERNAL
    picked = situation(file, scenario, reading, rules)
    search = Search(
        scripted(picked.scenario, picked.compiled, backend),
        picked.compiled,
        backend,
        Line(typed(goal, "goal")),
        most_changes,
        most_games,
    )
    deliver(describe_changes(picked.scenario, search, search.find()), changes_page, forms)
    return OK
