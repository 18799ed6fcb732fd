"""The page of odds: what is asked first, how likely what comes of it is, choices, ends, and the tree behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from rulewright.explain.odds_pictures import picture_of_plot, picture_of_tree
from rulewright.forms.page import Block, Entry, Page, Table, Tone
from rulewright.speech import Listed, counted, say

Data = dict[str, Any]

_ROWS, _CHOICES, _DIFFERENCES, _ENDS, _COLUMNS = 12, 3, 4, 4, 3
"""So much of what may be many is shown at once; the rest is folded."""
_STATES, _LINES = 200, 100
"""A page tells no more states and ends than that, not even when everything is asked for; the data holds all."""
_BAR = 10
"""The length of the bar that stands for certainty."""


def odds_page(data: Data, fractions: bool = False) -> Page:
    """The page of the data of ``rulewright/odds/1``; with exact fractions where they are asked for."""
    scenario = data["scenario"]
    if scenario is None:
        title, place = say("odds.title-here"), ""
    else:
        title = say("odds.title", title=scenario["title"])
        place = say("run.scenario", id=scenario["id"], edition=scenario["edition"], place=scenario["place"])
    return Page(title, place, data["language"], tuple(Teller(fractions).blocks(data)))


def percent_text(share: Fraction) -> str:
    """A share of one in percent, to one decimal; what is not quite never or always does not look so."""
    rounded = Fraction(round(share * 1000), 10)
    if rounded == 0 and share > 0:
        return say("odds.below", percent=Fraction(1, 10))
    if rounded == 100 and share < 1:
        return say("odds.above", percent=Fraction(999, 10))
    return say("odds.percent", percent=rounded)


class Teller:
    """Chances in words, with exact fractions where they are asked for."""

    def __init__(self, fractions: bool) -> None:
        self.fractions = fractions

    def share(self, share: str) -> str:
        exact = Fraction(share)
        text = percent_text(exact)
        whole = exact.denominator == 1
        return say("odds.fraction", percent=text, fraction=share) if self.fractions and not whole else text

    def chance(self, chance: Data) -> str:
        """A chance in percent: one number, the worst and best case, or a number with its 95% interval."""
        if chance["error"] is not None:
            low, high = (Fraction(round(bound * 10), 10) for bound in chance["error"])
            return say("odds.sampled", percent=percent_text(Fraction(chance["most"])), low=low, high=high)
        if chance["least"] == chance["most"]:
            return self.share(chance["most"])
        return say("odds.range", least=self.share(chance["least"]), most=self.share(chance["most"]))

    # --- the whole ---------------------------------------------------------------------------------------------------

    def blocks(self, data: Data) -> Iterator[Block]:
        if data["sample"] is not None:
            yield self.sample(data)
        if data["asks"] is not None:
            yield Entry(self.first(data["tree"][0]), "dice")
        elif data["against"] is None:
            yield Entry(say("odds.nothing-open"))
        if data["wanted"]:
            yield self.table(say("odds.wanted"), data["wanted"])
        if data["against"] is not None:
            yield from self.against(data["against"])
        if not data["wanted"]:
            yield from self.outcomes(data)
        yield from self.choices(data)
        if not data["wanted"] and len(data["ends"]) > 1:
            yield self.ends(data["ends"])
        if data["stopped"]:
            yield self.stopped(data["stopped"])
        if data["exact"] and data["asks"] is not None:
            yield self.tree(data)
            yield picture_of_tree(data, percent_text)

    def sample(self, data: Data) -> Entry:
        """That the odds are not exact, and why."""
        sample = data["sample"]
        told = say(f"odds.sampled-{sample['why']}", states=sample["most_states"], seconds=sample["seconds"])
        inside = [Entry(counted("odds.sample", sample["games"], seed=sample["seed"]))]
        if data["choices"]:
            inside.append(Entry(say("odds.sampled-choices")))
        return Entry(told, "note", "warning", inside=tuple(inside))

    def first(self, state: Data) -> str:
        """What is asked first, and how likely each answer is."""
        told = [self.branch(branch) for branch in state["branches"]]
        asked = state["asks"]
        return (
            say("odds.first", asked=asked, branches="; ".join(told)) if state["kind"] in ("roll", "chance") else asked
        )

    def branch(self, branch: Data) -> str:
        """An answer with its chance: *passed 58.3% (2-7)*."""
        if branch["chance"] is None:
            return str(branch["text"])
        percent = self.share(branch["chance"])
        if branch["passes"] is None:
            return say("odds.option", option=branch["text"], percent=percent)
        return say("odds.passed" if branch["passes"] else "odds.failed", totals=branch["text"], percent=percent)

    def outcomes(self, data: Data) -> Iterator[Block]:
        """Tests, then what else comes about, then how things stand at the end, then which rules apply."""
        tests = data["tests"]
        if tests:
            rows = [(t["text"], *(self.chance(t[key]) for key in ("taken", "passed", "failed"))) for t in tests]
            heads = (say("odds.test"), say("odds.is-taken"), say("odds.is-passed"), say("odds.is-failed"))
            yield Table("", heads, tuple(rows), frozenset({1, 2, 3}))
            if any(_several(test) for test in tests):
                yield Entry(say("odds.at-least-once"), "note", "quiet")
        found = {kinds: [o for o in data["outcomes"] if o["kind"] in kinds] for kinds in _GROUPS}
        for kinds, title in _GROUPS.items():
            some = found[kinds]
            shown = 0 if kinds == ("rule",) else _ROWS
            if some[:shown]:
                yield self.table(say(title), some[:shown])
            if some[shown:]:
                told = say("odds.more", number=len(some) - shown) if shown else say(title)
                yield Entry(told, "heading" if not shown else "note", inside=self.lines(some[shown:]), folded=True)

    def table(self, head: str, rows: Sequence[Data]) -> Table:
        told = tuple((row["text"], self.chance(row["chance"])) for row in rows)
        return Table("", (head, say("odds.chance")), told, frozenset({1}))

    def lines(self, rows: Sequence[Data]) -> tuple[Entry, ...]:
        return tuple(Entry(say("odds.line", text=r["text"], chance=self.chance(r["chance"]))) for r in rows)

    # --- choices, ends, stops ----------------------------------------------------------------------------------------

    def choices(self, data: Data) -> Iterator[Entry]:
        """What players choose, each option with what becomes more or less likely by it."""
        which = "wanted" if data["wanted"] else "outcomes"
        told = [self.choice(c, which) for c in data["choices"] if c["options"][0][which]]
        idle = len(data["choices"]) - len(told)
        note = [Entry(say("odds.worst-to-best"), "note", "quiet")] if told else []
        more = told[_CHOICES:]
        folded = [Entry(say("odds.more", number=len(more)), inside=tuple(more), folded=True)] if more else []
        without = [Entry(say("odds.idle-choices", number=idle), "note", "quiet")] if idle else []
        if told or idle:
            yield Entry(say("odds.choices"), "heading", inside=(*note, *told[:_CHOICES], *folded, *without))

    def choice(self, choice: Data, which: str) -> Entry:
        """One choice: for each thing that differs, the biggest difference first, its chance under each option."""
        options = choice["options"]
        columns = [option[which] for option in options]
        rows = sorted(zip(*columns, strict=True), key=_difference, reverse=True)
        told = []
        for row in rows:
            chances = (
                say("odds.option", option=option["text"], percent=self.chance(cell["chance"]))
                for option, cell in zip(options, row, strict=True)
            )
            told.append(Entry(say("odds.line", text=row[0]["text"], chance=str(Listed(tuple(chances)))), "fact"))
        more = told[_DIFFERENCES:]
        folded = [Entry(say("odds.more", number=len(more)), inside=tuple(more), folded=True)] if more else []
        always = choice["reached"]["least"] == "1"
        reached = "" if always else say("odds.comes-to-it", chance=self.chance(choice["reached"]))
        return Entry(choice["asks"] + reached, "dice", inside=(*told[:_DIFFERENCES], *folded))

    def ends(self, ends: Sequence[Data]) -> Entry:
        """The ends that there are, the likeliest first; only what differs is told."""
        told = []
        for end in ends[:_LINES]:
            facts = str(Listed(tuple(end["facts"]), "list.semicolon")) if end["facts"] else say("odds.nothing-else")
            told.append(Entry(facts, "fact", mark=self.chance(end["chance"])))
        more = (*told[_ENDS:], *_left_out(len(ends) - _LINES))
        folded = [Entry(say("odds.more", number=len(ends) - _ENDS), inside=more, folded=True)] if more else []
        return Entry(say("odds.ends", number=len(ends)), "heading", inside=(*told[:_ENDS], *folded))

    def stopped(self, stops: Sequence[Data]) -> Entry:
        told = tuple(
            Entry(
                stop["diagnostics"][0]["message"],
                tone="bad",
                mark=self.chance(stop["chance"]),
                inside=(Entry(stop["diagnostics"][0]["help"]),),
            )
            for stop in stops
        )
        return Entry(say("odds.stopped"), "heading", "bad", inside=told)

    # --- against a number --------------------------------------------------------------------------------------------

    def against(self, against: Data) -> Iterator[Block]:
        """A table of what depends on a number, with bars for the first column, and a plot."""
        columns = against["outcomes"]
        if not columns:
            yield Entry(say("odds.independent", measure=against["measure"]))
            return
        yield self.columns(against, columns[:_COLUMNS])
        if columns[_COLUMNS:]:
            rest = tuple(self.rows(against["values"], column) for column in columns[_COLUMNS:])
            yield Entry(say("odds.more", number=len(rest)), inside=rest, folded=True)
        yield picture_of_plot(against)

    def columns(self, against: Data, columns: Sequence[Data]) -> Table:
        first, *others = columns
        rows = [
            (
                str(value),
                self.chance(first["chances"][n]),
                bar(first["chances"][n]),
                *(self.chance(column["chances"][n]) for column in others),
            )
            for n, value in enumerate(against["values"])
        ]
        heads = (against["measure"], first["text"], "", *(column["text"] for column in others))
        return Table(say("odds.against", measure=against["measure"]), heads, tuple(rows), frozenset({0, 1, 3, 4}))

    def rows(self, values: Sequence[int], column: Data) -> Entry:
        inside = (
            Entry(say("odds.line", text=str(value), chance=self.chance(chance)), "numbers")
            for value, chance in zip(values, column["chances"], strict=True)
        )
        return Entry(column["text"], "fact", inside=tuple(inside))

    # --- the tree ----------------------------------------------------------------------------------------------------

    def tree(self, data: Data) -> Entry:
        """All states one below the other, each with where it leads to."""
        states = {s["number"]: s for s in data["tree"]}
        asking = [s for s in data["tree"] if s["branches"]]
        told = (*(self.state(s, states) for s in asking[:_STATES]), *_left_out(len(asking) - _STATES))
        return Entry(say("odds.tree", states=data["states"]), "heading", inside=told, folded=True)

    def state(self, state: Data, states: Mapping[int, Data]) -> Entry:
        inside = []
        for branch in state["branches"]:
            effects = [Entry(text, "effect") for text in branch["brings"]]
            to = states[branch["to"]]
            tone: Tone = "plain" if branch["passes"] is None else "good" if branch["passes"] else "bad"
            where = say("odds.to", number=to["number"]) if to["branches"] else say(f"odds.to-{to['kind']}")
            facts = [Entry(text, "fact") for text in to["facts"]]
            inside.append(Entry(f"{self.branch(branch)} {where}", "dice", tone, inside=(*effects, *facts)))
        return Entry(state["asks"], "step", mark=say("odds.number", number=state["number"]), inside=tuple(inside))


_GROUPS = {("event",): "odds.events", ("fact", "value"): "odds.facts", ("rule",): "odds.rules"}
"""The kinds of outcomes that are told together, and under which title."""


def _left_out(number: int) -> list[Entry]:
    """That so many are left out of a page."""
    return [Entry(say("odds.left-out", number=number), "note", "quiet")] if number > 0 else []


def _several(test: Data) -> bool:
    """Whether a test may be taken more than once."""
    passed, failed, taken = (Fraction(test[key]["most"]) for key in ("passed", "failed", "taken"))
    return passed + failed > taken and test["passed"]["least"] == test["passed"]["most"]


def _difference(row: Sequence[Data]) -> Fraction:
    """How far the chances of one thing lie apart under several options."""
    bounds = [Fraction(cell["chance"][key]) for cell in row for key in ("least", "most")]
    return max(bounds) - min(bounds)


def bar(chance: Data) -> str:
    """A chance as a bar; what only the best choices of players give is lighter."""
    least, most = (round(Fraction(chance[key]) * _BAR) for key in ("least", "most"))
    return "█" * least + "░" * (most - least)
