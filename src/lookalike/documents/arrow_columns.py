"""Columns as Arrow has them: what they are, and what they hold as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.documents.columns import BYTES, INTEGER, NESTED, NULL, OTHER, TEXT, Column

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["columns_of", "decoded", "names_of", "sound", "texts_of"]


def columns_of(schema: pa.Schema) -> list[Column]:
    """Return the columns of a schema as `choose` takes them."""
    return [Column(field.name, _kind(field.type), _shown(field.type)) for field in schema]


def _kind(kind: pa.DataType) -> str:
    import pyarrow as pa

    if _is_text(kind):
        return TEXT
    if pa.types.is_null(kind):
        return NULL
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or kind == pa.binary_view():
        return BYTES
    if pa.types.is_integer(kind) and kind != pa.uint64():
        return INTEGER
    return NESTED if pa.types.is_nested(kind) else OTHER


def _is_text(kind: pa.DataType) -> bool:
    """Say whether a type holds text, in any of Arrow's layouts."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view()


def _shown(kind: pa.DataType) -> str:
    shown = str(kind)
    return shown if len(shown) < 60 else shown[:57] + "…"


def names_of(schema: pa.Schema) -> list[str]:
    """Return the names of columns; `ValueError` if one, or one inside it, is not UTF-8: Arrow does not check."""
    inside: list[pa.DataType] = list(schema.types)
    while inside:
        kind = inside.pop()
        for field in map(kind.field, range(kind.num_fields)):
            str(field.name)
            inside.append(field.type)
    return list(schema.names)


def sound(column: pa.Array[Any]) -> pa.Array[Any]:
    """Check an array before anything is done with it: `pa.ArrowException` if it is damaged.

    Strings that are not UTF-8 are no damage; they are returned as the bytes that they are.
    """
    import pyarrow as pa

    try:
        column.validate(full=True)
    except pa.ArrowException:
        kinds = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}
        kind = kinds.get(column.type)
        if kind is None:
            raise
        raw = pa.Array.from_buffers(kind, len(column), column.buffers(), -1, column.offset)
        raw.validate(full=True)
        return raw
    return column


def decoded(column: pa.DictionaryArray[Any, Any]) -> pa.Array[Any]:
    """Return the values of a column that is kept as a dictionary."""
    import pyarrow as pa

    values: pa.Array[Any] = column.dictionary
    if values.type == pa.string_view():  # which Arrow cannot take from (pyarrow 26)
        values = values.cast(pa.large_string())
    return values.take(column.indices)


def texts_of(column: pa.Array[Any]) -> tuple[pa.Array[Any], list[int]]:
    """Return a column as large_string, and the rows whose bytes are not UTF-8, which are null in it."""
    import pyarrow as pa

    column = sound(column)
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if isinstance(column, pa.DictionaryArray):
        column = decoded(column)
    try:
        return (column if column.type == pa.large_string() else column.cast(pa.large_string())), []
    except pa.ArrowInvalid:
        return _mended(column)
    except pa.ArrowNotImplementedError:  # views, with an older pyarrow
        return pa.array(column.to_pylist(), pa.large_string()), []


def _mended(column: pa.Array[Any]) -> tuple[pa.Array[Any], list[int]]:
    """Find the rows that are not UTF-8."""
    import pyarrow as pa

    bad: list[int] = []
    texts: list[bytes | None] = []
    for number, value in enumerate(column.to_pylist()):
        try:
            texts.append(None if value is None else value.decode("utf-8").encode("utf-8"))
        except UnicodeDecodeError:
            bad.append(number)
            texts.append(None)
    return pa.array(texts, pa.large_binary()).cast(pa.large_string()), bad
