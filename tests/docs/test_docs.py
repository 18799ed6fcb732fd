"""The examples in the pages are true: rules are read, scenarios played, commands run.

A page is read from top to bottom in a folder that holds a copy of ``rules``.  The word after a fence says what becomes
of the text inside, and a path after the word where it is put:

* ``rules`` is read with the edition t9a-2, and its blocks stand in for those of the same name; there may be no errors.
* ``rules PATH`` is written to a file, or added to it when the text has no ``language`` line; its edition is read.
* ``scenario`` is played, and must turn out as it expects; ``scenario PATH`` is only written, or added.
* ``diff PATH`` changes a file: the lines marked with - are there, and give way to those marked with +.
* ``console`` holds commands, ``$ rulewright ...``, each with what it prints; ``...`` on a line of its own stands for
  lines left out, and within a line for a part left out.  Lines that begin with ``> `` are typed while it runs.
* ``python`` is carried out.

Other fences, and commands of other programs, are left alone.
"""

import contextlib
import io
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from rulewright.cli.app import OK, run_command
from rulewright.syntax.keywords import languages
from rulewright.workspace import VOCABULARY, find_tree, load_cached

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for folder, pattern in ((".", "*.md"), ("grammar", "**/*.md"), ("rules", "**/*.md"), ("engine", "**/*.md"))
    for page in (ROOT / folder).glob(pattern)
)
REFERENCE = ROOT / "grammar" / "README.md"

EDITION = "t9a-2"
LANGUAGE = "language English\n\n"
RULE_BLOCKS = ("rule", "definition", "exemption", "test", "order")
OWN_GROUPS = ("kind", "name", "edition")

