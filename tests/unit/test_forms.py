"""The forms of a page: terminal, Markdown, HTML, and the drawings in it."""

import io
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from rich.console import Console

from rulewright.forms.drawing import Axis, Box, Series, plot, tree
from rulewright.forms.html import html
from rulewright.forms.markdown import escaped, markdown
from rulewright.forms.page import Entry, Page, Picture, Table
from rulewright.forms.terminal import print_page
from rulewright.speech import speaking

NASTY = '1. <b>a_b*c*</b> & [x](y) | `z` # \\ "q"'
SVG = "{http://www.w3.org/2000/svg}"

PAGE = Page(
    title=NASTY,
    place="somewhere",
    language="bg",
    blocks=(
        Entry(
            "Heading", "heading", inside=(Entry(NASTY, "step", mark="5", inside=(Entry("clause " * 30, "clause"),)),)
        ),
        Entry(
            "folded", "rule", "warning", folded=True, inside=(Entry("one", "clause", inside=(Entry("two", "effect"),)),)
        ),
        Table("A table", ("head|a", "n"), ((NASTY, "1"), ("b", "22")), frozenset({1})),
        Picture("A drawing", tree("T", "D", [Box(NASTY)])),
    ),
)


def on_terminal(page: Page, everything: bool = False) -> str:
    stream = io.StringIO()
    print_page(page, Console(file=stream, width=80, highlight=False, emoji=False, markup=False), everything)
    return stream.getvalue()


class Elements(HTMLParser):
    """The elements of a page, with their attributes, and its text."""

    VOID = frozenset({"meta", "path", "rect", "circle", "polyline"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert not self.open, "an element is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_terminal_wraps_and_indents_and_counts_what_is_folded() -> None:
    told = on_terminal(PAGE)
    assert max(map(len, told.splitlines())) <= 80
    assert "\n  5 " + NASTY in told
    assert "folded (2 more lines; --all)" in told
    assert "two" not in told
    assert "  - one\n    => two" in on_terminal(PAGE, everything=True)
    with speaking("bg"):
        assert "folded (още редове: 2; --all)" in on_terminal(PAGE)


def test_markdown_shows_every_sign_as_it_is() -> None:
    source = markdown(PAGE)
    tokens = MarkdownIt("commonmark").enable("table").parse(source)
    inline = [t for t in tokens if t.type == "inline"]
    shown = ["".join(c.content for c in t.children or () if c.type != "softbreak") for t in inline]
    assert shown.count(NASTY) == 2  # the title and the cell of the table
    assert f"5 {NASTY}" in shown
    assert not any(c.type in ("html_inline", "link_open", "code_inline") for t in inline for c in t.children or ())
    assert [t.type for t in tokens].count("tr_open") == 3
    assert "folded (2 more lines; --all)" in shown
    assert "    - ⇒ two" in markdown(PAGE, everything=True)


@pytest.mark.parametrize(
    ("text", "source"),
    [("41.7%", "41.7%"), ("1. one", "1\\. one"), ("2) two", "2\\) two"), ("- three", "\\- three"), ("4.", "4\\.")],
)
def test_markdown_leaves_signs_alone_that_mean_nothing_to_it(text: str, source: str) -> None:
    assert escaped(text) == source


def test_html_is_one_closed_page_in_its_language_that_folds() -> None:
    page = Elements(html(PAGE))
    assert ("html", {"lang": "bg"}) in page.found
    assert not any(
        v and v.startswith(("http", "//")) for t, a in page.found for k, v in a.items() if k in ("src", "href")
    )
    assert not any(tag in ("link", "img", "b", "iframe") for tag, _ in page.found)
    folds = [attributes for tag, attributes in page.found if tag == "details"]
    assert [("open" in a, "data-folded" in a) for a in folds] == [
        (True, False),
        (True, False),
        (False, True),
        (True, False),
    ]
    assert page.text.count(NASTY) >= 4
    assert sum(tag == "svg" for tag, _ in page.found) == 1
    opened = Elements(html(PAGE, everything=True))
    assert all("open" in attributes for tag, attributes in opened.found if tag == "details")


def test_no_two_boxes_of_a_tree_overlap_and_all_lie_inside() -> None:
    inner = tuple(Box(f"кутия {n} " * n, note="note " * n, label="3/4 да" * (n % 2)) for n in range(1, 6))
    roots = [Box("root", below=(*inner, Box("x", below=inner))), Box("other", "dice")]
    for direction in ("down", "right"):
        drawing = ET.fromstring(tree("Title", "Description", roots, direction))
        assert (drawing[0].text, drawing[1].text) == ("Title", "Description")
        boxes = [tuple(float(r.get(k, 0)) for k in ("x", "y", "width", "height")) for r in drawing.iter(f"{SVG}rect")]
        assert len(boxes) == 13
        assert len(list(drawing.iter(f"{SVG}path"))) == 11
        width, height = float(drawing.get("width", 0)), float(drawing.get("height", 0))
        for x, y, w, h in boxes:
            assert x >= 0
            assert y >= 0
            assert x + w <= width
            assert y + h <= height
        for number, (x, y, w, h) in enumerate(boxes):
            for x2, y2, w2, h2 in boxes[:number]:
                assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_a_plot_puts_higher_values_higher_and_words_its_ticks() -> None:
    series = [Series("a < b", ((4, 0.1), (5, 0.5), (6, 1.0))), Series("c", ((4, 0.0), (6, 0.25)))]
    drawing = ET.fromstring(plot("T", "D", Axis("Дисциплина"), Axis("шанс", percent=True), series))
    lines = [p.get("points", "").split() for p in drawing.iter(f"{SVG}polyline")]
    heights = [[float(spot.partition(",")[2]) for spot in line] for line in lines]
    assert heights[0] == sorted(heights[0], reverse=True)
    texts = {t.text for t in drawing.iter(f"{SVG}text")}
    assert {"0%", "100%", "4", "5", "6", "a < b", "Дисциплина", "шанс"} <= texts
    bars = ET.fromstring(plot("T", "D", Axis("x"), Axis("y"), series[:1], "bar"))
    tall = [float(r.get("height", 0)) for r in bars.iter(f"{SVG}rect")]
    assert tall == sorted(tall)
    with speaking("bg"):
        small = ET.fromstring(plot("T", "D", Axis("x"), Axis("y"), [Series("s", ((1, 0.5), (2, 1.5)))]))
    assert "0,8" in {t.text for t in small.iter(f"{SVG}text")}


def test_the_names_of_many_series_stand_inside_the_plot() -> None:
    names = [
        "Вълците губят битката",
        "битката свършва",
        "Вълците издържат тест за разгром",
        "Вълците се провалят на теста",
    ]
    plotted = plot("T", "D", Axis("x"), Axis("y", percent=True), [Series(n, ((1, 0.5), (2, 1.0))) for n in names])
    drawing = ET.fromstring(plotted)
    places = {t.text: (float(t.get("x", 0)), float(t.get("y", 0))) for t in drawing.iter(f"{SVG}text")}
    assert all(places[name][0] + 6 * len(name) <= float(drawing.get("width", 0)) for name in names)
    assert len({places[name] for name in names}) == 4
    assert max(places[name][1] for name in names) < places["100%"][1]
