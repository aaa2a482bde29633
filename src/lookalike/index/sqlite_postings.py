"""Which documents have a key, in the file of an index.

The newest documents, the *tail*, have no postings in the file: their keys are read into a table in memory. When the
tail is long, its entries are sorted and become a *segment*, pages of entries that never change. Segments are merged
when there are several, so a query reads one page per key and segment.
"""

from __future__ import annotations

import zlib
from array import array
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lookalike._native import Postings, entries_of, merge_entries, numbers_in
from lookalike.index.contract import LAST_NUMBER, Met, checksum, met_of
from lookalike.index.sqlite_schema import blob, columns_of, damaged, named

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Sequence

    from lookalike.index.index_setup import IndexSettings

__all__ = [
    "ENTRY",
    "PER_PAGE",
    "TAIL",
    "Segment",
    "Segments",
    "Tail",
    "add_segment",
    "merge",
    "post",
    "removed_in",
    "segments_in",
]

ENTRY: Final = 12
PER_PAGE: Final = 672
"""Entries of a page: exactly as many as fit a page of the file."""
TAIL: Final = 8192
"""Documents that may be without postings."""
_PORTION: Final = 1 << 17
"""Documents whose entries are sorted at once."""
MOST_SEGMENTS: Final = 4
_WINDOW: Final = 1 << 22
"""Entries that a merge holds at a time."""
_MANY: Final = 500
_FIRSTS: Final = blob("firsts", "= 8 * ((entries + ?1 - 1) / ?1)")
_SEGMENT: Final = f"SELECT number, first_page, entries, {_FIRSTS}, checksum FROM segment ORDER BY number"
_PAGE: Final = f"SELECT number, checksum, {blob('entries', f'<= {PER_PAGE * ENTRY}')} FROM page"


@dataclass(frozen=True, slots=True)
class Segment:
    """Sorted entries in pages that follow each other."""

    number: int
    first_page: int
    entries: int
    firsts: memoryview
    """The first key of each page."""

    def pages(self, key: int) -> range:
        """Return the pages that may have a key."""
        first = max(0, bisect_left(self.firsts, key) - 1)
        last = first
        while last + 1 < len(self.firsts) and self.firsts[last + 1] <= key:
            last += 1
        return range(self.first_page + first, self.first_page + last + 1)

    def between(self, least: int, greatest: int) -> range:
        """Return the pages that may have keys between two."""
        return range(self.pages(least).start, self.pages(greatest).stop)


