"""Games at the table: evenings typed line by line, taken back, kept through a crash, and saved as scenarios."""

import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rulewright.cli.app import FAILED, OK, run_command
from rulewright.diagnostics import Fault
from rulewright.table.journal import Journal

ROOT = Path(__file__).parents[2]

MUSTER = (
    "Red is a side",
    "Blue is a side",
    "Archers is a unit of Red with 20 models, 20 health points and Discipline 7",
    "Bowmen is a unit of Blue with 10 models",
    'Archers is 18" from Bowmen',
)
VOLLEY = "Archers loses 5 health points to an attack of Bowmen"

ROUT = (
    "Uplands is a side",
    "Reavers is a side",
    'Axe Brothers is a unit of Reavers with 12 models, Movement 5", Leadership 7 and Cool 7',
    "Vanguard is a unit of Uplands with 5 models, 8 models at the start of the game, Leadership 7 and Cool 7",
    'Shield Wall is a unit of Uplands with 20 models, Movement 4", Leadership 7 and Cool 6',
    "Vanguard is engaged in combat with Axe Brothers",
    'Shield Wall is 12" from Vanguard',
    'Axe Brothers is 14" from Shield Wall',
    "the turn of Reavers starts",
    "the combat phase of Reavers starts",
    "Axe Brothers loses 2 models to an attack of Vanguard",
    "Vanguard loses a round of combat",
    "8",
    "roll",
    "roll",
    "stay in place",
)

WARBAND = (
    "Вълците са страна",
    "Рисовете са страна",
    "Бор е воин на Вълците с лидерство 7",
    "Явор е воин на Вълците с лидерство 7",
    "Хвойна е воин на Рисовете",
    "Явор е в бой с Хвойна",
    'Бор е на 8" от Явор',
    "Явор се пречупва",
    "оцеляване",
    'Явор пробягва 7"',
)

Play = Callable[..., tuple[int, str]]


