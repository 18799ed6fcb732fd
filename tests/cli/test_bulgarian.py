"""The verbs in Bulgarian: what they say, and that no English is left in it."""

import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from terminal import at_terminal

from rulewright.cli.app import FAILED, OK, USAGE, VERBS, build_app, run_command
from rulewright.cli.help import option_key
from rulewright.speech import messages

ROOT = Path(__file__).parents[2]
ALONE = "rules/skirmish/scenarios/alone.scenario"

OPEN = """език български

сценарий отворен "Никой не е хвърлил"
  издание skirmish
  дадено е, че Вълците са страна
  и Рисовете са страна
  и Бор е воин на Вълците с лидерство 7
  и Хвойна е воин на Рисовете
  и Габър е воин на Рисовете
  и Бор е в бой с Хвойна
  и Бор е в бой с Габър
  когато свършва фазата на ръкопашен бой на Вълците
  тогава правилото сам-в-края-на-фазата се прилага за Бор
"""


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def rulewright(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_command([*arguments, "--lang", "bg"])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "вътрешна грешка" not in out + err
    return code, out, err


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    file = tmp_path / "отворен.scenario"
    file.write_text(OPEN, encoding="utf-8")
    return file


# --- no English is left --------------------------------------------------------------------------------------------

_WORD = re.compile(r"[A-Za-z]{2,}")
_ALLOWED = re.compile(
    r"`[^`]*`"  # what the user wrote
    r"|\b[\w./-]+\.(?:rules|scenario)\b[:\d]*"  # files
    r"|(?<![\w-])--[a-z-]+|\bRW\d{4}|\b\d*D6\b|durable_rules|rulewright(?: [a-z]+)?|JSON"
    r"|\b(?:[A-Z]-)?(?:bg|gen|t2|t3|x|C|psy)-[\w-]+"  # ids of sentences and assumptions
    r"|\bskirmish\b|\bt9a-[23]\b|\b[a-z]+(?:\.[a-z-]+)+",  # editions, concepts
)


def english_words() -> set[str]:
    """The words of the English table that are not words of the Bulgarian one as well."""
    own = {w for text in messages("bg").values() for w in _WORD.findall(text)}
    return {w.casefold() for text in messages("en").values() for w in _WORD.findall(re.sub(r"\{.*?\}", "", text))} - {
        w.casefold() for w in own
    }


ENGLISH = english_words()


def english_in(text: str) -> set[str]:
    """English words that a text holds, beside names and what stands in quotation marks of the user."""
    text = re.sub(r"\n\s+(?=\S)", " ", text)
    return {w.casefold() for w in _WORD.findall(_ALLOWED.sub(" ", text))} & ENGLISH


def without_shared_texts(text: str) -> str:
    """Without what the shared vocabulary says in English: titles, readings, blocks; and without concepts."""
    text = "\n\n".join(part for part in text.split("\n\n") if not part.startswith("# rules/vocabulary/"))
    text = re.sub(r"„[^“а-яА-Я]*“", "", text)
    return "\n".join(line for line in text.splitlines() if not re.search(r"A-gen-|[Ww]ithin|clusive|  понятие ", line))


@pytest.mark.parametrize("file", sorted(p.name for p in (ROOT / "rules/skirmish/scenarios").glob("*.scenario")))
def test_no_english_is_left_in_a_run(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = rulewright(capsys, "run", f"rules/skirmish/scenarios/{file}")
    assert (code, err) == (OK, "")
    assert english_in(without_shared_texts(out)) == set()
    assert "[en]" not in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    "command",
    [
        ("test", "rules/skirmish"),
        ("check", "rules/skirmish"),
        ("show", "skirmish"),
        ("show", "skirmish", "бягство"),
        ("readings", "skirmish"),
        ("readings", "skirmish", "A-gen-01=exclusive"),
        ("ask", ALONE, "какво важи за Бор?"),
        ("ask", ALONE, "бяга ли Бор?"),
        ("ask", ALONE, "може ли Бор да отвърне с удар?"),
        ("test", ALONE, "--coverage"),
        ("whatif", ALONE, "Бор бяга"),
        ("whatif", ALONE, "правилото удари-в-гърба се прилага"),
        ("whatif", ALONE, '--set=Бор е на 6" от Ела'),
        ("whatif", ALONE, "--reading", "A-gen-01=exclusive"),
    ],
    ids=" ".join,
)
def test_no_english_is_left_in_the_other_verbs(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = rulewright(capsys, *command)
    assert out
    assert english_in(without_shared_texts(out + err)) == set()


WRONG = {
    "тогава правилото сам-в-края-на-фазата се прилага за Бор": [
        ("тогава правилото сам-в-края-на-фазта се прилага за Бор", "RW0009", "може би `сам-в-края-на-фазата`?"),
        ("тогава правилото сам-в-края-на-фазата се прилага за Борис", "RW0203", "нищо не се нарича `Борис`"),
        ("тогава Бор лети", "RW0201", "не отговаря на никоя фраза от речника"),
        ("тогаво Бор бяга", "RW0120", "може би `тогава`?"),
    ],
    "и Бор е в бой с Габър": [
        ("и Бор е в бой с Вълците", "RW0204", "`Вълците` е от вид „страна“, а тук се иска нещо от вид „отряд“"),
        ('и Бор е на над 6" от Габър', "RW0201", "най-близки фрази"),
        ("  и Бор е в бой с Габър", "RW0108", "с по-голям отстъп от реда над него"),
        ("и Бор е на поне 6 инча от Габър", "RW0", "съвет:"),
    ],
    "  издание skirmish": [
        ("  издание skirmsh", "RW0005", "няма издание `skirmsh`"),
        ("  бележка без издание", "RW0306", "непълен блок (сценарий `отворен`), липсва: издание"),
    ],
    "език български": [
        ("език бългрски", "RW0101", "първият ред трябва да назовава езика на файла"),
        ("език български\n\nблок нещо", "RW01", "съвет:"),
    ],
    'сценарий отворен "Никой не е хвърлил"': [
        ('сценарий отворен "Никой', "RW0116", "кавичка е отворена, но не е затворена"),
        ("сценарий отворен врата", "RW0115", "може да стои само заглавие в кавички"),
        ('сценари отворен "Никой"', "RW0111", "може би `сценарий`?"),
    ],
    "  когато свършва фазата": [
        ("когато свършва фазата", "RW0107", "стои в левия край"),
        ("  тогава Бор бяга\n  дадено е, че Бор бяга\n  когато свършва фазата", "RW03", "съвет:"),
    ],
}


@pytest.mark.parametrize(
    ("right", "wrong", "code", "told"), [(right, *case) for right, cases in WRONG.items() for case in cases]
)
def test_findings_are_told_in_bulgarian(
    right: str, wrong: str, code: str, told: str, opened: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert right in OPEN
    opened.write_text(OPEN.replace(right, wrong), encoding="utf-8")
    result, out, _ = rulewright(capsys, "check", str(opened))
    text = re.sub(r"\s+", " ", out)
    assert result == FAILED
    assert f"грешка[{code}" in text
    assert told in text
    assert "съвет: " in text
    assert re.search(r"\d+ греш(?:ка|ки), \d+ предупреждени[ея]", text)
    assert english_in(out.replace(str(opened), "")) == set()


def test_findings_in_rules_are_told_in_bulgarian(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(ROOT / "rules" / "vocabulary", tmp_path / "rules" / "vocabulary")
    shutil.copytree(ROOT / "rules" / "skirmish", tmp_path / "rules" / "skirmish")
    more = """език български

правило едно "Едно"
  цитира bg-999
  когато {unit} бяга
  тогава {unit} е унищожен

правило две
  когато {unit} побягва
  и {друг} е враг на {unit}
  и {фаза} бяга
  и има {трети}
  има предимство пред тру
  тогава {unit} е нещо

определение празно "Празно"
  ако {unit} бяга
"""
    (tmp_path / "rules" / "skirmish" / "още.rules").write_text(more, encoding="utf-8")
    code, out, _ = rulewright(capsys, "check", "--rules", str(tmp_path / "rules"), str(tmp_path / "rules" / "skirmish"))
    assert code == FAILED
    assert out.count("грешка[") > 3
    text = out.replace(str(tmp_path), "")
    assert english_in(without_shared_texts(text)) == set()


# --- the verbs -----------------------------------------------------------------------------------------------------


def test_run_tells_all_in_bulgarian(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = rulewright(capsys, "run", ALONE, "приятел-твърде-далеч")
    assert (code, err) == (OK, "")
    for told in (
        "приятел-твърде-далеч, издание skirmish",
        "прилага се откъсване „Боят за него свършва“",
        "отпада     удари-в-гърба",
        "заради собственото си изключение",
        "цитира bg-034",
        "приема A-bg-25: ",
        "неуспех    Бор: хвърлено 8 с 2D6",
        "нужно е: резултатът е най-много лидерството на Бор",
        "8 > 7",
        "избор на Рисовете: удар измежду пощада, удар",
        "жребий: оцеляване измежду",
        "Очаквано\n  да   ",
    ):
        assert told in out


def test_english_files_are_explained_in_bulgarian(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "run", "rules/t9a-2/scenarios/heavy-losses.scenario", "heavy-losses")
    assert code == OK
    for told in (
        " 2  Archers губи 5 точки живот от атака на Bowmen",
        "точките живот на Archers: 15",
        "- Bowmen е враг на Archers",
        "5 ≥ 5 (25% от 20)",
        "=> Archers прави тест за паника",
        "неуспех    Archers: хвърлено 8 с 2D6",
        "нужно е: резултатът е най-много дисциплината на Archers",
        "Archers се проваля на тест за паника",
    ):
        assert told in out


def test_bulgarian_files_are_explained_in_english(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["run", ALONE, "приятел-твърде-далеч", "--lang", "en"]) == OK
    out, _ = capsys.readouterr()
    for told in ("the melee phase of Вълците ends", "- Бор belongs to Вълците", "Бор takes an All Alone test"):
        assert told in out
    assert "needs: the total is at most the Leadership of Бор" in out


def test_the_locale_chooses_and_the_option_goes_before_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "bg_BG.UTF-8")
    assert run_command(["test", ALONE]) == OK
    assert re.fullmatch(r"успешни: \d+, неуспешни: 0\n", capsys.readouterr().out)
    assert run_command(["test", ALONE, "--lang=en"]) == OK
    assert re.fullmatch(r"\d+ passed, 0 failed\n", capsys.readouterr().out)
    assert run_command(["test", ALONE, "--lang=xx"]) == USAGE


def test_test_says_why_in_bulgarian(opened: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = OPEN.replace("когато свършва", "когато започва").replace("тогава", "тогава Бор бяга\n  и")
    opened.write_text(text, encoding="utf-8")
    code, out, _ = rulewright(capsys, "test", str(opened))
    assert code == FAILED
    for told in (
        f"НЕУСПЕХ отворен ({opened}:3)",
        "ред 13",
        "очаквано: Бор бяга",
        "получено: не е така",
        "защо:     ",
        "получено: не се\n          приложи",
        "неуспешни: отворен",
        "успешни: 0, неуспешни: 1",
    ):
        assert told in out
    assert english_in(out.replace(str(opened), "")) == set()


def test_a_missing_die_is_told_in_bulgarian(opened: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = rulewright(capsys, "run", str(opened))
    text = re.sub(r"\s+", " ", err)
    assert code == FAILED
    assert "грешка[RW0521]: тук е нужно хвърляне, което никой не е направил: 2D6 за тест за самота на Бор" in text
    assert "добавете ред като `и Бор хвърля 7 за своя тест за самота`" in text


def test_a_person_is_asked_in_bulgarian(
    opened: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    at_terminal(monkeypatch, "помощ", "тринайсет", "7")
    code, out, _ = rulewright(capsys, "run", str(opened))
    assert code == OK
    assert "2D6 за тест за самота на Бор (сбор от 2 до 12) > " in out
    told = " ".join(out.split())
    assert told.count("Хвърлете 2D6 и напишете сбора, цяло число от 2 до 12. `край` прекратява играта.") == 2
    assert "`тринайсет` не е отговор на това." in told
    assert out.rstrip().endswith("и Бор хвърля 7 за своя тест за самота")
    at_terminal(monkeypatch, "край")
    code, out, _ = rulewright(capsys, "run", str(opened))
    assert code == FAILED
    assert out.rstrip().endswith("Сценарият отворен не беше изигран докрай.")


def test_ask_answers_in_bulgarian(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "ask", ALONE, "бяга ли Бор?")
    assert code == OK
    assert out.startswith("да\n  Бор бяга\n    по бягство „")
    code, out, _ = rulewright(capsys, "ask", ALONE, "бяга ли Ела?")
    assert out.startswith("не: нищо не казва така")
    _, out, _ = rulewright(capsys, "ask", ALONE, "какво важи за Бор?")
    assert "разстоянието между Бор и Ела: 6,5" in out
    assert "по определението enemies" in out
    code, _, err = rulewright(capsys, "ask", ALONE, "лети ли Бор?")
    assert code == FAILED
    assert "не е въпрос, на който може да се отговори" in re.sub(r"\s+", " ", err)


def test_data_keeps_its_keys_and_has_its_texts_in_bulgarian(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = rulewright(capsys, "run", ALONE, "приятел-твърде-далеч", "--json")
    data = json.loads(out)
    assert data["schema"] == "rulewright/run/1"
    step = data["steps"][1]
    assert (step["event"], step["test"]["outcome"]) == ("Бор прави тест за самота", "failed")
    _, out, _ = rulewright(capsys, "ask", ALONE, "бяга ли Ела?", "--json")
    assert (json.loads(out)["answer"], json.loads(out)["note"]) == ("no", "нищо не казва така")
    _, out, _ = rulewright(capsys, "check", "нищо.scenario", "--json")
    (finding,) = json.loads(out)["diagnostics"]
    assert (finding["code"], finding["severity"]) == ("RW0001", "error")
    assert finding["message"] == "`нищо.scenario` не може да се прочете: няма такъв файл или папка"


def test_show_readings_and_coverage_speak_bulgarian(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = rulewright(capsys, "show", "skirmish")
    assert "# източник: Схватки; изречения: 39, преписани като правила: " in out
    assert "#   не се моделира bg-001: е заглавие" in out
    _, out, _ = rulewright(capsys, "show", "skirmish", "--vocabulary")
    for told in ("# вид", "# име от вид „мерна единица“", "# събитие", "# величина", "# съкращение", "  (не) "):
        assert told in out
    _, out, _ = rulewright(capsys, "readings", "skirmish")
    assert "  взема   inclusive: " in out
    _, out, _ = rulewright(capsys, "readings", "skirmish", "A-gen-01=exclusive")
    assert re.search(r"с друг ход: \d+ сценари[йя], със същия: \d+ сценария", out)
    _, out, _ = rulewright(capsys, "test", "rules/skirmish/scenarios/rout.scenario", "--coverage")
    assert re.search(r"skirmish: правила: \d+ от \d+ приложени, \d+ от \d+ възпрени; клаузи: \d+ от \d+", out)
    assert "няма случай, в който се прилага" in out


# --- help and usage ------------------------------------------------------------------------------------------------


def test_the_help_of_the_program_is_bulgarian(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "--help")
    assert code == OK
    assert out.startswith("Употреба: rulewright КОМАНДА")
    for told in ("─ Команди ─", "Изиграва сценарии и обяснява", "Показва тази помощ и излиза."):
        assert told in out


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_every_verb_is_bulgarian(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, verb, "--help")
    assert code == OK
    assert re.match(rf"Употреба: rulewright {verb} (?:--to STR )?\[ОПЦИИ\]", out)
    assert "--lang CODE" in out
    assert english_in(re.sub(r"\[?[A-Z]{3,}\]?(?:\.\.\.)?", "", out)) == set()


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_has_its_help(verb: str) -> None:
    arguments = build_app(verb)[verb].assemble_argument_collection()
    names = [a.name.removeprefix("--").casefold() for a in arguments if a.name != "*"]
    for code in ("en", "bg"):
        assert [name for name in names if option_key(verb, name) not in messages(code)] == []


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (
            ["летене"],
            f"Няма команда „летене“. Командите са: {', '.join(VERBS)}.",
        ),
        (["tset"], 'Може би "test"?'),
        (["run"], "Командата „run“ иска стойност за SCENARIO."),
        (["run", "x", "--jso"], "Няма опция --jso. Може би --json?"),
        (["run", "x", "y", "z"], "Излишни думи: `z`."),
        (["run", "x", "--seed", "много"], "Неподходяща стойност за --seed: „много“ не е цяло число."),
        (["run", "x", "--seed"], "Командата „run“ иска стойност за --seed."),
        (["test", "--at-least", "200"], "Неподходяща стойност „200“ за --at-least. Трябва да е <= 100."),
        (["test", "--at-least", "2", "--at-least", "3"], "--at-least е зададено няколко пъти."),
    ],
)
def test_what_is_wrong_with_a_command_is_told_in_bulgarian(
    command: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = rulewright(capsys, *command)
    assert code == USAGE
    assert "─ Грешка ─" in err
    assert told in re.sub(r"[\s│]+", " ", err)


def test_a_missing_engine_is_explained_in_bulgarian(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "rulewright.backends.durable", None)
    _, _, err = rulewright(capsys, "run", ALONE)
    assert err.startswith("Машината за правила, durable_rules, не може да се зареди: ")
    assert "с pip" in err


def test_options_may_be_called_by_their_names_in_either_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ROOT / ALONE).read_text(encoding="utf-8")
    first = text[: text.index("\nсценарий", text.index("сценарий") + 1)]
    file = tmp_path / "избор.scenario"
    left = [line for line in first.splitlines() if "избират" not in line and "жребият" not in line]
    file.write_text("\n".join(left) + "\n", encoding="utf-8")
    at_terminal(monkeypatch, "a hit", "пощада", "оцеляване")
    run_command(["run", str(file), "--lang", "en"])
    out, _ = capsys.readouterr()
    assert "the player picks (Рисовете) for Габър: " in out
    lines = [line.strip() for line in out.splitlines()[-3:]]
    assert lines == ["и Рисовете избират удар", "и Рисовете избират пощада", "и жребият посочва оцеляване за Габър"]


# --- names, titles, readings -------------------------------------------------------------------------------------


def test_names_in_a_command_are_read_as_those_of_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    apart = unicodedata.normalize("NFD", "няма-кой-да-води")
    assert apart != "няма-кой-да-води"
    code, out, _ = rulewright(capsys, "show", "skirmish", apart)
    assert code == OK
    assert "правило няма-кой-да-води" in out


def test_titles_assumptions_and_readings_are_told_in_the_language_spoken(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = rulewright(capsys, "run", "rules/t9a-2/scenarios/heavy-losses.scenario", "heavy-losses")
    told = " ".join(out.split())
    assert "remove-casualties „Casualties" not in told
    assert "приема A-gen-03: четвъртината се взема точно, без закръгляне" in told
    _, out, _ = rulewright(capsys, "readings", "t9a-2")
    assert "rounded-down: четвъртината се закръглява надолу" in " ".join(out.split())


def test_a_failure_tells_the_readings_in_force(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.scenario"
    file.write_text(
        "language English\n\nscenario s\n  edition t9a-2\n  reading A-gen-03 rounded-down\n  given Red is a side\n"
        "  and Archers is a unit of Red with 20 models\n  when Archers flees\n  then rule heavy-losses fires\n",
        encoding="utf-8",
    )
    code, out, _ = rulewright(capsys, "test", str(file), "--rules", "rules")
    assert code == FAILED
    assert "\n  прочит A-gen-03 rounded-down вместо exact: четвъртината се закръглява надолу" in out


def test_without_grammar_there_is_one_line_and_no_traceback(tmp_path: Path) -> None:
    environment = {**os.environ, "RULEWRIGHT_ASSETS": str(tmp_path), "PYTHONPATH": str(ROOT / "engine"), "LANG": "bg"}
    for more in ([], ["--lang", "en"]):
        command = [sys.executable, "-m", "rulewright", "check", *more]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == FAILED
        assert done.stderr.count("\n") == 1
        assert str(tmp_path) in done.stderr


# --- good Bulgarian ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scenario", "told"),
    [
        ("t9a-2/scenarios/heavy-losses.scenario heavy-losses", "извън боя през тази фаза са поне 25% от точките живот"),
        ("t9a-2/scenarios/heavy-losses.scenario heavy-losses", "преди тази загуба са по-малко от 25% от точките живот"),
        ("t9a-2/scenarios/heavy-losses.scenario heavy-losses", "няма друг, където друг е враг на Archers"),
        ("t9a-2/scenarios/heavy-losses.scenario heavy-losses", "„Последните рани са нанесени с атака на враг“"),
        ("t9a-2/scenarios/heavy-losses.scenario heavy-losses", "приема A-gen-03: четвъртината се взема точно"),
        ("skirmish/scenarios/battles.scenario", "- Вълците имат право на доброволно оттегляне"),
        ("psychology/scenarios/battles.scenario", "- не е вярно, че Broken Crowns не може да стреля"),
    ],
)
def test_explanations_are_good_bulgarian(scenario: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    file, *name = scenario.split(" ")
    code, out, err = rulewright(capsys, "run", f"rules/{file}", *name)
    text = re.sub(r"\s+", " ", out)
    assert (code, err) == (OK, "")
    assert told in text
    assert " , " not in text
    assert not re.search(r"[a-z-]+\.unit\b", text)


@pytest.mark.parametrize("edition", ["psychology", "skirmish", "t9a-2", "t9a-3"])
def test_no_variable_is_called_by_an_english_name(edition: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = rulewright(capsys, "show", edition)
    assert len(re.findall(r"\{[^}]*\}", out)) > 20
    assert re.findall(r"\{[^}]*[A-Za-z][^}]*\}", out) == []


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("psychology worst-of-the-parts", "е най-високата стойност на бонуса за страх на {съставна-част}"),
        ("psychology character-leaves", "където {по-нисък} е присъединен към {отряд}"),
        ("psychology half-without-odd", "се равнява на половината от фигурите на {отряд}, закръглена надолу"),
        ("t9a-3 best-courage-found", "е най-високата стойност на смелостта на {участник}"),
    ],
)
def test_rules_read_back_are_good_bulgarian(rule: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = rulewright(capsys, "show", *rule.split(" "))
    assert code == OK
    assert said in out


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("провали ли се Бор на теста за самота?", "да: стъпка 3"),
        ("пречупи ли се Бор?", "да: стъпка 5"),
        ("Бор пречупи ли се?", "да: стъпка 5"),
        ("пречупва ли се Ела?", "не: не се случи"),
        ("побягна ли Бор?", "да: стъпка 12"),
        ("Ела съборена ли е?", "не"),
        ("напълно сам ли е Бор?", "не"),
        ("лидерството на Бор поне 7 ли е?", "да: 7 срещу 7"),
        ("поне 8 ли е лидерството на Бор?", "не: 7 срещу 8"),
    ],
)
def test_questions_come_in_any_usual_order(question: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = rulewright(capsys, "ask", ALONE, question, "приятел-твърде-далеч")
    assert (code, err) == (OK, "")
    assert out.startswith(answer)


def test_why_a_file_cannot_be_written_is_told_in_bulgarian(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for place, why in (
        (tmp_path / "липсва" / "a.scenario", "няма такъв файл или папка"),
        (tmp_path, "това е папка"),
        (tmp_path / ("о" * 300), "името е твърде дълго"),
    ):
        code, out, err = rulewright(capsys, "convert", ALONE, "--to", "en", "--output", str(place))
        text = re.sub(r"\s+", " ", err + out)
        assert code == FAILED
        assert "грешка[RW0018]: " in text
        assert f"не може да се запише: {why}" in text
        assert list(tmp_path.iterdir()) == []


def test_why_a_path_cannot_be_read_is_told_in_bulgarian(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = rulewright(capsys, "run", f"{ALONE}/x.scenario")
    assert code == FAILED
    assert "част от пътя не е папка" in re.sub(r"\s+", " ", out + err)
