"""A run on the terminal: the data of ``explain.run`` laid out for reading, 80 columns by default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from rulewright.diagnostics import Diagnostic

Data = dict[str, Any]

_MARKS = {
    "applies": ("applies", "bold green"),
    "pre-empted": ("pre-empted", "yellow"),
    "not picked": ("not picked", "dim"),
}


def print_run(data: Data, console: Console) -> None:
    """Prints a played scenario: its events one by one, then what was expected."""
    scenario = data["scenario"]
    console.print(Text(scenario["title"], style="bold"))
    console.print(Text(f"{scenario['id']}, edition {scenario['edition']} ({scenario['place']})", style="dim"))
    for reading in data["readings"]:
        told = f"{reading['option']} instead of {reading['instead_of']}: {reading['text']}"
        print_line(console, 0, f"reading {reading['id']} ", told, "dim")
    rules = {r["number"]: r["rule"] for s in data["steps"] for r in s["rules"]}
    for step in data["steps"]:
        console.print()
        print_step(step, rules, console)
    if data["asks"]:
        console.print()
        console.print(Text(f"waits for {data['asks']}", style="bold magenta"))
    if data["expected"]:
        console.print()
        console.print(Text("Expected", style="bold"))
        for outcome in data["expected"]:
            print_line(console, 2, ("yes  " if outcome["met"] else "NO   "), outcome["text"], _good(outcome["met"]))
            if not outcome["met"]:
                print_line(console, 7, "got: ", outcome["got"], "red")


def print_step(step: Data, rules: dict[int, str], console: Console) -> None:
    """Prints one event and what came of it."""
    number = f"{step['number']:>2}  "
    print_line(console, 0, number, step["event"], "bold")
    causes = [rules[n] for n in step["because_of"] if n in rules]
    if causes:
        print_line(console, 4, "from ", ", ".join(dict.fromkeys(causes)), "dim")
    for order in step["held_back_by"]:
        print_line(console, 4, "waited for others by ", f'{order["rule"]} "{order["title"]}"', "dim")
        _grounds({"clauses": [], **{k: order[k] for k in ("cites", "assumptions")}}, 6, console)
    for defeat in step["voided"]:
        print_line(console, 4, "does not come about: ", f'{defeat["rule"]} "{defeat["title"]}"', "yellow")
        _grounds(defeat, 6, console)
    for change in step["changes"]:
        print_line(console, 4, "", change["text"], "")
    for rule in step["rules"]:
        _rule(rule, console)
    for decision in step["decisions"]:
        who = "chance" if decision["by"] == "chance" else decision["player"] or "the player"
        picked = f"{decision['picked']} out of {', '.join(decision['options'])}"
        print_line(console, 4, f"{who} picks ", picked, "magenta")
    if step["test"]:
        _test(step["test"], console)


def _rule(rule: Data, console: Console) -> None:
    word, style = _MARKS[rule["verdict"]]
    print_line(console, 4, f"{word:<11}", f'{rule["rule"]} "{rule["title"]}"', style)
    _grounds(rule, 6, console)
    for defeat in rule["preempted_by"]:
        what = "its own exception" if defeat["kind"] == "unless" else f"{defeat['kind']} {defeat['rule']}"
        print_line(console, 6, "by ", what, "yellow")
        if defeat["kind"] != "rule":
            _grounds(defeat, 8, console, cites=defeat["kind"] != "unless")
    for effect in rule["effects"]:
        until = f", until the end of the {effect['until_end_of']}" if effect["until_end_of"] else ""
        print_line(console, 6, "=> ", effect["text"] + until, "cyan")


def _grounds(item: Data, indent: int, console: Console, cites: bool = True) -> None:
    for clause in item["clauses"]:
        _clause(clause, indent, console)
    if cites and item["cites"]:
        print_line(console, indent, "cites ", ", ".join(item["cites"]), "dim")
    for assumption in item["assumptions"] if cites else ():
        print_line(console, indent, f"assuming {assumption['id']}: ", assumption["text"], "dim")


def _clause(clause: Data, indent: int, console: Console) -> None:
    print_line(console, indent, "- ", clause["text"], "")
    if clause["numbers"]:
        print_line(console, indent + 2, "", clause["numbers"], "blue")
    _supports(clause["because"], indent + 2, console)


def _supports(supports: Sequence[Data], indent: int, console: Console) -> None:
    for support in supports:
        for inner in support["clauses"]:
            _clause(inner, indent, console)
        if support["cites"]:
            print_line(console, indent, "cites ", ", ".join(support["cites"]), "dim")


def _test(test: Data, console: Console) -> None:
    style = _good(test["outcome"] == "passed")
    print_line(console, 4, f"{test['outcome']:<11}", f"{test['bearer']} rolls {test['total']} on {test['dice']}", style)
    print_line(console, 6, "needs: ", test["target"], "")
    print_line(console, 8, "", test["numbers"], "blue")
    _supports(test["because"], 8, console)
    _grounds({"clauses": [], **{k: test[k] for k in ("cites", "assumptions")}}, 6, console)


def _good(good: bool) -> str:
    return "green" if good else "red"


def print_line(console: Console, indent: int, mark: str, text: str, style: str) -> None:
    """A marked text, wrapped so that further lines stand under its beginning."""
    width = max(console.width - indent - len(mark), 20)
    lines = Text(text, style=style).wrap(console, width)
    for number, line in enumerate(lines):
        lead = mark if number == 0 else " " * len(mark)
        line.rstrip()
        console.print(Text(" " * indent + lead).append_text(line), soft_wrap=True)


def print_answer(data: Data, console: Console) -> None:
    """Prints the answer to a question, with the facts and rules behind it."""
    head = data["answer"] + (f": {data['note']}" if data["note"] else "")
    console.print(Text(head, style="bold"))
    for measure in data.get("measures", ()):
        print_line(console, 2, "", f"{measure['measure']}: {measure['value']}", "")
    for told in data["because"]:
        _ground(told, console, "")
    for told in data["defeated"]:
        _ground(told, console, "barred: ")


def _ground(told: Data, console: Console, mark: str) -> None:
    until = f", until {' or '.join(told['until'])}" if told["until"] else ""
    print_line(console, 2, mark, told["text"] + until, "yellow" if mark else "")
    origin = {"given": "given", "record": "kept on record", "definition": f"by definition {told['rule']}"}
    where = origin.get(told["origin"]) or f'by {told["rule"]} "{told["title"]}", step {told["step"]}'
    cites = f", cites {', '.join(told['cites'])}" if told["cites"] else ""
    print_line(console, 4, "", where + cites, "dim")


# --- diagnostics ---------------------------------------------------------------------------------------------------


def print_diagnostics(diagnostics: Sequence[Diagnostic], console: Console) -> None:
    """Prints diagnostics with the line they are about, a caret, and the way out."""
    for diagnostic in diagnostics:
        style = "bold red" if diagnostic.severity == "error" else "bold yellow"
        head = Text(f"{diagnostic.severity}[{diagnostic.code}]", style=style).append(f": {diagnostic.message}", "bold")
        console.print(head, soft_wrap=False)
        span = diagnostic.span
        if span is not None:
            _excerpt(diagnostic, console)
        print_line(console, 2, "help: ", diagnostic.help, "cyan")
        for label, place in diagnostic.related:
            print_line(console, 2, f"{label}: ", str(place), "dim")
        console.print()


def _excerpt(diagnostic: Diagnostic, console: Console) -> None:
    span = diagnostic.span
    assert span is not None
    console.print(Text(f"  --> {span}", style="dim"), soft_wrap=True)
    text = span.source.line(span.line)
    column = span.column - 1
    length = max(min(span.end - span.start, len(text) - column), 1)
    room = max(console.width - 6, 20)
    start = max(0, min(column, column + length - room)) if column + length > room else 0
    shown = text[start : start + room].replace("\t", " ")
    console.print(Text(f"    {shown}"), soft_wrap=True)
    carets = "^" * min(length, room - (column - start))
    console.print(Text(" " * (4 + column - start)).append(carets, style="bold red"), soft_wrap=True)
