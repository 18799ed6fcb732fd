"""The working memory of a game: things, facts, measures, tallies and open windows, kept in step with a matcher."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction

from rulewright.backends.base import Matcher
from rulewright.diagnostics import Fault, report
from rulewright.lowering import names
from rulewright.model import Vocabulary
from rulewright.productions import MAX_NUMBER, SCALE, Fact
from rulewright.provenance import Entry, Origin, Source, Value

Key = tuple[str, tuple[str, ...]]
_BEGINNING = Origin("kind", 0)
"""Where the names of an edition come from."""


@dataclass(frozen=True)
class Holding:
    """A fact that holds: since which step, brought about by which rule match (None: given, or kept as a record).

    Attributes:
        until: the window at whose end it goes.
        lasting: the effect in force that it is the fact of, when events or conditions end it.
        origin: where it comes from; the world sets it.
    """

    step: int
    match: int | None = None
    until: str | None = None
    lasting: Fact | None = None
    origin: Origin = _BEGINNING


def encoded(values: Iterable[Value]) -> tuple[str | int, ...]:
    """Values as the engine holds them."""
    return tuple(scaled(v) if isinstance(v, Fraction) else v for v in values)


def decoded(values: Iterable[str | int]) -> tuple[Value, ...]:
    """Values as the model holds them."""
    return tuple(Fraction(v, SCALE) if isinstance(v, int) else v for v in values)


def scaled(value: Fraction) -> int:
    """A number in thousandths; a Fault when it has more than three decimals or is too large."""
    exact = value * SCALE
    if exact.denominator != 1 or abs(exact) > MAX_NUMBER:
        raise Fault(report("number-out-of-range", number=value))
    return exact.numerator


@dataclass(frozen=True)
class SavedWorld:
    """The working memory at one moment, as ``World.restore`` takes it; its attributes are those of a world."""

    told: Mapping[Fact, None]
    kinds: Mapping[str, str]
    facts: Mapping[Fact, Holding]
    grounds: Mapping[Fact, tuple[Holding, ...]]
    values: Mapping[Key, Fraction]
    tallies: Mapping[Key, Fraction]
    before: Mapping[Key, Fraction]
    windows: Mapping[str, tuple[str, tuple[Value, ...]]]
    given: frozenset[Key]
    history: tuple[Entry, ...]

    def key(self) -> tuple[object, ...]:
        """What the course of a game can depend on; equal for worlds that go on alike."""
        grounds = frozenset((f, frozenset((g.until, g.lasting) for g in held)) for f, held in self.grounds.items())
        return frozenset(self.told), grounds, frozenset(self.windows.items()), self.given


@dataclass
class World:
    """The state of one game.

    Attributes:
        kinds: kind of each thing.
        facts: the facts that hold, with since when and why.
        grounds: all grounds of a fact, the oldest first.
        values: measures that were given or changed.
        tallies: sums over the window at hand; ``before`` holds the sums without the event at hand.
        windows: open windows and the event that opened each.
        given: measures that were given, rather than changed or copied.
        history: all changes, in order, each with where it comes from.
        origin: where the changes come from that are being made now.
    """

    vocabulary: Vocabulary
    matcher: Matcher
    kinds: dict[str, str] = field(default_factory=dict)
    facts: dict[Fact, Holding] = field(default_factory=dict)
    grounds: dict[Fact, list[Holding]] = field(default_factory=dict)
    values: dict[Key, Fraction] = field(default_factory=dict)
    tallies: dict[Key, Fraction] = field(default_factory=dict)
    before: dict[Key, Fraction] = field(default_factory=dict)
    windows: dict[str, tuple[str, tuple[Value, ...]]] = field(default_factory=dict)
    given: set[Key] = field(default_factory=set)
    history: list[Entry] = field(default_factory=list)
    origin: Origin = _BEGINNING
    _told: dict[Fact, None] = field(default_factory=dict)
    _index: dict[str, dict[str | int, dict[Fact, None]]] = field(default_factory=dict)
    _until: dict[str, dict[Fact, None]] = field(default_factory=dict)
    _running: dict[str, dict[Key, None]] = field(default_factory=dict)

    # --- the history ---------------------------------------------------------------------------------------------

    @contextmanager
    def changed_by(self, source: Source, step: int, match: int | None = None) -> Iterator[None]:
        """Changes made inside the block come from there."""
        before, self.origin = self.origin, Origin(source, step, match)
        try:
            yield
        finally:
            self.origin = before

    def _note(
        self,
        fact: Fact,
        *,
        holds: bool,
        origin: Origin | None = None,
        value: Fraction | None = None,
        amount: Fraction | None = None,
        copied: str | None = None,
        until: str | None = None,
    ) -> None:
        """Writes a change down; without another origin it comes from what is making changes now."""
        number = len(self.history)
        self.history.append(Entry(number, fact, holds, origin or self.origin, value, amount, copied, until))

    def _note_value(
        self, key: Key, value: Fraction | None, amount: Fraction | None = None, copied: str | None = None
    ) -> None:
        fact = Fact(names.value(key[0]), key[1])
        self._note(fact, holds=value is not None, value=value, amount=amount, copied=copied)

    def _note_fact(self, fact: Fact, holding: Holding) -> None:
        """A fact holds for the reason that brought this ground of it about."""
        self._note(fact, holds=True, origin=holding.origin, until=holding.until)

    # --- things and facts ----------------------------------------------------------------------------------------

    def introduce(self, ident: str, kind: str) -> None:
        """A thing enters the game; its tallies start at nought."""
        self.kinds[ident] = kind
        self._note(Fact(names.is_a(kind), (ident,)), holds=True)
        for ancestor in self.vocabulary.lineage(kind):
            self._tell(Fact(names.is_a(ancestor), (ident,)))
        for phrase in self.vocabulary.tallies:
            roles = self.vocabulary.phrases[phrase].roles
            if len(roles) == 1 and self.vocabulary.is_a(kind, roles[0].kind):
                self._set_tally((phrase, (ident,)), Fraction(0), Fraction(0))
                self._note_value((phrase, (ident,)), Fraction(0))

    def holds(self, fact: Fact) -> bool:
        """Whether a fact that was given or brought about holds."""
        return fact in self.facts

    def put(self, phrase: str, values: tuple[Value, ...], holding: Holding) -> None:
        """A fact comes to hold; one that holds already has one ground more, and lasts as long as any of them."""
        for fact in self._both_ways(phrase, values):
            grounds = self.grounds.setdefault(fact, [])
            if any((g.until, g.lasting) == (holding.until, holding.lasting) for g in grounds):
                continue
            held = replace(holding, origin=self.origin)
            grounds.append(held)
            if holding.until is not None:
                self._until.setdefault(holding.until, {})[fact] = None
            if fact not in self.facts:
                self._hold(fact, held)

    def drop(self, phrase: str, values: tuple[Value, ...]) -> None:
        """A fact ceases to hold, whatever its grounds."""
        for fact in self._both_ways(phrase, values):
            self.drop_fact(fact)

    def drop_fact(self, fact: Fact) -> None:
        """A fact ceases to hold; nothing happens when it did not."""
        for ground in self.grounds.pop(fact, ()):
            self._forget(fact, ground)
        if self.facts.pop(fact, None) is None:
            return
        self._note(fact, holds=False)
        table = self._index[fact.predicate]
        first = fact.values[0] if fact.values else ""
        table[first].pop(fact)
        if not table[first]:
            del table[first]
        if not table:
            del self._index[fact.predicate]
        self._withdraw(fact)

    def release(self, phrase: str, values: tuple[Value, ...], lasting: Fact) -> None:
        """An effect that was in force is so no longer; its fact holds on if it has other grounds."""
        self.drop_fact(lasting)
        for fact in self._both_ways(phrase, values):
            self._without(fact, lambda ground: ground.lasting == lasting)

    def _without(self, fact: Fact, ended: Callable[[Holding], bool]) -> None:
        """Takes away the grounds of a fact that have ended, and the fact itself when none is left."""
        known = self.grounds.get(fact, [])
        left = [g for g in known if not ended(g)]
        if not left:
            self.drop_fact(fact)
            return
        for ground in known:
            if ground not in left:
                self._forget(fact, ground)
        if self.facts[fact] != left[0]:
            self._note_fact(fact, left[0])
        self.grounds[fact], self.facts[fact] = left, left[0]
        for window in (g.until for g in left if g.until is not None):
            self._until.setdefault(window, {})[fact] = None

    def _forget(self, fact: Fact, ground: Holding) -> None:
        if ground.until is not None:
            self._until[ground.until].pop(fact, None)
        if ground.lasting is not None:
            self.drop_fact(ground.lasting)

    def put_plain(self, fact: Fact, holding: Holding) -> None:
        """A fact of the session's own, not a phrase of the vocabulary."""
        if fact not in self.facts:
            self._hold(fact, replace(holding, origin=self.origin))

    def _hold(self, fact: Fact, holding: Holding) -> None:
        self.facts[fact] = holding
        self._note_fact(fact, holding)
        self._enter(fact)
        self._tell(fact)

    def _enter(self, fact: Fact) -> None:
        first = fact.values[0] if fact.values else ""
        self._index.setdefault(fact.predicate, {}).setdefault(first, {})[fact] = None

    def _tell(self, fact: Fact) -> None:
        self._told[fact] = None
        self.matcher.add(fact)

    def _withdraw(self, fact: Fact) -> None:
        del self._told[fact]
        self.matcher.remove(fact)

    def all_facts(self) -> list[Fact]:
        """All that the matcher is told."""
        return list(self._told)

    def facts_of(self, predicate: str, first: str | None = None) -> list[Fact]:
        """The facts of a predicate; if asked, only those whose first place holds a certain thing."""
        table = self._index.get(predicate, {})
        if first is not None:
            return list(table.get(first, ()))
        return [fact for facts in table.values() for fact in facts]

    def _both_ways(self, phrase: str, values: tuple[Value, ...]) -> list[Fact]:
        facts = [Fact(names.fact(phrase), encoded(values))]
        if self.vocabulary.phrases[phrase].symmetric and len(values) > 1:
            facts.append(Fact(names.fact(phrase), encoded((values[1], values[0], *values[2:]))))
        return list(dict.fromkeys(facts))

    # --- measures ------------------------------------------------------------------------------------------------

    def value(self, measure: str, things: tuple[str, ...]) -> Fraction | None:
        """The value of a measure, tally or snapshot; None when it is not known."""
        key = (measure, things)
        return self.tallies.get(key) if measure in self.vocabulary.tallies else self.values.get(key)

    def set_value(
        self,
        measure: str,
        things: tuple[str, ...],
        value: Fraction,
        amount: Fraction | None = None,
        copied: str | None = None,
    ) -> None:
        """A measure takes a value: by so much more or less, or copied from another measure, where that is how."""
        keys = [(measure, things)]
        if self.vocabulary.phrases[measure].symmetric:
            keys.append((measure, (things[1], things[0], *things[2:])))
        scaled(value)
        for key in dict.fromkeys(keys):
            old = self.values.get(key)
            self._replace(names.value(measure), key, old, value)
            self.values[key] = value
            self._note_value(key, value, amount, copied)
            if old is None:
                self._first_value(measure, key[1], value)

    def _first_value(self, measure: str, things: tuple[str, ...], value: Fraction) -> None:
        """A measure has its first value: until their window opens, its snapshots have it too."""
        for snapshot, detail in self.vocabulary.snapshots.items():
            if detail.measure == measure and (snapshot, things) not in self.values:
                self.set_value(snapshot, things, value, copied=measure)

    def _replace(self, predicate: str, key: Key, old: Fraction | None, new: Fraction | None) -> None:
        if old == new:
            return
        if old is not None:
            self._withdraw(Fact(predicate, (*key[1], scaled(old))))
        if new is not None:
            self._tell(Fact(predicate, (*key[1], scaled(new))))

    # --- tallies -------------------------------------------------------------------------------------------------

    def add_to_tally(self, tally: str, things: tuple[str, ...], amount: Fraction) -> None:
        """A tally grows; what it was before this event is kept apart until the event is done."""
        key = (tally, things)
        old = self.tallies.get(key, Fraction(0))
        self._set_tally(key, old + amount, self.before.get(key, old))
        self._note_value(key, old + amount, amount)

    def _set_tally(self, key: Key, value: Fraction, before: Fraction) -> None:
        scaled(value)
        self._replace(names.value(key[0]), key, self.tallies.get(key), value)
        self._replace(names.value(key[0], before=True), key, self.before.get(key), before)
        self.tallies[key], self.before[key] = value, before
        self._note_running(key, value, before)

    def _note_running(self, key: Key, value: Fraction, before: Fraction) -> None:
        if value or before:
            self._running.setdefault(self.vocabulary.tallies[key[0]].window, {})[key] = None

    def settle_tallies(self, touched: Iterable[Key]) -> None:
        """The event at hand is done: *before this event* catches up."""
        for key in touched:
            self._set_tally(key, self.tallies[key], self.tallies[key])

    # --- windows -------------------------------------------------------------------------------------------------

    def open(self, window: str, event: str, values: tuple[Value, ...]) -> None:
        """A window opens: its tallies start at nought, its snapshots are taken."""
        self.close(window)
        self.windows[window] = (event, values)
        self.take_snapshots(window)

    def close(self, window: str) -> None:
        """A window closes: what lasts until its end goes, its tallies start anew, its snapshots are forgotten."""
        self.windows.pop(window, None)
        self._drop_until(window)
        for key in self._running.pop(window, {}):
            self._set_tally(key, Fraction(0), Fraction(0))
            self._note_value(key, Fraction(0))
        copies = {s for s, detail in self.vocabulary.snapshots.items() if detail.window == window}
        for key in [k for k in self.values if k[0] in copies]:
            self._replace(names.value(key[0]), key, self.values.pop(key), None)
            self._note_value(key, None)

    def _drop_until(self, window: str) -> None:
        for fact in list(self._until.get(window, ())):
            self._without(fact, lambda ground: ground.until == window)

    def take_snapshots(self, window: str) -> None:
        """Copies the measures of the snapshots of a window as it opens."""
        for snapshot, detail in self.vocabulary.snapshots.items():
            if detail.window == window:
                for (measure, key), value in list(self.values.items()):
                    if measure == detail.measure:
                        self.set_value(snapshot, key, value, copied=measure)

    def give_value(self, measure: str, things: tuple[str, ...], value: Fraction, beginning: bool) -> None:
        """A measure is given.  Snapshots of a game that is about to begin take it too."""
        self.set_value(measure, things, value)
        self.given.add((measure, things))
        for snapshot, detail in self.vocabulary.snapshots.items():
            key = (snapshot, things)
            if detail.measure == measure and key not in self.given and beginning:
                self.set_value(snapshot, things, value, copied=measure)

    # --- going back ------------------------------------------------------------------------------------------------

    def save(self) -> SavedWorld:
        """The working memory as it is now."""
        return SavedWorld(
            dict(self._told),
            dict(self.kinds),
            dict(self.facts),
            {fact: tuple(held) for fact, held in self.grounds.items()},
            dict(self.values),
            dict(self.tallies),
            dict(self.before),
            dict(self.windows),
            frozenset(self.given),
            tuple(self.history),
        )

    def restore(self, saved: SavedWorld) -> None:
        """Goes back, or over, to a saved working memory; the matcher is told only what differs."""
        for fact in [f for f in self._told if f not in saved.told]:
            self._withdraw(fact)
        for fact in saved.told:
            if fact not in self._told:
                self._tell(fact)
        self.kinds, self.facts = dict(saved.kinds), dict(saved.facts)
        self.grounds = {fact: list(held) for fact, held in saved.grounds.items()}
        self.values, self.tallies, self.before = dict(saved.values), dict(saved.tallies), dict(saved.before)
        self.windows, self.given = dict(saved.windows), set(saved.given)
        self.history = list(saved.history)
        self._index, self._until, self._running = {}, {}, {}
        for fact in self.facts:
            self._enter(fact)
        for fact, held in self.grounds.items():
            for window in (g.until for g in held if g.until is not None):
                self._until.setdefault(window, {})[fact] = None
        for key, value in self.tallies.items():
            self._note_running(key, value, self.before[key])
