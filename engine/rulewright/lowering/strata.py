"""Stratification: the stage of every predicate, or the circle that forbids one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def stages(
    positive: Mapping[str, set[str]], negative: Mapping[str, set[str]]
) -> tuple[dict[str, int], Sequence[str] | None]:
    """The lowest stage of each predicate.

    Args:
        positive: head to the predicates it rests on.
        negative: head to the predicates whose absence, or whose sum total, it rests on.

    Returns:
        Stage by predicate; and, when a predicate rests on its own absence, the circle of predicates that shows it.
    """
    nodes = sorted({*positive, *negative, *(p for ps in positive.values() for p in ps)})
    stage = dict.fromkeys([*nodes, *(p for ps in negative.values() for p in ps)], 0)
    for _ in range(len(stage) + 1):
        changed = False
        for head in nodes:
            wanted = max(
                [stage[head], *(stage[p] for p in positive.get(head, ()))]
                + [stage[p] + 1 for p in negative.get(head, ())]
            )
            if wanted > stage[head]:
                stage[head] = wanted
                changed = True
        if not changed:
            return stage, None
    return stage, _circle(positive, negative)


def _circle(positive: Mapping[str, set[str]], negative: Mapping[str, set[str]]) -> Sequence[str]:
    """A shortest circle through an edge of absence."""
    for head in sorted(negative):
        for absent in sorted(negative[head]):
            path = _path(absent, head, positive, negative)
            if path is not None:
                return [head, *path]
    raise AssertionError("stages grow without end only in a circle through an absence")


def _path(
    start: str, goal: str, positive: Mapping[str, set[str]], negative: Mapping[str, set[str]]
) -> list[str] | None:
    trail: dict[str, str | None] = {start: None}
    queue = [start]
    while queue:
        node = queue.pop(0)
        if node == goal:
            path = []
            current: str | None = node
            while current is not None:
                path.append(current)
                current = trail[current]
            return path[::-1]
        for following in sorted({*positive.get(node, ()), *negative.get(node, ())}):
            if following not in trail:
                trail[following] = node
                queue.append(following)
    return None
