"""Files and editions: reads a tree of rules and runs the passes over it.

A tree holds a folder ``vocabulary`` with the words shared by all editions, and a folder for each edition: its rules in
``*.rules`` files, its scenarios in ``*.scenario`` files of any folder below.  Each folder may hold translations of its
titles, in a file such as ``texts.bg.toml``.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path, PurePath

from rulewright import assets
from rulewright.backends.base import BackendError
from rulewright.backends.durable_layout import prepare
from rulewright.checks.citations import check_citations
from rulewright.checks.dimensions import check_dimensions
from rulewright.checks.effects import check_effects
from rulewright.checks.followups import without_followups
from rulewright.checks.numbers import check_numbers
from rulewright.checks.orders import check_orders
from rulewright.checks.readings import check_readings
from rulewright.checks.references import check_references
from rulewright.checks.variables import check_variables
from rulewright.checks.wordings import check_wordings
from rulewright.checks.words import check_words
from rulewright.diagnostics import Diagnostic, Fault, after, did_you_mean, ordered, report
from rulewright.lowering.compile import Compiled, compile_edition
from rulewright.model import Edition, ReadingChoice, Readings, Scenario
from rulewright.resolve.rules import resolve_edition
from rulewright.resolve.scenarios import resolve_scenarios
from rulewright.speech import Listed, Text, later, listed
from rulewright.syntax.keywords import languages
from rulewright.syntax.parser import parse
from rulewright.syntax.tables import entries, place_of
from rulewright.syntax.tree import UNREADABLE, Block
from rulewright.text import Source, Span, plain

VOCABULARY = "vocabulary"
RULES_SUFFIX, SCENARIO_SUFFIX = ".rules", ".scenario"
TRANSLATIONS = "texts.{code}.toml"
"""The file of a folder that holds the titles, assumptions and reasons of its rules in another language."""

LARGEST_FILE = 1_000_000
"""Bytes; a chapter of rules holds a few thousand."""

Folder = Path | Traversable
Options = tuple[tuple[str, str], ...]
"""Readings, each with the option that is asked for, in the order of their ids."""


@dataclass(frozen=True)
class Loaded:
    """An edition as far as it could be read: the model, what is given to the engine, and the findings."""

    edition: Edition | None
    compiled: Compiled | None
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class _Texts:
    """What the files of an edition and of the vocabulary hold.

    Attributes:
        own: the names of the files of the edition itself.
        unread: files that could not be read at all.
        translations: titles and the like in other languages, by code and original text.
    """

    blocks: tuple[Block, ...]
    syntax: tuple[Diagnostic, ...]
    own: frozenset[str]
    unread: tuple[Diagnostic, ...]
    translations: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Tree:
    """A tree of rules, and the name that stands before the names of its files in messages."""

    root: Folder
    label: str

    def editions(self) -> tuple[str, ...]:
        """The editions of the tree, by the names of their folders."""
        folders = [f for f in self.root.iterdir() if f.is_dir() and f.name != VOCABULARY and f.name[0] not in "._"]
        return tuple(sorted(f.name for f in folders if any(_files(f, "", RULES_SUFFIX))))

    def files(self, folder: str, suffix: str) -> Iterator[tuple[str, Folder]]:
        """The files of a folder and those below it, by name."""
        start = self.root.joinpath(folder)
        if start.is_dir():
            for name, file in sorted(_files(start, folder, suffix), key=lambda pair: pair[0]):
                yield f"{self.label}/{name}" if self.label else name, file

    def translations(self, folder: str, code: str) -> str:
        """The name of the file that holds the titles and the like of a folder in another language."""
        name = f"{folder}/{TRANSLATIONS.format(code=code)}"
        return f"{self.label}/{name}" if self.label else name

    def own_files(self, edition: str) -> frozenset[str]:
        """The names of the files of rules of an edition, without those of the shared vocabulary."""
        return frozenset(name for name, _ in self.files(edition, RULES_SUFFIX))

    def load(self, edition: str, asked_for: Span | None = None, readings: Sequence[ReadingChoice] = ()) -> Loaded:
        """Reads an edition with the shared vocabulary.

        Args:
            edition: the name of its folder.
            asked_for: the place that names it.
            readings: the options of its readings that are asked for.
        """
        known = self.editions()
        if edition not in known:
            hint = after(did_you_mean(edition, known))
            unknown = report("unknown-edition", asked_for, edition=edition, known=listed(known), hint=hint)
            return Loaded(None, None, (unknown,))
        return _load(edition, self._texts(edition), readings)

    def edited(self, edition: str, edit: Source, readings: Sequence[ReadingChoice] = ()) -> Loaded:
        """Reads an edition with a text in place of one of its files.

        Args:
            edition: the name of its folder.
            edit: takes the place of the file that is called the same; where there is none, of the blocks that are.
            readings: the options of its readings that are asked for.
        """
        return _load(edition, _edited(self._texts(edition), edit), readings)

    def check(self, edition: str, readings: Sequence[ReadingChoice] = ()) -> tuple[Diagnostic, ...]:
        """What is wrong with an edition, under the options in force and under the others.

        The edition is looked at under a few choices in which every option comes up. When something is wrong under one
        of them, each other option is looked at by itself, so that what is wrong under it says so.
        """
        loaded = load_cached(self, edition, options_of(readings))
        if loaded.edition is None:
            return loaded.diagnostics
        own = loaded.edition.readings
        texts = self._texts(edition)

        def under(others: Sequence[ReadingChoice]) -> list[Diagnostic]:
            told = later("place.under", options=Listed(tuple(f"{c.reading} {c.option}" for c in others), "list.and"))
            place = own.known[others[0].reading].span
            chosen = [*(c for c in readings if c.reading not in {o.reading for o in others}), *others]
            found = _load(edition, texts, chosen).diagnostics
            return [replace(d, places=(*d.places, (told, place))) for d in found]

        together = [diagnostic for others in covering(own) for diagnostic in under(others)]
        if len(once([*loaded.diagnostics, *together])) == len(once(loaded.diagnostics)):
            return once(loaded.diagnostics)
        alone = [diagnostic for other in _others(own) for diagnostic in under([other])]
        return once([*loaded.diagnostics, *alone, *together])

    def variants(self, edition: str) -> Iterator[Loaded]:
        """An edition as it takes its readings, then under a few others: each block is in force in one of them."""
        loaded = load_cached(self, edition)
        yield loaded
        if loaded.edition is not None:
            yield from (load_cached(self, edition, options_of(others)) for others in covering(loaded.edition.readings))

    def _texts(self, edition: str) -> _Texts:
        """The files of an edition and of the vocabulary, parsed."""
        blocks: list[Block] = []
        unread: list[Diagnostic] = []
        syntax: list[Diagnostic] = []
        own: set[str] = set()
        translations: dict[str, dict[str, str]] = {}
        for folder in (VOCABULARY, edition):
            for finding in _translations(self, folder, translations):
                (unread if finding.severity == "error" else syntax).append(finding)
            for name, file in self.files(folder, RULES_SUFFIX):
                source = read(file, name)
                if isinstance(source, Diagnostic):
                    unread.append(source)
                    continue
                found, wrong = parse(source)
                blocks += found
                syntax += wrong
                if folder == edition:
                    own.add(name)
        return _Texts(tuple(blocks), tuple(syntax), frozenset(own), tuple(unread), translations)


def _edited(texts: _Texts, edit: Source) -> _Texts:
    """The files of an edition with a text in place of one of them, or of some of its blocks."""
    blocks, syntax = parse(edit)
    called = PurePath(edit.name).name
    names = {b.span.source.name for b in texts.blocks} | {d.span.source.name for d in texts.syntax if d.span}
    files = {name for name in names if PurePath(name).name == called}
    own = {(b.kind, b.ident.text) for b in blocks if b.kind != "language"}
    if files:
        kept = [b for b in texts.blocks if b.span.source.name not in files]
    else:
        kept = [b for b in texts.blocks if (b.kind, b.ident.text) not in own]
    left = [d for d in texts.syntax if d.span is None or d.span.source.name not in files]
    return replace(texts, blocks=(*kept, *blocks), syntax=(*left, *syntax), own=texts.own | {edit.name})


def _translations(tree: Tree, folder: str, found: dict[str, dict[str, str]]) -> Iterator[Diagnostic]:
    """Adds the tables of a folder that hold titles and the like in other languages; what cannot be read is told."""
    for code in languages():
        file = tree.root.joinpath(folder, TRANSLATIONS.format(code=code))
        if not file.is_file():
            continue
        source = read(file, tree.translations(folder, code))
        if isinstance(source, Diagnostic):
            yield source
            continue
        texts = entries(source)
        if isinstance(texts, Diagnostic):
            yield texts
            continue
        found.setdefault(code, {}).update({key: text for key, text in texts.items() if isinstance(text, str)})
        for key in (k for k, text in texts.items() if not isinstance(text, str)):
            place = place_of(source, key) if isinstance(texts[key], dict) else place_of(source, "", key)
            yield report("table-entry", place, severity="warning", entry=key, wanted=later("table.text"))


def once(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Findings in order, each once: of those that say the same of one place, whatever helps them out, the first."""
    found: dict[tuple[str, Span | None, str], Diagnostic] = {}
    for diagnostic in diagnostics:
        found.setdefault((diagnostic.code, diagnostic.span, diagnostic.message), diagnostic)
    return ordered(found.values())


