"""Citations: every sentence of the source is cited or said not to be modelled, and every rule cites."""

from __future__ import annotations

from collections.abc import Collection

from rulewright.diagnostics import Diagnostic, did_you_mean, report
from rulewright.model import Edition
from rulewright.speech import later


def check_citations(edition: Edition, own: Collection[str]) -> list[Diagnostic]:
    """Checks the citations of an edition. A sentence is covered by a block that cites it, in force or not.

    Args:
        edition: the edition.
        own: names of the edition's own files; what the shared vocabulary defines need not cite.
    """
    source = edition.source
    if source is None:
        return []
    found: list[Diagnostic] = []
    known = set(source.sentences)
    skipped = {n.sentence for n in source.not_modelled}
    cited = {sentence for block in edition.readings.dependents for sentence in block.cites}
    for anchor in edition.anchors():
        mine = anchor.span.source.name in own
        if mine and not anchor.cites and not anchor.assumptions:
            found.append(report("uncited", anchor.span, severity="warning", rule=anchor.ident))
        for sentence in anchor.cites:
            cited.add(sentence)
            if sentence not in known:
                hint = did_you_mean(sentence, known) or later("hint.sentences")
                found.append(
                    report(
                        "unknown-citation",
                        anchor.span.place_of(sentence),
                        rule=anchor.ident,
                        sentence=sentence,
                        hint=hint,
                    )
                )
    for reading in edition.readings.known.values():
        for sentence in (s for s in reading.cites if s not in known):
            hint = did_you_mean(sentence, known) or later("hint.sentences")
            place = reading.span.place_of(sentence)
            found.append(report("unknown-citation", place, rule=reading.ident, sentence=sentence, hint=hint))
    for sentence in sorted(skipped - known):
        hint = did_you_mean(sentence, known) or later("hint.sentences")
        found.append(report("unknown-citation", source.span, rule=edition.ident, sentence=sentence, hint=hint))
    for sentence in sorted(known - cited - skipped):
        found.append(report("sentence-not-covered", source.span, severity="warning", sentence=sentence))
    for sentence in sorted(cited & skipped):
        found.append(report("cited-and-skipped", source.span, severity="warning", sentence=sentence))
    return found
