"""Verification: connected candidates go to one executor, each text once, and the engine computes their exact scores.

A component that is too large for one cell is cut into tiles, as buckets are; its texts then travel more than once. The
pairs of two hot documents are left to the engine's `hot_pairs`, which lists as many as its limits allow.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F  # noqa: N812 — its usual name

from lookalike.engine.candidates import limits_for
from lookalike.engine.stages import Candidates as Proposed
from lookalike.engine.stages import hot_pairs, verify
from lookalike.spark.clusters import block_of, with_pairs
from lookalike.spark.sign import check_texts
from lookalike.spark.work import PAIRS, by_cells, partitions_for, places
from lookalike.tables.number_columns import compute, whole

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.engine.strategy import Strategy
    from lookalike.result.plan import KeepRule
    from lookalike.spark.candidates import BucketPairs
    from lookalike.spark.clusters import Block, BlockSettings
    from lookalike.spark.components import Components
    from lookalike.spark.sign import TextStore
    from lookalike.spark.work import Work

__all__ = ["VerifiedPairs", "add_hot_pairs", "verified_pairs"]

CELL: Final = 4096
"""Documents of a component that are verified in one cell."""
_SHAPE: Final = PAIRS | {"component": "bigint"}


@dataclass(frozen=True, slots=True)
class VerifiedPairs:
    """Pairs that reach the threshold."""

    pairs: DataFrame
    """`a`, `b`, their scores, and their `component`."""
    count: int
    """How many pairs there are."""


def verified_pairs(
    candidates: BucketPairs, components: Components, texts: TextStore, strategy: Strategy, documents: int, work: Work
) -> VerifiedPairs:
    """Return the candidates that reach the threshold."""
    partitions = partitions_for(work.spark, documents)
    made = work.stage(
        "verified", lambda: _verified(candidates, components, texts, strategy, partitions), count=F.count(F.lit(1))
    )
    return VerifiedPairs(made, work.measured("verified", "count"))


def _verified(
    candidates: BucketPairs, components: Components, texts: TextStore, strategy: Strategy, partitions: int
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
    return by_cells(rows, ["component", "tile"], partitions, _verifier(strategy), _SHAPE)


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
        # Sorted by number, so that the smaller place is the smaller number; two tiles may hold the same text.
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


# -- hot documents -----------------------------------------------------------------------------------------------------


def add_hot_pairs(
    verified: VerifiedPairs,
    members: DataFrame,
    candidates: BucketPairs,
    texts: TextStore,
    settings: BlockSettings,
    documents: int,
    work: Work,
    rule: KeepRule | None = None,
) -> VerifiedPairs:
    """Add the pairs of hot documents to the verified pairs, if there are any.

    `rule` says which documents become representatives first where not all pairs can be listed.
    """
    if candidates.hot is None:
        return verified
    hot = candidates.hot.select("number")
    own = members.join(hot, "number", "left_semi").select("component").distinct()
    near = with_pairs(members, verified.pairs).join(F.broadcast(own), "component")
    held = texts.of(hot, candidates.hot_count).select("number", "text", "text_hash")
    given = near.where("other is null").join(held, "number", "left")
    listed = near.where("other is not null")
    for name, kind in (("text", "string"), ("text_hash", "binary")):
        listed = listed.withColumn(name, F.lit(None).cast(kind))
    joiner = _hot_joiner(settings, tuple(limits_for(documents)), rule)
    found = by_cells(given.unionByName(listed), ["component"], partitions_for(work.spark, documents), joiner, _SHAPE)
    every = found.unionByName(verified.pairs).dropDuplicates(["a", "b"]).select(*_SHAPE)
    name = "verified-hot" if rule is None else f"verified-hot-{hashlib.sha256(str(rule).encode()).hexdigest()[:16]}"
    made = work.stage(name, lambda: every, count=F.count(F.lit(1)))
    return VerifiedPairs(made, work.measured(name, "count"))


def _hot_joiner(settings: BlockSettings, limits: tuple[int, ...], rule: KeepRule | None) -> Any:
    def join(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        pc = compute()
        check_texts(table.filter(pc.is_valid(table["text"])))
        block = block_of(table, settings)
        rows = block.documents
        proposed = Proposed(
            pairs=pa.table({"a": pa.array([], pa.uint32()), "b": pa.array([], pa.uint32())}),
            classes=pa.Array.from_buffers(pa.uint32(), rows.num_rows, [None, pa.py_buffer(block.found.classes)]),
            hot=whole(pc.indices_nonzero(pc.is_valid(rows["text"]))).cast(pa.uint32()),
        )
        found = hot_pairs(
            proposed,
            block.found.pairs.table,
            pc.fill_null(rows["text"], ""),
            settings.strategy,
            order=None if rule is None else _order(block, rule),
            old_from=block.old_from,
            limits=(limits[0], limits[1]),
            threads=1,
        )
        component = whole(rows["component"]).take(whole(found["a"]))
        for at, name in enumerate(("a", "b")):
            found = found.set_column(at, name, block.numbers.take(whole(found[name])))
        return found.append_column("component", component)

    return join


def _order(block: Block, rule: KeepRule) -> Any:
    """Return the documents of a block in the order in which a rule prefers them."""
    values = block.documents["value"] if "value" in block.documents.schema.names else None
    ids = block.result.id_of.as_texts_if_mixed()
    return rule.order(ids, block.result.lengths, values)[0].to_pylist()