@pytest.fixture(autouse=True)
def _with_its_own_games(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def play(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Play:
    """Plays lines in the journal ``evening.scenario``, and gives the exit code and all that was printed."""

    def played(
        *lines: str, edition: str = "t9a-2", options: tuple[str, ...] = (), file: str = "evening"
    ) -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        code = run_command(["play", edition, str(tmp_path / f"{file}.scenario"), *options])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        assert "internal error" not in out + err
        return code, out + err

    return played


def steps_of(capsys: pytest.CaptureFixture[str], file: Path) -> list[object]:
    """The steps of the scenario of a file, without the numbers of its rules."""
    run_command(["run", str(file), "--json"])
    return json.loads(capsys.readouterr().out)["steps"]


# --- evenings ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("edition", "lines"),
    [("t9a-2", (*MUSTER, "the shooting phase starts", VOLLEY, "8")), ("psychology", ROUT), ("skirmish", WARBAND)],
)
def test_an_evening_is_saved_as_a_scenario_that_passes_and_plays_alike(
    play: Play, capsys: pytest.CaptureFixture[str], tmp_path: Path, edition: str, lines: tuple[str, ...]
) -> None:
    saved = tmp_path / "saved.scenario"
    save = "запиши" if edition == "skirmish" else "save"
    options = ("--seed", "1", *(("--lang", "bg") if edition == "skirmish" else ()))
    code, out = play(*lines, f"{save} {saved}", edition=edition, options=options)
    assert (code, "[RW" in out) == (OK, False)
    assert run_command(["check", str(saved)]) == OK
    assert run_command(["test", str(saved)]) == OK
    assert "  then " in saved.read_text() or "  тогава " in saved.read_text()
    capsys.readouterr()
    kept = steps_of(capsys, tmp_path / "evening.scenario")
    assert kept == steps_of(capsys, saved)
    assert len(kept) > 3
    _, again = play(edition=edition, options=options)
    assert str(len([line for line in lines if line])) in again.splitlines()[0]


def test_rulings_are_laid_out_as_run_does(play: Play, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out = play(*MUSTER, "the shooting phase starts", VOLLEY, "8")
    run_command(["run", str(tmp_path / "evening.scenario")])
    ruled = capsys.readouterr().out
    steps = ruled[ruled.index(" 5  Archers fails") :]
    assert steps in out
    assert "failed     Archers rolls 8 on 2D6" in out


def test_lines_of_a_scenario_may_keep_their_keywords(play: Play, tmp_path: Path) -> None:
    play(*MUSTER, "the shooting phase starts", VOLLEY, "8")
    bare = (tmp_path / "evening.scenario").read_text()
    lines = [line.strip() for line in bare.splitlines()[4:]]
    code, _ = play("# from the book", "", *lines, file="other")
    assert code == OK
    assert (tmp_path / "other.scenario").read_text() == bare.replace("scenario evening", "scenario other")


def test_things_enter_in_the_middle_and_events_happen_together(
    play: Play, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out = play(
        *MUSTER,
        "the shooting phase starts",
        "Knights is a unit of Blue with 5 models",
        'Archers is 10" from Knights',
        "Archers loses 1 health points and at the same time Bowmen loses 2 models",
        f"save {tmp_path / 'saved.scenario'}",
    )
    assert (code, out.count("so it is from now on")) == (OK, 2)
    assert "  and at the same time Bowmen loses 2 models\n" in (tmp_path / "saved.scenario").read_text()
    assert run_command(["check", str(tmp_path / "saved.scenario")]) == OK
    assert run_command(["test", str(tmp_path / "saved.scenario")]) == OK
    assert run_command(["convert", str(tmp_path / "saved.scenario"), "--to", "bg", "--in-place"]) == OK
    assert run_command(["test", str(tmp_path / "saved.scenario")]) == OK
    capsys.readouterr()


# --- going back and on ---------------------------------------------------------------------------------------------


def test_what_is_taken_back_is_gone_and_can_be_said_again(play: Play, tmp_path: Path) -> None:
    journal = tmp_path / "evening.scenario"
    play(*MUSTER, "the shooting phase starts", VOLLEY)
    asked = journal.read_text()
    code, out = play("8", "undo", "9", "undo 2", "redo 2", "undo", file="evening")
    assert code == OK
    assert out.count("taken back: Archers rolls") == 3
    assert out.rstrip().splitlines()[-2] == "Asked for: 2D6 for a Panic test of Archers (a total from 2 to 12)"
    assert journal.read_text() == asked


def test_there_is_an_end_to_undo_and_redo(play: Play) -> None:
    code, out = play(
        "undo", "redo", "Red is a side", "undo 7", "undo", "redo", "redo", "undo", "Blue is a side", "redo"
    )
    assert code == FAILED
    assert [out.count(f"RW060{n}") for n in (7, 8)] == [2, 3]


def test_seeded_dice_fall_alike_when_rolled_again(play: Play) -> None:
    _, out = play(*MUSTER, "the shooting phase starts", VOLLEY, "roll", "undo", "roll", options=("--seed", "5"))
    rolled = [line for line in out.splitlines() if line.startswith("Archers rolls")]
    assert len(rolled) == 2
    assert len(set(rolled)) == 1


def test_a_choice_of_a_player_is_not_rolled(play: Play) -> None:
    _, out = play(*ROUT[:12], "8", "undo", "roll", edition="psychology")
    assert "RW0610" not in out
    code, out = play("roll", edition="psychology", file="other")
    assert (code, "RW0609" in out) == (FAILED, True)


def test_a_new_game_sets_the_old_one_aside(play: Play, tmp_path: Path) -> None:
    play(*MUSTER)
    kept = (tmp_path / "evening.scenario").read_text()
    code, out = play("new", "Green is a side", "new", "history")
    assert (code, "Nothing has been said yet." in out) == (OK, True)
    assert (tmp_path / "evening-1.scenario").read_text() == kept
    assert "Green" in (tmp_path / "evening-2.scenario").read_text()


# --- asking --------------------------------------------------------------------------------------------------------


def test_questions_and_explanations_change_nothing(play: Play, tmp_path: Path) -> None:
    play(*MUSTER, "the shooting phase starts", VOLLEY)
    before = (tmp_path / "evening.scenario").read_text()
    code, out = play(
        "may Archers shoot?",
        "is the Discipline of Archers at least 7?",
        "what applies to Archers?",
        "odds Archers fails a Panic test",
        "whatif Archers is fleeing",
        "why Archers takes a Panic test?",
        "why not flee-from-cause?",
        "facts",
        "history",
        "help",
        "?",
    )
    assert code == OK
    for told in ("nothing forbids it", "7, held against 7", "41.7%", "applies heavy-losses", "Archers belongs to Red"):
        assert told in out
    assert (tmp_path / "evening.scenario").read_text() == before


def test_what_was_folded_is_shown_by_more(play: Play) -> None:
    _, out = play(*MUSTER, VOLLEY, "odds", "more")
    assert "Rules that may apply (3 more lines; more)" in out
    assert "rule failed-test fires for Archers: 41.7%" in out


def test_what_would_have_to_change_is_told_at_the_table(play: Play) -> None:
    _, out = play(*MUSTER, VOLLEY, "6", "what if Archers is fleeing")
    assert "1 Archers rolls 8 for its Panic test (not 6)" in out
    _, out = play("undo", "9", "what if Archers is fleeing")
    assert "nothing asks any more for: Archers rolls 9 for its Panic test" in out


def test_dice_that_are_still_asked_for_are_why_something_is_not_so(play: Play) -> None:
    _, out = play(*MUSTER, VOLLEY, "why not Archers is fleeing")
    assert (
        "what would set it off did not happen: Archers fails a Panic test\n    the dice decide: 2D6 for a Panic" in out
    )


def test_an_answer_points_to_the_words_of_the_table(play: Play) -> None:
    _, out = play(*MUSTER, VOLLEY, "8", "why Archers passes a Panic test", "why not Archers is fleeing")
    assert "What is missing is told by: whynot Archers passes a Panic test" in out
    assert "on what grounds is told by: why Archers is fleeing" in out
    _, out = play("Вълците са страна", "започва ходът на Вълците", "why", edition="skirmish", file="other")
    assert "rulewright" not in out
    assert "What is missing" not in out


def test_a_question_without_its_mark_is_told_of(play: Play) -> None:
    code, out = play(*MUSTER, "may Archers shoot")
    assert (code, "end the line with `?`" in out) == (FAILED, True)


# --- what is refused -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Red is a sid", "did you mean `side`?"),
        ("Archers is a unit of Rde", "did you mean `Red`?"),
        ("Archers loses 5 helth points", "did you mean `5 health points`?"),
        ("Spears loses 5 health points", "nothing is called `Spears`"),
        ("Archers is a unit of Red", "there is already something called `Archers`"),
        ("Green is a side # for now", "RW0606"),
        ("a" * 3000, "RW"),
        ("undoo", "Did you mean the command `undo`?"),
        ("whynt heavy-losses", "Did you mean the command `whynot`?"),
        ("7", "RW0609"),
        ("save", "RW0613"),
        ("save /", "RW0611"),
        ("why bonkers", "RW0009"),
        ("odds", "RW0614"),
        ("what if", "RW0615"),
        ("more", "RW0616"),
        ("why not", "RW0615"),
        ("what is the weather?", "RW0010"),
        ("Archers rolls 7 for its Panic test", "RW"),
    ],
)
def test_a_wrong_line_is_told_of_and_the_game_goes_on(play: Play, tmp_path: Path, line: str, told: str) -> None:
    play(*MUSTER)
    before = (tmp_path / "evening.scenario").read_text()
    code, out = play(line, "history")
    assert (code, told in out) == (FAILED, True)
    assert (tmp_path / "evening.scenario").read_text() == before
    assert "  5  and Archers is 18" in out


@pytest.mark.parametrize("name", ["x" * 300, "/dev/null/here", "~nobody-of-that-name/here", "a\0b", "no/such/folder"])
def test_a_game_that_cannot_be_saved_there_goes_on(play: Play, name: str) -> None:
    code, out = play(*MUSTER, "the shooting phase starts", VOLLEY, f"save {name}", "7", "Archers is fleeing?")
    assert (code, "RW0018" in out, "passed     Archers rolls 7" in out) == (FAILED, True, True)


@pytest.mark.parametrize(
    "line", ["13", "many", "Archers flees", "the shooting phase ends", "Blue rolls 7 for its Panic test"]
)
def test_a_wrong_answer_leaves_the_request_open(play: Play, line: str) -> None:
    code, out = play(*MUSTER, "the shooting phase starts", VOLLEY, line, "7")
    assert code == FAILED
    assert out.count("Asked for: ") == 2
    assert "passed     Archers rolls 7 on 2D6" in out


def test_a_sentence_goes_before_a_word_of_command(play: Play, tmp_path: Path) -> None:
    code, _ = play(
        "Red is a side",
        "Save the Day is a unit of Red with 9 health points and Discipline 7",
        "Save the Day loses 3 health points",
    )
    assert code == OK
    assert "when Save the Day loses 3" in (tmp_path / "evening.scenario").read_text()


# --- files ---------------------------------------------------------------------------------------------------------


def test_without_a_file_the_game_is_kept_in_the_state_folder(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("Red is a side\n"))
    assert run_command(["play", "t9a-2"]) == OK
    place = tmp_path / "state" / "rulewright" / "t9a-2.scenario"
    assert str(place) in "".join(capsys.readouterr().out.split("\n"))
    assert "given Red is a side" in place.read_text()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0", "RW"),
        (b"language English\n\nrule one\n  when {unit} is destroyed\n  then {unit} takes a Panic test\n", "RW0602"),
        (b"language English\n\nscenario one\n  edition t9a-3\n  given Red is a side\n", "RW0603"),
        (b"language English\n\nscenario one\n  edition t9a-2\n  given Red is a sidd\n", "RW0605"),
        (b"no journal, and no end of line", "RW"),
    ],
)
def test_a_file_that_is_no_such_game_is_left_alone(play: Play, tmp_path: Path, text: bytes, code: str) -> None:
    file = tmp_path / "evening.scenario"
    file.write_bytes(text)
    status, out = play("Red is a side")
    assert (status, code in out) == (FAILED, True)
    assert file.read_bytes() == text


