"""A work folder with a search that was stopped, and ways to change it so that its checksums still fit."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.search import workdir
from lookalike.search.workdir import WorkDir
from tests.search.making import RECIPE, mixed_pages, spilling

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["FILES", "HELD", "forge", "make_tables", "manifest", "seal", "search", "stop_while_verifying"]

FILES = ("rows.bin", "parts.bin", "pairs.bin", "hot.bin", "verified.bin")
HELD = 3_000
"""Bytes of sets that are verified at a time: so few make several portions."""


class _StoppedError(BaseException):
    """What a killed process would be."""


def make_tables(folder: Path, documents: int) -> list[Path]:
    """Write two tables with near-duplicates in several row groups."""
    texts = mixed_pages(documents, seed=5)
    paths = [folder / f"{n}.parquet" for n in range(2)]
    for n, path in enumerate(paths):
        part = texts[n * documents // 2 :][: documents // 2]
        pq.write_table(pa.table({"id": [f"p{n}-{i}" for i in range(len(part))], "text": part}), path, row_group_size=40)
    return paths


def search(tables: list[Path], work: Path | None = None) -> la.Result:
    """Search the tables; within `spilling`, in files."""
    return la.find(tables, 0.6, recipe=RECIPE, method="lsh", work=work)


def stop_while_verifying(tables: list[Path], work: Path, portions: int) -> None:
    """Leave a work folder with a search that was stopped when so many portions were verified."""
    done = 0
    add = WorkDir.add

    def stopping(self: WorkDir, found: bytes) -> None:
        nonlocal done
        add(self, found)
        done += 1
        if done == portions:
            raise _StoppedError

    with spilling(held=HELD), pytest.MonkeyPatch.context() as patch:
        patch.setattr(WorkDir, "add", stopping)
        with pytest.raises(_StoppedError):
            search(tables, work)


def manifest(work: Path) -> dict[str, Any]:
    """Return what the manifest says."""
    made: dict[str, Any] = json.loads((work / "manifest.json").read_text(encoding="utf-8"))
    return made


def forge(work: Path, contents: dict[str, bytes] | None = None, **changes: Any) -> None:
    """Put other contents into files, and write a manifest that says they are right."""
    made = manifest(work)
    for name, data in (contents or {}).items():
        (work / name).write_bytes(data)
        made["lengths"][name], made["checksums"][name] = len(data), zlib.crc32(data)
    seal(work, made | changes)


def seal(work: Path, made: dict[str, Any]) -> None:
    """Write a manifest with a checksum that fits."""
    (work / "manifest.json").write_text(json.dumps(workdir._sealed(made)), encoding="utf-8")
