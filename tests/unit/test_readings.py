"""Readings of the source: which blocks are in force, what another option changes, and what is said of the others."""

import json
from importlib import resources
from pathlib import Path

import jsonschema
import pytest

import rulewright
from rulewright.backends.reference import ReferenceMatcher
from rulewright.cli.app import FAILED, OK, USAGE, run_command
from rulewright.diagnostics import Fault
from rulewright.explain.rules import items_of, read_back
from rulewright.model import ReadingChoice
from rulewright.resolve.readings import assumption_of
from rulewright.scenarios.runner import play
from rulewright.session.session import Session
from rulewright.syntax.keywords import languages
from rulewright.syntax.parser import parse
from rulewright.text import Source
from rulewright.workspace import Tree, load_cached, load_edition, load_for, options_of, read_scenarios

BASE = Path(__file__).parents[1] / "conformance" / "base"

RULES = """language English

reading A-1 "Whom does it frighten"
  concept fear.whom
  cites s2
  takes many "it frightens all that are near"
  instead of few "it frightens only those that already flee"
  instead of none "it frightens nobody"

reading A-2 "How near is near"
  takes at "exactly six inches are near"
  instead of below "exactly six inches are too far"

shorthand near
  assuming A-2 at
  role {one} is a unit
  role {other} is a unit
  en: {one} is near {other}
  stands for the distance between {one} and {other} is at most 6

shorthand near
  assuming A-2 below
  role {one} is a unit
  role {other} is a unit
  en: {one} is near {other}
  stands for the distance between {one} and {other} is less than 6

rule fright "A fright for all"
  cites s2
  assuming A-1 many
  assuming A-2 at or below
  when {other} flees
  and {unit} is near {other}
  then {unit} breaks from combat

rule fright "A fright for those who flee"
  cites s2
  assuming A-1 few
  when {other} flees
  and {unit} is near {other}
  and {unit} is fleeing
  then {unit} breaks from combat

rule calm "Nobody minds"
  cites s2
  assuming A-1 none
  when {unit} flees
  then {unit} takes a Panic test
    on success {unit} is engaged in combat

rule hold "Those who break do no harm to the calm"
  cites s2
  assuming A-1 "a text in quotation marks depends on nothing"
  when {unit} flees
  and the health points of {unit} are exactly 1
  then {unit} is destroyed
  overrides calm
  regardless of dull

exemption dull "Dull ones take no test"
  cites s2
  assuming A-1 few or none
  {unit} takes no Panic test
  while the Discipline of {unit} is exactly 2

rule after-calm "What follows from calm"
  cites s2
  when {unit} takes a Panic test
  and this comes from the rule calm
  then {unit} is destroyed
"""

