"""The store in PostgreSQL, for several machines: one row for each document, and sorted postings of their keys.

Each index has a schema of its own. Transactions, locks and what survives a crash are PostgreSQL's. Writers take turns,
so numbers rise in the order in which documents become visible.
"""

from __future__ import annotations

import os
import threading
import zlib
from array import array
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from lookalike._native import entries_of
from lookalike.errors import DamagedError, DuplicateIdError, StoreError, _show
from lookalike.index.contract import (
    LAST_NUMBER,
    Check,
    Content,
    Head,
    Met,
    Reader,
    Row,
    Store,
    Version,
    Writer,
    check_rows,
    kind_of,
)
from lookalike.index.copying import copy_to_file
from lookalike.index.postgres_postings import (
    RECENT,
    Places,
    add_recent,
    add_segment,
    meet,
    merge,
    post_recent,
    state_of,
)
from lookalike.index.postgres_rows import COLUMNS, HEAD, copied, head_of, id_of, row_of, stored
from lookalike.index.postgres_server import Address, connect, create_schema, read_settings, server_errors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import psycopg

    from lookalike.index.settings import IndexSettings
    from lookalike.tables.packed import Id

__all__ = ["PostgresStore"]

_BLOCK: Final = 1000
_TOGETHER: Final = 16
"""Queries whose keys are looked up at once."""
_PORTION: Final = 1 << 17
"""Documents whose keys are sorted at once."""
_SESSION: Final = "SET enable_seqscan = off; SET jit = off"
"""Tables that were small when a statement was planned may be large when it is executed."""
_ABANDONED: list[object] = []
"""Connections of a parent process."""


