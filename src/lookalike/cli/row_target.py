"""Where the rows of a source go: one file or a folder of files, stored as those of the source are."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, cast

from lookalike.cli.row_files import RowForm, RowShape, form_of, row_file
from lookalike.cli.row_folder import RowFolder, is_folder, row_folder
from lookalike.errors import DocumentError, RecipeError
from lookalike.tables.output_files import ENDINGS
from lookalike.tables.row_writers import CODECS, not_for_csv

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from lookalike.cli.row_files import RowOptions
    from lookalike.documents import Source
    from lookalike.tables.row_writers import RowsWriter

__all__ = ["RowTarget", "as_lines", "check_target", "row_target"]

_IN_FOLDERS: Final = {
    "parquet": "parquet",
    "arrow": "parquet",
    "jsonl": "jsonl",
    "json": "jsonl",
    "csv": "csv",
    "tsv": "tsv",
}
"""Format of a source → of the files in an output folder, whose name does not say it."""
_PARQUET_CODECS: Final = {"uncompressed": "none", **{name: name for name in CODECS}}


def _form(output: str, source: Source | None, codec: str | None) -> RowForm:
    """Return what is written to an output."""
    stored = None if source is None else source.form
    if not is_folder(output):
        return form_of(output, codec, names=stored is None, rows=stored is not None)
    if stored is None:
        raise DocumentError(output, "file", "is a folder, and the documents have no rows", "end the name in .txt")
    kind = _IN_FOLDERS[stored.format]
    if kind == "parquet":
        return RowForm(kind, codec)
    if codec is None and stored.codec is not None:
        return RowForm(kind, stored.codec if stored.codec in ENDINGS else "zstd")
    if codec not in (None, "none", *ENDINGS):
        raise RecipeError("--codec", codec, f"{', '.join(ENDINGS)} or none for {kind}")
    return RowForm(kind, None if codec == "none" else codec)


def as_lines(output: str, source: Source | None, codec: str | None = None) -> bool:
    """Say whether rows are written as the very lines they were: in the format of the source, and in its folders.

    A single file has no folders to tell the columns that are in their names.
    """
    if source is None or source.line_form is None:
        return False
    return _form(output, source, codec).kind == source.line_form.format and (
        is_folder(output) or not source.partitioned
    )


def check_target(output: str, source: Source | None, codec: str | None = None) -> None:
    """Refuse an output that cannot take the documents of a source, as far as is known before they are searched."""
    kind = _form(output, source, codec).kind
    if source is None or kind not in ("csv", "tsv") or as_lines(output, source, codec) or source.schema is None:
        return
    if (column := not_for_csv(source.schema)) is not None:
        problem = f"cannot hold the column {column.name!r} of {source.name}, which is {column.type}"
        raise DocumentError(output, "file", problem, "write .parquet or .jsonl")


class RowTarget:
    """An output of rows."""

    def __init__(self, rows: RowsWriter | RowFolder, *, lines: bool) -> None:
        """Take a file or a folder; `lines` says how the source has to be read."""
        self._rows = rows
        self.lines = lines

    def write(self, batch: pa.RecordBatch, folder: str) -> None:
        """Write some rows, which came from this folder."""
        if isinstance(self._rows, RowFolder):
            self._rows.write(batch, folder)
        else:
            self._rows.write(batch)


@contextmanager
def row_target(
    output: str, source: Source | None, own: pa.Schema, options: RowOptions, notes: list[str]
) -> Iterator[RowTarget]:
    """Give an output for the rows of a source; where it has none, for a table with the columns `own`.

    What a person should know of what was written goes to the notes.
    """
    said: list[str] = []
    form = _form(output, source, options.codec)
    lines = as_lines(output, source, options.codec)
    shape, dropped = _shape(source, own, lines=lines, folder=is_folder(output))
    if is_folder(output):
        with row_folder(output, form, shape, options, dropped, said) as folder:
            yield RowTarget(folder, lines=lines)
    else:
        with row_file(output, form, shape, options, said) as file:
            yield RowTarget(file, lines=lines)
    notes += [f"{output}: {note}" for note in dict.fromkeys(said)]


def _shape(source: Source | None, own: pa.Schema, *, lines: bool, folder: bool) -> tuple[RowShape, list[str]]:
    """Return what the rows look like, and the columns that the names of folders tell."""
    import pyarrow as pa

    if source is not None and lines and source.line_form is not None:
        return RowShape(pa.schema([("line", pa.large_binary())]), lines=True, head=source.line_form.head), []
    schema = source.schema if source is not None else None
    if source is None or schema is None:
        return RowShape(own, own=True), []
    dropped = source.folder_columns() if folder else []
    kept = pa.schema(
        [field for field in schema if field.name not in dropped],
        cast("dict[bytes | str, bytes | str] | None", schema.metadata),
    )
    stored = source.form
    if stored is None or stored.format != "parquet":
        return RowShape(kept), dropped
    return RowShape(kept, codec=_PARQUET_CODECS.get(stored.codec or ""), group_rows=stored.group_rows), dropped