def _others(readings: Readings) -> Iterator[ReadingChoice]:
    """Each option that is not in force."""
    for reading in readings.known.values():
        taken = readings.chosen[reading.ident]
        yield from (ReadingChoice(reading.ident, o.ident) for o in reading.options if o.ident != taken)


def covering(readings: Readings) -> Iterator[list[ReadingChoice]]:
    """A few choices of options in which every option that is not in force, and every block that can be, comes up."""
    seen = [dict(readings.chosen)]
    by_reading = {ident: [c for c in _others(readings) if c.reading == ident] for ident in readings.known}
    for number in range(max(map(len, by_reading.values()), default=0)):
        choice = [others[min(number, len(others) - 1)] for others in by_reading.values()]
        seen.append({**readings.chosen, **{c.reading: c.option for c in choice}})
        yield choice
    for dependent in (d for d in readings.dependents if all(d.needs.values())):
        if not any(dependent.holds(chosen) for chosen in seen):
            needed = [ReadingChoice(r, options[0]) for r, options in dependent.needs.items()]
            seen.append({**readings.chosen, **{c.reading: c.option for c in needed}})
            yield needed


def _load(ident: str, texts: _Texts, readings: Sequence[ReadingChoice]) -> Loaded:
    blocks, syntax, own = texts.blocks, texts.syntax, texts.own
    if texts.unread:  # what the other files say rests on these
        return Loaded(None, None, ordered([*texts.unread, *syntax]))
    edition, found = resolve_edition(blocks, readings)
    others = list(found)
    if edition is None:
        own_block = next((block for block in blocks if block.span.source.name in own), None)
        place = Span(own_block.span.source, 0, 0) if own_block else None
        others.append(report("no-edition-block", place, edition=ident))
    else:
        edition = replace(edition, texts=texts.translations)
        others += check_words(edition)
        others += check_wordings(edition.vocabulary)
        others += check_variables(edition)
        others += check_numbers(edition)
        others += check_dimensions(edition)
        others += check_effects(edition)
        others += check_orders(edition)
        others += check_references(edition)
        others += check_readings(edition)
        others += check_citations(edition, own)
    diagnostics = without_followups(blocks, syntax, others)
    compiled = None
    if edition is not None and not any(d.severity == "error" for d in diagnostics):
        compiled, found = compile_edition(edition)
        diagnostics += found
        if compiled is not None and (refused := _refused(compiled)) is not None:
            diagnostics.append(refused)
            compiled = None
    return Loaded(edition, compiled, ordered(diagnostics))


