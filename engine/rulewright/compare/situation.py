"""One situation under several editions, as data: verdicts, rules, what is so at the end, odds, and where they part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.backends.base import Backend
from rulewright.compare.games import Game, at_issue, games_of
from rulewright.compare.matrix import describe_side
from rulewright.compare.sides import Side
from rulewright.compare.turning import turnings
from rulewright.explain.clauses import test_text
from rulewright.explain.failed import describe_miss, miss_text
from rulewright.explain.run import describe_anchor, describe_diagnostic, describe_effects
from rulewright.explain.verdicts import Verdict
from rulewright.model import Scenario
from rulewright.scenarios.comparison import Courses
from rulewright.scenarios.odds.odds import odds_of_scenario
from rulewright.scenarios.report import describe_scenario
from rulewright.syntax.keywords import languages

SCHEMA = "rulewright/compare-situation/1"
OPEN = frozenset({"missing-die", "missing-choice"})
"""What stops a game where dice or a choice are open."""

Data = dict[str, Any]


def describe_situation(scenario: Scenario, sides: Sequence[Side], backend: Backend, code: str) -> Data:
    """A scenario under several editions.

    Args:
        scenario: the scenario; which edition it names makes no difference.
        sides: the editions.
        backend: opens the matcher that decides every match.
        code: the code of the language in which it is said.
    """
    games = games_of(scenario, sides, backend)
    try:
        others = [Courses(games[0].played, game.played) for game in games[1:]]
        facts = [others[0].facts[0], *(courses.facts[1] for courses in others)]
        shared = set(facts[0]).intersection(*facts[1:])
        alone = [[fact for fact in own if fact not in shared] for own in facts]
        return {
            "schema": SCHEMA,
            "language": code,
            "scenario": describe_scenario(scenario),
            "editions": [_edition(g, own, backend, code) for g, own in zip(games, alone, strict=True)],
            "concepts": [_concept(concept, games, code) for concept in at_issue(games)],
            "partings": [
                {"first": games[0].side.name, "other": game.side.name, "parting": courses.parting()}
                for game, courses in zip(games[1:], others, strict=True)
            ],
        }
    finally:
        for game in games:
            game.session.close()


def _edition(game: Game, facts: Sequence[str], backend: Backend, code: str) -> Data:
    """What came of the situation under an edition: tests, what alone is so at the end, what does not fit, odds."""
    played, worder = game.played, game.session.worder
    stops = [d for d in played.fault if d.severity == "error"]
    still_open = any(d.name in OPEN for d in stops)
    return {
        **describe_side(game.side, code),
        "tests": [test_text(s.test, worder) for s in game.session.steps if s.test],
        "facts": list(facts),
        "stopped": played.stopped,
        "unfit": [describe_diagnostic(d) for d in stops],
        "odds": _odds(game, backend) if still_open else None,
    }


def _odds(game: Game, backend: Backend) -> Data:
    data = odds_of_scenario(game.played.scenario, game.side.compiled, backend)
    return {key: data[key] for key in ("asks", "exact", "tests", "outcomes")}


def _concept(concept: str, games: Sequence[Game], code: str) -> Data:
    turned = [turning.described() for turning in turnings(concept, games, languages()[code])]
    words = [game.word(concept) for game in games]
    return {
        "concept": concept,
        "differs": bool(turned) or len(set(words)) > 1,
        "cells": [_cell(concept, game) for game in games],
        "turnings": turned,
    }


def _cell(concept: str, game: Game) -> Data:
    """What became of a concept under an edition: its verdict, and the rules with that verdict."""
    verdicts = game.verdicts(concept)
    word = game.word(concept)
    told = [v for v in verdicts if v.word == word]
    return {"verdict": word, "rules": [_rule(v, game) for v in (told if word == "applies" else told[:1])]}


def _rule(verdict: Verdict, game: Game) -> Data:
    anchor = describe_anchor(game.session, verdict.item)
    thing = game.subject(verdict.match) if verdict.match else None
    missed = miss_text(describe_miss(verdict.miss, game.session.worder)) if verdict.miss else None
    return {
        **{key: anchor[key] for key in ("rule", "title", "cites", "place")},
        "step": verdict.step,
        "for": game.session.worder.name(thing) if thing is not None else None,
        "effects": describe_effects(game.session, verdict.match) if verdict.match else [],
        "preempted_by": [d.item for d in verdict.defeats],
        "missed": missed,
    }
