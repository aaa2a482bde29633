"""Rows in files: Parquet, JSONL or CSV by the name of the file, written batch by batch as they are read."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.cli.writing import destination, extension
from lookalike.errors import DocumentError, RecipeError
from lookalike.tables.output_files import ENDINGS, squeezed
from lookalike.tables.row_writers import CODECS, JsonRows, rows_writer
from lookalike.tables.write_table import CsvWriter

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from lookalike.tables.row_writers import RowsWriter

__all__ = ["KINDS", "RowForm", "RowOptions", "RowShape", "form_of", "kind_of", "row_file"]

KINDS: Final = {"parquet": "parquet", "jsonl": "jsonl", "ndjson": "jsonl", "csv": "csv"}
"""Extension → what is written; and tsv, of rows."""
_UNPACKED: Final = {ending: codec for codec, ending in ENDINGS.items()}


@dataclass(frozen=True, slots=True)
class RowForm:
    """What is written to a file."""

    kind: str
    """``parquet``, ``jsonl``, ``csv``, ``tsv`` or ``txt``."""
    codec: str | None = None
    """What it is compressed with; of Parquet, what its columns are, if that was said."""

    @property
    def ending(self) -> str:
        """How the name of such a file ends.

        >>> RowForm("jsonl", "zstd").ending, RowForm("parquet", "zstd").ending
        ('.jsonl.zst', '.parquet')
        """
        packed = None if self.kind == "parquet" else ENDINGS.get(self.codec or "")
        return f".{self.kind}" + (f".{packed}" if packed else "")


def form_of(output: str, codec: str | None = None, *, names: bool = False, rows: bool = False) -> RowForm:
    """Return what is written to a file of this name.

    `names` allows a plain list of names, ``.txt``; `rows`, what only rows of somebody's own are written as.

    >>> form_of("kept.csv.gz"), form_of("kept.parquet", "snappy"), form_of("kept.txt", names=True)
    (RowForm(kind='csv', codec='gzip'), RowForm(kind='parquet', codec='snappy'), RowForm(kind='txt', codec=None))
    """
    kinds = KINDS | ({"tsv": "tsv"} if rows else {}) | ({"txt": "txt", "": "txt"} if names else {})
    packed = _UNPACKED.get(extension(output))
    kind = kinds.get(extension(output.rpartition(".")[0]) if packed else extension(output))
    if kind is None or (packed and kind in ("parquet", "txt")):
        listed = [f".{name}" for name in dict.fromkeys(kinds.values())]
        problem = "has a name that does not say what to write"
        raise DocumentError(output, "file", problem, f"end it in {', '.join(listed[:-1])} or {listed[-1]}")
    if kind == "parquet":
        return RowForm(kind, codec)
    if codec is not None and (None if codec == "none" else codec) != packed:
        endings = ", ".join(f"{RowForm(kind, name).ending} for {name}" for name in ENDINGS)
        raise RecipeError("--codec", codec, f"what the name {output} says", f"end it in {endings}")
    return RowForm(kind, packed)


def kind_of(output: str, *, names: bool = False) -> str:
    """Return the kind of file that has this name.

    >>> kind_of("kept.parquet"), kind_of("kept.txt", names=True)
    ('parquet', 'txt')
    """
    return form_of(output, names=names).kind


@dataclass(frozen=True, slots=True)
class RowOptions:
    """How rows, and names of documents that have no rows, are written."""

    null: bool = False
    """Whether NUL ends each name of a plain list."""
    raw_csv: bool = False
    codec: str | None = None
    rows_per_file: int | None = None

    def check(self) -> None:
        """Refuse a codec that does not exist."""
        if self.codec is not None and self.codec not in CODECS:
            raise RecipeError("--codec", self.codec, f"{', '.join(CODECS[:-1])} or {CODECS[-1]}")


@dataclass(frozen=True, slots=True)
class RowShape:
    """What rows look like."""

    schema: pa.Schema
    own: bool = False
    """Whether they are a table of lookalike's own, such as a list of names."""
    lines: bool = False
    """Whether they are lines, written as they are."""
    head: bytes | None = None
    """The line before the first."""
    codec: str | None = None
    """Of Parquet, unless another is asked for."""
    group_rows: int | None = None


class _Lines:
    """The lines of a file, as they were."""

    def __init__(self, stream: IO[bytes], head: bytes | None) -> None:
        self._stream = stream
        if head is not None:
            stream.write(head + b"\n")

    def write(self, batch: pa.RecordBatch) -> None:
        lines: list[Any] = batch.column(0).to_pylist()
        self._stream.write(b"".join(line + b"\n" for line in lines))

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


def _writer(form: RowForm, stream: IO[bytes], shape: RowShape, options: RowOptions) -> RowsWriter:
    if shape.lines:
        return _Lines(stream, shape.head)
    if form.kind == "txt":
        return _Names(stream, null=options.null)
    if shape.own and form.kind == "csv":
        return CsvWriter(stream, shape.schema.names, raw=options.raw_csv)
    codec = form.codec or shape.codec
    return rows_writer(form.kind, stream, shape.schema, codec=codec, group_rows=shape.group_rows)


@contextmanager
def row_file(
    output: str, form: RowForm, shape: RowShape, options: RowOptions, notes: list[str], *, private: bool = False
) -> Iterator[RowsWriter]:
    """Give a file for rows; what became of them that a person should know goes to the notes.

    It appears under its name when it is whole, with the permissions that the umask leaves: it is data, not a report.
    What is a report, a plan for one, is `private`.
    """
    packed = None if form.kind == "parquet" else form.codec
    with destination(output, private=private) as stream, squeezed(stream, packed) as inner:
        rows = _writer(form, inner, shape, options)
        try:
            yield rows
        except BaseException:
            if form.kind != "txt":
                with suppress(Exception):  # the file is thrown away; its writer must not complain later
                    rows.close()
            raise
        rows.close()
    if isinstance(rows, JsonRows) and rows.not_numbers:
        columns = ", ".join(map(repr, rows.not_numbers))
        notes.append(f'values that are no numbers in JSON written as "NaN", "Infinity" or "-Infinity" in {columns}')
