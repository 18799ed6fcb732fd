"""Readings told: which options there are, what hangs on them, and what another one changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console

from rulewright.explain.terminal import print_line
from rulewright.model import Dependent, Readings

Data = dict[str, Any]


def needs_text(blocks: Iterable[Dependent]) -> str:
    """The options under which one of some blocks is in force, such as *A-01 inclusive or exclusive*."""
    each = (" and ".join(f"{r} {' or '.join(options)}" for r, options in b.needs.items()) for b in blocks)
    return ", or under ".join(dict.fromkeys(each))


def not_in_force(name: str, readings: Readings) -> str:
    """Says of a block that is not in force under which reading it would be; an empty text for any other name."""
    blocks = readings.idle.get(name, ())
    return f"it is not in force; it would be under the reading {needs_text(blocks)}" if blocks else ""


def describe_switched(readings: Readings) -> list[Data]:
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
    for number, reading in enumerate(data["readings"]):
        if number:
            console.print()
        _head(reading, console)
        if reading["cites"]:
            print_line(console, 2, "cites       ", ", ".join(reading["cites"]), "dim")
        for option in reading["options"]:
            mark = "takes       " if option["name"] == reading["takes"] else "instead of  "
            print_line(console, 2, mark, f"{option['name']}: {option['text']}", "")
        under: dict[str, list[str]] = {}
        for block in reading["blocks"]:
            under.setdefault(_under(block, reading["id"]), []).append(f"{block['kind']} {block['name']}")
        for needs, blocks in under.items():
            print_line(console, 2, "in force    ", f"under {needs}: {', '.join(dict.fromkeys(blocks))}", "dim")
    if not data["readings"]:
        console.print(f"The edition {data['edition']} has no readings that can be switched.")


def _head(reading: Data, console: Console) -> None:
    print_line(console, 0, f"{reading['id']} ", f'"{reading["title"]}"', "bold")


def _under(block: Data, reading: str) -> str:
    """The options that a block needs, those of one reading first and without its id."""
    rest = [f"{r} {' or '.join(options)}" for r, options in block["needs"].items() if r != reading]
    return " and ".join([" or ".join(block["needs"][reading]), *rest])


def print_differences(data: Data, console: Console) -> None:
    """Prints what other options change: blocks that go and come, then the scenarios that take another course."""
    for reading in data["switched"]:
        _head(reading, console)
        for word, option in (("from  ", reading["from"]), ("to    ", reading["to"])):
            print_line(console, 2, word, f"{option['name']}: {option['text']}", "")
    if not data["switched"]:
        console.print(f"This is what the edition {data['edition']} takes: nothing changes.")
        return
    console.print()
    for word, blocks, style in (("goes   ", data["gone"], "red"), ("comes  ", data["come"], "green")):
        for block in blocks:
            title = f' "{block["title"]}"' if block["title"] else ""
            print_line(console, 0, word, f"{block['kind']} {block['name']}{title} ({block['place']})", style)
    options = [[r[side]["name"] for r in data["switched"]] for side in ("from", "to")]
    names = [", ".join(own) for own in options]
    for scenario in data["scenarios"]:
        _scenario(scenario, names, console)
    console.print()
    apart, same = len(data["scenarios"]), data["unchanged"]
    told = f"{_scenarios(apart, 'takes', 'take')} another course, {_scenarios(same, 'takes', 'take')} the same one"
    if data["left_out"]:
        told += f"; {_scenarios(data['left_out'], 'chooses', 'choose')} an option of their own"
    print_line(console, 0, "", told, "bold")


def _scenarios(number: int, one: str, many: str) -> str:
    return f"{number} scenario{'' if number == 1 else 's'} {one if number == 1 else many}"


def _scenario(scenario: Data, names: list[str], console: Console) -> None:
    console.print()
    print_line(console, 0, "", f'{scenario["scenario"]} "{scenario["title"]}"', "bold")
    print_line(console, 2, "", scenario["place"], "dim")
    if scenario["step"]:
        print_line(console, 2, f"step {scenario['step']}  ", scenario["event"] or "something else happens", "")
    width = max(map(len, names))
    for name, side in zip(names, (scenario["before"], scenario["after"]), strict=True):
        told = [side["event"] or "nothing happens"] if scenario["step"] and not scenario["event"] else []
        told += side["told"] or (["nothing of this"] if scenario["event"] else [])
        told += [f"line {d['line']}: {d['message']}" for d in side["stopped"]]
        told += [f"not as expected: {text}" for text in side["unmet"][:1]]
        for number, line in enumerate(told):
            print_line(console, 4, f"{'' if number else name:<{width}}  ", line, "")
