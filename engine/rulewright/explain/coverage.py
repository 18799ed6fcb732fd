"""What the scenarios leave untried, on the terminal: the data of ``scenarios.coverage`` laid out for reading."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from rulewright.forms.terminal import print_line
from rulewright.speech import say

Data = dict[str, Any]

_SPECIAL = {("definition", "fired"), ("definition", "kept"), ("test", "fired"), ("unless", "held")}
"""Ways in which it is told otherwise of some kinds of blocks and clauses that they were not tried."""


def print_coverage(data: Data, console: Console) -> None:
    """Prints, for each group of blocks, how much of it was tried, and then each gap."""
    for group in data["groups"]:
        whole = not group["gaps"]
        style = "bold green" if whole else "bold" if group["enough"] else "bold red"
        print_line(console, 0, f"{group['group']}: ", counts_text(group), style)
        for gap in group["gaps"]:
            _gap(gap, console)


def counts_text(group: Data) -> str:
    """How much of a group was tried, in numbers."""
    return say("coverage.counts", **{key: say("coverage.of", **group[key]) for key in ("fired", "kept", "clauses")})


def missing_text(kind: str, missing: list[str]) -> str:
    """How a block or a clause was not tried, in words."""
    keys = (f"{kind}-{way}" if (kind, way) in _SPECIAL else way for way in missing)
    return ", ".join(say(f"untried.{key}") for key in keys)


def _gap(gap: Data, console: Console) -> None:
    head = Text(f"  {say('block.' + gap['kind'])} {gap['block']}", style="bold").append(
        f" ({gap['place']})", style="dim"
    )
    console.print(head, soft_wrap=True)
    if gap["missing"]:
        print_line(console, 4, "", missing_text(gap["kind"], gap["missing"]), "yellow")
    for clause in gap["clauses"]:
        print_line(console, 4, say("test.line", line=clause["line"]) + "  ", clause["text"], "")
        print_line(console, 6, "", missing_text(clause["kind"], clause["missing"]), "yellow")
