"""The umpire: hears what is typed at the table, and tells what comes of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from rich.console import Console
from rich.text import Text

from rulewright.cli.asking import print_steps, question_of
from rulewright.cli.files import write_whole
from rulewright.diagnostics import Fault, report
from rulewright.explain.questions import answer_question
from rulewright.explain.terminal import print_answer, print_diagnostics
from rulewright.forms.page import Page
from rulewright.forms.terminal import print_line, print_page
from rulewright.speech import say, worded
from rulewright.table.commands import Command, Question, Takes, likely_command, meant, words_of
from rulewright.table.explaining import odds, whatif, why, whynot
from rulewright.table.saving import scenario_text
from rulewright.table.table import Table, Turn


class Umpire:
    """Somebody who is told what happens, and asked about it.

    Attributes:
        refused: whether a line was refused.
        done: whether the game was ended.
        answer: what was explained last.
    """

    def __init__(self, table: Table, out: Console) -> None:
        self.table = table
        self.out = out
        self.refused = False
        self.done = False
        self.answer: Page | None = None

    def hear(self, line: str) -> None:
        """Does what a line says, and says what comes of it, or what is wrong with it."""
        try:
            if line.strip() and not line.lstrip().startswith("#"):
                self._heed(line.strip())
        except Fault as fault:
            self.refused = True
            self._refuse(line, fault)
        self.ask()

    def _refuse(self, line: str, fault: Fault) -> None:
        """Says what is wrong with a line, and what it was perhaps to be."""
        unread = any(d.name == "unknown-phrase" for d in fault.diagnostics)
        if unread and self._asks(line):
            print_line(self.out, 0, "", say("play.to-ask"), "yellow")
            return
        print_diagnostics(fault.diagnostics, self.out)
        command = likely_command(line, self.table.session, TAKES) if unread else None
        if command is not None:
            print_line(self.out, 0, "", say("play.meant-command", word=command), "yellow")

    def _heed(self, line: str) -> None:
        told = meant(line, self.table.session, TAKES)
        if isinstance(told, Command):
            COMMANDS[told.name][1](self, told.rest)
        elif isinstance(told, Question):
            print_answer(answer_question(self.table.session, told.text), self.out)
        else:
            self._told(self.table.say(told.text))

    def _asks(self, line: str) -> bool:
        """Whether a line that was refused would have been a good question."""
        try:
            answer_question(self.table.session, line)
        except Fault:
            return False
        return not line.strip().endswith("?")

    def ask(self) -> None:
        """Says what the game asks for, if it asks for anything."""
        session = self.table.session
        if session.request is not None and not self.done:
            question = say("play.asked", question=question_of(session, session.request))
            self.out.print()
            self.out.print(Text(question, style="bold magenta"))

    def _told(self, turn: Turn) -> None:
        if turn.before.game.request is not None:
            print_line(self.out, 0, "", "; ".join(turn.sentences), "dim")
        if turn.kind != "event" and not turn.steps and turn.before.game.request is None:
            print_line(self.out, 2, "", say("play.given" if turn.kind == "given" else "play.now"), "green")
        print_steps(self.table.session, _shown_from(turn))
        print_diagnostics(turn.warnings, self.out)

    # --- commands --------------------------------------------------------------------------------------------------

    def help(self, _: str = "") -> None:
        """Explains how lines are understood, and the words of command."""
        language = self.table.session.language
        places = {"together": language.keyword("TOGETHER"), "roll": words_of("roll")[0]}
        for part in ("sentences", "answers", "questions"):
            print_line(self.out, 0, "", say(f"play.help.{part}", **places), "")
            self.out.print()
        for name, (takes, _do) in COMMANDS.items():
            place = "" if takes == "nothing" else " " + say(f"play.help.argument-{_ARGUMENTS.get(name, takes)}")
            print_line(self.out, 2, f"{words_of(name)[0] + place:<18}", say(f"play.help.{name}"), "")

    def undo(self, count: str) -> None:
        """Takes back the last lines."""
        for turn in self.table.undo(int(count or 1)):
            print_line(self.out, 0, "", say("play.taken-back", sentence="; ".join(turn.sentences)), "yellow")

    def redo(self, count: str) -> None:
        """Says again what was taken back."""
        for turn in self.table.redo(int(count or 1)):
            print_line(self.out, 0, "", "; ".join(turn.sentences), "dim")
        print_steps(self.table.session, _shown_from(turn))

    def history(self, _: str) -> None:
        """Shows what was typed."""
        for number, turn in enumerate(self.table.turns, start=1):
            for line in turn.lines.splitlines():
                print_line(self.out, 0, f"{number:>3}  ", line.strip(), "")
        if not self.table.turns:
            self.out.print(say("play.nothing-yet"))

    def facts(self, _: str) -> None:
        """Shows what there is, with its values, and what is so."""
        session = self.table.session
        phrases = session.compiled.edition.vocabulary.phrases
        values = [
            f"{session.worder.statement(measure, things)}: {worded(value)}"
            for (measure, things), value in session.game.world.values.items()
            if phrases[measure].kind == "measure"
            and (things == tuple(sorted(things)) or not phrases[measure].symmetric)
        ]
        for line in (*session.facts(), *sorted(values)) or (say("play.nothing-yet"),):
            print_line(self.out, 2, "", line, "")

    def save(self, name: str) -> None:
        """Writes the game to a file as a scenario."""
        if not name:
            raise Fault(report("no-file-named", word=words_of("save")[0]))
        path = Path(os.path.expanduser(name))  # noqa: PTH111 (it leaves a home that there is not as it is)
        if os.path.lexists(path):
            raise Fault(report("file-there", path=path))
        write_whole(path, scenario_text(self.table, path.stem))
        self.out.print(say("play.saved", path=path))
        session = self.table.session
        if session.request is not None:
            print_line(self.out, 0, "", say("play.saved-open", asks=session.asked()), "yellow")

    def roll(self, _: str) -> None:
        """Leaves dice or a choice to chance."""
        self._told(self.table.roll())

    def why(self, what: str) -> None:
        """Proves something, or else the outcome."""
        self._answer(why(self.table, what))

    def whynot(self, what: str) -> None:
        """Tells why something did not come about."""
        if not what:
            raise Fault(report("nothing-asked-about", word=words_of("whynot")[0]))
        self._answer(whynot(self.table, what))

    def whatif(self, what: str) -> None:
        """Finds what would have to change for something to be so, or not so."""
        if not what:
            raise Fault(report("nothing-asked-about", word=words_of("whatif")[0]))
        self._answer(whatif(self.table, what))

    def odds(self, what: str) -> None:
        """Tells how likely something is, or else all that may come."""
        self._answer(odds(self.table, what))

    def more(self, _: str) -> None:
        """Shows all of the last answer."""
        if self.answer is None:
            raise Fault(report("nothing-more"))
        print_page(self.answer, self.out, everything=True)

    def _answer(self, page: Page) -> None:
        self.answer = page
        print_page(page, self.out, unfold=words_of("more")[0])

    def new(self, _: str) -> None:
        """Sets this game aside and begins another."""
        print_line(self.out, 0, "", say("play.set-aside", path=self.table.begin_anew()), "")

    def quit(self, _: str) -> None:
        """Ends the game."""
        self.done = True


def _shown_from(turn: Turn) -> int:
    """The first step that a turn made or changed, as an answer changes the step that asked for it."""
    before, after = turn.before.game.steps, turn.after.game.steps
    return next((n for n, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), len(before))


COMMANDS: Mapping[str, tuple[Takes, Callable[[Umpire, str], None]]] = {
    "undo": ("number", Umpire.undo),
    "redo": ("number", Umpire.redo),
    "roll": ("nothing", Umpire.roll),
    "why": ("text", Umpire.why),
    "whynot": ("text", Umpire.whynot),
    "whatif": ("text", Umpire.whatif),
    "odds": ("text", Umpire.odds),
    "more": ("nothing", Umpire.more),
    "facts": ("nothing", Umpire.facts),
    "history": ("nothing", Umpire.history),
    "save": ("text", Umpire.save),
    "new": ("nothing", Umpire.new),
    "help": ("nothing", Umpire.help),
    "quit": ("nothing", Umpire.quit),
}
"""The words of command: what each takes, and what it does.  Their words and help stand in ``messages``, at ``play``."""

TAKES = {name: takes for name, (takes, _) in COMMANDS.items()}

_ARGUMENTS = {"save": "file", "why": "what", "whynot": "what", "whatif": "what", "odds": "what"}
"""What is shown for the text that a command takes."""
