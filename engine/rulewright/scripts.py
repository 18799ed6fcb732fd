"""Letters of the Latin and the Cyrillic script that look alike, and words written in them."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Script = Literal["Latin", "Cyrillic"]

_LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_CYRILLIC = "\u0400-\u0481\u048a-\u052f\u1c80-\u1c8f\ua640-\ua66e\ua680-\ua69d"
LETTERS: dict[Script, re.Pattern[str]] = {"Latin": re.compile(f"[{_LATIN}]"), "Cyrillic": re.compile(f"[{_CYRILLIC}]")}
_WORD = re.compile(r"(?:[^\W_]|[\u0300-\u036f])+")

_COMMON = ("авеѐёіїкмнорстухјѕ" + "АВЕЀЁІЇКМНОРСТУХЈЅ", "abeèëiïkmhopctyxjs" + "ABEÈËIÏKMHOPCTYXJS")
_RARE = ("ԁԛԝӏѵһ" + "ԀԚԜӀ", "dqwlvh" + "DQWI")
"""Letters of few Cyrillic languages; nobody means them who types the Latin ones."""

_TWINS: dict[Script, dict[str, str]] = {
    "Latin": dict(zip(_COMMON[0] + _RARE[0], _COMMON[1] + _RARE[1], strict=True)),
    "Cyrillic": dict(zip(_COMMON[1], _COMMON[0], strict=True)),
}
"""By the script that is wanted, each letter of the other that has one like it there, and that one."""


def other_script(script: Script) -> Script:
    """The other of the two scripts."""
    return "Cyrillic" if script == "Latin" else "Latin"


def letters_of(script: Script, text: str) -> list[str]:
    """The letters of a script in a text, in order."""
    return LETTERS[script].findall(text)


def in_script(text: str, script: Script) -> str | None:
    """A text with all its letters in one script, sign for sign; None where a letter has none that looks like it."""
    twins = _TWINS[script]
    foreign = LETTERS[other_script(script)]
    shown = "".join(twins.get(letter, letter) if foreign.match(letter) else letter for letter in text)
    return None if foreign.search(shown) else shown


def twin(word: str) -> str | None:
    """A word of one script in the letters of the other that look like its own; None where there is no such word."""
    for script in LETTERS:
        if letters_of(script, word) and not letters_of(other_script(script), word):
            return in_script(word, other_script(script))
    return None


def shape(text: str) -> str:
    """What texts have in common that look alike: Cyrillic letters as the Latin ones that they look like."""
    composed = unicodedata.normalize("NFC", text)
    return "".join(_TWINS["Latin"].get(letter, letter) for letter in composed)


def look_alike(one: str, other: str) -> bool:
    """Whether two texts look the same, whatever their capitals, but are typed in letters of two scripts."""
    return one.casefold() != other.casefold() and shape(one.casefold()) == shape(other.casefold())


def script_of(text: str) -> Script:
    """The script of most letters of a text."""
    return max(LETTERS, key=lambda script: len(letters_of(script, text)))


def mixed_words(text: str) -> list[tuple[int, str]]:
    """The words of a text that have letters of both scripts, with their places; hyphens and full stops part words."""
    if not all(letters.search(text) for letters in LETTERS.values()):
        return []
    words = ((match.start(), match.group()) for match in _WORD.finditer(text))
    return [(at, word) for at, word in words if all(letters.search(word) for letters in LETTERS.values())]
