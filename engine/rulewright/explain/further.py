"""Where an answer points to another one: the command that gives it, as it is typed where this one was asked."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from rulewright.speech import say

_READ_BY_SHELLS = frozenset('"$`\\!')


def further(data: Mapping[str, Any], verb: str, what: str) -> str:
    """The command that asks a verb about the scenario of an answer; at the table, which has no file, its word."""
    if data["file"] is None:
        return f"{say(f'play.words.{verb}').partition(', ')[0]} {what}"
    file = data["file"] if len(data["file"].split()) == 1 else _quoted(data["file"])
    return f"rulewright {verb} {file} {_quoted(what)} --scenario {data['scenario']['id']}"


def _quoted(text: str) -> str:
    """A text as one word of a command, in the quotation marks that any shell knows, if they will do."""
    return shlex.quote(text) if _READ_BY_SHELLS.intersection(text) else f'"{text}"'
