"""Verification: candidates that are connected go to one executor, each text once, and the engine compares them.

A component that is too large for one cell is cut into tiles, as buckets are; its texts then travel more than once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it

from lookalike.engine.stages import verify
from lookalike.errors import InternalError
from lookalike.spark.cells import by_cells
from lookalike.spark.shapes import PAIRS
from lookalike.spark.texts import check_texts
from lookalike.spark.work import parts_of
from lookalike.tables.number_columns import compute, whole

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.spark.texts import TextStore
    from lookalike.spark.work import Work

__all__ = ["places", "verified_pairs"]

CELL: Final = 4096
"""Documents of a component that are verified in one cell."""


def verified_pairs(
    pairs: DataFrame, components: DataFrame, texts: TextStore, strategy: Strategy, work: Work
) -> DataFrame:
    """Return the pairs that reach the threshold, with their scores, and the `component` that they are in."""
    return work.stage("verified", lambda: _verified(pairs, components, texts, strategy, work))


def _verified(pairs: DataFrame, components: DataFrame, texts: TextStore, strategy: Strategy, work: Work) -> DataFrame:
    cells = work.stage("cells", lambda: _in_cells(pairs, components))
    ends = [cells.select("component", "tile", F.col(side).alias("number")) for side in ("a", "b")]
    held = texts.of(ends[0].unionByName(ends[1]).distinct())
    nothing = F.lit(None)
    compared = cells.select(
        *("component", "tile", F.col("a").alias("number"), F.col("b").alias("other")),
        nothing.cast(held.schema["id"].dataType).alias("id"),
        nothing.cast("string").alias("text"),
        nothing.cast("binary").alias("text_hash"),
    )
    given = held.select("component", "tile", "number", nothing.cast("bigint").alias("other"), "id", "text", "text_hash")
    shape = PAIRS | {"component": "bigint"}
    rows = given.unionByName(compared)
    return by_cells(rows, ["component", "tile"], parts_of(work.spark), _verifier(strategy), shape)


def _in_cells(pairs: DataFrame, components: DataFrame) -> DataFrame:
    """Return the pairs with the cell of each: `component` and `tile`."""
    sizes = components.groupBy("component").agg(F.count(F.lit(1)).alias("size"))
    of_a = components.select(F.col("number").alias("a"), "component")
    known = pairs.join(of_a, "a").join(sizes, "component")
    tiles = F.ceil(F.col("size") / (CELL // 2))
    own = {side: F.pmod(F.xxhash64(side), tiles) for side in ("a", "b")}
    tile = F.when(F.col("size") <= CELL, F.lit(0).cast("bigint")).otherwise(own["a"] * tiles + own["b"])
    return known.select("component", tile.alias("tile"), "a", "b")


def _verifier(strategy: Strategy) -> Any:
    def compare(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        pc = compute()
        is_pair = pc.is_valid(table["other"])
        # By number, so that the smaller place is the smaller number; a text may be there in two tiles.
        texts = table.filter(pc.invert(is_pair)).sort_by("number")
        check_texts(texts)
        pairs = table.filter(is_pair)
        local = {"a": places(pairs["number"], texts["number"]), "b": places(pairs["other"], texts["number"])}
        found = verify(pa.table(local), texts["text"], strategy, threads=1)
        for at, name in enumerate(("a", "b")):
            found = found.set_column(at, name, texts["number"].take(found[name]))
        component = texts["component"].take(places(found["a"], texts["number"]))
        return found.append_column("component", component)

    return compare


def places(numbers: Any, of: Any) -> pa.Array[Any]:
    """Return where each number first stands in a column."""
    import pyarrow as pa

    found = whole(compute().index_in(numbers, value_set=whole(of)))
    if found.null_count:
        raise InternalError(f"{found.null_count} documents of a cell are not in it")
    made: pa.Array[Any] = found.cast(pa.uint32())
    return made
