"""The postings of an index in PostgreSQL: `recent`, segments in blocks, and merges answer as memory does."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import psycopg
import pytest

import lookalike as la
import lookalike.index.postgres_postings as postings
import lookalike.index.postgres_rows as rows
from lookalike.index import query
from tests.index.postgres import server

if TYPE_CHECKING:
    from collections.abc import Iterator


def _text(number: int) -> str:
    return f"text number {number} of many, and {number * 7} more words"


def _texts(*numbers: int) -> dict[str, str]:
    return {f"d{number}": _text(number) for number in numbers}


@pytest.fixture(params=[(0, 2), (4, 3), (40, 64)], ids=["all in segments", "both", "most in recent"])
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every limit so small that a few documents meet it."""
    recent, per_block = request.param
    monkeypatch.setattr(rows, "RECENT", recent)
    monkeypatch.setattr(rows, "_PORTION", 5)
    monkeypatch.setattr(postings, "MOST_SEGMENTS", 2)
    monkeypatch.setattr(postings, "WINDOW", 50)
    monkeypatch.setattr(postings, "_PER_BLOCK", per_block)


@pytest.fixture
def where() -> Iterator[str]:
    place = server().new_schema()
    la.Index.open(place, create=True).close()
    yield place
    with psycopg.connect(server().url, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {place.rpartition('#')[2]} CASCADE")


@pytest.mark.usefixtures("small")
def test_answers_are_those_of_memory(where: str) -> None:
    rng = random.Random(5)
    with la.Index.open(where) as index, la.Index.open(":memory:") as memory:
        for step in range(12):
            count = rng.choice((1, 3, 12))
            new = _texts(*rng.sample(range(60), count))
            gone = [f"d{number}" for number in rng.sample(range(60), 4)]
            for one in (index, memory):
                one.replace(new)
                one.remove(gone)
                if step == 7:
                    one.compact()
            asked = _texts(*range(60))
            assert index.query(asked, 0.8) == memory.query(asked, 0.8)
            assert index.verify().ok
        found = index.info()
        assert found["segments"] <= 2


@pytest.mark.usefixtures("small")
def test_a_bucket_of_many_blocks(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "MOST", 20)
    same = {f"a{number}": _text(1) for number in range(30)}
    with la.Index.open(where) as index, la.Index.open(":memory:") as memory:
        for one in (index, memory):
            one.add(dict(list(same.items())[:17]))
            one.add(dict(list(same.items())[17:19]))
        assert index.query(_text(1)) == memory.query(_text(1))
        assert not index.query(_text(1)).truncated
        for one in (index, memory):
            one.add(dict(list(same.items())[19:]))
        assert index.query(_text(1)).ids == memory.query(_text(1)).ids == list(same)[:20]
        assert index.query(_text(1)).truncated
        index.compact()
        assert index.query(_text(1)).ids == list(same)[:20]


def _change(where: str, statement: str) -> None:
    with psycopg.connect(server().url, autocommit=True) as connection:
        connection.execute(statement.format(schema=where.rpartition("#")[2]))


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE {schema}.posting SET entries = set_byte(entries, 3, get_byte(entries, 3) # 1)",
        "UPDATE {schema}.posting SET first = first + 1",
        "DELETE FROM {schema}.posting WHERE first = (SELECT min(first) FROM {schema}.posting)",
        "UPDATE {schema}.state SET segments = '{{7}}'",
        "UPDATE {schema}.recent SET keys[1] = 5 WHERE number = 10",
        "DELETE FROM {schema}.recent WHERE number = 10",
        "DELETE FROM {schema}.state",
    ],
)
def test_damage_is_found_and_repaired(where: str, damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "RECENT", 5)
    with la.Index.open(where) as index:
        index.add(_texts(*range(10)))
        index.add(_texts(10, 11))
        _change(where, damage)
        assert not index.verify().ok
        fixed = index.repair()
        assert fixed.ok
        assert fixed.lost == []
        assert [hits.ids for hits in index.query(list(_texts(*range(12)).values()), 1.0)] == [
            [f"d{number}"] for number in range(12)
        ]


def test_a_damaged_block_is_not_served(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "RECENT", 0)
    with la.Index.open(where) as index:
        index.add(_texts(*range(10)))
        _change(where, "UPDATE {schema}.posting SET entries = set_byte(entries, 3, get_byte(entries, 3) # 1)")
        with pytest.raises(la.DamagedError, match="segment 1"):
            index.query(_text(3))


def test_a_write_that_fails_leaves_no_postings(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_PORTION", 3)
    with la.Index.open(where) as index:
        index.add(_texts(*range(20)))
        with pytest.raises(la.DuplicateIdError):
            index.add(_texts(25, 26, 27, 28, 19))
        assert len(index) == 20
        assert index.verify().ok
        assert [hits.ids for hits in index.query(_texts(25, 26, 27), 1.0)] == [[]] * 3


def test_a_writer_who_does_not_own_the_index(where: str) -> None:
    schema = where.rpartition("#")[2]
    with la.Index.open(where) as index:
        index.add(_texts(*range(5)))
    _change(where, "CREATE ROLE other_{schema} LOGIN")
    _change(where, "GRANT USAGE ON SCHEMA {schema} TO other_{schema}")
    _change(where, "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO other_{schema}")
    with la.Index.open(where.replace("//tests@", f"//other_{schema}@"), create=False) as other:
        other.add(_texts(5, 6, 7, 8))
        assert other.query(_text(7), 1.0).ids == ["d7"]
        assert other.verify().ok


def test_an_index_of_an_older_format_is_refused(where: str) -> None:
    _change(where, "UPDATE {schema}.settings SET format = 1")
    with pytest.raises(la.StoreError, match="hash format 1; build it again"):
        la.Index.open(where)
