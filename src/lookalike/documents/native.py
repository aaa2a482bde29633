"""What the native readers of tables are told, and what they tell about a file's columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from lookalike import _native
from lookalike.documents.columns import BYTES, INTEGER, MIXED, NULL, TEXT, Choice, Column, choose
from lookalike.documents.limits import LIMITS, Limits
from lookalike.errors import DocumentError
from lookalike.opening import check_file

__all__ = ["COMPRESSIONS", "NativePart", "NativeTable", "native_table"]

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
    """What to tell a person about the choice of columns, behind the name; empty if both were named."""
    rows: int | None = None
    """How many rows there are, if that is known before they are read."""
    limits: Limits = LIMITS


@dataclass(frozen=True, slots=True)
class NativeTable:
    """What is known of one table before it is known what stands beside it."""

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
        """Describe it to a reader."""
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
    """Choose the columns of a table; None if there is no native reader, or if another has to look at it."""
    seen = _look(path, format, compression, limits)
    if seen is None:
        return None
    kinds, rows = seen
    # A field of JSON that is null, or of several kinds, in the rows that were looked at may hold texts in others.
    unsure = (NULL, MIXED) if format == "jsonl" else ()
    columns = [Column(column, TEXT if kind in unsure else kind) for column, kind in kinds]
    try:
        choice = choose(name, columns, text_column, id_column)
    except DocumentError:
        return None  # the other reader knows more columns, or says the same
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
