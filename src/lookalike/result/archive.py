"""The archive of a saved result: its members, and what must hold in them, whoever wrote the file.

The members are read as they were written: stored in a zip archive without a comment, Arrow tables without compression
and without dictionaries. Anything else is refused before it is unpacked, so no small file becomes a large one. Every
field of `meta.json` has its type and its range, so that nothing read from it leads to a wrong answer.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zipfile
from itertools import pairwise
from typing import IO, TYPE_CHECKING, Any, Final

from lookalike.engine import METRICS
from lookalike.engine.bands import MOST_HASHES
from lookalike.presets import PRESETS
from lookalike.tables.spelling import (
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

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

    from lookalike.tables.spelling import Check

__all__ = [
    "META",
    "NotAnArchiveError",
    "check_meta",
    "demand",
    "fingerprint",
    "open_archive",
    "read_batches",
    "read_meta",
    "read_tables",
]

META: Final = "meta.json"
_MOST_META: Final = 1 << 30
"""No real `meta.json` is larger: it lists what was skipped, a hundred bytes each."""
_MOST_MEMBERS: Final = 32
_LARGEST_LIST: Final = 1 << 16
"""Bytes of the list of members, which is at the end of the archive."""
_END: Final = struct.Struct("<4s4H2IH")
_END_64: Final = struct.Struct("<4sQ2H2I4Q")
_LOCATOR_64: Final = struct.Struct("<4sIQI")
_END_SIGNATURE: Final = b"PK\5\6"
_LOCATOR_SIGNATURE: Final = b"PK\6\7"
_BLOCK: Final = 1 << 20
_ARROW: Final = b"ARROW1\0\0"
_RECORD_BATCH: Final = 3
"""What the header of an Arrow message is, by its number in the format."""
_COMPRESSION: Final = 3
"""The field of a record batch that says how it is compressed."""


class NotAnArchiveError(Exception):
    """A file of another program."""


def open_archive(stream: IO[bytes]) -> zipfile.ZipFile:
    """Open an archive with few members that fit into the file, each with a name of its own; else `ValueError`."""
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    start = stream.read(4)
    if not zipfile.is_zipfile(stream):
        if start == b"PK\3\4":
            raise ValueError("its end is missing")
        raise NotAnArchiveError
    _check_end(stream, size)
    archive = zipfile.ZipFile(stream)
    members = archive.infolist()
    if META not in archive.namelist():
        raise NotAnArchiveError
    if len(set(archive.namelist())) < len(members):
        raise ValueError("a part is there twice")
    for member in members:
        if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
            raise ValueError(f"{member.filename} has another size than it should")
    if sum(member.file_size for member in members) > size:
        raise ValueError("its parts are larger than the file")
    return archive


def _check_end(stream: IO[bytes], size: int) -> None:
    """Refuse a long list of members before anybody reads it: its size is told at the end, twice in a large archive."""
    tail_size = _END_64.size + _LOCATOR_64.size + _END.size
    stream.seek(max(0, size - tail_size))
    tail = stream.read(tail_size).rjust(tail_size, b"\0")
    signature, _, _, _, members, length, _, _ = _END.unpack_from(tail, tail_size - _END.size)
    if _LOCATOR_64.unpack_from(tail, _END_64.size)[0] == _LOCATOR_SIGNATURE:
        *_, members, length, _ = _END_64.unpack_from(tail)
    if signature != _END_SIGNATURE or members > _MOST_MEMBERS or length > _LARGEST_LIST:
        raise NotAnArchiveError


def read_meta(archive: zipfile.ZipFile) -> bytes:
    """Return `meta.json`."""
    if archive.getinfo(META).file_size > _MOST_META:
        raise ValueError(f"{META} has another size than it should")
    return archive.read(META)


def read_tables(
    archive: zipfile.ZipFile, expected: Mapping[str, Mapping[str, Any]], schemas: Mapping[str, list[pa.Schema]]
) -> dict[str, pa.Table]:
    """Return the tables, by their names: each has its fingerprint, and one of the schemas that it may have."""
    tables = {}
    for name, told in expected.items():
        if archive.getinfo(name).file_size != told["bytes"]:
            raise ValueError(f"{name} has another size than it should")
        data = archive.read(name)
        if fingerprint(data) != told:
            raise ValueError(f"{name} is not what was written")
        tables[name] = _table(data, name, schemas[name])
    return tables


def read_batches(
    archive: zipfile.ZipFile, name: str, told: Mapping[str, Any], schemas: list[pa.Schema]
) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a table that may be large, one at a time; its fingerprint is looked at before the first."""
    import pyarrow as pa

    seen, size = hashlib.sha256(), 0
    with archive.open(name) as stream:
        while block := stream.read(_BLOCK):
            seen.update(block)
            size += len(block)
    if {"bytes": size, "sha256": seen.hexdigest()} != told:
        raise ValueError(f"{name} is not what was written")
    with archive.open(name) as stream:
        if stream.read(len(_ARROW)) != _ARROW:
            raise ValueError(f"{name} is no Arrow file")
        messages = pa.ipc.MessageReader.open_stream(pa.PythonFile(stream))  # type: ignore[arg-type]
        yield from _batches(messages, name, _schema(messages, name, schemas))