def test_a_game_keeps_its_readings(play: Play) -> None:
    chosen = ("--reading", "A-gen-01=exclusive")
    assert play("Red is a side", options=chosen)[0] == OK
    assert play("undo")[0] == OK
    assert play(options=chosen)[0] == OK
    code, out = play(options=("--reading", "A-gen-01=inclusive"))
    assert (code, "RW0604" in out) == (FAILED, True)


def test_a_journal_that_is_deleted_is_written_anew(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "evening.scenario")
    journal.append("one\n")
    journal.path.unlink()
    journal.append("two\n")
    assert journal.path.read_text() == "one\ntwo\n"
    journal.path.unlink()
    journal.cut(4)
    assert journal.path.read_text() == "one\n"
    journal.close()


@pytest.mark.parametrize("another", [False, True], ids=["written to", "replaced"])
def test_a_journal_that_something_else_changed_is_not_written_over(tmp_path: Path, another: bool) -> None:
    journal = Journal(tmp_path / "evening.scenario")
    journal.append("one\n")
    text = "uno\n" if another else "one\nmore\n"
    if another:
        (tmp_path / "other").write_text(text)
        (tmp_path / "other").replace(journal.path)
    else:
        journal.path.write_text(text)
    for change in (
        lambda: journal.append("two\n"),
        lambda: journal.cut(0),
        lambda: journal.begin("new\n"),
        lambda: journal.set_aside("new\n"),
    ):
        with pytest.raises(Fault) as raised:
            change()
        assert [d.name for d in raised.value.diagnostics] == ["changed-journal"]
        assert (journal.path.read_text(), journal.data) == (text, b"one\n")
    assert [p.name for p in tmp_path.iterdir()] == ["evening.scenario"]
    journal.close()


