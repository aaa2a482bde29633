"""The store in a file: SQLite with a write-ahead log.

The rows of `document` are the truth; postings are made from them, and can be made again. Safe with threads (one lock),
with processes (one writer at a time, readers see snapshots) and with fork (a child opens the file for itself).

SQLite before 3.51.3 can damage a file when one connection resets the log while another makes a checkpoint. So every
write and every checkpoint happens inside one lock of the system, and all other connections are read-only. (When the
last connection of all is closed, SQLite makes a checkpoint with the whole file locked: there is no other by then.)
"""

from __future__ import annotations

import atexit
import os
import sqlite3
import threading
import weakref
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lookalike.errors import StoreError
from lookalike.index.contract import Store
from lookalike.index.index_setup import give_name, locked, remove_files, unfinished_file
from lookalike.index.sqlite_postings import Segments, Tail, merge, post, segments_in
from lookalike.index.sqlite_rows import SqliteReader, SqliteState, SqliteWriter, state_of
from lookalike.index.sqlite_schema import check_file, connect, create_file, read_settings, store_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.index.contract import Check, StoreReader, StoreWriter
    from lookalike.index.index_setup import IndexSettings

__all__ = ["SqliteStore", "copy_to_file"]

_LOG: Final = 16 << 20
"""Bytes of the write-ahead log after which it is written back."""
_OPEN: Final[weakref.WeakSet[SqliteStore]] = weakref.WeakSet()
_TAKEN: Final[set[tuple[int, int]]] = set()
"""Files that the parent process was using at the moment of the fork: SQLite believes that it holds their locks here."""


