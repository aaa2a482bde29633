"""Pairs of documents as columns of numbers: as the core gives them, before anybody's ids."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from lookalike import _native

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pyarrow as pa

__all__ = ["COLUMNS", "MEASURES", "Columns", "Found", "Metric", "Pairs", "score_columns"]

Metric = Literal["jaccard", "containment", "bag", "cosine", "euclidean"]
MEASURES: Final = ("cosine", "euclidean")
"""Metrics that score the candidates of a search by Jaccard once more, by the counts of their shingles."""
Columns: TypeAlias = tuple[bytes, bytes, bytes, bytes, bytes]
COLUMNS: Final = ("a", "b", "jaccard", "containment_a", "containment_b")


def score_columns(metric: Metric) -> tuple[str, str, str]:
    """Return the names of the three scores: the first holds what the metric measures.

    >>> score_columns("bag")[0], score_columns("euclidean")[0]
    ('jaccard', 'euclidean_similarity')
    """
    names = {"cosine": "cosine", "euclidean": "euclidean_similarity"}
    return names.get(metric, COLUMNS[2]), *COLUMNS[3:]


@dataclass(frozen=True)
class Pairs:
    """Pairs by the numbers of their documents, with their scores; every array is little-endian bytes."""

    a: bytes
    """u32 for each pair: the lesser of the two numbers."""
    b: bytes
    """u32 for each pair: the greater number."""
    jaccard: bytes
    """f64 for each pair: the Jaccard similarity, or what the metric measures in its place (`score_columns`)."""
    containment_a: bytes
    """f64 for each pair: the share of a that is in b."""
    containment_b: bytes
    """f64 for each pair: the share of b that is in a."""

    def __len__(self) -> int:
        """Return how many they are."""
        return len(self.a) // 4

    @property
    def columns(self) -> Columns:
        """All columns, as the core takes them."""
        return self.a, self.b, self.jaccard, self.containment_a, self.containment_b

    def values(self, name: str) -> memoryview[Any]:
        """Return a column as numbers."""
        return memoryview(getattr(self, name)).cast("I" if name in ("a", "b") else "d")

    def at_least(self, threshold: float, metric: Metric) -> Pairs:
        """Return the pairs at or above a threshold; by containment the larger of the two counts."""
        return Pairs(*_native.at_least(self.columns, threshold, metric == "containment"))

    def closest(self, most: int, metric: Metric) -> Pairs:
        """Return the pairs with the highest scores: equal ones by Jaccard, then as they stand."""
        return Pairs(*_native.closest(self.columns, max(most, 0), metric == "containment"))

    def select(self, kept: Iterable[bool]) -> Pairs:
        """Return the pairs for which `kept` says so."""
        from array import array

        mask = list(kept)
        made = (array("I" if name in ("a", "b") else "d", compress(self.values(name), mask)) for name in COLUMNS)
        return Pairs(*(column.tobytes() for column in made))

    @cached_property
    def table(self) -> pa.Table:
        """The pairs as an Arrow table of numbers."""
        import pyarrow as pa

        from lookalike.tables.columns import numbers, shares

        scores = {name: shares(getattr(self, name)) for name in COLUMNS[2:]}
        return pa.table({"a": numbers(self.a), "b": numbers(self.b)} | scores)


@dataclass(frozen=True)
class Found:
    """The verified pairs of a search; every array is little-endian bytes.

    Documents with the same shingles are searched as one, so pairs are between the first documents of their kind. They
    are sorted by a, then b.
    """

    classes: bytes
    """u32 for each document: the number of the first document with the same shingles, itself if there is none."""
    a: bytes
    b: bytes
    jaccard: bytes
    containment_a: bytes
    containment_b: bytes
    candidates: int
    """How many pairs were verified."""

    @classmethod
    def of_core(cls, found: Mapping[str, Any]) -> Found:
        """Take the dict that the core returns."""
        return cls(classes=found["class"], candidates=found["candidates"], **{name: found[name] for name in COLUMNS})

    @classmethod
    def of_pairs(cls, documents: int, pairs: Pairs, candidates: int) -> Found:
        """Take pairs of documents of which none is a copy."""
        from array import array

        return cls(array("I", range(documents)).tobytes(), *pairs.columns, candidates)

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return len(self.classes) // 4

    @property
    def firsts(self) -> memoryview:
        """For each document, the number of the first of its kind."""
        return memoryview(self.classes).cast("I")

    @cached_property
    def pairs(self) -> Pairs:
        """The pairs alone."""
        return Pairs(self.a, self.b, self.jaccard, self.containment_a, self.containment_b)

    def with_pairs(self, pairs: Pairs) -> Found:
        """Return the same documents with other pairs."""
        made: dict[str, Any] = dict(zip(COLUMNS, pairs.columns, strict=True))
        return replace(self, **made)

    def at_least(self, threshold: float, metric: Metric) -> Found:
        """Return the same without the pairs below a threshold."""
        return self.with_pairs(self.pairs.at_least(threshold, metric))

    def score_between(self, x: bytes, y: bytes, metric: Metric) -> bytes:
        """Return the scores of pairs of documents: 1 between copies, not a number where no pair was found."""
        return _native.score_between(self.classes, self.pairs.columns, x, y, metric == "containment")
