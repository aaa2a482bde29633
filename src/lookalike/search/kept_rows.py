"""The rows of a deduplicated collection: which are kept and which removed, or what is left of their texts.

The source is read a second time, and each row is written as it was, stored as the files of the source are.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from lookalike.documents.arrow_columns import is_marked, texts_as
from lookalike.documents.document_batches import SHORT
from lookalike.documents.document_source import chosen_texts
from lookalike.documents.table_columns import check_outer
from lookalike.documents.table_errors import not_judged
from lookalike.errors import DocumentError, RecipeError, suggest
from lookalike.search.row_files import (
    RowFolder,
    RowForm,
    RowShape,
    form_of,
    is_folder,
    listed_path,
    path_of,
    row_file,
    row_folder,
)
from lookalike.tables.columns import compute, joined
from lookalike.tables.output_files import ENDINGS
from lookalike.tables.packed import Ids
from lookalike.tables.row_writers import CODECS, not_for_csv

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents import Batch, Skipped, Source
    from lookalike.result import Result
    from lookalike.result.plan import KeepRule, Plan
    from lookalike.search.repeats import CutBatch
    from lookalike.search.row_files import RowOptions
    from lookalike.tables.columns import Column
    from lookalike.tables.row_writers import RowsWriter

__all__ = [
    "CutRows",
    "RowTarget",
    "as_lines",
    "check_target",
    "column_values",
    "cut_rows_file",
    "mixed_columns",
    "row_target",
    "split_rows",
    "unjudged_names",
]


_IN_FOLDERS: Final = {
    "jsonl": "jsonl",
    "json": "jsonl",
    "csv": "csv",
    "tsv": "tsv",
}
"""Format of a source → of the files in an output folder, whose name does not say it; Parquet for all others."""
_PARQUET_CODECS: Final = {"uncompressed": "none", **{name: name for name in CODECS}}


def _form_for(output: str, source: Source | None, codec: str | None) -> RowForm:
    """Return what is written to an output."""
    stored = None if source is None else source.form
    if not is_folder(output):
        return form_of(output, codec, names=stored is None, rows=stored is not None)
    if stored is None:
        raise DocumentError(output, "file", "is a folder, and the documents have no rows", "end the name in .txt")
    kind = _IN_FOLDERS.get(stored.format, "parquet")
    if kind == "parquet":
        return RowForm(kind, codec)
    if codec is None and stored.codec is not None:
        return RowForm(kind, stored.codec if stored.codec in ENDINGS else "zstd")
    if codec not in (None, "none", *ENDINGS):
        raise RecipeError("--codec", codec, f"{', '.join(ENDINGS)} or none for {kind}")
    return RowForm(kind, None if codec == "none" else codec)


def as_lines(output: str, source: Source | None, codec: str | None = None) -> bool:
    """Say whether rows are written as unchanged lines: in the format of the source, and in its folders.

    A single file has no folders to tell the columns that are in their names.
    """
    if source is None or source.line_form is None:
        return False
    return _form_for(output, source, codec).kind == source.line_form.format and (
        is_folder(output) or not source.partitioned
    )


def check_target(output: str, source: Source | None, codec: str | None = None) -> None:
    """Refuse an output that cannot take the documents of a source, as far as is known before they are searched."""
    kind = _form_for(output, source, codec).kind
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
        self.written = 0
        """How many rows there are in it."""

    def write(self, batch: pa.RecordBatch, folder: str) -> None:
        """Write some rows, which came from this folder."""
        self.written += batch.num_rows
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
    form = _form_for(output, source, options.codec)
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


def column_values(result: Result, source: Source | None, rule: KeepRule, paths: Sequence[str]) -> Column:
    """Return what the rule compares: a column of the table, or the dates of the files; old documents have none."""
    import pyarrow as pa

    if source is None:
        raise RecipeError("--keep", str(rule), "longest, shortest or first without PATH", "give the documents too")
    if rule.column is None:
        if source.has_files:
            _check_files(result, source)
        dates = [_changed(name, paths, rule) for name in result.ids.to_pylist()]
        values = pa.array(dates, pa.timestamp("us", "UTC"))
    else:
        values = joined(*_column(result, source, rule))
    return joined(values, pa.nulls(result.documents - len(values), values.type))


def _column(result: Result, source: Source, rule: KeepRule) -> Iterator[Column]:
    names = source.schema.names if source.schema is not None else []
    if rule.column not in names:
        columns = f"a column of the table ({', '.join(names)})" if names else "a rule for files, which have no columns"
        raise RecipeError("--keep", str(rule), columns, suggest(rule.column, names))
    for batch, _ in _again(result, source, rows=True):
        if batch.rows is not None:
            column = batch.rows.column(rule.column)
            yield column if batch.is_document is None else column.filter(batch.is_document)


def _changed(name: object, paths: Sequence[str], rule: KeepRule) -> datetime:
    """Return when a file was last changed."""
    path = path_of(name, paths)
    if path is None:
        raise RecipeError("--keep", str(rule), "given with --date-column", "rows of a table have no date of their own")
    return datetime.fromtimestamp(Path(path).stat().st_mtime, UTC)


def split_rows(
    plan: Plan,
    result: Result,
    source: Source | None,
    kept: str | None,
    removed: str | None,
    paths: Sequence[str],
    options: RowOptions,
) -> tuple[int, list[str]]:
    """Write the rows that are kept, and those that are removed; documents without rows are listed by their paths.

    Returns how many rows were kept, whether they are written or not, and what a person should know of it.
    """
    import pyarrow as pa

    own = pa.schema([("path", pa.large_string())])
    notes: list[str] = []
    every = 0
    with ExitStack() as files:
        targets: dict[bool, list[tuple[RowTarget, bool]]] = {True: [], False: []}
        for name, is_kept in ((kept, True), (removed, False)):
            if name:
                target = files.enter_context(row_target(name, source, own, options, notes))
                targets[target.lines].append((target, is_kept))
        for lines, those in targets.items():
            every = 0 if those else every
            for rows, mask, folder in _rows(plan, result, source, paths, lines=lines) if those else ():
                every += rows.num_rows
                for target, is_kept in those:
                    chosen: Any = rows.filter(mask if is_kept else compute().invert(mask))
                    if chosen.num_rows:
                        target.write(chosen, folder)
    return every - plan.removed, notes


def mixed_columns(source: Source | None) -> list[str]:
    """Name the columns with values of several kinds, which no output but the lines themselves can keep."""
    schema = source.schema if source is not None else None
    return [field.name for field in schema if is_marked(field)] if schema is not None else []


def _rows(
    plan: Plan, result: Result, source: Source | None, paths: Sequence[str], *, lines: bool
) -> Iterator[tuple[pa.RecordBatch, Column, str]]:
    """Give the rows batch by batch, which of them are kept, and their folder; old documents are not among them."""
    if source is None or source.has_files:
        if source is not None:
            _check_files(result, source)
        new = result.ids
        yield _path_rows(new.to_pylist(), paths), plan.kept_mask.slice(0, len(new)), ""
        yield from _unjudged_paths(new, result.new_skipped, paths)
        return
    for batch, start in _again(result, source, rows=not lines and source.schema is not None, lines=lines):
        rows = batch.rows if batch.rows is not None else _path_rows(batch.ids, paths)
        kept = plan.kept_mask.slice(start, len(batch))
        if batch.is_document is not None:
            kept = compute().replace_with_mask(compute().invert(batch.is_document), batch.is_document, kept)
        yield rows, kept, batch.folder


def _unjudged_paths(
    ids: Column, skipped: Iterable[Skipped], paths: Sequence[str]
) -> Iterator[tuple[pa.RecordBatch, Column, str]]:
    """Give the paths of files that belong to the collection and are no documents; they are kept."""
    if names := unjudged_names(ids, skipped):
        import pyarrow as pa

        yield _path_rows(names, paths), pa.repeat(pa.scalar(True), len(names)), ""


def unjudged_names(ids: Column, skipped: Iterable[Skipped]) -> list[str]:
    """Return what was not judged and is no document, each once."""
    names = dict.fromkeys(one.id for one in not_judged(skipped))
    documents = set(map(str, ids.to_pylist())) if names else set()
    return [name for name in names if name not in documents]


def _short(result: Result) -> set[str]:
    """Return the names of what the search left out because it is short; a source that is read again has it."""
    return {one.id for one in result.new_skipped if one.reason in SHORT}


def _check_files(result: Result, source: Source) -> None:
    """Refuse files that are not what was searched; a short online text may have had another place in the search."""
    names = {str(name) for batch in source.batches() for name in batch.ids}
    if names - _short(result) != set(map(str, result.ids.to_pylist())):
        raise _other_documents(source)


def _again(result: Result, source: Source, *, rows: bool = False, lines: bool = False) -> Iterator[tuple[Batch, int]]:
    """Read the source again, with the place of each batch; refuse one that is not what was searched."""
    ids, short = result.ids, _short(result)
    start = 0
    for read in (source.lines() if lines else None) or source.batches(rows=rows):
        batch = _without(read, short) if short else read
        if len(batch) and not ids.slice(start, len(batch)).equals(batch.ids.to_arrow()):
            raise _other_documents(source)
        yield batch, start
        start += len(batch)
    if start < len(ids):
        raise _other_documents(source)


def _other_documents(source: Source) -> DocumentError:
    problem = "does not hold the documents that were searched, in their order"
    return DocumentError(source.name, "file", problem, "it has changed since; search again")


def _without(batch: Batch, short: Container[str]) -> Batch:
    """Return a batch in which short rows are rows that were not judged."""
    import pyarrow as pa

    chosen = [str(name) not in short for name in batch.ids]
    if all(chosen):
        return batch
    places = [place for place, is_one in enumerate(chosen) if is_one]
    mask: Any = pa.array(chosen, pa.bool_())
    if batch.is_document is not None:
        mask = compute().replace_with_mask(batch.is_document, batch.is_document, mask)
    ids = Ids.of(batch.ids.take(places)) if places else batch.ids[:0]
    return replace(batch, ids=ids, texts=chosen_texts(batch.texts, places), is_document=mask)


def _path_rows(ids: Sequence[object], paths: Sequence[str]) -> pa.RecordBatch:
    """Return the paths of documents that are files, and the ids of others."""
    import pyarrow as pa

    names = pa.array([listed_path(name, paths) for name in ids], pa.large_string())
    return pa.RecordBatch.from_arrays([names], ["path"])


@contextmanager
def cut_rows_file(
    output: str,
    source: Source,
    paths: Sequence[str],
    options: RowOptions,
    notes: list[str],
    *,
    drop_empty: bool,
) -> Iterator[CutRows]:
    """Give the output that rows are written to: as lines, where they stay lines; files as paths and texts."""
    import pyarrow as pa

    own = pa.schema([("path", pa.large_string()), ("text", pa.large_string())])
    with row_target(output, source, own, options, notes) as target:
        yield CutRows(target, source, paths, drop_empty=drop_empty)


class CutRows:
    """The rows of a source, written batch by batch."""

    def __init__(self, target: RowTarget, source: Source, paths: Sequence[str], *, drop_empty: bool) -> None:
        """Write to an output; `lines` and `whole` say how the source has to be read."""
        self._target, self._paths = target, paths
        self._line_form = source.line_form if target.lines else None
        self.lines = target.lines
        self.whole = not target.lines and source.schema is not None
        self._drop_empty = drop_empty

    @property
    def written(self) -> int:
        """How many rows were written."""
        return self._target.written

    def write_files(self, ids: Column, skipped: Iterable[Skipped]) -> None:
        """Write the files that are no documents, after those that are, without a text."""
        import pyarrow as pa

        if names := unjudged_names(ids, skipped):
            texts = pa.nulls(len(names), pa.large_string())
            self._target.write(_path_rows(names, self._paths).append_column("text", texts), "")

    def write(self, cut: CutBatch) -> None:
        """Write some documents, and the rows among them that have no text."""
        rows = self._rows(cut)
        if self._drop_empty and cut.emptied:
            import pyarrow as pa

            gone = set(cut.in_rows(cut.emptied))
            rows = rows.filter(pa.array([place not in gone for place in range(rows.num_rows)]))
        if rows.num_rows:
            self._target.write(rows, cut.batch.folder)

    def _rows(self, cut: CutBatch) -> pa.RecordBatch:
        import pyarrow as pa

        rows, column = cut.batch.rows, cut.batch.text_column
        if rows is None or column is None:
            names = [listed_path(name, self._paths) for name in cut.batch.ids]
            columns: list[pa.Array[Any]] = [pa.array(names, pa.large_string()), cut.texts.to_arrow()]
            return pa.RecordBatch.from_arrays(columns, ["path", "text"])
        if not cut.changed:
            return rows
        if self._line_form is not None:
            lines: list[Any] = rows.column(0).to_pylist()
            for number, place in zip(cut.changed, cut.in_rows(cut.changed), strict=True):
                changed = self._line_form.with_text(lines[place], column, cut.texts[number])
                if changed == lines[place]:  # no field of the line has exactly this name
                    check_outer(column, ())
                lines[place] = changed
            return pa.RecordBatch.from_arrays([pa.array(lines, pa.large_binary())], ["line"])
        check_outer(column, rows.schema.names)
        at = rows.schema.get_field_index(column)
        values: list[Any] = list(cut.texts)
        if cut.batch.is_document is not None:
            left = iter(values)
            own = rows.column(at)
            chosen = cut.batch.is_document.to_pylist()
            values = [next(left) if is_one else own[place].as_py() for place, is_one in enumerate(chosen)]
        texts = texts_as(values, rows.schema.field(at).type)
        return pa.RecordBatch.from_arrays(
            [texts if place == at else own for place, own in enumerate(rows.columns)], schema=rows.schema
        )
