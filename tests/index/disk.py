"""A disk that forgets and fails: a file system for SQLite that records what is written, and raises errors on demand.

The store runs unchanged, with its own statements and pragmas; only `sqlite3.connect` gives a connection of APSW, which
can put a file system written in Python below SQLite.
"""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = ["Disk", "Event", "on_disk"]

_NAME = "recording"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a file: write, truncate, sync or delete; or `ack`, a call that returned."""

    kind: str
    file: str
    place: int = 0
    data: bytes = b""


@dataclass
class Disk:
    """What happened so far, and what shall fail."""

    events: list[Event] = field(default_factory=list)
    calls: int = 0
    fail_at: int = 0
    """The call that fails; 0 for none."""
    forever: bool = False
    full: bool = False
    failed: int = 0

    def acknowledge(self, number: int) -> None:
        """Record that so many changes are acknowledged."""
        self.events.append(Event("ack", "", number))

    def call(self, kind: str) -> None:
        """Count a call that may fail."""
        self.calls += 1
        if self.fail_at and (self.calls == self.fail_at or (self.forever and self.calls > self.fail_at)):
            self.failed += 1
            if self.full and kind == "write":
                raise apsw.FullError("disk full")
            error: Any = apsw.IOError("failed on demand")
            error.extendedresult = {
                "write": apsw.SQLITE_IOERR_WRITE,
                "sync": apsw.SQLITE_IOERR_FSYNC,
                "truncate": apsw.SQLITE_IOERR_TRUNCATE,
                "read": apsw.SQLITE_IOERR_READ,
            }[kind]
            raise error


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, name: Any, flags: list[int]) -> None:
        self._disk = disk
        full = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self._name = Path(full).name
        super().__init__("", name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self._disk.call("read")
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._disk.call("write")
        super().xWrite(data, offset)
        self._disk.events.append(Event("write", self._name, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self._disk.call("truncate")
        super().xTruncate(newsize)
        self._disk.events.append(Event("truncate", self._name, newsize))

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._disk.call("sync")
        super().xSync(flags)
        self._disk.events.append(Event("sync", self._name))


class _System(apsw.VFS):
    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        super().__init__(_NAME, "")

    def xOpen(self, name: Any, flags: list[int]) -> Any:  # noqa: N802
        watched = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_WAL
        if name is None or not flags[0] & watched:
            return super().xOpen(name, flags)
        return _File(self._disk, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self._disk.events.append(Event("delete", Path(filename).name))


@contextmanager
def _errors() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        code = getattr(error, "extendedresult", 0)
        name = sqlite3.IntegrityError if isinstance(error, apsw.ConstraintError) else sqlite3.OperationalError
        if isinstance(error, apsw.CorruptError | apsw.NotADBError):
            name = sqlite3.DatabaseError  # type: ignore[assignment]
        translated = name(str(error))
        translated.sqlite_errorcode = code
        raise translated from error


class _Cursor:
    def __init__(self, cursor: Any, rowcount: int) -> None:
        self._cursor = cursor
        self.rowcount = rowcount

    def __iter__(self) -> Iterator[Any]:
        while True:
            with _errors():
                row = self._cursor.fetchone()
            if row is None:
                return
            yield row

    def fetchone(self) -> Any:
        with _errors():
            return self._cursor.fetchone()

    def fetchall(self) -> list[Any]:
        with _errors():
            return list(self._cursor.fetchall())

    def fetchmany(self, size: int) -> list[Any]:
        return [row for _, row in zip(range(size), self, strict=False)]

    def close(self) -> None:
        self._cursor.close()


class Connection:
    """As much of a connection of sqlite3 as the store uses."""

    def __init__(self, name: Any, *, uri: bool = False, timeout: float = 5.0, **_: Any) -> None:
        flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI
        with _errors():
            self._own = apsw.Connection(str(name), flags=flags, vfs=_NAME)
            self._own.set_busy_timeout(int(timeout * 1000))

    def execute(self, statement: str, values: Sequence[Any] = ()) -> _Cursor:
        with _errors():
            return _Cursor(self._own.execute(statement, tuple(values)), self._own.changes())

    def setlimit(self, category: int, limit: int) -> None:
        self._own.limit(category, limit)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        with _errors():
            self._own.executemany(statement, rows)

    @property
    def in_transaction(self) -> bool:
        return self._own.in_transaction

    def backup(self, target: Connection, pages: int) -> None:
        with _errors(), target._own.backup("main", self._own, "main") as copying:
            copying.step(pages)

    def commit(self) -> None:
        """Nothing waits for it: every statement outside a transaction is one."""

    def close(self) -> None:
        with suppress(apsw.Error):  # as sqlite3 does
            self._own.close()


@contextmanager
def on_disk(synchronous: str = "") -> Iterator[Disk]:
    """Put a disk below every connection that is opened meanwhile."""
    disk = Disk()
    system = _System(disk)
    real = sqlite3.connect

    class Chosen(Connection):
        def execute(self, statement: str, values: Sequence[Any] = ()) -> _Cursor:
            if synchronous and statement.startswith("PRAGMA synchronous"):
                statement = f"PRAGMA synchronous={synchronous}"
            return super().execute(statement, values)

    sqlite3.connect = Chosen  # type: ignore[assignment]
    try:
        yield disk
    finally:
        sqlite3.connect = real
        system.unregister()
