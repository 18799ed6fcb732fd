"""From text to syntax tree, one block at a time, so that a slip in one block leaves the others readable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import ClassVar

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.indenter import DedentError, Indenter

from rulewright import assets
from rulewright.diagnostics import Diagnostic, did_you_mean, report
from rulewright.syntax.keywords import Language, languages, terminals
from rulewright.syntax.tree import Block, Clause
from rulewright.text import Source, Span

BLOCK_KINDS = ("fact", "restriction", "duty", "permission")
_KEYWORDLESS = ("head", "more")


class _Indents(Indenter):
    NL_type = "_NL"
    OPEN_PAREN_types: ClassVar[list[str]] = []
    CLOSE_PAREN_types: ClassVar[list[str]] = []
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 4


@cache
def _parser(code: str) -> Lark:
    grammar = assets.grammar_text("rulewright.lark") + terminals(languages()[code])
    return Lark(grammar, parser="lalr", lexer="contextual", postlex=_Indents(), propagate_positions=True)


def parse(source: Source) -> tuple[tuple[Block, ...], tuple[Diagnostic, ...]]:
    """Parses a rules text.

    Returns:
        The blocks that could be read, without the language line, and what is wrong with the others.
    """
    language, diagnostics = _language_of(source)
    if language is None:
        return (), tuple(diagnostics)
    blocks = []
    for start, end in _chunks(source.text):
        span = Span(source, start, end)
        if span.text[:1] in " \t":
            diagnostics.append(report("indented-start", _first_line(span)))
            continue
        block = _parse_block(span, language, diagnostics)
        if block is not None and block.kind != "language":
            blocks.append(block)
    return tuple(blocks), tuple(diagnostics)


def _language_of(source: Source) -> tuple[Language | None, list[Diagnostic]]:
    """The language a file says it is in: its first line that is neither empty nor a comment."""
    first = re.search(r"^[ \t]*(?!#)\S.*$", source.text, re.MULTILINE)
    if first is None:
        return None, [report("empty-file", Span(source, 0, len(source.text)))]
    span = Span(source, first.start(), first.end())
    line = span.text.split("#")[0].strip().casefold()
    for language in languages().values():
        for form in language.keywords["LANGUAGE"]:
            head, _, rest = line.partition(" ")
            if head == form.casefold():
                names = [n.casefold() for n in language.names]
                if rest.strip() in names:
                    return language, []
    known = ", ".join(f"`{lang.keyword('LANGUAGE')} {lang.names[0]}`" for lang in languages().values())
    return None, [report("no-language", span, line=span.text.strip(), known=known)]


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """The stretches of text that hold one block each: from one line at the left margin to the next."""
    starts = [m.start() for m in re.finditer(r"^[^#\s]", text, re.MULTILINE)]
    lead = re.search(r"^[ \t]+(?!#)\S", text, re.MULTILINE)
    if lead and (not starts or lead.start() < starts[0]):
        starts.insert(0, lead.start())
    return zip(starts, [*starts[1:], len(text)], strict=True)


def _first_line(span: Span) -> Span:
    length = len(span.text.splitlines()[0].rstrip()) if span.text.strip() else 0
    return span.within(0, length)


def _parse_block(span: Span, language: Language, diagnostics: list[Diagnostic]) -> Block | None:
    text = span.text if span.text.endswith("\n") else span.text + "\n"
    try:
        tree = _parser(language.code).parse(text)
    except (UnexpectedInput, DedentError) as error:
        diagnostics.append(_syntax_diagnostic(error, span, language))
        return None
    node = tree.children[-1]
    assert isinstance(node, Tree)
    return _block(node, span, language)


# --- trees -------------------------------------------------------------------------------------------------------


def _block(node: Tree[Token], chunk: Span, language: Language) -> Block:
    tokens = [c for c in node.children if isinstance(c, Token)]
    keyword = _span(tokens[0], chunk)
    kind = str(tokens[0].type).lower()
    ident = _span(tokens[1], chunk)
    title = str(tokens[2])[1:-1].strip() if len(tokens) > 2 else ""
    clauses = tuple(_clause(c, chunk) for c in node.children if isinstance(c, Tree))
    return Block(kind, keyword, ident, title, clauses, language.code, _first_line(chunk))


def _clause(node: Tree[Token], chunk: Span) -> Clause:
    kind = str(node.data)
    tokens = [c for c in node.children if isinstance(c, Token)]
    below = [c for c in node.children if isinstance(c, Tree)]
    keyword = _span(tokens[0], chunk)
    texts = [_span(t, chunk) for t in tokens if t.type == "TEXT"]
    texts += [_span(c, chunk) for t in below if t.data == "more" for c in t.children if isinstance(c, Token)]
    text = Span(chunk.source, texts[0].start, max(t.end for t in texts)) if texts else None
    if kind == "wording":
        kind = str(tokens[0].type).lower()
    details = tuple(_clause(t, chunk) for t in below if t.data != "more")
    return Clause(kind.removesuffix("_step").removeprefix("scenario_"), keyword, text, details)


def _span(token: Token, chunk: Span) -> Span:
    assert token.start_pos is not None
    return chunk.within(token.start_pos, token.start_pos + len(str(token).rstrip()))


# --- what went wrong -----------------------------------------------------------------------------------------------


def _syntax_diagnostic(error: UnexpectedInput | DedentError, chunk: Span, language: Language) -> Diagnostic:
    if isinstance(error, DedentError):
        return report("uneven-indent", _first_line(chunk))
    if isinstance(error, UnexpectedToken):
        at = error.token.start_pos if error.token.start_pos is not None else len(chunk.text)
        expected = set(error.accepts or error.expected)
        found = str(error.token)
    else:
        assert isinstance(error, UnexpectedCharacters)
        at, expected, found = error.pos_in_stream, set(error.allowed or ()), ""
    at = min(at, max(len(chunk.text.rstrip()) - 1, 0))
    rest = chunk.text[at:].split("\n", 1)[0].rstrip()
    span = chunk.within(at, at + max(len(rest), 1))
    words = sorted({language.keyword(name) for name in expected if name in language.keywords})
    start = rest.split(" ", 1)[0] if rest else found.strip()
    if not rest or (expected and not words and expected <= {"TEXT", "ID", "TITLE", "_NL", "_INDENT"}):
        missing = "a name" if "ID" in expected else "an indented line" if "_INDENT" in expected else "some text"
        return report("something-missing", _last_line(chunk, at), missing=missing)
    forms = [f for name in expected for f in language.keywords.get(name, ())]
    hint = did_you_mean(start, forms)
    return report(
        "unexpected-clause",
        span,
        found=start,
        block=_first_line(chunk).text,
        expected=", ".join(f"`{w}`" for w in words) or "the end of the block",
        hint=f"; {hint}" if hint else "",
    )


def _last_line(chunk: Span, at: int) -> Span:
    before = chunk.text[: at + 1].rstrip()
    start = before.rfind("\n") + 1
    return chunk.within(start, max(len(before), start + 1))
