"""Searches that are stopped, killed or fail go on in their work folder; sources that changed meanwhile are noticed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike import _native
from lookalike.documents import open_paths
from lookalike.search.find import find_kept
from tests.faults.child import run as run_child
from tests.faults.child import start
from tests.search.making import RECIPE, Listed, answer, mixed_pages, spilling
from tests.search.work_folders import PROGRAM, Stopped, posix, search, signed, stop_at, write

if TYPE_CHECKING:
    from collections.abc import Iterator


# -- stopped and resumed ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"min_words": 5}, {"skip": ["quotes"], "common": 0.2}], ids=str)
def test_a_search_goes_on_from_wherever_it_was_stopped(
    tables: list[Path], tmp_path: Path, options: dict[str, Any]
) -> None:
    expected = answer(search(tables, **options))
    with spilling(held=3_000), pytest.MonkeyPatch.context() as patch:
        begun = stop_at(patch, -1, after=False)
        assert answer(search(tables, work=tmp_path / "whole", **options)) == expected
    assert begun.count("write") == (1 if "skip" in options else 3)
    assert begun.count("add") > 5
    for step in range(1, len(begun) + 1):
        # Before and after each record; with other options by turns.
        for after in (step % 2 == 0,) if options else (False, True):
            work = tmp_path / f"work-{step}-{after}"
            with spilling(held=3_000):
                with pytest.MonkeyPatch.context() as patch:
                    stop_at(patch, step, after=after)
                    with pytest.raises(Stopped):
                        search(tables, work=work, **options)
                with pytest.MonkeyPatch.context() as patch:
                    again = signed(patch)
                    told = begun[: step if after else step - 1].count("write")
                    assert answer(search(tables, work=work, **options)) == expected, (step, after)
                    # What is recorded is not signed again.
                    if "skip" not in options:
                        assert sum(again) == 300 - 100 * min(told, 3), (step, after)
                assert not work.exists()


def test_a_search_that_is_stopped_again_and_again_still_ends(tables: list[Path], work: Path) -> None:
    expected = answer(search(tables))
    for turn in range(100):
        with spilling(held=3_000), pytest.MonkeyPatch.context() as patch:
            stop_at(patch, 1, after=True)
            try:
                found = search(tables, work=work)
            except Stopped:
                continue
        assert answer(found) == expected
        assert turn > 5
        return
    pytest.fail("it never ended")


@pytest.mark.parametrize("step", range(1, 9))
def test_a_search_that_is_stopped_inside_a_record(tables: list[Path], work: Path, step: int) -> None:
    expected = answer(search(tables))
    count = [0]
    real = os.fdatasync

    def stopping(descriptor: int) -> None:
        count[0] += 1
        if count[0] == step:
            raise Stopped
        real(descriptor)

    with spilling():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(os, "fdatasync", stopping)
            with pytest.raises(Stopped):
                search(tables, work=work)
        assert answer(search(tables, work=work)) == expected


def test_a_source_that_fails_leaves_what_was_signed(work: Path) -> None:
    texts = mixed_pages(300, seed=5)
    expected = answer(search(Listed(texts, (50,))))
    calls = [0]

    class Failing(Listed):
        def batches(self, *, rows: bool = False) -> Iterator[Any]:
            for number, batch in enumerate(super().batches(rows=rows)):
                if number == 4 and calls[0] == 1:  # the first call is for the identity
                    raise ValueError("the net is gone")
                yield batch
            calls[0] += 1

    calls[0] = 1
    with spilling(), pytest.raises(ValueError, match="the net is gone"):
        search(Failing(texts, (50,)), work=work, threads=1)
    calls[0] = 2
    with spilling(), pytest.MonkeyPatch.context() as patch:
        again = signed(patch)
        assert answer(search(Failing(texts, (50,)), work=work, threads=1)) == expected
    assert sum(again) == 100


def test_what_only_python_can_read_is_read_in_files_too(tmp_path: Path, work: Path) -> None:
    """A native reader may find only in the middle of a file that another has to read it."""
    texts = mixed_pages(2_000, seed=3)
    path = tmp_path / "deep.jsonl"
    deep: Any = 1
    for _ in range(400):
        deep = [deep]
    rows = [{"text": text, "more": deep if i == 1_900 else 0} for i, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert open_paths([path]).tables() is not None
    expected = answer(search(texts))
    with spilling(held=100_000):
        found = answer(search(path, work=work))
        assert (found["pairs"], found["lengths"]) == (expected["pairs"], expected["lengths"])
        for step in (1, 2, 3, 4):
            with pytest.MonkeyPatch.context() as patch:
                stop_at(patch, step, after=True)
                with pytest.raises(Stopped):
                    search(path, work=work)
            found = answer(search(path, work=work))
            assert (found["pairs"], found["lengths"]) == (expected["pairs"], expected["lengths"])


@posix
def test_killed_at_any_moment(tmp_path: Path, work: Path) -> None:
    texts = mixed_pages(4_000, seed=5)
    tables = [str(write(tmp_path / f"{n}.parquet", texts[n * 500 :][:500], n * 500)) for n in range(8)]
    expected = run_child(PROGRAM, str(tmp_path / "whole"), *tables)
    assert len(expected) > 1_000
    rng = random.Random(7)
    killed = 0
    for _ in range(60):
        with start(PROGRAM, str(work), *tables) as child:
            assert child.stdout is not None
            assert child.stdout.readline() == "begun\n"
            try:
                out, error = child.communicate(timeout=rng.uniform(0.01, 0.2) * 1.15**killed)
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
                child.communicate()
                killed += 1
                continue
        assert child.returncode == 0, error
        assert "begun\n" + out == expected
        if killed >= 4:
            return
    pytest.fail(f"killed {killed} times, it never ended")


@pytest.mark.parametrize("step", range(1, 9))
def test_killed_while_the_folder_is_emptied(tables: list[Path], work: Path, step: int) -> None:
    expected = answer(search(tables))
    count = [0]
    real = Path.unlink

    def stopping(self: Path, missing_ok: bool = False) -> None:
        count[0] += 1
        if count[0] == step:
            raise Stopped
        real(self, missing_ok)

    with spilling():
        _, done = find_kept(tables, 0.6, recipe=RECIPE, method="lsh", work=work)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, "unlink", stopping)
            with pytest.raises(Stopped):
                done()
        del done, _
        assert answer(search(tables, work=work)) == expected


# -- sources that change ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("restored", [True, False])
@pytest.mark.parametrize("step", [1, 2, 4, 6])
def test_a_source_that_was_rewritten_is_noticed(tmp_path: Path, work: Path, step: int, restored: bool) -> None:
    path = tmp_path / "lines.jsonl"
    texts = mixed_pages(200, seed=5)
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    status = path.stat()
    with spilling():
        with pytest.MonkeyPatch.context() as patch:
            stop_at(patch, step, after=True)
            with pytest.raises(Stopped):
                search(path, work=work)
        data = path.read_bytes()
        path.write_bytes(data.replace(b"w1", b"v7"))
        assert path.stat().st_size == status.st_size
        if restored:
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        with pytest.raises(la.LookalikeError, match=r"lines\.jsonl") as refused:
            search(path, work=work)
        if not isinstance(refused.value, la.DocumentError):  # what the readers say of a file that they have begun
            assert "has changed since" in str(refused.value)
            assert "start in a new folder" in str(refused.value)
            assert "recipe" not in str(refused.value)


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "folder", "source"])
def test_a_source_that_changes_between_the_two_reads_is_noticed(tmp_path: Path, kind: str) -> None:
    texts = mixed_pages(300, seed=5)
    other = [text.replace("w1", "v7") for text in texts]

    def put(given: list[str]) -> Any:
        if kind == "source":
            source.texts = given
            return source
        if kind == "folder":
            (tmp_path / "folder").mkdir(exist_ok=True)
            for i, text in enumerate(given):
                (tmp_path / "folder" / f"{i:03}.txt").write_text(text, encoding="utf-8")
            return tmp_path / "folder"
        path = tmp_path / f"pages.{kind}"
        if kind == "parquet":
            return write(path, given)
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in given), encoding="utf-8")
        return path

    source = Listed(texts)
    search_ = _native.search

    def after(*given: Any, **options: Any) -> Any:
        put(other)
        return search_(*given, **options)

    collection = put(texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lookalike.documents.combined_source.KEPT", 0)
        patch.setattr(_native, "search", after)
        with pytest.raises(la.LookalikeError, match=r"changed|cannot be read|vanished"):
            search(collection)
