"""The documents of an index as a source, so that everything that reads documents can read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lookalike.documents.document_source import Batch, Size, Skipped, Source
from lookalike.errors import StoreError
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lookalike.index.contract import Store

__all__ = ["IndexSource"]

_BATCH: Final = 8 << 20


class IndexSource(Source):
    """The texts that an index keeps, in the order in which they were added."""

    def __init__(self, store: Store) -> None:
        """Take the store of an index that keeps texts."""
        if store.settings.keep != "text":
            raise StoreError(store.name, "keeps no texts", "create an index with keep='text'")
        self.name = store.name
        self._store = store

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        """Read all documents; they are those of one moment."""
        del rows
        ids: list[str | int] = []
        texts: list[bytes] = []
        size = 0
        with self._store.reading() as reader:
            for block in reader.rows():
                for _, row in block:
                    ids.append(row.id)
                    texts.append(row.body)
                    size += len(row.body)
                    if size >= _BATCH:
                        yield Batch(Ids.of(ids), Texts.of(texts))  # type: ignore[arg-type]
                        ids, texts, size = [], [], 0
        if ids:
            yield Batch(Ids.of(ids), Texts.of(texts))  # type: ignore[arg-type]

    def skipped(self) -> list[Skipped]:
        """Nothing is skipped."""
        return []

    def notes(self) -> list[str]:
        """Nothing is decided."""
        return []

    def size(self) -> Size:
        """Count the documents; of their texts only reading would tell."""
        with self._store.reading() as reader:
            return Size(reader.count(), 0)
