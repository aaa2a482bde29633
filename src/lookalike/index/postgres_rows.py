"""The rows of an index in PostgreSQL: their columns, and how they are read and written inside a transaction."""

from __future__ import annotations

import struct
import zlib
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lookalike._native import entries_of
from lookalike.errors import DamagedError, DuplicateIdError, StoreError, _show
from lookalike.index.contract import (
    DIGEST,
    LAST_NUMBER,
    Content,
    Head,
    Met,
    Row,
    StoreReader,
    StoreWriter,
    Version,
    check_rows,
    is_readable,
    kind_of,
    may_be_stored,
    missing_documents,
)
from lookalike.index.postgres_postings import (
    COPY_BEGIN,
    COPY_END,
    RECENT,
    add_recent,
    add_segment,
    damaged,
    meet,
    merge,
    post_recent,
    state_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import psycopg

    from lookalike.index.postgres_store import PostgresStore
    from lookalike.tables.packed import Id

__all__ = [
    "COLUMNS",
    "HEAD",
    "PostgresReader",
    "PostgresWriter",
    "checked_rows",
    "copied",
    "head_of",
    "id_of",
    "stored",
    "values_of",
]

# -- columns -----------------------------------------------------------------------------------------------------------

HEAD: Final = "number, id, shingles, length, digest, keys, slots, checksum"
COLUMNS: Final = f"{HEAD}, body_checksum, body"

_INT8: Final = 20
"""The type of the elements of an array, as PostgreSQL numbers types."""
_FIRST: Final = struct.Struct(">hiqi")  # ten columns, the number, and the length of the id
_MIDDLE: Final = struct.Struct(">iqiqi")
_LAST: Final = struct.Struct(">iqiqi")


def id_of(stored: bytes, kind: str) -> Id:
    """Return an id from what is stored; numbers are stored in decimal."""
    text = bytes(stored).decode("utf-8", "replace")
    try:
        return int(text) if kind == "int" else text
    except ValueError:  # damaged: the checksum of its row will say so
        return text


def stored(id: Id) -> bytes:
    """Return an id as it is stored."""
    return str(id).encode("utf-8")


def values_of(number: int, row: Row) -> tuple[Any, ...]:
    """Return the columns of a row."""
    keys = memoryview(row.keys).cast("q").tolist()
    head = (number, stored(row.id), row.shingles, row.length, row.digest, keys, row.slots)
    return (*head, row.checksum(), zlib.crc32(row.body), row.body)


def head_of(found: Sequence[Any], kind: str) -> tuple[int, Row, bool]:
    """Return a row without its body from its columns, and whether its checksum is right."""
    number, id, shingles, length, digest, keys, slots, expected = found
    row = Row(id_of(id, kind), shingles, length, bytes(digest), array("q", keys).tobytes(), bytes(slots), b"")
    return number, row, row.checksum() == expected


def copied(first: int, rows: Sequence[Row]) -> Iterator[bytes]:
    """Give rows, numbered from `first` on, as COPY takes them in binary.

    The driver could do it from `values_of`, but turns arrays into bytes number by number, which takes longer than all
    else that is done here for a row.
    """
    bands = len(rows[0].keys) // 8
    array_of = struct.Struct(">6i" + "iq" * bands)
    keys: list[int] = [20 + 12 * bands, 1, 0, _INT8, bands, 1] + [8] * (2 * bands)
    yield COPY_BEGIN
    for number, row in enumerate(rows, first):
        id = stored(row.id)
        keys[7::2] = memoryview(row.keys).cast("q").tolist()
        yield b"".join(
            (
                _FIRST.pack(10, 8, number, len(id)),
                id,
                _MIDDLE.pack(8, row.shingles, 8, row.length, len(row.digest)),
                row.digest,
                array_of.pack(*keys),
                len(row.slots).to_bytes(4, "big"),
                row.slots,
                _LAST.pack(8, row.checksum(), 8, zlib.crc32(row.body), len(row.body)),
                row.body,
            )
        )
    yield COPY_END


def row_of(found: Sequence[Any], kind: str) -> tuple[int, Row, bool]:
    """Return a row from its columns, and whether its checksums are right."""
    *head, expected, body = found
    number, row, right = head_of(head, kind)
    return number, replace(row, body=bytes(body)), right and zlib.crc32(body) == expected


# -- writing and reading -----------------------------------------------------------------------------------------------

_BLOCK: Final = 1000
_TOGETHER: Final = 16
"""Queries whose keys are looked up at once."""
_PORTION: Final = 1 << 17
"""Documents whose keys are sorted at once."""


class PostgresWriter(StoreWriter):
    """One transaction."""

    def __init__(self, store: PostgresStore, connection: psycopg.Connection[Any]) -> None:
        self._name, self._places, self._connection = store.name, store.places, connection
        self._state = state_of(connection, store.places, lock=True)
        self.reader = PostgresReader(store, connection)
        self._numbers, self._keys = array("I"), bytearray()  # of documents that have no postings yet
        self._gone: set[int] = set()

    def put(self, rows: Sequence[Row]) -> None:
        """Add documents; `DuplicateIdError` if one is there."""
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
        possible = [id for id in ids if may_be_stored(id) and kind_of(id) == self._state.kind]
        return _numbers(self._connection, self._places.document, possible)

    def discard(self, ids: Iterable[Id]) -> int:
        """Remove documents; returns how many there were."""
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
        """Return what tells the documents apart that are there under these ids."""
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


class PostgresReader(StoreReader):
    """One snapshot."""

    def __init__(self, store: PostgresStore, connection: psycopg.Connection[Any]) -> None:
        self._store, self._connection = store, connection
        self._table = store.places.document
        self._state = state_of(connection, store.places)
        self._kind = self._state.kind

    def _rows(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        with self._connection.cursor(binary=True) as cursor:
            return cursor.execute(statement, parameters).fetchall()

    def version(self) -> Version:
        """Return which state this is."""
        return Version(self._state.next, self._state.documents, self._kind)

    def meet(self, keys: bytes, most: int) -> Met:
        """Return the documents that share a key with each query."""
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
        """Return what is known of documents by number; those that were removed are missing."""
        heads: dict[int, Head] = {}
        for start in range(0, len(numbers), _BLOCK):
            some = list(numbers[start : start + _BLOCK])
            asked = self._asked(f"{HEAD}, octet_length(body)")
            heads.update(self._checked_head(columns) for columns in self._rows(asked, [some]))
            missing = [number for number in some if number not in heads]
            asked = f"SELECT number FROM {self._store.places.removed} WHERE number = ANY(%s::bigint[])"
            removed = {number for (number,) in self._rows(asked, [missing])} if missing else set()
            if lost := [number for number in missing if number not in removed]:
                raise damaged(self._store.places, f"document number {lost[0]}")
        return heads

    def _asked(self, columns: str) -> str:
        return f"SELECT {columns} FROM {self._table} WHERE number = ANY(%s::bigint[])"

    def _checked_head(self, columns: Sequence[Any]) -> tuple[int, Head]:
        number, row, right = head_of(columns[:8], self._kind)
        if not right:
            raise self._damaged(row.id)
        return number, Head(row.id, row.slots, columns[8] if len(columns) > 8 else 0)

    def bodies(self, numbers: Sequence[int]) -> dict[int, bytes]:
        """Return what was kept of documents."""
        bodies: dict[int, bytes] = {}
        for start in range(0, len(numbers), _BLOCK):
            some = list(numbers[start : start + _BLOCK])
            for number, id, expected, content in self._rows(self._asked("number, id, body_checksum, body"), [some]):
                body = bytes(content)
                if zlib.crc32(body) != expected or not is_readable(body, self._store.settings):
                    raise self._damaged(id_of(id, self._kind))
                bodies[number] = body
            if lost := [number for number in some if number not in bodies]:
                raise damaged(self._store.places, f"document number {lost[0]}")
        return bodies

    def numbers(self, ids: Sequence[Id]) -> list[int | None]:
        """Return the number of each document, None where there is no such document."""
        possible = {id for id in ids if may_be_stored(id) and kind_of(id) == self._kind}
        numbers = _numbers(self._connection, self._table, list(possible))
        self.heads(list(numbers.values()))
        return [numbers.get(stored(id)) if id in possible else None for id in ids]

    def _blocks(self, columns: str, after: int = -1) -> Iterator[list[tuple[Any, ...]]]:
        """Give rows; all, or as many as there are."""
        asked = f"SELECT {columns} FROM {self._table} WHERE number > %s AND number < %s ORDER BY number LIMIT {_BLOCK}"
        is_whole, documents = after < 0, 0
        while block := self._rows(asked, [after, self._state.next]):
            yield block
            documents += len(block)
            after = block[-1][0]
        if is_whole and documents != self._state.documents:
            raise missing_documents(self._store.name, documents, self._state.documents)

    def slots(self) -> Iterator[tuple[array[int], bytes]]:
        """Give all documents in blocks: numbers, and their slots in one piece."""
        for block in self._blocks(HEAD):
            heads = [self._checked_head(columns) for columns in block]
            yield array("I", (number for number, _ in heads)), b"".join(head.slots for _, head in heads)

    def rows(self) -> Iterator[list[tuple[int, Row]]]:
        """Give all documents in blocks."""
        for block in self._blocks(COLUMNS):
            rows = []
            for columns in block:
                number, row, right = row_of(columns, self._kind)
                if not right or not is_readable(row.body, self._store.settings):
                    raise self._damaged(row.id)
                rows.append((number, row))
            yield rows

    def listed(self, after: int = -1) -> Iterator[tuple[int, Id]]:
        """Give numbers and ids."""
        for block in self._blocks(HEAD, after):
            for columns in block:
                number, head = self._checked_head(columns)
                yield number, head.id

    def _damaged(self, id: Id) -> DamagedError:
        return _damaged(self._store.name, id)


def _damaged(name: str, id: Id) -> DamagedError:
    return DamagedError(name, f"is damaged: document {_show(id)}", "run: lookalike index repair")


def checked_rows(
    connection: psycopg.Connection[Any], store: PostgresStore, kind: str
) -> Iterator[tuple[int, Row, bool, int]]:
    """Give every row with whether it is right, and the checksum that its body should have."""
    settings = store.settings
    sizes = (DIGEST, 8 * settings.bands.bands, settings.recipe.hashes)
    asked = f"SELECT {COLUMNS} FROM {store.places.document} WHERE number > %s ORDER BY number LIMIT {_BLOCK}"
    after = -(2**62)
    with connection.cursor(binary=True) as cursor:
        while block := cursor.execute(asked, [after]).fetchall():
            for found in block:
                number, row, right = row_of(found, kind)
                yield number, row, right and (len(row.digest), len(row.keys), len(row.slots)) == sizes, found[8]
            after = block[-1][0]
