"""What a query finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from lookalike.tables.packed import Id

__all__ = ["Hit", "Hits"]


@dataclass(frozen=True, slots=True)
class Hit:
    """A stored document that is like the query.

    >>> Hit("essay-7", 0.75, 0.8, 0.9).jaccard
    0.75
    """

    id: Id
    jaccard: float
    """Exact where the index keeps texts or shingles; else an estimate."""
    containment_query: float | None = None
    """The share of the query that is in the document; None where only signatures are kept."""
    containment_document: float | None = None
    """The share of the document that is in the query."""
    standard_error: float | None = None
    """Of the estimate; None where the score is exact."""

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON says of it."""
        found = {"id": self.id, "jaccard": self.jaccard}
        if self.standard_error is not None:
            return found | {"standard_error": self.standard_error}
        return found | {
            "containment_query": self.containment_query,
            "containment_document": self.containment_document,
        }


class Hits(Sequence[Hit]):
    """The hits of one query, the most similar first.

    >>> hits = Hits([Hit("a", 0.9), Hit("b", 0.8)], query=None)
    >>> len(hits), hits[0].id, hits.ids, hits.truncated
    (2, 'a', ['a', 'b'], False)
    """

    __slots__ = ("_hits", "query", "truncated")

    def __init__(self, hits: Iterable[Hit], *, query: Id | None, truncated: bool = False) -> None:
        """Take hits in their order."""
        self._hits = tuple(hits)
        self.query = query
        """The id of the document that was asked about; None for a text."""
        self.truncated = truncated
        """Whether so many documents share a part of the signature that not all were looked at."""

    @property
    def ids(self) -> list[Id]:
        """The ids of the hits."""
        return [hit.id for hit in self._hits]

    def __len__(self) -> int:
        """Return how many they are."""
        return len(self._hits)

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hit]: ...
    def __getitem__(self, place: int | slice) -> Hit | Sequence[Hit]:
        """Return a hit, or some."""
        return self._hits[place]

    def __eq__(self, other: object) -> bool:
        """Tell whether the hits are the same."""
        if isinstance(other, Hits):
            return (self._hits, self.query, self.truncated) == (other._hits, other.query, other.truncated)
        return list(self._hits) == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show the hits."""
        return f"Hits({list(self._hits)!r}{', truncated' if self.truncated else ''})"
