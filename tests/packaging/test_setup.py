"""What make says when something that it needs is not there: all of it, at once, and before anything fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("cat", "cmp", "mktemp", "mkdir", "rm", "sed", "sh")

pytestmark = pytest.mark.skipif(os.name == "nt", reason="make and sh are wanted")


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder of commands without a Python and without a compiler."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in TOOLS:
        found = shutil.which(name)
        assert found, name
        (folder / name).symlink_to(found)
    return folder


def command(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (folder / name).chmod(0o755)


def complaint(bare: Path, **variables: str) -> str:
    """What setting up says when it refuses to begin."""
    venv = bare.parent / "venv"
    result = subprocess.run(
        ["sh", ".ci/setup", "run"],
        cwd=ROOT,
        env={"PATH": str(bare), "VENV": str(venv), "TMPDIR": str(bare.parent)} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert not venv.exists()
    assert "Traceback" not in result.stderr
    assert "sudo apt install" in result.stderr
    assert "sudo dnf install" in result.stderr
    assert "xcode-select --install" in result.stderr
    return result.stderr


def test_nothing_is_there(bare: Path) -> None:
    text = complaint(bare)
    assert "Python 3.11 or newer: none was found" in text
    assert "a C compiler: none of cc, gcc and clang works" in text


def test_only_an_old_python_is_there(bare: Path) -> None:
    command(bare, "python3", "echo 3.9 age")
    assert "python3 (3.9) is too old" in complaint(bare)


def test_a_python_that_does_not_run_is_passed_over(bare: Path) -> None:
    command(bare, "python3.12", "echo no such version >&2; exit 127")
    command(bare, "python3", "echo 3.11 headers")
    assert "the header files of python3 (3.11)" in complaint(bare)


def test_parts_of_python_are_not_there(bare: Path) -> None:
    command(bare, "python3.13", "echo 3.13 headers venv")
    text = complaint(bare)
    assert "the header files of python3.13 (3.13), Python.h among them" in text
    assert "the modules venv and ensurepip of python3.13 (3.13)" in text
    assert "python3.13-venv python3.13-dev" in text


def test_the_python_named_does_not_run(bare: Path) -> None:
    assert "`python9`, which PYTHON names, does not run" in complaint(bare, PYTHON="python9")


def test_the_compiler_named_does_not_work(bare: Path) -> None:
    command(bare, "mycc", "exit 1")
    assert "`mycc`, which CC names, does not work" in complaint(bare, CC="mycc")


def test_a_compiler_that_does_not_run_is_none(bare: Path) -> None:
    command(bare, "python3", f'exec "{sys.executable}" "$@"')
    command(bare, "cc", "echo no developer tools were found >&2; exit 1")
    text = complaint(bare)
    assert "a C compiler" in text
    assert "Python 3.11 or newer:" not in text


def test_an_environment_of_someone_else_is_left_alone(bare: Path, tmp_path: Path) -> None:
    command(bare, "python3", "case $2 in *CC*) echo cc ;; *AR*) echo cc ;; *) echo 3.12 ;; esac")
    command(bare, "cc", "exit 0")
    venv = tmp_path / "venv"
    venv.mkdir()
    (venv / "mine").touch()
    result = subprocess.run(
        ["sh", ".ci/setup", "run"],
        cwd=ROOT,
        env={"PATH": str(bare), "VENV": str(venv), "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert "make did not make it" in result.stderr
    assert [path.name for path in venv.iterdir()] == ["mine"]
