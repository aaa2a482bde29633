"""A search in files gives the answer of the search in memory, whatever is asked and however often it is stopped."""

from __future__ import annotations

import errno
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
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike import _native
from lookalike.documents import open_paths
from lookalike.search import search_run, workdir
from lookalike.search.find import find_kept
from lookalike.search.workdir import WorkDir
from lookalike.tables.output_files import open_private
from tests.faults.child import HANG, start
from tests.faults.child import run as run_child
from tests.search.making import RECIPE, Listed, answer, mixed_pages, spilling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SHEET = "this sheet was given to everybody in the room"

posix = pytest.mark.skipif(os.name != "posix", reason="about locks and limits of POSIX systems")


def write(path: Path, texts: list[str], first: int = 0, group: int = 60) -> Path:
    ids = [f"p{first + i}" for i in range(len(texts))]
    pq.write_table(pa.table({"id": ids, "text": texts}), path, row_group_size=group)
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return write(tmp_path / "pages.parquet", mixed_pages(400, seed=5))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


def search(source: Any, **options: Any) -> la.Result:
    return la.find(source, 0.6, **{"recipe": RECIPE, "method": "lsh", **options})


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
    assert [s.reason for s in search(lines).skipped] == ["null text"] * 14


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


# -- stopped and resumed ---------------------------------------------------------------------------------------------


class Stopped(BaseException):
    """What a killed process would be: nothing below the outermost caller sees it."""


RECORDS = ("write", "keep_candidates", "add")


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


@pytest.fixture
def tables(tmp_path: Path) -> list[Path]:
    """Three tables: each is an input of its own, whose rows are written at its end."""
    texts = mixed_pages(300, seed=5)
    return [write(tmp_path / f"{n}.parquet", texts[n * 100 : n * 100 + 100], n * 100) for n in range(3)]


def signed(patch: pytest.MonkeyPatch) -> list[int]:
    """Count the documents of which rows are written."""
    counts: list[int] = []
    real = WorkDir.write

    def counting(self: WorkDir, entries: Any, data: bytes) -> None:
        counts.append(sum(entry[2] for entry in entries))
        real(self, entries, data)

    patch.setattr(WorkDir, "write", counting)
    return counts


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


PROGRAM = """
import sys
from pathlib import Path
import lookalike as la
from lookalike.search import search_run
search_run.Run._held = lambda _: 60_000
print("begun", flush=True)
result = la.find([Path(path) for path in sys.argv[2:]], 0.6, recipe=la.Recipe(k=2, hashes=24), method="lsh",
                 work=sys.argv[1], threads=2)
print(sorted(map(tuple, (pair.values() for pair in result.pairs.to_pylist()))))
"""


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
            patch.setattr(search_run.Run, "_held", lambda _: 60_000)
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
        with pytest.raises((la.MismatchError, la.DocumentError), match=r"lines\.jsonl"):
            search(path, work=work)


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


# -- what is in the folder -------------------------------------------------------------------------------------------


def contents(folder: Path) -> dict[str, Any]:
    """Everything in a folder: targets of links, contents and times of files."""
    return {
        path.name: path.readlink() if path.is_symlink() else (path.read_bytes(), path.stat().st_mtime_ns)
        for path in folder.iterdir()
        if path.is_symlink() or path.is_file()
    }


@pytest.fixture
def stopped(tables: list[Path], work: Path) -> Iterator[Path]:
    """A folder with a search that was stopped while it verified."""
    with spilling(held=3_000):
        with pytest.MonkeyPatch.context() as patch:
            stop_at(patch, 12, after=True)
            with pytest.raises(Stopped):
                search(tables, work=work)
        yield work


@pytest.mark.parametrize("name", ["rows.bin", "parts.bin", "pairs.bin", "verified.bin"])
def test_a_file_that_lost_its_end_is_refused(tables: list[Path], stopped: Path, name: str) -> None:
    for damage in (lambda: (stopped / name).write_bytes(b"short"), (stopped / name).unlink):
        damage()
        before = contents(stopped)
        with pytest.raises(la.LookalikeError, match=rf"{name} is shorter than it was"):
            search(tables, work=stopped)
        assert contents(stopped) == before


