"""What tests of more than one folder share."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LEFT_BEHIND = {"__pycache__", "build", "dist"}
TIMED = ("scenarios.search", "scenarios.odds.branches", "scenarios.odds.chances", "compare.search")
"""Where something is searched for no longer than some time."""


@pytest.fixture(scope="session", autouse=True)
def _no_time_passes() -> Iterator[None]:
    """What comes of a search does not hang on how fast the machine is."""
    with pytest.MonkeyPatch.context() as patch:
        for module in TIMED:
            patch.setattr(f"rulewright.{module}.monotonic", float)
        yield


@pytest.fixture(scope="session")
def project_files() -> frozenset[str]:
    """The names, relative to the top level, of the files that belong to the project.

    Git knows them, those not yet added too. In an unpacked sdist all files do, but for what tools leave behind.
    """
    if shutil.which("git") and (ROOT / ".git").exists():
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
        return frozenset(name for name in names if name and (ROOT / name).is_file())
    found = set()
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in LEFT_BEHIND and (name == ".ci" or name[0] != ".")]
        found |= {Path(folder, name).relative_to(ROOT).as_posix() for name in names}
    return frozenset(found)
