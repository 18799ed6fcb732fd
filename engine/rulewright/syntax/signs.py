"""What was typed, sign by sign: words with letters of two scripts, and signs that deceive the eye.

A word such as ``стрелци`` with a Latin ``е`` in it looks right and is another word.  That is told here once, at the
letter, and what follows reads the word in one script.  Comments and notes are for readers only, and in quotation marks
anything may stand.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rulewright.diagnostics import Diagnostic, Fault, report
from rulewright.scripts import LETTERS, Script, in_script, letters_of, mixed_words, other_script, script_of, shape
from rulewright.syntax.keywords import QUOTED, languages
from rulewright.text import Source, Span, plain

_DECEIVING = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Signs that steer a terminal or turn the order of what is shown."""

_DASH = re.compile(r"(?<=[^\W\d_])[–—−](?=\w)")
"""A dash in a word; between figures it may stand for *to*."""

_COMMENT = re.compile(r"(?:^|\s)#(?=[\s#]|$).*$")
_CLOSERS = {'"': '"', "“": "”", "„": '“”"', "«": "»", "»": "«"}
_APART = re.compile(rf'\d[ ]?["”“″](?!\w)|(?P<quoted>{QUOTED})|(?P<open>["“„«])')


def settled(source: Source) -> tuple[Source, list[Diagnostic]]:
    """A text as it was meant, sign for sign, and what is wrong with its signs."""
    found = [_deceiving(source, match) for match in _DECEIVING.finditer(source.text)]
    text = _DECEIVING.sub(" ", source.text) if found else source.text
    mixed, dashes = mixed_words(text), [match.start() for match in _DASH.finditer(text)]
    apart = sorted(_apart(text)) if mixed or dashes else []
    for at in dashes:
        if not _inside(at, apart):
            text = f"{text[:at]}-{text[at + 1 :]}"
    for at, word in mixed:
        if not _inside(at, apart):
            meant, finding = _in_one_script(Span(source, at, at + len(word)), word, text)
            text = text[:at] + meant + text[at + len(word) :]
            found.append(finding)
    return (replace(source, text=text) if text != source.text else source), found


def typed(text: str, language: str, name: str = "input") -> Span:
    """A sentence that somebody typed in a language.

    Raises:
        Fault: something is wrong with its signs.
    """
    source, found = settled(Source(name, plain(text), language))
    if found:
        raise Fault(*found)
    return Span(source, 0, len(source.text))


def wrong_script(found: str, wanted: str) -> str:
    """The name of the finding about a word that looks like what is wanted, in letters of another script."""
    other = [w for f, w in zip(found.casefold(), wanted.casefold(), strict=False) if f != w]
    return "latin-for-cyrillic" if script_of("".join(other)) == "Cyrillic" else "cyrillic-for-latin"


def _deceiving(source: Source, match: re.Match[str]) -> Diagnostic:
    return report("hidden-sign", Span(source, match.start(), match.end()), sign=f"U+{ord(match.group()):04X}")


def _in_one_script(place: Span, word: str, text: str) -> tuple[str, Diagnostic]:
    """A word in the script that it was meant in, and the finding about its letters of the other."""
    choices = {script: meant for script in LETTERS if (meant := in_script(word, script)) is not None}
    if not choices:
        script = script_of(word)
        at = _first_of(other_script(script), word)
        return word, report("mixed-scripts", place.within(at, at + 1), word=word, letter=word[at])
    script = next(iter(choices)) if len(choices) == 1 else _likelier(choices, text)
    strangers = letters_of(other_script(script), word)
    at = _first_of(other_script(script), word)
    name = "cyrillic-in-latin" if script == "Latin" else "latin-in-cyrillic"
    told = ", ".join(f"`{letter}`" for letter in dict.fromkeys(strangers))
    return choices[script], report(name, place.within(at, at + 1), word=word, letters=told, wanted=choices[script])


def _first_of(script: Script, word: str) -> int:
    found = LETTERS[script].search(word)
    assert found is not None
    return found.start()


def _likelier(choices: dict[Script, str], text: str) -> Script:
    """The script of a word all of whose letters are in both: as the word stands elsewhere, or else as the text is."""
    elsewhere: list[Script] = [s for s, word in choices.items() if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text)]
    return elsewhere[0] if len(elsewhere) == 1 else script_of(text)


def _inside(at: int, stretches: Sequence[tuple[int, int]]) -> bool:
    index = bisect_right(stretches, at, key=lambda stretch: stretch[0]) - 1
    return index >= 0 and at < stretches[index][1]


# --- where anything may stand ------------------------------------------------------------------------------------


@dataclass
class _Open:
    """A quotation that goes on below: what closes it, and the margin of the line that it began on."""

    closers: str
    width: int


def _apart(text: str) -> Iterator[tuple[int, int]]:
    """The comments, notes and quotations of a text."""
    notes = [shape(form.casefold()) for language in languages().values() for form in language.keywords["NOTE"]]
    note = re.compile(rf"\s+(?:{'|'.join(map(re.escape, notes))})(?![\w-])")
    note_width: int | None = None
    quotation: _Open | None = None
    at = 0
    for line in text.split("\n"):
        start, at = at, at + len(line) + 1
        comment = _COMMENT.search(line)
        end = comment.start() if comment else len(line)
        if comment:
            yield start + end, start + len(line)
        said = line[:end].rstrip()
        if not said:
            continue
        width = len(said) - len(said.lstrip())
        if note_width is not None and width > note_width:
            yield start, start + end
            continue
        begun = note.match(shape(said.casefold()))
        note_width = width if begun else None
        if begun:
            yield start + begun.end(), start + end
            continue
        begin = 0
        if quotation is not None and width > quotation.width:
            closed = re.search(f"[{quotation.closers}]", said)
            begin = closed.end() if closed else len(said)
            yield start, start + begin
            quotation = None if closed else quotation
        else:
            quotation = None
        for match in _APART.finditer(said, begin):
            if match["quoted"]:
                yield start + match.start(), start + match.end()
            elif match["open"]:
                yield start + match.start(), start + len(said)
                quotation = _Open(_CLOSERS[match["open"]], width) if width else None
                break
