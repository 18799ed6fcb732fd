"""What the verbs write: whole or not at all, and never in the place of what is no file."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from rulewright.cli.app import FAILED, OK, run_command

ROOT = Path(__file__).parents[2]
LOSSES = "rules/t9a-2/scenarios/heavy-losses.scenario"
EXPLAINED = (
    ("why", LOSSES),
    ("whynot", LOSSES, "heavy-losses"),
    ("whatif", LOSSES, "Archers is fleeing"),
    ("odds", LOSSES, "--forget-dice"),
    ("compare", "t9a-2", "t9a-3"),
    ("diff", "rules", "rules", "--no-scenarios"),
)


@pytest.mark.parametrize("command", EXPLAINED, ids=lambda command: command[0])
def test_an_answer_that_cannot_be_written_is_one_finding_and_leaves_nothing(
    command: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("as it was")
    for place in (tmp_path, tmp_path / "none" / "a", tmp_path / "file" / "a", tmp_path / ("x" * 300)):
        code = run_command([*command, "--output", str(place), "--lang", "en"])
        out, err = capsys.readouterr()
        assert (code, out, err.count("error[")) == (FAILED, "", 1)
        assert err.startswith("error[RW0018]: ")
        assert str(place)[:20] in re.sub(r"\s+", "", err)
        assert ".new" not in err
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert (tmp_path / "file").read_text() == "as it was"


def test_a_pipe_is_written_into_and_stays_a_pipe(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    assert run_command(["why", LOSSES, "--output", str(pipe)]) == OK
    reader.join(60)
    assert pipe.is_fifo()
    assert capsys.readouterr().out == ""
    run_command(["why", LOSSES])
    assert read == [capsys.readouterr().out]


@pytest.mark.parametrize("command", EXPLAINED, ids=lambda command: command[0])
def test_a_reader_who_has_gone_is_no_failure(command: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "engine")}
    done = subprocess.run(
        [sys.executable, "-m", "rulewright", *command],
        stdout=writing,
        stderr=subprocess.PIPE,
        env=environment,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (OK, b"")
