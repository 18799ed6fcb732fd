"""What several verbs share: consoles, paths, the engine."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from rich.console import Console

from rulewright.backends.base import Backend
from rulewright.diagnostics import Diagnostic, Fault, after, did_you_mean, report
from rulewright.explain.run import describe_diagnostic
from rulewright.explain.terminal import print_diagnostics
from rulewright.lowering.compile import Compiled
from rulewright.model import ReadingChoice, Scenario
from rulewright.resolve.blocks import IDENT
from rulewright.resolve.readings import unknown_reading
from rulewright.setup_help import explain_missing_engine
from rulewright.speech import Listed, later
from rulewright.syntax.keywords import Language, languages
from rulewright.workspace import (
    RULES_SUFFIX,
    SCENARIO_SUFFIX,
    VOCABULARY,
    Tree,
    find_tree,
    load_cached,
    load_for,
    read_scenarios,
)

Reading = Annotated[list[str] | None, Parameter(name="--reading", negative="")]
"""The options of readings that a command asks for, each as ``ID=OPTION``."""


def readings_asked_for(given: Sequence[str] | None) -> tuple[ReadingChoice, ...]:
    """The options that a command asks for.

    Raises:
        Fault: one is not written as it should be, or two are of one reading.
    """
    found: dict[str, ReadingChoice] = {}
    for text in given or ():
        reading, _, option = text.partition("=")
        if not (IDENT.fullmatch(reading) and IDENT.fullmatch(option)):
            raise Fault(report("unclear-reading", text=text))
        if reading in found:
            raise Fault(report("reading-twice", reading=reading))
        found[reading] = ReadingChoice(reading, option)
    return tuple(found.values())


class AskedReadings:
    """The options that a command asks for, where it concerns several editions that may not all have those readings."""

    def __init__(self, given: Sequence[str] | None) -> None:
        self.choices = readings_asked_for(given)
        self._known: set[str] = set()
        self._used: set[str] = set()

    def of(self, tree: Tree, edition: str) -> tuple[ReadingChoice, ...]:
        """Those of readings that an edition has."""
        loaded = load_cached(tree, edition) if self.choices and edition in tree.editions() else None
        if loaded is None or loaded.edition is None:  # what is wrong with it is told elsewhere
            self._used |= {c.reading for c in self.choices}
            return self.choices
        known = loaded.edition.readings.known
        self._known |= set(known)
        fitting = tuple(c for c in self.choices if c.reading in known)
        self._used |= {c.reading for c in fitting}
        return fitting

    def unknown(self) -> list[Diagnostic]:
        """The finding about each reading that none of the editions has."""
        return [unknown_reading(c.reading, self._known) for c in self.choices if c.reading not in self._used]


COLUMNS, MOST_COLUMNS = 80, 100


class _Output(Console):
    """Standard output; that its reader has gone is told to the command, which ends in its own way."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console() -> Console:
    """Standard output, at most 100 columns wide; 80 where there is no terminal."""
    out = Console(highlight=False, emoji=False, markup=False)
    width = min(out.width, MOST_COLUMNS) if out.is_terminal else COLUMNS
    return _Output(highlight=False, emoji=False, markup=False, width=width)


def errors() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False, emoji=False, markup=False)


def durable() -> Backend | None:
    """The engine; None, with an explanation on standard error, when it cannot be imported."""
    try:
        from rulewright.backends.durable import DurableMatcher
    except ImportError as error:
        print(explain_missing_engine(error), file=sys.stderr)
        return None
    return DurableMatcher


def scenario_files(paths: Sequence[Path]) -> Iterator[Path | Diagnostic]:
    """The scenario files that paths mean: files, or all scenario files of folders and those below."""
    for path in paths:
        if path.is_dir():
            yield from sorted(p for p in path.rglob(f"*{SCENARIO_SUFFIX}") if p.is_file())
        elif path.exists():
            yield path
        else:
            yield report("unreadable-file", path=path, reason=later("os.nothing-there"))


def tree_of(rules: Path | None, near: Path | None = None) -> Tree:
    """The tree of rules that an option names; without it, the one a file lies in, or the default.

    Raises:
        Fault: the option names no tree of rules.
    """
    if rules is None:
        return find_tree(near)
    if not (rules / VOCABULARY).is_dir():
        raise Fault(report("no-rules-here", path=rules, vocabulary=VOCABULARY))
    return Tree(rules, str(rules))


