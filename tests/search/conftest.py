"""Tables, work folders, and a search that was stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.search.making import mixed_pages, spilling
from tests.search.work_folders import Stopped, search, stop_at, write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write(tmp_path / "pages.parquet", mixed_pages(400, seed=5))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    """Three tables: each is an input of its own, whose rows are written at its end."""
    texts = mixed_pages(300, seed=5)
    return [write(tmp_path / f"{n}.parquet", texts[n * 100 : n * 100 + 100], n * 100) for n in range(3)]


@pytest.fixture
def stopped(tables: list[Path], work: Path) -> Iterator[Path]:
    """A folder with a search that was stopped while it verified."""
    with spilling(held=3_000):
        with pytest.MonkeyPatch.context() as patch:
            stop_at(patch, 12, after=True)
            with pytest.raises(Stopped):
                search(tables, work=work)
        yield work
