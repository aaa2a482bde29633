"""Compressed files as streams of bytes. Nothing is unpacked to disk, and nothing is believed that a header says."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Buffer

__all__ = ["DamagedError", "ExpandedError", "decompressed"]

_XZ_MEMORY: Final = 256 << 20  # more than `xz -9` needs; a header may ask for 4 GiB
_BLOCK: Final = 1 << 20


class DamagedError(Exception):
    """Compressed data that ends too early or is not what its name says; the message is for a person."""


class ExpandedError(DamagedError):
    """Compressed data that expands to more than it may."""


def decompressed(raw: io.BufferedReader, compression: str | None, most: int | None = None) -> io.BufferedReader:
    """Return the stream that is in a compressed one; damage shows as `DamagedError` when it is read.

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
                raise DamagedError(f"the {self._compression} data ends too early: the file is truncated") from None
            raise DamagedError(f"the {self._compression} data is damaged ({error})") from None


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Gzip:
    """One member of a gzip file, with the face that the standard library gives to the others."""

    def __init__(self) -> None:
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
        # All that was given may be taken in, and some of it not yet given out.
        self._full = bool(self._inner.unconsumed_tail) or len(found) == max_length
        return found


_MAKERS: Final[dict[str, Callable[[], _Decompressor]]] = {
    "gzip": _Gzip,
    "bz2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(memlimit=_XZ_MEMORY),
}


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
                    raise DamagedError(f"the {self._compression} data ends too early: the file is truncated")
                data = self._feed(more, size)
            else:
                data = self._feed(b"", size)
            if data:
                return data

    def _feed(self, data: bytes, size: int) -> bytes:
        if self._decompressor is None:
            self._decompressor = _MAKERS[self._compression]()
        try:
            return self._decompressor.decompress(data, size)
        except (lzma.LZMAError, zlib.error, OSError) as error:
            raise DamagedError(f"the {self._compression} data is damaged ({error})") from None
