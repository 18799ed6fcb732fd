"""``rulewright new``: begins an edition."""

from __future__ import annotations

from pathlib import Path

from rulewright import assets
from rulewright.cli.app import OK
from rulewright.cli.common import tree_of
from rulewright.diagnostics import Fault, report
from rulewright.scaffold.edition import RULES, begun, check_name, copied, write_edition
from rulewright.speech import say, spoken
from rulewright.workspace import Tree


def new(
    what: str,
    name: str,
    /,
    *,
    title: str | None = None,
    language: str | None = None,
    like: str | None = None,
    rules: Path | None = None,
) -> int:
    """Begin an edition: a folder with a first rule, a first test and a scenario, or with those of another edition.

    Example: rulewright new edition house --title "House rules"
    """
    if what != "edition":
        raise Fault(report("nothing-new", what=what))
    check_name(name)
    if like is not None and language is not None:
        raise Fault(report("like-in-its-language", edition=like))
    root = rules or Path(RULES)
    if like is not None:
        texts = copied(_tree_with(like, rules), like, name, title)
    else:
        texts = begun(name, name if title is None else title, language or spoken())
    for path in write_edition(root, name, texts):
        print(say("new.written", path=path.as_posix()))
    told = "" if rules is None else f" --rules {root.as_posix()}"
    print(say("new.next", folder=(root / name).as_posix(), edition=name, rules=told))
    return OK


def _tree_with(edition: str, rules: Path | None) -> Tree:
    """The rules that hold an edition: those at hand, else the shipped ones."""
    shipped = Tree(assets.rules_root(), "")
    if rules is not None and not rules.exists():
        return shipped
    tree = tree_of(rules)
    return shipped if edition not in tree.editions() and edition in shipped.editions() else tree
