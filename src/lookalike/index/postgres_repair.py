"""Verifying the rows and postings of an index in PostgreSQL, and repairing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike._native import merge_entries
from lookalike.errors import StoreError, _show
from lookalike.index.contract import DIGEST, NO_KIND, Check, Row
from lookalike.index.postgres_postings import (
    ENTRY,
    Places,
    PostgresState,
    add_segment,
    between,
    expected_between,
    removed_in,
    state_of,
    windows_of,
)
from lookalike.index.postgres_rows import COLUMNS, row_of, values_of
from lookalike.index.query import rebuilt_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

    from lookalike.index.postgres_store import PostgresStore

__all__ = ["repair", "verify"]

_BLOCK = 1000


def verify(store: PostgresStore) -> Check:
    """Check every row, in one snapshot."""
    check = Check()
    try:
        with store.transaction(write=False) as connection:
            _look(connection, store, check)
    except StoreError as error:
        check.add(error)
    return check


def _look(connection: psycopg.Connection[Any], store: PostgresStore, check: Check) -> None:
    state = state_of(connection, store.places)
    found = connection.execute(f"SELECT count(*), min(number), max(number) FROM {store.places.document}").fetchone()
    count, least, greatest = found or (0, None, None)
    check.documents = count
    in_range = least is None or greatest is None or 0 <= least <= greatest < state.next
    if state.documents != count or not in_range:
        check.problems.append("the number of documents differs from the recorded one")
        return
    for _, row, right, _ in _rows(connection, store, state.kind):
        if not right:
            check.problems.append(f"document {_show(row.id)} is damaged")
    if not check.problems and not _has_its_postings(connection, store.places, state):
        check.problems.append("the postings do not match the documents")


def _has_its_postings(connection: psycopg.Connection[Any], places: Places, state: PostgresState) -> bool:
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


def _rows(connection: psycopg.Connection[Any], store: PostgresStore, kind: str) -> Iterator[tuple[int, Row, bool, int]]:
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


def repair(store: PostgresStore) -> Check:
    """Rebuild damaged rows from their texts, remove those that cannot be rebuilt, and rebuild the indexes."""
    lost = []
    places = store.places
    with store.transaction(write=True) as connection:
        found = connection.execute(f"SELECT kind FROM {places.state} FOR UPDATE").fetchone()
        state = PostgresState(0, 0, found[0] if found else NO_KIND)
        for number, row, right, body_checksum in _rows(connection, store, state.kind):
            if right:
                continue
            rebuilt = rebuilt_row(row, body_checksum, store.settings)
            connection.execute(f"DELETE FROM {places.document} WHERE number = %s", [number])
            if rebuilt is None:
                lost.append(row.id)
                continue
            marks = ", ".join(["%s"] * 10)
            connection.execute(
                f"INSERT INTO {places.document} ({COLUMNS}) VALUES ({marks})", values_of(number, rebuilt)
            )
        for table in (places.recent, places.posting, places.removed, places.state):
            connection.execute(f"DELETE FROM {table}")
        for table in (places.document, places.recent, places.posting):
            connection.execute(f"REINDEX TABLE {table}")
        counted = f"SELECT count(*), coalesce(max(number), -1) + 1 FROM {places.document}"
        state.documents, state.next = connection.execute(counted).fetchone() or (0, 0)
        windows = windows_of(state.documents * places.bands)
        add_segment(connection, places, state, (expected_between(connection, places, *ends) for ends in windows))
        connection.execute(f"INSERT INTO {places.state} VALUES (1, 0, 0, '', 0, '{{}}', '{{}}')")
        state.write(connection, places)
    after = verify(store)
    after.lost = lost
    return after
