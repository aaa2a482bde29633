"""CSV and TSV files, with a header.

Cells are texts, exactly as written: an id ``007`` stays ``007``. An empty cell is null, an empty pair of quotes is an
empty text. Arrow reads them; a file that it refuses is read by Python's own reader, which can name the row.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.document_batches import TARGET, Form, Log, Size, bytes_array
from lookalike.documents.raw_input import MOST_COLUMNS, too_many_columns
from lookalike.documents.table import DocumentTable, Rows
from lookalike.documents.table_errors import csv_row_too_long, ragged_row, row_not_utf8
from lookalike.documents.text_file import check_start, codec_of_mark
from lookalike.documents.text_tables import (
    UNCLOSED,
    CsvLayout,
    CsvRowReader,
    Encoding,
    LineForm,
    detect,
    guess_layout,
    open_utf8,
    readable,
)
from lookalike.errors import DocumentError
from lookalike.tables.columns import compute

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import BinaryIO

    import pyarrow as pa

    from lookalike.documents.raw_input import RawInput
    from lookalike.documents.table_columns import Choice
    from lookalike.documents.text_tables import UnreadLines

__all__ = ["CsvFile", "open_tsv"]

_SAMPLES: Final = (1 << 16, 1 << 20, 1 << 24)  # the next only if not even the header fits
_DELIMITERS: Final = ",;\t|"
_SPOKEN: Final = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_SURROGATE: Final = re.compile("[\udc80-\udcff]")
_SLOW_ROWS: Final = 10_000
_FIRST_ROWS: Final = 100
"""Rows at the start of a file of which one at least must have the cells of the header."""


def open_tsv(name: str, source: RawInput, encoding: str) -> CsvFile:
    """Open a file whose cells are separated by tabs."""
    return CsvFile(name, source, encoding, tabs=True)


class CsvFile(DocumentTable):
    """One file."""

    def __init__(self, name: str, source: RawInput, encoding: str = "auto", *, tabs: bool = False) -> None:
        """Take an input; unless it has tabs, the delimiter is detected."""
        self.name = name
        self._input = source
        self._told = encoding
        self._tabs = tabs

    @property
    def file(self) -> RawInput:
        """The file."""
        return self._input

    @cached_property
    def _encoding(self) -> Encoding:
        return next(readable(self.name, self._detected(), self._input.limits))

    def _detected(self) -> Iterator[Encoding]:
        if self._told == "auto":
            with self._input.open() as stream:
                start = stream.read(_SAMPLES[0])
            if codec_of_mark(start) is None:
                check_start(start)
        yield detect(self._input, self._told, guess=True)

    @cached_property
    def _layout(self) -> CsvLayout:
        layout = CsvLayout(",", [])
        for size in _SAMPLES:
            sample, whole = next(readable(self.name, self._start(size), self._input.limits))
            layout = guess_layout(sample, "\t" if self._tabs else _DELIMITERS, whole=whole)
            if layout.begun > MOST_COLUMNS:
                raise too_many_columns(self.name)
            if whole or layout.header:
                break
        return layout

    def _start(self, size: int) -> Iterator[tuple[str, bool]]:
        with open_utf8(self._input, self._encoding) as stream:
            data = stream.read(size)
        yield data.decode("utf-8", "replace"), len(data) < size

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Return the header: all columns are texts."""
        import pyarrow as pa

        del wanted
        return pa.schema([(name, pa.large_string()) for name in self._layout.header])

    def has_rows(self) -> bool:
        """Return whether there is a header."""
        return bool(self._layout.header)

    def size(self, text: str) -> Size:
        """Take the size of the file: rows are not counted before they are read."""
        del text
        return Size(None, self._input.size())

    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Read block after block by Arrow, and all that it refuses by Python."""
        import pyarrow as pa

        if self._encoding.guessed:
            log.note_about(self.name, f" read as {self._encoding.name}")
        if self._layout.delimiter not in (",", "\t") or (self._layout.delimiter == "\t") != self._tabs:
            log.note_about(self.name, f": cells are separated by {_SPOKEN[self._layout.delimiter]}")
        columns = self._layout.header if whole else choice.columns
        done, refused = 0, False
        try:
            for batch in readable(self.name, self._by_arrow(columns), self._input.limits):
                yield Rows(batch, range(done, done + batch.num_rows))
                done += batch.num_rows
        except pa.ArrowInvalid:
            refused = True
        if refused:  # not inside the handler: the error would hold on to what Arrow has read
            pa.default_memory_pool().release_unused()
            yield from readable(self.name, self._by_python(columns, done, log), self._input.limits)

    @cached_property
    def line_form(self) -> LineForm:
        """Each row is a line, or several if it has line ends in quotes."""
        rows = readable(self.name, self._raw_rows(), self._input.limits)
        head = next((line for number, _, line in rows if number < 0), b"")
        columns = tuple(self._layout.header)
        return LineForm("tsv" if self._tabs else "csv", head, self._layout.delimiter, columns)

    @property
    def form(self) -> Form:
        """Lines, compressed or not."""
        return Form("tsv" if self._tabs else "csv", self._input.compression)

    def read_lines(self, choice: Choice, log: Log) -> Iterator[Rows]:
        """Read the chosen columns, and the exact bytes of each row."""
        at = self._layout.header.index(choice.text)
        raw = readable(self.name, self._raw_rows(), self._input.limits)
        for rows in self.read(choice, log, whole=False):
            wanted = iter(rows.numbers)
            next_one = next(wanted, None)
            texts, lines = [], []
            while next_one is not None:
                number, cells, line = next(raw, (next_one + 1, [], b""))
                if number > next_one:
                    break
                if number == next_one:
                    texts.append(cells[at].encode("utf-8", "surrogateescape") if at < len(cells) else b"")
                    lines.append(line)
                    next_one = next(wanted, None)
            if not _same(rows.batch.column(choice.text), texts):
                problem = "has rows with ambiguous ends, and cannot be written unchanged"
                raise DocumentError(self.name, "file", problem, "write .jsonl or .parquet")
            yield Rows(rows.batch, rows.numbers, bytes_array(lines))

    def _raw_rows(self) -> Iterator[tuple[int, list[str], bytes]]:
        """Yield position, cells and bytes of each row, without the last line feed; the header is at -1."""
        number = -2
        with open_utf8(self._input, self._encoding) as stream:
            text = io.TextIOWrapper(stream, "utf-8", errors="surrogateescape", newline="")
            records = self._all_records(text)
            try:
                for row in records:
                    number += row is None or bool(row)
                    if row:
                        yield number, row, records.raw.removesuffix("\n").encode("utf-8", "surrogateescape")
            finally:
                text.detach()

    def _by_arrow(self, columns: list[str]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.csv as pv

        header = self._layout.header
        options = pv.ConvertOptions(
            include_columns=columns,
            column_types=dict.fromkeys(header, pa.large_string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
            check_utf8=False,  # the stream is checked, with the columns that are not read
        )
        with _Checked(open_utf8(self._input, self._encoding), self._input.limits.document) as stream:
            if len(set(header)) < len(header):
                raise pa.ArrowInvalid("two columns of one name")
            reader = pv.open_csv(
                pa.PythonFile(stream, "r"),  # type: ignore[arg-type]
                pv.ReadOptions(
                    column_names=header, skip_rows_after_names=1, block_size=TARGET // 4
                ),  # many are read ahead
                pv.ParseOptions(delimiter=self._layout.delimiter, newlines_in_values=True),
                options,
            )
            yield from reader
            if stream.quotes % 2:
                self._check_quotes()

    def _by_python(self, columns: list[str], done: int, log: Log) -> Iterator[Rows]:
        """Read all rows after the first `done`, which were good; one that is too large is skipped."""
        header = self._layout.header
        wanted = [header.index(name) for name in columns]
        cells: list[list[str]] = []
        numbers: list[int] = []
        held = 0
        with open_utf8(self._input, self._encoding) as stream:
            for number, row in self._records(stream, log):
                if number < done:
                    continue
                cells.append([row[at] for at in wanted])
                numbers.append(number)
                held += sum(map(len, cells[-1]))
                if len(cells) == _SLOW_ROWS or held > TARGET:
                    yield _rows(cells, columns, numbers)
                    cells, numbers, held = [], [], 0
        if cells:
            yield _rows(cells, columns, numbers)

    def write_unread(self, unread: UnreadLines) -> None:
        """Write the rows that have more or fewer cells than the header, and those that are not UTF-8 or too long."""
        for _ in readable(self.name, self._passed_over(unread), self._input.limits):
            pass

    def _passed_over(self, unread: UnreadLines) -> Iterator[int]:
        with open_utf8(self._input, self._encoding) as stream:
            yield from (number for number, _ in self._records(stream, Log(), unread))

    def _check_quotes(self) -> None:
        """Refuse a file that ends inside quotes: everything after the opening one would silently be a single cell."""
        number = -1
        try:
            with open_utf8(self._input, self._encoding) as stream:
                text = io.TextIOWrapper(stream, "utf-8", errors="surrogateescape", newline="")
                for row in self._all_records(text, strict=True):
                    number += row is None or bool(row)
        except csv.Error as error:
            if str(error) == UNCLOSED:
                raise self._unclosed(number) from None

    def _unclosed(self, number: int) -> DocumentError:
        problem, remedy = "has a quote that is never closed", "close it, or double it to keep it"
        return DocumentError(f"{self.name}:{number + 1}", "row", problem, remedy)

    def _all_records(
        self, text: io.TextIOBase, *, strict: bool = False, passed: Callable[[str], object] | None = None
    ) -> CsvRowReader:
        longest = self._input.limits.document
        return CsvRowReader(text, self._layout.delimiter, longest, strict=strict, passed=passed)

    def _records(
        self, stream: BinaryIO, log: Log, unread: UnreadLines | None = None
    ) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows with their positions; skip those on one line with too many or too few cells.

        So are those that are not UTF-8 or too long. What is skipped goes to `unread`.

        One that goes over several lines is an error: a quote in the wrong place may have made one row of many. So is
        one of the first rows, if they are all so: then the file is not what it seems.
        """
        text = io.TextIOWrapper(stream, "utf-8", errors="surrogateescape", newline="")
        records = self._all_records(text, passed=None if unread is None else unread.text)
        wanted = len(self._layout.header)
        number, line, bad = -2, 0, 0
        first: DocumentError | None = None
        try:
            for row in records:
                lines, line = records.lines - line, records.lines
                number += row is None or bool(row)
                if row is None:
                    log.skip_row(number, csv_row_too_long(self.name, number, self._input.limits))
                    if unread is not None:
                        unread.end()
                    continue
                if not row or number < 0:
                    continue
                if len(row) == wanted and _is_utf8(records.raw):
                    yield number, row
                    continue
                if unread is not None:
                    unread.text(records.raw)
                    unread.end()
                if len(row) == wanted:
                    log.skip_row(number, row_not_utf8(self.name, number, line))
                    continue
                bad += 1
                first = first or self._ragged(number, row, line)
                if lines > 1:
                    raise self._ragged(number, row, line)
                if bad > number and bad == _FIRST_ROWS:
                    raise first
                log.skip_row(number, ragged_row(self.name, number, len(row), wanted, line))
            if bad > number and first is not None:
                raise first
        except csv.Error as error:
            if str(error) == UNCLOSED:
                raise self._unclosed(number + 1) from None
            raise DocumentError(
                f"{self.name}:{number + 2}", "row", f"cannot be read ({error})", "fix the row"
            ) from None
        finally:
            text.detach()

    def _ragged(self, number: int, row: Sequence[str], line: int) -> DocumentError:
        problem = f"has {len(row)} cells and the header {len(self._layout.header)} (line {line})"
        remedy = "put cells with separators or line ends in quotes, and close every quote"
        return DocumentError(f"{self.name}:{number + 1}", "row", problem, remedy)


