"""Whole rows of several tables in one form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.documents.arrow_columns import decoded, sound
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

__all__ = ["common_schema", "conform", "valid", "without_views"]


def common_schema(schemas: Sequence[tuple[str, pa.Schema | None]]) -> pa.Schema | None:
    """Return the columns of all tables together: every name once, in the widest type that it has in any of them."""
    import pyarrow as pa

    common: pa.Schema | None = None
    for name, schema in schemas:
        if schema is None:
            return None
        if common is None or common.equals(schema):
            common = schema if common is None else common
            continue
        try:
            common = pa.unify_schemas(
                [common.remove_metadata(), schema.remove_metadata()], promote_options="permissive"
            )
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            problem = f"have other types than in the tables before it ({str(error).splitlines()[0]})"
            raise DocumentError(name, "columns", problem, "read tables of one kind together") from None
    return common


def without_views(schema: pa.Schema) -> pa.Schema:
    """Return a schema without Arrow's views of strings and bytes, which it cannot yet filter (pyarrow 26)."""
    import pyarrow as pa

    return pa.schema([field.with_type(_no_view(field.type)) for field in schema]).with_metadata(schema.metadata)


def _no_view(kind: pa.DataType) -> pa.DataType:
    import pyarrow as pa

    if kind == pa.string_view():
        return pa.large_string()
    if kind == pa.binary_view():
        return pa.large_binary()
    if pa.types.is_dictionary(kind):
        return kind if kind.value_type == _no_view(kind.value_type) else _no_view(kind.value_type)
    if isinstance(kind, pa.ListType | pa.LargeListType):
        inner = kind.value_field.with_type(_no_view(kind.value_type))
        return pa.list_(inner) if isinstance(kind, pa.ListType) else pa.large_list(inner)
    if isinstance(kind, pa.StructType):
        return pa.struct([field.with_type(_no_view(field.type)) for field in kind])
    return kind


def valid(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return rows in which bytes that should be text and are not UTF-8 are replaced by U+FFFD."""
    import pyarrow as pa

    try:
        batch.validate(full=True)
    except pa.ArrowException:
        return pa.RecordBatch.from_arrays([_valid(column) for column in batch.columns], schema=batch.schema)
    return batch


def _valid(column: pa.Array[Any]) -> pa.Array[Any]:
    import pyarrow as pa

    checked = sound(column)
    if checked.type == column.type:
        return column
    kind: pa.DataType = column.type
    return pa.array(
        [None if value is None else value.decode("utf-8", "replace") for value in checked.to_pylist()], kind
    )


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch with the columns of a schema; what it does not have is null."""
    import pyarrow as pa

    if batch.schema.equals(schema):
        return batch
    columns: list[pa.Array[Any]] = []
    for field in schema:
        at = batch.schema.get_field_index(field.name)
        column = pa.nulls(batch.num_rows, field.type) if at < 0 else batch.column(at)
        if isinstance(column, pa.DictionaryArray) and column.type != field.type:
            column = decoded(column)
        columns.append(column if column.type == field.type else column.cast(field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)
