"""A file that is written while a game goes on: each line is on the disk before the next one is typed.

A line is appended with one write and forced out; going back writes the file anew beside itself and puts it in its own
place at one stroke.  So whatever happens, the file holds all lines but perhaps a torn last one, which is cut off when
the file is opened.  Only one game has it at a time.
"""

from __future__ import annotations

import errno
import fcntl
import os
from itertools import count
from pathlib import Path

from rulewright.diagnostics import Fault, report
from rulewright.workspace import why_refused


class Journal:
    """An open journal: what it holds, and a lock on it.

    Args:
        path: the file; it and its folder are made where there are none.

    Attributes:
        name: the file as it was named.
        data: what the file holds.
        torn: the beginning of a last line that was not written to its end, and is not part of ``data``.  The file
            still has it, in case it is no journal at all, until it is mended or written to.

    Raises:
        Fault: the file cannot be opened, or another game has it.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.path = path.resolve()  # a link is left in its place when the file is written anew
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._opened()
            with os.fdopen(os.dup(self._file), "rb") as stream:
                written = stream.read()
        except OSError as error:
            raise self._unwritable(error) from error
        whole, zero, _ = written.partition(b"\0")  # what a power cut may leave of a block that was not filled
        end = whole.rfind(b"\n") + 1
        self.data, rest = whole[:end], whole[end:]
        self.torn = (rest + zero).decode("utf-8", errors="replace")
        self._size = len(written)

    def append(self, text: str) -> None:
        """Adds whole lines, and returns when they are on the disk; a file that was deleted is written anew.

        Raises:
            Fault: they could not be written; the file holds what it held.
        """
        added = text.encode()
        self.mend()
        if self._deleted():
            self._rewrite(self.data + added)
            return
        try:
            _write(self._file, added)
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, len(self.data))
            raise self._unwritable(error) from error
        self.data += added
        self._size = len(self.data)

    def mend(self) -> None:
        """Cuts off the torn line, if there is one.

        Raises:
            Fault: that could not be written; the file holds what it held.
        """
        if self.torn:
            self.cut(len(self.data))

    def cut(self, length: int) -> None:
        """Leaves only the first so many bytes.

        Raises:
            Fault: that could not be written; the file holds what it held.
        """
        self._rewrite(self.data[:length])

    def begin(self, text: str) -> None:
        """Holds nothing but a text.

        Raises:
            Fault: that could not be written; the file holds what it held.
        """
        self._rewrite(text.encode())

    def _rewrite(self, data: bytes) -> None:
        """Writes the file anew, at one stroke."""
        self._deleted()
        beside = self.path.with_name(f".{self.path.name}.new")
        try:
            other = os.open(beside, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
            try:
                os.fchmod(other, os.fstat(self._file).st_mode & 0o777)
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _write(other, data)
                os.fsync(other)
                beside.replace(self.path)
            except OSError:
                os.close(other)
                beside.unlink(missing_ok=True)
                raise
        except OSError as error:
            raise self._unwritable(error) from error
        self._sync_folder()
        os.close(self._file)
        self._file, self.data, self.torn, self._size = other, data, "", len(data)

    def _deleted(self) -> bool:
        """Whether the file is gone.

        Raises:
            Fault: somebody else wrote to it, or put another in its place, which is not to be written over.
        """
        try:
            there = self.path.stat()
        except FileNotFoundError:
            return True
        except OSError as error:
            raise self._unwritable(error) from error
        if there.st_size != self._size or not os.path.samestat(there, os.fstat(self._file)):
            raise Fault(report("changed-journal", path=self.name))
        return False

    def set_aside(self, text: str) -> Path:
        """Gives the file a name of its own, the first one that is free, and begins anew with a text.

        Raises:
            Fault: that could not be done.
        """
        named = Path(self.name)
        numbered = (named.with_stem(f"{named.stem}-{number}") for number in count(1))
        self._deleted()
        try:
            kept = next(path for path in numbered if not os.path.lexists(path))
            os.link(self.path, kept)
        except OSError as error:
            raise self._unwritable(error) from error
        self.begin(text)
        return kept

    def close(self) -> None:
        """Lets others have the file."""
        os.close(self._file)

    def _opened(self) -> int:
        """The file, opened and locked; opened anew if it was written anew in between."""
        while True:
            file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if self.path.exists() and os.path.samestat(os.fstat(file), self.path.stat()):
                    return file
            except BlockingIOError:
                os.close(file)
                raise Fault(report("journal-in-use", path=self.name)) from None
            os.close(file)

    def _sync_folder(self) -> None:
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def _unwritable(self, error: OSError) -> Fault:
        return Fault(report("unwritable-journal", path=self.name, reason=why_refused(error)))


def _write(file: int, data: bytes) -> None:
    """Writes all of some data; a disk that is nearly full takes only a part of it, without complaint."""
    if os.write(file, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
