"""Files that a command writes."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from rulewright.diagnostics import Fault, report
from rulewright.speech import later
from rulewright.text import plain
from rulewright.workspace import why_refused


def write_whole(file: Path, text: str) -> None:
    """Writes a file so that it is never there in half: beside it first, then in its place.

    What is no plain file, such as a device or a pipe, is written into: it must not be replaced by a file.

    Raises:
        Fault: it cannot be written; what it held is still there.
    """
    try:
        if file.exists() and not file.is_file() and not file.is_dir():
            file.write_text(text, encoding="utf-8", newline="\n")
        else:
            _replace(file.resolve(), text)
    except BrokenPipeError:  # its reader has gone, as that of standard output may
        raise
    except OSError as error:
        raise Fault(report("unwritable-file", path=file, reason=why_refused(error))) from error
    except ValueError as error:  # no name of a file holds a zero byte
        raise Fault(report("unwritable-file", path=plain(str(file)), reason=later("os.no-name"))) from error


def _replace(file: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=".", suffix=".new")
    beside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        if file.exists():
            shutil.copymode(file, beside)
        else:
            beside.chmod(0o666 & ~_umask())
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _umask() -> int:
    """What new files may not be allowed; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
