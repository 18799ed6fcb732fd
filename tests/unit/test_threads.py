"""Editions are loaded in several threads at once, each as if alone."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rulewright.workspace import Tree

RULES = Path(__file__).parents[2] / "rules"


def test_threads_do_not_disturb_one_another() -> None:
    def load(_: int) -> tuple[bool, int]:
        loaded = Tree(RULES, "rules").load("t9a-2")
        return loaded.compiled is not None, len(loaded.diagnostics)

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(load, range(8))) == {(True, 0)}
