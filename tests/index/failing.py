"""A disk whose n-th call fails, once or from then on."""

from __future__ import annotations

import random
import sqlite3
from typing import TYPE_CHECKING

import lookalike as la
from tests.index.disk import on_disk
from tests.index.workload import History, problems_of, small

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["fail_nth_call"]


def fail_nth_call(folder: Path, nth: int, seed: int, *, forever: bool, full: bool) -> bool:
    """Write a history with the n-th call of the file system failing; returns whether it was reached."""
    history, path = History(seed), folder / f"{nth}-{forever}-{full}.db"
    acknowledged, reached, rng = 0, False, random.Random(seed)
    with small():
        la.Index.open(path, create=True).close()
        with on_disk() as disk:
            disk.fail_at, disk.forever, disk.full = nth, forever, full
            try:
                with la.Index.open(path, create=False) as index:
                    for number in range(14):
                        history.change(number).apply(index)
                        acknowledged = number + 1
                        if number in (6, 11):
                            index.compact()
                        index.query("some words", threads=1)
                    assert index.verify().ok or disk.failed
            except la.StoreError as error:
                reached = True
                if not error.remedy:
                    raise
            except sqlite3.Error as error:
                raise AssertionError(f"call {nth}: a raw error: {error}") from error
            reached |= disk.failed > 0
        _, problems = problems_of(path, history, acknowledged, rng)
    assert not problems, f"call {nth}, forever={forever}, full={full}: {problems}"
    return reached
