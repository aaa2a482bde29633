"""A search in files gives the answer of the search in memory, whatever is asked and however often it is stopped."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import lookalike as la
from lookalike import _native
from lookalike.search import search_run, workdir
from lookalike.search.find import find_kept
from lookalike.search.workdir import WorkDir
from tests.faults.child import HANG
from tests.search.making import RECIPE, Listed, answer, mixed_pages, spilling
from tests.search.work_folders import PROGRAM, SHEET, Stopped, contents, posix, search, stop_at, write

if TYPE_CHECKING:
    from collections.abc import Callable


# -- the same answer -------------------------------------------------------------------------------------------------

OPTIONS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "skip": {"skip": ["quotes"]},
    "min_words": {"min_words": 6},
    "ignore": {"ignore": [SHEET]},
    "common": {"common": 0.1},
    "bag": {"metric": "bag"},
    "everything": {"skip": ["quotes", "references"], "min_words": 4, "ignore": [SHEET], "common": 0.2},
    "signatures": {"method": "signatures"},
    "bands": {"bands": la.Bands(24, 1)},
    "linked": {"linkage": "linked"},
    "exact": {"method": "exact"},
    "exact, min_words": {"method": "exact", "min_words": 6},
    "containment": {"method": "auto", "metric": "containment"},
    "containment, skip": {"method": "exact", "metric": "containment", "skip": ["quotes"]},
    "brute": {"method": "brute"},
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("old", [False, True])
def test_the_same_answer_whatever_is_asked(table: Path, tmp_path: Path, name: str, old: bool) -> None:
    options = dict(OPTIONS[name])
    if old:
        texts = mixed_pages(200, seed=5)[100:] + mixed_pages(150, seed=6)
        options["against"] = write(tmp_path / "old.parquet", texts)
    expected = answer(search(table, threads=1, **options))
    assert len(expected["pairs"]) > 20
    with spilling():
        for threads in (1, 2):
            found = [search(table, threads=threads, memory=2**40, **options)]
            found.append(search(table, threads=threads, work=tmp_path / "work", **options))
            for each in map(answer, found):
                # The join reads blocks and not the whole, so that it does not verify the same pairs more than once.
                if options.get("method", "lsh") in ("auto", "exact"):
                    each["candidates"] = expected["candidates"]
                assert each == expected
            assert not (tmp_path / "work").exists()  # emptied and removed once the search has ended well


@pytest.mark.parametrize("block", [1, 200, 40_000])
@pytest.mark.parametrize("held", [1, 700, 10**9])
def test_the_same_answer_for_every_size_of_block(table: Path, work: Path, block: int, held: int) -> None:
    expected = answer(search(table))
    with spilling(held=held, block=block):
        assert answer(search(table, work=work)) == expected


def test_the_same_answer_of_any_source(tmp_path: Path, work: Path) -> None:
    texts = mixed_pages(120, seed=9)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "picture.png").write_bytes(b"\x89PNG\0\0")
    (folder / "hidden.txt").write_text(texts[5] + "\u202eback", encoding="utf-8")
    (folder / "old.txt").write_bytes("Grüße aus dem Süden und mehr".encode("latin-1"))
    for i, text in enumerate(texts[3:]):
        (folder / f"{i}.txt").write_text(text, encoding="utf-8")
    several = [write(tmp_path / f"{n}.parquet", texts[n * 40 : n * 40 + 40], n * 40) for n in range(3)]
    lines = tmp_path / "lines.jsonl"
    rows = [{"text": text if i % 9 else None} for i, text in enumerate(texts)]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    kinds: list[Callable[[], Any]] = [
        lambda: texts,
        lambda: {f"d{i}": text for i, text in enumerate(texts)},
        lambda: (text for text in texts),
        lambda: folder,
        lambda: several,
        lambda: lines,
        lambda: [*several, lines],
        lambda: pa.table({"text": texts}),
        lambda: Listed(texts, (1, 30, 2)),
        list,
        lambda: [""],
    ]
    for made in kinds:
        expected = answer(search(made()))
        with spilling():
            assert answer(search(made(), memory=2**40)) == expected
            assert answer(search(made(), work=work)) == expected
    assert [s.reason for s in search(folder).skipped] == ["binary"]
    assert [s.reason for s in search(lines).skipped] == ["null text"] * 14 + ["no words"]


def test_old_documents_with_ids_of_another_kind(table: Path, work: Path) -> None:
    for new, old in ((table, mixed_pages(60, seed=5)), (mixed_pages(60, seed=5), table), (table, table), (table, [])):
        expected = answer(search(new, against=old))
        with spilling():
            assert answer(search(new, against=old, work=work)) == expected


def test_a_hot_cluster_in_files(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(4)
    page = [f"w{i}" for i in range(60)]
    texts = mixed_pages(50, seed=1)
    for _ in range(150):
        texts.insert(rng.randrange(len(texts)), " ".join(w if rng.random() > 0.01 else "x" for w in page))
    order = rng.sample(range(len(texts)), len(texts))
    every_option: list[dict[str, Any]] = [{}, {"order": order}, {"min_words": 5}, {"against": texts[50:150]}]
    whole = [search(texts, method="brute", **options) for options in every_option]
    strategy = _native.Strategy
    limited = lambda *given, **options: strategy(*given, **{**options, "limits": (500, 300)})  # noqa: E731
    monkeypatch.setattr(_native, "Strategy", limited)
    for options, every in zip(every_option, whole, strict=True):
        found = search(texts, **options)
        assert "not all their pairs are listed" in str(found.notes)
        assert found.pair_count < every.pair_count
        if "against" not in options:
            assert found.groups == every.groups
        expected = answer(found)
        with spilling(held=10**6):  # representatives stay in memory
            assert answer(search(texts, work=work, **options)) == expected


def test_real_records_of_many_documents(tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With 4096 hashes a document takes thousands of bytes, so that rows are written more than once."""
    recipe = la.Recipe(k=1, hashes=4096)
    rng = random.Random(1)
    texts = [" ".join(f"{rng.randrange(400)}" for _ in range(12)) for _ in range(8_000)]
    texts += [text + " more" for text in texts[::30]]
    path = write(tmp_path / "many.parquet", texts, group=500)
    written: list[int] = []
    write_rows = WorkDir.write

    def counting(self: WorkDir, entries: Any, data: bytes) -> None:
        written.append(len(data))
        write_rows(self, entries, data)

    monkeypatch.setattr(WorkDir, "write", counting)
    expected = answer(search(path, recipe=recipe))
    assert not written
    assert answer(search(path, recipe=recipe, work=work, threads=2)) == expected
    assert len(written) > 2
    assert answer(search(Listed(texts, (333,)), recipe=recipe, work=work))["pairs"] == [
        pair | {"a": int(pair["a"][1:]), "b": int(pair["b"][1:])} for pair in expected["pairs"]
    ]


