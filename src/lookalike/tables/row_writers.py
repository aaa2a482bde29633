"""Rows of a user's table, written batch by batch with their values unchanged: Parquet, CSV, JSON Lines.

Parquet is written in row groups of a good size, of which one is held at a time. JSON has texts, numbers, true, false
and null; what it has no form for is written as text: times as ISO 8601, decimal numbers in full, bytes as base64, and
NaN and the infinities as protobuf and Spark spell them.
"""

from __future__ import annotations

import math
from typing import IO, TYPE_CHECKING, Any, Final, Literal, Protocol, cast

from lookalike.tables.spelling import json_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa


__all__ = ["CODEC", "CODECS", "CsvRows", "JsonRows", "ParquetRows", "RowsWriter", "not_for_csv", "rows_writer"]

_UNITS: Final[tuple[Literal["us"] | None, ...]] = ("us", None)

CODEC: Final = "zstd"
"""Unless the rows came with another."""
CODECS: Final = ("zstd", "snappy", "gzip", "lz4", "brotli", "none")
_GROUP_BYTES: Final = 32 << 20
"""Bytes of rows, unpacked, at which a row group ends, however few rows it has: so much is held."""
_GROUP_ROWS: Final = 1 << 20


class JsonRows:
    """A line for each row."""

    def __init__(self, stream: IO[bytes], schema: pa.Schema) -> None:
        """Begin the file."""
        self._stream = stream
        self._names = schema.names
        self.not_numbers: dict[str, None] = {}
        """Columns in which a number was infinite or none at all, in the order in which that was seen."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows."""
        columns = [self._spelt(name, column) for name, column in zip(self._names, batch.columns, strict=True)]
        lines = list(json_rows(self._names, [columns]))
        self._stream.write("".join(line + "\n" for line in lines).encode("utf-8"))

    def close(self) -> None:
        """End the file: there is nothing to add."""

    def _spelt(self, name: str, column: pa.Array[Any]) -> Sequence[Any]:
        """Return the values of a column, each as one that JSON has a form for."""
        values = _values(column)
        if set(map(type, values)) <= {str, int, bool, type(None)}:
            return values
        plain = [_plain(value) for value in values]
        if any(_has_no_number(value) for value in values):
            self.not_numbers[name] = None
        return plain


def _values(column: pa.Array[Any]) -> list[Any]:
    """Return Python values; times that Python cannot hold to the last digit, or at all, as text."""
    import pyarrow as pa

    for unit in _UNITS:
        kind = _type(column.type, unit)
        try:
            spelt: Any = column if kind == column.type else column.cast(kind)
            values: list[Any] = spelt.to_pylist()
        except (pa.ArrowInvalid, OverflowError, ValueError):
            continue
        if kind == pa.string() and pa.types.is_timestamp(column.type):
            return [value and value.replace(" ", "T") for value in values]
        if kind == pa.string() and column.type == pa.duration("ns"):
            return [value and _span(int(value)) for value in values]
        return values
    return [str(value) for value in column]


def _type(kind: pa.DataType, unit: Literal["us"] | None) -> pa.DataType:
    """Return a type without nanoseconds, which go to another unit; or, without a unit, all times as text."""
    import pyarrow as pa
    from pyarrow import types

    if isinstance(kind, pa.BaseExtensionType | pa.DictionaryType):
        inner = kind.value_type if isinstance(kind, pa.DictionaryType) else kind.storage_type
        return kind if _type(inner, unit) == inner else _type(inner, unit)
    if types.is_timestamp(kind) or types.is_time64(kind) or types.is_duration(kind) or types.is_date(kind):
        return _time(kind, unit)
    if isinstance(kind, pa.StructType):
        return pa.struct([field.with_type(_type(field.type, unit)) for field in kind])
    if isinstance(kind, pa.MapType):
        return pa.map_(_type(kind.key_type, unit), _type(kind.item_type, unit))
    if isinstance(kind, pa.FixedSizeListType):
        return pa.list_(kind.value_field.with_type(_type(kind.value_type, unit)), kind.list_size)
    if isinstance(kind, pa.ListType | pa.LargeListType):
        inner = kind.value_field.with_type(_type(kind.value_type, unit))
        return pa.list_(inner) if isinstance(kind, pa.ListType) else pa.large_list(inner)
    return kind


