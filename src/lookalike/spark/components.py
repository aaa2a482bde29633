"""Connected components: for each document in a pair, the least number that a chain of pairs leads to.

Up to `ONE_NODE` pairs, one task reads them all and calls the engine. Beyond, large stars and small stars take turns
(Kiveris et al., Connected Components in MapReduce and Beyond, 2014): each round is written, until one changes nothing.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pyspark.sql import functions as F  # noqa: N812 — its usual name
from pyspark.sql.window import Window

from lookalike.engine.stages import clusters
from lookalike.tables.number_columns import compute, counting

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from lookalike.spark.work import Work

__all__ = ["COMPONENTS", "ONE_NODE", "Components", "How", "components_of"]

How = Literal["auto", "one", "stars"]
COMPONENTS: Final = ("auto", "one", "stars")
ONE_NODE: Final = 50_000_000
"""Pairs that one task links, with about 100 bytes of memory for each."""
_ROWS_SENT: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Components:
    """The documents that are in a pair."""

    documents: DataFrame
    """`number`, `component`, and the `size` of the component."""
    count: int
    """How many documents there are."""
    largest: int
    """The size of the largest component."""


def components_of(edges: DataFrame, count: int, work: Work, how: How = "auto") -> Components:
    """Return the components that at most `count` pairs `a`, `b` connect."""
    on_one = how == "one" or (how == "auto" and count <= ONE_NODE)
    made = work.stage(
        "components",
        lambda: _on_one_node(edges) if on_one else _by_stars(edges, work),
        count=F.count(F.lit(1)),
        largest=F.max("size"),
    )
    return Components(made, work.measured("components", "count"), work.measured("components", "largest"))


# -- on one node -------------------------------------------------------------------------------------------------------


def _on_one_node(edges: DataFrame) -> DataFrame:
    return edges.select("a", "b").coalesce(1).mapInArrow(_linked, "number bigint, component bigint, size bigint")


def _linked(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Link all pairs at once; the engine knows documents by their places among those in a pair."""
    import pyarrow as pa

    pc = compute()
    edges = pa.Table.from_batches(list(batches), pa.schema([("a", pa.int64()), ("b", pa.int64())]))
    numbers = pc.unique(pa.concat_arrays([*edges["a"].chunks, *edges["b"].chunks, pa.array([], pa.int64())]))
    numbers = numbers.take(pc.sort_indices(numbers))
    local = {name: pc.index_in(edges[name], value_set=numbers).cast(pa.uint32()) for name in ("a", "b")}
    first = clusters(counting(len(numbers)), pa.table(local), linkage="linked")
    sizes = pc.value_counts(first)
    size = sizes.field("counts").take(pc.index_in(first, value_set=sizes.field("values")))
    found = pa.table({"number": numbers, "component": numbers.take(first), "size": size})
    yield from found.to_batches(max_chunksize=_ROWS_SENT)


# -- by stars ----------------------------------------------------------------------------------------------------------


def _by_stars(edges: DataFrame, work: Work) -> DataFrame:
    """Link pairs in rounds, each of which brings every document nearer to the least of its component."""
    turned = edges.select(F.greatest("a", "b").alias("u"), F.least("a", "b").alias("v"))
    now = work.stage("round-0", lambda: turned, **_state())
    for number in itertools.count(1):
        name, last = f"round-{number}", f"round-{number - 1}"
        now = work.stage(name, lambda before=now: _small_stars(_large_stars(before)), **_state())  # type: ignore[misc]
        if all(work.measured(name, own) == work.measured(last, own) for own in _state()):
            break
    roots = now.select(F.col("v").alias("number"), F.col("v").alias("component")).distinct()
    every = now.select(F.col("u").alias("number"), F.col("v").alias("component")).unionByName(roots)
    return every.withColumn("size", F.count(F.lit(1)).over(Window.partitionBy("component")))


def _large_stars(edges: DataFrame) -> DataFrame:
    """Link each larger neighbour of a document to the least of its neighbours and itself."""
    turned = edges.select(F.col("v").alias("u"), F.col("u").alias("v"))
    least = F.least(F.col("u"), F.min("v").over(Window.partitionBy("u")))
    stars = edges.unionByName(turned).withColumn("least", least).where("v > u")
    return stars.select(F.col("v").alias("u"), F.col("least").alias("v")).distinct()


def _small_stars(edges: DataFrame) -> DataFrame:
    """Link each document, and its smaller neighbours, to the least of these."""
    stars = edges.withColumn("least", F.min("v").over(Window.partitionBy("u")))
    own = stars.select("u", F.col("least").alias("v"))
    others = stars.where("v <> least").select(F.col("v").alias("u"), F.col("least").alias("v"))
    return own.unionByName(others).distinct()


def _state() -> dict[str, Column]:
    """Return measures of pairs that do not depend on their order."""
    own = F.xxhash64("u", "v")
    return {"count": F.count(F.lit(1)), "mixed": F.bit_xor(own), "total": F.sum(F.shiftright(own, 32))}
