"""Columns and rows as Arrow has them: what they are, what they hold as text, and rows of several tables in one form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.table_columns import BYTES, INTEGER, NESTED, NULL, OTHER, TEXT, TableColumn
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

__all__ = [
    "JSON_MARK",
    "columns_of",
    "common_schema",
    "conform",
    "decoded",
    "expanded_bytes",
    "is_marked",
    "names_of",
    "pieces_of",
    "sound",
    "texts_as",
    "texts_of",
    "valid",
    "without_views",
]


# -- columns -----------------------------------------------------------------------------------------------------------


def columns_of(schema: pa.Schema) -> list[TableColumn]:
    """Return the columns of a schema as `choose` takes them."""
    return [TableColumn(field.name, _kind(field.type), _shown(field.type)) for field in schema]


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
    """Return whether a type holds text, in any of Arrow's layouts."""
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


def pieces_of(column: pa.Array[Any], most: int, longest: int | None) -> Iterator[tuple[int, int]]:
    """Cut a column whose values are stored once and named many times, before they are written out.

    Given are the first row and the number of rows of each piece. It has about `most` bytes of text; a text of more than
    `longest` is alone.
    """
    lengths = _named_lengths(column)
    if lengths is None:
        yield 0, len(column)
        return
    start = size = 0
    for row, length in enumerate(lengths):
        alone = longest is not None and (length > longest or size > longest)
        if row > start and (alone or size + length > most):
            yield start, row - start
            start, size = row, 0
        size += length
    yield start, len(column) - start


def expanded_bytes(column: pa.DictionaryArray[Any, Any]) -> int:
    """Return how many bytes the texts of a dictionary have when each is written out."""
    return sum(_named_lengths(column) or ()) + 8 * len(column)


def _named_lengths(column: pa.Array[Any]) -> list[int] | None:
    """Return the bytes of each text of a dictionary or of views; None for other columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    try:
        if isinstance(column, pa.DictionaryArray):
            values: pa.Array[Any] = column.dictionary
            each = _named_lengths(values) or pc.binary_length(values).to_pylist()  # type: ignore[call-overload]
            return [0 if place is None else each[place] or 0 for place in column.indices.to_pylist()]
        if column.type in (pa.string_view(), pa.binary_view()):
            # pyarrow (26) has no function for it. A view has 16 bytes, of which the first four are the length.
            views = memoryview(column.buffers()[1] or b"").cast("B").cast("i")[4 * column.offset :: 4]
            valid = column.is_valid().to_pylist()
            return [length if there else 0 for length, there in zip(views.tolist(), valid, strict=False)]
    except (pa.ArrowException, IndexError):
        return None  # it is damaged, which shows when the values are read
    return None


def texts_of(column: pa.Array[Any], longest: int | None = None) -> tuple[pa.Array[Any], list[int], list[int]]:
    """Return a column as large_string, the rows whose bytes are not UTF-8, and those longer than `longest`.

    Both are null in it.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if longest is not None and (named := _named_lengths(column)) and max(named) > longest:
        return pa.nulls(len(column), pa.large_string()), [], list(range(len(column)))  # `pieces_of` leaves it alone
    texts, bad = _texts(column)
    if longest is None or texts.get_total_buffer_size() <= longest:
        return texts, bad, []
    lengths: pa.Array[Any] = pc.binary_length(texts)  # type: ignore[call-overload]
    large = [row for row, length in enumerate(lengths.to_pylist()) if length is not None and length > longest]
    if large:
        texts = pc.if_else(pc.less_equal(lengths, pa.scalar(longest)), texts, None)
    return texts, bad, large


def _texts(column: pa.Array[Any]) -> tuple[pa.Array[Any], list[int]]:
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


def texts_as(texts: Sequence[str | None], kind: pa.DataType) -> pa.Array[Any]:
    """Return texts as a column of a type that `texts_of` takes.

    >>> import pyarrow as pa
    >>> texts_as(["a", None, "a"], pa.dictionary(pa.int8(), pa.string())).type
    DictionaryType(dictionary<values=string, indices=int8, ordered=0>)
    """
    import pyarrow as pa

    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, texts_as(texts, kind.storage_type))
    if not pa.types.is_dictionary(kind):
        return pa.array(texts, kind)
    made: pa.Array[Any] = pa.array(texts, kind.value_type).dictionary_encode().cast(kind)
    return made


JSON_MARK: Final = {b"lookalike": b"json"}
"""On a field whose values are of several kinds: they are kept as the JSON text of each."""


def is_marked(field: pa.Field[Any]) -> bool:
    """Return whether a field is kept as JSON text."""
    return field.metadata == JSON_MARK


# -- whole rows --------------------------------------------------------------------------------------------------------


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
            problem = f"have other types than in the earlier tables ({str(error).splitlines()[0]})"
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
