"""What the verbs that explain a scenario tell of a game at the table, as it stands now."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from rulewright.diagnostics import Fault, report
from rulewright.explain.odds_page import odds_page
from rulewright.explain.sought import read_sought
from rulewright.explain.verdicts import Inquiry
from rulewright.explain.whatif import changes_page
from rulewright.explain.why import describe_why
from rulewright.explain.why_page import why_page
from rulewright.explain.whynot import describe_whynot
from rulewright.explain.whynot_page import whynot_page
from rulewright.forms.page import Page
from rulewright.model import Scenario
from rulewright.resolve.scenarios import resolve_scenarios
from rulewright.scenarios.odds.odds import odds_of
from rulewright.scenarios.report import describe_scenario
from rulewright.scenarios.whatif import changes_in
from rulewright.syntax.parser import parse
from rulewright.syntax.signs import typed
from rulewright.table.table import Table
from rulewright.text import Source
from rulewright.workspace import other_editions


def why(table: Table, what: str) -> Page:
    """The proof of something, or else of the outcome."""
    return _here(why_page({**describe_why(table.session, what or None), **_about(table)}))


def whynot(table: Table, what: str) -> Page:
    """Why a rule did not apply, or something did not come about."""
    session = table.session
    others = partial(other_editions, table.tree, session.compiled.edition.ident)
    looks = session.game.looks.taken if session.game.looks is not None else []
    sought = read_sought(session, what, others)
    return _here(whynot_page({**describe_whynot(Inquiry.of(session, looks), sought, others), **_about(table)}))


def whatif(table: Table, what: str) -> Page:
    """The smallest changes of the game so far that would make something so, or not so."""
    return _here(changes_page(changes_in(table.session, typed(what, table.session.language.code))))


def odds(table: Table, what: str) -> Page:
    """The odds of what may come of the open request; if something is named, of that alone."""
    if table.session.request is None:
        raise Fault(report("nothing-at-stake"))
    return _here(odds_page(odds_of(table.session, [what] if what else [])))


def scenario_of(table: Table) -> Scenario:
    """The game as a scenario.

    Raises:
        Fault: nothing has happened yet.
    """
    blocks, _ = parse(Source(table.journal.name, table.journal.data.decode()))
    scenarios, _ = resolve_scenarios(blocks)
    if not scenarios:
        raise Fault(report("nothing-happened", path=table.journal.name))
    return scenarios[0]


def _about(table: Table) -> dict[str, Any]:
    """What the data of an explanation says of the scenario."""
    return {"scenario": describe_scenario(scenario_of(table)), "file": None, "readings": []}


def _here(page: Page) -> Page:
    """A page without what it is about, which those at the table know."""
    return replace(page, title="", place="")