def language_of(code: str) -> Language:
    """The language of a code.

    Raises:
        Fault: it has no keyword table.
    """
    if code not in languages():
        raise Fault(report("unknown-language", code=code, known=", ".join(languages())))
    return languages()[code]


@dataclass(frozen=True)
class Situation:
    """A scenario to be played, and the edition it is played under.

    Attributes:
        tree: the tree of rules that the edition lies in.
        choices: the options of readings that the command asks for.
    """

    scenario: Scenario
    compiled: Compiled
    tree: Tree
    choices: tuple[ReadingChoice, ...]


def situations(file: Path, name: str | None, reading: Sequence[str] | None, rules: Path | None) -> Iterator[Situation]:
    """The scenarios of a file, each with its edition; if one is named, that one alone.

    Raises:
        Fault: the file, a scenario or its edition cannot be read, or there is no such scenario.
    """
    choices = readings_asked_for(reading)
    scenarios = _scenarios(file, name)
    wrong = [d for one in scenarios for d in _contradicted(one, choices)]
    if wrong:
        raise Fault(*wrong)
    tree = tree_of(rules, file.parent)
    for one in scenarios:
        yield _situation(one, tree, choices)


def situation(file: Path, name: str | None, reading: Sequence[str] | None, rules: Path | None) -> Situation:
    """The scenario of a file that is named, or else its first, with its edition.

    Raises:
        Fault: the file, the scenario or its edition cannot be read, or there is no such scenario.
    """
    choices = readings_asked_for(reading)
    picked = _scenarios(file, name)[0]
    wrong = _contradicted(picked, choices)
    if wrong:
        raise Fault(*wrong)
    return _situation(picked, tree_of(rules, file.parent), choices)


def _situation(scenario: Scenario, tree: Tree, choices: tuple[ReadingChoice, ...]) -> Situation:
    loaded = load_for(tree, scenario, choices)
    if loaded.compiled is None:
        raise Fault(*loaded.diagnostics)
    return Situation(scenario, loaded.compiled, tree, choices)


def _scenarios(file: Path, name: str | None) -> Sequence[Scenario]:
    """All scenarios of a file, or the one that is named."""
    scenarios, diagnostics = read_scenarios(file, str(file))
    if diagnostics:
        raise Fault(*diagnostics)
    if name is None:
        return scenarios
    known = [s.ident for s in scenarios]
    if name not in known:
        hint = after(did_you_mean(name, known))
        raise Fault(report("unknown-scenario", scenario=name, known=Listed(tuple(known)), hint=hint))
    return scenarios[known.index(name) :][:1]


def _contradicted(scenario: Scenario, choices: Sequence[ReadingChoice]) -> list[Diagnostic]:
    """The findings about options that are asked for where the scenario itself asks for others."""
    own = {c.reading: c for c in scenario.readings}
    return [
        report(
            "reading-contradicted",
            own[c.reading].span,
            scenario=scenario.ident,
            reading=c.reading,
            own=own[c.reading].option,
            option=c.option,
        )
        for c in choices
        if c.reading in own and own[c.reading].option != c.option
    ]


def lies_in(path: Path, folder: Path) -> bool:
    """Whether a file or folder lies in a folder, or is it."""
    return path.resolve().is_relative_to(folder.resolve())


def is_stray(path: Path, tree: Tree) -> bool:
    """Whether a path holds rules, but lies in no tree of rules."""
    holds_rules = path.suffix == RULES_SUFFIX if not path.is_dir() else any(path.rglob(f"*{RULES_SUFFIX}"))
    return path.exists() and holds_rules and not (isinstance(tree.root, Path) and lies_in(path, tree.root))


def print_json(data: Any) -> None:
    """Prints data as JSON."""
    print(json_text(data))


def json_text(data: Any) -> str:
    """Data as JSON, for people to read as well."""
    return json.dumps(data, ensure_ascii=False, indent=2)


def complain(diagnostics: Sequence[Diagnostic], as_json: bool = False) -> None:
    """Prints diagnostics: as JSON to standard output, or as text to standard error."""
    if as_json:
        print_json({"schema": "rulewright/diagnostics/1", "diagnostics": [describe_diagnostic(d) for d in diagnostics]})
    else:
        print_diagnostics(diagnostics, errors())
