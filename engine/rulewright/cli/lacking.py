"""``rulewright check --lacking CODE``: names all that a language still lacks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rulewright.checks.lacking import lacking_forms, lacking_messages, lacking_texts, lacking_wordings
from rulewright.checks.messages import check_messages
from rulewright.cli.app import FAILED, OK
from rulewright.cli.check import concerned
from rulewright.cli.common import console, print_json
from rulewright.diagnostics import Fault, after, did_you_mean, ordered, report
from rulewright.explain.lacking import describe_lacking, print_lacking
from rulewright.model import Edition
from rulewright.speech import listed
from rulewright.syntax.keywords import tables
from rulewright.syntax.tables import Table
from rulewright.workspace import Tree, load_cached


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
    findings = [*table.diagnostics, *check_messages(code)]
    read_ones: list[tuple[Tree, Edition]] = []
    for tree, name in editions:
        loaded = load_cached(tree, name)
        findings += [d for d in loaded.diagnostics if d.severity == "error"]
        if loaded.edition is not None:
            read_ones.append((tree, loaded.edition))
    parts = list(lacking_forms(table)) if table.usable else []
    parts.append(lacking_messages(code))
    parts += lacking_wordings([edition.vocabulary for _, edition in read_ones], code)
    parts += [lacking_texts(edition, code, tree.translations(edition.ident, code)) for tree, edition in read_ones]
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
