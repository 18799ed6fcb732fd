"""The lines of a rules text by their margins: which of them make a block, and what is wrong with how they are set.

A block is given to the parser as its lines without comments and empty lines.  A line that is wrong is mended or left
out there, so that the others can still be read; the map of a block leads from what the parser saw back to the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from rulewright.diagnostics import Diagnostic, report
from rulewright.text import Source, Span

TAB = 4
DEEPEST = 9
"""Margins inside one another that a block may have; the deepest sentence of a rule needs four."""

_LINE = re.compile(r"^([ \t]*)([^\s#][^\n]*)$", re.MULTILINE)


@dataclass
class Line:
    """A line that says something.

    Attributes:
        start: offset of its first character that is not blank.
        text: the line from there on, without blanks at its end.
        margin: the characters before it.
        width: how far it is indented, in columns; mended where that was wrong.
        shown: what the parser is given.
        places: for stretches of what is shown: its begin and end, where it stands in the text and how long it is there.
        faulty: something was found wrong with it; nothing more is said about it.
        left_out: the parser is not given it.
    """

    source: Source
    start: int
    text: str
    margin: str
    width: int
    shown: str = ""
    places: tuple[tuple[int, int, int, int], ...] = ()
    faulty: bool = False
    left_out: bool = False

    def __post_init__(self) -> None:
        self.shown = self.shown or self.text

    @property
    def span(self) -> Span:
        """The line without its margin."""
        return self.part(0, len(self.text))

    def part(self, start: int, end: int) -> Span:
        """A part of the line, by offsets counted from its first character that is not blank."""
        return Span(self.source, self.start + start, self.start + end)

    def begin_with(self, words: str, instead_of: int) -> None:
        """Shows the line with other words in the place of its first characters."""
        self.shown = words + self.text[instead_of:]
        self.places = ((0, len(words), 0, instead_of),)

    def origin(self, offset: int) -> int:
        """Offset in the text of an offset in what is shown."""
        moved = 0
        for begin, end, start, length in self.places:
            if offset < begin:
                break
            if offset <= end:
                return self.start + start + (length if offset == end else min(offset - begin, length))
            moved = start + length - end
        return self.start + min(max(offset + moved, 0), len(self.text))


@dataclass
class Lines:
    """The lines of a block, the head first; ``named`` tells whether that gives the block a name that can be used."""

    lines: list[Line]
    named: bool = True
    _starts: list[int] = field(default_factory=list)
    _shown: list[Line] = field(default_factory=list)

    @property
    def head(self) -> Line:
        """The first line."""
        return self.lines[0]

    @property
    def lost(self) -> tuple[Span, ...]:
        """The lines that could not be read as they stand."""
        return tuple(line.span for line in self.lines if line.faulty or line.left_out)

    def text(self) -> str:
        """What the parser is given."""
        self._shown = [line for line in self.lines if not line.left_out]
        self._starts, pieces, offset = [], [], 0
        for line in self._shown:
            pieces.append(" " * line.width + line.shown + "\n")
            self._starts.append(offset)
            offset += len(pieces[-1])
        return "".join(pieces)

    def line_at(self, offset: int) -> tuple[Line, int]:
        """The line that the parser saw at an offset, and the offset inside it."""
        index = max(bisect_right(self._starts, offset) - 1, 0)
        line = self._shown[index]
        return line, offset - self._starts[index] - line.width

    def origin(self, offset: int) -> int:
        """Offset in the text of an offset in what the parser saw."""
        line, inside = self.line_at(offset)
        return line.origin(max(inside, 0))

    def below(self, line: Line) -> list[Line]:
        """The lines that belong to a line: those right after it that are indented further."""
        index = self.lines.index(line)
        found = []
        for other in self.lines[index + 1 :]:
            if other.width <= line.width:
                break
            found.append(other)
        return found

    def before(self, line: Line) -> Line:
        """The line that the parser saw before a line."""
        return self._shown[max(self._shown.index(line) - 1, 0)]

    def leave_out(self, line: Line) -> None:
        """Leaves a line out, with what belongs to it."""
        for one in (line, *self.below(line)):
            one.left_out = True


def lines_of(source: Source, start: int, diagnostics: list[Diagnostic]) -> Iterator[Lines]:
    """The lines of a text, from an offset on, each block from one line at the left margin to the next.

    Lines of which something was found wrong already are marked, and nothing more is said about them.
    """
    lines = []
    for match in _LINE.finditer(source.text, start):
        margin, text = match[1], match[2].rstrip()
        lines.append(Line(source, match.start(2), text, margin, len(margin.expandtabs(TAB))))
    _mark(lines, diagnostics)
    if lines and lines[0].width:
        diagnostics.append(report("indented-start", lines[0].span))
        lines[0].faulty = True
        _pull_left(lines)
    block: list[Line] = []
    for line in lines:
        if not line.width and block:
            yield Lines(block)
            block = []
        block.append(line)
    if block:
        yield Lines(block)


def _mark(lines: Sequence[Line], diagnostics: Sequence[Diagnostic]) -> None:
    """Marks the lines of which something has been found wrong already."""
    starts = [line.start for line in lines]
    for index in {bisect_right(starts, d.span.start) - 1 for d in diagnostics if d.span}:
        if index >= 0:
            lines[index].faulty = True


def _pull_left(lines: Sequence[Line]) -> None:
    """The first lines, up to one at the left margin, as if their own margin were the left one."""
    own = lines[0].width
    for line in lines:
        if not line.width:
            return
        line.width = max(line.width - own, 0)


def settle_margins(block: Lines, diagnostics: list[Diagnostic]) -> None:
    """Finds margins of tabs among margins of blanks, and lines that go back to a margin that was never used."""
    clauses = block.lines[1:]
    blanks = [line for line in clauses if "\t" not in line.margin]
    tabs = [line for line in clauses if "\t" in line.margin]
    if blanks and tabs:
        first = min(tabs[0], blanks[0], key=lambda line: -line.start)
        diagnostics.append(report("mixed-margins", first.span, block=block.head.text))
        first.faulty = True
        step = min(line.width for line in blanks)
        for line in tabs:
            line.width = len(line.margin.replace("\t", " " * step))
    known, told = [0], False
    for above, line in pairwise(block.lines):
        if line.width > known[-1] and len(known) > DEEPEST:
            if not told and not line.faulty:
                diagnostics.append(report("too-deep", line.span, found=line.text, above=above.text))
                line.faulty = told = True
            line.width = known[-1]
        if line.width > known[-1]:
            known.append(line.width)
            continue
        left = known[-1]
        while known[-1] > line.width:
            left = known.pop()
        if known[-1] == line.width:
            continue
        if not told and not line.faulty:
            diagnostics.append(report("uneven-indent", line.span))
            line.faulty = told = True
        line.width = left if known[-1] == 0 else known[-1]
        if known[-1] != line.width:
            known.append(line.width)
