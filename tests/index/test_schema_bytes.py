"""Bytes that are no text, in the part of a file that SQLite quotes in its messages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import lookalike as la

if TYPE_CHECKING:
    from pathlib import Path


def test_a_schema_that_is_no_text_is_damage(tmp_path: Path) -> None:
    with la.Index.open(tmp_path / "whole.db") as index:
        index.add({"a": "one two three"})
    whole = (tmp_path / "whole.db").read_bytes()
    statements = re.finditer(rb"CREATE TABLE.*?STRICT", whole[:8192], re.DOTALL)
    places = [place for found in statements for place in range(*found.span(), 7)]
    assert len(places) > 100
    for place in places:
        path = tmp_path / f"{place}.db"
        path.write_bytes(whole[:place] + b"\x8a" + whole[place + 1 :])
        with pytest.raises(la.StoreError):
            la.Index.open(path, create=False)
