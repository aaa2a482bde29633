"""Rows that are JSON objects, read exactly: what the faster ways refuse comes here, and each error names its row."""

from __future__ import annotations

import json
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from lookalike.documents.compressed import DamagedError, ExpandedError
from lookalike.documents.json_values import clean, infer, is_marked, mark, merge_all, rows_batch
from lookalike.documents.limits import LIMITS, MOST_COLUMNS, Limits, too_many_columns
from lookalike.documents.model import Form, Size
from lookalike.documents.paths_inside import value_at
from lookalike.documents.table import Rows, Table
from lookalike.documents.table_errors import id_not_a_number, other_text, truncated
from lookalike.documents.text_file import NotTextError
from lookalike.errors import DocumentError
from lookalike.opening import open_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents.columns import Choice
    from lookalike.documents.inputs import Input
    from lookalike.documents.log import Log

__all__ = ["SAMPLE_BYTES", "JsonTable", "Numbered", "Wanted", "json_kind", "readable"]

Numbered: TypeAlias = "list[tuple[int, dict[str, Any]]]"
"""Objects with their positions."""

_T = TypeVar("_T")

_SAMPLE_ROWS: Final = 1000
SAMPLE_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to make of each object: columns, of which one is the text and one may be the id."""

    schema: pa.Schema
    choice: Choice


class JsonTable(Table):
    """A table of objects, one after the other."""

    def __init__(self, name: str, source: Input) -> None:
        """Take an input; it is opened when first needed."""
        self.name = name
        self._input = source
        self.paths: Sequence[str] = ()
        """Fields inside other fields, such as ``doc.text``, that are columns too."""

    @property
    def file(self) -> Input:
        """The file."""
        return self._input

    @property
    def form(self) -> Form:
        """An array of objects, compressed or not."""
        return Form("json", self._input.compression)

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
        """Add what the paths lead to, unless a field has the very name."""
        if not self.paths:
            return group
        # A path that leads to nothing in any row is no column, so that a misspelt one is refused.
        return [
            (number, {path: value for path in self.paths if (value := value_at(row, path)) is not None} | row)
            for number, row in group
        ]

    def has_rows(self) -> bool:
        """Say whether there is an object."""
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
            yield from self._rows(group, wanted, log)

    def _rows(self, group: Numbered, wanted: Wanted, log: Log) -> Iterator[Rows]:
        """Check the fields that matter, and make columns of a group; a row whose text is no text is skipped."""
        import pyarrow as pa

        text, own_id = wanted.choice.text, wanted.choice.id
        id_kind = None if own_id in (None, text) else wanted.schema.field(str(own_id)).type
        checked: list[dict[str, Any]] = []
        numbers: list[int] = []
        for number, row in self._with_paths(group):
            value = row.get(text)
            if value is not None and not isinstance(value, str):
                log.skip_row(number, other_text(self.name, number, text, json_kind(value)))
                continue
            numbers.append(number)
            found: dict[str, str | int | None] = {text: None if value is None else clean(value)}
            if own_id is not None and id_kind in (pa.int64(), pa.large_string()):
                found[own_id] = self._id(number, row.get(own_id), own_id, id_kind == pa.int64())
            checked.append({**row, **found})
        if not numbers:
            return
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
        yield Rows(batch, numbers)

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
    """Say what a value of JSON is, for a person: "a number".

    >>> json_kind(1.5), json_kind([])
    ('a number', 'a list')
    """
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "null")


def readable(name: str, read: Iterator[_T], limits: Limits = LIMITS) -> Iterator[_T]:
    """Pass on what is read; what keeps it from being read becomes a `DocumentError`."""
    try:
        yield from read
    except ExpandedError:
        raise limits.expansion_error(name) from None
    except DamagedError as error:
        raise truncated(name, error) from None
    except NotTextError as error:
        raise DocumentError(name, "file", error.problem, error.remedy) from None
    except OSError as error:
        raise open_error(name, error) from None
