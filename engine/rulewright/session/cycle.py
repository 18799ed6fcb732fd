"""One question to the matcher: a token, stage by stage, with the counts worked out between the stages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from rulewright.backends.base import Matcher
from rulewright.lowering.compile import Compiled
from rulewright.productions import SCALE, Fact, Firing


@dataclass(frozen=True)
class Answer:
    """All firings of a cycle."""

    firings: tuple[Firing, ...]

    @cached_property
    def by_head(self) -> dict[str, dict[Fact, list[Firing]]]:
        """Firings by the predicate of what they derive, and by what they derive."""
        table: dict[str, dict[Fact, list[Firing]]] = defaultdict(dict)
        for firing in self.firings:
            table[firing.head.predicate].setdefault(firing.head, []).append(firing)
        return table

    def heads(self, predicate: str) -> dict[Fact, list[Firing]]:
        """What was derived for a predicate, with the firings that derive it."""
        return self.by_head.get(predicate, {})


def ask(matcher: Matcher, compiled: Compiled, token: Fact) -> Answer:
    """Asks what a token sets off."""
    productions = compiled.by_trigger.get(token.predicate, ())
    if not productions:
        return Answer(())
    tokens: dict[int, list[Fact]] = defaultdict(list)
    for stage in {p.stage for p in productions}:
        tokens[stage].append(token)
    for need in compiled.needs(token.predicate):
        for stage in {p.stage for p in compiled.by_trigger[need]}:
            tokens[stage].append(Fact(need))
    counts = {c.target: c for c in compiled.counts}
    firings: list[Firing] = []
    try:
        for stage in sorted(tokens):
            due = [c for c in counts.values() if compiled.stage_of[c.target] <= stage]
            totals = [total for c in due for total in _counted(c.source, c.target, c.keys, firings)]
            for count in due:
                del counts[count.target]
            firings.extend(matcher.stage(stage, tokens[stage], totals))
    finally:
        matcher.finish()
    return Answer(tuple(firings))


def _counted(source: str, target: str, keys: int, firings: Iterable[Firing]) -> list[Fact]:
    groups: dict[tuple[str | int, ...], set[Fact]] = defaultdict(set)
    for firing in firings:
        if firing.head.predicate == source:
            groups[firing.head.values[:keys]].add(firing.head)
    return [Fact(target, (*key, len(members) * SCALE)) for key, members in sorted(groups.items(), key=repr)]