def fingerprint(data: bytes) -> dict[str, Any]:
    """Return size and SHA-256."""
    return {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}


# -- Arrow -----------------------------------------------------------------------------------------------------------


def _table(data: bytes, name: str, schemas: list[pa.Schema]) -> pa.Table:
    """Read an Arrow file message by message, from its start: the list at its end is not needed, nor believed."""
    import pyarrow as pa

    if not data.startswith(_ARROW):
        raise ValueError(f"{name} is no Arrow file")
    messages = pa.ipc.MessageReader.open_stream(pa.py_buffer(data).slice(len(_ARROW)))
    schema = _schema(messages, name, schemas)
    return pa.Table.from_batches(_batches(messages, name, schema), schema)


def _schema(messages: pa.MessageReader, name: str, schemas: list[pa.Schema]) -> pa.Schema:
    import pyarrow as pa

    first = messages.read_next_message()
    if first.type != "schema":
        raise ValueError(f"{name} is no Arrow file")
    schema = pa.ipc.read_schema(first)
    if not any(schema.equals(allowed) for allowed in schemas):
        raise ValueError(f"{name} has other columns")
    return schema


def _batches(messages: pa.MessageReader, name: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    for message in iter(lambda: _next(messages), None):
        if message.type != "record batch" or _is_compressed(memoryview(message.metadata)):
            raise ValueError(f"{name} is packed")
        batch = pa.ipc.read_record_batch(message, schema)
        batch.validate(full=True)
        if any(column.null_count for column in batch.columns):
            raise ValueError(f"{name} has missing values")
        yield batch


def _next(messages: pa.MessageReader) -> pa.Message | None:
    try:
        return messages.read_next_message()
    except StopIteration:
        return None


def _is_compressed(message: memoryview) -> bool:
    """Return whether an Arrow message is a record batch whose buffers are compressed, or something else altogether.

    The message is a table of the FlatBuffers format: Arrow has checked that its offsets are right.
    """
    (root,) = struct.unpack_from("<I", message)
    kind, header = _field(message, root, 1), _field(message, root, 2)
    if not kind or not header or message[kind] != _RECORD_BATCH:
        return True
    (distance,) = struct.unpack_from("<I", message, header)
    return _field(message, header + distance, _COMPRESSION) != 0


def _field(message: memoryview, table: int, number: int) -> int:
    """Return where the field of a table is, or 0 if it is not there."""
    (distance,) = struct.unpack_from("<i", message, table)
    fields = table - distance
    (size,) = struct.unpack_from("<H", message, fields)
    place = 4 + 2 * number
    if place + 2 > size:
        return 0
    (offset,) = struct.unpack_from("<H", message, fields + place)
    return table + offset if offset else 0


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
    (
        *("limited", "flags", "old_flags", "origin", "skip", "min_words", "short_passages", "threshold_preset"),
        *("metadata", "platforms", "authors", "old_skipped"),
    )
)


