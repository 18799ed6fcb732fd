"""A page on the terminal: 80 columns by default, in colour where there is colour."""

from __future__ import annotations

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from rulewright.forms.page import Block, Entry, Page, Picture, Role, Table, Tone
from rulewright.speech import say

_INDENT = 2
_LONGEST_HANG = 6
"""Letters; further lines stand under the beginning of the text where its mark is no longer than this."""
_NARROWEST = 20
_SIGNS: dict[Role, str] = {"clause": "- ", "effect": "=> "}
_STYLES: dict[Role, str] = {
    "heading": "bold",
    "step": "bold",
    "rule": "bold",
    "clause": "",
    "numbers": "blue",
    "source": "dim",
    "effect": "cyan",
    "dice": "magenta",
    "fact": "",
    "note": "",
}
_TONES: dict[Tone, str] = {"plain": "", "good": "green", "bad": "red", "warning": "yellow", "quiet": "dim"}


def print_page(page: Page, console: Console, everything: bool = False) -> None:
    """Prints a page; what is folded is left out, and counted, unless everything is asked for."""
    if page.title:
        print_line(console, 0, "", page.title, "bold")
    if page.place:
        print_line(console, 0, "", page.place, "dim")
    before: Block | None = None
    for block in page.blocks:
        if _apart(before, block):
            console.print()
        if isinstance(block, Entry):
            _entry(block, 0, console, everything)
        elif isinstance(block, Table):
            _table(block, console)
        before = block if not isinstance(block, Picture) else before


def _apart(before: Block | None, block: Block) -> bool:
    """Whether a blank line stands before a block: always but between entries of one line."""
    if isinstance(block, Picture):
        return False
    return not all(isinstance(b, Entry) and b.role != "heading" and not b.inside for b in (before, block))


def _entry(entry: Entry, indent: int, console: Console, everything: bool) -> None:
    if entry.muted and not everything:
        return
    mark = _SIGNS.get(entry.role, "") + (f"{entry.mark} " if entry.mark else "")
    text = Text(entry.text, style=f"{_STYLES[entry.role]} {_TONES[entry.tone]}".strip())
    hidden = entry.closed and not everything
    if hidden:
        text.append(" " + say("forms.folded", lines=entry.lines()), "dim")
    print_line(console, indent, mark, text, hang=None if len(mark) <= _LONGEST_HANG else _INDENT)
    for inner in () if hidden else entry.inside:
        _entry(inner, indent + _INDENT, console, everything)


def print_line(
    console: Console, indent: int, mark: str, text: str | Text, style: str = "", hang: int | None = None
) -> None:
    """A marked text, wrapped so that further lines stand under its beginning, or ``hang`` columns in."""
    hanging = len(mark) if hang is None else hang
    told = Text.assemble(mark[hanging:], text if isinstance(text, Text) else Text(text, style=style))
    for number, line in enumerate(told.wrap(console, max(console.width - indent - hanging, _NARROWEST))):
        lead = mark[:hanging] if number == 0 else " " * hanging
        line.rstrip()
        console.print(Text(" " * indent + lead).append_text(line), soft_wrap=True)


def _table(table: Table, console: Console) -> None:
    if table.title:
        console.print(Text(table.title, style="bold"))
    grid = Grid(box=SIMPLE, pad_edge=False, show_edge=False)
    for place, head in enumerate(table.heads):
        grid.add_column(Text(head), justify="right" if place in table.numeric else "left", overflow="fold")
    for row in table.rows:
        grid.add_row(*map(Text, row))
    console.print(grid)
