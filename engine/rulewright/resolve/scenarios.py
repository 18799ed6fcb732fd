"""From scenario blocks to scenarios; their sentences are read while they are played."""

from __future__ import annotations

from collections.abc import Sequence

from rulewright.diagnostics import Diagnostic, report
from rulewright.model import Line, ReadingChoice, Scenario, Step
from rulewright.phrases.words import sentence_text
from rulewright.resolve.blocks import IDENT
from rulewright.speech import later
from rulewright.syntax.tree import Block


def resolve_scenarios(blocks: Sequence[Block]) -> tuple[tuple[Scenario, ...], tuple[Diagnostic, ...]]:
    """Reads the scenario blocks of a file."""
    scenarios = []
    diagnostics: list[Diagnostic] = []
    seen: dict[str, Block] = {}
    for block in (b for b in blocks if b.kind == "scenario"):
        first = seen.setdefault(block.ident.text, block)
        if first is not block:
            diagnostics.append(
                report("declared-twice", block.ident, [(later("place.first"), first.ident)], name=block.ident.text)
            )
            continue
        scenario = _scenario(block, diagnostics)
        if scenario is not None:
            scenarios.append(scenario)
    return tuple(scenarios), tuple(diagnostics)


def _scenario(block: Block, diagnostics: list[Diagnostic]) -> Scenario | None:
    edition = block.one("edition")
    if edition is None:
        diagnostics.append(
            report(
                "incomplete-block",
                block.span,
                block=later("block.scenario"),
                name=block.ident.text,
                missing=later("missing.edition"),
            )
        )
        return None
    readings = _readings(block, diagnostics)
    if readings is None:
        return None
    givens: list[Line] = []
    steps: list[tuple[list[Line], list[Line]]] = []
    part = ""
    for clause in block.each("given", "when", "and", "together", "then"):
        if clause.kind not in ("and", "together"):
            part = clause.kind
        if clause.kind == "when" or (clause.kind == "given" and steps):
            if clause.kind == "given":
                diagnostics.append(report("late-given", clause.span))
                return None
            steps.append(([], []))
        line = Line(clause.sentence, together=clause.kind == "together")
        if line.together and part != "when":
            diagnostics.append(report("stray-line", clause.keyword, keyword=clause.keyword.text))
            return None
        if part == "given":
            givens.append(line)
        elif part == "when":
            steps[-1][0].append(line)
        elif part == "then" and steps:
            steps[-1][1].append(line)
        else:
            name = "nothing-happens" if part == "then" else "stray-line"
            diagnostics.append(report(name, clause.keyword, keyword=clause.keyword.text))
            return None
    if not steps:
        diagnostics.append(report("nothing-happens", block.span))
        return None
    return Scenario(
        ident=block.ident.text,
        title=block.title or block.ident.text.replace("-", " "),
        language=block.language,
        edition=edition.sentence.text.strip().rstrip("."),
        edition_span=edition.sentence,
        readings=readings,
        givens=tuple(givens),
        steps=tuple(Step(tuple(h), tuple(e)) for h, e in steps),
        span=block.span,
    )


def _readings(block: Block, diagnostics: list[Diagnostic]) -> tuple[ReadingChoice, ...] | None:
    """The options that a scenario asks for; None when a line cannot be read."""
    found: dict[str, ReadingChoice] = {}
    before = len(diagnostics)
    for clause in block.each("reading"):
        words = sentence_text(clause.sentence).rstrip(".").split()
        if len(words) != 2 or not all(map(IDENT.fullmatch, words)):
            diagnostics.append(report("unclear-reading", clause.sentence, text=clause.sentence.text))
        elif words[0] in found:
            first = found[words[0]].span
            related = [(later("place.first"), first)] if first else []
            diagnostics.append(report("reading-twice", clause.sentence, related, reading=words[0]))
        else:
            found[words[0]] = ReadingChoice(words[0], words[1], clause.sentence)
    return tuple(found.values()) if len(diagnostics) == before else None
