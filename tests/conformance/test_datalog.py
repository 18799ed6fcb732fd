"""The cases of the package ``datalog-conformance``, as texts of the rules language on durable_rules.

Facts, joins, recursion and negation are told in sentences, loaded by the front end, compiled and run.  What is derived
must be what the package says; so must, for single facts, the answer to a question about them alone.
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import groupby
from pathlib import Path

import pytest

pytest.importorskip("datalog_conformance")
pytest.importorskip("yaml")

from datalog import Case, Misfit, Text, cases, files, play

from rulewright.backends.base import Backend
from rulewright.backends.durable import DurableMatcher
from rulewright.diagnostics import Fault
from rulewright.session.session import Session

ARITHMETIC = "a place of a fact is worked out; here only measures are"
OPEN = "a variable that nothing binds is no error here: it stands for any thing of its kind"
CROWDED = "joins hundreds of thousands of pairs at once, and one event may have 100,000 firings"
LARGE = "tens of thousands of facts, from which more is derived than the 100,000 firings that one event may have"
DEFEASIBLE = "defeasible rules, which may contradict each other; here two rules that do so are reported"

MISFITS = {
    "subtraction_chains_are_left_associative": ARITHMETIC,
    "souffle_plus_A": ARITHMETIC,
    "strict_only_souffle_plus_A": ARITHMETIC,
    "crepe_unbound_variable": ARITHMETIC,
    "crepe_underscore_in_goal": OPEN,
    "unsafe_negation_variable_only_in_negative_literal": OPEN,
    "unbound_variable": OPEN,
    "souffle_po3_A": CROWDED,
    "souffle_po4_A": CROWDED,
    "souffle_po5_A": CROWDED,
    "strict_only_souffle_po3_A": CROWDED,
    "strict_only_souffle_po4_A": CROWDED,
    "strict_only_souffle_po5_A": CROWDED,
}
"""Cases that have no place in the data model, and why."""

MISFIT_FILES = {
    "recursion/souffle_example_hmmer.yaml": LARGE,
    "recursion/souffle_example_lubm.yaml": LARGE,
    "defeasible/strict_only/strict_only_recursion_souffle_example_hmmer.yaml": LARGE,
    "defeasible/strict_only/strict_only_recursion_souffle_example_lubm.yaml": LARGE,
    "defeasible/ambiguity/antoniou_basic_ambiguity.yaml": DEFEASIBLE,
    "defeasible/basic/bozzato_example1_bob.yaml": DEFEASIBLE,
    "defeasible/basic/depysible_birds.yaml": DEFEASIBLE,
    "defeasible/basic/goldszmidt_example1_nixon.yaml": DEFEASIBLE,
    "defeasible/basic/mixed.yaml": DEFEASIBLE,
    "defeasible/basic/morris_example5_birds.yaml": DEFEASIBLE,
    "defeasible/closure/morris_core_examples.yaml": DEFEASIBLE,
    "defeasible/klm/morris_relevant_counterexamples.yaml": DEFEASIBLE,
    "defeasible/superiority/maher_example2_tweety.yaml": DEFEASIBLE,
    "defeasible/superiority/maher_example3_freddie_nonflight.yaml": DEFEASIBLE,
}
"""Files of which no case has a place.  Of the other defeasible theories, those without such rules are played."""

ERRORS = {"arity_mismatch": "unknown-phrase", "cyclic_negation": "circle"}
"""What the package calls an error, and what it is called here."""

FEW = 40
"""So many facts of a case are also asked about one by one."""

FILES = [file for file in files() if file not in MISFIT_FILES]


@pytest.mark.parametrize("file", FILES)
def test_what_is_derived_is_what_the_package_says(file: str, tmp_path: Path) -> None:
    fitting = [case for case in cases(file) if case.name not in MISFITS]
    for number, (_, group) in enumerate(groupby(fitting, key=lambda c: (c.facts, c.rules, c.error))):
        check(list(group), tmp_path / str(number))


def check(group: list[Case], root: Path, backend: Backend = DurableMatcher) -> None:
    """Plays cases of one program."""
    case = Case(
        group[0].file,
        group[0].name,
        group[0].facts,
        group[0].rules,
        {name: rows for c in group for name, rows in c.expected.items()},
        group[0].error,
    )
    if case.error is not None:
        with pytest.raises(Fault) as caught:
            play(case, root, backend)
        assert ERRORS[case.error] in [d.name for d in caught.value.diagnostics]
        return
    text, session = play(case, root, backend)
    ask_one_by_one(case, text, session.fork())
    session.happens("all is asked")
    for name, rows in case.expected.items():
        assert text.rows(session, name) == set(rows), f"{case.name}: {name}"
    session.close()


def ask_one_by_one(case: Case, text: Text, session: Session) -> None:
    """Asks about single facts, those expected and as many that are not."""
    for name, rows in case.expected.items():
        if len(rows) > FEW:
            continue
        values = {v for row in rows for v in row}
        others = {(*row[:-1], v) for row in rows if row for v in values}
        for row in sorted({*rows, *list(others)[:FEW]}, key=repr):
            things = [text.thing(v) for v in row]
            assert session.holds(text.sentence(name, things)) == (row in rows), f"{case.name}: {name}{row}"
            session.happens(f"{text.sentence(name, things, word='whether ')} is asked")
        assert text.rows(session, name) == set(rows), f"{case.name}: {name}"
    session.close()


@pytest.mark.parametrize("name", [name for name, reason in MISFITS.items() if reason == ARITHMETIC])
def test_a_place_that_is_worked_out_has_no_text(name: str, tmp_path: Path) -> None:
    with pytest.raises(Misfit):
        play(_named(name), tmp_path / "rules", DurableMatcher)


def test_what_is_too_crowded_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    text, session = play(_named("souffle_po4_A"), tmp_path / "rules", DurableMatcher)
    facts = session.facts()
    with pytest.raises(Fault) as caught:
        session.happens("all is asked")
    assert [d.name for d in caught.value.diagnostics] == ["engine-limit"]
    assert session.facts() == facts
    assert not text.rows(session, "A")
    session.close()


def test_each_case_is_played_or_has_a_reason() -> None:
    known = {case.name for file in FILES for case in cases(file)}
    assert set(MISFITS) <= known
    assert set(MISFIT_FILES) <= set(files())
    for file in FILES:
        assert cases(file), f"{file} has no case that is plain Datalog, and no reason"


def _named(name: str) -> Case:
    return next(case for file in FILES for case in cases(file) if case.name == name)


def main(*names: str) -> None:
    """Plays the crowded cases, or those of the files named, with a higher bound on firings."""
    import tempfile
    import time

    for file in names or [f"basic/souffle_example_po{n}.yaml" for n in (3, 4, 5)]:
        for number, (_, group) in enumerate(groupby(cases(file), key=lambda c: (c.facts, c.rules, c.error))):
            began, members = time.monotonic(), list(group)
            with tempfile.TemporaryDirectory() as folder:
                check(members, Path(folder) / str(number), partial(DurableMatcher, firings_per_cycle=10**8))
            seconds = time.monotonic() - began
            sys.stdout.write(f"{file}: {len(members)} cases, {seconds:.0f} s\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
