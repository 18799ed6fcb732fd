"""The grammar and the rules are found where the module says they are."""

from pathlib import Path

import pytest

from rulewright import assets

ROOT = Path(__file__).parents[2]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, data in {
        "grammar/a.lark": "дума: WORD\r\n".encode(),
        "grammar/keywords/en.toml": b"",
        "grammar/keywords/bg.toml": b"",
        "grammar/keywords/notes.md": b"",
        "rules/README.md": b"",
        "rules/b-1/panic.rules": b"\xff",
        "rules/b-1/scenarios/near.scenario": b"",
        "rules/b-1/.hidden": b"",
        "rules/a-2/x.rules": b"",
        "rules/__pycache__/x.pyc": b"",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    monkeypatch.setenv(assets.VARIABLE, str(tmp_path))
    return tmp_path


def test_the_checkout_is_found_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(assets.VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    stored = sorted(path.name for path in (ROOT / "rules").iterdir() if path.is_dir())
    assert list(assets.rules_folders()) == stored
    assert assets.keyword_tables()


@pytest.mark.usefixtures("elsewhere")
def test_the_variable_goes_first() -> None:
    assert assets.grammar_text("a.lark") == "дума: WORD\r\n"
    assert assets.keyword_tables() == ("keywords/bg.toml", "keywords/en.toml")
    assert assets.rules_folders() == ("a-2", "b-1")
    assert assets.rules_files() == (
        "README.md",
        "a-2/x.rules",
        "b-1/panic.rules",
        "b-1/scenarios/near.scenario",
    )
    assert assets.rules_files("b-1", ".scenario") == ("b-1/scenarios/near.scenario",)


@pytest.mark.usefixtures("elsewhere")
def test_what_is_not_text_comes_as_bytes() -> None:
    assert assets.rules_bytes("b-1/panic.rules") == b"\xff"
    with pytest.raises(UnicodeDecodeError):
        assets.rules_text("b-1/panic.rules")


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("name", ["../secret", "/etc/hosts", "b-1/../../x", "", "b-1//x", "c:x", "..\\x"])
def test_no_name_leads_outside(name: str) -> None:
    with pytest.raises(ValueError, match="is not the name of a file"):
        assets.rules_bytes(name)


@pytest.mark.usefixtures("elsewhere")
def test_a_missing_file_is_a_missing_file() -> None:
    with pytest.raises(FileNotFoundError):
        assets.rules_bytes("b-1/none.rules")


def test_a_folder_without_them_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(assets.VARIABLE, str(tmp_path))
    with pytest.raises(assets.AssetsNotFoundError, match=assets.VARIABLE) as caught:
        assets.rules_root()
    assert str(tmp_path) in str(caught.value)
