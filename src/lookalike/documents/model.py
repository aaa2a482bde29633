"""The plain values that a source gives: documents in batches, what was left out, how much there is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pyarrow as pa

    from lookalike.tables.packed import Ids, Texts

__all__ = ["UNKNOWN_BYTES", "Batch", "Form", "Size", "Skipped"]

UNKNOWN_BYTES: Final = 1 << 60
"""The bytes of what does not tell its size: it counts as large, so that a search with `memory` keeps to it."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not read."""

    id: str
    """The path, or the id that the row of a table has or would have had."""
    reason: str
    """Short, to be counted: "binary", "empty", "hidden", "ignored", "excluded", "null text", "unreadable" …"""
    detail: str = ""
    """A sentence for a person."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents: as many as make a few megabytes of text, and at least one, unless it has textless rows."""

    ids: Ids
    """All numbers or all texts, the same in every batch of a source."""
    texts: Texts
    """Always valid UTF-8."""
    rows: pa.RecordBatch | None = None
    """Tables only, and when asked for: the whole rows as read, in the same order as `ids`."""
    textless: pa.RecordBatch | None = None
    """Tables only, and when rows are asked for: rows without a text, which are no documents but must not get lost."""
    text_column: str | None = None
    """Tables only, and when rows are asked for: the column that holds the texts."""
    folder: str = ""
    """Tables only, and when rows are asked for: the folders that gave columns to the rows, as ``year=2024``."""

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Form:
    """How the rows of a table are stored, so that others can be stored in the same way."""

    format: str
    """As `Kind` calls it."""
    codec: str | None = None
    """How they are compressed."""
    group_rows: int | None = None
    """Parquet only: the rows of a row group."""


@dataclass(frozen=True, slots=True)
class Size:
    """What is known of a source before it is read."""

    documents: int | None
    """How many there are at most, since some may be skipped; None if only reading would tell."""
    bytes: int
    """About how many bytes of text there are: the size of the files; what is compressed counts three times."""
    too_large: int = 0
    """Files that are not counted because their size tells that they will be skipped."""