def test_what_was_written_beyond_the_record_is_cut_off(tables: list[Path], stopped: Path) -> None:
    for name in ("rows.bin", "parts.bin", "pairs.bin", "hot.bin", "verified.bin"):
        with (stopped / name).open("ab") as file:
            file.write(b"half a reco")
    (stopped / "manifest.new").write_text("{")
    assert answer(search(tables, work=stopped)) == answer(search(tables))


def test_a_folder_of_another_search_is_refused(tables: list[Path], stopped: Path) -> None:
    before = contents(stopped)
    others: list[tuple[dict[str, Any], str]] = [
        ({"recipe": RECIPE.replace(seed=8)}, "recipe is"),
        ({"bands": la.Bands(24, 1)}, "bands is"),
        ({"method": "signatures"}, "bands is"),
        ({"min_words": 9}, "excluded is"),
        ({"skip": ["quotes"]}, "excluded is"),
        ({"ignore": [SHEET]}, "excluded is"),
        ({"metric": "bag"}, "recipe is"),
        ({"against": ["a text"]}, "sources is"),
    ]
    for options, said in others:
        with pytest.raises(la.MismatchError, match=said):
            search(tables, work=stopped, **options)
    with pytest.raises(la.MismatchError, match=r"threshold is 0\.6 and 0\.7"):
        la.find(tables, 0.7, recipe=RECIPE, method="lsh", work=stopped)
    with pytest.raises(la.MismatchError, match="sources is"):
        search(tables[:2], work=stopped)
    with pytest.raises(la.MismatchError, match="sources is"):
        search(tables[::-1], work=stopped)
    assert contents(stopped) == before


@pytest.mark.parametrize("name", ["thesis.txt", "rows.bin", "verified.bin"])
def test_a_folder_with_other_files_is_refused(table: Path, work: Path, name: str) -> None:
    work.mkdir()
    (work / name).write_text("mine", encoding="utf-8")
    before = contents(work)
    with pytest.raises(la.LookalikeError, match="not empty and holds no search"):
        search(table, work=work)
    assert contents(work) == before


def test_what_is_put_beside_a_search_stays(tables: list[Path], stopped: Path) -> None:
    (stopped / "notes.txt").write_text("mine", encoding="utf-8")
    search(tables, work=stopped)
    assert [path.name for path in stopped.iterdir()] == ["notes.txt"]


HOSTILE: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a path that leads out": lambda m: m | {"lengths": {"../../victim.txt": 0}},
    "a path from the root": lambda m: m | {"lengths": {"/etc/hostname": 0}},
    "another name": lambda m: m | {"lengths": {"victim.txt": 0}},
    "lengths in a list": lambda m: m | {"lengths": ["rows.bin"]},
    "lengths of lists": lambda m: m | {"lengths": [["rows.bin"]]},
    "no lengths": lambda m: {name: value for name, value in m.items() if name != "lengths"},
    "a negative length": lambda m: m | {"lengths": {"rows.bin": -1}},
    "a length of text": lambda m: m | {"lengths": {"rows.bin": "1"}},
    "a length that is none": lambda m: m | {"lengths": {"rows.bin": None}},
    "a share of a byte": lambda m: m | {"lengths": {"rows.bin": 0.5}},
    "a length that is true": lambda m: m | {"lengths": {"rows.bin": True}},
    "negative portions": lambda m: m | {"portions": -1},
    "portions of text": lambda m: m | {"portions": "many"},
    "candidates that are a number": lambda m: m | {"candidates": 1},
    "another format": lambda m: m | {"format": "lookalike-work/1"},
    "a format that is a list": lambda m: m | {"format": []},
    "something more": lambda m: m | {"run": "rm -rf"},
    "an identity that is a list": lambda m: m | {"identity": []},
    "readers that are none": lambda m: m | {"by_python": None},
    "readers of text": lambda m: m | {"by_python": ["yes"]},
    "a list": lambda m: [m],
    "a number": lambda m: 7,
    "nothing": lambda m: None,
}

RAW: dict[str, bytes] = {
    "empty": b"",
    "half": b'{"format": "lookalike-work/6", "lengths"',
    "no text": b"\xff\xfe\x00",
    "deep": b"[" * 100_000,
    "a long number": b'{"format": ' + b"9" * 10_000 + b"}",
    "large": b'{"format": "' + b"x" * (2 << 20) + b'"}',
    "nan": b'{"portions": NaN}',
}


