"""A missing engine explains itself."""

import sys

import pytest

from rulewright.setup_help import BUILD_FLAGS, explain_missing_engine


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_the_cause_and_the_commands_are_named(platform: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    text = explain_missing_engine(ModuleNotFoundError("No module named 'durable'", name="durable"))
    assert "No module named 'durable'" in text
    assert f'CPPFLAGS="{BUILD_FLAGS}" "{sys.executable}" -m pip install' in text
    assert f'CPPFLAGS="{BUILD_FLAGS}" uv pip install --python "{sys.executable}"' in text
    assert not text.endswith("\n")


def test_an_engine_built_without_the_flag_is_known_by_its_error() -> None:
    text = explain_missing_engine(ImportError("durable_rules_engine.so: undefined symbol: PyEval_CallObject"))
    assert "built without the flag" in text
    assert "--no-cache-dir --force-reinstall" in text


def test_the_flags_are_the_same_wherever_they_stand(pytestconfig: pytest.Config) -> None:
    for name in ("pyproject.toml", ".ci/setup"):
        assert f'"{BUILD_FLAGS}"' in (pytestconfig.rootpath / name).read_text(encoding="utf-8"), name
