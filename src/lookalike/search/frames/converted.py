"""Data that is read as a table of Arrow, all at once or part by part, and made what it was afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lookalike.documents.arrow import source_of_stream, table_of
from lookalike.documents.arrow_columns import columns_of
from lookalike.documents.columns import choose
from lookalike.documents.given import Given, given_as
from lookalike.documents.streams import stream_of
from lookalike.errors import DocumentError
from lookalike.search.frames.face import Frame, as_texts, column_at
from lookalike.search.frames.held import ArrowFrame
from lookalike.search.frames.rows import TextRows
from lookalike.tables.number_columns import whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.tables.number_columns import Column

__all__ = ["HeldFrame", "StreamedFrame"]


class HeldFrame(ArrowFrame):
    """Data that can be read once, or that is best read once: its table is held."""

    def __init__(self, data: Any) -> None:
        self._given, self._kind = data, given_as(data)
        super().__init__(table_of(data, self._kind))

    def filter(self, kept: Column) -> Any:
        return self._like_before(super().filter(kept))

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        return self._like_before(super().with_texts(column, texts))

    def _like_before(self, table: pa.Table) -> Any:
        if self._kind is Given.ARROW_READER:
            return table.to_reader()
        return _relation(self._given, table) if self._kind is Given.DUCKDB else table


def _relation(like: Any, lookalike_kept: pa.Table) -> Any:  # noqa: ARG001 - the query names it
    """Return a table as a relation of the same connection, which finds it by the name of the argument."""
    return like.query("lookalike_rows", "SELECT * FROM lookalike_kept")


class StreamedFrame(Frame):
    """Data that is read part by part, once for the texts and once for each column that is asked for."""

    kind = "stream"

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self._kind = given_as(data)
        stream = stream_of(data, self._kind)
        self._rows: int | None = None
        self._stream = replace(stream, read=self._counting(stream.read))

    def _counting(
        self, read: Callable[[Sequence[str] | None], Iterator[pa.RecordBatch]]
    ) -> Callable[[Sequence[str] | None], Iterator[pa.RecordBatch]]:
        """Count the rows of the first full pass."""

        def counted(names: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
            rows = 0
            for batch in read(names):
                rows += batch.num_rows
                yield batch
            self._rows = rows

        return counted

    def __len__(self) -> int:
        """Return the number of rows, which takes a pass if there was none before."""
        if self._rows is None:
            for _ in self._stream.read(None):
                pass
        return self._rows or 0

    def documents(self, column: str | None) -> TextRows:
        return TextRows(source_of_stream(self._stream, self._name(column)), None)

    def _name(self, column: str | None) -> str:
        return choose(self.kind, columns_of(self._stream.schema), None, "").text if column is None else column

    def texts(self, column: str | None) -> Column:
        name = self._name(column)
        return as_texts(self.column(name), name)

    def column(self, name: str) -> Column:
        return column_at(name, self._stream.schema.names, self._read, self.kind)

    def _read(self, name: str) -> Column:
        import pyarrow as pa

        pieces = [batch.column(name) for batch in self._stream.read([name])]
        kind = next((piece.type for piece in pieces if not pa.types.is_null(piece.type)), pa.null())
        return whole(pa.chunked_array([piece.cast(kind) for piece in pieces], kind))

    def filter(self, kept: Column) -> Any:
        if self._kind is Given.DATASET_STREAM:
            return _kept_dataset(self.data, bytes(map(bool, kept.to_pylist())))
        if self._kind is Given.DASK:
            return _kept_dask(self.data, kept)
        table = self._kept_table(kept)
        if self._kind is Given.DAFT:
            import daft

            return daft.from_arrow(table)
        if self._kind is Given.RAY:
            import ray

            return ray.data.from_arrow(table)
        return table

    def _kept_table(self, kept: Column) -> pa.Table:
        import pyarrow as pa

        start = 0
        pieces: list[pa.RecordBatch] = []
        for batch in self._stream.read(None):
            pieces.append(batch.filter(kept.slice(start, batch.num_rows)))
            start += batch.num_rows
        return pa.Table.from_batches(pieces, pieces[0].schema if pieces else self._stream.schema)

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        del column, texts
        kind = type(self.data).__name__
        raise DocumentError(kind, "data", f"is {kind}, whose texts cannot be changed", "give it as a table in memory")


def _kept_dataset(data: Any, kept: bytes) -> Any:
    """Return an iterable dataset of the kept rows.

    It is one shard: several processes would each count the rows of their own shards from 0.
    """
    from datasets import IterableDataset

    def rows() -> Iterator[Any]:
        for number, row in enumerate(data):
            if kept[number]:
                yield row

    return IterableDataset.from_generator(rows, features=data.features)


def _kept_dask(data: Any, kept: Column) -> Any:
    """Return the kept rows of a frame or series of Dask, partition by partition, when they are asked for."""
    import dask.dataframe as dd
    from dask.delayed import delayed

    mask = kept.to_numpy(zero_copy_only=False)
    lengths = data.map_partitions(len).compute()
    parts, start = [], 0
    for part, length in zip(data.to_delayed(), lengths, strict=True):
        parts.append(delayed(_rows_of)(part, mask[start : start + length]))
        start += length
    return dd.from_delayed(parts, meta=data.head(0), divisions=data.divisions)


def _rows_of(part: Any, mask: Any) -> Any:
    return part[mask]
