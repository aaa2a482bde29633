"""Sources made of other sources: texts kept in memory, two sources in a row, one without its short documents.

In an export of a learning platform, a few words that every student types in, such as a declaration, are alike in all
submissions, and would hide what is alike in the essays.
"""

from __future__ import annotations

from array import array
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.document_batches import Batch, Skipped, unread
from lookalike.documents.document_source import Size, Source, check_numbers, chosen_of, chosen_texts, within
from lookalike.tables.packed import Ids, Texts
from lookalike.tables.spelling import count
from lookalike.text.excluded import count_words

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents.document_batches import Flag
    from lookalike.documents.document_source import Again
    from lookalike.documents.lms import Export
    from lookalike.documents.table_columns import NativePart
    from lookalike.documents.text_tables import UnreadLines

__all__ = ["KEPT", "Both", "Kept", "LongEnough", "WithoutShortOnlineTexts"]

SHORT_ONLINE_TEXT: Final = 40
"""Words: an online text with fewer is a declaration or a remark, if the submission has a longer document too."""
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


def has_words(text: str, least: int) -> bool:
    """Return whether a text has so many words; the beginning of a long one has words enough."""
    return count_words(text[: 16 * least]) >= least or count_words(text) >= least


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
        return has_words(text, self._words)

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


class WithoutShortOnlineTexts(_OfOne):
    """Files without the short online texts of an export, where the same submission has a longer document.

    A file that could not be read may be one: a declaration alone would be the copy of any other.

    Whether it has one is known at the end only, and so is who submitted what: a short online text that stays comes
    after all other documents.
    """

    def __init__(self, source: Source) -> None:
        """Take a source of files."""
        self.name = source.name
        self.source = source
        self._short: list[Skipped] = []
        self._numbers: list[array[int]] | None = None
        """The numbers that the documents have in the source, after a full pass: of most, and of those at the end."""

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Read the source; hold back the short online texts until all is read."""
        if rows:
            yield from self.source.batches(rows=True)
            return
        from lookalike.documents.lms import ONLINE_TEXT, recognise, submitted  # tables need neither

        ids: list[Ids] = []
        lengths, numbers, last = array("L"), array("L"), array("L")
        long: set[int] = set()
        held: dict[int, tuple[str, str]] = {}
        for batch in self.source.batches():
            start = len(lengths)
            ids.append(batch.ids)
            lengths.frombytes(bytes(lengths.itemsize * len(batch)))
            for place, name in enumerate(map(str, batch.ids)):
                if (file := submitted(name)) is None:
                    continue
                text = batch.texts[place]
                lengths[start + place] = len(text)
                if has_words(text, SHORT_ONLINE_TEXT):
                    long.add(start + place)
                elif file.file == ONLINE_TEXT:
                    held[start + place] = (name, text)
            places = [place for place in range(len(batch)) if start + place not in held]
            numbers.extend(start + place for place in places)
            if len(places) == len(batch):
                yield batch
            elif places:
                yield Batch(Ids.of(batch.ids.take(places)), chosen_texts(batch.texts, places))
        if held:
            absent = [one.id for one in unread(self.source.skipped())]
            long.update(range(len(lengths), len(lengths) + len(absent)))
            lengths.frombytes(bytes(lengths.itemsize * len(absent)))
            export = recognise(chain(chain.from_iterable(ids), absent), lengths, self.source.students())
        else:
            export = None
        self._short = [] if export is None else list(_declarations(export, held, long))
        skipped = {one.id for one in self._short}
        last.extend(number for number, (name, _) in held.items() if name not in skipped)
        if last:
            yield Batch(Ids.of([held[number][0] for number in last]), Texts.of(held[number][1] for number in last))
        self._numbers = [numbers, last]

    def fetch(self, numbers: Sequence[int]) -> Iterator[tuple[Sequence[int], Texts]]:
        """Ask the source, by its own numbers."""
        if self._numbers is None:
            yield from chosen_of(self.batches(), numbers, self.name)
            return
        check_numbers(numbers)
        start = 0
        for part in self._numbers:  # in each part the source has them in the same order
            own = {part[number]: start + number for number in within(numbers, start, start + len(part))}
            for found, texts in self.source.fetch(list(own)) if own else ():
                yield [own[number] for number in found], texts
            start += len(part)

    def lines(self) -> Iterator[Batch] | None:
        """Ask the source."""
        return self.source.lines()

    def tables(self) -> list[NativePart] | None:
        """Ask the source: what native readers take are tables, which have no online texts."""
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

    def notes(self) -> list[str]:
        """Tell what the source does, and how many texts are not compared."""
        own = []
        if self._short:
            texts = f"{count(len(self._short), 'online text')} of fewer than {SHORT_ONLINE_TEXT} words"
            own = [f"{texts} skipped, beside another document of the submission (--min-length 0: compared too)"]
        return [*self.source.notes(), *own]

    def identity(self) -> dict[str, Any]:
        """Name the source, and that it is not all of it."""
        return self.source.identity() | {"short online texts": False}

    def skipped(self) -> list[Skipped]:
        """List what the source skipped, and the short online texts."""
        return [*self.source.skipped(), *self._short]

    def flags(self) -> dict[str, list[Flag]]:
        """Ask the source; what is skipped has no flags."""
        short = {skipped.id for skipped in self._short}
        return {name: flags for name, flags in self.source.flags().items() if name not in short}

    def size(self) -> Size:
        """Ask the source: only reading shows what is skipped."""
        return self.source.size()


def _declarations(export: Export, held: Mapping[int, tuple[str, str]], long: Container[int]) -> Iterator[Skipped]:
    """Yield the short texts whose authors have handed in a longer document, or one that was not read."""
    authors = {known.author for number, known in export.metadata.items() if number in long}
    for number, (name, text) in held.items():
        known = export.metadata.get(number)
        if known is not None and known.author in authors:
            has = f"it has {count(count_words(text), 'word')}, and the submission has another document"
            yield Skipped(name, "short online text", f"{has}; --min-length 0 compares it too")
