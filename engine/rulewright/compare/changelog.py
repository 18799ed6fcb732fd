"""What changed between two versions of rules, told by what they mean, as data (``changelog.schema.json``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from rulewright.compare.alignment import best_pairs, called_alike, match_clauses
from rulewright.compare.clauses import Clause
from rulewright.compare.marks import Piece
from rulewright.compare.meaning import Key
from rulewright.compare.rows import Line, line_of
from rulewright.compare.things import Thing, said_in_block, things_of
from rulewright.compare.versions import Version
from rulewright.explain.clauses import without_braces
from rulewright.speech import spoken
from rulewright.syntax.keywords import languages
from rulewright.syntax.parser import parse
from rulewright.text import Source
from rulewright.workspace import RULES_SUFFIX, VOCABULARY

SCHEMA = "rulewright/diff/1"
_ORDERED = ("then", "until", "while", "changes")
"""Parts whose order matters: they are carried out one after the other, or belong to the one before them."""

Data = dict[str, Any]


@dataclass(frozen=True)
class Change:
    """A thing of the old version and the one of the new that answers it; None where there is none.

    Attributes:
        lines: the clauses of both, side by side, where the two differ in meaning.
        reordered: they have the same clauses in another order.
    """

    before: Thing | None
    after: Thing | None
    lines: tuple[Line, ...] = ()
    reordered: bool = False

    @property
    def thing(self) -> Thing:
        """The newer of the two."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def names(self) -> frozenset[str]:
        """What it is called in either version."""
        return frozenset(t.ident for t in (self.before, self.after) if t is not None)

    @property
    def meaning(self) -> bool:
        """Whether another thing is meant."""
        return self.before is None or self.after is None or bool(self.lines) or self.reordered

    @property
    def about(self) -> tuple[str, ...]:
        """What else differs: title, citations, concepts, assumptions; what is in another language is wording."""
        if self.before is None or self.after is None:
            return ()
        translated = ("title", "assumptions") if self.before.language != self.after.language else ()
        parts = dict.fromkeys([*self.before.about, *self.after.about])
        return tuple(p for p in parts if p not in translated and self.before.about.get(p) != self.after.about.get(p))

    @property
    def moved(self) -> bool:
        """Whether it stands in another file."""
        return self.before is not None and self.after is not None and self.before.file != self.after.file

    @property
    def sort(self) -> str:
        """What happened to it, in one word; ``same`` where nothing did."""
        if self.before is None or self.after is None:
            return "added" if self.before is None else "removed"
        if self.meaning:
            return "changed"
        if self.before.ident != self.after.ident:
            return "renamed"
        if self.moved:
            return "moved"
        if self.about:
            return "described"
        return "wording" if self.before.said != self.after.said else "same"


