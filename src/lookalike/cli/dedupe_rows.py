"""`lookalike dedupe`: the source is read a second time, and each row goes to the kept or to the removed ones."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.checks import suggest
from lookalike.cli.names import path_of
from lookalike.cli.remote_output import url_of
from lookalike.cli.row_target import row_target
from lookalike.documents.json_values import is_marked
from lookalike.errors import DocumentError, RecipeError
from lookalike.tables.number_columns import compute, joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.cli.row_files import RowOptions
    from lookalike.cli.row_target import RowTarget
    from lookalike.documents import Batch, Source
    from lookalike.result import Result
    from lookalike.result.plan import KeepRule, Plan
    from lookalike.tables.number_columns import Column

__all__ = ["column_values", "mixed_columns", "split_rows"]


def column_values(result: Result, source: Source | None, rule: KeepRule, paths: Sequence[str]) -> Column:
    """Return what the rule compares: a column of the table, or the dates of the files; old documents have none."""
    import pyarrow as pa

    if source is None:
        raise RecipeError("--keep", str(rule), "longest, shortest or first without PATH", "give the documents too")
    if rule.column is None:
        dates = [_changed(name, paths, rule) for batch, _ in _again(result.ids, source) for name in batch.ids]
        values = pa.array(dates, pa.timestamp("us", "UTC"))
    else:
        values = joined(*_column(result, source, rule))
    return joined(values, pa.nulls(result.documents - len(values), values.type))


def _column(result: Result, source: Source, rule: KeepRule) -> Iterator[Column]:
    names = source.schema.names if source.schema is not None else []
    if rule.column not in names:
        columns = f"a column of the table ({', '.join(names)})" if names else "a rule for files, which have no columns"
        raise RecipeError("--keep", str(rule), columns, suggest(rule.column, names))
    for batch, _ in _again(result.ids, source, rows=True):
        if batch.rows is not None:
            yield batch.rows.column(rule.column)


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
) -> list[str]:
    """Write the rows that are kept, and those that are removed; documents without rows are listed by their paths.

    Returns what a person should know of what was written.
    """
    import pyarrow as pa

    own = pa.schema([("path", pa.large_string())])
    notes: list[str] = []
    with ExitStack() as files:
        targets: dict[bool, list[tuple[RowTarget, bool]]] = {True: [], False: []}
        for name, is_kept in ((kept, True), (removed, False)):
            if name:
                target = files.enter_context(row_target(name, source, own, options, notes))
                targets[target.lines].append((target, is_kept))
        for lines, those in targets.items():
            for rows, mask, folder in _rows(plan, result, source, paths, lines=lines) if those else ():
                for target, is_kept in those:
                    chosen: Any = rows.filter(mask if is_kept else compute().invert(mask))
                    if chosen.num_rows:
                        target.write(chosen, folder)
    return notes


def mixed_columns(source: Source | None) -> list[str]:
    """Name the columns with values of several kinds, which no output but the lines themselves can keep."""
    schema = source.schema if source is not None else None
    return [field.name for field in schema if is_marked(field)] if schema is not None else []


def _rows(
    plan: Plan, result: Result, source: Source | None, paths: Sequence[str], *, lines: bool
) -> Iterator[tuple[pa.RecordBatch, Column, str]]:
    """Give the rows batch by batch, which of them are kept, and their folder; old documents are not among them."""
    if source is None:
        new = result.ids.slice(0, result.old_from)
        yield _names(new.to_pylist(), ()), plan.kept_mask.slice(0, len(new)), ""
        return
    for batch, start in _again(result.ids, source, rows=not lines and source.schema is not None, lines=lines):
        rows = batch.rows if batch.rows is not None else _names(batch.ids, paths)
        yield rows, plan.kept_mask.slice(start, len(batch)), batch.folder
        if batch.textless is not None:
            import pyarrow as pa

            yield batch.textless, pa.repeat(pa.scalar(True), batch.textless.num_rows), batch.folder


def _again(ids: Column, source: Source, *, rows: bool = False, lines: bool = False) -> Iterator[tuple[Batch, int]]:
    """Read the source again, with the place of each batch; refuse one that is not what was searched."""
    start = 0
    for batch in (source.lines() if lines else None) or source.batches(rows=rows):
        if not ids.slice(start, len(batch)).equals(batch.ids.to_arrow()):
            problem = "does not hold the documents that were searched, in their order"
            raise DocumentError(source.name, "file", problem, "it has changed since; search again")
        yield batch, start
        start += len(batch)


def _names(ids: Sequence[object], paths: Sequence[str]) -> pa.RecordBatch:
    """Return the paths of documents that are files, and the ids of others."""
    import pyarrow as pa

    names = [path_of(name, paths) or url_of(str(name), paths) for name in ids]
    return pa.RecordBatch.from_arrays([pa.array(names, pa.large_string())], ["path"])
