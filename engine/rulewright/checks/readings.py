"""Readings: something hangs on each of them."""

from __future__ import annotations

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import Edition


def check_readings(edition: Edition) -> list[Diagnostic]:
    """Readings on which no block depends, so that it makes no difference which option is chosen."""
    readings = edition.readings
    needed = {reading for d in readings.dependents for reading in d.needs}
    idle = [r for r in readings.known.values() if r.ident not in needed]
    return [report("idle-reading", r.span, severity="warning", reading=r.ident, option=r.taken) for r in idle]
