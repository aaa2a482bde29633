"""Pairs, groups and plans, made of whole components by the functions that `Result` uses.

Components are independent, so whatever follows from pairs (groups, a plan, the list of pairs with copies) is made of a
few whole components at a time: a block. A block is a small collection, and becomes a `Result` like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 — its usual name

from lookalike.engine.groups import grouping_of
from lookalike.result import Recall, Result
from lookalike.result.pairs import MOST_COPIES, pairs_of
from lookalike.result.plan import make_plan
from lookalike.result.view import SearchedDocuments, SearchSettings
from lookalike.spark.work import SCORES, places
from lookalike.tables.found import COLUMNS, Found
from lookalike.tables.number_columns import as_bytes, compute, numbers, whole

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.engine.groups import Linkage
    from lookalike.engine.strategy import Strategy
    from lookalike.result.plan import KeepRule
    from lookalike.spark.components import Components
    from lookalike.spark.copies import Copies
    from lookalike.spark.verify import VerifiedPairs

__all__ = [
    "Block",
    "BlockSettings",
    "block_of",
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
