"""Rewrites a file of rules or scenarios in another language, or lays it out anew in its own.

Nothing is moved: each clause is written again where it stands, and all between the clauses is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rulewright.convert.clauses import Part, parts, vocabulary_block
from rulewright.convert.layout import comments_in, laid_out, margin_of, with_comment
from rulewright.convert.sentences import Translator
from rulewright.convert.words import Words
from rulewright.diagnostics import Diagnostic, report
from rulewright.phrases.variables import variable_names, variables_in
from rulewright.phrases.words import fold, sentence_text
from rulewright.phrases.writing import NoWordingError
from rulewright.speech import later
from rulewright.syntax.keywords import Language
from rulewright.syntax.tree import Block, Clause
from rulewright.text import Span

_WORDINGS = {
    "wording": "",
    "negative": "NEGATIVE",
    "attribute": "ATTRIBUTE",
    "before": "BEFORE",
    "may": "MAY",
    "may_not": "MAY_NOT",
    "must": "MUST",
}

Edit = tuple[int, int, str]


@dataclass
class Rewriter:
    """Rewrites blocks of one file.

    Attributes:
        translator_of: for a block, what says its sentences in the other language.
        keeps: nothing is said otherwise; clauses are only laid out anew.
        mark: what is put behind a sentence that cannot be said there.
        diagnostics: sentences that cannot be said there.
    """

    source: Language
    target: Language
    translator_of: Callable[[Block], Translator | None]
    languages: Mapping[str, Language]
    keeps: bool = False
    mark: str = ""
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def edits(self, blocks: Iterable[Block]) -> Iterator[Edit]:
        """What to put in the place of what, in the order of the text."""
        for block in blocks:
            if not self.keeps:
                yield block.keyword.start, block.keyword.end, self.target.keyword(block.kind.upper())
            translator = None if self.keeps else self.translator_of(block)
            names: Mapping[str, str] = {}
            if translator is not None and not vocabulary_block(block):
                found = [n for c in _everything(block) if c.text for n in variables_in(c.text.text)]
                names = variable_names(found, self.source, self.target, translator.source.vocabulary)
            for part in parts(block):
                yield from self._clause(part, translator, names)

    def _clause(self, part: Part, translator: Translator | None, names: Mapping[str, str]) -> Iterator[Edit]:
        clause, margin = part.clause, margin_of(part.clause.span)
        text = self._text(part, translator, names)
        written = laid_out(f"{self._keyword(part, text)} {text}".strip(), margin, part.goes_on)
        inside = "".join(f"{comment}\n{margin}" for comment in (comments_in(clause.text) if clause.text else ()))
        end, comment = with_comment(clause.span)
        yield clause.span.start, end, f"{inside}{written}{comment}"

    def _keyword(self, part: Part, text: str) -> str:
        if part.clause.kind in _WORDINGS:
            return self._wording_keyword(part.clause)
        if not part.terminal:
            return ""
        if self.keeps:
            return " ".join(part.clause.keyword.text.split())
        if part.terminal == "UNTIL" and translated_window(part, self.source):
            return self.target.keyword("UNTIL", "window")
        if part.form:
            return self.target.keyword(part.terminal, part.form)
        return self.target.fitting(self.target.keywords[part.terminal], text)

    def _wording_keyword(self, clause: Clause) -> str:
        """Such as ``bg not:``; what follows the code is a word of the language of that code, if it may be."""
        code = clause.keyword.text.split()[0].rstrip(":").casefold()
        terminal = _WORDINGS[clause.kind]
        if not terminal:
            return f"{code}:"
        own = self.languages[code].suffixes[terminal][0] if code in self.languages else ""
        allowed = self.target.suffixes[terminal]
        return f"{code} {own if own in allowed else allowed[0]}:"

    def _text(self, part: Part, translator: Translator | None, names: Mapping[str, str]) -> str:
        clause = part.clause
        if clause.text is None or clause.kind in _WORDINGS:
            return sentence_text(clause.text) if clause.text else ""
        if translator is None or clause.kind == "note":
            return sentence_text(clause.text)
        if not part.places:
            return Words(self.source, self.target, translator.source.vocabulary).text(clause, names)
        wrong: NoWordingError | None = None
        before = self.target.keyword(part.terminal) if part.terminal else ""
        for place in part.places:
            try:
                return translator.sentence(clause.text, place, names, before)
            except NoWordingError as error:
                wrong = wrong if wrong is not None and wrong.span is not clause.text else error
        assert wrong is not None
        where = wrong.span if wrong.span is not None and wrong.span is not clause.text else None
        related = [(later("place.to-be-worded"), where)] if where else []
        self.diagnostics.append(
            report(
                "not-worded",
                clause.text,
                related,
                sentence=sentence_text(clause.text),
                language=self.target.names[0],
                code=self.target.code,
                phrase=wrong.ident,
                place=f"{where.source.name}:{where.line}" if where else later("place.vocabulary"),
            )
        )
        return sentence_text(clause.text) + self.mark


def translated_window(part: Part, source: Language) -> bool:
    """Whether an ``until`` line names the end of a stretch of time."""
    text = fold(sentence_text(part.clause.sentence))
    return any(text.startswith(fold(form.split("{")[0].strip()) + " ") for form in source.sentences["window-end"])


def _everything(block: Block) -> Iterator[Clause]:
    """All clauses of a block, those below others too."""
    waiting = list(reversed(block.clauses))
    while waiting:
        clause = waiting.pop()
        yield clause
        waiting += reversed(clause.details)


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with other stretches in the place of some."""
    pieces, last = [], 0
    for start, end, written in edits:
        pieces += [text[last:start], written]
        last = end
    return "".join([*pieces, text[last:]])


def language_edit(first: Span, target: Language) -> Edit:
    """The line that names the language of a file."""
    return first.start, first.end, f"{target.keyword('LANGUAGE')} {target.names[0]}"
