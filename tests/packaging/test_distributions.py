"""The wheel and the sdist hold what they should, and work from an empty folder."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = ("build", "hatchling", "pip")

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("distributions")]


def run(*command: str | Path, cwd: Path, **variables: str) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "RULEWRIGHT"))}
    result = subprocess.run(
        command, cwd=cwd, env=environment | variables, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def project() -> dict[str, str]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]


@pytest.fixture
def stored(project_files: frozenset[str]) -> Callable[..., set[str]]:
    """Gives the project's files under the folders named."""
    return lambda *folders: {name for name in project_files for folder in folders if name.startswith(f"{folder}/")}


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist of this tree and the wheel built from that sdist."""
    for name in NEEDED:
        pytest.importorskip(name, reason=f"building needs {name}; make test installs it")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(distributions: Path) -> Path:
    return next(distributions.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of commands of a new environment that holds the wheel, and borrows what it needs from this one."""
    folder = tmp_path_factory.mktemp("new")
    run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder)
    commands = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = commands / "python"
    run(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index"),
        *("--disable-pip-version-check", wheel),
        cwd=folder,
    )
    site = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    # A folder named in a .pth file gives its packages, but its own .pth files, such as this checkout's, are not read.
    borrowed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    Path(site, "borrowed.pth").write_text("\n".join(sorted(borrowed)) + "\n", encoding="utf-8")
    return commands


def test_the_wheel_holds_the_package_the_grammar_and_the_rules(wheel: Path, stored: Callable[..., set[str]]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    expected = {name.removeprefix("engine/") for name in stored("engine/rulewright")}
    expected |= {f"rulewright/_assets/{name}" for name in stored("grammar", "rules")}
    assert held == expected
    assert {
        "rulewright/py.typed",
        "rulewright/forms/templates/page.html",
        "rulewright/_assets/grammar/rulewright.lark",
    } <= held


def test_the_wheel_names_its_licence_and_its_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        held = archive.namelist()
        metadata = archive.read(next(name for name in held if name.endswith(".dist-info/METADATA"))).decode()
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in held)
    assert "License-Expression: MIT" in metadata
    for name in ("cyclopts", "durable-rules", "jinja2", "lark", "prompt-toolkit", "rich"):
        assert f"Requires-Dist: {name}" in metadata.replace("_", "-")


def test_the_sdist_holds_what_its_tests_and_make_need(distributions: Path, stored: Callable[..., set[str]]) -> None:
    with tarfile.open(next(distributions.glob("*.tar.gz"))) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    assert stored("engine", "grammar", "rules", "tests", ".ci") <= held
    assert {"LICENSE", "Makefile", "README.md", "pyproject.toml"} <= held


def test_the_installed_command_runs_in_an_empty_folder(installed: Path, tmp_path: Path) -> None:
    assert project()["version"] in run(installed / "rulewright", "--version", cwd=tmp_path)
    assert project()["version"] in run(installed / "python", "-m", "rulewright", "--version", cwd=tmp_path)


def test_the_installed_package_finds_its_own_assets(
    installed: Path, tmp_path: Path, stored: Callable[..., set[str]]
) -> None:
    code = "from rulewright import assets; print(assets.rules_root()); print(*assets.rules_files(), sep='\\n')"
    root, *names = run(installed / "python", "-c", code, cwd=tmp_path).splitlines()
    assert Path(root).is_relative_to(installed.parent)
    assert {f"rules/{name}" for name in names} == stored("rules")


def test_the_wheel_works_as_a_zip(wheel: Path, tmp_path: Path, stored: Callable[..., set[str]]) -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); from rulewright import assets; "
        "print(len(assets.grammar_text('rulewright.lark'))); print(*assets.rules_files(), sep='\\n')"
    )
    length, *names = run(sys.executable, "-c", code, wheel, cwd=tmp_path).splitlines()
    assert int(length) == len((ROOT / "grammar" / "rulewright.lark").read_bytes().decode())
    assert {f"rules/{name}" for name in names} == stored("rules")
