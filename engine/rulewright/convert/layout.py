"""How a clause is laid out: on one line where it fits, else on several, each a bit further in."""

from __future__ import annotations

import re

from rulewright.text import Span

WIDTH = 120
FURTHER_IN = "    "

_COMMENT = re.compile(r"(?:(?<=\n)|(?<=\s))[ \t]*(#(?=[\s#]|$)[^\n]*)")


def laid_out(words: str, margin: str, goes_on: bool) -> str:
    """The text of a clause that stands behind a margin, wrapped where it is too long and may go on below."""
    if not goes_on or len(margin) + len(words) <= WIDTH:
        return words
    lines = [""]
    for word in _unbroken(words):
        room = WIDTH - len(margin) - (len(FURTHER_IN) if len(lines) > 1 else 0)
        if lines[-1] and len(lines[-1]) + 1 + len(word) > room:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".lstrip()
    return f"\n{margin}{FURTHER_IN}".join(lines)


def _unbroken(text: str) -> list[str]:
    """The words of a text; what stands in quotation marks or braces is one."""
    return re.findall(r'(?:"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|\{[^}]*\}|\S)+', text)


def margin_of(span: Span) -> str:
    """What stands before a clause on its line."""
    text = span.source.text
    return text[text.rfind("\n", 0, span.start) + 1 : span.start]


def comments_in(span: Span) -> list[str]:
    """The comments between the lines of a text."""
    return [found.strip() for found in _COMMENT.findall(span.text)]


def with_comment(span: Span) -> tuple[int, str]:
    """Where the line of a text ends, and the comment that stands behind it, two blanks off."""
    found = re.compile(r"[ \t]*(#[^\n]*)?(?=\n|\Z)").match(span.source.text, span.end)
    if found is None:
        return span.end, ""
    return found.end(), f"  {found[1].rstrip()}" if found[1] else ""
