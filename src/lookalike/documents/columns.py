"""Which columns of a table hold the texts and the ids; from names and kinds alone, whatever reads the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike.checks import suggest
from lookalike.documents.limits import MOST_COLUMNS, too_many_columns
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "BYTES",
    "ID_NAMES",
    "INTEGER",
    "MIXED",
    "NESTED",
    "NULL",
    "OTHER",
    "TEXT",
    "TEXT_NAMES",
    "Choice",
    "Column",
    "choose",
]

TEXT: Final = "text"
BYTES: Final = "bytes"
"""Bytes that may be text."""
INTEGER: Final = "integer"
"""Whole numbers of 64 bits."""
NULL: Final = "null"
"""Nothing at all."""
MIXED: Final = "mixed"
"""Texts in some rows, other things in others: reading tells which."""
NESTED: Final = "nested"
OTHER: Final = "other"
_READ_AS_TEXT: Final = (TEXT, BYTES, NULL, MIXED)

TEXT_NAMES: Final = ("text", "content", "body", "document", "article", "abstract")
"""Columns that hold the text if none is named, in order of preference; capitals do not matter."""

ID_NAMES: Final = ("id", "doc_id", "docid", "document_id", "uuid", "_id")
"""Columns that hold the ids if none is named."""

_MOST_LISTED: Final = 12
_INDEX: Final = "__index_level_"  # how a pandas index comes through Arrow


class Column(NamedTuple):
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
    """What to tell a person about it, behind the name of the table; empty if both were named."""

    @property
    def columns(self) -> list[str]:
        """The names, each once."""
        return [self.text] if self.id in (None, self.text) else [self.text, str(self.id)]


def choose(name: str, columns: Sequence[Column], text_column: str | None, id_column: str | None) -> Choice:
    """Choose the columns of table `name`: the ones asked for, or those that their names tell; '' is no id column."""
    if len(columns) > MOST_COLUMNS:
        raise too_many_columns(name)
    table = _Columns(name, columns)
    own_id = table.choose_id(id_column)
    text = table.choose_text(own_id) if text_column is None else table.named(text_column, "text")
    column = table.column(text)
    if column.kind not in _READ_AS_TEXT:
        problem = f"holds {column.type or column.kind}, not text"
        raise DocumentError(name, f"column {text!r}", problem, table.remedy("text"))
    said = [f"texts from the column {text!r}"] if text_column is None else []
    if id_column is None:
        said.append(f"ids from the column {own_id!r}" if own_id is not None else "rows are numbered")
    return Choice(text, own_id, f": {', '.join(said)}" if said else "")


class _Columns:
    """The columns of one table, to choose from."""

    def __init__(self, table: str, columns: Sequence[Column]) -> None:
        self._table = table
        self._columns = columns
        self._names = [column.name for column in columns]

    def column(self, name: str) -> Column:
        return self._columns[self._names.index(name)]

    def choose_id(self, id_column: str | None) -> str | None:
        if id_column == "":
            return None
        if id_column is not None:
            return self.named(id_column, "id")
        found = self._by_name(ID_NAMES)
        return found if found is not None and self.column(found).kind != NESTED else None

    def choose_text(self, own_id: str | None) -> str:
        texts = [
            column.name
            for column in self._columns
            if column.kind in (TEXT, MIXED) and column.name != own_id and not column.name.startswith(_INDEX)
        ]
        by_name = self._by_name(TEXT_NAMES)
        if by_name is not None and self.column(by_name).kind in (TEXT, MIXED, NULL):
            return by_name
        if len(texts) == 1:
            return texts[0]
        listed = _listed(texts or self._names)
        problem = "cannot be chosen among the columns " + listed if self._names else "is missing"
        raise DocumentError(self._table, "text column", problem, "name it with --text-column (in Python: text=)")

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
