"""``rulewright compare``: what the rules of several editions say on each concept, or make of one situation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from rulewright.cli.app import INTERNAL, OK
from rulewright.cli.common import Reading, durable, readings_asked_for, situation, tree_of
from rulewright.cli.forms import TERMINAL, Forms, deliver
from rulewright.compare.matrix import describe_matrix
from rulewright.compare.page import matrix_page
from rulewright.compare.search import MOST_GAMES, SECONDS, Search
from rulewright.compare.sides import Side, sides
from rulewright.compare.situation import describe_situation
from rulewright.compare.situation_page import situation_page
from rulewright.compare.witness_page import witness_page
from rulewright.compare.witnesses import describe_witnesses
from rulewright.diagnostics import Fault, report
from rulewright.model import ReadingChoice
from rulewright.speech import spoken
from rulewright.syntax.keywords import languages
from rulewright.workspace import Tree


def compare(
    *editions: str,
    concept: Annotated[str | None, Parameter(negative="")] = None,
    scenario: Path | None = None,
    name: str | None = None,
    witness: Annotated[bool, Parameter(negative="")] = False,
    most_games: Annotated[int, Parameter(validator=Number(gte=1))] = MOST_GAMES,
    most_seconds: Annotated[int, Parameter(validator=Number(gte=1))] = SECONDS,
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
        beside = "--concept" if concept is not None else "--witness" if witness else None
        if beside is not None:
            raise Fault(report("beside-situation", option=beside))
        return _situation(editions, scenario, name, choices, rules, forms)
    if name is not None:
        raise Fault(report("name-without-scenario"))
    tree = tree_of(rules)
    found = sides(tree, editions, choices)
    if witness:
        return _witnesses(found, concept, tree, (most_games, most_seconds), forms)
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
    found = sides(picked.tree, editions, (*picked.scenario.readings, *choices))
    deliver(describe_situation(picked.scenario, found, backend, spoken()), situation_page, forms)
    return OK


def _witnesses(editions: Sequence[Side], concept: str | None, tree: Tree, most: tuple[int, int], forms: Forms) -> int:
    """Finds a situation for each difference of two editions."""
    if len(editions) > 2:
        raise Fault(report("witness-of-two", number=len(editions)))
    backend = durable()
    if backend is None:
        return INTERNAL
    search = Search(editions, backend, languages()[spoken()], *most)
    deliver(describe_witnesses(search, tree, concept), witness_page, forms)
    return OK
