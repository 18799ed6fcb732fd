"""``rulewright whatif``: what would have to change for something to be so, or what another fact or rule changes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from rulewright.cli.app import INTERNAL, OK
from rulewright.cli.common import Reading, durable, readings_asked_for, situation
from rulewright.cli.forms import TERMINAL, Forms, deliver
from rulewright.diagnostics import Fault, report
from rulewright.explain.whatif import changes_page, otherwise_page
from rulewright.model import Line
from rulewright.scenarios.rehearsal import Rehearsal
from rulewright.scenarios.script import scripted
from rulewright.scenarios.search import MOST_CHANGES, MOST_GAMES, SECONDS, Search
from rulewright.scenarios.whatif import Otherwise, describe_changes, describe_otherwise
from rulewright.syntax.signs import typed
from rulewright.workspace import read_source

Sentences = Annotated[list[str] | None, Parameter(name="--set", negative="")]


def whatif(
    file: Path,
    goal: str | None = None,
    /,
    *,
    scenario: str | None = None,
    sentences: Sentences = None,
    edit: Path | None = None,
    edition: str | None = None,
    reading: Reading = None,
    most_changes: Annotated[int, Parameter(validator=Number(gte=1))] = MOST_CHANGES,
    most_games: Annotated[int, Parameter(validator=Number(gte=1))] = MOST_GAMES,
    most_seconds: Annotated[int, Parameter(validator=Number(gte=1))] = SECONDS,
    rules: Path | None = None,
    forms: Forms = TERMINAL,
) -> int:
    """Find the smallest changes of a scenario that would make something so; or see what something else would change.

    Example: rulewright whatif rules/t9a-2/scenarios/heavy-losses.scenario "Archers is fleeing"
    """
    forms.check()
    if goal is not None and (sentences or edit or edition):
        raise Fault(report("goal-and-changes"))
    backend = durable()
    if backend is None:
        return INTERNAL
    if goal is not None:
        picked = situation(file, scenario, reading, rules)
        script = scripted(picked.scenario, picked.compiled, backend)
        rehearsal = Rehearsal(picked.compiled, backend, picked.scenario.language)
        search = Search(
            script,
            rehearsal,
            Line(typed(goal, picked.scenario.language, "goal")),
            most_changes,
            most_games,
            most_seconds,
        )
        try:
            data = describe_changes(picked.scenario, search, search.find())
        finally:
            rehearsal.close()
        deliver(data, changes_page, forms)
        return OK
    asked = readings_asked_for(reading)
    if not (sentences or edit or edition or asked):
        raise Fault(report("no-goal"))
    picked = situation(file, scenario, None, rules)
    said = tuple(typed(sentence, picked.scenario.language, "set") for sentence in sentences or ())
    otherwise = Otherwise(said, read_source(edit, str(edit)) if edit else None, edition, asked)
    data = describe_otherwise(picked.scenario, picked.compiled, picked.tree, backend, otherwise)
    deliver(data, otherwise_page, forms)
    return OK
