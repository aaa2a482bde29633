"""Arrow IPC files and streams, also known as Feather."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lookalike.documents.arrow_columns import names_of
from lookalike.documents.arrow_messages import unpacked_batches
from lookalike.documents.inputs import Input
from lookalike.documents.limits import LIMITS, Limits
from lookalike.documents.model import Form, Size
from lookalike.documents.table import Rows, Table
from lookalike.documents.table_errors import not_a_table, unread_after
from lookalike.errors import DocumentError
from lookalike.opening import check_file, open_error, open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents.columns import Choice
    from lookalike.documents.log import Log

__all__ = ["ArrowFile"]

_FILE_MAGIC: Final = b"ARROW1"
_OLD_FEATHER: Final = b"FEA1"


class ArrowFile(Table):
    """One file, in the form with an index at its end or in that of a stream.

    It is read, not mapped: a mapped file that somebody cuts off meanwhile ends the process.
    """

    def __init__(self, name: str, path: str, limits: Limits = LIMITS) -> None:
        """Take a file; it is opened when first needed."""
        self.name = name
        self._path = path
        self._limits = limits

    @property
    def file(self) -> Input:
        """The file."""
        return Input(self.name, self._path, limits=self._limits)

    @property
    def form(self) -> Form:
        """Arrow's own."""
        return Form("arrow")

    @property
    def packed(self) -> int:
        """The size of the file."""
        return self.file.packed_size()

    @cached_property
    def _is_file(self) -> bool:
        try:
            with open_file(self._path) as file:
                start = file.read(len(_FILE_MAGIC))
        except OSError as error:
            raise open_error(self.name, error) from None
        if start.startswith(_OLD_FEATHER):
            raise DocumentError(self.name, "file", "is in the first Feather format", "write it again as Feather 2")
        return start == _FILE_MAGIC

    @cached_property
    def _schema(self) -> pa.Schema:
        import pyarrow as pa

        is_file = self._is_file
        try:
            with pa.OSFile(self._path, "r") as source:
                schema = (pa.ipc.open_file(source) if is_file else pa.ipc.open_stream(source)).schema
                names_of(schema)
                return schema
        except (pa.ArrowException, OSError, ValueError) as error:
            raise not_a_table(self.name, "Arrow", error, Path(self._path).stat().st_size) from None

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Return the columns of the file."""
        del wanted
        return self._schema

    def size(self, text: str) -> Size:
        """Take the size of the file: the number of rows is only known to its batches."""
        del text
        return Size(None, Path(self._path).stat().st_size)

    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Read batch after batch; what they hold is checked where they become documents."""
        import pyarrow as pa

        del log
        self._check_expanded()
        start = 0
        try:
            check_file(self._path)
            with pa.OSFile(self._path, "r") as source:
                for batch in self._batches(source, None if whole else choice.columns):
                    yield Rows(batch, range(start, start + batch.num_rows))
                    start += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            raise unread_after(self.name, start, error) from None

    def _check_expanded(self) -> None:
        """Refuse a file with a batch that expands to too much; it would be in memory as a whole."""
        try:
            with open_file(self._path) as file:
                if not all(self._limits.allows_whole(*batch) for batch in unpacked_batches(file)):
                    raise self._limits.expansion_error(self.name)
        except OSError as error:
            raise open_error(self.name, error) from None

    def _batches(self, source: pa.NativeFile, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        fields = None if columns is None else [self._schema.get_field_index(name) for name in columns]
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        if self._is_file:
            file = pa.ipc.open_file(source, options=options)
            for number in range(file.num_record_batches):
                yield file.get_batch(number)
        else:
            yield from pa.ipc.open_stream(source, options=options)
