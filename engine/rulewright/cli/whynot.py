"""``rulewright whynot``: plays a scenario and tells why a rule did not apply, or something did not come about."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rulewright.cli.app import FAILED, INTERNAL, OK
from rulewright.cli.common import Reading, complain, durable, situation
from rulewright.cli.forms import TERMINAL, Forms, deliver
from rulewright.explain.readings import describe_switched
from rulewright.explain.sought import read_sought, thing_called
from rulewright.explain.verdicts import Inquiry
from rulewright.explain.whynot import describe_whynot
from rulewright.explain.whynot_page import whynot_page
from rulewright.scenarios.report import describe_scenario
from rulewright.scenarios.runner import play
from rulewright.session.looks import Looks
from rulewright.workspace import other_editions


def whynot(
    file: Path,
    what: str,
    *,
    for_: Annotated[str | None, Parameter(name="--for")] = None,
    at: int | None = None,
    scenario: str | None = None,
    seed: int | None = None,
    reading: Reading = None,
    rules: Path | None = None,
    forms: Forms = TERMINAL,
) -> int:
    """Play a scenario and tell why a rule did not apply, or an event or a fact did not come about.

    Example: rulewright whynot rules/t9a-2/scenarios/heavy-losses.scenario flee-from-closest --for Archers
    """
    forms.check()
    backend = durable()
    if backend is None:
        return INTERNAL
    picked = situation(file, scenario, reading, rules)
    others = partial(other_editions, picked.tree, picked.compiled.edition.ident)
    looks = Looks()
    played = play(picked.scenario, picked.compiled, backend, seed, looks=looks)
    try:
        thing = thing_called(played.session, for_) if for_ is not None else None
        sought = read_sought(played.session, what, others)
        data = {
            "schema": "rulewright/whynot/1",
            "scenario": describe_scenario(picked.scenario),
            "file": str(file),
            "readings": describe_switched(played.session),
            **describe_whynot(Inquiry.of(played.session, looks.taken), sought, others, thing, at),
        }
    finally:
        played.session.close()
    deliver(data, whynot_page, forms)
    if not forms.json:
        complain(played.fault)
    return FAILED if played.fault else OK
