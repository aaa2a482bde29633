"""Near-duplicates out of a DataFrame, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F  # noqa: N812 — as everybody calls it

from lookalike.spark.columns import named, quoted
from lookalike.spark.find import find

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from lookalike.recipe import Recipe

__all__ = ["drop_near_duplicates"]


def drop_near_duplicates(
    df: DataFrame,
    text: str | None = None,
    *,
    threshold: float = 0.8,
    keep: str = "first",
    id: str | None = None,  # noqa: A002 - the name that it has everywhere
    recall: float = 0.99,
    recipe: Recipe | None = None,
    drop_all: bool = False,
    **find_options: Any,
) -> DataFrame:
    """Return the DataFrame without near-duplicates: all its columns, in no particular order.

    `keep` says which document of a group stays, as `KeepRule` explains, and may name columns: ``keep="max:stars"``.
    With `drop_all`, no document that has a near-duplicate stays. Other arguments are those of `lookalike.spark.find`.
    """
    choice = named(df, text, id)
    found = find(df, threshold, text=choice.text, id=choice.id, recall=recall, recipe=recipe, **find_options)
    removed = found.plan(keep, drop_all=drop_all).where(~F.col("kept"))
    own = F.col(quoted(str(choice.id)))
    ids = removed.select(F.col("id").alias("_removed"))
    return df.join(ids, own == F.col("_removed"), "left_anti")
