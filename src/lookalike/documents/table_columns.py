"""Which columns of a table hold the texts and the ids; from names and kinds alone, whatever reads the table.

A column may be inside another: ``doc.text`` is the field ``text`` of the column ``doc``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lookalike import _native
from lookalike.documents.raw_input import LIMITS, MOST_COLUMNS, Limits, too_many_columns
from lookalike.errors import DocumentError, suggest
from lookalike.opening import check_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

__all__ = [
    "BYTES",
    "COMPRESSIONS",
    "ID_NAMES",
    "INTEGER",
    "MIXED",
    "NESTED",
    "NULL",
    "OTHER",
    "TEXT",
    "TEXT_NAMES",
    "Choice",
    "NativePart",
    "NativeTable",
    "TableColumn",
    "check_outer",
    "choose",
    "field_at",
    "inside",
    "native_table",
    "split_path",
    "value_at",
]


# -- which columns hold the texts and the ids --------------------------------------------------------------------------

TEXT: Final = "text"
BYTES: Final = "bytes"
"""Bytes that may be text."""
INTEGER: Final = "integer"
"""Whole numbers of 64 bits."""
NULL: Final = "null"
"""Only nulls."""
MIXED: Final = "mixed"
"""Texts in some rows, other values in others: only reading shows which."""
NESTED: Final = "nested"
OTHER: Final = "other"
_READ_AS_TEXT: Final = (TEXT, BYTES, NULL, MIXED)

TEXT_NAMES: Final = ("text", "content", "body", "document", "article", "abstract")
"""Columns that hold the text if none is named, in order of preference; capitals do not matter."""

ID_NAMES: Final = ("id", "doc_id", "docid", "document_id", "uuid", "_id")
"""Columns that hold the ids if none is named."""

_PLACE_NAMES: Final = ("path", "file", "filename", "file_name", "filepath", "file_path", "url", "uri")
"""Columns that say where a document is: the only column of texts is not taken for the documents if it is one of these,
as in a table of paths that `dedupe FOLDER -o kept.parquet` has written."""

_MOST_LISTED: Final = 12
_INDEX: Final = "__index_level_"  # how a pandas index comes through Arrow


class TableColumn(NamedTuple):
    """The name of a column, what it holds, and what its own format calls that."""

    name: str
    kind: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """The columns of a table that are read."""

    text: str
    id: str | None
    note: str = ""
    """What to tell the user about it, after the name of the table; empty if both were named."""

    @property
    def columns(self) -> list[str]:
        """The names, each once."""
        return [self.text] if self.id in (None, self.text) else [self.text, str(self.id)]


def choose(
    name: str,
    columns: Sequence[TableColumn],
    text_column: str | None,
    id_column: str | None,
    text_names: Sequence[str] = TEXT_NAMES,
) -> Choice:
    """Choose the columns of table `name`: the ones asked for, or those with a usual name; '' means no id column."""
    if len(columns) > MOST_COLUMNS:
        raise too_many_columns(name)
    table = _TableColumns(name, columns)
    own_id = table.choose_id(id_column)
    text = table.choose_text(own_id, text_names) if text_column is None else table.named(text_column, "text")
    column = table.column(text)
    if column.kind not in _READ_AS_TEXT:
        problem = f"holds {column.type or column.kind}, not text"
        raise DocumentError(name, f"column {text!r}", problem, table.remedy("text"))
    said = [f"texts from the column {text!r}"] if text_column is None else []
    if id_column is None:
        said.append(f"ids from the column {own_id!r}" if own_id is not None else "rows are numbered")
    return Choice(text, own_id, f": {', '.join(said)}" if said else "")


class _TableColumns:
    """The columns of one table, to choose from."""

    def __init__(self, table: str, columns: Sequence[TableColumn]) -> None:
        self._table = table
        self._columns = columns
        self._names = [column.name for column in columns]

    def column(self, name: str) -> TableColumn:
        return self._columns[self._names.index(name)]

    def choose_id(self, id_column: str | None) -> str | None:
        if id_column == "":
            return None
        if id_column is not None:
            return self.named(id_column, "id")
        found = self._by_name(ID_NAMES)
        return found if found is not None and self.column(found).kind != NESTED else None

    def choose_text(self, own_id: str | None, names: Sequence[str]) -> str:
        texts = [
            column.name
            for column in self._columns
            if column.kind in (TEXT, MIXED) and column.name != own_id and not column.name.startswith(_INDEX)
        ]
        by_name = self._by_name(names)
        if by_name is not None and self.column(by_name).kind in (TEXT, MIXED, NULL):
            return by_name
        if not texts:
            others = f"; none of the columns holds texts: {_listed(self._names)}" if self._names else ""
            raise DocumentError(
                self._table, "text column", f"is missing{others}", "give a table with a column of texts"
            )
        example = f"--text-column {quote(texts[0])} (in Python: text={texts[0]!r})"
        if len(texts) > 1:
            problem = f"cannot be chosen among the columns {_listed(texts)}"
            raise DocumentError(self._table, "text column", problem, f"say which has the texts, for example {example}")
        if texts[0].strip().lower() in _PLACE_NAMES:
            problem = f"is missing: {texts[0]!r}, the only column of texts, seems to say where documents are"
            raise DocumentError(self._table, "text column", problem, f"give the documents, or to compare it {example}")
        return texts[0]

    def _by_name(self, names: Sequence[str]) -> str | None:
        folded: dict[str, list[str]] = {}
        for column in self._names:
            folded.setdefault(column.strip().lower(), []).append(column)
        for name in names:
            if self._names.count(name) == 1:
                return name
            if len(folded.get(name, ())) == 1:
                return folded[name][0]
        return None

    def named(self, column: str, what: str) -> str:
        count = self._names.count(column)
        if count == 1:
            return column
        if count:
            problem = f"is there {count} times"
            raise DocumentError(self._table, f"column {column!r}", problem, "give every column its own name")
        known = f"; the columns are {_listed(self._names)}" if self._names else ""
        remedy = suggest(column, self._names) or self.remedy(what)
        raise DocumentError(self._table, f"column {column!r}", f"does not exist{known}", remedy)

    def remedy(self, what: str) -> str:
        texts = [column.name for column in self._columns if column.kind in (TEXT, MIXED, NULL)]
        if what == "text" and texts:
            return f"name a column of texts with --text-column (in Python: text=): {_listed(texts)}"
        return f"name another with --{what}-column (in Python: {what}=)"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_MOST_LISTED])
    return shown if len(names) <= _MOST_LISTED else f"{shown} and {len(names) - _MOST_LISTED} more"


# -- columns inside other columns --------------------------------------------------------------------------------------


def split_path(path: str, names: Sequence[str]) -> tuple[str, list[str]] | None:
    """Split a path into the column that it begins with and the fields inside; None if there is no such column.

    A column whose own name has dots in it comes first.

    >>> split_path("doc.text", ["doc"]), split_path("a.b.c", ["a", "a.b"]), split_path("doc", ["doc"])
    (('doc', ['text']), ('a.b', ['c']), ('doc', []))
    """
    parts = path.split(".")
    for count in range(len(parts), 0, -1):
        name = ".".join(parts[:count])
        if name in names:
            return name, parts[count:]
    return None


def field_at(schema: pa.Schema, path: str) -> pa.Field[Any] | None:
    """Return the field that a path leads to, under the path as its name; None if there is none."""
    import pyarrow as pa

    if (found := split_path(path, schema.names)) is None or schema.names.count(found[0]) != 1:
        return None
    kind: pa.DataType = schema.field(found[0]).type
    for name in found[1]:
        if not isinstance(kind, pa.StructType) or kind.get_field_index(name) < 0:
            return None
        kind = kind.field(name).type
    return pa.field(path, kind)


def inside(column: pa.Array[Any], fields: Sequence[str]) -> pa.Array[Any] | None:
    """Return what is inside a column of structs, null where one of them is; None if it has no such field."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in fields:
        if pa.types.is_null(column.type):
            return column
        if not isinstance(column.type, pa.StructType) or column.type.get_field_index(name) < 0:
            return None
        column = pc.struct_field(column, [column.type.get_field_index(name)])
    return column


