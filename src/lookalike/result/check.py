"""What must hold in the parts of a saved result, so that nothing that is read can lead to a wrong answer or a crash."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from lookalike.tables.columns import compute, counting, key, permutation, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from lookalike.tables.columns import Column

__all__ = ["check_parts"]


def check_parts(meta: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> None:
    """Raise `ValueError` that says what is wrong."""
    import pyarrow as pa

    documents = meta["documents"]
    kinds: dict[str, dict[str, Any]] = {
        "classes.arrow": {"class": pa.uint32()},
        "pairs.arrow": {name: pa.uint32() for name in "ab"}
        | {name: pa.float64() for name in ("jaccard", "containment_a", "containment_b")},
        "lengths.arrow": {"length": pa.uint64()},
        "order.arrow": {"document": pa.uint32()},
        "ignored.arrow": {"shingle": pa.uint64()},
        "templates.arrow": {"shingle": pa.uint64()},
    }
    for name, columns in kinds.items():
        if name in tables:
            _demand(tables[name].schema.equals(pa.schema(list(columns.items()))), f"{name} has other columns")
            _demand(not any(column.null_count for column in tables[name].columns), f"{name} has gaps")
    ids = tables["ids.arrow"]
    _demand(ids.column_names == ["id"] and ids.schema.field(0).type in (pa.int64(), pa.large_string()), "other ids")
    _demand(ids["id"].null_count == 0, "an id is missing")
    for name in ("ids.arrow", "classes.arrow", "lengths.arrow", "order.arrow"):
        _demand(name not in tables or tables[name].num_rows == documents, f"{name} has another length")
    if "order.arrow" in tables:
        _demand(permutation(tables["order.arrow"]["document"]) is not None, "the order names a document twice")
    _check_numbers(documents, whole(tables["classes.arrow"]["class"]), tables["pairs.arrow"])
    _check_settings(meta, documents)


def _check_numbers(documents: int, classes: Column, pairs: pa.Table) -> None:
    pc = compute()
    every = counting(documents)
    _demand(pc.all(pc.less_equal(classes, every)).as_py() is not False, "a copy comes before its first")
    _demand(classes.take(classes).equals(classes), "the first of a kind is a copy")
    a, b = whole(pairs["a"]), whole(pairs["b"])
    _demand(pc.all(pc.less(a, b)).as_py() is not False, "a pair is turned round")
    _demand(pc.all(pc.less(b, documents)).as_py() is not False, "a pair names a document that is not there")
    for side in (a, b):
        _demand(classes.take(side).equals(side), "a pair names a copy")
    keys = key(a, b)
    rising = pc.less(keys.slice(0, max(len(keys) - 1, 0)), keys.slice(1))
    _demand(pc.all(rising).as_py() is not False, "pairs are not sorted")
    for name in ("jaccard", "containment_a", "containment_b"):
        scores = whole(pairs[name])
        within = pc.and_(pc.greater_equal(scores, 0.0), pc.less_equal(scores, 1.0))
        _demand(pc.all(within).as_py() is not False, "a score is not between 0 and 1")


def _check_settings(meta: Mapping[str, Any], documents: int) -> None:
    _demand(meta["linkage"] in ("star", "linked"), "unknown linkage")
    _demand(meta["metric"] in ("jaccard", "containment", "bag"), "unknown metric")
    thresholds = (0.0, meta["searched_threshold"], meta["threshold"], 1.0)
    _demand(all(x <= y for x, y in pairwise(thresholds)), "a threshold is not between 0 and 1")
    old_from = meta["old_from"]
    _demand(old_from is None or 0 <= old_from <= documents, "old documents begin nowhere")
    origin = meta.get("origin") or {}
    _demand(isinstance(origin, dict) and isinstance(origin.get("command", ""), str), "it does not say how it was made")
    for name in ("paths", "against"):
        names = origin.get(name, [])
        _demand(isinstance(names, list) and all(isinstance(one, str) for one in names), "a path is no text")
    _demand(isinstance(origin.get("reading", {}), dict), "it does not say how it was read")


def _demand(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)
