"""The documents that are in a pair or have a copy, each with the component that it is in.

Components do not know of each other, so whatever is made of pairs (groups, a plan, the list of pairs with copies) is
made of some whole components at a time: a block. A block is a small collection, and becomes a `Result` like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it

from lookalike.result import Recall, Result
from lookalike.result.made_of import SearchedDocuments, SearchSettings
from lookalike.spark.verify import places
from lookalike.tables.columns import as_bytes, compute, whole
from lookalike.tables.found import COLUMNS, Found

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from lookalike.engine.groups import Linkage
    from lookalike.engine.strategy import Strategy
    from lookalike.spark.components import Components
    from lookalike.spark.copies import Copies

__all__ = ["Block", "BlockSettings", "block_of", "in_components", "with_pairs"]


def in_components(rows: DataFrame, copies: Copies, components: Components) -> DataFrame:
    """Return `number`, `first`, `component`, `old`, `id`, `length` of the documents in a pair or with a copy."""
    every = components.documents.select("number", F.col("number").alias("first"), "component")
    if copies.count:
        of_first = every.select("first", "component")
        known = copies.documents.join(of_first, "first", "full")
        every = known.select(
            F.coalesce("number", "first").alias("number"), "first", F.coalesce("component", "first").alias("component")
        )
    return rows.select("number", "old", "id", "length").join(every, "number")


def with_pairs(placed: DataFrame, pairs: DataFrame) -> DataFrame:
    """Return documents, and behind them the pairs: rows that have an `other`."""
    scores = [name for name in pairs.columns if name in COLUMNS[2:]]
    own = [name for name in placed.columns if name not in ("component", "number")]
    documents = placed.select(
        *("component", "number", F.lit(None).cast("bigint").alias("other")),
        *own,
        *(F.lit(None).cast("double").alias(name) for name in scores),
    )
    listed = pairs.select(
        *("component", F.col("a").alias("number"), F.col("b").alias("other")),
        *(F.lit(None).cast(placed.schema[name].dataType).alias(name) for name in own),
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
    """The number that each document has in the whole collection."""
    documents: pa.Table
    """Their rows, in the same order."""

    @property
    def old_from(self) -> int | None:
        """The place of the first old document."""
        return self.result.old_from


def block_of(table: pa.Table, settings: BlockSettings, source: Any = None) -> Block:
    """Make a block of the rows of `with_pairs`."""
    pc = compute()
    is_pair = pc.is_valid(table["other"])
    documents = table.filter(pc.invert(is_pair)).sort_by("number")
    pairs = table.filter(is_pair).sort_by([("number", "ascending"), ("other", "ascending")])
    numbers = whole(documents["number"])
    ends = {"a": places(pairs["number"], numbers), "b": places(pairs["other"], numbers)}
    columns: dict[str, Any] = {name: as_bytes(ends[name] if name in ends else whole(pairs[name])) for name in COLUMNS}
    classes = as_bytes(places(documents["first"], numbers))
    found = Found(classes=classes, candidates=pairs.num_rows, **columns)
    old = whole(documents["old"])
    new = documents.num_rows - (pc.sum(old).as_py() or 0)
    ids = whole(documents["id"])
    searched = SearchedDocuments(
        ids=ids.slice(0, new),
        old_ids=ids.slice(new) if settings.against else None,
        lengths=whole(documents["length"]).cast("uint64"),
        source=source,
    )
    return Block(Result(searched, _search(settings), found), found, numbers, documents)


def _search(settings: BlockSettings) -> SearchSettings:
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
