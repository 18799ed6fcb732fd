"""What to tell a user whose installation is not complete."""

from __future__ import annotations

import sys

BUILD_FLAGS = "-O2 -DPyEval_CallObject=PyObject_CallObject"
"""What ``CPPFLAGS`` must hold while durable_rules is built: it ships as source, is not optimised unless told, and
calls a function that Python 3.13 removed."""


def explain_missing_engine(error: ImportError) -> str:
    """Why durable_rules cannot be imported and the commands that mend it, for the Python and the system at hand.

    Several lines of plain text without a line break at the end.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if "PyEval_CallObject" in str(error):
        cause = (
            f"It was built without the flag that Python {version} needs, perhaps by another project, and pip kept the",
            "result. Build it anew, with the flag:",
        )
    else:
        cause = (
            "It ships as source and is built while it is installed. That needs a C compiler and the header files of",
            f"Python {version}; from Python 3.13 on also a flag, without which it does not build, or does not load.",
        )
    lines = (f"  {label:<16}{command}" for label, command in (*_tools(version), *_commands()))
    return "\n".join((f"The rules engine, durable_rules, could not be imported: {error}", "", *cause, "", *lines))


def _tools(version: str) -> tuple[tuple[str, str], ...]:
    if sys.platform == "darwin":
        return (("macOS", "xcode-select --install"),)
    if sys.platform == "win32":
        return (("Windows", "its build is not tried there: take the Windows Subsystem for Linux"),)
    return (
        ("Debian, Ubuntu", f"sudo apt install gcc libc6-dev python{version}-dev"),
        ("Fedora", f"sudo dnf install gcc python3-devel (or python{version}-devel)"),
    )


def _commands() -> tuple[tuple[str, str], ...]:
    flags = f'CPPFLAGS="{BUILD_FLAGS}"'
    options = "--no-cache-dir --force-reinstall --no-deps"
    return (
        ("with pip", f'{flags} "{sys.executable}" -m pip install {options} durable_rules~=2.0.28'),
        ("with uv", f'{flags} uv pip install --python "{sys.executable}" --no-cache --reinstall durable_rules~=2.0.28'),
    )
