"""The command line: ``rulewright VERB ...``; each verb is loaded when it is called."""

from __future__ import annotations

import io
import os
import sys
from importlib.metadata import PackageNotFoundError, version

from cyclopts import App, CycloptsError

from rulewright.diagnostics import Fault

PROGRAM = "rulewright"
NARROWEST = 20
"""Columns; nothing can be laid out in fewer."""
OK, FAILED, USAGE, INTERNAL = 0, 1, 2, 3


def _version() -> str:
    try:
        return version(PROGRAM)
    except PackageNotFoundError:  # running from a checkout that is not installed
        return "0 (not installed)"


app = App(
    name=PROGRAM,
    help="Game rules as text: written as sentences, run on a rule engine, explained.",
    version=_version,
    result_action="return_value",
)
app.command("rulewright.cli.run:run", name="run", help="Play scenarios and explain what happened.")
app.command(
    "rulewright.cli.test:run_tests",
    name="test",
    help="Play scenarios and report those that do not turn out as expected.",
)
app.command("rulewright.cli.ask:ask", name="ask", help="Play a scenario and answer a question about its end.")
app.command("rulewright.cli.check:check", name="check", help="Find what is wrong in rules, vocabulary and scenarios.")
app.command(
    "rulewright.cli.readings:readings",
    name="readings",
    help="List the ways in which an edition can be read, or show what another way changes.",
)
app.command(
    "rulewright.cli.convert:convert_file",
    name="convert",
    help="Rewrite a file of rules or scenarios in another language, or lay it out anew.",
)
app.command("rulewright.cli.show:show", name="show", help="Read an edition, or one of its rules, back as sentences.")


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and ends the process: 0 fine, 1 failures or diagnostics, 2 usage, 3 internal error."""
    sys.exit(run_command(arguments))


def run_command(arguments: list[str] | None = None) -> int:
    """Runs one command.

    Returns:
        The exit code.
    """
    if os.environ.get("COLUMNS", "80").isdigit() and int(os.environ.get("COLUMNS", "80")) < NARROWEST:
        os.environ["COLUMNS"] = str(NARROWEST)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a character shows a mark in its place
            stream.reconfigure(errors="replace")
    try:
        result = app(arguments, exit_on_error=False, print_error=True)
    except CycloptsError:
        return USAGE
    except Fault as fault:
        from rulewright.cli.common import complain

        complain(fault.diagnostics)
        return FAILED
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone; that is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except OSError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return FAILED
    except Exception as error:
        if os.environ.get("RULEWRIGHT_TRACEBACK"):
            raise
        text = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"{PROGRAM}: internal error: {text[:500]}", file=sys.stderr)
        print("This is a fault of the program. RULEWRIGHT_TRACEBACK=1 shows where it happened.", file=sys.stderr)
        return INTERNAL
    return result if isinstance(result, int) else OK
