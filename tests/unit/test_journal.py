"""The file that keeps a game: whole lines, one game at a time, and nothing lost."""

import errno
import os
from contextlib import closing
from pathlib import Path

import pytest

from rulewright.diagnostics import Fault
from rulewright.table.journal import Journal


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "below" / "game.scenario"


def test_what_is_appended_and_cut_is_in_the_file_at_once(file: Path) -> None:
    with closing(Journal(file)) as journal:
        journal.begin("one\n")
        journal.append("two\n")
        assert file.read_bytes() == journal.data == b"one\ntwo\n"
        journal.cut(4)
        assert file.read_bytes() == b"one\n"
        journal.append("три\n")
        assert file.read_text() == "one\nтри\n"
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("rest", [b"tw", "тр".encode()[:3], b"\0\0\0", b"tw\0\0"])
def test_a_torn_line_is_left_out_but_stays_until_something_is_written(file: Path, rest: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(b"one\n" + rest)
    with closing(Journal(file)) as journal:
        assert (journal.data, bool(journal.torn)) == (b"one\n", True)
        assert file.read_bytes() == b"one\n" + rest
        journal.append("two\n")
    assert file.read_bytes() == b"one\ntwo\n"


def test_two_games_do_not_share_a_file_even_after_it_was_written_anew(file: Path) -> None:
    with closing(Journal(file)) as journal:
        journal.begin("one\n")
        with pytest.raises(Fault, match="RW0600"):
            Journal(file)
    with closing(Journal(file)) as journal:
        assert journal.data == b"one\n"


def test_a_full_disk_leaves_what_was_there(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write

    def some(handle: int, data: bytes) -> int:
        return write(handle, data[:2])

    def none(handle: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with closing(Journal(file)) as journal:
        journal.begin("one\n")
        for full in (some, none):
            monkeypatch.setattr("rulewright.table.journal.os.write", full)
            for act in (lambda: journal.append("two\n"), lambda: journal.begin("three\n")):
                with pytest.raises(Fault, match="RW0601"):
                    act()
                assert file.read_bytes() == journal.data == b"one\n"
        monkeypatch.undo()
        journal.append("two\n")
    assert file.read_bytes() == b"one\ntwo\n"


def test_a_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    file.parent.mkdir()
    link = tmp_path / "link.scenario"
    link.symlink_to(file)
    with closing(Journal(link)) as journal:
        journal.begin("one\n")
    assert link.is_symlink()
    assert file.read_bytes() == b"one\n"
