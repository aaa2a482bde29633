"""Other processes and other handles of the same file: no lock is dropped, and no log is removed while it is in use."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

import lookalike as la

ROOT = Path(__file__).parents[2]
_TEXT = "one two three four five six seven eight nine ten number {}"


def texts(prefix: str, count: int) -> dict[str, str]:
    return {f"{prefix}{number}": _TEXT.format(f"{prefix}{number} " * 9) for number in range(count)}


def in_another_process(path: Path, what: str) -> str:
    """Open the index in a process of its own, do something, and close it; returns what was printed."""
    program = f"import lookalike as la\nwith la.Index.open({str(path)!r}) as index:\n    {what}\n"
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, check=True, timeout=120, stdout=subprocess.PIPE, text=True).stdout


def documents_elsewhere(path: Path) -> int:
    """Return how many documents a process finds that has never seen the index before."""
    return int(in_another_process(path, "print(len(index))"))


@pytest.mark.parametrize("handles", [1, 2, 4])
@pytest.mark.parametrize("what", ["index.add({'other': 'eleven twelve thirteen'})", "index.verify()", "len(index)"])
def test_another_process_closes_the_index(tmp_path: Path, handles: int, what: str) -> None:
    path = tmp_path / "index.db"
    first = la.Index.open(path)
    others = [la.Index.open(path) for _ in range(handles - 1)]
    if "verify" not in what:  # else the log is empty, and may look as if nobody used it
        first.add(texts("early", 2))
    in_another_process(path, what)
    for number, index in enumerate([first, *others]):
        index.add(texts(f"late{number}-", 5))
    expected = len(first)
    assert documents_elsewhere(path) == expected
    for index in (first, *others):
        assert len(index) == expected
        index.close()
    with la.Index.open(path) as index:
        assert len(index) == expected
        assert index.verify().ok


def test_a_program_that_drops_the_locks_is_refused(tmp_path: Path) -> None:
    """Something else in the process reads the file: what would be written to a lost log is refused, not lost."""
    path = tmp_path / "index.db"
    index = la.Index.open(path)
    index.add(texts("early", 3))
    path.read_bytes()  # which drops every lock of this process
    in_another_process(path, "index.add({'other': 'eleven twelve thirteen'})")
    for call in (lambda: index.add({"late": "one two three"}), lambda: index.query("one"), lambda: list(index)):
        with pytest.raises(la.StoreError, match=r"has lost its locks.*end this process"):
            call()
    with pytest.raises(la.StoreError, match="has lost its locks"):
        la.Index.open(path)  # SQLite would read the new log with the table of the old one
    index.close()
    assert documents_elsewhere(path) == 4


def test_locks_that_are_dropped_during_a_write(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    index = la.Index.open(path)
    index.add(texts("early", 3))

    def lose(count: int) -> None:
        path.read_bytes()
        (tmp_path / "index.db-wal").rename(tmp_path / "other")

    with pytest.raises(la.StoreError, match="has lost its locks"):
        index.add(texts("late", 2), progress=lose)


def test_an_empty_log_that_is_in_use_stays(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add(texts("early", 3))
    with la.Index.open(path) as index:
        assert len(index) == 3
        log = (tmp_path / "index.db-wal").stat()
        for what in ("index.verify()", "index.info()", f"index.backup({str(tmp_path / 'copy.db')!r})"):
            in_another_process(path, what)
        assert (tmp_path / "index.db-wal").stat().st_ino == log.st_ino
        index.add(texts("late", 3))
    assert documents_elsewhere(path) == 6
    assert not (tmp_path / "index.db-wal").exists()


def test_an_index_behind_a_link(tmp_path: Path) -> None:
    """Log and lock are those of the file, by whatever name it is opened."""
    (tmp_path / "real").mkdir()
    path, link = tmp_path / "real" / "index.db", tmp_path / "link.db"
    with la.Index.open(path) as index:
        index.add(texts("early", 2))
    link.symlink_to(path)
    with la.Index.open(link) as index, la.Index.open(path) as other:
        in_another_process(link, "index.add({'other': 'eleven twelve thirteen'})")
        index.add(texts("late", 2))
        assert len(other) == len(index) == 5
    assert {file.name for file in tmp_path.iterdir()} == {"real", "link.db"}
    assert documents_elsewhere(path) == 5


def test_a_file_without_a_log(tmp_path: Path) -> None:
    """Somebody has turned it off, for a disk that is only read."""
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add(texts("early", 2))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")
    with la.Index.open(path) as index:
        assert list(index) == ["early0", "early1"]
        index.add(texts("late", 2))
    assert documents_elsewhere(path) == 4


def test_compacting_waits_for_no_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.index.sqlite_schema.PATIENCE", 600.0)
    monkeypatch.setattr("lookalike.index.sqlite_store.PATIENCE", 600.0)
    with la.Index.open(tmp_path / "index.db") as index:
        index.add(texts("early", 20))
        source = index.documents()
        assert source.size().documents == 20
        index.remove([f"early{number}" for number in range(10)])
        thread = threading.Thread(target=index.compact, daemon=True)
        thread.start()
        thread.join(60.0)
        assert not thread.is_alive(), "a compaction waits for somebody who reads"
        assert sum(len(batch) for batch in source.batches()) == 20
        assert index.verify().ok


def test_a_hard_link_is_refused(tmp_path: Path) -> None:
    """By two names, the file would have two logs; what a killed creation leaves beside it does no harm."""
    path, other = tmp_path / "index.db", tmp_path / "other.db"
    with la.Index.open(path) as index:
        index.add(texts("early", 2))
    other.hardlink_to(path)
    for name in (path, other):
        with pytest.raises(la.StoreError, match="has a second name"):
            la.Index.open(name)
    other.rename(tmp_path / "index.db.new-1-abc")
    assert documents_elsewhere(path) == 2
