"""Values that came from JSON, as Arrow columns: types found out, odd ones kept as JSON text."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

__all__ = ["arrow_types", "clean", "infer", "is_marked", "mark", "merge", "merge_all", "rows_batch"]

_DEEPEST: Final = 50  # what is nested deeper is kept as JSON text

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_MARK: Final = {b"lookalike": b"json"}
"""On a field whose values are of several kinds: they are kept as the JSON text of each."""


def clean(text: str) -> str:
    r"""Replace lone surrogates, which JSON can spell and UTF-8 cannot, by U+FFFD, as every text is treated.

    >>> clean("a\ud800") == "a\ufffd"
    True
    """
    return _SURROGATE.sub("\ufffd", text) if not text.isascii() else text


def infer(rows: Iterable[Mapping[str, Any]], depth: int = 0) -> dict[str, pa.DataType | None]:
    """Return the type of each field of some objects, in the order they come in; None for several kinds of values."""
    types: dict[str, pa.DataType | None] = {}
    for row in rows:
        merge_all(types, {clean(name): _type(value, depth) for name, value in row.items()})
    return types


def _type(value: object, depth: int) -> pa.DataType | None:
    import pyarrow as pa

    if value is None:
        return pa.null()
    if isinstance(value, bool):
        return pa.bool_()
    if isinstance(value, int):
        return pa.int64() if -(2**63) <= value < 2**63 else None
    if isinstance(value, float):
        return pa.float64()
    if isinstance(value, str):
        return pa.large_string()
    if depth > _DEEPEST:
        return None
    if isinstance(value, dict):
        fields = infer([value], depth + 1)
        known = [pa.field(name, kind) for name, kind in fields.items() if kind is not None]
        return pa.struct(known) if len(known) == len(fields) else None
    if isinstance(value, list):
        inner: pa.DataType | None = pa.null()
        for item in value:
            found = _type(item, depth + 1)
            inner = None if inner is None or found is None else merge(inner, found)
        return None if inner is None else pa.list_(inner)
    return None


def merge(left: pa.DataType, right: pa.DataType) -> pa.DataType | None:
    """Return the type that holds the values of both, or None if there is none."""
    import pyarrow as pa

    if left == right or pa.types.is_null(right):
        return left
    if pa.types.is_null(left):
        return right
    if {left, right} == {pa.int64(), pa.float64()}:
        return pa.float64()
    if isinstance(left, pa.ListType) and isinstance(right, pa.ListType):
        inner = merge(left.value_type, right.value_type)
        return None if inner is None else pa.list_(inner)
    if isinstance(left, pa.StructType) and isinstance(right, pa.StructType):
        return _merge_structs(left, right)
    return None


def _merge_structs(left: pa.StructType, right: pa.StructType) -> pa.DataType | None:
    import pyarrow as pa

    fields: dict[str, pa.DataType] = {}
    for field in [*left, *right]:
        merged = merge(fields.get(field.name, pa.null()), field.type)
        if merged is None:
            return None
        fields[field.name] = merged
    return pa.struct(list(fields.items()))


def mark(types: Mapping[str, pa.DataType | None]) -> pa.Schema:
    """Return the schema for such fields; what no type holds, and empty objects, become JSON text."""
    import pyarrow as pa

    fields: list[pa.Field[Any]] = []
    for name, kind in types.items():
        if kind is None or _has_no_fields(kind):
            fields.append(pa.field(name, pa.large_string(), metadata=_MARK))
        else:
            fields.append(pa.field(name, pa.large_string() if pa.types.is_null(kind) else kind))
    return pa.schema(fields)


def is_marked(field: pa.Field[Any]) -> bool:
    """Say whether a field is kept as JSON text."""
    return field.metadata == _MARK


def merge_all(left: dict[str, pa.DataType | None], right: Mapping[str, pa.DataType | None]) -> None:
    """Add the types of some fields to those known so far."""
    import pyarrow as pa

    for name, found in right.items():
        before = left.get(name, pa.null())
        left[name] = None if before is None or found is None else merge(before, found)


def arrow_types(schema: pa.Schema) -> dict[str, pa.DataType | None]:
    """Return the types that Arrow's own reader found, where what looks like a date is the text that it is."""
    return {field.name: _plain(field.type) for field in schema}


def _plain(kind: pa.DataType, depth: int = 0) -> pa.DataType | None:
    import pyarrow as pa

    if pa.types.is_temporal(kind) or pa.types.is_string(kind):
        return pa.large_string()
    if depth > _DEEPEST:
        return None
    if isinstance(kind, pa.ListType):
        inner = _plain(kind.value_type, depth + 1)
        return None if inner is None else pa.list_(inner)
    if isinstance(kind, pa.StructType):
        fields = {field.name: _plain(field.type, depth + 1) for field in kind}
        known = [(name, plain) for name, plain in fields.items() if plain is not None]
        return pa.struct(known) if len(known) == len(fields) else None
    return kind


def _has_no_fields(kind: pa.DataType) -> bool:
    """Say whether there is an object without fields somewhere in a type: Parquet cannot store it."""
    import pyarrow as pa

    if isinstance(kind, pa.StructType):
        return kind.num_fields == 0 or any(_has_no_fields(field.type) for field in kind)
    return isinstance(kind, pa.ListType) and _has_no_fields(kind.value_type)


def rows_batch(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.RecordBatch:
    """Return objects as one batch; a field that an object does not have is null."""
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([_column(rows, field) for field in schema], schema=schema)


def _column(rows: Sequence[Mapping[str, Any]], field: pa.Field[Any]) -> pa.Array[Any]:
    import pyarrow as pa

    values = [row.get(field.name) for row in rows]
    if is_marked(field):
        values = [None if value is None else json.dumps(value, ensure_ascii=False) for value in values]
    kind: pa.DataType = field.type
    try:
        return pa.array(values, kind)
    except UnicodeEncodeError:
        return pa.array([_cleaned(value) for value in values], kind)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(name): _cleaned(item) for name, item in value.items()}
    return value
