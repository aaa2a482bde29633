"""The kinds of data that `drop_near_duplicates` and its like take and give back: one small face for all of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.arrow_columns import columns_of, texts_as, texts_of
from lookalike.documents.columns import OTHER, TEXT, choose
from lookalike.documents.columns import Column as Described
from lookalike.documents.given import Given, given_as
from lookalike.errors import DocumentError
from lookalike.tables.columns import compute, counting, whole

if TYPE_CHECKING:
    import pyarrow as pa

    from lookalike.tables.columns import Column

__all__ = ["Frame", "frame_of"]


class Frame(ABC):
    """Rows with a text each, of whatever type."""

    kind: str
    """What a message calls it."""

    def __init__(self, data: Any) -> None:
        """Take the data; nothing is copied."""
        self.data = data

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.data)

    @abstractmethod
    def texts(self, column: str | None) -> Column | list[str | None]:
        """Return the text of each row, None or null where there is none."""

    @abstractmethod
    def filter(self, kept: Column) -> Any:
        """Return the data of the same type with the kept rows only."""

    @abstractmethod
    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        """Return data of the same type with these texts in the place of those that `texts` returned."""

    def column(self, name: str) -> Column:
        """Return the values of a column."""
        problem = f"does not exist: a {self.kind} has no columns"
        raise DocumentError(self.kind, f"column {name!r}", problem, "give a table, or the values themselves: values=…")

    def ids(self) -> Column:
        """Return what a plan calls the rows, if no column is named: their positions."""
        import pyarrow as pa

        return counting(len(self)).cast(pa.int64())


class _Texts(Frame):
    """A list or tuple of texts, or of rows that are dicts."""

    kind = "list"

    def texts(self, column: str | None) -> list[str | None]:
        values = self.data if column is None else self._values(column)
        return [_checked(row, text) for row, text in enumerate(values)]

    def column(self, name: str) -> Column:
        return _array(self._values(name), name)

    def _values(self, name: str) -> list[Any]:
        for row, value in enumerate(self.data):
            if not isinstance(value, Mapping):
                problem = f"is {type(value).__name__}, which has no column {name!r}"
                raise DocumentError(row, "row", problem, "give a list of dicts, or no column")
        if self.data and not any(name in row for row in self.data):
            raise DocumentError(self.kind, f"column {name!r}", "does not exist", "name one that the rows have")
        return [row.get(name) for row in self.data]

    def filter(self, kept: Column) -> Any:
        chosen = compress(self.data, kept.to_pylist())
        return tuple(chosen) if isinstance(self.data, tuple) else list(chosen)

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        rows: list[Any] = texts
        if column is not None:
            pairs = zip(self.data, texts, strict=True)
            rows = [row if text is None else {**row, column: text} for row, text in pairs]
        return tuple(rows) if isinstance(self.data, tuple) else rows


class _Dict(Frame):
    """A dict of texts by id."""

    kind = "dict"

    def texts(self, column: str | None) -> list[str | None]:
        if column is not None:
            self.column(column)
        return [_checked(name, text) for name, text in self.data.items()]

    def ids(self) -> Column:
        return _array(list(self.data), "id")

    def filter(self, kept: Column) -> Any:
        return dict(compress(self.data.items(), kept.to_pylist()))

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        del column  # there is none
        return dict(zip(self.data, texts, strict=True))


class _Arrow(Frame):
    """A table, record batch, array or column in pieces of pyarrow."""

    kind = "Arrow table"

    def _schema(self) -> pa.Schema | None:
        return getattr(self.data, "schema", None)

    def texts(self, column: str | None) -> Column:
        schema = self._schema()
        if schema is None:
            if column is not None:
                super().column(column)
            return _as_texts(whole(self.data), "array")
        name = choose(self.kind, columns_of(schema), column, "").text
        return _as_texts(self.column(name), name)

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
        import pyarrow as pa

        schema = self._schema()
        if schema is None:
            made = texts_as(texts, self.data.type)
            return pa.chunked_array([made]) if isinstance(self.data, pa.ChunkedArray) else made
        name = choose(self.kind, columns_of(schema), column, "").text
        field = schema.field(schema.names.index(name))
        return self.data.set_column(schema.names.index(name), field, texts_as(texts, field.type))

    def column(self, name: str) -> Column:
        schema = self._schema()
        if schema is None:
            return super().column(name)
        _check_name(self.kind, name, schema.names)
        return whole(self.data.column(schema.names.index(name)))

    def filter(self, kept: Column) -> Any:
        return self.data.filter(kept)


class _Pandas(Frame):
    """A data frame or series of pandas; the index stays with the rows."""

    kind = "data frame"

    def texts(self, column: str | None) -> Column:
        series = self.data
        if hasattr(self.data, "columns"):
            series = self._series(self._chosen() if column is None else column)
        elif column is not None:
            super().column(column)
        return _as_texts(_array(series, str(series.name), "text"), str(series.name))

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
            _check_name(self.kind, name, names)
            return self.data.iloc[:, names.index(name)]
        _check_name(self.kind, name, [str(known) for known in names])
        return self.data.iloc[:, [str(known) for known in names].index(name)]

    def column(self, name: str) -> Column:
        return _array(self._series(name), name) if hasattr(self.data, "columns") else super().column(name)

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
        series = self._series(self._chosen() if column is None else column)
        frame = self.data.copy(deep=False)
        frame.isetitem(list(frame.columns).index(series.name), changed(series))
        return frame


class _Polars(Frame):
    """A data frame, lazy frame or series of polars; a lazy frame is collected, and lazy again afterwards."""

    kind = "data frame"

    def __init__(self, data: Any) -> None:
        self.lazy = type(data).__name__ == "LazyFrame"
        super().__init__(data.collect() if self.lazy else data)

    def texts(self, column: str | None) -> Column:
        if not hasattr(self.data, "columns"):
            if column is not None:
                super().column(column)
            return _as_texts(self._arrow(self.data), "series")
        name = self._chosen(column)
        return _as_texts(self.column(name), name)

    def _chosen(self, column: str | None) -> str:
        import polars as pl

        texts = (pl.String, pl.Categorical, pl.Enum)
        described = [
            Described(name, TEXT if dtype in texts else OTHER, str(dtype))
            for name, dtype in zip(self.data.columns, self.data.dtypes, strict=True)
        ]
        return choose(self.kind, described, column, "").text

    def column(self, name: str) -> Column:
        if not hasattr(self.data, "columns"):
            return super().column(name)
        _check_name(self.kind, name, self.data.columns)
        return self._arrow(self.data.get_column(name))

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
        made = self.data.with_columns(changed(self.data.get_column(self._chosen(column))))
        return made.lazy() if self.lazy else made


class _Dataset(Frame):
    """A Dataset of Hugging Face: the rows are selected, nothing is written."""

    kind = "dataset"

    def texts(self, column: str | None) -> Column:
        name = choose(self.kind, columns_of(self.data.features.arrow_schema), column, "").text
        return _as_texts(self.column(name), name)

    def column(self, name: str) -> Column:
        _check_name(self.kind, name, self.data.column_names)
        return whole(self.data.select_columns([name]).with_format("arrow")[:].column(name))

    def filter(self, kept: Column) -> Any:
        return self.data.select(compute().indices_nonzero(kept).to_pylist())

    def with_texts(self, column: str | None, texts: list[str | None]) -> Any:
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


_FACES: Final[dict[Given, type[Frame]]] = {
    Given.ARROW: _Arrow,
    Given.PANDAS: _Pandas,
    Given.POLARS: _Polars,
    Given.POLARS_LAZY: _Polars,
    Given.DATASET: _Dataset,
    Given.MAPPING: _Dict,
    Given.SEQUENCE: _Texts,
    Given.PATHS: _Texts,
}


def frame_of(data: Any) -> Frame:
    """Return the face of some data.

    >>> frame_of(["one", "two"]).kind
    'list'
    >>> frame_of({"a", "b"})
    Traceback (most recent call last):
        ...
    lookalike.errors.DocumentError: document 'set': data is set; give a list, a dict, or a table of pyarrow, pandas, \
