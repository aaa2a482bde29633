"""Rows that are JSON objects, read exactly: what the faster readers refuse comes here, and each error names its row.

The type of each column is inferred; values that fit no type are kept as JSON text.
"""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lookalike.documents.arrow_columns import JSON_MARK, is_marked
from lookalike.documents.document_batches import Form, Size
from lookalike.documents.raw_input import MOST_COLUMNS, too_many_columns
from lookalike.documents.table import DocumentTable, Rows
from lookalike.documents.table_columns import value_at
from lookalike.documents.table_errors import id_not_a_number
from lookalike.documents.text_tables import readable
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents.document_batches import Log
    from lookalike.documents.raw_input import RawInput
    from lookalike.documents.table_columns import Choice

__all__ = [
    "SAMPLE_BYTES",
    "JsonTable",
    "Numbered",
    "Wanted",
    "arrow_types",
    "clean",
    "infer",
    "json_kind",
    "mark",
    "merge",
    "merge_all",
    "rows_batch",
]


# -- values as Arrow columns -------------------------------------------------------------------------------------------

_DEEPEST: Final = 50  # what is nested deeper is kept as JSON text

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


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

    if left == right:
        return left
    try:
        both = [pa.schema([("value", kind)]) for kind in (left, right)]
        merged: pa.DataType = pa.unify_schemas(both, promote_options="permissive").field(0).type
    except (pa.ArrowTypeError, pa.ArrowInvalid):
        return None
    return merged


def mark(types: Mapping[str, pa.DataType | None]) -> pa.Schema:
    """Return the schema for such fields; what no type holds, and empty objects, become JSON text."""
    import pyarrow as pa

    fields: list[pa.Field[Any]] = []
    for name, kind in types.items():
        if kind is None or _has_no_fields(kind):
            fields.append(pa.field(name, pa.large_string(), metadata=JSON_MARK))
        else:
            fields.append(pa.field(name, pa.large_string() if pa.types.is_null(kind) else kind))
    return pa.schema(fields)


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
    """Return whether there is an object without fields somewhere in a type: Parquet cannot store it."""
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


# -- tables ------------------------------------------------------------------------------------------------------------

Numbered: TypeAlias = "list[tuple[int, dict[str, Any]]]"
"""Objects with their positions."""


