"""The cases of the package ``datalog-conformance`` as texts of the rules language.

Each predicate becomes a fact with one wording, each rule a definition, each fact a given.  A predicate that has both
rules and facts gets a second fact for what is given, for a defined fact cannot be given.  All values are things.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rulewright.backends.base import Backend
from rulewright.session.session import Session
from rulewright.workspace import load_edition

Row = tuple[object, ...]
Literal = tuple[str, tuple[object, ...], bool]
"""Predicate, terms, and whether it is denied."""


class Misfit(Exception):
    """A case says something that has no place in the data model."""


@dataclass(frozen=True)
class Variable:
    """A variable of a rule; each ``_`` is one of its own."""

    name: str


@dataclass(frozen=True)
class Case:
    """A program, and the facts that must hold of some predicates, or the error it must lead to."""

    file: str
    name: str
    facts: Mapping[str, Sequence[Row]]
    rules: tuple[str, ...]
    expected: Mapping[str, Sequence[Row]]
    error: str | None = None


def folder() -> Path | None:
    """Where the package keeps its cases; None when it is not installed."""
    found = find_spec("datalog_conformance")
    return Path(found.origin).parent / "_tests" if found and found.origin else None


def files() -> Iterator[str]:
    """The files of cases, by name."""
    root = folder()
    assert root is not None
    yield from sorted(path.relative_to(root).as_posix() for path in root.rglob("*.yaml"))


@cache
def cases(file: str) -> tuple[Case, ...]:
    """The cases of a file that are plain Datalog."""
    import yaml

    root = folder()
    assert root is not None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    raw = yaml.load((root / file).read_text(encoding="utf-8"), loader)
    return tuple(case for entry in raw.get("tests", [raw]) for case in _case(file, entry))


def _case(file: str, raw: dict[str, Any]) -> Iterator[Case]:
    program, expected = raw.get("program"), raw.get("expect") or {}
    if program is not None:
        rules = tuple(program.get("rules") or ())
    elif "theory" in raw:
        program = raw["theory"]
        if any(program.get(key) for key in ("defeasible_rules", "defeaters", "superiority", "conflicts")):
            return
        rules = tuple(f"{r['head']} :- {', '.join(r.get('body') or ())}" for r in program.get("strict_rules") or ())
        expected = expected.get("definitely") or {}
    else:
        return
    facts = {name: [tuple(row) for row in rows] for name, rows in (program.get("facts") or {}).items()}
    wanted = {name: [tuple(row) for row in rows] for name, rows in expected.items()}
    yield Case(file, raw["name"], facts, rules, wanted, raw.get("expect_error"))


# -- reading rules ---------------------------------------------------------------------------------------------------

_LITERAL = re.compile(r"(?P<not>not\s+)?(?P<name>[\w~]+)\s*(?:\((?P<terms>.*)\))?$")


def read_rule(text: str) -> tuple[Literal, list[Literal]]:
    """The head and the body of a rule."""
    head, _, body = text.strip().rstrip(".").partition(":-")
    count = iter(range(1_000))
    return _literal(head.strip(), count), [_literal(part, count) for part in _parts(body)]


def _parts(text: str) -> list[str]:
    """What commas part, but for those in brackets and quotes."""
    parts, depth, quoted = [""], 0, False
    for letter in text:
        quoted ^= letter == '"'
        depth += 0 if quoted else {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and not depth and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _literal(text: str, count: Iterator[int]) -> Literal:
    found = _LITERAL.match(text)
    if found is None:
        raise Misfit(f"`{text}` is not a literal")
    return found["name"], tuple(_term(term, count) for term in _parts(found["terms"] or "")), bool(found["not"])


def _term(text: str, count: Iterator[int]) -> object:
    if text.startswith('"'):
        return text.strip('"')
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if text == "_":
        return Variable(f"_{next(count)}")
    if re.fullmatch(r"\w+", text):
        return Variable(text)
    raise Misfit(f"`{text}` is worked out in a place of a literal")


# -- writing texts ---------------------------------------------------------------------------------------------------


@dataclass
class Text:
    """A case as texts: vocabulary, rules, and the sentences that are given."""

    case: Case
    rules: list[tuple[Literal, list[Literal]]] = field(default_factory=list)
    arity: dict[str, int] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    things: dict[object, str] = field(default_factory=dict)
    constants: dict[object, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rules = [read_rule(rule) for rule in self.case.rules]
        for head, body in self.rules:
            for name, terms, _ in (head, *body):
                self._note(name, len(terms))
                for term in terms:
                    if not isinstance(term, Variable):
                        self.constants.setdefault((type(term), term), f"k{len(self.constants)}")
        for facts in (self.case.facts, self.case.expected):
            for name, rows in facts.items():
                self._note(name, len(rows[0]) if rows else self.arity.get(name, 1))
        for rows in self.case.facts.values():
            for value in (v for row in rows for v in row):
                if (type(value), value) not in self.constants:
                    self.things.setdefault((type(value), value), f"t{len(self.things)}")

    def _note(self, name: str, arity: int) -> None:
        self.arity.setdefault(name, arity)
        self.numbers.setdefault(name, len(self.numbers))

    def thing(self, value: object) -> str:
        """The name of a value."""
        key = type(value), value
        return self.constants.get(key) or self.things.get(key, "nobody")

    def sentence(self, name: str, places: Sequence[str], *, denied: bool = False, word: str = "p") -> str:
        """A literal as a sentence; ``word`` tells what is derived, given and found apart."""
        verb = ("does not join" if denied else "joins") if places else ("does not hold" if denied else "holds")
        return " ".join([f"{word}{self.numbers[name]}", verb, " to ".join(places)]).strip()

    @property
    def derived(self) -> set[str]:
        """Predicates that rules derive."""
        return {head[0] for head, _ in self.rules}

    def given(self, name: str) -> str:
        """The word under which the facts of a predicate are given."""
        return "g" if name in self.derived else "p"

    def write(self, root: Path) -> None:
        """Writes the tree of rules."""
        for place, text in (("vocabulary", self.vocabulary()), ("e", self.edition())):
            (root / place).mkdir(parents=True)
            (root / place / "text.rules").write_text("language English\n\n" + "\n\n".join(text) + "\n")

    def vocabulary(self) -> Iterator[str]:
        """The words."""
        yield "kind item\n  en: item|items"
        for name in self.constants.values():
            yield f"name {name}\n  is an item\n  en: {name}"
        for name, arity in self.arity.items():
            words = ["p", "f"] + (["g"] if name in self.derived and self.case.facts.get(name) else [])
            places = [f"{{a{n}}}" for n in range(arity)]
            roles = [f"  role {place} is an item" for place in places]
            for word in words:
                lines = [f"fact {word}{self.numbers[name]}", *roles]
                lines.append(f"  en: {self.sentence(name, places, word=word)}")
                lines.append(f"  en not: {self.sentence(name, places, word=word, denied=True)}")
                yield "\n".join(lines)
            asked = self.sentence(name, places, word="whether ")
            yield "\n".join([f"event asked-{self.numbers[name]}", *roles, f"  en: {asked} is asked"])
        yield "event asked\n  en: all is asked"

    def edition(self) -> Iterator[str]:
        """The rules: a definition for each, and what notes all facts that are found."""
        yield 'edition e "A case"\n  note a case of the package datalog-conformance'
        for number, (head, body) in enumerate(self.rules):
            yield "\n".join(self._definition(f"d{number}", head, body))
        for name in sorted(self.derived):
            if self.case.facts.get(name):
                places = [f"{{a{n}}}" for n in range(self.arity[name])]
                given = self.sentence(name, places, word="g")
                yield f"definition g{self.numbers[name]}\n  {self.sentence(name, places)}\n  if {given}"
        for name in self.case.expected:
            places = [f"{{a{n}}}" for n in range(self.arity[name])]
            holds, found = self.sentence(name, places), self.sentence(name, places, word="f")
            asked = self.sentence(name, places, word="whether ")
            number = self.numbers[name]
            yield f"rule all-{number}\n  when all is asked\n  and {holds}\n  then {found}"
            yield f"rule one-{number}\n  when {asked} is asked\n  and {holds}\n  then {found}"

    def _definition(self, ident: str, head: Literal, body: Sequence[Literal]) -> Iterator[str]:
        yield f"definition {ident}"
        mentioned = dict.fromkeys(t for _, terms, _ in (head, *body) for t in terms if isinstance(t, Variable))
        names = dict(zip(mentioned, WORDS, strict=False))
        yield f"  {self._literal(head, names)}"
        bound = {t for _, terms, denied in body if not denied for t in terms if isinstance(t, Variable)}
        for number, literal in enumerate(sorted(body, key=lambda part: part[2])):
            word = "and" if number else "if"
            loose = list(dict.fromkeys(t for t in literal[1] if isinstance(t, Variable) and t not in bound))
            if literal[2] and loose:
                indent = "  "
                for place, variable in enumerate(loose):
                    opening = f"{word} " if not place else "where "
                    yield f"{indent}{opening}there is {'no' if not place else 'a'} {{{names[variable]}}}"
                    indent += "  "
                yield f"{indent}where {self._literal((literal[0], literal[1], False), names)}"
            else:
                yield f"  {word} {self._literal(literal, names)}"

    def _literal(self, literal: Literal, names: Mapping[Variable, str]) -> str:
        name, terms, denied = literal
        places = [f"{{{names[t]}}}" if isinstance(t, Variable) else self.thing(t) for t in terms]
        return self.sentence(name, places, denied=denied)

    def sentences(self) -> Iterator[str]:
        """What is given."""
        for name in self.things.values():
            yield f"{name} is an item"
        for name, rows in self.case.facts.items():
            for row in rows:
                yield self.sentence(name, [self.thing(v) for v in row], word=self.given(name))

    def rows(self, session: Session, name: str) -> set[Row]:
        """The facts found of a predicate, as the case writes them."""
        values = {text: key[1] for key, text in (*self.things.items(), *self.constants.items())}
        predicate = f"fact:f{self.numbers[name]}"
        return {
            tuple(values[str(v)] for v in fact.values)
            for fact in session.game.world.facts
            if fact.predicate == predicate
        }


WORDS = (
    "alder", "birch", "cedar", "dogwood", "elm", "fir", "gorse", "hazel", "ivy", "juniper", "larch", "maple", "nettle",
    "oak", "poplar", "quince", "rowan", "spruce", "thorn", "umbel", "vine", "willow", "yew",
)  # fmt: skip
"""Names for variables, unlike enough not to be taken for slips of each other."""


def play(case: Case, root: Path, backend: Backend) -> tuple[Text, Session]:
    """Loads a case as an edition and gives its facts.

    Raises:
        Misfit: it says something that has no place in the data model.
        Fault: the front end or the compiler refuses it.
    """
    text = Text(case)
    text.write(root)
    session = Session(load_edition("e", root), backend)
    for sentence in text.sentences():
        session.give(sentence)
    return text, session
