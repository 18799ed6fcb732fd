"""The powers of the language, shown in a made-up rulebook: ``powers``, an edition for each theme.

Every scenario is played on the engine and on the oracle, with the same steps; every rule fires in one and is kept from
firing in another.  What must not matter, the order of rules, files and facts, is turned round; what must matter, each
single production that derives something, is taken away.
"""

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from typing import TypeVar

import pytest
from rich.console import Console

from rulewright.backends.base import Backend
from rulewright.backends.durable import DurableMatcher
from rulewright.backends.reference import ReferenceMatcher
from rulewright.diagnostics import Fault
from rulewright.explain.terminal import print_run
from rulewright.lowering.compile import Compiled, compile_edition
from rulewright.model import (
    COMPLEMENT,
    AnyOf,
    Compare,
    Condition,
    Create,
    Definition,
    Effect,
    Exemption,
    Exists,
    MeasureDefinition,
    Rule,
    Scenario,
)
from rulewright.phrases.lexicon import Lexicon, Thing, vocabulary_things
from rulewright.phrases.matching import Reader
from rulewright.productions import Program
from rulewright.provenance import Step
from rulewright.scenarios.expectations import RULE_FORMS
from rulewright.scenarios.report import describe_run
from rulewright.scenarios.runner import Played, play
from rulewright.session.log import Introduction
from rulewright.session.session import Session
from rulewright.syntax.keywords import languages
from rulewright.workspace import RULES_SUFFIX, SCENARIO_SUFFIX, Tree, read_scenarios

T = TypeVar("T")
POWERS = Path(__file__).parent / "powers"
TREE = Tree(POWERS, "powers")
BACKENDS = (DurableMatcher, ReferenceMatcher)


@cache
def compiled(edition: str) -> Compiled:
    loaded = TREE.load(edition)
    assert loaded.compiled is not None, "\n".join(map(str, loaded.diagnostics))
    assert not loaded.diagnostics, "\n".join(map(str, loaded.diagnostics))
    return loaded.compiled


@cache
def scenarios() -> tuple[Scenario, ...]:
    found = []
    for path in sorted(POWERS.rglob(f"*{SCENARIO_SUFFIX}")):
        read, wrong = read_scenarios(path, str(path.relative_to(POWERS)))
        assert not wrong, "\n".join(map(str, wrong))
        found += read
    return tuple(found)


def played(scenario: Scenario, edition: Compiled | None = None, backend: Backend = ReferenceMatcher) -> Played:
    result = play(scenario, edition or compiled(scenario.edition), backend)
    result.session.close()
    return result


def told(result: Played) -> str:
    unmet = [f"line {o.span.line}: {o.text}; got: {o.got}" for o in result.outcomes if not o.met]
    return "\n".join([*unmet, *map(str, result.fault)])


def each_scenario(*editions: str) -> pytest.MarkDecorator:
    chosen = [s for s in scenarios() if not editions or s.edition in editions]
    return pytest.mark.parametrize("scenario", chosen, ids=lambda s: f"{s.edition}/{s.ident}")


# --- every scenario, on both backends --------------------------------------------------------------------------------


@each_scenario()
def test_a_scenario_comes_out_on_both_backends_by_the_same_steps(scenario: Scenario) -> None:
    engine, oracle = (played(scenario, backend=backend) for backend in BACKENDS)
    assert engine.passed, told(engine)
    assert oracle.passed, told(oracle)
    assert engine.session.steps == oracle.session.steps
    assert engine.session.steps, "nothing happens"


