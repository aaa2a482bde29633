"""The columns of a document in PostgreSQL."""

from __future__ import annotations

import struct
import zlib
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from lookalike.index.contract import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lookalike.tables.packed import Id

__all__ = ["COLUMNS", "HEAD", "copied", "head_of", "id_of", "row_of", "stored", "values_of"]

HEAD: Final = "number, id, shingles, length, digest, keys, slots, checksum"
COLUMNS: Final = f"{HEAD}, body_checksum, body"

_BEGIN: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END: Final = b"\xff\xff"
_INT8: Final = 20
"""The type of the elements of an array, as PostgreSQL numbers types."""
_FIRST: Final = struct.Struct(">hiqi")  # ten columns, the number, and the length of the id
_MIDDLE: Final = struct.Struct(">iqiqi")
_LAST: Final = struct.Struct(">iqiqi")


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


def head_of(found: Sequence[Any], kind: str) -> tuple[int, Row, bool]:
    """Return a row without its body from its columns, and whether its checksum is right."""
    number, id, shingles, length, digest, keys, slots, expected = found
    row = Row(id_of(id, kind), shingles, length, bytes(digest), array("q", keys).tobytes(), bytes(slots), b"")
    return number, row, row.checksum() == expected


def copied(first: int, rows: Sequence[Row]) -> Iterator[bytes]:
    """Give rows, numbered from `first` on, as COPY takes them in binary.

    The driver could do it from `values_of`, but turns arrays into bytes number by number, which takes longer than all
    else that is done here for a row.
    """
    bands = len(rows[0].keys) // 8
    array_of = struct.Struct(">6i" + "iq" * bands)
    keys: list[int] = [20 + 12 * bands, 1, 0, _INT8, bands, 1] + [8] * (2 * bands)
    yield _BEGIN
    for number, row in enumerate(rows, first):
        id = stored(row.id)
        keys[7::2] = memoryview(row.keys).cast("q").tolist()
        yield b"".join(
            (
                _FIRST.pack(10, 8, number, len(id)),
                id,
                _MIDDLE.pack(8, row.shingles, 8, row.length, len(row.digest)),
                row.digest,
                array_of.pack(*keys),
                len(row.slots).to_bytes(4, "big"),
                row.slots,
                _LAST.pack(8, row.checksum(), 8, zlib.crc32(row.body), len(row.body)),
                row.body,
            )
        )
    yield _END


def row_of(found: Sequence[Any], kind: str) -> tuple[int, Row, bool]:
    """Return a row from its columns, and whether its checksums are right."""
    *head, expected, body = found
    number, row, right = head_of(head, kind)
    return number, replace(row, body=bytes(body)), right and zlib.crc32(body) == expected
