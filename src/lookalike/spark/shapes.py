"""The columns that a function on an executor gives back, told to Spark and to Arrow in the same words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    Shape: TypeAlias = Mapping[str, str]
    """Name → type, as Spark calls it."""

__all__ = ["PAIRS", "SCORES", "ddl", "shaped"]

SCORES: Final = {"jaccard": "double", "containment_a": "double", "containment_b": "double"}
PAIRS: Final = {"a": "bigint", "b": "bigint"} | SCORES
"""Verified pairs, by the numbers of their documents."""


def ddl(shape: Shape) -> str:
    """Return the columns as Spark reads them.

    >>> ddl({"a": "bigint", "b": "bigint"})
    'a bigint, b bigint'
    """
    return ", ".join(f"{name} {kind}" for name, kind in shape.items())


def shaped(table: pa.Table, shape: Shape) -> pa.Table:
    """Return the columns of a table that Spark was told of, in their order and with exactly these types."""
    import pyarrow as pa

    types: dict[str, pa.DataType] = {
        "bigint": pa.int64(),
        "int": pa.int32(),
        "double": pa.float64(),
        "boolean": pa.bool_(),
        "binary": pa.binary(),
        "string": pa.string(),
    }
    return table.select(list(shape)).cast(pa.schema([(name, types[kind]) for name, kind in shape.items()]))
