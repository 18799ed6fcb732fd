"""What the program says: the tables say the same in every language, and each text is worded when it is read."""

import string
from fractions import Fraction

import pytest

from rulewright.cli.language import language_of_command, without_language
from rulewright.diagnostics import Fault, did_you_mean, report
from rulewright.speech import (
    FIRST,
    Called,
    Listed,
    language_of_locale,
    later,
    listed,
    marked,
    messages,
    say,
    speaking,
    spoken,
    tongues,
    writing,
)
from rulewright.syntax.keywords import languages
from rulewright.text import Source, Span

OTHERS = [code for code in tongues() if code != FIRST]


def places(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


EXAMPLES = {name for key in messages(FIRST) if key.startswith("eg.") for name in places(messages(FIRST)[key])}


@pytest.mark.parametrize("code", OTHERS)
def test_every_table_has_the_same_keys_with_the_same_places(code: str) -> None:
    own, first = messages(code), {key: text for key, text in messages(FIRST).items() if not key.endswith(".code")}
    assert own.keys() == first.keys()
    assert [key for key in own if places(own[key]) != places(first[key])] == []
    assert [key for key in own if not own[key].strip() and first[key].strip()] == []


@pytest.mark.parametrize("code", OTHERS)
def test_texts_begin_and_end_alike_where_blanks_join_them_to_others(code: str) -> None:
    own, first = messages(code), messages(FIRST)
    for key, text in own.items():
        assert text[-1:].isspace() == first[key][-1:].isspace(), key
        assert text[:1].isspace() == first[key][:1].isspace(), key


@pytest.mark.parametrize("code", tongues())
def test_every_text_can_be_said_about_a_file_in_every_language(code: str) -> None:
    for file in languages():
        for key, template in messages(code).items():
            with speaking(code), writing(file):
                told = say(key, **{name: "x" for name in places(template) | EXAMPLES if "." not in name})
            assert "[en]" not in told


@pytest.mark.parametrize("code", tongues())
def test_what_is_to_be_written_is_told_in_the_language_of_the_file(code: str) -> None:
    bulgarian, english = (Source("a", "x", file) for file in ("bg", "en"))
    one, other = (report("late-given", Span(source, 0, 1)) for source in (bulgarian, english))
    test = [report("no-test-to-succeed", Span(source, 0, 1)) for source in (bulgarian, english)]
    hint = report("unknown-kind", Span(bulgarian, 0, 1), kind="x", hint=later("hint.kind-block"))
    with speaking(code):
        assert "`дадено е, че`" in one.message
        assert "`когато`" in one.help
        assert "`given`" in other.message
        assert "`when`" in other.help
        assert "`тогава {unit} прави тест за паника`" in test[0].help
        assert "`then {unit} takes a Panic test`" in test[1].help
        assert "`вид`" in hint.help
        assert (one.message.split()[-1] == "happened") == (code == "en")


def test_where_no_file_is_spoken_about_its_words_are_those_of_the_language_spoken() -> None:
    found = report("unclear-reading", text="x")
    assert "`reading A-01 inclusive`" in found.help
    with speaking("bg"):
        assert "`прочит A-01 включително`" in found.help
    with speaking("bg"), writing("xx"):
        assert "`when [en]`" in say("overrides-nothing.help")


def test_a_language_is_spoken_inside_a_block_and_not_beyond() -> None:
    assert (spoken(), spoken("bg")) == ("en", "bg")
    with speaking("bg"):
        assert spoken() == "bg"
        with speaking("en"):
            assert (spoken(), spoken("bg")) == ("en", "en")
        assert say("run.expected") == "Очаквано"
    assert say("run.expected") == "Expected"


def test_a_finding_is_worded_when_it_is_read() -> None:
    hint = did_you_mean("archer", ["Archers", "Knights"])
    found = report("unknown-name", name="archer", hint=hint)
    assert found.help == "did you mean `Archers`?"
    with speaking("bg"):
        assert found.message == "нищо не се нарича `archer`"
        assert found.help == "може би `Archers`?"
        assert str(found).startswith("грешка[RW0203]: ")
    assert str(found).startswith("error[RW0203]: ")
    assert found == report("unknown-name", name="archer", hint=hint)


def test_numbers_lists_and_labels_are_worded_with_the_finding() -> None:
    found = report("number-out-of-range", number=Fraction(13, 2))
    lines = report("unknown-window", window="x", known=listed(()), related=[(later("place.first"), found.span)])  # type: ignore[list-item]
    assert "6.5" in found.message
    assert lines.help.endswith("none")
    with speaking("bg"):
        assert "6,5" in found.message
        assert lines.help.endswith("няма")
        assert [label for label, _ in lines.related] == ["за първи път тук"]
        assert str(Listed((later("sort.fact"), Fraction(1, 2)), "list.or")) == "факт или 0,5"


def test_what_has_no_words_in_the_language_spoken_is_marked() -> None:
    both = Called("archer", (("bg", "стрелец"), ("en", "archer")))
    one = Called("archer", (("en", "archer"),))
    with speaking("bg"):
        assert (str(both), str(one), str(Called("x", ()))) == ("стрелец", "archer [en]", "x")
    with speaking("xx"):
        assert say("run.expected") == "Expected [en]"
        assert say("run.cites") == "cites [en] "
        assert say("list.comma") == ", "
    assert marked(" 5 ", "en") == " 5 "


@pytest.mark.parametrize(
    ("variables", "code"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "bg_BG.UTF-8"}, "bg"),
        ({"LANG": "bg"}, "bg"),
        ({"LANG": "de_DE"}, "en"),
        ({"LANG": "bg_BG", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANG": "en_GB", "LC_MESSAGES": "bg_BG@euro", "LC_ALL": ""}, "bg"),
    ],
)
def test_the_language_of_the_locale(variables: dict[str, str], code: str) -> None:
    assert language_of_locale(variables) == code
    assert language_of_command(["run", "x"], variables) == (code, False)


def test_a_command_may_ask_for_a_language_anywhere() -> None:
    for command in (["--lang", "bg", "run", "x"], ["run", "--lang=bg", "x"], ["run", "x", "--lang", "bg"]):
        assert language_of_command(command, {"LANG": "en_GB"}) == ("bg", True)
        assert without_language(command) == ["run", "x"]
    behind = ["ask", "x", "--", "--lang", "bg"]
    assert language_of_command(behind, {}) == ("en", False)
    assert without_language(behind) == behind
    for wrong in (["run", "--lang", "xx"], ["run", "--lang"], ["run", "--lang="]):
        with pytest.raises(Fault) as caught:
            language_of_command(wrong, {})
        assert [d.name for d in caught.value.diagnostics] == ["unspoken-language"]
