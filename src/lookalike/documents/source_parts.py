"""A source made of parts: text files and tables, one after the other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lookalike.documents.arrow_columns import common_schema
from lookalike.documents.document_batches import Log, Size, regroup
from lookalike.documents.document_source import Identity, Source, check_numbers, chosen_of, within
from lookalike.documents.in_memory import IdCheck
from lookalike.documents.table_errors import changed, lost_lines
from lookalike.errors import DocumentError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents.document_batches import Batch, Flag, Form, Skipped
    from lookalike.documents.document_source import Again
    from lookalike.documents.table_columns import NativePart, NativeTable
    from lookalike.documents.text_tables import LineForm, UnreadLines
    from lookalike.tables.packed import Texts

__all__ = ["Part", "PartsSource", "Pass", "named_by_path"]


@dataclass(slots=True)
class Pass:
    """What the parts share while documents are read once."""

    log: Log
    numbers: bool
    """Whether all ids of the source are whole numbers; else they are texts."""
    named_rows: bool
    """Whether a row without an id is identified by table and row; otherwise by its position alone."""
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
    folder: str = ""
    """The folders that give columns to the rows of a table."""

    @abstractmethod
    def number_ids(self) -> bool | None:
        """Return whether the ids that the documents have are whole numbers; None if ids are to be made."""

    @abstractmethod
    def batches(self, reading: Pass) -> Iterator[Batch]:
        """Read the documents, from the first."""

    def fetch(self, numbers: Sequence[int], reading: Pass) -> Iterator[tuple[Sequence[int], Texts]]:
        """Read some documents again, by ascending numbers within this part; all were read once before."""
        return chosen_of(self.batches(reading), numbers, self.name)

    def check_unchanged(self) -> None:  # noqa: B027 — most parts are read again as they are
        """Refuse a file that is not what was read before."""

    def native(self) -> NativeTable | None:
        """Describe the table to a native reader; None if there is none that reads it."""
        return None

    @abstractmethod
    def identify(self, identity: Identity) -> None:
        """Add what distinguishes these documents from others."""

    @abstractmethod
    def size(self) -> Size:
        """Return what is known before reading."""

    @property
    def is_table(self) -> bool:
        """Whether documents are rows."""
        return False

    @property
    def line_form(self) -> LineForm | None:
        """What the lines of the file are, where each row is one."""
        return None

    @property
    def form(self) -> Form | None:
        """How the rows of a table are stored."""
        return None

    def columns_of_folders(self) -> tuple[list[str], list[str]]:
        """Return the columns that a table has from its folders, and those of its own."""
        return [], []

    @property
    def text_column(self) -> str | None:
        """The column of a table that has the texts."""
        return None

    def write_unread(self, unread: UnreadLines) -> None:  # noqa: B027 - text files have no lines to lose
        """Write the lines of which no row is made."""

    def is_empty(self) -> bool:
        """Return whether it is known that there is nothing to read."""
        return False

    def schema(self) -> pa.Schema | None:
        """Return the columns of the rows of a table."""
        return None


@contextmanager
def named_by_path(paths: Mapping[str, str]) -> Iterator[None]:
    """Name a file of a folder by its path in an error: its document says only where it is within the folder."""
    try:
        yield
    except DocumentError as error:
        document = str(error.document)
        name, colon, row = (document, "", "") if document in paths else document.rpartition(":")
        path = paths.get(name, name)
        if type(error) is not DocumentError or path == name:
            raise
        raise DocumentError(f"{path}{colon}{row}", error.field, error.problem, error.remedy) from error


class PartsSource(Source):
    """Parts, in their order."""

    def __init__(
        self,
        name: str,
        parts: Sequence[Part],
        found: Log | None = None,
        copies: object = None,
        paths: Mapping[str, str] | None = None,
    ) -> None:
        """Put parts together; `found` has what was skipped before any document was read.

        `copies` are files that have to last as long as the source. `paths` are those of parts that are named within
        their folder.
        """
        self.name = name
        self._parts = list(parts)
        self._found = found or Log()
        self._copies, self._paths = copies, paths or {}
        self._last: Log | None = None
        self._schema: pa.Schema | None = None
        self._checked = False
        self._counts: list[int] | None = None
        self._again: Again | None = None

    @property
    def schema(self) -> pa.Schema | None:
        """The columns of all tables together; None if some documents are not rows."""
        if self._schema is None and self._parts and all(part.is_table for part in self._parts):
            with named_by_path(self._paths):
                self._schema = common_schema([(part.name, part.schema()) for part in self._parts])
        return self._schema

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Read all parts."""
        return self._told(rows=rows)

    def lines(self) -> Iterator[Batch] | None:
        """Read all parts, if each row of each is a line."""
        return None if self.line_form is None else self._told(rows=True, lines=True)

    @property
    def line_form(self) -> LineForm | None:
        """The form of the lines of all parts, if it is the same."""
        first = self._parts[0].line_form if self._parts else None
        return first if all(part.line_form == first for part in self._parts) else None

    @property
    def form(self) -> Form | None:
        """How the rows of the first part are stored; None if some documents are not rows."""
        return self._parts[0].form if self._parts and all(part.is_table for part in self._parts) else None

    @property
    def partitioned(self) -> bool:
        """Whether some table is in a folder that gives it columns."""
        return any(part.folder for part in self._parts)

    def folder_columns(self) -> list[str]:
        """Return the columns that come from the names of folders, and from no table."""
        if not self.partitioned:
            return []
        found = [part.columns_of_folders() for part in self._parts]
        own = {name for _, names in found for name in names}
        return list(dict.fromkeys(name for names, _ in found for name in names if name not in own))

    def _told(self, *, rows: bool, lines: bool = False) -> Iterator[Batch]:
        """Read all parts; notes and skipped documents are those of this pass, from its first batch on."""
        self._last = self._log()
        with named_by_path(self._paths):
            yield from self._read(self._last, rows=rows, lines=lines)

    def _log(self) -> Log:
        return self._found.copy()

    def _read(self, log: Log, *, rows: bool = False, lines: bool = False) -> Iterator[Batch]:
        tables = any(part.is_table for part in self._parts)  # paths alone are unique
        check = IdCheck() if tables and not self._checked else None
        schema = self.schema if rows and not lines else None
        numbers, named = self._ids()
        reading = Pass(log, numbers, named, rows, schema, check, lines)
        counts = [0] * len(self._parts)
        yield from regroup(self._counted(reading, counts))
        if check is not None:
            check.finish()
        self._checked = True
        self._counts = counts

    def _counted(self, reading: Pass, counts: list[int]) -> Iterator[Batch]:
        for number, part in enumerate(self._parts):
            for batch in part.batches(reading):
                counts[number] += len(batch)
                yield batch

    def fetch(self, numbers: Sequence[int]) -> Iterator[tuple[Sequence[int], Texts]]:
        """Ask the parts that have the documents; the notes of the last full pass stay."""
        if self._counts is None:
            yield from chosen_of(self._read(Log()), numbers, self.name)
            return
        check_numbers(numbers)
        if len(numbers) and numbers[-1] >= sum(self._counts):
            raise changed(self.name)
        if self._again is not None:
            for part in self._parts:
                part.check_unchanged()
            yield from self._again(numbers)
            return
        # The form of ids does not matter here, so the other parts need not be asked.
        reading = Pass(Log(), numbers=False, named_rows=False, rows=False, schema=None, ids=None)
        start = 0
        for part, count in zip(self._parts, self._counts, strict=True):
            if wanted := within(numbers, start, start + count):
                for found, texts in part.fetch(wanted, reading):
                    yield [start + number for number in found], texts
            start += count

    def tables(self) -> list[NativePart] | None:
        """Describe the parts, if each is a table that the native readers read."""
        found: list[NativeTable] = []
        for part in self._parts:
            table = part.native()
            if table is None:
                return None
            found.append(table)
        numbers, named = _look_of_ids([table.number_ids for table in found], len(found))
        return [table.part(named_rows=named, number_ids=numbers) for table in found] or None

    def read_elsewhere(
        self,
        skipped: Sequence[Skipped],
        notes: Sequence[tuple[str, str]],
        counts: Sequence[int] | None = None,
        again: Again | None = None,
    ) -> None:
        """Take what a reader of `tables` found, and how many documents each table gave."""
        self._last = self._log()
        self._last.skipped += skipped
        for name, said in notes:
            self._last.note_about(name, said)
        self._checked = True
        self._counts = None if counts is None else list(counts)
        self._again = again

    def identity(self) -> dict[str, Any]:
        """Combine what distinguishes the parts from others."""
        identity = Identity(self.name)
        for part in self._parts:
            part.identify(identity)
        return identity.found()

    def _ids(self) -> tuple[bool, bool]:
        given = [part.number_ids() for part in self._parts if not part.is_empty()]
        return _look_of_ids(given, len(self._parts))

    def skipped(self) -> list[Skipped]:
        """List what was skipped so far."""
        return list((self._last or self._found).skipped)

    def text_columns(self) -> dict[str, str]:
        """Ask the tables."""
        return {part.name: column for part in self._parts if (column := part.text_column) is not None}

    def write_unread(self, unread: UnreadLines) -> None:
        """Read those parts again that have such lines."""
        if self._last is None:
            for _ in self.batches():  # which lines these are is not known before
                pass
        lost = lost_lines(self.skipped())
        names = {one.id.rpartition(":")[0] for one in lost}
        for part in self._parts:
            if part.name in names:
                part.check_unchanged()
                part.write_unread(unread)
        if unread.count != len(lost):
            raise changed(self.name)

    def notes(self) -> list[str]:
        """List what was decided so far."""
        return list((self._last or self._found).notes)

    def flags(self) -> dict[str, list[Flag]]:
        """Return what is odd about documents so far."""
        return dict((self._last or self._found).flags)

    @property
    def has_files(self) -> bool:
        """Whether some part is not a table."""
        return any(not part.is_table for part in self._parts)

    def students(self) -> dict[str, str]:
        """Return what receipts said so far."""
        return dict((self._last or self._found).students)

    def size(self) -> Size:
        """Add up what the parts know."""
        with named_by_path(self._paths):
            sizes = [part.size() for part in self._parts]
        counts = [size.documents for size in sizes]
        known = None if None in counts else sum(count for count in counts if count is not None)
        return Size(known, sum(size.bytes for size in sizes), sum(size.too_large for size in sizes))


def _look_of_ids(given: Sequence[bool | None], parts: int) -> tuple[bool, bool]:
    """Decide the form of all ids: whether they are numbers, and whether rows without one are named by their table.

    `given` says for each part whether its own ids are numbers, None where it has none. They must be of one kind, and
    unique over all parts.
    """
    if parts == 1 and list(given) == [None]:
        return True, False
    return bool(given) and all(given), True
