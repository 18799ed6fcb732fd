"""The layers of pyproject.toml hold, and a breach of any of them would be seen."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "engine" / "rulewright"


def lint(engine: Path) -> subprocess.CompletedProcess[str]:
    """Checks the package inside ``engine`` against the contracts of the project."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from importlinter.cli import lint_imports\n"
        "sys.exit(lint_imports(config_filename=sys.argv[2], no_cache=True))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, str(engine), str(ROOT / "pyproject.toml")],
        capture_output=True,
        text=True,
        cwd=engine,
        check=False,
    )


def test_the_contracts_hold() -> None:
    result = lint(PACKAGE.parent)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "statement", "contract"),
    [
        ("assets.py", "import rulewright.backends.base", "A layer imports only layers below it"),
        ("stray.py", "", "A layer imports only layers below it"),
        ("backends/other.py", "from durable.lang import ruleset", "Only rulewright.backends.durable imports"),
        ("productions.py", "import durable_rules_engine", "Only rulewright.backends.durable imports"),
        ("productions.py", "import lark", "Only rulewright.syntax imports lark"),
        ("productions.py", "import cyclopts", "Only rulewright.cli imports cyclopts"),
        (
            "productions.py",
            "from rich.console import Console",
            "Only rulewright.cli, rulewright.explain and rulewright.forms import",
        ),
    ],
)
def test_a_breach_is_seen(tmp_path: Path, module: str, statement: str, contract: str) -> None:
    shutil.copytree(PACKAGE, tmp_path / "rulewright", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "rulewright" / module).open("a", encoding="utf-8") as file:
        file.write(f"\n{statement}\n")
    result = lint(tmp_path)
    broken = [line for line in result.stdout.splitlines() if " BROKEN" in line]
    assert result.returncode == 1, result.stdout + result.stderr
    assert any(line.startswith(contract) for line in broken), result.stdout + result.stderr
