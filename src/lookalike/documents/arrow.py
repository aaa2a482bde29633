"""Data frames, of every library that `given` knows: one table each, held or streamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.batching import TARGET
from lookalike.documents.given import Given, accepted
from lookalike.documents.model import Size
from lookalike.documents.nested import with_paths
from lookalike.documents.parts import PartsSource
from lookalike.documents.streams import STREAMED, Stream, StreamTable, stream_of
from lookalike.documents.table import Rows, Table, TablePart
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents.columns import Choice
    from lookalike.documents.identity import Identity
    from lookalike.documents.log import Log
    from lookalike.documents.source import Source

__all__ = ["FrameTable", "source_of_frame", "source_of_splits", "source_of_stream", "table_of", "table_of_frame"]

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


def source_of_stream(stream: Stream, text: str) -> Source:
    """Open a stream whose rows are called by their positions."""
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


def table_of_frame(documents: object, given: Given, text: str | None, id_column: str | None, name: str = NAME) -> Table:
    """Return the rows of a data frame, in which both columns may be named by a path."""
    table: Table
    if given in STREAMED:
        table = StreamTable(stream_of(documents, given), name)
    else:
        table = FrameTable(table_of(documents, given, text), name)
    return with_paths(table, text, id_column)


def table_of(documents: Any, given: Given, text_column: str | None = None) -> pa.Table:
    """Take the Arrow data out of what was given, once: a stream can be read only once, and a table is not copied."""
    import pyarrow as pa

    if given is Given.POLARS_LAZY:
        documents = documents.collect()
    elif given is Given.ARROW_SCANNER:
        documents = documents.to_table()
    elif given is Given.DUCKDB and not hasattr(documents, "__arrow_c_stream__"):
        documents = documents.arrow()
    if given is Given.DATASET and not hasattr(documents, "__arrow_c_stream__"):
        # The format "arrow" minds a selection or a shuffle, which `data` does not know of.
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
    """Take a single column, such as a pandas or polars series of texts."""
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
    """Say why a frame could not be taken; look for the row of the text column that is no text."""
    try:
        values = list(documents[text_column or "text"])
    except (KeyError, TypeError, IndexError):
        values = []
    for number, value in enumerate(values):
        if not isinstance(value, str | None) and value == value:  # noqa: PLR0124 - NaN stands for nothing in pandas
            column = text_column or "text"
            problem = f"is {type(value).__name__}, not text"
            return DocumentError(number, f"column {column!r}", problem, "give texts only, for example by .astype(str)")
    lines = str(error).splitlines()
    problem = f"cannot be given as Arrow data ({lines[0] if lines else type(error).__name__})"
    return DocumentError(None, "documents", problem, "give only the columns that are needed, each of one type")


class FrameTable(Table):
    """A table in memory."""

    def __init__(self, table: pa.Table, name: str = NAME) -> None:
        """Take a table."""
        self.name = name
        self._table = table

    def identify(self, identity: Identity) -> None:
        """Say how many rows there are, of which columns, and what is in some of them."""
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
        """Give slices of the table, without a copy."""
        del log
        table = self._table if whole else self._table.select(choice.columns)
        each = max(1, self.size(choice.text).bytes // max(1, table.num_rows))
        start = 0
        for batch in table.to_batches(max_chunksize=max(1, TARGET // each)):
            yield Rows(batch, range(start, start + batch.num_rows))
            start += batch.num_rows
