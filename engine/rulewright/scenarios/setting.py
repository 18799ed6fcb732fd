"""A sentence that says what is to be otherwise in a scenario, as changes of its script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from rulewright.diagnostics import Fault, report
from rulewright.model import Atom
from rulewright.phrases.matching import Reader, unique
from rulewright.phrases.words import sentence_text
from rulewright.provenance import Value
from rulewright.scenarios.changes import Change, Give, Omit, SetMeasure, SetNumber, Skip, changed, together
from rulewright.scenarios.expectations import wanted_of
from rulewright.scenarios.rehearsal import Run
from rulewright.scenarios.script import AT_THE_START, Answers, Script, place_of
from rulewright.session.log import Measurement, Occurrence, Statement
from rulewright.text import Span


def set_otherwise(script: Script, run: Run, sentences: Sequence[Span]) -> tuple[Script, list[Change]]:
    """A script in which it is as sentences say, and the changes that they ask for besides answers.

    Args:
        script: the scenario as it was said.
        run: the game that came of it.
        sentences: a fact or its absence, the value of a measure, an event of the scenario with another number or one
            that does not happen, an answer.

    Raises:
        Fault: one cannot be read, or nothing in the scenario is like it; or two ask for the same.
    """
    found: list[Change] = []
    answered: list[Answers] = []
    for span in sentences:
        answers = run.session.read_answer(span)
        if answers:
            if _all_answered(run, answers, answered):
                raise Fault(report("set-twice", span, sentence=sentence_text(span)))
            answered.append(answers)
            script = _answered(script, run, answers)
            continue
        for change in _Setting(script, run, span).changes():
            if not together([*found, change]):
                raise Fault(report("set-twice", span, sentence=sentence_text(span)))
            found.append(change)
    return changed(script, found), found


def _all_answered(run: Run, answers: Answers, before: Sequence[Answers]) -> bool:
    """Whether what an answer fits was asked for, but no more often than answers before it fit."""
    asked = [a.request for a in run.answered if any(one.fits(a.request) for one in answers)]
    fitting = sum(any(one.fits(request) for one in said for request in asked) for said in before)
    return bool(asked) and fitting >= len(asked)


def _answered(script: Script, run: Run, answers: Answers) -> Script:
    """A script with an answer to what it fits; where nothing asked for it, to whatever will."""
    asked = (a.asked.entry for a in run.answered if any(r.fits(a.request) for r in answers))
    first = next(asked, None)
    events = [one.number for one in script.entries if isinstance(one.entry, Occurrence)]
    places = events if first is None else [first]
    return replace(script, answers={**script.answers, **{n: (answers, *script.answers.get(n, ())) for n in places}})


class _Setting:
    def __init__(self, script: Script, run: Run, span: Span) -> None:
        self.script, self.run, self.span, self.session = script, run, span, run.session
        self.vocabulary = run.session.compiled.edition.vocabulary

    def changes(self) -> list[Change]:
        """The changes that the sentence asks for; none when it is so already."""
        denied = unique(Reader(self.session.lexicon, self.span).events(("not",))) or self.not_so()
        if len(denied) == 1:
            return self.skipped(denied[0])
        found: list[Change] = []
        for entry in self.session.read_happening(self.span):
            if isinstance(entry, Measurement):
                found += self.measured(entry)
            elif isinstance(entry, Statement):
                found += self.stated(entry.atom)
            elif isinstance(entry, Occurrence):
                found += self.numbered(*entry.events[0])
        return found

    def not_so(self) -> list[Atom]:
        """The event of which the sentence says that it is not so; none when it says something else."""
        for form in self.session.language.sentences["not-so"]:
            lead = form.partition("{fact}")[0].strip()
            if lead and self.span.text.casefold().startswith(lead.casefold()):
                rest = self.span.within(len(lead), len(self.span.text))
                return unique(Reader(self.session.lexicon, rest).events())
        return []

    def unlike(self) -> Fault:
        """The Fault of a sentence that is about nothing in the scenario."""
        return Fault(report("nothing-like", self.span, sentence=sentence_text(self.span)))

    def skipped(self, atom: Atom) -> list[Change]:
        """An event of the scenario that is not to happen."""
        wanted = wanted_of(atom)
        for number, index, values in self.events(atom.phrase):
            if all(w in (None, v) for w, v in zip(wanted, values, strict=True)):
                return [Skip(number, index)]
        raise self.unlike()

    def events(self, phrase: str) -> Iterator[tuple[int, int, tuple[Value, ...]]]:
        """The events of a sort that were given."""
        for one in self.script.entries:
            if isinstance(one.entry, Occurrence):
                for index, (event, values) in enumerate(one.entry.events):
                    if event == phrase:
                        yield one.number, index, values

    def numbered(self, event: str, wanted: tuple[Value, ...]) -> list[Change]:
        """An event of the scenario with other numbers."""
        for number, index, values in self.events(event):
            pairs = list(zip(wanted, values, strict=True))
            if all(w == v for w, v in pairs if isinstance(w, str)):
                other = [(n, w) for n, (w, v) in enumerate(pairs) if w != v]
                return [SetNumber(number, index, n, w) for n, w in other if isinstance(w, Fraction)]
        raise self.unlike()

    def measured(self, entry: Measurement) -> list[Change]:
        """Another value of a measure."""
        symmetric = self.vocabulary.phrases[entry.measure].symmetric
        key = sorted(entry.things) if symmetric else list(entry.things)
        for one in reversed(self.script.entries):
            known = one.entry
            if not isinstance(known, Measurement) or known.measure != entry.measure:
                continue
            if (sorted(known.things) if symmetric else list(known.things)) == key:
                same = known.value == entry.value
                return [] if same else [SetMeasure(one.number, known.measure, known.things, entry.value)]
        return [SetMeasure(AT_THE_START, entry.measure, entry.things, entry.value)]

    def stated(self, atom: Atom) -> list[Change]:
        """A fact, or its absence: what says the opposite is left out; where nothing does, it is given."""
        said = [
            (one.number, one.entry.atom)
            for one in self.script.entries
            if isinstance(one.entry, Statement)
            and one.entry.atom.phrase == atom.phrase
            and self.same(wanted_of(one.entry.atom), wanted_of(atom))
        ]
        opposite = [number for number, other in said if other.negated != atom.negated]
        if opposite and not self.introduced(opposite[-1]):
            return [Omit(number) for number in opposite]
        return [] if len(said) > len(opposite) else [Give(atom)]

    def introduced(self, number: int) -> bool:
        """Whether a statement is part of a longer sentence, which cannot be left out."""
        place = place_of(self.script.entry(number))
        others = [one for one in self.script.entries if one.number != number and place_of(one.entry) == place]
        return bool(others)

    def same(self, values: list[Value | None], wanted: list[Value | None]) -> bool:
        """Whether two facts are the same."""
        return values == wanted or (len(values) > 1 and [values[1], values[0], *values[2:]] == wanted)
