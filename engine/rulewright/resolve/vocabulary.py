"""From vocabulary blocks to the vocabulary: declarations first, then the sentences inside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from rulewright.diagnostics import Diagnostic, after, did_you_mean, nearest, report
from rulewright.model import (
    GAME,
    NUMBER,
    Atom,
    Condition,
    EventDetail,
    Individual,
    Kind,
    MeasureOf,
    Name,
    Phrase,
    PhraseKind,
    RecordDetail,
    Role,
    Shorthand,
    SnapshotDetail,
    TallyDetail,
    Variable,
    Vocabulary,
    Wording,
)
from rulewright.phrases.lexicon import DIMENSION, RULE, Lexicon, vocabulary_things
from rulewright.phrases.matching import Reader
from rulewright.phrases.words import Fixed, fold, roles_of, split, template
from rulewright.resolve.blocks import PHRASE_BLOCKS, VOCABULARY_BLOCKS, facets_of
from rulewright.resolve.puzzled import open_brace
from rulewright.resolve.sentences import Interpreter
from rulewright.speech import later
from rulewright.syntax.keywords import Language, languages, tables
from rulewright.syntax.tree import Block, Clause
from rulewright.text import Source, Span

BUILT_IN_KINDS = ("thing", DIMENSION, RULE, "test", "window", "side")
WHOLE_WORDINGS = ("measure", "tally", "snapshot", "record", "shorthand")
"""Phrases whose wordings must each name all places; events and facts may leave some out."""
_FORMS = {"wording": "plain", "negative": "not", "attribute": "with", "before": "before"}
_MODES: Mapping[str, PhraseKind] = {"may": "permission", "may_not": "restriction", "must": "duty"}


@dataclass
class _Draft:
    """A vocabulary in the making."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    names: dict[str, Name] = field(default_factory=dict)
    phrases: dict[str, Phrase] = field(default_factory=dict)
    events: dict[str, EventDetail] = field(default_factory=dict)
    tallies: dict[str, TallyDetail] = field(default_factory=dict)
    snapshots: dict[str, SnapshotDetail] = field(default_factory=dict)
    records: dict[str, RecordDetail] = field(default_factory=dict)
    shorthands: dict[str, Shorthand] = field(default_factory=dict)
    meanings: dict[str, Condition] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def frozen(self) -> Vocabulary:
        return Vocabulary(
            self.kinds,
            self.names,
            self.phrases,
            self.events,
            self.tallies,
            self.snapshots,
            self.records,
            self.shorthands,
            self.meanings,
        )

    def complain(self, name: str, /, span: Span, **values: Any) -> None:
        self.diagnostics.append(report(name, span, **values))


def resolve_vocabulary(
    blocks: Sequence[Block],
) -> tuple[Vocabulary, tuple[Diagnostic, ...]]:
    """Reads all vocabulary blocks of an edition that are in force, the shared ones and its own.

    Returns:
        The vocabulary and the findings.
    """
    draft = _Draft()
    blocks = [b for b in blocks if b.kind in VOCABULARY_BLOCKS]
    for built_in in BUILT_IN_KINDS:
        draft.kinds[built_in] = Kind(built_in, None, (), (), Span(Source("built in", ""), 0, 0))
    for block in blocks:
        if block.kind == "kind":
            parent = block.one("is_a")
            ident = parent.sentence.text.strip() if parent else "thing"
            draft.kinds[block.ident.text] = Kind(block.ident.text, ident, _wordings(block, draft), (), block.span)
    for kind in [k for k in draft.kinds.values() if k.parent and k.parent not in draft.kinds]:
        draft.kinds[kind.ident] = replace(kind, parent=_worded_kind(kind.parent or "", draft) or kind.parent)
    for kind in [k for k in draft.kinds.values() if k.parent and k.parent not in draft.kinds]:
        hint = did_you_mean(kind.parent or "", draft.kinds)
        place = kind.span.place_of(kind.parent or "")
        draft.complain("unknown-kind", place, kind=kind.parent, hint=hint or later("hint.kind-block"))
        draft.kinds[kind.ident] = replace(kind, parent="thing")
    _part_circles(draft)
    for block in blocks:
        if block.kind == "name":
            _name(block, draft)
    for block in blocks:
        if block.kind in (*PHRASE_BLOCKS, "shorthand"):
            _phrase(block, draft)
        elif block.kind == "action":
            _action(block, draft)
    _sentences(blocks, draft)
    return draft.frozen(), tuple(draft.diagnostics)


