"""Readings of the source: where it can be read in more than one way, which way is taken, and what hangs on that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from rulewright.text import Span


@dataclass(frozen=True)
class Option:
    """One way to read a passage: its name, and what it says."""

    ident: str
    text: str


@dataclass(frozen=True)
class Reading:
    """A passage that can be read in more than one way.

    Attributes:
        options: the ways to read it, the one that is taken unless another is asked for in the first place.
    """

    ident: str
    title: str
    concepts: tuple[str, ...]
    cites: tuple[str, ...]
    options: tuple[Option, ...]
    span: Span = field(repr=False, compare=False)
    language: str = field(default="en", compare=False)

    @property
    def taken(self) -> str:
        """The name of the option that is in force unless another is asked for."""
        return self.options[0].ident

    def option(self, ident: str) -> Option | None:
        """The option of a name."""
        return next((o for o in self.options if o.ident == ident), None)


@dataclass(frozen=True)
class ReadingChoice:
    """Somebody asks for an option of a reading; ``span`` is the place in a text that does."""

    reading: str
    option: str
    span: Span | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True)
class Dependent:
    """A block that is in force only under some options.

    Attributes:
        ident: the name of the block.
        kind: what kind of block it is, such as ``rule``.
        title: its title, or an empty text.
        names: the names by which it is spoken of: its own, and for a rule those of the outcomes of its tests.
        needs: readings, each with the options of which one must be in force. None at all: it never is.
        cites: the sentences that it transcribes.
    """

    ident: str
    kind: str
    title: str
    names: tuple[str, ...]
    needs: Mapping[str, tuple[str, ...]]
    cites: tuple[str, ...]
    span: Span = field(repr=False, compare=False)
    language: str = field(default="en", compare=False)

    def holds(self, chosen: Mapping[str, str]) -> bool:
        """Whether it is in force under a choice of options."""
        return all(chosen.get(reading) in options for reading, options in self.needs.items())


@dataclass(frozen=True)
class Readings:
    """The readings of an edition, the option of each that is in force, and the blocks that hang on them."""

    known: Mapping[str, Reading] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)
    dependents: tuple[Dependent, ...] = ()

    @cached_property
    def switched(self) -> tuple[ReadingChoice, ...]:
        """Where another option is in force than the edition takes."""
        return tuple(ReadingChoice(r, o) for r, o in sorted(self.chosen.items()) if o != self.known[r].taken)

    @cached_property
    def idle(self) -> Mapping[str, tuple[Dependent, ...]]:
        """The blocks that are not in force, by the names that nothing in force has."""
        alive = {name for d in self.dependents if d.holds(self.chosen) for name in d.names}
        found: dict[str, tuple[Dependent, ...]] = {}
        for dependent in self.dependents:
            for name in dependent.names:
                if name not in alive:
                    found[name] = (*found.get(name, ()), dependent)
        return found

    def idle_names(self, *kinds: str) -> set[str]:
        """The names of blocks of some kinds that are not in force."""
        return {name for name, blocks in self.idle.items() if any(b.kind in kinds for b in blocks)}
