"""The rows of an index in a file: read and written inside a transaction, never believed without their checksums."""

from __future__ import annotations

import sqlite3
import zlib
from array import array
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike.errors import DuplicateIdError, StoreError, _show
from lookalike.index.contract import (
    LAST_NUMBER,
    Content,
    Head,
    Met,
    Row,
    StoreReader,
    StoreWriter,
    Version,
    check_rows,
    checksum,
    is_readable,
    may_be_stored,
    missing_documents,
)
from lookalike.index.sqlite_postings import ENTRY, TAIL, Segments, Tail, merge, post, segments_in
from lookalike.index.sqlite_schema import ID, columns_of, damaged, full, named

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lookalike.index.index_setup import IndexSettings
    from lookalike.index.sqlite_sessions import Session
    from lookalike.tables.packed import Id

__all__ = ["SqliteReader", "SqliteState", "SqliteWriter", "is_body", "is_right", "read_row", "state_of"]

_MANY: Final = 500
_GROWTH: Final = 3
"""Bytes that the log and the file together grow by, for a byte that is added: at most, about."""
_BLOCK: Final = 2048
_BYTES: Final = 8 << 20
"""Documents of this many bytes together are read at once, or one."""


class SqliteState(NamedTuple):
    """The row of `state`."""

    version: int
    next: int
    """The number of the next document."""
    posted: int
    """Documents from this number on are the tail."""
    documents: int
    kind: str
    """What ids are: none so far, int, or str."""


def state_of(connection: sqlite3.Connection, name: str) -> SqliteState:
    """Read the state; it cannot be missing."""
    row = connection.execute("SELECT version, next, posted, documents, substr(kind, 1, 9) FROM state").fetchone()
    right = row is not None and all(isinstance(one, int) for one in row[:4]) and row[4] in ("none", "int", "str")
    if not right or not 0 <= row[2] <= row[1] <= LAST_NUMBER + 1 or not 0 <= row[3] <= row[1]:
        raise damaged(name, "the state")
    return SqliteState(*row)


def read_row(found: Sequence[Any], name: str) -> tuple[int, Row]:
    """Return a row of `document`, as `Columns.row` selects it, whose checksums are right."""
    number, *fields, head, own, body = found
    row = Row(fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], body)
    if not is_right(row, head) or not is_body(body, own):
        raise damaged(name, named(number, row.id))
    return number, row


def is_right(row: Row, expected: int) -> bool:
    """Tell whether all but the body is what was written; flipped bits can change types too."""
    return all(isinstance(part, bytes) for part in (row.digest, row.keys, row.slots)) and row.checksum() == expected


def is_body(body: object, expected: int) -> bool:
    """Tell whether a body is what was written."""
    return isinstance(body, bytes) and zlib.crc32(body) == expected