_SAMPLE_ROWS: Final = 1000
SAMPLE_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to make of each object: columns, of which one is the text and one may be the id."""

    schema: pa.Schema
    choice: Choice


class JsonTable(DocumentTable):
    """A table of objects, one after the other."""

    def __init__(self, name: str, source: RawInput) -> None:
        """Take an input; it is opened when first needed."""
        self.name = name
        self._input = source
        self.paths: Sequence[str] = ()
        """Fields inside other fields, such as ``doc.text``, that are columns too."""

    @property
    def file(self) -> RawInput:
        """The file."""
        return self._input

    @property
    def form(self) -> Form:
        """An array of objects, compressed or not."""
        return Form("json", self._input.compression)

    def takes_paths(self, paths: Sequence[str]) -> bool:
        """Keep the paths: objects are not columns yet."""
        self.paths = paths
        return True

    @abstractmethod
    def _groups(self, log: Log | None, size: int) -> Iterator[Numbered]:
        """Read the objects in groups of about `size` bytes; rows that are skipped go to the log, if there is one."""

    @cached_property
    def _types(self) -> dict[str, pa.DataType | None]:
        return {}

    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Look at the first rows, and further until the wanted columns are seen."""
        if not self._types or not set(wanted) <= set(self._types):
            rows = 0
            for read in readable(self.name, self._groups(None, SAMPLE_BYTES), self._input.limits):
                group = self._with_paths(read)
                merge_all(self._types, infer(row for _, row in group[:_SAMPLE_ROWS]))
                if rows + len(group) > _SAMPLE_ROWS:  # only names are looked for now
                    merge_all(self._types, _names(group[_SAMPLE_ROWS:], self._types))
                rows += len(group)
                if len(self._types) > MOST_COLUMNS:
                    raise too_many_columns(self.name)
                if set(wanted) <= set(self._types):
                    break
        return mark(self._types)

    def _with_paths(self, group: Numbered) -> Numbered:
        """Add what the paths lead to, unless a field has exactly that name."""
        if not self.paths:
            return group
        # A path that leads to nothing in any row is not a column, so that a misspelt one is refused.
        return [
            (number, {path: value for path in self.paths if (value := value_at(row, path)) is not None} | row)
            for number, row in group
        ]

    def has_rows(self) -> bool:
        """Return whether there is an object."""
        return any(readable(self.name, self._groups(None, SAMPLE_BYTES), self._input.limits))

    def list_skipped(self, log: Log) -> None:
        """List the objects that are too long, where all are."""
        for _ in readable(self.name, self._groups(log, SAMPLE_BYTES), self._input.limits):
            return

    def schema(self) -> pa.Schema:
        """Read all rows to know the types of all fields."""
        return self._schema

    @cached_property
    def _schema(self) -> pa.Schema:
        types: dict[str, pa.DataType | None] = {}
        for group in readable(self.name, self._groups(None, SAMPLE_BYTES), self._input.limits):
            merge_all(types, infer(row for _, row in group))
            if len(types) > MOST_COLUMNS:
                raise too_many_columns(self.name)
        return mark(types)

    def size(self, text: str) -> Size:
        """Take the size of the file: rows are not counted before they are read."""
        del text
        return Size(None, self._input.size())

    def _wanted(self, choice: Choice, whole: bool) -> Wanted:
        import pyarrow as pa

        known = self.columns(choice.columns)
        if whole:
            schema = self.schema()
            inside = [known.field(name) for name in choice.columns if name not in schema.names]
            return Wanted(pa.schema([*schema, *inside]), choice)
        fields: list[pa.Field[Any]] = [pa.field(choice.text, pa.large_string())]
        if choice.id is not None and choice.id != choice.text:
            kind = known.field(choice.id).type
            fields.append(pa.field(choice.id, kind if kind == pa.int64() else pa.large_string()))
        return Wanted(pa.schema(fields), choice)

    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Read object after object."""
        wanted = self._wanted(choice, whole)
        for group in readable(self.name, self._groups(log, SAMPLE_BYTES), self._input.limits):
            yield from self._rows(group, wanted)

    def _rows(self, group: Numbered, wanted: Wanted) -> Iterator[Rows]:
        """Check the fields that matter, and make columns of a group; what is no text is kept as its JSON text."""
        import pyarrow as pa

        text, own_id = wanted.choice.text, wanted.choice.id
        id_kind = None if own_id in (None, text) else wanted.schema.field(str(own_id)).type
        checked: list[dict[str, Any]] = []
        numbers: list[int] = []
        not_texts: dict[int, str] = {}
        for number, row in self._with_paths(group):
            value = row.get(text)
            is_text = value is None or isinstance(value, str)
            if not is_text:
                not_texts[len(numbers)] = json_kind(value)
            numbers.append(number)
            spelled = value if is_text else json.dumps(value, ensure_ascii=False)
            found: dict[str, str | int | None] = {text: None if spelled is None else clean(spelled)}
            if own_id is not None and id_kind in (pa.int64(), pa.large_string()):
                with nullcontext() if is_text else suppress(DocumentError):  # no document needs it
                    found[own_id] = None
                    found[own_id] = self._id(number, row.get(own_id), own_id, id_kind == pa.int64())
            checked.append({**row, **found})
        # The text and the id are what they are meant to be, whatever else their fields hold in other rows.
        fields = [
            field.with_metadata({}) if field.name in wanted.choice.columns and is_marked(field) else field
            for field in wanted.schema
        ]
        try:
            batch = rows_batch(checked, pa.schema(fields))
        except (pa.ArrowException, OverflowError, RecursionError) as error:
            first = f"{self.name}:{numbers[0] + 1}"
            problem = f"and those after it cannot be put in columns ({error})"
            raise DocumentError(first, "row", problem, "give each field values of one kind") from None
        yield Rows(batch, numbers, None, not_texts)

    def _id(self, number: int, value: object, column: str, number_ids: bool) -> str | int | None:
        if value is None:
            return None
        if not number_ids:
            return clean(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=True)
        if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63:
            return value
        raise id_not_a_number(self.name, number, column, json_kind(value))


def _names(group: Numbered, known: Mapping[str, object]) -> dict[str, pa.DataType | None]:
    """Return the fields of some objects that are not known yet, with their types."""
    return infer({name: value for name, value in row.items() if name not in known} for _, row in group)


def json_kind(value: object) -> str:
    """Return what a value of JSON is, for a person: "a number".

    >>> json_kind(1.5), json_kind([])
    ('a number', 'a list')
    """
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")
