"""Wordings: no two phrases are worded alike, so that a sentence is never both."""

from __future__ import annotations

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import MEASURES, NUMBER, Phrase, Shorthand, Vocabulary, Wording
from rulewright.phrases.words import Fixed, template
from rulewright.speech import later

Skeleton = tuple[object, ...]


def check_wordings(vocabulary: Vocabulary) -> list[Diagnostic]:
    """Wordings of two phrases that differ at most in what their places are called, and wordings without words."""
    seen: dict[Skeleton, tuple[str, Wording]] = {}
    found = []
    items: list[Phrase | Shorthand] = [*vocabulary.phrases.values(), *vocabulary.shorthands.values()]
    for item in items:
        found += _misplaced(item)
        measure = isinstance(item, Phrase) and item.kind in MEASURES
        for wording in item.wordings:
            if wording.form != "with" and not any(isinstance(part, Fixed) for part in template(wording.template)):
                found.append(report("wordless-wording", wording.span, wording=wording.template))
            key = (measure, wording.language, wording.form, *_skeleton(item, wording))
            first, other = seen.setdefault(key, (item.ident, wording))
            if first != item.ident:
                where = [(later("place.first"), other.span)]
                found.append(report("same-wording", wording.span, where, wording=wording.template, other=first))
    return found


def _misplaced(item: Phrase | Shorthand) -> list[Diagnostic]:
    """Measures of numbers, attributes of more than one thing, and words both ways about fewer than two."""
    if not isinstance(item, Phrase):
        return []
    why = None
    if item.kind in MEASURES and any(r.kind == NUMBER for r in item.roles):
        why = later("measure-places-of.number")
    elif item.kind in MEASURES and len(item.roles) != 1 and any(w.form == "with" for w in item.wordings):
        why = later("measure-places-of.with")
    elif item.symmetric and (len(item.roles) < 2 or item.roles[0].kind != item.roles[1].kind):
        why = later("measure-places-of.both-ways")
    return [report("measure-places", item.span, phrase=item.ident, why=why)] if why else []


def _skeleton(item: Phrase | Shorthand, wording: Wording) -> Skeleton:
    kinds = {r.name: (r.kind, r.dimension) for r in item.roles}
    own = item.dimension if isinstance(item, Phrase) else None
    return tuple(
        part.forms if isinstance(part, Fixed) else kinds.get(part.role, ("number", own))
        for part in template(wording.template)
    )
