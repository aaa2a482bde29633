"""Which documents have a key, in PostgreSQL.

The keys of the newest documents are in the table `recent`, an array for each under a GIN index. When there are many,
their entries are sorted and become a *segment*: blocks of entries that never change, as in the file of an index. A
block is a row, found by its first key. Segments are merged when there are several.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike._native import entries_of, merge_entries, numbers_in
from lookalike.errors import DamagedError
from lookalike.index.contract import LAST_NUMBER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import psycopg

__all__ = [
    "COPY_BEGIN",
    "COPY_END",
    "RECENT",
    "Places",
    "PostgresState",
    "add_recent",
    "add_segment",
    "damaged",
    "expected_between",
    "has_its_postings",
    "meet",
    "merge",
    "post_recent",
    "state_of",
    "windows_of",
]

RECENT: Final = 8192
"""Documents that may be in `recent`."""
MOST_SEGMENTS: Final = 4
WINDOW: Final = 1 << 22
"""Entries that a merge holds at a time."""
ENTRY: Final = 12
_PER_BLOCK: Final = 64
"""Entries of a block: a query reads one for each key and segment."""
_BLOCK: Final = 2048
_MIDDLE: Final = 1 << 63
"""What is taken from a key, so that keys without a sign are in the order of PostgreSQL's numbers."""
COPY_BEGIN: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
COPY_END: Final = b"\xff\xff"
"""What COPY in binary begins and ends with."""
_COPIED: Final = struct.Struct(">hiqiqiqiqi")  # five columns: four numbers, and the length of the entries

_FIND: Final = """
SELECT k.place - 1, s.segment, p.first, p.checksum, p.entries
FROM unnest(%s::bigint[]) WITH ORDINALITY AS k(key, place)
CROSS JOIN unnest(%s::bigint[]) AS s(segment)
CROSS JOIN LATERAL (
  SELECT first, checksum, entries FROM {posting} WHERE segment = s.segment AND first <= k.key
  ORDER BY segment DESC, first DESC, number DESC LIMIT 1) AS p"""
_FIND_LONG: Final = """
SELECT w.place, w.segment, p.first, p.checksum, p.entries
FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[]) AS w(place, segment, key)
CROSS JOIN LATERAL (
  (SELECT first, checksum, entries FROM {posting} WHERE segment = w.segment AND first < w.key
   ORDER BY segment DESC, first DESC, number DESC LIMIT 1)
  UNION ALL
  (SELECT first, checksum, entries FROM {posting} WHERE segment = w.segment AND first = w.key
   ORDER BY segment, first, number LIMIT %s)) AS p"""
_BETWEEN: Final = """
SELECT first, checksum, entries FROM {posting}
WHERE segment = %(segment)s AND first <= %(greatest)s AND first >= coalesce(
  (SELECT max(first) FROM {posting} WHERE segment = %(segment)s AND first < %(least)s), %(least)s)
ORDER BY segment, first, number"""


class Places(NamedTuple):
    """The tables of an index, to be put into statements: the name of a schema has nothing to be quoted."""

    name: str
    """What to call the index in a message."""
    document: str
    state: str
    recent: str
    posting: str
    removed: str
    bands: int

    @classmethod
    def of(cls, schema: str, name: str, bands: int) -> Places:
        """Name those of a schema."""
        document, state, recent, posting, removed = (
            f"{schema}.{table}" for table in ("document", "state", "recent", "posting", "removed")
        )
        return cls(name, document, state, recent, posting, removed, bands)


@dataclass(slots=True)
class PostgresState:
    """The row of `state`."""

    next: int
    """The number of the next document."""
    documents: int
    kind: str
    """What ids are: none so far, int, or str."""
    recent: int = 0
    """Rows of `recent`."""
    segments: list[int] = field(default_factory=list)
    entries: list[int] = field(default_factory=list)
    """How many entries each segment has."""

    def write(self, connection: psycopg.Connection[Any], places: Places) -> None:
        """Put it into the place of the one that is there."""
        columns = "next = %s, documents = %s, kind = %s, recent = %s, segments = %s, entries = %s"
        values = [self.next, self.documents, self.kind, self.recent, self.segments, self.entries]
        connection.execute(f"UPDATE {places.state} SET {columns}", values)


def state_of(connection: psycopg.Connection[Any], places: Places, *, lock: bool = False) -> PostgresState:
    """Read the state; it cannot be missing. With a lock, no other writer goes on before this one has ended."""
    asked = f"SELECT next, documents, kind, recent, segments, entries FROM {places.state}"
    row = connection.execute(asked + (" FOR UPDATE" if lock else "")).fetchone()
    if row is None or len(row[4]) != len(row[5]) or not 0 <= row[1] <= row[0] <= LAST_NUMBER + 1:
        raise damaged(places, "the state")
    return PostgresState(*row)


