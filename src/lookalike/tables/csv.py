"""CSV: a table with cells that no spreadsheet takes for formulas, or rows just as they are."""

from __future__ import annotations

import re
from functools import cache
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.tables.visible import Shown, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

__all__ = ["CsvRows", "CsvTable", "not_for_csv", "safe_for_spreadsheets", "write_csv"]

_BEFORE: Final = (
    " \n\v\f\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"  # white space; tab and return begin
    "\x00-\x08\x0e-\x1b\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"  # unseen
    "'\"`´‘-‟«»‹›＇＂"
)
"""What a spreadsheet, or a person who cleans a table, drops from the beginning of a cell."""


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
    """Write the columns of a table, piece by piece, as `CsvTable` does."""
    table = CsvTable(stream, names, raw=raw)
    for columns in chunks:
        table.write_columns(columns)


class CsvTable:
    """A table that lookalike made: texts are quoted, numbers are not, and nothing is nothing.

    Texts are safe for spreadsheets unless they are wanted `raw`. On a terminal they are made visible as well.
    """

    def __init__(self, stream: IO[bytes], names: Sequence[str], *, raw: bool = False) -> None:
        """Begin the table."""
        self._stream = stream
        self._raw, self._shown = raw, isinstance(stream, Shown)
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


def not_for_csv(schema: pa.Schema) -> pa.Field[Any] | None:
    """Return the first column that CSV cannot hold.

    >>> import pyarrow as pa
    >>> not_for_csv(pa.schema({"a": pa.string(), "b": pa.list_(pa.string())})).name
    'b'
    """
    import pyarrow.types as kinds

    misfits = (kinds.is_nested, kinds.is_binary, kinds.is_large_binary)
    return next((field for field in schema if any(misfit(field.type) for misfit in misfits)), None)


class CsvRows:
    """Rows of a table that somebody gave, as they are: a formula stays a formula."""

    def __init__(self, stream: IO[bytes], schema: pa.Schema, delimiter: str = ",") -> None:
        """Begin the file; `not_for_csv` must have found nothing."""
        from pyarrow.csv import CSVWriter, WriteOptions

        self._writer = CSVWriter(stream, schema, write_options=WriteOptions(delimiter=delimiter))

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows."""
        self._writer.write_batch(batch)

    def close(self) -> None:
        """End the file."""
        self._writer.close()
