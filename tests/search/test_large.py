"""A search in files gives the answer of the search in memory, whatever the blocks and however often it is stopped."""

from __future__ import annotations

import errno
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.documents import Batch, Source, open_paths
from lookalike.search import large
from lookalike.search.large import LargeSearch
from lookalike.search.workdir import WorkDir

if TYPE_CHECKING:
    from collections.abc import Iterator

# Few hashes: few bands, so that a run has few records and can be stopped at each of them.
RECIPE = la.Recipe(k=2, hashes=24)


def pages(count: int, seed: int) -> list[str]:
    """Texts with copies and near-copies among them, short and empty ones too."""
    rng = random.Random(seed)
    found: list[str] = ["", "one", ""]
    while len(found) < count:
        words = [f"w{rng.randrange(300)}" for _ in range(rng.randrange(3, 40))]
        found.append(" ".join(words))
        if rng.random() < 0.5:
            words[rng.randrange(len(words))] = "changed"
            found.append(" ".join(words))
        if rng.random() < 0.2:
            found.append(found[-1].upper())
    return found[:count]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pages.parquet"
    texts = pages(400, seed=5)
    pq.write_table(pa.table({"id": [f"p{i}" for i in range(len(texts))], "text": texts}), path, row_group_size=60)
    return path


class SmallBatches(Source):
    """A source cut into many batches, so that stages have many records."""

    def __init__(self, source: Source, size: int) -> None:
        self.source, self.batch_size, self.name = source, size, source.name

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        for batch in self.source.batches(rows=rows):
            for start in range(0, len(batch), self.batch_size):
                yield Batch(batch.ids[start : start + self.batch_size], batch.texts[start : start + self.batch_size])

    def skipped(self) -> list[Any]:
        return self.source.skipped()

    def notes(self) -> list[str]:
        return self.source.notes()

    def size(self) -> Any:
        return self.source.size()


def small(path: Path, size: int = 90) -> SmallBatches:
    return SmallBatches(open_paths([path]), size)


def search(source: Any, **options: Any) -> la.Result:
    return la.find(source, 0.6, recipe=RECIPE, method="lsh", **options)


