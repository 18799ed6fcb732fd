"""A page: what an answer says, before it is laid out for a terminal, as Markdown or as HTML.

A page knows nothing of rules.  It is made once, in the language spoken, from the data of an answer; every form lays out
the same page, so that no form says more than another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Role = Literal["heading", "step", "rule", "clause", "numbers", "source", "effect", "dice", "fact", "note"]
"""What an entry is, which tells how it looks: a heading; an event; a rule or the like; a clause of it; the numbers of a
clause; where it stands in the source, and how that is read; what a rule brings about; dice and choices; a fact; or
anything else."""

UNFOLD = "--all"
"""What asks a command for everything, so that nothing is folded."""

Tone = Literal["plain", "good", "bad", "warning", "quiet"]


@dataclass(frozen=True)
class Entry:
    """A line, and what stands inside it.

    Attributes:
        mark: a number or a few words that stand before the text, such as ``cites``.  Dashes, arrows and the like are
            no marks: every form has its own for each role.
        inside: further entries, indented.
        folded: what is inside is shown when everything is asked for, or when the reader unfolds it.
        name: what cells link to.
        muted: it goes without saying, and is shown only when everything is asked for.
    """

    text: str
    role: Role = "note"
    tone: Tone = "plain"
    mark: str = ""
    inside: tuple[Entry, ...] = ()
    folded: bool = False
    name: str = ""
    muted: bool = False

    @property
    def closed(self) -> bool:
        """Whether it is folded; a single line is not worth unfolding, and is shown."""
        return self.folded and self.lines() > 1

    def lines(self) -> int:
        """How many lines there are inside, without those that go without saying."""
        return sum(1 + entry.lines() for entry in self.inside if not entry.muted)


@dataclass(frozen=True)
class Table:
    """Rows of texts below heads; ``numeric`` tells which columns stand to the right, counted from 0."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Picture:
    """A drawing for forms that can hold one, and its title; ``svg`` is a whole element, as ``forms.drawing`` makes it.

    What it shows must stand in the page in words too, for the other forms.
    """

    title: str
    svg: str


@dataclass(frozen=True)
class Piece:
    """Some words, and whether they are what differs from what stands beside them."""

    text: str
    differs: bool = False


@dataclass(frozen=True)
class Cell:
    """What stands in one column of a line.

    Attributes:
        depth: how far it is indented.
        link: the ``name`` of an entry that tells more.
    """

    pieces: tuple[Piece, ...]
    role: Role = "clause"
    depth: int = 0
    link: str = ""


@dataclass(frozen=True)
class Line:
    """Cells that stand beside each other, None where there is nothing; and the sign of how they stand to each other."""

    cells: tuple[Cell | None, ...]
    sign: str = ""
    tone: Tone = "plain"


@dataclass(frozen=True)
class Sheet:
    """Things side by side, a column for each, line by line.

    Attributes:
        name: what a reader filters sheets by.
        depth: how far down in a hierarchy it stands, from 0.
        note: a few words beside the title.
        tone: of the title.
        folded: it is shown when everything is asked for, or in a form that can be searched.
    """

    title: str
    name: str
    heads: tuple[str, ...]
    lines: tuple[Line, ...]
    depth: int = 0
    note: str = ""
    tone: Tone = "plain"
    folded: bool = False

    @property
    def differs(self) -> bool:
        """Whether not all columns say the same."""
        return any(piece.differs for line in self.lines for cell in line.cells if cell for piece in cell.pieces) or any(
            None in line.cells for line in self.lines if line.sign
        )


Block = Entry | Table | Picture | Sheet


@dataclass(frozen=True)
class Page:
    """A whole answer.

    Attributes:
        place: what it is about: a scenario, its edition, its file.
        language: the code of the language it is in.
    """

    title: str
    place: str
    language: str
    blocks: tuple[Block, ...]
