"""Exact checks on the cluster: the scores of candidate pairs and, on a sample, the recall.

Connected candidates go to one executor, each text once, and the engine computes their exact scores. A component that is
too large for one cell is cut into tiles, as buckets are; its texts then travel more than once. The pairs of two hot
documents are left to the engine's `hot_pairs`, which lists as many as its limits allow.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F  # noqa: N812 — its usual name

from lookalike.documents import Both
from lookalike.documents.in_memory import MemorySource
from lookalike.engine.bands import limits_for
from lookalike.engine.stages import UNLIMITED, hot_pairs, join, verify
from lookalike.engine.stages import Candidates as Proposed
from lookalike.errors import LookalikeError, RecipeError, check_whole
from lookalike.result.audit import made_audit
from lookalike.result.pairs import NamedPairs, pairs_of
from lookalike.spark.candidates import firsts_of
from lookalike.spark.clusters import block_of, with_pairs
from lookalike.spark.spark_sign import check_texts
from lookalike.spark.work import PAIRS, SCORES, by_cells, ddl, partitions_for, places, shaped
from lookalike.tables.columns import COLUMNS, DocumentIds, Pairs, as_bytes, compute, whole
from lookalike.tables.packed import Ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.documents import Source
    from lookalike.engine import Strategy
    from lookalike.result import Result
    from lookalike.result.audit import Audit
    from lookalike.result.plan import KeepRule
    from lookalike.spark.candidates import BucketPairs
    from lookalike.spark.clusters import Block, BlockSettings, Components
    from lookalike.spark.spark_result import Stages
    from lookalike.spark.spark_sign import TextStore
    from lookalike.spark.work import Work

__all__ = ["VerifiedPairs", "add_hot_pairs", "audit_of", "sample_of", "verified_pairs"]

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
    joiner = _hot_joiner(settings, tuple(limits_for(documents, settings.strategy.max_pairs)), rule)
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


_PORTION: Final = 64_000_000
"""Bytes of text that are joined with the sample at a time: the sample is shingled again each time."""


# -- recall ------------------------------------------------------------------------------------------------------------


def audit_of(stages: Stages, sample: int, seed: int) -> Audit:
    """Join a sample of documents exactly with all, and count the pairs that were found."""
    sample, seed = check_whole("sample", sample, 1), check_whole("seed", seed, 0)
    strategy = stages.settings.strategy
    if strategy.min_words is not None:
        raise RecipeError("min_words", strategy.min_words, "None for an audit: the recall is that of all passages")
    if stages.candidates.hot is not None:
        problem = "some clusters are so large that not all their pairs may be listed"
        raise LookalikeError(
            f"{problem}, so there is no recall of pairs to measure; a higher limit (max_pairs) gives one"
        )
    every = firsts_of(stages.rows, stages.copies).select("number", "old", "id")
    new = every.where(~F.col("old"))
    # Drawn by id, because numbers depend on how rows are partitioned.
    chosen = new.orderBy(F.xxhash64("id", F.lit(seed)), "number").limit(sample).select("number")
    drawn = stages.texts.of(chosen, sample).select("number", "text").toArrow().sort_by("number")
    exact = replace(strategy, method="exact", bands=None, least=0, promised=1.0)
    true = _true_pairs(stages.texts.documents, drawn, every, exact)
    true = stages.work.stage(f"audit-{sample}-{seed}", lambda: true)
    missed = true.join(stages.verified.pairs.select("a", "b"), ["a", "b"], "left_anti")
    named = _with_ids(missed, every).toArrow().sort_by([("a", "ascending"), ("b", "ascending")])
    return made_audit(drawn.num_rows, new.count(), true.count(), _named_pairs(named))


def _true_pairs(documents: DataFrame, drawn: pa.Table, every: DataFrame, strategy: Strategy) -> DataFrame:
    """Return all pairs of a drawn document with one that is no copy, each once, the smaller number first."""
    numbers: Any = drawn["number"].to_pylist()
    texts: Any = drawn["text"].to_pylist()
    id_type = documents.schema["id"].dataType.simpleString()
    shape = {"own": "bigint", "old": "boolean", "id": id_type} | SCORES

    def joined(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table in _portions(batches):
            yield from shaped(_joined(table, numbers, texts, strategy), shape).to_batches()

    met = documents.select("old", "id", "text").mapInArrow(joined, ddl(shape))
    known = met.join(every.select("old", "id", "number"), ["old", "id"]).where("own <> number")
    turned = F.col("own") > F.col("number")
    swapped = {
        "containment_a": F.when(turned, F.col("containment_b")).otherwise(F.col("containment_a")),
        "containment_b": F.when(turned, F.col("containment_a")).otherwise(F.col("containment_b")),
    }
    ends = [F.least("own", "number").alias("a"), F.greatest("own", "number").alias("b")]
    return known.select(*ends, "jaccard", *(column.alias(name) for name, column in swapped.items())).distinct()


def _portions(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.Table]:
    import pyarrow as pa

    held: list[pa.RecordBatch] = []
    for batch in batches:
        held.append(batch)
        if sum(one.nbytes for one in held) >= _PORTION:
            yield pa.Table.from_batches(held)
            held = []
    if held:
        yield pa.Table.from_batches(held)


def _joined(table: pa.Table, numbers: list[int], texts: list[str], strategy: Strategy) -> pa.Table:
    """Return the pairs of a drawn document with another."""
    import pyarrow as pa

    pc = compute()
    border = len(texts)
    others: Any = table["text"].to_pylist()
    found = join([*texts, *others], strategy, old_from=border, limits=UNLIMITED, threads=1)
    pairs = pairs_of(found, border, 2**62).pairs.table
    pairs = pairs.filter(pc.greater_equal(pairs["b"], pa.scalar(border, pa.uint32())))
    place = pc.subtract(whole(pairs["b"]), pa.scalar(border, pa.uint32()))
    columns: dict[str, Any] = {"own": pa.array(numbers, pa.int64()).take(whole(pairs["a"]))}
    columns |= {name: whole(table[name]).take(place) for name in ("old", "id")}
    return pa.table(columns | {name: pairs[name] for name in SCORES})


def _with_ids(pairs: DataFrame, every: DataFrame) -> DataFrame:
    for side in ("a", "b"):
        own = [F.col(name).alias(new) for name, new in (("number", side), ("id", f"{side}_id"), ("old", f"{side}_old"))]
        pairs = pairs.join(every.select(*own), side)
    return pairs


def _named_pairs(table: pa.Table) -> NamedPairs:
    """Return pairs with ids; documents are renumbered, all a before all b."""
    import pyarrow as pa

    count = table.num_rows
    ids = Ids.from_arrow(pa.concat_arrays([whole(table["a_id"]), whole(table["b_id"])]))
    columns: dict[str, Any] = {name: as_bytes(table[name]) for name in COLUMNS[2:]}
    ends = {"a": pa.array(range(count), pa.uint32()), "b": pa.array(range(count, 2 * count), pa.uint32())}
    return NamedPairs(Pairs(*(as_bytes(ends[name]) for name in ends), **columns), DocumentIds(ids))


# -- clusters ----------------------------------------------------------------------------------------------------------


def sample_of(stages: Stages, documents: int) -> Result:
    """Return a result of some whole components: the largest that fit, with at most `documents` documents."""
    documents = check_whole("documents", documents, 2)
    sizes = stages.members.groupBy("component").count().where(F.col("count") <= documents)
    chosen, total = [], 0
    for row in sizes.orderBy(F.desc("count"), "component").limit(documents).collect():
        if total + row["count"] <= documents:
            chosen.append((row["component"],))
            total += row["count"]
    some = F.broadcast(stages.work.spark.createDataFrame(chosen, "component bigint"))
    members = stages.members.join(some, "component")
    rows = with_pairs(members, stages.pairs().pairs.join(some, "component")).toArrow()
    texts = stages.texts.of(members.select("number"), total).select("number", "old", "id", "text").toArrow()
    source = _source(texts.sort_by("number"), against=stages.settings.against)
    return block_of(rows, stages.settings, source).result


def _source(texts: pa.Table, *, against: bool) -> Source:
    rows = list(zip(*(texts[name].to_pylist() for name in ("old", "id", "text")), strict=True))
    new, old = (MemorySource({own: text for is_old, own, text in rows if is_old == age}) for age in (False, True))
    return Both(new, old, len(new.texts)) if against else new
