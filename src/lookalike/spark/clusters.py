"""Connected components of pairs, and what is made of whole ones by the functions of `Result`: pairs, groups, plans.

A component is named by the least number that a chain of pairs leads to. Up to `ONE_NODE` pairs, one task reads them all
and calls the engine. Beyond, large stars and small stars take turns (Kiveris et al., Connected Components in MapReduce
and Beyond, 2014): each round is written, until one changes nothing.

Components are independent, so whatever follows from pairs (groups, a plan, the list of pairs with copies) is made of a
few whole components at a time: a block. A block is a small collection, and becomes a `Result` like any other.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from pyspark.sql import functions as F  # noqa: N812 — its usual name
from pyspark.sql.window import Window

from lookalike.engine.groups import grouping_of
from lookalike.engine.stages import clusters
from lookalike.result import Recall, Result
from lookalike.result.pairs import MOST_COPIES, pairs_of
from lookalike.result.plan import make_plan
from lookalike.result.view import SearchedDocuments, SearchSettings
from lookalike.spark.work import ROWS_SENT, SCORES, places
from lookalike.tables.columns import COLUMNS, Found, as_bytes, compute, counting, numbers, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    from lookalike.engine import Strategy
    from lookalike.engine.groups import Linkage
    from lookalike.result.plan import KeepRule
    from lookalike.spark.candidates import Copies
    from lookalike.spark.verify import VerifiedPairs
    from lookalike.spark.work import Work

__all__ = [
    "COMPONENTS",
    "ONE_NODE",
    "Block",
    "BlockSettings",
    "Components",
    "How",
    "block_of",
    "components_of",
    "grouped_shape",
    "grouper",
    "in_components",
    "listed_shape",
    "lister",
    "most_copies",
    "planned_shape",
    "planner",
    "with_pairs",
]

How = Literal["auto", "one", "stars"]
COMPONENTS: Final = ("auto", "one", "stars")
ONE_NODE: Final = 50_000_000
"""Pairs that one task links, with about 100 bytes of memory for each."""


# -- connected components ----------------------------------------------------------------------------------------------


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


# -- components on one node --------------------------------------------------------------------------------------------


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
    yield from found.to_batches(max_chunksize=ROWS_SENT)


# -- components by stars -----------------------------------------------------------------------------------------------


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


# -- blocks ------------------------------------------------------------------------------------------------------------


def in_components(rows: DataFrame, copies: Copies, components: Components) -> DataFrame:
    """Return `number`, `first`, `component`, `old`, `id`, `length` of the documents in a pair or with a copy."""
    every = components.documents.select("number", F.col("number").alias("first"), "component")
    if copies.count:
        known = copies.documents.join(every.select("first", "component"), "first", "full")
        every = known.select(
            F.coalesce("number", "first").alias("number"), "first", F.coalesce("component", "first").alias("component")
        )
    return rows.select("number", "old", "id", "length").join(every, "number")


def with_pairs(members: DataFrame, pairs: DataFrame) -> DataFrame:
    """Return the documents of components and, as rows that have an `other`, their pairs."""
    scores = [name for name in pairs.columns if name in COLUMNS[2:]]
    own = [name for name in members.columns if name not in ("component", "number")]
    documents = members.select(
        *("component", "number", F.lit(None).cast("bigint").alias("other")),
        *own,
        *(F.lit(None).cast("double").alias(name) for name in scores),
    )
    listed = pairs.select(
        *("component", F.col("a").alias("number"), F.col("b").alias("other")),
        *(F.lit(None).cast(members.schema[name].dataType).alias(name) for name in own),
        *scores,
    )
    return documents.unionByName(listed)


@dataclass(frozen=True, slots=True)
class BlockSettings:
    """What a block needs to know of the search."""

    strategy: Strategy
    linkage: Linkage
    against: bool


@dataclass(frozen=True, slots=True)
class Block:
    """Some whole components, as a result of their own."""

    result: Result
    found: Found
    numbers: pa.Array[Any]
    """The number of each document in the whole collection."""
    documents: pa.Table
    """The rows of the documents, in the same order."""

    @property
    def old_from(self) -> int | None:
        """The place of the first old document."""
        return self.result.old_from


def block_of(table: pa.Table, settings: BlockSettings, source: Any = None) -> Block:
    """Make a block of rows of `with_pairs`."""
    pc = compute()
    is_pair = pc.is_valid(table["other"])
    documents = table.filter(pc.invert(is_pair)).sort_by("number")
    pairs = table.filter(is_pair).sort_by([("number", "ascending"), ("other", "ascending")])
    members = whole(documents["number"])
    ends = {"a": places(pairs["number"], members), "b": places(pairs["other"], members)}
    columns: dict[str, Any] = {name: as_bytes(ends[name] if name in ends else whole(pairs[name])) for name in COLUMNS}
    classes = as_bytes(places(documents["first"], members))
    found = Found(classes=classes, candidates=pairs.num_rows, **columns)
    new = documents.num_rows - (pc.sum(whole(documents["old"])).as_py() or 0)
    ids = whole(documents["id"])
    searched = SearchedDocuments(
        ids=ids.slice(0, new),
        old_ids=ids.slice(new) if settings.against else None,
        lengths=whole(documents["length"]).cast("uint64"),
        source=source,
    )
    return Block(Result(searched, _search_settings(settings), found), found, members, documents)


def _search_settings(settings: BlockSettings) -> SearchSettings:
    strategy = settings.strategy
    return SearchSettings(
        recipe=strategy.recipe,
        threshold=strategy.threshold,
        method=strategy.method,
        metric=strategy.metric,
        bands=strategy.bands,
        recall=Recall(promised=strategy.promised),
        linkage=settings.linkage,
        ignored=strategy.ignored,
    )


def _named(block: Block, at: Any, *names: str) -> dict[str, Any]:
    """Return number, id and age of documents, given by their places in a block, under three names."""
    columns = (block.numbers, whole(block.documents["id"]), whole(block.documents["old"]))
    return {name: column.take(whole(at)) for name, column in zip(names, columns, strict=True)}


# -- pairs -------------------------------------------------------------------------------------------------------------


def listed_shape(id_type: str) -> dict[str, str]:
    """Return the columns of `lister`: for both documents the number, the id and the age, then the scores."""
    ends = {"a": "bigint", "a_id": id_type, "a_old": "boolean", "b": "bigint", "b_id": id_type, "b_old": "boolean"}
    return ends | SCORES


def lister(settings: BlockSettings, most: int) -> Any:
    """Return a function that lists the pairs of a block, with those of copies."""

    def listed(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        block = block_of(table, settings)
        pairs = pairs_of(block.found, block.old_from, most).pairs.table
        columns = _named(block, pairs["a"], "a", "a_id", "a_old") | _named(block, pairs["b"], "b", "b_id", "b_old")
        return pa.table(columns | {name: pairs[name] for name in SCORES})

    return listed


def most_copies(members: DataFrame, copies: Copies, verified: VerifiedPairs) -> int:
    """Return how many pairs of copies a block may list: all of them, or none if there are too many altogether.

    This is the sum that `pairs_of` works out: pairs of copies, and pairs with a copy of either document. Where an upper
    bound is low enough, the sum itself is not worked out.
    """
    if copies.pairs + verified.count * copies.largest**2 <= MOST_COPIES:
        return MOST_COPIES
    exact = "decimal(38,0)"
    sizes = members.groupBy("first").agg(
        F.count(F.lit(1)).cast(exact).alias("all"), F.count_if("old").cast(exact).alias("olds")
    )
    every, olds = F.col("all"), F.col("olds")
    within = sizes.agg(F.sum((every * (every - 1) - olds * (olds - 1)) / 2)).first()
    a = sizes.select(F.col("first").alias("a"), every.alias("all_a"), olds.alias("olds_a"))
    b = sizes.select(F.col("first").alias("b"), every.alias("all_b"), olds.alias("olds_b"))
    met = verified.pairs.select("a", "b").join(a, "a").join(b, "b").where("all_a > 1 or all_b > 1")
    added = F.col("all_a") * F.col("all_b") - F.col("olds_a") * F.col("olds_b") - 1
    between = met.agg(F.sum(added)).first()
    total = sum(int(seen[0] or 0) for seen in (within, between) if seen is not None)
    return total if total <= MOST_COPIES else -1


# -- groups ------------------------------------------------------------------------------------------------------------


def grouped_shape(id_type: str) -> dict[str, str]:
    """Return the columns of `grouper`: a document, the principal of its group, and the number of its first member."""
    own = {"number": "bigint", "id": id_type, "old": "boolean"}
    return own | {"head": "bigint", "principal": id_type, "principal_old": "boolean", "lead": "bigint"}


def grouper(settings: BlockSettings) -> Any:
    """Return a function that makes the groups of a block."""

    def grouped(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        block = block_of(table, settings)
        metric, old_from = settings.strategy.metric, block.old_from
        made = grouping_of(block.found, linkage=settings.linkage, order=None, metric=metric, old_from=old_from)
        members, starts = numbers(made.documents), numbers(made.starts)
        offsets: Any = starts.cast(pa.int64())
        group = compute().list_parent_indices(pa.LargeListArray.from_arrays(offsets, members))
        leads = members.take(starts.slice(0, made.size))
        heads = numbers(made.heads).take(group)
        columns = _named(block, members, "number", "id", "old")
        columns |= _named(block, heads, "head", "principal", "principal_old")
        return pa.table(columns | {"lead": block.numbers.take(leads.take(group))})

    return grouped


# -- plans -------------------------------------------------------------------------------------------------------------


def planned_shape(id_type: str, *, against: bool) -> dict[str, str]:
    """Return the columns of `planner`."""
    favoured = {"kept_id": id_type} | ({"kept_old": "boolean"} if against else {})
    return {"number": "bigint", "kept": "boolean", **favoured, "score": "double", "lead": "bigint"}


def planner(settings: BlockSettings, rule: KeepRule, *, drop_all: bool) -> Any:
    """Return a function that plans for the documents of a block that are in a group; `lead` is its first member."""

    def planned(table: pa.Table) -> pa.Table:
        pc = compute()
        block = block_of(table, settings)
        values = block.documents["value"] if "value" in block.documents.schema.names else None
        plan = make_plan(block.result, rule, values=values, drop_all=drop_all).table
        plan = plan.append_column("number", block.numbers.slice(0, plan.num_rows))
        plan = plan.filter(pc.is_valid(plan["group"]))
        leads = plan.group_by("group").aggregate([("number", "min")])
        at = pc.index_in(plan["group"], value_set=whole(leads["group"]))
        return plan.append_column("lead", whole(leads["number_min"]).take(whole(at)))

    return planned