class _Checked(io.RawIOBase):
    """A stream that counts the quotes in what is read, and ends with an error where Python has to read.

    That is where it is not UTF-8, and where a row may be too long: `CsvRowReader` alone decides whether it is, so that
    the same rows are skipped whoever reads the file, and whichever of its columns.
    """

    def __init__(self, stream: BinaryIO, longest: int) -> None:
        self._stream = stream
        self._longest = longest - 1  # the line feed after a carriage return may not count here
        self._held = 0
        """Bytes since the last row ended."""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self.quotes = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        import pyarrow as pa

        data = self._stream.read(size)
        self._check_length(data)
        self.quotes += data.count(b'"')
        if not data.isascii() or not data or self._decoder.getstate()[0]:
            try:
                self._decoder.decode(data, final=not data)
            except UnicodeDecodeError:
                raise pa.ArrowInvalid("not UTF-8") from None
        return data

    def _check_length(self, data: bytes) -> None:
        start, quotes = 0, self.quotes
        while start < len(data):
            stop = start + self._longest - self._held
            end = _last_end(data, start, stop, quotes)
            if end is None and stop < len(data):
                import pyarrow as pa

                raise pa.ArrowInvalid("a row that may be too long")
            if end is None:
                self._held += len(data) - start
                return
            self._held, start, quotes = 0, end, 0

    def close(self) -> None:
        self._stream.close()
        super().close()


