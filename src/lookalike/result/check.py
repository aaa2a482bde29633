"""What must hold in the parts of a saved result, so that nothing that is read can lead to a wrong answer or a crash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.tables.found import COLUMNS
from lookalike.tables.number_columns import compute, counting, key, permutation, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from lookalike.tables.number_columns import Column

__all__ = ["check_parts", "schemas"]

_SCORES = COLUMNS[2:]


def schemas() -> dict[str, list[pa.Schema]]:
    """Return the columns that each part may have; ids are numbers or texts."""
    import pyarrow as pa

    ids: tuple[pa.DataType, ...] = (pa.int64(), pa.large_string())
    scores: list[tuple[str, pa.DataType]] = [(name, pa.float64()) for name in _SCORES]
    by_number = pa.schema([("a", pa.uint32()), ("b", pa.uint32()), *scores])
    return {
        "ids.arrow": [pa.schema([("id", kind)]) for kind in ids],
        "old_ids.arrow": [pa.schema([("id", kind)]) for kind in ids],
        "classes.arrow": [pa.schema([("class", pa.uint32())])],
        "pairs.arrow": [by_number],
        "lengths.arrow": [pa.schema([("length", pa.uint64())])],
        "order.arrow": [pa.schema([("document", pa.uint32())])],
        "ignored.arrow": [pa.schema([("shingle", pa.uint64())])],
        "templates.arrow": [pa.schema([("shingle", pa.uint64())])],
        "missed.arrow": [by_number],
    }


def check_parts(meta: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> None:
    """Raise `ValueError` that says what is wrong in tables of the right columns."""
    documents = meta["documents"]
    new = documents if meta["old_from"] is None else meta["old_from"]
    rows = dict.fromkeys(("classes.arrow", "lengths.arrow", "order.arrow"), documents)
    rows |= {"ids.arrow": new, "old_ids.arrow": documents - new}
    for name, expected in rows.items():
        _demand(name not in tables or tables[name].num_rows == expected, f"{name} has another length")
    for name in ("ids.arrow", "old_ids.arrow"):
        if name in tables:
            given = whole(tables[name]["id"])
            _demand(compute().count_distinct(given, mode="all").as_py() == len(given), f"{name} has an id twice")
    if "order.arrow" in tables:
        _demand(permutation(tables["order.arrow"]["document"]) is not None, "the order names a document twice")
    _check_numbers(documents, whole(tables["classes.arrow"]["class"]), tables["pairs.arrow"])
    if "missed.arrow" in tables:
        missed = tables["missed.arrow"]
        _check_ends(documents, missed)
        _demand(compute().all(compute().less(missed["a"], new)).as_py() is not False, "two old documents are a pair")
        _check_scores(missed)
    if meta.get("metadata"):
        ids = {
            name for part in ("ids.arrow", "old_ids.arrow") if part in tables for name in tables[part]["id"].to_pylist()
        }
        named = [name for name, _ in meta["metadata"]]
        _demand(set(named) <= ids and len(set(named)) == len(named), "metadata is of other documents")


def _check_numbers(documents: int, classes: Column, pairs: pa.Table) -> None:
    pc = compute()
    every = counting(documents)
    _demand(pc.all(pc.less_equal(classes, every)).as_py() is not False, "a copy comes before its first")
    _demand(classes.take(classes).equals(classes), "the first of a kind is a copy")
    _check_ends(documents, pairs)
    a, b = whole(pairs["a"]), whole(pairs["b"])
    for side in (a, b):
        _demand(classes.take(side).equals(side), "a pair names a copy")
    keys = key(a, b)
    rising = pc.less(keys.slice(0, max(len(keys) - 1, 0)), keys.slice(1))
    _demand(pc.all(rising).as_py() is not False, "pairs are not sorted")
    _check_scores(pairs)


def _check_ends(documents: int, pairs: pa.Table) -> None:
    pc = compute()
    a, b = whole(pairs["a"]), whole(pairs["b"])
    _demand(pc.all(pc.less(a, b)).as_py() is not False, "a pair is turned round")
    _demand(pc.all(pc.less(b, documents)).as_py() is not False, "a pair names a document that is not there")


def _check_scores(pairs: pa.Table) -> None:
    pc = compute()
    for name in _SCORES:
        scores = whole(pairs[name])
        within = pc.and_(pc.greater_equal(scores, 0.0), pc.less_equal(scores, 1.0))
        _demand(pc.all(within).as_py() is not False, "a score is not between 0 and 1")


def _demand(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)
