"""A run on the terminal: the data of ``explain.run`` laid out for reading, 80 columns by default."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from rulewright.diagnostics import Diagnostic
from rulewright.forms.terminal import print_line
from rulewright.speech import Listed, say

Data = dict[str, Any]

_STYLES = {"applies": "bold green", "pre-empted": "yellow", "not picked": "dim"}


def print_run(data: Data, console: Console) -> None:
    """Prints a played scenario: its events one by one, then what was expected."""
    scenario = data["scenario"]
    console.print(Text(scenario["title"], style="bold"))
    console.print(Text(say("run.scenario", **_only(scenario, "id", "edition", "place")), style="dim"))
    print_switched(data["readings"], console, 0)
    rules = {r["number"]: r["rule"] for s in data["steps"] for r in s["rules"]}
    for step in data["steps"]:
        console.print()
        print_step(step, rules, console)
    if data["asks"]:
        console.print()
        console.print(Text(say("run.waits", asks=data["asks"]), style="bold magenta"))
    if data["expected"]:
        console.print()
        console.print(Text(say("run.expected"), style="bold"))
        for outcome in data["expected"]:
            print_line(
                console,
                2,
                f"{say('run.met' if outcome['met'] else 'run.unmet'):<4} ",
                outcome["text"],
                _good(outcome["met"]),
            )
            if not outcome["met"]:
                print_line(console, 7, say("run.got"), outcome["got"], "red")


def print_step(step: Data, rules: dict[int, str], console: Console) -> None:
    """Prints one event and what came of it."""
    number = f"{step['number']:>2}  "
    print_line(console, 0, number, step["event"], "bold")
    causes = [rules[n] for n in step["because_of"] if n in rules]
    if causes:
        print_line(console, 4, say("run.from"), ", ".join(dict.fromkeys(causes)), "dim")
    for order in step["held_back_by"]:
        print_line(console, 4, say("run.waited"), titled(order), "dim")
        _grounds({"clauses": [], **{k: order[k] for k in ("cites", "assumptions")}}, 6, console)
    for defeat in step["voided"]:
        print_line(console, 4, say("run.voided"), titled(defeat), "yellow")
        _grounds(defeat, 6, console)
    for change in step["changes"]:
        print_line(console, 4, "", change["text"], "")
    for rule in step["rules"]:
        _rule(rule, console)
    for decision in step["decisions"]:
        picked = say("run.picked", picked=decision["picked"], options=", ".join(decision["options"]))
        print_line(console, 4, _picks(decision), picked, "magenta")
    if step["test"]:
        _test(step["test"], console)


def _rule(rule: Data, console: Console) -> None:
    word, style = say(f"verdict.{rule['verdict'].replace(' ', '-')}"), _STYLES[rule["verdict"]]
    print_line(console, 4, f"{word:<10} ", titled(rule), style)
    _grounds(rule, 6, console)
    for defeat in rule["preempted_by"]:
        print_line(console, 6, say("run.by"), say(f"defeat.{defeat['kind']}", rule=defeat["rule"]), "yellow")
        if defeat["kind"] != "rule":
            _grounds(defeat, 8, console, cites=defeat["kind"] != "unless")
    for effect in rule["effects"]:
        until = say("run.until-end", window=effect["until_end_of"]) if effect["until_end_of"] else ""
        print_line(console, 6, "=> ", effect["text"] + until, "cyan")


def _grounds(item: Data, indent: int, console: Console, cites: bool = True) -> None:
    for clause in item["clauses"]:
        _clause(clause, indent, console)
    if cites and item["cites"]:
        print_line(console, indent, say("run.cites"), ", ".join(item["cites"]), "dim")
    for assumption in item["assumptions"] if cites else ():
        print_line(console, indent, say("run.assuming", id=assumption["id"]), assumption["text"], "dim")


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
            print_line(console, indent, say("run.cites"), ", ".join(support["cites"]), "dim")


def _test(test: Data, console: Console) -> None:
    style = _good(test["outcome"] == "passed")
    rolled = say("run.rolled", **_only(test, "bearer", "total", "dice"))
    print_line(console, 4, f"{say('verdict.' + test['outcome']):<10} ", rolled, style)
    print_line(console, 6, say("run.needs"), test["target"], "")
    print_line(console, 8, "", test["numbers"], "blue")
    _supports(test["because"], 8, console)
    _grounds({"clauses": [], **{k: test[k] for k in ("cites", "assumptions")}}, 6, console)


def _only(data: Data, *keys: str) -> Data:
    return {key: data[key] for key in keys}


def titled(item: Data) -> str:
    """A rule, or what else has a title, by its name and title."""
    return say("run.titled", **_only(item, "rule", "title"))


def _picks(decision: Data) -> str:
    if decision["by"] == "chance":
        return say("run.chance-picks")
    return say("run.side-picks", player=decision["player"]) if decision["player"] else say("run.player-picks")


def _good(good: bool) -> str:
    return "green" if good else "red"


def print_switched(readings: Sequence[Data], console: Console, indent: int) -> None:
    """Prints the readings of which another option is in force than the edition takes."""
    for reading in readings:
        told = say("run.instead", **_only(reading, "option", "instead_of", "text"))
        print_line(console, indent, say("run.reading", id=reading["id"]), told, "dim")


def print_answer(data: Data, console: Console) -> None:
    """Prints the answer to a question, with the facts and rules behind it."""
    answer = data["answer"] if "measures" in data else say(f"answer.{data['answer']}")
    head = answer + (f": {data['note']}" if data["note"] else "")
    console.print(Text(head, style="bold"))
    for measure in data.get("measures", ()):
        print_line(console, 2, "", f"{measure['measure']}: {measure['value']}", "")
    for told in data["because"]:
        _ground(told, console, "")
    for told in data["defeated"]:
        _ground(told, console, say("answer.barred"))


def _ground(told: Data, console: Console, mark: str) -> None:
    until = say("answer.until", until=Listed(tuple(told["until"]), "list.or")) if told["until"] else ""
    print_line(console, 2, mark, told["text"] + until, "yellow" if mark else "")
    where = say(f"origin.{told['origin']}", **_only(told, "rule", "title", "step"))
    cites = say("answer.cites", cites=", ".join(told["cites"])) if told["cites"] else ""
    print_line(console, 4, "", where + cites, "dim")


# --- diagnostics ---------------------------------------------------------------------------------------------------


def print_diagnostics(diagnostics: Sequence[Diagnostic], console: Console) -> None:
    """Prints diagnostics with the line they are about, a caret, and the way out."""
    for diagnostic in diagnostics:
        style = "bold red" if diagnostic.severity == "error" else "bold yellow"
        mark = f"{say('diagnostic.' + diagnostic.severity)}[{diagnostic.code}]"
        head = Text(mark, style=style).append(f": {diagnostic.message}", "bold")
        console.print(head, soft_wrap=False)
        span = diagnostic.span
        if span is not None:
            _excerpt(diagnostic, console)
        print_line(console, 2, say("diagnostic.help"), diagnostic.help, "cyan")
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
