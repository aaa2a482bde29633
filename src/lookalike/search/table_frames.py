"""Tables, data frames and datasets: in memory, or read as Arrow and converted back afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lookalike.documents.arrow_columns import columns_of, texts_as, without_views
from lookalike.documents.data_frames import source_of_stream, stream_of, table_of
from lookalike.documents.kinds import Given, given_as
from lookalike.documents.table_columns import NULL, OTHER, TEXT, check_outer, choose
from lookalike.documents.table_columns import TableColumn as Described
from lookalike.errors import DocumentError
from lookalike.search.frames import Frame, TextRows, as_texts, check_name, column_at, column_of
from lookalike.tables.columns import compute, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.tables.columns import Column

__all__ = ["ArrowFrame", "DatasetFrame", "HeldFrame", "PandasFrame", "PolarsFrame", "StreamedFrame"]


class ArrowFrame(Frame):
    """A table, record batch, array or column in pieces of pyarrow."""

    kind = "Arrow table"

    def _schema(self) -> pa.Schema | None:
        return getattr(self.data, "schema", None)

    def texts(self, column: str | None) -> Column:
        schema = self._schema()
        if schema is None:
            if column is not None:
                super().column(column)
            return as_texts(whole(self.data), "array")
        name = choose(self.kind, columns_of(schema), None, "").text if column is None else column
        return as_texts(self.column(name), name)

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        import pyarrow as pa

        schema = self._schema()
        if schema is None:
            made = texts_as(texts, self.data.type)
            return pa.chunked_array([made]) if isinstance(self.data, pa.ChunkedArray) else made
        check_outer(column or "", schema.names)
        name = choose(self.kind, columns_of(schema), column, "").text
        field = schema.field(schema.names.index(name))
        return self.data.set_column(schema.names.index(name), field, texts_as(texts, field.type))

    def column(self, name: str) -> Column:
        schema = self._schema()
        if schema is None:
            return super().column(name)
        names = schema.names
        return column_at(name, names, lambda own: whole(self.data.column(names.index(own))), self.kind)

    def filter(self, kept: Column) -> Any:
        import pyarrow as pa

        schema = self._schema()
        own = pa.schema([("", self.data.type)]) if schema is None else schema
        plain = without_views(own)
        if plain == own:
            return self.data.filter(kept)
        to, back = (plain, own) if schema is not None else (plain.field(0).type, self.data.type)
        return self.data.cast(to).filter(kept).cast(back)


class PandasFrame(Frame):
    """A data frame or series of pandas; the index stays with the rows."""

    kind = "data frame"

    def texts(self, column: str | None) -> Column:
        if not hasattr(self.data, "columns"):
            if column is not None:
                super().column(column)
            return as_texts(column_of(self.data, str(self.data.name), "text"), str(self.data.name))
        name = self._chosen() if column is None else column
        return as_texts(self._values(name, "text"), str(name))

    def _values(self, name: Any, what: str) -> Column:
        names = list(self.data.columns)
        if name in names:
            return column_of(self._series(name), str(name), what)
        shown = [str(known) for known in names]
        return column_at(name, shown, lambda own: column_of(self._series(own), own, what), self.kind)

    def _chosen(self) -> Any:
        """Return the column of texts; the others may hold what Arrow does not know."""
        names = list(self.data.columns)
        described = [
            Described(str(name), TEXT if self._has_texts(place) else OTHER) for place, name in enumerate(names)
        ]
        chosen = choose(self.kind, described, None, "").text
        return names[[str(name) for name in names].index(chosen)]

    def _has_texts(self, place: int) -> bool:
        values = self.data.iloc[:, place].dropna()
        return len(values) > 0 and isinstance(values.iloc[0], str)

    def _series(self, name: Any) -> Any:
        names = list(self.data.columns)
        if name in names:
            check_name(self.kind, name, names)
            return self.data.iloc[:, names.index(name)]
        check_name(self.kind, name, [str(known) for known in names])
        return self.data.iloc[:, [str(known) for known in names].index(name)]

    def column(self, name: str) -> Column:
        return self._values(name, "value") if hasattr(self.data, "columns") else super().column(name)

    def filter(self, kept: Column) -> Any:
        return self.data[kept.to_numpy(zero_copy_only=False)]

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        import pandas as pd

        def changed(series: Any) -> Any:
            # A category cannot be added to; a missing value stays the one that it was.
            kind = None if isinstance(series.dtype, pd.CategoricalDtype) else series.dtype
            made = pd.Series(texts, index=series.index, name=series.name, dtype=kind)
            return made.where(made.notna(), series) if kind is not None else made

        if not hasattr(self.data, "columns"):
            return changed(self.data)
        check_outer(column or "", [str(name) for name in self.data.columns])
        series = self._series(self._chosen() if column is None else column)
        frame = self.data.copy(deep=False)
        frame.isetitem(list(frame.columns).index(series.name), changed(series))
        return frame


class PolarsFrame(Frame):
    """A data frame, lazy frame or series of polars; a lazy frame is collected, and lazy again afterwards."""

    kind = "data frame"

    def __init__(self, data: Any) -> None:
        self.lazy = type(data).__name__ == "LazyFrame"
        super().__init__(data.collect() if self.lazy else data)

    def texts(self, column: str | None) -> Column:
        if not hasattr(self.data, "columns"):
            if column is not None:
                super().column(column)
            return as_texts(self._arrow(self.data), "series")
        name = self._chosen(None) if column is None else column
        return as_texts(self.column(name), name)

    def _chosen(self, column: str | None) -> str:
        import polars as pl

        texts = (pl.String, pl.Categorical, pl.Enum)
        described = [
            Described(name, TEXT if dtype in texts else NULL if dtype == pl.Null else OTHER, str(dtype))
            for name, dtype in zip(self.data.columns, self.data.dtypes, strict=True)
        ]
        return choose(self.kind, described, column, "").text

    def column(self, name: str) -> Column:
        if not hasattr(self.data, "columns"):
            return super().column(name)
        return column_at(name, self.data.columns, lambda own: self._arrow(self.data.get_column(own)), self.kind)

    @staticmethod
    def _arrow(series: Any) -> Column:
        made: Column = whole(series.rechunk().to_arrow())
        return made

    def filter(self, kept: Column) -> Any:
        import polars as pl

        mask = pl.from_arrow(kept)
        chosen = self.data.filter(mask)
        return chosen.lazy() if self.lazy else chosen

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        import polars as pl

        def changed(series: Any) -> Any:
            made = pl.Series(series.name, texts, dtype=pl.String)
            return made if series.dtype == pl.Enum else made.cast(series.dtype)  # an Enum cannot be added to

        if not hasattr(self.data, "columns"):
            return changed(self.data)
        check_outer(column or "", self.data.columns)
        made = self.data.with_columns(changed(self.data.get_column(self._chosen(column))))
        return made.lazy() if self.lazy else made


class DatasetFrame(Frame):
    """A Dataset of Hugging Face: the rows are selected, nothing is written."""

    kind = "dataset"

    def texts(self, column: str | None) -> Column:
        schema = self.data.features.arrow_schema
        name = choose(self.kind, columns_of(schema), None, "").text if column is None else column
        return as_texts(self.column(name), name)

    def column(self, name: str) -> Column:
        def read(own: str) -> Column:
            return whole(self.data.select_columns([own]).with_format("arrow")[:].column(own))

        return column_at(name, self.data.column_names, read, self.kind)

    def filter(self, kept: Column) -> Any:
        return self.data.select(compute().indices_nonzero(kept).to_pylist())

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        check_outer(column or "", self.data.column_names)
        name = choose(self.kind, columns_of(self.data.features.arrow_schema), column, "").text

        def changed(_: Any, rows: list[int]) -> dict[str, list[str | None]]:
            return {name: [texts[row] for row in rows]}

        # Its own way to change a column: the features, the format and all other columns stay.
        return self.data.map(
            changed,
            batched=True,
            with_indices=True,
            input_columns=[name],
            features=self.data.features,
            load_from_cache_file=False,
        )


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
