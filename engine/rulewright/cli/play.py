"""``rulewright play``: a game at the table, with an umpire who knows the rules."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from rich.text import Text

from rulewright.cli.app import FAILED, INTERNAL, OK
from rulewright.cli.common import Reading, console, durable, readings_asked_for, tree_of
from rulewright.cli.lines import at_terminal, lines
from rulewright.cli.umpire import COMMANDS, Umpire
from rulewright.diagnostics import Fault, report
from rulewright.forms.terminal import print_line
from rulewright.model import ReadingChoice
from rulewright.session.looks import Looks
from rulewright.session.session import Session
from rulewright.speech import asked_for, counted, say
from rulewright.table.journal import Journal
from rulewright.table.proposals import proposals
from rulewright.table.record import Record, read_record
from rulewright.table.table import Table
from rulewright.workspace import Loaded, Tree, load_cached, options_of


def play(
    edition: str,
    file: Path | None = None,
    /,
    *,
    seed: int | None = None,
    reading: Reading = None,
    rules: Path | None = None,
) -> int:
    """Play a game: type what is so and what happens, and get the rulings.

    Example: rulewright play t9a-2 evening.scenario
    """
    choices = readings_asked_for(reading)
    backend = durable()
    if backend is None:
        return INTERNAL
    tree = tree_of(rules, file.parent if file is not None else None)
    loaded = _loaded(tree, edition, choices)
    out = console()
    with closing(Journal(file if file is not None else _own_place(edition))) as journal:
        record = _record(journal, edition, choices)
        if record is not None:
            loaded = _loaded(tree, edition, record.readings)
        assert loaded.compiled is not None
        code = record.language.code if record is not None else asked_for(loaded.compiled.edition.language)
        with closing(Session(loaded.compiled, backend, code)) as session:
            session.game.looks = Looks()
            torn = journal.torn
            table = Table(session, journal, tree, record.readings if record is not None else choices, record, seed)
            umpire = Umpire(table, out)
            kept = {"edition": edition, "path": journal.name}
            told = say("play.begun", **kept) if record is None else counted("play.resumed", len(table.turns), **kept)
            print_line(out, 0, "", told, "bold")
            if torn:
                print_line(out, 0, "", say("play.torn", line=torn.strip()), "yellow")
            print_line(out, 0, "", say("play.how"), "dim")
            umpire.ask()
            for line in lines(lambda text: proposals(text, session, COMMANDS)):
                umpire.hear(line)
                if umpire.done:
                    break
            out.print(Text(say("play.kept", path=journal.name), style="dim"), soft_wrap=True)
            return FAILED if umpire.refused and not at_terminal() else OK


def _loaded(tree: Tree, edition: str, readings: Sequence[ReadingChoice]) -> Loaded:
    loaded = load_cached(tree, edition, options_of(readings))
    if loaded.compiled is None:
        raise Fault(*loaded.diagnostics)
    return loaded


def _record(journal: Journal, edition: str, choices: Sequence[ReadingChoice]) -> Record | None:
    """What a journal holds; None when it is empty.

    Raises:
        Fault: it holds something else, or a game under other rules.
    """
    if not journal.data and not journal.torn:
        return None
    record = read_record(journal.data, journal.name)
    if record.edition != edition:
        span = record.edition_span
        raise Fault(report("other-edition", span, path=journal.name, own=record.edition, edition=edition))
    own = options_of(record.readings)
    for choice in choices:
        if (choice.reading, choice.option) not in own:
            raise Fault(report("other-reading", path=journal.name, reading=choice.reading, option=choice.option))
    return record


def _own_place(edition: str) -> Path:
    """Where the game of an edition is kept when no file is named: among what programs remember of their user."""
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    try:
        folder = named if named.is_absolute() else Path.home() / ".local" / "state"
    except RuntimeError as error:  # the system knows of no home
        raise Fault(report("no-home", edition=edition)) from error
    return folder / "rulewright" / f"{edition}.scenario"
