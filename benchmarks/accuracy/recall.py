"""Whether `lsh` and `signatures` find the share of pairs that they promise, counted against the exact join."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, Literal

import pyarrow as pa
import pyarrow.compute as pc

import lookalike as la
from benchmarks import corpus
from benchmarks.accuracy.labelled import Labelled
from benchmarks.measure import is_quick, print_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["METHODS", "NEAR", "RECALLS", "SIGMAS", "generated", "is_kept", "least_allowed", "measure_recalls", "show"]

THRESHOLDS: Final = (0.5, 0.8)
METHODS: Final[tuple[Literal["lsh", "signatures"], ...]] = ("lsh", "signatures")
RECALLS: Final = (0.9, 0.99)
NEAR: Final = 0.05
"""Pairs from the threshold to this much above it are counted apart: a promise is tightest there."""
SIGMAS: Final = 4.0


def generated() -> Iterator[tuple[Labelled, dict[str, la.Recipe]]]:
    """Yield generated collections, each with the recipes to try on it. Nothing in them is labelled."""
    latin, cjk = (1500, 500) if is_quick() else (10_000, 3_000)
    words, characters = la.PRESETS["prose"].recipe, la.PRESETS["edited"].recipe
    english = Labelled("generated, English-like", list(corpus.texts(latin)), [], [])
    yield english, {"prose": words, "edited": characters}
    yield Labelled("generated, Chinese-like", list(corpus.texts(cjk, "cjk")), [], []), {"cjk": la.PRESETS["cjk"].recipe}


def measure_recalls(
    collection: Labelled, recipes: Mapping[str, la.Recipe], recalls: Sequence[float]
) -> list[dict[str, Any]]:
    """Search with every recipe, at every threshold, for every recall."""
    rows = []
    for name, recipe in recipes.items():
        truth = _exact_pairs(collection, recipe)
        rows += [_measure(collection, name, recipe, truth, at, recall) for at in THRESHOLDS for recall in recalls]
    return rows


def _exact_pairs(collection: Labelled, recipe: la.Recipe) -> pa.Table:
    """Return key and Jaccard of all pairs at the lowest threshold or above."""
    found = la.find(collection.texts, min(THRESHOLDS), method="exact", recipe=recipe).pairs
    return pa.Table.from_arrays([collection.keys(found), found["jaccard"]], names=["key", "jaccard"])


def _measure(
    collection: Labelled, name: str, recipe: la.Recipe, truth: pa.Table, threshold: float, recall: float
) -> dict[str, Any]:
    """Search by every method and count against the exact join."""
    at_least = truth.filter(pc.greater_equal(truth["jaccard"], pa.scalar(threshold)))
    near = at_least.filter(pc.less(at_least["jaccard"], pa.scalar(threshold + NEAR)))
    row: dict[str, Any] = {
        "collection": collection.name,
        "preset": name,
        "threshold": threshold,
        "asked": recall,
        "pairs": at_least.num_rows,
        "near": near.num_rows,
    }
    for method in METHODS:
        try:
            result = la.find(collection.texts, threshold, method=method, recall=recall, recipe=recipe)
        except la.BandsError:
            row[method] = None  # no bands of so few hashes find that share
            continue
        keys = collection.keys(result.pairs).combine_chunks()
        row[method] = {
            "promised": result.recall.promised,
            "recall": _share(pc.is_in(at_least["key"], value_set=keys)),
            "recall_near": _share(pc.is_in(near["key"], value_set=keys)),
            "precision": _share(pc.is_in(keys, value_set=at_least["key"].combine_chunks())),
        }
    return row


def _share(true: pa.Array[Any] | pa.ChunkedArray[Any]) -> float:
    """Return the share of true values; of none, all."""
    return float(pc.sum(true).as_py() or 0) / len(true) if len(true) else 1.0


def least_allowed(promised: float, pairs: int) -> float:
    """Return the least share of so many pairs that chance alone may find of what was promised."""
    return promised - SIGMAS * math.sqrt(promised * (1 - promised) / max(pairs, 1)) - 1 / max(pairs, 1)


def is_kept(row: Mapping[str, Any], method: str) -> bool:
    """Tell whether the pairs near the threshold, and all, are found as promised, up to chance."""
    found = row[method]
    if found is None:
        return True
    counted = ((found["recall"], row["pairs"]), (found["recall_near"], row["near"]))
    return all(measured >= least_allowed(found["promised"], pairs) for measured, pairs in counted)


def show(title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print what was found."""

    def cells(row: Mapping[str, Any], method: str) -> list[str]:
        found = row[method]
        if found is None:
            return ["no bands", "", ""]
        low = "" if is_kept(row, method) else " LOW"
        return [f"{found['recall']:.4f}{low}", f"{found['recall_near']:.4f}", f"{found['promised']:.4f}"]

    table = []
    for row in rows:
        head = [row["preset"], f"{row['threshold']:g}", f"{row['pairs']:,}", f"{row['near']:,}"]
        precision = min((row[method]["precision"] for method in METHODS if row[method]), default=1.0)
        table.append([*head, *cells(row, "lsh"), *cells(row, "signatures"), f"{precision:.4f}"])
    headers = ["preset", "at", "pairs", f"near (+{NEAR})", "lsh recall", "near", "promised"]
    print_table(title, [*headers, "signatures", "near", "promised", "precision"], table)
