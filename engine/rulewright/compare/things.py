"""All that an edition declares, each with its clauses: rules and the like, words of the vocabulary, readings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rulewright.compare.clauses import Clause, clauses_of
from rulewright.compare.meaning import key
from rulewright.compare.sides import Side
from rulewright.compare.versions import Version
from rulewright.explain.rules import Item, block_of, items_of
from rulewright.model import Edition, Phrase, Role, Shorthand, Variable, Vocabulary
from rulewright.phrases.words import sentence_text
from rulewright.speech import say
from rulewright.syntax.keywords import Language
from rulewright.syntax.parser import parse
from rulewright.syntax.tree import Block
from rulewright.syntax.tree import Clause as Written
from rulewright.text import Source, Span
from rulewright.workspace import RULES_SUFFIX

Said = tuple[str, ...]


@dataclass(frozen=True)
class Thing:
    """What one block declares.

    Attributes:
        kind: what it is, as ``block`` in the texts of the program has it.
        about: its title, citations, concepts and assumptions: what is no part of its meaning.
        said: its lines as they are written, without layout and comments.
        item: the rule or the like; None for words and readings.
    """

    kind: str
    ident: str
    file: str
    line: int
    language: str
    clauses: tuple[Clause, ...]
    about: Mapping[str, Said]
    said: Said = ()
    item: Item | None = None

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"

    @property
    def title(self) -> str:
        """Its title, where it has one."""
        return next(iter(self.about.get("title", ())), "")


def things_of(version: Version, edition: str, ident: str, language: Language) -> tuple[Thing, ...]:
    """All that the blocks of an edition and of the vocabulary declare, those of readings that are not taken among them.

    Args:
        version: where the edition lies.
        edition: the name of its folder.
        ident: what it is taken to be called, so that its own words are those of the edition it is held against.
        language: the language in which clauses are told.
    """
    written = _written(version.sources(edition).values())
    own = version.tree.own_files(edition) | ({version.edit.name} if version.edit is not None else set())
    found: dict[tuple[str, int, str], Thing] = {}
    for variant in version.variants(edition):
        side = Side(edition, replace(variant.edition, ident=ident), variant, own)
        for thing, span in _Reader(side, language).all():
            at = (span.source.name, span.line)
            if (*at, thing.ident) not in found:
                file = version.below(span.source.name)
                found[*at, thing.ident] = replace(thing, file=file, line=span.line, said=written.get(at, ()))
    return tuple(found.values())


def _written(sources: Iterable[Source]) -> dict[tuple[str, int], Said]:
    """What the blocks of some files say, by file and line of the block."""
    blocks = [block for source in sources if source.name.endswith(RULES_SUFFIX) for block in parse(source)[0]]
    return {(b.span.source.name, b.span.line): said_in_block(b) for b in blocks}


def said_in_block(block: Block) -> Said:
    """The lines of a block without layout and comments."""
    return (block.keyword.text, block.ident.text, block.title, *_lines(block.clauses))


def _lines(clauses: Iterable[Written]) -> Iterator[str]:
    for clause in clauses:
        yield f"{clause.keyword.text} {sentence_text(clause.text) if clause.text else ''}".strip()
        yield from _lines(clause.details)


class _Reader:
    def __init__(self, side: Side, language: Language) -> None:
        self.side = side
        self.edition: Edition = side.edition
        self.language = language
        self.needs = {(d.span.source.name, d.span.line): d.needs for d in side.edition.readings.dependents}

    def all(self) -> Iterator[tuple[Thing, Span]]:
        for item in items_of(self.edition):
            yield self._item(item), item.anchor.span
        yield from self._words(self.edition.vocabulary)
        yield from self._readings()
        if self.edition.source is not None:
            source = self.edition.source
            skipped = tuple(f"{s.sentence}: {s.reason}" for s in source.not_modelled)
            title = self.edition.text(self.edition.title, self.edition.language, self.language.code)
            about = {"title": (title,), "cites": source.sentences, "not-modelled": skipped}
            yield self._thing("edition", self.edition.ident, source.span, (), about), source.span

    def _thing(
        self, kind: str, ident: str, span: Span, clauses: Iterable[Clause], about: Mapping[str, Said] | None = None
    ) -> Thing:
        needs = self.needs.get((span.source.name, span.line), {})
        options = tuple(
            self._clause("needs", ("needs", reading, tuple(sorted(some))), f"{reading} {', '.join(some)}", span)
            for reading, some in sorted(needs.items())
        )
        return Thing(kind, ident, "", 0, span.source.language, (*options, *clauses), about or {})

    def _clause(self, part: str, meaning: Any, text: str, span: Span) -> Clause:
        return Clause("", part, text, meaning, span=span)

    def _item(self, item: Item) -> Thing:
        anchor = self.edition.anchor_in(item.anchor, self.language.code)
        about = {
            "title": (anchor.title,) if anchor.titled else (),
            "cites": anchor.cites,
            "concepts": (*anchor.concepts, *(concept for concept, _ in anchor.facets)),
            "assumptions": tuple(f"{a.ident}: {a.text}" for a in anchor.assumptions),
        }
        clauses = [_strict(c) for c in clauses_of(item, self.side, self.language)]
        return replace(
            self._thing(block_of(item), anchor.ident, anchor.span, clauses, about), language=anchor.language, item=item
        )

    # --- words ---------------------------------------------------------------------------------------------------

    def _words(self, words: Vocabulary) -> Iterator[tuple[Thing, Span]]:
        for kind in words.kinds.values():
            clauses = [self._clause("head", ("kind", kind.parent), kind.parent or "", kind.span)]
            clauses += [self._clause("begins", key(a, self.side), sentence_text(a.span), a.span) for a in kind.begins]
            yield self._thing("kind", kind.ident, kind.span, clauses), kind.span
        for name in words.names.values():
            clauses = [self._clause("head", ("name", name.kind), name.kind, name.span)]
            yield self._thing("name", name.ident, name.span, clauses), name.span
        for phrase in words.phrases.values():
            yield self._thing(_kind(phrase, words), phrase.ident, phrase.span, self._phrase(phrase, words)), phrase.span
        for shorthand in words.shorthands.values():
            yield self._thing("shorthand", shorthand.ident, shorthand.span, self._shorthand(shorthand)), shorthand.span

    def _phrase(self, phrase: Phrase, words: Vocabulary) -> Iterator[Clause]:
        extra = (phrase.dimension, phrase.symmetric, phrase.action)
        told = [_places(phrase.roles), *(str(e) for e in (phrase.dimension, phrase.action) if e)]
        if phrase.symmetric:
            told.append(say("diff.symmetric"))
        yield self._clause("head", (_roles(phrase.roles), *extra), "; ".join(t for t in told if t), phrase.span)
        if phrase.ident in words.events:
            event = words.events[phrase.ident]
            for effect in event.changes:
                yield self._clause("changes", key(effect, self.side), sentence_text(effect.span), effect.span)
            moments = (event.opens, event.closes, event.only_one)
            if any(moments) or event.only_one is not None:
                yield self._clause("windows", moments, ", ".join((*event.opens, *event.closes)), phrase.span)
        if phrase.ident in words.tallies:
            tally = words.tallies[phrase.ident]
            counted = key((tally.event, tally.amount), self.side)
            yield self._clause("sums", counted, sentence_text(tally.event.span), tally.event.span)
            for condition in tally.conditions:
                said, where = sentence_text(condition.span), condition.span
                yield self._clause("sums-if", key(condition, self.side), said, where)
            yield self._clause("over", tally.window, tally.window, phrase.span)
        if phrase.ident in words.snapshots:
            copy = words.snapshots[phrase.ident]
            yield self._clause("copies", (copy.measure, copy.window), f"{copy.measure}, {copy.window}", phrase.span)
        if phrase.ident in words.records:
            record = words.records[phrase.ident]
            yield self._clause(
                "keeps", key(record.event, self.side), sentence_text(record.event.span), record.event.span
            )
            if record.window is not None:
                yield self._clause("over", record.window, record.window, phrase.span)
            for until in record.until:
                yield self._clause("until", key(until, self.side), sentence_text(until.span), until.span)

    def _shorthand(self, shorthand: Shorthand) -> Iterator[Clause]:
        yield self._clause("head", _roles(shorthand.roles), _places(shorthand.roles), shorthand.span)
        meaning = self.edition.vocabulary.meanings.get(shorthand.ident)
        if meaning is not None:
            yield self._clause("means", key(meaning, self.side), sentence_text(meaning.span), meaning.span)

    def _readings(self) -> Iterator[tuple[Thing, Span]]:
        for reading in self.edition.readings_in(self.language.code).known.values():
            clauses = [self._clause("head", ("takes", reading.taken), reading.taken, reading.span)]
            clauses += [self._clause("option", o.ident, o.ident, reading.span) for o in reading.options]
            about = {
                "title": (reading.title,),
                "cites": reading.cites,
                "concepts": reading.concepts,
                "assumptions": tuple(f"{o.ident}: {o.text}" for o in reading.options),
            }
            yield self._thing("reading", reading.ident, reading.span, clauses, about), reading.span


def _strict(clause: Clause) -> Clause:
    """A clause whose key tells what it stands below, where that matters: what comes of a test that is failed."""
    if clause.part not in ("then", "until", "while"):
        return clause
    below = clause.keyword if clause.part == "then" and clause.depth else ""
    return replace(clause, key=(clause.depth, below, clause.key))


def _kind(phrase: Phrase, words: Vocabulary) -> str:
    made = {"tally": words.tallies, "snapshot": words.snapshots, "record": words.records}
    return next((kind for kind, known in made.items() if phrase.ident in known), phrase.kind)


def _roles(roles: Iterable[Role]) -> tuple[Any, ...]:
    """Places, as keys; they may be called otherwise in another language."""
    return tuple((Variable(role.name), role.kind, role.dimension) for role in roles)


def _places(roles: Iterable[Role]) -> str:
    return ", ".join(f"{{{role.name}}} ({role.kind})" for role in roles)