def _refused(compiled: Compiled) -> Diagnostic | None:
    """What the engine cannot hold of an edition: found here, before anything is played."""
    try:
        prepare(compiled.program)
    except BackendError as error:
        owner = error.production.partition("/")[0].partition("@")[0]
        owner = owner if owner in compiled.anchors else owner.rpartition(".")[0]
        anchor = compiled.anchors.get(owner)
        return report(
            "beyond-the-engine", anchor.span if anchor else None, item=owner or later("item.rules"), reason=error.reason
        )
    return None


def _files(folder: Folder, prefix: str, suffix: str) -> Iterator[tuple[str, Folder]]:
    for entry in folder.iterdir():
        if entry.name.startswith((".", "__")):
            continue
        name = f"{prefix}/{entry.name}" if prefix else entry.name
        if entry.is_dir():
            if not (isinstance(entry, Path) and entry.is_symlink()):  # links may lead round in a circle
                yield from _files(entry, name, suffix)
        elif entry.name.endswith(suffix) and not _is_special(entry):
            yield name, entry


def _is_special(entry: Folder) -> bool:
    """Whether there is something that is no file of text, such as a pipe."""
    return isinstance(entry, Path) and entry.exists() and not entry.is_file()


_WHY = {
    errno.ENOENT: "not-found",
    errno.EACCES: "denied",
    errno.EPERM: "denied",
    errno.EISDIR: "folder",
    errno.ENOTDIR: "no-folder",
    errno.ENAMETOOLONG: "long-name",
    errno.ENOSPC: "no-space",
    errno.EROFS: "read-only",
}
"""Which text says why the system refuses something."""


def why_refused(error: OSError) -> Text:
    """Why the system refuses something, in the words of the program where it has any, else of the system."""
    known = _WHY.get(error.errno or 0)
    return later(f"os.{known}") if known else later("os.other", error=error.strerror or type(error).__name__)


