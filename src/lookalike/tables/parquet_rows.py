"""Rows as Parquet, written in row groups of a good size, of which one is held at a time."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CODEC", "CODECS", "ParquetRows"]

CODEC: Final = "zstd"
"""Unless the rows came with another."""
CODECS: Final = ("zstd", "snappy", "gzip", "lz4", "brotli", "none")
_GROUP_BYTES: Final = 32 << 20
"""Bytes of rows, unpacked, at which a row group ends, however few rows it has: so much is held."""
_GROUP_ROWS: Final = 1 << 20


class ParquetRows:
    """Rows as Parquet."""

    def __init__(self, stream: IO[bytes], schema: pa.Schema, codec: str = CODEC, group_rows: int | None = None) -> None:
        """Begin the file; `group_rows` are put together in a row group, as long as they are not too many bytes."""
        from pyarrow.parquet import ParquetWriter

        self._schema = schema
        self._writer = ParquetWriter(stream, schema, compression=cast("Any", codec))
        self._most = group_rows or _GROUP_ROWS
        self._held: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows, or keep them until there are enough for a group."""
        start = 0
        while start < batch.num_rows:
            piece = batch.slice(start, self._most - self._rows)
            self._held.append(piece)
            self._rows += piece.num_rows
            self._bytes += piece.nbytes
            start += piece.num_rows
            if self._rows >= self._most or self._bytes >= _GROUP_BYTES:
                self._end_group()

    def _end_group(self) -> None:
        import pyarrow as pa

        if self._held:
            self._writer.write_table(pa.Table.from_batches(self._held, self._schema), row_group_size=self._rows)
        self._held, self._rows, self._bytes = [], 0, 0

    def close(self) -> None:
        """End the file."""
        self._end_group()
        self._writer.close()
