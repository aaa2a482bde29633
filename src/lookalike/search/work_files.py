"""What is read back from the files of a work folder.

A checksum finds damage. Beyond that, everything that the core will use as a number is checked, whoever wrote it: no
pair of documents that do not exist, no impossible overlap reaches the core. Files are checked block by block before
they are held, so a file that only claims to be large takes no memory.
"""

from __future__ import annotations

import operator
import struct
import zlib
from itertools import islice
from typing import TYPE_CHECKING, Final

from lookalike.errors import LookalikeError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

__all__ = ["ENTRY", "Entry", "RecordedFile", "check_hot", "check_pairs", "check_rows", "check_verified", "entries_in"]

Entry = tuple[int, int, int, int]
"""A part of the rows: input, batch, documents, where it begins."""
ENTRY: Final = struct.Struct("<IQIQ")
_FOUND: Final = struct.Struct("<5Q")
"""A verified pair: both numbers in one, shared, of a, of b, union; `_NONE` as the union marks what is no pair."""
_NONE: Final = 2**64 - 1
_SHORT: Final = 2**63
"""Marks a pair that shares short passages only: in place of its union are the bits of its score, at most `_ONE`."""
_ONE: Final = 0x3FF0 << 48
_BLOCK: Final = 27_720 * 40
"""Bytes that are read at once: whole records of every file."""


class RecordedFile:
    """One file, as far as it is recorded."""

    def __init__(self, path: Path, length: int, checksum: int) -> None:
        """Take what the manifest says of it."""
        self.path, self.length, self.checksum = path, length, checksum

    def blocks(self) -> Iterator[bytes]:
        """Yield the file block by block; that its checksum is another shows at its end."""
        checksum, left = 0, self.length
        if self.length:
            with self.path.open("rb") as file:
                while left and (block := file.read(min(_BLOCK, left))):
                    left -= len(block)
                    checksum = zlib.crc32(block, checksum)
                    yield block
        self.demand(not left and checksum == self.checksum)

    def read(self, size: int, check: Callable[[Iterable[bytes]], bool]) -> bytes:
        """Return a file of records of `size` bytes whose blocks pass the check; nothing is kept before they did."""
        self.demand(self.length % size == 0)
        blocks = self.blocks()
        self.demand(check(blocks))
        for _ in blocks:  # to the end, for the checksum
            pass
        if not self.length:
            return b""
        with self.path.open("rb") as file:
            return file.read(self.length)

    def demand(self, holds: bool) -> None:
        """Refuse the file unless that holds."""
        if not holds:
            raise LookalikeError(f"{self.path} is damaged; start again in a new folder")


def entries_in(stored: RecordedFile, rows: int) -> list[Entry]:
    """Return the parts of a file of rows of this size: in their order, none beyond its end, none twice."""
    entries: list[Entry] = []
    seen: set[tuple[int, int]] = set()
    start = 0
    stored.demand(stored.length % ENTRY.size == 0)
    for block in stored.blocks():
        for entry in ENTRY.iter_unpack(block):
            input_, batch, documents, offset = entry
            stored.demand(start <= offset <= rows - documents and (input_, batch) not in seen)
            seen.add((input_, batch))
            start = offset + documents  # a row has many bytes
            entries.append(entry)
    return entries


def check_rows(entries: Iterable[Entry], counts: list[int], row: int, length: int) -> bool:
    """Return whether parts are those of inputs with this many documents, side by side in a file of this size."""
    found = [0] * len(counts)
    end = 0
    for input_, _, documents, offset in entries:
        if offset != end or input_ >= len(counts):
            return False
        end += documents * row
        found[input_] += documents
    return end == length and found == counts


def check_pairs(blocks: Iterable[bytes], documents: int) -> bool:
    """Return whether packed pairs are of documents that are there, the lesser number first, sorted, each once."""
    before = -1
    for block in blocks:
        pairs = memoryview(block).cast("Q")
        # Packed as one little-endian number, a is the upper half.
        halves = memoryview(block).cast("I")
        a, b = halves[1::2], halves[0::2]
        rising = pairs[0] > before and all(map(operator.lt, pairs, islice(pairs, 1, None)))
        if not rising or not all(map(operator.lt, a, b)) or max(b) >= documents:
            return False
        before = pairs[-1]
    return True


def check_hot(blocks: Iterable[bytes], documents: int) -> bool:
    """Return whether hot documents are there, and no more than there are."""
    number = 0
    for block in blocks:
        hot = memoryview(block).cast("I")
        number += len(hot)
        if number > documents or max(hot) >= documents:
            return False
    return True


def check_verified(blocks: Iterable[bytes], documents: int) -> bool:
    """Return whether what was verified can be: pairs of documents that are there, with overlaps that sets can have."""
    return all(_can_be(record, documents) for block in blocks for record in _FOUND.iter_unpack(block))


def _can_be(record: tuple[int, ...], documents: int) -> bool:
    pair, shared, of_a, of_b, union = record
    a, b = pair >> 32, pair & 0xFFFF_FFFF
    if union == _NONE and shared != _NONE:  # how many pairs have short passages only
        return pair == 0 and shared < 2**63
    if not a < b < documents:
        return False
    if union & _SHORT and union != _NONE:  # a pair with short passages only, and the bits of its score
        return union ^ _SHORT <= _ONE and shared <= min(of_a, of_b) and max(of_a, of_b) < 2**62
    return union == _NONE or (shared <= min(of_a, of_b) and max(of_a, of_b) <= union < 2**63)
