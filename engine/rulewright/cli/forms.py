"""In which form an answer is given, and where to: the options of every verb that explains, and the delivery."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console

from rulewright.cli.common import COLUMNS, console, json_text
from rulewright.cli.files import write_whole
from rulewright.diagnostics import Fault, report
from rulewright.forms.page import Page
from rulewright.forms.terminal import print_page

Data = dict[str, Any]


@Parameter(name="*")
@dataclass(frozen=True)
class Forms:
    """The form that a command asks for; without one, the answer is laid out for the terminal.

    A verb takes it as a parameter of its own, ``forms: Forms = TERMINAL``, and so has these options.

    Attributes:
        output: the file that takes the answer, instead of standard output.
        everything: show what would be folded.
    """

    json: Annotated[bool, Parameter(negative="")] = False
    markdown: Annotated[bool, Parameter(negative="")] = False
    html: Annotated[bool, Parameter(negative="")] = False
    output: Path | None = None
    everything: Annotated[bool, Parameter(name="--all", negative="")] = False

    def check(self) -> None:
        """Makes sure that at most one form is asked for.

        Raises:
            Fault: several are.
        """
        asked = [f"--{name}" for name in ("json", "markdown", "html") if getattr(self, name)]
        if len(asked) > 1:
            raise Fault(report("several-forms", one=asked[0], other=asked[1]))


TERMINAL = Forms()


def deliver(data: Data, page: Callable[[Data], Page], forms: Forms) -> None:
    """Gives an answer in the form that is asked for, to standard output or whole into a file.

    Args:
        data: the answer by its schema; this is what ``--json`` gives.
        page: makes the page of it that all other forms lay out.
        forms: the form, and where the answer goes.
    """
    if not (forms.json or forms.markdown or forms.html) and forms.output is None:
        print_page(page(data), console(), forms.everything)
        return
    text = _text(data, page, forms)
    if forms.output is None:
        sys.stdout.write(text)
    else:
        write_whole(forms.output, text)


def _text(data: Data, page: Callable[[Data], Page], forms: Forms) -> str:
    if forms.json:
        return json_text(data) + "\n"
    if forms.markdown:
        from rulewright.forms.markdown import markdown

        return markdown(page(data), forms.everything)
    if forms.html:
        from rulewright.forms.html import html

        return html(page(data), forms.everything)
    stream = io.StringIO()
    plain = Console(file=stream, width=COLUMNS, highlight=False, emoji=False, markup=False, color_system=None)
    print_page(page(data), plain, forms.everything)
    return stream.getvalue()
