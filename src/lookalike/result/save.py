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
from dataclasses import asdict, astuple, dataclass
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike import _native
from lookalike.documents import Flag, Skipped
from lookalike.documents.metadata import metadata_of
from lookalike.engine.bands import Bands
from lookalike.errors import DocumentError, LookalikeError
from lookalike.opening import open_error, open_input
from lookalike.recipe import Recipe
from lookalike.result.archive import META, NotAnArchiveError, fingerprint, open_archive, read_meta, read_tables
from lookalike.result.audit import Audit
from lookalike.result.authors import Authors
from lookalike.result.pairs import NamedPairs
from lookalike.result.saved_checks import check_meta, check_parts, schemas
from lookalike.result.view import Recall, SearchedDocuments, SearchSettings
from lookalike.tables.found import COLUMNS, DocumentIds, Found, Pairs
from lookalike.tables.json import parse_json
from lookalike.tables.number_columns import as_bytes, numbers, whole
from lookalike.tables.output_files import new_file
from lookalike.tables.packed import Ids
from lookalike.text.excluded import Exclusions, check_kinds
from lookalike.urls import shown_url

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from lookalike.documents.metadata import Metadata
    from lookalike.result.result import Result

__all__ = ["FORMAT", "load", "save"]

FORMAT: Final = "lookalike-result/2"
"""The name and version of the file; it changes when a reader of today could not read it rightly."""
_SAVED: Final = (
    "searched_threshold",
    "threshold",
    "method",
    "metric",
    "linkage",
    "old_from",
    "notes",
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
        with open_input(path, name) as stream:
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
    if result.ignored:
        tables["ignored.arrow"] = pa.table({"shingle": pa.array(result.ignored, pa.uint64())})
    if result.uncounted.templates:
        tables["templates.arrow"] = pa.table({"shingle": pa.array(result.uncounted.templates, pa.uint64())})
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
        "documents": result.documents,
        "candidates": result.candidates,
        "bands": None if bands is None else [bands.bands, bands.rows],
        "recall": _recall_values(result._searched_recall),  # noqa: SLF001 — as above
        "audit": None if audited is None else audited.to_dict(),
        "skipped": [[skipped.id, skipped.reason, skipped.detail] for skipped in result.skipped],
        "flags": _flag_values(result.flags),
        "old_flags": _flag_values(result.old_flags),
        "origin": result.origin,
        "skip": result.uncounted.skip,
        "min_words": result.uncounted.min_words,
        "short_pairs": result.uncounted.short_pairs,
        "metadata": [[name, known.to_dict()] for name, known in result.metadata.items()],
        "platforms": result.platforms,
        "authors": None if result.authors is None else asdict(result.authors),
    }


def _recall_values(recall: Recall) -> dict[str, Any]:
    return {name: value for name, value in asdict(recall).items() if name != "jaccard" or value is not None}


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
        tables = read_tables(archive, meta["parts"], schemas())
    check_parts(meta, tables)
    try:
        return _saved(meta, tables)
    except LookalikeError as error:  # a recipe or a date that is none
        raise ValueError(str(error)) from None


def _check_format(meta: Any, path: str) -> None:
    given = meta.get("format") if isinstance(meta, dict) else None
    if given == FORMAT:
        return
    if isinstance(given, str) and given.startswith("lookalike-result/"):
        problem = f"has the format {given[:40]}, and this version of lookalike reads {FORMAT}"
        raise DocumentError(path, "file", problem, "update lookalike, or search again")
    raise _foreign(path)


def _saved(meta: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> Saved:
    recipe = Recipe.parse(meta["recipe"])
    if recipe.digest != meta["digest"]:
        raise ValueError("the digest is of another recipe")
    pairs = _pairs(tables["pairs.arrow"])
    found = Found(as_bytes(tables["classes.arrow"]["class"]), *pairs.columns, candidates=meta["candidates"])
    old = tables.get("old_ids.arrow")
    documents = SearchedDocuments(
        ids=whole(tables["ids.arrow"]["id"]),
        lengths=whole(tables["lengths.arrow"]["length"]) if "lengths.arrow" in tables else None,
        old_ids=None if old is None else whole(old["id"]),
        skipped=[Skipped(*skipped) for skipped in meta["skipped"]],
        notes=meta["notes"],
        flags=_flags(meta.get("flags", {})),
        old_flags=_flags(meta.get("old_flags", {})),
    )
    search = SearchSettings(
        recipe=recipe,
        threshold=meta["searched_threshold"],
        method=meta["method"],
        metric=meta["metric"],
        bands=None if meta["bands"] is None else Bands(*meta["bands"]),
        recall=_recall(**meta["recall"]),
        linkage=meta["linkage"],
        order=_column(tables, "order.arrow"),
        ignored=_column(tables, "ignored.arrow") or (),
        uncounted=_uncounted(meta, tables),
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
    return Authors(told["rule"], tuple(told["names"]), tuple(told["of"]), told["left_out"])


def _pairs(table: pa.Table) -> Pairs:
    return Pairs(*(as_bytes(table[name]) for name in COLUMNS))


def _flags(values: Mapping[str, list[list[Any]]]) -> dict[str, list[Flag]]:
    return {name: [_flag(*flag) for flag in flags] for name, flags in values.items()}


def _flag(kind: str, detail: str, count: int, places: Sequence[tuple[int, str]] = ()) -> Flag:
    return Flag(kind, detail, count, tuple((at, letter) for at, letter in places))


def _uncounted(meta: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> Exclusions:
    templates = tuple(_column(tables, "templates.arrow") or ())
    return Exclusions(check_kinds(meta.get("skip", ())), meta.get("min_words"), templates, meta.get("short_pairs", 0))


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
