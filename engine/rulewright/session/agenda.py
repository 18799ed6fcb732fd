"""What is waiting to happen, and in which order it does."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from rulewright.model import Atom, Individual, Order
from rulewright.productions import NOBODY, Fact
from rulewright.provenance import Value


@dataclass(frozen=True)
class Call:
    """Who called for a test: the rule match, its rule, the unit to blame, if any, and what waits for the outcome."""

    match: int
    rule: str
    cause: str
    awaits: Fact | None = None


@dataclass(frozen=True)
class Happening:
    """An event that waits to happen.

    Attributes:
        causes: numbers of the rule matches that brought it about.
        calls: for a test, who called for it.
        regardless: exemptions that cannot keep it from coming about.
        chain: rules that led to it, the last one last; shows the loop of a cascade that does not end.
        held_back: orders that let others go first.
        outcome_of: for the outcome of a test, the step in which it was taken.
        of_itself: it only ends a window that has to be closed for the next event.
    """

    event: str
    values: tuple[Value, ...]
    causes: tuple[int, ...] = ()
    calls: tuple[Call, ...] = ()
    regardless: frozenset[str] = frozenset()
    chain: tuple[str, ...] = ()
    held_back: tuple[str, ...] = ()
    outcome_of: int | None = None
    of_itself: bool = False

    def with_another_cause(self, other: Happening) -> Happening:
        """The same event, brought about by another rule as well; several units to blame leave the place open."""
        blamed = {c.cause for c in (*self.calls, *other.calls) if c.cause}
        values = self.values
        if self.calls and len(values) > 2:
            values = (*values[:2], blamed.pop() if len(blamed) == 1 else NOBODY, *values[3:])
        return replace(
            self,
            values=values,
            causes=(*self.causes, *other.causes),
            calls=(*self.calls, *other.calls),
            regardless=self.regardless & other.regardless,
        )


def says(atom: Atom, happening: Happening) -> bool:
    """Whether an event is one of those that a sentence with open places speaks of."""
    return atom.phrase == happening.event and all(
        not isinstance(argument, Individual) or argument.ident == value
        for argument, value in zip(atom.arguments, happening.values, strict=True)
    )


@dataclass
class Agenda:
    """Events that must happen at once, and events that wait their turn: first come first served, save for orders."""

    orders: Sequence[Order]
    at_once: deque[Happening] = field(default_factory=deque)
    waiting: deque[Happening] = field(default_factory=deque)

    def __bool__(self) -> bool:
        return bool(self.at_once or self.waiting)

    def next(self) -> Happening:
        """Looks at what happens next."""
        if self.at_once:
            return self.at_once[0]
        return next((h for h in self.waiting if not self._held_back(h)), self.waiting[0])

    def take(self, happening: Happening) -> None:
        """Takes an event off the agenda; what an order holds back meanwhile remembers it."""
        (self.at_once if happening in self.at_once else self.waiting).remove(happening)
        for order in (o for o in self.orders if says(o.first, happening)):
            for index, other in enumerate(self.waiting):
                if says(order.then, other) and order.anchor.ident not in other.held_back:
                    self.waiting[index] = replace(other, held_back=(*other.held_back, order.anchor.ident))

    def rivals(self, happening: Happening, player: Callable[[Happening], str]) -> list[Happening]:
        """Events whose order with this one their player chooses, this one among them."""
        if happening in self.at_once:
            return [happening]
        for order in self.orders:
            if order.owner_chooses and says(order.then, happening):
                mine = player(happening)
                return [h for h in self.waiting if says(order.then, h) and player(h) == mine]
        return [happening]

    def _held_back(self, happening: Happening) -> bool:
        return any(
            says(order.then, happening) and any(says(order.first, other) for other in self.waiting)
            for order in self.orders
        )
