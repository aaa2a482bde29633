"""The store in a file: SQLite with a write-ahead log.

The rows of `document` are the truth; postings are made from them, and can be made again. Safe with threads (each reads
with a connection of its own, and one writes at a time), with processes (one writer at a time, readers see snapshots)
and with fork (a child opens the file for itself).

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
from lookalike.index.sqlite_postings import merge, post
from lookalike.index.sqlite_rows import SqliteReader, SqliteWriter, state_of
from lookalike.index.sqlite_schema import (
    CACHE,
    PAGE,
    PATIENCE,
    create_file,
    free_space,
    is_full,
    read_settings,
    store_errors,
)
from lookalike.index.sqlite_sessions import Session, followed, log_of
from lookalike.tables.spelling import size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import TypeVar

    from lookalike.index.contract import Check, StoreWriter
    from lookalike.index.index_setup import IndexSettings

    Result = TypeVar("Result")

__all__ = ["SqliteStore", "copy_to_file"]

_LOG: Final = 16 << 20
"""Bytes of the write-ahead log after which it is written back."""
_RESERVE: Final = 512 << 10
"""Bytes of the disk that additions leave free, so that documents can be removed when it is full."""
_IDLE: Final = 4
"""Connections that stay open for the next reader."""
_SMALL_CACHE: Final = 8192
"""KiB of pages that a reader remembers while others read: each has a cache of its own."""
_OPEN: Final[weakref.WeakSet[SqliteStore]] = weakref.WeakSet()
_FORK: Final = threading.RLock()
"""Held during a fork, and while a store is added to those that are told of it."""


class SqliteStore(Store):
    """Documents in one file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a file that is there."""
        self.path = followed(Path(path))
        self.name = str(path)
        self._writing = threading.RLock()
        """Held by the thread that writes."""
        self._sessions = threading.RLock()
        """Held for a moment, while one of these is changed; a source that is dropped meanwhile gives one back."""
        self._idle: list[Session] = []
        self._reading: set[Session] = set()
        self._writer: Session | None = None
        self._is_held = False
        """Whether a fork has stopped others from writing."""
        self._has_failed = self._is_closed = False
        self._has_written = self._is_open = False
        with _FORK:
            _OPEN.add(self)
        try:
            with store_errors(self.name):
                session = self._take()
                try:
                    session.connection.execute("BEGIN")
                    self.settings = read_settings(session.connection, self.name)
                    session.check_log()
                finally:
                    self._give_back(session)
            self._is_open = True
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

    def errors(self) -> AbstractContextManager[None]:
        """Translate the errors of SQLite into ours."""
        return store_errors(self.name)

    # -- connections -------------------------------------------------------------------------------------------------

    def before_fork(self) -> None:
        """Close the connections that nobody is using: SQLite cannot use a file that was open before a fork."""
        self._is_held = self._writing.acquire(blocking=False)
        self._sessions.acquire()
        with suppress(sqlite3.Error):
            self._close_idle()
            # The thread that forks may be writing itself.
            if self._writer is not None and self._is_held and not self._writer.connection.in_transaction:
                self._writer.close()
                self._writer = None

    def after_fork(self, *, is_child: bool) -> None:
        """Go on; in a child, never touch what the parent was using."""
        self._sessions.release()
        if is_child:
            for session in [*self._reading, *([self._writer] if self._writer else [])]:
                session.abandon()
            self._reading, self._writer = set(), None
            self._writing = threading.RLock()
        elif self._is_held:
            self._writing.release()

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(self.name, "is closed", "open it again")

    def _take(self) -> Session:
        """Return a connection for a reader, which has it to itself until it gives it back."""
        with self._sessions:
            self._check_open()
            if self._idle and not self._idle[-1].is_current():  # a repair has put another file in its place
                self._close_idle()
            if self._idle:
                session = self._idle.pop()
            else:
                cache = _SMALL_CACHE if self._reading else CACHE
                session = Session(self.path, self.name, read_only=True, cache=cache)
            self._reading.add(session)
        return session

    def _give_back(self, session: Session) -> None:
        with self._sessions:
            if session not in self._reading:
                return  # the parent's, in a child of a fork
            self._reading.discard(session)
        try:
            session.rollback()
        except BaseException:
            session.close()
            raise
        with self._sessions:
            is_wanted = not self._is_closed and len(self._idle) < _IDLE
            if is_wanted:
                self._idle.append(session)
        if not is_wanted:
            session.close()

    @contextmanager
    def reading(self) -> Iterator[SqliteReader]:
        """Read in one transaction, on a connection that nobody else uses meanwhile."""
        with store_errors(self.name):
            reader = self._begin()
            try:
                yield reader
            finally:
                self._give_back(reader.session)

    def _begin(self) -> SqliteReader:
        while True:
            session = self._take()
            try:
                session.connection.execute("BEGIN")
                reader = SqliteReader(session, self.settings, self.name)  # which reads, and so takes the snapshot
                if session.is_current():
                    session.check_log()
                    return reader
            except BaseException:
                self._give_back(session)
                raise
            # A repair came between: this connection may have met the log of the new file.
            self._give_back(session)

    @contextmanager
    def exclusive(self) -> Iterator[Session]:
        """Write in one transaction, with the file to ourselves."""
        with self._writing, locked(self.path), store_errors(self.name):
            session, pid = self._session_to_write(), os.getpid()
            if free_space(self.path) < 2 * _LOG:
                self._write_back(session, now=True)  # a log that cannot be emptied could not be written over either
            session.connection.execute("BEGIN IMMEDIATE")
            try:
                session.check_log()
                yield session
                self._execute(session, "COMMIT")
                session.check_log()
            except BaseException:
                # A child of a fork inside the block must not touch what belongs to its parent.
                if os.getpid() == pid:
                    session.tail = None  # the numbers of the documents that it knows may be given to others
                    session.rollback()
                    if free_space(self.path) < _LOG:
                        self._write_back(session, now=True)  # what was undone takes room
                raise
            self._write_back(session)

    def _session_to_write(self) -> Session:
        if self._is_closed or self._has_failed:
            problem = "is closed" if self._is_closed else "had an error while it was written"
            raise StoreError(self.name, problem, "open it again")
        if self._writer is not None and not self._writer.is_current():
            self.forget()  # a repair has put another file in its place
        if self._writer is None:
            self._writer = Session(self.path, self.name, read_only=False)
            self._has_written = True
        return self._writer

    def _empty_log(self, session: Session) -> None:
        """Bring all of the log back into the file, unless somebody reads what is in it: nobody is waited for."""
        session.connection.execute("BEGIN IMMEDIATE")
        try:
            session.check_log()
        finally:
            session.rollback()
        session.connection.execute("PRAGMA busy_timeout=0")
        try:
            self._execute(session, "PRAGMA wal_checkpoint(TRUNCATE)")
        finally:
            session.connection.execute(f"PRAGMA busy_timeout={round(1000 * PATIENCE)}")

    def _execute(self, session: Session, statement: str) -> None:
        try:
            session.connection.execute(statement)
        except sqlite3.OperationalError as error:
            # After a failed fsync nobody knows what is on the disk, and a second one may succeed without writing.
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR:
                self._has_failed = True
            raise

    def _write_back(self, session: Session, *, now: bool = False) -> None:
        """Bring a long log back into the file, or any; what it holds is safe where it is."""
        with suppress(OSError, sqlite3.OperationalError):  # it will be written back later
            if now:
                self._empty_log(session)
            elif log_of(self.path).stat().st_size > _LOG:
                self._execute(session, "PRAGMA wal_checkpoint(PASSIVE)")

    @contextmanager
    def writing(self) -> Iterator[StoreWriter]:
        """Write in one transaction."""
        with self.exclusive() as session:
            writer = SqliteWriter(session, self.settings, self.name, self._room(session))
            yield writer
            writer.finish()

    def _room(self, session: Session) -> int:
        """Return how many bytes the log and the file may grow by together; pages of the file that are free count."""
        room = free_space(self.path) - _RESERVE
        pages: int = session.connection.execute("PRAGMA freelist_count").fetchone()[0]
        return room + max(0, min(pages * PAGE, room))

    # -- keeping -----------------------------------------------------------------------------------------------------

    def verify(self) -> Check:
        """Check every row, page and key."""
        from lookalike.index.sqlite_repair import verify

        self._check_open()
        return verify(self)

    def repair(self) -> Check:
        """Rebuild postings, and rows from their texts; what is lost is removed."""
        from lookalike.index.sqlite_repair import repair

        self._check_open()
        return repair(self)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the file without a connection to it."""
        with self._writing, locked(self.path):
            self.forget()
            yield
            self.forget()

    def forget(self) -> None:
        """Close the connections that nobody reads with; the next use opens them again. Nobody else may write."""
        with self._sessions:
            self._close_idle()
            writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _close_idle(self) -> None:
        idle, self._idle = self._idle, []
        for session in idle:
            session.close()

    def with_room(self, write: Callable[[], Result], advice: str = "remove fewer documents at a time, or ") -> Result:
        """Do what frees space; if the disk is full, empty the log first, and try again."""
        try:
            return write()
        except StoreError as error:
            if not is_full(error):
                raise
        try:
            with self._writing, locked(self.path), store_errors(self.name):
                self._empty_log(self._session_to_write())
            return write()
        except StoreError as error:
            if not is_full(error):
                raise
            needed = size(2 * sum(path.stat().st_size for path in (self.path, log_of(self.path)) if path.exists()))
            problem = f"needs space to free space: {size(free_space(self.path))} are free on its disk"
            remedy = f"{advice}free up to {needed}; nothing is lost"
            raise StoreError(self.name, problem, remedy) from error

    def compact(self) -> None:
        """Post the tail, merge all segments, and free the space."""
        self.with_room(self._merge_all, "")
        self.with_room(self._vacuum, "")

    def _merge_all(self) -> None:
        with self.exclusive() as session:
            connection = session.connection
            state = state_of(connection, self.name)
            post(connection, state.posted, state.next, self.settings.bands.bands, self.name)
            merge(connection, self.name, 0, all_of_them=True)
            connection.execute("UPDATE state SET version = version + 1, posted = next")

    def _vacuum(self) -> None:
        with self._writing, locked(self.path), store_errors(self.name):
            session = self._session_to_write()
            self._write_back(session, now=True)
            try:
                self._execute(session, "VACUUM")
            finally:
                self._write_back(session, now=True)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy a snapshot to a new file."""
        target = Path(path)
        if os.path.lexists(target):
            raise StoreError(str(target), "exists already", "give another name")
        unfinished = unfinished_file(target)
        try:
            with self.reading() as reader, store_errors(str(target)), closing(sqlite3.connect(unfinished)) as copy:
                reader.session.connection.backup(copy, pages=-1)
                copy.execute("PRAGMA journal_mode=WAL")
            give_name(unfinished, target)
        finally:
            remove_files(unfinished)

    def info(self) -> dict[str, Any]:
        """Say where it is and how large."""
        with self.reading() as reader:
            connection, state = reader.session.connection, reader.state
            (segments,) = connection.execute("SELECT count(*) FROM segment").fetchone()
        held = sum(path.stat().st_size for path in (self.path, log_of(self.path)) if path.exists())
        return {
            "store": "sqlite",
            "path": self.name,
            "bytes": held,
            "segments": segments,
            "tail": state.next - state.posted,
            "sqlite": sqlite3.sqlite_version,
        }

    def close(self) -> None:
        """Close the file; the log is written back into it."""
        with self._sessions:
            if self._is_closed:
                return
            self._is_closed = True
        with self._writing:
            try:
                # Closing the last connection makes a checkpoint.
                with locked(self.path) if self._writer is not None else nullcontext():
                    self.forget()
            except StoreError:  # somebody writes for long; what was added is safe, and theirs will be the checkpoint
                self.forget()
            if self._is_open and not self._has_written:
                self._remove_empty_log()

    def close_reader(self) -> None:
        """Close what was only read; the log of a writer is safe where it is."""
        if self._is_open and not self._has_written:
            self.close()

    def _remove_empty_log(self) -> None:
        """Have SQLite remove the empty log, and its table, that connections without a right to write leave behind.

        A connection with that right removes them if it is the last one: SQLite locks the whole file to find out. Where
        no lock file is, nobody has written here, and to make one would only leave another file behind.
        """
        log, lock = log_of(self.path), self.path.with_name(self.path.name + "-lock")
        with suppress(StoreError, sqlite3.Error, OSError, UnicodeDecodeError):  # the last: of a damaged schema
            if log.stat().st_size or not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK)):
                return
            held = locked(self.path, wait=False) if lock.exists() else nullcontext()
            with held, closing(Session(self.path, self.name, read_only=False)) as session:
                session.connection.execute("SELECT version FROM state").fetchone()


@atexit.register
def _close_readers() -> None:
    """Close what was only read, and was left open; the log of a writer is safe where it is."""
    for store in list(_OPEN):
        store.close_reader()


_FORKING: Final[list[SqliteStore]] = []
"""The stores that are told of a fork: all that there were before it."""


def _before_fork() -> None:
    _FORK.acquire()  # one fork at a time
    _FORKING.extend(_OPEN)
    for store in _FORKING:
        store.before_fork()


def _after_fork(*, is_child: bool) -> None:
    try:
        for store in _FORKING:
            store.after_fork(is_child=is_child)
    finally:
        _FORKING.clear()
        _FORK.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=lambda: _after_fork(is_child=False),
        after_in_child=lambda: _after_fork(is_child=True),
    )


def copy_to_file(store: Store, path: str | os.PathLike[str]) -> None:
    """Write the documents of a store to the file of a new index."""
    with store.reading() as reader, closing(SqliteStore.create(path, store.settings)) as copy, copy.writing() as writer:
        for block in reader.rows():
            writer.put([row for _, row in block])
