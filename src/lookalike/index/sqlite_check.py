"""Looking at the whole file of an index.

SQLite has no checksums of its own: it does not notice most flipped bits. Every row and page of an index has one, and
postings can be compared with the rows that they were made from.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from lookalike._native import entries_of, merge_entries
from lookalike.errors import StoreError
from lookalike.index.contract import DIGEST, Check, Row
from lookalike.index.sqlite_columns import columns_of, named
from lookalike.index.sqlite_postings import ENTRY, PER_PAGE, Segments, removed_in, segments_in
from lookalike.index.sqlite_rows import is_body, is_right

if TYPE_CHECKING:
    import sqlite3

    from lookalike.index.settings import IndexSettings
    from lookalike.index.sqlite import SqliteStore

__all__ = ["is_whole", "verify"]

_BLOCK: Final = 2048
_WINDOW: Final = 1 << 22
_SAID: Final = 20


def verify(store: SqliteStore) -> Check:
    """Look at every row, page and key, in one snapshot."""
    check = Check()
    try:
        with store.reading():
            connection = store.snapshot()
            _look(connection, store, check)
    except StoreError as error:
        check.add(error)
    return check


def _look(connection: sqlite3.Connection, store: SqliteStore, check: Check) -> None:
    for (said,) in connection.execute(f"PRAGMA integrity_check({_SAID})"):
        if said != "ok":
            check.problems.append(f"the database: {said}")
    state = connection.execute("SELECT next, posted, documents, substr(kind, 1, 9) FROM state").fetchone()
    count, least, greatest = connection.execute("SELECT count(*), min(number), max(number) FROM document").fetchone()
    check.documents = count
    if state is None or state[2] != count or not isinstance(state[0], int):
        check.problems.append("the number of documents is another than was recorded")
        return
    if count and not 0 <= least <= greatest < state[0]:
        check.problems.append("documents have numbers that were never given")
        return
    if not isinstance(state[1], int) or not 0 <= state[1] <= state[0]:
        check.problems.append("the number of documents with postings is none")
        return
    for found in connection.execute(f"SELECT {columns_of(store.settings).row} FROM document ORDER BY number"):
        row = Row(found[1], found[2], found[3], found[4], found[5], found[6], found[9])
        if not is_whole(row, found[7], found[8], store.settings):
            check.problems.append(f"{named(found[0], row.id)} is damaged")
        elif type(row.id).__name__ != state[3]:
            check.problems.append(f"{named(found[0], row.id)} has an id of another kind")
    if not check.problems:
        _look_at_postings(connection, store, state[1], check)


def is_whole(row: Row, head: int, own: int, settings: IndexSettings) -> bool:
    """Tell whether a row is what was written, and of the sizes that the settings say."""
    if not is_right(row, head) or not is_body(row.body, own):
        return False
    sizes = (len(row.digest), len(row.keys), len(row.slots))
    return sizes == (DIGEST, 8 * settings.bands.bands, settings.recipe.hashes)


def _look_at_postings(connection: sqlite3.Connection, store: SqliteStore, posted: int, check: Check) -> None:
    bands = store.settings.bands.bands
    segments = Segments(segments_in(connection, store.name), store.name)
    (pages,) = connection.execute("SELECT count(*) FROM page").fetchone()
    if pages != sum(len(segment.firsts) for segment in segments.all):
        check.problems.append("there are pages of no segment, or too few")
    removed = removed_in(connection, store.name)
    total = sum(segment.entries for segment in segments.all)
    windows = max(1, max(total, min(posted, check.documents) * bands) // _WINDOW)
    for window in range(windows):
        least, greatest = window * 2**64 // windows, (window + 1) * 2**64 // windows - 1
        parts: list[bytes] = []
        for segment in segments.all:
            parts += segments.read(connection, segment.between(least, greatest)).values()
        found = merge_entries(parts, least, greatest, removed.tobytes())
        if found != _expected(connection, posted, bands, least, greatest):
            check.problems.append("postings are not those of the documents")
            return
    if any(not _is_sorted(connection, segment.first_page, len(segment.firsts)) for segment in segments.all):
        check.problems.append("a segment is not in order")


def _expected(connection: sqlite3.Connection, posted: int, bands: int, least: int, greatest: int) -> bytes:
    parts = []
    cursor = connection.execute("SELECT number, keys FROM document WHERE number < ? ORDER BY number", (posted,))
    while block := cursor.fetchmany(_BLOCK):
        numbers = array("I", (number for number, _ in block))
        entries = entries_of(numbers.tobytes(), b"".join(keys for _, keys in block), bands)
        parts.append(merge_entries([entries], least, greatest, b""))
    return merge_entries(parts, least, greatest, b"")


def _is_sorted(connection: sqlite3.Connection, first_page: int, pages: int) -> bool:
    """Tell whether each page is sorted, and full unless it is the last."""
    asked = "SELECT entries FROM page WHERE number >= ? AND number < ? ORDER BY number"
    found = connection.execute(asked, (first_page, first_page + pages))
    for place, (entries,) in enumerate(found, 1):
        if merge_entries([entries], 0, 2**64 - 1, b"") != entries:
            return False
        if place < pages and len(entries) != PER_PAGE * ENTRY:
            return False
    return True