def _time(kind: Any, unit: Literal["us"] | None) -> pa.DataType:
    import pyarrow as pa
    from pyarrow import types

    if unit is None:
        return pa.string()
    made: pa.DataType = kind
    if getattr(kind, "unit", unit) == "ns" and types.is_timestamp(kind):
        made = pa.timestamp(unit, kind.tz)
    elif getattr(kind, "unit", unit) == "ns":
        made = pa.time64(unit) if types.is_time64(kind) else pa.duration(unit)
    return made


def _span(nanoseconds: int) -> str:
    """Return a time span as Python writes those of microseconds.

    >>> _span(86_400 * 10**9 + 1)
    '1 day, 0:00:00.000000001'
    """
    from datetime import timedelta

    span = str(timedelta(microseconds=nanoseconds // 1000))
    return span + ("" if "." in span else ".000000") + f"{nanoseconds % 1000:03}"


def _plain(value: Any) -> Any:
    """Return a value that JSON has a form for.

    >>> _plain([float("inf"), {"a": float("nan")}, b"abc", 0.5, None])
    ['Infinity', {'a': 'NaN'}, 'YWJj', 0.5, None]
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return (
            value if math.isfinite(value) else "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        )
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, bytes):
        import base64

        return base64.b64encode(value).decode("ascii")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _has_no_number(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    if isinstance(value, dict):
        return any(map(_has_no_number, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_no_number, value))


class ParquetRows:
    """Rows as Parquet."""

    def __init__(self, stream: IO[bytes], schema: pa.Schema, codec: str = CODEC, group_rows: int | None = None) -> None:
        """Begin the file; `group_rows` are put together in a row group, as long as they are not too many bytes."""
        from pyarrow.parquet import ParquetWriter

        self._schema = schema
        self._writer = ParquetWriter(stream, schema, compression=cast("Any", codec))
        self._most = group_rows or _GROUP_ROWS
        self._held: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows, or keep them until there are enough for a group."""
        start = 0
        while start < batch.num_rows:
            piece = batch.slice(start, self._most - self._rows)
            self._held.append(piece)
            self._rows += piece.num_rows
            self._bytes += piece.nbytes
            start += piece.num_rows
            if self._rows >= self._most or self._bytes >= _GROUP_BYTES:
                self._end_group()

    def _end_group(self) -> None:
        import pyarrow as pa

        if self._held:
            self._writer.write_table(pa.Table.from_batches(self._held, self._schema), row_group_size=self._rows)
        self._held, self._rows, self._bytes = [], 0, 0

    def close(self) -> None:
        """End the file."""
        self._end_group()
        self._writer.close()


def not_for_csv(schema: pa.Schema) -> pa.Field[Any] | None:
    """Return the first column that CSV cannot hold.

    >>> import pyarrow as pa
    >>> not_for_csv(pa.schema({"a": pa.string(), "b": pa.list_(pa.string())})).name
    'b'
    """
    import pyarrow.types as kinds

    misfits = (kinds.is_nested, kinds.is_binary, kinds.is_large_binary)
    return next((field for field in schema if any(misfit(field.type) for misfit in misfits)), None)


class CsvRows:
    """Rows of a user's table, unchanged: a formula stays a formula."""

    def __init__(self, stream: IO[bytes], schema: pa.Schema, delimiter: str = ",") -> None:
        """Begin the file; `not_for_csv` must have found nothing."""
        from pyarrow.csv import CSVWriter, WriteOptions

        self._writer = CSVWriter(stream, schema, write_options=WriteOptions(delimiter=delimiter))

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows."""
        self._writer.write_batch(batch)

    def close(self) -> None:
        """End the file."""
        self._writer.close()


class RowsWriter(Protocol):
    """A file that rows are written to."""

    def write(self, batch: pa.RecordBatch) -> None:
        """Write some rows."""

    def close(self) -> None:
        """End the file."""


def rows_writer(
    kind: str, stream: IO[bytes], schema: pa.Schema, *, codec: str | None = None, group_rows: int | None = None
) -> RowsWriter:
    """Begin a file of rows: parquet, with a codec and rows in each row group, or csv, tsv or jsonl."""
    if kind == "parquet":
        return ParquetRows(stream, schema, codec or CODEC, group_rows)
    if kind == "jsonl":
        return JsonRows(stream, schema)
    return CsvRows(stream, schema, "\t" if kind == "tsv" else ",")