@pytest.mark.parametrize("name", [*HOSTILE, *RAW])
def test_a_hostile_manifest_is_refused(tables: list[Path], stopped: Path, name: str) -> None:
    victim = stopped.parents[0] / "victim.txt"
    victim.write_text("precious", encoding="utf-8")
    path = stopped / "manifest.json"
    if name in RAW:
        path.write_bytes(RAW[name])
    else:
        made = HOSTILE[name](json.loads(path.read_text(encoding="utf-8")))
        right = workdir._sealed(made) if isinstance(made, dict) else made  # its checksum is not what gives it away
        path.write_text(json.dumps(right), encoding="utf-8")
    before = contents(stopped)
    with pytest.raises(la.LookalikeError, match="damaged or of another version; give an empty or new folder"):
        search(tables, work=stopped)
    assert contents(stopped) == before
    assert victim.read_text(encoding="utf-8") == "precious"


@posix
@pytest.mark.parametrize("name", ["manifest.json", "manifest.new", "rows.bin", "parts.bin", "verified.bin", "lock"])
@pytest.mark.parametrize("kind", ["link", "dangling link", "folder", "pipe"])
def test_what_is_no_file_is_refused(tables: list[Path], stopped: Path, name: str, kind: str) -> None:
    victim = stopped.parents[0] / "victim.txt"
    path = stopped / name
    data = path.read_bytes() if path.exists() else b""
    path.unlink(missing_ok=True)
    if kind == "link":
        victim.write_bytes(data + b"precious")
        path.symlink_to(victim)
    elif kind == "dangling link":
        path.symlink_to(victim)
    elif kind == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    before = contents(stopped)
    with pytest.raises(la.LookalikeError):
        search(tables, work=stopped)
    assert contents(stopped) == before
    assert victim.exists() == (kind == "link")
    if kind == "link":
        assert victim.read_bytes() == data + b"precious"


# -- disks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", range(1, 12))
def test_a_full_disk_is_one_clear_error_and_loses_nothing(
    tables: list[Path], work: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    expected = answer(search(tables))
    real = open_private
    count = [0]

    def full(path: Path, mode: Any) -> Any:
        if path.suffix == ".bin" and mode == "ab":
            count[0] += 1
            if count[0] == step:
                with real(path, mode) as file:
                    file.write(b"the first bytes")
                raise OSError(errno.ENOSPC, "No space left on device")
        return real(path, mode)

    with spilling(held=6_000):
        with monkeypatch.context() as patch:
            patch.setattr(workdir, "open_private", full)
            said = r"work: the disk is full; free some space.*; what was done is kept and will be used"
            with pytest.raises(la.LookalikeError, match=said):
                search(tables, work=work)
        assert answer(search(tables, work=work)) == expected


def test_a_full_disk_of_temporary_files_promises_nothing(tables: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(WorkDir, "_append", lambda *_: full(0))
    with spilling(), pytest.raises(la.LookalikeError, match="the disk is full") as raised:
        search(tables, memory=2**40)
    assert "kept" not in str(raised.value)


def test_another_error_of_the_disk_is_said(table: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with spilling(), pytest.raises(la.LookalikeError, match=r"file/work: (File exists|Not a directory)"):
        search(table, work=tmp_path / "file" / "work")


LIMITED = """
import resource, sys
from pathlib import Path
import lookalike as la
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    la.find(Path(sys.argv[1]), 0.6, recipe=la.Recipe(k=2, hashes=24), method="lsh", work=sys.argv[2])
except la.LookalikeError as error:
    print(error)
"""


@posix
@pytest.mark.parametrize("most", [100, 3_000, 30_000])
def test_files_that_may_not_grow(table: Path, work: Path, most: int) -> None:
    out = run_child(LIMITED, str(table), str(work), str(most))
    assert out == f"{work}: File too large; what was done is kept and will be used\n"
    assert answer(search(table, work=work)) == answer(search(table))


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
    with pytest.raises(la.RecipeError, match="memory must be at least 536870912 bytes"):
        la.find(table, memory=1000)
    with pytest.raises(la.RecipeError, match="memory must be"):
        la.find(table, memory=-1)


def test_a_small_collection_stays_in_memory(table: Path, work: Path) -> None:
    assert la.find(table, memory=10 * 2**30).method == "exact"
    assert la.find(table, work=work).method == "exact"
    assert not work.exists()


def test_names_are_fixed() -> None:
    assert workdir._FILES == ("rows.bin", "parts.bin", "pairs.bin", "hot.bin", "verified.bin")
