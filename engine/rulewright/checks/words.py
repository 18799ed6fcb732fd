"""Words that the engine itself relies on, when an edition has tests: their phrases and places."""

from __future__ import annotations

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import CALLED_BY, CAUSED_BY, FAILS_TEST, PASSES_TEST, TAKES_TEST, Edition
from rulewright.speech import later

_WANTED = {
    TAKES_TEST: later("missing-word-of.takes-test"),
    PASSES_TEST: later("missing-word-of.passes-test"),
    FAILS_TEST: later("missing-word-of.fails-test"),
    CALLED_BY: later("missing-word-of.test-called-by"),
    CAUSED_BY: later("missing-word-of.test-caused-by"),
}


def check_words(edition: Edition) -> list[Diagnostic]:
    """Phrases that tests need and the vocabulary lacks, or declares otherwise than they are needed."""
    if not edition.tests:
        return []
    found = []
    for ident, wanted in _WANTED.items():
        phrase = edition.vocabulary.phrases.get(ident)
        kinds = [r.kind for r in phrase.roles] if phrase else []
        if phrase is None or not _fits(ident, kinds):
            span = phrase.span if phrase else edition.tests[0].anchor.span
            found.append(report("missing-word", span, phrase=ident, wanted=wanted))
    return found


def _fits(ident: str, kinds: list[str]) -> bool:
    if ident == TAKES_TEST:
        return len(kinds) in (2, 3) and kinds[1] == "test"
    if ident in (PASSES_TEST, FAILS_TEST):
        return len(kinds) == 2 and kinds[1] == "test"
    if ident == CALLED_BY:
        return len(kinds) == 3 and kinds[0] == "test" and kinds[2] == "rule"
    return len(kinds) == 3 and kinds[0] == "test"
