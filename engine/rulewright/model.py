"""The typed model of vocabulary, rules and scenarios: frozen data, every node with its origin.

What a sentence means is built from *atoms*: a phrase of the vocabulary with its places filled.  Numbers are exact
fractions.  Kinds form a forest under ``thing``; ``number`` is apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from rulewright.productions import Operator
from rulewright.text import Span

# --- vocabulary ------------------------------------------------------------------------------------------------------

PhraseKind = Literal[
    "fact", "modifier", "restriction", "duty", "permission", "measure", "event", "tally", "snapshot", "record"
]
MEASURES = ("measure", "tally", "snapshot")
FACTS = ("fact", "modifier", "restriction", "duty", "permission", "record")
NUMBER = "number"

GAME = "game-window"
"""The window that is open from the beginning of a game to its end."""
COMPLEMENT: Mapping[Operator, Operator] = {">=": "<", ">": "<=", "<=": ">", "<": ">=", "=": "!=", "!=": "="}

TAKES_TEST, PASSES_TEST, FAILS_TEST = "takes-test", "passes-test", "fails-test"
WOULD_PASS_TEST, WOULD_FAIL_TEST = "would-pass-test", "would-fail-test"
CALLED_BY, CAUSED_BY = "test-called-by", "test-caused-by"
"""Phrases that the engine itself knows: tests are taken, passed and failed; who called for them, whom to blame."""


@dataclass(frozen=True)
class Role:
    """A place of a phrase: its name, the kind of thing that fills it, and for numbers what they count."""

    name: str
    kind: str
    dimension: str | None = None


@dataclass(frozen=True)
class Wording:
    """One way to word a phrase.

    Attributes:
        language: code of the language.
        form: ``plain``, ``not``, ``with`` (in a list of attributes) or ``before`` (a tally without this event).
        template: text with ``{role}`` places and ``|`` between forms of a word.
    """

    language: str
    form: Literal["plain", "not", "with", "before"]
    template: str
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Kind:
    """A kind of thing, its parent kind, and what is so of each of them when it is introduced."""

    ident: str
    parent: str | None
    wordings: tuple[Wording, ...]
    begins: tuple[Atom, ...]
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Name:
    """A named individual of the vocabulary, such as a phase, a means or a test."""

    ident: str
    kind: str
    wordings: tuple[Wording, ...]
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Phrase:
    """A phrase: what sentences are made of.

    Attributes:
        roles: its places, in the order of the columns of its facts.
        dimension: for measures, what their value counts (the ident of a name of kind ``dimension``).
        symmetric: the first two places may be exchanged.
        action: for restrictions, duties and permissions, the action that may not, must or may be done.
    """

    ident: str
    kind: PhraseKind
    roles: tuple[Role, ...]
    wordings: tuple[Wording, ...]
    span: Span = field(repr=False, compare=False)
    dimension: str | None = None
    symmetric: bool = False
    action: str | None = None

    def role(self, name: str) -> int | None:
        """Index of the place called ``name``."""
        return next((i for i, r in enumerate(self.roles) if r.name == name), None)


@dataclass(frozen=True)
class EventDetail:
    """What an event does of itself: effects made before any rule looks, windows opened and closed.

    Attributes:
        only_one: index of the place for which only one such event may come from one cause.
    """

    changes: tuple[Effect, ...] = ()
    opens: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()
    only_one: int | None = None


@dataclass(frozen=True)
class TallyDetail:
    """A sum over events: which event, which of its values, under which conditions, over which window."""

    event: Atom
    amount: Variable
    conditions: tuple[Condition, ...]
    window: str


@dataclass(frozen=True)
class SnapshotDetail:
    """The value another measure had when a window opened."""

    measure: str
    window: str


@dataclass(frozen=True)
class RecordDetail:
    """A fact kept of each event of a sort, until a window closes or another event happens."""

    event: Atom
    window: str | None
    until: tuple[Atom, ...]


@dataclass(frozen=True)
class Shorthand:
    """A phrase that stands for a condition, as *within N of* stands for a comparison of distances."""

    ident: str
    roles: tuple[Role, ...]
    wordings: tuple[Wording, ...]
    span: Span = field(repr=False, compare=False)


# --- what sentences mean ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Variable:
    """A place left open in a rule, such as ``{unit}``."""

    name: str


DENIED = Variable("{}")
"""Stands in a quantifier that only denies something; no text can name it."""


@dataclass(frozen=True)
class Individual:
    """A thing with a name."""

    ident: str


@dataclass(frozen=True)
class Number:
    """A literal number, with what it counts when that was said."""

    value: Fraction
    dimension: str | None = None


@dataclass(frozen=True)
class MeasureOf:
    """The value of a measure; ``before`` asks for a tally without the event at hand."""

    phrase: str
    arguments: tuple[Expression | None, ...]
    before: bool = False


@dataclass(frozen=True)
class Arithmetic:
    """A sum, difference or product; one side of a product is a literal number."""

    operator: Literal["+", "-", "*"]
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Rounded:
    """A number rounded to a whole one, up or down."""

    expression: Expression
    up: bool


@dataclass(frozen=True)
class Total:
    """The total of the dice of the test at hand."""


Expression = Variable | Individual | Number | MeasureOf | Arithmetic | Rounded | Total


@dataclass(frozen=True)
class Atom:
    """A phrase with its places filled; None where a wording leaves a place out."""

    phrase: str
    arguments: tuple[Expression | None, ...]
    span: Span = field(repr=False, compare=False)
    negated: bool = False


@dataclass(frozen=True)
class Compare:
    """A comparison of two numbers."""

    left: Expression
    operator: Operator
    right: Expression
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Same:
    """Two names for one thing, or, negated, two different things."""

    left: Variable | Individual
    right: Variable | Individual
    span: Span = field(repr=False, compare=False)
    negated: bool = False


@dataclass(frozen=True)
class Exists:
    """There is, there is no, there are at least N things such that ...

    *Every A is B* is held as *there is no A that is not B*; ``every`` remembers how it was said.  Where B is more
    than a plain sentence, its opposite is that there is nothing of which B holds.
    """

    variable: Variable
    conditions: tuple[Condition, ...]
    span: Span = field(repr=False, compare=False)
    negated: bool = False
    at_least: int = 1
    every: bool = False

    @property
    def claim(self) -> Condition:
        """What is said of every one."""
        last = self.conditions[-1]
        return last.conditions[0] if isinstance(last, Exists) and last.variable == DENIED else last


@dataclass(frozen=True)
class IsA:
    """A thing is of a kind, or, negated, is not."""

    thing: Variable | Individual
    kind: str
    span: Span = field(repr=False, compare=False)
    negated: bool = False


@dataclass(frozen=True)
class Known:
    """The value of a measure is known, or, negated, is not."""

    measure: MeasureOf
    span: Span = field(repr=False, compare=False)
    negated: bool = False


@dataclass(frozen=True)
class ComesFrom:
    """The event at hand was brought about by a rule, directly or at the end of a chain."""

    rule: Variable | Individual
    directly: bool
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class AnyOf:
    """Alternatives, each a conjunction."""

    choices: tuple[tuple[Condition, ...], ...]
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class ShorthandUse:
    """A shorthand with its places filled, still to be replaced by what it stands for."""

    shorthand: Shorthand
    arguments: tuple[Expression, ...]
    span: Span = field(repr=False, compare=False)


Condition = Atom | Compare | Same | Exists | IsA | Known | ComesFrom | AnyOf


@dataclass(frozen=True)
class Change:
    """An effect on a measure: falls or rises by an amount, or becomes it."""

    measure: MeasureOf
    direction: Literal["fall", "rise", "become"]
    amount: Expression
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class TestModifier:
    """An effect on the test at hand: something is added to its roll, or to the characteristic it is held against."""

    of: Literal["roll", "characteristic"]
    sign: Literal[1, -1]
    amount: Expression
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class RollAgain:
    """An effect on the test at hand: its dice are rolled again, once."""

    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Create:
    """An effect that brings a new thing into the game; the variable stands for it in the effects that follow."""

    variable: Variable
    kind: str
    span: Span = field(repr=False, compare=False)


Act = Atom | Change | TestModifier | RollAgain | Create


@dataclass(frozen=True)
class Effect:
    """What a rule brings about: an event, a fact (or its end), a change, something about the test at hand, a new thing.

    A fact may last until the end of a window, until events, or while conditions hold; the first to come ends it.  A
    test that is called for may have effects of its own on success and on failure.
    """

    act: Act
    span: Span = field(repr=False, compare=False)
    until_window: str | None = None
    until_events: tuple[Atom, ...] = ()
    until_spans: tuple[Span, ...] = field(default=(), repr=False, compare=False)
    lasting: tuple[Condition, ...] = ()
    on_success: tuple[Effect, ...] = ()
    on_failure: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class Choice:
    """One of several candidates is picked, at random or by the player of a thing."""

    variable: Variable
    conditions: tuple[Condition, ...]
    span: Span = field(repr=False, compare=False)
    player_of: Variable | None = None


# --- rules -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assumption:
    """A reading taken where the source is silent, garbled or contradicts itself."""

    ident: str
    text: str


@dataclass(frozen=True)
class Anchor:
    """Where a rule comes from: its name, title, concepts, citations, assumptions and place."""

    ident: str
    title: str
    concepts: tuple[str, ...]
    cites: tuple[str, ...]
    assumptions: tuple[Assumption, ...]
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Defeater:
    """An ``unless`` clause."""

    conditions: tuple[Condition, ...]
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Rule:
    """A rule: on these events, under these conditions, unless ..., these effects."""

    anchor: Anchor
    triggers: tuple[Atom, ...]
    conditions: tuple[Condition, ...]
    choice: Choice | None
    defeaters: tuple[Defeater, ...]
    effects: tuple[Effect, ...]
    overrides: tuple[str, ...]
    regardless: tuple[str, ...]


@dataclass(frozen=True)
class Definition:
    """What a word means: the fact ``head`` holds exactly while the conditions hold."""

    anchor: Anchor
    head: Atom
    conditions: tuple[Condition, ...]


@dataclass(frozen=True)
class MeasureDefinition:
    """How a measure is worked out from facts and other measures.

    Attributes:
        how: ``counts`` things, ``adds`` up, takes the ``highest`` or ``lowest`` of values, or ``equals`` one value.
        subject: the thing counted, or the value taken.
    """

    anchor: Anchor
    head: MeasureOf
    how: Literal["counts", "adds", "highest", "lowest", "equals"]
    subject: Expression
    conditions: tuple[Condition, ...]
    head_span: Span = field(repr=False, compare=False)
    subject_span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Exemption:
    """An event that does not come about while the conditions hold; ``head`` is worded negatively."""

    anchor: Anchor
    head: Atom
    conditions: tuple[Condition, ...]
    defeaters: tuple[Defeater, ...]
    overrides: tuple[str, ...]


@dataclass(frozen=True)
class Dice:
    """So many dice of so many sides, summed."""

    count: int
    sides: int

    def __str__(self) -> str:
        return f"{self.count}D{self.sides}"

    @property
    def lowest(self) -> int:
        """Smallest total."""
        return self.count

    @property
    def highest(self) -> int:
        """Largest total."""
        return self.count * self.sides


@dataclass(frozen=True)
class Test:
    """How a test is taken: who takes which test, the dice, who rolls them, and when it is passed.

    Attributes:
        roller: the place of the event whose player rolls; None for the one who takes the test.
    """

    anchor: Anchor
    trigger: Atom
    dice: Dice
    success: Compare
    roller: Variable | None = None


@dataclass(frozen=True)
class Order:
    """Of the events waiting at one moment, those of ``first`` come before those of ``then``."""

    anchor: Anchor
    first: Atom
    then: Atom
    owner_chooses: bool


@dataclass(frozen=True)
class NotModelled:
    """A sentence of the source that no rule transcribes, and why."""

    sentence: str
    reason: str


@dataclass(frozen=True)
class SourceText:
    """The text an edition transcribes: its key, title and sentence ids."""

    title: str
    sentences: tuple[str, ...]
    not_modelled: tuple[NotModelled, ...]
    span: Span = field(repr=False, compare=False)


@dataclass(frozen=True)
class Vocabulary:
    """All words, by ident; ``meanings`` holds what each shorthand stands for."""

    kinds: Mapping[str, Kind]
    names: Mapping[str, Name]
    phrases: Mapping[str, Phrase]
    events: Mapping[str, EventDetail]
    tallies: Mapping[str, TallyDetail]
    snapshots: Mapping[str, SnapshotDetail]
    records: Mapping[str, RecordDetail]
    shorthands: Mapping[str, Shorthand]
    meanings: Mapping[str, Condition]

    def is_a(self, kind: str, ancestor: str) -> bool:
        """Whether ``kind`` is ``ancestor`` or a kind of it."""
        current: str | None = kind
        while current is not None:
            if current == ancestor:
                return True
            current = self.kinds[current].parent if current in self.kinds else None
        return False

    def lineage(self, kind: str) -> tuple[str, ...]:
        """The kind and its ancestors, nearest first."""
        found = []
        current: str | None = kind
        while current is not None:
            found.append(current)
            current = self.kinds[current].parent if current in self.kinds else None
        return tuple(found)


@dataclass(frozen=True)
class Edition:
    """One rulebook: its vocabulary and rules, resolved."""

    ident: str
    title: str
    language: str
    source: SourceText | None
    vocabulary: Vocabulary
    rules: tuple[Rule, ...]
    definitions: tuple[Definition, ...]
    measures: tuple[MeasureDefinition, ...]
    exemptions: tuple[Exemption, ...]
    tests: tuple[Test, ...]
    orders: tuple[Order, ...]

    def anchors(self) -> tuple[Anchor, ...]:
        """The anchors of everything that cites the source."""
        groups: tuple[tuple[Rule | Definition | MeasureDefinition | Exemption | Test | Order, ...], ...] = (
            self.rules,
            self.definitions,
            self.measures,
            self.exemptions,
            self.tests,
            self.orders,
        )
        return tuple(item.anchor for group in groups for item in group)


# --- scenarios -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A line of a scenario, still a sentence: which names it may use depends on what was given before."""

    span: Span


@dataclass(frozen=True)
class Step:
    """What happens (with the dice and choices that go with it), then what is expected of it."""

    happenings: tuple[Line, ...]
    expectations: tuple[Line, ...]


@dataclass(frozen=True)
class Scenario:
    """A situation, what happens in it and what is expected."""

    ident: str
    title: str
    language: str
    edition: str
    edition_span: Span
    givens: tuple[Line, ...]
    steps: tuple[Step, ...]
    span: Span = field(repr=False, compare=False)
