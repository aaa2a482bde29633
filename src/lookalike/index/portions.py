"""Batches of documents that are read once, on their way into an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lookalike.documents.document_source import Batch, Size, Skipped, Source
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lookalike.index.contract import Store

__all__ = ["PORTION", "OnlyNew", "Portion", "portions"]

PORTION: Final = 50_000
"""Documents that are committed at once, about."""


class Portion(Source):
    """Some batches, as they come."""

    def __init__(self, name: str, batches: Iterable[Batch]) -> None:
        """Take batches, which may be read while they are asked for."""
        self.name = name
        self._batches = batches

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Give them; once, if they come from an iterator."""
        del rows
        yield from self._batches

    def skipped(self) -> list[Skipped]:
        """Know nothing of it: the source does."""
        return []

    def notes(self) -> list[str]:
        """Know nothing of it."""
        return []

    def size(self) -> Size:
        """Know nothing before it is read."""
        return Size(None, 0)


def portions(source: Source, size: int = PORTION) -> Iterator[Portion]:
    """Give a source in portions; each has to be read to its end before the next is asked for."""
    batches = source.batches()

    def some(first: Batch) -> Iterator[Batch]:
        count = len(first)
        yield first
        while count < size and (batch := next(batches, None)) is not None:
            count += len(batch)
            yield batch

    while (first := next(batches, None)) is not None:
        yield Portion(source.name, some(first))


class OnlyNew(Source):
    """The documents of a source whose ids a store has not; what else there is to say, the source says."""

    def __init__(self, source: Source, store: Store) -> None:
        """Take both."""
        self.name = source.name
        self._source, self._store = source, store
        self.left_out = 0
        """Documents whose ids were there already, after `batches`."""

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Read the source."""
        del rows
        self.left_out = 0
        for batch in self._source.batches():
            ids = list(batch.ids)
            with self._store.reading() as reader:
                new = [place for place, number in enumerate(reader.numbers(ids)) if number is None]
            self.left_out += len(ids) - len(new)
            if new:
                texts = Texts.of(batch.texts.take(new))
                yield Batch(Ids.of([ids[place] for place in new]), texts)  # type: ignore[arg-type]

    def skipped(self) -> list[Skipped]:
        """Ask the source."""
        return self._source.skipped()

    def notes(self) -> list[str]:
        """Ask the source."""
        return self._source.notes()

    def size(self) -> Size:
        """Ask the source; some may be left out."""
        return self._source.size()
