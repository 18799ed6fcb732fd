"""A game at the table: what is said to it is carried out, kept, and taken back."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rulewright.diagnostics import Diagnostic, Fault, report
from rulewright.model import ReadingChoice
from rulewright.scenarios.runner import thrown, unchanged
from rulewright.session.log import Occurrence
from rulewright.session.session import SavedSession, Session
from rulewright.syntax.signs import typed
from rulewright.table.journal import Journal
from rulewright.table.record import Kind, Record, Said, heading, lines_of
from rulewright.text import Span
from rulewright.workspace import Tree


@dataclass(frozen=True)
class Turn:
    """What was said at one time.

    Attributes:
        lines: how it stands in the journal.
        start: how many bytes of the journal stand before it.
        before, after: the session before it was said, and when it had been carried out.
        warnings: what is odd about it.
    """

    kind: Kind
    sentences: tuple[str, ...]
    lines: str
    start: int
    before: SavedSession
    after: SavedSession
    warnings: tuple[Diagnostic, ...] = ()

    @property
    def steps(self) -> range:
        """The places of its steps among those of the session."""
        return range(len(self.before.game.steps), len(self.after.game.steps))


class Table:
    """A session whose inputs are kept in a journal.

    Args:
        session: the session, at its beginning.
        journal: an open journal that is empty, or that the record was read from.
        tree: the rules that the edition lies in.
        readings: the options of readings that are in force.
        record: what the journal holds; None when it is empty.
        seed: rolls the dice, always the same at the same place; without it they are left to chance.

    Attributes:
        turns: what was said, in order.
        undone: what was taken back and can be said again, the next last.

    Raises:
        Fault: what the journal holds cannot be played; the journal is left as it is.
    """

    def __init__(
        self,
        session: Session,
        journal: Journal,
        tree: Tree,
        readings: Sequence[ReadingChoice],
        record: Record | None,
        seed: int | None = None,
    ) -> None:
        self.session = session
        self.journal = journal
        self.tree = tree
        self.readings = readings
        self.seed = seed
        self.turns: list[Turn] = []
        self.undone: list[Turn] = []
        if record is None:
            self.journal.begin(self.heading())
        else:
            self._resume(record)

    def heading(self, ident: str = "") -> str:
        """The lines that a scenario of this game begins with; it is called as its file is, or otherwise."""
        name = re.sub(r"[^\w.-]+", "-", ident or self.journal.path.stem).strip("-.") or "play"
        language, edition = self.session.language, self.session.compiled.edition
        return heading(language, name, edition.ident, self.readings)

    # --- saying ----------------------------------------------------------------------------------------------------

    def say(self, text: str) -> Turn:
        """Carries out what is typed: an answer where the game asks for one, else what is so or what happens.

        Raises:
            Fault: it is refused, or cannot be kept; everything is as it was.
        """
        before = self.session.save()
        steps = len(before.game.steps)
        try:
            kind, sentences = self._carry_out(text)
            lines = lines_of(self.session.language, kind, sentences, first=not self.turns)
            start = len(self.journal.data)
            self.journal.append(lines)
        except BaseException:
            self.session.restore(before)
            raise
        warnings = () if self.session.request is not None else tuple(unchanged(self.session, steps))
        turn = Turn(kind, tuple(sentences), lines, start, before, self.session.save(), warnings)
        self.turns.append(turn)
        self.undone.clear()
        return turn

    def roll(self) -> Turn:
        """Answers a request for dice or chance at random.

        Raises:
            Fault: nothing of the sort is asked for.
        """
        request = self.session.request
        if request is None:
            raise Fault(report("nothing-to-roll"))
        if request.kind not in ("roll", "chance"):
            raise Fault(report("not-left-to-chance", request=self.session.asked()))
        place = f"{self.seed}/{len(self.turns)}"  # taken back and rolled again, the dice fall in the same way
        dice = random.Random(place) if self.seed is not None else random.SystemRandom()  # noqa: S311
        return self.say(str(thrown(self.session, request, dice)))

    def _carry_out(self, text: str) -> tuple[Kind, Sequence[str]]:
        if self.session.request is not None:
            return "more", [self._answer(text)]
        if text.isdecimal():
            raise Fault(report("nothing-to-roll"))
        sentences = together(self.session, text)
        spans = [typed(sentence, self.session.language.code) for sentence in sentences]
        kind = self._kind(spans)
        self.session.happens(*spans)
        return kind, sentences

    def _kind(self, spans: Sequence[Span]) -> Kind:
        """What is said: something happens, or else something is so, from the beginning or from now on."""
        if any(isinstance(entry, Occurrence) for span in spans for entry in self.session.read_happening(span)):
            return "event"
        return "more" if any(turn.kind == "event" for turn in self.turns) else "given"

    def _answer(self, text: str) -> str:
        """Answers the open request; returns the sentence that says so."""
        request, span = self.session.request, typed(text, self.session.language.code)
        assert request is not None
        sentence = text if self.session.read_answer(span) else ""
        sentence = sentence or self.session.example(request, span.text.strip())
        self.session.answer(span)
        return sentence

    # --- going back and on -----------------------------------------------------------------------------------------

    def undo(self, count: int = 1) -> list[Turn]:
        """Takes back what was said last, the last first.

        Raises:
            Fault: there is nothing to take back, or the journal cannot be written; everything is as it was.
        """
        if not self.turns:
            raise Fault(report("nothing-to-undo"))
        taken = self.turns[-count:]
        self.journal.cut(taken[0].start)
        self.session.restore(taken[0].before)
        del self.turns[-count:]
        self.undone += reversed(taken)
        return taken[::-1]

    def redo(self, count: int = 1) -> list[Turn]:
        """Says again what was taken back.

        Raises:
            Fault: there is nothing of the sort, or it cannot be kept; everything is as it was.
        """
        if not self.undone:
            raise Fault(report("nothing-to-redo"))
        again = self.undone[: -count - 1 : -1]
        self.journal.append("".join(turn.lines for turn in again))
        self.session.restore(again[-1].after)
        del self.undone[-count:]
        self.turns += again
        return again

    def begin_anew(self) -> str:
        """Sets the journal aside and begins another; returns where the old one is.

        Raises:
            Fault: that cannot be written; everything is as it was.
        """
        kept = self.journal.set_aside(self.heading())
        if self.turns:
            self.session.restore(self.turns[0].before)
        self.turns, self.undone = [], []
        return str(kept)

    # --- going on with a journal -----------------------------------------------------------------------------------

    def _resume(self, record: Record) -> None:
        text = record.text.encode()
        ends = [*(said.start for said in record.said[1:]), len(text)]
        for said, end in zip(record.said, ends, strict=False):
            before = self.session.save()
            try:
                self._play_again(said)
            except Fault as fault:
                stuck = report("stuck-journal", said.spans[0], path=self.journal.name)
                raise Fault(*(replace(d, span=d.span or said.spans[0]) for d in fault.diagnostics), stuck) from None
            lines = text[said.start : end].decode()
            sentences = tuple(span.text for span in said.spans)
            self.turns.append(Turn(said.kind, sentences, lines, said.start, before, self.session.save()))
        if text != self.journal.data:
            self.journal.begin(record.text)
        self.journal.mend()

    def _play_again(self, said: Said) -> None:
        if self.session.request is not None and len(said.spans) == 1:
            self.session.answer(said.spans[0])
        elif said.kind == "given":
            self.session.give(said.spans[0])
        else:
            self.session.happens(*said.spans)


def together(session: Session, text: str) -> list[str]:
    """The sentences of a line that tells several events of one moment."""
    forms = "|".join(map(re.escape, sorted(session.language.keywords["TOGETHER"], key=len, reverse=True)))
    return [part.strip() for part in re.split(rf"[,;]?\s+(?:{forms})\s+", text.strip(), flags=re.IGNORECASE)]
