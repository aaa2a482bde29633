"""The documents behind a server, as a run of checks sees them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lookalike.client.client import Client
    from lookalike.index.query import Hits
    from lookalike.tables.packed import Id, Texts

__all__ = ["StoredThere"]


class StoredThere:
    """The documents of the index behind a server."""

    def __init__(self, client: Client) -> None:
        """Ask the server what its index is."""
        self.name, self.settings = client.url, client.settings
        self.to_replace = "la.Client.replace replaces them"
        self._client = client

    def ask(self, ids: Sequence[Id], texts: Texts, threshold: float | None, top: int | None) -> list[Hits]:
        """Query the server."""
        return list(self._client.answers(zip(ids, texts, strict=True), threshold, top))

    def there(self, ids: Sequence[Id]) -> set[Id]:
        """Ask for each."""
        return {name for name in ids if name in self._client}

    def first_id(self) -> Id | None:
        """Ask for the first."""
        return next(self._client.ids(), None)

    def add(self, ids: Sequence[Id], texts: Texts) -> int:
        """Send them."""
        return self._client.add(dict(zip(ids, texts, strict=True)))

    def get(self, id: Id) -> str:
        """Ask for its text."""
        return self._client.get(id)

    def count(self) -> int:
        """Ask how many there are."""
        return len(self._client)