def read(file: Folder, name: str) -> Source | Diagnostic:
    """Reads a file as plain text, or says why it cannot be read."""
    try:
        with file.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        return report("unreadable-file", path=name, reason=why_refused(error))
    if len(data) > LARGEST_FILE:
        return report("too-large", path=name, limit=LARGEST_FILE)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return report("not-text", path=name, offset=error.start)
    if "\0" in text:
        return report("not-text", path=name, offset=data.index(b"\0"))
    return Source(name, plain(text))


def read_source(file: Folder, name: str) -> Source:
    """Reads a file as plain text.

    Raises:
        Fault: it cannot be read.
    """
    source = read(file, name)
    if isinstance(source, Diagnostic):
        raise Fault(source)
    return source


def read_scenarios(file: Folder, name: str) -> tuple[tuple[Scenario, ...], tuple[Diagnostic, ...]]:
    """The scenarios of a file, and what is wrong with the others."""
    source = read(file, name)
    if isinstance(source, Diagnostic):
        return (), (source,)
    blocks, diagnostics = parse(source)
    scenarios, found = resolve_scenarios([b for b in blocks if b.whole])
    others = [b for b in blocks if b.kind not in ("scenario", UNREADABLE)]
    strays = [report("stray-block", b.span, block=b.keyword.text) for b in others]
    if not any(b.kind == "scenario" for b in blocks):  # it is another kind of file
        strays = strays[:1]
    if not blocks and not diagnostics:
        diagnostics = (report("empty-file", Span(source, 0, 0)),)
    return scenarios, ordered((*diagnostics, *found, *strays))


def find_tree(near: Path | None = None) -> Tree:
    """The tree of rules to use: the one a file lies in, else ``rules`` in the current folder, else the shipped one."""
    for folder in [p for p in ((near.resolve(), *near.resolve().parents) if near else ()) if p.is_dir()]:
        if (folder / VOCABULARY).is_dir():
            return Tree(folder, _shown(folder))
    here = Path("rules")
    if (here / VOCABULARY).is_dir():
        return Tree(here, "rules")
    shipped = assets.rules_root()
    return Tree(shipped, _shown(shipped) if isinstance(shipped, Path) else "rules")


def _shown(folder: Path) -> str:
    """A folder as the reader would name it: relative where it lies below the current folder."""
    try:
        relative = folder.resolve().relative_to(Path.cwd())
    except ValueError:
        return str(folder)
    return str(relative) if str(relative) != "." else ""


def options_of(readings: Sequence[ReadingChoice]) -> Options:
    """What is asked for, as a key; the later of two choices for one reading counts."""
    return tuple(sorted({c.reading: c.option for c in readings}.items()))


@lru_cache(maxsize=32)
def load_cached(tree: Tree, edition: str, options: Options = ()) -> Loaded:
    """Loads an edition once for each tree and choice of readings; for programs whose rules do not change meanwhile."""
    return tree.load(edition, readings=[ReadingChoice(*pair) for pair in options])


def other_editions(tree: Tree, ident: str) -> Mapping[str, Edition]:
    """The editions of a tree, without one, by their names; those that cannot be read are left out."""
    loaded = {name: load_cached(tree, name).edition for name in tree.editions() if name != ident}
    return {name: edition for name, edition in loaded.items() if edition is not None}


def load_for(tree: Tree, scenario: Scenario, readings: Sequence[ReadingChoice] = ()) -> Loaded:
    """Loads the edition of a scenario, once, under the options that the scenario asks for, and then under others.

    An edition, reading or option that is not there is told at the place that names it.
    """
    own = {c.reading for c in scenario.readings}
    chosen = (*scenario.readings, *(c for c in readings if c.reading not in own))
    if scenario.edition in tree.editions():
        loaded = load_cached(tree, scenario.edition, options_of(chosen))
        if not any(d.name in ("unknown-reading", "unknown-option") and d.span is None for d in loaded.diagnostics):
            return loaded
    return tree.load(scenario.edition, scenario.edition_span, chosen)


def load_edition(name: str, rules: str | Path | None = None, readings: Mapping[str, str] | None = None) -> Compiled:
    """Loads an edition for play.

    Args:
        name: the name of its folder, such as ``t9a-2``.
        rules: a folder that holds ``vocabulary`` and the edition; without it, the rules are looked for in the current
            folder and then among those shipped.
        readings: options of its readings that are to be in force instead of those it takes, such as
            ``{"A-gen-01": "exclusive"}``.

    Raises:
        Fault: the edition cannot be read, or has no such reading or option; it carries all diagnostics.
    """
    tree = Tree(Path(rules), str(rules)) if rules is not None else find_tree()
    loaded = tree.load(name, readings=[ReadingChoice(*pair) for pair in (readings or {}).items()])
    if loaded.compiled is None:
        raise Fault(*(d for d in loaded.diagnostics if d.severity == "error"))
    return loaded.compiled
