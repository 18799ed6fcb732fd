"""Files that a command writes."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from rulewright.diagnostics import Fault, report
from rulewright.workspace import why_refused


def write_whole(file: Path, text: str) -> None:
    """Writes a file so that it is never there in half: beside it first, then in its place.

    Raises:
        Fault: it cannot be written; what was there before is still there.
    """
    try:
        _write(file, text)
    except OSError as error:
        raise Fault(report("unwritable-file", path=file, reason=why_refused(error))) from error


def _write(file: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=file.resolve().parent, prefix=f".{file.name}.", suffix=".new")
    beside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        if file.exists():
            shutil.copymode(file, beside)
        else:
            beside.chmod(0o666 & ~_umask())
        beside.replace(file.resolve())
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _umask() -> int:
    """What new files may not be allowed; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
