"""The editions that are compared: which, under which readings, and which of their words are theirs alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rulewright.diagnostics import Fault, report
from rulewright.lowering.compile import Compiled
from rulewright.model import Edition, ReadingChoice
from rulewright.resolve.blocks import IDENT
from rulewright.text import Span
from rulewright.workspace import Tree, load_cached, options_of


@dataclass(frozen=True)
class Side:
    """One of the editions compared.

    Attributes:
        name: what it is called here: the edition, with the options that were asked for behind it.
        own: the names of the edition's own files; the words they declare mean nothing to other editions.
    """

    name: str
    edition: Edition
    compiled: Compiled
    own: frozenset[str]

    def declares(self, span: Span) -> bool:
        """Whether something is declared by the edition itself, not by the shared vocabulary."""
        return span.source.name in self.own


def sides(tree: Tree, names: Sequence[str], readings: Sequence[ReadingChoice] = ()) -> tuple[Side, ...]:
    """The editions of some names, such as ``t9a-2`` or ``t9a-2@A-gen-03=rounded-down``.

    Args:
        tree: the rules in which they lie.
        names: at least two.
        readings: options for every edition that has those readings; what a name asks for goes before them.

    Raises:
        Fault: there are fewer than two, a name is not one, comes twice, or its edition cannot be read.
    """
    if len(names) < 2:
        raise Fault(report("too-few-to-compare"))
    repeated = next((name for number, name in enumerate(names) if name in names[:number]), None)
    if repeated is not None:
        raise Fault(report("compared-twice", edition=repeated))
    return tuple(_side(tree, name, readings) for name in names)


def _side(tree: Tree, name: str, readings: Sequence[ReadingChoice]) -> Side:
    ident, *asked = name.split("@")
    own = [_choice(name, text) for text in asked]
    wanted = {c.reading: c for c in (*_fitting(tree, ident, readings), *own)}
    loaded = load_cached(tree, ident, options_of(list(wanted.values())))
    if loaded.edition is None or loaded.compiled is None:
        raise Fault(*loaded.diagnostics)
    return Side(name, loaded.edition, loaded.compiled, tree.own_files(ident))


def _choice(name: str, text: str) -> ReadingChoice:
    reading, _, option = text.partition("=")
    if not (IDENT.fullmatch(reading) and IDENT.fullmatch(option)):
        raise Fault(report("unclear-side", text=name))
    return ReadingChoice(reading, option)


def _fitting(tree: Tree, ident: str, readings: Sequence[ReadingChoice]) -> list[ReadingChoice]:
    """Those options that an edition has a reading for."""
    loaded = load_cached(tree, ident)
    known = loaded.edition.readings.known if loaded.edition else {}
    return [choice for choice in readings if choice.reading in known]
