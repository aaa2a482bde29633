"""Repairing the file of an index that cannot be opened: its first page is the same in every index, and written again.

The first page holds the header and the definitions of the tables, at places that never change. Only the number of pages
differs, which the size of the file tells. So a damaged first page, or a file that was cut, does not hide the rest.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Final

from lookalike.errors import DamagedError, StoreError
from lookalike.index.lock import locked
from lookalike.index.sqlite import SqliteStore
from lookalike.index.sqlite_repair import put_in_place
from lookalike.index.sqlite_schema import (
    CANNOT,
    NO_INDEX,
    OTHER_DATABASE,
    PAGE,
    RESTORE,
    SCHEMA,
    define_tables,
    file_errors,
    remove_files,
)

if TYPE_CHECKING:
    from pathlib import Path

    from lookalike.index.contract import Check

__all__ = ["may_be_repaired", "repair_file"]

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
