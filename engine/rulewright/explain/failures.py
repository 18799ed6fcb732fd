"""Failed scenarios on the terminal: the data of ``rulewright/test/1`` laid out for reading."""

from __future__ import annotations

from io import StringIO
from typing import Any

from rich.console import Console
from rich.text import Text

from rulewright.explain.terminal import print_switched
from rulewright.forms.terminal import print_line
from rulewright.speech import say

Data = dict[str, Any]

EXPECTED = ("nothing-asked", "missing-die", "missing-choice")
"""Findings that are told of in one line when an expectation is unmet anyway."""


def print_report(data: Data, console: Console) -> None:
    """Prints all scenarios that failed."""
    for scenario in data["scenarios"]:
        if not scenario["passed"]:
            print_failure(scenario, console)


def print_counts(data: Data, console: Console) -> None:
    """Prints the names of those that failed, and how many there were."""
    failed = [s["scenario"] for s in data["scenarios"] if not s["passed"]]
    if failed:
        print_line(console, 0, say("test.failed"), ", ".join(failed), "bold red")
    style = "bold red" if failed or data["diagnostics"] else "bold green"
    played = data["passed"] or data["failed"]
    counts = say("test.counts", passed=data["passed"], failed=data["failed"]) if played else say("test.nothing")
    console.print(Text(counts, style=style))


def failure_text(scenario: Data, width: int = 80) -> str:
    """A failed scenario as text without colours."""
    out = StringIO()
    print_failure(scenario, Console(file=out, width=width, highlight=False, emoji=False, markup=False, no_color=True))
    return out.getvalue().rstrip()


def print_failure(scenario: Data, console: Console) -> None:
    """Prints a scenario that failed: its first unmet expectation with the reasons, the others in brief."""
    head = Text(say("test.head") + " ", style="bold red").append(f"{scenario['scenario']} ({scenario['place']})")
    console.print(head, soft_wrap=True)
    print_switched(scenario["readings"], console, 2)
    unmet = scenario["unmet"]
    for first in unmet[:1]:
        console.print(Text(f"  {say('test.line', line=first['line'])}"))
        marks = [say(f"test.{key}") for key in ("expected", "got", "why")]
        expected, got, why = (f"{mark:<{max(map(len, marks))}} " for mark in marks)
        print_line(console, 4, expected, first["text"], "")
        print_line(console, 4, got, first["got"], "red")
        for reason in first["why"]:
            print_line(console, 4, why, reason["text"], "")
    for other in unmet[1:]:
        mark = say("test.line", line=other["line"]) + "  "
        print_line(console, 2, mark, say("test.other", text=other["text"], got=other["got"]), "dim")
    if unmet and scenario["strays"]:
        told = ", ".join(say("test.stray", text=s["text"], line=s["line"]) for s in scenario["strays"])
        print_line(console, 2, say("test.so"), say("test.nothing-asked", strays=told), "dim")
    _stopped(scenario, console)
    for finding in scenario["diagnostics"]:
        if not unmet or finding["name"] not in EXPECTED:
            _finding(finding, console)
    console.print()


def _stopped(scenario: Data, console: Console) -> None:
    stopped = scenario["stopped"]
    if stopped is None:
        return
    by = ", ".join(say("test.at-step", rule=c["rule"], step=c["step"]) for c in stopped["by"])
    print_line(
        console, 2, say("test.stopped"), say("test.line-needs", line=stopped["line"], asked=stopped["asked"]), ""
    )
    if by:
        print_line(console, 2, say("test.called-for"), by, "")


def _finding(finding: Data, console: Console) -> None:
    place = f" ({finding['file']}:{finding['line']}:{finding['column']})" if finding["line"] else ""
    mark = f"{say('diagnostic.' + finding['severity'])}[{finding['code']}]: "
    print_line(console, 2, mark, finding["message"] + place, "bold red")
    print_line(console, 4, say("diagnostic.help"), finding["help"], "")
