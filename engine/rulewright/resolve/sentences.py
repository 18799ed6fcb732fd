"""Reads the sentences of clauses into the typed model, and says what is wrong with those that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import (
    DENIED,
    TAKES_TEST,
    Act,
    AnyOf,
    Atom,
    Compare,
    Condition,
    Effect,
    Exists,
    Expression,
    IsA,
    Known,
    MeasureOf,
    Same,
    ShorthandUse,
)
from rulewright.phrases.lexicon import WINDOW, Lexicon
from rulewright.phrases.matching import Quantified, Reader
from rulewright.phrases.words import sentence_text
from rulewright.resolve.puzzled import Puzzle
from rulewright.speech import Listed, Text, later, listed
from rulewright.syntax.tree import Clause
from rulewright.text import Span
from rulewright.walk import individuals_of, substitute

T = TypeVar("T")
_GOES_ON = {
    ("and", "lasting"),
    ("or", "lasting"),
    ("or", "until"),
    ("and", "on_success"),
    ("and", "on_failure"),
}
"""What ``and`` and ``or`` below an effect may go on with."""


_READINGS = {
    "Compare": "comparison",
    "Same": "same",
    "IsA": "is-a",
    "Known": "known",
    "Change": "change",
    "ShorthandUse": "shorthand",
    "MeasureOf": "measure",
}

RULE_FORMS = ("fires", "not-fires", "pre-empted", "not-pre-empted")
"""What a scenario may expect of a rule."""

MOST_PUZZLES = 500
"""Findings after which it is no longer looked into what is wrong with a sentence."""


def _about_rules(reader: Reader) -> list[str]:
    """The ways to expect something of a rule in which a sentence can be read."""
    return [key for key in RULE_FORMS if reader.own(key)]


@dataclass
class Interpreter:
    """Reads sentences against one lexicon; findings are gathered in ``diagnostics``.

    Attributes:
        variables: words may stand in braces for any thing that fits.
    """

    lexicon: Lexicon
    diagnostics: list[Diagnostic] = field(default_factory=list)
    variables: bool = False

    # --- single sentences ----------------------------------------------------------------------------------------

    def event(self, span: Span, negative: bool = False) -> Atom | None:
        """A sentence that says an event, or with ``negative`` one that does not come about."""
        form = "not" if negative else "plain"
        return self._only(span, lambda r: r.events((form,)), [("event", form)])

    def fact(self, span: Span) -> Atom | None:
        """A sentence that says a fact."""
        return self._only(span, Reader.facts, [("fact", "plain"), ("fact", "not")])

    def measure(self, span: Span) -> MeasureOf | None:
        """A sentence that is a measure and nothing else."""
        return self._only(span, Reader.measures, [("measure", "plain")])

    def expression(self, span: Span) -> Expression | None:
        """A number to be worked out, or the thing to be counted."""
        return self._only(span, Reader.expressions, [("measure", "plain")])

    def comparison(self, span: Span) -> Compare | None:
        """A sentence that compares two numbers."""
        return self._only(span, Reader.comparison, [("measure", "plain")])

    def effect(self, clause: Clause) -> Effect | None:
        """A ``then`` clause with its ``until``, ``while`` and outcome lines; ``and`` and ``or`` go on with the last."""
        groups = [("event", "plain"), ("fact", "plain"), ("fact", "not")]
        act = self._only(clause.sentence, Reader.effects, groups)
        if act is None:
            return None
        assert isinstance(act, Act)
        below: dict[str, list[Clause]] = {"until": [], "lasting": [], "on_success": [], "on_failure": []}
        part = ""
        for detail in clause.details:
            if detail.kind in below:
                part = detail.kind
            elif (detail.kind, part) not in _GOES_ON:
                self.diagnostics.append(self._stray(detail, part))
                return None
            below[part].append(detail)
        window, events = self.untils(below["until"])
        effect = Effect(
            act,
            clause.sentence,
            window,
            events,
            tuple(c.sentence for c in below["until"]),
            self.conjunction(below["lasting"]),
            tuple(e for e in map(self.effect, below["on_success"]) if e is not None),
            tuple(e for e in map(self.effect, below["on_failure"]) if e is not None),
        )
        self._check_duration(effect)
        return effect

    @staticmethod
    def _stray(detail: Clause, part: str) -> Diagnostic:
        if detail.kind == "where":
            return report("stray-where", detail.span)
        after = {"lasting": "while", "": "then"}.get(part, part.replace("_", " "))
        return report("misplaced-clause", detail.span, keyword=detail.keyword.text, part=after)

    def _check_duration(self, effect: Effect) -> None:
        """Only facts last, and only tests have a success and a failure."""
        act = effect.act
        phrase = self.lexicon.vocabulary.phrases[act.phrase] if isinstance(act, Atom) else None
        lasts = effect.until_window or effect.until_events or effect.lasting
        if lasts and (phrase is None or phrase.kind == "event" or (isinstance(act, Atom) and act.negated)):
            self.diagnostics.append(report("nothing-that-lasts", effect.span))
        if (effect.on_success or effect.on_failure) and (phrase is None or phrase.ident != TAKES_TEST):
            self.diagnostics.append(report("no-test-to-succeed", effect.span))
        if effect.until_window and not any(
            effect.until_window in d.closes for d in self.lexicon.vocabulary.events.values()
        ):
            self.diagnostics.append(report("window-never-closes", effect.span, window=effect.until_window))

    def untils(self, clauses: Sequence[Clause]) -> tuple[str | None, tuple[Atom, ...]]:
        """``until`` lines: the end of a window, or events; the first to come ends the fact."""
        window, events = None, []
        for clause in clauses:
            found = Reader(self.lexicon, clause.sentence).own("window-end")
            if found:
                window = found[0]["window"].ident
            elif (event := self.event(clause.sentence)) is not None:
                events.append(event)
        return window, tuple(events)

    def window(self, span: Span) -> str | None:
        """A stretch of time, such as *the phase*."""
        found = Reader(self.lexicon, span).names(WINDOW)
        if found:
            return found[0].ident
        known = [" ".join(k) for k, things in self.lexicon.things.items() if any(t.kind == WINDOW for t in things)]
        self.diagnostics.append(report("unknown-window", span, window=span.text, known=listed(known)))
        return None

    def condition(self, clause: Clause) -> Condition | None:
        """One clause as a condition, with the ``where`` lines below it."""
        groups = [("fact", "plain"), ("fact", "not"), ("measure", "plain")]
        found = self._only(clause.sentence, Reader.conditions, groups)
        if found is None:
            return None
        for detail in (d for d in clause.details if d.kind not in ("where", "or", "holds")):
            self.diagnostics.append(self._stray_below(detail, clause, found))
            return None
        if isinstance(found, Quantified):
            below = self.conjunction([d for d in clause.details if d.kind != "holds"])
            if not clause.details:
                self.diagnostics.append(report("bare-quantifier", clause.sentence, variable=found.variable.name))
            if found.form == "every":
                return self._every(found, clause, below)
            return Exists(found.variable, below, clause.sentence, found.form == "none", found.number)
        if clause.details:
            first = clause.details[0]
            above = clause.span.text.rsplit("\n", 1)[-1].strip()
            deep = report("too-deep", first.span, found=first.span.text, above=above)
            self.diagnostics.append(deep if first.kind == "or" else report("stray-where", first.span))
        if isinstance(found, ShorthandUse):
            return self.expand(found)
        assert isinstance(found, Condition)
        return found

    @staticmethod
    def _stray_below(detail: Clause, clause: Clause, found: object) -> Diagnostic:
        """A line below a condition that says no more about it."""
        if detail.kind != "and":
            return report("nothing-that-lasts", detail.span)
        above = next((d for d in reversed(clause.details) if d.span.start < detail.span.start), clause)
        if isinstance(found, Quantified) and above is not clause:
            return report("and-for-where", detail.keyword, keyword=detail.keyword.text, variable=found.variable.name)
        return report(
            "too-deep", detail.span, found=detail.span.text, above=clause.span.text.rsplit("\n", 1)[-1].strip()
        )

    def _every(self, found: Quantified, clause: Clause, below: tuple[Condition, ...]) -> Condition | None:
        """*Every A is B*, held as *there is no A that is not B*."""
        claims = [d for d in clause.details if d.kind == "holds"]
        if len(claims) != 1:
            self.diagnostics.append(report("claim-missing", clause.sentence, variable=found.variable.name))
            return None
        claim = self.condition(claims[0])
        if claim is None:
            return None
        if isinstance(claim, Atom | Same | IsA | Known):
            claim = replace(claim, negated=not claim.negated)
        else:  # its opposite is that it does not hold: a comparison with a value that is not known does not hold
            claim = Exists(DENIED, (claim,), claim.span, negated=True)
        return Exists(found.variable, (*below, claim), clause.sentence, negated=True, every=True)

    def conjunction(self, clauses: Sequence[Clause]) -> tuple[Condition, ...]:
        """Clauses joined by *and*; one that begins with *or* is an alternative to the clause just before it."""
        groups: list[list[Clause]] = []
        for clause in clauses:
            if clause.kind == "or" and groups:
                groups[-1].append(clause)
            else:
                groups.append([clause])
        found = []
        for group in groups:
            parts = [c for c in map(self.condition, group) if c is not None]
            if len(parts) == 1:
                found.append(parts[0])
            elif parts:
                found.append(AnyOf(tuple((p,) for p in parts), group[0].sentence))
        return tuple(found)

    def expand(self, use: object) -> Condition | None:
        """What a shorthand stands for, with its places filled; None for anything else."""
        meaning = self.lexicon.vocabulary.meanings.get(use.shorthand.ident) if isinstance(use, ShorthandUse) else None
        if meaning is None or not isinstance(use, ShorthandUse):
            return None
        bindings = dict(zip((r.name for r in use.shorthand.roles), use.arguments, strict=True))
        expanded: Condition = substitute(meaning, bindings)
        return replace(expanded, span=use.span)

    # --- sentences of a scenario, when they cannot be read -----------------------------------------------------------

    def statement(self, span: Span) -> None:
        """Says what is wrong with a sentence that should have stated a fact."""
        groups = [("fact", "plain"), ("fact", "not"), ("measure", "plain")]
        if not Reader(self.lexicon, span).conditions():
            self.diagnostics.append(Puzzle(self.lexicon, span, Reader.conditions, groups, introduces=True).diagnosis())
        else:
            self._only(span, Reader.conditions, groups)

    def happening(self, span: Span) -> None:
        """Says what is wrong with a sentence that should have told an event."""
        groups = [("event", "plain"), ("fact", "plain"), ("fact", "not")]
        self._only(span, lambda r: [*r.events(), *r.facts()], groups, introduces=True)

    def expectation(self, span: Span) -> None:
        """Says what is wrong with a sentence that should have told what is expected."""
        groups = [("event", "plain"), ("event", "not"), ("fact", "plain"), ("fact", "not"), ("measure", "plain")]
        self._only(span, lambda r: [*r.events(("plain", "not")), *r.conditions(), *_about_rules(r)], groups)

    # --- exactly one reading -------------------------------------------------------------------------------------

    @staticmethod
    def _apart(found: Sequence[object]) -> Text | str:
        """What is different in readings that use the same phrase."""
        if len({getattr(reading, "phrase", reading) for reading in found}) > 1:
            return ""
        idents = [{i.ident for i in individuals_of(reading)} for reading in found]
        apart = sorted({i for one in idents for i in one if not all(i in other for other in idents)})
        return later("reading-as.apart", things=Listed(tuple(f"`{a}`" for a in apart), "list.about")) if apart else ""

    def _only(
        self,
        span: Span,
        readings: Callable[[Reader], Sequence[T]],
        groups: list[tuple[str, str]],
        introduces: bool = False,
    ) -> T | None:
        found = list(dict.fromkeys(readings(Reader(self.lexicon, span))))
        if len(found) == 1:
            return found[0]
        if found:
            told = later("reading-as.all", readings=self._readings(found), apart=self._apart(found))
            self.diagnostics.append(report("ambiguous-sentence", span, sentence=sentence_text(span), readings=told))
        elif len(self.diagnostics) < MOST_PUZZLES:
            puzzle = Puzzle(self.lexicon, span, readings, groups, introduces, self.variables)
            self.diagnostics.append(puzzle.diagnosis())
        return None

    def _readings(self, found: Sequence[object]) -> Listed:
        names = []
        for reading in found:
            if isinstance(reading, Atom):
                kind = later(f"block.{self.lexicon.vocabulary.phrases[reading.phrase].kind}")
                names.append(later("reading-as.phrase", kind=kind, phrase=reading.phrase))
            else:
                names.append(later(f"reading-as.{_READINGS.get(type(reading).__name__, 'other')}"))
        return Listed(tuple(dict.fromkeys(names)), "list.as")
