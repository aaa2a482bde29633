"""Several processes, threads and forks at one index: whole batches, and nothing acknowledged is lost."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.documents.document_batches import Batch
from lookalike.index.index_documents import Portion
from lookalike.tables.packed import Ids, Texts
from tests.index.batches import SIZE
from tests.index.concurrent import read_beside, write_through_a_crash
from tests.index.postgres import Server, server
from tests.index.workload import contents, small
from tests.index.zygote import Zygote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def zygote() -> Iterator[Zygote]:
    """Give what starts children."""
    with Zygote() as started:
        yield started


def test_one_writes_four_read_one_compacts(tmp_path: Path, zygote: Zygote) -> None:
    done = read_beside(tmp_path, zygote, str(tmp_path / "index.db"), 5.0)
    assert all(done.values()), done


def test_one_writes_four_read_on_a_server(tmp_path: Path, zygote: Zygote) -> None:
    done = read_beside(tmp_path, zygote, server().new_schema(), 4.0, compact=False)
    assert all(done.values()), done


def test_a_server_that_stops_at_once(tmp_path: Path, zygote: Zygote) -> None:
    own = Server(safe=True)
    try:

        def crash() -> None:
            own.stop_at_once()
            own.start()

        assert write_through_a_crash(tmp_path, zygote, own.new_schema(), 3.0, crash) > 4
    finally:
        own.stop()


def _at_once(*work: Callable[[], None]) -> None:
    """Run functions in threads of their own, and raise what one of them raised."""
    failed: list[BaseException] = []

    def guarded(function: Callable[[], None]) -> None:
        try:
            function()
        except BaseException as error:  # noqa: BLE001 — raised again below
            failed.append(error)

    threads = [threading.Thread(target=guarded, args=(function,)) for function in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def test_threads_share_an_index(tmp_path: Path) -> None:
    with small(), la.Index.open(tmp_path / "index.db") as index:

        def write(writer: int) -> Callable[[], None]:
            def run() -> None:
                for batch in range(12):
                    index.add(
                        {f"{writer}-{batch}-{n}": f"words {writer} {batch} {n} of it" for n in range(SIZE)}, threads=1
                    )

            return run

        def read() -> None:
            for _ in range(25):
                assert len(contents(index)) % SIZE == 0
                index.query("words 1 1 1 of it", threads=1)

        _at_once(write(0), write(1), read, read, index.compact)
        assert len(index) == 2 * 12 * SIZE
        assert index.verify().ok


def _in_child(function: Callable[[], None]) -> int:
    """Fork, run a function, and return the exit status."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            function()
            status = 0
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_parent_and_child_go_on(tmp_path: Path, kind: str) -> None:
    where = str(tmp_path / "index.db") if kind == "sqlite" else server().new_schema()
    index = la.Index.open(where)
    index.add({"a": "one two three four"})
    assert index.query("one two three four").ids == ["a"]

    def child() -> None:
        assert index.query("one two three four").ids == ["a"]
        index.add({"b": "five six seven eight"})
        assert list(index) == ["a", "b"]

    assert _in_child(child) == 0
    assert list(index) == ["a", "b"]
    index.add({"c": "nine ten eleven twelve"})

    def add() -> None:
        index.add({"d": "and so on and on"})

    assert _in_child(add) == 0
    assert index.verify().ok
    assert list(index) == ["a", "b", "c", "d"]
    index.close()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_parent_closes_while_the_child_writes(tmp_path: Path) -> None:
    """SQLite would believe that the child holds the parent's locks, and remove the log that the child writes to."""
    index = la.Index.open(tmp_path / "index.db")
    index.add({"a": "one two three four"})
    list(index)
    to_child, to_parent = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            index.add({"b": "five six seven eight"})
            os.write(to_parent[1], b".")
            os.read(to_child[0], 1)
            index.add({"c": "nine ten eleven twelve"})
            status = 0
        finally:
            os._exit(status)
    os.read(to_parent[0], 1)
    index.close()
    os.write(to_child[1], b".")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    with la.Index.open(tmp_path / "index.db") as again:
        assert list(again) == ["a", "b", "c"]
        assert again.verify().ok


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_in_the_middle_of_a_write(tmp_path: Path) -> None:
    index = la.Index.open(tmp_path / "index.db")
    statuses: list[int] = []

    def batches() -> Iterator[Batch]:
        yield Batch(Ids.of([0]), Texts.of(["one two three four"]))
        # The child may neither use the index nor undo what its parent does.
        statuses.append(_in_child(refused))
        pid = os.fork()
        if pid == 0:
            raise RuntimeError("the child ends")
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        yield Batch(Ids.of([1]), Texts.of(["five six seven eight"]))

    def refused() -> None:
        with pytest.raises(la.StoreError, match="was in use when this process was forked"):
            list(index)
        with pytest.raises(la.StoreError, match="was in use when this process was forked"):
            la.Index.open(tmp_path / "index.db")

    parent = os.getpid()
    try:
        index.add(Portion("texts", batches()))  # read while it is written
    except RuntimeError:
        assert os.getpid() != parent
        os._exit(7)
    assert statuses == [0, 7]
    assert list(index) == [0, 1]
    assert index.verify().ok
    index.add({2: "nine ten"})
    index.close()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_that_lives_on_holds_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.index.index_setup.PATIENCE", 0.5)
    index, pipe = la.Index.open(tmp_path / "index.db"), os.pipe()
    pids: list[int] = []

    def batches() -> Iterator[Batch]:
        yield Batch(Ids.of([0]), Texts.of(["one two three four"]))
        pids.append(os.fork())
        if pids[0] == 0:
            os.close(pipe[1])
            os.read(pipe[0], 1)
            os._exit(0)
        yield Batch(Ids.of([1]), Texts.of(["five six seven eight"]))

    index.add(Portion("texts", batches()))
    index.add({7: "nine ten"})
    os.close(pipe[1])
    os.waitpid(pids[0], 0)
    assert len(index) == 3
    index.close()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_in_the_middle_of_a_write_to_a_server() -> None:
    """A child must not end the transaction of its parent, nor its snapshot."""
    index = la.Index.open(server().new_schema())
    index.add({0: "one two three four"})
    source = index.documents()
    assert source.size().documents == 1
    statuses: list[int] = []
    parent = os.getpid()

    def fork(count: int) -> None:
        pid = os.fork()
        if pid == 0:
            raise RuntimeError("the child ends")
        statuses.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))

    try:
        index.add({number: f"words of document {number}" for number in range(1, 6)}, progress=fork)
    except RuntimeError:
        assert os.getpid() != parent
        del source
        os._exit(7)
    assert statuses == [7]
    assert list(index) == list(range(6))
    assert [len(batch) for batch in source.batches()] == [1]
    del source
    assert index.verify().ok
    index.close()


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_threads_fork_while_others_read(tmp_path: Path) -> None:
    indexes = [la.Index.open(tmp_path / f"{number}.db") for number in range(3)]
    for index in indexes:
        index.add({"a": "one two three four"})

    def fork() -> None:
        for _ in range(25):
            assert _in_child(lambda: None) == 0

    def read() -> None:
        for _ in range(300):
            for index in indexes:
                assert index.query("one two three four", threads=1).ids == ["a"]

    threads = [threading.Thread(target=work, daemon=True) for work in (fork, fork, fork, read, read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120.0)
        assert not thread.is_alive(), "threads wait for one another"
    for index in indexes:
        index.close()
