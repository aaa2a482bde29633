"""The store in PostgreSQL, for several machines: one row for each document, its keys in an array under a GIN index.

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
_PENDING: Final = 1 << 17
"""Documents whose keys may wait to be put into the GIN index."""
_MERGE_MEMORY: Final = "256MB"
_ABANDONED: list[object] = []
"""Connections of a parent process."""


class PostgresStore(Store):
    """Documents in a schema of a database."""

    def __init__(self, address: Address, settings: IndexSettings) -> None:
        """Take an index that is there."""
        self.name = address.name
        self.settings = settings
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
        """Let PostgreSQL reuse the room of removed rows."""
        with self._lock, server_errors(self.name):
            connection = self._connected()
            connection.autocommit = True
            connection.execute(f"VACUUM (ANALYZE) {self.table}")

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write all documents to the file of a new index."""
        copy_to_file(self, path)

    def info(self) -> dict[str, Any]:
        """Say where it is and how large."""
        with self.transaction(write=False) as connection:
            row = connection.execute("SELECT pg_total_relation_size(%s::regclass)", [self.table]).fetchone()
            version = connection.info.server_version
        return {"store": "postgresql", "url": self.name, "bytes": row[0] if row else 0, "server": version // 10000}

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._closed = True
            if self._connection is not None and self._pid == os.getpid():
                self._connection.close()
            self._connection = None

    @property
    def table(self) -> str:
        """The table of documents, to be put into a statement: the name of a schema has nothing to be quoted."""
        return f"{self._address.schema}.document"

    @property
    def key_index(self) -> str:
        """The GIN index of the keys."""
        return f"{self._address.schema}.document_keys"

    @property
    def state(self) -> str:
        """The table of the state."""
        return f"{self._address.schema}.state"


class _PostgresWriter(Writer):
    def __init__(self, store: PostgresStore, connection: psycopg.Connection[Any]) -> None:
        self._store, self._connection = store, connection
        row = connection.execute(f"SELECT next, documents, kind FROM {store.state} FOR UPDATE").fetchone()
        if row is None:
            raise DamagedError(store.name, "is damaged: the state", "run: lookalike index repair")
        self._next, self._documents, self._kind = row
        self._pending = 0

    def put(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        if self._next + len(rows) > LAST_NUMBER + 1:
            raise StoreError(self._store.name, f"has had {LAST_NUMBER + 1:,} documents", "make a new one")
        self._kind = check_rows(rows, self._kind, self._store.name)
        self._refuse_twice(rows)
        statement = f"COPY {self._store.table} ({COLUMNS}) FROM STDIN (FORMAT BINARY)"
        with self._connection.cursor() as cursor, cursor.copy(statement) as copy:
            for row in copied(self._next, rows):
                copy.write(row)
        self._next += len(rows)
        self._documents += len(rows)
        self._pending += len(rows)
        if self._pending >= _PENDING:
            self._merge_keys()

    def _refuse_twice(self, rows: Sequence[Row]) -> None:
        seen: set[Id] = set()
        for row in rows:
            if row.id in seen:
                raise DuplicateIdError(row.id)
            seen.add(row.id)
        there = self._numbers([row.id for row in rows])
        for row in rows:
            if stored(row.id) in there:
                raise DuplicateIdError(row.id, index=self._store.name)

    def _numbers(self, ids: Sequence[Id]) -> dict[bytes, int]:
        return _numbers(self._connection, self._store.table, ids)

    def discard(self, ids: Iterable[Id]) -> int:
        given = [id for id in ids if kind_of(id) == self._kind]
        numbers = list(self._numbers(given).values())
        self._connection.execute(f"DELETE FROM {self._store.table} WHERE number = ANY(%s::bigint[])", [numbers])
        self._documents -= len(numbers)
        return len(numbers)

    def contents(self, ids: Sequence[Id]) -> dict[Id, Content]:
        numbers = list(self._numbers([id for id in ids if kind_of(id) == self._kind]).values())
        asked = f"SELECT {HEAD}, body_checksum FROM {self._store.table} WHERE number = ANY(%s::bigint[])"
        found = {}
        with self._connection.cursor(binary=True) as cursor:
            for *columns, body in cursor.execute(asked, [numbers]):
                _, row, right = head_of(columns, self._kind)
                if not right:
                    raise _damaged(self._store.name, row.id)
                found[row.id] = Content(row.digest, row.length, body)
        return found

    def finish(self) -> None:
        """Write the state."""
        changed = f"UPDATE {self._store.state} SET next = %s, documents = %s, kind = %s"
        self._connection.execute(changed, [self._next, self._documents, self._kind])
        if self._pending:
            self._merge_keys()

    def _merge_keys(self) -> None:
        """Put new keys into the GIN index: sorted, so that each of its pages is written once, and queries find none
        waiting. Only the owner may; what others add is merged by the next write of the owner, or by autovacuum."""
        self._connection.execute(f"SET LOCAL maintenance_work_mem = '{_MERGE_MEMORY}'")
        self._connection.execute(
            "SELECT gin_clean_pending_list(oid) FROM pg_class"
            " WHERE oid = %s::regclass AND pg_has_role(relowner, 'USAGE')",
            [self._store.key_index],
        )
        self._pending = 0


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
        row = connection.execute(f"SELECT next, documents, kind FROM {store.state}").fetchone()
        if row is None:
            raise DamagedError(store.name, "is damaged: the state", "run: lookalike index repair")
        self._version = Version(*row)
        self._kind = self._version.kind

    def _rows(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._connection.cursor(binary=True) as cursor:
            return cursor.execute(statement, parameters).fetchall()

    def version(self) -> Version:
        return self._version

    def meet(self, keys: bytes, most: int) -> Met:
        bands = self._store.settings.bands.bands
        asked = memoryview(keys).cast("q").tolist()
        met: dict[int, set[int]] = {}
        truncated: set[int] = set()
        for start in range(0, len(asked), bands * _TOGETHER):
            some = asked[start : start + bands * _TOGETHER]
            for place, number in self._met(some, most, bands, start // bands, truncated):
                met.setdefault(start // bands + place // bands, set()).add(number)
        queries, found = array("I"), array("I")
        for query in sorted(met):
            queries.extend([query] * len(met[query]))
            found.extend(sorted(met[query]))
        return Met(queries, found, frozenset(truncated))

    def _met(
        self, keys: list[int], most: int, bands: int, first: int, truncated: set[int]
    ) -> Iterator[tuple[int, int]]:
        """Give the place of each key that a document has, and the document."""
        places: dict[int, list[int]] = {}
        for place, key in enumerate(keys):
            places.setdefault(key, []).append(place)
        together = f"SELECT number, keys FROM {self._store.table} WHERE keys && %s::bigint[] LIMIT %s"
        rows = self._rows(together, [keys, most + 1])
        if len(rows) <= most:
            for number, own in rows:
                yield from ((place, number) for key in own for place in places.get(key, ()))
            return
        # Some key may have more documents than are looked at: ask for each by itself. The sum keeps the planner from
        # walking through all numbers in their order.
        each = (
            "SELECT k.key, d.number FROM unnest(%s::bigint[]) AS k(key) CROSS JOIN LATERAL (SELECT number"
            f" FROM {self._store.table} WHERE keys @> ARRAY[k.key] ORDER BY number + 0 LIMIT %s) AS d"
        )
        counts: dict[int, int] = {}
        for key, number in self._rows(each, [list(places), most + 1]):
            counts[key] = counts.get(key, 0) + 1
            if counts[key] > most:
                truncated.update(first + place // bands for place in places[key])
                continue
            yield from ((place, number) for place in places[key])

    def heads(self, numbers: Sequence[int]) -> dict[int, Head]:
        found = {}
        asked = f"SELECT {HEAD} FROM {self._store.table} WHERE number = ANY(%s::bigint[])"
        for start in range(0, len(numbers), _BLOCK):
            for columns in self._rows(asked, [list(numbers[start : start + _BLOCK])]):
                number, row, right = head_of(columns, self._kind)
                if not right:
                    raise self._damaged(row.id)
                found[number] = Head(row.id, row.slots)
        return found

    def bodies(self, numbers: Sequence[int]) -> dict[int, bytes]:
        found = {}
        asked = f"SELECT number, id, body_checksum, body FROM {self._store.table} WHERE number = ANY(%s::bigint[])"
        for start in range(0, len(numbers), _BLOCK):
            for number, id, expected, body in self._rows(asked, [list(numbers[start : start + _BLOCK])]):
                if zlib.crc32(body) != expected:
                    raise self._damaged(id_of(id, self._kind))
                found[number] = bytes(body)
        return found

    def numbers(self, ids: Sequence[Id]) -> list[int | None]:
        given = [id for id in ids if kind_of(id) == self._kind]
        found = _numbers(self._connection, self._store.table, given)
        return [found.get(stored(id)) if kind_of(id) == self._kind else None for id in ids]

    def _blocks(self, columns: str, after: int = -1) -> Iterator[list[tuple[Any, ...]]]:
        asked = f"SELECT {columns} FROM {self._store.table} WHERE number > %s ORDER BY number LIMIT {_BLOCK}"
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
