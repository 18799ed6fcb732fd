"""From text to syntax tree, one block at a time, so that a slip in one line leaves the others readable."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from threading import Lock
from typing import Any, ClassVar

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.indenter import Indenter

from rulewright import assets
from rulewright.diagnostics import Diagnostic, after, did_you_mean, meant_word, report
from rulewright.scripts import look_alike
from rulewright.speech import later, listed
from rulewright.syntax.heads import BlockHeads, block_heads
from rulewright.syntax.keywords import Language, languages, tables, terminals
from rulewright.syntax.layout import Line, Lines, lines_of, settle_margins
from rulewright.syntax.signs import settled, wrong_script
from rulewright.syntax.tree import UNREADABLE, Block, Clause
from rulewright.text import Source, Span

LONGEST_SENTENCE = 2_000
"""Characters; a sentence of a rulebook holds a few hundred."""

MOST_FAULTS = 20
"""Lines of one block that are complained about before the rest of it is passed over."""


MOST_FINDINGS = 200
"""Findings in one file after which blocks with something wrong in them are passed over."""


class _Indents(Indenter):
    NL_type = "_NL"
    OPEN_PAREN_types: ClassVar[list[str]] = []
    CLOSE_PAREN_types: ClassVar[list[str]] = []
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 4


_PARSING = Lock()
"""A parser keeps the indentation of the text at hand: it reads one text at a time, whatever the thread."""


@cache
def _parser(code: str) -> Lark:
    grammar = assets.grammar_text("rulewright.lark") + terminals(languages()[code])
    return Lark(grammar, parser="lalr", lexer="contextual", postlex=_Indents())


def parse(source: Source) -> tuple[tuple[Block, ...], tuple[Diagnostic, ...]]:
    """Parses a rules text.

    Returns:
        The blocks, without the language line, and what is wrong with their lines.  A block holds the clauses that
        could be read; of a block whose first line cannot be understood only the kind ``UNREADABLE`` and its lines.
    """
    source, diagnostics = settled(source)
    language, start, found = _language_of(source)
    diagnostics += found
    if language is None:
        return (), tuple(diagnostics)
    source = replace(source, language=language.code)
    heads = block_heads(language.code)
    blocks = []
    for lines in _gathered(_split(lines_of(source, start, diagnostics), heads, diagnostics), heads, diagnostics):
        reader = _Reader(language, heads, lines, diagnostics)
        blocks.append(reader.unreadable() if reader.enough else reader.block())
    if len(diagnostics) >= MOST_FINDINGS:
        last = max((d.span for d in diagnostics if d.span), key=lambda span: span.start)
        diagnostics = [*diagnostics[:MOST_FINDINGS], report("too-many", last, count=MOST_FINDINGS)]
    return tuple(blocks), tuple(diagnostics)


def _language_of(source: Source) -> tuple[Language | None, int, list[Diagnostic]]:
    """The language of a file, by its first line that is neither empty nor a comment; and where the rest begins.

    Without such a line the file is read in the language whose keywords it uses most.
    """
    first = re.search(r"^[ \t]*(?!#)\S.*$", source.text, re.MULTILINE)
    if first is None:
        return None, 0, [report("empty-file", Span(source, 0, 0))]
    begun = first.end() - len(first.group().lstrip())
    span = Span(source, begun, first.end())
    words = re.split(r"\s#", span.text)[0].casefold().split()
    forms = [f.casefold() for language in languages().values() for f in language.keywords["LANGUAGE"]]
    if words[-1:] == ["."] or words[-1].endswith("."):
        words[-1] = words[-1].rstrip(".")
    for language in languages().values():
        named = " ".join(words[1:]) in [n.casefold() for n in language.names]
        if named and words[0] in [f.casefold() for f in language.keywords["LANGUAGE"]]:
            return language, first.end(), []
    examples = listed(f"`{lang.keyword('LANGUAGE')} {lang.names[0]}`" for lang in languages().values())
    meant = words[0] in forms or bool(did_you_mean(words[0], forms))
    guess = max(languages().values(), key=lambda lang: len(block_heads(lang.code).any_head.findall(source.text)))
    found = report("no-language", span, line=span.text, known=examples)
    unusable = [finding for table in tables().values() if not table.usable for finding in table.diagnostics]
    if unusable:  # the file may well be in that language
        return None, 0, [found, *unusable]
    return guess, first.end() if meant else 0, [found]


@cache
def language_of(source: Source) -> str | None:
    """The code of the language that a file says it is in; None when it does not say."""
    language, _, wrong = _language_of(source)
    return None if wrong or language is None else language.code


def language_line(source: Source) -> tuple[Span | None, Language | None]:
    """The line that names the language of a text, without a comment behind it, and the language; or neither."""
    language, end, diagnostics = _language_of(source)
    if language is None or diagnostics:
        return None, None
    line = source.text[source.text.rfind("\n", 0, end) + 1 : end]
    start = end - len(line.lstrip())
    return Span(source, start, start + len(re.split(r"\s+#", line.strip())[0])), language


def _split(blocks: Iterator[Lines], heads: BlockHeads, diagnostics: list[Diagnostic]) -> Iterator[Lines]:
    """Blocks, parted where one begins that is indented by mistake."""
    for lines in blocks:
        own = heads.keyword_of(lines.head.text) or ""
        margin = next((line.width for line in lines.lines[1:]), 0)
        start = 0
        for index, line in enumerate(lines.lines):
            terminal = heads.head_of(line.text) if 0 < line.width <= margin else None
            if terminal is None or terminal in heads.clauses.get(own, ()):
                continue
            yield Lines(lines.lines[start:index])
            start, own, line.width = index, terminal, 0
            if not line.faulty:
                diagnostics.append(report("indented-block", line.span, found=line.text))
                line.faulty = True
        yield Lines(lines.lines[start:])


def _gathered(blocks: Iterator[Lines], heads: BlockHeads, diagnostics: list[Diagnostic]) -> Iterator[Lines]:
    """Blocks with the lines that only miss their margin put back to the block they belong to."""
    current: Lines | None = None
    told = False
    for lines in blocks:
        if current is not None and len(diagnostics) < MOST_FINDINGS and heads.is_clause_of(lines, current):
            if not told:
                head = current.head.text
                diagnostics.append(report("unindented-clause", lines.head.span, found=lines.head.text, block=head))
                lines.head.faulty = told = True
            step = next((line.width for line in current.lines[1:]), 2)
            for line in lines.lines:
                line.width += step
            current.lines += lines.lines
            continue
        if current is not None:
            yield current
        current, told = lines, False
    if current is not None:
        yield current


class _Reader:
    """Reads one block, line by faulty line."""

    def __init__(self, language: Language, heads: BlockHeads, lines: Lines, diagnostics: list[Diagnostic]) -> None:
        self.language = language
        self.heads = heads
        self.lines = lines
        self.source = lines.head.source
        self.diagnostics = diagnostics
        self.told_too_deep = False

    def complain(self, line: Line, name: str, /, span: Span | None = None, **values: Any) -> None:
        """Says what is wrong with a line, unless something was said about it already."""
        if not line.faulty and not self.enough:
            self.diagnostics.append(report(name, span or line.span, **values))
        line.faulty = True

    @property
    def enough(self) -> bool:
        """Whether so much is wrong with the file that looking at more of it is of no use."""
        return len(self.diagnostics) >= MOST_FINDINGS

    def block(self) -> Block:
        """The block, as far as it can be read."""
        keyword = self.heads.settle(self.lines, self.complain)
        if keyword is None:
            return self.unreadable()
        settle_margins(self.lines, self.diagnostics)
        for line in self.lines.lines:
            if len(line.text) > LONGEST_SENTENCE:
                self.complain(line, "long-line", length=str(len(line.text)), limit=str(LONGEST_SENTENCE))
                self.lines.leave_out(line)
        for line in self.lines.lines[1:]:
            self._needless_colon(line)
        for _ in range(MOST_FAULTS):
            if all(line.left_out for line in self.lines.lines[1:]):
                return self._bodiless(keyword)
            tree = self._tree()
            if tree is not None:
                return self._block(tree)
            if self.enough:
                break
        return self.unreadable()

    def _needless_colon(self, line: Line) -> None:
        """A colon after a keyword is told and passed over."""
        found = self.heads.colon_after(line.text)
        if found is None or line.shown != line.text:
            return
        keyword, end = found
        place = line.part(0, end)
        self.complain(line, "needless-colon", place, found=keyword, wanted=f"{keyword} {line.text[end:].strip()}")
        line.begin_with(keyword + " " * (line.text[end] != " "), end)

    def unreadable(self) -> Block:
        """The block as nothing but its lines."""
        head, lost = self.lines.head.span, tuple(line.span for line in self.lines.lines)
        return Block(UNREADABLE, head, head, "", (), self.language.code, head, lost, whole=False)

    def _bodiless(self, terminal: str) -> Block:
        """A block of which nothing but the first line could be read, or that has no other."""
        head = self.lines.head
        if len(self.lines.lines) == 1:
            self.complain(head, "something-missing", missing=later("missing.lines-below"))
        keyword = head.part(0, head.origin(len(head.shown.split(" ", 1)[0])) - head.start)
        ident = head.span
        if self.lines.named:
            _, _, start, length = head.places[-1]
            ident = head.part(start, start + length)
        lost = (head.span, *self.lines.lost)
        return Block(terminal.lower(), keyword, ident, "", (), self.language.code, head.span, lost, whole=False)

    # --- trees ---------------------------------------------------------------------------------------------------

    def _tree(self) -> Tree[Token] | None:
        """The tree of the lines as they stand now; None when something was found wrong, and mended or left out."""
        try:
            with _PARSING:
                tree = _parser(self.language.code).parse(self.lines.text())
        except UnexpectedInput as error:
            self._mend(error)
            return None
        node = tree.children[-1]
        assert isinstance(node, Tree)
        return None if self._second_heads(node) else node

    def _block(self, node: Tree[Token]) -> Block:
        tokens = [c for c in node.children if isinstance(c, Token)]
        kind = str(tokens[0].type).lower()
        title = str(tokens[2])[1:-1].strip() if len(tokens) > 2 else ""
        clauses = tuple(self._clause(c) for c in node.children if isinstance(c, Tree))
        keyword, head = self._span(tokens[0]), self.lines.head.span
        ident = self._span(tokens[1]) if self.lines.named else head
        whole = not any(line.left_out for line in self.lines.lines)
        return Block(kind, keyword, ident, title, clauses, self.language.code, head, self.lines.lost, whole)

    def _clause(self, node: Tree[Token]) -> Clause:
        kind = str(node.data)
        tokens = [c for c in node.children if isinstance(c, Token)]
        below = [c for c in node.children if isinstance(c, Tree)]
        keyword = self._span(tokens[0])
        texts = [self._span(t) for t in tokens if t.type == "TEXT"]
        texts += [self._span(c) for t in below if t.data == "more" for c in t.children if isinstance(c, Token)]
        text = Span(self.source, texts[0].start, max(t.end for t in texts)) if texts else None
        if kind == "wording":
            kind = str(tokens[0].type).lower()
        details = tuple(self._clause(t) for t in below if t.data != "more")
        return Clause(kind.removesuffix("_step").removeprefix("scenario_"), keyword, text, details)

    def _span(self, token: Token) -> Span:
        assert token.start_pos is not None
        end = token.start_pos + len(str(token).rstrip())
        return Span(self.source, self.lines.origin(token.start_pos), self.lines.origin(end))

    # --- what went wrong -------------------------------------------------------------------------------------------

    def _mend(self, error: UnexpectedInput) -> None:
        """Says what is wrong with a line, and mends it or leaves it out."""
        text = self.lines.text()
        if isinstance(error, UnexpectedToken):
            at = error.token.start_pos if error.token.start_pos is not None else len(text)
            expected, found = set(error.accepts or error.expected), error.token.type
        else:
            assert isinstance(error, UnexpectedCharacters)
            at, expected, found = error.pos_in_stream, set(error.allowed or ()), ""
        if found == "$END":
            at = len(text)
        at = min(at, len(text) - 1)
        line, inside = self.lines.line_at(at)
        if found == "_INDENT":
            self._too_deep(self.lines.line_at(at + len(text[at:]) - len(text[at:].lstrip()))[0], line)
        elif inside >= len(line.shown.rstrip()) or found in ("_NL", "_DEDENT", "$END"):
            missing = later("missing.rest", line=line.text) if "TEXT" in expected else later("missing.lines-below")
            self.complain(line, "something-missing", missing=missing)
            self.lines.leave_out(line)
        elif inside > 0:
            self.complain(
                line, "nothing-may-follow", line.part(inside, len(line.text)), after=line.text[:inside].strip()
            )
            line.shown = line.shown[:inside].rstrip()
        else:
            self._not_a_clause(line, expected)

    def _too_deep(self, line: Line, above: Line) -> None:
        """A line that is indented as if it belonged to one that takes none; said once for a block."""
        line.faulty = line.faulty or self.told_too_deep
        self.told_too_deep = True
        self.complain(line, "too-deep", found=line.text, above=above.text)
        width = line.width
        for one in (line, *self._as_deep(line)):
            one.width -= width - above.width

    def _as_deep(self, line: Line) -> list[Line]:
        """The lines right after one that are indented at least as far."""
        index = self.lines.lines.index(line)
        found = []
        for other in self.lines.lines[index + 1 :]:
            if other.width < line.width:
                break
            found.append(other)
        return found

    def _not_a_clause(self, line: Line, expected: set[str]) -> None:
        """A line that begins with no keyword that may stand there."""
        meant = self.heads.nearest_keyword(line.text, expected)
        if meant is not None and meant.written.casefold() != meant.keyword.casefold() and line.shown == line.text:
            place = line.part(0, len(meant.written))
            if look_alike(meant.written, meant.keyword):
                name = wrong_script(meant.written, meant.keyword)
                self.complain(line, name, place, found=meant.written, wanted=meant.keyword)
            elif meant.keyword.endswith(":"):
                self.complain(line, "missing-colon", place, found=meant.written, wanted=meant.keyword)
            else:
                hint = meant_word(meant.keyword)
                self.complain(line, "misspelt-keyword", place, found=meant.written, hint=hint)
            line.begin_with(meant.keyword, len(meant.written))
            return
        if self.heads.head_of(line.text) is not None:
            self.complain(line, "indented-block", found=line.text)
        else:
            self._stray(line, expected)
        self.lines.leave_out(line)

    def _stray(self, line: Line, expected: set[str]) -> None:
        """A line that begins with a keyword of elsewhere, or with none."""
        words = sorted({self.language.keyword(name) for name in expected if name in self.language.keywords})
        words += [f"{self.language.code}: ..."] if "WORDING" in expected else []
        may = listed([f"`{w}`" for w in words], none="item.end-of-block")
        block, written = self.lines.head.text, self.heads.exact_keyword(line.text, set(self.language.keywords))
        if written is None:
            self.complain(line, "keyword-missing", found=line.text, block=block, expected=may)
            return
        below = self.heads.details & {t for t, forms in self.language.keywords.items() if written in forms}
        hint = after(later("hint.indent")) if below else ""
        place = line.part(0, len(written))
        self.complain(line, "unexpected-clause", place, found=written, block=block, expected=may, hint=hint)

    def _second_heads(self, node: Tree[Token]) -> bool:
        """Lines that were taken for one more sentence of what is defined, because their keyword is not one."""
        lines = [
            self.lines.line_at(token.start_pos or 0)[0]
            for clause in node.children
            if isinstance(clause, Tree) and clause.data == "head"
            for token in clause.children
            if isinstance(token, Token)
        ]
        expected = self.heads.clauses_of(str(node.data))
        strays = [line for line in lines if self.heads.nearest_keyword(line.text, expected) is not None]
        if len(strays) == len(lines):
            strays = strays[1:] if len(lines) > 1 else []
        elif not strays:
            strays = lines[1:]
        for line in strays:
            self._not_a_clause(line, expected)
        return bool(strays)
