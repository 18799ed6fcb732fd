"""A page as HTML: one file that needs nothing else, to be unfolded by the reader, to be read on a phone, to be printed.

The template stands in ``templates/page.html``; whatever a page says is escaped there.
"""

from __future__ import annotations

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from rulewright.forms.page import Entry, Page, Picture, Table
from rulewright.speech import say


def html(page: Page, everything: bool = False) -> str:
    """The text of a page; what is folded is closed, unless everything is asked for."""
    blocks = [(_sort(block), block) for block in page.blocks]
    return _template().render(page=page, blocks=blocks, everything=everything, say=say)


def _sort(block: Entry | Table | Picture) -> str:
    return type(block).__name__.casefold()


@cache
def _template() -> Template:
    loader = PackageLoader("rulewright.forms", "templates")
    environment = Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
    )
    return environment.get_template("page.html")
