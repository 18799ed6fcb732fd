"""A session: a game that is spoken to in sentences.

    session = Session(rulebook)
    session.give("Red is a side")
    session.give("Archers is a unit of Red with 20 models, 20 health points and Discipline 7")
    session.happens("Archers loses 5 health points to terrain")
    session.answer(9)
    session.steps[-1]

Every input is logged.  A session can be forked, and a log replayed; an input that is refused leaves the session as it
was.  Two sessions share nothing that changes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from rulewright.arithmetic import compared
from rulewright.backends.base import Backend, BackendError
from rulewright.diagnostics import Fault, did_you_mean, report
from rulewright.lowering import names
from rulewright.lowering.compile import Compiled
from rulewright.model import (
    BELONGS_TO,
    Atom,
    Compare,
    Expression,
    Individual,
    IsA,
    Known,
    MeasureOf,
    Number,
    Variable,
)
from rulewright.phrases.introducing import attributes_in, introductions
from rulewright.phrases.lexicon import Lexicon, Thing, name_key
from rulewright.phrases.matching import Reader, unique
from rulewright.phrases.wording import Worder, phrase_text, speaker
from rulewright.phrases.words import Word, sentence_text
from rulewright.productions import Fact
from rulewright.provenance import RuleMatch, Step, Value
from rulewright.resolve.sentences import RULE_FORMS, Interpreter
from rulewright.resolve.vocabulary import begins_for
from rulewright.session.cycle import ask
from rulewright.session.game import Game
from rulewright.session.log import (
    AnswerSentence,
    Entry,
    Introduction,
    Measurement,
    Occurrence,
    Reply,
    Statement,
)
from rulewright.session.requests import Request, answer_text, request_text
from rulewright.session.saved import SavedGame
from rulewright.session.world import decoded
from rulewright.speech import Called, Listed, later, listed
from rulewright.syntax.keywords import languages
from rulewright.syntax.signs import typed
from rulewright.text import Span
from rulewright.walk import descend

LONGEST_NAME = 200
Claim = Atom | Known | IsA | Compare
"""What can be so or not so at a moment."""


@dataclass(frozen=True)
class SavedSession:
    """A session at one moment, as ``Session.restore`` takes it."""

    game: SavedGame
    log: tuple[Entry, ...]
    lexicon: Lexicon
    names: Mapping[str, str]


class Session:
    """A game under one edition, spoken to in sentences of one language.

    Args:
        compiled: the edition, as ``load_edition`` gives it.
        backend: opens the matcher that decides every match.
        language: code of the language of the sentences.

    Raises:
        Fault: the language has no keyword table.
    """

    def __init__(self, compiled: Compiled, backend: Backend, language: str = "en") -> None:
        self.compiled = compiled
        self.backend = backend
        if language not in languages():
            raise Fault(report("unknown-language", code=language, known=listed(languages())))
        self.language = languages()[language]
        self.log: list[Entry] = []
        self._begin()

    def _begin(self) -> None:
        self.lexicon = self.compiled.lexicon(self.language)
        self.names: dict[str, str] = {}
        self.game = Game(self.compiled, self.backend)

    # --- what can be said to it ----------------------------------------------------------------------------------

    def give(self, sentence: str | Span) -> None:
        """States what is so: a thing with its attributes, a fact, or the value of a measure.

        Raises:
            Fault: the sentence cannot be read, or contradicts what is known; the session is as it was.
        """
        self.carry_out(self._read_given(self._span(sentence)))

    def happens(self, sentence: str | Span, *at_the_same_time: str | Span) -> Request | None:
        """An event happens, or several at one moment, or something changes between events.

        Returns:
            What the game asks for, or None when it is at rest.

        Raises:
            Fault: a sentence cannot be read, or the game cannot go on; the session is as it was.
        """
        spans = [self._span(one) for one in (sentence, *at_the_same_time)]
        if self.request is not None:
            raise Fault(report("unanswered", request=self.asked(), sentence=sentence_text(spans[0])))
        entries = [entry for span in spans for entry in self.read_happening(span)]
        happened = [entry for entry in entries if isinstance(entry, Occurrence)]
        events = tuple(e for entry in happened for e in entry.events)
        places = tuple(s for entry in happened for s in entry.spans)
        changes = [entry for entry in entries if not isinstance(entry, Occurrence)]
        self.carry_out([*changes, *([Occurrence(events, places)] if events else [])])
        return self.request

    def answer(self, answer: int | str | Span) -> Request | None:
        """Answers the open request with a total, the name of an option, or a sentence.

        Returns:
            What the game asks for next, or None when it is at rest.

        Raises:
            Fault: nothing was asked, or that is no answer to it; the session is as it was.
        """
        if self.request is None:
            raise Fault(report("nothing-asked", answer=answer if isinstance(answer, int | str) else answer.text))
        span = None
        if isinstance(answer, int):
            value: Value = Fraction(answer)
        else:
            span = self._span(answer)
            readings = self.read_answer(span)
            fitting = next((r for r in readings if r.fits(self.request)), None)
            if readings and fitting is None:
                raise Fault(report("wrong-answer", span, answer=sentence_text(span), request=self.asked()))
            value = fitting.value if fitting is not None else self._option(span)
        return self.reply(value, span)

    def reply(self, value: Value, span: Span | None = None) -> Request | None:
        """Answers the open request with a total, or the ident of an option; ``span`` is the sentence that says so.

        Returns:
            What the game asks for next, or None when it is at rest.

        Raises:
            Fault: that is no answer, or the game cannot go on; the session is as it was.
        """
        self.carry_out([Reply(value, self.request, span)])
        return self.request

    # --- what can be read from it ----------------------------------------------------------------------------------

    @property
    def request(self) -> Request | None:
        """What the game asks for, or None when it is at rest."""
        return self.game.request

    @property
    def steps(self) -> Sequence[Step]:
        """What happened so far."""
        return tuple(self.game.steps)

    @property
    def matches(self) -> Sequence[RuleMatch]:
        """All rules that matched so far, fired or pre-empted."""
        return tuple(m for s in self.game.steps for m in s.matches)

    @property
    def worder(self) -> Worder:
        """Words facts and events back into sentences, in the language spoken; that of the session by default."""
        return speaker(self.compiled.edition.vocabulary, self.language, self.names)

    @property
    def own_worder(self) -> Worder:
        """Words sentences in the language of the session, in which they can be said to it."""
        return Worder(self.compiled.edition.vocabulary, self.language, self.names)

    def facts(self, *kinds: str) -> list[str]:
        """The facts that hold, as sentences; if asked, only those of some kinds of phrase, such as ``restriction``."""
        found = []
        for fact in self.game.world.facts:
            phrase = self.compiled.edition.vocabulary.phrases.get(fact.predicate.removeprefix("fact:"))
            if phrase is not None and (not kinds or phrase.kind in kinds):
                found.append(self.worder.statement(phrase.ident, decoded(fact.values)))
        return sorted(found)

    def restrictions(self) -> list[str]:
        """What things may not do, must do and may do at this moment, as sentences."""
        return self.facts("restriction", "duty", "permission")

    def _span(self, sentence: str | Span) -> Span:
        return sentence if isinstance(sentence, Span) else typed(sentence, self.language.code)

    def holds(self, sentence: str | Span) -> bool:
        """Whether a fact, a comparison, or what is said of a kind or a known number is true at this moment.

        Raises:
            Fault: the sentence cannot be read.
        """
        return self.is_true(self.claim(sentence))

    def claim(self, sentence: str | Span) -> Claim:
        """What a sentence says of certain things, shorthands written out.

        Raises:
            Fault: the sentence cannot be read.
        """
        interpreter = Interpreter(self.lexicon)
        span = self._span(sentence)
        readings = unique(Reader(self.lexicon, span).conditions())
        nodes = [r if isinstance(r, Atom | Known | IsA) else self.compared(r) for r in readings]
        told = [node for node in nodes if node is not None]
        for node in told:
            self._all_places_named(node, span)
        if len(told) != 1:
            interpreter.fact(span)
            raise Fault(
                *interpreter.diagnostics
                or [report("unknown-phrase", span, sentence=span.text, nearest=later("list.none"))]
            )
        return told[0]

    def is_true(self, node: Claim) -> bool:
        if isinstance(node, Atom):
            return self.is_so(node)
        if isinstance(node, Compare):
            return self._compare(node)
        if isinstance(node, Known):
            return self._is_known(node.measure) != node.negated
        ident = node.thing.ident if isinstance(node.thing, Individual) else ""
        kind = self.game.world.kinds.get(ident, "thing")
        return self.compiled.edition.vocabulary.is_a(kind, node.kind) != node.negated

    def _is_known(self, measure: MeasureOf) -> bool:
        try:
            self.number(measure)
        except Fault as fault:
            if any(d.name != "missing-measure" for d in fault.diagnostics):
                raise
            return False
        return True

    def is_so(self, atom: Atom) -> bool:
        """Whether a fact holds, given, brought about or by definition; a place left out may hold anything."""
        predicate = names.fact(atom.phrase)
        known = set(self.game.world.facts_of(predicate))
        if predicate in self.compiled.defined:
            places = "f" * len(atom.arguments)
            answer = ask(self.game.matcher, self.compiled, Fact(names.need(atom.phrase, places)))
            known |= set(answer.heads(predicate))
        wanted = [None if a is None or isinstance(a, Variable) else self._value(a) for a in atom.arguments]
        found = any(all(w is None or w == v for w, v in zip(wanted, decoded(f.values), strict=True)) for f in known)
        return found != atom.negated

    def _value(self, argument: object) -> Value:
        assert isinstance(argument, Individual | Number)
        return argument.ident if isinstance(argument, Individual) else argument.value

    def compared(self, reading: object) -> Compare | None:
        """A reading as a comparison, shorthands written out; None for anything else."""
        if isinstance(reading, Compare):
            return reading
        expanded = Interpreter(self.lexicon).expand(reading)
        return expanded if isinstance(expanded, Compare) else None

    def _compare(self, compare: Compare) -> bool:
        left, right = (self.number(side) for side in (compare.left, compare.right))
        return compared(left, compare.operator, right)

    def number(self, node: Expression) -> Fraction:
        """The value of an expression at this moment; a Fault when it rests on a measure that is not known."""
        return self.game.consequences.number(node)

    def name(self, ident: str) -> str:
        """What a thing is called in the language of the session."""
        return self.own_worder.name(ident)

    def asked(self) -> str:
        """The open request in words."""
        return request_text(self.request, self.worder) if self.request is not None else ""

    def example(self, request: Request, answer: str = "") -> str:
        """A sentence that answers a request: as it was answered, or for example; in the language of the session."""
        option = self.option_called(answer)
        return answer_text(request, self.own_worder, self.name(option) if option else answer)

    # --- forks and replays -----------------------------------------------------------------------------------------

    def fork(self) -> Session:
        """A session in the same state that goes its own way from here."""
        other = Session(self.compiled, self.backend, self.language.code)
        other.restore(self.save())
        return other

    def save(self) -> SavedSession:
        """The session as it is now; cheap, for nothing is copied that does not change."""
        return SavedSession(self.game.save(), tuple(self.log), self.lexicon, dict(self.names))

    def restore(self, saved: SavedSession) -> None:
        """Goes back, or over, to a session that was saved under the same edition."""
        self.game.restore(saved.game)
        self.log, self.lexicon, self.names = list(saved.log), saved.lexicon, dict(saved.names)

    @classmethod
    def replay(cls, compiled: Compiled, backend: Backend, log: Sequence[Entry], language: str = "en") -> Session:
        """The session that a log leads to."""
        session = cls(compiled, backend, language)
        session.carry_out(log)
        return session

    def close(self) -> None:
        """Frees the engine."""
        self.game.close()

    def carry_out(self, entries: Sequence[Entry]) -> None:
        """Carries out entries of a log; when one is refused, the session goes back to where it was.

        Raises:
            Fault: one is refused.
        """
        before = self.save()
        try:
            for entry in entries:
                self._enter(entry)
                self.log.append(entry)
        except (Fault, BackendError) as error:
            looks = self.game.looks
            self.game.close()  # an engine that gave up is not trusted any further
            self._begin()
            self.game.looks = looks
            self.restore(before)
            if isinstance(error, BackendError):
                raise Fault(report("engine-limit", reason=error.reason)) from error
            raise

    def _enter(self, entry: Entry) -> None:
        if isinstance(entry, Introduction):
            self.names[entry.ident] = entry.name
            self.lexicon = self.lexicon.with_things([(entry.name, Thing(entry.ident, entry.kind))])
            begins = begins_for(self.compiled.edition.vocabulary, entry.kind, entry.ident)
            self.game.introduce(entry.ident, entry.kind, begins)
        elif isinstance(entry, Statement):
            self.game.state(entry.atom)
        elif isinstance(entry, Measurement):
            self.game.measure(entry.measure, entry.things, entry.value)
        elif isinstance(entry, Occurrence):
            self.game.happen(entry.events)
        else:
            self.game.answer(entry.value)
        created = self.game.consequences.created
        new = [(ident, Thing(ident, kind)) for ident, kind in created.items() if ident not in self.names]
        if new:
            self.lexicon = self.lexicon.with_things(new)
            self.names |= {name: name for name, _ in new}

    # --- reading sentences -----------------------------------------------------------------------------------------

    def _read_given(self, span: Span) -> list[Entry]:
        introduced = self._introduction(span)
        if introduced is not None:
            return introduced
        stated = self._statement(span)
        if stated is not None:
            return [stated]
        raise self._unreadable(span, "given")

    def read_happening(self, span: Span) -> list[Entry]:
        """An event, a fact that changes between events, or a thing that enters; a Fault when it is none of these."""
        events = unique(Reader(self.lexicon, span).events())
        if len(events) == 1:
            return [self._occurrence(events[0])]
        if not events:
            stated = self._statement(span)
            if stated is not None:
                return [stated]
            entering = self._introduction(span)
            if entering is not None:
                return entering
        raise self._unreadable(span, "event")

    def look_at(self, span: Span) -> None:
        """Reads what happens without letting it happen; but a thing that enters is there from now on.

        Raises:
            Fault: the sentence cannot be read.
        """
        entries = self.read_happening(span)
        if any(isinstance(entry, Introduction) for entry in entries):
            self.carry_out(entries)

    def _occurrence(self, atom: Atom) -> Occurrence:
        self._all_places_named(atom, atom.span)
        for role, argument in zip(
            self.compiled.edition.vocabulary.phrases[atom.phrase].roles, atom.arguments, strict=True
        ):
            if argument is None and role.kind == "number":
                raise Fault(report("number-left-out", atom.span, sentence=sentence_text(atom.span), role=role.name))
        self._nothing_negative(atom)
        values = self.game.consequences.values(atom.arguments, {}, atom.phrase)
        return Occurrence(((atom.phrase, values),), (atom.span,))

    def _nothing_negative(self, atom: Atom) -> None:
        """A Fault when a thing that is counted is said to be less than none."""
        roles = self.compiled.edition.vocabulary.phrases[atom.phrase].roles
        for role, argument in zip(roles, atom.arguments, strict=True):
            if role.dimension and isinstance(argument, Number) and argument.value < 0:
                raise Fault(report("less-than-none", atom.span, number=argument.value))

    def _statement(self, span: Span) -> Entry | None:
        """A fact or the value of a measure; None when the sentence is neither."""
        readings = unique(Reader(self.lexicon, span).conditions())
        for compare in (c for c in map(self.compared, readings) if c is not None):
            left, right = compare.left, compare.right
            if compare.operator == "=" and isinstance(left, MeasureOf) and isinstance(right, Number):
                self._all_places_named(compare, span)
                kind = self.compiled.edition.vocabulary.phrases[left.phrase].kind
                if kind == "tally" or left.phrase in self.compiled.worked_out:
                    raise Fault(report("worked-out-measure", span, measure=self._phrase_text(left.phrase)))
                dimension = self.compiled.edition.vocabulary.phrases[left.phrase].dimension
                if dimension and right.value < 0:
                    raise Fault(report("less-than-none", span, number=right.value))
                things = tuple(map(str, self.game.consequences.values(left.arguments, {})))
                return Measurement(left.phrase, things, right.value, span)
            if isinstance(left, MeasureOf) and isinstance(right, Number):
                raise Fault(report("inexact-given", span, sentence=sentence_text(span)))
        atoms = [r for r in readings if isinstance(r, Atom)]
        if len(atoms) != 1:
            return None
        self._all_places_named(atoms[0], span)
        return Statement(atoms[0])

    @staticmethod
    def _all_places_named(node: object, span: Span) -> None:
        """A Fault when a sentence about particular things leaves a place open."""
        for part in descend(node):
            if isinstance(part, Variable):
                raise Fault(report("open-place", span, variable=part.name))

    def _introduction(self, span: Span) -> list[Entry] | None:
        """``Archers is a unit of Red with 20 models and Discipline 7``."""
        for filled, given in introductions(self.lexicon, span):
            side = filled.get("side")
            if side is not None and not isinstance(side, Individual):
                raise Fault(report("open-place", span, variable=side.name))
            entries: list[Entry] = [self._introduced(str(filled["new"]), str(filled["kind"]), span)]
            ident = entries[0].ident if isinstance(entries[0], Introduction) else ""
            if side is not None:
                entries.append(self._belongs(ident, side.ident, span))
            return [*entries, *self._attributes(ident, given, span)]
        return None

    def _introduced(self, name: str, kind: str, span: Span) -> Introduction:
        if not name or any("\ud800" <= char <= "\udfff" for char in name):
            raise Fault(report("empty-name", span))
        if len(name) > LONGEST_NAME:
            raise Fault(report("long-name", span, name=name, limit=LONGEST_NAME))
        if any(t.ident in self.names for t in self.lexicon.things.get(name_key(name, self.language), ())):
            raise Fault(report("introduced-twice", span, name=name))
        taken = self.game.world.kinds
        ident, number = name, 1
        while ident in taken:
            number += 1
            ident = f"{name} ({number})"
        return Introduction(name, ident, kind, span)

    def _belongs(self, ident: str, side: str, span: Span) -> Statement:
        if not self.compiled.edition.vocabulary.has_sides():
            raise Fault(report("no-sides", span))
        return Statement(Atom(BELONGS_TO, (Individual(ident), Individual(side)), span))

    def _attributes(self, ident: str, words: Sequence[Word], span: Span) -> list[Entry]:
        entries: list[Entry] = []
        for piece in attributes_in(words, self.language):
            part = span.within(piece[0].start, piece[-1].end)
            found = Reader(self.lexicon, part).attributes()
            if len(found) != 1:
                known = self._attributes_known()
                hint = did_you_mean(part.text, [re.sub(r"\d+", piece[-1].text, one) for one in known])
                told = Listed((Listed(tuple(f"`{one}`" for one in known)), *([hint] if hint else [])), "list.semicolon")
                raise Fault(report("unknown-attribute", part, text=part.text, known=told))
            measure, value = found[0]
            if value < 0 and self.compiled.edition.vocabulary.phrases[measure].dimension:
                raise Fault(report("less-than-none", part, number=value))
            if any(isinstance(e, Measurement) and e.measure == measure for e in entries):
                raise Fault(report("attribute-twice", part, text=part.text))
            entries.append(Measurement(measure, (ident,), value, part))
        return entries

    def _phrase_text(self, phrase: str) -> Called:
        return phrase_text(self.compiled.edition.vocabulary, phrase)

    def _attributes_known(self) -> list[str]:
        """The attributes there are, each as it would be written."""
        known = []
        for entry in self.lexicon.entries.get(("measure", "with"), ()):
            number = self.own_worder.number(Fraction(7), entry.phrase.dimension)
            known.append(entry.wording.template.replace("{value}", number))
        return known

    def read_answer(self, span: Span) -> tuple[AnswerSentence, ...]:
        """A sentence as an answer to a request, in all ways it can be read; none when it is something else."""
        reader = Reader(self.lexicon, span)
        found = []
        for filled in reader.own("roll-answer"):
            bearer, test = filled["bearer"], filled["test"]
            if isinstance(bearer, Individual) and isinstance(test, Individual):
                found.append(AnswerSentence("roll", bearer.ident, filled["number"], test.ident, span))
        keys: tuple[tuple[str, Literal["chance", "choice"]], ...] = (
            ("chance-answer", "chance"),
            ("choice-answer", "choice"),
        )
        for key, kind in keys:
            for filled in reader.own(key):
                thing, choice = filled.get("thing"), filled["choice"]
                if isinstance(choice, Individual):
                    found.append(AnswerSentence(kind, thing.ident if thing else "", choice.ident, "", span))
        return tuple(unique(found))

    def _option(self, span: Span) -> Value:
        """The option that a name means; the Fault of a name that means none names them all."""
        request = self.request
        assert request is not None
        text = span.text.strip()
        if request.kind == "roll":
            try:
                return Fraction(int(text))
            except ValueError:
                raise Fault(report("wrong-answer", span, answer=text, request=self.asked())) from None
        option = self.option_called(text)
        if option:
            return option
        options = [self.worder.name(o) for o in request.options]
        hint = did_you_mean(text, options)
        told = Listed((Listed(tuple(options)), *([hint] if hint else [])), "list.semicolon")
        raise Fault(report("not-an-option", span, choice=text, options=told))

    def option_called(self, text: str) -> str:
        """The option of the open request that a name means, in the language of the session or the one spoken."""
        for option in self.request.options if self.request else ():
            for worder in (self.own_worder, self.worder):
                if name_key(worder.name(option), worder.language) == name_key(text, worder.language):
                    return option
        return ""

    def _stranger_answers(self, span: Span) -> None:
        """A Fault when a sentence answers for somebody who is not there."""
        found = Reader(self.lexicon, span, lenient=True, guess=True).own("roll-answer")
        strangers = [
            str(f["bearer"].ident)[1:] for f in found if str(getattr(f["bearer"], "ident", "")).startswith("?")
        ]
        if strangers:
            name = min(strangers, key=len)
            hint = did_you_mean(name, self.names.values()) or later("hint.introduce-or-correct")
            raise Fault(report("unknown-name", span.within(0, len(name)), name=name, hint=hint))

    def _unreadable(self, span: Span, what: Literal["given", "event"]) -> Fault:
        interpreter = Interpreter(self.lexicon)
        if what == "event":
            reader = Reader(self.lexicon, span)
            if reader.events(("not",)) or any(reader.own(key) for key in RULE_FORMS):
                return Fault(report("not-an-event", span, sentence=sentence_text(span)))
            self._stranger_answers(span)
        if what == "given":
            interpreter.statement(span)
        else:
            interpreter.happening(span)
        return Fault(
            *interpreter.diagnostics[:1]
            or [report("unknown-phrase", span, sentence=span.text, nearest=later("list.none"))]
        )
