"""Situations in which two editions part, one for each difference of their rules, as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.compare.differences import Difference, differences_of
from rulewright.compare.matrix import describe_side
from rulewright.compare.search import Search, Witness, shipped
from rulewright.compare.situation import describe_cell
from rulewright.scenarios.report import describe_scenario
from rulewright.speech import number_text, say, speaking
from rulewright.workspace import Tree

SCHEMA = "rulewright/compare-witnesses/1"

Data = dict[str, Any]


def describe_witnesses(search: Search, tree: Tree, concept: str | None) -> Data:
    """A smallest situation for each difference for which one is found, and the differences for which none is.

    Args:
        search: looks for them.
        tree: the rules in which the editions lie, with their scenarios.
        concept: the concept that alone is looked at, with all below it; None for all.

    Raises:
        Fault: no edition has a rule on such a concept.
    """
    wanted = differences_of(search.sides, concept, search.language)
    found = search.find(wanted, shipped(tree, search.sides))
    told = [witness.difference for witness in found]
    return {
        "schema": SCHEMA,
        "language": search.language.code,
        "concept": concept,
        "editions": [describe_side(side, search.language.code) for side in search.sides],
        "witnesses": [_witness(one, search) for one in found],
        "untold": [_difference(one) for one in wanted if one not in told],
        "searched": {
            "scenarios": [describe_scenario(scenario) for scenario in search.tried],
            "values": [number_text(value) for value in sorted(search.values)],
            "games": search.played,
            "most_games": search.most_games,
            "seconds": search.seconds,
            "ended": search.ended,
        },
    }


def _difference(one: Difference) -> Data:
    return {
        "concept": one.concept,
        "rules": list(one.rules),
        "clauses": [None if c is None else c.sentence for c in one.clauses],
    }


def _witness(one: Witness, search: Search) -> Data:
    games = [one.turning.one, one.turning.other]
    games.sort(key=lambda game: search.sides.index(game.side))
    return {
        **_difference(one.difference),
        "from": describe_scenario(one.situation.origin),
        "text": _text(one, [game.side.name for game in games]),
        "cells": [describe_cell(one.difference.concept, game) for game in games],
        "turning": one.turning.described(),
    }


def _text(one: Witness, names: Sequence[str]) -> str:
    origin = one.situation.origin
    with speaking(origin.language):
        title = say("witness.scenario", one=names[0], other=names[1])
    return one.situation.text(one.turning.one.side.edition.ident, title)
