"""``rulewright compare``: what the rules of several editions say on each concept, or make of one situation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rulewright.cli.app import INTERNAL, OK
from rulewright.cli.common import Reading, durable, readings_asked_for, situation, tree_of
from rulewright.cli.forms import TERMINAL, Forms, deliver
from rulewright.compare.matrix import describe_matrix
from rulewright.compare.page import matrix_page
from rulewright.compare.sides import sides
from rulewright.compare.situation import describe_situation
from rulewright.compare.situation_page import situation_page
from rulewright.diagnostics import Fault, report
from rulewright.model import ReadingChoice
from rulewright.speech import spoken


def compare(
    *editions: str,
    concept: Annotated[str | None, Parameter(negative="")] = None,
    scenario: Path | None = None,
    name: str | None = None,
    reading: Reading = None,
    rules: Path | None = None,
    forms: Forms = TERMINAL,
) -> int:
    """Set editions side by side, clause by clause; or play one situation under each of them.

    Example: rulewright compare t9a-2 t9a-3 --concept panic.trigger
    """
    forms.check()
    choices = readings_asked_for(reading)
    if scenario is not None:
        if concept is not None:
            raise Fault(report("concept-of-situation"))
        return _situation(editions, scenario, name, choices, rules, forms)
    if name is not None:
        raise Fault(report("name-without-scenario"))
    found = sides(tree_of(rules), editions, choices)
    deliver(describe_matrix(found, concept, spoken()), matrix_page, forms)
    return OK


def _situation(
    editions: Sequence[str],
    file: Path,
    name: str | None,
    choices: Sequence[ReadingChoice],
    rules: Path | None,
    forms: Forms,
) -> int:
    """Plays a scenario under each edition; the options of readings that it asks for hold where they are known."""
    backend = durable()
    if backend is None:
        return INTERNAL
    picked = situation(file, name, None, rules)
    asked = {c.reading for c in choices}
    own = [c for c in picked.scenario.readings if c.reading not in asked]
    found = sides(picked.tree, editions, (*own, *choices))
    deliver(describe_situation(picked.scenario, found, backend, spoken()), situation_page, forms)
    return OK