def segments_in(connection: sqlite3.Connection, name: str) -> list[Segment]:
    """Read which segments there are."""
    found = []
    for number, first_page, entries, firsts, expected in connection.execute(_SEGMENT, (PER_PAGE,)):
        if not all(isinstance(one, int) for one in (first_page, entries)) or not isinstance(firsts, bytes):
            raise damaged(name, f"segment {number}")
        pages = -(-entries // PER_PAGE)
        if zlib.crc32(firsts, number & 0xFFFFFFFF) != expected or len(firsts) != 8 * pages:
            raise damaged(name, f"segment {number}")
        found.append(Segment(number, first_page, entries, memoryview(firsts).cast("Q")))
    return found


class Segments:
    """The segments of a file, as one moment has them."""

    def __init__(self, segments: Sequence[Segment], name: str) -> None:
        """Take them; pages that were read once are not checked again."""
        self.all = list(segments)
        self._name = name
        self._checked: set[int] = set()

    def meet(self, connection: sqlite3.Connection, keys: Sequence[int], most: int) -> dict[int, list[int]]:
        """Return the documents of each key that is there, by its place; a few more than `most` of each at most."""
        met: dict[int, list[int]] = defaultdict(list)
        for segment in self.all:
            places, wanted = array("I"), array("Q")
            pages: list[int] = []
            for place, key in enumerate(keys):
                for page in segment.pages(key)[: most // PER_PAGE + 2]:
                    places.append(place)
                    wanted.append(key)
                    pages.append(page)
            held = self.read(connection, pages)
            which, numbers = numbers_in([held[page] for page in pages], wanted.tobytes())
            for one, number in zip(array("I", which), array("I", numbers), strict=True):
                met[places[one]].append(number)
        return met

    def read(self, connection: sqlite3.Connection, pages: Iterable[int]) -> dict[int, bytes]:
        """Return pages by their numbers."""
        wanted = sorted(set(pages))
        held: dict[int, bytes] = {}
        for start in range(0, len(wanted), _MANY):
            some = wanted[start : start + _MANY]
            marks = ",".join("?" * len(some))
            for number, expected, entries in connection.execute(f"{_PAGE} WHERE number IN ({marks})", some):
                if number not in self._checked:
                    if not isinstance(entries, bytes) or zlib.crc32(entries, number & 0xFFFFFFFF) != expected:
                        raise damaged(self._name, f"page {number}")
                    self._checked.add(number)
                held[number] = entries
        if len(held) != len(wanted):
            raise damaged(self._name, "a page is missing")
        return held


class Tail:
    """The newest documents, which have no postings in the file."""

    def __init__(self, first: int, settings: IndexSettings, name: str) -> None:
        """Begin with the number of the first."""
        self.first = self.next = first
        self._head, self._name = columns_of(settings).head, name
        self._postings = Postings(settings.bands.bands)

    def read(self, connection: sqlite3.Connection, end: int) -> None:
        """Read the keys of documents up to a number."""
        if end <= self.next:
            return
        # These keys have no other checksum than that of their row.
        asked = f"SELECT {self._head} FROM document WHERE number >= ? AND number < ? ORDER BY number"
        numbers, keys = array("I"), []
        for number, id, shingles, length, digest, own, slots, expected in connection.execute(asked, (self.next, end)):
            parts = (digest, own, slots)
            if not all(isinstance(part, bytes) for part in parts) or checksum(id, shingles, length, *parts) != expected:
                raise damaged(self._name, named(number, id))
            numbers.append(number)
            keys.append(own)
        self._check_whole(connection, numbers, end)
        self._postings.insert(numbers.tobytes(), b"".join(keys))
        self.next = end

    def _check_whole(self, connection: sqlite3.Connection, numbers: array[int], end: int) -> None:
        """Refuse a tail in which documents are missing that nobody has removed."""
        if len(numbers) == end - self.next:
            return
        asked = "SELECT number FROM removed WHERE number >= ? AND number < ?"
        known = {number for (number,) in connection.execute(asked, (self.next, end))}.union(numbers)
        for number in range(self.next, end):
            if number not in known:
                raise damaged(self._name, named(number, None))

    def meet(self, keys: bytes, most: int) -> Met:
        """Return what the native table meets."""
        return met_of(self._postings.meet(keys, most))


def post(connection: sqlite3.Connection, posted: int, end: int, bands: int, name: str) -> None:
    """Make segments of the documents from `posted` on, and merge segments if they are many."""
    wanted = blob("keys", f"= {8 * bands}")
    for start in range(posted, end, _PORTION):
        numbers, keys = array("I"), []
        for number, own in connection.execute(
            f"SELECT number, {wanted} FROM document WHERE number >= ? AND number < ? ORDER BY number",
            (start, min(start + _PORTION, end)),
        ):
            if not isinstance(own, bytes):
                raise damaged(name, f"the keys of document number {number}")
            numbers.append(number)
            keys.append(own)
        if numbers:
            add_segment(connection, [entries_of(numbers.tobytes(), b"".join(keys), bands)])


def add_segment(connection: sqlite3.Connection, runs: Iterable[bytes]) -> None:
    """Write a segment; the runs of entries are sorted, and follow each other."""
    (first_page,) = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM page").fetchone()
    firsts, entries, page = array("Q"), 0, first_page
    left = b""
    for run in runs:
        left += run
        whole = len(left) // (PER_PAGE * ENTRY) * (PER_PAGE * ENTRY)
        page, entries = _add_pages(connection, left[:whole], page, firsts, entries)
        left = left[whole:]
    page, entries = _add_pages(connection, left, page, firsts, entries)
    if entries:
        (number,) = connection.execute("SELECT coalesce(max(number), 0) + 1 FROM segment").fetchone()
        row = (number, first_page, entries, firsts.tobytes(), zlib.crc32(firsts.tobytes(), number))
        connection.execute("INSERT INTO segment VALUES (?, ?, ?, ?, ?)", row)


def _add_pages(
    connection: sqlite3.Connection, data: bytes, page: int, firsts: array[int], entries: int
) -> tuple[int, int]:
    size = PER_PAGE * ENTRY
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    firsts.extend(int.from_bytes(piece[:8], "little") for piece in pieces)
    rows = [(number, zlib.crc32(piece, number), piece) for number, piece in enumerate(pieces, page)]
    connection.executemany("INSERT INTO page VALUES (?, ?, ?)", rows)
    return page + len(pieces), entries + len(data) // ENTRY


def merge(connection: sqlite3.Connection, name: str, room: int, *, all_of_them: bool = False) -> None:
    """Merge the small segments into one if there are many, or all; removed documents leave those that are merged.

    Without `room` for so many bytes, some are left as they are.
    """
    found = sorted(segments_in(connection, name), key=lambda segment: segment.entries)
    if not all_of_them and len(found) <= MOST_SEGMENTS:
        return
    merged = found if all_of_them else found[:-1]
    if not all_of_them and ENTRY * sum(segment.entries for segment in merged) > room:
        return
    removed = removed_in(connection, name)
    add_segment(connection, _merged(connection, name, merged, removed))
    for segment in merged:
        pages = range(segment.first_page, segment.first_page + len(segment.firsts))
        connection.execute("DELETE FROM page WHERE number >= ? AND number < ?", (pages.start, pages.stop))
        connection.execute("DELETE FROM segment WHERE number = ?", (segment.number,))
    if all_of_them:
        connection.execute("DELETE FROM removed")


def removed_in(connection: sqlite3.Connection, name: str) -> array[int]:
    """Return the numbers of documents that were removed, ascending."""
    found = [number for (number,) in connection.execute("SELECT number FROM removed ORDER BY number")]
    if any(not 0 <= number <= LAST_NUMBER for number in found):
        raise damaged(name, "the list of removed documents")
    return array("I", found)


def _merged(
    connection: sqlite3.Connection, name: str, segments: Sequence[Segment], removed: array[int]
) -> Iterator[bytes]:
    """Give the entries of segments in windows of keys: hashes are spread evenly, so the windows are equally full."""
    reader = Segments(segments, name)
    windows = max(1, sum(segment.entries for segment in segments) // _WINDOW)
    for window in range(windows):
        least, greatest = window * 2**64 // windows, (window + 1) * 2**64 // windows - 1
        parts: list[bytes] = []
        for segment in segments:
            parts += reader.read(connection, segment.between(least, greatest)).values()
        yield merge_entries(parts, least, greatest, removed.tobytes())
