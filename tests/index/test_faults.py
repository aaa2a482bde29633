"""Disks that fill up or fail, files that cannot be used: one clear error, and nothing acknowledged is lost."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.index.sqlite_schema import SCHEMA
from tests.faults.child import run, start
from tests.index.disk import on_disk
from tests.index.failing import fail_nth_call
from tests.index.workload import History, contents, problems_of, small

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# -- the disk ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("forever", [False, True])
@pytest.mark.parametrize("full", [False, True])
def test_the_nth_call_fails(tmp_path: Path, forever: bool, full: bool) -> None:
    nth, tried = 1, 0
    while fail_nth_call(tmp_path, nth, 5, forever=forever, full=full):
        tried += 1
        nth += 1 if nth < 12 else 1 + nth // 12
    assert tried > 25


def test_after_a_failed_sync_the_writer_stops(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    la.Index.open(path, create=True).close()
    with on_disk() as disk:
        index = la.Index.open(path)
        index.add({"a": "one two three"})
        real = disk.call

        def failing(kind: str) -> None:
            if kind == "sync":
                disk.fail_at = disk.calls + 1
            real(kind)

        disk.call = failing  # type: ignore[method-assign]
        with pytest.raises(la.StoreError, match="I/O error"):
            index.add({"b": "four five six"})
        disk.call = real  # type: ignore[method-assign]
        with pytest.raises(la.StoreError, match="had an error while it was written; open it again"):
            index.add({"c": "seven eight nine"})
        assert "a" in index
        index.close()
    with la.Index.open(path) as again:
        again.add({"c": "seven eight nine"})
        assert {"a", "c"} <= set(again)
        assert again.verify().ok


_FILL = """
import resource, signal, sys
from tests.index.workload import History
import lookalike as la
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
path, limit = sys.argv[1], int(sys.argv[2])
history, index, number = History(9), la.Index.open(path, create=True), 0
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
try:
    while number < 3000:
        history.change(number).apply(index)
        number += 1
except la.StoreError as error:
    print(number, error)
"""


def _fill(path: Path, limit: int) -> tuple[int, str]:
    number, _, message = run(_FILL, str(path), str(limit)).partition(" ")
    return int(number), message


def _look_after_full(path: Path, acknowledged: int) -> None:
    history = History(9)
    found, problems = problems_of(path, history, acknowledged, random.Random(1))
    assert not problems
    assert acknowledged > 5
    with la.Index.open(path) as index:  # there is room again
        for number in range(found, found + 5):
            history.change(number).apply(index)
    assert problems_of(path, history, found + 5, random.Random(1)) == (found + 5, [])


def test_no_file_may_grow(tmp_path: Path) -> None:
    acknowledged, message = _fill(tmp_path / "index.db", 1 << 20)
    assert "could not be" in message
    _look_after_full(tmp_path / "index.db", acknowledged)


def _small_disk(folder: Path) -> bool:
    command = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    return (
        os.geteuid() == 0 and shutil.which("mount") is not None and subprocess.run(command, check=False).returncode == 0
    )


def _can_mount() -> bool:
    folder = Path(tempfile.mkdtemp())
    mounted = _small_disk(folder)
    if mounted:
        subprocess.run(["umount", str(folder)], check=True)
    folder.rmdir()
    return mounted


if _can_mount():  # only root can, and not in every container

    @pytest.fixture
    def small_disk(tmp_path: Path) -> Iterator[Path]:
        """Give a folder on a disk of 4 MB."""
        folder = tmp_path / "disk"
        folder.mkdir()
        assert _small_disk(folder)
        yield folder
        subprocess.run(["umount", "-l", str(folder)], check=True)

    def _make_indexes(folder: Path) -> None:
        for number in range(50):
            la.Index.open(folder / f"more-{number}.db", create=True).close()

    def _fill_up(folder: Path) -> None:
        with (folder / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1 << 12))
        os.truncate(folder / "filler", (folder / "filler").stat().st_size - (64 << 10))  # SQLite's table of the log

    def _grow(path: Path) -> tuple[dict[str, str], str]:
        """Add documents until the disk is full; return those that were acknowledged, and the message."""
        added: dict[str, str] = {}
        with la.Index.open(path) as index:
            while True:
                some = {f"d{len(added) + place}": f"{len(added) + place} {'x' * 90} word" for place in range(20)}
                try:
                    index.add(some, threads=1)
                except la.StoreError as error:
                    return added, str(error)
                added |= some

    def test_the_disk_is_full(small_disk: Path) -> None:
        path = small_disk / "index.db"
        added, message = _grow(path)
        assert "the disk is full; free some space, or remove documents" in message
        _fill_up(small_disk)
        with la.Index.open(path) as index:
            assert contents(index) == added
            with pytest.raises(la.StoreError):
                index.backup(small_disk / "copy.db")
        assert not list(small_disk.glob("copy.db*"))
        with pytest.raises(la.StoreError):
            _make_indexes(small_disk)
        assert not list(small_disk.glob("*.new-*"))
        for other in small_disk.glob("more-*"):
            other.unlink()
        (small_disk / "filler").unlink()
        with la.Index.open(path) as index:
            assert index.verify().ok
            assert contents(index) == added

    def test_documents_can_be_removed_from_a_full_disk(small_disk: Path) -> None:
        added, _ = _grow(small_disk / "index.db")
        ids, gone = list(added), len(added) // 10 * 5
        with la.Index.open(small_disk / "index.db") as index:
            for start in range(0, gone, 5):
                assert index.remove(ids[start : start + 5]) == 5
            index.add({"new": "there is room again"})
            _fill_up(small_disk)
            with pytest.raises(la.StoreError, match=r"needs space to free space: .*; free up to .* nothing is lost"):
                index.compact()
            (small_disk / "filler").unlink()
            assert index.verify().ok
            assert len(index) == len(added) - gone + 1


# -- permissions and locks ---------------------------------------------------------------------------------------------


_AS_NOBODY = """
import os, sys
import lookalike as la
warm = la.Index.open(sys.argv[2], create=False)
warm.query("one two"), warm.verify()
if os.geteuid() == 0:
    os.setgid(65534); os.setuid(65534)
