"""Columns inside other columns: ``doc.text`` is the field ``text`` of the column ``doc``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

__all__ = ["check_outer", "field_at", "inside", "split_path", "value_at"]


def split_path(path: str, names: Sequence[str]) -> tuple[str, list[str]] | None:
    """Split a path into the column that it begins with and the fields inside; None if there is no such column.

    A column whose own name has dots in it comes first.

    >>> split_path("doc.text", ["doc"]), split_path("a.b.c", ["a", "a.b"]), split_path("doc", ["doc"])
    (('doc', ['text']), ('a.b', ['c']), ('doc', []))
    """
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        name = ".".join(parts[:count])
        if name in names:
            return name, parts[count:]
    return None


def field_at(schema: pa.Schema, path: str) -> pa.Field[Any] | None:
    """Return the field that a path leads to, under the path as its name; None if there is none."""
    import pyarrow as pa

    if (found := split_path(path, schema.names)) is None or schema.names.count(found[0]) != 1:
        return None
    kind: pa.DataType = schema.field(found[0]).type
    for name in found[1]:
        if not isinstance(kind, pa.StructType) or kind.get_field_index(name) < 0:
            return None
        kind = kind.field(name).type
    return pa.field(path, kind)


def inside(column: pa.Array[Any], fields: Sequence[str]) -> pa.Array[Any] | None:
    """Return what is inside a column of structs, null where one of them is; None if it has no such field."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in fields:
        if pa.types.is_null(column.type):
            return column
        if not isinstance(column.type, pa.StructType) or column.type.get_field_index(name) < 0:
            return None
        column = pc.struct_field(column, [column.type.get_field_index(name)])
    return column


def value_at(row: Mapping[str, Any], path: str) -> Any:
    """Return what a path leads to in a row that is a dict; None if it is not there.

    >>> value_at({"doc": {"text": "one"}}, "doc.text"), value_at({"doc": None}, "doc.text")
    ('one', None)
    """
    found = split_path(path, list(row))
    if found is None:
        return None
    value: Any = row[found[0]]
    for name in found[1]:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def check_outer(column: str, names: Iterable[Any]) -> None:
    """Refuse a column inside another where texts are to be changed."""
    if column not in names and "." in column:
        remedy = "make it a column of its own first"
        raise DocumentError("data", f"column {column!r}", "is inside another, where texts cannot be changed", remedy)