def _part_circles(draft: _Draft) -> None:
    """Kinds that are, through others, kinds of themselves."""
    for kind in list(draft.kinds.values()):
        line, current = [kind.ident], kind.parent
        while current is not None and current not in line:
            line.append(current)
            current = draft.kinds[current].parent
        if current == kind.ident:
            draft.complain("kind-circle", kind.span.place_of(line[-1] if line[1:] else kind.ident), kind=kind.ident)
            draft.kinds[kind.ident] = replace(kind, parent="thing")


def _wordings(block: Block, draft: _Draft, forms: Mapping[str, str] = _FORMS) -> tuple[Wording, ...]:
    found = []
    for clause in block.each(*forms):
        code = _language_code(clause)
        if found_open := open_brace(clause.sentence):
            draft.diagnostics.append(found_open)
        if code not in languages():
            if any(table.code == code for table in tables().values()):
                continue  # what is wrong with its table is told by that
            known = ", ".join(languages())
            draft.complain("unknown-language", clause.keyword, code=code, known=known)
            continue
        form = cast(Literal["plain", "not", "with", "before"], forms[clause.kind])
        found.append(Wording(code, form, clause.sentence.text, clause.sentence))
    return tuple(found)


def _language_code(clause: Clause) -> str:
    """The language of a wording, by its code or its name."""
    word = clause.keyword.text.split()[0].rstrip(":").casefold()
    named = (lang.code for lang in languages().values() if word in [n.casefold() for n in lang.names])
    return next(named, word)


def _known_kind(clause: Clause, word: str, draft: _Draft) -> str:
    """The kind meant by a word of the vocabulary: its ident, or any of its wordings."""
    if word in draft.kinds or word == NUMBER:
        return word
    worded = _worded_kind(word, draft)
    if worded is not None:
        return worded
    hint = did_you_mean(word, draft.kinds)
    draft.complain("unknown-kind", clause.sentence, kind=word, hint=hint or later("hint.kind-block"))
    return "thing"


def _worded_kind(word: str, draft: _Draft) -> str | None:
    """The kind that is worded so."""
    kinds = draft.kinds.values()
    return next((k.ident for k in kinds if any(fold(word) in fold(w.template).split("|") for w in k.wordings)), None)


def _name(block: Block, draft: _Draft) -> None:
    clause = block.one("is_a")
    if clause is None:
        draft.complain("name-without-kind", block.span, name=block.ident.text)
        return
    kind = _known_kind(clause, clause.sentence.text.strip(), draft)
    draft.names[block.ident.text] = Name(block.ident.text, kind, _wordings(block, draft), block.span)


def _dimension(words: str, clause: Clause, draft: _Draft) -> str | None:
    for name in draft.names.values():
        forms = [f for w in name.wordings for f in w.template.split("|")]
        if name.kind == DIMENSION and (words == name.ident or fold(words) in map(fold, forms)):
            return name.ident
    dimensions = [n for n in draft.names.values() if n.kind == DIMENSION]
    known = [f for n in dimensions for w in n.wordings for f in w.template.split("|")]
    hint = did_you_mean(words, known) or later("hint.dimension-block")
    draft.complain("unknown-dimension", clause.sentence, dimension=words, hint=hint)
    return None