index = la.Index.open(sys.argv[1], create=False)
assert index.query("one two three four").ids == ["a"], index.query("one two three four")
assert index.verify().ok
try:
    index.add({"b": "five six"})
except la.StoreError as error:
    print(error)
index.close()
"""


@pytest.mark.parametrize("what", ["file", "folder"])
def test_who_may_only_read(what: str) -> None:
    folder = Path(tempfile.mkdtemp())  # pytest's own folders are closed to others
    path = folder / "index.db"
    try:
        for place in (path, folder / "warm.db"):
            with la.Index.open(place) as index:
                index.add({"a": "one two three four"})
        (folder / "index.db-lock").unlink()
        path.chmod(0o444)
        folder.chmod(0o555 if what == "folder" else 0o777)
        said = run(_AS_NOBODY, str(path), str(folder / "warm.db"))
        assert "index.db cannot be" in said
        assert "check" in said
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_another_process_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add({"a": "one two three four"})
        program = """
            import sys, time
            import lookalike as la
            with la.Index.open(sys.argv[1])._store.writing():
                print("holding", flush=True)
                time.sleep(60)
        """
        monkeypatch.setattr("lookalike.index.index_setup.PATIENCE", 0.3)
        with start(program, str(path)) as child:
            try:
                assert child.stdout is not None
                assert child.stdout.readline() == "holding\n"
                with pytest.raises(la.StoreError, match="is being written by another process; try again"):
                    index.add({"b": "five six"})
                with pytest.raises(la.StoreError, match="is being written by another process"):
                    index.compact()
                assert list(index) == ["a"]
            finally:
                child.kill()
        index.add({"b": "five six"})  # the lock went with its holder
        assert list(index) == ["a", "b"]


# -- files that are no index, or not any more --------------------------------------------------------------------------


def _database(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def _be_a_database(path: Path) -> None:
    path.unlink()
    _database(path, "CREATE TABLE t (a)")


def _be_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


STRANGE: dict[str, Callable[[Path], object]] = {
    "nothing": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("one two three\n" * 200),
    "zeros": lambda path: path.write_bytes(bytes(16384)),
    "header": lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(84)),
    "database": _be_a_database,
    "folder": _be_a_folder,
    "newer": lambda path: _database(path, "PRAGMA user_version = 3"),
    "earlier": lambda path: _database(path, "PRAGMA user_version = 1"),
    "older": lambda path: _database(path, "PRAGMA user_version = 0"),
    "a table more": lambda path: _database(path, "CREATE TABLE more (a)"),
    "a view": lambda path: _database(path, "CREATE VIEW v AS SELECT 1"),
    "a view in place of a table": lambda path: _database(
        path, "DROP TABLE removed", "CREATE VIEW removed AS SELECT number FROM document"
    ),
    "a trigger": lambda path: _database(
        path, "CREATE TRIGGER t AFTER INSERT ON document BEGIN DELETE FROM document; END"
    ),
    "an index more": lambda path: _database(path, "CREATE INDEX i ON document (length)"),
    "a table less": lambda path: _database(path, "DROP TABLE page"),
    "other columns": lambda path: _database(path, "DROP TABLE removed", SCHEMA["removed"].replace("number", "number2")),
    "no settings": lambda path: _database(path, "DELETE FROM settings"),
    "huge settings": lambda path: _database(path, "UPDATE settings SET value = hex(zeroblob(50000000))"),
    "other settings": lambda path: _database(path, """UPDATE settings SET value = replace(value, '"k', '"q')"""),
}


@pytest.mark.parametrize("name", STRANGE)
def test_what_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add({"a": "one two three four"})
    STRANGE[name](path)
    with pytest.raises(la.StoreError, match=r"index\.db ") as caught:
        la.Index.open(path)
    assert caught.value.remedy
    assert "sqlite" not in str(caught.value).lower()


CRAFTED = {
    "no state": "DELETE FROM state",
    "next too low": "UPDATE state SET next = 0, posted = 0",
    "next too high": "UPDATE state SET next = 1 << 40",
    "next negative": "UPDATE state SET next = -5",
    "posted too high": "UPDATE state SET posted = next + 1",
    "kind": "UPDATE state SET kind = 'float'",
    "count": "UPDATE state SET documents = -1",
    "keys short": "UPDATE document SET keys = x'00'",
    "keys long": "UPDATE document SET keys = zeroblob(5000000)",
    "slots short": "UPDATE document SET slots = x''",
    "body huge": "UPDATE document SET body = zeroblob(50000000) WHERE number = (SELECT min(number) FROM document)",
    "id blob": "UPDATE document SET id = zeroblob(10) WHERE number = (SELECT max(number) FROM document)",
    "id real": "UPDATE document SET id = 1.5 WHERE number = (SELECT max(number) FROM document)",
    "number negative": "UPDATE document SET number = -7 WHERE number = (SELECT max(number) FROM document)",
    "number huge": "UPDATE document SET number = 1 << 60 WHERE number = (SELECT max(number) FROM document)",
    "removed negative": "INSERT INTO removed VALUES (-5)",
    "removed huge": "INSERT INTO removed VALUES (1 << 60)",
    "segment without pages": "DELETE FROM page",
    "segment huge": "UPDATE segment SET entries = 1 << 60",
    "segment negative": "UPDATE segment SET entries = -1",
    "firsts huge": "UPDATE segment SET firsts = zeroblob(50000000)",
    "page elsewhere": "UPDATE segment SET first_page = -9",
    "page short": "UPDATE page SET entries = x'0102'",
}


@pytest.mark.parametrize("name", CRAFTED)
def test_what_is_noticed(tmp_path: Path, name: str) -> None:
    """An error or the right answer, `verify` says so, and `repair` leaves an index that works."""
    path, history = tmp_path / "index.db", History(4)
    with small(), la.Index.open(path) as index:
        for number in range(14):
            history.change(number).apply(index)
    documents = history.state(14)
    _database(path, CRAFTED[name])
    index = la.Index.open(path)
    seen = Counter[str]()
    for action in (
        lambda: [hits.query in hits.ids for hits in index.query(documents, threads=1)],
        lambda: index.query("change3 w1 w2 w3", top=3),
        lambda: (list(index), len(index), contents(index)),
        lambda: index.add({"new": "one two three"}),
        lambda: index.remove(["new"]),
        index.compact,
    ):
        try:
            action()
        except la.StoreError as error:
            seen[error.problem] += 1
    assert not index.verify().ok or (contents(index) == documents and not seen)
    done = index.repair()
    assert set(done.lost) <= documents.keys()
    # Of the document whose id is no id any more nobody knows the name.
    unknown = 1 if name.startswith("id ") else 0
    assert done.problems == ["1 document is lost whose ids are not known"] * unknown
    assert len(documents.keys() - set(done.lost) - set(index)) == unknown
    index.close()


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_that_was_cut(tmp_path: Path, share: float) -> None:
    path, history = tmp_path / "index.db", History(4)
    with small(), la.Index.open(path) as index:
        for number in range(14):
            history.change(number).apply(index)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    try:
        index = la.Index.open(path)
    except la.StoreError:
        return
    assert not index.verify().ok
    with suppress(la.StoreError):
        done = index.repair()
        assert done.ok
        assert set(index) == history.state(14).keys() - set(done.lost)
    index.close()


# -- what is left beside the file --------------------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077, 0o277, 0o777])
def test_only_the_owner_may_read(tmp_path: Path, umask: int) -> None:
    path = tmp_path / "index.db"
    before = os.umask(umask)
    try:
        with la.Index.open(path) as index, la.Index.open(path) as other:
            index.add({"a": "one two three four"})
            assert list(other) == ["a"]
            modes = {file.name: oct(file.stat().st_mode & 0o777) for file in tmp_path.iterdir()}
            assert modes.keys() == {"index.db", "index.db-wal", "index.db-shm", "index.db-lock"}
            assert set(modes.values()) == {"0o600"}, modes
            index.backup(tmp_path / "copy.db")
            assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    finally:
        os.umask(before)
