"""Exact duplicates: documents with equal digests, of which only the first takes part in the search.

A digest alone does not decide. Documents with the same text, by its SHA-256, are copies without further ado; of the
others, one for each text is compared with the first, shingle by shingle, by the engine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F  # noqa: N812 — its usual name
from pyspark.sql.window import Window

from lookalike.engine.stages import confirm_copies
from lookalike.spark.sign import check_texts
from lookalike.spark.work import by_cells, partitions_for

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.spark.sign import TextStore
    from lookalike.spark.work import Work

__all__ = ["Copies", "find_copies", "firsts_of"]

TILE: Final = 1024
"""Different texts with one digest that are compared with the first in one cell."""


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