def _phrase(block: Block, draft: _Draft) -> None:
    ident = block.ident.text
    wordings = _wordings(block, draft)
    roles = _roles(block, wordings, draft)
    if roles is None:
        return
    if not wordings:
        if not any(block.each(*_FORMS)):
            draft.complain("no-wording", block.span, phrase=ident)
        return
    if block.kind in WHOLE_WORDINGS:
        for wording in (w for w in wordings if w.form != "with"):
            left_out = [r.name for r in roles if r.name not in roles_of(wording.template)]
            if left_out:
                draft.complain("place-left-out", wording.span, role=left_out[0], phrase=ident)
                return
    if block.kind == "shorthand":
        draft.shorthands[ident] = Shorthand(ident, roles, wordings, block.span)
        return
    counted = block.one("counted_in")
    dimension = _dimension(counted.sentence.text.strip(), counted, draft) if counted else None
    symmetric = block.one("symmetric") is not None
    kind = cast(PhraseKind, block.kind)
    draft.phrases[ident] = Phrase(ident, kind, roles, wordings, block.span, dimension, symmetric)


def _roles(block: Block, wordings: Sequence[Wording], draft: _Draft) -> tuple[Role, ...] | None:
    """The places of a phrase, in the order its wordings first mention them; None when one has no kind."""
    read = [_role(c, languages()[block.language], draft) for c in block.each("role")]
    declared = {r.name: r for r in read if r is not None}
    worded = [n for w in wordings for n in roles_of(w.template) if n != "value"]
    names = list(dict.fromkeys([*worded, *declared]))
    roles = []
    for name in names:
        if name in declared:
            roles.append(declared[name])
        elif name in draft.kinds:
            roles.append(Role(name, name))
        elif None in read:
            return None
        else:
            place = next((w.span for w in wordings if name in roles_of(w.template)), block.span)
            known = nearest(name, [*declared, *draft.kinds])
            meant = later("hint.meant", names=f"`{{{known[0]}}}`") if len(known) == 1 else None
            hint = after(meant)
            draft.complain("role-without-kind", place, role=name, phrase=block.ident.text, hint=hint)
            return None
    return tuple(roles)


def _action(block: Block, draft: _Draft) -> None:
    """An action gives three phrases: that it may, may not and must be done."""
    ident = block.ident.text
    modes = {mode: _wordings(block, draft, {mode: "plain"}) for mode in _MODES}
    everything = tuple(w for wordings in modes.values() for w in wordings)
    roles = _roles(block, everything, draft)
    if roles is None:
        return
    for mode, kind in _MODES.items():
        if not modes[mode]:
            if not any(block.each(mode)):
                draft.complain("no-wording", block.span, phrase=f"{ident} ({mode.replace('_', ' ')})")
            return
        phrase = f"{mode.replace('_', '-')}-{ident}"
        draft.phrases[phrase] = Phrase(phrase, kind, roles, modes[mode], block.span, action=ident)


def _role(clause: Clause, language: Language, draft: _Draft) -> Role | None:
    """``role {amount} is a number of health points``."""
    for sort in ("role-number-of", "role-number", "role"):
        found = begun_with(clause.sentence, language, sort)
        if found is None:
            continue
        name, rest = found[0], found[1].text.strip()
        if sort == "role-number-of" and rest:
            return Role(name, NUMBER, _dimension(rest, clause, draft))
        if sort == "role-number" and not rest:
            return Role(name, NUMBER)
        if sort == "role" and rest:
            return Role(name, _known_kind(clause, rest, draft))
    draft.complain("unclear-role", clause.sentence, text=clause.sentence.text)
    return None


def begun_with(sentence: Span, language: Language, key: str) -> tuple[str, Span] | None:
    """What a sentence begins with, a variable, and what stands after the words of a form that follow it."""
    words = split(sentence.text)
    if not words or words[0].type != "variable":
        return None
    for form in language.sentences[key]:
        between = [item for item in template(form) if isinstance(item, Fixed)]
        after = words[1 : len(between) + 1]
        if len(after) == len(between) and all(w.folded in i.forms for w, i in zip(after, between, strict=True)):
            return words[0].text, sentence.within(after[-1].end, len(sentence.text))
    return None


