"""Documents that are read batch by batch through Python while other threads sign: the same answers, clean failures."""

from __future__ import annotations

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
from lookalike.documents import Batch, Size
from lookalike.search.intake import SearchInput
from lookalike.tables.packed import Ids, Texts
from tests.faults.child import HANG, run, start
from tests.search.making import RECIPE, Listed, answer, mixed_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

TEXTS = mixed_pages(400, seed=2)


def search(source: Any, **options: Any) -> la.Result:
    return la.find(source, 0.6, **{"recipe": RECIPE, "method": "lsh", **options})


EXPECTED = {method: answer(search(TEXTS, method=method, threads=1)) for method in ("lsh", "exact", "signatures")}


@pytest.fixture(autouse=True)
def _nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.documents.combined_source.KEPT", 0)  # so that texts are read a second time


# -- the same answer -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize("sizes", [(1,), (7,), (400,), (1, 300, 2), (63, 64, 65)], ids=str)
@pytest.mark.parametrize("method", EXPECTED)
def test_neither_batches_nor_threads_change_the_answer(threads: int, sizes: tuple[int, ...], method: str) -> None:
    assert answer(search(Listed(TEXTS, sizes), method=method, threads=threads)) == EXPECTED[method]


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_batches_without_documents(threads: int) -> None:
    class Gaps(Listed):
        def batches(self, *, rows: bool = False) -> Iterator[Batch]:
            for batch in super().batches(rows=rows):
                yield Batch(Ids(range(0)), Texts.of([]))
                yield batch
            yield Batch(Ids(range(0)), Texts.of([]))

    assert answer(search(Gaps(TEXTS, (50,)), threads=threads)) == EXPECTED["lsh"]
    assert search(Gaps([], (50,)), threads=threads).pairs.num_rows == 0


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_one_huge_document_among_many_empty_ones(threads: int) -> None:
    rng = random.Random(1)
    huge = " ".join(f"{rng.randrange(10**6)}" for _ in range(600_000))  # several times what one thread takes at a time
    texts = ["", *TEXTS[:60], huge, *[""] * 500, *TEXTS[60:90], huge + " end"]
    expected = answer(search(texts, threads=1))
    assert any(pair["b"] == len(texts) - 1 for pair in expected["pairs"])
    assert answer(search(Listed(texts, (9, 1_000)), threads=threads)) == expected


def test_many_small_batches_never_hang() -> None:
    """With a queue that is full at one moment and empty at the next, a reader that waits for it once waited forever."""
    program = """
    from tests.search.making import RECIPE, Listed
    import lookalike as la
    source = Listed([f"{n} of many" for n in range(20_000)], (1,))
    for threads in (2, 3, 8, 2, 3, 8):
        print(la.find(source, 0.9, recipe=RECIPE, method="lsh", threads=threads).pair_count)
    """
    root = str(Path(__file__).parents[2])
    lines = run(f"import sys; sys.path.insert(0, {root!r})\n" + dedented(program), limit=2 * HANG).splitlines()
    assert lines == ["0"] * 6


def dedented(program: str) -> str:
    return "\n".join(line[4:] for line in program.splitlines())


@pytest.mark.parametrize("new", ["file", "list", "table", "source"])
@pytest.mark.parametrize("old", ["file", "list", "table", "source"])
def test_new_and_old_documents_from_anywhere(tmp_path: Path, new: str, old: str) -> None:
    def given(kind: str, texts: list[str]) -> Any:
        if kind == "file":
            path = tmp_path / f"{len(texts)}.parquet"
            pq.write_table(pa.table({"text": texts}), path, row_group_size=7)
            return path
        if kind == "source":
            return Listed(texts, (13,))
        return texts if kind == "list" else pa.table({"text": texts})

    expected = search(TEXTS[:150], against=TEXTS[150:], threads=1)
    assert expected.pair_count > 50
    found = search(given(new, TEXTS[:150]), against=given(old, TEXTS[150:]), threads=2)
    assert found.pairs.equals(expected.pairs)
    assert found.groups == expected.groups


