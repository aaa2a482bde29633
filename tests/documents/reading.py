"""What the tests of documents share: reading a whole source, and a child process without the rights of root."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from lookalike.documents import open_paths

if TYPE_CHECKING:
    from pathlib import Path

    from lookalike.documents import Source

__all__ = ["UNPRIVILEGED", "documents", "flags_of", "reasons", "rows", "text_of", "texts"]

# Root may read everything. What is imported late must be imported before: nobody may look into root's folders.
UNPRIVILEGED: Final = """
import os

def drop_privileges():
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
"""


def documents(source: Source) -> dict[Any, str]:
    """Read all documents, checking what every batch promises."""
    found: dict[Any, str] = {}
    kinds: set[str] = set()
    for batch in source.batches():
        assert len(batch) == len(batch.ids) == len(batch.texts) > 0
        assert batch.rows is None
        ids, read = batch.ids.to_arrow(), batch.texts.to_arrow()
        assert ids.type == (pa.int64() if batch.ids.are_numbers else pa.large_string())
        assert read.type == pa.large_string()
        ids.validate(full=True)
        read.validate(full=True)
        assert ids.to_pylist() == list(batch.ids)
        kinds.add(str(ids.type))
        found.update(zip(batch.ids, batch.texts, strict=True))
    assert len(kinds) <= 1
    return found


def texts(source: Source) -> list[str]:
    """Read all texts."""
    return list(documents(source).values())


def rows(source: Source) -> list[dict[str, Any]]:
    """Read all whole rows of documents."""
    found: list[dict[str, Any]] = []
    for batch in source.batches(rows=True):
        assert batch.rows is not None
        chosen = [True] * batch.rows.num_rows if batch.is_document is None else batch.is_document.to_pylist()
        assert len(batch) == chosen.count(True)
        assert source.schema is not None
        assert batch.rows.schema.equals(source.schema)
        batch.rows.validate(full=True)
        found += itertools.compress(batch.rows.to_pylist(), chosen)
    return found


def reasons(source: Source) -> dict[str, str]:
    """Say for each skipped thing why; read the source first."""
    return {skipped.id: skipped.reason for skipped in source.skipped()}


def text_of(folder: Path, name: str, data: bytes | str) -> str:
    """Write a document to a folder, and read its text."""
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    source = open_paths([folder / name])
    found = documents(source)
    assert list(found) == [(folder / name).as_posix()], source.skipped()
    return next(iter(found.values()))


def flags_of(folder: Path, name: str, data: bytes | str) -> dict[str, tuple[str, int]]:
    """Write a document to a folder, and read its flags."""
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    source = open_paths([folder / name])
    documents(source)
    found = source.flags().get((folder / name).as_posix(), [])
    return {flag.kind: (flag.detail, flag.count) for flag in found}
