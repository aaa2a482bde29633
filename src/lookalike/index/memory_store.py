"""The store in memory: native tables, gone with the process."""

from __future__ import annotations

import threading
from array import array
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from lookalike._native import Postings
from lookalike.errors import DuplicateIdError, StoreError
from lookalike.index.contract import (
    LAST_NUMBER,
    NO_KIND,
    Check,
    Content,
    Head,
    Met,
    Row,
    Store,
    StoreReader,
    StoreWriter,
    Version,
    check_rows,
    met_of,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from lookalike.index.index_settings import IndexSettings
    from lookalike.tables.packed import Id

__all__ = ["MemoryStore"]

_BLOCK: Final = 4096
_FEW: Final = 1024


class MemoryStore(Store):
    """Documents in a dict, their keys in a native table."""

    def __init__(self, settings: IndexSettings) -> None:
        """Begin with none."""
        self.name = "the index in memory"
        self.settings = settings
        self._rows: dict[int, Row] = {}
        self._numbers: dict[Id, int] = {}
        self._postings = Postings(settings.bands.bands)
        self._next = 0
        self._kind = NO_KIND
        self._removed = 0
        self._lock = threading.RLock()

    @contextmanager
    def writing(self) -> Iterator[StoreWriter]:
        """Collect what is written, and take it over at the end."""
        with self._lock:
            writer = _MemoryWriter(self._rows, self._numbers, self._kind, self.name)
            yield writer
            self._take(writer)

    def _take(self, writer: _MemoryWriter) -> None:
        if self._next + len(writer.added) > LAST_NUMBER + 1:
            raise StoreError(self.name, f"has had {LAST_NUMBER + 1:,} documents", "make a new one")
        numbers = array("I", (self._numbers.pop(id) for id in writer.removed))
        for number in numbers:
            del self._rows[number]
        self._postings.remove(numbers.tobytes())
        self._removed += len(numbers)
        self._kind = writer.kind
        first, rows = self._next, list(writer.added.values())
        self._next += len(rows)
        new = range(first, self._next)
        self._rows.update(zip(new, rows, strict=True))
        self._numbers.update(zip(writer.added, new, strict=True))
        self._postings.insert(array("I", new).tobytes(), b"".join(row.keys for row in rows))
        if self._removed > len(self._rows) + _FEW:
            self.compact()

    @contextmanager
    def reading(self) -> Iterator[StoreReader]:
        """Read; nothing is written meanwhile."""
        with self._lock:
            version = Version(self._next, len(self._rows), self._kind)
            yield _MemoryReader(self._rows, self._numbers, self._postings, version)

    def verify(self) -> Check:
        """Check nothing: memory is trusted."""
        return Check(len(self._rows))

    def repair(self) -> Check:
        """Repair nothing."""
        return self.verify()

    def compact(self) -> None:
        """Rebuild the table of keys."""
        with self._lock:
            postings = Postings(self.settings.bands.bands)
            keys = b"".join(row.keys for row in self._rows.values())
            postings.insert(array("I", self._rows).tobytes(), keys)
            self._postings, self._removed = postings, 0

    def backup(self, path: str | os.PathLike[str]) -> None:
        """Write all documents to a new file: an index of its own."""
        from lookalike.index.sqlite_store import copy_to_file

        copy_to_file(self, path)

    def info(self) -> dict[str, Any]:
        """Say how large it is."""
        held = sum(len(row.body) + len(row.keys) + len(row.slots) for row in self._rows.values())
        return {"store": "memory", "bytes": held + self._postings.size()}

    def close(self) -> None:
        """Release everything."""
        self._rows, self._numbers = {}, {}
        self._postings = Postings(self.settings.bands.bands)


class _MemoryWriter(StoreWriter):
    def __init__(self, rows: dict[int, Row], numbers: dict[Id, int], kind: str, name: str) -> None:
        self._rows, self._there, self.kind, self._name = rows, numbers, kind, name
        self.added: dict[Id, Row] = {}
        self.removed: dict[Id, None] = {}

    def _has(self, id: Id) -> bool:
        return id in self.added or (id in self._there and id not in self.removed)

    def put(self, rows: Sequence[Row]) -> None:
        self.kind = check_rows(rows, self.kind, self._name)
        for row in rows:
            if self._has(row.id):
                raise DuplicateIdError(row.id, index="" if row.id in self.added else self._name)
            self.added[row.id] = row

    def discard(self, ids: Iterable[Id]) -> int:
        found = 0
        for id in ids:
            if not self._has(id):
                continue
            found += 1
            if self.added.pop(id, None) is None:
                self.removed[id] = None
        return found

    def contents(self, ids: Sequence[Id]) -> dict[Id, Content]:
        there = [id for id in ids if self._has(id)]
        rows = (self.added[id] if id in self.added else self._rows[self._there[id]] for id in there)
        return {row.id: row.content() for row in rows}


class _MemoryReader(StoreReader):
    def __init__(self, rows: dict[int, Row], numbers: dict[Id, int], postings: Postings, version: Version) -> None:
        self._rows, self._numbers, self._postings, self._version = rows, numbers, postings, version

    def version(self) -> Version:
        return self._version

    def meet(self, keys: bytes, most: int) -> Met:
        return met_of(self._postings.meet(keys, most))

    def heads(self, numbers: Sequence[int]) -> dict[int, Head]:
        rows = self._rows
        return {number: Head(row.id, row.slots) for number in numbers if (row := rows.get(number)) is not None}

    def bodies(self, numbers: Sequence[int]) -> dict[int, bytes]:
        return {number: self._rows[number].body for number in numbers}

    def numbers(self, ids: Sequence[Id]) -> list[int | None]:
        return [self._numbers.get(id) for id in ids]

    def slots(self) -> Iterator[tuple[array[int], bytes]]:
        for block in self.rows():
            yield array("I", (number for number, _ in block)), b"".join(row.slots for _, row in block)

    def rows(self) -> Iterator[list[tuple[int, Row]]]:
        all_rows = list(self._rows.items())
        for start in range(0, len(all_rows), _BLOCK):
            yield all_rows[start : start + _BLOCK]

    def listed(self, after: int = -1) -> Iterator[tuple[int, Id]]:
        return ((number, row.id) for number, row in list(self._rows.items()) if number > after)
