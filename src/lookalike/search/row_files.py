"""Rows in files: Parquet, JSONL or CSV by the name of the file, or a folder of such files; written batch by batch."""

from __future__ import annotations

import os
import shutil
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.errors import DocumentError, RecipeError
from lookalike.opening import is_url, shown_url
from lookalike.tables.output_files import ENDINGS, check_place, new_file, squeezed
from lookalike.tables.row_writers import CODECS, JsonRows, rows_writer
from lookalike.tables.write_table import CsvWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from lookalike.tables.row_writers import RowsWriter

    Opening = Callable[..., AbstractContextManager[IO[bytes]]]

__all__ = [
    "KINDS",
    "RowFolder",
    "RowForm",
    "RowOptions",
    "RowShape",
    "check_folder",
    "form_of",
    "is_folder",
    "kind_of",
    "listed_path",
    "path_of",
    "refuse_source_url",
    "row_file",
    "row_folder",
]


def refuse_source_url(output: str, sources: Iterable[str]) -> None:
    """Refuse a URL that is among the documents."""
    from fnmatch import fnmatchcase

    for source in filter(is_url, sources):
        if (output.rstrip("/") + "/").startswith(source.rstrip("/") + "/") or fnmatchcase(output, source):
            problem, remedy = "is among the documents", "write the result to another place"
            raise DocumentError(shown_url(output), "file", problem, remedy)


def check_folder_url(output: str, sources: Iterable[str]) -> None:
    """Refuse a folder that has something in it, or that is among the documents."""
    from lookalike.remote import RemoteStore, check_writable

    refuse_source_url(output, sources)
    check_writable(output)
    store = RemoteStore(output)
    if store.exists(output) and store.inside(output):
        raise DocumentError(shown_url(output), "file", "is a folder that is not empty", "give another name")


def url_of(name: str, paths: Sequence[str]) -> str:
    """Return the URL of a document in the one folder that was named, if that was a URL; else its name.

    >>> url_of("a.txt", ["s3://bucket/essays/"]), url_of("a.txt", ["essays"]), url_of("hf://a/b.txt", ["hf://a/b.txt"])
    ('s3://bucket/essays/a.txt', 'a.txt', 'hf://a/b.txt')
    """
    if len(paths) != 1 or not is_url(paths[0]) or is_url(name) or any(one in paths[0] for one in "*?["):
        return name
    return f"{shown_url(paths[0]).rstrip('/')}/{name}"


def path_of(name: object, paths: Iterable[str]) -> str | None:
    """Return the path of a document that is a file: its name may be that inside one of the folders."""
    return next(filter(os.path.isfile, _places(name, paths)), None)


def listed_path(name: object, paths: Sequence[str]) -> str:
    """Return what a list names a document by: its path, also if it is a link to nothing or in an archive."""
    places = [*_places(name, paths)]
    tests = (os.path.isfile, os.path.islink, _is_member)
    return next((path for test in tests for path in filter(test, places)), None) or url_of(str(name), paths)


def _is_member(path: str) -> bool:
    return any(map(os.path.isfile, Path(path).parents))


def _places(name: object, paths: Iterable[str]) -> Iterator[str]:
    yield from (str(Path(folder) / str(name)) for folder in filter(os.path.isdir, paths))
    yield str(Path(str(name)))


def _extension(path: str) -> str:
    return Path(path).suffix.lower().removeprefix(".")


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
    packed = _UNPACKED.get(_extension(output))
    kind = kinds.get(_extension(output.rpartition(".")[0]) if packed else _extension(output))
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
    opening: Opening = new_file
    """What gives a stream for the name of a file, as `new_file` does; a command knows standard output too."""

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


class _LineWriter:
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


class _NameWriter:
    """A list of names, each followed by a line break or NUL; written at the end, so that a bad name leaves no file."""

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
        return _LineWriter(stream, shape.head)
    if form.kind == "txt":
        return _NameWriter(stream, null=options.null)
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
    with options.opening(output, private=private) as stream, squeezed(stream, packed) as inner:
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
