"""Candidates: the pairs that buckets propose and whose signatures agree, within the limits of the engine.

The limits and the rule for hot documents are those of the library (`engine.hot`), so the same documents are hot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it

from lookalike.engine.hot import largest_bucket, limits_for
from lookalike.engine.stages import agree
from lookalike.spark.buckets import all_buckets, hot_documents, pairs_of_buckets, proposals_by_size
from lookalike.tables.columns import compute

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.spark.work import Work

__all__ = ["Candidates", "find_candidates"]


class Candidates(NamedTuple):
    """What the bands propose."""

    pairs: DataFrame
    """`a` and `b`: pairs to be verified; none of two hot documents."""
    hot: DataFrame | None
    """`number` of the hot documents; None if there are none."""
    buckets: DataFrame
    """All buckets, as `all_buckets` gives them."""
    largest: int
    """The size of the largest bucket that was paired, if there are hot documents."""
    count: int
    """How many pairs there are."""
    hot_count: int
    """How many hot documents there are."""


def find_candidates(rows: DataFrame, firsts: DataFrame, documents: int, strategy: Strategy, work: Work) -> Candidates:
    """Return the candidates; where they are too many, the documents of large buckets are set apart as hot."""
    buckets, proposals = all_buckets(firsts, documents, strategy, work)
    limits = limits_for(documents)
    every = {"count": F.count(F.lit(1))}
    if proposals <= limits.proposals:
        proposed = buckets.withColumn("hot", F.lit(False))
        pairs = work.stage("candidates", lambda: _agreeing(pairs_of_buckets(proposed), rows, strategy), **every)
        if (count := work.measured("candidates", "count")) <= limits.pairs:
            return Candidates(pairs, None, buckets, 0, count, 0)
    largest = largest_bucket(proposals_by_size(buckets), limits.proposals)
    while True:
        hot = work.stage(f"hot-{largest}", lambda most=largest: hot_documents(buckets, most), **every)  # type: ignore[misc]
        marked = hot.withColumn("hot", F.lit(True))
        proposed = buckets.where(F.col("size") <= largest).join(marked, "number", "left")
        proposed = proposed.withColumn("hot", F.coalesce("hot", F.lit(False)))
        pairs = work.stage(
            f"candidates-{largest}",
            lambda those=proposed: _agreeing(pairs_of_buckets(those), rows, strategy),  # type: ignore[misc]
            **every,
        )
        if (count := work.measured(f"candidates-{largest}", "count")) <= limits.pairs:
            return Candidates(pairs, hot, buckets, largest, count, work.measured(f"hot-{largest}", "count"))
        largest //= 2


def _agreeing(pairs: DataFrame, rows: DataFrame, strategy: Strategy) -> DataFrame:
    """Return the pairs whose signatures agree in enough slots."""
    slots = rows.select("number", "slots")
    a = slots.select(F.col("number").alias("a"), F.col("slots").alias("slots_a"))
    b = slots.select(F.col("number").alias("b"), F.col("slots").alias("slots_b"))

    def filtered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield _filter(batch, strategy)

    return (
        pairs.join(a, "a")
        .join(b, "b")
        .select("a", "b", "slots_a", "slots_b")
        .mapInArrow(filtered, "a bigint, b bigint")
    )


def _filter(batch: pa.RecordBatch, strategy: Strategy) -> pa.RecordBatch:
    import pyarrow as pa

    kind = pa.binary(strategy.recipe.hashes)
    sides = [pa.record_batch({"slots": batch.column(name).cast(kind)}) for name in ("slots_a", "slots_b")]
    enough = compute().greater_equal(agree(sides[0], sides[1], strategy), pa.scalar(strategy.least, pa.uint32()))
    return batch.select(["a", "b"]).filter(enough)
