"""Readings told: which options there are, what hangs on them, and what another one changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console

from rulewright.forms.terminal import print_line
from rulewright.model import Dependent, Readings
from rulewright.session.session import Session
from rulewright.speech import counted, say

Data = dict[str, Any]


def needs_text(blocks: Iterable[Dependent]) -> str:
    """The options under which one of some blocks is in force, such as *A-01 inclusive or exclusive*."""
    each = (say("list.and").join(f"{r} {_either(options)}" for r, options in b.needs.items()) for b in blocks)
    return say("list.or-under").join(dict.fromkeys(each))


def _either(options: Sequence[str]) -> str:
    return say("list.or").join(options)


def not_in_force(name: str, readings: Readings) -> str:
    """Says of a block that is not in force under which reading it would be; an empty text for any other name."""
    blocks = readings.idle.get(name, ())
    return say("got.not-in-force", needs=needs_text(blocks)) if blocks else ""


def describe_switched(session: Session) -> list[Data]:
    """The readings of a game of which another option is in force than the edition takes, as data."""
    return describe_choices(session.compiled.edition.readings_in(session.worder.language.code))


def describe_choices(readings: Readings) -> list[Data]:
    """The readings of which another option is in force than the edition takes, as data."""
    found = []
    for choice in readings.switched:
        reading = readings.known[choice.reading]
        option = reading.option(choice.option)
        assert option is not None
        found.append(
            {
                "id": reading.ident,
                "title": reading.title,
                "option": option.ident,
                "text": option.text,
                "instead_of": reading.taken,
            }
        )
    return found


# --- on the terminal -----------------------------------------------------------------------------------------------


def print_readings(data: Data, console: Console) -> None:
    """Prints the readings of an edition, with the blocks that hang on each."""
    marks = _columns("cites", "takes", "instead", "in-force")
    for number, reading in enumerate(data["readings"]):
        if number:
            console.print()
        _head(reading, console)
        if reading["cites"]:
            print_line(console, 2, marks["cites"], ", ".join(reading["cites"]), "dim")
        for option in reading["options"]:
            mark = marks["takes" if option["name"] == reading["takes"] else "instead"]
            print_line(console, 2, mark, f"{option['name']}: {option['text']}", "")
        under: dict[str, list[str]] = {}
        for block in reading["blocks"]:
            under.setdefault(_under(block, reading["id"]), []).append(_named(block))
        for needs, blocks in under.items():
            told = say("readings.under", needs=needs, blocks=", ".join(dict.fromkeys(blocks)))
            print_line(console, 2, marks["in-force"], told, "dim")
    if not data["readings"]:
        console.print(say("readings.none", edition=data["edition"]))


def _head(reading: Data, console: Console) -> None:
    print_line(console, 0, f"{reading['id']} ", say("readings.title", title=reading["title"]), "bold")


def _columns(*keys: str) -> dict[str, str]:
    """Marks that stand below each other, filled up to one width."""
    words = {key: say(f"readings.{key}") for key in keys}
    return {key: f"{word:<{max(map(len, words.values()))}}  " for key, word in words.items()}


def _named(block: Data) -> str:
    return f"{say('block.' + block['kind'])} {block['name']}"


def _under(block: Data, reading: str) -> str:
    """The options that a block needs, those of one reading first and without its id."""
    rest = [f"{r} {_either(options)}" for r, options in block["needs"].items() if r != reading]
    return say("list.and").join([_either(block["needs"][reading]), *rest])


def print_differences(data: Data, console: Console) -> None:
    """Prints what other options change: blocks that go and come, then the scenarios that take another course."""
    for reading in data["switched"]:
        _head(reading, console)
        for key, mark in _columns("from", "to").items():
            print_line(console, 2, mark, f"{reading[key]['name']}: {reading[key]['text']}", "")
    if not data["switched"]:
        console.print(say("readings.nothing-changes", edition=data["edition"]))
        return
    console.print()
    marks = _columns("goes", "comes")
    for mark, blocks, style in ((marks["goes"], data["gone"], "red"), (marks["comes"], data["come"], "green")):
        for block in blocks:
            title = f" {say('readings.title', title=block['title'])}" if block["title"] else ""
            print_line(console, 0, mark, f"{_named(block)}{title} ({block['place']})", style)
    options = [[r[side]["name"] for r in data["switched"]] for side in ("from", "to")]
    names = [", ".join(own) for own in options]
    for scenario in data["scenarios"]:
        _scenario(scenario, names, console)
    console.print()
    apart, same = len(data["scenarios"]), data["unchanged"]
    told = say("differences.counts", apart=counted("differences.take", apart), same=counted("differences.take", same))
    if data["left_out"]:
        told = say("differences.left-out", counts=told, left_out=counted("differences.choose", data["left_out"]))
    print_line(console, 0, "", told, "bold")


def _scenario(scenario: Data, names: list[str], console: Console) -> None:
    console.print()
    print_line(console, 0, "", say("run.titled", rule=scenario["scenario"], title=scenario["title"]), "bold")
    print_line(console, 2, "", scenario["place"], "dim")
    if scenario["step"]:
        happens = scenario["event"] or say("differences.something-else")
        print_line(console, 2, say("differences.step", step=scenario["step"]) + "  ", happens, "")
    width = max(map(len, names))
    for name, side in zip(names, (scenario["before"], scenario["after"]), strict=True):
        told = [side["event"] or say("differences.nothing")] if scenario["step"] and not scenario["event"] else []
        told += side["told"] or ([say("differences.nothing-of-this")] if scenario["event"] else [])
        told += [f"{say('test.line', line=d['line'])}: {d['message']}" for d in side["stopped"]]
        told += [say("differences.unmet", text=text) for text in side["unmet"][:1]]
        for number, line in enumerate(told):
            print_line(console, 4, f"{'' if number else name:<{width}}  ", line, "")
