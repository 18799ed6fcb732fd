"""What is wrong with a sentence that cannot be read: the most telling of the things that may be wrong with it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rulewright.diagnostics import Diagnostic, did_you_mean, meant_word, report
from rulewright.model import NUMBER, Atom, Individual, MeasureOf, Number, Role, ShorthandUse
from rulewright.phrases.lexicon import DIMENSION, RULE, WINDOW, Lexicon, name_key
from rulewright.phrases.matching import Quantified, Reader
from rulewright.phrases.wording import kind_text
from rulewright.phrases.words import Fixed, Word, fold, sentence_text, split, without_forms
from rulewright.resolve.blocks import QUOTES
from rulewright.scripts import twin
from rulewright.speech import Called, Listed, Text, later, listed
from rulewright.syntax.heads import block_heads
from rulewright.syntax.signs import wrong_script
from rulewright.text import Source, Span
from rulewright.walk import descend, individuals_of

Readings = Callable[[Reader], Sequence[object]]
Groups = Sequence[tuple[str, str]]

_JOINING = ("AND", "OR", "UNLESS", "THEN", "IF", "WHEN", "WHERE", "WHILE", "UNTIL")
_STOPS = (",", ";", ".", ":")
_ODD_NUMBER = re.compile(r"(?<![\w.,{/-])(?:\d+ \d{3}\b|\d[\w.,/]*[\w]|\d?[½¼¾⅓⅔])(?![\w}])")
MOST_STRANGE = 4
"""Words of a sentence that no phrase has, up to which one of them may be misspelt."""

LONGEST_PUZZLE = 400
"""Characters of a sentence up to which it is worth looking for what may be wrong with it."""


@dataclass(frozen=True)
class Puzzle:
    """A sentence that has no reading.

    Attributes:
        readings: what it should have been read as.
        groups: groups and forms of the wordings that it might have used.
        introduces: it might have introduced something new.
        variables: words may stand in braces.
    """

    lexicon: Lexicon
    span: Span
    readings: Readings
    groups: Groups
    introduces: bool = False
    variables: bool = False

    @property
    def sentence(self) -> str:
        """The sentence on one line."""
        return sentence_text(self.span)

    def diagnosis(self) -> Diagnostic:
        """What is most likely wrong."""
        looks = [self._swallowed, self._open_brace, self._open_quote]
        short = len(self.span.text) <= LONGEST_PUZZLE
        looks += [self._other_script, self._slip] if short else []
        looks += [self._odd_number, self._keyword]
        if short:
            looks += [self._newcomer] if self.introduces else []
            looks += [self._braceless, self._other_sort, self._misfit, self._joined, self._countless]
            looks += [self._misspelt, self._stranger]
        for look in looks:
            found = look()
            if found is not None:
                return found
        nearest = self._nearest() if len(self.span.text) <= LONGEST_PUZZLE else later("list.none")
        return report("unknown-phrase", self.span, sentence=self.sentence, nearest=nearest)

    # --- marks and margins -----------------------------------------------------------------------------------------

    def _swallowed(self, misspelt: bool = False) -> Diagnostic | None:
        """A line below the first that was meant as a clause of its own."""
        heads = block_heads(self.lexicon.language.code)
        keywords = set(self.lexicon.language.keywords) - set(heads.titled)
        for match in re.finditer(r"\n[ \t]*([^\s#][^\n]*)", self.span.text):
            meant = heads.nearest_keyword(match[1], keywords)
            if meant is None:
                continue
            line = self.span.within(match.start(1), match.end(1))
            if meant.written.casefold() == meant.keyword.casefold():
                above = self.span.text[: match.start()].rsplit("\n", 1)[-1].strip()
                return report("too-deep", line, found=line.text, above=above)
            if misspelt and self._readable(self.span.text[: match.start()]):
                hint = meant_word(meant.keyword)
                return report("misspelt-keyword", line.within(0, len(meant.written)), found=meant.written, hint=hint)
        return None

    def _keyword(self) -> Diagnostic | None:
        """A line below the first that begins with a misspelt keyword, where all above it is a sentence."""
        return self._swallowed(misspelt=True)

    # --- other words -------------------------------------------------------------------------------------------------

    def _readable(self, text: str) -> bool:
        return bool(self.readings(Reader(self.lexicon, Span(Source("", text), 0, len(text)))))

    def _instead(self, found: Sequence[tuple[int, int, str]]) -> Diagnostic | None:
        """The first of some stretches of the sentence, when it can be read with other words there."""
        for some in [*([one] for one in found), *([found] if len(found) > 1 else [])]:
            text = self.span.text
            for start, end, other in sorted(some, reverse=True):
                text = text[:start] + other + text[end:]
            if self._readable(text):
                start, end, other = some[0]
                place = self.span.within(start, end)
                return report("other-words", place, found=place.text, wanted=other)
        return None

    def _other_script(self) -> Diagnostic | None:
        """A word that nothing has, in letters that look like those of one that something has."""
        kinds = (w.template for k in self.lexicon.vocabulary.kinds.values() for w in k.wordings)
        known = (
            self._fixed_words() | self._words_of_names() | {fold(form) for text in kinds for form in text.split("|")}
        )
        for word in split(self.span.text, self.lexicon.language.decimal):
            other = twin(word.text) if word.type in ("word", "quoted") else None
            if other is not None and word.folded not in known and fold(other) in known:
                place = self.span.within(word.start, word.end)
                return report(wrong_script(word.text, other), place, found=word.text, wanted=other)
        return None

    def _slip(self) -> Diagnostic | None:
        """Something is said in a way that the language does not know."""
        found: list[tuple[int, int, str]] = []
        text = self.span.text
        for slip, wanted in self.lexicon.language.slips.items():
            pattern = slip.replace(" ", r"\s+")
            for match in re.finditer(rf"(?<![\w.,/]){pattern}(?![\w])", text, re.IGNORECASE):
                if match.group() and not any(start < match.end() and match.start() < end for start, end, _ in found):
                    found.append((match.start(), match.end(), match.expand(wanted)))
        return self._instead(sorted(found))

    def _braceless(self) -> Diagnostic | None:
        """A variable that stands without its braces."""
        if not self.variables:
            return None
        phrases = self.lexicon.vocabulary.phrases.values()
        known = {fold(r.name) for p in phrases for r in p.roles} | {fold(k) for k in self.lexicon.vocabulary.kinds}
        words = [
            w for w in split(self.span.text, self.lexicon.language.decimal) if w.type == "word" and w.folded in known
        ]
        return self._instead([(w.start, w.end, f"{{{w.text}}}") for w in words[:6]])

    def _fixed_words(self) -> set[str]:
        """The words of the phrases that the sentence might have used, and of the language's own sentences."""
        own = self.lexicon.language
        entries = [e.template for g in self.groups for e in self.lexicon.entries.get(g, ())]
        entries += [t for _, t in self.lexicon.shorthands]
        tables = ("sentences", "comparisons", "numbers")
        entries += [t for name in tables for key in getattr(own, name) for t in self.lexicon.own(name, key)]
        return {form for t in entries for item in t if isinstance(item, Fixed) for form in item.forms}

    def _words_of_names(self) -> set[str]:
        return {word for key in self.lexicon.things for word in key}

    def _misspelt(self) -> Diagnostic | None:
        """A word of a phrase that is misspelt."""
        known = self._fixed_words()
        named = self._words_of_names()
        words = split(self.span.text, self.lexicon.language.decimal)
        counted = {after for before, after in pairwise(words) if before.type == "number"}  # a unit has its own finding
        strange = [w for w in words if w.type == "word" and len(w.text) > 2 and w.folded not in known | named]
        strange = [w for w in strange if w not in counted]
        if len(strange) > MOST_STRANGE:
            return None
        for word in strange:
            for other in difflib.get_close_matches(word.folded, known, n=3, cutoff=0.7):
                found = self._instead([(word.start, word.end, other)])
                if found is not None:
                    return found
        return None

    def _other_sort(self) -> Diagnostic | None:
        """A fact where an event is wanted, or the other way round."""
        sorts = {group for group, _ in self.groups}
        reader = Reader(self.lexicon, self.span)
        if sorts == {"event"} and reader.facts():
            return report(
                "wrong-sort", self.span, sentence=self.sentence, one=later("sort.fact"), other=later("sort.event")
            )
        if "event" not in sorts and "fact" in sorts and reader.events():
            return report(
                "wrong-sort", self.span, sentence=self.sentence, one=later("sort.event"), other=later("sort.fact")
            )
        return None

    def _open_brace(self) -> Diagnostic | None:
        return open_brace(self.span)

    def _open_quote(self) -> Diagnostic | None:
        for word in split(self.span.text, self.lexicon.language.decimal):
            if word.type == "word" and word.text in QUOTES:
                before = self.span.text[: word.start].rstrip()
                if not before or not before[-1].isdigit():
                    place = self.span.within(word.start, len(self.span.text))
                    return report("open-quote", place, found=place.text)
        return None

    def _odd_number(self) -> Diagnostic | None:
        for match in _ODD_NUMBER.finditer(self.span.text):
            if re.fullmatch(rf"\d+([.{self.lexicon.language.decimal}]\d+)?|\d+[dD]\d+", match.group()):
                continue
            if any(fold(match.group()) in key for key in self.lexicon.things):
                continue
            return report("unclear-number", self.span.within(match.start(), match.end()), number=match.group())
        return None

    def _countless(self) -> Diagnostic | None:
        """A number of things that is not a whole number, or less than one."""
        readings = self.readings(Reader(self.lexicon, self.span, lenient=True))
        numbers = [word for word in split(self.span.text, self.lexicon.language.decimal) if word.type == "number"]
        if numbers and any(isinstance(reading, Quantified) for reading in readings):
            place = self.span.within(numbers[0].start, numbers[0].end)
            return report("uncountable", place, number=place.text)
        return None

    # --- names and units -------------------------------------------------------------------------------------------

    def _misfit(self) -> Diagnostic | None:
        """A name in a place of another kind, or a number that counts something else."""
        found = [
            misfits
            for reading in self.readings(Reader(self.lexicon, self.span, lenient=True))
            if (misfits := list(self._misfits(reading)))
        ]
        return min(found, key=len)[0] if found else None

    def _misfits(self, reading: Any) -> Iterator[Diagnostic]:
        vocabulary = self.lexicon.vocabulary
        kinds = {t.ident: t.kind for things in self.lexicon.things.values() for t in things}
        for role, argument in _places(reading, self.lexicon):
            if isinstance(argument, Individual):
                kind = kinds.get(argument.ident, "thing")
                if not vocabulary.is_a(kind, role.kind):
                    name, place = self._written(argument.ident)
                    yield report("wrong-kind", place, name=name, kind=self._kind(kind), wanted=self._kind(role.kind))
            elif isinstance(argument, Number) and role.kind == NUMBER and argument.dimension != role.dimension:
                yield self._wrong_unit(argument, role)

    def _wrong_unit(self, number: Number, role: Role) -> Diagnostic:
        words = split(self.span.text, self.lexicon.language.decimal)
        figures = [w for w in words if w.type == "number"]
        word = next((w for w in figures if w.text == str(number.value)), figures[0] if figures else words[0])
        place = self.span.within(word.start, word.end)
        wanted = self._unit(role.dimension)
        if number.dimension is None:
            return report("unit-missing", place, number=word.text, wanted=wanted, example=_counted(word.text, wanted))
        unit = number.dimension.removeprefix("?")
        if number.dimension.startswith("?"):
            start = self.span.text.find(unit, word.end)
            place = self.span.within(start, start + len(unit)) if start >= 0 else place
            return report("unknown-unit", place, unit=unit, wanted=wanted, example=_counted(word.text, wanted))
        if role.dimension is None:
            return report("unit-too-many", place, number=word.text, unit=self._unit(unit))
        return report("wrong-unit", place, number=word.text, unit=self._unit(unit), wanted=wanted)

    def _unit(self, dimension: str | None) -> str:
        name = self.lexicon.vocabulary.names.get(dimension or "")
        forms = [w.template for w in name.wordings if w.language == self.lexicon.language.code] if name else []
        return forms[0].split("|")[0] if forms else dimension or ""

    def _written(self, ident: str) -> tuple[str, Span]:
        """A name as it is written in the sentence, and its place."""
        words = split(self.span.text, self.lexicon.language.decimal)
        keys = [key for key, things in self.lexicon.things.items() if any(t.ident == ident for t in things)]
        for start in range(len(words)):
            for key in keys:
                run = words[start : start + len(key)]
                if tuple(w.folded for w in run) == key or (len(run) and run[0].folded == " ".join(key)):
                    place = self.span.within(run[0].start, run[len(key) - 1 if len(run) == len(key) else 0].end)
                    return place.text.strip(QUOTES), place
        return ident, self.span

    def _stranger(self) -> Diagnostic | None:
        """A name that nothing has."""
        best: tuple[tuple[int, int], object] | None = None
        for reading in self.readings(Reader(self.lexicon, self.span, lenient=True, guess=True)):
            guesses = _guesses(reading)
            cost = (len(guesses), sum(len(n) for n in guesses))
            if guesses and (best is None or cost < best[0]):
                best = cost, reading
        if best is None or best[0][0] > 2:
            return None
        for role, argument in _places(best[1], self.lexicon):
            if isinstance(argument, Number) and str(argument.dimension).startswith("?"):
                return self._wrong_unit(argument, role)
        name = _guesses(best[1])[0]
        wanted = next((r.kind for r, a in _places(best[1], self.lexicon) if a == Individual("?" + name)), None)
        return report(
            "unknown-name",
            self._place(name),
            name=name,
            hint=self._names_like(name, wanted) or later("hint.introduce-or-correct"),
        )

    def _names_like(self, name: str, wanted: str | None) -> Text | None:
        vocabulary = self.lexicon.vocabulary
        fitting = {
            " ".join(key): thing
            for key, things in self.lexicon.things.items()
            for thing in things
            if (wanted is None and thing.kind not in (DIMENSION, WINDOW, RULE))
            or (wanted is not None and vocabulary.is_a(thing.kind, wanted))
        }
        own = self.lexicon.language
        shown = [t.ident if " ".join(name_key(t.ident, own)) == key else key for key, t in fitting.items()]
        return did_you_mean(name, shown)

    def _newcomer(self) -> Diagnostic | None:
        """Something is introduced, but there is no such kind, or no such side."""
        own = self.lexicon.language
        words = split(self.span.text, self.lexicon.language.decimal)
        cut = next((w.start for w in words if w.type == "word" and w.folded in own.sentences["with"]), None)
        part = self.span.within(0, len(self.span.text) if cut is None else cut)
        found = Reader(self.lexicon, part, lenient=True, guess=True).own("introduction")
        for filled in sorted(found, key=lambda f: (str(f["kind"]).startswith("?"), len(str(f["kind"])))):
            kind, side = str(filled["kind"]), filled.get("side")
            if kind.startswith("?"):
                kinds = self.lexicon.vocabulary.kinds.values()
                known = [w.template.split("|")[0] for k in kinds for w in k.wordings if w.language == own.code]
                hint = did_you_mean(kind[1:], known)
                if hint:
                    return report("unknown-kind", self._place(kind[1:]), kind=kind[1:], hint=hint)
            elif isinstance(side, Individual) and side.ident.startswith("?"):
                name = side.ident[1:]
                hint = self._names_like(name, "side") or later("hint.introduce-side", name=name)
                return report("unknown-name", self._place(name), name=name, hint=hint)
            elif isinstance(side, Individual):
                return next(self._side_misfit(side), None)
        return None

    def _side_misfit(self, side: Individual) -> Iterator[Diagnostic]:
        kinds = {t.ident: t.kind for things in self.lexicon.things.values() for t in things}
        if not self.lexicon.vocabulary.is_a(kinds.get(side.ident, "thing"), "side"):
            name, place = self._written(side.ident)
            kind, wanted = self._kind(kinds.get(side.ident, "thing")), self._kind("side")
            yield report("wrong-kind", place, name=name, kind=kind, wanted=wanted)

    def _kind(self, ident: str) -> Called | Text:
        return kind_text(self.lexicon.vocabulary, ident)

    def _place(self, text: str) -> Span:
        start = self.span.text.find(text)
        return self.span.within(start, start + len(text)) if start >= 0 else self.span

    # --- two sentences -----------------------------------------------------------------------------------------------

    def _joined(self) -> Diagnostic | None:
        """Two sentences in one line."""
        language = self.lexicon.language
        joining = {fold(form) for name in _JOINING for form in language.keywords.get(name, ()) if " " not in form}
        words = split(self.span.text, self.lexicon.language.decimal)
        for index, word in enumerate(words[1:-1], start=1):
            if word.type != "word" or (word.folded not in joining and word.text not in _STOPS):
                continue
            if not self.readings(Reader(self.lexicon, self.span.within(0, words[index - 1].end))):
                continue
            begin, rest = index, index + 1
            while rest < len(words) and (words[rest].folded in joining or words[rest].text in _STOPS):
                rest += 1
            if rest < len(words) and (word.text not in _STOPS or self._says_something(words[rest:])):
                place = self.span.within(words[begin].start, len(self.span.text))
                first = self.span.text[: words[index - 1].end]
                return report("two-sentences", place, first=first, second=place.text)
        return None

    def _says_something(self, words: Sequence[Word]) -> bool:
        reader = Reader(self.lexicon, self.span.within(words[0].start, len(self.span.text)))
        return bool(reader.conditions() or reader.effects())

    # --- nearest phrases ---------------------------------------------------------------------------------------------

    def _nearest(self) -> Listed | Text:
        templates = [e.wording.template for g in self.groups for e in self.lexicon.entries.get(g, ())]
        if any(g[0] == "fact" for g in self.groups):
            own = self.lexicon.language.code
            shorthands = self.lexicon.vocabulary.shorthands.values()
            templates += [w.template for s in shorthands for w in s.wordings if w.language == own]
        readable = {without_forms(t): t for t in templates}
        words = _skeleton(self.sentence)
        ranked = sorted(readable, key=lambda t: -_likeness(words, _skeleton(t)))
        return listed([f"`{t}`" for t in ranked[:3]], "list.semicolon")


