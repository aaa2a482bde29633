"""Sources made of other sources: texts kept in memory, two sources in a row, one without its short documents."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.document_batches import Batch, Skipped
from lookalike.documents.document_source import Size, Source, check_numbers, chosen_of, chosen_texts, within
from lookalike.tables.packed import Ids
from lookalike.tables.spelling import count
from lookalike.text.excluded import count_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from lookalike.documents.document_batches import Flag
    from lookalike.documents.document_source import Again
    from lookalike.documents.table_columns import NativePart
    from lookalike.documents.text_tables import UnreadLines
    from lookalike.tables.packed import Texts

__all__ = ["KEPT", "Both", "Kept", "LongEnough"]

KEPT: Final = 64 << 20
"""Bytes of text up to which what was read from files is kept, for passages, reports and audits."""


class _OfOne(Source):
    """A source made of one other, which knows what this one does not change."""

    source: Source

    def notes(self) -> list[str]:
        """Ask the source."""
        return self.source.notes()

    @property
    def has_files(self) -> bool:
        """Ask the source."""
        return self.source.has_files

    def students(self) -> dict[str, str]:
        """Ask the source."""
        return self.source.students()

    def write_unread(self, unread: UnreadLines) -> None:
        """Ask the source."""
        self.source.write_unread(unread)


class Kept(_OfOne):
    """A source that remembers its texts, if they are few: a thousand PDF files are not opened twice."""

    def __init__(self, source: Source, limit: int | None = None) -> None:
        """Take a source, and how many bytes of text to keep, by default `KEPT`; if it has more, nothing is kept."""
        self.name = source.name
        self.source = source
        self._limit = KEPT if limit is None else limit
        self._batches: list[Batch] | None = None

    @property
    def is_kept(self) -> bool:
        """Whether all texts are in memory: after a full pass, if they are few enough."""
        return self._batches is not None

    @property
    def schema(self) -> pa.Schema | None:
        """Ask the source."""
        return self.source.schema

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Yield what is kept; else read the source, and keep what it gives."""
        if rows:
            return self.source.batches(rows=True)
        return self._remember() if self._batches is None else iter(self._batches)

    def _remember(self) -> Iterator[Batch]:
        kept: list[Batch] | None = []
        size = 0
        for batch in self.source.batches():
            size += batch.texts.nbytes
            if kept is not None:
                kept.append(batch)
                kept = kept if size <= self._limit else None
            yield batch
        self._batches = kept

    def fetch(self, numbers: Sequence[int]) -> Iterator[tuple[Sequence[int], Texts]]:
        """Yield texts that are kept; else ask the source."""
        return self.source.fetch(numbers) if self._batches is None else chosen_of(self._batches, numbers, self.name)

    def lines(self) -> Iterator[Batch] | None:
        """Ask the source."""
        return self.source.lines()

    def tables(self) -> list[NativePart] | None:
        """Ask the source."""
        return self.source.tables()

    def read_elsewhere(
        self,
        skipped: Sequence[Skipped],
        notes: Sequence[tuple[str, str]],
        counts: Sequence[int] | None = None,
        again: Again | None = None,
    ) -> None:
        """Tell the source."""
        self.source.read_elsewhere(skipped, notes, counts, again)

    def identity(self) -> dict[str, Any]:
        """Ask the source."""
        return self.source.identity()

    def skipped(self) -> list[Skipped]:
        """Ask the source."""
        return self.source.skipped()

    def flags(self) -> dict[str, list[Flag]]:
        """Ask the source."""
        return self.source.flags()

    def size(self) -> Size:
        """Ask the source."""
        return self.source.size()


