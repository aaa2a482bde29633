"""Rows in files: Parquet, JSONL or CSV by the name of the file, written batch by batch as they are read."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.cli.writing import destination, extension
from lookalike.errors import DocumentError
from lookalike.tables.csv import CsvTable
from lookalike.tables.write import rows_writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from lookalike.tables.write import RowsWriter

__all__ = ["KINDS", "ListOptions", "kind_of", "rows_file"]

KINDS: Final = {"parquet": "parquet", "jsonl": "jsonl", "ndjson": "jsonl", "csv": "csv"}
"""Extension → what is written."""


def kind_of(output: str, *, names: bool = False) -> str:
    """Return what is written to a file of this name; `names` allows a plain list of names, ``.txt``.

    >>> kind_of("kept.parquet"), kind_of("kept.txt", names=True)
    ('parquet', 'txt')
    """
    kinds = KINDS | ({"txt": "txt", "": "txt"} if names else {})
    kind = kinds.get(extension(output))
    if kind is None:
        listed = [f".{name}" for name in dict.fromkeys(kinds.values())]
        problem = "has a name that does not say what to write"
        raise DocumentError(output, "file", problem, f"end it in {', '.join(listed[:-1])} or {listed[-1]}")
    return kind


@dataclass(frozen=True, slots=True)
class ListOptions:
    """How names of documents that have no rows, and other tables of lookalike's own, are written."""

    null: bool = False
    """Whether NUL ends each name of a plain list."""
    raw_csv: bool = False


class _Lines:
    """The lines of a file, as they were."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def write(self, batch: pa.RecordBatch) -> None:
        lines: list[Any] = batch.column(0).to_pylist()
        self._stream.writelines(line + b"\n" for line in lines)

    def close(self) -> None:
        pass


class _Names:
    """A list of names, each with a line break or NUL behind it; written at the end: a bad name leaves nothing."""

    def __init__(self, stream: IO[bytes], *, null: bool) -> None:
        self._stream, self._null = stream, null
        self._names: list[str] = []

    def write(self, batch: pa.RecordBatch) -> None:
        for name in map(str, batch.column(0).to_pylist()):
            _check_name(name, null=self._null)
            self._names.append(name)

    def close(self) -> None:
        end = "\0" if self._null else "\n"
        self._stream.write("".join(f"{name}{end}" for name in self._names).encode("utf-8", "surrogateescape"))


def _check_name(name: str, *, null: bool) -> None:
    """Refuse a name that would read as two."""
    if null and "\0" in name:
        problem, remedy = "has NUL in its name, which ends a name with --null", "write .jsonl or .parquet"
    elif not null and ("\n" in name or "\r" in name):
        problem = "has a line break in its name, so that a list of lines would name other files"
        remedy = "end names with NUL: --null (for xargs -0)"
    else:
        return
    raise DocumentError(name, "file", problem, remedy)


def _writer(kind: str, stream: IO[bytes], schema: pa.Schema, how: ListOptions | None) -> RowsWriter:
    if kind == "lines":
        return _Lines(stream)
    if how is None:
        return rows_writer(kind, stream, schema)
    if kind == "txt":
        return _Names(stream, null=how.null)
    return CsvTable(stream, schema.names, raw=how.raw_csv) if kind == "csv" else rows_writer(kind, stream, schema)


@contextmanager
def rows_file(
    output: str,
    schema: pa.Schema,
    *,
    names: ListOptions | None = None,
    lines: bool = False,
    private: bool = False,
) -> Iterator[RowsWriter]:
    """Give a file for rows of this schema, for lines as they are, or for a table of lookalike's own, such as `names`.

    It appears under its name when it is whole, with the permissions that the umask leaves: it is data, not a report.
    What is a report, a plan for one, is `private`.
    """
    kind = "lines" if lines else kind_of(output, names=names is not None)
    with destination(output, private=private) as stream:
        rows = _writer(kind, stream, schema, names)
        try:
            yield rows
        except BaseException:
            if kind != "txt":
                with suppress(Exception):  # the file is thrown away; its writer must not complain later
                    rows.close()
            raise
        rows.close()
