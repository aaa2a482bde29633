"""Compressed files as streams of bytes. Nothing is unpacked to disk, and nothing is believed that a header says."""

from __future__ import annotations

import io
import lzma
from typing import TYPE_CHECKING, BinaryIO, Final

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["DamagedError", "decompressed"]

_XZ_MEMORY: Final = 256 << 20  # more than `xz -9` needs; a header may ask for 4 GiB
_BLOCK: Final = 1 << 20


class DamagedError(Exception):
    """Compressed data that ends too early or is not what its name says; the message is for a person."""


def decompressed(raw: io.BufferedReader, compression: str | None) -> io.BufferedReader:
    """Return the stream that is in a compressed one; damage shows as `DamagedError` when it is read."""
    if compression is None:
        return raw
    inner = _Xz(raw) if compression == "xz" else _Codec(raw, compression)
    return io.BufferedReader(inner, _BLOCK)


class _Stream(io.RawIOBase):
    """The parts of a raw stream that are the same for all codecs."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer)
        data = self._more(len(view))
        view[: len(data)] = data
        return len(data)

    def _more(self, size: int) -> bytes:
        raise NotImplementedError

    def close(self) -> None:
        if not self.closed:
            self._raw.close()
        super().close()


class _Codec(_Stream):
    """gzip, bzip2, zstd and lz4, by Arrow's codecs; several members in one file follow each other."""

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


class _Xz(_Stream):
    """xz and lzma, by the standard library, which keeps to a limit of memory."""

    def __init__(self, raw: BinaryIO) -> None:
        super().__init__(raw)
        self._decompressor: lzma.LZMADecompressor | None = None

    def _more(self, size: int) -> bytes:
        while True:
            if self._decompressor is None:
                start = self._raw.read(_BLOCK)
                if not start:
                    return b""
                start = start.lstrip(b"\0")  # streams are padded with NUL
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
                    raise DamagedError("the xz data ends too early: the file is truncated")
                data = self._feed(more, size)
            else:
                data = self._feed(b"", size)
            if data:
                return data

    def _feed(self, data: bytes, size: int) -> bytes:
        if self._decompressor is None:
            self._decompressor = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)
        try:
            return self._decompressor.decompress(data, max_length=size)
        except lzma.LZMAError as error:
            raise DamagedError(f"the xz data is damaged ({error})") from None
