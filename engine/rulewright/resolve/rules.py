"""From rule blocks to the typed rules of an edition."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import (
    Anchor,
    Atom,
    Choice,
    Condition,
    Defeater,
    Definition,
    Dice,
    Edition,
    Effect,
    Exemption,
    MeasureDefinition,
    NotModelled,
    Order,
    ReadingChoice,
    Readings,
    Rule,
    SourceText,
    Test,
    Variable,
    Vocabulary,
)
from rulewright.phrases.lexicon import RULE, Lexicon, Thing, vocabulary_things
from rulewright.phrases.matching import Reader
from rulewright.phrases.words import sentence_text
from rulewright.resolve.blocks import (
    QUOTES,
    READING,
    RULE_BLOCKS,
    VOCABULARY_BLOCKS,
    citations_of,
    concepts_of,
    facets_of,
    idents_in,
    sentence_ids,
)
from rulewright.resolve.kinds import variable_kinds
from rulewright.resolve.readings import assumptions_of, resolve_readings
from rulewright.resolve.sentences import Interpreter
from rulewright.resolve.vocabulary import resolve_vocabulary
from rulewright.speech import later
from rulewright.syntax.keywords import languages
from rulewright.syntax.tree import UNREADABLE, Block, Clause
from rulewright.text import Span

_DICE = re.compile(r"(\d{0,2})\s*[dD](\d{1,3})\s*$")
_WAYS: Mapping[str, Literal["counts", "adds", "highest", "lowest", "equals"]] = {
    "counts": "counts",
    "adds": "adds",
    "highest": "highest",
    "lowest": "lowest",
    "equals": "equals",
}


def resolve_edition(
    blocks: Sequence[Block], wanted: Sequence[ReadingChoice] = ()
) -> tuple[Edition | None, tuple[Diagnostic, ...]]:
    """Reads all blocks of an edition, vocabulary and rules, in any order.

    Args:
        blocks: the blocks of all its files.
        wanted: the options that are asked for, of its readings.

    Returns:
        The edition, or None when no ``edition`` block could be read; and the findings.
    """
    readings, blocks, found = resolve_readings(blocks, wanted)
    diagnostics = list(found)
    vocabulary, found = resolve_vocabulary(blocks)
    diagnostics += found
    heads = [b for b in blocks if b.kind == "edition"]
    for extra in heads[1:]:
        diagnostics.append(report("second-edition", extra.span, [(later("place.first"), heads[0].span)]))
    expected = (*VOCABULARY_BLOCKS, *RULE_BLOCKS, READING, "edition", UNREADABLE)
    for stray in (b for b in blocks if b.kind not in expected):
        diagnostics.append(report("stray-block", stray.span, block=stray.keyword.text))
    if not heads:
        return None, tuple(diagnostics)
    rule_blocks = [b for b in blocks if b.kind in RULE_BLOCKS]
    idents = [(name, Thing(name, RULE)) for name in (*(b.ident.text for b in rule_blocks), *readings.idle)]
    readers = {}
    for code, language in languages().items():
        lexicon = Lexicon(language, vocabulary).with_things(vocabulary_things(vocabulary, language))
        readers[code] = Interpreter(lexicon.with_things(idents), diagnostics, variables=True)
    builder = _Builder(readers, vocabulary, readings, diagnostics)
    items = [item for item in (builder.build(b) for b in rule_blocks) if item is not None]
    edition = Edition(
        ident=heads[0].ident.text,
        title=heads[0].title or heads[0].ident.text,
        language=heads[0].language,
        source=_source(heads[0], readers[heads[0].language], diagnostics),
        vocabulary=vocabulary,
        rules=tuple(i for i in items if isinstance(i, Rule)),
        definitions=tuple(i for i in items if isinstance(i, Definition)),
        measures=tuple(i for i in items if isinstance(i, MeasureDefinition)),
        exemptions=tuple(i for i in items if isinstance(i, Exemption)),
        tests=tuple(i for i in items if isinstance(i, Test)),
        orders=tuple(i for i in items if isinstance(i, Order)),
        readings=readings,
    )
    return edition, tuple(diagnostics)


# --- the edition and its source ------------------------------------------------------------------------------------


def _source(block: Block, reader: Interpreter, diagnostics: list[Diagnostic]) -> SourceText | None:
    source = block.one("source")
    if source is None:
        return None
    sentences: list[str] = []
    skipped: list[NotModelled] = []
    words = reader.lexicon.language.sentences
    for clause in block.each("sentences"):
        sentences += sentence_ids(clause, clause.sentence.text, words["range-to"], diagnostics)
    for clause in block.each("not_modelled"):
        text = sentence_text(clause.sentence)
        split = next((w for w in words["because"] if f" {w} " in text), None)
        if split is None:
            diagnostics.append(report("no-reason", clause.sentence, text=text))
            continue
        ids, _, reason = text.partition(f" {split} ")
        listed = ids.rstrip(", ")
        skipped += [NotModelled(i, reason) for i in sentence_ids(clause, listed, words["range-to"], diagnostics)]
    return SourceText(source.sentence.text.strip().strip(QUOTES), tuple(sentences), tuple(skipped), block.span)


# --- rules -----------------------------------------------------------------------------------------------------------


class _Builder:
    def __init__(
        self,
        readers: Mapping[str, Interpreter],
        vocabulary: Vocabulary,
        readings: Readings,
        diagnostics: list[Diagnostic],
    ) -> None:
        self.readers = readers
        self.vocabulary = vocabulary
        self.readings = readings
        self.diagnostics = diagnostics

    def build(self, block: Block) -> Rule | Definition | MeasureDefinition | Exemption | Test | Order | None:
        """Builds the item of a block; None when something essential is missing or unreadable."""
        before = len(self.diagnostics)
        make = {
            "rule": self.rule,
            "definition": self.definition,
            "exemption": self.exemption,
            "test": self.test,
            "order": self.order,
        }[block.kind]
        item = make(block, self.readers[block.language])
        return item if len(self.diagnostics) == before else None

    def complain(self, name: str, /, span: Span, **values: Any) -> None:
        self.diagnostics.append(report(name, span, **values))

    def missing(self, block: Block, what: str) -> None:
        kind, missing = later(f"block.{block.kind}"), later(f"missing.{what}")
        self.complain("incomplete-block", block.span, block=kind, name=block.ident.text, missing=missing)

    def anchor(self, block: Block, reader: Interpreter) -> Anchor:
        to = reader.lexicon.language.sentences["range-to"]
        concepts = concepts_of(block, self.diagnostics)
        cites = citations_of(block, to, self.diagnostics)
        title = block.title or block.ident.text.replace("-", " ")
        assumptions = assumptions_of(block, self.readings)
        facets = facets_of(block)
        return Anchor(block.ident.text, title, concepts, cites, assumptions, block.span, block.language, facets=facets)

    def rule(self, block: Block, reader: Interpreter) -> Rule | None:
        triggers: list[Atom] = []
        conditions: list[Clause] = []
        unless: list[list[Clause]] = []
        effects: list[Clause] = []
        choices: list[Choice] = []
        part = ""
        for clause in block.clauses:
            if clause.kind in ("when", "unless", "then", "choose"):
                part = clause.kind
            if (clause.kind == "or" and part == "when" and not conditions) or clause.kind == "when":
                triggers += self._event(clause, reader)
            elif clause.kind == "choose":
                choices += self._choice(clause, reader)
            elif clause.kind == "unless":
                unless.append([clause])
            elif clause.kind == "then":
                effects.append(clause)
            elif clause.kind in ("and", "or"):
                if part == "then" and clause.kind == "and":
                    effects.append(clause)
                elif part == "unless" and clause.kind == "or":
                    unless.append([clause])
                elif part == "unless":
                    unless[-1].append(clause)
                elif part == "when":
                    conditions.append(clause)
                else:
                    self.complain("misplaced-clause", clause.span, keyword=clause.keyword.text)
        if not triggers and block.one("when") is None:
            self.missing(block, "when")
        if not effects:
            self.missing(block, "then")
        if len(choices) > 1:
            self.complain("second-choice", choices[1].span)
        read = [e for e in map(reader.effect, effects) if e is not None]
        rule = Rule(
            anchor=self.anchor(block, reader),
            triggers=tuple(triggers),
            conditions=reader.conjunction(conditions),
            choice=choices[0] if choices else None,
            defeaters=tuple(Defeater(reader.conjunction(u), u[0].sentence) for u in unless),
            effects=tuple(read),
            overrides=self._idents(block, "overrides"),
            regardless=self._idents(block, "regardless"),
        )
        self._check_kinds(block, [*rule.triggers, *_everything(rule)])
        return rule

    def _event(self, clause: Clause, reader: Interpreter) -> list[Atom]:
        event = reader.event(clause.sentence)
        return [event] if event is not None else []

    def _choice(self, clause: Clause, reader: Interpreter) -> list[Choice]:
        sentence = Reader(reader.lexicon, clause.sentence)
        conditions = reader.conjunction(clause.details)
        for filled in sentence.own("at-random"):
            if isinstance(filled["variable"], Variable):
                return [Choice(filled["variable"], conditions, clause.sentence)]
        for filled in sentence.own("by-player"):
            if isinstance(filled["variable"], Variable) and isinstance(filled["thing"], Variable):
                return [Choice(filled["variable"], conditions, clause.sentence, filled["thing"])]
        self.complain("unclear-choice", clause.sentence, text=sentence_text(clause.sentence))
        return []

    def _idents(self, block: Block, kind: str) -> tuple[str, ...]:
        return tuple(i for c in block.each(kind) for i in idents_in(c.sentence.text))

    def definition(self, block: Block, reader: Interpreter) -> Definition | MeasureDefinition | None:
        heads = list(block.each("head"))
        if len(heads) != 1:
            self.missing(block, "head")
            return None
        ways = list(block.each(*_WAYS))
        if ways:
            return self.measure_definition(block, reader, heads[0], ways)
        head = reader.fact(heads[0].sentence)
        conditions = reader.conjunction(list(block.each("if", "and", "or")))
        if not any(True for _ in block.each("if")):
            self.missing(block, "if")
        if head is None:
            return None
        if head.negated:
            self.complain("negated-head", head.span)
        self._check_kinds(block, [head, *conditions])
        return Definition(self.anchor(block, reader), head, conditions)

    def measure_definition(
        self, block: Block, reader: Interpreter, head: Clause, ways: Sequence[Clause]
    ) -> MeasureDefinition | None:
        """A measure that is counted, added up, the highest, the lowest or equal to something."""
        if len(ways) > 1:
            self.complain("second-way", ways[1].span, keyword=ways[1].keyword.text)
        measure = reader.measure(head.sentence)
        subject = reader.expression(ways[0].sentence)
        conditions = reader.conjunction([*ways[0].details, *block.each("if", "and", "or")])
        if measure is None or subject is None:
            return None
        if reader.lexicon.vocabulary.phrases[measure.phrase].kind != "measure" or not all(
            isinstance(a, Variable) for a in measure.arguments
        ):
            self.complain("undefinable-measure", head.sentence)
        if ways[0].kind == "counts" and not isinstance(subject, Variable):
            self.complain("nothing-to-count", ways[0].sentence, text=ways[0].sentence.text)
            return None
        nodes: list[Any] = [measure, *conditions, *([] if ways[0].kind == "counts" else [subject])]
        self._check_kinds(block, nodes)
        return MeasureDefinition(
            self.anchor(block, reader),
            measure,
            _WAYS[ways[0].kind],
            subject,
            conditions,
            head.sentence,
            ways[0].sentence,
        )

    def exemption(self, block: Block, reader: Interpreter) -> Exemption | None:
        heads = list(block.each("head"))
        if len(heads) != 1:
            self.missing(block, "exempted")
            return None
        head = reader.event(heads[0].sentence, negative=True)
        conditions: list[Clause] = []
        unless: list[list[Clause]] = []
        for clause in block.each("while", "and", "or", "unless"):
            if clause.kind == "unless":
                unless.append([clause])
            elif unless:
                unless[-1].append(clause)
            else:
                conditions.append(clause)
        if block.one("while") is None:
            self.missing(block, "while")
        read = reader.conjunction(conditions)
        if head is None:
            return None
        defeaters = tuple(Defeater(reader.conjunction(u), u[0].sentence) for u in unless)
        self._check_kinds(block, [head, *read, *(c for d in defeaters for c in d.conditions)])
        return Exemption(self.anchor(block, reader), head, read, defeaters, self._idents(block, "overrides"))

    def test(self, block: Block, reader: Interpreter) -> Test | None:
        when, roll, succeeds = block.one("when"), block.one("roll"), block.one("succeeds")
        if when is None or roll is None or succeeds is None:
            self.missing(block, "when" if when is None else "roll" if roll is None else "succeeds-if")
            return None
        trigger = reader.event(when.sentence)
        success = reader.comparison(succeeds.sentence)
        dice = _DICE.match(roll.sentence.text.strip())
        if dice is None or not 1 <= int(dice[1] or 1) <= 20 or not 2 <= int(dice[2]) <= 100:
            self.complain("unclear-dice", roll.sentence, text=roll.sentence.text)
            return None
        if trigger is None or success is None:
            return None
        self._check_kinds(block, [trigger, success])
        by = block.one("rolled_by")
        roller = Variable(by.sentence.text.strip("{} ")) if by else None
        if by and roller not in trigger.arguments:
            self.complain("unclear-roller", by.sentence, text=by.sentence.text)
        thrown = Dice(int(dice[1] or 1), int(dice[2]))
        return Test(self.anchor(block, reader), trigger, thrown, success, roll.sentence, roller)

    def order(self, block: Block, reader: Interpreter) -> Order | None:
        first, then = block.one("first"), block.one("then")
        if first is None or then is None:
            self.missing(block, "first" if first is None else "then")
            return None
        one, two = reader.event(first.sentence), reader.event(then.sentence)
        if one is None or two is None:
            return None
        return Order(self.anchor(block, reader), one, two, block.one("owner_chooses") is not None)

    def _check_kinds(self, block: Block, nodes: Sequence[Any]) -> None:
        self.diagnostics.extend(variable_kinds(nodes, self.vocabulary, block.span)[1])


def _everything(rule: Rule) -> list[Condition | Effect | Variable]:
    """All sentences of a rule but its triggers."""
    nodes: list[Condition | Effect | Variable] = [*rule.conditions, *rule.effects]
    nodes += [c for d in rule.defeaters for c in d.conditions]
    if rule.choice:
        nodes += [rule.choice.variable, *rule.choice.conditions]
    return nodes
