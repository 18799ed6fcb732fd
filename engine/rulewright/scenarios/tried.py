"""What the scenarios of files and folders try, edition by edition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rulewright.diagnostics import Diagnostic
from rulewright.lowering.compile import Compiled
from rulewright.scenarios.coverage import Demand, Group, Key, Mark, demands
from rulewright.scenarios.exercised import exercised
from rulewright.scenarios.runner import Played
from rulewright.session.looks import Looks
from rulewright.workspace import VOCABULARY, Tree, find_tree, load_cached


class Tried:
    """What scenarios try of the editions of some trees of rules; they are added one by one, and not kept.

    Args:
        places: the files and folders that the scenarios come from.
        tree: the tree of rules of all of them; without it, each has that in which it lies.

    The editions whose folders are among the places are counted although no scenario tries anything of them.  The
    shared vocabulary is counted when its folder is.

    Attributes:
        findings: what is wrong with those of these editions that cannot be read.
    """

    def __init__(self, places: Sequence[Path], tree: Tree | None = None) -> None:
        self._editions: dict[tuple[Tree, str], Compiled] = {}
        self._marks: dict[Tree, set[Mark]] = {}
        self._whole: set[Tree] = set()
        self.findings: list[Diagnostic] = []
        for place in (p for p in places if p.is_dir()):
            self._include(_resolved(tree or find_tree(place)), place.resolve())

    def _include(self, tree: Tree, place: Path) -> None:
        root = tree.root
        if not isinstance(root, Path):
            return
        if (root / VOCABULARY).is_relative_to(place):
            self._whole.add(tree)
        for edition in tree.editions():
            if (root / edition).is_relative_to(place):
                loaded = load_cached(tree, edition)
                if loaded.compiled is None:
                    self.findings += loaded.diagnostics
                else:
                    self._editions[tree, edition] = loaded.compiled

    def add(self, tree: Tree, played: Played, looks: Looks) -> None:
        """Adds what a played scenario tries."""
        session, tree = played.session, _resolved(tree)
        self._editions.setdefault((tree, played.scenario.edition), session.compiled)
        found = exercised(session.compiled, session.steps, looks.taken, session.game.world.all_facts())
        self._marks.setdefault(tree, set()).update(found)

    def groups(self) -> list[Group]:
        """The editions, and the shared vocabulary of their trees."""
        found: list[Group] = []
        shared: dict[Tree, dict[Key, Demand]] = {}
        for (tree, name), compiled in sorted(
            self._editions.items(), key=lambda pair: (str(pair[0][0].label), pair[0][1])
        ):
            own = tree.own_files(name)
            variants = [compiled, *(v.compiled for v in tree.variants(name) if v.compiled is not None)]
            all_of = {d.block.key: d for variant in variants for d in demands(variant)}.values()
            mine = tuple(d for d in all_of if d.block.span.source.name in own)
            found.append(Group(name, mine, self._marks.get(tree, set())))
            if tree in self._whole:
                shared.setdefault(tree, {}).update((d.block.key, d) for d in all_of if d not in mine)
        return [
            *found,
            *(Group(VOCABULARY, tuple(d.values()), self._marks.get(t, set())) for t, d in shared.items() if d),
        ]


def _resolved(tree: Tree) -> Tree:
    """A tree by the one place where it lies, however it was named."""
    return replace(tree, root=tree.root.resolve()) if isinstance(tree.root, Path) else tree
