"""Saved results: one file, versioned, checked against damage, and nothing in it that could be run.

The file is a zip archive without compression, so that any tool can look into it:

* ``meta.json``: the format's name and version, the recipe and its digest, what was asked and promised, and for each
  of the other parts its size and SHA-256;
* ``ids.arrow``, ``classes.arrow``, ``pairs.arrow``: Arrow IPC files; ``old_ids.arrow``, ``lengths.arrow``,
  ``order.arrow``, ``ignored.arrow``, ``templates.arrow`` and ``missed.arrow`` if there are such.

Texts are not in it.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from array import array
from dataclasses import asdict, astuple, dataclass
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.documents import Flag, Skipped
from lookalike.documents.metadata import metadata_of
from lookalike.engine.bands import Bands
from lookalike.errors import DocumentError, LookalikeError, earlier_format
from lookalike.opening import open_error, shown_url
from lookalike.recipe import Recipe
from lookalike.remote import open_named
from lookalike.result.archive import (
    META,
    NotAnArchiveError,
    check_meta,
    demand,
    fingerprint,
    open_archive,
    read_meta,
    read_tables,
)
from lookalike.result.audit import Audit
from lookalike.result.pairs import Authors, NamedPairs
from lookalike.result.view import Recall, SearchedDocuments, SearchSettings
from lookalike.tables.columns import (
    COLUMNS,
    DocumentIds,
    Found,
    Pairs,
    ShortPairs,
    as_bytes,
    compute,
    counting,
    key,
    numbers,
    permutation,
    whole,
)
from lookalike.tables.output_files import new_file
from lookalike.tables.packed import Ids
from lookalike.tables.spelling import parse_json
from lookalike.text.excluded import Exclusions, check_kinds

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents.metadata import Metadata
    from lookalike.result import Result
    from lookalike.tables.columns import Column

__all__ = ["FORMAT", "load", "save"]

FORMAT: Final = "lookalike-result/3"
"""The name and version of the file; it changes when a reader of today could not read it rightly."""
_EARLIER: Final = ("lookalike-result/1", "lookalike-result/2")
_SAVED: Final = (
    "searched_threshold",
    "threshold",
    "threshold_preset",
    "method",
    "metric",
    "linkage",
    "old_from",
    "timings",
    "limited",
)


def save(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result to a file, which replaces an older one when it is whole."""
    parts = {name: _ipc(table) for name, table in _tables(result).items()}
    meta = _meta(result) | {"parts": {name: fingerprint(data) for name, data in parts.items()}}
    with new_file(path, private=True) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        # A path may have bytes that are no UTF-8: what stands for them is written as JSON spells it.
        _add(archive, META, json.dumps(meta, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace"))
        for name, data in parts.items():
            _add(archive, name, data)


@dataclass(frozen=True, slots=True)
class Saved:
    """A result as its file tells it."""

    documents: SearchedDocuments
    search: SearchSettings
    """As it was searched; `threshold` is the one it was saved at."""
    found: Found
    origin: Mapping[str, Any] | None
    threshold: float
    metadata: dict[Any, Metadata]
    platforms: tuple[str, ...]
    authors: Authors | None
    audit: Audit | None


def load(path: str | os.PathLike[str]) -> Saved:
    """Read a file that `save` wrote."""
    name = shown_url(os.fspath(path))
    try:
        with open_named(path, name) as stream:
            return _read(stream, name)
    except DocumentError:
        raise
    except OSError as error:
        raise open_error(name, error, "copy it into a file first") from None
    except ValueError as error:
        raise _damaged(name, str(error)) from None
    except Exception as error:  # noqa: BLE001 — whatever a damaged part makes the readers of zip, JSON and Arrow raise
        raise _damaged(name, f"{type(error).__name__}: {error}") from None


# -- writing ---------------------------------------------------------------------------------------------------------


def _tables(result: Result) -> dict[str, pa.Table]:
    import pyarrow as pa

    found = result._searched  # noqa: SLF001 — the file is a form of the result itself
    tables = {
        "ids.arrow": pa.table({"id": result.ids}),
        "classes.arrow": pa.table({"class": numbers(found.classes)}),
        "pairs.arrow": found.pairs.table,
    }
    if result.old_ids is not None:
        tables["old_ids.arrow"] = pa.table({"id": result.old_ids})
    if result.lengths is not None:
        tables["lengths.arrow"] = pa.table({"length": result.lengths})
    if result.order is not None:
        tables["order.arrow"] = pa.table({"document": pa.array(result.order, pa.uint32())})
    if result.excluded_shingles:
        tables["ignored.arrow"] = pa.table({"shingle": pa.array(result.excluded_shingles, pa.uint64())})
    if result.exclusions.templates:
        tables["templates.arrow"] = pa.table({"shingle": pa.array(result.exclusions.templates, pa.uint64())})
    if result.audited is not None:
        tables["missed.arrow"] = result.audited.missed_pairs.by_number.table
    return tables


def _meta(result: Result) -> dict[str, Any]:
    bands, audited = result.bands, result.audited
    return {
        "format": FORMAT,
        "lookalike": _native.build_info()["version"],
        "recipe": str(result.recipe),
        "digest": result.recipe.digest,
        **{name: getattr(result, name) for name in _SAVED},
        "notes": result._notes,  # noqa: SLF001 — as above
        "documents": result.documents,
        "candidates": result.candidates,
        "bands": None if bands is None else [bands.bands, bands.rows],
        "recall": _recall_values(result._searched_recall),  # noqa: SLF001 — as above
        "audit": None if audited is None else audited.to_dict(),
        "skipped": [astuple(skipped) for skipped in result.new_skipped],
        "old_skipped": [astuple(skipped) for skipped in result.old_skipped],
        "flags": _flag_values(result.flags),
        "old_flags": _flag_values(result.old_flags),
        "origin": result.origin,
        "skip": result.exclusions.skip,
        "min_words": result.exclusions.min_words,
        "short_passages": [_short_values(short) for short in result._searched.short],  # noqa: SLF001 — as above
        "metadata": [[name, known.to_dict()] for name, known in result.metadata.items()],
        "platforms": result.platforms,
        "authors": None if result.authors is None else _author_values(result.authors),
    }


def _short_values(short: ShortPairs) -> dict[str, Any]:
    pairs = zip(*(short.pairs.values(name) for name in COLUMNS), strict=True)
    return {"threshold": short.threshold, "count": short.count, "pairs": list(pairs)}


def _author_values(authors: Authors) -> dict[str, Any]:
    values = asdict(authors)
    return values | {"left_out": values.pop("omitted")}


def _recall_values(recall: Recall) -> dict[str, Any]:
    values = asdict(recall)
    del values["limited"]  # `_SAVED` has it
    del values["of_documents"]  # a result is of pairs
    return {name: value for name, value in values.items() if name != "jaccard" or value is not None}


def _flag_values(flags: Mapping[str, list[Flag]]) -> dict[str, list[tuple[Any, ...]]]:
    return {name: [astuple(flag) for flag in found] for name, found in flags.items()}


def _ipc(table: pa.Table) -> bytes:
    import pyarrow as pa

    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    """Write a part with a fixed date, so that equal results are equal files."""
    archive.writestr(zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0)), data)


