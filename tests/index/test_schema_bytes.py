"""Bytes that are no text, in the part of a file that SQLite quotes in its messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import lookalike as la

if TYPE_CHECKING:
    from pathlib import Path


def test_a_schema_that_is_no_text_is_damage(tmp_path: Path) -> None:
    with la.Index.open(tmp_path / "whole.db") as index:
        index.add({"a": "one two three"})
    whole = (tmp_path / "whole.db").read_bytes()
    first, last = whole.index(b"CREATE TABLE"), whole[:8192].rindex(b"STRICT")
    refused = 0
    for place in range(first, last, 7):
        path = tmp_path / f"{place}.db"
        path.write_bytes(whole[:place] + b"\x8a" + whole[place + 1 :])
        with pytest.raises(la.StoreError):
            la.Index.open(path, create=False)
        refused += 1
    assert refused > 100
