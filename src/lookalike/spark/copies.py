"""Exact duplicates: documents with equal digests, of which only the first takes part in the search.

A digest alone does not decide. Copies with the same text, by its SHA-256, need no more; of the others one for each text
is compared with the first, shingle by shingle, by the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it
from pyspark.sql.window import Window

from lookalike.engine.stages import confirm_copies
from lookalike.spark.cells import by_cells
from lookalike.spark.texts import check_texts
from lookalike.spark.work import parts_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.spark.texts import TextStore
    from lookalike.spark.work import Work

__all__ = ["find_copies", "firsts_of"]

TILE: Final = 1024
"""Different texts of one kind that are compared with their first in one cell."""


def find_copies(rows: DataFrame, texts: TextStore, strategy: Strategy, work: Work) -> DataFrame:
    """Return `number` and `first` of all documents that have copies; the first of a kind is its own first."""
    alike = work.stage("alike", lambda: _alike(rows))
    unlike = work.stage("unlike", lambda: _unlike(alike, texts, strategy, parts_of(work.spark)))
    if unlike.isEmpty():
        return alike.select("number", "first")
    # Documents with one text stay together: they are copies of the first among themselves.
    apart = unlike.join(alike, "number").select("first", "text_hash", F.col("number").alias("own"))
    right = alike.join(apart, ["first", "text_hash"], "left")
    return work.stage("copies", lambda: right.select("number", F.coalesce("own", "first").alias("first")))


def firsts_of(rows: DataFrame, copies: DataFrame) -> DataFrame:
    """Return the rows of documents that are not the copy of another."""
    later = copies.where("number <> first").select("number")
    return rows.join(later, "number", "left_anti")


def _alike(rows: DataFrame) -> DataFrame:
    same = Window.partitionBy("digest")
    kinds = rows.select("number", "digest", "text_hash").withColumn("first", F.min("number").over(same))
    several = kinds.withColumn("size", F.count(F.lit(1)).over(same)).where("size > 1")
    return several.select("number", "first", "text_hash")


def _unlike(alike: DataFrame, texts: TextStore, strategy: Strategy, parts: int) -> DataFrame:
    """Return the numbers of documents whose shingles are not those of their first."""
    kinds = alike.groupBy("first", "text_hash").agg(F.min("number").alias("number"))
    several = kinds.withColumn("kinds", F.count(F.lit(1)).over(Window.partitionBy("first"))).where("kinds > 1")
    tiles = F.ceil(F.col("kinds") / TILE)
    others = several.where("number <> first").select(
        "first", F.pmod(F.xxhash64("number"), tiles).alias("tile"), "number"
    )
    leading = others.select("first", "tile", F.col("first").alias("number")).distinct()
    cells = texts.of(others.unionByName(leading))
    return by_cells(cells, ["first", "tile"], parts, _confirmer(strategy), {"number": "bigint"})


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
        right = confirm_copies(classes, ordered["text"], strategy, threads=1).to_pylist()
        unlike = [number[at] for at, own in enumerate(right) if own != supposed[at]]
        return pa.table({"number": pa.array(unlike, pa.int64())})

    return confirm
