"""Rows in files: Parquet, JSONL or CSV by the name of the file, written batch by batch as they are read."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.cli.writing import destination, extension
from lookalike.errors import DocumentError
from lookalike.tables.write import rows_writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from lookalike.tables.write import RowsWriter

__all__ = ["KINDS", "kind_of", "rows_file"]

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
    """A name on each line."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream

    def write(self, batch: pa.RecordBatch) -> None:
        names = (str(name) for name in batch.column(0).to_pylist())
        self._stream.write("".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape"))

    def close(self) -> None:
        pass


def _writer(kind: str, stream: IO[bytes], schema: pa.Schema) -> RowsWriter:
    if kind == "lines":
        return _Lines(stream)
    return _Names(stream) if kind == "txt" else rows_writer(kind, stream, schema)


@contextmanager
def rows_file(output: str, schema: pa.Schema, *, names: bool = False, lines: bool = False) -> Iterator[RowsWriter]:
    """Give a file for rows of this schema, or for lines as they are; it appears under its name when it is whole."""
    kind = "lines" if lines else kind_of(output, names=names)
    with destination(output, private=False) as stream:
        rows = _writer(kind, stream, schema)
        try:
            yield rows
        except BaseException:
            with suppress(Exception):  # the file is thrown away; its writer must not complain later
                rows.close()
            raise
        rows.close()
