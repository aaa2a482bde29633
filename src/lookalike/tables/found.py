"""What the core found, as it gives it: arrays of numbers, before anybody's ids."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from lookalike.tables.columns import as_bytes, compute, counting, key, numbers, scalar, shares

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from lookalike.tables.columns import Column

__all__ = ["Found", "Metric"]

Metric = Literal["jaccard", "containment", "bag"]


@dataclass(frozen=True)
class Found:
    """The verified pairs of a search; every array is little-endian bytes.

    Documents with the same shingles are searched as one, so pairs are between the first documents of their kind.
    """

    classes: bytes
    """u32 for each document: the number of the first document with the same shingles, itself if there is none."""
    a: bytes
    """u32 for each pair: the lesser of the two numbers; pairs are sorted by a, then b."""
    b: bytes
    """u32 for each pair: the greater number."""
    jaccard: bytes
    """f64 for each pair."""
    containment_a: bytes
    """f64 for each pair: the share of a that is in b."""
    containment_b: bytes
    """f64 for each pair: the share of b that is in a."""
    candidates: int
    """How many pairs were verified."""

    @classmethod
    def of_core(cls, found: Mapping[str, Any]) -> Found:
        """Take the dict that the core returns."""
        names = ("a", "b", "jaccard", "containment_a", "containment_b", "candidates")
        return cls(classes=found["class"], **{name: found[name] for name in names})

    @property
    def documents(self) -> int:
        """How many documents there are."""
        return len(self.classes) // 4

    @cached_property
    def firsts(self) -> Column:
        """For each document, the number of the first of its kind."""
        return numbers(self.classes)

    @cached_property
    def copies(self) -> Column:
        """The numbers of the documents that are copies of an earlier one, in order."""
        import pyarrow as pa

        pc = compute()
        made: Column = pc.indices_nonzero(pc.not_equal(self.firsts, counting(self.documents))).cast(pa.uint32())
        return made

    @cached_property
    def table(self) -> pa.Table:
        """The pairs as columns: a, b, jaccard, containment_a, containment_b."""
        import pyarrow as pa

        scores = {name: shares(getattr(self, name)) for name in ("jaccard", "containment_a", "containment_b")}
        return pa.table({"a": numbers(self.a), "b": numbers(self.b)} | scores)

    def scores(self, metric: Metric) -> Column:
        """Return the score that a threshold is compared with: Jaccard, or the larger of the two containments."""
        if metric != "containment":
            return shares(self.jaccard)
        made: Column = compute().max_element_wise(shares(self.containment_a), shares(self.containment_b))
        return made

    def at_least(self, threshold: float, metric: Metric) -> Found:
        """Return the same without the pairs below a threshold."""
        import pyarrow as pa

        kept = self.table.filter(compute().greater_equal(self.scores(metric), scalar(threshold, pa.float64())))
        arrays: dict[str, Any] = {name: as_bytes(kept[name]) for name in kept.column_names}
        return replace(self, **arrays)

    def score_between(self, x: Column, y: Column, metric: Metric) -> Column:
        """Return the scores of pairs of documents: 1 between copies, null where no pair was found."""
        import pyarrow as pa

        pc = compute()
        x, y = self.firsts.take(x), self.firsts.take(y)
        wanted = key(pc.min_element_wise(x, y), pc.max_element_wise(x, y))
        place = pc.index_in(wanted, value_set=key(numbers(self.a), numbers(self.b)))
        made: Column = pc.if_else(pc.equal(x, y), scalar(1.0, pa.float64()), self.scores(metric).take(place))
        return made
