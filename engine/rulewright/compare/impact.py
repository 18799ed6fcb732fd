"""What a change of rules comes to in play: the scenarios that take another course, and what no scenario tries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rulewright.backends.base import Backend
from rulewright.compare.changelog import Change, Chapter
from rulewright.compare.versions import Version
from rulewright.explain.rules import items_of
from rulewright.lowering.compile import Compiled
from rulewright.model import Definition, Edition, MeasureDefinition, Scenario
from rulewright.scenarios.comparison import Courses
from rulewright.scenarios.coverage import Mark
from rulewright.scenarios.exercised import exercised
from rulewright.scenarios.report import describe_scenario
from rulewright.scenarios.runner import Played, play
from rulewright.session.looks import Looks
from rulewright.walk import atoms_of
from rulewright.workspace import SCENARIO_SUFFIX, VOCABULARY, read_scenarios

Data = dict[str, Any]


def describe_impact(old: Version, new: Version, chapters: Sequence[Chapter], backend: Backend) -> Data:
    """Plays the scenarios of every edition that changed under both versions, as data.

    The scenarios are those of the new version.  What has only another name is no difference.
    """
    shared = [change for chapter in chapters if chapter.title == VOCABULARY for change in chapter.changes]
    found = _Impact(old, new, backend)
    for chapter in chapters:
        before, after = chapter.names
        changes = [*shared, *chapter.changes]
        if before is not None and after is not None and chapter.title != VOCABULARY and any(map(_touches, changes)):
            found.edition(before, after, changes)
    return {
        "played": found.played,
        "scenarios": found.parted,
        "uncovered": [_uncovered(change) for change in found.untried()],
        "unread": found.unread,
    }


def _touches(change: Change) -> bool:
    return change.meaning or change.sort == "renamed"


def _uncovered(change: Change) -> Data:
    thing = change.thing
    return {"kind": thing.kind, "id": thing.ident, "change": change.sort, "place": thing.place}


class _Impact:
    def __init__(self, old: Version, new: Version, backend: Backend) -> None:
        self.versions = (old, new)
        self.backend = backend
        self.played = 0
        self.parted: list[Data] = []
        self.unread: list[str] = []
        self.changes: dict[tuple[str, str], Change] = {}
        self.tried: set[tuple[str, str]] = set()

    def edition(self, before: str, after: str, changes: Sequence[Change]) -> None:
        """Plays the scenarios of an edition."""
        self.changes |= {(c.thing.kind, c.thing.ident): c for c in changes if c.meaning and c.thing.item is not None}
        now = {c.before.ident: c.after.ident for c in changes if c.sort == "renamed" and c.before and c.after}
        new = self.versions[1]
        for name, file in new.tree.files(after, SCENARIO_SUFFIX):
            scenarios, wrong = read_scenarios(file, name)
            self.unread += [str(d.span or name) for d in wrong]
            for scenario in (s for s in scenarios if s.edition == after):
                self.scenario(scenario, (before, after), changes, now)

    def scenario(
        self, scenario: Scenario, names: tuple[str, str], changes: Sequence[Change], now: Mapping[str, str]
    ) -> None:
        """Plays a scenario under both versions, and holds the courses against each other."""
        both: list[Played] = []
        marks: list[set[Mark]] = []
        for version, name in zip(self.versions, names, strict=True):
            compiled = version.compiled(name, scenario.readings)
            looks = Looks()
            one = play(scenario, compiled, self.backend, looks=looks, strict=False)
            marks.append(exercised(compiled, one.session.steps, looks, one.session.game.world.all_facts()))
            both.append(one)
        self.played += 1
        courses = Courses(*both)
        courses.courses[0] = [[_renamed(line, now) for line in step] for step in courses.courses[0]]
        parting = courses.parting()
        for one in both:
            one.session.close()
        self.note(changes, marks)
        if parting is not None:
            passed = [one.passed for one in both]
            told = {side: {**parting[side], "passed": passed[n]} for n, side in enumerate(("before", "after"))}
            through = through_what(parting["step"], courses.steps, changes, both[1].session.compiled)
            self.parted.append({**describe_scenario(scenario), **parting, **told, "through": through})

    def note(self, changes: Iterable[Change], marks: Sequence[set[Mark]]) -> None:
        """Keeps in mind which of the changed rules a scenario tries: it fires, or a changed clause is looked at."""
        for change in changes:
            sides = [(change.before, marks[0], 0), (change.after, marks[1], 1)]
            for thing, own, place in ((t, m, n) for t, m, n in sides if t is not None):
                spans = {c.span for line in change.lines if (c := line.clauses[place]) is not None and c.span}
                starts = {(span.source.name, span.start) for span in spans}
                if any(
                    m.key.block == thing.ident and (m.way == "fired" or (m.key.file, m.key.start) in starts)
                    for m in own
                ):
                    self.tried.add((change.thing.kind, change.thing.ident))

    def untried(self) -> Iterator[Change]:
        """The changed rules that no scenario tries."""
        return (change for name, change in self.changes.items() if name not in self.tried)


def _renamed(text: str, now: Mapping[str, str]) -> str:
    for before, after in now.items():
        text = re.sub(rf"(?<![\w-]){re.escape(before)}(?![\w-])", after, text)
    return text


def through_what(
    step: int | None, steps: Sequence[Sequence[Data]], changes: Sequence[Change], compiled: Compiled
) -> list[str]:
    """The changes that a step goes through: of its rules themselves, or else of words that these rest on."""
    if step is None:
        return []
    here = [own[step - 1] for own in steps if step <= len(own)]
    names = {name for one in here for name in _rules(one)}
    changed = [c for c in changes if c.meaning]
    found = [c for c in changed if c.names & names]
    if not found:
        used = _words(names, compiled.edition)
        found = [c for c in changed if _declared(c) & used]
    return [c.thing.ident for c in found]


def _rules(step: Data) -> Iterator[str]:
    """The rules that have a say in a step."""
    for rule in step["rules"]:
        yield rule["rule"]
        yield from (d["rule"] for d in rule["preempted_by"] if d.get("rule"))
    yield from (d["rule"] for d in step["voided"])
    yield from (o["rule"] for o in step["held_back_by"])


def _declared(change: Change) -> set[str]:
    """The word whose meaning a change is about."""
    item = change.thing.item
    if isinstance(item, Definition | MeasureDefinition):
        return {item.head.phrase}
    return {change.thing.ident} if item is None else set()


def _words(names: set[str], edition: Edition) -> set[str]:
    """The words that some rules rest on, and those that these rest on in turn."""
    vocabulary = edition.vocabulary
    own = [i for i in items_of(edition) if i.anchor.ident in names]
    left = [atom.phrase for item in own for atom in atoms_of(item)]
    found: set[str] = set()
    while left:
        phrase = left.pop()
        if phrase in found:
            continue
        found.add(phrase)
        made: list[object] = [
            *(d for d in edition.definitions if d.head.phrase == phrase),
            *(m for m in edition.measures if m.head.phrase == phrase),
        ]
        made += [vocabulary.tallies[phrase]] if phrase in vocabulary.tallies else []
        left += [atom.phrase for node in made for atom in atoms_of(node)]
        left += [vocabulary.snapshots[phrase].measure] if phrase in vocabulary.snapshots else []
    return found