class Both(Source):
    """Two sources, one after the other, so that new and old documents can be read again together."""

    def __init__(self, new: Source, old: Source, new_count: int | None = None) -> None:
        """Take both, and how many documents the first has, if that is known already."""
        self.name = f"{new.name} and {old.name}"
        self.sources = (new, old)
        self._new_count = new_count

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Read one, then the other; ids may be in both."""
        count = 0
        for batch in self.sources[0].batches(rows=rows):
            count += len(batch)
            yield batch
        self._new_count = count
        yield from self.sources[1].batches(rows=rows)

    def fetch(self, numbers: Sequence[int]) -> Iterator[tuple[Sequence[int], Texts]]:
        """Ask the source that has them."""
        if self._new_count is None:
            yield from chosen_of(self.batches(), numbers, self.name)
            return
        check_numbers(numbers)
        border = self._new_count
        if new := within(numbers, 0, border):
            yield from self.sources[0].fetch(new)
        if old := [number - border for number in numbers[len(new) :]]:
            for found, texts in self.sources[1].fetch(old):
                yield [number + border for number in found], texts

    def identity(self) -> dict[str, Any]:
        """Name both."""
        new, old = self.sources
        return {"new": new.identity(), "old": old.identity()}

    def skipped(self) -> list[Skipped]:
        """List what either skipped."""
        return [skipped for source in self.sources for skipped in source.skipped()]

    def notes(self) -> list[str]:
        """List what either has to say."""
        return [note for source in self.sources for note in source.notes()]

    def flags(self) -> dict[str, list[Flag]]:
        """Return what is odd; a new document goes before an old one of its id."""
        new, old = (source.flags() for source in self.sources)
        return old | new

    @property
    def has_files(self) -> bool:
        """Whether either has."""
        return any(source.has_files for source in self.sources)

    def students(self) -> dict[str, str]:
        """Return what either knows."""
        new, old = (source.students() for source in self.sources)
        return old | new

    def size(self) -> Size:
        """Add up both."""
        sizes = [source.size() for source in self.sources]
        counts = [size.documents for size in sizes if size.documents is not None]
        return Size(sum(counts) if len(counts) == len(sizes) else None, sum(size.bytes for size in sizes))


class LongEnough(_OfOne):
    """A source without the documents that have fewer words than asked for; these are skipped, with the reason."""

    def __init__(self, source: Source, words: int) -> None:
        """Take a source, and how many words a document has at least."""
        self.name = source.name
        self.source = source
        self._words = words
        self._short: list[Skipped] = []
        self._numbers: array[int] | None = None
        """The numbers that the documents have in the source, after a full pass."""

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Read the source; whole rows are not known here."""
        if rows:
            raise NotImplementedError("documents that may be short are read without their rows")
        self._short, numbers, start = [], array("L"), 0
        for batch in self.source.batches():
            places = [place for place, text in enumerate(batch.texts) if self._is_long(text)]
            kept = set(places)
            for place, name in enumerate(batch.ids):
                if place not in kept:
                    self._short.append(self._skipped(str(name), batch.texts[place]))
            numbers.extend(start + place for place in places)
            start += len(batch)
            if places:
                ids = batch.ids if len(places) == len(batch) else Ids.of(batch.ids.take(places))
                yield Batch(ids, chosen_texts(batch.texts, places))
        self._numbers = numbers

    def _is_long(self, text: str) -> bool:
        # The beginning of a long text has words enough.
        return count_words(text[: 16 * self._words]) >= self._words or count_words(text) >= self._words

    def _skipped(self, name: str, text: str) -> Skipped:
        return Skipped(
            name, "too short", f"it has {count(count_words(text), 'word')}; at least {self._words:,} are required"
        )

    def fetch(self, numbers: Sequence[int]) -> Iterator[tuple[Sequence[int], Texts]]:
        """Ask the source, by its own numbers."""
        if self._numbers is None:
            yield from chosen_of(self.batches(), numbers, self.name)
            return
        check_numbers(numbers)
        own = {self._numbers[number]: number for number in numbers}
        for found, texts in self.source.fetch(list(own)):
            yield [own[number] for number in found], texts

    def identity(self) -> dict[str, Any]:
        """Name the source, and how long documents are."""
        return self.source.identity() | {"least words": self._words}

    def skipped(self) -> list[Skipped]:
        """List what the source skipped, and what is too short."""
        return [*self.source.skipped(), *self._short]

    def flags(self) -> dict[str, list[Flag]]:
        """Ask the source; short documents have no flags."""
        short = {skipped.id for skipped in self._short}
        return {name: flags for name, flags in self.source.flags().items() if name not in short}

    def size(self) -> Size:
        """Ask the source: only reading shows how many documents are short."""
        return self.source.size()
