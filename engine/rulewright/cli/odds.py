"""``rulewright odds``: how likely the outcomes of a scenario are, over what it leaves open."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from rulewright.cli.app import INTERNAL, OK
from rulewright.cli.common import Reading, durable, situation
from rulewright.cli.forms import TERMINAL, Forms, deliver
from rulewright.diagnostics import Fault, report
from rulewright.explain.odds_page import odds_page
from rulewright.scenarios.odds.findings import MOST_STATES, SAMPLES, SECONDS, Limits
from rulewright.scenarios.odds.odds import CHOICES, DICE, odds_of_scenario


def odds(
    file: Path,
    /,
    *what: str,
    scenario: str | None = None,
    against: str | None = None,
    forget_dice: Annotated[bool, Parameter(negative="")] = False,
    forget_choices: Annotated[bool, Parameter(negative="")] = False,
    most_states: Annotated[int, Parameter(validator=Number(gte=1))] = MOST_STATES,
    most_seconds: Annotated[int, Parameter(validator=Number(gte=1))] = SECONDS,
    samples: Annotated[int, Parameter(validator=Number(gte=1))] = SAMPLES,
    seed: int = 0,
    reading: Reading = None,
    rules: Path | None = None,
    forms: Forms = TERMINAL,
) -> int:
    """Tell how likely the outcomes of a scenario are, over all dice and choices that it leaves open.

    Example: rulewright odds rules/t9a-2/scenarios/heavy-losses.scenario --forget-dice
    """
    forms.check()
    backend = durable()
    if backend is None:
        return INTERNAL
    picked = situation(file, scenario, reading, rules)
    forgotten = (DICE if forget_dice else frozenset()) | (CHOICES if forget_choices else frozenset())
    limits = Limits(most_states, samples, seed, most_seconds)
    data = odds_of_scenario(picked.scenario, picked.compiled, backend, what, against or "", forgotten, limits)
    if data["asks"] is None and data["against"] is None:
        raise Fault(report("nothing-open", picked.scenario.span, scenario=picked.scenario.ident))
    deliver(data, partial(odds_page, fractions=forms.everything), forms)
    return OK