def value_at(row: Mapping[str, Any], path: str) -> Any:
    """Return what a path leads to in a row that is a dict; None if it is not there.

    >>> value_at({"doc": {"text": "one"}}, "doc.text"), value_at({"doc": None}, "doc.text")
    ('one', None)
    """
    found = split_path(path, list(row))
    if found is None:
        return None
    value: Any = row[found[0]]
    for name in found[1]:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def check_outer(column: str, names: Iterable[Any]) -> None:
    """Refuse a column inside another where texts are to be changed."""
    if column not in names and "." in column:
        remedy = "make it a separate column first"
        raise DocumentError("data", f"column {column!r}", "is inside another, where texts cannot be changed", remedy)


# -- tables for the native readers -------------------------------------------------------------------------------------

COMPRESSIONS: Final[dict[str | None, str | None]] = {None: None, "gzip": "gz", "zstd": "zst"}
"""The kinds of compression that the native readers know, by the names that `Kind` has for them."""


@dataclass(frozen=True, slots=True)
class NativePart:
    """One table that a native reader can read: what a source gives for it is what `batches` would give."""

    path: str
    format: str
    """``parquet`` or ``jsonl``."""
    compression: str | None
    """``gz``, ``zst`` or None."""
    text: str
    """The column of texts."""
    id: str | None
    """The column of ids; None if rows are numbered."""
    name: str
    """What messages call the table; ids that are made begin with it."""
    named_rows: bool
    """Whether a row without an id is called ``name:row``, counted from 1; else by its number, from 0."""
    number_ids: bool
    """Whether ids are whole numbers; else they are texts, also where the column holds numbers."""
    note: str = ""
    """What to tell the user about the choice of columns, after the name; empty if both were named."""
    rows: int | None = None
    """How many rows there are, if that is known before they are read."""
    limits: Limits = LIMITS


