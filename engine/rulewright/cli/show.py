"""``rulewright show``: reads an edition, or one of its rules, back as sentences."""

from __future__ import annotations

import json as json_module
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from rulewright.cli.app import FAILED, INTERNAL, OK
from rulewright.cli.common import Reading, complain, durable, readings_asked_for, tree_of
from rulewright.convert.convert import said_in
from rulewright.diagnostics import did_you_mean, known_ones, report
from rulewright.explain.rules import Item, items_of, production_text, read_back
from rulewright.lowering.compile import Compiled
from rulewright.model import Edition, ReadingChoice, Wording
from rulewright.phrases.wording import kind_text
from rulewright.phrases.words import without_forms
from rulewright.productions import Production, Program
from rulewright.speech import asked_for, say, spoken
from rulewright.syntax.keywords import Language, languages


def show(
    edition: str | None = None,
    rule: str | None = None,
    *,
    vocabulary: Annotated[bool, Parameter(negative="")] = False,
    productions: Annotated[bool, Parameter(negative="")] = False,
    reading: Reading = None,
    rules: Path | None = None,
) -> int:
    """Read an edition, or one of its rules, back as sentences. Without an edition, list those there are.

    Example: rulewright show t9a-2 heavy-losses
    """
    choices = readings_asked_for(reading)
    tree = tree_of(rules)
    if edition is None:
        for name in tree.editions():
            loaded = tree.load(name)
            print(f"{name}  {_title(loaded.edition)}")
        return OK
    loaded = tree.load(edition, readings=choices)
    needed = _needed(loaded.edition, rule)
    if needed:
        own = {c.reading for c in needed}
        loaded = tree.load(edition, readings=[*(c for c in choices if c.reading not in own), *needed])
        told = " ".join(f"--reading {c.reading}={c.option}" for c in needed)
        print("# " + say("show.not-in-force", rule=rule, options=told))
    if loaded.edition is None or loaded.compiled is None:
        complain(loaded.diagnostics)
        return FAILED
    if vocabulary:
        print(_words(loaded.edition))
        return OK
    items = items_of(loaded.edition)
    if rule is not None:
        known = [i.anchor.ident for i in items]
        items = tuple(i for i in items if i.anchor.ident == rule)
        if not items:
            hint = did_you_mean(rule, known) or known_ones(known)
            complain([report("no-such-rule", rule=rule, edition=edition, hint=hint)])
            return FAILED
    if productions:
        return _productions(loaded.compiled, rule)
    language = languages()[asked_for(loaded.edition.language)]
    if rule is None:
        print(_summary(loaded.edition, language))
    for item in items:
        print()
        print(f"# {item.anchor.span.source.name}:{item.anchor.span.line}")
        print(_said(item, loaded.compiled, language))
    return OK


def _title(edition: Edition | None) -> str:
    """The title of an edition in the language spoken."""
    return edition.text(edition.title, edition.language, spoken()) if edition else say("show.unreadable")


def _said(item: Item, compiled: Compiled, language: Language) -> str:
    """An item in a language; what has no words or no translation there is marked."""
    own = languages()[item.anchor.language]
    if own is language:
        return read_back(item, own)
    anchor = compiled.edition.anchor_in(item.anchor, language.code)
    return said_in(read_back(replace(item, anchor=anchor), own), compiled, own, language)


def _needed(edition: Edition | None, rule: str | None) -> list[ReadingChoice]:
    """The options that a rule needs that is there, but not in force."""
    idle = edition.readings.idle.get(rule or "", ()) if edition else ()
    blocks = [block for block in idle if block.ident == rule]
    return [ReadingChoice(r, options[0]) for r, options in blocks[0].needs.items() if options] if blocks else []


def _summary(edition: Edition, language: Language) -> str:
    source = edition.source

    def text(original: str) -> str:
        return edition.text(original, edition.language, language.code)

    told = f"# {edition.ident}: {text(edition.title)}"
    chosen = "".join(
        "\n# " + say("show.reading", reading=r, option=option) for r, option in sorted(edition.readings.chosen.items())
    )
    if source is not None:
        cites = {sentence for item in items_of(edition) for sentence in item.anchor.cites}
        cites |= {sentence for block in edition.readings.dependents for sentence in block.cites}
        cited = len(cites.intersection(source.sentences))
        told += "\n# " + say(
            "show.source", title=text(source.title), sentences=len(source.sentences), transcribed=cited
        )
        told += "".join(
            "\n#   " + say("show.not-modelled", sentence=n.sentence, reason=text(n.reason)) for n in source.not_modelled
        )
    return told + chosen


def _words(edition: Edition) -> str:
    """The vocabulary: kinds and names, then one line for each wording, by kind of phrase."""
    known = edition.vocabulary
    groups: dict[str, list[Wording]] = {}
    for kind in known.kinds.values():
        groups.setdefault(say("block.kind"), []).extend(kind.wordings)
    for name in known.names.values():
        groups.setdefault(say("show.name-of", kind=kind_text(known, name.kind)), []).extend(name.wordings)
    names = set(groups)
    for phrase in known.phrases.values():
        groups.setdefault(say(f"block.{phrase.kind}"), []).extend(phrase.wordings)
    for short in known.shorthands.values():
        groups.setdefault(say("block.shorthand"), []).extend(short.wordings)
    lines: list[str] = []
    for group, wordings in groups.items():
        lines += ["", f"# {group}"] if lines else [f"# {group}"]
        for wording in wordings:
            text = wording.template.split("|")[0] if group in names else without_forms(wording.template)
            form = "" if wording.form == "plain" else f"({say('form.' + wording.form)}) "
            told = f"  {form}{text}"
            lines += textwrap.wrap(told, 80, subsequent_indent="      ")
    return "\n".join(lines)


def _productions(compiled: Compiled, rule: str | None) -> int:
    if durable() is None:
        return INTERNAL
    from rulewright.backends.durable import definitions

    mine = [p for p in compiled.program.productions if rule is None or _belongs(p, rule)]
    for production in mine:
        print(f"# {production.name}\n{production_text(production)}\n")
    print("# " + say("show.given"))
    program = Program(tuple(mine), compiled.program.columns)
    print(json_module.dumps(definitions(program), ensure_ascii=False, indent=1))
    return OK


def _belongs(production: Production, rule: str) -> bool:
    owner = production.name.partition("/")[0]
    return owner == rule or rule in owner.split("@")
