"""Parquet files: only the columns that are needed are decoded, a batch at a time."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lookalike.documents.batching import TARGET
from lookalike.documents.columns import names_of
from lookalike.documents.inputs import open_error
from lookalike.documents.source import Size
from lookalike.documents.table import Rows, Table
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    import pyarrow.parquet as pq

    from lookalike.documents.columns import Choice
    from lookalike.documents.log import Log

__all__ = ["ParquetTable"]

_FEWEST_ROWS: Final = 64
_MOST_ROWS: Final = 1 << 16


class ParquetTable(Table):
    """One Parquet file."""

    def __init__(self, name: str, path: str) -> None:
        """Take a file; it is opened when first needed."""
        self.name = name
        self._path = path

    @cached_property
    def _metadata(self) -> pq.FileMetaData:
        with self._open() as file:
            return file.metadata

    def _open(self) -> pq.ParquetFile:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return pq.ParquetFile(self._path, pre_buffer=False)
        except OSError as error:
            if error.errno is None:
                raise self._damaged(error) from None
            raise open_error(self.name, error) from None
        except (pa.ArrowException, ValueError) as error:
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> DocumentError:
        size = Path(self._path).stat().st_size if Path(self._path).exists() else 0
        problem = f"is not a readable Parquet file ({_first_line(error)})" if size else "is empty"
        return DocumentError(self.name, "file", problem, "write it again, or give it its right name")

    @cached_property
    def _schema(self) -> pa.Schema:
        with self._open() as file:
            try:
                names_of(file.schema_arrow)
            except ValueError as error:
                raise self._damaged(error) from None
            return file.schema_arrow

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Return the columns of the file."""
        del wanted
        return self._schema

    def size(self, text: str) -> Size:
        """Take the number of rows and the size of the column from the end of the file."""
        return Size(self._metadata.num_rows, self._text_bytes(text))

    def _text_bytes(self, text: str) -> int:
        metadata = self._metadata
        number = next((i for i in range(metadata.num_columns) if metadata.schema.column(i).path == text), None)
        if number is None:
            return Path(self._path).stat().st_size
        groups = range(metadata.num_row_groups)
        return sum(metadata.row_group(group).column(number).total_uncompressed_size for group in groups)

    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Decode batch after batch."""
        import pyarrow as pa

        del log
        each = max(1, self._text_bytes(choice.text) // max(1, self._metadata.num_rows))
        count = min(max(TARGET // each, _FEWEST_ROWS), _MOST_ROWS)
        start = 0
        try:
            with self._open() as file:
                for batch in file.iter_batches(count, columns=None if whole else choice.columns):
                    yield Rows(batch, range(start, start + batch.num_rows))
                    start += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            problem = f"cannot be read after row {start} ({_first_line(error)})"
            raise DocumentError(self.name, "file", problem, "write it again, or leave it out") from None


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0][:160] if lines else type(error).__name__
