"""What the tests of documents share: reading a whole source, and a child process without the rights of root."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

if TYPE_CHECKING:
    from lookalike.documents import Source

__all__ = ["UNPRIVILEGED", "documents", "reasons", "rows", "texts"]

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
        assert batch.ids.type in (pa.int64(), pa.large_string())
        assert batch.texts.type == pa.large_string()
        assert batch.ids.null_count == batch.texts.null_count == 0
        assert batch.rows is None
        batch.ids.validate(full=True)
        batch.texts.validate(full=True)
        kinds.add(str(batch.ids.type))
        read: list[Any] = batch.texts.to_pylist()
        found.update(zip(batch.ids.to_pylist(), read, strict=True))
    assert len(kinds) <= 1
    return found


def texts(source: Source) -> list[str]:
    """Read all texts."""
    return list(documents(source).values())


def rows(source: Source) -> list[dict[str, Any]]:
    """Read all whole rows."""
    found: list[dict[str, Any]] = []
    for batch in source.batches(rows=True):
        assert batch.rows is not None
        assert len(batch) == batch.rows.num_rows
        assert source.schema is not None
        assert batch.rows.schema.equals(source.schema)
        batch.rows.validate(full=True)
        found += batch.rows.to_pylist()
    return found


def reasons(source: Source) -> dict[str, str]:
    """Say for each skipped thing why; read the source first."""
    return {skipped.id: skipped.reason for skipped in source.skipped()}
