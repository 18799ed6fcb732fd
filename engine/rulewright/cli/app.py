"""The command line: ``rulewright VERB ...``; each verb is loaded when it is called."""

from __future__ import annotations

import io
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from cyclopts import App, CycloptsError

from rulewright.assets import VARIABLE, AssetsNotFoundError
from rulewright.cli.help import WordedHelp, print_usage_error
from rulewright.cli.language import language_of_command, without_language
from rulewright.diagnostics import Fault
from rulewright.speech import listed, say, speaking
from rulewright.text import plain

PROGRAM = "rulewright"
VERBS = {
    "run": "rulewright.cli.run:run",
    "test": "rulewright.cli.test:run_tests",
    "ask": "rulewright.cli.ask:ask",
    "play": "rulewright.cli.play:play",
    "why": "rulewright.cli.why:why",
    "whynot": "rulewright.cli.whynot:whynot",
    "whatif": "rulewright.cli.whatif:whatif",
    "odds": "rulewright.cli.odds:odds",
    "check": "rulewright.cli.check:check",
    "readings": "rulewright.cli.readings:readings",
    "compare": "rulewright.cli.compare:compare",
    "diff": "rulewright.cli.diff:diff",
    "convert": "rulewright.cli.convert:convert_file",
    "show": "rulewright.cli.show:show",
    "new": "rulewright.cli.new:new",
}
"""The verbs, and where they are.  What they and their options are for is told in ``messages``."""
NARROWEST = 20
"""Columns; nothing can be laid out in fewer."""
OK, FAILED, USAGE, INTERNAL = 0, 1, 2, 3


def _version() -> str:
    try:
        return version(PROGRAM)
    except PackageNotFoundError:  # running from a checkout that is not installed
        return say("program.not-installed")


def build_app(verb: str = "") -> App:
    """The command line in the language spoken, to be called with a verb."""
    app = App(
        name=PROGRAM,
        help=say("program.about"),
        version=_version,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
        help_formatter=WordedHelp(verb),
    )
    for name, place in VERBS.items():
        app.command(place, name=name, help=say(f"verb.{name}"))
    return app


def main(arguments: list[str] | None = None) -> None:
    """Runs the command line and ends the process: 0 fine, 1 failures or diagnostics, 2 usage, 3 internal error."""
    sys.exit(run_command(arguments))


def run_command(arguments: list[str] | None = None) -> int:
    """Runs one command, in the language that it asks for, or else the locale.

    Returns:
        The exit code.
    """
    if os.environ.get("COLUMNS", "80").isdigit() and int(os.environ.get("COLUMNS", "80")) < NARROWEST:
        os.environ["COLUMNS"] = str(NARROWEST)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a character shows a mark in its place
            stream.reconfigure(errors="replace")
    given = sys.argv[1:] if arguments is None else arguments
    try:
        with speaking(*language_of_command(given, os.environ)):
            return _run([_as_read(word) for word in without_language(given)])
    except Fault as fault:  # there is no such language to speak
        _complain(fault)
        return USAGE
    except AssetsNotFoundError as error:  # nor any language at all
        return _without_assets(error)


def _as_read(word: str) -> str:
    """A word of a command as files are read, so that names are the same; what names a file stays as it is."""
    try:
        return word if Path(word).exists() else plain(word)
    except (OSError, ValueError):  # it cannot be the name of a file
        return plain(word)


def _without_assets(error: AssetsNotFoundError) -> int:
    by = say("program.named-by", variable=VARIABLE) if error.named else ""
    places = listed(f"`{place}`" for place in error.places)
    print(f"{PROGRAM}: {say('program.no-folder', folder=error.folder, places=places)}{by}", file=sys.stderr)
    return FAILED


def _complain(fault: Fault, as_json: bool = False) -> None:
    from rulewright.cli.common import complain

    complain(fault.diagnostics, as_json)


def _as_json(arguments: list[str]) -> bool:
    """Whether a command asks for JSON, and so for its diagnostics in JSON too."""
    return "--json" in arguments[: arguments.index("--") if "--" in arguments else None]


def _run(arguments: list[str]) -> int:
    app = build_app(next((word for word in arguments if word in VERBS), ""))
    try:
        result = app(arguments, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        print_usage_error(error, tuple(VERBS))
        return USAGE
    except Fault as fault:
        _complain(fault, _as_json(arguments))
        return FAILED
    except KeyboardInterrupt:
        print(f"{PROGRAM}: {say('program.interrupted')}", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of our output has gone; that is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except AssetsNotFoundError as error:
        return _without_assets(error)
    except OSError as error:
        from rulewright.workspace import why_refused

        place = f"{error.filename}: " if error.filename else ""
        print(f"{PROGRAM}: {place}{why_refused(error)}", file=sys.stderr)
        return FAILED
    except Exception as error:
        if os.environ.get("RULEWRIGHT_TRACEBACK"):
            raise
        text = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"{PROGRAM}: {say('program.internal', error=text[:500])}", file=sys.stderr)
        print(say("program.traceback"), file=sys.stderr)
        return INTERNAL
    return result if isinstance(result, int) else OK