class SqliteStore(Store):
    """Documents in one file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a file that is there."""
        self.path = Path(path)
        self.name = str(path)
        self._lock = threading.RLock()
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._tail: Tail | None = None
        self._segments: tuple[int, Segments] | None = None
        self._file: os.stat_result | None = None
        self._held = False
        self._failed = self._closed = self._opened = False
        check_file(self.path)
        _OPEN.add(self)
        try:
            with self._lock, store_errors(self.name):
                self._still_there()
                self.settings = read_settings(self._reading(), self.name)
            self._opened = True
        except BaseException:
            self.close()
            raise

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> SqliteStore:
        """Open the file of an index."""
        return cls(path)

    @classmethod
    def create(cls, path: str | os.PathLike[str], settings: IndexSettings) -> SqliteStore:
        """Make the file of a new index, and open it."""
        create_file(Path(path), settings)
        return cls(path)

    # -- connections -------------------------------------------------------------------------------------------------

    def before_fork(self) -> None:
        """Close the connections, if nobody is using them: SQLite cannot use a file that was open before a fork."""
        self._held = self._lock.acquire(blocking=False)
        if self._held and not any(one is not None and one.in_transaction for one in (self._reader, self._writer)):
            with suppress(sqlite3.Error):
                self._close_connections()

    def after_fork(self, *, child: bool) -> None:
        """Go on; in a child, never touch what the parent was using."""
        if not child:
            if self._held:
                self._lock.release()
            return
        if self._file is not None and (self._reader is not None or self._writer is not None):
            _TAKEN.add((self._file.st_dev, self._file.st_ino))
        for connection in (self._reader, self._writer):
            if connection is not None:
                _never_close(connection)
        self._reader = self._writer = None
        self._lock = threading.RLock()

    def _close_connections(self) -> None:
        for connection in (self._reader, self._writer):
            if connection is not None:
                connection.close()
        self._reader = self._writer = None

    def _reading(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreError(self.name, "is closed", "open it again")
        if self._reader is None:
            self._reader = connect(self.path, read_only=True)
        return self._reader

    def snapshot(self) -> sqlite3.Connection:
        """Return the connection of the `reading` block that this is called in."""
        return self._reading()

    def _still_there(self) -> None:
        """Open the file again if a repair has put another in its place."""
        try:
            found = self.path.stat()
        except OSError as error:
            raise StoreError(self.name, f"is gone ({error.strerror})", "check the name") from None
        if (found.st_dev, found.st_ino) in _TAKEN:
            raise StoreError(
                self.name, "was in use when this process was forked", "fork while it is not, or start a new process"
            )
        if self._file is not None and not os.path.samestat(found, self._file):
            self.forget()
        self._file = found

    @contextmanager
    def reading(self) -> Iterator[StoreReader]:
        """Read in one transaction."""
        with self._lock, store_errors(self.name):
            if self._reader is not None and self._reader.in_transaction:
                # Inside another block of the same thread: the same snapshot.
                yield SqliteReader(self, self._reader)
                return
            reader = self._snapshot_of_the_file()
            connection, pid = self._reading(), os.getpid()
            try:
                yield reader
            finally:
                if os.getpid() == pid and connection.in_transaction:
                    connection.execute("ROLLBACK")

    def _snapshot_of_the_file(self) -> SqliteReader:
        while True:
            self._still_there()
            connection = self._reading()
            connection.execute("BEGIN")
            try:
                reader = SqliteReader(self, connection)  # which reads, and so takes the snapshot
                if self._is_the_file():
                    return reader
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            # A repair came between: this connection may have met the log of the new file.
            connection.execute("ROLLBACK")

    def _is_the_file(self) -> bool:
        try:
            return self._file is not None and os.path.samestat(self.path.stat(), self._file)
        except OSError:
            return False

    @contextmanager
    def exclusive(self) -> Iterator[sqlite3.Connection]:
        """Write in one transaction, with the file to ourselves."""
        with self._lock, locked(self.path), store_errors(self.name):
            writer, pid = self._writing(), os.getpid()
            writer.execute("BEGIN IMMEDIATE")
            try:
                yield writer
                self._execute(writer, "COMMIT")
            except BaseException:
                # A child of a fork inside the block must not touch what belongs to its parent.
                if os.getpid() == pid and writer.in_transaction:
                    writer.execute("ROLLBACK")
                raise
            self._write_back(writer)

    def _writing(self) -> sqlite3.Connection:
        if self._closed or self._failed:
            problem = "is closed" if self._closed else "had an error while it was written"
            raise StoreError(self.name, problem, "open it again")
        self._still_there()
        if self._writer is None:
            self._writer = connect(self.path, read_only=False)
        return self._writer

    def _execute(self, writer: sqlite3.Connection, statement: str) -> None:
        try:
            writer.execute(statement)
        except sqlite3.OperationalError as error:
            # After a failed fsync nobody knows what is on the disk, and a second one may succeed without writing.
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR:
                self._failed = True
            raise

    def _write_back(self, writer: sqlite3.Connection, *, now: bool = False) -> None:
        """Bring a long log back into the file; what it holds is safe where it is."""
        log = self.path.with_name(self.path.name + "-wal")
        try:
            if now or log.stat().st_size > _LOG:
                how = "TRUNCATE" if now else "PASSIVE"
                self._execute(writer, f"PRAGMA wal_checkpoint({how})")
        except (OSError, sqlite3.OperationalError):
            pass  # it will be written back later

    @contextmanager
    def writing(self) -> Iterator[StoreWriter]:
        """Write in one transaction."""
        with self.exclusive() as connection:
            writer = SqliteWriter(connection, self.settings, self.name)
            yield writer
            writer.finish()

    # -- keeping -----------------------------------------------------------------------------------------------------

    def segments(self, connection: sqlite3.Connection, state: SqliteState) -> Segments:
        """Return the segments that a snapshot has."""
        if self._segments is None or self._segments[0] != state.version:
            # Numbers of segments can come again when there was a time without any.
            now = segments_in(connection, self.name)
            if self._segments is None or now != self._segments[1].all:
                self._segments = state.version, Segments(now, self.name)
            else:
                self._segments = state.version, self._segments[1]
        return self._segments[1]

    def tail(self, connection: sqlite3.Connection, state: SqliteState) -> Tail:
        """Return the tail that a snapshot has."""
        if self._tail is None or self._tail.first != state.posted or self._tail.next > state.next:
            self._tail = Tail(state.posted, self.settings, self.name)
        self._tail.read(connection, state.next)
        return self._tail

    def verify(self) -> Check:
        """Check every row, page and key."""
        from lookalike.index.sqlite_repair import verify

        return verify(self)

    def repair(self) -> Check:
        """Rebuild postings, and rows from their texts; what is lost is removed."""
        from lookalike.index.sqlite_repair import repair

        return repair(self)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the file without a connection to it."""
        with self._lock, locked(self.path):
            self.forget()
            yield
            self.forget()

    def forget(self) -> None:
        """Close the connections; the next use opens them again."""
        with self._lock:
            self._close_connections()
            self._tail = self._segments = None

    def compact(self) -> None:
        """Post the tail, merge all segments, and free the space."""
        bands = self.settings.bands.bands
        with self.exclusive() as connection:
            state = state_of(connection, self.name)
            post(connection, state.posted, state.next, bands, self.name)
            merge(connection, self.name, all_of_them=True)
            connection.execute("UPDATE state SET version = version + 1, posted = next")
        with self._lock, locked(self.path), store_errors(self.name):
            if self._reader is not None and not self._reader.in_transaction:
                self._reader.close()
                self._reader = None
            writer = self._writing()
            self._write_back(writer, now=True)
            self._execute(writer, "VACUUM")
            self._write_back(writer, now=True)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy a snapshot to a new file."""
        target = Path(path)
        if os.path.lexists(target):
            raise StoreError(str(target), "exists already", "give another name")
        unfinished = unfinished_file(target)
        try:
            with self.reading(), store_errors(str(target)), closing(sqlite3.connect(unfinished)) as copy:
                self._reading().backup(copy, pages=-1)
                copy.execute("PRAGMA journal_mode=WAL")
            give_name(unfinished, target)
        finally:
            remove_files(unfinished)

    def info(self) -> dict[str, Any]:
        """Say where it is and how large."""
        with self.reading():
            connection = self._reading()
            (segments,) = connection.execute("SELECT count(*) FROM segment").fetchone()
            state = state_of(connection, self.name)
        size = sum(
            path.stat().st_size
            for suffix in ("", "-wal")
            if (path := self.path.with_name(self.path.name + suffix)).exists()
        )
        return {
            "store": "sqlite",
            "path": str(self.path),
            "bytes": size,
            "segments": segments,
            "tail": state.next - state.posted,
            "sqlite": sqlite3.sqlite_version,
        }

    def close(self) -> None:
        """Close the file; the log is written back into it."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            only_read = self.only_read
            try:
                # Closing the last connection makes a checkpoint.
                with locked(self.path) if self._writer is not None else nullcontext():
                    self.forget()
            except StoreError:  # somebody writes for long; what was added is safe, and theirs will be the checkpoint
                self.forget()
            if only_read:
                self._remove_empty_log()

    @property
    def only_read(self) -> bool:
        """Whether the file is open, and not for writing; one that was refused is not."""
        return self._opened and self._reader is not None and self._writer is None

    def _remove_empty_log(self) -> None:
        """Have SQLite remove the empty log, and its table, that connections without a right to write leave behind.

        A connection with that right removes them if it is the last one: SQLite locks the whole file to find out. Where
        no lock file is, nobody has written here, and to make one would only leave another file behind.
        """
        log, lock = (self.path.with_name(self.path.name + ending) for ending in ("-wal", "-lock"))
        with suppress(StoreError, sqlite3.Error, OSError, UnicodeDecodeError):  # the last: of a damaged schema
            if log.stat().st_size or not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)):
                return
            held = locked(self.path, wait=False) if lock.exists() else nullcontext()
            with held, closing(connect(self.path, read_only=False)) as connection:
                connection.execute("SELECT version FROM state").fetchone()


def _never_close(connection: sqlite3.Connection) -> None:
    """Keep a connection of the parent process for good: to close it here could remove a log that is in use by then."""
    import ctypes

    ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))


@atexit.register
def _close_readers() -> None:
    """Close what was only read, and was left open; the log of a writer is safe where it is."""
    for store in list(_OPEN):
        if store.only_read:
            store.close()


def _before_fork() -> None:
    for store in list(_OPEN):
        store.before_fork()


def _after_fork(*, child: bool) -> None:
    for store in list(_OPEN):
        store.after_fork(child=child)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=lambda: _after_fork(child=False),
        after_in_child=lambda: _after_fork(child=True),
    )


def copy_to_file(store: Store, path: str | os.PathLike[str]) -> None:
    """Write the documents of a store to the file of a new index."""
    copy = SqliteStore.create(path, store.settings)
    try:
        with copy.writing() as writer, store.reading() as reader:
            for block in reader.rows():
                writer.put([row for _, row in block])
    finally:
        copy.close()
