"""Numbers in effects: none that the game could not hold."""

from __future__ import annotations

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import Edition, Effect, Number
from rulewright.productions import MAX_NUMBER, SCALE
from rulewright.walk import descend


def check_numbers(edition: Edition) -> list[Diagnostic]:
    """Numbers in the effects of rules that are too large or too fine."""
    effects = [e for rule in edition.rules for effect in rule.effects for e in (effect, *_inner(effect))]
    found = []
    for effect in effects:
        for part in descend(effect.act):
            if isinstance(part, Number):
                scaled = part.value * SCALE
                if scaled.denominator != 1 or abs(scaled) > MAX_NUMBER:
                    found.append(report("number-out-of-range", effect.span, number=part.value))
    return found


def _inner(effect: Effect) -> list[Effect]:
    return [*effect.on_success, *effect.on_failure]