# --- sentences inside the vocabulary -----------------------------------------------------------------------------


def _sentences(blocks: Sequence[Block], draft: _Draft) -> None:
    vocabulary = draft.frozen()
    readers = {}
    for code, language in languages().items():
        lexicon = Lexicon(language, vocabulary).with_things(vocabulary_things(vocabulary, language))
        readers[code] = Interpreter(lexicon, draft.diagnostics, variables=True)
    _meanings([b for b in blocks if b.kind == "shorthand"], readers, draft)
    for block in blocks:
        reader = readers[block.language]
        if block.kind == "kind":
            begins = tuple(a for a in (reader.fact(c.sentence) for c in block.each("begins")) if a is not None)
            draft.kinds[block.ident.text] = replace(draft.kinds[block.ident.text], begins=begins)
        elif block.ident.text not in draft.phrases:
            continue
        elif block.kind == "event":
            draft.events[block.ident.text] = _event(block, reader, draft)
        elif block.kind == "tally":
            _tally(block, reader, draft)
        elif block.kind == "snapshot":
            _snapshot(block, reader, draft)
        elif block.kind == "record":
            _record(block, reader, draft)
    _check_windows(blocks, draft)


def _meanings(blocks: Sequence[Block], readers: Mapping[str, Interpreter], draft: _Draft) -> None:
    """What shorthands stand for; one that speaks of another one waits until that is known."""
    waiting = list(blocks)
    while waiting:
        left = [block for block in waiting if not _meaning(block, readers[block.language], draft)]
        if len(left) == len(waiting):
            draft.complain("shorthand-circle", left[0].span, name=left[0].ident.text)
            return
        waiting = left


def _meaning(block: Block, reader: Interpreter, draft: _Draft) -> bool:
    """Notes what a shorthand stands for, or why it cannot be; False when another shorthand must be known first."""
    clause = block.one("stands_for")
    if clause is None:
        draft.complain(
            "incomplete-block",
            block.span,
            block=later(f"block.{block.kind}"),
            name=block.ident.text,
            missing=later("missing.stands-for"),
        )
        return True
    before = len(draft.diagnostics)
    meaning = reader.condition(clause)
    if meaning is not None:
        draft.meanings[block.ident.text] = meaning
    return meaning is not None or len(draft.diagnostics) > before


def _check_windows(blocks: Sequence[Block], draft: _Draft) -> None:
    """What is summed, copied or kept over a window needs events that open and close it; the game needs none."""
    opened = {w for d in draft.events.values() for w in d.opens} | {GAME}
    closed = {w for d in draft.events.values() for w in d.closes} | {GAME}
    windows = {ident: detail.window for ident, detail in draft.tallies.items()}
    windows |= {ident: detail.window for ident, detail in draft.snapshots.items()}
    kept = {ident: detail.window for ident, detail in draft.records.items() if detail.window}
    for block in blocks:
        ident = block.ident.text
        if block.kind in ("tally", "snapshot") and windows.get(ident, GAME) not in opened:
            draft.complain("window-never-opens", block.span, phrase=ident, window=windows[ident])
        elif block.kind == "record" and kept.get(ident, GAME) not in closed:
            draft.complain("window-never-closes", block.span, window=kept[ident])


def _event(block: Block, reader: Interpreter, draft: _Draft) -> EventDetail:
    phrase = draft.phrases[block.ident.text]
    changes = tuple(e for e in map(reader.effect, block.each("changes")) if e is not None)
    only_one = block.one("only_one")
    index = phrase.role(only_one.sentence.text.strip("{} ")) if only_one else None
    if only_one and index is None:
        draft.complain("unclear-role", only_one.sentence, text=only_one.sentence.text)
    opens = tuple(w for c in block.each("opens") if (w := reader.window(c.sentence)) is not None)
    closes = tuple(w for c in block.each("closes") if (w := reader.window(c.sentence)) is not None)
    return EventDetail(changes, opens, closes, index)


