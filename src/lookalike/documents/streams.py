"""Data frames that are not held: they are read anew, a part at a time, whenever their rows are needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.given import Given
from lookalike.documents.model import UNKNOWN_BYTES, Size
from lookalike.documents.table import Rows, Table
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents.columns import Choice
    from lookalike.documents.identity import Identity
    from lookalike.documents.log import Log

__all__ = ["STREAMED", "Stream", "StreamTable", "frame_of_dask", "stream_of"]

STREAMED: Final = frozenset({Given.ARROW_DATASET, Given.DATASET_STREAM, Given.DASK, Given.DAFT, Given.RAY})
"""What is read as a stream; every other frame is held in memory already, or can be read only once."""

_ROWS: Final = 256
"""Rows that are asked for at a time."""


@dataclass(frozen=True, slots=True)
class Stream:
    """Rows that can be read more than once, without being held."""

    read: Callable[[Sequence[str] | None], Iterator[pa.RecordBatch]]
    """Begins with the first row; reads the columns of these names, or all."""
    schema: pa.Schema
    rows: int | None = None
    bytes: int = UNKNOWN_BYTES


def stream_of(documents: Any, given: Given) -> Stream:
    """Return the rows of a frame of a kind in `STREAMED`."""
    if given is Given.ARROW_DATASET:
        return Stream(lambda names: documents.to_batches(columns=names), documents.schema)
    if given is Given.DAFT:
        return Stream(lambda names: _of_daft(documents, names), documents.schema().to_pyarrow_schema())
    if given is Given.DATASET_STREAM:
        return _of_dataset(documents)
    if given is Given.DASK:
        frame = frame_of_dask(documents)
        return Stream(lambda names: _of_dask(frame, names), _first_schema(_of_dask(frame, None), frame))
    return Stream(lambda names: _of_ray(documents, names), _first_schema(_of_ray(documents, None), documents))


def _first_schema(batches: Iterator[pa.RecordBatch], documents: Any) -> pa.Schema:
    """Return the columns of the first rows; of a frame without rows, those that it names."""
    import pyarrow as pa

    first = next((batch for batch in batches if batch.num_rows), None)
    if first is not None:
        return first.schema
    names: Any = getattr(documents, "columns", ())
    return pa.schema([(str(name), pa.null()) for name in (names() if callable(names) else names)])


def _of_dataset(documents: Any) -> Stream:
    info = getattr(documents, "info", None)
    features = getattr(documents, "features", None)
    schema = getattr(features, "arrow_schema", None) or _first_schema(_of_iterable(documents, None), documents)
    return Stream(
        lambda names: _of_iterable(documents, names), schema, bytes=getattr(info, "dataset_size", None) or UNKNOWN_BYTES
    )


def _of_iterable(documents: Any, names: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    if getattr(documents, "features", None) is not None:
        for table in documents.with_format("arrow").iter(_ROWS):
            yield from (table if names is None else _chosen(table, names)).to_batches()
        return
    # Rows of unknown types: each may have another as Arrow sees it, so they are put together here.
    for rows in documents.with_format(None).iter(_ROWS):
        yield _of_columns(rows, names)


def _of_columns(columns: Mapping[str, list[Any]], names: Sequence[str] | None) -> pa.RecordBatch:
    """Return columns of Python values as rows; if all are asked for, those that Arrow does not know are left out."""
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


class StreamTable(Table):
    """A table that is read anew each time."""

    def __init__(self, stream: Stream, name: str) -> None:
        """Take a stream."""
        self.name = name
        self._stream = stream

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Return its schema."""
        del wanted
        return self._stream.schema

    def size(self, text: str) -> Size:
        """Say what the stream tells of itself."""
        del text
        return Size(self._stream.rows, self._stream.bytes)

    def identify(self, identity: Identity) -> None:
        """Take the columns and the first rows: the others are known only when they are read."""
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
