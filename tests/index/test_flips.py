"""Bit rot: no wrong answer without a word."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from tests.index.flips import flip_bits
from tests.index.workload import History, contents, small

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("seed", "keep"), [(1, "text"), (2, "text"), (3, "shingles"), (4, "signature")])
def test_one_flipped_bit(tmp_path: Path, seed: int, keep: str) -> None:
    seen = flip_bits(tmp_path, 50, seed, keep)
    assert seen["flips"] == 50
    assert seen["harmless"] < 45
    assert seen["refused"] < 10


def test_a_capital_instead_of_a_letter(tmp_path: Path) -> None:
    """The digest of the text is the same, so only the checksum of the text tells."""
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add({"a": "one two three four", "b": "five six seven eight"})
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE document SET body = CAST('One two three four' AS BLOB) WHERE id = 'a'")
        connection.commit()
    with la.Index.open(path) as index:
        with pytest.raises(la.DamagedError, match="document 'a'"):
            index.get("a")
        assert not index.verify().ok
        assert index.repair().lost == ["a"]
        assert contents(index) == {"b": "five six seven eight"}


def test_a_damaged_id_makes_no_new_document(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add({"name-a": "one two three four", "name-b": "five six seven eight"})
    data = bytearray(path.read_bytes())
    # The id is there twice: in the row, with its text behind it, and in the index of the ids.
    text = data.index(b"one two three four")
    place = data.rindex(b"name-a", 0, text)
    data[place] ^= 1
    path.write_bytes(data)
    with la.Index.open(path) as index:
        assert not index.verify().ok
        done = index.repair()
        assert done.ok
        assert done.lost == []
        assert contents(index) == {"name-a": "one two three four", "name-b": "five six seven eight"}


def test_a_wrong_entry_of_an_id_removes_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add({f"name-{letter}": f"text number {letter} of four" for letter in "abcd"})
    data = bytearray(path.read_bytes())
    text = data.index(b"text number c of four")
    place = data.index(b"name-c")
    if data.rindex(b"name-c", 0, text) == place:
        place = data.index(b"name-c", text)
    assert data[place + 6] == 2, "the number follows the id"
    data[place + 6] = 3
    path.write_bytes(data)
    with la.Index.open(path) as index:
        with pytest.raises(la.DamagedError, match="name-c"):
            index.remove(["name-c"])
        assert len(list(index)) == 4
        assert index.repair().lost == []
        assert index.remove(["name-c"]) == 1
        assert set(index) == {"name-a", "name-b", "name-d"}


def test_a_reader_notices_that_segments_began_anew(tmp_path: Path) -> None:
    """Numbers of segments begin at 1 again after a time without any."""
    path = tmp_path / "index.db"
    texts = {f"{seed}-{number}": text for seed in range(2) for number, text in enumerate(_texts(seed))}
    with small(), la.Index.open(path) as one, la.Index.open(path) as two:
        _begin_anew(one, two, texts)


def _begin_anew(one: la.Index, two: la.Index, texts: dict[str, str]) -> None:
    first = {id: text for id, text in texts.items() if id.startswith("0")}
    second = {id: text for id, text in texts.items() if id.startswith("1")}
    one.add(first)
    one.compact()
    assert all(hits.query in hits.ids for hits in two.query(first))
    one.remove(list(first))
    one.compact()
    one.add(second)
    one.compact()
    assert all(hits.query in hits.ids for hits in two.query(second))
    assert two.verify().ok


def _texts(seed: int) -> list[str]:
    history = History(seed)
    return [text for number in range(12) for text in history.change(number).documents.values()]


def test_repair_keeps_the_order_and_the_numbers(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with la.Index.open(path) as index:
        index.add({f"d{number}": f"text number {number} of all" for number in (5, 3, 9, 1)})
        index.remove(["d3"])
    with closing(sqlite3.connect(path)) as connection:
        before = connection.execute("SELECT number, id FROM document").fetchall()
        connection.execute("UPDATE state SET documents = 7")
        connection.commit()
    with la.Index.open(path) as index:
        assert index.repair().ok
        assert list(index) == ["d5", "d9", "d1"]
        index.add({"new": "one two three"})
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT number, id FROM document").fetchall() == [*before, (4, "new")]


def test_repair_waits_for_readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the log goes into the old file before the log is removed; a reader that holds it up is named."""
    monkeypatch.setattr("lookalike.index.index_setup.PATIENCE", 0.2)
    path = tmp_path / "index.db"
    with la.Index.open(path) as index, la.Index.open(path) as reader:
        index.add({"a": "one two three four"})
        with reader._store.reading():
            index.add({"b": "five six seven eight"})
            with closing(sqlite3.connect(path)) as connection:
                connection.execute("UPDATE state SET documents = 0")
                connection.commit()
            monkeypatch.setattr("lookalike.index.sqlite_schema.PATIENCE", 0.1)
            with pytest.raises(la.StoreError, match="is being read; try again"):
                index.repair()
            assert index.get("b") == "five six seven eight"
        done = index.repair()
        assert done.ok
        assert done.lost == []
        assert list(index) == list(reader) == ["a", "b"]
        assert contents(reader) == {"a": "one two three four", "b": "five six seven eight"}
