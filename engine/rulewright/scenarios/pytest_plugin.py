"""Lets pytest collect scenario files: each scenario is a test.

The package registers this plugin, so ``pytest rules`` plays the scenarios of the rules.  Everything else of
Rulewright is imported only when there is a scenario file to collect.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rulewright.model import Scenario


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects files ending in ``.scenario``."""
    return ScenarioFile.from_parent(parent, path=file_path) if file_path.suffix == ".scenario" else None


class NotAsExpected(Exception):
    """A scenario that did not turn out as expected, or could not be read."""


class ScenarioFile(pytest.File):
    """A file of scenarios."""

    def collect(self) -> Iterator[pytest.Item]:
        """One test for each scenario."""
        from rulewright.speech import language_of_locale, speaking
        from rulewright.workspace import read_scenarios

        scenarios, diagnostics = read_scenarios(self.path, str(self.path))
        if diagnostics:
            with speaking(language_of_locale(os.environ)):
                raise self.CollectError("\n".join(map(str, diagnostics)))
        for scenario in scenarios:
            yield ScenarioItem.from_parent(self, name=scenario.ident, scenario=scenario)


class ScenarioItem(pytest.Item):
    """One scenario."""

    def __init__(self, *, scenario: Scenario, **rest: Any) -> None:
        super().__init__(**rest)
        self.scenario = scenario

    def runtest(self) -> None:
        """Plays the scenario; what is not as expected is told in the language of the locale."""
        from rulewright.speech import language_of_locale, speaking

        with speaking(language_of_locale(os.environ)):
            self._play()

    def _play(self) -> None:
        from rulewright.backends.durable import DurableMatcher
        from rulewright.explain.failures import failure_text
        from rulewright.scenarios.failures import describe_test
        from rulewright.scenarios.runner import play
        from rulewright.workspace import find_tree, load_for

        loaded = load_for(find_tree(self.path.parent), self.scenario)
        if loaded.compiled is None:
            raise NotAsExpected("\n".join(map(str, loaded.diagnostics)))
        played = play(self.scenario, loaded.compiled, DurableMatcher)
        played.session.close()
        if not played.passed:
            raise NotAsExpected(failure_text(describe_test(played)))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Failures are told without a traceback."""
        if isinstance(excinfo.value, NotAsExpected):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the scenario stands."""
        return self.path, self.scenario.span.line - 1, self.name
