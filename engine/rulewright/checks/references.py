"""References from rule to rule: ``overrides`` and ``regardless of`` name something that is there."""

from __future__ import annotations

from rulewright.diagnostics import Diagnostic, did_you_mean, known_ones, report
from rulewright.model import Edition, Exemption, Rule
from rulewright.speech import later


def check_references(edition: Edition) -> list[Diagnostic]:
    """Names of rules and exemptions that the edition does not have; those not in force it has."""
    rules = {r.anchor.ident for r in edition.rules} | edition.readings.idle_names("rule")
    exemptions = {e.anchor.ident for e in edition.exemptions} | edition.readings.idle_names("exemption")
    found = []
    items: tuple[Rule | Exemption, ...] = (*edition.rules, *edition.exemptions)
    for item in items:
        wanted = [(n, rules if isinstance(item, Rule) else exemptions) for n in item.overrides]
        wanted += [(n, exemptions) for n in (item.regardless if isinstance(item, Rule) else ())]
        for name, known in wanted:
            if name not in known:
                kind = later("block.exemption" if known is exemptions else "block.rule")
                hint = did_you_mean(name, known) or known_ones(sorted(known))
                found.append(
                    report(
                        "unknown-rule",
                        item.anchor.span.place_of(name),
                        rule=name,
                        kind=kind,
                        by=item.anchor.ident,
                        hint=hint,
                    )
                )
    return found
