"""From text to blocks: what is read, what is mended, and where it stands."""

import pytest

from rulewright.syntax.heads import block_heads, likeness
from rulewright.syntax.parser import parse
from rulewright.syntax.tree import UNREADABLE, Block
from rulewright.text import Source

HEAD = "language English\n"
RULE = 'rule more "A title"\n  when {unit} flees\n  then {unit} is destroyed\n'


def read(text: str) -> tuple[list[Block], list[str]]:
    blocks, diagnostics = parse(Source("f", HEAD + text))
    return list(blocks), [f"{d.span.line if d.span else 0} {d.name}" for d in diagnostics]


def outline(block: Block) -> list[tuple[str, str]]:
    return [(c.kind, c.text.text if c.text else "") for c in block.clauses]


def test_a_block_has_a_kind_a_name_a_title_and_clauses() -> None:
    (block,), told = read(RULE)
    assert (block.kind, block.ident.text, block.title) == ("rule", "more", "A title")
    assert outline(block) == [("when", "{unit} flees"), ("then", "{unit} is destroyed")]
    assert (block.whole, block.lost, told) == (True, (), [])


def test_spans_say_where_a_thing_stands() -> None:
    (block,), _ = read(RULE)
    assert [str(s) for s in (block.span, block.ident, block.clauses[0].keyword, block.clauses[1].sentence)] == [
        "f:2:1",
        "f:2:6",
        "f:3:3",
        "f:4:8",
    ]


def test_a_sentence_goes_on_over_indented_lines() -> None:
    (block,), told = read("rule r\n  when {unit}\n      flees  # here\n# and there\n      slowly\n  then b\n")
    assert block.clauses[0].sentence.text.split()[:3] == ["{unit}", "flees", "#"]
    assert told == []


def test_lines_below_a_clause_are_its_details() -> None:
    (block,), _ = read("rule r\n  when a\n  and there is no {x}\n    where b\n      goes on\n    where c\n  then d\n")
    assert [(d.kind, d.sentence.text.split()) for d in block.clauses[1].details] == [
        ("where", ["b", "goes", "on"]),
        ("where", ["c"]),
    ]


@pytest.mark.parametrize("keyword", ["When", "WHEN", "when "])
def test_keywords_may_be_in_capitals(keyword: str) -> None:
    (block,), told = read(RULE.replace("when", keyword))
    assert (block.clauses[0].kind, told) == ("when", [])


# --- mended lines ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (RULE.replace("when", "wehn"), "3 misspelt-keyword"),
        (RULE.replace("when", "whenever"), "3 misspelt-keyword"),
        (RULE.replace("rule", "rle"), "2 misspelt-block"),
        (RULE.replace("  then", " then"), "4 uneven-indent"),
        (RULE.replace("  then", "then"), "4 unindented-clause"),
        (RULE.replace("  then", "\tthen"), "4 mixed-margins"),
        (RULE.replace("rule", "  rule").replace("\n  ", "\n    "), "2 indented-start"),
    ],
)
def test_a_mended_block_reads_as_the_right_one(wrong: str, told: str) -> None:
    (right,), _ = read(RULE)
    (block,), found = read(wrong)
    assert (outline(block), block.ident.text, block.title, found) == (
        outline(right),
        right.ident.text,
        right.title,
        [told],
    )
    assert block.whole
    assert block.lost


def test_a_line_that_cannot_be_mended_is_left_out_and_the_others_are_read() -> None:
    (block,), told = read(RULE.replace("  then", "  quickly, before anything else\n  then"))
    assert outline(block) == [("when", "{unit} flees"), ("then", "{unit} is destroyed")]
    assert (told, block.whole) == (["4 keyword-missing"], False)


def test_spans_of_mended_lines_are_those_of_the_text() -> None:
    (block,), _ = read(RULE.replace("when", "whenever"))
    assert block.clauses[0].keyword.text == "whenever"
    assert (block.clauses[0].sentence.text, block.clauses[0].sentence.column) == ("{unit} flees", 12)


def test_a_block_of_no_known_kind_is_kept_by_its_lines() -> None:
    (block, other), told = read("happening x\n  en: a\n" + RULE)
    assert (block.kind, [line.text for line in block.lost]) == (UNREADABLE, ["happening x", "en: a"])
    assert (other.kind, told) == ("rule", ["2 unknown-block"])


def test_a_wording_without_its_colon_is_still_a_wording() -> None:
    (block,), told = read("event x\n  en {unit} rallies\n  en not {unit} does not rally\n")
    assert outline(block) == [("wording", "{unit} rallies"), ("negative", "{unit} does not rally")]
    assert told == ["3 missing-colon", "4 missing-colon"]


def test_a_file_without_its_language_is_read_all_the_same() -> None:
    blocks, diagnostics = parse(Source("f", RULE))
    assert [b.ident.text for b in blocks] == ["more"]
    assert [d.name for d in diagnostics] == ["no-language"]


# --- keywords -------------------------------------------------------------------------------------------------------


def test_what_blocks_there_are_is_read_from_the_grammar() -> None:
    heads = block_heads("en")
    assert heads.titled["RULE"]
    assert not heads.titled["EVENT"]
    assert {"WHEN", "THEN", "AND", "CITES"} <= heads.clauses_of("rule")
    assert "THEN" not in heads.clauses_of("definition")
    assert "WHERE" in heads.details


@pytest.mark.parametrize(
    ("line", "keyword"),
    [
        ("whn {unit} flees", "when"),
        ("adn {unit} flees", "and"),
        ("regardless engaged", "regardless of"),
        ("then {unit} flees", "then"),
        ("{until} flees", None),
        ("where {unit} flees", None),
    ],
)
def test_the_nearest_keyword(line: str, keyword: str | None) -> None:
    heads = block_heads("en")
    meant = heads.nearest_keyword(line, heads.clauses_of("rule"))
    assert (meant.keyword if meant else None) == keyword


def test_letters_that_changed_places_hardly_count() -> None:
    assert likeness("adn", "and") > likeness("any", "and")
