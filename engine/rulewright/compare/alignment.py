"""Which blocks of two editions answer each other, and which clauses of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TypeVar

from rulewright.compare.clauses import Clause
from rulewright.compare.meaning import Renaming, called, matched

ALIKE = 0.5
"""How much of two clauses must be alike for one to be the other, changed; so much it counts for its block."""

AKIN = 0.3
"""How much of two blocks must be alike for one to be the other, changed."""

Thing = TypeVar("Thing")
Links = dict[int, int]
"""Places in one list, and the places in another that answer them."""


_ONLY_ONE = ("when", "head", "roll", "succeeds", "then")
"""Parts of which a block has one or few: those of two blocks answer each other, however unlike they are."""


@dataclass(frozen=True)
class Matching:
    """How the clauses of one block answer those of another.

    Attributes:
        links: clauses of the first and of the second that answer each other, by place.
        equal: those of the first that say the same as their counterparts.
        renaming: the variables of the first, and what they are called in the second.
        likeness: how much of the blocks is alike, from 0 to 1.
    """

    links: Links
    equal: frozenset[int]
    renaming: Renaming
    likeness: float


def match_clauses(one: Sequence[Clause], other: Sequence[Clause]) -> Matching:
    """Finds the clauses that say the same first, then, among the rest, those that are most alike."""
    links: Links = {}
    renaming: Renaming = {}
    for i, clause in enumerate(one):
        for j, candidate in enumerate(other):
            if j in links.values() or candidate.part != clause.part:
                continue
            found = matched(clause.key, candidate.key, renaming)
            if found is not None:
                links[i], renaming = j, found
                break
    equal = frozenset(links)
    left = [i for i in range(len(one)) if i not in links]
    right = [j for j in range(len(other)) if j not in links.values()]
    changed = best_pairs(left, right, lambda i, j: _likeness(one[i], other[j]), ALIKE)
    alike_ones = len(equal) + ALIKE * len(changed)
    left = [i for i in left if i not in changed and one[i].part in _ONLY_ONE]
    right = [j for j in right if j not in changed.values()]
    changed |= best_pairs(left, right, lambda i, j: float(one[i].part == other[j].part), 1.0)
    return Matching({**links, **changed}, equal, renaming, alike_ones / max(len(one), len(other), 1))


def _likeness(one: Clause, other: Clause) -> float:
    """How much of two clauses is alike; comparisons of one build are changed ones of each other."""
    if one.part != other.part:
        return 0.0
    words = alike(one.text, other.text)
    return (1 + words) / 2 if one.shape and one.shape == other.shape else words


def best_pairs(
    left: Sequence[Thing], right: Sequence[Thing], likeness: Callable[[Thing, Thing], float], least: float
) -> dict[Thing, Thing]:
    """Pairs of things, the most alike first, none of them in two pairs."""
    scored = [(likeness(a, b), -i, -j, a, b) for i, a in enumerate(left) for j, b in enumerate(right)]
    found: dict[Thing, Thing] = {}
    for score, _, _, a, b in sorted(scored, key=lambda entry: entry[:3], reverse=True):
        if score >= least and a not in found and b not in found.values():
            found[a] = b
    return found


def alike(one: str, other: str) -> float:
    """How much of two sentences is alike, word by word; what variables are called makes no difference."""
    return SequenceMatcher(None, words_of(one, plain=True), words_of(other, plain=True), autojunk=False).ratio()


def words_of(text: str, plain: bool = False) -> list[str]:
    """The words of a sentence, variables among them; ``plain`` takes variables for each other."""
    words = re.findall(r"\{[^{}]*\}\S*|\S+", text)
    return [re.sub(r"\{[^{}]*\}", "{}", word) for word in words] if plain else words


def called_alike(clause: Clause, renaming: Renaming) -> Clause:
    """A clause with its variables called as the other block calls them."""
    text = re.sub(r"\{([^{}]*)\}", lambda name: f"{{{renaming.get(name[1], name[1])}}}", clause.text)
    return replace(clause, text=text, key=called(clause.key, renaming))
