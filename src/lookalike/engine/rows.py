"""What is kept of documents, as Arrow has it, and texts as the core takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from lookalike import checks
from lookalike.errors import DocumentError, LookalikeError
from lookalike.tables.columns import view, whole
from lookalike.tables.packed import Texts
from lookalike.text.excluded import exclude_kinds

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from lookalike.engine.strategy import Strategy

    Given: TypeAlias = Sequence[str] | Texts | pa.Array[Any] | pa.ChunkedArray[Any]

__all__ = ["RowParts", "check_rows", "check_slots", "row_schema", "rows_of_bytes", "texts_for_core"]

SIGNED_BY: Final = b"lookalike.signed_by"
"""The key under which a schema names the strategy that signed its rows."""
DIGEST: Final = 24


class RowParts(NamedTuple):
    """The parts of rows that candidates are found by, one row behind the other; not copied."""

    digest: memoryview
    keys: memoryview
    slots: memoryview


def row_schema(strategy: Strategy) -> pa.Schema:
    """Return the columns of rows that a strategy signs."""
    import pyarrow as pa

    bands = strategy.bands.bands if strategy.bands else 0
    columns: dict[str, pa.DataType] = {
        "digest": pa.binary(DIGEST),
        "shingles": pa.uint32(),
        "length": pa.uint64(),
        "keys": pa.list_(pa.uint64(), bands),
        "slots": pa.binary(strategy.recipe.hashes),
    }
    return pa.schema(columns, metadata={SIGNED_BY: strategy.signs.encode()})


def rows_of_bytes(columns: tuple[bytes, bytes, bytes, bytes, bytes], strategy: Strategy) -> pa.RecordBatch:
    """Return the columns that the core gives as rows."""
    import pyarrow as pa

    schema = row_schema(strategy)
    documents = len(columns[0]) // DIGEST

    def column(kind: pa.DataType, data: bytes, length: int) -> pa.Array[Any]:
        if not pa.types.is_fixed_size_list(kind):
            return pa.Array.from_buffers(kind, length, [None, pa.py_buffer(data)])
        values = column(kind.value_type, data, len(data) // 8)
        return pa.Array.from_buffers(kind, length, [None], children=[values])

    made = [column(kind, data, documents) for kind, data in zip(schema.types, columns, strict=True)]
    return pa.RecordBatch.from_arrays(made, schema=schema)


def check_rows(rows: pa.RecordBatch | pa.Table, strategy: Strategy) -> RowParts:
    """Return the parts of rows; rows that another strategy has signed are refused.

    Of rows that lost the name of their strategy on the way, only the types are checked.
    """
    _check_columns(rows, RowParts._fields, strategy)
    keys: Any = whole(rows.column("keys"))
    return RowParts(view(rows.column("digest")), view(keys.flatten()), view(rows.column("slots")))


def check_slots(rows: pa.RecordBatch | pa.Table, strategy: Strategy) -> memoryview:
    """Return the slots of rows, which need no other columns; they are checked in the same way."""
    _check_columns(rows, ("slots",), strategy)
    return view(rows.column("slots"))


def _check_columns(rows: pa.RecordBatch | pa.Table, names: Sequence[str], strategy: Strategy) -> None:
    expected, given = row_schema(strategy), rows.schema
    for name in names:
        place = given.get_field_index(name)
        kind = given.field(place).type if place >= 0 else "missing"
        if kind != expected.field(name).type:
            raise LookalikeError(
                f"{name} of the rows is {kind}, not {expected.field(name).type}: sign with this strategy"
            )
    if (given.metadata or {}).get(SIGNED_BY, strategy.signs.encode()) != strategy.signs.encode():
        raise LookalikeError("the rows were signed with another recipe, other bands or another text left out")


def texts_for_core(texts: Given, strategy: Strategy) -> list[Any]:
    """Return texts as the core takes them, without what the strategy leaves out of each.

    >>> from lookalike.engine.strategy import Asked, choose_strategy
    >>> from lookalike.recipe import DEFAULT
    >>> texts_for_core(["one", "two"], choose_strategy(Asked(DEFAULT, 0.8), size=0))
    ['one', 'two']
    """
    if isinstance(texts, str | bytes):
        raise DocumentError(None, "texts", "are one text, not a collection", "give a list of texts")
    if isinstance(texts, Texts):
        return [exclude_kinds(texts, strategy.skip).packed()]
    if hasattr(texts, "null_count"):
        return [exclude_kinds(part, strategy.skip).packed() for part in _of_arrow(texts)]
    if not strategy.skip:
        return texts if isinstance(texts, list) else list(texts)
    read = Texts.of(checks.text(place, text) for place, text in enumerate(texts))
    return [exclude_kinds(read, strategy.skip).packed()]


def _of_arrow(column: Any) -> list[Texts]:
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view()):
        raise DocumentError(None, "texts", f"are {kind}, not text", "give a column of texts")
    if column.null_count:
        problem = f"are missing in {column.null_count} of {len(column)} rows"
        raise DocumentError(None, "texts", problem, "leave these out or give them an empty text")
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    return [Texts.from_arrow(chunk) for chunk in chunks]
