"""A result without some of its pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.search.columns import as_bytes, compute, counting, whole

if TYPE_CHECKING:
    from lookalike.result.result import Result
    from lookalike.search.columns import Column

__all__ = ["only_pairs"]


def only_pairs(result: Result, kept: Column) -> Result:
    """Return the result with the pairs that the mask `kept` has; it is as long as `Result.pairs`.

    Each document stands by itself in what comes back, because a pair of copies may be left out too.
    """
    import pyarrow as pa

    from lookalike.search.found import Found

    pc = compute()
    pairs = result.pairs
    for column, name in enumerate("ab"):
        place = pc.index_in(whole(pairs[name]), value_set=result.ids).cast(pa.uint32())
        pairs = pairs.set_column(column, name, place)
    columns = {
        name: as_bytes(column) for name, column in zip(pairs.column_names, pairs.filter(kept).columns, strict=True)
    }
    found = Found(classes=as_bytes(counting(result.documents)), candidates=result.candidates, **columns)
    return result.with_found(found)
