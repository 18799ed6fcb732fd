"""A page as Markdown: headings, nested lists and tables, every sign of the text taken as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rulewright.forms.page import UNFOLD, Cell, Entry, Page, Role, Sheet, Table
from rulewright.speech import say

_SPECIAL = re.compile(r"[\\`*_\[\]<>|#~&$]")
_AT_THE_START = re.compile(r"^(\s*)([-+=:]|\d+(?=[.)](?:\s|$)))")
_STRONG: frozenset[Role] = frozenset({"step", "rule"})
_SIGNS: dict[Role, str] = {"effect": "⇒ "}
_INDENT = 2


def markdown(page: Page, everything: bool = False) -> str:
    """The text of a page; what is folded is left out, and counted, unless everything is asked for."""
    parts = [f"# {escaped(page.title)}"]
    if page.place:
        parts.append(f"*{escaped(page.place)}*")
    items: list[str] = []
    for block in page.blocks:
        if isinstance(block, Entry) and block.role != "heading":
            items += _item(block, 0, everything)
            continue
        if items:
            parts.append("\n".join(items))
            items = []
        if isinstance(block, Entry):
            parts.append(f"## {_said(block, everything)}")
            for inner in block.inside if everything or not block.closed else ():
                items += _item(inner, 0, everything)
        elif isinstance(block, Table):
            parts.append("\n".join(_table(block)))
        elif isinstance(block, Sheet) and (everything or not block.folded):
            parts += _sheet(block)
    if items:
        parts.append("\n".join(items))
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """A text in one line that Markdown shows as it is."""
    plain = _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))
    start = _AT_THE_START.match(plain)
    if start is None:
        return plain
    return f"{plain[: start.end()]}\\{plain[start.end() :]}" if start[2].isdigit() else f"\\{plain}"


def _item(entry: Entry, depth: int, everything: bool) -> Iterator[str]:
    if entry.muted and not everything:
        return
    yield f"{' ' * _INDENT * depth}- {_said(entry, everything)}"
    for inner in entry.inside if everything or not entry.closed else ():
        yield from _item(inner, depth + 1, everything)


def _said(entry: Entry, everything: bool) -> str:
    text = escaped(entry.text)
    strong = f"**{text}**" if entry.role in _STRONG else text
    said = f"{escaped(entry.mark)} {strong}" if entry.mark else _SIGNS.get(entry.role, "") + strong
    hidden = entry.closed and not everything
    return f"{said} *{escaped(say('forms.folded', lines=entry.lines(), unfold=UNFOLD))}*" if hidden else said


def _table(table: Table) -> Iterator[str]:
    if table.title:
        yield f"**{escaped(table.title)}**"
        yield ""
    yield _row(table.heads)
    yield _row(["---:" if place in table.numeric else "---" for place in range(len(table.heads))], plain=False)
    for row in table.rows:
        yield _row(row)


def _row(cells: tuple[str, ...] | list[str], plain: bool = True) -> str:
    return f"| {' | '.join(escaped(c) if plain else c for c in cells)} |"


def _sheet(sheet: Sheet) -> Iterator[str]:
    note = f" *{escaped(sheet.note)}*" if sheet.note else ""
    yield f"### {escaped(sheet.title)}{note}"
    rows = [[escaped(line.sign), *("" if c is None else _cell(c) for c in line.cells)] for line in sheet.lines]
    lines = [_row(["", *map(escaped, sheet.heads)], plain=False), _row(["---"] * (len(sheet.heads) + 1), plain=False)]
    yield "\n".join([*lines, *(_row(row, plain=False) for row in rows)])


def _cell(cell: Cell) -> str:
    """The words of a cell, what differs in bold."""
    words = " ".join(f"**{escaped(p.text)}**" if p.differs else escaped(p.text) for p in cell.pieces)
    return "&emsp;" * cell.depth + (f"*{words}*" if cell.role == "source" else words)
