"""``rulewright new``: begins an edition."""

from __future__ import annotations

from pathlib import Path

from rulewright.cli.app import OK
from rulewright.cli.common import tree_of
from rulewright.diagnostics import Fault, report
from rulewright.scaffold.edition import RULES, begun, copied, write_edition
from rulewright.speech import say, spoken


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
    if like is not None and language is not None:
        raise Fault(report("like-in-its-language", edition=like))
    root = rules or Path(RULES)
    if like is not None:
        texts = copied(tree_of(rules), like, name, title)
    else:
        texts = begun(name, title or name, language or spoken())
    for path in write_edition(root, name, texts):
        print(say("new.written", path=path.as_posix()))
    told = "" if rules is None else f" --rules {root.as_posix()}"
    print(say("new.next", folder=(root / name).as_posix(), edition=name, rules=told))
    return OK
