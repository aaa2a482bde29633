"""How much the batches of an Arrow file expand to, by what they say of themselves: no batch is unpacked for that.

A file is a row of messages: the length of a header, the header, which is a table of FlatBuffers, and the body. Where a
batch is compressed, each buffer in its body begins with its length when it is unpacked. Arrow takes the memory for a
whole batch at once, before it has seen whether that is right.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Unpacked", "unpacked_batches"]

_MAGIC: Final = b"ARROW1\0\0"
_CONTINUES: Final = 0xFFFFFFFF
_DICTIONARY, _BATCH = 2, 3
_LONGEST_HEADER: Final = 64 << 20


class Unpacked(NamedTuple):
    """The bytes of a batch in the file, and when it is unpacked."""

    packed: int
    bytes: int


def unpacked_batches(file: BinaryIO) -> Iterator[Unpacked]:
    """Look at the compressed batches of a file or stream, one after the other; Arrow says what is wrong with others."""
    file.seek(len(_MAGIC) if file.read(len(_MAGIC)) == _MAGIC else 0)
    try:
        while header := _header(file):
            message = _Table(header, struct.unpack_from("<I", header)[0])
            start, length = file.tell(), message.number(3, "<q")
            batch = message.batch()
            if batch is not None and batch.field(3):
                yield Unpacked(length, sum(_lengths(file, start, batch)))
            file.seek(start + length)
    except (struct.error, ValueError, OSError):
        return


def _header(file: BinaryIO) -> bytes:
    (length,) = struct.unpack("<I", file.read(4))
    if length == _CONTINUES:
        (length,) = struct.unpack("<I", file.read(4))
    return file.read(length) if length <= _LONGEST_HEADER else b""


def _lengths(file: BinaryIO, start: int, batch: _Table) -> Iterator[int]:
    for offset, length in batch.pairs(2):
        if length >= 8:  # the size of that number; an empty buffer has none
            file.seek(start + offset)
            (unpacked,) = struct.unpack("<q", file.read(8))
            yield length if unpacked < 0 else unpacked  # -1 says that this one is not compressed


class _Table:
    """A table of FlatBuffers: fields by their numbers, each at a place that a list before it tells."""

    def __init__(self, data: bytes, place: int) -> None:
        self._data = data
        self._place = place

    def field(self, number: int) -> int:
        """Return where a field is; 0 if it is not there."""
        (back,) = struct.unpack_from("<i", self._data, self._place)
        fields = self._place - back
        (size,) = struct.unpack_from("<H", self._data, fields)
        if 4 + 2 * number >= size:
            return 0
        (offset,) = struct.unpack_from("<H", self._data, fields + 4 + 2 * number)
        return self._place + int(offset) if offset else 0

    def number(self, number: int, form: str) -> int:
        place = self.field(number)
        return int(struct.unpack_from(form, self._data, place)[0]) if place else 0

    def table(self, number: int) -> _Table:
        place = self.field(number)
        return _Table(self._data, place + int(struct.unpack_from("<I", self._data, place)[0]))

    def pairs(self, number: int) -> Iterator[tuple[int, int]]:
        """Give the pairs of numbers in a list."""
        place = self.field(number)
        place += struct.unpack_from("<I", self._data, place)[0]
        (count,) = struct.unpack_from("<I", self._data, place)
        for at in range(count):
            yield struct.unpack_from("<qq", self._data, place + 4 + 16 * at)

    def batch(self) -> _Table | None:
        """Return the batch that a message holds, by itself or as a dictionary."""
        kind = self.number(1, "<B")
        if kind == _DICTIONARY:
            return self.table(2).table(1)
        return self.table(2) if kind == _BATCH else None
