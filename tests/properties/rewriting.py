"""Rules texts written down in another order, and programs compared without the names that only the order gave."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from random import Random

from rulewright.productions import Pattern, Production, Program, Term, Var

_META = ("concept", "cites", "assuming", "note")
_NUMBERED = re.compile(r"[:.~/]\d+")
ROUNDS = 4


def blocks_of(text: str) -> list[str]:
    """The blocks of a file, without its language line."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    starts = [n for n, line in enumerate(lines) if not line.startswith(" ")]
    return ["\n".join(lines[a:b]) for a, b in zip(starts[1:], [*starts[2:], len(lines)], strict=True)]


def shuffled(files: dict[str, str], random: Random) -> dict[str, str]:
    """The same blocks, spread over the same files in another order; their clauses too, where their order is free."""
    blocks = [reordered(block, random) for text in files.values() for block in blocks_of(text)]
    random.shuffle(blocks)
    spread: dict[str, list[str]] = {name: [] for name in files}
    for block in blocks:
        spread[random.choice(list(files))].append(block)
    return {name: "\n\n".join(["language English", *blocks]) + "\n" for name, blocks in spread.items()}


def reordered(block: str, random: Random) -> str:
    """A block with its conditions, and what is said of it beside the rules, in another order."""
    head, *lines = block.split("\n")
    clauses: list[list[str]] = []
    for line in lines:
        if line.startswith("   ") and clauses:
            clauses[-1].append(line)
        else:
            clauses.append([line])
    clauses = [_details_reordered(clause, random) for clause in clauses]
    meta = [clause for clause in clauses if _keyword(clause) in _META]
    rest = [clause for clause in clauses if _keyword(clause) not in _META]
    random.shuffle(meta)
    if head.split(" ")[0] in ("rule", "definition", "exemption", "tally"):
        rest = [line for part in _parts(rest) for line in _conditions_reordered(part, random)]
    return "\n".join([head, *(line for clause in [*meta, *rest] for line in clause)])


def _keyword(clause: Sequence[str]) -> str:
    return clause[0].split()[0]


def _parts(clauses: Sequence[list[str]]) -> Iterator[list[list[str]]]:
    """Runs of clauses that begin with something else than ``and`` and ``or``."""
    part: list[list[str]] = []
    for clause in clauses:
        if part and _keyword(clause) not in ("and", "or"):
            yield part
            part = []
        part.append(clause)
    if part:
        yield part


def _conditions_reordered(part: list[list[str]], random: Random) -> list[list[str]]:
    """A clause and the ``and`` clauses below it; alternatives stay together, and effects stay in their order."""
    if _keyword(part[0]) == "then":
        return part
    first = 1
    while first < len(part) and _keyword(part[first]) == "or":
        first += 1
    groups: list[list[list[str]]] = []
    for clause in part[first:]:
        if _keyword(clause) == "or":
            groups[-1].append(clause)
        else:
            groups.append([clause])
    random.shuffle(groups)
    return [*part[:first], *(clause for group in groups for clause in group)]


def _details_reordered(clause: list[str], random: Random) -> list[str]:
    """A clause with its ``where`` lines in another order, when it has nothing else below it."""
    details = clause[1:]
    if not details or not all(re.match(r" {4}where ", line) for line in details):
        return clause
    random.shuffle(details)
    return [clause[0], *details]


# --- programs ---------------------------------------------------------------------------------------------------------


def fingerprint(program: Program) -> Counter[int]:
    """The productions of a program, without their names and without what is only numbered.

    Variables that the text does not name, and predicates with a number in their names, are told apart by where they
    stand: their colours are worked out in rounds from the colours around them.
    """
    groups = defaultdict(list)
    for production in program.productions:
        groups[production.head.predicate].append(production)
    colours: dict[str, int] = {}
    for _ in range(ROUNDS):
        signs = {p.name: _signature(p, colours) for p in program.productions}
        colours = {
            predicate: hash(tuple(sorted(signs[p.name] for p in heads)))
            for predicate, heads in groups.items()
            if _NUMBERED.search(predicate)
        }
    return Counter(_signature(p, colours) for p in program.productions)


def _signature(production: Production, predicates: dict[str, int]) -> int:
    parts: list[tuple[str, Pattern]] = [("head", production.head), ("trigger", production.trigger)]
    parts += [("if", p) for p in production.conditions] + [("not", p) for p in production.absences]
    known: dict[Var, int] = {}

    def colour(term: Term) -> int:
        if isinstance(term, Var):
            return known.get(term, hash(_NUMBERED.sub("", term.name) if not term.name.startswith("#") else ""))
        return hash(re.sub(r"^unless:\d+$", "unless", term) if isinstance(term, str) else term)

    def pattern(pattern: Pattern) -> tuple[object, ...]:
        name = predicates.get(pattern.predicate, hash(_NUMBERED.sub("", pattern.predicate)))
        return (name, *map(colour, pattern.terms))

    def whole() -> list[tuple[object, tuple[Term, ...]]]:
        found: list[tuple[object, tuple[Term, ...]]] = [((kind, *pattern(p)), p.terms) for kind, p in parts]
        for c in production.comparisons:
            sign = (c.operator, c.constant, *sorted((n, colour(v)) for n, v in c.terms))
            found += [((sign, n), (v,)) for n, v in c.terms]
        for a, b in production.distinctions:
            found.append((("apart", *sorted((colour(a), colour(b)))), (a, b)))
        return found

    for _ in range(ROUNDS):
        stands = whole()
        places: dict[Var, list[int]] = defaultdict(list)
        for sign, terms in stands:
            for n, term in enumerate(terms):
                if isinstance(term, Var):
                    places[term].append(hash((sign, n if len(terms) != 2 or "apart" not in str(sign) else 0)))
        known = {v: hash((colour(v), tuple(sorted(found)))) for v, found in places.items()}
    return hash((production.stage, tuple(sorted(hash(sign) for sign, _ in whole()))))


def unnumbered(names: Sequence[str]) -> list[tuple[str, int]]:
    """How often each name stands in a list, numbers left out."""
    plain = sorted(_NUMBERED.sub("", name) for name in names)
    return [(name, len(list(group))) for name, group in groupby(plain)]