def open_brace(span: Span) -> Diagnostic | None:
    """A brace that is opened and not closed, or closed and not opened."""
    closed = re.sub(r"\{[^{}\n]*\}", lambda m: " " * len(m.group()), span.text)
    match = re.search(r"\{[^\s{}]*|[^\s{}]*\}", closed)
    if match is None:
        return None
    name = match.group().strip("{}").rstrip(",.;:")
    return report("open-brace", span.within(match.start(), match.end()), found=match.group(), name=name or "unit")


def _places(node: Any, lexicon: Lexicon) -> Iterator[tuple[Role, Any]]:
    """The places of the phrases in a reading, and what fills them."""
    for part in descend(node):
        if isinstance(part, Atom | MeasureOf):
            yield from zip(lexicon.vocabulary.phrases[part.phrase].roles, part.arguments, strict=True)
        elif isinstance(part, ShorthandUse):
            yield from zip(part.shorthand.roles, part.arguments, strict=True)


def _guesses(node: Any) -> list[str]:
    names = [i.ident[1:] for i in individuals_of(node) if i.ident.startswith("?")]
    units = [n.dimension or "" for n in descend(node) if isinstance(n, Number)]
    return [*names, *(u[1:] for u in units if u.startswith("?"))]


def _counted(number: str, unit: str) -> str:
    return f"{number}{unit}" if unit and not unit[0].isalnum() else f"{number} {unit}".strip()


def _likeness(one: list[str], other: list[str]) -> float:
    """How alike two sentences are, by their words and by their letters."""
    letters = difflib.SequenceMatcher(None, " ".join(one), " ".join(other), autojunk=False).ratio()
    return difflib.SequenceMatcher(None, one, other).ratio() + letters


def _skeleton(text: str) -> list[str]:
    return ["{}" if w.startswith("{") else fold(w) for w in text.split()]
