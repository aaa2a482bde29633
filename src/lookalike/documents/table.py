"""A table as documents: each row is one, whatever kind of file it came from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lookalike.documents.arrow_columns import columns_of, conform, is_marked, pieces_of, texts_of, valid, without_views
from lookalike.documents.document_batches import TARGET, Batch, Form, Size
from lookalike.documents.document_source import chosen_of
from lookalike.documents.in_memory import ids_of, made_ids
from lookalike.documents.source_parts import Part
from lookalike.documents.table_columns import COMPRESSIONS, INTEGER, Choice, choose, native_table
from lookalike.documents.table_errors import (
    changed,
    damaged_rows,
    empty_table,
    missing_id,
    other_text,
    place,
    row_too_large,
    row_without_text,
)
from lookalike.tables.columns import compute
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents.document_batches import Log
    from lookalike.documents.document_source import Identity
    from lookalike.documents.raw_input import Limits, RawInput
    from lookalike.documents.source_parts import Pass
    from lookalike.documents.table_columns import NativeTable
    from lookalike.documents.text_tables import LineForm, UnreadLines

__all__ = ["DocumentTable", "Rows", "TablePart"]


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a table, and which ones they are: positions from 0."""

    batch: pa.RecordBatch
    numbers: Sequence[int]
    lines: pa.Array[Any] | None = None
    """Where they were asked for: the line of each row, as bytes without its end."""
    not_texts: Mapping[int, str] = field(default_factory=dict)
    """Rows in whose text is no text, by their place here, and what it is: "a number". The column has its JSON text."""

    def slice(self, start: int, count: int) -> Rows:
        """Return some of them."""
        lines = None if self.lines is None else self.lines.slice(start, count)
        others = {row - start: kind for row, kind in self.not_texts.items() if start <= row < start + count}
        return Rows(self.batch.slice(start, count), self.numbers[start : start + count], lines, others)


class DocumentTable(ABC):
    """Rows that can be read more than once."""

    name: str
    folder: str = ""
    """The folders that give columns to the rows, as ``year=2024``."""

    def added(self) -> list[str]:
        """Return the names of the columns that it has from its folders."""
        return []

    @abstractmethod
    def columns(self, wanted: Sequence[str] = ()) -> pa.Schema:
        """Return the names and types of the columns, as far as they can be known quickly and have those wanted."""

    @abstractmethod
    def read(self, choice: Choice, log: Log, *, whole: bool) -> Iterator[Rows]:
        """Read the chosen columns, or the whole rows in the columns of `schema`."""

    @abstractmethod
    def size(self, text: str) -> Size:
        """Return what is known before reading, where column `text` has the texts."""

    def schema(self) -> pa.Schema:
        """Return the columns of whole rows, exactly; may have to read the table."""
        return self.columns()

    @property
    def line_form(self) -> LineForm | None:
        """What the lines of the file are, where each row is one, and `read_lines` gives it."""
        return None

    @property
    def form(self) -> Form | None:
        """How the rows are stored; None for a table in memory."""
        return None

    def read_lines(self, choice: Choice, log: Log) -> Iterator[Rows]:
        """Read the chosen columns, and the line of each row."""
        raise NotImplementedError(f"{self.name} has no lines ({choice}, {log})")

    @property
    def file(self) -> RawInput | None:
        """The file that it is read from; None for a table in memory."""
        return None

    @property
    def limits(self) -> Limits | None:
        """How large a text may be; None for a table in memory."""
        return None if self.file is None else self.file.limits

    @property
    def packed(self) -> int | None:
        """The size of a file that expands as it is read: a small one may have very large rows."""
        return None

    @property
    def native_format(self) -> str | None:
        """What the native readers call its format, if they read it: ``parquet`` or ``jsonl``."""
        return None

    def takes_paths(self, paths: Sequence[str]) -> bool:
        """Return whether the table itself reads columns inside others, such as ``doc.text``; it then keeps them."""
        del paths
        return False

    def identify(self, identity: Identity) -> None:
        """Add what distinguishes this table from others."""
        if self.file is not None:
            identity.add_file(self.name, self.file)

    def has_rows(self) -> bool:
        """Return whether there is any row at all; a file without one need not have columns."""
        return True

    def write_unread(self, unread: UnreadLines) -> None:  # noqa: B027 - most tables make a row of everything
        """Write the lines of which no row is made, byte for byte."""

    def list_skipped(self, log: Log) -> None:  # noqa: B027 - most tables skip none while they read
        """List what a table without rows has in their place."""


