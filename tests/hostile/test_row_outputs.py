"""Rows that are written: row groups that would fill the memory, and folders whose names try to lead elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pytest
from pyarrow import parquet

from lookalike.cli import main
from tests.faults.child import PEAK, run

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST: Final = 500
"""Megabytes that the writer may take, pyarrow included."""

WRITE: Final = (
    PEAK
    + """
import os, sys
import pyarrow as pa
from lookalike.tables.row_writers import ParquetRows

schema = pa.schema([("text", pa.large_string())])
with open(os.devnull, "wb") as stream:
    rows = ParquetRows(stream, schema, "snappy", 10**9)
    for _ in range(200):
        text = os.urandom(2 << 20).hex()
        rows.write(pa.RecordBatch.from_arrays([pa.array([text], pa.large_string())], schema=schema))
    rows.close()
print(peak() // 1_000_000)
"""
)


def test_a_row_group_ends_before_it_fills_the_memory() -> None:
    """The input claims a billion rows in each group; 800 MiB are written."""
    assert int(run(WRITE)) < MOST


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    yield
    assert sorted(path.name for path in tmp_path.iterdir()) == ["work"], "nothing is written elsewhere"


@pytest.mark.parametrize("name", ["a=..", "a=%2E%2E%2F%2E%2E%2Fx", "a=", "a=b=c", "a=\\..\\x", "a=é%FF", "a=%00"])
def test_names_of_folders_stay_names(name: str) -> None:
    folder = Path("in", name)
    folder.mkdir(parents=True)
    parquet.write_table(pa.table({"text": ["one two", "three four"]}), folder / "t.parquet")
    assert main(["dedupe", "in", "-o", "kept/", "--quiet"]) == 0
    assert [path.as_posix() for path in Path("kept").rglob("*.parquet")] == [f"kept/{name}/part-00000.parquet"]
    assert main(["dedupe", "in", "-o", "kept.jsonl", "--quiet"]) == 0
    assert len(Path("kept.jsonl").read_text("utf-8").splitlines()) == 2
