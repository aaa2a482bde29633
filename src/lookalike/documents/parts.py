"""A source made of parts: text files and tables, one after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lookalike.documents.batching import regroup
from lookalike.documents.ids import IdCheck
from lookalike.documents.log import Log
from lookalike.documents.rows import common_schema
from lookalike.documents.source import Batch, Size, Skipped, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents.extract.model import Flag

__all__ = ["Part", "PartsSource", "Pass"]


@dataclass(slots=True)
class Pass:
    """What the parts share while documents are read once."""

    log: Log
    numbers: bool
    """Whether all ids of the source are whole numbers; else they are texts."""
    named_rows: bool
    """Whether a row without an id is called by table and row; otherwise by its position alone."""
    rows: bool
    schema: pa.Schema | None
    """What `Batch.rows` must look like, if they are asked for."""
    ids: IdCheck | None
    """Where given ids are checked; None in later passes, which find the same."""
    lines: bool = False
    """Whether the rows that are asked for are the lines of the files."""


class Part(ABC):
    """Some documents of a source."""

    name: str

    @abstractmethod
    def number_ids(self) -> bool | None:
        """Say whether the ids that the documents have are whole numbers; None if ids are to be made."""

    @abstractmethod
    def batches(self, reading: Pass) -> Iterator[Batch]:
        """Read the documents, from the first."""

    @abstractmethod
    def size(self) -> Size:
        """Say what is known before reading."""

    @property
    def is_table(self) -> bool:
        """Whether documents are rows."""
        return False

    @property
    def has_lines(self) -> bool:
        """Whether each row is a line of a file."""
        return False

    def is_empty(self) -> bool:
        """Say whether it is known that there is nothing to read."""
        return False

    def schema(self) -> pa.Schema | None:
        """Return the columns of the rows of a table."""
        return None


class PartsSource(Source):
    """Parts, in their order."""

    def __init__(self, name: str, parts: Sequence[Part], found: Log | None = None) -> None:
        """Put parts together; `found` has what was skipped before any document was read."""
        self.name = name
        self._parts = list(parts)
        self._found = found or Log()
        self._last: Log | None = None
        self._schema: pa.Schema | None = None
        self._checked = False

    @property
    def schema(self) -> pa.Schema | None:
        """The columns of all tables together; None if some documents are not rows."""
        if self._schema is None and self._parts and all(part.is_table for part in self._parts):
            self._schema = common_schema([(part.name, part.schema()) for part in self._parts])
        return self._schema

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Read all parts."""
        return self._read(rows=rows)

    def lines(self) -> Iterator[Batch] | None:
        """Read all parts, if each row of each is a line."""
        whole = bool(self._parts) and all(part.has_lines for part in self._parts)
        return self._read(rows=True, lines=True) if whole else None

    def _read(self, *, rows: bool, lines: bool = False) -> Iterator[Batch]:
        log = Log(list(self._found.skipped), list(self._found.notes))
        self._last = log
        tables = any(part.is_table for part in self._parts)  # paths alone are unique
        check = IdCheck() if tables and not self._checked else None
        schema = self.schema if rows and not lines else None
        numbers, named = self._ids()
        reading = Pass(log, numbers, named, rows, schema, check, lines)
        yield from regroup(batch for part in self._parts for batch in part.batches(reading))
        if check is not None:
            check.finish()
        self._checked = True

    def _ids(self) -> tuple[bool, bool]:
        """Decide how all ids look: whether they are numbers, and whether rows without one are called by their table."""
        given = [part.number_ids() for part in self._parts if not part.is_empty()]
        if len(self._parts) == 1 and given == [None]:
            return True, False
        return bool(given) and all(given), True

    def skipped(self) -> list[Skipped]:
        """List what was left out so far."""
        return list((self._last or self._found).skipped)

    def notes(self) -> list[str]:
        """List what was decided so far."""
        return list((self._last or self._found).notes)

    def flags(self) -> dict[str, list[Flag]]:
        """Tell what is odd about documents so far."""
        return dict((self._last or self._found).flags)

    def size(self) -> Size:
        """Add up what the parts know."""
        sizes = [part.size() for part in self._parts]
        counts = [size.documents for size in sizes]
        known = None if None in counts else sum(count for count in counts if count is not None)
        return Size(known, sum(size.bytes for size in sizes))