@each_scenario()
def test_every_step_of_a_scenario_can_be_told(scenario: Scenario) -> None:
    data = describe_run(played(scenario))
    console = Console(file=StringIO(), width=80)
    print_run(data, console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert all(step["event"] in " ".join(text.split()) for step in data["steps"])


# --- every rule fires, and is kept from it ---------------------------------------------------------------------------


def applied(steps: Sequence[Step]) -> set[str]:
    """The rules that fired, the exemptions that applied, and the tests that were taken."""
    found: set[str] = set()
    for step in steps:
        found |= {d.item for d in step.voided}
        found |= {step.test.rule} if step.test else set()
        for match in step.matches:
            found |= {match.rule} if match.fired else set()
            found |= {d.item for d in match.defeats if d.kind == "exemption"}
    return found


def kept_back(result: Played) -> set[str]:
    """The rules, exemptions and tests that were expected not to fire, and did not."""
    edition = compiled(result.scenario.edition)
    language = languages()[result.scenario.language]
    vocabulary = edition.edition.vocabulary
    lexicon = Lexicon(language, vocabulary).with_things(vocabulary_things(vocabulary, language))
    lexicon = lexicon.with_things((ident, Thing(ident, "rule")) for ident in edition.anchors)
    lexicon = lexicon.with_things((name, Thing(ident, "thing")) for ident, name in result.session.names.items())
    found = set()
    for outcome in result.outcomes:
        for key in RULE_FORMS:
            for filled in Reader(lexicon, outcome.span).own(key):
                if key in ("not-fires", "pre-empted") and outcome.met:
                    found.add(filled["rule"].ident)
    return found


@pytest.mark.parametrize("edition", TREE.editions())
def test_each_rule_fires_in_a_scenario_and_is_kept_back_in_another(edition: str) -> None:
    results = [played(s) for s in scenarios() if s.edition == edition]
    fires = set[str]().union(*(applied(r.session.steps) for r in results))
    kept = set[str]().union(*(kept_back(r) for r in results))
    model = compiled(edition).edition
    rules = {r.anchor.ident for r in compiled(edition).rules}
    tried = {i.anchor.ident for group in (model.exemptions, model.tests) for i in group}
    assert not sorted((rules | tried) - fires), "these never fire"
    assert not sorted((rules | tried) - kept), "these are never kept back"


def without(edition: Compiled, dropped: Callable[[str], bool]) -> Compiled:
    """An edition with some of its productions taken away."""
    rest = tuple(p for p in edition.program.productions if not dropped(p.name))
    return replace(edition, program=Program(rest, edition.program.columns))


@pytest.mark.parametrize("edition", TREE.editions())
def test_without_its_productions_a_definition_a_measure_and_an_order_are_missed(edition: str) -> None:
    """Each of them is the ground of something that a scenario expects."""
    whole = compiled(edition)
    mine = [s for s in scenarios() if s.edition == edition]
    for item in (*whole.edition.definitions, *whole.edition.measures):
        ident = item.anchor.ident
        less = without(whole, lambda name, ident=ident: name.startswith((f"{ident}/define", f"{ident}/gather")))
        assert len(less.program.productions) < len(whole.program.productions)
        assert any(not played(s, less).passed for s in mine), f"nobody misses {ident}"
    for order in whole.edition.orders:
        rest = tuple(o for o in whole.edition.orders if o is not order)
        less = replace(whole, edition=replace(whole.edition, orders=rest))
        assert any(not played(s, less).passed for s in mine), f"nobody misses {order.anchor.ident}"


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_firing_rests_on_its_production(backend: Backend) -> None:
    """Without the match of a rule, or what its condition rests on, the rule does not fire."""
    whole = compiled("knowing")
    scenario = next(s for s in scenarios() if s.ident == "straight")

    def obeyed(edition: Compiled) -> list[bool]:
        steps = played(scenario, edition, backend).session.steps
        return [m.fired for s in steps for m in s.matches if m.rule == "obey"]

    assert obeyed(whole) == [True]
    assert "marches" in {s.event for s in played(scenario, whole, backend).session.steps}
    assert obeyed(without(whole, lambda name: name.startswith("obey/match"))) == []
    assert obeyed(without(whole, lambda name: name.startswith("word-seen/define"))) == []


# --- no clause can be left out ---------------------------------------------------------------------------------------


Item = Rule | Definition | MeasureDefinition | Exemption
EQUIVALENT = {("counting", "lonely"), ("counting", "weak"), ("trying", "lends-captain")}
"""A count of at most nought is nought; whoever lends to itself does so twice over."""


def one_less(parts: tuple[T, ...], least: int = 0) -> Iterator[tuple[T, ...]]:
    if len(parts) > least:
        yield from (parts[:n] + parts[n + 1 :] for n in range(len(parts)))


def one_other(parts: tuple[T, ...], change: Callable[[T], Iterator[T]]) -> Iterator[tuple[T, ...]]:
    for n, part in enumerate(parts):
        yield from ((*parts[:n], other, *parts[n + 1 :]) for other in change(part))


def other_condition(condition: Condition) -> Iterator[Condition]:
    if isinstance(condition, AnyOf):
        yield from (replace(condition, choices=c) for c in one_less(condition.choices, 1))
    elif isinstance(condition, Exists):
        yield from (replace(condition, conditions=c) for c in one_less(condition.conditions, 1))
    elif isinstance(condition, Compare):
        yield from (replace(condition, operator=o) for o in COMPLEMENT if o != condition.operator)


def other_effect(effect: Effect) -> Iterator[Effect]:
    for part, nothing in {
        "until_window": None,
        "until_events": (),
        "lasting": (),
        "on_success": (),
        "on_failure": (),
    }.items():
        if getattr(effect, part):
            yield replace(effect, **{part: nothing})
    for part in ("until_events", "lasting", "on_success", "on_failure"):
        yield from (replace(effect, **{part: fewer}) for fewer in one_less(getattr(effect, part), 1))


def mutants(item: Item) -> Iterator[Item]:
    """The item with one clause less, or one comparison made otherwise."""
    yield from (replace(item, conditions=c) for c in one_less(item.conditions))
    yield from (replace(item, conditions=c) for c in one_other(item.conditions, other_condition))
    if isinstance(item, Rule | Exemption):
        yield from (replace(item, defeaters=d) for d in one_less(item.defeaters))
        yield from (replace(item, overrides=o) for o in one_less(item.overrides))
        for number, defeater in enumerate(item.defeaters):
            for fewer in (*one_less(defeater.conditions, 1), *one_other(defeater.conditions, other_condition)):
                changed = (*item.defeaters[:number], replace(defeater, conditions=fewer), *item.defeaters[number + 1 :])
                yield replace(item, defeaters=changed)
    if isinstance(item, Rule):
        yield from (replace(item, triggers=t) for t in one_less(item.triggers, 1))
        yield from (replace(item, regardless=r) for r in one_less(item.regardless))
        yield from (replace(item, effects=e) for e in one_other(item.effects, other_effect))
        if not any(isinstance(e.act, Create) for e in item.effects):
            yield from (replace(item, effects=e) for e in one_less(item.effects, 1))
        if item.choice:
            fewer_choices = (replace(item.choice, conditions=c) for c in one_less(item.choice.conditions))
            yield from (replace(item, choice=c) for c in fewer_choices)


@pytest.mark.slow
@pytest.mark.parametrize("edition", TREE.editions())
def test_no_clause_can_be_left_out_unnoticed(edition: str) -> None:
    model = compiled(edition).edition
    mine = [s for s in scenarios() if s.edition == edition]
    unnoticed = []
    for field in ("rules", "definitions", "measures", "exemptions"):
        items: tuple[Item, ...] = getattr(model, field)
        for number, item in enumerate(items):
            chapter = Path(item.anchor.span.source.name).stem
            likely_first = sorted(mine, key=lambda s, c=chapter: Path(s.span.source.name).stem != c)
            for mutant in mutants(item):
                changed = replace(model, **{field: (*items[:number], mutant, *items[number + 1 :])})
                other, _ = compile_edition(changed)
                if other is not None and all(played(s, other).passed for s in likely_first):
                    unnoticed.append((edition, item.anchor.ident))
    assert set(unnoticed) <= EQUIVALENT


# --- what must not matter --------------------------------------------------------------------------------------------


_BLOCK = re.compile(r"^(?=[^\s#])", re.MULTILINE)


def turned_round(folder: Path) -> Tree:
    """The rulebook with the blocks of each file in reversed order, and its files in reversed order too."""
    shutil.copytree(POWERS, folder)
    for directory in {p.parent for p in folder.rglob(f"*{RULES_SUFFIX}")}:
        files = sorted(directory.glob(f"*{RULES_SUFFIX}"))
        texts = [path.read_text(encoding="utf-8") for path in files]
        for path in files:
            path.unlink()
        for number, text in enumerate(reversed(texts)):
            head, *blocks = _BLOCK.split(text)[1:]
            assert head.startswith("language")
            turned = [f"{block.rstrip()}\n\n" for block in reversed(blocks)]
            (directory / f"{number:02}{RULES_SUFFIX}").write_text(f"{head}\n{''.join(turned)}", encoding="utf-8")
    return Tree(folder, "")


@pytest.fixture(scope="module")
def turned(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return turned_round(tmp_path_factory.mktemp("turned") / "powers")


@pytest.mark.parametrize("edition", TREE.editions())
def test_the_order_of_rules_and_files_does_not_matter(edition: str, turned: Tree) -> None:
    other = turned.load(edition).compiled
    assert other is not None
    assert [r.anchor.ident for r in other.edition.rules] != [r.anchor.ident for r in compiled(edition).edition.rules]
    for scenario in (s for s in scenarios() if s.edition == edition):
        result = played(scenario, other)
        assert result.passed, f"{scenario.ident}: {told(result)}"
        assert result.session.steps == played(scenario).session.steps, scenario.ident


@each_scenario()
def test_the_order_of_givens_does_not_matter(scenario: Scenario) -> None:
    session = Session(compiled(scenario.edition), ReferenceMatcher, scenario.language)
    kinds = []
    for line in scenario.givens:
        before = len(session.log)
        session.give(line.span)
        first = session.log[before]
        kinds.append(2 if not isinstance(first, Introduction) else 0 if first.kind == "side" else 1)
    order = sorted(range(len(kinds)), key=lambda i: (kinds[i], -i))
    other = replace(scenario, givens=tuple(scenario.givens[i] for i in order))
    result = played(other)
    assert result.passed, told(result)
    assert result.session.steps == played(scenario).session.steps


@each_scenario()
def test_a_replay_and_a_fork_lead_to_the_same_steps(scenario: Scenario) -> None:
    edition = compiled(scenario.edition)
    first = play(scenario, edition, ReferenceMatcher).session
    again = Session.replay(edition, DurableMatcher, first.log)
    fork = first.fork()
    assert first.steps == again.steps == fork.steps
    assert first.facts() == again.facts() == fork.facts()
    assert [e.event for e in first.steps] == [e.event for e in fork.steps]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("edition", TREE.editions())
def test_sessions_do_not_disturb_each_other(edition: str, backend: Backend) -> None:
    """All games of an edition, and each entry of each log, in turn."""
    mine = [s for s in scenarios() if s.edition == edition]
    alone = [play(s, compiled(edition), ReferenceMatcher).session for s in mine]
    together = [Session(compiled(edition), backend) for _ in mine]
    for number in range(max(len(s.log) for s in alone)):
        for one, other in zip(alone, together, strict=True):
            if number < len(one.log):
                other.carry_out([one.log[number]])
    for one, other in zip(alone, together, strict=True):
        assert one.steps == other.steps
        other.close()


def test_a_fork_goes_its_own_way() -> None:
    session = Session(compiled("happening"), DurableMatcher)
    for line in ("Ravens is a troop", "Hares is a troop", "Hares sees Ravens"):
        session.give(line)
    fork = session.fork()
    session.happens("Ravens hears a rumour")
    fork.happens("Hares hears a rumour")
    assert session.steps[1].values == ("Hares", "Ravens")
    assert len(fork.steps) == 1
    assert session.holds("Hares heard it already")
    assert not fork.holds("Ravens heard it already")
    session.close()
    fork.close()


# --- what is added is kept apart -------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_added_to_a_roll_and_to_a_characteristic_is_kept_apart(backend: Backend) -> None:
    session = Session(compiled("trying"), backend)
    for line in ("Ravens is a troop with nerve 7", "Ravens is tired", "Ravens is bold"):
        session.give(line)
    session.happens("Ravens takes a Nerve test")
    session.answer(7)
    (test,) = (s.test for s in session.steps if s.test)
    added = sorted((m.of, m.amount, m.rule) for m in test.modifiers)
    assert added == [("characteristic", 1, "bold-characteristic"), ("roll", 1, "tired-roll")]
    assert (test.total, test.passed, test.first_total) == (7, True, None)
    session.close()


@pytest.mark.parametrize("backend", BACKENDS)
def test_both_rolls_are_told(backend: Backend) -> None:
    session = Session(compiled("trying"), backend)
    session.give("Otters is a riders with nerve 7")
    session.happens("Otters takes a Nerve test")
    session.answer(9)
    assert session.request is not None
    session.answer(5)
    (test,) = (s.test for s in session.steps if s.test)
    assert (test.first_total, test.total, test.passed) == (9, 5, True)
    session.close()


# --- what cannot be had is refused, and said why ----------------------------------------------------------------------


def laid_over(folder: Path, text: str) -> Tree:
    """The rulebook with some more rules in the edition ``happening``."""
    shutil.copytree(POWERS, folder)
    (folder / "happening" / f"more{RULES_SUFFIX}").write_text(f"language English\n\n{text}\n", encoding="utf-8")
    return Tree(folder, "")


REFUSED = {
    "resting on its own absence": (
        """
fact lost
  en: {troop} is lost
  en not: {troop} is not lost

definition lost-if-not
  {troop} is lost
  if {troop} is in play
  and {troop} is not lost
""",
        "circle",
        ("lost-if-not -> lost-if-not",),
    ),
    "a circle of two definitions": (
        """
fact calm-here
  en: {troop} is at ease
  en not: {troop} is not at ease

fact alert-here
  en: {troop} is alert
  en not: {troop} is not alert

definition ease
  {troop} is at ease
  if {troop} is in play
  and {troop} is not alert

definition alertness
  {troop} is alert
  if {troop} is in play
  and there is no {other}
    where {other} is at ease
""",
        "circle",
        ("ease", "alertness"),
    ),
    "two rules that override each other": (
        """
rule first-of-two
  when {troop} drills
  then {troop} halts
  overrides second-of-two

rule second-of-two
  when {troop} drills
  then {troop} marches
  overrides first-of-two
""",
        "circle",
        ("first-of-two", "second-of-two"),
    ),
    "a measure that rests on itself": (
        """
measure weight
  en: the weight of {troop}

definition weight-of-all
  the weight of {troop}
  adds up the weight of {other}
    where {troop} sees {other}
""",
        "circle",
        ("weight-of-all",),
    ),
    "a variable tied to nothing": (
        """
rule loose-effect
  when {troop} drills
  then {other} marches
""",
        "unsafe-variable",
        ("{other}", "loose-effect"),
    ),
    "a variable in a negative sentence alone": (
        """
rule loose-negation
  when {troop} drills
  and {other} is not tired
  then {troop} marches
""",
        "unsafe-variable",
        ("{other}", "loose-negation"),
    ),
    "a variable in a comparison alone": (
        """
rule loose-number
  when {troop} drills
  and {number} is at least 3
  then {troop} marches
""",
        "unsafe-variable",
        ("{number}", "loose-number"),
    ),
    "a variable of an exception in the effect": (
        """
rule loose-exception
  when {troop} drills
  unless {troop} sees {other}
  then {other} marches
""",
        "unsafe-variable",
        ("{other}", "loose-exception"),
    ),
    "anything at all that is another": (
        """
rule nobody-else
  when {troop} drills
  and there is no {other}
    where {other} is not {troop}
  then {troop} marches
""",
        "unsafe-variable",
        ("{other}", "nobody-else", "of which kind"),
    ),
    "a place for a troop": (
        """
rule two-kinds
  when {troop} drills
  and {troop} holds {other}
  and {troop} sees {other}
  then {troop} marches
""",
        "kind-conflict",
        ("{other}", "place", "troop"),
    ),
    "a number for a troop": (
        """
rule number-or-troop
  when {troop} drills
  and {troop} is at least 3
  then {troop} marches
""",
        "kind-conflict",
        ("{troop}", "number"),
    ),
    "men compared with leagues": (
        """
rule unlike
  when {troop} drills
  and {troop} sees {other}
  and the men of {troop} are more than the distance between {troop} and {other}
  then {troop} marches
""",
        "unlike-measures",
        ("men", "leagues"),
    ),
    "a window that nothing closes": (
        """
rule for-a-game
  when {troop} drills
  then {troop} is hidden
    until the end of the game
""",
        "window-never-closes",
        ("game",),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_is_said_before_anything_is_played(name: str, tmp_path: Path) -> None:
    text, wanted, parts = REFUSED[name]
    found = [d for d in laid_over(tmp_path / "powers", text).load("happening").diagnostics if d.severity == "error"]
    assert [d.name for d in found] == [wanted], "\n".join(map(str, found))
    assert found[0].span is not None
    assert found[0].span.source.name.endswith(f"more{RULES_SUFFIX}")
    for part in parts:
        assert part in str(found[0])


def session_over(tmp_path: Path, text: str, backend: Backend) -> Session:
    loaded = laid_over(tmp_path / "powers", text).load("happening")
    assert loaded.compiled is not None, "\n".join(map(str, loaded.diagnostics))
    session = Session(loaded.compiled, backend)
    for line in ("Ravens is a troop with 9 men", "Hares is a troop with 9 men", "Ravens sees Hares"):
        session.give(line)
    return session


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_cascade_without_an_end_names_its_loop(backend: Backend, tmp_path: Path) -> None:
    rules = """
rule tick
  when {troop} drills
  then {troop} braces

rule tack
  when {troop} braces
  then {troop} calms down

rule tock
  when {troop} calms down
  then {troop} drills
"""
    session = session_over(tmp_path, rules, backend)
    with pytest.raises(Fault) as fault:
        session.happens("Ravens drills")
    (diagnostic,) = fault.value.diagnostics
    assert diagnostic.name == "endless-cascade"
    assert re.search(r"(tick|tack|tock) -> (tick|tack|tock) -> (tick|tack|tock)", diagnostic.help)
    assert not session.steps
    session.happens("Hares hides")
    assert session.holds("Hares is hidden")
    session.close()


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_long_cascade_with_an_end_is_none_without(backend: Backend) -> None:
    session = Session(compiled("happening"), backend)
    session.give("Ravens is a troop")
    session.happens("Ravens counts down from 250")
    assert len(session.steps) == 251
    session.close()


CONTRADICTIONS = {
    "a fact that begins and ends": ("then {troop} is hidden", "then {troop} is not hidden"),
    "two values of a measure": ("then the speed of {troop} becomes 3", "then the speed of {troop} becomes 4"),
    "a value that becomes and rises": ("then the men of {troop} becomes 3", "then the men of {troop} rise by 1"),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", CONTRADICTIONS)
def test_contradictory_effects_name_both_rules(name: str, backend: Backend, tmp_path: Path) -> None:
    one, other = CONTRADICTIONS[name]
    rules = f"""
rule yes
  when {{troop}} drills
  {one}

rule no
  when {{troop}} drills
  and {{troop}} sees {{other}}
  {other}
"""
    session = session_over(tmp_path, rules, backend)
    with pytest.raises(Fault) as fault:
        session.happens("Ravens drills")
    (diagnostic,) = fault.value.diagnostics
    assert diagnostic.name == "contradictory-effects"
    for part in ("`yes`", "`no`", "Ravens"):
        assert part in diagnostic.message
    session.happens("Hares drills")
    assert {m.rule for m in session.matches if m.fired and m.rule in ("yes", "no")} == {"yes"}
    session.close()
