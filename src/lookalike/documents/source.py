"""What every collection of documents looks like to the rest: ids and texts in batches, and a list of what was left out.

A source can be read more than once and gives the same documents in the same order each time. Nothing is dropped in
silence: what is left out is in `Source.skipped`, what was decided on the way (an encoding, a column) in `Source.notes`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from lookalike.documents.extract.model import Flag
    from lookalike.tables.packed import Ids, Texts

__all__ = ["Batch", "Size", "Skipped", "Source"]


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

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Size:
    """What is known of a source before it is read."""

    documents: int | None
    """How many there are at most, since some may be skipped; None if only reading would tell."""
    bytes: int
    """About how many bytes of text there are: the size of the files; what is compressed counts three times."""


class Source(ABC):
    """Documents that can be read more than once, always in the same order."""

    name: str
    """What to call it in a message: the path or paths as given, or the kind of thing that holds the documents."""

    @property
    def schema(self) -> pa.Schema | None:
        """The columns of `Batch.rows`, for tables; None where documents have no rows."""
        return None

    @abstractmethod
    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Read all documents, from the first; with `rows`, tables give their whole rows too."""

    def lines(self) -> Iterator[Batch] | None:
        """Read all documents where each is a line of a file: `Batch.rows` has the lines, as bytes; else None."""
        return None

    @abstractmethod
    def skipped(self) -> list[Skipped]:
        """List what was left out, and why: complete after a full pass over `batches`."""

    @abstractmethod
    def notes(self) -> list[str]:
        """List what a person should be told, such as "notes.txt read as windows-1252": complete after a full pass."""

    def flags(self) -> dict[str, list[Flag]]:
        """Tell what is odd about documents, such as hidden text, by their ids: complete after a full pass."""
        return {}

    @abstractmethod
    def size(self) -> Size:
        """Say what is known before reading."""
