"""Opening an index: which store it is in, by its name, and what to do with a file that cannot be opened.

The first page of the file of an index holds the header and the definitions of the tables, at places that never change.
Only the number of pages differs, which the size of the file tells. So a damaged first page is written again, and
neither it nor a truncated file hides the rest.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Final

from lookalike.errors import DamagedError, RecipeError, StoreError
from lookalike.index.index_files import file_errors, locked, remove_files
from lookalike.index.index_settings import IndexSettings
from lookalike.index.memory_store import MemoryStore
from lookalike.index.sqlite_repair import put_in_place
from lookalike.index.sqlite_schema import CANNOT, NO_INDEX, OTHER_DATABASE, PAGE, RESTORE, SCHEMA, define_tables
from lookalike.index.sqlite_store import SqliteStore
from lookalike.urls import SERVERS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lookalike.index.contract import Check, Store
    from lookalike.recipe import Recipe

__all__ = ["MEMORY", "is_server", "may_be_repaired", "open_existing", "open_store", "repair_file"]

MEMORY = ":memory:"


def is_server(where: str | os.PathLike[str]) -> bool:
    """Tell whether an index is in PostgreSQL.

    >>> is_server("postgresql://host/db"), is_server("essays.db")
    (True, False)
    """
    return isinstance(where, str) and where.startswith(SERVERS)


def open_store(
    where: str | os.PathLike[str],
    recipe: Recipe | None,
    threshold: float | None,
    recall: float | None,
    keep: str | None,
    secret: bool,
    create: bool | None,
) -> Store:
    """Open a store, or create it."""
    if not isinstance(where, str | os.PathLike):
        raise RecipeError("the place of an index", where, "a path, ':memory:' or a postgresql:// URL")

    def chosen() -> IndexSettings:
        return IndexSettings.chosen(recipe, threshold, recall, keep, secret)

    store: Store
    if where == MEMORY:
        return MemoryStore(chosen())
    if is_server(where):
        from lookalike.index.postgres_store import PostgresStore

        store, new = PostgresStore.open_or_create(str(where), create, chosen)
    else:
        store, new = _open_file(where, create, chosen)
    if not new:
        try:
            store.settings.check_asked(recipe, threshold, recall, keep, secret, store.name)
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
    """Return the first page of an index that has so many."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        define_tables(connection)
        page = bytearray(connection.serialize()[:PAGE])
    page[_WAL] = b"\2\2"
    page[_PAGES] = pages.to_bytes(4, "big")
    # SQLite believes the number of pages only if these two are equal.
    page[92:96] = page[24:28]
    return bytes(page)
