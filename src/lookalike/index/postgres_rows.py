"""The columns of a document in PostgreSQL."""

from __future__ import annotations

import zlib
from array import array
from typing import TYPE_CHECKING, Any, Final

from lookalike.index.contract import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.tables.packed import Id

__all__ = ["COLUMNS", "id_of", "row_of", "stored", "values_of"]

COLUMNS: Final = "number, id, shingles, length, digest, keys, slots, checksum, body_checksum, body"


def id_of(stored: bytes, kind: str) -> Id:
    """Return an id from what is stored; numbers are stored in decimal."""
    text = bytes(stored).decode("utf-8", "replace")
    return int(text) if kind == "int" else text


def stored(id: Id) -> bytes:
    """Return an id as it is stored."""
    return str(id).encode("utf-8")


def values_of(number: int, row: Row) -> tuple[Any, ...]:
    """Return the columns of a row."""
    keys = memoryview(row.keys).cast("q").tolist()
    head = (number, stored(row.id), row.shingles, row.length, row.digest, keys, row.slots)
    return (*head, row.checksum(), zlib.crc32(row.body), row.body)


def row_of(found: Sequence[Any], kind: str) -> tuple[int, Row, bool]:
    """Return a row from its columns, and whether its checksums are right."""
    number, id, shingles, length, digest, keys, slots, head, own, body = found
    row = Row(id_of(id, kind), shingles, length, bytes(digest), array("q", keys).tobytes(), bytes(slots), bytes(body))
    return number, row, row.checksum() == head and zlib.crc32(row.body) == own