polars or Hugging Face datasets
    """
    face = _FACES.get(given_as(data))
    if face is not None:
        return face(data)
    kind = type(data).__name__
    tables = "a table of pyarrow, pandas, polars or Hugging Face datasets"
    raise DocumentError(kind, "data", f"is {kind}", f"give a list, a dict, or {tables}")


def _checked(row: Any, text: Any) -> str | None:
    if text is None or isinstance(text, str):
        return text
    raise DocumentError(row, "text", f"is {type(text).__name__}, not str", "give its text as str, or None")


def _check_name(kind: str, name: Any, names: Sequence[Any]) -> None:
    """Raise an error that lists the columns, unless there is exactly one of that name."""
    from lookalike.recipe import suggest

    count = list(names).count(name)
    if count == 1:
        return
    listed = ", ".join(repr(str(known)) for known in names[:12]) + (" …" if len(names) > 12 else "")
    problem = f"is there {count} times" if count else f"does not exist; the columns are {listed}"
    remedy = suggest(name, [str(known) for known in names]) or "name another"
    raise DocumentError(kind, f"column {name!r}", problem, "give every column its own name" if count else remedy)


def _array(values: Any, name: str, what: str = "value") -> Column:
    """Return Python values as a column; NaN is none."""
    import pyarrow as pa

    try:
        return whole(pa.array(values, from_pandas=True))
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        first = str(error).partition("\n")[0][:100]
        problem = f"has values that do not go together ({first})"
        raise DocumentError(what, f"column {name!r}", problem, "give values of one type") from None


def _as_texts(column: Column, name: str) -> Column:
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_null(kind) or "string" in str(kind) or pa.types.is_dictionary(kind)):
        raise DocumentError(name, "text", f"is {kind}, not text", "name the column of texts with text_column")
    texts, bad, _ = texts_of(column)
    if bad:
        raise DocumentError(bad[0], "text", "is not valid UTF-8", "give its text as str")
    return texts
