"""Source texts and places in them."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

_LINE_END = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_BLANK = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_UNSEEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]")
_HYPHEN = re.compile("[\u2010\u2011\ufe63\uff0d]")
_JOINER = re.compile("(?<![\u0590-\u1aff\ua800-\uabff])[\u200c\u200d]")
"""Joiners belong to the spelling of the scripts between Hebrew and Tai Tham alone."""


def plain(text: str) -> str:
    """A text as it is read, whatever it was typed with: what looks alike is alike.

    Letters are composed, lines end with a line feed, blanks and hyphens of every sort are plain ones, and signs that
    take no room, such as soft hyphens, are not there.  So columns count what is seen.
    """
    if text.isascii():
        return _LINE_END.sub("\n", text)
    text = _HYPHEN.sub("-", _BLANK.sub(" ", _LINE_END.sub("\n", text)))
    return unicodedata.normalize("NFC", _JOINER.sub("", _UNSEEN.sub("", text)))


@dataclass(frozen=True)
class Source:
    """A text with the name a reader knows it by (a path, or a word such as ``input``).

    Attributes:
        language: the code of the language that it is written in, as far as that is known.
    """

    name: str
    text: str = field(repr=False)
    language: str = field(default="", repr=False, compare=False)

    @cached_property
    def _line_starts(self) -> tuple[int, ...]:
        starts = [0]
        for index, char in enumerate(self.text):
            if char == "\n":
                starts.append(index + 1)
        return tuple(starts)

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (counted from 1), without its end."""
        start = self._line_starts[number - 1]
        end = self._line_starts[number] if number < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")


@dataclass(frozen=True)
class Span:
    """A stretch of a source, from ``start`` up to but not including ``end``, in characters."""

    source: Source = field(repr=False)
    start: int
    end: int

    @property
    def text(self) -> str:
        """The characters of the span."""
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        """Line on which the span starts, counted from 1."""
        return self.source.place(self.start)[0]

    @property
    def column(self) -> int:
        """Column at which the span starts, counted from 1."""
        return self.source.place(self.start)[1]

    def within(self, start: int, end: int) -> Span:
        """A part of this span, by offsets counted from its start."""
        return Span(self.source, self.start + start, self.start + end)

    def holds(self, other: Span) -> bool:
        """Whether another span lies in this one."""
        return self.source is other.source and self.start <= other.start and other.end <= self.end

    def place_of(self, word: str) -> Span:
        """The first place of a word in the span, or else in the indented lines below it; the span if there is none."""
        text = self.source.text
        margin = re.compile(r"^[^\s#]", re.MULTILINE).search(text, self.end)
        found = re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w-])").search(
            text, self.start, margin.start() if margin else len(text)
        )
        return Span(self.source, found.start(), found.end()) if found else self

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"
