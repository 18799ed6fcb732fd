"""What a language still lacks, as data by the schema ``lacking.schema.json`` beside this file, and on the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from rulewright.checks.lacking import Lack, Part
from rulewright.diagnostics import Diagnostic
from rulewright.explain.run import describe_diagnostic
from rulewright.explain.terminal import print_diagnostics
from rulewright.forms.terminal import print_line
from rulewright.speech import say

Data = dict[str, Any]
SCHEMA = "rulewright/lacking/1"


def describe_lacking(code: str, name: str, parts: Sequence[Part], findings: Sequence[Diagnostic]) -> Data:
    """What a language lacks, as data."""
    return {
        "schema": SCHEMA,
        "language": code,
        "name": name,
        "lacking": sum(len(part.lacks) for part in parts),
        "parts": [
            {
                "part": part.name,
                "wanted": part.wanted,
                "there": part.wanted - len(part.lacks),
                "file": part.place,
                "lacking": [_lack(lack) for lack in part.lacks],
            }
            for part in parts
        ],
        "diagnostics": [describe_diagnostic(finding) for finding in findings],
    }


def _lack(lack: Lack) -> Data:
    return {"name": lack.name, "instead": lack.instead, "place": str(lack.span) if lack.span else ""}


def print_lacking(data: Data, findings: Sequence[Diagnostic], console: Console) -> None:
    """Prints what a language lacks, part by part, each with its counts, and what is wrong with its table."""
    print_diagnostics(findings, console)
    head = say("lacking.head", name=data["name"], code=data["language"])
    console.print(Text(head, style="bold"))
    for part in (part for part in data["parts"] if part["wanted"]):
        lacks = part["lacking"]
        counts = say("lacking.counts", there=part["there"], wanted=part["wanted"])
        console.print()
        style = "yellow" if lacks else "green"
        print_line(console, 0, "", f"{say('lacking.' + part['part'])}: {counts}", style)
        if part["file"]:
            print_line(console, 2, "", part["file"], "dim")
        for lack in lacks:
            print_line(console, 2, "- ", _line(part["part"], lack), "")
            if lack["place"]:
                print_line(console, 4, "", lack["place"], "dim")
    console.print()
    told = say("lacking.sum", number=data["lacking"]) if data["lacking"] else say("lacking.nothing")
    console.print(Text(told, style="bold yellow" if data["lacking"] else "bold green"))


def _line(part: str, lack: Data) -> str:
    """What is lacking, and what stands in its place, where that says something else."""
    same = part == "texts" or not lack["instead"]
    return lack["name"] if same else f"{lack['name']}  {lack['instead']}"
