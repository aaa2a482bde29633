"""Files of every version of the format can be opened, and are right."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import lookalike as la
from tests.index.make_format_fixture import ADDED, PLACE, REMOVED
from tests.index.workload import contents

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_of_format_1(tmp_path: Path) -> None:
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
