"""Tables with further columns: from the names of their folders, or from inside other columns.

Hive and Spark name folders like ``year=2024/``, which gives the tables in it a column ``year``.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote

from lookalike.documents.table import DocumentTable
from lookalike.documents.table_columns import Choice, field_at, inside, split_path
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents.document_batches import Form, Log, Size
    from lookalike.documents.document_source import Identity
    from lookalike.documents.raw_input import Limits, RawInput
    from lookalike.documents.table import Rows
    from lookalike.documents.text_tables import LineForm, UnreadLines

__all__ = [
    "PartitionedTable",
    "PathTable",
    "WrappedTable",
    "columns_of_folders",
    "folder_of",
    "number_columns",
    "with_paths",
]


class WrappedTable(DocumentTable):
    """A table with other columns; how they are read is left to the subclasses."""

    def __init__(self, table: DocumentTable) -> None:
        """Take a table."""
        self.name = table.name
        self._table = table

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Ask the table."""
        return self._table.columns(wanted)

    def size(self, text: str) -> Size:
        """Ask the table."""
        return self._table.size(text)

    def schema(self) -> pa.Schema:
        """Ask the table: whole rows are as they are."""
        return self._table.schema()

    @property
    def line_form(self) -> LineForm | None:
        """Ask the table."""
        return self._table.line_form

    @property
    def form(self) -> Form | None:
        """Ask the table."""
        return self._table.form

    def added(self) -> list[str]:
        """Ask the table."""
        return self._table.added()

    @property
    def file(self) -> RawInput | None:
        """Ask the table."""
        return self._table.file

    @property
    def limits(self) -> Limits | None:
        """Ask the table."""
        return self._table.limits

    @property
    def packed(self) -> int | None:
        """Ask the table."""
        return self._table.packed

    @property
    def native_format(self) -> str | None:
        """Ask the table: the native readers refuse columns that only the wrapping knows."""
        return self._table.native_format

    def identify(self, identity: Identity) -> None:
        """Ask the table."""
        self._table.identify(identity)

    def has_rows(self) -> bool:
        """Ask the table."""
        return self._table.has_rows()

    def list_skipped(self, log: Log) -> None:
        """Ask the table."""
        self._table.list_skipped(log)

    def write_unread(self, unread: UnreadLines) -> None:
        """Ask the table."""
        self._table.write_unread(unread)


# -- columns from the names of folders ---------------------------------------------------------------------------------

_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
"""How Hive names the folder of the rows without a value."""
_NUMBER: Final = re.compile(r"0|-?[1-9][0-9]{0,17}")
"""A whole number that is written the same way again: 007 is text."""


class _Column(NamedTuple):
    name: str
    value: str | None


def folder_of(path: str) -> str:
    """Return the folders of a path that give columns.

    >>> folder_of("news/year=2024/month=01/part-0.parquet"), folder_of("=x/a=b.parquet")
    ('year=2024/month=01', '')
    """
    return "/".join(name for name in path.split("/")[:-1] if name.find("=") > 0)


def _columns(folder: str) -> list[_Column]:
    """Return names and values; a name that comes twice has the value of the inner folder."""
    found: dict[str, _Column] = {}
    for name in folder.split("/") if folder else ():
        key, _, value = name.partition("=")
        found[unquote(key)] = _Column(unquote(key), None if value == _NULL else unquote(value))
    return list(found.values())


def columns_of_folders(folders: Iterable[str]) -> list[str]:
    """Return the names of all columns.

    >>> columns_of_folders(["year=2024/month=01", "year=2025", ""])
    ['year', 'month']
    """
    return list(dict.fromkeys(column.name for folder in dict.fromkeys(folders) for column in _columns(folder)))


