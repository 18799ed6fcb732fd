"""Fills the places of a wording; each word of it gets the form that agrees with what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rulewright.phrases.words import Fixed, Slot, template
from rulewright.syntax.keywords import Language

GENDERS = 3
"""So many forms right before a place are those of the genders, and agree with what stands there, as *every unit*."""


@dataclass(frozen=True)
class Filling:
    """What stands in a place: its words; those without an article; those that stand after a preposition."""

    text: str
    bare: str = ""
    second: str = ""

    def shown(self, bare: bool, second: bool) -> str:
        """The words that fit the place."""
        return (self.bare if bare else self.second if second else "") or self.text


def after_preposition(language: Language, words: str) -> bool:
    """Whether what follows some words is written in its second form, as after a preposition."""
    return _matches(language.agreement.get("second-after"), words.rpartition(" ")[2])


def fill(
    language: Language,
    wording: str,
    filled: Mapping[str, Filling],
    plural: bool | None = None,
    second: bool = False,
    wanted: str = "",
) -> str:
    """A wording with its places filled.

    Args:
        language: the language that it is in.
        wording: a wording such as ``{unit} loses|lose {amount}``.
        filled: what stands in each place.
        plural: whether it is in the plural; None for what seems fit.
        second: takes the second form of what comes first, for it stands after a preposition.
        wanted: the word to take where there is one for each sort of thing, as a rule and a test.
    """
    items = template(wording)
    pieces: list[str] = []
    for item in reversed(items):  # what is chosen may hang on what follows
        index = len(items) - len(pieces) - 1
        if isinstance(item, Slot):
            before = items[index - 1] if index else None
            fixed = before if isinstance(before, Fixed) else None
            article = fixed is not None and not set(language.articles).isdisjoint(fixed.forms)
            follows = second if not index else fixed is not None and after_preposition(language, fixed.shown)
            pieces.append(filled[item.role].shown(item.bare or article, follows))
        elif second and not index and len(item.forms) == 2:
            pieces.append(item.forms[1])
        else:
            pieces.append(_form(language, items, index, pieces, filled, plural, wanted))
    return joined(reversed(pieces))


def combined(language: Language, key: str, left: Filling, right: Filling) -> Filling:
    """Two values joined by *plus* or *minus*."""
    _, between, after = language.numbers[key][0].split("{expression}")
    rest = f"{between}{right.shown(bare=False, second=after_preposition(language, between.strip()))}{after}"
    return Filling(f"{left.text}{rest}", second=f"{left.shown(bare=False, second=True)}{rest}")


def joined(pieces: Iterable[str]) -> str:
    """Words with blanks between them, but for signs that stand close to the word before."""
    text = ""
    for piece in pieces:
        text += piece if not text or piece.startswith(("'", "’", "%", ",")) else f" {piece}"
    return text


def _form(
    language: Language,
    items: Sequence[Fixed | Slot],
    index: int,
    following: Sequence[str],
    filled: Mapping[str, Filling],
    plural: bool | None,
    wanted: str,
) -> str:
    """One of the forms of a word: the one that agrees with what the sentence is about, or with what follows."""
    item = items[index]
    assert isinstance(item, Fixed)
    forms = (item.shown, *item.forms[1:])
    if len(forms) == 1:
        return item.shown
    if all(form in language.before for form in forms[1:]):
        return language.fitting(forms, following[-1].strip('"„“{') if following else "")
    if wanted and len(forms) > 2:
        return next((form for form in forms if form.startswith(wanted)), forms[0])
    nearest = items[index + 1] if index + 1 < len(items) else None
    if len(forms) == GENDERS and isinstance(nearest, Slot) and not _plural_forms(language, forms):
        return _agreeing(language, forms, filled[nearest.role].text, plural=False)
    comma = max(
        (i for i, other in enumerate(items[:index]) if isinstance(other, Fixed) and other.shown == ","), default=0
    )
    first = next((i for i in (*items[comma:index], *items) if isinstance(i, Slot)), None)
    subject = filled[first.role].text if first is not None else ""
    many = plural if plural is not None else _matches(language.agreement.get("plural"), subject)
    return _agreeing(language, forms, subject, plural=many)


def _agreeing(language: Language, forms: Sequence[str], subject: str, plural: bool) -> str:
    patterns = language.agreement
    many = _plural_forms(language, forms)
    if plural:
        return many[0] if many else forms[0]
    single = [f for f in forms if f not in many]
    if len(single) < GENDERS:
        return single[0]
    for gender in ("feminine", "neuter"):
        if _matches(patterns.get(gender), subject):
            return next((f for f in single if _matches(patterns.get(f"{gender}-form"), f)), single[0])
    other = [patterns.get("feminine-form"), patterns.get("neuter-form")]
    return next((f for f in single if not any(_matches(p, f) for p in other)), single[0])


def _plural_forms(language: Language, forms: Sequence[str]) -> list[str]:
    return [f for f in forms[1:] if _matches(language.agreement.get("plural-form"), f)]


def _matches(pattern: str | None, text: str) -> bool:
    return pattern is not None and re.search(pattern, text.casefold()) is not None
