"""Samples of a search: its recall, measured, and some of its clusters as a result to look at."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import functions as F  # noqa: N812 — its usual name

from lookalike import checks
from lookalike.documents import Both
from lookalike.documents.in_memory import MemorySource
from lookalike.engine.stages import UNLIMITED, join
from lookalike.errors import LookalikeError, RecipeError
from lookalike.result.audit import made_audit
from lookalike.result.pairs import NamedPairs, pairs_of
from lookalike.spark.clusters import block_of, with_pairs
from lookalike.spark.copies import firsts_of
from lookalike.spark.work import SCORES, ddl, shaped
from lookalike.tables.found import COLUMNS, DocumentIds, Pairs
from lookalike.tables.number_columns import as_bytes, compute, whole
from lookalike.tables.packed import Ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.documents import Source
    from lookalike.engine.strategy import Strategy
    from lookalike.result import Result
    from lookalike.result.audit import Audit
    from lookalike.spark.result import Stages

__all__ = ["audit_of", "sample_of"]

_PORTION: Final = 64_000_000
"""Bytes of text that are joined with the sample at a time: the sample is shingled anew each time."""


# -- recall ------------------------------------------------------------------------------------------------------------


def audit_of(stages: Stages, sample: int, seed: int) -> Audit:
    """Join a sample of documents exactly with all, and count the pairs that were found."""
    sample, seed = checks.whole("sample", sample, 1), checks.whole("seed", seed, 0)
    strategy = stages.settings.strategy
    if strategy.min_words is not None:
        raise RecipeError("min_words", strategy.min_words, "None for an audit: the recall is that of all passages")
    if stages.candidates.hot is not None:
        problem = "some clusters are so large that not all their pairs may be listed"
        raise LookalikeError(f"{problem}, so there is no recall of pairs to measure; audit at a higher threshold")
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
    """Return pairs with ids; documents are numbered anew, all a before all b."""
    import pyarrow as pa

    count = table.num_rows
    ids = Ids.from_arrow(pa.concat_arrays([whole(table["a_id"]), whole(table["b_id"])]))
    columns: dict[str, Any] = {name: as_bytes(table[name]) for name in COLUMNS[2:]}
    ends = {"a": pa.array(range(count), pa.uint32()), "b": pa.array(range(count, 2 * count), pa.uint32())}
    return NamedPairs(Pairs(*(as_bytes(ends[name]) for name in ends), **columns), DocumentIds(ids))


# -- clusters ----------------------------------------------------------------------------------------------------------


def sample_of(stages: Stages, documents: int) -> Result:
    """Return a result of some whole components: the largest that fit, with at most `documents` documents."""
    documents = checks.whole("documents", documents, 2)
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