def number_columns(folders: Iterable[str]) -> frozenset[str]:
    """Return the columns that have whole numbers in all folders; the others are texts.

    >>> sorted(number_columns(["year=2024/month=01", "year=2025/month=10"]))
    ['year']
    """
    kinds: dict[str, bool] = {}
    for column in (column for folder in set(folders) for column in _columns(folder)):
        if column.value is not None:
            kinds[column.name] = kinds.get(column.name, True) and _NUMBER.fullmatch(column.value) is not None
    return frozenset(name for name, number in kinds.items() if number)


class PartitionedTable(WrappedTable):
    """A table with the columns of its folders after its own; a column that it has itself is not replaced."""

    def __init__(self, table: DocumentTable, folder: str, numbers: frozenset[str]) -> None:
        """Take a table, the folders that it is in, and the columns that are numbers."""
        super().__init__(table)
        self.folder = folder
        self._given = _columns(folder)
        self._numbers = numbers

    def _fields(self, own: pa.Schema, wanted: Sequence[str] | None = None) -> list[tuple[pa.Field[Any], str | None]]:
        """Return the columns to add to its own, with their values: the wanted ones, or all."""
        import pyarrow as pa

        return [
            (pa.field(name, pa.int64() if name in self._numbers else pa.large_string()), one.value)
            for one in self._given
            if (name := one.name) not in own.names and (wanted is None or name in wanted)
        ]

    def _with(self, own: pa.Schema, wanted: Sequence[str] | None = None) -> pa.Schema:
        for field, _ in self._fields(own, wanted):
            own = own.append(field)
        return own

    def added(self) -> list[str]:
        """Return the names of the columns that it has from its folders."""
        return [field.name for field, _ in self._fields(self._table.schema())]

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Return its own columns, and those of the folders that are asked for by name: none is chosen unasked."""
        return self._with(self._table.columns(wanted), wanted)

    def schema(self) -> pa.Schema:
        """Return its own columns and those of the folders."""
        return self._with(self._table.schema())

    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Read the table, and add what the folders say."""
        own = self._table.schema() if whole else self._table.columns(choice.columns)
        added = self._fields(own, None if whole else choice.columns)
        return self._adding(self._table.read(self._own(choice, own), log, whole=whole), added)

    def read_lines(self, choice: Choice, log: Log) -> Iterator[Rows]:
        """Read the lines as they are, and the chosen columns."""
        own = self._table.columns(choice.columns)
        return self._adding(self._table.read_lines(self._own(choice, own), log), self._fields(own, choice.columns))

    def _own(self, choice: Choice, own: pa.Schema) -> Choice:
        """Return what the table itself is asked for."""
        if choice.text not in own.names:
            problem = "comes from folder names, which hold no texts"
            raise DocumentError(self.name, f"column {choice.text!r}", problem, "name a column of the tables")
        return choice if choice.id is None or choice.id in own.names else Choice(choice.text, None)

    def _adding(self, rows: Iterator[Rows], added: list[tuple[pa.Field[Any], str | None]]) -> Iterator[Rows]:
        import pyarrow as pa

        for one in rows:
            columns, schema = list(one.batch.columns), one.batch.schema
            for field, value in added:
                of_kind: Any = value if value is None or field.type != pa.int64() else int(value)
                columns.append(pa.repeat(pa.scalar(of_kind, field.type), one.batch.num_rows))
                schema = schema.append(field)
            yield replace(one, batch=pa.RecordBatch.from_arrays(columns, schema=schema))


# -- columns inside other columns --------------------------------------------------------------------------------------


def with_paths(table: DocumentTable, *names: str | None) -> DocumentTable:
    """Return a table in which the names of columns may be paths."""
    paths = [name for name in names if name and "." in name]
    if not paths:
        return table
    return table if table.takes_paths(paths) else PathTable(table, paths)


class PathTable(WrappedTable):
    """A table in which some columns are named by a path."""

    def __init__(self, table: DocumentTable, paths: Sequence[str]) -> None:
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
        return replace(rows, batch=pa.RecordBatch.from_arrays(columns, names=names))

    def size(self, text: str) -> Size:
        """Ask the table."""
        return self._table.size(self._outer_name(text))
