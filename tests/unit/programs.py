"""Small programs for the tests of the durable_rules backend, and the question whether the oracle finds the same."""

from collections.abc import Iterable

from rulewright.backends.durable import DurableMatcher
from rulewright.backends.reference import ReferenceMatcher
from rulewright.productions import Fact, Firing, Pattern, Production, Program, Var

X, Y, Z, N, M, K = map(Var, "XYZNMK")
GO = Pattern("go")
TOKEN = Fact("go")
COLUMNS = {
    "go": (),
    "hit": ("symbol", "symbol"),
    "score": ("number", "number"),
    "pair": ("symbol", "symbol"),
    "thing": ("symbol",),
    "size": ("symbol", "number"),
    "flag": (),
    "out": (),
    "told": ("symbol",),
}


def rule(name: str = "r", **parts: object) -> Production:
    return Production(**{"name": name, "stage": 0, "trigger": GO, "head": Pattern("out"), **parts})


def program(*productions: Production, **columns: tuple[str, ...]) -> Program:
    return Program(productions, {**COLUMNS, **columns})


def both(given: Program, facts: Iterable[Fact], *tokens: Fact) -> tuple[Firing, ...]:
    """What the engine finds, when the oracle finds the same."""
    found = []
    for matcher in (DurableMatcher(given), ReferenceMatcher(given)):
        for fact in facts:
            matcher.add(fact)
        found.append(matcher.stage(0, tokens or (TOKEN,)))
        matcher.finish()
        matcher.close()
    assert found[0] == found[1]
    return found[0]
