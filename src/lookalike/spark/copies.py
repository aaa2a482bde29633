"""Exact duplicates: documents with equal digests, of which only the first takes part in the search.

A digest alone does not decide. Copies with the same text, by its SHA-256, need no more; of the others one for each text
is compared with the first, shingle by shingle, by the engine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it
from pyspark.sql.window import Window

from lookalike.engine.stages import confirm_copies
from lookalike.spark.cells import by_cells
from lookalike.spark.texts import check_texts
from lookalike.spark.work import parts_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.spark.texts import TextStore
    from lookalike.spark.work import Work

__all__ = ["Copies", "find_copies", "firsts_of"]

TILE: Final = 1024
"""Different texts of one kind that are compared with their first in one cell."""


class Copies(NamedTuple):
    """Documents that have copies."""

    documents: DataFrame
    """`number` and `first`; the first of a kind is its own first."""
    count: int
    """How many they are."""
    largest: int
    """The most copies of one kind, or more."""
    pairs: int
    """The pairs of two copies, or more."""


def find_copies(rows: DataFrame, texts: TextStore, strategy: Strategy, documents: int, work: Work) -> Copies:
    """Return all documents that have copies."""
    first, size = F.col("number") == F.col("first"), F.col("size").cast("decimal(19,0)")
    alike = work.stage(
        "alike",
        lambda: _alike(rows),
        count=F.count(F.lit(1)),
        largest=F.max("size"),
        pairs=F.sum(F.when(first, size * (size - 1) / 2)),
        unsure=F.sum(F.when(_is_unsure() & first, _tiles()).when(_is_unsure(), 1)),
    )
    facts = [work.measured("alike", name) for name in ("count", "largest", "pairs")]
    if unsure := work.measured("alike", "unsure"):
        parts = parts_of(work.spark, documents)
        unlike = work.stage("unlike", lambda: _unlike(alike, unsure, texts, strategy, parts), count=F.count(F.lit(1)))
        if work.measured("unlike", "count"):
            # Documents with one text stay together: they are copies of the first among themselves.
            apart = alike.join(unlike.select(F.col("number").alias("own"), F.lit(True).alias("apart")), "own", "left")
            right = F.when(F.col("apart"), F.col("own")).otherwise(F.col("first")).alias("first")
            return Copies(work.stage("copies", lambda: apart.select("number", right)), *facts)
    return Copies(alike.select("number", "first"), *facts)


def firsts_of(rows: DataFrame, copies: Copies) -> DataFrame:
    """Return the rows of documents that are not the copy of another."""
    if not copies.count:
        return rows
    later = copies.documents.where("number <> first").select("number")
    return rows.join(later, "number", "left_anti")


def _alike(rows: DataFrame) -> DataFrame:
    """Return documents with equal digests: the `first` of each kind, and how many there are (`size`).

    `own` is the first with the same text, and `kinds` how many texts there are.
    """
    same = Window.partitionBy("digest")
    own = F.min("number").over(Window.partitionBy("digest", "text_hash"))
    known = rows.select("number", "digest", "text_hash").withColumns(
        {"first": F.min("number").over(same), "size": F.count(F.lit(1)).over(same), "own": own}
    )
    several = known.where("size > 1").withColumn("kinds", F.count_if(F.col("number") == F.col("own")).over(same))
    return several.select("number", "first", "size", "own", "kinds")


def _is_unsure() -> Column:
    """Say of a row of `_alike` whether its text has to be compared with others: a kind has several."""
    return (F.col("kinds") > 1) & (F.col("number") == F.col("own"))


def _tiles() -> Column:
    return F.ceil(F.col("kinds") / TILE)


def _unlike(alike: DataFrame, unsure: int, texts: TextStore, strategy: Strategy, parts: int) -> DataFrame:
    """Return the numbers of documents whose shingles are not those of their first."""
    every = F.sequence(F.lit(0).cast("bigint"), _tiles() - 1)  # the first is in all tiles, for the others
    one = F.array(F.pmod(F.xxhash64("number"), _tiles()))
    tile = F.explode(F.when(F.col("number") == F.col("first"), every).otherwise(one)).alias("tile")
    cells = texts.of(alike.where(_is_unsure()).select("first", tile, "number"), unsure)
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