def _window(clause: Clause | None, reader: Interpreter) -> str | None:
    return reader.window(clause.sentence) if clause else None


def _tally(block: Block, reader: Interpreter, draft: _Draft) -> None:
    """``sums {amount} of {unit} loses {amount} health points`` with its conditions and window."""
    sums = block.one("sums")
    over = block.one("over")
    if sums is None or over is None:
        missing = later("missing.sums" if sums is None else "missing.over")
        draft.complain(
            "incomplete-block", block.span, block=later("block.tally"), name=block.ident.text, missing=missing
        )
        return
    parts = begun_with(sums.sentence, reader.lexicon.language, "sum")
    if parts is None:
        draft.complain("unclear-role", sums.sentence, text=sums.sentence.text)
        return
    name, rest = parts
    event = reader.event(rest.within(len(rest.text) - len(rest.text.lstrip()), len(rest.text)))
    window = _window(over, reader)
    if event is None or window is None:
        return
    amount = Variable(name)
    roles = draft.phrases[event.phrase].roles
    if not any(a == amount and r.kind == NUMBER for r, a in zip(roles, event.arguments, strict=True)):
        draft.complain("unclear-role", sums.sentence, text=sums.sentence.text)
        return
    named = {a.name for a in event.arguments if isinstance(a, Variable)}
    for role in draft.phrases[block.ident.text].roles:
        if role.name not in named:
            draft.complain("record-role", block.span, role=role.name, phrase=block.ident.text)
            return
    conditions = reader.conjunction(list(block.each("if", "and", "or")))
    draft.tallies[block.ident.text] = TallyDetail(event, amount, conditions, window, facets_of(block))


def _snapshot(block: Block, reader: Interpreter, draft: _Draft) -> None:
    copies = block.one("copies")
    window = _window(block.one("over"), reader)
    if copies is None or window is None:
        draft.complain(
            "incomplete-block",
            block.span,
            block=later("block.snapshot"),
            name=block.ident.text,
            missing=later("missing.copies-over"),
        )
        return
    sources = [n for n, _ in Reader(reader.lexicon, copies.sentence).number(0)]
    measures = [s for s in sources if isinstance(s, MeasureOf) and draft.phrases[s.phrase].kind == "measure"]
    if not measures:
        draft.complain("unclear-snapshot", copies.sentence, text=copies.sentence.text)
        return
    draft.snapshots[block.ident.text] = SnapshotDetail(measures[0].phrase, window)
    phrase = draft.phrases[block.ident.text]
    draft.phrases[block.ident.text] = replace(phrase, dimension=draft.phrases[measures[0].phrase].dimension)


def _record(block: Block, reader: Interpreter, draft: _Draft) -> None:
    when = block.one("when")
    if when is None:
        draft.complain(
            "incomplete-block",
            block.span,
            block=later("block.record"),
            name=block.ident.text,
            missing=later("missing.when"),
        )
        return
    event = reader.event(when.sentence)
    window = _window(block.one("over"), reader)
    until = tuple(a for a in (reader.event(c.sentence) for c in block.each("until")) if a is not None)
    if event is None:
        return
    names = {a.name for a in event.arguments if isinstance(a, Variable)}
    for role in draft.phrases[block.ident.text].roles:
        if role.name not in names:
            draft.complain("record-role", block.span, role=role.name, phrase=block.ident.text)
            return
    draft.records[block.ident.text] = RecordDetail(event, window, until)


def begins_for(vocabulary: Vocabulary, kind: str, ident: str) -> list[Atom]:
    """What is so of a thing of a kind when it is introduced."""
    found = []
    for ancestor in reversed(vocabulary.lineage(kind)):
        for atom in vocabulary.kinds[ancestor].begins:
            filled = tuple(Individual(ident) if isinstance(a, Variable) else a for a in atom.arguments)
            found.append(replace(atom, arguments=filled))
    return found
