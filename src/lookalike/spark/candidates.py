"""Candidates: pairs that share the key of a band, and whose signatures agree, within the limits of the engine.

A bucket is a window over rows, which Spark spills to disk if it has to; nothing is collected. The pairs of a large
bucket are made in tiles of about a thousand documents, by a hash of the number, so that no task makes them alone. The
limits, and the rule for hot documents, are those of the library (`engine.hot`), so the same documents are hot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F  # noqa: N812 — its usual name
from pyspark.sql.window import Window

from lookalike.engine.candidates import largest_bucket, limits_for
from lookalike.engine.stages import agree
from lookalike.tables.number_columns import compute

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.spark.work import Work

__all__ = ["BucketPairs", "find_candidates"]

HALVES: Final = 1 << 26
"""Up to so many documents, upper halves of keys are compared, as in the library; beyond, too many meet by chance."""
ROWS: Final = 2_000_000_000
"""The most rows of keys that are shuffled in one pass."""
TILE: Final = 1024
HOT_TOGETHER: Final = 2_000_000_000
"""Characters of hot documents that one task takes."""


@dataclass(frozen=True, slots=True)
class BucketPairs:
    """The pairs that are to be verified, and the documents that have too many."""

    pairs: DataFrame
    """`a` and `b`; no pair of two hot documents."""
    count: int
    """How many pairs there are."""
    buckets: DataFrame
    """All buckets, as `_all_buckets` returns them."""
    hot: DataFrame | None = None
    """The `number` of each hot document; None if there are none."""
    hot_count: int = 0
    """How many hot documents there are."""
    largest: int = 0
    """If there are hot documents, the size of the largest bucket whose pairs were made."""

    def edges(self, rows: DataFrame) -> tuple[DataFrame, int]:
        """Return the pairs that connect components, and at most how many there are.

        The library joins all hot documents exactly, wherever they met. So do we, in one task, as long as their texts
        have at most `HOT_TOGETHER` characters. Beyond, only hot documents that large buckets connect are joined.
        """
        if self.hot is None:
            return self.pairs, self.count
        size = rows.join(self.hot, "number").agg(F.sum("length"), F.min("number")).first()
        assert size is not None  # noqa: S101 — an aggregate has one row
        if int(size[0] or 0) <= HOT_TOGETHER:
            added = self.hot.select(F.lit(size[1]).cast("bigint").alias("a"), F.col("number").alias("b"))
            most = self.hot_count
        else:
            large = self.buckets.where((F.col("size") > self.largest) & (F.col("new") > 0))
            least = F.min("number").over(Window.partitionBy("band", "key"))
            added = large.select(least.alias("a"), F.col("number").alias("b"))
            most = large.count()
        return self.pairs.unionByName(added.where("a <> b").distinct()), self.count + most


def find_candidates(rows: DataFrame, firsts: DataFrame, documents: int, strategy: Strategy, work: Work) -> BucketPairs:
    """Return the candidates; where there are too many, the documents of large buckets are set apart as hot."""
    buckets, proposals = _all_buckets(firsts, documents, strategy, work)
    limits = limits_for(documents)

    def agreeing(name: str, proposed: DataFrame) -> tuple[DataFrame, int]:
        pairs = work.stage(name, lambda: _agreeing(_pairs_of(proposed), rows, strategy), count=F.count(F.lit(1)))
        return pairs, work.measured(name, "count")

    if proposals <= limits.proposals:
        pairs, count = agreeing("candidates", buckets.withColumn("hot", F.lit(False)))
        if count <= limits.pairs:
            return BucketPairs(pairs, count, buckets)
    largest = largest_bucket(_proposals_by_size(buckets), limits.proposals)
    while True:
        hot = _hot_documents(buckets, largest, work)
        pairs, count = agreeing(f"candidates-{largest}", _without_hot_pairs(buckets, largest, hot))
        if count <= limits.pairs:
            return BucketPairs(pairs, count, buckets, hot, work.measured(f"hot-{largest}", "count"), largest)
        largest //= 2


# -- buckets -----------------------------------------------------------------------------------------------------------


def _all_buckets(firsts: DataFrame, documents: int, strategy: Strategy, work: Work) -> tuple[DataFrame, int]:
    """Return the rows of all buckets of two or more documents, and how many pairs they propose, repeats included.

    A row has `band`, `key`, `number`, `old`, the `size` of the bucket, how many of its documents are `new`, and whether
    the document is the first (`leads`). A pass takes as many bands as make `ROWS` rows, so that the disks of the
    executors need not hold all bands at once.
    """
    bands = strategy.bands.bands if strategy.bands else 0
    at_once = max(1, min(bands, ROWS // max(1, documents)))
    every: DataFrame | None = None
    proposals = 0
    for first in range(0, bands, at_once):
        last, name = min(first + at_once, bands), f"buckets-{first}"
        buckets = work.stage(
            name,
            lambda a=first, b=last: _buckets(firsts, documents, a, b),  # type: ignore[misc]
            proposals=F.sum(F.when(F.col("leads"), _proposals())),
        )
        proposals += work.measured(name, "proposals")
        every = buckets if every is None else every.unionByName(buckets)
    assert every is not None  # noqa: S101 — a search by bands has at least one
    return every, proposals


def _buckets(firsts: DataFrame, documents: int, first: int, last: int) -> DataFrame:
    """Return the buckets of the bands from `first` up to, but not including, `last`."""
    kept = F.slice("keys", first + 1, last - first)
    rows = firsts.select("number", "old", F.posexplode(kept).alias("band", "key"))
    key = F.shiftrightunsigned("key", 32) if documents <= HALVES else F.col("key")
    rows = rows.select((F.col("band") + first).alias("band"), key.alias("key"), "number", "old")
    bucket = Window.partitionBy("band", "key")
    counted = rows.withColumns(
        {
            "size": F.count(F.lit(1)).over(bucket),
            "new": F.count_if(~F.col("old")).over(bucket),
            "leads": F.col("number") == F.min("number").over(bucket),
        }
    )
    return counted.where("size > 1")


def _proposals() -> Column:
    """Return how many pairs a bucket proposes: those with at least one new document."""
    new = F.col("new").cast("decimal(19,0)")
    return new * (new - 1) / 2 + new * (F.col("size") - F.col("new"))


def _proposals_by_size(buckets: DataFrame) -> dict[int, int]:
    """Return how many pairs the buckets of 2ⁱ to 2ⁱ⁺¹ − 1 documents propose, by i."""
    power = F.length(F.bin("size")) - 1
    sizes = buckets.where("leads").groupBy(power.alias("power")).agg(F.sum(_proposals()).alias("pairs"))
    return {row["power"]: int(row["pairs"]) for row in sizes.collect()}


# -- hot documents -----------------------------------------------------------------------------------------------------


def _hot_documents(buckets: DataFrame, largest: int, work: Work) -> DataFrame:
    """Return the numbers of the documents in larger buckets that propose a pair."""
    in_large = buckets.where((F.col("size") > largest) & (F.col("new") > 0))
    return work.stage(f"hot-{largest}", lambda: in_large.select("number").distinct(), count=F.count(F.lit(1)))


def _without_hot_pairs(buckets: DataFrame, largest: int, hot: DataFrame) -> DataFrame:
    """Return the buckets that are paired, and say of each document whether it is `hot`."""
    marked = hot.withColumn("hot", F.lit(True))
    paired = buckets.where(F.col("size") <= largest).join(marked, "number", "left")
    return paired.withColumn("hot", F.coalesce("hot", F.lit(False)))


# -- pairs -------------------------------------------------------------------------------------------------------------


def _pairs_of(buckets: DataFrame) -> DataFrame:
    """Return the pairs `a`, `b` that buckets propose, each once; none of two old or of two `hot` documents."""
    tiles = F.ceil(F.col("size") / TILE)
    tiled = buckets.withColumn("own", F.pmod(F.xxhash64("number"), tiles))
    tiled = tiled.withColumn("other", F.explode(F.sequence(F.lit(0).cast("bigint"), tiles - 1)))
    cell = {"low": F.least("own", "other"), "high": F.greatest("own", "other")}
    tiled = tiled.withColumns(cell).select("band", "key", "low", "high", "own", "number", "old", "hot")
    left = tiled.select("band", "key", "low", "high", *_prefixed("a", "own", "number", "old", "hot"))
    right = tiled.select("band", "key", "low", "high", *_prefixed("b", "own", "number", "old", "hot"))
    in_place = (F.col("low") == F.col("high")) | (F.col("a_own") != F.col("b_own"))
    wanted = (F.col("a_number") < F.col("b_number")) & ~F.col("a_old") & ~(F.col("a_hot") & F.col("b_hot"))
    met = left.join(right, ["band", "key", "low", "high"]).where(wanted & in_place)
    return met.select(F.col("a_number").alias("a"), F.col("b_number").alias("b")).distinct()


def _prefixed(side: str, *names: str) -> list[Column]:
    return [F.col(name).alias(f"{side}_{name}") for name in names]


def _agreeing(pairs: DataFrame, rows: DataFrame, strategy: Strategy) -> DataFrame:
    """Return the pairs whose signatures agree in enough slots."""
    slots = rows.select("number", "slots")
    a = slots.select(F.col("number").alias("a"), F.col("slots").alias("slots_a"))
    b = slots.select(F.col("number").alias("b"), F.col("slots").alias("slots_b"))

    def filtered(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield _filtered(batch, strategy)

    return (
        pairs.join(a, "a")
        .join(b, "b")
        .select("a", "b", "slots_a", "slots_b")
        .mapInArrow(filtered, "a bigint, b bigint")
    )


def _filtered(batch: pa.RecordBatch, strategy: Strategy) -> pa.RecordBatch:
    import pyarrow as pa

    kind = pa.binary(strategy.recipe.hashes)
    sides = [pa.record_batch({"slots": batch.column(name).cast(kind)}) for name in ("slots_a", "slots_b")]
    enough = compute().greater_equal(agree(sides[0], sides[1], strategy), pa.scalar(strategy.least, pa.uint32()))
    return batch.select(["a", "b"]).filter(enough)
