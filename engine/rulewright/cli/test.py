"""``rulewright test``: plays scenarios and reports those that do not turn out as expected."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from rulewright.cli.app import FAILED, INTERNAL, OK
from rulewright.cli.common import AskedReadings, Reading, console, durable, print_json, scenario_files, tree_of
from rulewright.diagnostics import Diagnostic, ordered, report
from rulewright.explain.coverage import print_coverage
from rulewright.explain.failures import print_counts, print_report
from rulewright.explain.terminal import print_diagnostics
from rulewright.scenarios.coverage import describe_coverage
from rulewright.scenarios.failures import describe_report
from rulewright.scenarios.runner import Played, play
from rulewright.scenarios.tried import Tried
from rulewright.session.looks import Looks
from rulewright.speech import listed
from rulewright.workspace import find_tree, load_for, read_scenarios


def run_tests(
    *paths: Path,
    coverage: Annotated[bool, Parameter(negative="")] = False,
    at_least: Annotated[int | None, Parameter(validator=Number(gte=0, lte=100))] = None,
    json: Annotated[bool, Parameter(negative="")] = False,
    reading: Reading = None,
    rules: Path | None = None,
) -> int:
    """Play all scenarios of files or folders and report those that do not turn out as expected.

    Example: rulewright test rules/t9a-2 --coverage
    """
    asked = AskedReadings(reading)
    backend = durable()
    if backend is None:
        return INTERNAL
    wanted = coverage or at_least is not None
    default = tree_of(rules)
    places = list(paths) or ([default.root] if isinstance(default.root, Path) else [])
    tried = Tried(places, default if rules is not None else None) if wanted else None
    played: list[Played] = []
    findings: list[Diagnostic] = [*tried.findings] if tried is not None else []
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
            looks = Looks() if tried is not None else None
            one = play(scenario, loaded.compiled, backend, looks=looks)
            one.session.close()
            played.append(one)
            if tried is not None and looks is not None:
                tried.add(tree, one, looks)
    findings += asked.unknown() if played else []
    if not played and not findings:
        findings.append(report("no-scenarios", paths=listed(map(str, places), none="item.shipped-rules")))
    findings = list(ordered(findings))
    data = describe_report(played, findings)
    enough = True
    if tried is not None:
        data["coverage"] = describe_coverage(tried.groups(), at_least)
        enough = all(group["enough"] for group in data["coverage"]["groups"])
    if json:
        print_json(data)
    else:
        out = console()
        print_report(data, out)
        print_diagnostics(findings, out)
        print_counts(data, out)
        if tried is not None:
            print_coverage(data["coverage"], out)
    return OK if not findings and not data["failed"] and enough else FAILED