class SqliteWriter(StoreWriter):
    """One transaction."""

    def __init__(self, session: Session, settings: IndexSettings, name: str, room: int) -> None:
        """Begin; `room` is how many bytes of the disk may be used."""
        self._connection, self._settings, self._name, self._room = session.connection, settings, name, room
        self.reader: SqliteReader = SqliteReader(session, settings, name)
        self._state = self.reader.state
        self._next = self._state.next
        self._documents = self._state.documents
        self._kind = self._state.kind

    def put(self, rows: Sequence[Row]) -> None:
        """Add documents; `DuplicateIdError` if one is there."""
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
            raise self._twice(rows, first) from error
        self._next += len(rows)
        self._documents += len(rows)

    def _check(self, rows: Sequence[Row]) -> None:
        self._room -= _GROWTH * sum(len(row.keys) + len(row.slots) + len(row.body) for row in rows)
        if self._room < 0:  # what fits the log alone could not be brought back into the file
            raise full(self._name)
        if self._next + len(rows) > LAST_NUMBER + 1:
            raise StoreError(self._name, f"has had {LAST_NUMBER + 1:,} documents", "make a new one")
        self._kind = check_rows(rows, self._kind, self._name)

    def _twice(self, rows: Sequence[Row], first: int) -> DuplicateIdError:
        """Name the id that is there twice: in what was given, or in the index before it."""
        seen: set[Id] = set()
        for row in rows:
            there = self._connection.execute(
                "SELECT number FROM document WHERE id = ? AND number < ?", (row.id, first)
            ).fetchone()
            if there or row.id in seen:
                return DuplicateIdError(row.id, index=self._name if there and there[0] < self._state.next else "")
            seen.add(row.id)
        return DuplicateIdError(rows[0].id)

    def discard(self, ids: Iterable[Id]) -> int:
        """Remove documents; returns how many there were."""
        found = 0
        given: Iterable[object] = ids
        for id in given:
            if not may_be_stored(id):
                continue
            row = self._connection.execute("SELECT number FROM document WHERE id = ?", (id,)).fetchone()
            if row is None:
                continue
            gone = self._connection.execute("DELETE FROM document WHERE number = ? AND id = ?", (*row, id)).rowcount
            if gone != 1:
                raise damaged(self._name, f"the entry of id {_show(id)}")
            self._connection.execute("INSERT INTO removed VALUES (?)", row)
            found += 1
        self._documents -= found
        return found

    def contents(self, ids: Sequence[Id]) -> dict[Id, Content]:
        """Return what tells the documents apart that are there under these ids."""
        contents = {}
        asked = f"SELECT {columns_of(self._settings).head}, body_checksum FROM document WHERE id = ?"
        for id in ids:
            columns = self._connection.execute(asked, (id,)).fetchone()
            if columns is None:
                continue
            self.reader.check_head(columns)
            number, stored_id, _, length, digest, _, _, _, body_checksum = columns
            if stored_id != id:
                raise damaged(self._name, named(number, stored_id))
            contents[id] = Content(digest, length, body_checksum)
        return contents

    def finish(self) -> None:
        """Post a tail that has become long, and write the state."""
        posted, bands = self._state.posted, self._settings.bands.bands
        tail = self._next - posted
        if tail > TAIL and _GROWTH * ENTRY * bands * tail <= self._room:  # without room it stays a tail
            post(self._connection, posted, self._next, bands, self._name)
            posted = self._next
            merge(self._connection, self._name, self._room // _GROWTH)
        self._connection.execute(
            "UPDATE state SET version = version + 1, next = ?, posted = ?, documents = ?, kind = ?",
            (self._next, posted, self._documents, self._kind),
        )


class SqliteReader(StoreReader):
    """One snapshot."""

    def __init__(self, session: Session, settings: IndexSettings, name: str) -> None:
        self.session, self._settings, self._name = session, settings, name
        self._connection = session.connection
        self._columns = columns_of(settings)
        self.state = state_of(session.connection, name)

    def version(self) -> Version:
        """Return which state this is."""
        return Version(self.state.next, self.state.documents, self.state.kind)

    def meet(self, keys: bytes, most: int) -> Met:
        """Return the documents that share a key with each query."""
        bands = self._settings.bands.bands
        tail = self._tail().meet(keys, most)
        met: dict[int, set[int]] = {}
        truncated = set(tail.truncated)
        for query, number in zip(tail.queries, tail.numbers, strict=True):
            met.setdefault(query, set()).add(number)
        for place, numbers in self._segments().meet(self._connection, memoryview(keys).cast("Q"), most).items():
            if len(numbers) > most:
                truncated.add(place // bands)
            met.setdefault(place // bands, set()).update(sorted(numbers)[:most])
        queries, found = array("I"), array("I")
        for query in sorted(met):
            queries.extend([query] * len(met[query]))
            found.extend(sorted(met[query]))
        return Met(queries, found, frozenset(truncated))

    def _segments(self) -> Segments:
        """Return the segments of this snapshot; those that the connection has seen before are not checked again."""
        version, session = self.state.version, self.session
        if session.segments is None or session.segments[0] != version:
            # Numbers of segments can come again when there was a time without any.
            segments = segments_in(self._connection, self._name)
            if session.segments is None or segments != session.segments[1].all:
                session.segments = version, Segments(segments, self._name)
            else:
                session.segments = version, session.segments[1]
        return session.segments[1]

    def _tail(self) -> Tail:
        """Return the tail of this snapshot; what the connection has read of it before is not read again."""
        tail = self.session.tail
        if tail is None or tail.first != self.state.posted or tail.next > self.state.next:
            tail = self.session.tail = Tail(self.state.posted, self._settings, self._name)
        tail.read(self._connection, self.state.next)
        return tail

    def _some(self, columns: str, numbers: Sequence[int]) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(numbers), _MANY):
            some = numbers[start : start + _MANY]
            marks = ",".join("?" * len(some))
            yield from self._connection.execute(f"SELECT {columns} FROM document WHERE number IN ({marks})", some)

    def heads(self, numbers: Sequence[int]) -> dict[int, Head]:
        """Return what is known of documents by number; those that were removed are missing."""
        heads = dict(self._checked_head(columns) for columns in self._some(self._columns.sized_head, numbers))
        missing = [number for number in numbers if number not in heads]
        for start in range(0, len(missing), _MANY):
            some = missing[start : start + _MANY]
            asked = f"SELECT number FROM removed WHERE number IN ({','.join('?' * len(some))})"
            removed = {number for (number,) in self._connection.execute(asked, some)}
            for number in some:
                if number not in removed:
                    raise damaged(self._name, named(number, None))
        return heads

    def _checked_head(self, columns: tuple[Any, ...]) -> tuple[int, Head]:
        number, id, _, _, _, _, slots, _, size = columns
        self.check_head(columns)
        return number, Head(id, slots, size or 0)

    def check_head(self, columns: tuple[Any, ...]) -> None:
        """Refuse a row whose head, which its columns begin with, is not what was written."""
        number, id, shingles, length, digest, keys, slots, expected = columns[:8]
        try:
            if checksum(id, shingles, length, digest, keys, slots) == expected:
                return
        except TypeError:  # flipped bits can change types too
            pass
        raise damaged(self._name, named(number, id))

    def bodies(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return what was kept of documents."""
        bodies = {}
        for number, id, expected, body in self._some(f"number, {ID}, {self._columns.body}", numbers):
            if not is_body(body, expected) or not is_readable(body, self._settings):
                raise damaged(self._name, named(number, id))
            bodies[number] = body
        for number in numbers:
            if number not in bodies:
                raise damaged(self._name, named(number, None))
        return bodies

    def numbers(self, ids: Sequence[Id]) -> list[int | None]:
        """Return the number of each document, None where there is no such document."""
        asked = f"SELECT {self._columns.sized_head} FROM document WHERE id = ?"
        numbers: list[int | None] = []
        for id in ids:
            if not may_be_stored(id):
                numbers.append(None)
                continue
            try:
                columns = self._connection.execute(asked, (id,)).fetchone()
            except sqlite3.DatabaseError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT:
                    raise damaged(self._name, f"the entry of id {_show(id)}") from error
                raise
            if columns is None:
                numbers.append(None)
                continue
            number, head = self._checked_head(columns)
            if head.id != id:
                raise damaged(self._name, f"the entry of id {_show(id)}")
            numbers.append(number)
        return numbers

    def _blocks(self, columns: str, after: int = -1) -> Iterator[list[tuple[Any, ...]]]:
        """Give rows, so many that the last of their columns take some bytes together; all, or as many as there are."""
        asked = f"SELECT {columns} FROM document WHERE number > ? AND number < ? ORDER BY number LIMIT {_BLOCK}"
        is_whole, documents = after < 0, 0
        while True:
            block, size = [], 0
            with closing(self._connection.execute(asked, (after, self.state.next))) as cursor:
                for row in cursor:
                    block.append(row)
                    size += len(row[-1]) if isinstance(row[-1], bytes | str) else 0
                    if size >= _BYTES:
                        break
            if not block:
                break
            if not all(after < row[0] <= LAST_NUMBER for row in (block[0], block[-1])):
                raise damaged(self._name, "the number of a document")
            yield block
            documents += len(block)
            after = block[-1][0]
        if is_whole and documents != self.state.documents:
            raise missing_documents(self._name, documents, self.state.documents)

    def slots(self) -> Iterator[tuple[array[int], bytes]]:
        """Give all documents in blocks: numbers, and their slots in one piece."""
        for block in self._blocks(self._columns.head):
            for columns in block:
                self.check_head(columns)
            yield array("I", (columns[0] for columns in block)), b"".join([columns[6] for columns in block])

    def rows(self) -> Iterator[list[tuple[int, Row]]]:
        """Give all documents in blocks."""
        for block in self._blocks(self._columns.row):
            rows = [read_row(columns, self._name) for columns in block]
            for number, row in rows:
                if not is_readable(row.body, self._settings):
                    raise damaged(self._name, named(number, row.id))
            yield rows

    def listed(self, after: int = -1) -> Iterator[tuple[int, Id]]:
        """Give numbers and ids."""
        for block in self._blocks(self._columns.head, after):
            for columns in block:
                self.check_head(columns)
                yield columns[0], columns[1]
