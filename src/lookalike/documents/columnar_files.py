"""Parquet files, and Arrow IPC files and streams, also known as Feather.

Of a Parquet file only the columns that are needed are decoded, a batch at a time.

An Arrow file is a sequence of messages: the length of a header, the header, which is a FlatBuffers table, and the body.
Where a batch is compressed, each buffer in its body begins with its length when it is unpacked. Arrow takes the memory
for a whole batch at once, before it has seen whether that is right; so these lengths are added up first.
"""

from __future__ import annotations

import struct
from collections import Counter
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple

from lookalike.documents.arrow_columns import columns_of, expanded_bytes, names_of
from lookalike.documents.document_batches import TARGET, Form, Size
from lookalike.documents.raw_input import LIMITS, Limits, RawInput
from lookalike.documents.table import DocumentTable, Rows
from lookalike.documents.table_columns import BYTES, TEXT
from lookalike.documents.table_errors import not_a_table, unread_after
from lookalike.errors import DocumentError
from lookalike.opening import check_file, open_error, open_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    import pyarrow.parquet as pq

    from lookalike.documents.document_batches import Log
    from lookalike.documents.table_columns import Choice

__all__ = ["ArrowFile", "ParquetTable", "Unpacked", "open_arrow", "open_parquet", "unpacked_batches"]

# -- Parquet -----------------------------------------------------------------------------------------------------------

_MOST_ROWS: Final = 1 << 16
_SAMPLES: Final = 4
_SAMPLE_ROWS: Final = 256
_UNFOLDS: Final = 16
"""How many times its size a file seems to expand to, for its texts to be held once: that is slow where none repeats."""
_NOT_COMPACT: Final = "DictAccumulator"
"""The message of pyarrow if it cannot keep values once because they are stored as changes of others."""
_MOST_HELD: Final = 1 << 12
_BUFFER: Final = 1 << 20  # otherwise a column is read in the whole length of its row group before it is decoded


def open_parquet(name: str, source: RawInput, _encoding: str) -> ParquetTable:
    """Open a Parquet file."""
    return ParquetTable(name, _plain_path(source), source.limits)


def open_arrow(name: str, source: RawInput, _encoding: str) -> ArrowFile:
    """Open an Arrow file."""
    return ArrowFile(name, _plain_path(source), source.limits)


def _plain_path(source: RawInput) -> str:
    """Return the path of a file that can be read at any place; a stream, or a compressed file, cannot."""
    if source.path is None or source.compression:
        problem = "is compressed as a whole" if source.compression else "is not a plain file"
        raise DocumentError(source.name, "file", problem, "unpack it or copy it into a file first")
    return source.path


