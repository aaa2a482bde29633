"""The GIN index of an index in PostgreSQL: no key waits in its pending list when a write has returned."""

from __future__ import annotations

import psycopg
import pytest

import lookalike as la
import lookalike.index.postgres as store
from tests.index.postgres import server


def _pending(where: str) -> int:
    schema = where.rpartition("#")[2]
    with psycopg.connect(server().url, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS pageinspect")
        asked = "SELECT n_pending_tuples FROM gin_metapage_info(get_raw_page(%s, 0))"
        row = connection.execute(asked, [f"{schema}.document_keys"]).fetchone()
    assert row is not None
    return int(row[0])


def _texts(first: int, count: int) -> dict[str, str]:
    return {
        f"d{number}": f"text number {number} of many, and {number * 7} more words" for number in range(first, count)
    }


def test_no_key_waits_when_a_write_has_returned() -> None:
    where = server().new_schema()
    with la.Index.open(where, create=True) as index:
        for first, count in ((0, 1), (1, 40), (40, 41)):
            index.add(_texts(first, count))
            assert _pending(where) == 0
        index.replace(_texts(3, 5))
        assert _pending(where) == 0
        assert index.verify().ok


def test_keys_are_merged_within_a_long_write(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_PENDING", 3)
    with la.Index.open(server().new_schema(), create=True) as index:
        index.add(_texts(0, 20))
        with pytest.raises(la.DuplicateIdError):
            index.add(_texts(25, 30) | _texts(19, 20))
        assert len(index) == 20
        assert [hits.ids for hits in index.query(_texts(20, 25), 1.0)] == [[]] * 5
        assert [hits.ids for hits in index.query(_texts(0, 20), 1.0)] == [[id] for id in _texts(0, 20)]


def test_a_writer_who_does_not_own_the_index() -> None:
    where = server().new_schema()
    schema = where.rpartition("#")[2]
    with la.Index.open(where, create=True) as index:
        index.add(_texts(0, 5))
    with psycopg.connect(server().url, autocommit=True) as connection:
        connection.execute(f"CREATE ROLE other_{schema} LOGIN")
        connection.execute(f"GRANT USAGE ON SCHEMA {schema} TO other_{schema}")
        rights = "SELECT, INSERT, UPDATE, DELETE"
        connection.execute(f"GRANT {rights} ON ALL TABLES IN SCHEMA {schema} TO other_{schema}")
    with la.Index.open(where.replace("//tests@", f"//other_{schema}@"), create=False) as other:
        other.add(_texts(5, 9))
        assert other.query(_texts(7, 8)["d7"], 1.0).ids == ["d7"]
    assert _pending(where) > 0
    with la.Index.open(where, create=False) as index:
        assert index.query(_texts(7, 8)["d7"], 1.0).ids == ["d7"]
        index.add(_texts(9, 10))
        assert _pending(where) == 0
