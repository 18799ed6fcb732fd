"""What to tell a user whose installation is not complete."""

from __future__ import annotations

import sys

from rulewright.speech import say

BUILD_FLAGS = "-O2 -DPyEval_CallObject=PyObject_CallObject"
"""What ``CPPFLAGS`` must hold while durable_rules is built: it ships as source, is not optimised unless told, and
calls a function that Python 3.13 removed."""


def explain_missing_engine(error: ImportError) -> str:
    """Why durable_rules cannot be imported and the commands that mend it, for the Python and the system at hand.

    Several lines of plain text without a line break at the end.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    cause = say("setup.wrong-build" if "PyEval_CallObject" in str(error) else "setup.not-built", version=version)
    lines = (f"  {label:<16}{command}" for label, command in (*_tools(version), *_commands()))
    return "\n".join((say("setup.missing", error=error), "", cause, "", *lines))


def _tools(version: str) -> tuple[tuple[str, str], ...]:
    if sys.platform == "darwin":
        return (("macOS", "xcode-select --install"),)
    if sys.platform == "win32":
        return (("Windows", say("setup.windows")),)
    return (
        ("Debian, Ubuntu", f"sudo apt install gcc libc6-dev python{version}-dev"),
        ("Fedora", f"sudo dnf install gcc python3-devel ({say('setup.or')} python{version}-devel)"),
    )


def _commands() -> tuple[tuple[str, str], ...]:
    flags = f'CPPFLAGS="{BUILD_FLAGS}"'
    options = "--no-cache-dir --force-reinstall --no-deps"
    return (
        (say("setup.with-pip"), f'{flags} "{sys.executable}" -m pip install {options} durable_rules~=2.0.28'),
        (
            say("setup.with-uv"),
            f'{flags} uv pip install --python "{sys.executable}" --no-cache --reinstall durable_rules~=2.0.28',
        ),
    )
