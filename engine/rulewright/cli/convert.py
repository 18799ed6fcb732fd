"""``rulewright convert``: rewrites a file in another language, or lays it out anew in its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rulewright.cli.app import FAILED, OK
from rulewright.cli.common import complain, is_stray, language_of, lies_in, tree_of
from rulewright.cli.files import write_whole
from rulewright.convert.convert import convert
from rulewright.diagnostics import Diagnostic, Fault, report
from rulewright.workspace import VOCABULARY, Tree, read


def convert_file(
    file: Path,
    *,
    to: str,
    output: Path | None = None,
    in_place: Annotated[bool, Parameter(negative="")] = False,
    rules: Path | None = None,
) -> int:
    """Rewrite a file of rules or scenarios in another language; print it, unless told where to write it.

    Comments, blank lines, the order of blocks and clauses, names, titles and notes are kept. In the language that the
    file is in already, its lines are only laid out anew.

    Example: rulewright convert rules/t9a-2/triggers.rules --to bg
    """
    if output is not None and in_place:
        raise Fault(report("two-places"))
    language = language_of(to)
    tree = tree_of(rules, file)
    if is_stray(file, tree):
        raise Fault(report("no-rules-here", path=file, vocabulary=VOCABULARY))
    source = read(file, _name_in(tree, file))
    if isinstance(source, Diagnostic):
        complain([source])
        return FAILED
    text, diagnostics = convert(source, tree, language)
    if diagnostics:
        complain(diagnostics)
        return FAILED
    if output is None and not in_place:
        sys.stdout.write(text)
        return OK
    write_whole(output or file, text)
    return OK


def _name_in(tree: Tree, file: Path) -> str:
    """A file as its tree names it; as it was given, when it lies outside."""
    root = tree.root
    if isinstance(root, Path) and lies_in(file, root):
        inside = file.resolve().relative_to(root.resolve()).as_posix()
        return f"{tree.label}/{inside}" if tree.label else inside
    return str(file)
