"""The help of the command line and what is wrong with a command, in the language spoken.

cyclopts knows the verbs and their options from the functions that carry them out; what they are for stands in the
tables of ``messages``, under ``verb`` and ``option``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cyclopts import (
    CoercionError,
    CycloptsError,
    CycloptsPanel,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)
from cyclopts.help import ColumnSpec, DefaultFormatter, HelpEntry, HelpPanel
from cyclopts.help.specs import get_default_parameter_columns
from rich.console import Console, ConsoleOptions
from rich.text import Text

from rulewright.diagnostics import nearest
from rulewright.speech import FIRST, messages, say

_PLACEHOLDERS = ("COMMAND", "OPTIONS", "ARGS")


class WordedHelp(DefaultFormatter):
    """Prints help with the words of the tables.

    Args:
        verb: the verb that help is asked for; without one, it is the program itself.
    """

    def __init__(self, verb: str) -> None:
        super().__init__(column_specs=None)
        self.verb = verb

    def __call__(self, console: Console, options: ConsoleOptions, panel: HelpPanel) -> None:
        """Prints one panel: of commands, arguments or parameters."""
        title = say(f"help.{str(panel.title).casefold()}")
        entries = panel.entries
        if panel.format == "parameter":
            self.column_specs = _columns
            entries = [*(entry.copy(description=self._told(entry)) for entry in entries)]
            if panel.title == "Parameters":
                told = Text(say("option.lang"))
                entries.append(HelpEntry(positive_names=("--lang CODE",), description=told))
        else:
            self.column_specs = None
            own = {"--help": "help.help", "--version": "help.version"}
            entries = [e.copy(description=say(own[e.names[0]])) if e.names[0] in own else e for e in entries]
        super().__call__(console, options, panel.copy(title=title, entries=entries))

    def render_usage(self, console: Console, options: ConsoleOptions, usage: Any) -> None:  # noqa: ARG002
        """Prints the line that shows how a command is written."""
        told = str(usage).strip().removeprefix("Usage:").strip()
        for word in _PLACEHOLDERS:
            told = told.replace(word, say(f"help.{word.casefold()}-place"))
        console.print(Text(say("help.usage") + told, style="bold"))
        console.print()

    def _told(self, entry: HelpEntry) -> Text:
        return Text(say(option_key(self.verb, _name(entry))))


def option_key(verb: str, name: str) -> str:
    """The key of what is told of an option: of this verb, or of all."""
    own = f"option.{verb}.{name}"
    return own if own in messages(FIRST) else f"option.{name}"


def _name(entry: HelpEntry) -> str:
    labels = (*entry.names, entry.positional_label or "")
    return next(label for label in labels if label).lstrip("-").casefold()


def _columns(console: Console, options: ConsoleOptions, entries: list[HelpEntry]) -> tuple[ColumnSpec, ...]:
    *names, description = get_default_parameter_columns(console, options, entries)
    return (*names, description.copy(renderer=_described))


def _described(entry: HelpEntry) -> Text:
    """What an option is for, whether it is required, and what it is without being given."""
    told = Text().append_text(entry.description)
    if entry.default is not None:
        value = say("help.no") if entry.default == "False" else entry.default
        told.append(" ").append(say("help.default", value=value), style="cyclopts.default")
    if entry.required:
        told.append(" ").append(say("help.required"), style="cyclopts.required")
    return told


# --- what is wrong with a command ----------------------------------------------------------------------------------


def print_usage_error(error: CycloptsError, verbs: Sequence[str]) -> None:
    """Prints what is wrong with a command to standard error."""
    Console(stderr=True, highlight=False, emoji=False, markup=False).print(
        CycloptsPanel(Text(_usage_text(error, verbs), style="default"), title=say("usage.title"))
    )


def _usage_text(error: CycloptsError, verbs: Sequence[str]) -> str:
    if isinstance(error, UnknownCommandError) and error.unused_tokens:
        word = error.unused_tokens[0]
        meant = _meant(word, verbs, '"{}"')
        return say("usage.unknown-command", command=word, meant=meant, commands=", ".join(verbs))
    if isinstance(error, UnknownOptionError):
        word = error.token.keyword or error.token.value
        known = [name for argument in error.argument_collection if argument.parse for name in argument.names]
        return say("usage.unknown-option", option=word, meant=_meant(word, [*known, "--lang"], "{}"))
    if isinstance(error, UnusedCliTokensError):
        return say("usage.unused", words=", ".join(f"`{word}`" for word in error.unused_tokens or ()))
    if isinstance(error, RepeatArgumentError):
        return say("usage.repeated", name=error.token.keyword)
    if error.argument is not None:
        return _value_text(error, error.argument.name)
    return str(error)


def _value_text(error: CycloptsError, name: str) -> str:
    """What is wrong with the value of an option."""
    if isinstance(error, MissingArgumentError):
        return say("usage.missing", verb=" ".join(error.command_chain or ()), name=error.keyword or name)
    if isinstance(error, CoercionError) and error.token is not None and error.target_type in (int, bool):
        kind = say(f"usage.{error.target_type.__name__}")
        return say("usage.unfit", name=error.token.keyword or name, value=error.token.value, kind=kind)
    if isinstance(error, ValidationError) and error.exception_message.startswith("Must be "):
        bound = error.exception_message.removeprefix("Must be ").rstrip(".")
        return say("usage.out-of-bounds", value=error.argument.value if error.argument else "", name=name, bound=bound)
    return str(error)


def _meant(word: str, known: Sequence[str], form: str) -> str:
    close = nearest(word, known, 1)
    return say("usage.meant", name=form.format(close[0])) if close else ""
