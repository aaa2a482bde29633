"""Indexes that somebody made up: values of any size are refused before they are loaded, and messages stay short."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.index.contract import LARGEST_BODY, LONGEST_ID
from tests.faults.child import PEAK, run

if TYPE_CHECKING:
    from pathlib import Path

MEMORY = 300 << 20
"""What no command may take."""
LARGE = 400 << 20
TEXTS = {f"e{number}": " ".join(f"w{number * 7 + word}" for word in range(50)) for number in range(6)}

PROGRAM = f"""
import io, sys, contextlib
from lookalike.cli import main
{PEAK.strip()}
new, where = sys.argv[1:]
for command in (["check", new, "--index", where], ["check", new, "--index", where, "-t", "0", "--top", "3"],
                ["scan", new, "--against", where], ["index", "verify", where], ["index", "info", where],
                ["index", "repair", where], ["index", "verify", where]):
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = main(command)
    said.flush()
    shown = said.buffer.getvalue()
    assert len(shown) < 20_000, (command, len(shown))
    assert b"internal error" not in shown, shown
    print(command[0], command[1] if command[0] == "index" else "", code)
print(peak())
"""


def crafted(path: Path, *statements: str) -> Path:
    with la.Index.open(path, threshold=0.5) as index:
        index.add(TEXTS)
        index.compact()
        index.add({"last": "one two three four five six seven"})
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE document SET body = zeroblob({LARGE}) WHERE id = 'e3'",
        f"UPDATE document SET id = zeroblob({LARGE // 8}) WHERE number = 3",
        f"UPDATE document SET id = replace(hex(zeroblob({LARGE // 16})), '00', 'xy') WHERE number = 3",
        f"UPDATE document SET keys = zeroblob({LARGE}) WHERE number = 3",
        f"UPDATE page SET entries = zeroblob({LARGE})",
        f"UPDATE segment SET firsts = zeroblob({LARGE})",
        f"UPDATE state SET kind = hex(zeroblob({LARGE // 8}))",
    ],
)
def test_a_huge_value_is_not_loaded(tmp_path: Path, statement: str) -> None:
    path = crafted(tmp_path / "class.db", statement)
    new = tmp_path / "new.txt"
    new.write_text(TEXTS["e3"], encoding="utf-8")
    *said, peak = run(PROGRAM, str(new), str(path), limit=120).splitlines()
    assert said[3] == "index verify 1"
    assert said[5] in ("index repair 0", "index repair 1")  # 1 if a document is lost
    assert said[6] == "index verify 0"
    assert int(peak) < MEMORY
    with la.Index.open(path) as index:
        assert set(index) >= TEXTS.keys() - {"e3"}


def test_documents_are_read_a_few_at_a_time(tmp_path: Path) -> None:
    """Each is of a size that is allowed; all together are not held."""
    path = tmp_path / "class.db"
    with la.Index.open(path) as index:
        for number in range(0, 120, 10):
            index.add({f"d{one}": f"{one} " + "word " * (1 << 19) for one in range(number, number + 10)})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE state SET documents = 7")
        connection.commit()
    new = tmp_path / "new.txt"
    new.write_text("something else", encoding="utf-8")
    *said, peak = run(PROGRAM, str(new), str(path), limit=240).splitlines()
    assert said[-2:] == ["index repair 0", "index verify 0"]
    assert int(peak) < MEMORY


@pytest.mark.parametrize(
    "change", ["kind = 'foo'", "documents = 4000000000", "documents = 99", "next = 1", "posted = 2000000000"]
)
def test_an_absurd_state_is_damage(tmp_path: Path, change: str) -> None:
    path = crafted(tmp_path / "class.db", f"UPDATE state SET {change}")
    with la.Index.open(path) as index:
        with pytest.raises(la.DamagedError, match="the state"):
            len(index)
        check = index.verify()
        assert not check.ok
        assert index.repair().ok
        assert set(index) == {*TEXTS, "last"}


@pytest.mark.parametrize("where", ["file", "memory"])
def test_an_id_has_a_longest_size(tmp_path: Path, where: str) -> None:
    with la.Index.open(tmp_path / "class.db" if where == "file" else ":memory:") as index:
        assert index.add({"ä" * (LONGEST_ID // 2): "one two three"}) == 1
        with pytest.raises(la.DocumentError, match="id is longer than 1 MiB") as caught:
            index.add({"ä" * (LONGEST_ID // 2) + "x": "one two three"})
        assert len(str(caught.value)) < 300
        assert index.verify().ok


def test_a_text_has_a_largest_size(tmp_path: Path) -> None:
    with la.Index.open(tmp_path / "class.db") as index:
        with pytest.raises(la.DocumentError, match="text is larger than 64 MiB"):
            index.add({"a": "x" * (LARGEST_BODY + 1)})
        assert len(index) == 0
