"""What is made of blocks: pairs with their copies, groups and plans, by the functions that `Result` uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it

from lookalike.engine.groups import grouping_of
from lookalike.result.pairs import MOST_COPIES, pairs_of
from lookalike.result.plan import make_plan
from lookalike.spark.blocks import block_of
from lookalike.spark.shapes import SCORES
from lookalike.tables.columns import compute, numbers, whole

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.result.keep import KeepRule
    from lookalike.spark.blocks import Block, BlockSettings
    from lookalike.spark.copies import Copies
    from lookalike.spark.verify import VerifiedPairs

__all__ = ["grouped_shape", "grouper", "listed_shape", "lister", "most_copies", "planned_shape", "planner"]


def _named(block: Block, places: Any, *names: str) -> dict[str, Any]:
    """Return the number, the id and the age of documents, by their places in a block, under three names."""
    columns = (block.numbers, whole(block.documents["id"]), whole(block.documents["old"]))
    return {name: column.take(whole(places)) for name, column in zip(names, columns, strict=True)}


# -- pairs -------------------------------------------------------------------------------------------------------------


def listed_shape(id_type: str) -> dict[str, str]:
    """Return the columns of `lister`: both numbers, both ids, whether each is old, and the scores."""
    ends = {"a": "bigint", "a_id": id_type, "a_old": "boolean", "b": "bigint", "b_id": id_type, "b_old": "boolean"}
    return ends | SCORES


def lister(settings: BlockSettings, most: int) -> Any:
    """Return what lists the pairs of a block, with those of copies."""

    def listed(table: pa.Table) -> pa.Table:
        import pyarrow as pa

        block = block_of(table, settings)
        pairs = pairs_of(block.found, block.old_from, most).pairs.table
        columns = _named(block, pairs["a"], "a", "a_id", "a_old") | _named(block, pairs["b"], "b", "b_id", "b_old")
        return pa.table(columns | {name: pairs[name] for name in SCORES})

    return listed


def most_copies(placed: DataFrame, copies: Copies, verified: VerifiedPairs) -> int:
    """Return how many pairs of copies a block may list: all of them, or none if there are too many in all.

    The same sum as in `pairs_of`: pairs of copies, and pairs with a copy of either document. It is not worked out if it
    cannot be too large.
    """
    if copies.pairs + verified.count * copies.largest**2 <= MOST_COPIES:
        return MOST_COPIES
    exact = "decimal(38,0)"
    sizes = placed.groupBy("first").agg(
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
    """Return what makes the groups of a block."""

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
    """Return what makes the plan of a block: its documents that are in a group, with the first member of that."""

    def planned(table: pa.Table) -> pa.Table:
        pc = compute()
        block = block_of(table, settings)
        values = block.documents["value"] if "value" in block.documents.schema.names else None
        plan = make_plan(block.result, rule, values=values, drop_all=drop_all).table
        plan = plan.append_column("number", block.numbers.slice(0, plan.num_rows))
        plan = plan.filter(pc.is_valid(plan["group"]))
        leads = plan.group_by("group").aggregate([("number", "min")])
        places = pc.index_in(plan["group"], value_set=whole(leads["group"]))
        return plan.append_column("lead", whole(leads["number_min"]).take(whole(places)))

    return planned
