"""Tables, data frames and datasets that are in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.documents.arrow_columns import columns_of, texts_as
from lookalike.documents.columns import NULL, OTHER, TEXT, choose
from lookalike.documents.columns import Column as Described
from lookalike.documents.paths_inside import check_outer
from lookalike.search.frames.face import Frame, as_texts, check_name, column_at, column_of
from lookalike.tables.number_columns import compute, whole

if TYPE_CHECKING:
    import pyarrow as pa

    from lookalike.tables.number_columns import Column

__all__ = ["ArrowFrame", "DatasetFrame", "PandasFrame", "PolarsFrame"]


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
        return self.data.filter(kept)


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