def damaged(places: Places, what: str) -> DamagedError:
    """Return the error about something that is not what was written."""
    return DamagedError(places.name, f"is damaged: {what}", "run: lookalike index repair")


def _rows(connection: psycopg.Connection[Any], statement: str, parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor(binary=True) as cursor:
        return cursor.execute(statement, parameters).fetchall()


# -- asking -----------------------------------------------------------------------------------------------------------


def meet(
    connection: psycopg.Connection[Any], places: Places, state: PostgresState, keys: Sequence[int], most: int
) -> dict[int, list[int]]:
    """Return the documents of each key that is there, by its place, ascending; some may be more than `most`."""
    met: dict[int, list[int]] = {}
    if state.segments:
        ordered = [key - _MIDDLE for key in keys]
        rows = _rows(connection, _FIND.format(posting=places.posting), [ordered, state.segments])
        long = [row for row in rows if row[2] == ordered[row[0]]]  # other blocks may have this key too
        if long:
            rows = [row for row in rows if row[2] != ordered[row[0]]]
            wanted = [[row[0] for row in long], [row[1] for row in long], [row[2] for row in long]]
            found = _FIND_LONG.format(posting=places.posting)
            rows += _rows(connection, found, [*wanted, most // _PER_BLOCK + 2])
        blocks = [_block(places, *row[1:]) for row in rows]
        which, numbers = numbers_in(blocks, array("Q", (keys[row[0]] for row in rows)).tobytes())
        for one, number in zip(array("I", which), array("I", numbers), strict=True):
            met.setdefault(rows[one][0], []).append(number)
    if state.recent:
        _meet_recent(connection, places, keys, met)
    for numbers_of_key in met.values():
        numbers_of_key.sort()
    return met


def _meet_recent(
    connection: psycopg.Connection[Any], places: Places, keys: Sequence[int], met: dict[int, list[int]]
) -> None:
    asked: dict[int, list[int]] = {}
    for place, key in enumerate(array("q", array("Q", keys).tobytes())):
        asked.setdefault(key, []).append(place)
    statement = f"SELECT number, keys FROM {places.recent} WHERE keys && %s::bigint[]"
    for number, own in _rows(connection, statement, [list(asked)]):
        for key in own:
            for place in asked.get(key, ()):
                met.setdefault(place, []).append(number)


def _block(places: Places, segment: int, first: int, expected: int, entries: bytes) -> bytes:
    own = int.from_bytes(entries[:8], "little") - _MIDDLE
    if own != first or zlib.crc32(entries, segment & 0xFFFFFFFF) != expected:
        raise damaged(places, f"a block of segment {segment}")
    return bytes(entries)


# -- writing ----------------------------------------------------------------------------------------------------------


def add_recent(
    connection: psycopg.Connection[Any], places: Places, numbers: Sequence[int], keys: bytes, gone: set[int]
) -> int:
    """Put the keys of documents into `recent`, but for those that are gone again; returns how many."""
    each = memoryview(keys).cast("q")
    rows = [
        (number, each[place * places.bands : (place + 1) * places.bands].tolist())
        for place, number in enumerate(numbers)
        if number not in gone
    ]
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {places.recent} VALUES (%s, %s::bigint[])", rows)
    return len(rows)


def post_recent(connection: psycopg.Connection[Any], places: Places, state: PostgresState) -> None:
    """Make a segment of the documents in `recent`."""
    if not state.recent:
        return
    taken = f"DELETE FROM {places.recent} RETURNING number, keys"
    rows = sorted(_rows(connection, taken, []))
    numbers = array("I", (number for number, _ in rows))
    keys = array("q", (key for _, own in rows for key in own)).tobytes()
    add_segment(connection, places, state, [entries_of(numbers.tobytes(), keys, places.bands)])
    state.recent = 0


def add_segment(
    connection: psycopg.Connection[Any], places: Places, state: PostgresState, runs: Iterable[bytes]
) -> None:
    """Write a segment; the runs of entries are sorted, and follow each other."""
    number, entries, left = max(state.segments, default=0) + 1, 0, b""
    for run in runs:
        left += run
        whole = len(left) - len(left) % (_PER_BLOCK * ENTRY)
        _copy_blocks(connection, places, number, left[:whole])
        entries += whole // ENTRY
        left = left[whole:]
    _copy_blocks(connection, places, number, left)
    entries += len(left) // ENTRY
    if entries:
        state.segments.append(number)
        state.entries.append(entries)


def _copy_blocks(connection: psycopg.Connection[Any], places: Places, segment: int, entries: bytes) -> None:
    if not entries:
        return
    statement = f"COPY {places.posting} (segment, first, number, checksum, entries) FROM STDIN (FORMAT BINARY)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.write(b"".join((COPY_BEGIN, *_copied(segment, entries), COPY_END)))


def _copied(segment: int, entries: bytes) -> Iterator[bytes]:
    size = _PER_BLOCK * ENTRY
    for place in range(0, len(entries), size):
        block = entries[place : place + size]
        first = int.from_bytes(block[:8], "little") - _MIDDLE
        number = int.from_bytes(block[8:ENTRY], "little")
        checksum = zlib.crc32(block, segment & 0xFFFFFFFF)
        yield _COPIED.pack(5, 8, segment, 8, first, 8, number, 8, checksum, len(block))
        yield block


def merge(
    connection: psycopg.Connection[Any], places: Places, state: PostgresState, *, all_of_them: bool = False
) -> None:
    """Merge the small segments into one if there are many, or all; removed documents leave those that are merged."""
    if not all_of_them and len(state.segments) <= MOST_SEGMENTS:
        return
    removed = removed_in(connection, places)
    by_size = sorted(zip(state.entries, state.segments, strict=True))
    if all_of_them and len(by_size) <= 1 and not removed:
        return
    merged = {segment for _, segment in (by_size if all_of_them else by_size[:-1])}
    sizes = [entries for entries, segment in by_size if segment in merged]
    if merged:
        add_segment(connection, places, state, _merged(connection, places, merged, sum(sizes), removed))
        connection.execute(f"DELETE FROM {places.posting} WHERE segment = ANY(%s::bigint[])", [list(merged)])
        stay = [segment not in merged for segment in state.segments]
        state.segments, state.entries = list(compress(state.segments, stay)), list(compress(state.entries, stay))
    if all_of_them:
        connection.execute(f"DELETE FROM {places.removed}")


def removed_in(connection: psycopg.Connection[Any], places: Places) -> array[int]:
    """Return the numbers of removed documents that segments may still have, ascending."""
    return array("I", (row[0] for row in _rows(connection, f"SELECT number FROM {places.removed} ORDER BY number", [])))


def _merged(
    connection: psycopg.Connection[Any], places: Places, segments: Iterable[int], entries: int, removed: array[int]
) -> Iterator[bytes]:
    for ends in windows_of(entries):
        yield merge_entries(between(connection, places, segments, *ends), *ends, removed.tobytes())


def windows_of(entries: int) -> Iterator[tuple[int, int]]:
    """Split the keys into windows: hashes are spread evenly, so the windows are equally full."""
    windows = max(1, entries // WINDOW)
    for window in range(windows):
        yield window * 2**64 // windows, (window + 1) * 2**64 // windows - 1


def between(
    connection: psycopg.Connection[Any], places: Places, segments: Iterable[int], least: int, greatest: int
) -> list[bytes]:
    """Return the blocks of segments that may have keys between two."""
    parts = []
    for segment in segments:
        asked = {"segment": segment, "least": least - _MIDDLE, "greatest": greatest - _MIDDLE}
        rows = _rows(connection, _BETWEEN.format(posting=places.posting), asked)
        parts += [_block(places, segment, *row) for row in rows]
    return parts


def expected_between(connection: psycopg.Connection[Any], places: Places, least: int, greatest: int) -> bytes:
    """Return the entries that documents outside `recent` should have, with keys between two."""
    asked = (
        f"SELECT number, keys FROM {places.document} WHERE number > %s"
        f" AND number NOT IN (SELECT number FROM {places.recent}) ORDER BY number LIMIT {_BLOCK}"
    )
    parts, after = [], -(2**62)
    while block := _rows(connection, asked, [after]):
        numbers = array("I", (number for number, _ in block))
        keys = array("q", (key for _, own in block for key in own)).tobytes()
        parts.append(merge_entries([entries_of(numbers.tobytes(), keys, places.bands)], least, greatest, b""))
        after = block[-1][0]
    return merge_entries(parts, least, greatest, b"")


def has_its_postings(connection: psycopg.Connection[Any], places: Places, state: PostgresState) -> bool:
    """Tell whether every key of every document is where queries look for it, and no other."""
    wrong = (
        f"SELECT count(*), count(*) FILTER (WHERE d.keys IS DISTINCT FROM r.keys) FROM {places.recent} AS r"
        f" LEFT JOIN {places.document} AS d USING (number)"
    )
    if connection.execute(wrong).fetchone() != (state.recent, 0):
        return False
    in_segments = connection.execute(f"SELECT DISTINCT segment FROM {places.posting}").fetchall()
    if {segment for (segment,) in in_segments} != set(state.segments):
        return False
    removed, entries = removed_in(connection, places).tobytes(), 0
    for ends in windows_of(max(sum(state.entries), (state.documents - state.recent) * places.bands)):
        parts = between(connection, places, state.segments, *ends)
        entries += len(merge_entries(parts, *ends, b"")) // ENTRY
        if merge_entries(parts, *ends, removed) != expected_between(connection, places, *ends):
            return False
    return entries == sum(state.entries)
