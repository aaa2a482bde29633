"""Stored documents as a run of checks sees them: in an index that is open here, or behind a server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from lookalike.documents.document_batches import Batch
from lookalike.index.index import Index
from lookalike.index.portions import Portion
from lookalike.index.query import ask, sign
from lookalike.tables.packed import Ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.index.contract import Store
    from lookalike.index.hits import Hits
    from lookalike.index.settings import IndexSettings
    from lookalike.tables.packed import Id, Texts

__all__ = ["Stored", "StoredHere"]


class Stored(Protocol):
    """What documents are checked against."""

    name: str
    """What to call it in a message."""
    settings: IndexSettings
    """As they may be known: a secret seed may read 0."""
    to_replace: str
    """What replaces stored documents, for a message."""

    def ask(self, ids: Sequence[Id], texts: Texts, threshold: float | None, top: int | None) -> list[Hits]:
        """Return the hits of each document, its own id among them if it is stored."""

    def there(self, ids: Sequence[Id]) -> set[Id]:
        """Return the ids under which a document is stored."""

    def first_id(self) -> Id | None:
        """Return the id of the document that was added first; None if there is none."""

    def add(self, ids: Sequence[Id], texts: Texts) -> int:
        """Add documents; they are safe when it returns."""

    def get(self, id: Id) -> str:
        """Return the text of a document; `KeyError` if there is none with this id."""

    def count(self) -> int:
        """Return how many documents are stored."""


class StoredHere:
    """The documents of an index that is open in this process."""

    def __init__(self, store: Store, threads: int = 0) -> None:
        """Take the store of the index, and how many threads to work with."""
        self.name, self.settings = store.name, store.settings
        self.to_replace = "lookalike index add --replace replaces them"
        self._store, self._threads = store, threads

    def ask(self, ids: Sequence[Id], texts: Texts, threshold: float | None, top: int | None) -> list[Hits]:
        """Query the index."""
        signed = sign(texts, self.settings, self._threads)
        return ask(self._store, signed, list(ids), threshold, top, self._threads)

    def there(self, ids: Sequence[Id]) -> set[Id]:
        """Look the ids up."""
        with self._store.reading() as reader:
            return {name for name, number in zip(ids, reader.numbers(ids), strict=True) if number is not None}

    def first_id(self) -> Id | None:
        """Look at the first document."""
        with self._store.reading() as reader:
            return next(iter(reader.ids()), None)

    def add(self, ids: Sequence[Id], texts: Texts) -> int:
        """Add them in one transaction."""
        batch = Batch(Ids.of(ids), texts)  # type: ignore[arg-type]
        return Index(self._store).add(Portion("new documents", [batch]), threads=self._threads)

    def get(self, id: Id) -> str:
        """Read it."""
        return Index(self._store).get(id)

    def count(self) -> int:
        """Count them."""
        return len(Index(self._store))
