"""Verifying the file of an index, and repairing it.

SQLite has no checksums of its own: it does not notice most flipped bits. Every row and page of an index has one, so a
row that is right is known to be right, and postings can be compared with the rows that they were made from.

Repair copies everything that is right, or can be made right, to a new file. Which documents there should be is known
twice: from the rows, and from SQLite's own index of the ids.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from array import array
from collections import defaultdict
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any, Final

from lookalike._native import entries_of, merge_entries
from lookalike.errors import DamagedError, StoreError
from lookalike.index import index_setup
from lookalike.index.contract import DIGEST, LAST_NUMBER, NO_KIND, Check, Row
from lookalike.index.index_setup import file_errors, remove_files, sync_folder
from lookalike.index.query import rebuilt_row
from lookalike.index.sqlite_postings import ENTRY, PER_PAGE, Segments, post, removed_in, segments_in
from lookalike.index.sqlite_rows import is_body, is_right
from lookalike.index.sqlite_schema import CANNOT, ID, RESTORE, columns_of, connect, create_file, named, store_errors
from lookalike.index.sqlite_sessions import Session
from lookalike.tables.spelling import count

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lookalike.index.index_setup import IndexSettings
    from lookalike.index.sqlite_store import SqliteStore
    from lookalike.tables.packed import Id

__all__ = ["is_whole", "put_in_place", "repair", "verify"]

# -- verifying ---------------------------------------------------------------------------------------------------------

_BLOCK: Final = 2048
_WINDOW: Final = 1 << 22
_SAID: Final = 20


def verify(store: SqliteStore) -> Check:
    """Check every row, page and key, in one snapshot."""
    check = Check()
    try:
        with store.reading() as reader:
            _look(reader.session.connection, store, check)
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
        check.problems.append("the number of documents differs from the recorded one")
        return
    if count and not 0 <= least <= greatest < state[0]:
        check.problems.append("documents have numbers that were never assigned")
        return
    if not isinstance(state[1], int) or not 0 <= state[1] <= state[0]:
        check.problems.append("the number of documents with postings is out of range")
        return
    for found in connection.execute(f"SELECT {columns_of(store.settings).row} FROM document ORDER BY number"):
        row = Row(found[1], found[2], found[3], found[4], found[5], found[6], found[9])
        if not is_whole(row, found[7], found[8], store.settings):
            check.problems.append(f"{named(found[0], row.id)} is damaged")
        elif type(row.id).__name__ != state[3]:
            check.problems.append(f"{named(found[0], row.id)} has an id of the wrong kind")
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
        check.problems.append("there are pages that belong to no segment, or pages are missing")
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
            check.problems.append("the postings do not match the documents")
            return
    if any(not _is_sorted(connection, segment.first_page, len(segment.firsts)) for segment in segments.all):
        check.problems.append("a segment is not sorted")


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


# -- repairing ---------------------------------------------------------------------------------------------------------

_PAUSE: Final = 0.05
_PROBED: Final = 10_000_000
"""Numbers that are looked up one by one in a file that can be read neither from the front nor from the back."""


def repair(store: SqliteStore) -> Check:
    """Write a new file, and put it in the place of the old, which stays beside it as NAME.damaged."""
    before = verify(store)
    if before.ok:
        return before
    try:
        rescued = _rewrite(store)
    except DamagedError as error:
        raise DamagedError(store.name, CANNOT, RESTORE) from error
    after = verify(store)
    return Check(after.documents, rescued.problems + after.problems, rescued.lost)


def _rewrite(store: SqliteStore) -> Check:
    with store.alone():
        unfinished = store.path.with_name(f"{store.path.name}.repair-{os.getpid()}")
        remove_files(unfinished)
        try:
            create_file(unfinished, store.settings)
            with store_errors(store.name):
                rescued = _copy(store, unfinished)
            put_in_place(unfinished, store.path)
        finally:
            remove_files(unfinished)
    return rescued


def _copy(store: SqliteStore, unfinished: Path) -> Check:
    with (
        closing(Session(store.path, store.name, read_only=False)) as session,
        closing(connect(unfinished, "rw")) as target,
    ):
        source = session.connection
        # A damaged id must not end the reading of all.
        source.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        rescue = Rescue(source, store.settings)
        target.execute("BEGIN IMMEDIATE")
        for number, row in rescue.rows():
            fields = (number, row.id, row.shingles, row.length, row.digest, row.keys, row.slots)
            sums = (row.checksum(), zlib.crc32(row.body), row.body)
            target.execute("INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*fields, *sums))
        following = max(rescue.next, max(rescue.numbers, default=-1) + 1)
        post(target, 0, following, store.settings.bands.bands, store.name)
        state = (following, following, len(rescue.ids), rescue.kind)
        target.execute("UPDATE state SET version = 1, next = ?, posted = ?, documents = ?, kind = ?", state)
        target.execute("COMMIT")
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        _empty_log(source, store.name)
    return rescue.outcome()


def _empty_log(source: sqlite3.Connection, name: str) -> None:
    """Bring the log back into the old file: the log is removed, and what it holds must not go with it."""
    until = time.monotonic() + index_setup.PATIENCE
    while True:
        try:
            (busy, *_) = source.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.DatabaseError as error:
            raise DamagedError(name, CANNOT, RESTORE) from error
        if not busy:
            return
        if time.monotonic() > until:
            raise StoreError(name, "is being read", "try again when it has finished")
        time.sleep(_PAUSE)


class Rescue:
    """The documents of a damaged file."""

    def __init__(self, source: sqlite3.Connection, settings: IndexSettings) -> None:
        """Read which documents there should be."""
        self._source, self._settings, self._row = source, settings, columns_of(settings).row
        self.numbers: set[int] = set()
        self.ids: set[Id] = set()
        self._named: dict[int, set[Any]] = defaultdict(set)
        self._aside: list[int] = []
        """Numbers of rows that are whole, but named otherwise, or not at all; read again, not held."""
        self._rejected: list[Any] = []
        self._seen: set[int] = set()
        """Numbers of rows that could be read."""
        self._all_seen = False
        named = f"SELECT number, {ID} FROM document INDEXED BY sqlite_autoindex_document_1 ORDER BY id"
        self._all_named = self._read_names(named) or self._read_names(named + " DESC")
        self._named_ids = {id for ids in self._named.values() for id in ids}
        self.kind, self.next, self._documents = NO_KIND, 0, -1
        self._read_state()
        self._removed: set[int] = set()
        with suppress(sqlite3.DatabaseError):
            self._removed.update(number for (number,) in source.execute("SELECT number FROM removed"))

    def _read_names(self, asked: str) -> bool:
        try:
            for number, id in self._source.execute(asked):
                if id is not None:
                    self._named[number].add(id)
        except sqlite3.DatabaseError:
            return False
        return True

    def _read_state(self) -> None:
        with suppress(sqlite3.DatabaseError, TypeError):
            asked = "SELECT next, documents, substr(kind, 1, 9) FROM state"
            following, documents, kind = self._source.execute(asked).fetchone()
            if isinstance(following, int) and 0 <= following <= LAST_NUMBER + 1:
                self.next = following
                if isinstance(documents, int) and 0 <= documents <= following:
                    self._documents = documents
            if kind in ("int", "str"):
                self.kind = kind

    def rows(self) -> Iterator[tuple[int, Row]]:
        """Give every document that is right or can be made right, once, with its number."""
        for number, row in self._readable():
            whole = self._whole(number, row)
            if whole is None:
                self._rejected.append(row[0])
            elif whole.id in self._named.get(number, ()) or not self._named:
                yield from self._take(number, whole)
            else:
                self._aside.append(number)
        for number, row in (found for aside in self._aside for found in self._rows_of(aside)):
            whole = self._whole(number, row)
            if whole is None:
                continue
            # The index of the ids has one half of it; with neither, it is a document that was removed.
            known = whole.id in self._named_ids or number in self._named
            if known or not (self._all_named or number in self._removed):
                yield from self._take(number, whole)

    def _take(self, number: int, row: Row) -> Iterator[tuple[int, Row]]:
        kind = type(row.id).__name__
        if self.kind == NO_KIND:
            self.kind = kind
        if row.id in self.ids or kind != self.kind:
            return
        if number in self.numbers or not 0 <= number <= LAST_NUMBER:
            number = self.next = max(self.next, max(self.numbers, default=-1) + 1)
        self.numbers.add(number)
        self.ids.add(row.id)
        yield number, row

    def _readable(self) -> Iterator[tuple[int, tuple[Any, ...]]]:
        """Give the rows that SQLite can read: from the front, from the back, and those that are named in between."""
        seen = self._seen
        for order in ("", " DESC"):
            try:
                for number, *row in self._source.execute(f"SELECT {self._row} FROM document ORDER BY number{order}"):
                    if number not in seen:
                        seen.add(number)
                        yield number, tuple(row)
                self._all_seen = True
                break
            except sqlite3.DatabaseError:
                continue
        else:
            for wanted in self._unseen(seen):
                yield from self._rows_of(wanted)

    def _rows_of(self, wanted: int) -> Iterator[tuple[int, tuple[Any, ...]]]:
        with suppress(sqlite3.DatabaseError):
            for number, *row in self._source.execute(f"SELECT {self._row} FROM document WHERE number = ?", (wanted,)):
                yield number, tuple(row)

    def _unseen(self, seen: set[int]) -> Iterator[int]:
        """Give the numbers that a document may have between what was read from the front and from the back."""
        yield from (wanted for wanted in sorted(self._named) if wanted not in seen)
        if not self._all_named:
            every = range(min(self.next, _PROBED))
            yield from (wanted for wanted in every if wanted not in seen and wanted not in self._named)

    def _whole(self, number: int, found: tuple[Any, ...]) -> Row | None:
        id, shingles, length, digest, keys, slots, head, own, body = found
        named = self._named.get(number, set())
        for candidate in (id, *named):
            if not isinstance(candidate, int | str):
                continue
            row = Row(candidate, shingles, length, digest, keys, slots, body)
            if is_whole(row, head, own, self._settings):
                return row
        # Then the id may be what is damaged; a text under another id would be a document that nobody added.
        if id not in named or not isinstance(id, int | str) or not isinstance(body, bytes):
            return None
        return rebuilt_row(Row(id, shingles, length, digest, keys, slots, body), own, self._settings)

    def outcome(self) -> Check:
        """Return which documents should be there, and are not: by id, and how many more there were."""
        lost = [] if len(self.ids) == self._documents else self._lost()
        if self._all_seen and self._all_named and self._seen == self._named.keys():
            return Check(len(self.ids), lost=lost)  # the rows and the index of the ids agree: there were no others
        unknown = self._documents - len(self.ids) - len(lost)
        if self._documents < 0:
            problem = "documents may be lost whose ids are not known: how many there were cannot be read"
        elif unknown > 0:
            problem = f"{count(unknown, 'document')} {'is' if unknown == 1 else 'are'} lost whose ids are not known"
        else:
            return Check(len(self.ids), lost=lost)
        return Check(len(self.ids), [problem], lost)

    def _lost(self) -> list[Id]:
        missing = {
            id
            for number, ids in self._named.items()
            for id in ids
            if isinstance(id, int | str)
            if number not in self.numbers and id not in self.ids and number not in self._removed
        }
        if not self._all_named:
            missing.update(id for id in self._rejected if isinstance(id, int | str) and id not in self.ids)
        return sorted(missing, key=lambda name: (isinstance(name, str), name))


def put_in_place(repaired: Path, path: Path) -> None:
    """Put a repaired file in the place of a damaged one, which stays beside it."""
    kept = path.with_name(path.name + ".damaged")
    number = 1
    while os.path.lexists(kept):
        number += 1
        kept = path.with_name(f"{path.name}.damaged-{number}")
    with file_errors(path, f"cannot be kept as {kept.name}", "check the folder"):
        os.link(path, kept)
    with file_errors(path, "cannot be replaced", "check the folder"):
        for suffix in ("-wal", "-shm"):  # empty by now; those of the old file must not meet the new one
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        repaired.replace(path)
        sync_folder(path.parent)
