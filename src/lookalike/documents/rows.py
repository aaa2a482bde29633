"""Whole rows of several tables in one form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

__all__ = ["common_schema", "conform"]


def common_schema(schemas: Sequence[tuple[str, pa.Schema | None]]) -> pa.Schema | None:
    """Return the columns of all tables together: every name once, in the widest type that it has in any of them."""
    import pyarrow as pa

    common: pa.Schema | None = None
    for name, schema in schemas:
        if schema is None:
            return None
        if common is None or common.equals(schema):
            common = common or schema
            continue
        try:
            common = pa.unify_schemas([common.remove_metadata(), schema.remove_metadata()], promote_options="permissive")
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            problem = f"have other types than in the tables before it ({str(error).splitlines()[0]})"
            raise DocumentError(name, "columns", problem, "read tables of one kind together") from None
    return common


def conform(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch with the columns of a schema; what it does not have is null."""
    import pyarrow as pa

    columns: list[pa.Array[Any]] = []
    for field in schema:
        at = batch.schema.get_field_index(field.name)
        column = pa.nulls(batch.num_rows, field.type) if at < 0 else batch.column(at)
        columns.append(column if column.type == field.type else column.cast(field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)
