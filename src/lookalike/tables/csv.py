"""CSV: a table with cells that no spreadsheet takes for formulas, or rows just as they are."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

__all__ = ["CsvRows", "safe_for_spreadsheets", "write_csv"]

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula."""


def write_csv(stream: IO[bytes], names: Sequence[str], chunks: Iterable[Sequence[Sequence[Any]]]) -> None:
    """Write the columns of a table, piece by piece; texts are quoted, numbers are not, and nothing is nothing."""
    stream.write((",".join(names) + "\n").encode())
    for columns in chunks:
        rows = zip(*map(_cells, columns), strict=True)
        stream.write("".join([",".join(row) + "\n" for row in rows]).encode())


def _cells(column: Sequence[Any]) -> Iterable[str]:
    """Return the cells of a column: those of one kind quicker than one by one."""
    kinds = set(map(type, column))
    if kinds == {float}:
        return [text.removesuffix(".0") for text in map(repr, column)]
    return map(_quoted if kinds == {str} else _cell, column)


def safe_for_spreadsheets(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would take for a formula.

    >>> safe_for_spreadsheets("=cmd()"), safe_for_spreadsheets("-1"), safe_for_spreadsheets("a=b")
    ("'=cmd()", "'-1", 'a=b')
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def _quoted(text: str) -> str:
    return '"' + safe_for_spreadsheets(text).replace('"', '""') + '"'


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, str):
        return _quoted(value)
    return "" if value is None else str(value).lower()  # true and false


class CsvRows:
    """Rows of a table that somebody gave, as they are: a formula stays a formula."""

    def __init__(self, stream: IO[bytes], schema: pa.Schema) -> None:
        """Begin the file; a column that CSV cannot hold is an error."""
        import pyarrow.types as kinds
        from pyarrow.csv import CSVWriter

        for field in schema:
            if kinds.is_nested(field.type) or kinds.is_binary(field.type) or kinds.is_large_binary(field.type):
                problem = f"is {field.type}, which CSV cannot hold"
                raise DocumentError("rows", f"column {field.name!r}", problem, "write .parquet or .jsonl")
        self._writer = CSVWriter(stream, schema)

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows."""
        self._writer.write_batch(batch)

    def close(self) -> None:
        """End the file."""
        self._writer.close()
