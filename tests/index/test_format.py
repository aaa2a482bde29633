"""A file of this format can be opened, and is right; one of an earlier format is refused."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from tests.index.make_format_fixture import ADDED, PLACE, REMOVED
from tests.index.workload import contents

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_of_this_format(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    shutil.copy(PLACE, path)
    assert path.stat().st_size < 100_000
    kept = {id: text for id, text in ADDED.items() if id not in REMOVED}
    with la.Index.open(path, create=False) as index:
        check = index.verify()
        assert check.ok, check.problems
        assert index.info()["segments"] == 1
        assert index.info()["tail"] == 6
        assert index.recipe == la.Recipe(k=3)
        assert contents(index) == kept
        expected = la.find(kept, 0.6, recipe=la.Recipe(k=3)).pairs.to_pylist()
        assert len(expected) > 5
        assert index.pairs().to_pylist() == expected
        for hits in index.query(ADDED):
            assert (hits.query in hits.ids) == (hits.query in kept)
        index.add({"new": ADDED["essay-3"]})
        assert "new" in index.query(ADDED["essay-3"]).ids
        assert index.verify().ok


@pytest.mark.parametrize("create", [None, False])
def test_a_file_of_format_1_is_refused(tmp_path: Path, create: bool | None) -> None:
    path = tmp_path / "old.db"
    shutil.copy(PLACE.with_name("format-1.db"), path)
    before = path.read_bytes()
    with pytest.raises(
        la.StoreError, match=r"old\.db was written .*hash format 1; .*index\.get\(id\) for id in index"
    ) as caught:
        la.Index.open(path, create=create)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before
    with la.Index.open(tmp_path / "new.db") as index, pytest.raises(la.StoreError, match="exists already"):
        index.backup(path)
