"""Rulewright: the rules of miniature wargames as sentences that are run, explained and compared.

    import rulewright

    session = rulewright.open_session("t9a-2")
    session.give("Red is a side")
    session.give("Archers is a unit of Red with 20 models, 20 health points and Discipline 7")
    session.happens("Archers loses 5 health points to dangerous terrain")
    session.answer(9)
    print(session.facts())

``load_edition`` and ``open_session`` start; ``Session`` takes facts, events, dice and choices; ``Fault`` carries the
``Diagnostic`` of an input that was refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulewright.diagnostics import Diagnostic, Fault
    from rulewright.lowering.compile import Compiled
    from rulewright.provenance import RuleMatch, Step
    from rulewright.session.requests import Request
    from rulewright.session.session import Session
    from rulewright.workspace import load_edition

__all__ = [
    "Compiled",
    "Diagnostic",
    "Fault",
    "Request",
    "RuleMatch",
    "Session",
    "Step",
    "load_edition",
    "open_session",
]

_HOMES = {
    "Compiled": "rulewright.lowering.compile",
    "Diagnostic": "rulewright.diagnostics",
    "Fault": "rulewright.diagnostics",
    "Request": "rulewright.session.requests",
    "RuleMatch": "rulewright.provenance",
    "Session": "rulewright.session.session",
    "Step": "rulewright.provenance",
    "load_edition": "rulewright.workspace",
}


def __getattr__(name: str) -> Any:
    """Public names are imported when they are first used."""
    if name not in _HOMES:
        raise AttributeError(f"module `rulewright` has no attribute `{name}`")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def open_session(
    edition: str | Compiled,
    language: str = "en",
    rules: str | Path | None = None,
    readings: Mapping[str, str] | None = None,
) -> Session:
    """Opens a session on durable_rules.

    Args:
        edition: the name of an edition, or one that ``load_edition`` gave.
        language: code of the language of the sentences.
        rules: a folder of rules to load the edition from; see ``load_edition``.
        readings: options of readings to be in force instead of those that the edition takes; see ``load_edition``.

    Raises:
        Fault: the edition cannot be read, has no such reading or option, or the language has no keyword table.
        ValueError: there are readings with an edition that is loaded already, under readings of its own.
        ImportError: durable_rules is not installed; the message says how to install it.
    """
    from rulewright.session.session import Session
    from rulewright.setup_help import explain_missing_engine
    from rulewright.workspace import load_edition

    try:
        from rulewright.backends.durable import DurableMatcher
    except ImportError as error:
        raise ImportError(explain_missing_engine(error)) from error
    if readings and not isinstance(edition, str):
        raise ValueError("readings are chosen when an edition is loaded: give them to load_edition")
    compiled = load_edition(edition, rules, readings) if isinstance(edition, str) else edition
    return Session(compiled, DurableMatcher, language)