def test_rows_that_several_threads_write_at_once_stay_whole(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fdatasync", lambda _: time.sleep(0.001))  # lets go of the GIL, as a slow disk does
    folder = WorkDir(work, {})
    parts = {n: bytes([n]) * random.Random(n).randrange(1, 3_000) for n in range(200)}

    def writing(numbers: range) -> None:
        for n in numbers:
            folder.write([(0, n, 1, 0)], parts[n])

    threads = [threading.Thread(target=writing, args=(range(first, 200, 8),)) for first in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANG)
    rows = folder.rows.read_bytes()
    entries = folder.done()
    assert sorted(batch for _, batch, _, _ in entries) == list(range(200))
    assert all(rows[at : at + len(parts[n])] == parts[n] for _, n, _, at in entries)
    assert len(rows) == sum(map(len, parts.values()))
    folder.close()


# -- one at a time ---------------------------------------------------------------------------------------------------

HOLDING = """
import sys
from pathlib import Path
from lookalike.search.workdir import WorkDir
held = WorkDir(Path(sys.argv[1]), {})
print("held", flush=True)
sys.stdin.read()
"""


WAITING = """
import sys
from lookalike.search.workdir import WorkDir
keep = WorkDir.keep_candidates
def waiting(self, *given):
    keep(self, *given)
    print("waiting", flush=True)
    sys.stdin.readline()
WorkDir.keep_candidates = waiting
"""


@posix
def test_two_processes_do_not_share_a_folder(table: Path, tmp_path: Path, work: Path) -> None:
    expected = answer(search(table))
    command = [sys.executable, "-c", WAITING + PROGRAM, str(work), str(table)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert [child.stdout.readline() for _ in range(2)] == ["begun\n", "waiting\n"]
        before = contents(work)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search_run.Run, "_held", lambda *_: 60_000)
            with pytest.raises(la.LookalikeError, match="is in use by another search; wait until it has ended"):
                search(table, work=work)
        assert contents(work) == before
        out, _ = child.communicate("\n", timeout=HANG)
    assert child.returncode == 0
    assert out.strip() == str(sorted(tuple(pair.values()) for pair in expected["pairs"]))
    assert not work.exists()


@posix
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_the_lock_of_a_process_that_ended_is_free(table: Path, work: Path, end: signal.Signals) -> None:
    command = [sys.executable, "-c", HOLDING, str(work)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        with pytest.raises(la.LookalikeError, match="in use"):
            WorkDir(work, {})
        child.send_signal(end)
        child.wait(HANG)
    WorkDir(work, {}).close()


@posix
def test_a_lock_that_its_owner_has_removed_is_none(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = WorkDir(work, {})
    real = os.open

    def slow(path: Any, *given: Any) -> int:
        opened = real(path, *given)
        if Path(path).name == "lock":
            monkeypatch.undo()
            first.clear()  # between the opening and the locking
            work.mkdir()
            (work / "lock").touch()
        return opened

    monkeypatch.setattr(os, "open", slow)
    with pytest.raises(la.LookalikeError, match="in use"):
        WorkDir(work, {})


def test_a_search_that_failed_lets_go_of_the_folder(tables: list[Path], work: Path) -> None:
    with spilling():
        with pytest.MonkeyPatch.context() as patch:
            stop_at(patch, 4, after=True)
            with pytest.raises(Stopped) as raised:
                search(tables, work=work)
        assert raised.value.__traceback__ is not None  # which keeps everything alive
        search(tables, work=work)


# -- the end ---------------------------------------------------------------------------------------------------------


def test_the_folder_is_emptied_when_the_result_is_safe(tables: list[Path], work: Path) -> None:
    expected = answer(search(tables))
    with spilling():
        result, done = find_kept(tables, 0.6, recipe=RECIPE, method="lsh", work=work)
        assert answer(result) == expected
        assert {path.name for path in work.iterdir()} >= {"manifest.json", "rows.bin", "pairs.bin", "verified.bin"}
        with pytest.raises(la.LookalikeError, match="in use"):
            search(tables, work=work)
        done()
        assert not work.exists()
        assert answer(result) == expected
    nothing = find_kept(tables, 0.6, recipe=RECIPE, method="exact")[1]
    nothing()


def test_nothing_is_left_in_the_temporary_folder(
    tables: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    with spilling():
        search(tables, memory=2**40)
        assert not list(temporary.iterdir())
        with pytest.MonkeyPatch.context() as patch:
            stop_at(patch, 4, after=True)
            with pytest.raises(Stopped):
                search(tables, memory=2**40)
    assert not list(temporary.iterdir())


def test_settings_that_cannot_be(table: Path) -> None:
    with pytest.raises(la.RecipeError, match="memory must be at least 512MiB"):
        la.find(table, memory=1000)
    with pytest.raises(la.RecipeError, match="memory must be"):
        la.find(table, memory=-1)


def test_a_small_collection_stays_in_memory(table: Path, work: Path) -> None:
    assert la.find(table, memory=10 * 2**30).method == "exact"
    assert la.find(table, work=work).method == "exact"
    assert not work.exists()


def test_names_are_fixed() -> None:
    assert workdir._FILES == ("rows.bin", "parts.bin", "pairs.bin", "hot.bin", "verified.bin")
