"""Each case of ``diagnostics`` and ``slips`` is found as it says, and nothing else; put right, it has no findings."""

from pathlib import Path

import pytest
from cases import HERE, findings, read_case

from rulewright.diagnostics import catalogue

CASES = sorted((HERE / "diagnostics").glob("*.txt")) + sorted((HERE / "slips").glob("*.txt"))

ELSEWHERE = {
    "unreadable-file": "test_bad_input.py",
    "not-text": "test_bad_input.py",
    "too-large": "test_bad_input.py",
    "long-line": "test_bad_input.py",
    "too-many": "test_bad_input.py",
    "long-name": "test_bad_input.py",
    "journal-in-use": "at the table",
    "unwritable-journal": "at the table",
    "no-journal": "at the table",
    "other-edition": "at the table",
    "other-reading": "at the table",
    "stuck-journal": "at the table",
    "unkeepable-line": "at the table",
    "nothing-to-undo": "at the table",
    "nothing-to-redo": "at the table",
    "nothing-to-roll": "at the table",
    "not-left-to-chance": "at the table",
    "nothing-at-stake": "at the table",
    "nothing-asked-about": "at the table",
    "file-there": "at the table",
    "nothing-happened": "at the table",
    "no-file-named": "at the table",
    "unwritable-file": "test_bulgarian.py",
    "nothing-like": "test_whatif.py",
    "set-twice": "test_whatif.py",
    "goal-and-changes": "test_whatif.py",
    "no-goal": "test_whatif.py",
    "several-forms": "test_whatif.py",
    "nothing-more": "test_play.py",
    "nothing-open": "test_odds.py",
    "no-measure-against": "test_odds.py",
    "no-range-against": "test_odds.py",
    "unclear-range": "test_odds.py",
    "unknown-asked": "test_whynot.py",
    "named-beside-sentence": "test_whynot.py",
    "no-such-step": "test_whynot.py",
    "too-few-to-compare": "test_compare.py",
    "compared-twice": "test_compare.py",
    "unclear-side": "test_compare.py",
    "no-such-version": "test_diff.py",
    "no-git": "test_diff.py",
    "unlike-versions": "test_diff.py",
    "file-without-edition": "test_diff.py",
    "unknown-concept": "test_compare.py",
    "beside-situation": "test_situation.py",
    "witness-of-two": "test_witnesses.py",
    "name-without-scenario": "test_situation.py",
    "nothing-new": "test_compare.py",
    "unfit-edition": "test_compare.py",
    "edition-exists": "test_compare.py",
    "nothing-to-begin-with": "test_compare.py",
    "unfit-title": "test_compare.py",
    "like-in-its-language": "test_compare.py",
    "unknown-scenario": "the command line",
    "reading-contradicted": "the command line",
    "no-scenarios": "the command line",
    "no-such-rule": "the command line",
    "no-rules-here": "the command line",
    "unclear-question": "the command line",
    "not-worded": "the command line",
    "two-places": "the command line",
    "input-ended": "the command line",
    "unspoken-language": "the command line",
    "no-home": "at the table",
    "changed-journal": "at the table",
    "unanswered": "a session that is spoken to from Python",
    "not-an-option": "a session that is spoken to from Python",
    "engine-limit": "the limits of the engine",
    "no-table": "test_third_language.py",
    "table-beginning": "test_third_language.py",
    "table-entry": "test_third_language.py",
    "table-no-keyword": "test_third_language.py",
    "table-pattern": "test_third_language.py",
    "table-places": "test_third_language.py",
    "table-same-word": "test_third_language.py",
    "table-twice": "test_third_language.py",
    "table-unknown-entry": "test_third_language.py",
    "table-unreadable": "test_third_language.py",
    "table-without-language": "test_third_language.py",
}
"""Diagnostics that no text of a rules file or scenario, short enough for a case, leads to."""


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_what_is_wrong_is_found_once_and_what_is_right_is_not(path: Path, tmp_path: Path) -> None:
    case = read_case(path)
    assert case.findings, "the case expects nothing"
    found = findings(case.wrong, tmp_path / "wrong")
    told = "\n".join(map(str, found))
    expected = sorted((f.place, f.code, f.name) for f in case.findings)
    assert sorted((d.place, d.code, d.name) for d in found) == expected, told
    for finding in case.findings:
        (diagnostic,) = (d for d in found if (d.place, d.name) == (finding.place, finding.name))
        for part in finding.told:
            assert part in f"{diagnostic.message}\n{diagnostic.help}"
    assert not (left := findings(case.right, tmp_path / "right")), "\n".join(map(str, left))


def test_each_diagnostic_has_a_case() -> None:
    found = {(f.name, f.code) for path in CASES for f in read_case(path).findings}
    assert found == {(name, entry["code"]) for name, entry in catalogue().items() if name not in ELSEWHERE}


def test_a_case_is_called_after_its_diagnostic() -> None:
    for path in (HERE / "diagnostics").glob("*.txt"):
        assert {f"{f.code}-{f.name}" for f in read_case(path).findings} == {path.stem}


def test_no_two_diagnostics_share_a_code() -> None:
    codes = [entry["code"] for entry in catalogue().values()]
    assert len(codes) == len(set(codes))
