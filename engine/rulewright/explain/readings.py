"""Readings told: which options there are, what hangs on them, and what another one changes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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
