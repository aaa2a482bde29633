"""The files that are measured: complete or not there, in row groups, the same documents in every format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from benchmarks import corpus, files
from benchmarks.corpus import Corpus
from benchmarks.hot import KINDS, Pages

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.hot import Hot

COUNT = 200


def test_file_holds_the_texts_and_a_smaller_one_is_its_beginning(tmp_path: Path) -> None:
    few, many = (pq.read_table(files.parquet(count, folder=tmp_path)) for count in (50, COUNT))
    assert many["text"].to_pylist() == list(corpus.texts(COUNT))
    assert few.to_pylist() == many.slice(0, 50).to_pylist()
    assert len(set(many["id"].to_pylist())) == COUNT
    assert [path.suffix for path in tmp_path.iterdir()] == [".parquet"] * 2


def test_row_groups_have_ten_thousand_documents(tmp_path: Path) -> None:
    path = files.hot("edited", 2 * files.ROW_GROUP + 1, folder=tmp_path)
    read = pq.ParquetFile(path).metadata
    assert [read.row_group(at).num_rows for at in range(read.num_row_groups)] == [files.ROW_GROUP] * 2 + [1]


def test_json_lines_hold_the_same_documents(tmp_path: Path) -> None:
    source = files.parquet(COUNT, folder=tmp_path)
    plain, packed = files.json_lines(source), files.json_lines(source, zstd=True)
    with pa.CompressedInputStream(str(packed), "zstd") as stream:
        assert stream.read() == plain.read_bytes()
    lines = plain.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == pq.read_table(source).to_pylist()


def test_text_files_hold_the_same_documents(tmp_path: Path) -> None:
    source = files.parquet(COUNT, folder=tmp_path)
    folder = files.text_files(source)
    assert files.text_files(source) == folder
    rows = pq.read_table(source).to_pylist()
    assert {path.stem: path.read_text(encoding="utf-8") for path in folder.iterdir()} == {
        row["id"]: row["text"] for row in rows
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source.name, folder.name])


def test_new_documents_are_half_copies_of_old_ones(tmp_path: Path) -> None:
    ids = pq.read_table(files.new_documents(COUNT, folder=tmp_path))["id"].to_pylist()
    numbers = [int(str(name)[1:]) for name in ids]
    sources = [Corpus().plan(number).source for number in numbers]
    assert len(set(numbers)) == 10
    assert min(numbers) >= COUNT
    assert sources.count(None) == 5
    assert all(source is None or source < COUNT for source in sources)


def test_dialects_share_no_text_but_have_the_same_copies(tmp_path: Path) -> None:
    paths = files.dialects(COUNT, 2, folder=tmp_path)
    read = [pq.read_table(path) for path in paths]
    assert not set(read[0]["id"].to_pylist()) & set(read[1]["id"].to_pylist())
    texts = [[str(text) for text in table["text"].to_pylist()] for table in read]
    assert not set(texts[0]) & set(texts[1])
    pairs = [la.find(each, 0.8, method="exact").pairs.num_rows for each in texts]
    assert pairs[0] == pairs[1] > 0


def test_a_folder_that_could_not_be_made_leaves_nothing(tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        folder.mkdir()
        (folder / "part.txt").touch()
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        files.kept(tmp_path / "folder", fail)
    assert not list(tmp_path.iterdir())


def test_a_file_that_could_not_be_made_leaves_nothing(tmp_path: Path) -> None:
    def fail(path: Path) -> None:
        path.write_text("a part", encoding="utf-8")
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        files.kept(tmp_path / "x", fail)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("kind", "least", "most"), [("edited", 0.8, 0.95), ("boilerplate", 0.55, 0.75)])
def test_hot_pages_are_all_alike(kind: Hot, least: float, most: float) -> None:
    pages = Pages(kind)
    texts = [pages.text(number) for number in range(30)]
    assert len(set(texts)) == 30
    assert {len(text.split()) for text in texts} == {300}
    assert texts[7] == Pages(kind).text(7)
    scores = [la.jaccard(a, b) for at, a in enumerate(texts) for b in texts[at + 1 :]]
    assert least < min(scores) <= max(scores) < most


def test_every_kind_of_hot_pages_is_known() -> None:
    assert KINDS == ("edited", "boilerplate")
