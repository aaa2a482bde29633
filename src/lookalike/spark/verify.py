"""Verification: candidates that are connected go to one executor, each text once, and the engine compares them.

A component that is too large for one cell is cut into tiles, as buckets are; its texts then travel more than once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it

from lookalike.engine.stages import verify
from lookalike.errors import InternalError
from lookalike.spark.cells import by_cells
from lookalike.spark.shapes import PAIRS
from lookalike.spark.texts import check_texts
from lookalike.spark.work import parts_of
from lookalike.tables.columns import compute, whole

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.spark.candidates import Candidates
    from lookalike.spark.components import Components
    from lookalike.spark.texts import TextStore
    from lookalike.spark.work import Work

__all__ = ["VerifiedPairs", "places", "verified_pairs"]

CELL: Final = 4096
"""Documents of a component that are verified in one cell."""


class VerifiedPairs(NamedTuple):
    """Pairs that reach the threshold."""

    pairs: DataFrame
    """`a`, `b`, their scores, and the `component` that they are in."""
    count: int


def verified_pairs(
    candidates: Candidates, components: Components, texts: TextStore, strategy: Strategy, documents: int, work: Work
) -> VerifiedPairs:
    """Return the candidates that reach the threshold."""
    parts = parts_of(work.spark, documents)
    made = work.stage(
        "verified", lambda: _verified(candidates, components, texts, strategy, parts), count=F.count(F.lit(1))
    )
    return VerifiedPairs(made, work.measured("verified", "count"))


def _verified(
    candidates: Candidates, components: Components, texts: TextStore, strategy: Strategy, parts: int
) -> DataFrame:
    cells = _in_cells(candidates.pairs, components.documents)
    ends = cells.select("component", "tile", F.explode(F.array("a", "b")).alias("number")).distinct()
    held = texts.of(ends, components.count if components.largest <= CELL else 2 * candidates.count)
    nothing = F.lit(None)
    compared = cells.select(
        *("component", "tile", F.col("a").alias("number"), F.col("b").alias("other")),
        nothing.cast(held.schema["id"].dataType).alias("id"),
        nothing.cast("string").alias("text"),
        nothing.cast("binary").alias("text_hash"),
    )
    given = held.select("component", "tile", "number", nothing.cast("bigint").alias("other"), "id", "text", "text_hash")
    rows = given.unionByName(compared)
    return by_cells(rows, ["component", "tile"], parts, _verifier(strategy), PAIRS | {"component": "bigint"})


def _in_cells(pairs: DataFrame, components: DataFrame) -> DataFrame:
    """Return the pairs with the cell of each: `component` and `tile`."""
    known = pairs.join(components.withColumnRenamed("number", "a"), "a")
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
