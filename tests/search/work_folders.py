"""Searches in work folders: tables to search, and searches that are stopped at any record."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.search.workdir import WorkDir
from tests.search.making import RECIPE

if TYPE_CHECKING:
    from pathlib import Path

SHEET = "this sheet was given to everybody in the room"
posix = pytest.mark.skipif(os.name != "posix", reason="about locks and limits of POSIX systems")
PROGRAM = """
import sys
from pathlib import Path
import lookalike as la
from lookalike.search import search_run
search_run.Run._held = lambda *_: 60_000
print("begun", flush=True)
result = la.find([Path(path) for path in sys.argv[2:]], 0.6, recipe=la.Recipe(k=2, hashes=24), method="lsh",
                 work=sys.argv[1], threads=2)
print(sorted(map(tuple, (pair.values() for pair in result.pairs.to_pylist()))))
"""
RECORDS = ("write", "keep_candidates", "add")


def write(path: Path, texts: list[str], first: int = 0, group: int = 60) -> Path:
    ids = [f"p{first + i}" for i in range(len(texts))]
    pq.write_table(pa.table({"id": ids, "text": texts}), path, row_group_size=group)
    return path


def search(source: Any, **options: Any) -> la.Result:
    return la.find(source, 0.6, **{"recipe": RECIPE, "method": "lsh", **options})


class Stopped(BaseException):
    """What a killed process would be: nothing below the outermost caller sees it."""


def stop_at(patch: pytest.MonkeyPatch, step: int, *, after: bool) -> list[str]:
    """Stop before or after the given record; the names of all records that were begun."""
    begun: list[str] = []

    def stepping(name: str, real: Any) -> Any:
        def record(self: WorkDir, *given: Any) -> None:
            begun.append(name)
            stopped = len(begun) == step
            if stopped and not after:
                raise Stopped
            real(self, *given)
            if stopped:
                raise Stopped

        return record

    for name in RECORDS:
        patch.setattr(WorkDir, name, stepping(name, getattr(WorkDir, name)))
    return begun


def signed(patch: pytest.MonkeyPatch) -> list[int]:
    """Count the documents of which rows are written."""
    counts: list[int] = []
    real = WorkDir.write

    def counting(self: WorkDir, entries: Any, data: bytes) -> None:
        counts.append(sum(entry[2] for entry in entries))
        real(self, entries, data)

    patch.setattr(WorkDir, "write", counting)
    return counts


def contents(folder: Path) -> dict[str, Any]:
    """Everything in a folder: targets of links, contents and times of files."""
    return {
        path.name: path.readlink() if path.is_symlink() else (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.iterdir()
        if path.is_symlink() or path.is_file()
    }
