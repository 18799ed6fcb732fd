"""What no file of the project may hold: places that exist on one machine alone, and the hosts of registries."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# One sign of each stands in brackets, so that this file does not hold what it looks for.
FORBIDDEN = re.compile(
    r"[/]root\b|[/]home/\w|[/]Users/\w|[/]tmp/\w|[/]work/"
    r"|pypi[.]org|pythonhosted[.]org|npmjs[.](org|com)|(deb|security)[.]debian[.]org|[-]-(extra-)?index-url",
    re.IGNORECASE,
)


def test_no_file_names_a_machine_or_a_registry(project_files: frozenset[str]) -> None:
    found = [
        f"{name}:{number}: {line.strip()[:120]}"
        for name in sorted(project_files)
        for number, line in enumerate((ROOT / name).read_bytes().decode("utf-8", "replace").splitlines(), 1)
        if FORBIDDEN.search(line)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", ["cd |tmp|x", "|root|.cache", "|home|anna", "https:||pypi!org|simple"])
def test_what_is_forbidden_is_seen(text: str) -> None:
    assert FORBIDDEN.search(text.replace("|", "/").replace("!", "."))


@pytest.mark.parametrize("text", ["a route/rootless path", "the temple", "work/shop", "from pypi"])
def test_what_is_harmless_is_not(text: str) -> None:
    assert not FORBIDDEN.search(text)
