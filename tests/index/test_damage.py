"""Damage and forgery, in every call: an error that names the document, or the right answer; never anything else."""

from __future__ import annotations

import sqlite3
import zlib
from array import array
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from lookalike.index.contract import Row
from tests.index.stores import Place, places
from tests.index.workload import contents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_WORDS = [f"word{number}" for number in range(400)]
DOCUMENTS = {f"d{number}": " ".join(_WORDS[30 * number : 30 * number + 40]) for number in range(12)}
HURT = 3
"""The number of the document that is damaged, or forged."""
NAME = f"d{HURT}"


@contextmanager
def statements(place: Place) -> Iterator[Callable[[str, list[Any]], list[tuple[Any, ...]]]]:
    """Give what executes a statement on the tables of an index, written for SQLite."""
    if place.kind == "sqlite":
        with closing(sqlite3.connect(place.where)) as connection:
            yield lambda statement, values: connection.execute(statement, values).fetchall()
            connection.commit()
        return
    import psycopg

    address, _, schema = place.where.partition("#")
    with psycopg.connect(address, autocommit=True) as server:
        server.execute(f"SET search_path TO {schema}")

        def execute(statement: str, values: list[Any]) -> list[tuple[Any, ...]]:
            cursor = server.execute(statement.replace("?", "%s"), values)
            return cursor.fetchall() if cursor.description else []

        yield execute


def set_column(place: Place, column: str, value: Any) -> None:
    with statements(place) as execute:
        execute(f"UPDATE document SET {column} = ? WHERE number = {HURT}", [value])


def other_slots(place: Place) -> None:
    with statements(place) as execute:
        ((slots,),) = execute(f"SELECT slots FROM document WHERE number = {HURT}", [])
    set_column(place, "slots", bytes(byte ^ 255 for byte in bytes(slots)))


def other_body(place: Place) -> None:
    set_column(place, "body", b"something else")


def other_id(place: Place) -> None:
    set_column(place, "id", "other" if place.kind == "sqlite" else b"other")


def other_length(place: Place) -> None:
    set_column(place, "length", 7)


def no_row(place: Place) -> None:
    with statements(place) as execute:
        execute(f"DELETE FROM document WHERE number = {HURT}", [])


def forge_body(place: Place, body: bytes) -> None:
    """Write another body, with checksums that fit."""
    with statements(place) as execute:
        asked = f"SELECT shingles, length, digest, keys, slots FROM document WHERE number = {HURT}"
        ((shingles, length, digest, keys, slots),) = execute(asked, [])
    keys = bytes(keys) if isinstance(keys, bytes) else array("q", keys).tobytes()
    row = Row(NAME, shingles, length, bytes(digest), keys, bytes(slots), body)
    set_column(place, "body", body)
    set_column(place, "body_checksum", zlib.crc32(body))
    set_column(place, "checksum", row.checksum())


def not_utf_8(place: Place) -> None:
    forge_body(place, b"\xff\xfe word1 word2")


def not_sorted(place: Place) -> None:
    forge_body(place, array("Q", [9, 5, 5, 1]).tobytes())


def not_whole(place: Place) -> None:
    forge_body(place, b"12345")


DAMAGE: dict[str, tuple[Callable[[Place], None], str]] = {
    **{
        f"{damage.__name__}, {keep}": (damage, keep)
        for damage in (other_slots, other_body, other_id, other_length, no_row)
        for keep in ("text", "shingles")
    },
    "not_utf_8, text": (not_utf_8, "text"),
    "not_sorted, shingles": (not_sorted, "shingles"),
    "not_whole, shingles": (not_whole, "shingles"),
}
CALLS: dict[str, Callable[[la.Index], Any]] = {
    "query": lambda index: index.query(DOCUMENTS[NAME]).ids,
    "all queries": lambda index: [hits.ids for hits in index.query(DOCUMENTS)],
    "low threshold": lambda index: index.query(DOCUMENTS[NAME], 0.3).ids,
    "nearest": lambda index: index.query(DOCUMENTS[NAME], top=1).ids,
    "nearest above": lambda index: index.query(DOCUMENTS[NAME], 0.3, top=1).ids,
    "get": lambda index: index.get(NAME),
    "in": lambda index: NAME in index,
    "ids": list,
    "documents": contents,
    "pairs": lambda index: index.pairs(0.1).num_rows,
    "groups": lambda index: len(index.groups(0.1)),
    "ensure": lambda index: index.ensure(DOCUMENTS),
    "add unless similar": lambda index: [one.is_added for one in index.add_unless_similar({"new": DOCUMENTS[NAME]})],
    "put": lambda index: index.put(NAME, DOCUMENTS[NAME]),
}


def outcome(index: la.Index, name: str) -> Any:
    """Return what a call answers, or the error that it raises; a raw one fails the test."""
    try:
        return CALLS[name](index)
    except KeyError as error:  # the documented answer for an id that is not stored
        assert name == "get"
        return repr(error)
    except la.DamagedError as error:
        return error
    except la.ConflictError:
        return "conflict"
    except la.StoreError as error:
        return error.problem


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("name", DAMAGE)
def test_no_wrong_answer(tmp_path: Path, kind: str, name: str) -> None:
    damage, keep = DAMAGE[name]
    right = {}
    for is_damaged in (False, True):
        for call in CALLS:
            place = places(kind, tmp_path / f"{is_damaged} {call}")()
            (tmp_path / f"{is_damaged} {call}").mkdir()
            with place.open(keep=keep, create=True) as index:
                index.add(DOCUMENTS)
            if is_damaged:
                damage(place)
            with place.open(create=False) as index:
                answer = outcome(index, call)
                if not is_damaged:
                    right[call] = answer
                elif isinstance(answer, la.DamagedError):
                    # One that cannot be named is known by its number, or by what is missing from a list.
                    assert any(
                        word in answer.problem for word in (NAME, "other", f"number {HURT}", "11 documents of 12")
                    )
                else:
                    # That an id is absent, because what leads to it is damaged, is found by `verify` alone.
                    is_absent = damage in (no_row, other_id) and call in ("in", "get", "ensure", "put")
                    is_other = damage in (not_utf_8, not_sorted, not_whole) and answer in ("conflict", "replaced")
                    assert is_absent or is_other or str(answer) == str(right[call]), f"{call}: {answer!r}"
                if is_damaged:
                    assert not index.verify().ok or damage in (not_utf_8, not_sorted, not_whole)


def test_settings_of_any_depth(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    la.Index.open(path).close()
    value = "[" * 30_000 + "]" * 30_000
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE settings SET value = ?, checksum = ?", (value, zlib.crc32(value.encode())))
        connection.commit()
    with pytest.raises(la.DamagedError, match="has damaged settings"):
        la.Index.open(path)
