"""The archive of a saved result: its members, none of which is larger than the file says, and nothing packed in them.

The members are read as they were written: stored in a zip archive without a comment, Arrow tables without compression
and without dictionaries. Anything else is refused before it is unpacked, so no small file becomes a large one.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zipfile
from typing import IO, TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pyarrow as pa

__all__ = ["META", "NotAnArchiveError", "fingerprint", "open_archive", "read_batches", "read_meta", "read_tables"]

META: Final = "meta.json"
_MOST_META: Final = 1 << 30
"""No real `meta.json` is larger: it lists what was skipped, a hundred bytes each."""
_MOST_MEMBERS: Final = 32
_LARGEST_LIST: Final = 1 << 16
"""Bytes of the list of members, which stands at the end of the archive."""
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
