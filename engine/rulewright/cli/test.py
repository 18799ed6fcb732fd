"""``rulewright test``: plays scenarios and reports those that do not turn out as expected."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rulewright.cli.app import FAILED, INTERNAL, OK
from rulewright.cli.common import AskedReadings, Reading, console, durable, print_json, scenario_files, tree_of
from rulewright.diagnostics import Diagnostic, ordered, report
from rulewright.explain.failures import print_counts, print_report
from rulewright.explain.terminal import print_diagnostics
from rulewright.scenarios.failures import describe_report
from rulewright.scenarios.runner import Played, play
from rulewright.workspace import find_tree, load_for, read_scenarios


def run_tests(
    *paths: Path,
    json: Annotated[bool, Parameter(negative="")] = False,
    reading: Reading = None,
    rules: Path | None = None,
) -> int:
    """Play all scenarios of files or folders and report those that do not turn out as expected.

    Example: rulewright test rules/t9a-2

    Parameters
    ----------
    paths
        Files or folders; without any, all scenarios of the rules.
    json
        Print the report as JSON.
    reading
        Put an option of a reading in force, as ID=OPTION; for several readings, several
        times. Scenarios that choose an option themselves are played under theirs.
    rules
        The folder that holds the vocabulary and the editions.
    """
    asked = AskedReadings(reading)
    backend = durable()
    if backend is None:
        return INTERNAL
    default = tree_of(rules)
    places = list(paths) or ([default.root] if isinstance(default.root, Path) else [])
    played: list[Played] = []
    findings: list[Diagnostic] = []
    for file in scenario_files(places):
        if isinstance(file, Diagnostic):
            findings.append(file)
            continue
        scenarios, wrong = read_scenarios(file, str(file))
        findings += wrong
        tree = default if rules is not None else find_tree(file.parent)
        for scenario in scenarios:
            loaded = load_for(tree, scenario, asked.of(tree, scenario.edition))
            if loaded.compiled is None:
                findings += loaded.diagnostics
                continue
            one = play(scenario, loaded.compiled, backend)
            one.session.close()
            played.append(one)
    findings += asked.unknown() if played else []
    if not played and not findings:
        findings.append(report("no-scenarios", paths=", ".join(map(str, places)) or "the shipped rules"))
    findings = list(ordered(findings))
    data = describe_report(played, findings)
    if json:
        print_json(data)
    else:
        out = console()
        print_report(data, out)
        print_diagnostics(findings, out)
        print_counts(data, out)
    return OK if not findings and not data["failed"] else FAILED
