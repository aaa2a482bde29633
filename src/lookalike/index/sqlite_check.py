"""Looking at the whole file of an index, and mending it.

SQLite has no checksums of its own: it does not notice most flipped bits. Every row and page of an index has one, and
postings can be compared with the rows that they were made from.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from array import array
from typing import TYPE_CHECKING, Any, Final

from lookalike._native import entries_of, merge_entries
from lookalike.errors import DamagedError, StoreError
from lookalike.index.contract import DIGEST, Check, Row
from lookalike.index.mending import made_again
from lookalike.index.sqlite_postings import ENTRY, PER_PAGE, Segments, post, segments_in
from lookalike.index.sqlite_schema import connect, create_file, store_errors, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.index.settings import IndexSettings
    from lookalike.index.sqlite import SqliteStore

__all__ = ["repair", "verify"]

_ROW: Final = "number, id, shingles, length, digest, keys, slots, checksum, body_checksum, body"
_BLOCK: Final = 2048
_WINDOW: Final = 1 << 22
_SAID: Final = 20
_LAST: Final = 2**62


def verify(store: SqliteStore) -> Check:
    """Look at every row, page and key, in one snapshot."""
    check = Check()
    try:
        with store.reading():
            connection = store.snapshot()
            _look(connection, store, check)
    except StoreError as error:
        check.problems.append(error.problem)
    return check


def _look(connection: sqlite3.Connection, store: SqliteStore, check: Check) -> None:
    for (said,) in connection.execute(f"PRAGMA integrity_check({_SAID})"):
        if said != "ok":
            check.problems.append(f"the database: {said}")
    state = connection.execute("SELECT next, posted, documents, kind FROM state").fetchone()
    count, least, greatest = connection.execute("SELECT count(*), min(number), max(number) FROM document").fetchone()
    check.documents = count
    if state is None or state[2] != count or (count and not 0 <= least <= greatest < state[0]):
        check.problems.append("the number of documents is another than was recorded")
        return
    for number, row, well in _rows(connection, store.settings, check):
        if row is None or not well:
            check.problems.append(f"document {number if row is None else row.id!r} is damaged")
        elif type(row.id).__name__ != state[3]:
            check.problems.append(f"document {row.id!r} has an id of another kind")
    _look_at_postings(connection, store, state[1], check)


def _rows(
    connection: sqlite3.Connection, settings: IndexSettings, check: Check
) -> Iterator[tuple[int, Row | None, bool]]:
    """Give every row with whether it is right; None for one that cannot be read."""
    for found in _readable(connection, 0, _LAST, check):
        number, id, shingles, length, digest, keys, slots, head, own, body = found
        try:
            row = Row(id, shingles, length, bytes(digest), bytes(keys), bytes(slots), bytes(body))
            sizes = (len(row.digest), len(row.keys), len(row.slots))
            right = sizes == (DIGEST, 8 * settings.bands.bands, settings.recipe.hashes)
            yield number, row, right and row.checksum() == head and zlib.crc32(row.body) == own
        except (TypeError, ValueError):
            yield number, None, False


def _readable(connection: sqlite3.Connection, first: int, end: int, check: Check) -> Iterator[tuple[Any, ...]]:
    """Give the rows of a range that SQLite can read; around what it cannot, the range is halved."""
    asked = f"SELECT {_ROW} FROM document WHERE number >= ? AND number < ? ORDER BY number LIMIT {_BLOCK}"
    while first < end:
        try:
            block = connection.execute(asked, (first, end)).fetchall()
        except sqlite3.DatabaseError:
            if end - first == 1:
                check.problems.append(f"the document with the number {first} cannot be read")
                return
            middle = (first + end) // 2
            yield from _readable(connection, first, middle, check)
            first = middle
            continue
        yield from block
        if len(block) < _BLOCK:
            return
        first = block[-1][0] + 1


def _look_at_postings(connection: sqlite3.Connection, store: SqliteStore, posted: int, check: Check) -> None:
    bands = store.settings.bands.bands
    segments = Segments(segments_in(connection, store.name), store.name)
    (pages,) = connection.execute("SELECT count(*) FROM page").fetchone()
    if pages != sum(len(segment.firsts) for segment in segments.all):
        check.problems.append("there are pages of no segment, or too few")
    removed = array("I", (number for (number,) in connection.execute("SELECT number FROM removed ORDER BY number")))
    total = sum(segment.entries for segment in segments.all)
    windows = max(1, max(total, posted * bands) // _WINDOW)
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


# -- repair --------------------------------------------------------------------------------------------------------------


def repair(store: SqliteStore) -> Check:
    """Copy everything that is right, and what can be made right, to a new file, and put it in the place of the old.

    The old file stays beside it, as NAME.damaged, if there was something wrong with it.
    """
    before = verify(store)
    if before.ok:
        return before
    with store.alone():
        done = Check(problems=[])
        unfinished = store.path.with_name(f"{store.path.name}.repair-{os.getpid()}")
        unfinished.unlink(missing_ok=True)
        try:
            create_file(unfinished, store.settings)
            with store_errors(store.name):
                _copy_what_is_right(store, unfinished, done)
            _swap(store, unfinished)
        finally:
            for suffix in ("", "-wal", "-shm", "-lock"):
                unfinished.with_name(unfinished.name + suffix).unlink(missing_ok=True)
    after = verify(store)
    after.lost = done.lost
    return after


def _copy_what_is_right(store: SqliteStore, unfinished: Any, done: Check) -> None:
    source = connect(store.path, read_only=False)
    target = connect(unfinished, read_only=False)
    try:
        target.execute("BEGIN IMMEDIATE")
        place, kinds, seen = 0, set(), set()
        for number, row, well in _rows(source, store.settings, done):
            mended = row if well or row is None else made_again(row, store.settings)
            if mended is None or mended.id in seen:
                done.lost.append(number if row is None else row.id)
                continue
            seen.add(mended.id)
            kinds.add(type(mended.id).__name__)
            fields = (place, mended.id, mended.shingles, mended.length, mended.digest, mended.keys, mended.slots)
            sums = (mended.checksum(), zlib.crc32(mended.body), mended.body)
            target.execute("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*fields, *sums))
            place += 1
        post(target, 0, place, store.settings.bands.bands)
        kind = kinds.pop() if kinds else "none"
        target.execute("UPDATE state SET version = 1, next = ?, posted = ?, documents = ?, kind = ?", (place,) * 3 + (kind,))
        target.execute("COMMIT")
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try:
            source.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        except sqlite3.DatabaseError as error:
            raise DamagedError(store.name, "cannot be mended", "take a backup, or build it anew") from error
    finally:
        target.close()
        source.close()


def _swap(store: SqliteStore, unfinished: Any) -> None:
    kept = store.path.with_name(store.path.name + ".damaged")
    number = 1
    while os.path.lexists(kept):
        number += 1
        kept = store.path.with_name(f"{store.path.name}.damaged-{number}")
    try:
        os.link(store.path, kept)
    except OSError as error:
        raise StoreError(store.name, f"cannot be kept as {kept.name} ({error.strerror})", "check the folder") from None
    for suffix in ("-wal", "-shm"):  # empty by now; those of the old file must not meet the new one
        store.path.with_name(store.path.name + suffix).unlink(missing_ok=True)
    os.replace(unfinished, store.path)
    sync_folder(store.path.parent)
