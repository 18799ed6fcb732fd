"""A journal as text: a scenario file that may have come to nothing yet; read line by line, and written line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from rulewright.diagnostics import Diagnostic, Fault, report
from rulewright.model import ReadingChoice
from rulewright.phrases.words import sentence_text
from rulewright.resolve.blocks import IDENT
from rulewright.syntax.keywords import Language, languages
from rulewright.syntax.parser import parse
from rulewright.syntax.tree import UNREADABLE, Block, Clause
from rulewright.text import Source, Span, plain

Kind = Literal["given", "event", "more"]
"""Of what is said: it is so from the beginning; it happens; it belongs to what happened last, as answers do."""


@dataclass(frozen=True)
class Said:
    """What was said at one time: a sentence, or those of several events at one moment.

    Attributes:
        start: how many bytes of the journal stand before it.
    """

    kind: Kind
    spans: tuple[Span, ...]
    start: int


@dataclass(frozen=True)
class Record:
    """What a journal holds: under which rules is played, and what was said.

    Attributes:
        text: the journal as it was read, sign by sign; its bytes are those that are counted.
    """

    text: str
    language: Language
    edition: str
    edition_span: Span
    readings: tuple[ReadingChoice, ...]
    said: tuple[Said, ...]


def heading(language: Language, ident: str, edition: str, readings: Sequence[ReadingChoice]) -> str:
    """The lines that a journal begins with."""
    lines = [f"{language.keyword('LANGUAGE')} {language.names[0]}", ""]
    lines.append(f"{language.keyword('SCENARIO')} {ident}")
    lines.append(f"  {language.keyword('EDITION')} {edition}")
    lines += [f"  {language.keyword('READING')} {choice.reading} {choice.option}" for choice in readings]
    return "\n".join(lines) + "\n"


def lines_of(language: Language, kind: Kind, sentences: Sequence[str], first: bool) -> str:
    """The lines of a journal for what is said at one time.

    Args:
        language: the language of the journal.
        kind: what sort of thing is said.
        sentences: the sentences; several are events of one moment.
        first: nothing was said before.

    Raises:
        Fault: they could not be read back, such as one that is too long.
    """
    terminal = {"given": "GIVEN" if first else "AND", "event": "WHEN", "more": "AND"}[kind]
    keywords = [language.keyword(terminal), *(language.keyword("TOGETHER") for _ in sentences[1:])]
    lines = "".join(f"  {keyword} {sentence}\n" for keyword, sentence in zip(keywords, sentences, strict=True))
    _read_back(language, lines, sentences)
    return lines


def _read_back(language: Language, lines: str, sentences: Sequence[str]) -> None:
    blocks, diagnostics = parse(Source("input", heading(language, "typed", "any", ()) + lines))
    found = [sentence_text(c.sentence) for b in blocks for c in b.each("given", "when", "and", "together")]
    if diagnostics or found != [" ".join(s.split()) for s in sentences]:
        raise Fault(*(diagnostics or [report("unkeepable-line", sentence=sentences[0])]))


def read_record(data: bytes, name: str) -> Record:
    """Reads a journal.

    Raises:
        Fault: it is something else.
    """
    try:
        source = Source(name, plain(data.decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        raise Fault(report("not-text", path=name, offset=error.start)) from None
    blocks, diagnostics = parse(source)
    wrong = [d for d in diagnostics if d.severity == "error"]
    if wrong:
        raise Fault(*wrong)
    block = blocks[0] if len(blocks) == 1 else None
    edition = block.one("edition") if block is not None and block.kind == "scenario" else None
    if block is None or edition is None or UNREADABLE in {b.kind for b in blocks}:
        raise Fault(report("no-journal", path=name))
    return Record(
        source.text,
        languages()[block.language],
        edition.sentence.text.strip().rstrip("."),
        edition.sentence,
        tuple(map(_choice, block.each("reading"))),
        _said(block, _line_starts(source.text)),
    )


def _choice(clause: Clause) -> ReadingChoice:
    words = sentence_text(clause.sentence).rstrip(".").split()
    if len(words) != 2 or not all(map(IDENT.fullmatch, words)):
        raise Fault(report("unclear-reading", clause.sentence, text=clause.sentence.text))
    return ReadingChoice(words[0], words[1], clause.sentence)


def _said(block: Block, starts: Sequence[int]) -> tuple[Said, ...]:
    """The clauses of a scenario as they were said; what is expected is passed over."""
    found: list[Said] = []
    part = ""
    for clause in block.each("given", "when", "and", "together", "then"):
        part = clause.kind if clause.kind in ("given", "when", "then") else part
        if part == "then":
            continue
        if not part or (clause.kind == "together" and part == "given"):
            raise Fault(_stray(clause))
        if clause.kind == "given" and any(said.kind != "given" for said in found):
            raise Fault(report("late-given", clause.span))
        if clause.kind == "together":
            found[-1] = Said(found[-1].kind, (*found[-1].spans, clause.sentence), found[-1].start)
            continue
        kind: Kind = "given" if part == "given" else "event" if clause.kind == "when" else "more"
        found.append(Said(kind, (clause.sentence,), starts[clause.keyword.line - 1]))
    return tuple(found)


def _stray(clause: Clause) -> Diagnostic:
    return report("stray-line", clause.keyword, keyword=clause.keyword.text)


def _line_starts(text: str) -> list[int]:
    """Where each line begins, in bytes."""
    return [0, *accumulate(len(line.encode()) + 1 for line in text.split("\n"))]
