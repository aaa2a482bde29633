"""Tables as files: CSV, JSON Lines, Parquet, Excel and Markdown, whole or not at all, always UTF-8.

`write_table` writes a table that lookalike made; `rows_writer` writes rows of somebody's own table, batch by batch.
"""

from __future__ import annotations

import math
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Final, Literal, Protocol, get_args

from lookalike.checks import suggest
from lookalike.errors import DocumentError, RecipeError
from lookalike.tables.csv import CsvRows, write_csv
from lookalike.tables.files import opened
from lookalike.tables.json import write_json_lines
from lookalike.tables.json_rows import JsonRows
from lookalike.tables.parquet_rows import CODEC, ParquetRows
from lookalike.tables.squeezed import unclosed
from lookalike.tables.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.tables.files import Target

__all__ = ["FORMATS", "ROWS", "Format", "Plain", "RowsWriter", "rows_writer", "write_table"]

Format = Literal["csv", "jsonl", "parquet", "md", "json", "xlsx"]
FORMATS: Final[tuple[str, ...]] = get_args(Format)

ROWS: Final = 10_000
"""How many rows are turned into Python objects at a time."""


_MOST_SHEET_ROWS: Final = 1_048_575
"""Rows of a sheet below its head, and characters of a cell: Excel holds no more."""
_LONGEST_CELL: Final = 32_767


class Plain(Protocol):
    """A table that needs no pyarrow before it is asked for it."""

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""

    def chunks(self, rows: int) -> Iterator[Sequence[Sequence[Any]]]:
        """Give the columns, so many rows at a time."""

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table."""


def write_table(
    target: Target,
    table: pa.Table | Plain,
    format: str,  # noqa: A002 — what everybody calls it
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
        remedy = "run pip install 'lookalike[excel]', or write .csv, which Excel opens too"
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
    rows = ParquetRows(unclosed(stream), table.schema)
    for batch in table.to_batches():
        rows.write(batch)
    rows.close()


class RowsWriter(Protocol):
    """A file that rows are written to."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows."""

    def close(self) -> None:
        """End the file."""


def rows_writer(
    kind: str, stream: IO[bytes], schema: pa.Schema, *, codec: str | None = None, group_rows: int | None = None
) -> RowsWriter:
    """Begin a file of rows: parquet, with a codec and rows in each row group, or csv, tsv or jsonl."""
    if kind == "parquet":
        return ParquetRows(stream, schema, codec or CODEC, group_rows)
    if kind == "jsonl":
        return JsonRows(stream, schema)
    return CsvRows(stream, schema, "\t" if kind == "tsv" else ",")
