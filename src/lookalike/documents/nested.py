"""Tables in which a column may be named by a path: ``doc.text``."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lookalike.documents.json_table import JsonTable
from lookalike.documents.paths_inside import field_at, inside, split_path
from lookalike.documents.table import Rows, Table
from lookalike.documents.wrapped import WrappedTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents.columns import Choice
    from lookalike.documents.log import Log
    from lookalike.documents.model import Size

__all__ = ["PathTable", "with_paths"]


def with_paths(table: Table, *names: str | None) -> Table:
    """Return a table in which the names of columns may be paths."""
    paths = [name for name in names if name and "." in name]
    if not paths:
        return table
    if isinstance(table, JsonTable):  # whose objects are not columns yet
        table.paths = paths
        return table
    return PathTable(table, paths)


class PathTable(WrappedTable):
    """A table in which some columns are named by a path."""

    def __init__(self, table: Table, paths: Sequence[str]) -> None:
        """Take a table, and the paths."""
        super().__init__(table)
        self._paths = paths

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Return its columns, and what the paths lead to."""
        schema = self._table.columns([name.partition(".")[0] for name in wanted])
        for path in self._paths:
            if path not in schema.names and (field := field_at(schema, path)) is not None:
                schema = schema.append(field)
        return schema

    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Read the columns that the paths begin with, and take out what is inside."""
        for rows in self._table.read(self._outer(choice), log, whole=whole):
            yield self._with_paths(rows, choice)

    def read_lines(self, choice: Choice, log: Log) -> Iterator[Rows]:
        """Read the lines, and take out what the paths lead to."""
        for rows in self._table.read_lines(self._outer(choice), log):
            yield self._with_paths(rows, choice)

    def _outer(self, choice: Choice) -> Choice:
        text = self._outer_name(choice.text)
        return replace(choice, text=text, id=None if choice.id is None else self._outer_name(choice.id))

    def _outer_name(self, name: str) -> str:
        found = split_path(name, self._table.columns([name.partition(".")[0]]).names)
        return name if found is None else found[0]

    def _with_paths(self, rows: Rows, choice: Choice) -> Rows:
        import pyarrow as pa

        batch = rows.batch
        columns, names = list(batch.columns), list(batch.schema.names)
        for path in choice.columns:
            if path not in names:
                found = split_path(path, batch.schema.names)
                column = None if found is None else inside(batch.column(found[0]), found[1])
                columns.append(pa.nulls(batch.num_rows) if column is None else column)
                names.append(path)
        return Rows(pa.RecordBatch.from_arrays(columns, names=names), rows.numbers, rows.lines)

    def size(self, text: str) -> Size:
        """Ask the table."""
        return self._table.size(self._outer_name(text))
