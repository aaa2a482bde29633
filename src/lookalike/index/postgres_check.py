"""Looking at all rows of an index in PostgreSQL, and repairing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.errors import StoreError, _show
from lookalike.index.contract import DIGEST, NO_KIND, Check, Row
from lookalike.index.mending import made_again
from lookalike.index.postgres_rows import COLUMNS, row_of, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg

    from lookalike.index.postgres import PostgresStore

__all__ = ["repair", "verify"]

_BLOCK = 1000


def verify(store: PostgresStore) -> Check:
    """Look at every row, in one snapshot."""
    check = Check()
    try:
        with store.transaction(write=False) as connection:
            _look(connection, store, check)
    except StoreError as error:
        check.add(error)
    return check


def _look(connection: psycopg.Connection[Any], store: PostgresStore, check: Check) -> None:
    state = connection.execute(f"SELECT next, documents, kind FROM {store.state}").fetchone()
    found = connection.execute(f"SELECT count(*), min(number), max(number) FROM {store.table}").fetchone()
    count, least, greatest = found or (0, None, None)
    check.documents = count
    in_range = least is None or greatest is None or (state is not None and 0 <= least <= greatest < state[0])
    if state is None or state[1] != count or not in_range:
        check.problems.append("the number of documents is another than was recorded")
        return
    for _, row, right, _ in _rows(connection, store, state[2]):
        if not right:
            check.problems.append(f"document {_show(row.id)} is damaged")


def _rows(connection: psycopg.Connection[Any], store: PostgresStore, kind: str) -> Iterator[tuple[int, Row, bool, int]]:
    """Give every row with whether it is right, and the checksum that its body should have."""
    settings = store.settings
    sizes = (DIGEST, 8 * settings.bands.bands, settings.recipe.hashes)
    asked = f"SELECT {COLUMNS} FROM {store.table} WHERE number > %s ORDER BY number LIMIT {_BLOCK}"
    after = -(2**62)
    with connection.cursor(binary=True) as cursor:
        while block := cursor.execute(asked, [after]).fetchall():
            for found in block:
                number, row, right = row_of(found, kind)
                yield number, row, right and (len(row.digest), len(row.keys), len(row.slots)) == sizes, found[8]
            after = block[-1][0]


def repair(store: PostgresStore) -> Check:
    """Make damaged rows again from their texts, remove those that cannot be, and rebuild the indexes."""
    lost = []
    with store.transaction(write=True) as connection:
        state = connection.execute(f"SELECT kind FROM {store.state} FOR UPDATE").fetchone()
        kind = state[0] if state else NO_KIND
        for number, row, right, body_checksum in _rows(connection, store, kind):
            if right:
                continue
            mended = made_again(row, body_checksum, store.settings)
            connection.execute(f"DELETE FROM {store.table} WHERE number = %s", [number])
            if mended is None:
                lost.append(row.id)
                continue
            marks = ", ".join(["%s"] * 10)
            connection.execute(f"INSERT INTO {store.table} ({COLUMNS}) VALUES ({marks})", values_of(number, mended))
        connection.execute(f"REINDEX TABLE {store.table}")
        found = connection.execute(f"SELECT count(*), coalesce(max(number), -1) + 1 FROM {store.table}").fetchone()
        count, following = found or (0, 0)
        connection.execute(f"DELETE FROM {store.state}")
        connection.execute(f"INSERT INTO {store.state} VALUES (1, %s, %s, %s)", [following, count, kind])
    after = verify(store)
    after.lost = lost
    return after
