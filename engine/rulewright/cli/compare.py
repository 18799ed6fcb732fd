"""``rulewright compare``: what the rules of several editions say on each concept, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rulewright.cli.app import OK
from rulewright.cli.common import Reading, readings_asked_for, tree_of
from rulewright.cli.forms import TERMINAL, Forms, deliver
from rulewright.compare.matrix import describe_matrix
from rulewright.compare.page import matrix_page
from rulewright.compare.sides import sides
from rulewright.speech import spoken


def compare(
    *editions: str,
    concept: Annotated[str | None, Parameter(negative="")] = None,
    reading: Reading = None,
    rules: Path | None = None,
    forms: Forms = TERMINAL,
) -> int:
    """Set editions side by side, concept by concept and clause by clause.

    Example: rulewright compare t9a-2 t9a-3 --concept panic.trigger
    """
    forms.check()
    found = sides(tree_of(rules), editions, readings_asked_for(reading))
    deliver(describe_matrix(found, concept, spoken()), matrix_page, forms)
    return OK
