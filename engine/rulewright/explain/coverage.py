"""What the scenarios leave untried, on the terminal: the data of ``scenarios.coverage`` laid out for reading."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from rulewright.explain.terminal import print_line

Data = dict[str, Any]

_MISSING = {
    "fired": "never fired",
    "kept": "never kept from firing",
    "passed": "never passed",
    "failed": "never failed",
    "set-off": "never set it off",
    "held": "never held",
    "missed": "never the one that failed",
    "picked": "never picked one of several",
    "pre-empted": "never pre-empted it",
    "mattered": "never mattered",
    "ended": "never ended it",
}
_SPECIAL = {
    ("definition", "fired"): "never held",
    ("definition", "kept"): "never failed to hold",
    ("test", "fired"): "never rolled",
    ("unless", "held"): "never kept it from firing",
}


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
    fired, kept, clauses = ("{tried} of {of}".format(**group[key]) for key in ("fired", "kept", "clauses"))
    return f"rules {fired} fired, {kept} kept from firing; clauses {clauses}"


def missing_text(kind: str, missing: list[str]) -> str:
    """How a block or a clause was not tried, in words."""
    return ", ".join(_SPECIAL.get((kind, way), _MISSING[way]) for way in missing)


def _gap(gap: Data, console: Console) -> None:
    head = Text(f"  {gap['kind']} {gap['block']}", style="bold").append(f" ({gap['place']})", style="dim")
    console.print(head, soft_wrap=True)
    if gap["missing"]:
        print_line(console, 4, "", missing_text(gap["kind"], gap["missing"]), "yellow")
    for clause in gap["clauses"]:
        print_line(console, 4, f"line {clause['line']}  ", clause["text"], "")
        print_line(console, 6, "", missing_text(clause["kind"], clause["missing"]), "yellow")
