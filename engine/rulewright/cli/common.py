"""What several verbs share: consoles, paths, the engine."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from rulewright.backends.base import Backend
from rulewright.diagnostics import Diagnostic, Fault, did_you_mean, report
from rulewright.explain.run import describe_diagnostic
from rulewright.explain.terminal import print_diagnostics
from rulewright.model import Scenario
from rulewright.setup_help import explain_missing_engine
from rulewright.workspace import SCENARIO_SUFFIX, VOCABULARY, Tree, find_tree


def console() -> Console:
    """Standard output, at most 100 columns wide; 80 where there is no terminal."""
    out = Console(highlight=False, emoji=False, markup=False)
    width = min(out.width, 100) if out.is_terminal else 80
    return Console(highlight=False, emoji=False, markup=False, width=width)


def errors() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False, emoji=False, markup=False)


def durable() -> Backend | None:
    """The engine; None, with an explanation on standard error, when it cannot be imported."""
    try:
        from rulewright.backends.durable import DurableMatcher
    except ImportError as error:
        print(explain_missing_engine(error), file=sys.stderr)
        return None
    return DurableMatcher


def scenario_files(paths: Sequence[Path]) -> Iterator[Path | Diagnostic]:
    """The scenario files that paths mean: files, or all scenario files of folders and those below."""
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.rglob(f"*{SCENARIO_SUFFIX}") if p.is_file())
        elif path.exists():
            yield path
        else:
            yield report("unreadable-file", path=path, reason="there is no such file or folder")


def tree_of(rules: Path | None, near: Path | None = None) -> Tree:
    """The tree of rules that an option names; without it, the one a file lies in, or the default.

    Raises:
        Fault: the option names no tree of rules.
    """
    if rules is None:
        return find_tree(near)
    if not (rules / VOCABULARY).is_dir():
        raise Fault(report("no-rules-here", path=rules, vocabulary=VOCABULARY))
    return Tree(rules, str(rules))


def pick_scenario(scenarios: Sequence[Scenario], name: str | None) -> Scenario | Diagnostic:
    """The scenario of a name, or the first one."""
    for scenario in scenarios:
        if name is None or scenario.ident == name:
            return scenario
    known = [s.ident for s in scenarios]
    hint = did_you_mean(name or "", known)
    return report("unknown-scenario", scenario=name, known=", ".join(known), hint=f"; {hint}" if hint else "")


def print_json(data: Any) -> None:
    """Prints data as JSON."""
    print(json.dumps(data, ensure_ascii=False, indent=2))


def complain(diagnostics: Sequence[Diagnostic], as_json: bool = False) -> None:
    """Prints diagnostics: as JSON to standard output, or as text to standard error."""
    if as_json:
        print_json({"schema": "rulewright/diagnostics/1", "diagnostics": [describe_diagnostic(d) for d in diagnostics]})
    else:
        print_diagnostics(diagnostics, errors())
