"""Tables of names, authors and dates that somebody made up, and documents with ids that nobody would choose."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from lookalike.documents.metadata import Metadata, for_documents, read_metadata
from tests.faults.child import PEAK
from tests.faults.child import run as run_child

if TYPE_CHECKING:
    from pathlib import Path


def refused(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(la.DocumentError) as raised:
        read_metadata(path)
    assert len(str(raised.value)) < 600
    return str(raised.value)


@pytest.mark.parametrize(
    "date", ["0001-01-01T00:00+09:00", "9999-12-31T23:00-09:00", "9999-99-99", "x" * 100_000, "２０２６-01-01T99"]
)
def test_dates_that_are_none(tmp_path: Path, date: str) -> None:
    assert "which is ambiguous or not a date" in refused(tmp_path / "m.csv", f"id,date\na,{date}\n")


def test_tables_that_are_none(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    # As after reading a table with long texts: the limit belongs to the process.
    before = csv.field_size_limit(1 << 24)
    request.addfinalizer(lambda: csv.field_size_limit(before))
    path = tmp_path / "m.csv"
    for text in (
        "\n\n\n",
        "\n\nid,name\na,b\n",
        ",,,,\n",
        "id\n",
        'id,name\n"a,b\n',
        "id,name\na\n",
        "id,name\n" + "x" * 200_000 + ",b\n",
        "id,name\n" + ("x" * 100_000 + ",b\n") * 2,
        "x" * 100_000 + ",y\na,b\n",
        ",".join(f"column{n}" for n in range(100_000)) + "\n",
        "id," + ",".join(f"column{n}" for n in range(100_000)) + "\n",
    ):
        refused(path, text)


LONG = (
    PEAK
    + """
from lookalike.documents.metadata import Metadata, for_documents
before = peak()
known = for_documents({"x.txt": Metadata("x"), "b/y.txt": Metadata("y")}, ["a/" * 40_000 + "x.txt", "c/b/y.txt"])
assert len(known) == 2
print((peak() - before) >> 20)
"""
)


def test_an_id_of_many_folders_takes_no_more_than_its_length() -> None:
    assert int(run_child(LONG)) < 50


def test_documents_are_still_named_by_the_ends_of_their_paths() -> None:
    ids = ["one/a/x.txt", "two/a/x.txt", "two\\b\\y.txt", "z.txt"]
    named = {
        "one/a/x.txt": Metadata("1"),
        "two/a/x.txt": Metadata("2"),
        "b/y.txt": Metadata("3"),
        "./z.txt": Metadata("4"),
    }
    assert for_documents(named, ids) == dict(zip(ids, named.values(), strict=True))
    with pytest.raises(la.DocumentError, match=r"fits 'one/a/x\.txt' and 'two/a/x\.txt'"):
        for_documents({"a/x.txt": Metadata("?")}, ids)
    with pytest.raises(la.DocumentError, match=r"did you mean 'z\.txt'"):
        for_documents({"zz.txt": Metadata("?")}, ids)
