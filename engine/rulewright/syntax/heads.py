"""The first lines of blocks, and which keyword a word was meant to be.

Which blocks there are, and which clauses they take, is read from the grammar itself.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from rulewright import assets
from rulewright.diagnostics import meant_word
from rulewright.scripts import look_alike, shape
from rulewright.speech import later, listed
from rulewright.syntax.keywords import MARKS, QUOTED, Language, languages
from rulewright.syntax.layout import Line, Lines
from rulewright.syntax.signs import wrong_script
from rulewright.text import Span

LONGEST_NAME = 200
_OPENING = '"“„«»”'
_TITLE = re.compile(f"(?:{QUOTED})".replace("]+", "]*"))
_NAME = re.compile(rf"[^\W_][\w.\-{MARKS}]*")
_COMMENT = re.compile(r"(?:^|\s)#(?=[\s#]|$).*$")
_RULE = re.compile(r"^\??(\w+)(?:\{\w+\})?:(.*(?:\n[ \t]+\|.*)*)", re.MULTILINE)
_CLOSE = 0.7


class Complain(Protocol):
    """Says what is wrong with a line."""

    def __call__(self, line: Line, name: str, /, span: Span | None = None, **values: Any) -> None: ...


@dataclass(frozen=True)
class Meant:
    """The first words of a line, and the keyword that they were meant to be."""

    written: str
    keyword: str


@dataclass(frozen=True)
class BlockHeads:
    """What may stand at the left margin in one language.

    Attributes:
        titled: by keyword terminal, whether a block of that kind may have a title.
        clauses: by keyword terminal, the terminals that its clauses begin with.
        details: the terminals of lines that stand below a clause.
        any_head: the beginning of a line that begins a block.
    """

    language: Language
    titled: Mapping[str, bool]
    clauses: Mapping[str, frozenset[str]]
    details: frozenset[str]
    any_head: re.Pattern[str]

    def clauses_of(self, block: str) -> set[str]:
        """The terminals that the clauses of a block begin with, by the keyword terminal or its grammar rule."""
        return set(self.clauses[block.upper()])

    def head_of(self, text: str) -> str | None:
        """The keyword terminal of a line that looks like the first line of a block."""
        match = self.any_head.match(text)
        if match is None:
            return None
        rest = _COMMENT.sub("", text[match.end() :]).strip()
        name = _NAME.match(rest)
        after = rest[name.end() :].strip() if name else rest
        return self._terminal(match[1]) if name and (not after or after[0] in _OPENING) else None

    def keyword_of(self, text: str) -> str | None:
        """The keyword terminal of a first line, however the name that follows is written."""
        match = self.any_head.match(text)
        if match is None:
            meant = self.nearest_keyword(text, set(self.titled))
            return self._terminal(meant.keyword) if meant else None
        return self._terminal(match[1])

    def _terminal(self, words: str) -> str:
        folded = " ".join(words.casefold().split())
        return next(t for t in self.titled for form in self.language.keywords[t] if form.casefold() == folded)

    # --- lines that belong to the block above ------------------------------------------------------------------------

    def is_clause_of(self, lines: Lines, block: Lines) -> bool:
        """Whether what stands at the left margin was meant as a part of the block above."""
        text = lines.head.text
        above = self.any_head.match(block.head.text)
        terminal = self._terminal(above[1]) if above else ""
        if terminal == "LANGUAGE":
            return False
        begun = self.any_head.match(text)
        if begun:
            own = self._terminal(begun[1])
            short = len(lines.lines) == 1 and text.count(" ") == 1
            return own in self.clauses.get(terminal, ()) and (short or self.head_of(text) is None)
        clause = set(self.language.keywords) - set(self.titled)
        if self.exact_keyword(text, clause) or _wording(text):
            return True
        return len(lines.lines) == 1 and self.nearest_keyword(text, set(self.titled)) is None

    # --- keywords ----------------------------------------------------------------------------------------------------

    def exact_keyword(self, text: str, terminals: set[str]) -> str | None:
        """The form of one of some keywords that a line begins with."""
        text = text[:LONGEST_NAME]
        for form in self._forms(terminals):
            written = _first_words(text, form)
            if written is not None and " ".join(written.split()).casefold() == form.casefold():
                return form
        return None

    def nearest_keyword(self, text: str, terminals: set[str]) -> Meant | None:
        """What a line begins with and which of some keywords that is, or is most like."""
        text = text[:LONGEST_NAME]
        exact = self.exact_keyword(text, terminals)
        if exact is not None:
            return Meant(_first_words(text, exact) or exact, exact)
        for form in self._forms(terminals):
            written = _first_words(text, form)
            if written is not None and look_alike(written, form):
                return Meant(written, form)
        other = self.exact_keyword(text, set(self.language.keywords))
        if other and not any(form.startswith(f"{other} ") for form in self._forms(terminals)):
            return None
        for meant, keyword in self.language.meant.items():
            if keyword in self._forms(terminals) and text.casefold().startswith(f"{meant} "):
                return Meant(text[: len(meant)], keyword)
        if "WORDING" in terminals and (wording := self._wording_meant(text)) is not None:
            return wording
        best, found = 0.0, None
        for form in self._forms(terminals):
            begun = form.rpartition(" ")[0]
            if begun and (first := _first_words(text, begun)) and first.casefold() == begun.casefold():
                return Meant(first, form)
            written = _first_words(text, form)
            if written is None:
                continue
            ratio = likeness(written, form)
            if ratio > best:
                best, found = ratio, Meant(written, form)
        return found if best >= _CLOSE else None

    def colon_after(self, text: str) -> tuple[str, int] | None:
        """The keyword that a line begins with, and where the text goes on, when a colon stands between them."""
        keyword = self.exact_keyword(text, set(self.language.keywords) - set(self.titled) | {"EDITION", "READING"})
        begun = len(_first_words(text, keyword) or "") if keyword else 0
        colon = re.match(r"\s*:(?=\s|\w)", text[begun:])
        return (text[:begun], begun + colon.end()) if begun and colon else None

    def _forms(self, terminals: set[str]) -> list[str]:
        forms = [form for name in sorted(terminals) for form in self.language.keywords.get(name, ())]
        return sorted(forms, key=lambda form: -len(form))

    def _wording_meant(self, text: str) -> Meant | None:
        """A wording without its colon, or with the name of its language in full."""
        for language in languages().values():
            for word in (language.code, *language.names):
                for suffix in (*(s for forms in language.suffixes.values() for s in forms), ""):
                    start = rf"{re.escape(word)}" + (rf"\s+{re.escape(suffix)}" if suffix else "")
                    pattern = shape(rf"{start}\s*(?:[:;.,=–—-]\s*|\s)(?=\S)")
                    match = re.match(pattern, shape(text), re.IGNORECASE)
                    if match:
                        return Meant(text[: match.end()].rstrip(), f"{language.code} {suffix}".rstrip() + ":")
        return None

    # --- the first line --------------------------------------------------------------------------------------------

    def settle(self, lines: Lines, complain: Complain) -> str | None:
        """Checks the first line of a block and mends what is wrong with it.

        Returns:
            The keyword terminal; None when the line begins no block.
        """
        head = lines.head
        match = self.any_head.match(head.text)
        written = match[1] if match else ""
        if match is None:
            meant = self.nearest_keyword(head.text, set(self.titled))
            if meant is None:
                known = listed(f"`{self.language.keyword(t)}`" for t in self.titled if t != "LANGUAGE")
                complain(head, "unknown-block", found=head.text, known=known)
                return None
            written = meant.written
            place = head.part(0, len(written))
            if look_alike(written, meant.keyword):
                complain(head, wrong_script(written, meant.keyword), place, found=written, wanted=meant.keyword)
            else:
                complain(head, "misspelt-block", place, found=written, hint=meant_word(meant.keyword))
            terminal = self._terminal(meant.keyword)
            keyword = meant.keyword
        else:
            terminal, keyword = self._terminal(written), written
        if terminal == "LANGUAGE":
            complain(head, "second-language", found=head.text)
            return None
        ident, title, sure = self._name(head, len(written), terminal, complain)
        head.shown = f"{keyword} {ident} {title}".rstrip()
        begin, start = len(keyword) + 1, head.text.find(ident, len(written))
        lines.named = sure and start >= 0
        head.places = ((0, len(keyword), 0, len(written)),)
        if start >= 0:
            head.places += ((begin, begin + len(ident), start, len(ident)),)
        return terminal

    def _name(self, head: Line, start: int, terminal: str, complain: Complain) -> tuple[str, str, bool]:
        """The name and the title that stand after the keyword; made up or left out where they are no good.

        The last of the three tells whether the name is what was meant, and not only the first word of it.
        """
        made_up = "unnamed"
        rest = _COMMENT.sub("", head.text[start:]).rstrip()
        start += len(rest) - len(rest.lstrip())
        rest = rest.strip()
        if rest.startswith(":"):
            after = rest[1:].lstrip()
            keyword = head.text[:start].rstrip()
            complain(head, "needless-colon", head.part(start, start + 1), found=keyword, wanted=f"{keyword} {after}")
            start += len(rest) - len(after)
            rest = after
        if not rest or rest[0] in _OPENING:
            complain(head, "something-missing", missing=later("missing.name"))
            return made_up, rest if _TITLE.fullmatch(rest) else "", True
        name = _NAME.match(rest)
        word = re.match(r"\S+", rest)
        assert word is not None
        if name is None or (len(name.group()) < len(word.group()) and word.group()[name.end()] not in _OPENING):
            complain(head, "unclear-name", head.part(start, start + word.end()), name=word.group())
            return made_up, "", True
        ident = name.group().rstrip(".") or name.group()
        if len(ident) > LONGEST_NAME:
            span = head.part(start, start + len(ident))
            complain(head, "long-name", span, name=ident, limit=str(LONGEST_NAME))
            return made_up, "", True
        after = rest[name.end() :].strip()
        place = head.part(start + len(rest) - len(after), start + len(rest))
        if not after:
            return ident, "", True
        kind = self.language.keyword(terminal)
        if not self.titled[terminal]:
            complain(head, "untitled-block", place, block=kind, name=ident, found=after)
        elif _TITLE.fullmatch(after):
            return ident, after, True
        elif after[0] in _OPENING and not _TITLE.match(after):
            complain(head, "open-quote", place, found=after)
        elif after[0] in _OPENING:
            complain(head, "nothing-may-follow", place, after=f"{kind} {ident}")
        else:
            example = _joined(ident, after, kind)
            complain(head, "unquoted-title", place, name=ident, found=after, example=example)
        return ident, "", after[0] in _OPENING


def _joined(ident: str, after: str, kind: str) -> str:
    """How a first line was perhaps meant whose name has blanks in it, or whose title has no quotes."""
    title = re.search(rf"{_TITLE.pattern}$", after)
    if title:
        words = [ident, *after[: title.start()].split()]
        name = "-".join(filter(None, (re.sub(r"[^\w.-]", "", word) for word in words)))
        return f"`{kind} {name} {title.group()}`"
    return f'`{kind} {ident} "{after}"`'


def likeness(one: str, other: str) -> float:
    """How alike two words are, from 0 to 1; letters that changed places hardly count."""
    one, other = one[:60].casefold(), other[:60].casefold()
    if sorted(one) == sorted(other):
        return 0.99
    if len(other) >= 4 and one.startswith(other):
        return 0.8
    return difflib.SequenceMatcher(None, one, other).ratio()


def _first_words(text: str, form: str) -> str | None:
    """As many words of a text as a keyword has."""
    match = re.match(rf"[^\s:]+(?:\s+\S+){{{form.count(' ')}}}", text)
    return match.group() if match else None


def _wording(text: str) -> bool:
    return re.match(r"[a-z]{2,3}(?:\s+\w+)?\s*:", text, re.IGNORECASE) is not None


@cache
def block_heads(code: str) -> BlockHeads:
    """What may stand at the left margin in a language, by the grammar."""
    language = languages()[code]
    bodies = {m[1]: m[2] for m in _RULE.finditer(assets.grammar_text("rulewright.lark"))}
    titled: dict[str, bool] = {}
    clauses: dict[str, frozenset[str]] = {}
    for block in re.findall(r"\w+", bodies["block"]):
        first = re.split(r"\bID\b|\bTEXT\b", bodies[block])[0]
        inner = re.search(r"_body\{(\w+)\}", bodies[block])
        for terminal in re.findall(r"\b[A-Z][A-Z_]+\b", first):
            titled[terminal] = "TITLE" in bodies[block]
            clauses[terminal] = frozenset(_begins(inner[1], bodies)) if inner else frozenset()
    forms = sorted((f for t in titled for f in language.keywords[t]), key=len, reverse=True)
    choice = "|".join(re.escape(form).replace(r"\ ", r"[ \t]+") for form in forms)
    any_head = re.compile(rf"^({choice})(?![\w-])", re.IGNORECASE | re.MULTILINE)
    details = frozenset(t for name in bodies if name.endswith("detail") for t in _begins(name, bodies))
    return BlockHeads(language, titled, clauses, details, any_head)


def _begins(rule: str, bodies: Mapping[str, str]) -> set[str]:
    """The terminals that a rule of the grammar may begin with."""
    found: set[str] = set()
    for alternative in bodies[rule].split("|") if "(" not in bodies[rule].split("TEXT")[0] else [bodies[rule]]:
        first = re.split(r"\bTEXT\b|\b_NL\b", alternative)[0]
        found |= set(re.findall(r"\b[A-Z][A-Z_]+\b", first))
        for name in re.findall(r"(?<![\w{])([a-z]\w*)", first):
            if name in bodies:
                found |= _begins(name, bodies)
    return found
