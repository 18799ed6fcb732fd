"""What variables are called in another language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from rulewright.model import Shorthand, Variable, Vocabulary
from rulewright.syntax.keywords import Language
from rulewright.text import Span


def variable_names(names: Iterable[str], source: Language, target: Language, vocabulary: Vocabulary) -> dict[str, str]:
    """The names that variables of one block get in another language: no two the same, and back again the same.

    A name is looked up in the tables of the languages, then among the words for kinds; others are kept.
    """
    names = list(dict.fromkeys(names))
    found: dict[str, str] = {}
    for name in names:
        other = _other_name(name, source, target, vocabulary)
        back = _other_name(other, target, source, vocabulary)
        if back == name and other not in names and other not in found.values():
            found[name] = other
    return {name: found.get(name, name) for name in names}


def _other_name(name: str, source: Language, target: Language, vocabulary: Vocabulary) -> str:
    shared = next((key for key, word in source.variables.items() if word == name), None)
    if shared is None and name not in source.variables:
        worded = _kind_name(name, source, target, vocabulary)
        if worded is not None:
            return worded
    key = shared if shared is not None else name
    if shared is None and name in target.variables.values() and name not in target.variables:
        return name  # it is another variable there
    return target.variables.get(key, key)


def _kind_name(name: str, source: Language, target: Language, vocabulary: Vocabulary) -> str | None:
    """The word for the kind that a variable is called after, where the tables do not know it."""
    for kind in vocabulary.kinds.values():
        words = {w.language: w.template.split("|")[0].replace(" ", "-") for w in reversed(kind.wordings)}
        if words.get(source.code) == name and target.code in words:
            return None if words[target.code] in (*target.variables.values(), *source.variables) else words[target.code]
    return None


def renamed(node: Any, names: Mapping[str, str]) -> Any:
    """The same with other names for its variables."""
    if isinstance(node, Variable):
        return Variable(names.get(node.name, node.name))
    if isinstance(node, tuple):
        return tuple(renamed(part, names) for part in node)
    if not is_dataclass(node) or isinstance(node, Span | Shorthand):
        return node
    changed = {f.name: renamed(getattr(node, f.name), names) for f in fields(node)}
    return replace(node, **changed)  # type: ignore[type-var]


def variables_in(text: str) -> list[str]:
    """The names of the variables in a text, in order."""
    return [name.strip() for name in re.findall(r"\{([^{}\n]*)\}", text)]
