"""Where the tests of the verbs take place."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def _in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is that of the project, unless a test goes elsewhere."""
    monkeypatch.chdir(Path(__file__).parents[2])
