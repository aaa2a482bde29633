"""The store in memory, and opening an index: which store it is in, and what to do with a file that cannot be opened.

The first page of the file of an index holds the header and the definitions of the tables, at places that never change.
Only the number of pages differs, which the size of the file tells. So a damaged first page is written again, and
neither it nor a truncated file hides the rest.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
from array import array
from contextlib import closing, contextmanager, nullcontext, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, cast

from lookalike._native import Postings
from lookalike.errors import DamagedError, DuplicateIdError, RecipeError, StoreError
from lookalike.index.contract import (
    LAST_NUMBER,
    NO_KIND,
    Check,
    Content,
    Head,
    Met,
    Row,
    ServerStore,
    Store,
    StoreReader,
    StoreWriter,
    Version,
    check_rows,
    met_of,
)
from lookalike.index.index_setup import IndexSettings, file_errors, locked, remove_files
from lookalike.index.sqlite_repair import put_in_place
from lookalike.index.sqlite_schema import CANNOT, NO_INDEX, OTHER_DATABASE, PAGE, RESTORE, SCHEMA, define_tables
from lookalike.index.sqlite_store import SqliteStore
from lookalike.opening import SERVERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from lookalike.recipe import Recipe
    from lookalike.tables.packed import Id

__all__ = [
    "MEMORY",
    "MemoryStore",
    "is_server",
    "may_be_repaired",
    "open_existing",
    "open_store",
    "repair_file",
    "server_store",
]

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
        self._is_closed = False
        self._writing = threading.RLock()
        """Held by the thread that writes; readers go on until the change is made."""
        self.lock = threading.RLock()
        """Held while something is read, and while a change is made."""

    @contextmanager
    def writing(self) -> Iterator[StoreWriter]:
        """Collect what is written, and take it over at the end."""
        self._check_open()
        with self._writing:
            writer = _MemoryWriter(_MemoryReader(self), self._rows, self._numbers, self._kind, self.name)
            yield writer
            with self.lock:
                self._check_open()
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
        """Read; each method of the reader sees one moment, and remembers the rows that it has named."""
        self._check_open()
        yield _MemoryReader(self)

    @contextmanager
    def snapshot(self) -> Iterator[StoreReader]:
        """Copy which documents there are."""
        self._check_open()
        with self.lock:
            reader = _MemoryReader(self)
            reader.keep_all()
        yield reader

    def errors(self) -> AbstractContextManager[None]:
        """Translate nothing: memory has no errors of its own."""
        self._check_open()
        return nullcontext()

    def _check_open(self) -> None:
        if self._is_closed:
            raise StoreError(self.name, "is closed", "make a new one: what it held is gone")

    def version(self) -> Version:
        """Return which state this is."""
        return Version(self._next, len(self._rows), self._kind)

    def rows(self) -> dict[int, Row]:
        """Return all rows by number, ascending; call it inside the lock."""
        return self._rows

    def number_of(self, id: Id) -> int | None:
        """Return the number of a document."""
        return self._numbers.get(id)

    def meet(self, keys: bytes, most: int) -> Met:
        """Return the documents that share a key with each query."""
        return met_of(self._postings.meet(keys, most))

    def verify(self) -> Check:
        """Check nothing: memory is trusted."""
        self._check_open()
        return Check(len(self._rows))

    def repair(self) -> Check:
        """Repair nothing."""
        return self.verify()

    def compact(self) -> None:
        """Rebuild the table of keys."""
        self._check_open()
        with self._writing, self.lock:
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
        self._check_open()
        held = sum(len(row.body) + len(row.keys) + len(row.slots) for row in self._rows.values())
        return {"store": "memory", "bytes": held + self._postings.size()}

    def close(self) -> None:
        """Release everything."""
        self._is_closed = True
        self._rows, self._numbers = {}, {}
        self._postings = Postings(self.settings.bands.bands)


class _MemoryWriter(StoreWriter):
    def __init__(self, reader: StoreReader, rows: dict[int, Row], numbers: dict[Id, int], kind: str, name: str) -> None:
        self.reader = reader
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
    """Rows never change, so a reader needs the lock only until it has those that it goes on with."""

    def __init__(self, store: MemoryStore) -> None:
        self._store, self._rows = store, dict[int, Row]()
        self._has_all = False
        with store.lock:
            self._version = store.version()

    def keep_all(self) -> None:
        """Remember every row."""
        if not self._has_all:
            with self._store.lock:
                self._rows, self._has_all = dict(self._store.rows()), True

    def version(self) -> Version:
        return self._version

    def meet(self, keys: bytes, most: int) -> Met:
        with self._store.lock:
            met, rows = self._store.meet(keys, most), self._store.rows()
            self._rows |= {number: rows[number] for number in met.numbers if number in rows}
        return met

    def heads(self, numbers: Sequence[int]) -> dict[int, Head]:
        rows = self._rows
        there = ((number, rows[number]) for number in numbers if number in rows)
        return {number: Head(row.id, row.slots, len(row.body)) for number, row in there}

    def bodies(self, numbers: Sequence[int]) -> dict[int, bytes]:
        return {number: self._rows[number].body for number in numbers}

    def numbers(self, ids: Sequence[Id]) -> list[int | None]:
        with self._store.lock:
            numbers, rows = [self._store.number_of(id) for id in ids], self._store.rows()
            self._rows |= {number: rows[number] for number in numbers if number is not None}
        return numbers

    def slots(self) -> Iterator[tuple[array[int], bytes]]:
        for block in self.rows():
            yield array("I", (number for number, _ in block)), b"".join(row.slots for _, row in block)

    def rows(self) -> Iterator[list[tuple[int, Row]]]:
        self.keep_all()
        all_rows = list(self._rows.items())
        for start in range(0, len(all_rows), _BLOCK):
            yield all_rows[start : start + _BLOCK]

    def listed(self, after: int = -1) -> Iterator[tuple[int, Id]]:
        self.keep_all()
        return ((number, row.id) for number, row in self._rows.items() if after < number < self._version.next)


MEMORY = ":memory:"


def is_server(where: str | os.PathLike[str]) -> bool:
    """Tell whether an index is on a database server.

    >>> is_server("postgresql://host/db"), is_server("essays.db")
    (True, False)
    """
    return isinstance(where, str) and where.startswith(tuple(SERVERS))


def server_store(where: str) -> type[ServerStore]:
    """Return the store for the address of an index on a server; its module is imported when it is needed."""
    named = next(name for start, name in SERVERS.items() if where.startswith(start))
    module, _, store = named.partition(".")
    return cast("type[ServerStore]", getattr(import_module(f"lookalike.index.{module}"), store))


def open_store(
    where: str | os.PathLike[str],
    recipe: Recipe | None,
    threshold: float | None,
    recall: float | None,
    keep: str | None,
    secret: bool,
    create: bool | None,
    preset: str | None = None,
) -> Store:
    """Open a store, or create it."""
    if not isinstance(where, str | os.PathLike):
        raise RecipeError("the place of an index", where, "a path, ':memory:' or a postgresql:// URL")

    def chosen() -> IndexSettings:
        return IndexSettings.chosen(recipe, threshold, recall, keep, secret, preset)

    store: Store
    if where == MEMORY:
        return MemoryStore(chosen())
    if is_server(where):
        store, new = server_store(str(where)).open_or_create(str(where), create, chosen)
    else:
        store, new = _open_file(where, create, chosen)
    if not new:
        try:
            store.settings.check_asked(recipe, threshold, recall, keep, secret, preset, store.name)
        except BaseException:
            store.close()
            raise
    return store


def _open_file(
    where: str | os.PathLike[str], create: bool | None, chosen: Callable[[], IndexSettings]
) -> tuple[Store, bool]:
    there = os.path.lexists(where)
    if create is True and there:
        raise StoreError(os.fspath(where), "exists already", "give another name, or open it with create=False")
    if create is False and not there:
        raise StoreError(os.fspath(where), "does not exist", "check the name, or create it with create=True")
    if there:
        return SqliteStore.open(where), False
    return SqliteStore.create(where, chosen()), True


def open_existing(where: str) -> Store:
    """Open an index that is there, and lasts."""
    if where == MEMORY:
        raise StoreError(where, "is lost when a command ends", "give the name of a file, or a postgresql:// URL")
    try:
        return open_store(where, None, None, None, None, False, False)
    except StoreError as error:
        if error.problem != "does not exist":
            raise
        raise StoreError(error.store, error.problem, "check the name, or make it: lookalike index build") from None


# -- A file that cannot be opened --------------------------------------------------------------------------------------

_WAL: Final = slice(18, 20)
"""The versions of the file for writing and reading: 2 is a database with a log."""
_PAGES: Final = slice(28, 32)
_LEAST: Final = len(SCHEMA) + 2
"""Pages of an index: the first, one for each table, and one for SQLite's own index of the ids."""


