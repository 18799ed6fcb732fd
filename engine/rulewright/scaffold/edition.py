"""The files of a new edition: a first rule, a first test and a scenario for them, or those of another edition."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from string import Template

from rulewright import assets
from rulewright.diagnostics import Fault, report
from rulewright.resolve.blocks import IDENT
from rulewright.speech import listed
from rulewright.syntax.parser import parse
from rulewright.syntax.tree import Block
from rulewright.text import Source, Span
from rulewright.workspace import RULES_SUFFIX, SCENARIO_SUFFIX, VOCABULARY, Tree, read_source, why_refused

RULES = "rules"
"""The folder of the current one that holds the rules, unless another is named."""

Texts = Mapping[str, str]
"""The texts of an edition, by the names of its files."""


def begun(name: str, title: str, code: str) -> Texts:
    """The files of an edition with one rule, in a language.

    Raises:
        Fault: there is no such beginning in that language, or the title cannot be written down.
    """
    folder = resources.files("rulewright.scaffold").joinpath("templates")
    known = sorted(entry.name for entry in folder.iterdir() if entry.is_dir())
    if code not in known:
        raise Fault(report("nothing-to-begin-with", code=code, known=listed(known)))
    if not title.strip() or set(title) & set('"\n'):
        raise Fault(report("unfit-title", title=title))
    places = {"name": name, "title": title.strip(), "key": name}
    files = {f.name: f.read_text(encoding="utf-8") for f in folder.joinpath(code).iterdir()}
    return {
        f"scenarios/{file}" if file.endswith(SCENARIO_SUFFIX) else file: Template(text).substitute(places)
        for file, text in files.items()
    }


def copied(tree: Tree, other: str, name: str, title: str | None) -> Texts:
    """The files of another edition, its name changed wherever it stands.

    Raises:
        Fault: there is no such edition, or a file of it cannot be read.
    """
    if other not in tree.editions():
        raise Fault(*tree.load(other).diagnostics)
    if title is not None and (not title.strip() or set(title) & set('"\n')):
        raise Fault(report("unfit-title", title=title))
    found = {}
    for suffix in (RULES_SUFFIX, SCENARIO_SUFFIX, ".toml"):
        for full, file in tree.files(other, suffix):
            source = read_source(file, full)
            inside = full.removeprefix(f"{tree.label}/" if tree.label else "").removeprefix(f"{other}/")
            found[inside] = source.text if suffix == ".toml" else _renamed(source, other, name, title)
    return found


def _renamed(source: Source, other: str, name: str, title: str | None) -> str:
    """A file of an edition with another name, and with another title if one is given."""
    blocks, diagnostics = parse(source)
    if any(d.severity == "error" for d in diagnostics):
        raise Fault(*diagnostics)
    text = blocks[0].span.source.text if blocks else source.text
    ends = [*(block.span.start for block in blocks[1:]), len(text)]
    places = [c for block, end in zip(blocks, ends, strict=True) for c in _changes(block, end, other, name, title)]
    for span, said in sorted(places, key=lambda place: place[0].start, reverse=True):
        text = text[: span.start] + said + text[span.end :]
    return text


def _changes(block: Block, end: int, other: str, name: str, title: str | None) -> Iterator[tuple[Span, str]]:
    """What is put in the place of what; a scenario of a third edition, beside those of the other, is left out."""
    if block.kind == "edition" and title is None:
        yield block.ident, name
    elif block.kind == "edition" and title is not None:
        yield Span(block.span.source, block.ident.start, block.span.end), f'{name} "{title.strip()}"'
    elif block.kind == "scenario":
        for clause in block.each("edition"):
            if clause.sentence.text.strip() == other:
                yield clause.sentence, name
            else:
                yield Span(block.span.source, block.span.start, end), ""


def write_edition(root: Path, name: str, texts: Texts) -> list[Path]:
    """Writes an edition into a tree of rules, whole or not at all; a tree that is not there begins with its vocabulary.

    Returns:
        What was written: the folder of the vocabulary, if it was not there, and the files.

    Raises:
        Fault: the name is not fit for an edition, there is one already, or it cannot be written.
    """
    check_name(name)
    try:
        return _written(root, name, texts)
    except OSError as error:
        raise Fault(report("unwritable-file", path=root / name, reason=why_refused(error))) from error


def check_name(name: str) -> None:
    """Makes sure that a name is fit for an edition.

    Raises:
        Fault: it is not.
    """
    if not IDENT.fullmatch(name) or name == VOCABULARY:
        raise Fault(report("unfit-edition", edition=name))


def _written(root: Path, name: str, texts: Texts) -> list[Path]:
    if os.path.lexists(root / name):
        raise Fault(report("edition-exists", edition=name, path=root / name))
    root.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=".new-", dir=root))
    lacking = [] if (root / VOCABULARY).is_dir() else [root / VOCABULARY]
    try:
        for folder in lacking:
            _vocabulary(folder)
        for file, text in texts.items():
            (beside / file).parent.mkdir(parents=True, exist_ok=True)
            (beside / file).write_text(text, encoding="utf-8", newline="\n")
        beside.chmod(0o755)
        beside.replace(root / name)
    except BaseException:
        for folder in (beside, *lacking):
            shutil.rmtree(folder, ignore_errors=True)
        raise
    return [*lacking, *(root / name / file for file in sorted(texts))]


def _vocabulary(folder: Path) -> None:
    """Copies the shipped vocabulary into a tree of rules."""
    for name in assets.rules_files(VOCABULARY):
        file = folder.parent / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(assets.rules_bytes(name))
