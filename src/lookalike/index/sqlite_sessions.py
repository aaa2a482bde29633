"""The connections of this process to the files of indexes, and what keeps their locks.

SQLite guards a file with POSIX locks, and these have a trap: a process that closes *any* descriptor of a file drops
*all* locks that it holds on it (sqlite.org/howtocorrupt.html, section 2.2). The next process that closes the index then
believes that nobody else has it open, and removes the log that is in use here: what is written to it later is lost. So

* the file is opened outside SQLite only as long as this process has no connection to it, and
* whoever begins or ends a transaction makes sure that the log with the name is the log that is in use. Something else
  in the process may have opened and closed the file; nothing that a lost log holds is ever acknowledged.
"""

from __future__ import annotations

import ctypes
import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.errors import StoreError
from lookalike.index.sqlite_schema import CACHE, check_file, connect

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from lookalike.index.sqlite_postings import Segments, Tail

__all__ = ["Session", "followed", "log_of"]


class FileNumber(NamedTuple):
    """What a file is, whatever its name."""

    device: int
    number: int

    @classmethod
    def of(cls, path: Path) -> FileNumber | None:
        """Return that of the file with a name; None if there is none."""
        try:
            status = path.stat()
        except FileNotFoundError:
            return None
        return cls(status.st_dev, status.st_ino)


@dataclass(slots=True)
class _Use:
    """A file that connections of this process have open."""

    connections: int = 0
    log: FileNumber | None = None
    """The log that they use, since the first transaction of one of them."""


_USES: Final[dict[FileNumber, _Use]] = {}
_GATE: Final = threading.RLock()
"""Held while a connection is opened or closed, and at a fork."""
_ABANDONED: Final[set[FileNumber]] = set()
"""Files that the parent process was using at the moment of the fork: SQLite believes that it holds their locks here."""


def followed(path: Path) -> Path:
    """Return the file that a link leads to: SQLite names the log after it."""
    return path.resolve() if path.is_symlink() else path


def log_of(path: Path) -> Path:
    """Return the name of the write-ahead log of a file."""
    return path.with_name(path.name + "-wal")


def _number_of(path: Path) -> FileNumber:
    try:
        number = FileNumber.of(path)
    except OSError as error:
        raise StoreError(str(path), f"cannot be opened ({error.strerror})", "check its permissions") from None
    if number is None:
        raise StoreError(str(path), "is gone", "check the name")
    if number in _ABANDONED:
        remedy = "fork while it is not, or start a new process"
        raise StoreError(str(path), "was in use when this process was forked", remedy)
    return number


def _check_single_name(path: Path) -> None:
    """Refuse a file with a second name: SQLite names the log after the name, so each would have a log of its own.

    What creates or repairs an index gives it two names for a moment, and may be killed then: ``NAME.…`` beside it does
    not count.
    """
    try:
        status = path.stat()
        if status.st_nlink <= 1:
            return
        beside = (other for other in path.parent.iterdir() if other.name.startswith(f"{path.name}."))
        names = 1 + sum(os.path.samestat(other.lstat(), status) for other in beside)
        if path.stat().st_nlink <= names:
            return
    except OSError:
        return  # it is reported when it is opened, or a name has just been removed
    problem = "has a second name, a hard link: what is written by one of them would be lost by the other"
    raise StoreError(str(path), problem, "remove the other name, or make a copy: lookalike index backup")


class Session:
    """A connection to the file of an index, for one thread at a time, and what it remembers of the file."""

    def __init__(self, path: Path, name: str, *, read_only: bool, cache: int = CACHE) -> None:
        """Open a file that is there; what is not the file of an index is refused."""
        self.path, self.name, self._is_reader = path, name, read_only
        self.tail: Tail | None = None
        self.segments: tuple[int, Segments] | None = None
        mode = "ro" if read_only else "rw"
        if read_only and not os.access(path.parent, os.W_OK) and not log_of(path).exists():
            mode = "ro&immutable=1"  # nobody can write here, and SQLite could not make its own files
        self._has_log = "immutable" not in mode
        _check_single_name(path)
        with _GATE:
            self.file = _number_of(path)
            if self.file not in _USES:
                check_file(path)
            self.connection: sqlite3.Connection = connect(path, mode, cache)
            self._use = _USES.setdefault(self.file, _Use())
            self._use.connections += 1

    def is_current(self) -> bool:
        """Tell whether the name is still that of this file: a repair puts another in its place."""
        return self._is_named() and (self._has_log or not log_of(self.path).exists())

    def _is_named(self) -> bool:
        try:
            return FileNumber.of(self.path) == self.file
        except OSError:
            return False

    def check_log(self) -> None:
        """Refuse to go on if the log with the name is not the one in use; call it inside a transaction."""
        if not self._has_log:
            return
        log = FileNumber.of(log_of(self.path))
        with _GATE:
            if self._use.log is None:
                self._use.log = log
        if log is None and self._use.log is None and not self._uses_log():
            self._has_log = False
        elif log is None or log != self._use.log:
            problem = "has lost its locks, because something in this process opened and closed the file"
            remedy = "end this process and start it again; to copy an index that is in use, make a backup"
            raise StoreError(self.name, problem, remedy)

    def _uses_log(self) -> bool:
        """Tell whether the file has a log at all; somebody may have turned it off, for a disk that is only read."""
        return bool(self.connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal")

    def rollback(self) -> None:
        """End a transaction, if there is one, without a change."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def abandon(self) -> None:
        """Leave the connection alone, in a child of a fork: it is the parent's."""
        _never_close(self.connection)

    def close(self) -> None:
        """Close the connection; SQLite leaves the log of another file alone, and that of a reader too."""
        is_lost = self._use.log is not None and FileNumber.of(log_of(self.path)) != self._use.log
        if is_lost and not self._is_reader and self._is_named():
            _never_close(self.connection)  # it could remove a log that others use by now
            return
        with _GATE:
            self.connection.close()
            self._use.connections -= 1
            if not self._use.connections:
                _USES.pop(self.file, None)


def _never_close(connection: sqlite3.Connection) -> None:
    """Keep a connection for good."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


def _after_fork_in_child() -> None:
    _ABANDONED.update(_USES)
    _USES.clear()
    _GATE.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_GATE.acquire, after_in_parent=_GATE.release, after_in_child=_after_fork_in_child)
