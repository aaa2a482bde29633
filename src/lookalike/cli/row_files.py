"""Rows in files: Parquet, JSONL or CSV by the name of the file, written batch by batch as they are read."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.cli.output import to_json
from lookalike.cli.writing import destination, extension
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

__all__ = ["KINDS", "Rows", "kind_of", "rows_file"]

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


class Rows(ABC):
    """A file that rows are written to."""

    def __init__(self, stream: IO[bytes], schema: pa.Schema) -> None:
        """Begin the file."""
        self.stream = stream
        self.schema = schema

    @abstractmethod
    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows."""

    def close(self) -> None:  # noqa: B027 — most kinds have nothing to add
        """End the file."""


class _Parquet(Rows):
    def __init__(self, stream: IO[bytes], schema: pa.Schema) -> None:
        super().__init__(stream, schema)
        from pyarrow.parquet import ParquetWriter

        self._writer = ParquetWriter(stream, schema)

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def close(self) -> None:
        self._writer.close()


class _Csv(Rows):
    def __init__(self, stream: IO[bytes], schema: pa.Schema) -> None:
        super().__init__(stream, schema)
        import pyarrow.types as kinds
        from pyarrow.csv import CSVWriter

        for field in schema:
            if kinds.is_nested(field.type) or kinds.is_binary(field.type) or kinds.is_large_binary(field.type):
                problem = f"is {field.type}, which CSV cannot hold"
                raise DocumentError("rows", f"column {field.name!r}", problem, "write .parquet or .jsonl")
        self._writer = CSVWriter(stream, schema)

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def close(self) -> None:
        self._writer.close()


class _Jsonl(Rows):
    def write(self, batch: pa.RecordBatch) -> None:
        self.stream.write("".join(_json_line(row) for row in batch.to_pylist()).encode("utf-8"))


class _Lines(Rows):
    def write(self, batch: pa.RecordBatch) -> None:
        lines: list[Any] = batch.column(0).to_pylist()
        self.stream.writelines(line + b"\n" for line in lines)


class _Names(Rows):
    def write(self, batch: pa.RecordBatch) -> None:
        names = (str(name) for name in batch.column(0).to_pylist())
        self.stream.write("".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape"))


_WRITERS: Final[dict[str, Callable[[IO[bytes], pa.Schema], Rows]]] = {
    "parquet": _Parquet,
    "csv": _Csv,
    "jsonl": _Jsonl,
    "txt": _Names,
    "lines": _Lines,
}


@contextmanager
def rows_file(output: str, schema: pa.Schema, *, names: bool = False, lines: bool = False) -> Iterator[Rows]:
    """Give a file for rows of this schema, or for lines as they are; it appears under its name when it is whole."""
    kind = "lines" if lines else kind_of(output, names=names)
    with destination(output) as stream:
        rows = _WRITERS[kind](stream, schema)
        try:
            yield rows
        except BaseException:
            with suppress(Exception):  # the file is thrown away; its writer must not complain later
                rows.close()
            raise
        rows.close()


def _json_line(row: dict[str, Any]) -> str:
    try:
        return to_json(row, indent=None)
    except (TypeError, ValueError):  # a date, a decimal number, bytes, not a number
        return to_json(json.loads(json.dumps(row, default=_plain), parse_constant=lambda _: None), indent=None)


def _plain(value: Any) -> Any:
    """Return a value that JSON has no form for as text."""
    if isinstance(value, bytes):
        import base64

        return base64.b64encode(value).decode("ascii")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
