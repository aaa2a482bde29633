"""Rows in a folder: files part-00000, part-00001 and so on, in the folders that the rows came from (``year=2024``)."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lookalike.cli.remote_output import check_folder_url
from lookalike.cli.row_files import RowForm, row_file
from lookalike.errors import DocumentError
from lookalike.tables.output_files import check_place
from lookalike.urls import is_url, shown_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.cli.row_files import RowOptions, RowShape
    from lookalike.tables.row_writers import RowsWriter

__all__ = ["RowFolder", "check_folder", "is_folder", "row_folder"]

_SEPARATORS: Final = tuple(filter(None, ("/", os.sep, os.altsep)))


def is_folder(output: str) -> bool:
    """Say whether an output is a folder: its name ends in a slash, or there is one of that name.

    >>> is_folder("kept/"), is_folder("kept.parquet")
    (True, False)
    """
    return output.endswith(_SEPARATORS) or Path(output).is_dir()


def check_folder(output: str, sources: Sequence[str]) -> None:
    """Refuse a folder that has something in it, or that is among the documents."""
    if is_url(output):
        check_folder_url(output, sources)
        return
    target = Path(output)
    if target.exists() and not target.is_dir():
        raise DocumentError(output, "file", "is a file, not a folder", "leave the slash out, or give another name")
    for source in sources:
        if source != "-" and Path(source).is_dir() and target.resolve().is_relative_to(Path(source).resolve()):
            raise DocumentError(output, "file", "is among the documents", "write the result to another place")
    if target.is_dir() and any(target.iterdir()):
        raise DocumentError(output, "file", "is a folder that is not empty", "give another name, or empty it")
    if not target.exists():
        check_place(target)


class RowFolder:
    """A folder that rows are written to, one file after the other."""

    def __init__(
        self, root: Path, form: RowForm, shape: RowShape, options: RowOptions, dropped: Sequence[str], notes: list[str]
    ) -> None:
        """Take an empty folder; columns that are `dropped` stand in the names of the folders inside it."""
        self._root, self._form, self._shape, self._options = root, form, shape, options
        self._dropped, self._notes = dropped, notes
        self._stack = ExitStack()
        self._file: RowsWriter | None = None
        self._folder = ""
        self._rows = 0
        self._numbers: dict[str, int] = {}

    def write(self, batch: pa.RecordBatch, folder: str) -> None:
        """Write some rows of one folder."""
        rows = batch.drop_columns(list(self._dropped)) if self._dropped else batch
        most = self._options.rows_per_file or rows.num_rows
        start = 0
        while start < rows.num_rows:
            if self._file is None or folder != self._folder or (self._options.rows_per_file and self._rows == most):
                self._next(folder)
            piece = rows.slice(start, most - self._rows if self._options.rows_per_file else most)
            if self._file is not None:
                self._file.write(piece)
            self._rows += piece.num_rows
            start += piece.num_rows

    def _next(self, folder: str) -> None:
        self._stack.close()
        number = self._numbers.get(folder, 0)
        self._numbers[folder] = number + 1
        (self._root / folder).mkdir(parents=True, exist_ok=True)
        path = self._root / folder / f"part-{number:05}{self._form.ending}"
        self._file = self._stack.enter_context(row_file(str(path), self._form, self._shape, self._options, self._notes))
        self._folder, self._rows = folder, 0

    def close(self) -> None:
        """End the last file; a folder without any row has one file all the same, which tells the columns."""
        if self._file is None:
            self._next("")
        self._stack.close()

    def abandon(self, error: BaseException) -> None:
        """Leave the last file as it is."""
        self._stack.__exit__(type(error), error, error.__traceback__)


@contextmanager
def row_folder(
    output: str, form: RowForm, shape: RowShape, options: RowOptions, dropped: Sequence[str], notes: list[str]
) -> Iterator[RowFolder]:
    """Give a folder for rows, which appears under its name when all files are whole."""
    if is_url(output):
        from lookalike.remote import new_remote_folder

        with new_remote_folder(output) as local:
            rows = RowFolder(local, form, shape, options, dropped, notes)
            with _named(local, shown_url(output)), _whole(rows):
                yield rows
        return
    target = Path(os.path.realpath(output))
    temporary = target.with_name(f".{target.name[:40]}.{os.urandom(6).hex()}")
    try:
        with _named(temporary, output):
            temporary.mkdir()
            rows = RowFolder(temporary, form, shape, options, dropped, notes)
            with _whole(rows):
                yield rows
            if target.is_dir():
                target.rmdir()
            temporary.replace(target)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def _whole(rows: RowFolder) -> Iterator[None]:
    """End the files of a folder, or leave them as they are after an error."""
    try:
        yield
    except BaseException as error:
        rows.abandon(error)
        raise
    rows.close()


@contextmanager
def _named(temporary: Path, output: str) -> Iterator[None]:
    """Let errors name the output, not the folder that is written first."""
    try:
        yield
    except DocumentError as error:
        if str(temporary) not in str(error.document):
            raise
        raise DocumentError(output, error.field, error.problem, error.remedy) from None
    except OSError as error:
        problem = f"cannot be written ({error.strerror or error})"
        raise DocumentError(output, "file", problem, "check the name and the disk") from None
