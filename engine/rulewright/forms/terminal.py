"""A page on the terminal: 80 columns by default, in colour where there is colour."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from rulewright.forms.page import UNFOLD, Block, Cell, Entry, Line, Page, Picture, Role, Sheet, Table, Tone
from rulewright.speech import say

_INDENT = 2
_LONGEST_HANG = 6
"""Letters; further lines stand under the beginning of the text where its mark is no longer than this."""
_NARROWEST = 20
BESIDE = 2
"""So many columns of a sheet find room beside each other."""

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


def print_page(page: Page, console: Console, everything: bool = False, unfold: str = UNFOLD) -> None:
    """Prints a page; what is folded is left out, and counted, unless everything is asked for.

    Args:
        page: the page.
        console: where it is printed.
        everything: show what is folded as well.
        unfold: what asks for everything.
    """
    if page.title:
        print_line(console, 0, "", page.title, "bold")
    if page.place:
        print_line(console, 0, "", page.place, "dim")
    before: Block | None = None
    for block in page.blocks:
        if _apart(before, block):
            console.print()
        if isinstance(block, Entry):
            _entry(block, 0, console, everything, unfold)
        elif isinstance(block, Table):
            _table(block, console)
        elif isinstance(block, Sheet):
            _sheet(block, console, everything)
        before = block if not isinstance(block, Picture) else before


def _apart(before: Block | None, block: Block) -> bool:
    """Whether a blank line stands before a block: always but between entries of one line."""
    if isinstance(block, Picture) or (isinstance(block, Sheet) and block.folded):
        return False
    return not all(isinstance(b, Entry) and b.role != "heading" and not b.inside for b in (before, block))


def _entry(entry: Entry, indent: int, console: Console, everything: bool, unfold: str) -> None:
    if entry.muted and not everything:
        return
    mark = _SIGNS.get(entry.role, "") + (f"{entry.mark} " if entry.mark else "")
    text = Text(entry.text, style=f"{_STYLES[entry.role]} {_TONES[entry.tone]}".strip())
    hidden = entry.closed and not everything
    if hidden:
        text.append(" " + say("forms.folded", lines=entry.lines(), unfold=unfold), "dim")
    print_line(console, indent, mark, text, hang=None if len(mark) <= _LONGEST_HANG else _INDENT)
    for inner in () if hidden else entry.inside:
        _entry(inner, indent + _INDENT, console, everything, unfold)


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


def _sheet(sheet: Sheet, console: Console, everything: bool) -> None:
    """A sheet: two columns beside each other, more below each other."""
    if sheet.folded and not everything:
        return
    title = Text(sheet.title, style=f"bold {_TONES[sheet.tone]}".strip())
    print_line(console, 0, "", title.append(f"  {sheet.note}" if sheet.note else "", "dim"))
    if len(sheet.heads) == BESIDE:
        _beside(sheet, console)
    else:
        _below(sheet, console)


def _beside(sheet: Sheet, console: Console) -> None:
    gutter = max((len(line.sign) for line in sheet.lines), default=0)
    width = (console.width - gutter - 1 - BESIDE) // BESIDE
    grid = Grid(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column(width=gutter)
    for head in sheet.heads:
        grid.add_column(Text(head, style="bold underline"), width=width, overflow="fold")
    for line in sheet.lines:
        grid.add_row(Text(line.sign, style=_TONES[line.tone]), *(_cell(cell, width, console) for cell in line.cells))
    console.print(grid)


def _below(sheet: Sheet, console: Console) -> None:
    """Columns below each other; of lines between two empty ones, those of one column after those of another."""
    for number, group in enumerate(_groups(sheet.lines)):
        if number:
            console.print()
        gutter = any(line.sign for line in group)
        for place, head in enumerate(sheet.heads):
            if len(sheet.heads) > 1 and any(line.cells[place] for line in group):
                print_line(console, 2, "", head, "bold underline")
            for line in group:
                cell = line.cells[place]
                if cell is not None:
                    mark = f"{line.sign:1} " if gutter else ""
                    print_line(console, 2, mark + " " * _INDENT * cell.depth, _pieces(cell))


def _groups(lines: Sequence[Line]) -> list[list[Line]]:
    groups: list[list[Line]] = [[]]
    for line in lines:
        if any(line.cells):
            groups[-1].append(line)
        else:
            groups.append([])
    return groups


def _cell(cell: Cell | None, width: int, console: Console) -> Text:
    """A cell, wrapped so that further lines stand further in than its first."""
    if cell is None:
        return Text("")
    lead = " " * _INDENT * cell.depth
    lines = _pieces(cell).wrap(console, max(width - len(lead) - _INDENT, _NARROWEST))
    told = [Text(lead + " " * (_INDENT if number else 0)).append_text(line) for number, line in enumerate(lines)]
    for line in told:
        line.rstrip()
    return Text("\n").join(told)


def _pieces(cell: Cell) -> Text:
    """The words of a cell; what differs stands between asterisks."""
    text = Text("", style=_STYLES[cell.role])
    for number, piece in enumerate(cell.pieces):
        text.append(" " if number else "")
        text.append(f"*{piece.text}*" if piece.differs else piece.text, "bold yellow" if piece.differs else "")
    return text
