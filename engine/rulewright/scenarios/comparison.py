"""Two courses of a scenario held against each other: where they part, what comes about in one of them alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any

from rulewright.explain.run import describe_diagnostic, describe_session
from rulewright.scenarios.runner import Played
from rulewright.session.session import Session
from rulewright.speech import say

Data = dict[str, Any]


class Courses:
    """Two played scenarios; which of them comes first is told in each answer as ``before`` and ``after``."""

    def __init__(self, before: Played, after: Played) -> None:
        self.both = (before, after)
        described = [describe_session(p.session) for p in self.both]
        self.facts = [[*d["facts"], *_measures(p.session)] for d, p in zip(described, self.both, strict=True)]
        self.steps = [d["steps"] for d in described]
        self.courses = [[course_of(step) for step in own] for own in self.steps]
        self.stops = [[describe_diagnostic(d) for d in p.fault if d.severity == "error"] for p in self.both]
        self.unmet = [[o.text for o in p.outcomes if not o.met] for p in self.both]

    def parting(self) -> Data | None:
        """Where two courses part, and how either goes on from there; None when they are the same.

        The same are two courses with the same steps and dice, in which the same rules apply and bring about the same,
        and the same keep others from it; and which stop, if they do, at the same line for the same reason.
        """
        parted = (n for n, (one, two) in enumerate(zip_longest(*self.courses)) if one != two)
        number = next(parted, None)
        if number is None and self.stops[0] == self.stops[1] and self.unmet[0] == self.unmet[1]:
            return None
        lines = [own[number] if number is not None and number < len(own) else [] for own in self.courses]
        events = [own[0] if own else None for own in lines]
        sides = [
            {
                "event": events[n],
                "told": _without(lines[n][1:], lines[1 - n][1:]),
                "stopped": _without(self.stops[n], self.stops[1 - n]),
                "unmet": _without(self.unmet[n], self.unmet[1 - n]),
            }
            for n in (0, 1)
        ]
        return {
            "step": None if number is None else number + 1,
            "event": events[0] if events[0] == events[1] else None,
            "before": sides[0],
            "after": sides[1],
        }

    def described(self) -> Data:
        """All that differs, step by step and at the end."""
        rules = [_applied(own) for own in self.steps]
        return {
            "parting": self.parting(),
            "steps": list(self.aligned()),
            "rules": _sides(rules),
            "facts": _sides(self.facts),
            "expectations": list(self.expectations()),
            "stopped": _sides(self.stops),
        }

    def aligned(self) -> Iterator[Data]:
        """The steps of both, side by side where the same event comes about."""
        before, after = self.courses
        matcher = SequenceMatcher(None, [c[0] for c in before], [c[0] for c in after], autojunk=False)
        for tag, start, end, other, other_end in matcher.get_opcodes():
            if tag == "equal":
                for n, m in zip(range(start, end), range(other, other_end), strict=True):
                    yield _pair(n, m, before[n], after[m])
            else:
                yield from (_pair(n, None, before[n], []) for n in range(start, end))
                yield from (_pair(None, m, [], after[m]) for m in range(other, other_end))

    def expectations(self) -> Iterator[Data]:
        """What is met in one of them and not in the other; None where it was not come to."""
        told = [_told(p) for p in self.both]
        for text, number in dict.fromkeys([*told[0], *told[1]]):
            before, after = (own.get((text, number)) for own in told)
            if before != after:
                yield {"text": text, "before": before, "after": after}


def _measures(session: Session) -> list[str]:
    """The measures of a game at its end, with their values."""
    phrases = session.compiled.edition.vocabulary.phrases
    return [
        say("effect.change", measure=session.worder.statement(measure, things), amount=value)
        for (measure, things), value in sorted(session.game.world.values.items())
        if phrases[measure].kind == "measure"
    ]


def _told(played: Played) -> dict[tuple[str, int], bool]:
    """The expectations of a scenario, those of one text told apart by their order, and whether they were met."""
    seen = Counter[str]()
    found = {}
    for outcome in played.outcomes:
        found[outcome.text, seen[outcome.text]] = outcome.met
        seen[outcome.text] += 1
    return found


def _pair(before: int | None, after: int | None, own: Sequence[str], other: Sequence[str]) -> Data:
    """A step of one or both, with what comes about in it on one side alone."""
    alone = before is None or after is None
    return {
        "before": None if before is None else before + 1,
        "after": None if after is None else after + 1,
        "event": (own or other)[0],
        "same": not alone and own == other,
        "told_before": _without(own[1:], other[1:]),
        "told_after": _without(other[1:], own[1:]),
    }


def _sides(both: Sequence[Sequence[Any]]) -> Data:
    """What there is on one side alone."""
    return {"before": _without(both[0], both[1]), "after": _without(both[1], both[0])}


def _without(own: Sequence[Any], other: Sequence[Any]) -> list[Any]:
    return [one for one in own if one not in other]


def _applied(steps: Sequence[Data]) -> list[str]:
    """The rules that applied, each once with what it applied to."""
    return list(dict.fromkeys(_about(r) for step in steps for r in step["rules"] if r["verdict"] == "applies"))


def _about(rule: Data) -> str:
    """A rule with what its variables stand for."""
    things = ", ".join(f"{name} {value}" for name, value in rule["for"].items())
    return f"{rule['rule']}" + (f" ({things})" if things else "")


def course_of(step: Data) -> list[str]:
    """The event of a step, then what comes about in it: what applies, what is kept from it, what follows."""
    found = [say("course.voided", rule=d["rule"]) for d in step["voided"]]
    found += [say("course.waited", rule=o["rule"]) for o in step["held_back_by"]]
    found += [c["text"] for c in step["changes"]]
    for rule in step["rules"]:
        about = _about(rule)
        if rule["verdict"] == "applies":
            applies = say("course.applies", rule=about)
            found += [f"{applies}: {e['text']}" for e in rule["effects"]] or [applies]
        else:
            by = [say("defeat.unless") if d["kind"] == "unless" else d["rule"] for d in rule["preempted_by"]]
            told = say(f"course.{rule['verdict'].replace(' ', '-')}", rule=about)
            found.append(say("course.by", told=told, by=", ".join(by)) if by else told)
    found += [say("course.picked", picked=d["picked"], options=", ".join(d["options"])) for d in step["decisions"]]
    if step["test"]:
        test = step["test"]
        rolled = say("run.rolled", bearer=test["bearer"], total=test["total"], dice=test["dice"])
        found.append(f"{rolled}: {say('verdict.' + test['outcome'])}")
    return [step["event"], *sorted(found)]
