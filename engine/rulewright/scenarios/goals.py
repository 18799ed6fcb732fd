"""Where to look for changes that might make a goal met, or unmet: by its form."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.model import Atom, Condition
from rulewright.scenarios.changes import Change
from rulewright.scenarios.expectations import Outcome, wanted_of
from rulewright.scenarios.rehearsal import Run
from rulewright.scenarios.repairs import DEEPEST, Repairs
from rulewright.scenarios.script import Script


def repairs(run: Run, script: Script, outcome: Outcome, wanted: bool) -> list[Change]:
    """Changes that might make a goal met, or unmet.

    Args:
        run: a game in which it is not as wanted.
        script: the script that the game was played from.
        outcome: the goal, held against that game.
        wanted: whether the goal is to be met.
    """
    asked = outcome.reading if isinstance(outcome.reading, Atom) else None
    return list(dict.fromkeys(_goal(Repairs(run, script, asked), outcome, wanted)))


def _goal(tracing: Repairs, outcome: Outcome, wanted: bool) -> Iterator[Change]:
    """Where to begin, by the form of the goal."""
    rule, thing, other = outcome.names
    if rule is not None:
        positive = outcome.form in ("fires", "pre-empted")
        if outcome.form in ("fires", "not-fires"):
            yield from (tracing.fires if positive == wanted else tracing.unfires)(rule, thing, DEEPEST)
        else:
            yield from _pre_empted(tracing, rule, thing, other, positive == wanted)
    elif outcome.form in ("event", "not-event") and isinstance(outcome.reading, Atom):
        atom = outcome.reading
        if wanted != atom.negated:
            yield from tracing.happens(atom.phrase, wanted_of(atom), DEEPEST)
        else:
            for step in tracing.came_about(atom.phrase, wanted_of(atom)):
                yield from tracing.unhappens(step, DEEPEST)
    else:
        condition = tracing.session.compared(outcome.reading) or outcome.reading
        if isinstance(condition, Condition):
            yield from (tracing.holds if wanted else tracing.breaks)(condition, {}, tracing.end, DEEPEST)


def _pre_empted(tracing: Repairs, rule: str, thing: str | None, other: str | None, wanted: bool) -> Iterator[Change]:
    """A rule that was, or was not, pre-empted."""
    about = list(tracing.matches(rule, thing))
    if not wanted:
        for step, match in about:
            for defeat in match.defeats:
                yield from tracing.undefeated(step, defeat, DEEPEST)
        return
    for step, match in about:
        yield from tracing.defeated(step, match, DEEPEST)
    if other in tracing.rules:
        yield from tracing.fires(other, thing, DEEPEST)
    if not about:
        yield from tracing.fires(rule, thing, DEEPEST)
