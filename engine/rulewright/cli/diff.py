"""``rulewright diff``: what changed in meaning between two versions of rules, and what that comes to in play."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rulewright.cli.app import FAILED, INTERNAL, OK
from rulewright.cli.common import durable, tree_of
from rulewright.cli.forms import TERMINAL, Forms, deliver
from rulewright.compare.changelog import chapters_of, describe_changelog
from rulewright.compare.changelog_page import changelog_page
from rulewright.compare.impact import describe_impact
from rulewright.compare.versions import versions


def diff(
    old: str,
    new: str | None = None,
    /,
    *,
    no_scenarios: Annotated[bool, Parameter(negative="")] = False,
    rules: Path | None = None,
    forms: Forms = TERMINAL,
) -> int:
    """Tell what changed in meaning between two versions of rules, and which scenarios take another course.

    Example: rulewright diff HEAD~1
    """
    forms.check()
    with ExitStack() as stack:
        before, after = versions(old, new, tree_of(rules), stack)
        chapters = chapters_of(before, after)
        data = describe_changelog(before, after, chapters)
        if not no_scenarios:
            backend = durable()
            if backend is None:
                return INTERNAL
            data["impact"] = describe_impact(before, after, chapters, backend)
    deliver(data, changelog_page, forms)
    return FAILED if data["changed"] else OK
