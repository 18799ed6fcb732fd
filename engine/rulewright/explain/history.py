"""Where facts and values come from, as of any moment: answered from the history that a game keeps alone.

A moment is counted in changes of the world: ``Step.seen`` is the one at which the rules looked at an event,
``Step.done`` the one at which it was over.
"""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.lowering import names
from rulewright.model import Vocabulary
from rulewright.productions import Fact
from rulewright.provenance import Entry
from rulewright.session.world import scaled


class History:
    """The changes of a game, to be looked up by what they are about."""

    def __init__(self, entries: Sequence[Entry], vocabulary: Vocabulary) -> None:
        self.entries = entries
        self.vocabulary = vocabulary
        self._about: dict[Fact, list[Entry]] = {}
        for entry in entries:
            self._about.setdefault(entry.fact, []).append(entry)

    def latest(self, fact: Fact, moment: int) -> Entry | None:
        """The last change of a fact, or of a value without its number, before a moment."""
        found = None
        for entry in self._about.get(fact, ()):
            if entry.number >= moment:
                break
            found = entry
        return found

    def ground(self, fact: Fact, moment: int) -> Entry | None:
        """What made a fact hold that holds at a moment; None when it does not."""
        found = self.latest(fact, moment)
        return found if found is not None and found.holds else None

    def parts(self, measure: str, things: tuple[str, ...], moment: int, without: int | None = None) -> list[Entry]:
        """The changes that a value at a moment is made of: where it was set, and how it rose and fell from there.

        Args:
            measure: the measure, tally or snapshot.
            things: what it is of.
            moment: the moment.
            without: a step whose own changes are left out.
        """
        fact = Fact(names.value(measure), things)
        found: list[Entry] = []
        for entry in self._about.get(fact, ()):
            if entry.number >= moment:
                break
            if without is not None and entry.origin.step == without:
                continue
            if entry.amount is None:
                found = []
            found.append(entry)
        return found if found and found[-1].holds else []

    def facts(self, moment: int) -> list[Fact]:
        """All that a matcher would be told at a moment between two events."""
        state: dict[Fact, Entry] = {}
        for entry in self.entries[:moment]:
            state[entry.fact] = entry
        found: list[Fact] = []
        for fact, entry in state.items():
            group, _, name = fact.predicate.partition(":")
            if not entry.holds:
                continue
            if group == "isa":
                found += [Fact(names.is_a(kind), fact.values) for kind in self.vocabulary.lineage(name)]
            elif entry.value is None:
                found.append(fact)
            else:
                valued = (*fact.values, scaled(entry.value))
                found.append(Fact(fact.predicate, valued))
                if name in self.vocabulary.tallies:
                    found.append(Fact(names.value(name, before=True), valued))
        return found
