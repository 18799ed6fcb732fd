"""Where in a block a word stands, for findings about parts that the model keeps no place of."""

from __future__ import annotations

import re

from rulewright.model import Anchor
from rulewright.text import Span


def place_of(word: str, anchor: Anchor) -> Span:
    """The first place of a word below the first line of a block; that line, when the word does not stand there."""
    text, start = anchor.span.source.text, anchor.span.end
    end = re.compile(r"^[^\s#]", re.MULTILINE).search(text, start)
    found = re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w-])").search(text, start, end.start() if end else len(text))
    return Span(anchor.span.source, found.start(), found.end()) if found else anchor.span