def test_without_any_home_a_file_must_be_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    code = run_command(["play", "t9a-2"])
    assert (code, "error[RW0618]" in capsys.readouterr().err) == (FAILED, True)


def test_an_unknown_edition_makes_no_file(play: Play, tmp_path: Path) -> None:
    code, out = play(edition="t9a-22")
    assert (code, "did you mean" in out) == (FAILED, True)
    assert not (tmp_path / "evening.scenario").exists()


# --- nothing is lost -----------------------------------------------------------------------------------------------


def started(file: Path, edition: str = "t9a-2") -> subprocess.Popen[str]:
    command = [sys.executable, "-u", "-m", "rulewright", "play", edition, str(file)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def test_a_killed_game_goes_on_where_it_was_and_is_only_played_once(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "evening.scenario"
    game = started(file)
    assert game.stdin is not None
    assert game.stdout is not None
    game.stdin.writelines(f"{line}\n" for line in (*MUSTER, "the shooting phase starts", VOLLEY))
    game.stdin.flush()
    while not game.stdout.readline().startswith("Asked for: "):
        assert game.poll() is None
    code, out = play("7")
    assert (code, "RW0600" in out) == (FAILED, True)
    game.send_signal(signal.SIGKILL)
    game.communicate()
    kept = file.read_bytes()
    file.write_bytes(kept + b"  and Archers rolls 1")  # what a write that was cut short leaves
    code, out = play("7", "history")
    assert code == OK
    assert "left out: and Archers rolls 1" in " ".join(out.split())
    assert "Asked for: 2D6" in out
    assert "  8  and Archers rolls 7 for its Panic test" in out
    assert file.read_bytes() == kept + b"  and Archers rolls 7 for its Panic test\n"


def test_at_a_terminal_sentences_are_completed(tmp_path: Path) -> None:
    file = tmp_path / "evening.scenario"
    screen, terminal = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80", "PROMPT_TOOLKIT_NO_CPR": "1"}
    command = [sys.executable, "-m", "rulewright", "play", "t9a-2", str(file)]
    game = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal, cwd=ROOT, env=environment)
    os.close(terminal)

    def until(wanted: bytes) -> None:
        shown = b""
        while wanted not in shown:
            assert select.select([screen], [], [], 60)[0], shown
            shown += os.read(screen, 4096)

    try:
        until(b"explains")
        for line in MUSTER[:3]:
            os.write(screen, line.encode() + b"\r")
            until(b"given")
        for begun, proposed in ((b"Arch", b"Archers"), (b"ers lo", b"loses a round of combat")):
            os.write(screen, begun)
            until(proposed)
        os.write(screen, b"\x03")  # broken off
        os.write(screen, b"\x04")  # and left
        until(b"All is kept")
        assert game.wait(timeout=60) == OK
    finally:
        game.kill()
        game.wait()
        os.close(screen)
    assert file.read_text().count("Archers") == 1