class TablePart(Part):
    """The documents of one table."""

    def __init__(
        self, table: DocumentTable, text_column: str | None, id_column: str | None, *, split: str | None = None
    ) -> None:
        """Take a table; the columns are read when first needed. Ids begin with the name of a `split`."""
        self.name = table.name
        self.folder = table.folder
        self._table = table
        self._text_column = text_column
        self._id_column = id_column
        self._split = split
        self._stamp: tuple[int, int] | None = None

    @property
    def is_table(self) -> bool:
        """Documents are rows."""
        return True

    @property
    def line_form(self) -> LineForm | None:
        """Ask the table."""
        return self._table.line_form

    @property
    def form(self) -> Form | None:
        """Ask the table."""
        return self._table.form

    def columns_of_folders(self) -> tuple[list[str], list[str]]:
        """Return the columns that the table has from its folders, and those of its own."""
        added = self._table.added()
        return added, [name for name in self._table.schema().names if name not in added]

    @cached_property
    def choice(self) -> Choice | None:
        """The columns that are read; None for a table with nothing in it."""
        if not self._table.has_rows():
            return None
        wanted = [name for name in (self._text_column, self._id_column) if name]
        return choose(self.name, columns_of(self._table.columns(wanted)), self._text_column, self._id_column)

    @property
    def text_column(self) -> str | None:
        """The column that is read; None for a table with nothing in it."""
        return None if self.choice is None else self.choice.text

    def is_empty(self) -> bool:
        """A table without a row has no columns to choose."""
        return self.choice is None

    def number_ids(self) -> bool | None:
        """Return whether the id column holds whole numbers; all else is kept as text."""
        if self._split is not None:
            return False
        if self.choice is None or self.choice.id is None:
            return None
        own = self.choice.id
        return next(column.kind for column in columns_of(self._table.columns([own])) if column.name == own) == INTEGER

    def schema(self) -> pa.Schema:
        """Return the columns of whole rows; the column of texts holds nothing else, whatever it has in rows skipped."""
        schema = without_views(self._table.schema())
        at = -1 if self.choice is None else schema.get_field_index(self.choice.text)
        if at >= 0 and is_marked(schema.field(at)):
            schema = schema.set(at, schema.field(at).remove_metadata())
        return schema

    def size(self) -> Size:
        """Ask the table."""
        return Size(0, 0) if self.choice is None else self._table.size(self.choice.text)

    def batches(self, reading: Pass) -> Iterator[Batch]:
        """Read the rows that have a text."""
        self._stamp = self._stamp or self._stamped()
        choice = self.choice
        seen = False
        if choice is not None:
            if choice.note:
                reading.log.note_about(self.name, choice.note)
            expanded = 0
            for rows in self._pieces(choice, reading):
                seen = seen or bool(rows.numbers)
                batch = self._batch(rows, choice, reading)
                reading.log.settle()
                expanded += batch.texts.nbytes
                self._check_expanded(expanded)
                yield batch
        else:
            self._table.list_skipped(reading.log)
        reading.log.settle()
        if not seen and not any(skipped.id.startswith(self.name) for skipped in reading.log.skipped):
            reading.log.skipped.append(empty_table(self.name))

    def _pieces(self, choice: Choice, reading: Pass) -> Iterator[Rows]:
        """Read the rows, in pieces whose texts are not too many bytes when they are written out."""
        longest = self._longest
        for rows in self._read(choice, reading):
            column = rows.batch.column(choice.text)
            for start, count in pieces_of(column, TARGET, longest):
                yield rows if count == len(column) else rows.slice(start, count)

    @property
    def _longest(self) -> int | None:
        return None if self._table.limits is None else self._table.limits.document

    def _check_expanded(self, size: int) -> None:
        limits, packed = self._table.limits, self._table.packed
        if limits is not None and packed is not None and size > limits.most(packed):
            raise limits.expansion_error(self.name)

    def _stamped(self) -> tuple[int, int] | None:
        return None if self._table.file is None else self._table.file.stamp()

    def fetch(self, numbers: Sequence[int], reading: Pass) -> Iterator[tuple[Sequence[int], Texts]]:
        """Read the rows again, up to the last that is wanted; of a file that is still what it was."""
        self.check_unchanged()
        return chosen_of(self.batches(reading), numbers, self.name)

    def check_unchanged(self) -> None:
        """Refuse a file whose size or time has changed since it was first read."""
        if self._stamp is not None and self._stamp != self._stamped():
            raise changed(self.name)

    def write_unread(self, unread: UnreadLines) -> None:
        """Ask the table."""
        self._table.write_unread(unread)

    def identify(self, identity: Identity) -> None:
        """Add what distinguishes these documents from others."""
        identity.add(self._text_column, self._id_column, self._longest)
        self._table.identify(identity)

    def native(self) -> NativeTable | None:
        """Choose columns for a native reader, without any other; None if it cannot read the table."""
        self._stamp = self._stamp or self._stamped()
        file, kind = self._table.file, self._table.native_format
        if file is None or file.path is None or kind is None or file.compression not in COMPRESSIONS:
            return None
        return native_table(
            self.name, file.path, kind, COMPRESSIONS[file.compression], self._text_column, self._id_column, file.limits
        )

    def _read(self, choice: Choice, reading: Pass) -> Iterator[Rows]:
        if reading.lines:
            return self._table.read_lines(choice, reading.log)
        return self._table.read(choice, reading.log, whole=reading.rows)

    def _batch(self, rows: Rows, choice: Choice, reading: Pass) -> Batch:
        import pyarrow as pa

        try:
            texts, bad, large = texts_of(rows.batch.column(choice.text), self._longest)
            if rows.not_texts:
                texts = _without(texts, rows.not_texts)
            given = None if choice.id is None else ids_of(rows.batch.column(choice.id), reading.numbers, self.name)
            batch = self._whole(rows, reading) if reading.rows else rows.batch
        except pa.ArrowException as error:
            raise damaged_rows(self.name, rows.numbers[0] if rows.numbers else None, error) from None
        numbers: Sequence[int] = rows.numbers
        keep = None
        if texts.null_count:
            self._skip(texts, bad, large, given, rows, choice, reading)
            keep = texts.is_valid()
            kept = keep.to_pylist()
            numbers = [number for number, kept_one in zip(numbers, kept, strict=True) if kept_one]
            texts = texts.filter(keep)
            given = None if given is None else given.filter(keep)
        if given is not None:
            ids = self._given(given, numbers, reading)
        elif self._split is not None:  # as a program counts: splits["train"][0]
            ids = Ids([f"{self._split}:{number}" for number in numbers])
        else:
            ids = made_ids(self.name, numbers, reading.named_rows)
        if not reading.rows:
            return Batch(ids, Texts.from_arrow(texts))
        return Batch(ids, Texts.from_arrow(texts), batch, keep, choice.text, self._table.folder)

    def _given(self, given: pa.Array[Any], numbers: Sequence[int], reading: Pass) -> Ids:
        import pyarrow as pa

        if given.null_count:
            raise missing_id(self.name, numbers[given.is_null().index(True).as_py()])
        # Ids are kept for long, and a slice would keep all that it was cut from.
        ids = Ids.from_arrow(pa.concat_arrays([given]))
        if self._split is not None:
            ids = Ids([f"{self._split}:{own}" for own in ids])
        if reading.ids is not None:
            reading.ids.add(ids, lambda row: place(self.name, numbers[row]))
        return ids

    def _skip(
        self,
        texts: pa.Array[Any],
        bad: list[int],
        large: list[int],
        given: pa.Array[Any] | None,
        rows: Rows,
        choice: Choice,
        reading: Pass,
    ) -> None:
        """List the rows without a text, under the ids that they would have had."""
        wrong, longer, limits, numbers = set(bad), set(large), self._table.limits, rows.numbers
        for row, missing in enumerate(texts.is_null().to_pylist()):
            if missing:
                own = None if given is None else given[row].as_py()
                named, broken = reading.named_rows, row in wrong
                if (kind := rows.not_texts.get(row)) is not None:
                    skipped = other_text(self.name, numbers[row], choice.text, kind)
                elif row in longer and limits is not None:
                    skipped = row_too_large(self.name, numbers[row], own, choice.text, limits, named=named)
                else:
                    skipped = row_without_text(self.name, numbers[row], own, choice.text, named=named, broken=broken)
                reading.log.skip_row(numbers[row], skipped)

    def _whole(self, rows: Rows, reading: Pass) -> pa.RecordBatch:
        import pyarrow as pa

        if rows.lines is not None:
            return pa.RecordBatch.from_arrays([rows.lines], ["line"])
        batch = valid(rows.batch)
        return batch if reading.schema is None else conform(batch, reading.schema)


def _without(texts: pa.Array[Any], rows: Iterable[int]) -> pa.Array[Any]:
    """Return a column in which some rows are null."""
    import pyarrow as pa

    gone = set(rows)
    mask = pa.array([row in gone for row in range(len(texts))], pa.bool_())
    cleared: pa.Array[Any] = compute().if_else(mask, pa.scalar(None, texts.type), texts)
    return cleared
