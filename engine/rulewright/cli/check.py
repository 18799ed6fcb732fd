"""``rulewright check``: finds what is wrong in rules, vocabulary and scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from rulewright.checks.messages import check_messages
from rulewright.cli.app import FAILED, OK
from rulewright.cli.common import AskedReadings, Reading, complain, console, is_stray, lies_in, scenario_files, tree_of
from rulewright.diagnostics import Diagnostic, report
from rulewright.explain.terminal import print_diagnostics
from rulewright.scenarios.reading import check_scenario
from rulewright.speech import counted, tables_beside
from rulewright.syntax.keywords import tables
from rulewright.workspace import (
    RULES_SUFFIX,
    SCENARIO_SUFFIX,
    VOCABULARY,
    Tree,
    find_tree,
    load_for,
    once,
    read_scenarios,
)


def check(
    *paths: Path,
    json: Annotated[bool, Parameter(negative="")] = False,
    lacking: str | None = None,
    reading: Reading = None,
    rules: Path | None = None,
) -> int:
    """Find what is wrong in rules, vocabulary and scenarios, without playing anything.

    An edition is looked at under each option of its readings.

    Example: rulewright check rules/t9a-2
    """
    default = tree_of(rules)
    if lacking is not None:
        from rulewright.cli.lacking import tell_lacking

        places = [(path, default if rules is not None else tree_at(path)) for path in paths]
        return tell_lacking(lacking, places, default, json)
    asked = AskedReadings(reading)
    found: list[Diagnostic] = [d for table in tables().values() for d in table.diagnostics]
    found += [finding for code in tables_beside() for finding in check_messages(code)]
    looked_at = 0
    for path in list(paths) or ([default.root] if isinstance(default.root, Path) else []):
        tree = default if rules is not None else tree_at(path)
        if is_stray(path, tree):
            found.append(report("no-rules-here", path=path, vocabulary=VOCABULARY))
            continue
        looked_at += _editions(path, tree, asked, found)
        for file in scenario_files([path]) if path.is_dir() or path.suffix != RULES_SUFFIX else ():
            if isinstance(file, Diagnostic):
                found.append(file)
                continue
            looked_at += 1
            _scenarios(file, tree if rules is not None else find_tree(file.parent), asked, found)
    findings = once([*found, *(asked.unknown() if looked_at else ())])
    if json:
        complain(findings, as_json=True)
    else:
        out = console()
        print_diagnostics(findings, out)
        errors = sum(d.severity == "error" for d in findings)
        told = f"{counted('check.error', errors)}, {counted('check.warning', len(findings) - errors)}"
        out.print(Text(told, style="bold red" if errors else "bold yellow" if findings else "bold green"))
    return FAILED if findings or not looked_at else OK


def tree_at(path: Path) -> Tree:
    """The tree of rules that a file or folder lies in, or the default."""
    return find_tree(path if path.is_dir() else path.parent)


def _editions(path: Path, tree: Tree, asked: AskedReadings, found: list[Diagnostic]) -> int:
    """Checks the editions that a path concerns."""
    if path.suffix == SCENARIO_SUFFIX or not path.exists():
        return 0
    for name in concerned(path, tree):
        found += tree.check(name, asked.of(tree, name))
    return len(tree.editions())


def concerned(path: Path, tree: Tree) -> Sequence[str]:
    """The editions that a path concerns: its own, or all of the tree when it lies in none."""
    names = tree.editions()
    return [n for n in names if isinstance(tree.root, Path) and lies_in(path, tree.root / n)] or names


def _scenarios(file: Path, tree: Tree, asked: AskedReadings, found: list[Diagnostic]) -> None:
    scenarios, wrong = read_scenarios(file, str(file))
    found += wrong
    for scenario in scenarios:
        loaded = load_for(tree, scenario, asked.of(tree, scenario.edition))
        if loaded.compiled is None:
            found += loaded.diagnostics
        else:
            found += check_scenario(scenario, loaded.compiled)
