"""Drawings as SVG: a tree of boxes with connectors, and a plot; each fits light and dark pages, and stands by itself.

tree("Why", "What the panic rests on", [Box("Archers flee", below=(Box("they failed a test"),))])
plot("Odds", "Chance to pass by Discipline", Axis("Discipline"), Axis("chance", percent=True), [Series("2D6", points)])
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from math import ceil, floor, log10
from typing import Literal

from rulewright.forms.page import Role, Tone
from rulewright.speech import worded

Direction = Literal["down", "right"]
Kind = Literal["line", "bar"]

_LINE, _SMALL = 17, 15
_CHARACTER, _BOLD_CHARACTER, _SMALL_CHARACTER = 7.4, 8.3, 6.4
"""What a letter takes on average, in either script, with some room to spare: there are no measures of a font here."""
_PAD, _MARGIN = 9, 12
_BESIDE, _BETWEEN = 14, 36
"""The room between neighbours, and between one level and the next."""
_WIDEST = 1100
"""Trees that would together be wider stand below each other."""
_STYLE = (
    ".d{--p:#fff;--i:#1f2328;--f:#656d76;--l:#8c959f;--good:#1a7f37;--bad:#c01f2d;--warning:#8a5a00;"
    "--numbers:#0a5bbd;--effect:#0b6e75;--dice:#8a3ea8;font-family:system-ui,'Segoe UI',Roboto,sans-serif}"
    "@media(prefers-color-scheme:dark){.d{--p:#20242a;--i:#e6e4df;--f:#9aa1a9;--l:#6e7681;--good:#57c774;--bad:#ff7b84;"
    "--warning:#e0ab4a;--numbers:#79b4ff;--effect:#5cc9d1;--dice:#d79bef}}"
    ".d text{fill:var(--i);font-size:13px}.d .s{fill:var(--f);font-size:11.5px}"
    ".d .b{font-weight:600}.d rect{fill:var(--p);stroke:var(--l);stroke-width:1.2}"
    ".d .c,.d .g{fill:none;stroke:var(--l);stroke-width:1.2}.d .g{stroke-opacity:.3}"
    ".d .n{fill:none;stroke-width:2.2}.d .v{stroke:none}"
    + "".join(
        f".d .{tone}>rect{{stroke:var(--{tone});stroke-width:1.8}}"
        for tone in ("good", "bad", "warning", "dice", "effect")
    )
    + ".d .quiet>rect{stroke-dasharray:4 3}.d .quiet text{fill:var(--f)}"
)
_COLOURS = ("numbers", "dice", "effect", "warning", "good", "bad")


_BOLD: frozenset[Role] = frozenset({"rule", "step", "heading"})


@dataclass(frozen=True)
class Box:
    """A box of a tree, and the boxes it leads to.

    Attributes:
        note: a second text in smaller letters.
        label: stands at the connector that leads here.
    """

    text: str
    role: Role = "note"
    tone: Tone = "plain"
    note: str = ""
    label: str = ""
    below: tuple[Box, ...] = ()


@dataclass(frozen=True)
class Axis:
    """What is laid off along an axis; ``percent``: its values are shares of one."""

    title: str
    percent: bool = False


@dataclass(frozen=True)
class Series:
    """Points of a plot that belong together."""

    name: str
    points: tuple[tuple[float, float], ...]


# --- trees ---------------------------------------------------------------------------------------------------------


def tree(title: str, description: str, roots: Sequence[Box], direction: Direction = "down", width: int = 24) -> str:
    """Draws trees of boxes, the roots on top or to the left.

    Args:
        title: what the drawing is, for readers who hear it.
        description: what it shows, in a sentence or two, for the same.
        roots: the boxes that no connector leads to.
        direction: where the boxes of the next level stand.
        width: the letters in a line of a box, at most.
    """
    parts: list[str] = []
    across, along = 0.0, float(_MARGIN)
    for row in _rows([_Node(root, width, direction) for root in roots], direction):
        placed: list[_Placed] = []
        start = float(_MARGIN)
        for node in row:
            node.place(start, 0, placed)
            start += node.extent + 2 * _BESIDE
        offsets = _offsets(placed, along)
        parts += _connectors(placed, offsets, direction)
        for one in placed:
            parts += _box(one.node, *_corner(one, offsets, direction))
        across = max(across, start - 2 * _BESIDE + _MARGIN)
        along = offsets[-1]
    along += _MARGIN - _BETWEEN
    return _svg(title, description, (across, along) if direction == "down" else (along, across), parts)


def _rows(nodes: Sequence[_Node], direction: Direction) -> list[list[_Node]]:
    """Which trees stand beside each other: as many as there is room for, where they grow downwards; else all."""
    rows: list[list[_Node]] = []
    room = 0.0
    for node in nodes:
        if rows and (direction == "right" or node.extent <= room):
            rows[-1].append(node)
        else:
            rows.append([node])
            room = _WIDEST
        room -= node.extent + 2 * _BESIDE
    return rows


class _Node:
    """A box with its lines and the room it takes: ``breadth`` beside its neighbours, ``depth`` from level to level."""

    def __init__(self, box: Box, width: int, direction: Direction) -> None:
        self.box = box
        self.lines = _wrapped(box.text, width)
        self.notes = _wrapped(box.note, int(width * _CHARACTER / _SMALL_CHARACTER))
        letter = _BOLD_CHARACTER if box.role in _BOLD else _CHARACTER
        longest = max((len(line) * letter for line in self.lines), default=0.0)
        longest = max(longest, *(len(line) * _SMALL_CHARACTER for line in self.notes), 30.0)
        self.width = longest + 2 * _PAD
        self.height = len(self.lines) * _LINE + len(self.notes) * _SMALL + 2 * _PAD
        labelled = len(box.label) * _SMALL_CHARACTER
        down = direction == "down"
        self.breadth = max(self.width, labelled) if down else self.height
        self.depth = self.height if down else self.width
        self.before = (_LINE if box.label else 0.0) if down else labelled
        self.below = [_Node(inner, width, direction) for inner in box.below]
        inner = sum(node.extent for node in self.below) + _BESIDE * max(len(self.below) - 1, 0)
        self.extent: float = max(self.breadth, inner)
        self._inner = inner

    def place(self, start: float, level: int, placed: list[_Placed], parent: _Placed | None = None) -> None:
        """Finds the middle of this box and of all below, all of which take the room from ``start`` on."""
        here = _Placed(self, start + self.extent / 2, level, parent)
        placed.append(here)
        start += (self.extent - self._inner) / 2
        for node in self.below:
            node.place(start, level + 1, placed, here)
            start += node.extent + _BESIDE


@dataclass
class _Placed:
    node: _Node
    middle: float
    level: int
    parent: _Placed | None


def _wrapped(text: str, width: int) -> list[str]:
    return [line for part in text.splitlines() for line in textwrap.wrap(part, width)]


def _offsets(placed: Sequence[_Placed], begin: float) -> list[float]:
    """Where each level begins, the first of them at ``begin``, and where one after the last would."""
    levels = max((one.level for one in placed), default=-1) + 1
    found = [begin]
    for level in range(levels):
        deepest = max(one.node.depth for one in placed if one.level == level)
        next_ones = [one.node.before for one in placed if one.level == level + 1]
        found.append(found[-1] + deepest + _BETWEEN + max(next_ones, default=0.0))
    return found


def _corner(one: _Placed, offsets: Sequence[float], direction: Direction) -> tuple[float, float]:
    if direction == "down":
        return one.middle - one.node.width / 2, offsets[one.level]
    return offsets[one.level], one.middle - one.node.height / 2


def _connectors(placed: Sequence[_Placed], offsets: Sequence[float], direction: Direction) -> Iterator[str]:
    for one in placed:
        if one.parent is None:
            continue
        start, end = offsets[one.parent.level] + one.parent.node.depth, offsets[one.level]
        turn = end - _BETWEEN / 2
        label = one.node.box.label
        if direction == "down":
            turn -= one.node.before
            yield f'<path class="c" d="M{one.parent.middle:.1f} {start:.1f}V{turn:.1f}H{one.middle:.1f}V{end:.1f}"/>'
            if label:
                yield _text(one.middle, end - 6, label, "s", "middle", halo=True)
        else:
            turn = end - one.node.before - _BETWEEN * 0.7
            yield f'<path class="c" d="M{start:.1f} {one.parent.middle:.1f}H{turn:.1f}V{one.middle:.1f}H{end:.1f}"/>'
            if label:
                yield _text(end - 6, one.middle - 4, label, "s", "end")


def _box(node: _Node, x: float, y: float) -> Iterator[str]:
    box = node.box
    look = box.tone if box.tone != "plain" else box.role if box.role in ("dice", "effect") else ""
    round_ = 10 if box.role in ("fact", "note") else 3
    size = f'width="{node.width:.1f}" height="{node.height:.1f}" rx="{round_}"'
    yield f'<g class="{look}"><rect x="{x:.1f}" y="{y:.1f}" {size}/>'
    line = y + _PAD + 12
    for text in node.lines:
        yield _text(x + node.width / 2, line, text, "b" if box.role in _BOLD else "", "middle")
        line += _LINE
    for text in node.notes:
        yield _text(x + node.width / 2, line - 1, text, "s", "middle")
        line += _SMALL
    yield "</g>"


# --- plots ---------------------------------------------------------------------------------------------------------

_PLOT_WIDTH, _PLOT_HEIGHT, _LEFT, _BOTTOM, _TOP = 640, 320, 64, 52, 14


def plot(
    title: str, description: str, across: Axis, upwards: Axis, series: Sequence[Series], kind: Kind = "line"
) -> str:
    """Draws series of points as lines, or as bars beside each other, with axes, a grid and, for several, a legend."""
    points = [point for one in series for point in one.points] or [(0.0, 0.0)]
    places = sorted({x for x, _ in points})
    highest = 1.0 if upwards.percent else max([1e-9, *(y for _, y in points)])
    ticks = _ticks(highest)
    highest = max(highest, ticks[-1])
    named = _named(series) if len(series) > 1 else []
    legend = named[-1][1] + _SMALL + 8 - _TOP if named else 0.0
    frame = _Frame(places, highest, _TOP + legend, kind, len(series))
    parts = [*_axes(frame, places, ticks, across, upwards)]
    for number, one in enumerate(series):
        colour = f"var(--{_COLOURS[number % len(_COLOURS)]})"
        parts += _bars(frame, one, number, colour) if kind == "bar" else _curve(frame, one, colour)
    parts += _legend(series, named)
    return _svg(title, description, (_PLOT_WIDTH, frame.bottom + _BOTTOM), parts)


class _Frame:
    """Where a value stands in the drawing."""

    def __init__(self, places: Sequence[float], highest: float, top: float, kind: Kind, beside: int) -> None:
        self.left, self.right = float(_LEFT), float(_PLOT_WIDTH - _MARGIN)
        self.top, self.bottom = top, top + _PLOT_HEIGHT - _BOTTOM
        self.low, self.high, self.highest = places[0], places[-1], highest
        self.slot = (self.right - self.left) / max(len(places), 1)
        self.bar = self.slot * 0.76 / max(beside, 1)
        self.index = {place: number for number, place in enumerate(places)} if kind == "bar" else {}

    def x(self, value: float) -> float:
        if self.index:
            return self.left + (self.index[value] + 0.5) * self.slot
        inner = self.right - self.left - 2 * _MARGIN
        return (
            self.left
            + _MARGIN
            + (inner * (value - self.low) / (self.high - self.low) if self.high > self.low else inner / 2)
        )

    def y(self, value: float) -> float:
        return self.bottom - (self.bottom - self.top) * value / self.highest


def _ticks(highest: float) -> list[float]:
    """Round numbers from nought to the highest value or just above, five to twelve of them."""
    power = 10.0 ** floor(log10(highest))
    step = next(s for s in (power * 2, power, power / 2, power / 5, power / 10) if highest / s >= 4)
    return [round(step * number, 10) for number in range(ceil(highest / step - 1e-9) + 1)]


def _axes(frame: _Frame, places: Sequence[float], ticks: Sequence[float], across: Axis, upwards: Axis) -> Iterator[str]:
    for tick in ticks:
        y = frame.y(tick)
        yield f'<path class="g" d="M{frame.left:.1f} {y:.1f}H{frame.right:.1f}"/>'
        yield _text(frame.left - 6, y + 4, _value(tick, upwards), "s", "end")
    every = max(1, -(-len(places) // 16))
    for place in places[::every]:
        yield _text(frame.x(place), frame.bottom + 18, _value(place, across), "s", "middle")
    yield f'<path class="c" d="M{frame.left:.1f} {frame.top:.1f}V{frame.bottom:.1f}H{frame.right:.1f}"/>'
    yield _text((frame.left + frame.right) / 2, frame.bottom + 40, across.title, "", "middle")
    x, y = 16, (frame.top + frame.bottom) / 2
    turned = f'text-anchor="middle" transform="rotate(-90 {x} {y:.1f})"'
    yield f'<text x="{x}" y="{y:.1f}" {turned}>{escape(upwards.title)}</text>'


def _value(value: float, axis: Axis) -> str:
    shown = worded(Fraction(value * 100 if axis.percent else value).limit_denominator(100))
    return f"{shown}%" if axis.percent else shown


def _curve(frame: _Frame, series: Series, colour: str) -> Iterator[str]:
    spots = [(frame.x(x), frame.y(y)) for x, y in series.points]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    yield f'<polyline class="n" style="stroke:{colour}" points="{line}"/>'
    for x, y in spots:
        yield f'<circle class="v" style="fill:{colour}" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>'


def _bars(frame: _Frame, series: Series, number: int, colour: str) -> Iterator[str]:
    for x, y in series.points:
        left = frame.x(x) - frame.slot * 0.38 + number * frame.bar
        top = frame.y(y)
        yield (
            f'<rect class="v" style="fill:{colour}" x="{left:.1f}" y="{top:.1f}"'
            f' width="{frame.bar * 0.94:.1f}" height="{max(frame.bottom - top, 0):.1f}"/>'
        )


def _named(series: Sequence[Series]) -> list[tuple[float, float]]:
    """Where the names of the series stand: beside each other, and below where there is no more room."""
    places: list[tuple[float, float]] = []
    x, y = float(_LEFT), float(_TOP)
    for one in series:
        wide = 16 + len(one.name) * _SMALL_CHARACTER
        if places and x + wide > _PLOT_WIDTH:
            x, y = float(_LEFT), y + _SMALL + 3
        places.append((x, y))
        x += wide + 22
    return places


def _legend(series: Sequence[Series], places: Sequence[tuple[float, float]]) -> Iterator[str]:
    for number, (x, y) in enumerate(places):
        colour = f"var(--{_COLOURS[number % len(_COLOURS)]})"
        yield f'<rect class="v" style="fill:{colour}" x="{x:.1f}" y="{y:.1f}" width="11" height="11"/>'
        yield _text(x + 16, y + 10, series[number].name, "s", "start")


# --- both ----------------------------------------------------------------------------------------------------------


def _text(x: float, y: float, text: str, look: str, anchor: str, halo: bool = False) -> str:
    style = ' style="paint-order:stroke;stroke:var(--p);stroke-width:4px"' if halo else ""
    known = f' class="{look}"' if look else ""
    return f'<text{known} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


def _svg(title: str, description: str, size: tuple[float, float], parts: Sequence[str]) -> str:
    width, height = (round(side) for side in size)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="d" role="img" aria-label="{escape(title)}"'
        f' width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc><style>{_STYLE}</style>"
        f"{''.join(parts)}</svg>"
    )
