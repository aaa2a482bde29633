"""Hot documents: those that so many others may be like that their pairs are left to the engine's `hot_pairs`.

The library joins all hot documents exactly, wherever they met. So do we, in one task, as long as their texts have at
most `TOGETHER` characters. Beyond, only hot documents that large buckets connect are joined, component by component.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it
from pyspark.sql.window import Window

from lookalike.engine.hot import limits_for
from lookalike.engine.stages import Candidates as Proposed
from lookalike.engine.stages import hot_pairs
from lookalike.spark.blocks import block_of, with_pairs
from lookalike.spark.cells import by_cells
from lookalike.spark.shapes import PAIRS
from lookalike.spark.texts import check_texts
from lookalike.spark.verify import VerifiedPairs
from lookalike.spark.work import parts_of
from lookalike.tables.columns import compute, whole

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.result.keep import KeepRule
    from lookalike.spark.blocks import BlockSettings
    from lookalike.spark.candidates import Candidates
    from lookalike.spark.texts import TextStore
    from lookalike.spark.work import Work

__all__ = ["add_hot_pairs", "edges_of_hot"]

TOGETHER: Final = 2_000_000_000
"""Characters of hot documents that one task takes."""


def edges_of_hot(candidates: Candidates, rows: DataFrame) -> tuple[DataFrame, int]:
    """Return pairs `a`, `b` that put hot documents into one component, if they are to be joined with each other.

    With them, how many they are at the most.
    """
    hot = candidates.hot
    assert hot is not None  # noqa: S101 — asked for only if there are some
    size = rows.join(hot, "number").agg(F.sum("length"), F.min("number")).first()
    assert size is not None  # noqa: S101 — an aggregate has one row
    if int(size[0] or 0) <= TOGETHER:
        edges = hot.select(F.lit(size[1]).cast("bigint").alias("a"), F.col("number").alias("b"))
        most = candidates.hot_count
    else:
        large = candidates.buckets.where((F.col("size") > candidates.largest) & (F.col("new") > 0))
        least = F.min("number").over(Window.partitionBy("band", "key"))
        edges = large.select(least.alias("a"), F.col("number").alias("b"))
        most = large.count()
    return edges.where("a <> b").distinct(), most


def add_hot_pairs(
    verified: VerifiedPairs,
    placed: DataFrame,
    hot: DataFrame,
    hot_count: int,
    texts: TextStore,
    settings: BlockSettings,
    documents: int,
    work: Work,
    rule: KeepRule | None = None,
) -> VerifiedPairs:
    """Return the verified pairs with those of hot documents.

    `rule` says who becomes a representative first, where not all pairs can be listed.
    """
    pairs = verified.pairs
    own = placed.join(hot.select("number"), "number", "left_semi").select("component").distinct()
    near = with_pairs(placed, pairs).join(F.broadcast(own), "component")
    held = texts.of(hot.select("number"), hot_count).select("number", "text", "text_hash")
    documents_only = near.where("other is null").join(held, "number", "left")
    listed = near.where("other is not null")
    for name, kind in (("text", "string"), ("text_hash", "binary")):
        listed = listed.withColumn(name, F.lit(None).cast(kind))
    shape = PAIRS | {"component": "bigint"}
    joiner = _joiner(settings, tuple(limits_for(documents)), rule)
    parts = parts_of(work.spark, documents)
    found = by_cells(documents_only.unionByName(listed), ["component"], parts, joiner, shape)
    stage = "verified-hot" if rule is None else f"verified-hot-{_slug(rule)}"
    every = work.stage(
        stage, lambda: found.unionByName(pairs).dropDuplicates(["a", "b"]).select(*shape), count=F.count(F.lit(1))
    )
    return VerifiedPairs(every, work.measured(stage, "count"))


def _slug(rule: KeepRule) -> str:
    """Return the rule as the name of a folder."""
    import hashlib

    return hashlib.sha256(str(rule).encode()).hexdigest()[:16]


def _joiner(settings: BlockSettings, limits: tuple[int, ...], rule: KeepRule | None) -> Any:
    def join(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        pc = compute()
        check_texts(table.filter(pc.is_valid(table["text"])))
        block = block_of(table, settings)
        rows = block.documents
        is_hot = pc.is_valid(rows["text"])
        proposed = Proposed(
            pairs=pa.table({"a": pa.array([], pa.uint32()), "b": pa.array([], pa.uint32())}),
            classes=pa.Array.from_buffers(pa.uint32(), rows.num_rows, [None, pa.py_buffer(block.found.classes)]),
            hot=whole(pc.indices_nonzero(is_hot)).cast(pa.uint32()),
        )
        order: Any = None
        if rule is not None:
            values = rows["value"] if "value" in rows.schema.names else None
            order = rule.order(block.result.id_of.as_texts_if_mixed(), block.result.lengths, values)[0].to_pylist()
        found = hot_pairs(
            proposed,
            block.found.pairs.table,
            pc.fill_null(rows["text"], ""),
            settings.strategy,
            order=order,
            old_from=block.old_from,
            limits=(limits[0], limits[1]),
            threads=1,
        )
        component = whole(rows["component"]).take(whole(found["a"]))
        for at, name in enumerate(("a", "b")):
            found = found.set_column(at, name, block.numbers.take(whole(found[name])))
        return found.append_column("component", component)

    return join
