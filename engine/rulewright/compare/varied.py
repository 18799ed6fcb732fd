"""A situation as lines that can be left out or changed one by one, and as the text of a scenario."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from rulewright.compare.games import Game
from rulewright.explain.nearest import Failed, Reach
from rulewright.model import COMPLEMENT, Compare, Expression, MeasureOf, Scenario
from rulewright.phrases.words import sentence_text
from rulewright.provenance import ClauseTruth
from rulewright.resolve.scenarios import resolve_scenarios
from rulewright.scenarios.boundaries import is_whole, leaves, turning_point
from rulewright.speech import number_text
from rulewright.syntax.keywords import languages
from rulewright.syntax.parser import parse
from rulewright.text import Source

_NUMBER = re.compile(r"(?<![\w.,/])\d+(?![\w.,/])")


@dataclass(frozen=True)
class Happening:
    """A line of what happens, or an answer; ``together`` with the line before it or not."""

    text: str
    together: bool = False


@dataclass(frozen=True)
class Situation:
    """What is given, and what happens.

    Attributes:
        origin: the scenario that it was made of.
    """

    origin: Scenario
    givens: tuple[str, ...]
    happenings: tuple[Happening, ...]

    def text(self, edition: str, title: str) -> str:
        """The file of a scenario of an edition in which it comes about."""
        own, origin = languages()[self.origin.language], self.origin
        said = [(own.keyword("AND" if n else "GIVEN"), text) for n, text in enumerate(self.givens)]
        for n, one in enumerate(self.happenings):
            said.append((own.keyword(("TOGETHER" if one.together else "AND") if n else "WHEN"), one.text))
        lines = [f'{own.keyword("SCENARIO")} {origin.ident} "{title}"']
        lines += [f"  {keyword} {text}" for keyword, text in ((own.keyword("EDITION"), edition), *said)]
        return "\n".join([f"{own.keyword('LANGUAGE')} {own.names[0]}", "", *lines, ""])

    def scenario(self) -> Scenario | None:
        """The scenario of its text; None where it is none."""
        blocks, wrong = parse(Source(self.origin.span.source.name, self.text(self.origin.edition, self.origin.title)))
        scenarios, found = resolve_scenarios(blocks)
        return scenarios[0] if scenarios and not wrong and not found else None

    def without(self) -> Iterator[Situation]:
        """The situation without one of its lines, the last first."""
        for n in reversed(range(len(self.happenings))):
            yield replace(self, happenings=self.happenings[:n] + self.happenings[n + 1 :])
        for n in reversed(range(len(self.givens))):
            yield replace(self, givens=self.givens[:n] + self.givens[n + 1 :])

    def given(self, sentence: str) -> Situation:
        """The situation with one more line given."""
        return replace(self, givens=(*self.givens, sentence))

    def with_numbers(self, wanted: Iterable[tuple[Fraction, Fraction]]) -> Iterator[Situation]:
        """The situation with one of its numbers another.

        Args:
            wanted: values that a number should have had instead of others.
        """
        known = list(wanted)
        for n, one in reversed(list(enumerate(self.happenings))):
            for text in _renumbered(one.text, known):
                happening = replace(one, text=text)
                yield replace(self, happenings=(*self.happenings[:n], happening, *self.happenings[n + 1 :]))
        for n, line in enumerate(self.givens):
            for text in _renumbered(line, known):
                yield replace(self, givens=(*self.givens[:n], text, *self.givens[n + 1 :]))


def situation_of(scenario: Scenario) -> Situation:
    """The situation of a scenario, without what is expected of it."""
    givens = tuple(sentence_text(line.span) for line in scenario.givens)
    happenings = tuple(
        Happening(sentence_text(line.span), line.together) for step in scenario.steps for line in step.happenings
    )
    return Situation(scenario, givens, happenings)


def _renumbered(text: str, wanted: Iterable[tuple[Fraction, Fraction]]) -> Iterator[str]:
    """A line with one of its numbers set to a value that is wanted, or changed by as much as another has to be."""
    pairs = list(wanted)
    for found in _NUMBER.finditer(text):
        now = int(found[0])
        values = {now + target - had for had, target in pairs} | {target for _, target in pairs}
        for value in sorted(v for v in values if v >= 0 and v != now and v.denominator == 1):
            yield text[: found.start()] + number_text(value) + text[found.end() :]


# --- boundary values -------------------------------------------------------------------------------------------------


def boundaries(game: Game, names: Iterable[str]) -> set[tuple[Fraction, Fraction]]:
    """The values at which comparisons of rules turn, each after the value it had in a game."""
    wanted = set(names)
    found: set[tuple[Fraction, Fraction]] = set()
    for match in game.matches:
        if match.rule in wanted:
            clauses = [*match.clauses, *(c for d in match.defeats for c in d.clauses)]
            for clause in clauses:
                found |= _of_truth(clause, game)
    for name in wanted:
        for verdict in game.inquiry.verdicts(name):
            if verdict.miss is not None and verdict.miss.reach is not None:
                found |= _of_reach(verdict.miss.reach, game)
    return found


def _of_truth(truth: ClauseTruth, game: Game) -> set[tuple[Fraction, Fraction]]:
    if not isinstance(truth.condition, Compare):
        return set()
    known: dict[Expression, Fraction] = dict(truth.measures)
    return _turning(truth.condition, known, game, held=True)


def _of_reach(reach: Reach, game: Game) -> set[tuple[Fraction, Fraction]]:
    failed: Failed | None = reach.failed
    if failed is None or not isinstance(failed.condition, Compare):
        return set()
    values: dict[Expression, Fraction] = {measure: value for measure, value in failed.measures if value is not None}
    return _turning(failed.condition, values, game, held=False)


def _turning(
    compare: Compare, known: Mapping[Expression, Fraction], game: Game, held: bool
) -> set[tuple[Fraction, Fraction]]:
    """For each number of a comparison, the nearest values at which it holds and does not."""
    vocabulary = game.side.edition.vocabulary
    parts = leaves(compare)
    if any(leaf not in known for leaf in parts):
        return set()
    other = replace(compare, operator=COMPLEMENT[compare.operator])
    found = set()
    for leaf in parts:
        dimension = vocabulary.phrases[leaf.phrase].dimension if isinstance(leaf, MeasureOf) else None
        whole = is_whole(dimension, vocabulary)
        target = turning_point(other if held else compare, leaf, known, whole)
        if target is None:
            continue
        edge = turning_point(compare if held else other, leaf, {**known, leaf: target}, whole)
        found |= {(known[leaf], value) for value in (target, edge) if value is not None}
    return found
