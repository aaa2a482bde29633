"""`lookalike dedupe`: the source is read a second time, and each row goes to the kept or to the removed ones."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.cli.names import path_of
from lookalike.cli.row_files import Rows, kind_of, rows_file
from lookalike.errors import DocumentError, RecipeError
from lookalike.recipe import suggest
from lookalike.search.columns import compute, joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents import Batch, Source
    from lookalike.search.columns import Column
    from lookalike.search.keep import KeepRule
    from lookalike.search.plan import Plan

__all__ = ["column_values", "split_rows"]


def column_values(source: Source | None, rule: KeepRule, paths: Sequence[str]) -> Column | list[Any]:
    """Return what the rule compares: a column of the table, or the dates of the files."""
    if source is None:
        raise RecipeError("--keep", str(rule), "longest, shortest or first without PATH", "give the documents too")
    if rule.column is None:
        return [_changed(name, paths, rule) for batch in source.batches() for name in batch.ids.to_pylist()]
    names = source.schema.names if source.schema is not None else []
    if rule.column not in names:
        columns = f"a column of the table ({', '.join(names)})" if names else "a rule for files, which have no columns"
        raise RecipeError("--keep", str(rule), columns, suggest(rule.column, names))
    return joined(*(batch.rows.column(rule.column) for batch in source.batches(rows=True) if batch.rows is not None))


def _changed(name: object, paths: Sequence[str], rule: KeepRule) -> datetime:
    """Return when a file was last changed."""
    path = path_of(name, paths)
    if path is None:
        raise RecipeError("--keep", str(rule), "given with --date-column", "rows of a table have no date of their own")
    return datetime.fromtimestamp(Path(path).stat().st_mtime, UTC)


def split_rows(plan: Plan, source: Source | None, kept: str | None, removed: str | None, paths: Sequence[str]) -> None:
    """Write the rows that are kept, and those that are removed; documents without rows are listed by their paths."""
    schema = source.schema if source is not None else None
    with ExitStack() as files:
        targets = [
            files.enter_context(rows_file(name, schema or _names_schema(name), names=schema is None)) if name else None
            for name in (kept, removed)
        ]
        for rows, mask in _rows(plan, source, paths, with_rows=schema is not None):
            for target, wanted in zip(targets, (mask, compute().invert(mask)), strict=True):
                if target is not None:
                    _write(target, rows, wanted)


def _write(target: Rows, rows: pa.RecordBatch, wanted: Column) -> None:
    chosen: Any = rows.filter(wanted)
    if chosen.num_rows:
        target.write(chosen)


def _rows(
    plan: Plan, source: Source | None, paths: Sequence[str], *, with_rows: bool
) -> Iterator[tuple[pa.RecordBatch, Column]]:
    """Give the rows batch by batch, and which of them are kept."""
    if source is None:
        import pyarrow as pa

        ids = plan.table["id"].cast(pa.large_string())
        yield pa.RecordBatch.from_arrays([ids.combine_chunks()], ["id"]), plan.kept_mask
        return
    start = 0
    for batch in source.batches(rows=with_rows):
        _same_documents(batch, plan, start, source)
        mask = plan.kept_mask.slice(start, len(batch))
        start += len(batch)
        yield batch.rows if batch.rows is not None else _paths(batch, paths), mask


def _same_documents(batch: Batch, plan: Plan, start: int, source: Source) -> None:
    """Refuse a source that is not what was searched: rows would go to the wrong file."""
    planned = plan.table["id"].slice(start, len(batch)).combine_chunks()
    if not planned.equals(batch.ids):
        problem = "does not hold the documents that were searched, in their order"
        raise DocumentError(source.name, "file", problem, "it has changed since; search again")


def _paths(batch: Batch, folders: Sequence[str]) -> pa.RecordBatch:
    import pyarrow as pa

    names = [path_of(name, folders) or str(name) for name in batch.ids.to_pylist()]
    return pa.RecordBatch.from_arrays([pa.array(names, pa.large_string())], ["path"])


def _names_schema(name: str) -> pa.Schema:
    import pyarrow as pa

    kind_of(name, names=True)
    return pa.schema([("path", pa.large_string())])
