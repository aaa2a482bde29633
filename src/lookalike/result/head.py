"""What the JSON of a result says before its pairs and groups, by the schema ``lookalike/1``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lookalike.documents.metadata import first_of
from lookalike.result.texts import left_out_of
from lookalike.search.columns import compute

if TYPE_CHECKING:
    import pyarrow as pa

    from lookalike.result.result import Result

__all__ = ["head", "with_first"]

SCHEMA: Final = "lookalike/1"
"""The name and version of what `Result.to_dict` gives."""
REASONS: Final = ("quotes", "references", "template", "common")


def head(result: Result, pairs: pa.Table) -> dict[str, Any]:
    """Return settings, counts, and what is known of the documents of these pairs."""
    return {
        "schema": SCHEMA,
        "recipe": result.recipe.to_dict(),
        "threshold": result.threshold,
        "method": result.method,
        "metric": result.metric,
        "recall": {"promised": result.recall.promised, "measured": result.recall.measured},
        "documents": result.documents,
        "skipped": [{"id": skipped.id, "reason": skipped.reason} for skipped in result.skipped],
        "flags": [
            {"id": name, "kind": flag.kind, "detail": flag.detail, "count": flag.count}
            for name, found in result.flags.items()
            for flag in found
        ],
        "skip": list(result.uncounted.skip),
        "min_words": result.uncounted.min_words,
        "left_out": _left_out(result, pairs),
        "metadata": [{"id": name} | values.to_dict() for name, values in result.metadata.items()],
    }


def _left_out(result: Result, pairs: pa.Table) -> list[dict[str, Any]]:
    """Return how many words of each document did not count; of the documents of these pairs that have such words."""
    if not result.ignored and not result.uncounted.skip:
        return []
    names = {name for side in "ab" for name in compute().unique(pairs[side]).to_pylist()}
    found = left_out_of(result, names)
    return [{"id": name} | {reason: found[name].get(reason, 0) for reason in REASONS} for name in sorted(found)]


def with_first(result: Result, pairs: pa.Table) -> pa.Table:
    """Return the pairs with a column that names the older document of each, if dates are known."""
    import pyarrow as pa

    known = result.metadata
    if not any(values.date for values in known.values()):
        return pairs
    firsts: list[Any] = []
    for a, b in zip(pairs["a"].to_pylist(), pairs["b"].to_pylist(), strict=True):
        firsts.append({"a": a, "b": b}.get(first_of(known.get(a), known.get(b)) or ""))
    return pairs.append_column("first", pa.array(firsts, result.ids.type))
