"""Data frames, of every library that `kinds` knows: one table each.

Most are held in memory; those that are not are read again, a part at a time, whenever their rows are needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.document_batches import TARGET, UNKNOWN_BYTES, Size
from lookalike.documents.kinds import Given, accepted
from lookalike.documents.source_parts import PartsSource
from lookalike.documents.table import DocumentTable, Rows, TablePart
from lookalike.documents.wrapped_tables import with_paths
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents.document_batches import Log
    from lookalike.documents.document_source import Identity, Source
    from lookalike.documents.table_columns import Choice

__all__ = [
    "STREAMED",
    "FrameStream",
    "FrameTable",
    "StreamTable",
    "frame_of_dask",
    "source_of_frame",
    "source_of_splits",
    "source_of_stream",
    "stream_of",
    "table_of",
    "table_of_frame",
]


# -- frames in memory --------------------------------------------------------------------------------------------------

NAME: Final = "the table"
_SAMPLES: Final = 64
_SAMPLED_CHARACTERS: Final = 4096


def source_of_frame(documents: object, given: Given, text: str | None, id_column: str | None) -> Source:
    """Open a data frame, of a kind that `Given.is_frame`."""
    return PartsSource(NAME, [_part(documents, given, text, id_column, NAME)])


def source_of_splits(splits: Mapping[str, object], text: str | None, id_column: str | None) -> Source:
    """Open several data frames by name, one after the other; each id begins with the name of its frame."""
    parts = [_part(frame, accepted(frame), text, id_column, str(name), split=True) for name, frame in splits.items()]
    return PartsSource("the tables", parts)


def source_of_stream(stream: FrameStream, text: str) -> Source:
    """Open a stream whose rows are identified by position."""
    table = with_paths(StreamTable(stream, NAME), text)
    return PartsSource(NAME, [TablePart(table, text, "")])


def _part(
    documents: object, given: Given, text: str | None, id_column: str | None, name: str, *, split: bool = False
) -> TablePart:
    if not given.is_frame:
        problem = f"is {type(documents).__name__}, not a table like the others"
        raise DocumentError(name, "table", problem, "give tables only, or texts only")
    table = table_of_frame(documents, given, text, id_column, name)
    return TablePart(table, text, id_column, split=name if split else None)


def table_of_frame(
    documents: object, given: Given, text: str | None, id_column: str | None, name: str = NAME
) -> DocumentTable:
    """Return the rows of a data frame, in which both columns may be named by a path."""
    table: DocumentTable
    if given in STREAMED:
        table = StreamTable(stream_of(documents, given), name)
    else:
        table = FrameTable(table_of(documents, given, text), name)
    return with_paths(table, text, id_column)


def table_of(documents: Any, given: Given, text_column: str | None = None) -> pa.Table:
    """Return the Arrow data of what was passed: a stream can be read only once, and a table is not copied."""
    import pyarrow as pa

    if given is Given.POLARS_LAZY:
        documents = documents.collect()
    elif given is Given.ARROW_SCANNER:
        documents = documents.to_table()
    elif given is Given.DUCKDB and not hasattr(documents, "__arrow_c_stream__"):
        documents = documents.arrow()
    if given is Given.DATASET and not hasattr(documents, "__arrow_c_stream__"):
        # The format "arrow" respects a selection or a shuffle, which `data` ignores.
        found = documents.with_format("arrow")[:]
        return found if isinstance(found, pa.Table) else pa.table(found)
    if hasattr(documents, "__arrow_c_stream__"):
        return _exported(documents, text_column)
    if hasattr(documents, "__arrow_c_array__"):
        return _of_column(pa.chunked_array([pa.array(documents)]))
    if given is Given.PANDAS:  # before it exported streams
        return _of_pandas(documents, text_column)
    if given in (Given.POLARS, Given.POLARS_LAZY):  # before it exported streams
        found = documents.to_arrow()
        return found if isinstance(found, pa.Table) else _of_column(pa.chunked_array([found]))
    return _exported(documents.data.table, text_column)


def _of_pandas(documents: Any, text_column: str | None) -> pa.Table:
    import pyarrow as pa

    try:
        if hasattr(documents, "columns"):
            return pa.Table.from_pandas(documents, preserve_index=False)
        return _of_column(pa.chunked_array([pa.array(documents, from_pandas=True)]))
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise _no_export(documents, text_column, error) from None


def _exported(documents: Any, text_column: str | None) -> pa.Table:
    import pyarrow as pa

    if isinstance(documents, pa.Table):
        return documents
    if isinstance(documents, pa.ChunkedArray):
        return _of_column(documents)
    try:
        return pa.RecordBatchReader.from_stream(documents).read_all()
    except (pa.ArrowException, ValueError, TypeError) as error:
        column = _as_column(documents)
        if column is not None:
            return column
        raise _no_export(documents, text_column, error) from None


def _as_column(documents: Any) -> pa.Table | None:
    """Return a single column, such as a pandas or polars series of texts, as a table."""
    import pyarrow as pa

    try:
        return _of_column(pa.chunked_array(documents))
    except (pa.ArrowException, ValueError, TypeError):
        return None


def _of_column(column: pa.ChunkedArray[Any]) -> pa.Table:
    import pyarrow as pa

    if isinstance(column.type, pa.StructType):
        return pa.Table.from_struct_array(column)
    return pa.Table.from_arrays([column], names=["text"])


def _no_export(documents: Any, text_column: str | None, error: Exception) -> DocumentError:
    """Return why a frame could not be read; look for the row whose text is not text."""
    try:
        values = list(documents[text_column or "text"])
    except (KeyError, TypeError, IndexError):
        values = []
    for number, value in enumerate(values):
        if not isinstance(value, str | None) and value == value:  # noqa: PLR0124 - NaN means missing in pandas
            column = text_column or "text"
            problem = f"is {type(value).__name__}, not text"
            return DocumentError(number, f"column {column!r}", problem, "give texts only, for example by .astype(str)")
    lines = str(error).splitlines()
    problem = f"cannot be exported as Arrow data ({lines[0] if lines else type(error).__name__})"
    return DocumentError(None, "documents", problem, "give only the columns that are needed, each of one type")


class FrameTable(DocumentTable):
    """A table in memory."""

    def __init__(self, table: pa.Table, name: str = NAME) -> None:
        """Take a table."""
        self.name = name
        self._table = table

    def identify(self, identity: Identity) -> None:
        """Add the number of rows, the columns, and some of the rows."""
        table = self._table
        identity.add(table.num_rows, [str(field) for field in table.schema])
        for part in range(min(table.num_rows, _SAMPLES)):
            (row,) = table.slice(part * table.num_rows // min(table.num_rows, _SAMPLES), 1).to_pylist()
            identity.add({name: str(value)[:_SAMPLED_CHARACTERS] for name, value in row.items()})

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Return its schema."""
        del wanted
        return self._table.schema

    def size(self, text: str) -> Size:
        """Count rows and bytes."""
        import pyarrow as pa

        column = self._table.column(text)
        try:
            return Size(self._table.num_rows, column.nbytes)
        except pa.ArrowTypeError:  # views, with an older pyarrow
            return Size(self._table.num_rows, column.get_total_buffer_size())

    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Yield slices of the table, without a copy."""
        del log
        table = self._table if whole else self._table.select(choice.columns)
        each = max(1, self.size(choice.text).bytes // max(1, table.num_rows))
        start = 0
        for batch in table.to_batches(max_chunksize=max(1, TARGET // each)):
            yield Rows(batch, range(start, start + batch.num_rows))
            start += batch.num_rows


# -- frames that are not held ------------------------------------------------------------------------------------------

STREAMED: Final = frozenset({Given.ARROW_DATASET, Given.DATASET_STREAM, Given.DASK, Given.DAFT, Given.RAY})
"""What is read as a stream; every other frame is held in memory already, or can be read only once."""

_ROWS: Final = 256
"""Rows that are asked for at a time."""


@dataclass(frozen=True, slots=True)
class FrameStream:
    """Rows that can be read more than once, without being held."""

    read: Callable[[Sequence[str] | None], Iterator[pa.RecordBatch]]
    """Begins with the first row; reads the columns of these names, or all."""
    schema: pa.Schema
    rows: int | None = None
    bytes: int = UNKNOWN_BYTES


def stream_of(documents: Any, given: Given) -> FrameStream:
    """Return the rows of a frame of a kind in `STREAMED`."""
    if given is Given.ARROW_DATASET:
        return FrameStream(lambda names: documents.to_batches(columns=names), documents.schema)
    if given is Given.DAFT:
        return FrameStream(lambda names: _of_daft(documents, names), documents.schema().to_pyarrow_schema())
    if given is Given.DATASET_STREAM:
        return _of_dataset(documents)
    if given is Given.DASK:
        frame = frame_of_dask(documents)
        return FrameStream(lambda names: _of_dask(frame, names), _first_schema(_of_dask(frame, None), frame))
    return FrameStream(lambda names: _of_ray(documents, names), _first_schema(_of_ray(documents, None), documents))


def _first_schema(batches: Iterator[pa.RecordBatch], documents: Any) -> pa.Schema:
    """Return the columns of the first rows; of a frame without rows, those that it names."""
    import pyarrow as pa

    first = next((batch for batch in batches if batch.num_rows), None)
    if first is not None:
        return first.schema
    names: Any = getattr(documents, "columns", ())
    return pa.schema([(str(name), pa.null()) for name in (names() if callable(names) else names)])


def _of_dataset(documents: Any) -> FrameStream:
    info = getattr(documents, "info", None)
    features = getattr(documents, "features", None)
    schema = getattr(features, "arrow_schema", None) or _first_schema(_of_iterable(documents, None), documents)
    return FrameStream(
        lambda names: _of_iterable(documents, names), schema, bytes=getattr(info, "dataset_size", None) or UNKNOWN_BYTES
    )


def _of_iterable(documents: Any, names: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    if getattr(documents, "features", None) is not None:
        for table in documents.with_format("arrow").iter(_ROWS):
            yield from (table if names is None else _chosen(table, names)).to_batches()
        return
    # Rows of unknown types: Arrow may infer another type for each, so columns are built here.
    for rows in documents.with_format(None).iter(_ROWS):
        yield _of_columns(rows, names)


def _of_columns(columns: Mapping[str, list[Any]], names: Sequence[str] | None) -> pa.RecordBatch:
    """Return columns of Python values as rows; if all are asked for, those that Arrow cannot hold are skipped."""
    import pyarrow as pa

    made: dict[str, pa.Array[Any]] = {}
    count = len(next(iter(columns.values()), ()))
    for name in columns if names is None else names:
        try:
            made[name] = pa.array(columns[name]) if name in columns else pa.nulls(count)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            if names is not None:
                problem = f"has values that do not go together ({str(error).splitlines()[0][:100]})"
                raise DocumentError("the table", f"column {name!r}", problem, "give values of one type") from None
    return pa.RecordBatch.from_pydict(made)


def _chosen(table: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return some columns; one that these rows do not have is null."""
    import pyarrow as pa

    columns = [table[name] if name in table.column_names else pa.nulls(table.num_rows) for name in names]
    return pa.Table.from_arrays(columns, names=list(names))


