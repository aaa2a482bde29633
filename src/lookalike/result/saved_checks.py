"""What must hold in a saved result, whoever wrote the file, so that nothing read from it leads to a wrong answer.

Every field of `meta.json` has its type and its range, and the tables fit each other.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from lookalike.engine.bands import MOST_HASHES
from lookalike.engine.strategy import METRICS
from lookalike.tables.found import COLUMNS
from lookalike.tables.json import (
    is_flag,
    is_share,
    is_text,
    is_typed,
    list_of,
    map_of,
    number,
    object_of,
    object_with,
    one_of,
    or_none,
    row,
    some_of,
    whole,
)
from lookalike.tables.number_columns import compute, counting, key, permutation
from lookalike.tables.number_columns import whole as one_piece

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from lookalike.tables.json import Check
    from lookalike.tables.number_columns import Column

__all__ = ["check_meta", "check_parts", "schemas"]

_MOST_DOCUMENTS: Final = 2**32 - 2
_MOST_SECONDS: Final = 1e12

# -- the fields ------------------------------------------------------------------------------------------------------

_PARTS: Final = ("ids", "old_ids", "classes", "pairs", "lengths", "order", "ignored", "templates", "missed")
_READING: Final = object_with(
    text_column=or_none(is_typed),
    id_column=or_none(is_typed),
    include=list_of(is_typed),
    exclude=list_of(is_typed),
    encoding=is_typed,
    hidden=is_flag,
)
_PLACES: Final = list_of(row(whole(), is_text))
_AUTHORS: Final = object_of(rule=is_typed, names=list_of(is_text), of=list_of(or_none(whole())), left_out=whole())
_MAY_BE_MISSING: Final = frozenset(
    {"limited", "flags", "old_flags", "origin", "skip", "min_words", "short_pairs", "metadata", "platforms", "authors"}
)

_SCORES = COLUMNS[2:]


def check_meta(meta: Mapping[str, Any]) -> None:
    """Raise `ValueError` that says what is wrong; fields that are not known do not matter."""
    for name, check in _FIELDS.items():
        if name not in meta:
            _demand(name in _MAY_BE_MISSING, f"it has no {name}")
        else:
            _demand(check(meta[name]), f"{name} is not what it should be")
    documents, audit = meta["documents"], meta["audit"]
    thresholds = (0.0, meta["searched_threshold"], meta["threshold"], 1.0)
    _demand(all(x <= y for x, y in pairwise(thresholds)), "a threshold is not between 0 and 1")
    _demand((meta["old_from"] or 0) <= documents, "old_from is beyond the last document")
    _demand(meta.get("limited", 0) <= documents, "more documents are limited than there are")
    _demand(meta["bands"] is None or meta["bands"][0] * meta["bands"][1] <= MOST_HASHES, "bands and rows are too many")
    if (authors := meta.get("authors")) is not None:
        _demand(len(authors["of"]) == documents, "authors are of other documents")
        _demand(all(place is None or place < len(authors["names"]) for place in authors["of"]), "an author has no name")
    if audit is not None:
        _demand(
            audit["found"] <= audit["true_pairs"] and audit["drawn"] <= audit["of"] <= documents,
            "the counts of the audit contradict each other",
        )
        _demand(
            (audit["measured"] is None) == (audit["interval"] is None),
            "audit has a measured share without an interval, or the reverse",
        )
    _demand((audit is not None) == ("missed.arrow" in meta["parts"]), "audit and missed.arrow belong together")
    needed = {"ids.arrow", "classes.arrow", "pairs.arrow"}
    has_old, of_old = meta["old_from"] is not None, "old_ids.arrow" in meta["parts"]
    _demand(has_old == of_old, "old_from and old_ids.arrow belong together")
    if (meta.get("origin") or {}).get("paths"):  # texts that are read again are checked against their lengths
        needed.add("lengths.arrow")
    _demand(needed <= set(meta["parts"]), "a part is missing")


def _demand(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)


def _is_interval(value: Any) -> bool:
    return row(is_share, is_share)(value) and bool(value[0] <= value[1])


def _is_id(value: Any) -> bool:
    return is_text(value) or whole(-(2**63))(value)


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and set(value) <= set("0123456789abcdef")


_RECALL: Final[dict[str, Check]] = {"measured": or_none(is_share), "interval": or_none(_is_interval)}


def _is_recall(value: Any) -> bool:
    """Return whether a value is a recall; by cosine or Euclidean distance it also says of which pairs it is."""
    usual: dict[str, Check] = {"promised": is_share, **_RECALL}
    return object_of(**usual)(value) or object_of(**usual, jaccard=is_share)(value)


def _is_flag(value: object) -> bool:
    """Return whether a value is a flag; one of an earlier version has no places of letters."""
    return row(is_text, is_text, whole())(value) or row(is_text, is_text, whole(), _PLACES)(value)


_FLAGS: Final = map_of(is_text, list_of(_is_flag))
_FIELDS: Final[dict[str, Check]] = {
    "lookalike": is_text,
    "recipe": is_text,
    "digest": is_text,
    "searched_threshold": is_share,
    "threshold": is_share,
    "method": one_of("exact", "brute", "lsh", "signatures"),
    "metric": one_of(*METRICS),
    "linkage": one_of("star", "linked"),
    "bands": or_none(row(whole(1, MOST_HASHES), whole(1, MOST_HASHES))),
    "documents": whole(0, _MOST_DOCUMENTS),
    "candidates": whole(),
    "old_from": or_none(whole()),
    "limited": whole(),
    "recall": _is_recall,
    "audit": or_none(object_of(drawn=whole(), of=whole(), true_pairs=whole(), found=whole(), **_RECALL)),
    "skipped": list_of(row(is_text, is_text, is_text)),
    "flags": _FLAGS,
    "old_flags": _FLAGS,
    "notes": list_of(is_text),
    "timings": map_of(is_text, number(0.0, _MOST_SECONDS)),
    "skip": list_of(one_of("quotes", "references")),
    "min_words": or_none(whole(1)),
    "short_pairs": whole(),
    "metadata": list_of(row(_is_id, some_of(name=is_text, author=is_text, date=is_text, label=is_text, file=is_text))),
    "platforms": list_of(is_text),
    "authors": or_none(_AUTHORS),
    "origin": or_none(
        object_with(
            command=is_text,
            paths=list_of(is_typed),
            against=list_of(is_typed),
            reading=_READING,
            left_out=list_of(is_typed),
        )
    ),
    "parts": map_of(one_of(*(f"{name}.arrow" for name in _PARTS)), object_of(bytes=whole(), sha256=_is_digest)),
}


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
            given = one_piece(tables[name]["id"])
            _demand(compute().count_distinct(given, mode="all").as_py() == len(given), f"{name} has an id twice")
    if "order.arrow" in tables:
        _demand(permutation(tables["order.arrow"]["document"]) is not None, "the order names a document twice")
    _check_numbers(documents, one_piece(tables["classes.arrow"]["class"]), tables["pairs.arrow"])
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
    a, b = one_piece(pairs["a"]), one_piece(pairs["b"])
    for side in (a, b):
        _demand(classes.take(side).equals(side), "a pair names a copy")
    keys = key(a, b)
    rising = pc.less(keys.slice(0, max(len(keys) - 1, 0)), keys.slice(1))
    _demand(pc.all(rising).as_py() is not False, "pairs are not sorted")
    _check_scores(pairs)


def _check_ends(documents: int, pairs: pa.Table) -> None:
    pc = compute()
    a, b = one_piece(pairs["a"]), one_piece(pairs["b"])
    _demand(pc.all(pc.less(a, b)).as_py() is not False, "a pair is turned round")
    _demand(pc.all(pc.less(b, documents)).as_py() is not False, "a pair names a document that is not there")


def _check_scores(pairs: pa.Table) -> None:
    pc = compute()
    for name in _SCORES:
        scores = one_piece(pairs[name])
        within = pc.and_(pc.greater_equal(scores, 0.0), pc.less_equal(scores, 1.0))
        _demand(pc.all(within).as_py() is not False, "a score is not between 0 and 1")
