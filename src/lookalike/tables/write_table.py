"""Tables that lookalike made, as files: CSV, JSON Lines, Parquet, Excel and Markdown, always UTF-8.

A file appears when it is whole. In CSV, no spreadsheet takes a cell for a formula. Rows of somebody's own table are
written by `row_writers`.
"""

from __future__ import annotations

import math
import re
from functools import cache, partial
from typing import IO, TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from lookalike.errors import DocumentError, RecipeError, how_to_install, suggest
from lookalike.tables.output_files import VisibleStream, opened, unclosed
from lookalike.tables.spelling import visible, write_json_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.tables.output_files import Target

__all__ = ["FORMATS", "ROWS", "CsvWriter", "Format", "Plain", "safe_for_spreadsheets", "write_csv", "write_table"]

Format = Literal["csv", "jsonl", "parquet", "md", "json", "xlsx"]
FORMATS: Final[tuple[str, ...]] = get_args(Format)

ROWS: Final = 10_000
"""How many rows are turned into Python objects at a time."""

_MOST_SHEET_ROWS: Final = 1_048_575
"""Rows of a sheet below its head, and characters of a cell: Excel holds no more."""
_LONGEST_CELL: Final = 32_767

_BEFORE: Final = (
    " \n\v\f\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # white space; tab and return begin
    "\x00-\x08\x0e-\x1b\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"  # unseen
    "'\"`´‘-‟«»‹›＇＂"
)
"""What a spreadsheet, or a person who cleans a table, drops from the beginning of a cell."""


class Plain(Protocol):
    """A table that needs no pyarrow before it is asked for it."""

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""

    def chunks(self, rows: int) -> Iterator[Sequence[Sequence[Any]]]:
        """Yield the columns, this many rows at a time."""

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table."""


def write_table(
    target: Target,
    table: pa.Table | Plain,
    format: str,  # noqa: A002 — the usual name
    *,
    raw_csv: bool = False,
) -> None:
    """Write a table to a file or a stream; `raw_csv` leaves formulas in CSV as they are.

    >>> import io, pyarrow as pa
    >>> stream = io.StringIO()
    >>> write_table(stream, pa.table({"id": ["=1+1", "b"], "score": [0.5, None]}), "csv")
    >>> print(stream.getvalue())
    id,score
    "'=1+1",0.5
    "b",
    <BLANKLINE>
    """
    writers: dict[str, Callable[[IO[bytes], Sequence[str], Iterable[Sequence[Sequence[Any]]]], None] | None] = {
        "csv": partial(write_csv, raw=raw_csv),
        "jsonl": write_json_lines,
        "parquet": None,
        "md": _write_markdown,
        "xlsx": _write_workbook,
    }
    if format not in writers:
        raise RecipeError("format", format, "one of " + ", ".join(writers), suggest(format, writers))
    with opened(target) as stream:
        writer = writers[format]
        if writer is None:
            _write_parquet(stream, table.to_arrow() if hasattr(table, "to_arrow") else table)
        else:
            chunks = table.chunks(ROWS) if hasattr(table, "chunks") else _chunks(table)
            writer(stream, table.column_names, chunks)


def _chunks(table: pa.Table) -> Iterator[list[list[Any]]]:
    for batch in table.to_batches(max_chunksize=ROWS):
        yield [column.to_pylist() for column in batch.columns]


def _write_markdown(stream: IO[bytes], names: Sequence[str], chunks: Iterable[Sequence[Sequence[Any]]]) -> None:
    for line in (names, ["---"] * len(names)):
        stream.write(f"| {' | '.join(line)} |\n".encode())
    for columns in chunks:
        for row in zip(*columns, strict=True):
            stream.write(f"| {' | '.join(map(_cell, row))} |\n".encode())


def _write_workbook(stream: IO[bytes], names: Sequence[str], chunks: Iterable[Sequence[Sequence[Any]]]) -> None:
    """Write a workbook of one sheet. Texts are written as texts, whatever they begin with: none is ever a formula."""
    try:
        from xlsxwriter import Workbook
    except ImportError:
        remedy = f"{how_to_install('excel')}; or write .csv, which Excel opens too"
        raise DocumentError("xlsx", "file", "needs the package XlsxWriter", remedy) from None
    book = Workbook(stream, {"constant_memory": True, "strings_to_urls": False, "strings_to_formulas": False})
    sheet = book.add_worksheet("pairs")
    sheet.freeze_panes(1, 0)
    bold = book.add_format({"bold": True})
    for column, name in enumerate(names):
        sheet.write_string(0, column, name, bold)
    number = 0
    for columns in chunks:
        for row in zip(*columns, strict=True):
            number += 1
            if number > _MOST_SHEET_ROWS:
                remedy = "write .csv or .parquet, or fewer with --top"
                raise DocumentError("xlsx", "file", f"holds at most {_MOST_SHEET_ROWS:,} rows", remedy)
            for column, value in enumerate(row):
                if isinstance(value, bool | int | float):
                    sheet.write(number, column, value)
                elif value is not None:
                    sheet.write_string(number, column, visible(str(value))[:_LONGEST_CELL])
    book.close()


def _cell(value: Any) -> str:
    """Return a value for a Markdown table; a score is cut after four digits, never rounded up to 1."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{math.floor(value * 10_000) / 10_000:.4f}"
    text = visible(" ".join(str(value).split()))
    for special in "\\|`*_<>[]&":
        text = text.replace(special, f"\\{special}" if special not in "<>&" else f"&#{ord(special)};")
    return text


