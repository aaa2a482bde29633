"""The store in a file: SQLite with a write-ahead log.

The rows of `document` are the truth; postings are made from them, and can be made again. Safe with threads (one lock),
with processes (one writer at a time, readers see snapshots) and with fork (a child opens the file for itself).

SQLite before 3.51.3 can damage a file when one connection resets the log while another makes a checkpoint. So every
write and every checkpoint happens inside one lock of the system, and all other connections are read-only.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import zlib
from array import array
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike.errors import DamagedError, DocumentError, DuplicateIdError, StoreError
from lookalike.index.contract import LAST_NUMBER, Check, Head, Met, Reader, Row, Store, Writer, checksum, kind_of
from lookalike.index.lock import locked
from lookalike.index.sqlite_postings import TAIL, Segments, Tail, merge, post, segments_in
from lookalike.index.sqlite_schema import check_file, connect, create_file, read_settings, store_errors, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lookalike.index.settings import IndexSettings
    from lookalike.tables.packed import Id

__all__ = ["ROW", "SqliteStore", "State", "read_row", "state_of"]

ROW: Final = "number, id, shingles, length, digest, keys, slots, checksum, body_checksum, body"
_MANY: Final = 500
_BLOCK: Final = 2048
_LOG: Final = 16 << 20
"""Bytes of the write-ahead log after which it is written back."""
_LONGEST_BODY: Final = 900_000_000
_ABANDONED: list[object] = []
"""Connections of a parent process: to close them here could end its locks."""


class State(NamedTuple):
    """The row of `state`."""

    version: int
    next: int
    """The number of the next document."""
    posted: int
    """Documents from this number on are the tail."""
    documents: int
    kind: str
    """What ids are: none so far, int, or str."""


def state_of(connection: sqlite3.Connection, name: str) -> State:
    """Read the state; it cannot be missing."""
    row = connection.execute("SELECT version, next, posted, documents, kind FROM state").fetchone()
    if row is None or not 0 <= row[2] <= row[1] <= LAST_NUMBER + 1:
        raise DamagedError(name, "is damaged: its state", "run: lookalike index repair")
    return State(*row)


def read_row(found: Sequence[Any], name: str) -> tuple[int, Row]:
    """Return a row of `document`, in the order of `ROW`, whose checksums are right."""
    number, *fields, head, own, body = found
    row = Row(*fields, body)
    if row.checksum() != head or zlib.crc32(body) != own:
        raise DamagedError(name, f"is damaged: document {row.id!r}", "run: lookalike index repair")
    return number, row


class SqliteStore(Store):
    """Documents in one file."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Open a file that is there."""
        self.path = Path(path)
        self.name = str(path)
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._reader: sqlite3.Connection | None = None
        self._writer: sqlite3.Connection | None = None
        self._tail: Tail | None = None
        self._segments: tuple[int, Segments] | None = None
        self._file: os.stat_result | None = None
        self._failed = self._closed = False
        check_file(self.path)
        with self._lock, store_errors(self.name):
            self.settings = read_settings(self._reading(), self.name)

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

    def _after_fork(self) -> None:
        if self._pid != os.getpid():
            _ABANDONED.extend([self._reader, self._writer])
            self._reader = self._writer = self._tail = self._segments = None
            self._lock, self._pid = threading.RLock(), os.getpid()

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
            found = os.stat(self.path)
        except OSError as error:
            raise StoreError(self.name, f"is gone ({error.strerror})", "check the name") from None
        if self._file is not None and not os.path.samestat(found, self._file):
            self.forget()
        self._file = found

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Read in one transaction."""
        self._after_fork()
        with self._lock, store_errors(self.name):
            if self._reader is None or not self._reader.in_transaction:
                self._still_there()
            connection = self._reading()
            if connection.in_transaction:  # inside another block of the same thread: the same snapshot
                yield _SqliteReader(self, connection)
                return
            connection.execute("BEGIN")
            try:
                yield _SqliteReader(self, connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    @contextmanager
    def exclusive(self) -> Iterator[sqlite3.Connection]:
        """Write in one transaction, with the file to ourselves."""
        self._after_fork()
        with self._lock, locked(self.path), store_errors(self.name):
            if self._closed or self._failed:
                problem = "is closed" if self._closed else "had an error while it was written"
                raise StoreError(self.name, problem, "open it again")
            self._still_there()
            if self._writer is None:
                self._writer = connect(self.path, read_only=False)
            writer = self._writer
            writer.execute("BEGIN IMMEDIATE")
            try:
                yield writer
                self._commit(writer)
            except BaseException:
                if writer.in_transaction:
                    writer.execute("ROLLBACK")
                raise
            self._write_back(writer)

    def _commit(self, writer: sqlite3.Connection) -> None:
        try:
            writer.execute("COMMIT")
        except sqlite3.OperationalError as error:
            # After a failed fsync nobody knows what is on the disk, and a second one may succeed without writing.
            self._failed = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_IOERR
            raise

    def _write_back(self, writer: sqlite3.Connection, *, now: bool = False) -> None:
        """Bring a long log back into the file; what it holds is safe where it is."""
        log = self.path.with_name(self.path.name + "-wal")
        try:
            if now or log.stat().st_size > _LOG:
                writer.execute("PRAGMA wal_checkpoint(TRUNCATE)" if now else "PRAGMA wal_checkpoint(PASSIVE)")
        except (OSError, sqlite3.OperationalError):
            pass  # later, then

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Write in one transaction."""
        with self.exclusive() as connection:
            writer = _SqliteWriter(connection, self.settings.bands.bands, self.name)
            yield writer
            writer.finish()

    # -- keeping -----------------------------------------------------------------------------------------------------

    def segments(self, connection: sqlite3.Connection, state: State) -> Segments:
        """Return the segments that a snapshot has."""
        if self._segments is None or self._segments[0] != state.version:
            old = {segment.number: segment for segment in self._segments[1].all} if self._segments else {}
            now = [number for (number,) in connection.execute("SELECT number FROM segment ORDER BY number")]
            if self._segments is None or now != list(old):
                self._segments = state.version, Segments(segments_in(connection, self.name), self.name)
            else:
                self._segments = state.version, self._segments[1]
        return self._segments[1]

    def tail(self, connection: sqlite3.Connection, state: State) -> Tail:
        """Return the tail that a snapshot has."""
        if self._tail is None or self._tail.first != state.posted or self._tail.next > state.next:
            self._tail = Tail(state.posted, self.settings.bands.bands)
        self._tail.read(connection, state.next)
        return self._tail

    def verify(self) -> Check:
        """Look at every row, page and key."""
        from lookalike.index.sqlite_check import verify

        return verify(self)

    def repair(self) -> Check:
        """Make postings anew, and rows from their texts; what is lost is removed."""
        from lookalike.index.sqlite_check import repair

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
            for connection in (self._reader, self._writer):
                if connection is not None:
                    connection.close()
            self._reader = self._writer = self._tail = self._segments = None

    def compact(self) -> None:
        """Post the tail, merge all segments, and give back what is free."""
        bands = self.settings.bands.bands
        with self.exclusive() as connection:
            state = state_of(connection, self.name)
            post(connection, state.posted, state.next, bands)
            merge(connection, self.name, all_of_them=True)
            connection.execute("UPDATE state SET version = version + 1, posted = next")
        with self._lock, locked(self.path), store_errors(self.name):
            if self._reader is not None and not self._reader.in_transaction:
                self._reader.close()
                self._reader = None
            writer = self._writer
            if writer is not None:
                self._write_back(writer, now=True)
                writer.execute("VACUUM")
                self._write_back(writer, now=True)

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Copy a snapshot to a new file."""
        target = Path(path)
        unfinished = target.with_name(f"{target.name}.new-{os.getpid()}-{os.urandom(4).hex()}")
        if os.path.lexists(target):
            raise StoreError(str(target), "exists already", "give another name")
        try:
            os.close(os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError as error:
            raise StoreError(str(target), f"cannot be created ({error.strerror})", "check the folder") from None
        try:
            with self.reading(), store_errors(str(target)), closing(sqlite3.connect(unfinished)) as copy:
                self._reading().backup(copy, pages=-1)
                copy.execute("PRAGMA journal_mode=WAL")
            with unfinished.open("rb") as file:
                os.fsync(file.fileno())
            unfinished.rename(target)
            sync_folder(target.parent)
        finally:
            unfinished.unlink(missing_ok=True)

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
        self._after_fork()
        with self._lock:
            if self._closed:
                return
            self._closed = True
            if self._reader is not None:
                self._reader.close()
            if self._writer is not None:
                with locked(self.path):  # closing the last connection makes a checkpoint
                    self._writer.close()
            self._reader = self._writer = None


class _SqliteWriter(Writer):
    def __init__(self, connection: sqlite3.Connection, bands: int, name: str) -> None:
        self._connection, self._bands, self._name = connection, bands, name
        self._state = state_of(connection, name)
        self._next = self._state.next
        self._documents = self._state.documents
        self._kind = self._state.kind

    def put(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        self._check(rows)
        first = self._next
        values = [
            (
                *(first + place, row.id, row.shingles, row.length, row.digest, row.keys, row.slots),
                *(row.checksum(), zlib.crc32(row.body), row.body),
            )
            for place, row in enumerate(rows)
        ]
        try:
            self._connection.executemany("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        except sqlite3.IntegrityError as error:
            raise DuplicateIdError(self._twice(rows, first)) from error
        self._next += len(rows)
        self._documents += len(rows)

    def _check(self, rows: Sequence[Row]) -> None:
        if self._next + len(rows) > LAST_NUMBER + 1:
            raise StoreError(self._name, f"has had {LAST_NUMBER + 1:,} documents", "make a new one")
        self._kind = kind_of(rows, self._kind, self._name)
        for row in rows:
            if len(row.body) > _LONGEST_BODY:
                raise DocumentError(row.id, "text", "is too long for an index", "split it, or keep='signature'")

    def _twice(self, rows: Sequence[Row], first: int) -> Id:
        """Return the id that is there twice: in what was given, or in the index before it."""
        seen: set[Id] = set()
        for row in rows:
            there = self._connection.execute(
                "SELECT 1 FROM document WHERE id = ? AND number < ?", (row.id, first)
            ).fetchone()
            if there or row.id in seen:
                return row.id
            seen.add(row.id)
        return rows[0].id

    def discard(self, ids: Iterable[Id]) -> int:
        found = 0
        for id in ids:
            if not isinstance(id, int | str) or isinstance(id, bool):
                continue
            row = self._connection.execute("SELECT number FROM document WHERE id = ?", (id,)).fetchone()
            if row is None:
                continue
            self._connection.execute("DELETE FROM document WHERE number = ?", row)
            self._connection.execute("INSERT INTO removed VALUES (?)", row)
            found += 1
        self._documents -= found
        return found

    def finish(self) -> None:
        """Post a tail that has become long, and write the state."""
        posted = self._state.posted
        if self._next - posted > TAIL:
            post(self._connection, posted, self._next, self._bands)
            posted = self._next
            merge(self._connection, self._name)
        self._connection.execute(
            "UPDATE state SET version = version + 1, next = ?, posted = ?, documents = ?, kind = ?",
            (self._next, posted, self._documents, self._kind),
        )


class _SqliteReader(Reader):
    def __init__(self, store: SqliteStore, connection: sqlite3.Connection) -> None:
        self._store, self._connection = store, connection
        self._state = state_of(connection, store.name)

    def count(self) -> int:
        return self._state.documents

    def meet(self, keys: bytes, most: int) -> Met:
        store, bands = self._store, self._store.settings.bands.bands
        tail = store.tail(self._connection, self._state).meet(keys, most)
        met: dict[int, set[int]] = {}
        truncated = set(tail.truncated)
        for query, number in zip(tail.queries, tail.numbers, strict=True):
            met.setdefault(query, set()).add(number)
        segments = store.segments(self._connection, self._state)
        for place, numbers in segments.meet(self._connection, memoryview(keys).cast("Q"), most).items():
            if len(numbers) > most:
                truncated.add(place // bands)
                numbers = sorted(numbers)[:most]
            met.setdefault(place // bands, set()).update(numbers)
        queries, found = array("I"), array("I")
        for query in sorted(met):
            queries.extend([query] * len(met[query]))
            found.extend(sorted(met[query]))
        return Met(queries, found, frozenset(truncated))

    def _some(self, columns: str, numbers: Sequence[int]) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(numbers), _MANY):
            some = numbers[start : start + _MANY]
            marks = ",".join("?" * len(some))
            yield from self._connection.execute(f"SELECT {columns} FROM document WHERE number IN ({marks})", some)

    def heads(self, numbers: Sequence[int]) -> dict[int, Head]:
        found = {}
        columns = "number, id, shingles, length, digest, keys, slots, checksum"
        for number, id, shingles, length, digest, keys, slots, expected in self._some(columns, numbers):
            if checksum(id, shingles, length, digest, keys, slots) != expected:
                raise DamagedError(self._store.name, f"is damaged: document {id!r}", "run: lookalike index repair")
            found[number] = Head(id, slots)
        return found

    def bodies(self, numbers: Sequence[int]) -> dict[int, bytes]:
        found = {}
        for number, id, expected, body in self._some("number, id, body_checksum, body", numbers):
            if zlib.crc32(body) != expected:
                raise DamagedError(self._store.name, f"is damaged: document {id!r}", "run: lookalike index repair")
            found[number] = body
        return found

    def numbers(self, ids: Sequence[Id]) -> list[int | None]:
        found = []
        for id in ids:
            row = self._connection.execute("SELECT number FROM document WHERE id = ?", (id,)).fetchone()
            found.append(None if row is None else row[0])
        return found

    def _blocks(self, columns: str) -> Iterator[list[tuple[Any, ...]]]:
        after = -1
        while block := self._connection.execute(
            f"SELECT {columns} FROM document WHERE number > ? ORDER BY number LIMIT {_BLOCK}", (after,)
        ).fetchall():
            yield block
            after = block[-1][0]

    def slots(self) -> Iterator[tuple[array[int], bytes]]:
        size = self._store.settings.recipe.hashes
        for block in self._blocks("number, slots"):
            if any(len(slots) != size for _, slots in block):
                raise DamagedError(self._store.name, "is damaged: signatures", "run: lookalike index repair")
            yield array("I", (number for number, _ in block)), b"".join(slots for _, slots in block)

    def rows(self) -> Iterator[list[tuple[int, Row]]]:
        for block in self._blocks(ROW):
            yield [read_row(found, self._store.name) for found in block]

    def ids(self) -> Iterator[Id]:
        for block in self._blocks("number, id"):
            yield from (id for _, id in block)
