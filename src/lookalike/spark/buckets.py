"""Buckets: the documents that share the key of a band, how many pairs they propose, and those pairs.

Nothing is collected: a bucket is a window over rows, which Spark keeps on disk if it has to. The pairs of a large
bucket are made in tiles of about a thousand documents, by a hash of the number, so that no task makes them alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it
from pyspark.sql.window import Window

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.spark.work import Work

__all__ = ["all_buckets", "hot_documents", "pairs_of_buckets", "proposals_by_size"]

HALVES: Final = 1 << 26
"""Up to so many documents the upper halves of keys are compared, as in the library; beyond, too many meet by chance."""
ROWS: Final = 2_000_000_000
"""Rows of keys that are shuffled in one pass, at the most."""
TILE: Final = 1024


def all_buckets(firsts: DataFrame, documents: int, strategy: Strategy, work: Work) -> tuple[DataFrame, int]:
    """Return the rows of all buckets of two and more: `band`, `key`, `number`, `old`, and `size`, `new` of the bucket.

    With them, how many pairs they propose, repeats included.

    A pass takes as many bands as make `ROWS` rows, so that the disks of the executors need not hold all at once.
    """
    bands = strategy.bands.bands if strategy.bands else 0
    at_once = max(1, min(bands, ROWS // max(1, documents)))
    found: DataFrame | None = None
    proposals = 0
    for first in range(0, bands, at_once):
        last = min(first + at_once, bands)
        shared = work.stage(
            f"buckets-{first}",
            lambda a=first, b=last: _buckets(firsts, documents, a, b),  # type: ignore[misc]
            proposals=F.sum(F.when(F.col("leads"), _proposals())),
        )
        proposals += work.measured(f"buckets-{first}", "proposals")
        found = shared if found is None else found.unionByName(shared)
    assert found is not None  # noqa: S101 — a search by bands has at least one
    return found, proposals


def _buckets(firsts: DataFrame, documents: int, first: int, last: int) -> DataFrame:
    """Return the buckets of the bands from `first` up to `last`."""
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


def proposals_by_size(buckets: DataFrame) -> dict[int, int]:
    """Return how many pairs the buckets of 2ⁱ to 2ⁱ⁺¹ − 1 documents propose, by i."""
    power = F.length(F.bin("size")) - 1
    sizes = buckets.where("leads").groupBy(power.alias("power")).agg(F.sum(_proposals()).alias("pairs"))
    return {row["power"]: int(row["pairs"]) for row in sizes.collect()}


def hot_documents(buckets: DataFrame, largest: int) -> DataFrame:
    """Return the numbers of the documents in larger buckets that propose a pair."""
    return buckets.where((F.col("size") > largest) & (F.col("new") > 0)).select("number").distinct()


def pairs_of_buckets(buckets: DataFrame) -> DataFrame:
    """Return the pairs `a`, `b` that buckets propose, each once; none of two old documents, nor of two `hot` ones."""
    tiles = F.ceil(F.col("size") / TILE)
    tiled = buckets.withColumn("own", F.pmod(F.xxhash64("number"), tiles))
    tiled = tiled.withColumn("other", F.explode(F.sequence(F.lit(0).cast("bigint"), tiles - 1)))
    cell = {"low": F.least("own", "other"), "high": F.greatest("own", "other")}
    tiled = tiled.withColumns(cell).select("band", "key", "low", "high", "own", "number", "old", "hot")
    left = tiled.select("band", "key", "low", "high", *_as("a", "own", "number", "old", "hot"))
    right = tiled.select("band", "key", "low", "high", *_as("b", "own", "number", "old", "hot"))
    in_place = (F.col("low") == F.col("high")) | (F.col("a_own") != F.col("b_own"))
    wanted = (F.col("a_number") < F.col("b_number")) & ~F.col("a_old") & ~(F.col("a_hot") & F.col("b_hot"))
    met = left.join(right, ["band", "key", "low", "high"]).where(wanted & in_place)
    return met.select(F.col("a_number").alias("a"), F.col("b_number").alias("b")).distinct()


def _as(side: str, *names: str) -> list[Column]:
    return [F.col(name).alias(f"{side}_{name}") for name in names]