@dataclass(frozen=True)
class Chapter:
    """What changed in an edition, or in the vocabulary.

    Attributes:
        names: the edition in the old and in the new version; None where it is not there.
        files: those of which only the layout or the comments changed.
    """

    names: tuple[str | None, str | None]
    changes: tuple[Change, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The name of the edition."""
        return self.names[1] or self.names[0] or ""

    @property
    def sort(self) -> str:
        """What happened to it as a whole."""
        if None in self.names:
            return "added" if self.names[0] is None else "removed"
        if any(change.meaning for change in self.changes):
            return "changed"
        return "restated" if self.changes or self.files else "same"

    @property
    def meaning(self) -> bool:
        """Whether something else is meant than before."""
        return self.sort not in ("same", "restated")


def chapters_of(old: Version, new: Version) -> tuple[Chapter, ...]:
    """What changed, in the vocabulary and in each edition.

    Raises:
        Fault: an edition cannot be read.
    """
    if old.edition is not None and new.edition is not None:
        pairs: list[tuple[str | None, str | None]] = [(old.edition, new.edition)]
    else:
        had, has = set(old.editions()), set(new.editions())
        pairs = [(e if e in had else None, e if e in has else None) for e in sorted(had | has)]
    shared: Chapter | None = None
    found = []
    for before, after in pairs:
        if before is None or after is None:
            found.append(Chapter((before, after)))
            continue
        own, common = _compared(old, new, before, after)
        shared = shared or common
        found.append(own)
    return (shared, *found) if shared is not None and shared.sort != "same" else tuple(found)


def _compared(old: Version, new: Version, before: str, after: str) -> tuple[Chapter, Chapter]:
    """What changed in an edition, and in the vocabulary that it is read with."""
    sources = old.sources(before), new.sources(after)
    texts = [_under(after, own, edition) for own, edition in zip(sources, (before, after), strict=True)]
    if {n: s.text for n, s in texts[0].items()} == {n: s.text for n, s in texts[1].items()}:
        return Chapter((before, after)), Chapter((VOCABULARY, VOCABULARY))
    language = languages()[spoken()]
    had = [_called(t, before, after) for t in things_of(old, before, after, language)]
    has = things_of(new, after, after, language)
    changes = [c for c in changes_between(had, has) if c.sort != "same"]
    files = [name for name in texts[0] if name in texts[1] and _laid_out(texts[0][name], texts[1][name])]

    def of(shared: bool) -> tuple[tuple[Change, ...], tuple[str, ...]]:
        return (
            tuple(c for c in changes if c.thing.file.startswith(f"{VOCABULARY}/") == shared),
            tuple(f for f in files if f.startswith(f"{VOCABULARY}/") == shared),
        )

    return Chapter((before, after), *of(shared=False)), Chapter((VOCABULARY, VOCABULARY), *of(shared=True))


def _called(thing: Thing, before: str, after: str) -> Thing:
    """A thing of an edition whose folder is called otherwise, as if it lay in that of the other."""
    name = thing.file
    return replace(thing, file=f"{after}{name.removeprefix(before)}") if name.startswith(f"{before}/") else thing


def _under(wanted: str, sources: Mapping[str, Source], own: str) -> dict[str, Source]:
    return {f"{wanted}{n.removeprefix(own)}" if n.startswith(f"{own}/") else n: s for n, s in sources.items()}


def _laid_out(one: Source, other: Source) -> bool:
    """Whether two files say the same in the same words, but are laid out or commented otherwise."""
    if one.text == other.text:
        return False
    if not one.name.endswith(RULES_SUFFIX):
        return True  # translations are no more than wording
    said = [sorted(said_in_block(block) for block in parse(source)[0]) for source in (one, other)]
    return said[0] == said[1]


# --- which thing answers which ---------------------------------------------------------------------------------------


def changes_between(old: Sequence[Thing], new: Sequence[Thing]) -> list[Change]:
    """Each thing with the one that answers it: of the same name first, then what means the same under another."""
    pairs: list[tuple[Thing, Thing]] = []
    named: dict[tuple[str, str], tuple[list[Thing], list[Thing]]] = defaultdict(lambda: ([], []))
    for place, things in enumerate((old, new)):
        for thing in things:
            named[thing.kind, thing.ident][place].append(thing)
    left: tuple[list[Thing], list[Thing]] = ([], [])
    for had, has in named.values():
        found = best_pairs(range(len(had)), range(len(has)), partial(_likeness, had, has), 0.0)
        pairs += [(had[i], has[j]) for i, j in found.items()]
        left[0].extend(t for i, t in enumerate(had) if i not in found)
        left[1].extend(t for j, t in enumerate(has) if j not in found.values())
    renamed = {}
    for thing in left[0]:
        same = (t for t in left[1] if t.kind == thing.kind and id(t) not in renamed and _same(thing, t))
        other = next(same, None)
        if other is not None:
            renamed[id(other)] = (thing, other)
    pairs += renamed.values()
    gone = {id(t) for pair in renamed.values() for t in pair}
    now = {a.ident: b.ident for a, b in renamed.values()}
    changes = [_change(a, b, now) for a, b in pairs]
    changes += [Change(thing, None) for thing in left[0] if id(thing) not in gone]
    changes += [Change(None, thing) for thing in left[1] if id(thing) not in gone]
    return sorted(changes, key=lambda c: (c.thing.file, c.thing.line))


def _likeness(old: Sequence[Thing], new: Sequence[Thing], number: int, other: int) -> float:
    return match_clauses(old[number].clauses, new[other].clauses).likeness


def _same(one: Thing, other: Thing) -> bool:
    found = match_clauses(one.clauses, other.clauses)
    whole = len(found.equal) == len(one.clauses) == len(other.clauses)
    return bool(one.clauses) and whole and not _shuffled(one, found.links)


def _shuffled(thing: Thing, links: Mapping[int, int]) -> bool:
    """Whether clauses whose order matters are in another."""
    places = [links[i] for i, clause in enumerate(thing.clauses) if clause.part in _ORDERED and i in links]
    return places != sorted(places)


def _change(before: Thing, after: Thing, now: Mapping[str, str]) -> Change:
    """What differs between two things; names that a rule has been given instead are no difference."""
    had = tuple(replace(c, key=_renamed(c.key, now), text=now.get(c.text, c.text)) for c in before.clauses)
    found = match_clauses(had, after.clauses)
    if len(found.equal) == len(had) == len(after.clauses):
        return Change(before, after, (), _shuffled(before, found.links))
    pairs: list[tuple[Clause | None, Clause | None]] = [(None, called_alike(clause, {})) for clause in after.clauses]
    whole = [clause for _, clause in pairs]
    at = 0
    for number, clause in enumerate(had):
        said = called_alike(clause, found.renaming)
        if number in found.links:
            at = pairs.index((None, whole[found.links[number]]))
            pairs[at] = (said, pairs[at][1])
        else:
            pairs.insert(at, (said, None))
        at += 1
    lines = (line_of(pair, 2) for pair in pairs)
    return Change(before, after, tuple(line for line in lines if line.sign != "same"))


def _renamed(meaning: Key, now: Mapping[str, str]) -> Key:
    """A key in which the names of an edition are those that they are called by now."""
    if isinstance(meaning, tuple):
        if len(meaning) == 2 and all(isinstance(part, str) for part in meaning):
            return (meaning[0], now.get(meaning[1], meaning[1]))
        return tuple(_renamed(part, now) for part in meaning)
    return meaning


# --- as data ---------------------------------------------------------------------------------------------------------


def describe_changelog(old: Version, new: Version, chapters: Sequence[Chapter]) -> Data:
    """What changed, as data, without what that comes to in play."""
    return {
        "schema": SCHEMA,
        "language": spoken(),
        "old": old.label,
        "new": new.label,
        "changed": any(chapter.meaning for chapter in chapters),
        "editions": [_chapter(chapter) for chapter in chapters],
        "impact": None,
    }


def _chapter(chapter: Chapter) -> Data:
    return {
        "edition": chapter.title,
        "change": chapter.sort,
        "things": [_described(change) for change in chapter.changes],
        "laid_out": list(chapter.files),
    }


def _described(change: Change) -> Data:
    before, after, thing = change.before, change.after, change.thing
    alone = thing.clauses if before is None or after is None else ()
    return {
        "kind": thing.kind,
        "id": thing.ident,
        "title": thing.title,
        "change": change.sort,
        "meaning": change.meaning,
        "before": _where(before),
        "after": _where(after),
        "moved": change.moved,
        "reordered": change.reordered,
        "lines": [_line(line) for line in change.lines],
        "clauses": [c.sentence for c in alone],
        "about": [
            {"what": what, "before": list(_said(before, what)), "after": list(_said(after, what))}
            for what in change.about
        ],
    }


def _said(thing: Thing | None, what: str) -> Iterable[str]:
    return thing.about.get(what, ()) if thing is not None else ()


def _where(thing: Thing | None) -> Data | None:
    return None if thing is None else {"id": thing.ident, "place": thing.place}


def _line(line: Line) -> Data:
    before, after = line.clauses
    kind = "added" if before is None else "removed" if after is None else "changed"
    number: Data | None = None
    if before is not None and after is not None:
        if line.sign == "own":
            kind = "meaning"
        elif _but_for_numbers(before.key) == _but_for_numbers(after.key):
            kind = "number"
            told = [" ".join(p.text for p in pieces if p.differs) for pieces in line.pieces]
            number = {"before": told[0], "after": told[1]}
    sides = [_clause(c, p) for c, p in zip(line.clauses, line.pieces, strict=True)]
    return {"change": kind, "number": number, "before": sides[0], "after": sides[1]}


def _but_for_numbers(meaning: Key) -> Key:
    """A key with all numbers alike."""
    if isinstance(meaning, tuple):
        return tuple(_but_for_numbers(part) for part in meaning)
    return 0 if isinstance(meaning, int | Fraction) and not isinstance(meaning, bool) else meaning


def _clause(clause: Clause | None, pieces: Iterable[Piece]) -> Data | None:
    if clause is None:
        return None
    return {
        "text": clause.sentence,
        "line": clause.span.line if clause.span is not None else None,
        "pieces": [{"text": without_braces(p.text), "differs": p.differs} for p in pieces],
    }