def _last_end(data: bytes, start: int, stop: int, quotes: int) -> int | None:
    r"""Return where the last row ends that ends between two places: at a line end after an even number of quotes.

    `quotes` is how many there are before the first place.

    >>> _last_end(b'1,a\n2,"b\nb', 0, 20, 0), _last_end(b'b"\n3,c\n4', 0, 20, 1), _last_end(b"1,a", 0, 20, 0)
    (4, 7, None)
    """
    stop = min(stop, len(data))
    quotes += data.count(b'"', start, stop)
    while stop > start:
        line = data.rfind(b"\n", start, stop)
        line = max(line, data.rfind(b"\r", max(line, start), stop))
        if line < 0:
            return None
        quotes -= data.count(b'"', line, stop)
        if quotes % 2 == 0:
            return line + 1
        stop = line
    return None


def _is_utf8(row: str) -> bool:
    """Say whether a row, in which bytes that are not UTF-8 stand as surrogates, has none of them."""
    return row.isascii() or _SURROGATE.search(row) is None


def _same(column: pa.Array[Any], texts: list[bytes]) -> bool:
    """Return whether two readers found the same texts; only one of them tells null from an empty text."""
    import pyarrow as pa

    found: Any = compute().fill_null(column.cast(pa.large_binary()), b"")
    return bool(found.equals(bytes_array(texts)))


def _rows(cells: list[list[str]], columns: list[str], numbers: Sequence[int]) -> Rows:
    """Make columns of rows; bytes that were not UTF-8 stay as they are, to be found as with Arrow."""
    import pyarrow as pa

    arrays: list[pa.Array[Any]] = []
    for at in range(len(columns)):
        values = [row[at].encode("utf-8", "surrogateescape") or None for row in cells]
        raw = pa.array(values, pa.large_binary())
        arrays.append(pa.Array.from_buffers(pa.large_string(), len(raw), raw.buffers(), raw.null_count))
    batch = pa.RecordBatch.from_arrays(arrays, names=columns)
    return Rows(batch, numbers)