class ParquetTable(DocumentTable):
    """One Parquet file."""

    def __init__(self, name: str, path: str, limits: Limits = LIMITS) -> None:
        """Take a file; it is opened when first needed."""
        self.name = name
        self._path = path
        self._limits = limits
        self._one_by_one = False
        """Whether texts were found that Arrow cannot hold once: changes of others."""

    @property
    def file(self) -> RawInput:
        """The file."""
        return RawInput(self.name, self._path, limits=self._limits)

    @property
    def packed(self) -> int:
        """The size of the file."""
        return self.file.packed_size()

    @property
    def native_format(self) -> str:
        """The native readers read it."""
        return "parquet"

    @property
    def form(self) -> Form:
        """Take codec and rows of the first row group: writers give all groups the same."""
        import pyarrow as pa

        try:
            group = self._metadata.row_group(0)
            codecs = Counter(group.column(at).compression.lower() for at in range(group.num_columns))
            several = self._metadata.num_row_groups > 1  # else it says nothing of what a group should be
            return Form("parquet", codecs.most_common(1)[0][0], group.num_rows if several else None)
        except (pa.ArrowException, OSError, ValueError, IndexError):  # no group, or none that can be understood
            return Form("parquet")

    @cached_property
    def _metadata(self) -> pq.FileMetaData:
        with self._open() as file:
            return file.metadata

    def _open(self, compact: Sequence[str] = ()) -> pq.ParquetFile:
        """Open the file; values of the columns `compact` that come back are held once."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            check_file(self._path)
            return pq.ParquetFile(
                self._path, pre_buffer=False, buffer_size=_BUFFER, read_dictionary=list(compact) or None
            )
        except OSError as error:
            if error.errno is None:
                raise self._damaged(error) from None
            raise open_error(self.name, error) from None
        except (pa.ArrowException, ValueError) as error:
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> DocumentError:
        size = Path(self._path).stat().st_size if Path(self._path).exists() else 0
        return not_a_table(self.name, "Parquet", error, size)

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
        """Take the number of rows from the end of the file, and the length of the texts from some of them."""
        return Size(self._metadata.num_rows, self._row_bytes([text]) * self._metadata.num_rows)

    def _row_bytes(self, columns: list[str] | None) -> int:
        """Return about how many bytes a row takes in some columns, or in all.

        The sizes at the end of the file are not asked: where they are damaged, pyarrow (26) ends the process.
        """
        groups = self._metadata.num_row_groups
        rows = size = 0
        for group in sorted({groups * part // _SAMPLES for part in range(_SAMPLES)} if groups else ()):
            batch = next(self._batches(_SAMPLE_ROWS, columns, [group], compact=True), None)
            if batch is not None:
                rows += batch.num_rows
                size += sum(_bytes(column) for column in batch.columns)
        return size // max(1, rows) + 1

    def _texts(self) -> list[str]:
        """Return the columns of strings and bytes, which may be stored once and named many times."""
        return [column.name for column in columns_of(self._schema) if column.kind in (TEXT, BYTES)]

    def _batches(
        self, count: int, columns: list[str] | None, groups: list[int] | None, *, compact: bool = False
    ) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        start = 0
        try:
            with self._open(self._texts() if compact else ()) as file:
                # Arrow has a thread for each column. For whole rows that is good; text and id are one column's work,
                # and a thread of its own only hinders those that sign what was read (rust/python/src/inputs.rs).
                for batch in file.iter_batches(count, row_groups=groups, columns=columns, use_threads=columns is None):
                    yield batch
                    start += batch.num_rows
        except (pa.ArrowException, OSError) as error:
            if not compact or _NOT_COMPACT not in str(error):
                raise unread_after(self.name, start, error) from None
            self._one_by_one = True
        if compact and self._one_by_one:
            yield from self._single_rows(count, columns, groups, start)

    def _single_rows(
        self, count: int, columns: list[str] | None, groups: list[int] | None, start: int
    ) -> Iterator[pa.RecordBatch]:
        """Decode row by row from row `start` on: a text that is a change of another may expand to any size."""
        import pyarrow as pa

        done, held, size = 0, [], 0
        try:
            with self._open() as file:
                for row in file.iter_batches(1, row_groups=groups, columns=columns, use_threads=False):
                    done += 1
                    if done > start:
                        held.append(row)
                        size += sum(_bytes(column) for column in row.columns)
                    if size >= TARGET or len(held) >= min(count, _MOST_HELD):
                        yield pa.Table.from_batches(held).combine_chunks().to_batches()[0]
                        held, size = [], 0
        except (pa.ArrowException, OSError) as error:
            raise unread_after(self.name, done, error) from None
        if held:
            yield pa.Table.from_batches(held).combine_chunks().to_batches()[0]

    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Decode batch after batch."""
        del log
        columns = None if whole else choice.columns
        each = self._row_bytes(columns)
        compact = self._one_by_one or each * self._metadata.num_rows > _UNFOLDS * self.packed
        count = _MOST_ROWS if compact else min(max(TARGET // each, 1), _MOST_ROWS)
        start = 0
        for batch in self._batches(count, columns, None, compact=compact):
            yield Rows(batch, range(start, start + batch.num_rows))
            start += batch.num_rows


def _bytes(column: pa.Array[Any]) -> int:
    import pyarrow as pa

    if isinstance(column, pa.DictionaryArray):
        return expanded_bytes(column)
    try:
        return column.nbytes
    except pa.ArrowTypeError:  # views, with an older pyarrow
        return column.get_total_buffer_size()


# -- Arrow -------------------------------------------------------------------------------------------------------------

_FILE_MAGIC: Final = b"ARROW1"
_OLD_FEATHER: Final = b"FEA1"


class ArrowFile(DocumentTable):
    """One file, in the form with an index at its end or in that of a stream.

    It is read, not mapped: a mapped file that somebody cuts off meanwhile ends the process.
    """

    def __init__(self, name: str, path: str, limits: Limits = LIMITS) -> None:
        """Take a file; it is opened when first needed."""
        self.name = name
        self._path = path
        self._limits = limits

    @property
    def file(self) -> RawInput:
        """The file."""
        return RawInput(self.name, self._path, limits=self._limits)

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


# -- how much a batch expands to ---------------------------------------------------------------------------------------

_MAGIC: Final = b"ARROW1\0\0"
_CONTINUES: Final = 0xFFFFFFFF
_DICTIONARY, _BATCH = 2, 3
_LONGEST_HEADER: Final = 64 << 20


class Unpacked(NamedTuple):
    """The bytes of a batch in the file, and when it is unpacked."""

    packed: int
    bytes: int


def unpacked_batches(file: BinaryIO) -> Iterator[Unpacked]:
    """Yield the sizes of the compressed batches of a file or stream; Arrow reports what is wrong with others."""
    file.seek(len(_MAGIC) if file.read(len(_MAGIC)) == _MAGIC else 0)
    try:
        while header := _header(file):
            message = _FlatBuffer(header, struct.unpack_from("<I", header)[0])
            start, length = file.tell(), message.number(3, "<q")
            batch = message.batch()
            if batch is not None and batch.field(3):
                yield Unpacked(length, sum(_lengths(file, start, batch)))
            file.seek(start + length)
    except (struct.error, ValueError, OSError):
        return


def _header(file: BinaryIO) -> bytes:
    (length,) = struct.unpack("<I", file.read(4))
    if length == _CONTINUES:
        (length,) = struct.unpack("<I", file.read(4))
    return file.read(length) if length <= _LONGEST_HEADER else b""


def _lengths(file: BinaryIO, start: int, batch: _FlatBuffer) -> Iterator[int]:
    for offset, length in batch.pairs(2):
        if length >= 8:  # the size of that number; an empty buffer has none
            file.seek(start + offset)
            (unpacked,) = struct.unpack("<q", file.read(8))
            yield length if unpacked < 0 else unpacked  # -1 says that this one is not compressed


class _FlatBuffer:
    """A table of FlatBuffers: fields by number, each at an offset that is listed before it."""

    def __init__(self, data: bytes, place: int) -> None:
        self._data = data
        self._place = place

    def field(self, number: int) -> int:
        """Return where a field is; 0 if it is not there."""
        (back,) = struct.unpack_from("<i", self._data, self._place)
        fields = self._place - back
        (size,) = struct.unpack_from("<H", self._data, fields)
        if 4 + 2 * number >= size:
            return 0
        (offset,) = struct.unpack_from("<H", self._data, fields + 4 + 2 * number)
        return self._place + int(offset) if offset else 0

    def number(self, number: int, form: str) -> int:
        place = self.field(number)
        return int(struct.unpack_from(form, self._data, place)[0]) if place else 0

    def table(self, number: int) -> _FlatBuffer:
        place = self.field(number)
        return _FlatBuffer(self._data, place + int(struct.unpack_from("<I", self._data, place)[0]))

    def pairs(self, number: int) -> Iterator[tuple[int, int]]:
        """Yield the pairs of numbers in a list."""
        place = self.field(number)
        place += struct.unpack_from("<I", self._data, place)[0]
        (count,) = struct.unpack_from("<I", self._data, place)
        for at in range(count):
            yield struct.unpack_from("<qq", self._data, place + 4 + 16 * at)

    def batch(self) -> _FlatBuffer | None:
        """Return the batch that a message holds, by itself or as a dictionary."""
        kind = self.number(1, "<B")
        if kind == _DICTIONARY:
            return self.table(2).table(1)
        return self.table(2) if kind == _BATCH else None
