"""A session opened from Python answers a slip as the command line does: with a diagnostic."""

import pytest

from rulewright import Fault, open_session


def test_a_language_without_a_keyword_table_is_a_diagnostic() -> None:
    with pytest.raises(Fault) as caught:
        open_session("t9a-2", language="xx")
    (found,) = caught.value.diagnostics
    assert found.name == "unknown-language"
    assert "xx" in found.message
    assert "en" in (found.help or "")
