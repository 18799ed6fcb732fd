"""From an answer to verdicts: which rules match, which of them fire, what pre-empts the others."""

from __future__ import annotations

from rulewright.lowering import names
from rulewright.lowering.compile import Compiled
from rulewright.model import Exemption
from rulewright.productions import Fact
from rulewright.provenance import Defeat, RuleMatch
from rulewright.session.agenda import Happening
from rulewright.session.cycle import Answer
from rulewright.session.grounds import Grounds
from rulewright.session.world import decoded


def read_matches(compiled: Compiled, answer: Answer, counted: int) -> list[RuleMatch]:
    """The rule matches of an answer, fired or pre-empted, in an order that does not depend on the rules' order.

    Args:
        compiled: the edition.
        answer: what the matcher answered to an event.
        counted: matches counted so far; they are numbered on from there.
    """
    grounds = Grounds(compiled, answer)
    found: list[RuleMatch] = []
    for ident in sorted(compiled.matched[predicate] for predicate in answer.by_head if predicate in compiled.matched):
        fired = {fact.values for fact in answer.heads(names.fire(ident))}
        for fact, firings in sorted(answer.heads(names.match(ident)).items()):
            bindings = dict(zip(compiled.variables[ident], decoded(fact.values), strict=True))
            defeats = () if fact.values in fired else _defeats(ident, fact, answer, grounds)
            number = counted + len(found) + 1
            found.append(RuleMatch(number, ident, bindings, grounds.clauses(firings[0]), defeats))
    return found


def _defeats(ident: str, matched: Fact, answer: Answer, grounds: Grounds) -> tuple[Defeat, ...]:
    found = []
    for fact, firings in sorted(answer.heads(names.defeat(ident)).items()):
        if fact.values[:-1] != matched.values:
            continue
        kind, _, what = str(fact.values[-1]).partition(":")
        if kind == "unless":
            found.append(Defeat("unless", ident, grounds.clauses(firings[0])))
        elif kind == "rule":
            found.append(Defeat("rule", what, ()))
        else:
            found.append(_by_exemption(what, ident, matched, answer, grounds))
    return tuple(found)


def _by_exemption(exemption: str, base: str, at: Fact, answer: Answer, grounds: Grounds) -> Defeat:
    predicate = names.match(f"{exemption}@{base}")
    matched = answer.heads(predicate)[Fact(predicate, at.values)]
    return Defeat("exemption", exemption, grounds.clauses(matched[0]))


def read_voided(
    compiled: Compiled, answer: Answer, happening: Happening, exemptions: tuple[Exemption, ...]
) -> tuple[Defeat, ...]:
    """The exemptions that keep an event from coming about."""
    grounds = Grounds(compiled, answer)
    base = f"event:{happening.event}"
    return tuple(
        _by_exemption(ident, base, fact, answer, grounds)
        for ident in sorted(e.anchor.ident for e in exemptions)
        if ident not in happening.regardless
        for fact in answer.heads(names.fire(f"{ident}@{base}"))
    )
