"""``rulewright test``: plays scenarios and reports those that do not turn out as expected."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.text import Text

from rulewright.cli.app import FAILED, INTERNAL, OK
from rulewright.cli.common import console, durable, print_json, scenario_files, tree_of
from rulewright.diagnostics import Diagnostic, ordered, report
from rulewright.explain.run import describe_diagnostic
from rulewright.explain.terminal import print_diagnostics
from rulewright.scenarios.report import describe_run
from rulewright.scenarios.runner import Played, play
from rulewright.workspace import find_tree, load_for, read_scenarios


def run_tests(
    *paths: Path,
    json: Annotated[bool, Parameter(negative="")] = False,
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
    rules
        The folder that holds the vocabulary and the editions.
    """
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
            loaded = load_for(tree, scenario)
            if loaded.compiled is None:
                findings += loaded.diagnostics
                continue
            one = play(scenario, loaded.compiled, backend)
            one.session.close()
            played.append(one)
    if not played and not findings:
        findings.append(report("no-scenarios", paths=", ".join(map(str, places)) or "the shipped rules"))
    (_as_json if json else _as_text)(played, ordered(findings))
    return OK if not findings and all(p.passed for p in played) else FAILED


def _as_json(played: list[Played], findings: tuple[Diagnostic, ...]) -> None:
    results: list[Any] = [
        {
            "scenario": p.scenario.ident,
            "place": f"{p.scenario.span.source.name}:{p.scenario.span.line}",
            "passed": p.passed,
            "unmet": [{"text": o.text, "got": o.got, "line": o.span.line} for o in p.outcomes if not o.met],
            "diagnostics": [describe_diagnostic(d) for d in p.fault],
        }
        for p in played
    ]
    print_json(
        {
            "schema": "rulewright/test/1",
            "passed": sum(p.passed for p in played),
            "failed": sum(not p.passed for p in played),
            "scenarios": results,
            "diagnostics": [describe_diagnostic(d) for d in findings],
        }
    )


def _as_text(played: list[Played], findings: tuple[Diagnostic, ...]) -> None:
    out = console()
    for one in (p for p in played if not p.passed):
        place = f"{one.scenario.span.source.name}:{one.scenario.span.line}"
        out.print(Text("FAILED ", style="bold red").append(f"{one.scenario.ident} ({place})"))
        for outcome in (o for o in one.outcomes if not o.met):
            out.print(Text(f"  line {outcome.span.line}"))
            out.print(Text(f"    expected: {outcome.text}"))
            out.print(Text(f"    got:      {outcome.got}", style="red"))
            for reason in _reasons(one, outcome.text):
                out.print(Text(f"    why:      {reason}"))
        print_diagnostics(one.fault, out)
    print_diagnostics(findings, out)
    failed = sum(not p.passed for p in played)
    style = "bold red" if failed or findings else "bold green"
    out.print(Text(f"{len(played) - failed} passed, {failed} failed", style=style))


def _reasons(played: Played, expected: str) -> list[str]:
    """The rules that applied or were pre-empted in the run and that the expectation speaks of, or all of them."""
    told = []
    for step in describe_run(played)["steps"]:
        for rule in step["rules"]:
            by = ", ".join(d["rule"] for d in rule["preempted_by"])
            clauses = "; ".join(c["text"] + (f" [{c['numbers']}]" if c["numbers"] else "") for c in rule["clauses"])
            text = f"step {step['number']}: {rule['rule']} {rule['verdict']}"
            text += f" by {by}" if by else f" because {clauses}" if clauses else ""
            told.append((rule["rule"] in expected, text))
    about = [text for mine, text in told if mine]
    return about or [text for _, text in told]
