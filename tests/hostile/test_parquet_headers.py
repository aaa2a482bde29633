"""Small Parquet files that claim billions of values, or expand to gigabytes: refused at once, and not believed."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from tests.faults.child import PEAK
from tests.faults.child import run as run_child

if TYPE_CHECKING:
    from pathlib import Path

# Memory that the system refuses to the core ends the process: with a limit it does so on every machine.
READING = (
    PEAK
    + """
import resource, sys, time
from pathlib import Path
import lookalike as la
from lookalike import _native
from lookalike.documents.raw_input import LIMITS
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
start = time.process_time()
try:
    _native.TableFile.open(sys.argv[1], "parquet", limits=LIMITS.native()).read("text", None, 2)
except _native.TableError as error:
    print(error.kind, peak() >> 20, round(time.process_time() - start))
try:
    la.find([Path(sys.argv[1])])
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


# -- texts that are stored as changes of others -----------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_texts_in_every_encoding_are_found(tmp_path: Path, encoding: str) -> None:
    texts = [f"the tide rises and falls because the moon pulls the water {n % 40}" for n in range(300)]
    table = pa.table({"id": [f"d{n}" for n in range(300)], "text": [*texts[:-1], None]})
    found = []
    for name in ("PLAIN", encoding):
        path = tmp_path / f"{name}.parquet"
        pq.write_table(table, path, use_dictionary=False, column_encoding={"text": name}, row_group_size=120)
        for skip in ((), ("quotes",)):  # by the native reader, if it can; through pyarrow
            result = la.find([path], 0.9, skip=skip)
            found.append((result.ids.to_pylist(), result.pairs.to_pylist()))
    assert all(one == found[0] for one in found)


UNFOLDING = (
    PEAK
    + """
import sys
from pathlib import Path
import lookalike as la
try:
    la.find([Path(sys.argv[1])])
except la.DocumentError as error:
    print(peak() >> 20, error.problem)
"""
)


def test_a_text_that_expands_from_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    texts = [*(f"small text number {n}" for n in range(400)), *["x y z " * 2_000_000] * 150]
    table = pa.table({"text": pa.array(texts, pa.large_string())})
    kinds = {"text": "DELTA_BYTE_ARRAY"}
    pq.write_table(table, path, use_dictionary=False, compression="zstd", column_encoding=kinds, write_statistics=False)
    assert path.stat().st_size < 10_000
    memory, problem = run_child(UNFOLDING, str(path)).split(" ", 1)
    assert "expands to more than" in problem
    assert int(memory) < 600  # 1.8 GB at once
