"""Signatures made while the documents are read: the same answers, and nothing left behind where something fails."""

from __future__ import annotations

import threading
from array import array
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike import _native
from lookalike.documents import Batch, Size, Skipped, Source
from lookalike.search import signing
from lookalike.search.load import packed
from lookalike.settings import settings
from lookalike.tables.packed import Ids, Texts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TEXTS = [f"document {i // 3} has words of its own: " + " ".join(f"w{i // 3}x{j}" for j in range(60)) for i in range(90)]
TEXTS[7] += " and an end that the others lack"


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signing, "_ENOUGH", 2_000)
    monkeypatch.setattr(signing, "_PART", 700)


def parquet(tmp_path: Path, texts: list[str], name: str = "texts.parquet") -> Path:
    path = tmp_path / name
    pq.write_table(pa.table({"text": texts}), path, row_group_size=7)
    return path


class Failing(Source):
    """Gives its texts one by one, then fails."""

    name = "the source"

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        for i, text in enumerate(TEXTS):
            yield Batch(Ids.of([i]), Texts.of([text]))
        raise self.error

    def skipped(self) -> list[Skipped]:
        return []

    def notes(self) -> list[str]:
        return []

    def size(self) -> Size:
        return Size(len(TEXTS), sum(map(len, TEXTS)))


def signing_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("lookalike-signing")]


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("method", ["lsh", "signatures"])
def test_a_file_gives_what_a_list_gives(tmp_path: Path, threads: int, method: Any) -> None:
    expected = la.find(TEXTS, 0.7, method=method, threads=1)
    found = la.find(parquet(tmp_path, TEXTS), 0.7, method=method, threads=threads)
    assert found.pair_count > 80
    assert found.pairs.equals(expected.pairs)
    assert found.groups == expected.groups
    assert not signing_threads()


def test_a_file_is_signed_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signed: list[int] = []

    def find(*given: Any, signer: Any, **options: Any) -> Any:
        signed.append(0 if signer is None else len(signer))
        return native_find(*given, signer=signer, **options)

    native_find = _native.find
    monkeypatch.setattr(_native, "find", find)
    path = parquet(tmp_path, TEXTS)
    la.find(path, 0.7, method="lsh", threads=2)
    la.find(path, 0.7, method="lsh", threads=1)
    la.find(path, 0.7, method="exact", threads=2)
    la.find(path, 0.7, method="lsh", common=0.5, threads=2)
    assert signed == [len(TEXTS), 0, 0, 0]


@pytest.mark.parametrize("new", ["file", "list", "table"])
@pytest.mark.parametrize("old", ["file", "list", "table"])
def test_new_and_old_documents_from_anywhere(tmp_path: Path, new: str, old: str) -> None:
    def given(kind: str, texts: list[str]) -> Any:
        if kind == "file":
            return parquet(tmp_path, texts, f"{len(texts)}.parquet")
        return texts if kind == "list" else pa.table({"text": texts})

    expected = la.find(TEXTS[:50], 0.7, method="lsh", against=TEXTS[50:], threads=1)
    found = la.find(given(new, TEXTS[:50]), 0.7, method="lsh", against=given(old, TEXTS[50:]), threads=2)
    assert found.pairs.equals(expected.pairs)


def test_ignored_and_uncounted_shingles_count_nowhere(tmp_path: Path) -> None:
    path = parquet(tmp_path, TEXTS)
    for options in ({"ignore": [TEXTS[0]]}, {"common": 0.5}, {"min_words": 20}):
        expected = la.find(TEXTS, 0.7, method="lsh", threads=1, **options)
        assert la.find(path, 0.7, method="lsh", threads=2, **options).pairs.equals(expected.pairs)


@pytest.mark.parametrize("error", [ValueError("the end of the file is missing"), KeyboardInterrupt()])
def test_where_reading_fails_no_thread_is_left(error: BaseException) -> None:
    with pytest.raises(type(error)) as raised:
        la.find(Failing(error), 0.7, method="lsh", threads=3)
    assert raised.value is error
    assert not signing_threads()


def test_where_signing_fails_reading_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def __init__(self, *_: object) -> None: ...

        def add(self, *_: object) -> None:
            raise MemoryError("no room for signatures")

        def stop(self) -> None: ...

    source = Failing(AssertionError("read to the end"))
    monkeypatch.setattr(_native, "Signer", Broken)
    with pytest.raises(MemoryError, match="no room"):
        la.find(source, 0.7, method="lsh", threads=2)
    assert not signing_threads()


def test_the_time_of_all_stages_is_the_whole_time(tmp_path: Path) -> None:
    result = la.find(parquet(tmp_path, TEXTS), 0.7, method="lsh", threads=2)
    assert list(result.timings)[:2] == ["reading", "sign"]
    assert all(seconds >= 0 for seconds in result.timings.values())


def test_one_text_longer_than_a_batch_and_many_empty_ones(tmp_path: Path) -> None:
    texts = ["", *TEXTS[:3], " ".join(f"long{i}" for i in range(5_000)), *[""] * 500, *TEXTS[3:9]]
    expected = la.find(texts, 0.7, method="lsh", threads=1)
    assert la.find(parquet(tmp_path, texts), 0.7, method="lsh", threads=2).pairs.equals(expected.pairs)


def test_the_signer_refuses_what_is_no_text() -> None:
    signer = _native.Signer(settings(la.Recipe()), [])
    texts = pa.array(["né", "ü"], pa.large_string())
    offsets, data, _, _ = packed(texts)
    signer.add(0, [(offsets, data, 0, 2)])
    assert len(signer) == 2
    cut = array("q", [0, 2, 5])  # inside the é
    with pytest.raises(ValueError, match="UTF-8"):
        signer.add(1, [(memoryview(cut).cast("B"), data, 0, 2)])
    back = array("q", [3, 0])
    with pytest.raises(ValueError, match="do not fit"):
        signer.add(1, [(memoryview(back).cast("B"), data, 0, 1)])
    with pytest.raises(ValueError, match="do not fit"):
        signer.add(1, [(offsets, data, 0, 3)])
    assert len(signer) == 2


def test_a_signer_that_is_stopped_signs_nothing_more() -> None:
    signer = _native.Signer(settings(la.Recipe()), [])
    signer.add(0, ["one"])
    signer.stop()
    with pytest.raises(KeyboardInterrupt):
        signer.add(1, ["two"])
    assert len(signer) == 1


def test_more_signatures_than_texts_are_an_error() -> None:
    signer = _native.Signer(settings(la.Recipe()), [])
    signer.add(0, ["one", "two"])
    with pytest.raises(la.LookalikeError, match="2 signatures of 1 texts"):
        _native.find(
            ["one"], settings(la.Recipe()), threshold=0.8, method="lsh", metric="jaccard", bands=26, rows=8, least=0,
            old_from=1, ignored=[], threads=1, signer=signer,
        )  # fmt: skip