class PostgresStore(Store):
    """Documents in a schema of a database."""

    def __init__(self, address: Address, settings: IndexSettings) -> None:
        """Take an index that is there."""
        self.name = address.name
        self.settings = settings
        self.places = Places.of(address.schema, address.name, settings.bands.bands)
        self._address = address
        self._connection: psycopg.Connection[Any] | None = None
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._closed = False

    @classmethod
    def open_or_create(
        cls, url: str, create: bool | None, chosen: Callable[[], IndexSettings]
    ) -> tuple[PostgresStore, bool]:
        """Open an index, or create it; returns also whether it is new."""
        address = Address.of(url)
        with server_errors(address.name), connect(address) as connection:
            there = read_settings(connection, address)
            if create is True and there is not None:
                raise StoreError(address.name, "exists already", "give another schema, or open it with create=False")
            if create is False and there is None:
                raise StoreError(address.name, "does not exist", "check the name, or create it with create=True")
            if there is not None:
                return cls(address, there), False
            settings = chosen()
            if create_schema(connection, address, settings):
                return cls(address, settings), True
            there = read_settings(connection, address)  # somebody was quicker
        if there is None or create is True:
            raise StoreError(address.name, "exists already", "give another schema, or open it with create=False")
        return cls(address, there), False

    # -- connection --------------------------------------------------------------------------------------------------

    def _connected(self) -> psycopg.Connection[Any]:
        if self._closed:
            raise StoreError(self.name, "is closed", "open it again")
        if self._connection is None or self._connection.closed:
            self._connection = connect(self._address)
            self._connection.execute(_SESSION)
        return self._connection

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[psycopg.Connection[Any]]:
        """Run a block in a transaction: a snapshot, or alone among writers."""
        if self._pid != os.getpid():  # a child of a fork has its own connection
            _ABANDONED.append(self._connection)
            self._connection, self._lock, self._pid = None, threading.RLock(), os.getpid()
        with self._lock, server_errors(self.name):
            connection = self._connected()
            if connection.info.transaction_status != 0:  # inside another block of this thread
                yield connection
                return
            with connection.transaction():
                level = "READ COMMITTED READ WRITE" if write else "REPEATABLE READ READ ONLY"
                connection.execute(f"SET TRANSACTION ISOLATION LEVEL {level}")
                yield connection

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        """Read a snapshot."""
        with self.transaction(write=False) as connection:
            yield _PostgresReader(self, connection)

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """Write when no other writer does."""
        with self.transaction(write=True) as connection:
            writer = _PostgresWriter(self, connection)
            yield writer
            writer.finish()

    # -- keeping -----------------------------------------------------------------------------------------------------

    def verify(self) -> Check:
        """Look at every row."""
        from lookalike.index.postgres_check import verify

        return verify(self)

    def repair(self) -> Check:
        """Repair rows from their texts, and rebuild the indexes."""
        from lookalike.index.postgres_check import repair

        return repair(self)

    def compact(self) -> None:
        """Merge all postings, and let PostgreSQL reuse the room of removed rows."""
        with self.transaction(write=True) as connection:
            state = state_of(connection, self.places, lock=True)
            post_recent(connection, self.places, state)
            merge(connection, self.places, state, all_of_them=True)
            state.write(connection, self.places)
        with self._lock, server_errors(self.name):
            connection = self._connected()
            connection.autocommit = True
            for table in (self.places.document, self.places.recent, self.places.posting, self.places.removed):
                connection.execute(f"VACUUM (ANALYZE) {table}")

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write all documents to the file of a new index."""
        copy_to_file(self, path)

    def info(self) -> dict[str, Any]:
        """Say where it is and how large."""
        with self.transaction(write=False) as connection:
            tables = [self.places.document, self.places.recent, self.places.posting, self.places.removed]
            asked = "SELECT sum(pg_total_relation_size(t::regclass))::bigint FROM unnest(%s::text[]) AS t"
            row = connection.execute(asked, [tables]).fetchone()
            state = state_of(connection, self.places)
            version = connection.info.server_version
        return {
            "store": "postgresql",
            "url": self.name,
            "bytes": row[0] if row else 0,
            "segments": len(state.segments),
            "tail": state.recent,
            "server": version // 10000,
        }

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._closed = True
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
            self._connection = None


class _PostgresWriter(Writer):
    def __init__(self, store: PostgresStore, connection: psycopg.Connection[Any]) -> None:
        self._name, self._places, self._connection = store.name, store.places, connection
        self._state = state_of(connection, store.places, lock=True)
        self._numbers, self._keys = array("I"), bytearray()  # of documents that have no postings yet
        self._gone: set[int] = set()

    def put(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        state = self._state
        if state.next + len(rows) > LAST_NUMBER + 1:
            raise StoreError(self._name, f"has had {LAST_NUMBER + 1:,} documents", "make a new one")
        state.kind = check_rows(rows, state.kind, self._name)
        self._refuse_twice(rows)
        statement = f"COPY {self._places.document} ({COLUMNS}) FROM STDIN (FORMAT BINARY)"
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            for piece in copied(state.next, rows):
                copy.write(piece)
        self._numbers.extend(range(state.next, state.next + len(rows)))
        for row in rows:
            self._keys += row.keys
        state.next += len(rows)
        state.documents += len(rows)
        if len(self._numbers) >= _PORTION:
            self._post()

    def _refuse_twice(self, rows: Sequence[Row]) -> None:
        seen: set[Id] = set()
        for row in rows:
            if row.id in seen:
                raise DuplicateIdError(row.id)
            seen.add(row.id)
        if not self._state.documents:
            return
        there = self._there([row.id for row in rows])
        for row in rows:
            if stored(row.id) in there:
                raise DuplicateIdError(row.id, index=self._name)

    def _there(self, ids: Iterable[Id]) -> dict[bytes, int]:
        given = [id for id in ids if kind_of(id) == self._state.kind]
        return _numbers(self._connection, self._places.document, given)

    def discard(self, ids: Iterable[Id]) -> int:
        numbers = list(self._there(ids).values())
        if not numbers:
            return 0
        places, execute = self._places, self._connection.execute
        execute(f"DELETE FROM {places.document} WHERE number = ANY(%s::bigint[])", [numbers])
        taken = f"DELETE FROM {places.recent} WHERE number = ANY(%s::bigint[]) RETURNING number"
        recent = {number for (number,) in execute(taken, [numbers])}
        gone = [number for number in numbers if number not in recent]
        execute(f"INSERT INTO {places.removed} SELECT unnest(%s::bigint[])", [gone])
        self._gone.update(gone)
        self._state.recent -= len(recent)
        self._state.documents -= len(numbers)
        return len(numbers)

    def contents(self, ids: Sequence[Id]) -> dict[Id, Content]:
        numbers = list(self._there(ids).values())
        asked = f"SELECT {HEAD}, body_checksum FROM {self._places.document} WHERE number = ANY(%s::bigint[])"
        found = {}
        with self._connection.cursor(binary=True) as cursor:
            for *columns, body in cursor.execute(asked, [numbers]):
                _, row, right = head_of(columns, self._state.kind)
                if not right:
                    raise _damaged(self._name, row.id)
                found[row.id] = Content(row.digest, row.length, body)
        return found

    def finish(self) -> None:
        """Put the keys of new documents into postings, and write the state."""
        places, state = self._places, self._state
        if state.recent + len(self._numbers) > RECENT:
            post_recent(self._connection, places, state)
            self._post()
        elif self._numbers:
            state.recent += add_recent(self._connection, places, self._numbers, bytes(self._keys), self._gone)
        merge(self._connection, places, state)
        state.write(self._connection, places)

    def _post(self) -> None:
        """Make a segment of the documents that have no postings yet."""
        entries = entries_of(self._numbers.tobytes(), bytes(self._keys), self._places.bands)
        add_segment(self._connection, self._places, self._state, [entries])
        self._numbers, self._keys = array("I"), bytearray()


def _numbers(connection: psycopg.Connection[Any], table: str, ids: Sequence[Id]) -> dict[bytes, int]:
    """Return the numbers of documents by their ids, as far as they are there."""
    found: dict[bytes, int] = {}
    asked = (
        f"SELECT d.id, d.number FROM unnest(%s::bytea[]) AS g(id) JOIN {table} AS d"
        " ON sha256(d.id) = sha256(g.id) AND d.id = g.id"
    )
    for start in range(0, len(ids), _BLOCK):
        given = [stored(id) for id in ids[start : start + _BLOCK]]
        with connection.cursor(binary=True) as cursor:
            found.update((bytes(id), number) for id, number in cursor.execute(asked, [given]))
    return found


class _PostgresReader(Reader):
    def __init__(self, store: PostgresStore, connection: psycopg.Connection[Any]) -> None:
        self._store, self._connection = store, connection
        self._table = store.places.document
        self._state = state_of(connection, store.places)
        self._kind = self._state.kind

    def _rows(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._connection.cursor(binary=True) as cursor:
            return cursor.execute(statement, parameters).fetchall()

    def version(self) -> Version:
        return Version(self._state.next, self._state.documents, self._kind)

    def meet(self, keys: bytes, most: int) -> Met:
        bands = self._store.settings.bands.bands
        asked = memoryview(keys).cast("Q").tolist()
        met: dict[int, set[int]] = {}
        truncated: set[int] = set()
        for start in range(0, len(asked), bands * _TOGETHER):
            some = asked[start : start + bands * _TOGETHER]
            for place, numbers in meet(self._connection, self._store.places, self._state, some, most).items():
                query = (start + place) // bands
                if len(numbers) > most:
                    truncated.add(query)
                met.setdefault(query, set()).update(numbers[:most])
        queries, found = array("I"), array("I")
        for query in sorted(met):
            queries.extend([query] * len(met[query]))
            found.extend(sorted(met[query]))
        return Met(queries, found, frozenset(truncated))

    def heads(self, numbers: Sequence[int]) -> dict[int, Head]:
        found = {}
        asked = f"SELECT {HEAD} FROM {self._table} WHERE number = ANY(%s::bigint[])"
        for start in range(0, len(numbers), _BLOCK):
            for columns in self._rows(asked, [list(numbers[start : start + _BLOCK])]):
                number, row, right = head_of(columns, self._kind)
                if not right:
                    raise self._damaged(row.id)
                found[number] = Head(row.id, row.slots)
        return found

    def bodies(self, numbers: Sequence[int]) -> dict[int, bytes]:
        found = {}
        asked = f"SELECT number, id, body_checksum, body FROM {self._table} WHERE number = ANY(%s::bigint[])"
        for start in range(0, len(numbers), _BLOCK):
            for number, id, expected, body in self._rows(asked, [list(numbers[start : start + _BLOCK])]):
                if zlib.crc32(body) != expected:
                    raise self._damaged(id_of(id, self._kind))
                found[number] = bytes(body)
        return found

    def numbers(self, ids: Sequence[Id]) -> list[int | None]:
        given = [id for id in ids if kind_of(id) == self._kind]
        found = _numbers(self._connection, self._table, given)
        return [found.get(stored(id)) if kind_of(id) == self._kind else None for id in ids]

    def _blocks(self, columns: str, after: int = -1) -> Iterator[list[tuple[Any, ...]]]:
        asked = f"SELECT {columns} FROM {self._table} WHERE number > %s ORDER BY number LIMIT {_BLOCK}"
        while block := self._rows(asked, [after]):
            yield block
            after = block[-1][0]

    def slots(self) -> Iterator[tuple[array[int], bytes]]:
        for block in self._blocks("number, slots"):
            yield array("I", (number for number, _ in block)), b"".join(bytes(slots) for _, slots in block)

    def rows(self) -> Iterator[list[tuple[int, Row]]]:
        for block in self._blocks(COLUMNS):
            rows = []
            for found in block:
                number, row, right = row_of(found, self._kind)
                if not right:
                    raise self._damaged(row.id)
                rows.append((number, row))
            yield rows

    def listed(self, after: int = -1) -> Iterator[tuple[int, Id]]:
        for block in self._blocks("number, id", after):
            yield from ((number, id_of(id, self._kind)) for number, id in block)

    def _damaged(self, id: Id) -> DamagedError:
        return _damaged(self._store.name, id)


def _damaged(name: str, id: Id) -> DamagedError:
    return DamagedError(name, f"is damaged: document {_show(id)}", "run: lookalike index repair")