SCENARIOS = """language English

scenario plain "At six inches"
  edition e
  given Spears is a unit with Discipline 7
  and Bows is a unit
  and the distance between Spears and Bows is 6
  when Spears flees
  then rule fright fires for Bows
  and Bows breaks from combat
  and rule calm does not fire

scenario own "Under an option of its own"
  edition e
  reading A-2 below
  given Spears is a unit with Discipline 7
  and Bows is a unit
  and the distance between Spears and Bows is 6
  when Spears flees
  then rule fright does not fire

scenario calm "Nobody minds"
  edition e
  reading A-1 none
  given Spears is a unit with Discipline 7
  when Spears flees
  and Spears rolls 7 for its Panic test
  then rule calm fires for Spears
  and rule after-calm fires for Spears
  and rule fright does not fire
  and rule fright is not pre-empted
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """The base of the conformance tests with readings and scenarios laid over it, in ``rules`` of this folder."""
    root = tmp_path / "rules"
    for file in BASE.rglob("*.rules"):
        place = root / file.relative_to(BASE)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    (root / "e" / "readings.rules").write_text(RULES, encoding="utf-8")
    (root / "e" / "readings.scenario").write_text(SCENARIOS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    load_cached.cache_clear()
    return Tree(root, "rules")


def chosen(**options: str) -> list[ReadingChoice]:
    return [ReadingChoice(reading.replace("_", "-"), option) for reading, option in options.items()]


def titles(tree: Tree, **options: str) -> set[str]:
    loaded = tree.load("e", readings=chosen(**options))
    assert loaded.edition is not None
    assert not loaded.diagnostics
    return {i.anchor.title for i in items_of(loaded.edition)} - {
        "A Panic test is rolled against Discipline",
        "Who fails a Panic test flees",
        "No Panic test in combat",
        "Those who break do no harm to the calm",
        "What follows from calm",
    }


# --- what is in force ------------------------------------------------------------------------------------------------


def test_the_option_taken_is_in_force_unless_another_is_asked_for(tree: Tree) -> None:
    assert titles(tree) == {"A fright for all"}
    assert titles(tree, A_1="few") == {"A fright for those who flee", "Dull ones take no test"}
    assert titles(tree, A_1="none") == {"Nobody minds", "Dull ones take no test"}


def test_words_of_one_wording_hang_on_different_options(tree: Tree) -> None:
    signs = []
    for option in ("at", "below"):
        edition = load_edition("e", tree.root, {"A-2": option}).edition
        (fright,) = (r for r in edition.rules if r.anchor.ident == "fright")
        signs += [getattr(c, "operator", None) for c in fright.conditions]
    assert signs == ["<=", "<"]


@pytest.mark.parametrize(
    ("option", "text"), [("at", "exactly six inches are near"), ("below", "exactly six inches are too far")]
)
def test_an_assumption_tells_the_option_in_force(option: str, text: str, tree: Tree) -> None:
    edition = load_edition("e", tree.root, {"A-2": option}).edition
    (fright,) = (r for r in edition.rules if r.anchor.ident == "fright")
    assert ("A-2", text) in {(a.ident, a.text) for a in fright.anchor.assumptions}
    (hold,) = (r for r in edition.rules if r.anchor.ident == "hold")
    assert [(a.text, a.options) for a in hold.anchor.assumptions] == [
        ("a text in quotation marks depends on nothing", ())
    ]


def test_what_is_read_back_hangs_on_the_same_options(tree: Tree) -> None:
    edition = load_edition("e", tree.root).edition
    (fright,) = (r for r in edition.rules if r.anchor.ident == "fright")
    text = read_back(fright, languages()["en"])
    assert "  assuming A-2 at or below  # exactly six inches are near\n" in text
    (block,), wrong = parse(Source("back", f"language English\n\n{text}\n"))
    assert not wrong
    read = [assumption_of(c, "en") for c in block.each("assuming")]
    assert [(a.ident, a.options) for a in read if a] == [("A-1", ("many",)), ("A-2", ("at", "below"))]


@pytest.mark.parametrize(
    ("line", "read"),
    [
        ('A-1 "words"', ("A-1", "words", ())),
        ("A-1 one", ("A-1", "", ("one",))),
        ("A-1 one or two OR three.", ("A-1", "", ("one", "two", "three"))),
        ("A-1 one two", None),
        ("A-1 one or", None),
        ("A-1 or two", None),
        ("A-1", None),
        ('"words"', None),
    ],
)
def test_an_assuming_line(line: str, read: tuple[str, str, tuple[str, ...]] | None) -> None:
    text = f"language English\n\nrule r\n  assuming {line}\n  when x\n  then y\n"
    (block,), _ = parse(Source("rule", text))
    (clause,) = block.each("assuming")
    found = assumption_of(clause, "en")
    assert (found and (found.ident, found.text, found.options)) == read


def test_of_a_sentence_cited_by_a_block_that_is_not_in_force_nothing_is_missing(tree: Tree) -> None:
    file = Path("rules/e/readings.rules")
    other = "rule more\n  cites s4\n  assuming A-1 few\n  when {unit} flees\n  then {unit} is destroyed\n"
    file.write_text(f"{RULES}\n{other}", encoding="utf-8")
    head = Path("rules/e/edition.rules")
    head.write_text(head.read_text(encoding="utf-8").replace("s1 to s3", "s1 to s5"), encoding="utf-8")
    assert [(d.name, d.said) for d in tree.load("e").diagnostics] == [("sentence-not-covered", ("s5",))]


# --- check -----------------------------------------------------------------------------------------------------------


def test_an_edition_is_checked_under_each_option_and_each_finding_told_once(tree: Tree) -> None:
    assert tree.check("e") == ()
    file = Path("rules/e/readings.rules")
    file.write_text(
        RULES.replace("and {unit} is fleeing", "and {unit} is fleing").replace(
            "{unit} is exactly 2", "{unit} is exctly 2"
        )
        + "\nrule bad\n  cites s2\n  when {unit} fleees\n  then {unit} is destroyed\n",
        encoding="utf-8",
    )
    load_cached.cache_clear()
    found = {d.span.text: [label for label, _ in d.related] for d in tree.check("e") if d.span}
    assert len(found) == len(tree.check("e"))
    assert sorted(found.values()) == [[], ["under A-1 few"], ["under A-1 few"]]


def test_what_waits_for_two_options_at_once_is_checked_under_both(tree: Tree) -> None:
    more = (
        "\nrule bad\n  cites s2\n  assuming A-1 none\n  assuming A-2 below\n  when {unit} fleees\n  then {unit} flees\n"
    )
    Path("rules/e/readings.rules").write_text(RULES + more, encoding="utf-8")
    (found,) = tree.check("e")
    assert [label for label, _ in found.related] == ["under A-1 none and A-2 below"]


# --- names of what is not in force -----------------------------------------------------------------------------------


def told(tree: Tree, expectation: str, **options: str) -> tuple[bool, str]:
    """Whether an expectation is met after Spears has fled six inches from Bows, and what is said if it is not."""
    text = SCENARIOS.partition("  then")[0] + f"  then {expectation}\n"
    Path("one.scenario").write_text(text, encoding="utf-8")
    (scenario,), wrong = read_scenarios(Path("one.scenario"), "one.scenario")
    assert not wrong
    loaded = load_for(tree, scenario, chosen(**options))
    assert loaded.compiled is not None
    (outcome,) = play(scenario, loaded.compiled, ReferenceMatcher).outcomes
    return outcome.met, outcome.got


@pytest.mark.parametrize(
    ("expectation", "reading"),
    [
        ("rule calm fires", "A-1 none"),
        ("rule calm-on-success fires for Bows", "A-1 none"),
        ("rule calm is pre-empted", "A-1 none"),
        ("exemption dull fires for Spears", "A-1 few or none"),
    ],
)
def test_what_is_not_in_force_and_expected_is_told_with_its_reading(expectation: str, reading: str, tree: Tree) -> None:
    assert told(tree, expectation) == (False, f"it is not in force; it would be under the reading {reading}")


@pytest.mark.parametrize(
    "expectation", ["rule calm does not fire", "rule calm is not pre-empted", "exemption dull does not fire for Bows"]
)
def test_what_is_not_in_force_does_not_fire(expectation: str, tree: Tree) -> None:
    assert told(tree, expectation) == (True, "")


def test_of_two_variants_that_are_both_out_of_force_both_are_told(tree: Tree) -> None:
    text = SCENARIOS[SCENARIOS.index("scenario calm") :].partition("  then")[0]
    file = Path("two.scenario")
    file.write_text(f"language English\n\n{text}  then rule fright fires\n", encoding="utf-8")
    (scenario,), _ = read_scenarios(file, "two.scenario")
    loaded = load_for(tree, scenario)
    assert loaded.compiled is not None
    (outcome,) = play(scenario, loaded.compiled, ReferenceMatcher).outcomes
    reading = "A-1 many and A-2 at or below, or under A-1 few"
    assert outcome.got == f"it is not in force; it would be under the reading {reading}"


# --- scenarios and sessions ------------------------------------------------------------------------------------------


def test_scenarios_are_played_under_their_own_options(tree: Tree) -> None:
    scenarios, wrong = read_scenarios(Path("rules/e/readings.scenario"), "readings.scenario")
    assert not wrong
    for scenario in scenarios:
        loaded = load_for(tree, scenario, chosen(A_2="at"))
        assert loaded.compiled is not None
        played = play(scenario, loaded.compiled, ReferenceMatcher)
        assert played.outcomes
        assert played.passed, [(o.text, o.got) for o in played.outcomes]


def test_editions_are_kept_apart_by_their_options(tree: Tree) -> None:
    same = load_cached(tree, "e", options_of(chosen(A_1="few", A_2="below")))
    assert load_cached(tree, "e", options_of(chosen(A_2="below", A_1="few"))) is same
    assert load_cached(tree, "e") is not same


def test_a_session_and_its_forks_keep_their_readings(tree: Tree) -> None:
    session = rulewright.open_session("e", rules=tree.root, readings={"A-2": "below"})
    for sentence in ("Spears is a unit", "Bows is a unit", "the distance between Spears and Bows is 6"):
        session.give(sentence)
    other = session.fork()
    again = Session.replay(other.compiled, other.backend, other.log)
    for one in (session, other, again):
        one.happens("Spears flees")
        assert [m.rule for m in one.matches if m.fired] == []
        one.close()


@pytest.mark.parametrize(
    ("readings", "name"), [({"A-3": "few"}, "unknown-reading"), ({"A-1": "fewer"}, "unknown-option")]
)
def test_a_session_under_an_option_that_is_not_there_is_a_fault(
    readings: dict[str, str], name: str, tree: Tree
) -> None:
    with pytest.raises(Fault) as caught:
        rulewright.open_session("e", rules=tree.root, readings=readings)
    assert [d.name for d in caught.value.diagnostics] == [name]


def test_the_readings_of_a_loaded_edition_are_not_changed(tree: Tree) -> None:
    with pytest.raises(ValueError, match="when an edition is loaded"):
        rulewright.open_session(load_edition("e", tree.root), readings={"A-1": "few"})


# --- the verbs -------------------------------------------------------------------------------------------------------


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    load_cached.cache_clear()
    code = run_command(list(arguments))
    out, err = capsys.readouterr()
    assert "internal error" not in out + err
    return code, " ".join((out + err).split())


def test_run_tells_the_readings_that_differ(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = command(capsys, "run", "rules/e/readings.scenario", "own")
    assert code == OK
    assert "reading A-2 below instead of at: exactly six inches are too far" in out
    assert "reading A-" not in command(capsys, "run", "rules/e/readings.scenario", "plain")[1]
    code, out = command(capsys, "run", "rules/e/readings.scenario", "plain", "--json", "--reading", "A-1=few")
    assert code == FAILED
    assert [(r["id"], r["option"], r["instead_of"]) for r in json.loads(out)["readings"]] == [("A-1", "few", "many")]


def test_an_option_on_the_command_line_yields_to_a_scenario_in_test_and_may_not_contradict_it_in_run(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    own = ("rules/e/readings.scenario", "own", "--reading", "A-2=at")
    code, out = command(capsys, "run", *own)
    assert code == FAILED
    assert "error[RW0369]" in out
    assert "error[RW0369]" in command(capsys, "ask", own[0], "is Bows fleeing?", *own[1:])[1]
    assert command(capsys, "run", *own[:3], "A-2=below")[0] == OK
    assert command(capsys, "test", "--reading", "A-2=at", "rules") == (OK, "3 passed, 0 failed")
    code, out = command(capsys, "test", "--reading", "A-2=below", "rules")
    assert code == FAILED
    assert "failed: plain 2 passed, 1 failed" in out


@pytest.mark.parametrize(
    ("verb", "code"), [(("test", "rules"), "RW0360"), (("check", "rules"), "RW0360"), (("show", "e"), "RW0360")]
)
def test_a_reading_that_no_edition_has_is_told(
    verb: tuple[str, ...], code: str, tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code, out = command(capsys, *verb, "--reading", "A-22=at")
    assert exit_code == FAILED
    assert out.count(f"error[{code}]") == 1
    assert "did you mean `A-2`" in out


@pytest.mark.parametrize(
    ("given", "code"), [(("A-2",), "RW0367"), (("A-2=",), "RW0367"), (("A-2=at", "A-2=below"), "RW0368")]
)
def test_options_that_cannot_be_read(
    given: tuple[str, ...], code: str, tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    flags = [part for option in given for part in ("--reading", option)]
    exit_code, out = command(capsys, "check", "rules", *flags)
    assert exit_code == FAILED
    assert f"error[{code}]" in out


def test_show_reads_a_rule_back_that_is_not_in_force(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = command(capsys, "show", "e", "calm")
    assert code == OK
    assert "# calm is not in force; this is how it reads with --reading A-1=none" in out
    assert "then {unit} takes a Panic test" in out
    code, out = command(capsys, "show", "e", "fright", "--reading", "A-1=few")
    assert code == OK
    assert 'rule fright "A fright for those who flee"' in out
    assert "# reading A-1: few # reading A-2: at" in command(capsys, "show", "e", "--reading", "A-1=few")[1]


def schema() -> jsonschema.Draft202012Validator:
    text = resources.files("rulewright").joinpath("scenarios/readings.schema.json").read_text(encoding="utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def test_readings_lists_options_and_what_hangs_on_them(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_command(["readings", "e"]) == OK
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= 80
    out = " ".join(printed.split())
    assert 'A-1 "Whom does it frighten" cites s2 takes many: it frightens all that are near' in out
    assert "instead of none: it frightens nobody" in out
    assert "in force under few or none: exemption dull" in out
    assert "in force under at: shorthand near" in out
    code, out = command(capsys, "readings", "e", "--json")
    data = json.loads(out)
    schema().validate(data)
    assert code == OK
    assert [(r["id"], r["takes"], len(r["blocks"])) for r in data["readings"]] == [("A-1", "many", 4), ("A-2", "at", 3)]


def test_readings_shows_what_another_option_changes(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = command(capsys, "readings", "e", "A-2=below", "--json")
    data = json.loads(out)
    schema().validate(data)
    assert code == OK
    assert [(b["kind"], b["name"]) for b in (*data["gone"], *data["come"])] == [("shorthand", "near")] * 2
    (plain,) = data["scenarios"]
    assert (plain["scenario"], plain["step"], plain["event"]) == ("plain", 1, "Spears flees")
    assert plain["before"]["told"] == ["fright (other Spears, unit Bows) applies: Bows breaks from combat"]
    assert plain["after"]["told"] == []
    assert plain["after"]["unmet"] == ["rule fright fires for Bows", "Bows breaks from combat"]
    assert (data["unchanged"], data["left_out"]) == (1, 1)
    assert run_command(["readings", "e", "A-2=below"]) == OK
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= 80
    assert "at     fright (other Spears, unit Bows) applies: Bows breaks from combat" in printed
    assert "below  nothing of this" in printed


def test_a_scenario_that_can_no_longer_be_played_to_its_end_takes_another_course(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(command(capsys, "readings", "e", "A-1=none", "--json")[1])
    schema().validate(data)
    (plain, own) = data["scenarios"]
    assert [d["name"] for d in plain["after"]["stopped"]] == ["missing-die"]
    assert plain["before"]["stopped"] == []
    assert [d["name"] for d in own["after"]["stopped"]] == ["missing-die"]
    assert data["left_out"] == 1
    assert "line 8: this needs a die that nobody rolled" in command(capsys, "readings", "e", "A-1=none")[1]


def test_what_the_edition_takes_changes_nothing(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    code, out = command(capsys, "readings", "e", "A-1=many")
    assert code == OK
    assert "This is what the edition e takes: nothing changes." in out


@pytest.mark.parametrize(
    ("arguments", "code", "name"),
    [
        (("nowhere",), FAILED, "RW0005"),
        (("e", "A-9=x"), FAILED, "RW0360"),
        (("e", "A-1=x"), FAILED, "RW0361"),
        (("e", "A-1"), FAILED, "RW0367"),
        ((), USAGE, ""),
    ],
)
def test_what_cannot_be_listed_or_compared(
    arguments: tuple[str, ...], code: int, name: str, tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code, out = command(capsys, "readings", *arguments)
    assert exit_code == code
    assert name in out
    if name in ("RW0005", "RW0360", "RW0361"):
        (found,) = json.loads(command(capsys, "readings", *arguments, "--json")[1])["diagnostics"]
        assert found["code"] == name
