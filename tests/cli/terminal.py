"""A person at a terminal, for the tests of the verbs."""

import pytest


def at_terminal(monkeypatch: pytest.MonkeyPatch, *typed: str) -> None:
    """Somebody sits at a terminal and types."""
    lines = iter(typed)
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("builtins.input", lambda *_: next(lines))