def test_text_is_excluded_from_any_source(tmp_path: Path) -> None:
    path = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"text": TEXTS}), path, row_group_size=50)
    every: list[dict[str, Any]] = [
        {"ignore": [TEXTS[20]]},
        {"common": 0.1},
        {"min_words": 7},
        {"skip": ["quotes"]},
        {"skip": ["quotes"], "common": 0.05, "min_words": 3, "ignore": [TEXTS[30]]},
        {"metric": "bag"},
    ]
    for options in every:
        for method in ("lsh", "exact"):
            expected = answer(search(TEXTS, method=method, threads=1, **options))
            assert answer(search(Listed(TEXTS), method=method, threads=2, **options)) == expected
            found = answer(search(path, method=method, threads=2, **options))
            others = [note for note in found["notes"] if not note.endswith("rows are numbered")]
            assert {**found, "notes": others} == expected  # of a file it is said which column was read


def test_generators_can_be_read_once() -> None:
    assert answer(search(text for text in TEXTS)) == EXPECTED["lsh"]
    assert answer(search(iter(TEXTS), common=0.1)) == answer(search(TEXTS, common=0.1))
    reader = pa.table({"text": TEXTS}).to_reader(max_chunksize=30)
    assert search(reader).pairs.equals(search(TEXTS).pairs)


def test_the_time_of_all_stages_is_the_whole_time() -> None:
    started = time.perf_counter()
    result = search(Listed(TEXTS), threads=2)
    whole = time.perf_counter() - started
    assert next(iter(result.timings)) == "reading"
    assert all(seconds >= 0 for seconds in result.timings.values())
    assert sum(result.timings.values()) <= whole


def test_progress_is_told_of_every_batch() -> None:
    told: list[tuple[str, int, int | None]] = []
    search(Listed(TEXTS, (100,)), progress=lambda *given: told.append(given))
    assert list(dict.fromkeys(done for stage, done, _ in told if stage == "reading")) == [0, 100, 200, 300, 400]
    assert {total for stage, _, total in told if stage == "reading"} == {400}


# -- failures --------------------------------------------------------------------------------------------------------


class Failing(Listed):
    """Fails at one batch, of the first or of the second read."""

    def __init__(self, error: BaseException, batch: int, *, second: bool) -> None:
        super().__init__(TEXTS, (20,))
        self.error, self.batch, self.second = error, batch, second

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        for number, batch in enumerate(super().batches(rows=rows)):
            if number == self.batch and (self.reads > 1) == self.second:
                raise self.error
            yield batch
        if self.batch >= 20 and (self.reads > 1) == self.second:
            raise self.error


class Unusual(BaseException):
    """Nothing that anybody would catch."""


ERRORS = [ValueError("the end is missing"), KeyboardInterrupt(), MemoryError(), SystemExit(3), Unusual("x"), OSError(5)]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("second", [False, True])
@pytest.mark.parametrize("threads", [1, 2, 8])
def test_an_exception_comes_through_as_it_is(error: BaseException, second: bool, threads: int) -> None:
    before = threading.active_count()
    for batch in (0, 1, 10, 19, 20):
        if second and batch == 20:
            continue  # the second read ends with the last document that is asked for
        for options in ({}, {"method": "exact", "min_words": 4}, {"skip": ["quotes"]}):
            with pytest.raises(type(error)) as raised:
                search(Failing(error, batch, second=second), threads=threads, **options)
            assert raised.value is error
    assert threading.active_count() == before
    assert answer(search(Listed(TEXTS), threads=threads)) == EXPECTED["lsh"]


@pytest.mark.parametrize("threads", [1, 3])
def test_an_exception_while_common_text_is_counted(threads: int) -> None:
    error = ValueError("the end is missing")
    for second in (False, True):
        with pytest.raises(ValueError, match="the end is missing") as raised:
            search(Failing(error, 7, second=second), common=0.1, threads=threads)
        assert raised.value is error


def test_an_exception_from_progress_comes_through() -> None:
    def told(stage: str, done: int, total: int | None) -> None:
        if done > 100:
            raise Unusual

    for threads in (1, 2):
        with pytest.raises(Unusual):
            search(Listed(TEXTS), progress=told, threads=threads)


def test_sources_that_give_something_else() -> None:
    class Other(Listed):
        given: Any = None

        def batches(self, *, rows: bool = False) -> Iterator[Any]:
            yield from super().batches()
            yield self.given

    for given in (None, 7, "text", ["text"]):
        source = Other(TEXTS)
        source.given = given
        with pytest.raises((AttributeError, TypeError)):
            search(source, threads=2)


