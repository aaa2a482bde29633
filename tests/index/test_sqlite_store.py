"""SQLite before 3.51.3 can damage a file when its log is reset while it is copied: it never comes to that."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.cli import main
from lookalike.index import index_setup
from lookalike.index.index_setup import locked
from lookalike.index.sqlite_schema import has_reset_bug
from tests.index.workload import History, small

if TYPE_CHECKING:
    from pathlib import Path

_CHANGES = re.compile(r"\s*(BEGIN IMMEDIATE|COMMIT|INSERT|UPDATE|DELETE|VACUUM|PRAGMA wal_checkpoint)", re.IGNORECASE)


@pytest.mark.parametrize(
    ("version", "affected"),
    [
        ((3, 6, 23), False),
        ((3, 7, 0), True),
        ((3, 40, 1), True),
        ((3, 44, 5), True),
        ((3, 44, 6), False),
        ((3, 45, 0), True),
        ((3, 50, 6), True),
        ((3, 50, 7), False),
        ((3, 51, 0), True),
        ((3, 51, 2), True),
        ((3, 51, 3), False),
        ((3, 54, 1), False),
    ],
)
def test_which_versions_have_the_bug(version: tuple[int, int, int], affected: bool) -> None:
    assert has_reset_bug(version) == affected


def test_every_change_is_inside_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections without a right to write run none; those with one run them while the lock is held."""
    seen: list[tuple[str, bool, bool]] = []

    class Watched(sqlite3.Connection):
        def __init__(self, name: Any, *rest: Any, **options: Any) -> None:
            self.may_write = "mode=ro" not in str(name)
            self.is_new = ".new-" in str(name)  # nobody else knows its name
            super().__init__(name, *rest, **options)

        def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
            if _CHANGES.match(statement) and not self.is_new:
                seen.append((statement.split("(", maxsplit=1)[0], self.may_write, bool(index_setup._HELD)))
            return super().execute(statement, *values)

        def close(self) -> None:
            if self.may_write and not self.is_new:
                seen.append(("close", True, bool(index_setup._HELD)))
            super().close()

    real = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **options: real(*args, factory=Watched, **options))
    history, path = History(2), tmp_path / "index.db"
    with small(), la.Index.open(path) as index, la.Index.open(path) as reader:
        for number in range(25):
            history.change(number).apply(index)
            list(reader)
            reader.query("some words", threads=1)
        index.compact()
        index.backup(tmp_path / "copy.db")
        assert reader.verify().ok
    assert {statement for statement, _, _ in seen} >= {"BEGIN IMMEDIATE", "COMMIT", "VACUUM", "close"}
    assert any(statement.startswith("PRAGMA wal_checkpoint") for statement, _, _ in seen)
    assert all(may_write and held for _, may_write, held in seen), [one for one in seen if one[1:] != (True, True)]


def test_a_reader_cannot_change_anything(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add({"a": "one two three four"})
        with index._store.reading() as reader, pytest.raises(sqlite3.OperationalError, match="readonly"):
            reader.session.connection.execute("DELETE FROM document")  # type: ignore[attr-defined]
        with pytest.raises(sqlite3.OperationalError):
            reader.session.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")  # type: ignore[attr-defined]


def test_closing_a_reader_leaves_the_log(tmp_path: Path) -> None:
    """The last connection makes a checkpoint when it is closed; a reader may not."""
    path = tmp_path / "index.db"
    index = la.Index.open(path)
    index.add({"a": "one two three four"})
    saved = path.read_bytes(), path.with_name("index.db-wal").read_bytes()
    index.close()
    path.write_bytes(saved[0])
    path.with_name("index.db-wal").write_bytes(saved[1])
    with la.Index.open(path) as reader:
        assert list(reader) == ["a"]
    assert path.read_bytes() == saved[0]
    assert path.with_name("index.db-wal").read_bytes() == saved[1]


# -- what is left beside the file ------------------------------------------------------------------------------------


def beside(path: Path) -> set[str]:
    return {one.name for one in path.parent.iterdir()}


def test_reading_leaves_no_files_behind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log that only readers have opened is empty: SQLite removes it when the last connection of all is closed."""
    texts, path = tmp_path / "texts", tmp_path / "made" / "index.db"
    texts.mkdir()
    path.parent.mkdir()
    (texts / "a.txt").write_text("one two three four five six seven eight")
    assert main(["index", "build", str(path), str(texts)]) == 0
    assert beside(path) == {"index.db"}
    for command in (
        ["index", "info", str(path)],
        ["index", "query", str(path), str(texts / "a.txt")],
        ["index", "verify", str(path)],
        ["check", str(texts / "a.txt"), "--index", str(path)],
    ):
        main(command)
        assert beside(path) == {"index.db"}, command
    capsys.readouterr()


def test_an_index_that_is_left_open_leaves_no_files_behind(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add({"a": "one two three four"})
    program = f"import lookalike; index = lookalike.Index.open({str(path)!r}); print(len(index))"
    assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True).stdout.strip() == b"1"
    assert beside(path) == {"index.db", "index.db-lock"}


def test_the_last_of_several_readers_removes_the_log(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add({"a": "one two three four"})
    assert beside(path) == {"index.db", "index.db-lock"}
    with la.Index.open(path) as one:
        with la.Index.open(path) as other:
            assert len(one) == len(other) == 1
        assert "index.db-wal" in beside(path)
        assert list(one) == ["a"]
    assert beside(path) == {"index.db", "index.db-lock"}


def test_a_reader_leaves_the_log_of_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add({"a": "one two three four"})
        index.compact()  # which empties the log
        with la.Index.open(path) as reader:
            assert list(reader) == ["a"]
        assert {"index.db-wal", "index.db-shm"} <= beside(path)
        index.add({"b": "five six seven eight"})
        with la.Index.open(path) as reader, locked(path):
            assert list(reader) == ["a", "b"]
        assert index.verify().ok
    assert beside(path) == {"index.db", "index.db-lock"}