def may_be_repaired(error: StoreError) -> bool:
    """Tell whether an index that could not be opened may have a damaged first page."""
    odd = error.problem in (NO_INDEX, OTHER_DATABASE) or error.problem.startswith("failed: ")
    return isinstance(error, DamagedError) or odd


def repair_file(path: Path) -> Check:
    """Repair a file that cannot be opened; it stays beside the new one as NAME.damaged."""
    copy = path.with_name(f"{path.name}.repair-{os.getpid()}")
    with locked(path), file_errors(path, "cannot be repaired", "check the disk and the folder"):
        try:
            _copy(path, copy)
            try:
                with closing(SqliteStore.open(copy)) as store:
                    check = store.repair()
            except StoreError as error:
                raise DamagedError(str(path), CANNOT, RESTORE) from error
            put_in_place(copy, path)
        finally:
            remove_files(copy)
            for ending in (".damaged", "-lock"):
                with suppress(OSError):
                    copy.with_name(copy.name + ending).unlink(missing_ok=True)
    return check


def _copy(path: Path, copy: Path) -> None:
    """Copy a file and its log, with a new first page."""
    remove_files(copy)
    handle = os.open(copy, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "r+b") as target, path.open("rb") as source:
        shutil.copyfileobj(source, target, 1 << 20)
        # A page that was cut is completed: what it has lost is found by its checksums.
        pages = max(_LEAST, -(-target.tell() // PAGE))
        target.truncate(pages * PAGE)
        target.seek(0)
        target.write(_first_page(pages))
    with suppress(FileNotFoundError):
        shutil.copyfile(path.with_name(path.name + "-wal"), copy.with_name(copy.name + "-wal"))


def _first_page(pages: int) -> bytes:
    """Return the first page of an index with this many pages."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        define_tables(connection)
        page = bytearray(connection.serialize()[:PAGE])
    page[_WAL] = b"\2\2"
    page[_PAGES] = pages.to_bytes(4, "big")
    # SQLite believes the number of pages only if these two are equal.
    page[92:96] = page[24:28]
    return bytes(page)
