"""Cases as text files: a tree of rules with something wrong in it, what is said about it, and the same put right.

    A sentence or two about the case.

    === e/more.rules
      language English

      rule r
        cites s1
    -   whn {unit} flees
    ?   ^ RW0104 unexpected-clause
    ?     did you mean `when`?
    +   when {unit} flees
        then {unit} is destroyed

Each line after ``===`` has a margin of two characters.  Lines with ``-`` belong to the wrong text alone, lines with
``+`` to the right one.  A ``^`` points at the column in the line above at which the finding must stand, and is followed
by its code and name; without a ``^`` the finding has no place.  Further ``?`` lines are parts of its message or help.
The files are laid over those of ``base``.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from rulewright.backends.reference import ReferenceMatcher
from rulewright.diagnostics import Diagnostic, ordered
from rulewright.scenarios.reading import check_scenario
from rulewright.scenarios.runner import play
from rulewright.workspace import RULES_SUFFIX, SCENARIO_SUFFIX, Tree, load_for, read_scenarios

HERE = Path(__file__).parent
BASE = HERE / "base"
_FINDING = re.compile(r"(?P<margin> *)(?P<caret>\^)? ?(?P<code>RW\d{4}) (?P<name>[a-z-]+)$")


@dataclass
class Finding:
    """What must be said, and where."""

    code: str
    name: str
    place: str
    told: list[str] = field(default_factory=list)


@dataclass
class Case:
    """A case: files by name, wrong and right, and what must be said about the wrong ones."""

    path: Path
    wrong: dict[str, str] = field(default_factory=dict)
    right: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def read_case(path: Path) -> Case:
    """Reads a case."""
    case = Case(path)
    name, wrong, right = "", [], []
    for line in [*path.read_text(encoding="utf-8").splitlines(), "==="]:
        if line.startswith("==="):
            if name:
                case.wrong[name], case.right[name] = "".join(wrong), "".join(right)
            name, wrong, right = line.removeprefix("===").strip(), [], []
            continue
        mark, text = line[:2].strip(), line[2:]
        if not name:
            assert mark != "?", f"{path}: a finding before the first file"
        elif mark == "?":
            found = _FINDING.match(text)
            if found:
                place = f"{name}:{len(wrong)}:{len(found['margin']) + 1}" if found["caret"] else ""
                case.findings.append(Finding(found["code"], found["name"], place))
            else:
                case.findings[-1].told.append(text.strip())
        else:
            assert mark in ("", "-", "+"), f"{path}: {line}"
            if mark != "+":
                wrong.append(text + "\n")
            if mark != "-":
                right.append(text + "\n")
    return case


def findings(files: dict[str, str | bytes], folder: Path) -> tuple[Diagnostic, ...]:
    """All that is found in the base with some files laid over it."""
    shutil.copytree(BASE, folder, dirs_exist_ok=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    tree = Tree(folder, "")
    found: list[Diagnostic] = []
    for edition in dict.fromkeys(["e", *(n.split("/")[0] for n in files if n.endswith(RULES_SUFFIX))]):
        if edition != "vocabulary":
            found += tree.load(edition).diagnostics
    for name in (n for n in files if n.endswith(SCENARIO_SUFFIX)):
        found += scenario_findings(tree, folder / name, name)
    return ordered(found)


def scenario_findings(tree: Tree, path: Path, name: str) -> list[Diagnostic]:
    """All that is found in a scenario file, by looking at it and by playing it."""
    scenarios, wrong = read_scenarios(path, name)
    found = list(wrong)
    for scenario in scenarios:
        loaded = load_for(tree, scenario)
        found += loaded.diagnostics
        if loaded.compiled is None:
            continue
        looked = check_scenario(scenario, loaded.compiled)
        found += looked
        played = play(scenario, loaded.compiled, ReferenceMatcher)
        if looked:
            assert set(played.fault) <= set(looked), "playing finds what looking at the sentences does not"
        found += played.fault
        assert looked or played.fault or played.passed, [o.text for o in played.outcomes if not o.met]
    return found