# -- reading ---------------------------------------------------------------------------------------------------------


def _read(stream: IO[bytes], path: str) -> Saved:
    try:
        archive = open_archive(stream)
    except NotAnArchiveError:
        raise _foreign(path) from None
    with archive:
        meta = parse_json(read_meta(archive))
        _check_format(meta, path)
        check_meta(meta)
        if set(archive.namelist()) != {META, *meta["parts"]}:
            raise ValueError("its parts are not those that it lists")
        tables = read_tables(archive, meta["parts"], _schemas())
    _check_parts(meta, tables)
    try:
        return _saved(meta, tables)
    except LookalikeError as error:  # a recipe or a date that is none
        raise ValueError(str(error)) from None


def _check_format(meta: Any, path: str) -> None:
    given = meta.get("format") if isinstance(meta, dict) else None
    if given == FORMAT:
        return
    if given in _EARLIER:
        raise DocumentError(path, "file", *earlier_format("result"))
    if isinstance(given, str) and given.startswith("lookalike-result/"):
        problem = f"has the format {given[:40]}, and this version of lookalike reads {FORMAT}"
        raise DocumentError(path, "file", problem, "update lookalike, or search again")
    raise _foreign(path)


def _saved(meta: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> Saved:
    recipe = Recipe.parse(meta["recipe"])
    if recipe.digest != meta["digest"]:
        raise ValueError("the digest is of another recipe")
    pairs = _pairs(tables["pairs.arrow"])
    short = tuple(_short(**values) for values in meta.get("short_passages", ()))
    found = Found(as_bytes(tables["classes.arrow"]["class"]), *pairs.columns, meta["candidates"], short)
    old = tables.get("old_ids.arrow")
    documents = SearchedDocuments(
        ids=whole(tables["ids.arrow"]["id"]),
        lengths=whole(tables["lengths.arrow"]["length"]) if "lengths.arrow" in tables else None,
        old_ids=None if old is None else whole(old["id"]),
        skipped=[Skipped(*skipped) for skipped in meta["skipped"]],
        old_skipped=[Skipped(*skipped) for skipped in meta.get("old_skipped", ())],
        notes=meta["notes"],
        flags=_flags(meta.get("flags", {})),
        old_flags=_flags(meta.get("old_flags", {})),
    )
    search = SearchSettings(
        recipe=recipe,
        threshold=meta["searched_threshold"],
        threshold_preset=meta.get("threshold_preset"),
        method=meta["method"],
        metric=meta["metric"],
        bands=None if meta["bands"] is None else Bands(*meta["bands"]),
        recall=_recall(**meta["recall"]),
        linkage=meta["linkage"],
        order=_column(tables, "order.arrow"),
        ignored=_column(tables, "ignored.arrow") or (),
        exclusions=_exclusions(meta, tables),
        limited=meta.get("limited", 0),
        timings=meta["timings"],
    )
    metadata = {name: metadata_of(known) for name, known in meta.get("metadata") or ()}
    audit = None
    if meta["audit"] is not None:
        parts = [tables["ids.arrow"], *([] if old is None else [old])]
        ids = DocumentIds(*(Ids.from_arrow(whole(part["id"])) for part in parts))
        audit = Audit(**meta["audit"], missed_pairs=NamedPairs(_pairs(tables["missed.arrow"]), ids))
    known = (metadata, tuple(meta.get("platforms") or ()), _authors(meta.get("authors")))
    return Saved(documents, search, found, meta.get("origin"), meta["threshold"], *known, audit)


def _authors(told: Mapping[str, Any] | None) -> Authors | None:
    if told is None:
        return None
    return Authors(told["rule"], tuple(told["names"]), tuple(told["of"]), told["left_out"])  # the name in the file


def _short(threshold: float, count: int, pairs: Sequence[Sequence[Any]]) -> ShortPairs:
    columns = (array("I" if place < 2 else "d", (pair[place] for pair in pairs)) for place in range(len(COLUMNS)))
    return ShortPairs(threshold, count, Pairs(*(column.tobytes() for column in columns)))


def _pairs(table: pa.Table) -> Pairs:
    return Pairs(*(as_bytes(table[name]) for name in COLUMNS))


def _flags(values: Mapping[str, list[list[Any]]]) -> dict[str, list[Flag]]:
    return {name: [_flag(*flag) for flag in flags] for name, flags in values.items()}


def _flag(kind: str, detail: str, count: int, places: Sequence[tuple[int, str]] = ()) -> Flag:
    return Flag(kind, detail, count, tuple((at, letter) for at, letter in places))


def _exclusions(meta: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> Exclusions:
    templates = tuple(_column(tables, "templates.arrow") or ())
    return Exclusions(check_kinds(meta.get("skip", ())), meta.get("min_words"), templates)


def _recall(
    promised: float, measured: float | None, interval: list[float] | None, jaccard: float | None = None
) -> Recall:
    return Recall(promised, measured, None if interval is None else (interval[0], interval[1]), jaccard)


def _column(tables: Mapping[str, pa.Table], name: str) -> list[int] | None:
    values: list[Any] | None = tables[name].column(0).to_pylist() if name in tables else None
    return values


def _foreign(path: str) -> DocumentError:
    return DocumentError(path, "file", "is not a saved result of lookalike", "make one with result.save(…) or --save")


def _damaged(path: str, why: str) -> DocumentError:
    short = " ".join(why.split())[:80]
    return DocumentError(path, "file", f"is damaged ({short})", "take another copy of it, or search again")


# -- what must hold in the tables ------------------------------------------------------------------------------------


def _schemas() -> dict[str, list[pa.Schema]]:
    """Return the columns that each part may have; ids are numbers or texts."""
    import pyarrow as pa

    ids: tuple[pa.DataType, ...] = (pa.int64(), pa.large_string())
    scores: list[tuple[str, pa.DataType]] = [(name, pa.float64()) for name in COLUMNS[2:]]
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


def _check_parts(meta: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> None:
    """Raise `ValueError` that says what is wrong in tables of the right columns."""
    documents = meta["documents"]
    new = documents if meta["old_from"] is None else meta["old_from"]
    rows = dict.fromkeys(("classes.arrow", "lengths.arrow", "order.arrow"), documents)
    rows |= {"ids.arrow": new, "old_ids.arrow": documents - new}
    for name, expected in rows.items():
        demand(name not in tables or tables[name].num_rows == expected, f"{name} has another length")
    for name in ("ids.arrow", "old_ids.arrow"):
        if name in tables:
            given = whole(tables[name]["id"])
            demand(compute().count_distinct(given, mode="all").as_py() == len(given), f"{name} has an id twice")
    if "order.arrow" in tables:
        demand(permutation(tables["order.arrow"]["document"]) is not None, "the order names a document twice")
    _check_numbers(documents, whole(tables["classes.arrow"]["class"]), tables["pairs.arrow"])
    if "missed.arrow" in tables:
        missed = tables["missed.arrow"]
        _check_ends(documents, missed)
        demand(compute().all(compute().less(missed["a"], new)).as_py() is not False, "two old documents are a pair")
        _check_scores(missed)
    if meta.get("metadata"):
        ids = {
            name for part in ("ids.arrow", "old_ids.arrow") if part in tables for name in tables[part]["id"].to_pylist()
        }
        named = [name for name, _ in meta["metadata"]]
        demand(set(named) <= ids and len(set(named)) == len(named), "metadata is of other documents")


def _check_numbers(documents: int, classes: Column, pairs: pa.Table) -> None:
    pc = compute()
    every = counting(documents)
    demand(pc.all(pc.less_equal(classes, every)).as_py() is not False, "a copy comes before its first")
    demand(classes.take(classes).equals(classes), "the first of a kind is a copy")
    _check_ends(documents, pairs)
    a, b = whole(pairs["a"]), whole(pairs["b"])
    for side in (a, b):
        demand(classes.take(side).equals(side), "a pair names a copy")
    keys = key(a, b)
    rising = pc.less(keys.slice(0, max(len(keys) - 1, 0)), keys.slice(1))
    demand(pc.all(rising).as_py() is not False, "pairs are not sorted")
    _check_scores(pairs)


def _check_ends(documents: int, pairs: pa.Table) -> None:
    pc = compute()
    a, b = whole(pairs["a"]), whole(pairs["b"])
    demand(pc.all(pc.less(a, b)).as_py() is not False, "a pair is turned round")
    demand(pc.all(pc.less(b, documents)).as_py() is not False, "a pair names a document that is not there")


def _check_scores(pairs: pa.Table) -> None:
    pc = compute()
    for name in COLUMNS[2:]:
        scores = whole(pairs[name])
        within = pc.and_(pc.greater_equal(scores, 0.0), pc.less_equal(scores, 1.0))
        demand(pc.all(within).as_py() is not False, "a score is not between 0 and 1")
