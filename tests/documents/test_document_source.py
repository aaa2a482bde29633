"""How a source is known again."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from lookalike.documents import Batch, Kept, Size, Skipped, Source, open_documents, open_paths
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def test_a_file_rewritten_at_the_same_size_and_time(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "one"}\n' * 50_000)
    status = path.stat()
    first = open_paths([path]).identity()
    assert first == open_paths([path]).identity() == Kept(open_paths([path])).identity()
    assert json.loads(json.dumps(first)) == first
    assert (first["name"], first["bytes"], len(first["sha256"])) == (path.as_posix(), status.st_size, 64)
    for place in (10, status.st_size // 2, status.st_size - 5):
        data = bytearray(path.read_bytes())
        data[place] ^= 1
        path.write_bytes(data)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert open_paths([path]).identity() != first
        data[place] ^= 1
        path.write_bytes(data)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert open_paths([path]).identity() == first
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    assert open_paths([path]).identity() != first


def test_how_it_is_read_belongs_to_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    found = [open_paths([path], text_column=column).identity()["sha256"] for column in ("a", "b")]
    assert found[0] != found[1]
    texts = [open_paths([tmp_path], encoding=encoding, exclude=["x"]).identity() for encoding in ("auto", "utf-8")]
    assert texts == texts


def test_folders_of_many_files(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number:02}.txt").write_text("same size")
    first = open_paths([tmp_path]).identity()
    assert first["bytes"] == 180
    assert open_paths([tmp_path]).identity() == first
    (tmp_path / "15.txt").write_text("other one")  # not among the samples: its time tells
    assert open_paths([tmp_path]).identity() != first
    second = open_paths([tmp_path]).identity()
    (tmp_path / "15.txt").rename(tmp_path / "15b.txt")
    assert open_paths([tmp_path]).identity() != second
    (tmp_path / "15b.txt").unlink()
    source = open_paths([tmp_path])
    (tmp_path / "14.txt").unlink()
    assert source.identity()["bytes"] == 18 * 9  # a file that is gone is no error here


class Other(Source):
    """A source of somebody else."""

    name = "other"

    def __init__(self, text: str) -> None:
        self.text = text

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        yield Batch(Ids(range(1)), Texts.of([self.text]))

    def skipped(self) -> list[Skipped]:
        return []

    def notes(self) -> list[str]:
        return []

    def size(self) -> Size:
        return Size(1, 3)


def stdin(text: str) -> Source:
    sys.stdin = io.TextIOWrapper(io.BytesIO(text.encode()))
    return open_paths(["-"])


@pytest.mark.parametrize(
    ("make", "one", "other"),
    [
        (open_documents, ["one", "two"], ["one", "twx"]),
        (open_documents, {"a": "one"}, {"b": "one"}),
        (open_documents, pa.table({"text": ["one"]}), pa.table({"text": ["two"]})),
        (open_documents, pa.table({"text": ["one"]}), pa.table({"body": ["one"]})),
        (open_documents, [], ["one"]),
        (Other, "one", "two"),
        (stdin, "one", "two"),
    ],
    ids=["list", "dict", "frame", "columns", "empty", "other", "stdin"],
)
def test_what_is_in_memory(make: Any, one: Any, other: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", sys.stdin)
    assert make(one).identity() == make(one).identity() != make(other).identity()
