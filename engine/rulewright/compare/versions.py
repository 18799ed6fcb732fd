"""Versions of rules that are held against each other: a folder, a file in its edition, or a revision that git keeps."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath
from zipfile import ZipFile

from rulewright.diagnostics import Fault, report
from rulewright.lowering.compile import Compiled
from rulewright.model import ReadingChoice
from rulewright.syntax.keywords import languages
from rulewright.text import Source
from rulewright.workspace import (
    RULES_SUFFIX,
    VOCABULARY,
    Loaded,
    Options,
    Tree,
    covering,
    load_cached,
    options_of,
    read_source,
)


@dataclass(frozen=True)
class Version:
    """Rules as they were at some time.

    Attributes:
        label: what it is called in answers.
        tree: the tree of rules.
        edition: the only edition that counts; None where all do.
        edit: takes the place of the file of that edition that is called the same.
    """

    label: str
    tree: Tree
    edition: str | None = None
    edit: Source | None = None

    def editions(self) -> tuple[str, ...]:
        """The editions that count."""
        return (self.edition,) if self.edition is not None else self.tree.editions()

    def compiled(self, edition: str, readings: Sequence[ReadingChoice] = ()) -> Compiled:
        """An edition for play, under some options of its readings.

        Raises:
            Fault: it cannot be read.
        """
        loaded = self._load(edition, readings)
        if loaded.compiled is None:
            raise Fault(*(d for d in loaded.diagnostics if d.severity == "error"))
        return loaded.compiled

    def variants(self, edition: str) -> Iterator[Compiled]:
        """An edition as it takes its readings, then under a few others: each block is in force in one of them.

        Raises:
            Fault: it cannot be read.
        """
        own = self.compiled(edition)
        yield own
        for others in covering(own.edition.readings):
            yield self.compiled(edition, others)

    def _load(self, edition: str, readings: Sequence[ReadingChoice]) -> Loaded:
        options = options_of(readings)
        if self.edit is not None:
            return _edited(self.tree, edition, self.edit, options)
        return load_cached(self.tree, edition, options)

    def sources(self, edition: str) -> dict[str, Source]:
        """The files of an edition and of the vocabulary, by their names below the root; translations among them."""
        found = {}
        for folder in (VOCABULARY, edition):
            for suffix in (RULES_SUFFIX, *(f"texts.{code}.toml" for code in languages())):
                for name, file in self.tree.files(folder, suffix):
                    found[self.below(name)] = read_source(file, name)
        if self.edit is not None:
            found[self.below(self.edit.name)] = self.edit
        return found

    def below(self, name: str) -> str:
        """The name of a file below the root of its tree."""
        if self.edit is None or name != self.edit.name:
            return self._below(name)
        own = [self._below(n) for n, _ in self.tree.files(self.edition or "", RULES_SUFFIX)]
        called = PurePath(name).name
        return next((n for n in own if PurePath(n).name == called), f"{self.edition}/{called}")

    def _below(self, name: str) -> str:
        return name.removeprefix(f"{self.tree.label}/") if self.tree.label else name


@lru_cache(maxsize=32)
def _edited(tree: Tree, edition: str, edit: Source, options: Options) -> Loaded:
    return tree.edited(edition, edit, [ReadingChoice(*pair) for pair in options])


@dataclass(frozen=True)
class _Revision:
    """What git keeps under a name: the folder of the repository, a revision, and a path in it."""

    top: Path
    revision: str
    path: PurePath

    def object(self, path: PurePath) -> str:
        """The name by which git knows a path of the revision."""
        return f"{self.revision}:{'' if str(path) == '.' else path.as_posix()}"


def versions(old: str, new: str | None, default: Tree, stack: ExitStack) -> tuple[Version, Version]:
    """The two versions that are meant.

    Args:
        old: a folder, a file of rules, or a revision, such as ``HEAD~1`` or ``HEAD~1:rules``.
        new: the same; without it, what lies in the working tree now.
        default: the tree of rules that is meant where none is named.
        stack: keeps the folders into which revisions are read.

    Raises:
        Fault: one of them is not there, or is not rules.
    """
    reader = _Reader(default, stack)
    first = reader.place(old)
    second = reader.place(new) if new is not None else reader.now(old, first)
    if first.is_file() != second.is_file():
        raise Fault(report("unlike-versions", old=old, new=new or second))
    if not first.is_file():
        return reader.folder(old, first), reader.folder(new or str(second), second)
    tree, edition = reader.home(first, second)
    return tuple(  # type: ignore[return-value]
        Version(label, tree, edition, read_source(place, str(place)))
        for label, place in ((old, first), (new or str(second), second))
    )


class _Reader:
    def __init__(self, default: Tree, stack: ExitStack) -> None:
        self.default = default
        self.stack = stack
        self.kept: dict[Path, Path] = {}
        """Folders into which a revision was read, each with the place that it has in the working tree."""

    def place(self, text: str) -> Path:
        """The folder or file that is meant; a revision is read into a folder of its own."""
        return Path(text) if Path(text).exists() else self._read(_revision(text, self.default))

    def now(self, old: str, first: Path) -> Path:
        """What lies in the working tree where an older version has come from."""
        if first in self.kept:
            if not self.kept[first].exists():
                raise Fault(report("no-such-version", text=self.kept[first]))
            return self.kept[first]
        root = Path(str(self.default.root))
        if first.is_file():
            found = sorted(root.rglob(first.name))
            if not found:
                raise Fault(report("no-such-version", text=root / first.name))
            return found[0]
        return root if (first / VOCABULARY).is_dir() else root / Path(old).resolve().name

    def folder(self, label: str, place: Path) -> Version:
        """A tree of rules, or the edition that a folder holds."""
        shown = label if place in self.kept else str(place)
        if (place / VOCABULARY).is_dir():
            return Version(label, Tree(place, shown))
        above = place.resolve().parent
        if not place.is_dir() or not (above / VOCABULARY).is_dir():
            raise Fault(report("no-rules-here", path=label, vocabulary=VOCABULARY))
        tree = Tree(above, str(PurePath(shown).parent) if place in self.kept else str(place.parent))
        if place.resolve().name not in tree.editions():
            raise Fault(report("no-rules-here", path=label, vocabulary=VOCABULARY))
        return Version(label, tree, place.resolve().name)

    def home(self, *files: Path) -> tuple[Tree, str]:
        """The tree and the edition in which one of some files lies."""
        for file in (self.kept.get(f, f).resolve() for f in files):
            for above in file.parents:
                if (above / VOCABULARY).is_dir() and file.parent != above / VOCABULARY and file.parent != above:
                    return Tree(above, str(above)), file.relative_to(above).parts[0]
        raise Fault(report("file-without-edition", path=files[0]))

    def _read(self, revision: _Revision) -> Path:
        """Reads what git keeps into a folder that is gone when the command is over."""
        folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory())).resolve()
        here = revision.path
        if _git(revision.top, "cat-file", "-t", revision.object(here)).strip() == b"blob":
            place = folder / here.name
            place.write_bytes(_git(revision.top, "show", revision.object(here)))
        else:
            names = _git(revision.top, "ls-tree", "--name-only", revision.object(here)).split()
            whole = here if VOCABULARY.encode() in names or str(here) == "." else here.parent
            data = _git(revision.top, "archive", "--format=zip", revision.object(whole))
            with ZipFile(io.BytesIO(data)) as archive:  # a link comes out of it as a file, and leads nowhere
                archive.extractall(folder)
            place = folder / here.relative_to(whole)
        self.kept[place] = revision.top / here
        return place


def _revision(text: str, default: Tree) -> _Revision:
    """What a name means to git.

    Raises:
        Fault: git is not there, or knows no such revision.
    """
    if shutil.which("git") is None:
        raise Fault(report("no-git", text=text))
    name, colon, path = text.partition(":")
    root = default.root
    here = Path.cwd() if colon or not isinstance(root, Path) else root.resolve()
    unknown = Fault(report("no-such-version", text=text))
    if name.startswith("-") or not name:  # git would take it for an option, or for what is staged
        raise unknown
    try:
        top = Path(_git(here, "rev-parse", "--show-toplevel").decode().strip()).resolve()
        own = PurePath(path) if colon else PurePath(here.relative_to(top))
        _git(top, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}")
        revision = _Revision(top, name, own)
        _git(top, "cat-file", "-t", revision.object(own))
    except Fault:
        raise unknown from None
    return revision


def _git(folder: Path, *arguments: str) -> bytes:
    """What git answers.

    Raises:
        Fault: it refuses.
    """
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 (a list of arguments, no shell)
    if done.returncode != 0:
        raise Fault(report("no-such-version", text=arguments[-1]))
    return done.stdout
