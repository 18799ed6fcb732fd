"""From all blocks of an edition to those that are in force: which readings there are, which options are chosen.

This comes before anything else looks at the blocks, so that what hangs on different options may use the same words and
the same names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulewright.diagnostics import Diagnostic, after, did_you_mean, known_ones, report
from rulewright.model import Assumption, Dependent, Option, Reading, ReadingChoice, Readings
from rulewright.phrases.words import sentence_text
from rulewright.resolve.blocks import (
    IDENT,
    QUOTES,
    READING,
    RULE_BLOCKS,
    citations_of,
    concepts_of,
    group_of,
)
from rulewright.speech import Text, later, listed
from rulewright.syntax.keywords import languages
from rulewright.syntax.tree import Block, Clause
from rulewright.text import Span

Needs = Mapping[str, tuple[str, ...]]


def resolve_readings(
    blocks: Sequence[Block], wanted: Sequence[ReadingChoice] = ()
) -> tuple[Readings, tuple[Block, ...], tuple[Diagnostic, ...]]:
    """Reads the readings of an edition and leaves out the blocks that are not in force.

    Args:
        blocks: all blocks of its files.
        wanted: the options that are asked for; of other readings, the option is in force that the edition takes.

    Returns:
        The readings, the blocks in force without repeated ones, and the findings.
    """
    diagnostics: list[Diagnostic] = []
    known: dict[str, Reading] = {}
    for block in (b for b in blocks if b.kind == READING):
        known.setdefault(block.ident.text, _reading(block, diagnostics))
    needs = [_needs(block, known, diagnostics) for block in blocks]
    kept = _without_repeats(blocks, needs, diagnostics)
    dependents = tuple(_dependent(b, n) for b, n in kept if n)
    readings = Readings(known, _chosen(known, wanted, diagnostics), dependents)
    in_force = tuple(b for b, n in kept if all(readings.chosen.get(r) in options for r, options in n.items()))
    return readings, in_force, tuple(diagnostics)


def unknown_reading(
    reading: str, known: Iterable[str], span: Span | None = None, way_out: Text | None = None
) -> Diagnostic:
    """The finding that there is no such reading."""
    known = sorted(known)
    hint = did_you_mean(reading, known) or way_out or known_ones(known)
    return report("unknown-reading", span, reading=reading, hint=hint)


def unknown_option(reading: Reading, option: str, span: Span | None = None) -> Diagnostic:
    """The finding that a reading has no such option."""
    options = [o.ident for o in reading.options]
    hint = after(did_you_mean(option, options))
    return report("unknown-option", span, reading=reading.ident, option=option, known=listed(options), hint=hint)


def _chosen(
    known: Mapping[str, Reading], wanted: Sequence[ReadingChoice], diagnostics: list[Diagnostic]
) -> Mapping[str, str]:
    chosen = {ident: reading.taken for ident, reading in known.items()}
    for choice in wanted:
        reading = known.get(choice.reading)
        if reading is None:
            diagnostics.append(unknown_reading(choice.reading, known, choice.span))
        elif reading.option(choice.option) is None:
            diagnostics.append(unknown_option(reading, choice.option, choice.span))
        else:
            chosen[choice.reading] = choice.option
    return chosen


# --- the blocks that declare readings ------------------------------------------------------------------------------


def _reading(block: Block, diagnostics: list[Diagnostic]) -> Reading:
    ident = block.ident.text
    taken = list(block.each("takes"))
    for second in taken[1:]:
        diagnostics.append(report("second-option", second.span, [(later("place.first"), taken[0].span)], reading=ident))
    others = list(block.each("instead"))
    own = languages()[block.language]
    if not taken or len(taken) + len(others) < 2:
        missing = own.keyword("INSTEAD" if taken else "TAKES")
        diagnostics.append(
            report("incomplete-block", block.span, block=later("block.reading"), name=ident, missing=missing)
        )
    options: dict[str, Option] = {}
    for clause in (*taken, *others):
        option = _option(clause, diagnostics)
        if option is not None and option.ident in options:
            diagnostics.append(report("option-twice", clause.sentence, reading=ident, option=option.ident))
        elif option is not None:
            options[option.ident] = option
    return Reading(
        ident,
        block.title or ident,
        concepts_of(block, diagnostics),
        citations_of(block, own.sentences["range-to"], diagnostics),
        tuple(options.values()) or (Option("", ""),),
        block.span,
        block.language,
    )


def _option(clause: Clause, diagnostics: list[Diagnostic]) -> Option | None:
    """An option: its name, then what it says in quotation marks."""
    name, _, text = sentence_text(clause.sentence).partition(" ")
    if IDENT.fullmatch(name) and text.strip().startswith(tuple(QUOTES)):
        return Option(name, text.strip().strip(QUOTES))
    told = sentence_text(clause.sentence).strip(QUOTES)
    keyword = " ".join(clause.keyword.text.split())
    diagnostics.append(report("unclear-option", clause.sentence, keyword=keyword, text=told))
    return None


# --- the blocks that hang on them ----------------------------------------------------------------------------------


def assumption_of(clause: Clause, language: str) -> Assumption | None:
    """What an ``assuming`` line says: a text in quotation marks, or options joined by *or*; None if neither."""
    ident, _, rest = sentence_text(clause.sentence).partition(" ")
    rest = rest.strip()
    if not IDENT.fullmatch(ident) or not rest:
        return None
    if rest.startswith(tuple(QUOTES)):
        return Assumption(ident, rest.strip(QUOTES))
    words = rest.rstrip(".").split()
    joining = {form.casefold() for form in languages()[language].keywords["OR"]}
    joined = len(words) % 2 == 1 and all(w.casefold() in joining for w in words[1::2])
    plain = all(IDENT.fullmatch(w) and w.casefold() not in joining for w in words[::2])
    return Assumption(ident, "", tuple(words[::2])) if joined and plain else None


def assumptions_of(block: Block, readings: Readings) -> tuple[Assumption, ...]:
    """The assumptions of a block in force; of a reading, with the text of the option that is chosen."""
    found = []
    for assumption in (assumption_of(c, block.language) for c in block.each("assuming")):
        reading = readings.known.get(assumption.ident) if assumption and assumption.options else None
        option = reading.option(readings.chosen[reading.ident]) if reading else None
        if assumption is not None:
            text = option.text if option else assumption.text
            found.append(Assumption(assumption.ident, text, assumption.options))
    return tuple(found)


def _needs(block: Block, known: Mapping[str, Reading], diagnostics: list[Diagnostic]) -> Needs:
    """The options that a block needs; none of a reading where the line that names them cannot be read."""
    needs: dict[str, tuple[str, ...]] = {}
    before = len(diagnostics)
    for clause in block.each("assuming"):
        text = sentence_text(clause.sentence)
        assumption = assumption_of(clause, block.language)
        reading = known.get(assumption.ident if assumption else text.partition(" ")[0])
        if assumption is None and reading is None:
            diagnostics.append(report("assumption-without-id", clause.sentence, text=text.strip(QUOTES)))
        elif assumption is None and reading is not None:
            diagnostics.append(unknown_option(reading, text.partition(" ")[2], clause.sentence))
            needs[reading.ident] = ()
        elif assumption is not None and assumption.options and reading is None:
            way_out = later("hint.reading-block")
            diagnostics.append(unknown_reading(assumption.ident, known, clause.sentence, way_out))
            needs[assumption.ident] = ()
        elif assumption is not None and reading is not None:
            unknown = [o for o in assumption.options if reading.option(o) is None]
            diagnostics += [unknown_option(reading, option, clause.sentence) for option in unknown]
            if assumption.options:
                allowed = needs.get(reading.ident, assumption.options)
                needs[reading.ident] = () if unknown else tuple(o for o in allowed if o in assumption.options)
    if not all(needs.values()) and len(diagnostics) == before:
        reading_of = next(r for r, options in needs.items() if not options)
        diagnostics.append(report("never-in-force", block.span, name=block.ident.text, reading=reading_of))
    return needs


def _without_repeats(
    blocks: Sequence[Block], needs: Sequence[Needs], diagnostics: list[Diagnostic]
) -> list[tuple[Block, Needs]]:
    """The blocks, each with what it needs, without those that have the name of another and may stand beside it."""
    kept: list[tuple[Block, Needs]] = []
    seen: dict[tuple[str, str], list[tuple[Block, Needs]]] = {}
    for block, need in zip(blocks, needs, strict=True):
        group = group_of(block)
        if group is not None:
            others = seen.setdefault((group, block.ident.text), [])
            first = next((other for other, its in others if _together(its, need)), None)
            if first is not None:
                place = [(later("place.first"), first.ident)]
                diagnostics.append(report("declared-twice", block.ident, place, name=block.ident.text))
                continue
            others.append((block, need))
        kept.append((block, need))
    return kept


def _together(one: Needs, other: Needs) -> bool:
    """Whether two blocks can be in force at the same time."""
    return all(set(options) & set(other.get(reading, options)) for reading, options in one.items()) and all(
        other.values()
    )


def _dependent(block: Block, needs: Needs) -> Dependent:
    to = languages()[block.language].sentences["range-to"]
    cites = citations_of(block, to, [])  # what is wrong with them is told when the block is in force
    names = tuple(_names(block)) if block.kind in RULE_BLOCKS else ()
    return Dependent(block.ident.text, block.kind, block.title, names, needs, cites, block.span, block.language)


def _names(block: Block) -> Iterator[str]:
    """The name of a block, and those of the outcomes of the tests that it calls for."""
    yield block.ident.text
    for kind, word in (("on_success", "on-success"), ("on_failure", "on-failure")):
        effects = [c for c in block.clauses if any(d.kind == kind for d in c.details)]
        for number, _ in enumerate(effects, start=1):
            yield f"{block.ident.text}-{word}" + (f"-{number}" if number > 1 else "")
