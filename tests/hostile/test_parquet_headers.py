"""Parquet files of a few hundred bytes whose headers claim billions of values: refused at once, and not believed."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.faults.child import PEAK
from tests.faults.child import run as run_child

if TYPE_CHECKING:
    from pathlib import Path

# Memory that the system refuses to the core ends the process: with a limit it does so on every machine.
READING = (
    PEAK
    + """
import resource, sys, time
import lookalike as la
from lookalike import _native
from lookalike.documents.limits import LIMITS
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
start = time.process_time()
try:
    _native.TableFile.open(sys.argv[1], "parquet", limits=LIMITS.native()).read("text", None, 2)
except _native.TableError as error:
    print(error.kind, peak() >> 20, round(time.process_time() - start))
try:
    la.find([sys.argv[1]])
except la.LookalikeError as error:
    assert not isinstance(error, la.InternalError), error
"""
)
BILLIONS = b"\xff\xff\xff\xff\x07"
"""2³¹ − 1, seven bits in a byte."""


def read(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    kind, memory, seconds = run_child(READING, str(path)).rsplit(" ", 2)
    assert int(memory) < 200
    assert int(seconds) < 10
    return kind


def good(path: Path, encoding: str) -> bytes:
    pq.write_table(
        pa.table({"text": [f"text number {n}" for n in range(6)]}),
        path,
        compression="none",
        use_dictionary=False,
        column_encoding={"text": encoding},
        write_statistics=False,
        store_schema=False,
    )
    return path.read_bytes()


def test_lengths_of_billions_of_texts(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    data = good(path, "DELTA_LENGTH_BYTE_ARRAY")
    lengths = b"\x80\1\4\6"  # blocks of 128 in 4 parts, 6 values
    assert data.count(lengths) == 1
    for claimed in (BILLIONS, b"\xff" * 6 + b"\x7f"):
        start = data.index(lengths) + 3
        assert read(path, data[:start] + claimed + data[start + len(claimed) :]) == "expands"


def test_a_dictionary_of_billions_of_values(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"text": ["a"] * 6}), path, compression="none", write_statistics=False, store_schema=False)
    data = path.read_bytes()
    header = b"\x4c\x15\2"  # the seventh field of the header of a page, in it the first: one value
    assert data.count(header) == 1
    start = data.index(header) + 2
    # What follows moves by four bytes; the dictionary is read before anybody misses them.
    made = data[:start] + b"\xfe\xff\xff\xff\x0f" + data[start + 1 :]
    assert read(path, made) in ("damaged", "unreadable")


@pytest.mark.parametrize("kind", [b"\xf1", b"\xf2"])
def test_flags_without_end_in_an_unknown_field(tmp_path: Path, kind: bytes) -> None:
    path = tmp_path / "x.parquet"
    data = good(path, "PLAIN")
    (length,) = struct.unpack_from("<I", data, len(data) - 8)
    footer = data[-8 - length : -8]
    assert footer.endswith(b"\0")
    unknown = b"\x09\xc8\1" + kind + BILLIONS  # field 100, a list
    footer = footer[:-1] + unknown * 200 + b"\0"
    made = data[: -8 - length] + footer + struct.pack("<I", len(footer)) + b"PAR1"
    assert read(path, made) == "unreadable"
