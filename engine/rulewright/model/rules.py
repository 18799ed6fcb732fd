"""Rules, definitions, exemptions, tests and orders, each with its anchor in the source; and the edition they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from rulewright.model.readings import Reading, Readings
from rulewright.model.sentences import Atom, Choice, Compare, Condition, Effect, Expression, MeasureOf, Variable
from rulewright.model.vocabulary import Vocabulary
from rulewright.speech import said_in
from rulewright.text import Span


@dataclass(frozen=True)
class Assumption:
    """A reading taken where the source is silent, garbled or contradicts itself.

    Attributes:
        text: what is assumed; where it is an option of a reading that can be switched, the one in force.
        options: the options under which the block that assumes it is in force; none where it does not depend on them.
    """

    ident: str
    text: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Anchor:
    """Where a rule comes from: its name, title, concepts, citations, assumptions, place and language.

    Attributes:
        outcome: for what comes of a test, ``on-success`` or ``on-failure``; the title is then that of the rule that
            calls for the test.
    """

    ident: str
    title: str
    concepts: tuple[str, ...]
    cites: tuple[str, ...]
    assumptions: tuple[Assumption, ...]
    span: Span = field(repr=False, compare=False)
    language: str = field(default="en", compare=False)
    outcome: str = ""

    @property
    def titled(self) -> bool:
        """Whether it has a title of its own."""
        return self.title != self.ident.replace("-", " ")


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
class FixedText:
    """A text of an edition that is no sentence, such as a title; where it is not translated, it stays as it is.

    Attributes:
        language: the code of the language that it is in.
    """

    text: str
    language: str
    span: Span | None = field(repr=False, compare=False)


@dataclass(frozen=True)
class Edition:
    """One rulebook: its vocabulary and rules, resolved.

    Attributes:
        texts: what titles, assumptions, reasons and readings are in other languages, by code and original text.
    """

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
    readings: Readings = field(default_factory=Readings)
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False, compare=False)

    def text(self, original: str, own: str, wanted: str) -> str:
        """A title, an assumption or the like in a language; as it is, and marked, where it has not been translated.

        Args:
            original: the text as it stands in the rules.
            own: the code of the language that it is in.
            wanted: the code of the language that is wanted; an empty text where its own will do.
        """
        translated = self.texts.get(wanted, {}).get(original)
        if translated is not None or wanted in ("", own) or not original:
            return translated or original
        return f"{original} [{own}]"

    def anchor_in(self, anchor: Anchor, wanted: str) -> Anchor:
        """An anchor with its title and assumptions in a language; a title that is only its name stays as it is."""
        title = self.text(anchor.title, anchor.language, wanted) if anchor.titled else anchor.title
        if anchor.outcome:
            title = said_in(wanted, f"outcome.{anchor.outcome}", title=title)
        own = {
            a.ident: self.readings.known[a.ident].language if a.options else anchor.language for a in anchor.assumptions
        }
        said = tuple(replace(a, text=self.text(a.text, own[a.ident], wanted)) for a in anchor.assumptions)
        return replace(anchor, title=title, assumptions=said, outcome="")

    def readings_in(self, wanted: str) -> Readings:
        """The readings with their texts in a language, and the blocks that hang on them with their titles."""

        def said(reading: Reading) -> Reading:
            own = reading.language
            options = tuple(replace(o, text=self.text(o.text, own, wanted)) for o in reading.options)
            return replace(reading, title=self.text(reading.title, own, wanted), options=options)

        known = {ident: said(reading) for ident, reading in self.readings.known.items()}
        blocks = tuple(replace(d, title=self.text(d.title, d.language, wanted)) for d in self.readings.dependents)
        return replace(self.readings, known=known, dependents=blocks)

    def fixed_texts(self) -> Iterator[FixedText]:
        """All titles, assumptions, reasons and readings that there are."""
        place = self.source.span if self.source is not None else None
        own = [self.title]
        if self.source is not None:
            own += [self.source.title, *(skipped.reason for skipped in self.source.not_modelled)]
        yield from (FixedText(text, self.language, place) for text in own if text)
        for anchor in self.anchors():
            texts = [anchor.title] if anchor.titled else []
            texts += [a.text for a in anchor.assumptions if not a.options]
            yield from (FixedText(text, anchor.language, anchor.span) for text in texts)
        for reading in self.readings.known.values():
            texts = [reading.title, *(option.text for option in reading.options)]
            yield from (FixedText(text, reading.language, reading.span) for text in texts if text)

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
