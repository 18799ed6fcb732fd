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

Tone = Literal["plain", "good", "bad", "warning", "quiet"]


@dataclass(frozen=True)
class Entry:
    """A line, and what stands inside it.

    Attributes:
        mark: a number or a few words that stand before the text, such as ``cites``.  Dashes, arrows and the like are
            no marks: every form has its own for each role.
        inside: further entries, indented.
        folded: what is inside is shown when everything is asked for, or when the reader unfolds it.
        muted: it goes without saying, and is shown only when everything is asked for.
    """

    text: str
    role: Role = "note"
    tone: Tone = "plain"
    mark: str = ""
    inside: tuple[Entry, ...] = ()
    folded: bool = False
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


Block = Entry | Table | Picture


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
