"""In which language a command is answered: ``--lang CODE``, or else what the locale says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulewright.diagnostics import Fault, report
from rulewright.speech import language_of_locale, listed, tongues
from rulewright.syntax.keywords import languages

OPTION = "--lang"


def language_of_command(arguments: Sequence[str], environment: Mapping[str, str]) -> tuple[str, bool]:
    """The code of the language to speak, and whether the command itself asks for it.

    Raises:
        Fault: the command asks for one that there is no table of.
    """
    code = _asked_for(arguments)
    if code is None:
        return language_of_locale(environment), False
    if code not in (known := spoken_languages()):
        raise Fault(report("unspoken-language", code=code, known=listed(known)))
    return code, True


def spoken_languages() -> tuple[str, ...]:
    """The codes of all languages that can be spoken; what one lacks is said in the first, visibly."""
    return tuple(sorted({*tongues(), *languages()}))


def without_language(arguments: Sequence[str]) -> list[str]:
    """A command without its ``--lang``."""
    left: list[str] = []
    skip = False
    for place, word in enumerate(arguments):
        if word == "--":
            return left + list(arguments[place:])
        if skip:
            skip = False
        elif word == OPTION:
            skip = True
        elif not word.startswith(f"{OPTION}="):
            left.append(word)
    return left


def _asked_for(arguments: Sequence[str]) -> str | None:
    for place, word in enumerate(arguments):
        if word == "--":
            return None
        if word == OPTION:
            return next(iter(arguments[place + 1 :]), "")
        if word.startswith(f"{OPTION}="):
            return word.removeprefix(f"{OPTION}=")
    return None
