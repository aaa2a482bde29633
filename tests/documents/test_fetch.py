"""The texts of some documents, read again."""

from __future__ import annotations

import io
import json
import random
import sys
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.feather as pf
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import DocumentError
from lookalike.documents import Both, Kept, Source, open_documents, open_paths
from lookalike.documents.document_source import chosen_texts
from lookalike.documents.file_documents import TextFiles
from lookalike.tables.packed import Texts
from tests.documents.making import docx, zipped

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = [f"text {number} " + "äöü " * (number % 5) for number in range(40)]
KINDS = ["list", "dict", "frame", "folder", "archive", "parquet", "feather", "jsonl", "csv", "json", "stdin", "mixed"]


def fetched(source: Source, numbers: list[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for some, texts in source.fetch(numbers):
        assert len(some) == len(texts) > 0
        assert not found.keys() & set(some)
        found.update(zip(some, texts, strict=True))
    return found


def all_texts(source: Source) -> list[str]:
    return [text for batch in source.batches() for text in batch.texts]


def write(folder: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> Source:
    table = pa.table({"text": [*TEXTS[:20], None, *TEXTS[20:]]})
    lines = "".join(json.dumps({"text": text}) + "\n\n" for text in TEXTS)
    if kind in ("folder", "mixed"):
        (folder / "texts").mkdir()
        for number, text in enumerate(TEXTS):
            (folder / "texts" / f"{number:02}.txt").write_text(text, encoding="utf-8")
        (folder / "texts" / "05a.bin").write_bytes(b"\0\0")
        (folder / "texts" / "07a.docx").write_bytes(docx(["seven"]))
        (folder / "texts" / "08a.zip").write_bytes(zipped({"b.txt": "b", "e.txt": "", "a.txt": "a"}))
    (folder / "t.jsonl").write_text(lines)
    if kind == "stdin":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
        return open_paths(["-"])
    if kind == "archive":
        (folder / "a.zip").write_bytes(zipped({f"{number}.txt": text for number, text in enumerate(TEXTS)}))
    elif kind == "parquet":
        pq.write_table(table, folder / "t.parquet", row_group_size=7)
    elif kind == "feather":
        pf.write_feather(table, folder / "t.feather")
    elif kind == "csv":
        (folder / "t.csv").write_text("text,n\n" + "".join(f"{text},1\n" for text in TEXTS), encoding="utf-8")
    elif kind == "json":
        (folder / "t.json").write_text(json.dumps(TEXTS))
    paths = {"folder": ["texts"], "archive": ["a.zip"], "mixed": ["t.jsonl", "texts"]}.get(kind, [f"t.{kind}"])
    given: dict[str, Any] = {"list": TEXTS, "dict": {str(number): text for number, text in enumerate(TEXTS)}}
    given["frame"] = table
    return open_documents(given[kind]) if kind in given else open_paths([folder / path for path in paths])


@pytest.mark.parametrize("before", [True, False], ids=["after a pass", "at once"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_source(tmp_path: Path, kind: str, before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path, kind, monkeypatch)
    expected = all_texts(source)
    assert len(expected) >= len(TEXTS)
    skipped, notes = source.skipped(), source.notes()
    if not before:
        monkeypatch.setattr(source, "_counts", None, raising=False)
    random.seed(kind)
    for count in (0, 1, 5, len(expected)):
        numbers = sorted(random.sample(range(len(expected)), count))
        assert fetched(source, numbers) == {number: expected[number] for number in numbers}
    assert (source.skipped(), source.notes()) == (skipped, notes)  # those of the full pass
    for kept in (Kept(source), Kept(source, 10)):
        assert fetched(kept, [0, 3]) == {0: expected[0], 3: expected[3]}
        assert all_texts(kept) == all_texts(kept) == expected
        assert fetched(kept, [0, 3]) == {0: expected[0], 3: expected[3]}
        assert kept.is_kept == (kept._limit > 10)


def test_only_the_wanted_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path, "mixed", monkeypatch)
    expected = all_texts(source)
    for number in range(len(TEXTS)):
        if number != 3:
            (tmp_path / "texts" / f"{number:02}.txt").unlink()
    (tmp_path / "t.jsonl").unlink()
    numbers = [len(TEXTS) + 3, len(TEXTS) + 8, len(TEXTS) + 11]  # a text, a document, the second text of an archive
    assert [expected[number] for number in numbers] == [TEXTS[3], "seven", "a"]
    assert fetched(source, numbers) == {number: expected[number] for number in numbers}


@pytest.mark.parametrize("change", ["gone", "empty", "other archive", "broken archive"])
def test_files_that_have_changed(tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path, "folder", monkeypatch)
    all_texts(source)
    wanted = 10 if "archive" in change else 2
    if change == "gone":
        (tmp_path / "texts" / "02.txt").unlink()
    elif change == "empty":
        (tmp_path / "texts" / "02.txt").write_text("")
    else:
        packed = zipped({"b.txt": "b", "c.txt": "c", "a.txt": "a"})
        (tmp_path / "texts" / "08a.zip").write_bytes(packed[: -1 if change == "other archive" else 40])
    with pytest.raises(DocumentError, match=r"(02\.txt|08a\.zip)'?: file has changed since it was read; search again"):
        fetched(source, [wanted])


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "csv"])
def test_tables_that_have_changed(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write(tmp_path, kind, monkeypatch)
    all_texts(source)
    path = tmp_path / f"t.{kind}"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(DocumentError, match="file has changed since it was read; search again"):
        fetched(source, [2])


def test_numbers_that_are_not_there() -> None:
    source = open_documents(pa.table({"text": TEXTS}))
    with pytest.raises(DocumentError, match="has changed since it was read"):
        fetched(source, [len(TEXTS)])
    all_texts(source)
    with pytest.raises(DocumentError, match="has changed since it was read"):
        fetched(source, [len(TEXTS)])
    with pytest.raises(DocumentError, match="has changed since it was read"):
        fetched(open_documents(TEXTS), [len(TEXTS)])
    for wrong in ([3, 2], [1, 1], [-1]):
        for asked in (source, open_documents(TEXTS)):
            with pytest.raises(ValueError, match="must ascend"):
                fetched(asked, wrong)


@pytest.mark.parametrize("known", [True, False])
def test_two_sources_behind_each_other(known: bool) -> None:
    new, old = open_documents(TEXTS[:15]), open_documents({"a": "x", "b": "y"})
    both = Both(new, old, 15 if known else None)
    expected = [*TEXTS[:15], "x", "y"]
    numbers = [0, 14, 15, 16]
    assert fetched(both, numbers) == {number: expected[number] for number in numbers}
    assert all_texts(both) == expected
    assert fetched(both, [16]) == {16: "y"}
    assert fetched(both, [1]) == {1: TEXTS[1]}
    assert both.size().documents == 17
    assert both.identity() == {"new": new.identity(), "old": old.identity()}


def test_large_texts_come_in_portions(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.txt").write_text(str(number) * 5_000_000)
    source = open_paths([tmp_path])
    assert len(list(source.fetch(range(6)))) >= 1
    all_texts(source)
    assert isinstance(source._parts[0], TextFiles)  # type: ignore[attr-defined]
    portions = [(list(numbers), texts.nbytes) for numbers, texts in source.fetch(range(6))]
    assert portions == [([0, 1], 10_000_000), ([2, 3], 10_000_000), ([4, 5], 10_000_000)]
    assert len(list(open_documents(["x" * 5_000_000] * 6).fetch(range(6)))) == 3


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))), st.data())
def test_some_texts_of_a_batch(texts: list[str], data: st.DataObject) -> None:
    places = sorted(data.draw(st.sets(st.sampled_from(range(len(texts)))) if texts else st.just(set())))
    packed = Texts.of(["pad", *texts, "pad"])[1 : 1 + len(texts)]
    assert list(chosen_texts(packed, places)) == [texts[place] for place in places]
