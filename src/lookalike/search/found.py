"""What the core found, as it gives it: arrays of numbers, before anybody's ids."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

__all__ = ["Found", "Metric", "counting", "numbers", "shares"]

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

    @property
    def pairs(self) -> int:
        """How many pairs there are between documents that are no copies."""
        return len(self.a) // 4

    def table(self) -> pa.Table:
        """Return the pairs as columns: a, b, jaccard, containment_a, containment_b."""
        import pyarrow as pa

        scores = {name: shares(getattr(self, name)) for name in ("jaccard", "containment_a", "containment_b")}
        return pa.table({"a": numbers(self.a), "b": numbers(self.b)} | scores)

    def scores(self, metric: Metric) -> pa.Array:
        """Return the score that a threshold is compared with: Jaccard, or the larger of the two containments."""
        if metric != "containment":
            return shares(self.jaccard)
        import pyarrow.compute as pc

        return pc.max_element_wise(shares(self.containment_a), shares(self.containment_b))

    def at_least(self, threshold: float, metric: Metric) -> Found:
        """Return the same without the pairs below a threshold."""
        import pyarrow.compute as pc

        kept = self.table().filter(pc.greater_equal(self.scores(metric), threshold)).combine_chunks()
        return replace(self, **{name: _bytes(kept.column(name)) for name in kept.column_names})


def numbers(data: bytes) -> pa.Array:
    """Return bytes of the core as a column of whole numbers.

    >>> numbers(bytes([7, 0, 0, 0, 0, 1, 0, 0])).to_pylist()
    [7, 256]
    """
    import pyarrow as pa

    return pa.Array.from_buffers(pa.uint32(), len(data) // 4, [None, pa.py_buffer(data)])


def shares(data: bytes) -> pa.Array:
    """Return bytes of the core as a column of floats."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.float64(), len(data) // 8, [None, pa.py_buffer(data)])


def counting(count: int) -> pa.Array:
    """Return the numbers 0, 1, 2 … as a column.

    >>> counting(3).to_pylist()
    [0, 1, 2]
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    ones = pa.repeat(pa.scalar(1, pa.uint32()), count)
    return pc.subtract(pc.cumulative_sum(ones), pa.scalar(1, pa.uint32()))


def _bytes(column: pa.ChunkedArray) -> bytes:
    """Return a column without nulls as the bytes of its numbers."""
    width = column.type.bit_width // 8
    return b"".join(
        chunk.buffers()[1].to_pybytes()[chunk.offset * width : (chunk.offset + len(chunk)) * width]
        for chunk in column.chunks
    )
