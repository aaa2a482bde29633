"""Streams that compress what is written to them."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ENDINGS", "squeezed", "unclosed"]

ENDINGS: Final = {"gzip": "gz", "zstd": "zst"}
"""Codec → how the name of a compressed file of lines ends."""


class _Unclosed(io.RawIOBase):
    """A stream that pyarrow may close without closing the one behind it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(data)
        return len(data)


def unclosed(stream: IO[bytes]) -> IO[bytes]:
    """Return a stream that can be closed without closing the one that is given."""
    return cast("IO[bytes]", _Unclosed(stream))


@contextmanager
def squeezed(stream: IO[bytes], codec: Any) -> Iterator[IO[bytes]]:
    """Give a stream that compresses into another; without a codec, that other one."""
    if codec is None:
        yield stream
        return
    import pyarrow as pa

    with pa.CompressedOutputStream(pa.PythonFile(_Unclosed(stream), "w"), codec) as packed:
        yield cast("IO[bytes]", packed)
