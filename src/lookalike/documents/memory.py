"""Documents that a program holds: a list, a dict, an iterator of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.chosen import check_numbers
from lookalike.documents.gather import gather
from lookalike.documents.identity import Identity
from lookalike.documents.source import Batch, Size, Skipped, Source
from lookalike.documents.table_errors import changed
from lookalike.tables.packed import Ids, Texts, encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["MemorySource"]

_BATCH_CHARACTERS: Final = 8 << 20
_BATCH_DOCUMENTS: Final = 1 << 16
_SAMPLED_IDS: Final = 64


def _ids(given: Sequence[str] | Sequence[int]) -> Ids:
    if isinstance(given, range):
        return Ids(given)
    if len(given) and isinstance(given[0], str):  # all of them are; a lone surrogate is replaced, as in every text
        return Ids([name if name.isascii() else encoded(name).decode() for name in map(str, given)])
    return Ids.of(given)


class MemorySource(Source):
    """Texts in a list or a dict."""

    def __init__(self, documents: Iterable[str] | Mapping[str, str] | Mapping[int, str]) -> None:
        """Take texts; anything that is not one is an error that names it."""
        self.name = "the documents"
        collection = gather(documents)
        self.texts = collection.texts
        """The texts as they were given."""
        self.ids = _ids(collection.ids)
        """The keys of a dict, or the positions in a list."""

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Give the texts, encoded anew each time: they are not held twice."""
        del rows
        start = size = 0
        for number, text in enumerate(self.texts, 1):
            size += len(text)
            if size >= _BATCH_CHARACTERS or number - start == _BATCH_DOCUMENTS:
                yield self._batch(start, number)
                start, size = number, 0
        if start < len(self.texts):
            yield self._batch(start, len(self.texts))

    def _batch(self, start: int, end: int) -> Batch:
        return Batch(self.ids[start:end], Texts.of(self.texts[start:end]))

    def fetch(self, numbers: Sequence[int]) -> Iterator[tuple[Sequence[int], Texts]]:
        """Give some of the texts."""
        check_numbers(numbers)
        if len(numbers) and numbers[-1] >= len(self.texts):
            raise changed(self.name)
        start = size = 0
        for place, number in enumerate(numbers, 1):
            size += len(self.texts[number])
            if size >= _BATCH_CHARACTERS or place == len(numbers):
                found = numbers[start:place]
                yield found, Texts.of(self.texts[number] for number in found)
                start, size = place, 0

    def identity(self) -> dict[str, Any]:
        """Look at some of the ids and texts."""
        identity = Identity(self.name)
        identity.add(*self.ids[:_SAMPLED_IDS])
        identity.add_texts(self.texts, self.size().bytes)
        return identity.found()

    def skipped(self) -> list[Skipped]:
        """Nothing is skipped."""
        return []

    def notes(self) -> list[str]:
        """Nothing is decided."""
        return []

    def size(self) -> Size:
        """Count the texts and their characters."""
        return Size(len(self.texts), sum(map(len, self.texts)))