@pytest.mark.parametrize("block", [7, 100, 100_000])
def test_same_answer_for_every_size_of_block(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    expected = search(table)
    monkeypatch.setattr(LargeSearch, "_block", property(lambda _: block))
    found = search(small(table), work=tmp_path / "work")
    assert found.pairs.num_rows > 50
    assert found.pairs.equals(expected.pairs)
    assert found.groups == expected.groups
    assert found.candidates == expected.candidates
    assert not (tmp_path / "work").exists()  # emptied and removed once the search has ended well


def test_sets_that_do_not_fit_are_read_in_parts(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = search(table)
    opened = large._Sets.open
    parts: list[int] = []

    def in_parts(work: WorkDir, memory: int) -> large._Sets:
        sets = opened(work, memory // 2**20)  # a budget of hundreds of bytes
        parts.append(len(sets.borders))
        return sets

    monkeypatch.setattr(large._Sets, "open", in_parts)
    assert search(table, work=tmp_path / "work").pairs.equals(expected.pairs)
    assert parts[0] > 20


def test_old_documents_in_files(table: Path, tmp_path: Path) -> None:
    other = tmp_path / "old.parquet"
    texts = pages(200, seed=5)[100:] + pages(150, seed=6)
    pq.write_table(pa.table({"id": [f"p{i}" for i in range(len(texts))], "text": texts}), other)
    expected = search(table, against=other)
    found = search(table, against=other, work=tmp_path / "work")
    assert found.pairs.equals(expected.pairs)
    assert any(str(b).startswith("old:") for b in found.pairs.column("b").to_pylist())


def test_old_documents_with_ids_of_another_kind(table: Path, tmp_path: Path) -> None:
    old = pages(60, seed=5)
    expected = search(table, against=old)
    found = search(table, against=old, work=tmp_path / "work")
    assert found.pairs.equals(expected.pairs)
    assert found.ids.equals(expected.ids)


def test_a_file_that_lost_its_end_is_refused(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        stop_at(patch, 40)
        with pytest.raises(Stopped):
            search(small(table), work=tmp_path / "work")
    (tmp_path / "work" / "signatures.bin").write_bytes(b"short")
    with pytest.raises(la.LookalikeError, match="shorter than it was"):
        search(small(table), work=tmp_path / "work")


def test_what_was_skipped_is_told_after_a_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "picture.png").write_bytes(b"\x89PNG\0\0")
    for i, text in enumerate(pages(40, seed=8)[3:]):
        (folder / f"{i}.txt").write_text(text, encoding="utf-8")
    with monkeypatch.context() as patch:
        steps = stop_at(patch, -1)
        whole = search(folder, work=tmp_path / "whole")
    assert [s.reason for s in whole.skipped] == ["binary"]
    with monkeypatch.context() as patch:
        stop_at(patch, steps[0] - 3)
        with pytest.raises(Stopped):
            search(folder, work=tmp_path / "work")
    assert search(folder, work=tmp_path / "work").skipped == whole.skipped


class Stopped(BaseException):
    """What a killed process would be: nothing below the outermost caller sees it."""


def stop_at(monkeypatch: pytest.MonkeyPatch, step: int) -> list[int]:
    """Stop at the given step, where each append and each record is one; before it or after it, by turns."""
    count = [0]
    append, record = WorkDir.append, WorkDir.record

    def step_of(real: Any) -> Any:
        def stepping(self: WorkDir, name: str, value: Any) -> None:
            count[0] += 1
            if count[0] == step and step % 2:
                raise Stopped
            real(self, name, value)
            if count[0] == step:
                raise Stopped

        return stepping

    monkeypatch.setattr(WorkDir, "append", step_of(append))
    monkeypatch.setattr(WorkDir, "record", step_of(record))
    return count


def test_a_search_goes_on_from_wherever_it_was_stopped(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = search(table)
    monkeypatch.setattr(LargeSearch, "_block", property(lambda _: 150))
    with monkeypatch.context() as patch:
        steps = stop_at(patch, -1)
        search(small(table), work=tmp_path / "whole")
    assert steps[0] > 60
    for step in range(1, steps[0] + 1, 3):
        work = tmp_path / f"work-{step}"
        with monkeypatch.context() as patch:
            stop_at(patch, step)
            with pytest.raises(Stopped):
                search(small(table), work=work)
        assert search(small(table), work=work).pairs.equals(expected.pairs), f"stopped at step {step}"


def test_a_search_that_is_stopped_again_and_again_still_ends(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = search(table)
    for _ in range(200):
        with monkeypatch.context() as patch:
            stop_at(patch, 18)  # one batch takes 15 steps
            try:
                found = search(small(table), work=tmp_path / "work")
            except Stopped:
                continue
        assert found.pairs.equals(expected.pairs)
        return
    pytest.fail("it never ended")


def test_a_folder_of_another_search_is_refused(table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        stop_at(patch, 30)
        with pytest.raises(Stopped):
            search(table, work=tmp_path / "work")
    with pytest.raises(la.MismatchError, match=r"threshold is 0\.6 and 0\.7"):
        la.find(table, 0.7, recipe=RECIPE, work=tmp_path / "work")
    (tmp_path / "work" / "manifest.json").write_text("{", encoding="utf-8")
    with pytest.raises(la.LookalikeError, match="damaged"):
        search(table, work=tmp_path / "work")


def test_a_folder_with_other_files_is_refused(table: Path, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(la.LookalikeError, match="not empty"):
        search(table, work=tmp_path / "work")
    assert (tmp_path / "work" / "thesis.txt").read_text(encoding="utf-8") == "mine"


def test_a_full_disk_is_one_clear_error_and_loses_nothing(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = search(table)
    real = Path.open

    def full(self: Path, mode: str = "r", *args: Any, **options: Any) -> Any:
        if self.name == "keys-3.bin" and "a" in mode:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, mode, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", full)
        with pytest.raises(la.LookalikeError, match="disk is full"):
            search(small(table), work=tmp_path / "work")
    assert search(small(table), work=tmp_path / "work").pairs.equals(expected.pairs)


def test_what_files_cannot_do_is_said(table: Path, tmp_path: Path) -> None:
    with pytest.raises(la.RecipeError, match="larger than memory"):
        la.find(table, metric="containment", work=tmp_path / "work")
    with pytest.raises(la.RecipeError, match="at least"):
        la.find(table, memory=1000)


def test_a_small_collection_stays_in_memory(table: Path) -> None:
    assert la.find(table, memory=10 * 2**30).method == "exact"
