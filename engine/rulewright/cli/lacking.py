"""``rulewright check --lacking CODE``: names all that a language still lacks."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rulewright.checks.lacking import Part, lacking_forms, lacking_messages, lacking_texts, lacking_wordings
from rulewright.cli.app import FAILED, OK
from rulewright.cli.check import concerned
from rulewright.cli.common import console, print_json
from rulewright.diagnostics import Diagnostic, Fault, after, did_you_mean, ordered, report
from rulewright.explain.lacking import describe_lacking, print_lacking
from rulewright.model import Edition
from rulewright.speech import listed
from rulewright.syntax.keywords import tables
from rulewright.syntax.tables import Table
from rulewright.text import Source, Span
from rulewright.workspace import Tree, load_cached, read


def tell_lacking(code: str, places: Sequence[tuple[Path, Tree]], default: Tree, as_json: bool) -> int:
    """Prints what a language lacks, and what is wrong with its table.

    Args:
        code: the language.
        places: files and folders of the editions that are asked about, and the trees they lie in.
        default: the tree of which all editions are asked about where no place is given.
        as_json: whether to print it as data.

    Raises:
        Fault: no table of keywords is of this language.
    """
    table = _table(code)
    editions: dict[tuple[Tree, str], None] = {}
    for path, tree in places:
        editions.update(dict.fromkeys((tree, name) for name in concerned(path, tree)))
    if not places:
        editions.update(dict.fromkeys((default, name) for name in default.editions()))
    findings = list(table.diagnostics)
    read_ones: list[tuple[Tree, Edition]] = []
    for tree, name in editions:
        loaded = load_cached(tree, name)
        findings += [d for d in loaded.diagnostics if d.severity == "error"]
        if loaded.edition is not None:
            read_ones.append((tree, loaded.edition))
    parts = list(lacking_forms(table)) if table.usable else []
    parts.append(lacking_messages(code, f"rulewright/messages/{code}.toml"))
    parts += lacking_wordings([edition.vocabulary for _, edition in read_ones], code)
    parts += [_texts(tree, edition, code, findings) for tree, edition in read_ones]
    name = table.names[0] if table.names else code
    data = describe_lacking(code, name, parts, ordered(findings))
    if as_json:
        print_json(data)
    else:
        print_lacking(data, ordered(findings), console())
    return FAILED if data["lacking"] or findings else OK


def _table(code: str) -> Table:
    """The table of a language; one that cannot be used, where that is all there is."""
    known = [table for table in tables().values() if table.code == code]
    if not known:
        codes = sorted({table.code for table in tables().values()})
        hint = after(did_you_mean(code, codes))
        raise Fault(report("no-table", code=code, known=listed(codes), hint=hint))
    return next((table for table in known if table.usable), known[0])


def _texts(tree: Tree, edition: Edition, code: str, findings: list[Diagnostic]) -> Part:
    """Which texts of an edition lack a translation, by the table beside it."""
    name = f"{edition.ident}/texts.{code}.toml"
    shown = f"{tree.label}/{name}" if tree.label else name
    translated: Mapping[str, Any] | None = None
    file = tree.root.joinpath(edition.ident, f"texts.{code}.toml")
    if file.is_file():
        source = read(file, shown)
        if isinstance(source, Source):
            try:
                translated = tomllib.loads(source.text)
            except tomllib.TOMLDecodeError as error:
                findings.append(report("table-unreadable", Span(source, 0, 0), reason=str(error)))
        else:
            findings.append(source)
    return lacking_texts(edition, code, translated, shown)
