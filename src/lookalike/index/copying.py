"""A copy of any index in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.index.sqlite import SqliteStore

if TYPE_CHECKING:
    import os

    from lookalike.index.contract import Store

__all__ = ["copy_to_file"]


def copy_to_file(store: Store, path: str | os.PathLike[str]) -> None:
    """Write the documents of a store to the file of a new index."""
    copy = SqliteStore.create(path, store.settings)
    try:
        with copy.writing() as writer, store.reading() as reader:
            for block in reader.rows():
                writer.put([row for _, row in block])
    finally:
        copy.close()
