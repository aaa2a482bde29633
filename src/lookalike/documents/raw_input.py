"""Bytes that can be read more than once, from a file or from a pipe that was saved; decompressed, within limits.

Nothing is unpacked to disk, and nothing that a header says is trusted. One set of limits holds for every reader: it
keeps a process below 300 MB, whatever a file claims or expands to. Texts and tables that a program already holds are
not limited.
"""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol

from lookalike.errors import DocumentError, check_whole
from lookalike.opening import STDIN, Spool, check_file, descriptor_of, is_null, open_error, open_file, stdin

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

__all__ = [
    "COMPRESSED_FACTOR",
    "HARMLESS",
    "LIMITS",
    "MOST_COLUMNS",
    "DamagedDataError",
    "ExpandedError",
    "Limits",
    "RawInput",
    "decompressed",
    "file_input",
    "of_stdin",
    "too_many_columns",
]

# -- limits ------------------------------------------------------------------------------------------------------------

HARMLESS: Final = 256 << 20
"""Bytes that any compressed or dictionary-encoded file may expand to, however small it is."""

MOST_COLUMNS: Final = 10_000
"""Columns of one table."""

_BASE: Final = 128 << 20
"""Bytes of a process besides the document that it reads: Python, the libraries, rows and buffers."""
_TIMES: Final = 12
"""How many times its size a document takes while it is read and signed: in several forms, next to others."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is skipped or refused for its size.

    >>> Limits(document=1 << 20).too_large("it")
    'it is larger than 1 MiB; --max-document SIZE (in Python: Limits(document=...)) allows more'
    """

    document: int = 16 << 20
    """Bytes of one document: a text file, a line of JSON, a cell, the text of a PDF. A larger one is skipped."""
    expansion: int = 200
    """How many times its size a file may expand to, beyond 256 MiB. One that expands to more is refused."""
    memory: int | None = None
    """The budget for which `document` was lowered, if it was."""

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_whole("max_document", self.document, 1)
        check_whole("max_expansion", self.expansion, 1)

    def within(self, memory: int | None) -> Limits:
        """Return limits under which one document never takes a process beyond a budget of memory.

        >>> Limits(document=10**9).within(600_000_000).document
        38815189
        """
        most = self.document if memory is None else max(1 << 20, (memory - _BASE) // _TIMES)
        return self if most >= self.document else replace(self, document=most, memory=memory)

    def most(self, packed: int) -> int:
        """Return how many bytes a file of `packed` bytes may expand to."""
        return max(HARMLESS, packed * self.expansion)

    def allows_whole(self, packed: int, unpacked: int) -> bool:
        """Return whether something that is held whole may expand to this many bytes: a quarter of what a file may."""
        return unpacked <= max(HARMLESS // 4, packed * self.expansion)

    def native(self) -> tuple[int, int, int, int]:
        """Return the limits as the native readers take them."""
        largest = 2**63 - 1
        return min(self.document, largest), min(self.expansion, largest), HARMLESS, MOST_COLUMNS

    def too_large(self, what: str) -> str:
        """Say that something is larger than a document may be, and how to read it anyway."""
        if self.memory is not None:
            budget = f"what fits into a memory of {_size(self.memory)}"
            return f"{what} is larger than {_size(self.document)}, {budget}; give more --memory (in Python: memory=...)"
        option = "--max-document SIZE (in Python: Limits(document=...))"
        return f"{what} is larger than {_size(self.document)}; {option} allows more"

    def expands(self) -> str:
        """Say that something expands to more than it may, and how to read it anyway."""
        option = "--max-expansion N (in Python: Limits(expansion=N))"
        return f"expands to more than {self.expansion:,} times its size; if that is right, {option} allows more"

    def expansion_error(self, name: str) -> DocumentError:
        """Return the error for a file that expands to more than it may."""
        problem, remedy = self.expands().split("; ", 1)
        return DocumentError(name, "file", problem, remedy)


LIMITS: Final = Limits()
"""The limits unless others are given."""


def too_many_columns(name: str) -> DocumentError:
    """Return the error for a table with more columns than a table may have."""
    remedy = "check what separates its cells, or write only the columns that are needed"
    return DocumentError(name, "table", f"has more than {MOST_COLUMNS:,} columns", remedy)


def _size(count: int) -> str:
    """Return a number of bytes as a person writes it.

    >>> [_size(count) for count in (16 << 20, 600_000_000, 1 << 30, 5000)]
    ['16 MiB', '600 MB', '1 GiB', '5 kB']
    """
    for power, unit in ((3, "G"), (2, "M"), (1, "K")):
        if count and count % 1024**power == 0:
            return f"{count // 1024**power} {unit}iB"
    for power, unit in ((3, "G"), (2, "M"), (1, "k")):
        if count >= 1000**power:
            return f"{count / 1000**power:.4g} {unit}B"
    return f"{count} bytes"


# -- compressed streams ------------------------------------------------------------------------------------------------

_XZ_MEMORY: Final = 256 << 20  # more than `xz -9` needs; a header may ask for 4 GiB
_BLOCK: Final = 1 << 20


class DamagedDataError(Exception):
    """Compressed data that ends too early or is not what its name says; the message is for the user."""


class ExpandedError(DamagedDataError):
    """Compressed data that expands to more than it may."""


def decompressed(raw: io.BufferedReader, compression: str | None, most: int | None = None) -> io.BufferedReader:
    """Return the stream that is in a compressed one; damage shows as `DamagedDataError` when it is read.

    A stream that expands to more than `most` bytes is an `ExpandedError`.
    """
    if compression is None:
        return raw
    inner = _Members(raw, compression) if compression in _MAKERS else _Codec(raw, compression)
    inner.most = most
    return io.BufferedReader(inner, _BLOCK)


class _Stream(io.RawIOBase):
    """The parts of a raw stream that are the same for all codecs."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._given = 0
        self.most: int | None = None
        """How many bytes there may be."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        data = self._more(len(view))
        self._given += len(data)
        if self.most is not None and self._given > self.most:
            raise ExpandedError("it expands to too many times its size")
        view[: len(data)] = data
        return len(data)

    def _more(self, size: int) -> bytes:
        raise NotImplementedError

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _Codec(_Stream):
    """zstd and lz4, by Arrow's codecs; several members in one file follow each other."""

    def __init__(self, raw: BinaryIO, compression: str) -> None:
        import pyarrow as pa

        super().__init__(raw)
        self._compression = compression
        self._stream = pa.CompressedInputStream(pa.PythonFile(raw, "r"), compression)  # type: ignore[arg-type]

    def _more(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except OSError as error:
            if error.errno is not None:  # the disk, not the data
                raise
            if "runcated" in str(error):
                raise DamagedDataError(f"the {self._compression} data ends too early: the file is truncated") from None
            raise DamagedDataError(f"the {self._compression} data is damaged ({error})") from None


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Gzip:
    """One member of a gzip file, with the interface of the decompressors of the standard library."""

    def __init__(self) -> None:
        import zlib

        self._inner = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        self._full = False

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.eof and not self._full

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        found = self._inner.decompress(self._inner.unconsumed_tail + data, max(0, max_length))
        # All input may have been consumed, and some output still be pending.
        self._full = bool(self._inner.unconsumed_tail) or len(found) == max_length
        return found


def _bz2() -> _Decompressor:
    import bz2

    return bz2.BZ2Decompressor()


def _xz() -> _Decompressor:
    import lzma

    return lzma.LZMADecompressor(memlimit=_XZ_MEMORY)


_MAKERS: Final[dict[str, Callable[[], _Decompressor]]] = {"gzip": _Gzip, "bz2": _bz2, "xz": _xz}


class _Members(_Stream):
    """gzip, bzip2, xz and lzma, by the standard library; several members in one file follow each other."""

    def __init__(self, raw: BinaryIO, compression: str) -> None:
        super().__init__(raw)
        self._compression = compression
        self._decompressor: _Decompressor | None = None

    def _more(self, size: int) -> bytes:
        while True:
            if self._decompressor is None:
                start = self._raw.read(_BLOCK)
                if not start:
                    return b""
                start = start.lstrip(b"\0")  # members are padded with NUL
                data = self._feed(start, size) if start else b""
            elif self._decompressor.eof:
                rest = self._decompressor.unused_data.lstrip(b"\0")
                self._decompressor = None
                if not rest:
                    continue
                data = self._feed(rest, size)
            elif self._decompressor.needs_input:
                more = self._raw.read(_BLOCK)
                if not more:
                    raise DamagedDataError(f"the {self._compression} data ends too early: the file is truncated")
                data = self._feed(more, size)
            else:
                data = self._feed(b"", size)
            if data:
                return data

    def _feed(self, data: bytes, size: int) -> bytes:
        import lzma
        import zlib

        if self._decompressor is None:
            self._decompressor = _MAKERS[self._compression]()
        try:
            return self._decompressor.decompress(data, size)
        except (lzma.LZMAError, zlib.error, OSError) as error:
            raise DamagedDataError(f"the {self._compression} data is damaged ({error})") from None


# -- inputs ------------------------------------------------------------------------------------------------------------

COMPRESSED_FACTOR: Final = 3
"""How many times its size a compressed file counts for, before it is read."""


@dataclass(frozen=True, slots=True)
class RawInput:
    """Where some bytes are, and what to call them."""

    name: str
    path: str | None
    compression: str | None = None
    spool: Spool | None = None
    limits: Limits = LIMITS

    def open(self) -> io.BufferedReader:
        """Open the bytes, decompressed, from the start; `OSError` and `DamagedDataError` are for the caller."""
        most = self.limits.most(self.packed_size()) if self.compression else None
        return decompressed(self.open_packed(), self.compression, most)

    def open_packed(self) -> io.BufferedReader:
        """Open the bytes as they are."""
        if self.spool is not None:
            return self.spool.open()
        if self.path is None:
            raise FileNotFoundError(self.name)
        return open_file(self.path)

    def size(self) -> int:
        """Return roughly how many bytes there are; 0 for a file that is gone."""
        size = self.packed_size()
        return size * COMPRESSED_FACTOR if self.compression else size

    def stamp(self) -> tuple[int, int] | None:
        """Return size and time of a file, which show a change; None for what is not a file, or is gone."""
        try:
            status = None if self.path is None else Path(self.path).stat()
        except OSError:
            return None
        return None if status is None else (status.st_size, status.st_mtime_ns)

    def packed_size(self) -> int:
        """Return how many bytes there are, as they are; 0 for a file that is gone."""
        if self.spool is not None:
            return self.spool.size
        try:
            return Path(self.path).stat().st_size if self.path is not None else 0
        except OSError:
            return 0


def file_input(path: Path, name: str, compression: str | None, limits: Limits = LIMITS) -> RawInput:
    """Return the input for a path; a pipe that the shell has opened can be read only once, and is saved first."""
    try:
        if (descriptor := descriptor_of(path)) is not None:
            with os.fdopen(os.dup(descriptor), "rb") as stream:
                return RawInput(name, None, compression, Spool(stream, name), limits)
        if is_null(path):
            return RawInput(name, None, compression, Spool(io.BytesIO(), name), limits)
        check_file(path)
    except OSError as error:
        raise open_error(name, error) from None
    return RawInput(name, str(path), compression, limits=limits)


def of_stdin(limits: Limits = LIMITS) -> RawInput:
    """Read standard input to its end."""
    return RawInput(STDIN, None, None, Spool(stdin(), STDIN), limits)