def check_meta(meta: Mapping[str, Any]) -> None:
    """Raise `ValueError` that says what is wrong; fields that are not known do not matter."""
    for name, check in _FIELDS.items():
        if name not in meta:
            demand(name in _MAY_BE_MISSING, f"it has no {name}")
        else:
            demand(check(meta[name]), f"{name} is not what it should be")
    documents, audit = meta["documents"], meta["audit"]
    thresholds = (0.0, meta["searched_threshold"], meta["threshold"], 1.0)
    demand(all(x <= y for x, y in pairwise(thresholds)), "a threshold is not between 0 and 1")
    demand((meta["old_from"] or 0) <= documents, "old_from is beyond the last document")
    demand(meta.get("limited", 0) <= documents, "more documents are limited than there are")
    demand(meta["bands"] is None or meta["bands"][0] * meta["bands"][1] <= MOST_HASHES, "bands and rows are too many")
    short = [pair for one in meta.get("short_passages", ()) for pair in one["pairs"]]
    demand(all(a < b < documents for a, b, *_ in short), "a pair of short passages names a document that is not there")
    if (authors := meta.get("authors")) is not None:
        demand(len(authors["of"]) == documents, "authors are of other documents")
        demand(all(place is None or place < len(authors["names"]) for place in authors["of"]), "an author has no name")
    if audit is not None:
        demand(
            audit["found"] <= audit["true_pairs"] and audit["drawn"] <= audit["of"] <= documents,
            "the counts of the audit contradict each other",
        )
        demand(
            (audit["measured"] is None) == (audit["interval"] is None),
            "audit has a measured share without an interval, or the reverse",
        )
    demand((audit is not None) == ("missed.arrow" in meta["parts"]), "audit and missed.arrow belong together")
    needed = {"ids.arrow", "classes.arrow", "pairs.arrow"}
    has_old, of_old = meta["old_from"] is not None, "old_ids.arrow" in meta["parts"]
    demand(has_old == of_old, "old_from and old_ids.arrow belong together")
    if (meta.get("origin") or {}).get("paths"):  # texts that are read again are checked against their lengths
        needed.add("lengths.arrow")
    demand(needed <= set(meta["parts"]), "a part is missing")


def demand(holds: bool, problem: str) -> None:
    """Raise `ValueError` that says what is wrong, unless something holds."""
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


_is_short_pair: Final = row(whole(), whole(), is_share, is_share, is_share)


def _is_short(value: Any) -> bool:
    """Return whether a value is what a search at one threshold left out for its short passages."""
    known = object_of(threshold=is_share, count=whole(), pairs=list_of(_is_short_pair))(value)
    return known and len(value["pairs"]) <= value["count"]


_FLAGS: Final = map_of(is_text, list_of(_is_flag))
_FIELDS: Final[dict[str, Check]] = {
    "lookalike": is_text,
    "recipe": is_text,
    "digest": is_text,
    "searched_threshold": is_share,
    "threshold": is_share,
    "threshold_preset": or_none(one_of(*(name for name, preset in PRESETS.items() if preset.is_for_finding))),
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
    **dict.fromkeys(("skipped", "old_skipped"), list_of(row(is_text, is_text, is_text))),
    "flags": _FLAGS,
    "old_flags": _FLAGS,
    "notes": list_of(is_text),
    "timings": map_of(is_text, number(0.0, _MOST_SECONDS)),
    "skip": list_of(one_of("quotes", "references")),
    "min_words": or_none(whole(1)),
    "short_passages": list_of(_is_short),
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
