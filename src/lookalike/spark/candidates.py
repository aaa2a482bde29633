"""Exact duplicates, of which only the first is searched, and candidates: pairs that share a key, and agree.

A digest alone does not decide. Documents with the same text, by its SHA-256, are copies without further ado; of the
others, one for each text is compared with the first, shingle by shingle, by the engine.

A bucket is a window over rows, which Spark spills to disk if it has to; nothing is collected. The pairs of a large
bucket are made in tiles, by a hash of the number, so that no task makes them alone. The limits, and the rule for hot
documents, are those of the library (`engine.hot`), so the same documents are hot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F  # noqa: N812 — its usual name
from pyspark.sql.window import Window

from lookalike.engine.bands import largest_bucket, limits_for
from lookalike.engine.stages import agree, confirm_copies
from lookalike.spark.spark_sign import check_texts
from lookalike.spark.work import by_cells, partitions_for
from lookalike.tables.columns import compute

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from lookalike.engine import Strategy
    from lookalike.spark.spark_sign import TextStore
    from lookalike.spark.work import Work

__all__ = ["BucketPairs", "Copies", "find_candidates", "find_copies", "firsts_of"]

HALVES: Final = 1 << 26
"""Up to so many documents, upper halves of keys are compared, as in the library; beyond, too many meet by chance."""
ROWS: Final = 2_000_000_000
"""The most rows of keys that are shuffled in one pass."""
TILE: Final = 1024
"""Documents of a bucket that are paired, or texts with one digest that are compared with the first, in one cell."""
HOT_TOGETHER: Final = 2_000_000_000
"""Characters of hot documents that one task takes."""


# -- exact duplicates --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Copies:
    """The documents that have exact duplicates."""

    documents: DataFrame
    """`number` and `first`; the first of a class is its own first."""
    count: int
    """How many documents there are."""
    largest: int
    """An upper bound of the size of a class."""
    pairs: int
    """An upper bound of the number of pairs of copies."""


def find_copies(rows: DataFrame, texts: TextStore, strategy: Strategy, documents: int, work: Work) -> Copies:
    """Return the documents that have exact duplicates."""
    leads, size = F.col("number") == F.col("first"), F.col("size").cast("decimal(19,0)")
    alike = work.stage(
        "alike",
        lambda: _alike(rows),
        count=F.count(F.lit(1)),
        largest=F.max("size"),
        pairs=F.sum(F.when(leads, size * (size - 1) / 2)),
        compared=F.sum(F.when(_is_compared() & leads, _tiles()).when(_is_compared(), 1)),
    )
    sizes = [work.measured("alike", name) for name in ("count", "largest", "pairs")]
    if compared := work.measured("alike", "compared"):
        partitions = partitions_for(work.spark, documents)
        unlike = work.stage(
            "unlike", lambda: _unlike(alike, compared, texts, strategy, partitions), count=F.count(F.lit(1))
        )
        if work.measured("unlike", "count"):
            return Copies(work.stage("copies", lambda: _without(alike, unlike)), *sizes)
    return Copies(alike.select("number", "first"), *sizes)


def firsts_of(rows: DataFrame, copies: Copies) -> DataFrame:
    """Return the rows of the documents that are not a copy of an earlier one."""
    if not copies.count:
        return rows
    later = copies.documents.where("number <> first").select("number")
    return rows.join(later, "number", "left_anti")


def _alike(rows: DataFrame) -> DataFrame:
    """Return documents with equal digests: the `first` of each class, and its `size`.

    `own` is the first document with the same text, and `texts` the number of different texts in the class.
    """
    same = Window.partitionBy("digest")
    own = F.min("number").over(Window.partitionBy("digest", "text_hash"))
    known = rows.select("number", "digest", "text_hash").withColumns(
        {"first": F.min("number").over(same), "size": F.count(F.lit(1)).over(same), "own": own}
    )
    several = known.where("size > 1").withColumn("texts", F.count_if(F.col("number") == F.col("own")).over(same))
    return several.select("number", "first", "size", "own", "texts")


def _is_compared() -> Column:
    """Say of a row of `_alike` whether it stands for one of several texts with one digest."""
    return (F.col("texts") > 1) & (F.col("number") == F.col("own"))


def _tiles() -> Column:
    return F.ceil(F.col("texts") / TILE)


def _unlike(alike: DataFrame, compared: int, texts: TextStore, strategy: Strategy, partitions: int) -> DataFrame:
    """Return the numbers of the documents whose shingles are not those of the first with the same digest."""
    every = F.sequence(F.lit(0).cast("bigint"), _tiles() - 1)  # the first is needed in all tiles
    one = F.array(F.pmod(F.xxhash64("number"), _tiles()))
    tile = F.explode(F.when(F.col("number") == F.col("first"), every).otherwise(one)).alias("tile")
    cells = texts.of(alike.where(_is_compared()).select("first", tile, "number"), compared)
    return by_cells(cells, ["first", "tile"], partitions, _confirmer(strategy), {"number": "bigint"})


def _without(alike: DataFrame, unlike: DataFrame) -> DataFrame:
    """Set unlike documents apart, together with those that have the same text: these remain copies."""
    apart = unlike.select(F.col("number").alias("own"), F.lit(True).alias("apart"))
    first = F.when(F.col("apart"), F.col("own")).otherwise(F.col("first"))
    return alike.join(apart, "own", "left").select("number", first.alias("first"))


def _confirmer(strategy: Strategy) -> Any:
    def confirm(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        check_texts(table)
        ordered = table.sort_by([(name, "ascending") for name in ("first", "tile", "number")])
        columns: Any = [ordered[name].to_pylist() for name in ("first", "tile", "number")]
        first, tile, number = columns
        place: dict[tuple[int, int], int] = {}
        supposed = [place.setdefault(cell, at) for at, cell in enumerate(zip(first, tile, strict=True))]
        classes = pa.array(supposed, pa.uint32())
        confirmed = confirm_copies(classes, ordered["text"], strategy, threads=1).to_pylist()
        unlike = [number[at] for at, own in enumerate(confirmed) if own != supposed[at]]
        return pa.table({"number": pa.array(unlike, pa.int64())})

    return confirm


# -- candidates --------------------------------------------------------------------------------------------------------


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


def find_candidates(rows: DataFrame, copies: Copies, documents: int, strategy: Strategy, work: Work) -> BucketPairs:
    """Return the candidates; where there are too many, the documents of large buckets are set apart as hot."""
    buckets, proposals = _all_buckets(rows, copies, documents, strategy, work)
    limits = limits_for(documents, strategy.max_pairs)

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


def _all_buckets(
    rows: DataFrame, copies: Copies, documents: int, strategy: Strategy, work: Work
) -> tuple[DataFrame, int]:
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
            lambda a=first, b=last: _buckets(rows, copies, documents, a, b),  # type: ignore[misc]
            proposals=F.sum(F.when(F.col("leads"), _proposals())),
        )
        proposals += work.measured(name, "proposals")
        every = buckets if every is None else every.unionByName(buckets)
    assert every is not None  # noqa: S101 — a search by bands has at least one
    return every, proposals


def _buckets(rows: DataFrame, copies: Copies, documents: int, first: int, last: int) -> DataFrame:
    """Return the buckets of the bands from `first` up to, but not including, `last`; copies are in none."""
    kept = F.slice("keys", first + 1, last - first).alias("keys")  # the keys of other passes need not be shuffled
    firsts = firsts_of(rows.select("number", "old", kept), copies)
    rows = firsts.select("number", "old", F.posexplode("keys").alias("band", "key"))
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
