"""A new index from a source: filled portion by portion, and under its name only when it is whole."""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike.errors import StoreError
from lookalike.index.document_index import Index
from lookalike.index.index_documents import portions
from lookalike.index.index_files import being_built, remove_abandoned, sync_folder
from lookalike.index.store_opening import MEMORY, is_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import psycopg

    from lookalike.documents import Source

__all__ = ["Built", "build"]

_BESIDE: Final = ("", "-wal", "-shm", "-lock", "-journal")
"""What the names of the files of an index end in."""


class Built(NamedTuple):
    """What a new index is."""

    name: str
    """Without a user or a password."""
    documents: int
    bytes: int


def build(
    where: str,
    source: Source,
    *,
    progress: Callable[[int], None] | None = None,
    judge: Callable[[int], None] | None = None,
    threads: int = 0,
    **settings: Any,
) -> Built:
    """Make an index of all documents of a source; `settings` are those of `Index.open`.

    It is built under another name and gets its own when it is whole. What fails leaves nothing behind. `judge` is told
    how many documents were read, and may still refuse.
    """
    if where == MEMORY:
        raise StoreError(where, "would be lost at once", "give the name of a file, or a postgresql:// URL")
    placed = _new_schema(where) if is_server(where) else _new_file(where)
    with placed as (name, unfinished):
        try:
            with Index.open(unfinished, create=True, **settings) as index:
                added = _fill(index, source, threads, progress)
                if judge is not None:
                    judge(added)
                index.compact()
                size = index.info()["bytes"]
        except StoreError as error:  # which knows the other name only
            raise type(error)(name, error.problem, error.remedy) from error
    return Built(name, added, size)


def _fill(index: Index, source: Source, threads: int, progress: Callable[[int], None] | None) -> int:
    added = 0
    for portion in portions(source):

        def told(done: int, before: int = added) -> None:
            if progress is not None:
                progress(before + done)

        added += index.add(portion, threads=threads, progress=told)
    return added


def _there(name: str) -> StoreError:
    return StoreError(name, "exists already", "give another name, or add to it: lookalike index add")


@contextmanager
def _new_file(where: str) -> Iterator[tuple[str, str]]:
    """Give a name, and the name of a file that becomes `where`, unless something goes wrong."""
    path = Path(where)
    if os.path.lexists(path):
        raise _there(where)
    remove_abandoned(path)
    unfinished = path.with_name(f"{path.name}.new-{os.getpid()}-{os.urandom(4).hex()}")
    with being_built(unfinished):
        yield from _finished(where, path, unfinished)


def _finished(where: str, path: Path, unfinished: Path) -> Iterator[tuple[str, str]]:
    try:
        yield where, str(unfinished)
        log = unfinished.with_name(unfinished.name + "-wal")
        if log.exists() and log.stat().st_size:
            raise StoreError(where, "could not be finished: another process has opened it", "try again")
        try:
            os.link(unfinished, path)
        except FileExistsError:
            raise _there(where) from None
        except OSError:  # a file system without links
            unfinished.rename(path)
        sync_folder(path.parent)
    finally:
        for ending in _BESIDE:
            unfinished.with_name(unfinished.name + ending).unlink(missing_ok=True)


@contextmanager
def _new_schema(where: str) -> Iterator[tuple[str, str]]:
    """Give a name, and the place of a schema that becomes that of `where`, unless something goes wrong."""
    from lookalike.index.postgres_store import Address, connect, read_settings, server_errors

    address = Address.of(where)

    def check_new(connection: psycopg.Connection[Any]) -> None:
        if read_settings(connection, address) is not None:
            raise _there(address.name)

    with server_errors(address.name), connect(address) as connection:
        check_new(connection)
    unfinished = f"lookalike_new_{os.urandom(8).hex()}"
    try:
        yield address.name, f"{address.url}#{unfinished}"
        with server_errors(address.name), connect(address) as connection:
            check_new(connection)
            connection.execute(f"ALTER SCHEMA {unfinished} RENAME TO {address.schema}")
    except BaseException:
        with suppress(StoreError), server_errors(address.name), connect(address) as connection:
            connection.execute(f"DROP SCHEMA IF EXISTS {unfinished} CASCADE")
        raise