class Changing(Listed):
    """Gives other texts when it is read again."""

    def __init__(self, others: list[str]) -> None:
        super().__init__(TEXTS, (30,))
        self.others = others

    def batches(self, *, rows: bool = False) -> Iterator[Batch]:
        if self.reads:
            self.texts = self.others
        return super().batches(rows=rows)

    def size(self) -> Size:
        return Size(len(TEXTS), sum(map(len, TEXTS)))


CHANGES = {
    "too few": TEXTS[:100],
    "none": [],
    "a quarter less": TEXTS[:300],
    "other texts": [text.replace("w1", "v") for text in TEXTS],
    "in another order": TEXTS[::-1],
    "one word": [*TEXTS[:50], *(text.replace(text.split()[-1], "other") if text else "" for text in TEXTS[50:])],
    "one more in front": ["one more", *TEXTS],
    "empty": [""] * len(TEXTS),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "options", [{}, {"method": "exact", "min_words": 4}, {"method": "signatures"}, {"metric": "bag"}], ids=str
)
def test_a_second_read_that_gives_other_texts_is_an_error(change: str, threads: int, options: dict[str, Any]) -> None:
    with pytest.raises(la.LookalikeError, match="changed since"):
        search(Changing(CHANGES[change]), threads=threads, **options)


def test_texts_that_are_added_behind_are_not_seen() -> None:
    assert answer(search(Changing([*TEXTS, "more"]))) == EXPECTED["lsh"]


def test_what_is_fetched_is_counted() -> None:
    documents = SearchInput(Listed(TEXTS), ())
    list(documents.batches())
    documents.source = Listed(TEXTS[:10])
    with pytest.raises(la.DocumentError, match="has changed since it was read"):
        list(documents.fetch(bytes([9, 0, 0, 0, 11, 0, 0, 0])))


# -- processes -------------------------------------------------------------------------------------------------------

INTERRUPTED = """
import sys, time
sys.path.insert(0, {root!r})
from tests.search.making import RECIPE, Listed, mixed_pages
import lookalike as la

class Slow(Listed):
    def batches(self, *, rows=False):
        for number, batch in enumerate(super().batches(rows=rows)):
            if number == 3:
                print("reading", flush=True)
            {wait}
            yield batch

try:
    la.find(Slow(mixed_pages(400, 2) * {times}, (10,)), 0.6, recipe=RECIPE, method="lsh", threads={threads})
except KeyboardInterrupt:
    print("interrupted", flush=True)
else:
    print("finished", flush=True)
print(la.jaccard("one two three", "one two three"), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGINT for one process on Windows")
@pytest.mark.parametrize("threads", [1, 2, 8])
@pytest.mark.parametrize(("wait", "times"), [("time.sleep(0.05)", 30), ("pass", 3_000)], ids=["slow", "fast"])
def test_control_c_while_documents_are_read(threads: int, wait: str, times: int) -> None:
    root = str(Path(__file__).parents[2])
    with start(INTERRUPTED.format(root=root, wait=wait, threads=threads, times=times)) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "reading\n", child.stderr.read() if child.stderr else ""
        time.sleep(0.1)
        child.send_signal(signal.SIGINT)
        try:
            out, error = child.communicate(timeout=HANG)
        except subprocess.TimeoutExpired:
            child.kill()
            pytest.fail("still running")
    assert out.splitlines() == ["interrupted", "1.0"], error


FORKED = """
import os, sys
sys.path.insert(0, {root!r})
from tests.search.making import RECIPE, Listed, mixed_pages
import lookalike as la
texts = mixed_pages(400, 2)
def found(threads):
    result = la.find(Listed(texts), 0.6, recipe=RECIPE, method="lsh", threads=threads)
    return result.pair_count, len(result.groups)
before = found(2)
child = os.fork()
if child == 0:
    os._exit(0 if found(2) == before == found(8) else 1)
assert os.waitpid(child, 0)[1] == 0
assert found(2) == before
print("same")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no fork on this system")
def test_fork_after_a_search() -> None:
    assert run(FORKED.format(root=str(Path(__file__).parents[2]))) == "same\n"
