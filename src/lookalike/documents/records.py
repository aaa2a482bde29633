"""Rows that a program holds as dicts, and arrays of numpy: what becomes of them before they are documents."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.columns import INTEGER, MIXED, NESTED, NULL, OTHER, TEXT, Column, choose
from lookalike.documents.ids import of_one_kind
from lookalike.documents.paths_inside import value_at
from lookalike.errors import DocumentError
from lookalike.tables.packed import encoded

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from lookalike.documents.columns import Choice

__all__ = ["are_records", "columns_of_records", "list_of_array", "table_of_records"]

_SAMPLE: Final = 1000


def are_records(documents: Sequence[Any]) -> bool:
    """Say whether documents are dicts, by the first that is anything at all."""
    return isinstance(next((one for one in documents if one is not None), None), Mapping)


def columns_of_records(rows: Sequence[Any], *named: str | None) -> list[Column]:
    """Describe the columns of dicts, by the first of them; a path that is named is a column too."""
    kinds: dict[str, set[str]] = {}
    for row in islice(rows, _SAMPLE):
        for name, value in (row or {}).items():
            kinds.setdefault(str(name), set()).add(_kind(value))
    for name in named:
        if name and name not in kinds:
            found = {_kind(value) for row in rows if (value := value_at(row or {}, name)) is not None}
            kinds |= {name: found} if found else {}
    return [Column(name, _together(found - {NULL})) for name, found in kinds.items()]


def _kind(value: object) -> str:
    if value is None:
        return NULL
    if isinstance(value, str):
        return TEXT
    if isinstance(value, Mapping | list | tuple):
        return NESTED
    return INTEGER if hasattr(value, "__index__") and not isinstance(value, bool) else OTHER


def _together(kinds: set[str]) -> str:
    if not kinds:
        return NULL
    return kinds.pop() if len(kinds) == 1 else MIXED if TEXT in kinds else OTHER


def table_of_records(rows: Sequence[Any], text: str | None, id_column: str | None) -> tuple[pa.Table, Choice]:
    """Return the texts and ids of dicts as a table, and which columns they are."""
    import pyarrow as pa

    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            problem = f"is {type(row).__name__}, not a dict like the others"
            raise DocumentError(number, "row", problem, "give dicts only, or texts only")
    choice = choose("the rows", columns_of_records(rows, text, id_column), text, id_column)
    texts = [_text(number, value_at(row, choice.text), choice.text) for number, row in enumerate(rows)]
    columns: dict[str, pa.Array[Any]] = {choice.text: pa.array(texts, pa.large_string())}
    if choice.id is not None:
        ids = [value_at(row, choice.id) for row in rows]
        kept = of_one_kind([own for own in ids if own is not None])
        kind = pa.int64() if kept and not isinstance(kept[0], str) else pa.large_string()
        given = iter(kept)
        columns[choice.id] = pa.array([None if own is None else next(given) for own in ids], kind)
    return pa.table(columns), choice


def _text(number: int, value: object, column: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        problem = f"is {type(value).__name__}, not text"
        raise DocumentError(number, f"column {column!r}", problem, "give its text as str, or None")
    return value if value.isascii() else encoded(value).decode()


def list_of_array(array: Any) -> list[str | None]:
    """Return the texts of an array of numpy: of objects, of fixed width, or of StringDType; NaN is None."""
    if array.ndim != 1:
        problem = f"are an array of {array.ndim} dimensions"
        raise DocumentError(None, "documents", problem, "give one dimension, for example by .ravel()")
    if array.dtype.kind not in "OUT":
        remedy = "decode it first: numpy.char.decode(array)" if array.dtype.kind == "S" else "give an array of texts"
        raise DocumentError(None, "documents", f"are an array of {array.dtype}, not of texts", remedy)
    return [None if isinstance(one, float) and one != one else one for one in array.tolist()]  # noqa: PLR0124 - NaN
