"""Variables that look like slips of the pen: mentioned once, and called almost like another one of the same rule."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from rulewright.diagnostics import Diagnostic, nearest, report
from rulewright.model import Anchor, Edition
from rulewright.scripts import look_alike

_VARIABLE = re.compile(r"\{\s*([^{}\n]*?)\s*\}")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*$", re.MULTILINE)


def check_variables(edition: Edition) -> list[Diagnostic]:
    """Variables that were probably meant to be another one."""
    vocabulary = edition.vocabulary
    known = {*vocabulary.kinds} | {r.name for p in vocabulary.phrases.values() for r in p.roles}
    return [found for anchor in edition.anchors() for found in _odd(anchor, known)]


def _odd(anchor: Anchor, known: set[str]) -> Iterator[Diagnostic]:
    text, start = anchor.span.source.text, anchor.span.end
    end = re.compile(r"^[^\s#]", re.MULTILINE).search(text, start)
    body = _COMMENT.sub("", text[start : end.start() if end else len(text)])
    counts = Counter(_VARIABLE.findall(body))
    for number, (name, count) in enumerate(counts.items()):
        others = [n for n in counts if n != name and n.rstrip("0123456789") != name.rstrip("0123456789")]
        twins = [n for n in list(counts)[:number] if look_alike(n, name)]
        if twins:
            place = anchor.span.place_of(f"{{{name}}}")
            yield report("look-alike-variables", place, one=name, other=twins[0])
            continue
        alike = nearest(name, others, 1)
        if count == 1 and name not in known and alike and _one_slip_apart(name, alike[0]):
            place = anchor.span.place_of(f"{{{name}}}")
            yield report(
                "odd-variable", place, variable=name, rule=anchor.ident, other=alike[0], example=f"other-{alike[0]}"
            )


def _one_slip_apart(one: str, other: str) -> bool:
    """Whether one letter more, less or other, or two exchanged, make one word the other."""
    if sorted(one) == sorted(other):
        return True
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return one[start + (len(one) >= len(other)) :] == other[start + (len(other) >= len(one)) :]
