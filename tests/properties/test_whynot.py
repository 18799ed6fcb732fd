"""What is said to be missing is what was missing: given before the step, it lets the clause hold.

A game is played again from its log with one sentence more: it stands right before what set off the step.  Where the
clauses before the failed one still hold, the rule then fires, or is pre-empted, or fails on a later clause.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from rulebook_agreement import Play
from rulebooks import Rulebook, make

from rulewright.backends.reference import ReferenceMatcher
from rulewright.diagnostics import Fault
from rulewright.explain.failed import mendings
from rulewright.explain.misses import Miss
from rulewright.explain.nearest import Failed, Moment
from rulewright.explain.verdicts import Inquiry
from rulewright.lowering.compile import Compiled
from rulewright.model import Scenario
from rulewright.productions import NOBODY, Var
from rulewright.scenarios.runner import play
from rulewright.session.log import Occurrence
from rulewright.session.looks import Looks
from rulewright.session.session import Session
from rulewright.session.world import encoded
from rulewright.workspace import SCENARIO_SUFFIX, Tree, load_for, read_scenarios

RULES = Path(__file__).parents[2] / "rules"
TREE = Tree(RULES, "rules")
FILES = sorted(RULES.rglob(f"*{SCENARIO_SUFFIX}"))


@dataclass
class Tally:
    """What came of mended misses: the rule matched, or failed on a later clause."""

    matched: int = 0
    further: int = 0
    astray: int = 0


def of_rulebook(book: Rulebook, compiled: Compiled) -> Inquiry:
    """The game of a rulebook, played with its looks."""
    session = Session(compiled, ReferenceMatcher)
    looks = session.game.looks = Looks()
    for sentence in (*book.things, *book.givens):
        session.give(sentence)
    playing = Play(session, Random(book.dice))
    for happening in book.happenings:
        if session.request is None and session.game.looks is looks:
            playing.happens(happening)
    return Inquiry.of(session, looks.taken)


def said_to_happen(session: Session) -> dict[int, tuple[int, Occurrence]]:
    """The steps that were said to happen alone, each with the place in the log of what said so."""
    places = [(n, entry) for n, entry in enumerate(session.log) if isinstance(entry, Occurrence)]
    steps = [s.number for s in session.steps if s.given]
    alone = all(len(entry.events) == 1 for _, entry in places)
    return dict(zip(steps, places, strict=True)) if alone and len(steps) == len(places) else {}


def clauses_that_failed(run: Inquiry, steps: dict[int, tuple[int, Occurrence]]) -> Iterator[tuple[Miss, Failed]]:
    """The nearest misses of rules at each step that was said to happen."""
    for step in steps:
        here = run.between(step, step)
        set_off = {m.look.token.predicate.partition(":")[2] for m in here.moments}
        for rule in (r for r in run.session.compiled.rules if {t.phrase for t in r.triggers} & set_off):
            for miss in (v.miss for v in here.verdicts(rule.anchor.ident) if v.miss):
                if miss.reach is not None and miss.reach.failed is not None:
                    yield miss, miss.reach.failed


def with_one_more(run: Inquiry, place: int, event: Occurrence, sentence: str) -> Inquiry | None:
    """The run up to an event and with it, a sentence given before; None where that is refused."""
    session = run.session
    other = Session.replay(session.compiled, ReferenceMatcher, session.log[:place], session.language.code)
    try:
        other.give(sentence)
        looks = other.game.looks = Looks()
        other.game.happen(event.events)
    except Fault:
        return None
    return Inquiry.of(other, looks.taken)


def mend(run: Inquiry, tally: Tally) -> None:
    """Mends every miss of a run, one by one."""
    steps = said_to_happen(run.session)
    for miss, failed in clauses_that_failed(run, steps):
        assert miss.step is not None
        place, event = steps[miss.step]
        for sentence in mendings(failed, run.session.compiled, run.session.own_worder, event.events[0][0]):
            again = with_one_more(run, place, event, sentence)
            moments = [m for m in again.moments if m.look.step == miss.step] if again else []
            if again is None or not moments or moments[-1].look.token.predicate.startswith("may:"):
                tally.astray += 1  # refused, or the event does not come about any more
                continue
            matched = any(v.match for v in again.between(miss.step, miss.step).verdicts(miss.item))
            held = comes_further(moments[-1], miss, failed, sentence)
            tally.matched += held and matched
            tally.further += held and not matched


def comes_further(moment: Moment, miss: Miss, failed: Failed, sentence: str) -> bool:
    """Makes sure that a clause holds now; whether those before it hold still, so that the rule comes further."""
    assert miss.reach is not None
    values = encoded(failed.bindings.values())
    start = {Var(name): value for name, value in zip(failed.bindings, values, strict=True) if value != NOBODY}
    assert moment.all_of([failed.condition], start), (miss.item, sentence)
    return bool(moment.all_of([*miss.reach.held, failed.condition], start))


def mended(scenarios: Iterable[Scenario]) -> Tally:
    """What came of mended misses in some scenarios."""
    tally = Tally()
    for scenario in scenarios:
        compiled = load_for(TREE, scenario).compiled
        assert compiled is not None
        looks = Looks()
        session = play(scenario, compiled, ReferenceMatcher, looks=looks).session
        mend(Inquiry.of(session, looks.taken), tally)
    return tally


def test_in_generated_rulebooks(tmp_path: Path) -> None:
    tally = Tally()
    for seed in range(60):
        mend(of_rulebook(*make(seed, tmp_path / "rules")), tally)
    assert tally.matched > 10
    assert tally.further > 10
    assert tally.astray < tally.matched + tally.further


def test_in_some_of_the_shipped_scenarios() -> None:
    tally = mended(s for file in FILES for s in read_scenarios(file, file.name)[0][:1])
    assert tally.matched > 10
    assert tally.astray < tally.matched


@pytest.mark.every_file
@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parts[-3]}/{file.stem}")
def test_in_every_shipped_scenario(file: Path) -> None:
    tally = mended(read_scenarios(file, file.name)[0])
    assert tally.astray <= tally.matched + tally.further
