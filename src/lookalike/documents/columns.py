"""Which columns of a table hold the texts and the ids, and what they hold as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lookalike.errors import DocumentError
from lookalike.recipe import suggest

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

__all__ = ["ID_NAMES", "TEXT_NAMES", "Choice", "choose", "decoded", "is_text", "names_of", "sound", "texts_of"]

TEXT_NAMES: Final = ("text", "content", "body", "document", "article", "abstract")
"""Columns that hold the text if none is named, in order of preference; capitals do not matter."""

ID_NAMES: Final = ("id", "doc_id", "docid", "document_id", "uuid", "_id")
"""Columns that hold the ids if none is named."""

_MOST_LISTED: Final = 12
_INDEX: Final = "__index_level_"  # how a pandas index comes through Arrow


@dataclass(frozen=True, slots=True)
class Choice:
    """The columns of a table that are read."""

    text: str
    id: str | None
    note: str = ""
    """What to tell a person about it; empty if both were named."""

    @property
    def columns(self) -> list[str]:
        """The names, each once."""
        return [self.text] if self.id in (None, self.text) else [self.text, str(self.id)]


def choose(name: str, schema: pa.Schema, text_column: str | None, id_column: str | None) -> Choice:
    """Choose the columns of table `name`: the ones asked for, or those that their names tell; '' is no id column."""
    id_chosen = _choose_id(name, schema, id_column)
    text = _choose_text(name, schema, id_chosen) if text_column is None else _named(name, schema, text_column, "text")
    kind = schema.field(text).type
    if not is_text(kind) and not _is_bytes(kind):
        problem = f"holds {_kind_name(kind)}, not text"
        raise DocumentError(name, f"column {text!r}", problem, _remedy(schema, "text"))
    said = [f"texts from the column {text!r}"] if text_column is None else []
    if id_column is None:
        said.append(f"ids from the column {id_chosen!r}" if id_chosen is not None else "rows are numbered")
    return Choice(text, id_chosen, f"{name}: {', '.join(said)}" if said else "")


def names_of(schema: pa.Schema) -> list[str]:
    """Return the names of columns; `ValueError` if one, or one inside it, is not UTF-8: Arrow does not check."""
    inside: list[pa.DataType] = list(schema.types)
    while inside:
        kind = inside.pop()
        for field in map(kind.field, range(kind.num_fields)):
            str(field.name)
            inside.append(field.type)
    return list(schema.names)


def _choose_id(name: str, schema: pa.Schema, id_column: str | None) -> str | None:
    if id_column == "":
        return None
    if id_column is not None:
        return _named(name, schema, id_column, "id")
    found = _by_name(schema, ID_NAMES)
    return found if found is not None and not _is_nested(schema.field(found).type) else None


def _choose_text(name: str, schema: pa.Schema, id_chosen: str | None) -> str:
    texts = [
        field.name
        for field in schema
        if is_text(field.type, null=False) and field.name != id_chosen and not field.name.startswith(_INDEX)
    ]
    by_name = _by_name(schema, TEXT_NAMES)
    if by_name is not None and is_text(schema.field(by_name).type):
        return by_name
    if len(texts) == 1:
        return texts[0]
    problem = "cannot be chosen among the columns " + _listed(texts or schema.names) if schema.names else "is missing"
    raise DocumentError(name, "text column", problem, "name it with --text-column (in Python: text_column=)")


def _by_name(schema: pa.Schema, names: Sequence[str]) -> str | None:
    folded: dict[str, list[str]] = {}
    for column in schema.names:
        folded.setdefault(column.strip().lower(), []).append(column)
    for name in names:
        if schema.names.count(name) == 1:
            return name
        if len(folded.get(name, ())) == 1:
            return folded[name][0]
    return None


def _named(name: str, schema: pa.Schema, column: str, what: str) -> str:
    count = schema.names.count(column)
    if count == 1:
        return column
    if count:
        problem = f"is there {count} times"
        raise DocumentError(name, f"column {column!r}", problem, "give every column its own name")
    problem = f"does not exist; the columns are {_listed(schema.names)}" if schema.names else "does not exist"
    remedy = suggest(column, schema.names) or _remedy(schema, what)
    raise DocumentError(name, f"column {column!r}", problem, remedy)


def _remedy(schema: pa.Schema, what: str) -> str:
    if what == "text" and (texts := [field.name for field in schema if is_text(field.type)]):
        return f"name a column of texts with --text-column: {_listed(texts)}"
    return f"name another with --{what}-column"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:_MOST_LISTED])
    return shown if len(names) <= _MOST_LISTED else f"{shown} and {len(names) - _MOST_LISTED} more"


def is_text(kind: pa.DataType, *, null: bool = True) -> bool:
    """Say whether a type holds text: in any of Arrow's layouts, or, unless told otherwise, nothing but nulls."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return (
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or kind == pa.string_view()
        or (null and pa.types.is_null(kind))
    )


def _is_bytes(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or kind == pa.binary_view()


def _is_nested(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return pa.types.is_nested(kind)


def _kind_name(kind: pa.DataType) -> str:
    shown = str(kind)
    return shown if len(shown) < 60 else shown[:57] + "…"


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
