"""One of something is called one, wherever it is counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import parquet

import lookalike as la

if TYPE_CHECKING:
    from pathlib import Path


def test_one_of_something(tmp_path: Path) -> None:
    assert repr(la.sign(["one two three"])).startswith("<Signatures: 1 document × 256 hashes")
    parquet.write_table(pa.table({"text": ["one two three"]}), tmp_path / "t.parquet")
    assert any("has 1 parquet file and no texts" in note for note in la.find(tmp_path).notes)
    texts = [f"one two three four five {number} {number + 1}" for number in range(100, 106)]
    assert la.find(texts, common=0.9).notes == ("excluded 1 shingle found in at least 6 of 6 documents",)