_FENCE = re.compile(r"^```(\w+)(?: +(\S+))?[ ]*\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^(?=[^\s#])", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


class Fence(NamedTuple):
    """A fenced text of a page: its word, its path if it has one, the text, and the line of the page it begins on."""

    word: str
    path: str
    text: str
    line: int


def fences(page: str) -> list[Fence]:
    return [Fence(m[1], m[2] or "", m[3], page.count("\n", 0, m.start()) + 1) for m in _FENCE.finditer(page)]


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a copy of ``rules`` and nothing else, and a terminal of which nobody has heard."""
    shutil.copytree(ROOT / "rules", tmp_path / "rules")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "RULEWRIGHT_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


# --- what becomes of a fence ---------------------------------------------------------------------------------------


def put(path: str, text: str) -> None:
    """Writes a text to a file, or adds it to the file when it is the continuation of one."""
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    if text.startswith("language ") or not file.exists():
        file.write_text(text if text.startswith("language ") else LANGUAGE + text, encoding="utf-8")
    else:
        file.write_text(f"{file.read_text(encoding='utf-8').rstrip()}\n\n{text}", encoding="utf-8")


def head(block: str) -> tuple[str, str] | None:
    """What makes two blocks of an edition the same: their group and their name."""
    words = block.split(maxsplit=2)
    if len(words) < 2 or words[0] in ("language", "scenario"):
        return None
    group = words[0] if words[0] in OWN_GROUPS else "rule" if words[0] in RULE_BLOCKS else "phrase"
    return group, "" if group == "edition" else words[1]


def take_out(text: str) -> None:
    """Takes the blocks that a text declares anew out of the vocabulary and the edition."""
    anew = {head(block) for block in _BLOCK.split(text)} - {None}
    for folder in (VOCABULARY, EDITION):
        for file in Path("rules", folder).glob("**/*.rules"):
            blocks = _BLOCK.split(file.read_text(encoding="utf-8"))
            file.write_text("".join(b for b in blocks if head(b) not in anew), encoding="utf-8")


def errors_of(edition: str) -> list[str]:
    return [str(d) for d in find_tree().load(edition).diagnostics if d.severity == "error"]


def run(command: str, typed: str = "") -> tuple[int, str]:
    """The exit code of a command, and all that it prints when something is typed."""
    load_cached.cache_clear()  # the files have changed since the last command
    printed = io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("sys.stdin", io.StringIO(typed))
        code = run_command(shlex.split(command)[1:])
    return code, printed.getvalue()


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def shows(expected: str, printed: str) -> bool:
    """Whether what was printed is what a page shows, line by line."""
    patterns = (
        r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n"
        for line in lines(expected)
    )
    return re.fullmatch("".join(patterns), "".join(f"{line}\n" for line in lines(printed))) is not None


def rules(fence: Fence) -> Iterator[str]:
    if fence.path:
        put(fence.path, fence.text)
        folder = Path(fence.path).parts[1]
        yield from errors_of(EDITION if folder == VOCABULARY else folder)
    else:
        take_out(fence.text)
        put(f"rules/{EDITION}/page-{fence.line}.rules", fence.text)
        yield from errors_of(EDITION)


def scenario(fence: Fence) -> Iterator[str]:
    path = fence.path or f"rules/{EDITION}/scenarios/page-{fence.line}.scenario"
    put(path, fence.text)
    if not fence.path:
        code, printed = run(f"rulewright test {path}")
        if code != OK:
            yield printed


def diff(fence: Fence) -> Iterator[str]:
    file = Path(fence.path)
    before, after = (
        "".join(f"{line[1:]}\n" for line in fence.text.splitlines() if line[:1] in (sign, " ")) for sign in "-+"
    )
    text = file.read_text(encoding="utf-8")
    if text.count(before) == 1:
        file.write_text(text.replace(before, after), encoding="utf-8")
    else:
        yield f"{fence.path} holds these lines {text.count(before)} times:\n{before}"


def console(fence: Fence) -> Iterator[str]:
    for part in re.split(r"^\$ ", fence.text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        typed = "".join(line[2:] for line in shown.splitlines(keepends=True) if line.startswith("> "))
        expected = "".join(line for line in shown.splitlines(keepends=True) if not line.startswith("> "))
        if command.split()[0] == "rulewright":
            printed = run(command, typed)[1]
            if not shows(expected, printed):
                yield f"`{command}` prints\n{printed}"


def python(fence: Fence) -> Iterator[str]:
    exec(compile(fence.text, f"line {fence.line}", "exec"), {"__name__": "page"})
    yield from ()


ACTS = {"rules": rules, "scenario": scenario, "diff": diff, "console": console, "python": python}


def untrue(page: str) -> list[str]:
    """What is not as a page says, with the lines of the page."""
    return [
        f"line {fence.line}: {problem}"
        for fence in fences(page)
        if fence.word in ACTS and (fence.word != "diff" or fence.path)
        for problem in ACTS[fence.word](fence)
    ]


# --- the pages -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_the_examples_are_true(name: str) -> None:
    problems = untrue((ROOT / name).read_text(encoding="utf-8"))
    assert not problems, "\n\n".join(problems)


@pytest.mark.parametrize("name", PAGES)
def test_the_links_lead_somewhere(name: str) -> None:
    targets = [t for t in _LINK.findall((ROOT / name).read_text(encoding="utf-8")) if "://" not in t]
    lost = [target for target in targets if not (ROOT / name).parent.joinpath(target).exists()]
    assert not lost


def test_every_keyword_is_in_the_reference() -> None:
    page = REFERENCE.read_text(encoding="utf-8")
    quoted = " ".join([*re.findall(r"`([^`\n]+)`", page), *(f.text for f in fences(page))]).casefold()
    words = {forms[0] for forms in languages()["en"].keywords.values()}
    missing = sorted(w for w in words if not re.search(rf"(?<![\w-]){re.escape(w.casefold())}(?![\w-])", quoted))
    assert not missing, "grammar/README.md does not speak of: " + ", ".join(missing)


# --- what is not true is noticed -----------------------------------------------------------------------------------

GIVEN = (
    "scenario one\n  edition t9a-2\n  given Red is a side\n  and Spears is a unit of Red\n  when Spears is destroyed\n"
)


@pytest.mark.parametrize(
    "text",
    [
        "```rules\nrule one\n  when {unit} dances\n  then {unit} takes a Panic test\n```\n",
        "```rules\nrule one\n  whenever {unit} is destroyed\n```\n",
        "```rules rules/vocabulary/units.rules\nfact engaged\n  en: {unit} is engaged in combat\n```\n",
        "```rules rules/other/edition.rules\nedition other\n  sources one\n```\n",
        f"```scenario\n{GIVEN}  then Spears is on the battlefield\n```\n",
        f"```scenario\n{GIVEN}  then Spears dances\n```\n",
        "```diff rules/t9a-2/triggers.rules\n-  no such line\n+  another\n```\n",
        "```console\n$ rulewright show\nno such edition\n```\n",
        "```console\n$ rulewright show\n...\nno such edition\n...\n```\n",
        "```console\n$ rulewright show t9a-2 heavy-losses\n...\n  when the casualties of {unit} are removed\n```\n",
    ],
)
def test_what_is_not_true_is_noticed(text: str) -> None:
    assert untrue(text)


@pytest.mark.parametrize(
    "text",
    [
        "```rules\nrule heavy-losses\n  when {unit} is destroyed\n  then {unit} takes a Panic test\n```\n",
        "```rules rules/new/e.rules\nedition new\n  source x\n```\n```console\n$ rulewright show\nnew  ...\n...\n```\n",
        f"```scenario\n{GIVEN}  then Spears is not on the battlefield\n```\n",
        "```console\n$ make me\na sandwich\n```\n",
        "```text\nanything\n```\n",
        "```diff\n-one\n+other\n```\n",
    ],
)
def test_what_is_true_passes(text: str) -> None:
    assert not untrue(text)


def test_a_change_of_a_file_counts_for_what_follows() -> None:
    page = (
        "```diff rules/t9a-2/triggers.rules\n-  when {means} calls for a Panic test by {unit}\n"
        "+  when {unit} is destroyed\n```\n"
        "```console\n$ rulewright show t9a-2 called-for\n...\n  when {unit} is destroyed\n...\n```\n"
    )
    assert not untrue(page)