def _write_parquet(stream: IO[bytes], table: pa.Table) -> None:
    from lookalike.tables.row_writers import ParquetRows

    rows = ParquetRows(unclosed(stream), table.schema)
    for batch in table.to_batches():
        rows.write(batch)
    rows.close()


@cache
def _formula() -> re.Pattern[str]:
    """Return the pattern of what a spreadsheet takes for the beginning of a formula; the two sets are disjoint."""
    return re.compile(f"[{_BEFORE}]*[=+@＝＋－＠\t\r-]")


def safe_for_spreadsheets(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula.

    >>> safe_for_spreadsheets("=cmd()"), safe_for_spreadsheets(" ＝x"), safe_for_spreadsheets("-1")
    ("'=cmd()", "' ＝x", "'-1")
    >>> safe_for_spreadsheets("a=b")
    'a=b'
    """
    return f"'{text}" if _formula().match(text) else text


def write_csv(
    stream: IO[bytes], names: Sequence[str], chunks: Iterable[Sequence[Sequence[Any]]], *, raw: bool = False
) -> None:
    """Write the columns of a table, piece by piece, as `CsvWriter` does."""
    table = CsvWriter(stream, names, raw=raw)
    for columns in chunks:
        table.write_columns(columns)


class CsvWriter:
    """A table that lookalike made: texts are quoted, numbers are not, and nothing is nothing.

    Texts are safe for spreadsheets unless they are wanted `raw`. On a terminal they are made visible as well.
    """

    def __init__(self, stream: IO[bytes], names: Sequence[str], *, raw: bool = False) -> None:
        """Begin the table."""
        self._stream = stream
        self._raw, self._shown = raw, isinstance(stream, VisibleStream)
        stream.write((",".join(names) + "\n").encode())

    def write_columns(self, columns: Sequence[Sequence[Any]]) -> None:
        """Write some rows."""
        rows = zip(*map(self._cells, columns), strict=True)
        self._stream.write("".join([",".join(row) + "\n" for row in rows]).encode())

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows that are in Arrow."""
        self.write_columns([column.to_pylist() for column in batch.columns])

    def close(self) -> None:
        """End the table: there is nothing to add."""

    def _cells(self, column: Sequence[Any]) -> Iterable[str]:
        """Return the cells of a column: those of one kind quicker than one by one."""
        kinds = set(map(type, column))
        if kinds == {float}:
            return [text.removesuffix(".0") for text in map(repr, column)]
        return map(self._quoted if kinds == {str} else self._cell, column)

    def _quoted(self, text: str) -> str:
        text = text if self._raw else safe_for_spreadsheets(text)
        text = visible(text) if self._shown else text
        return '"' + text.replace('"', '""') + '"'

    def _cell(self, value: Any) -> str:
        if isinstance(value, float):
            return repr(value).removesuffix(".0")
        if isinstance(value, str):
            return self._quoted(value)
        return "" if value is None else str(value).lower()  # true and false
