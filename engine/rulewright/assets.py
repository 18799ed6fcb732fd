"""Where the grammar and the rules lie; the one module that knows.

The folders ``grammar`` and ``rules`` are taken from the folder that the environment variable ``RULEWRIGHT_ASSETS``
names; else from inside the installed package, which may be a zipped wheel; else from the checkout that this file is
part of.  Names of files are relative to those two folders and use ``/``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

VARIABLE = "RULEWRIGHT_ASSETS"


class AssetsNotFoundError(FileNotFoundError):
    """No folder with ``grammar`` and ``rules`` was found.

    Attributes:
        folder: which of the two.
        places: where it was looked for.
        named: whether the variable named the place.
    """

    def __init__(self, folder: str, places: Sequence[str], named: bool) -> None:
        by = f", which the variable {VARIABLE} names" if named else ""
        super().__init__(f"no folder `{folder}` in {', '.join(f'`{place}`' for place in places)}{by}")
        self.folder, self.places, self.named = folder, places, named


def grammar_root() -> Traversable:
    """The folder ``grammar``."""
    return _folder("grammar")


def rules_root() -> Traversable:
    """The folder ``rules``."""
    return _folder("rules")


def grammar_bytes(name: str) -> bytes:
    """A file of the grammar as it is stored, such as ``keywords/en.toml``."""
    return _inside(grammar_root(), name).read_bytes()


def grammar_text(name: str) -> str:
    """A file of the grammar; raises UnicodeDecodeError when it is not UTF-8."""
    return grammar_bytes(name).decode("utf-8")


def keyword_tables() -> tuple[str, ...]:
    """The names of the keyword tables, one for each language, for ``grammar_text``; sorted."""
    return _files(grammar_root(), "keywords", ".toml")


def message_tables() -> tuple[str, ...]:
    """The names of the tables of texts that lie beside the keyword tables, for ``grammar_text``; sorted."""
    return _files(grammar_root(), "messages", ".toml")


def rules_bytes(name: str) -> bytes:
    """A file of the rules as it is stored, such as ``t9a-2/panic.rules``."""
    return _inside(rules_root(), name).read_bytes()


def rules_text(name: str) -> str:
    """A file of the rules; raises UnicodeDecodeError when it is not UTF-8."""
    return rules_bytes(name).decode("utf-8")


def rules_folders() -> tuple[str, ...]:
    """The names of the folders right under ``rules``, sorted: one for each edition, and the shared ones."""
    return tuple(sorted(entry.name for entry in rules_root().iterdir() if entry.is_dir() and _is_plain(entry)))


def rules_files(folder: str = "", suffix: str = "") -> tuple[str, ...]:
    """The names of all files under a folder of ``rules``, at any depth, that end in ``suffix``; sorted."""
    return _files(rules_root(), folder, suffix)


def _files(root: Traversable, folder: str, suffix: str) -> tuple[str, ...]:
    start = _inside(root, folder) if folder else root
    if not start.is_dir():
        return ()
    return tuple(sorted(name for name in _walk(start, folder) if name.endswith(suffix)))


def _walk(folder: Traversable, prefix: str) -> Iterator[str]:
    for entry in filter(_is_plain, folder.iterdir()):
        name = f"{prefix}/{entry.name}" if prefix else entry.name
        if entry.is_dir():
            yield from _walk(entry, name)
        else:
            yield name


def _is_plain(entry: Traversable) -> bool:
    return not entry.name.startswith((".", "__"))


def _inside(root: Traversable, name: str) -> Traversable:
    parts = name.split("/")
    if any(part in ("", ".", "..") or "\\" in part or ":" in part for part in parts):
        raise ValueError(f"`{name}` is not the name of a file inside `{root.name}`")
    return root.joinpath(*parts)


def _folder(name: str) -> Traversable:
    named = os.environ.get(VARIABLE)
    places = [Path(named)] if named else [files("rulewright").joinpath("_assets"), Path(__file__).parents[2]]
    for place in places:
        folder = place.joinpath(name)
        if folder.is_dir():
            return folder
    raise AssetsNotFoundError(name, [str(place) for place in places], named is not None)
