"""Commands as the tests of the verbs give them."""

import json
from typing import Any

import jsonschema
import pytest

from rulewright.cli.app import OK, run_command


def rulewright(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """The exit code of a command, and what it prints; whatever is wrong, the program is not."""
    code = run_command([str(a) for a in arguments])
    out, err = capsys.readouterr()
    assert "Traceback" not in out + err
    assert "internal error" not in out + err
    return code, out, err


def answered(capsys: pytest.CaptureFixture[str], schema: Any, *arguments: object) -> Any:
    """What a command answers as data, which is as its schema says."""
    code, out, err = rulewright(capsys, *arguments, "--json")
    assert (code, err) == (OK, "")
    data = json.loads(out)
    jsonschema.validate(data, schema)
    return data