class NativeTable(NamedTuple):
    """What is known of one table, before the other tables of the source are."""

    name: str
    path: str
    format: str
    compression: str | None
    choice: Choice
    number_ids: bool | None
    """Whether its own ids are whole numbers; None if it has none."""
    rows: int | None
    limits: Limits = LIMITS

    def part(self, *, named_rows: bool, number_ids: bool) -> NativePart:
        """Describe it to a native reader."""
        return NativePart(
            self.path,
            self.format,
            self.compression,
            self.choice.text,
            self.choice.id,
            self.name,
            named_rows,
            number_ids,
            self.choice.note,
            self.rows,
            self.limits,
        )


def native_table(
    name: str,
    path: str,
    format: str,  # noqa: A002 - what it is
    compression: str | None,
    text_column: str | None,
    id_column: str | None,
    limits: Limits = LIMITS,
) -> NativeTable | None:
    """Choose the columns of a table; None if no native reader can read it."""
    seen = _look(path, format, compression, limits)
    if seen is None:
        return None
    kinds, rows = seen
    # A field of JSON that is null, or of several kinds, in the sampled rows may hold texts in others.
    unsure = (NULL, MIXED) if format == "jsonl" else ()
    columns = [TableColumn(column, TEXT if kind in unsure else kind) for column, kind in kinds]
    try:
        choice = choose(name, columns, text_column, id_column)
    except DocumentError:
        return None  # the other reader finds more columns, or reports the same error
    known = dict(kinds)
    if known[choice.text] not in (TEXT, BYTES, *unsure):
        return None
    if choice.id is not None and known[choice.id] not in (TEXT, INTEGER):
        return None
    own = None if choice.id is None else known[choice.id] == INTEGER
    return NativeTable(name, path, format, compression, choice, own, rows, limits)


def _look(
    path: str,
    format: str,  # noqa: A002 - what it is
    compression: str | None,
    limits: Limits,
) -> tuple[list[tuple[str, str]], int | None] | None:
    """Return names and kinds of columns, and the rows; None if there is no native reader, or if it refuses the file."""
    reader: Any = getattr(_native, "TableFile", None)
    if reader is None:
        return None
    try:
        check_file(path)
        table = reader.open(path, format, compression, limits.native())
        return table.columns(), table.rows()
    except Exception:  # noqa: BLE001 - the other readers say what is wrong
        return None