def _of_daft(documents: Any, names: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    yield from (documents if names is None else documents.select(*names)).to_arrow_iter()


def _of_ray(documents: Any, names: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    chosen = documents if names is None else documents.select_columns(list(names))
    for table in chosen.iter_batches(batch_size=_ROWS, batch_format="pyarrow"):
        yield from table.to_batches()


def frame_of_dask(documents: Any) -> Any:
    """Return a frame of Dask; a series becomes its only column."""
    return documents.to_frame(documents.name or "text") if documents.ndim == 1 else documents


def _of_dask(frame: Any, names: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    chosen = frame if names is None else frame[list(names)]
    for number in range(chosen.npartitions):
        part = chosen.partitions[number].compute()
        yield from pa.Table.from_pandas(part, preserve_index=False).to_batches()


class StreamTable(DocumentTable):
    """A table that is read again each time."""

    def __init__(self, stream: FrameStream, name: str) -> None:
        """Take a stream."""
        self.name = name
        self._stream = stream

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Return its schema."""
        del wanted
        return self._stream.schema

    def size(self, text: str) -> Size:
        """Return what the stream says of itself."""
        del text
        return Size(self._stream.rows, self._stream.bytes)

    def identify(self, identity: Identity) -> None:
        """Take the columns and the first rows: the others are known only once they are read."""
        identity.add([str(field) for field in self._stream.schema])
        first = next(self._stream.read(None), None)
        if first is not None:
            identity.add([str(row)[:_ROWS] for row in first.slice(0, 8).to_pylist()])

    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Read from the first row."""
        del log
        start = 0
        for batch in self._stream.read(None if whole else choice.columns):
            if batch.num_rows:
                yield Rows(batch, range(start, start + batch.num_rows))
                start += batch.num_rows
