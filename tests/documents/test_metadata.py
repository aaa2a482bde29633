"""Names, authors, dates and labels of documents."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

import lookalike as la
from lookalike.documents.metadata import Metadata, first_of, for_documents, metadata_of, read_metadata


@pytest.fixture
def info(tmp_path: Path) -> Path:
    return tmp_path / "info.csv"


def test_all_columns(info: Path) -> None:
    info.write_text("id,name,author,date,label\na.txt,Essay,Ann,2026-03-01,7b\nb.txt,,,,\n")
    read = read_metadata(info)
    assert read == {"a.txt": Metadata("Essay", "Ann", datetime(2026, 3, 1, tzinfo=UTC), "7b"), "b.txt": Metadata()}
    assert read["a.txt"].to_dict() == {"name": "Essay", "author": "Ann", "date": "2026-03-01", "label": "7b"}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_names_of_dolos_separators_and_other_columns(info: Path, separator: str) -> None:
    rows = [["filename", "Full Name", "created_at", "points"], ["a.txt", '"Ann, B."', "2026-03-01 14:05:00 +0100", "7"]]
    info.write_text("\n".join(separator.join(row) for row in rows) + "\n\n", encoding="utf-8-sig")
    assert read_metadata(info) == {"a.txt": Metadata("Ann, B.", date=datetime(2026, 3, 1, 13, 5, tzinfo=UTC))}


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_encodings_are_found_out(info: Path, encoding: str) -> None:
    info.write_text("id,author\naufsatz.txt,Jürgen Müller\nzweiter.txt,Käthe Groß\n", encoding=encoding)
    assert read_metadata(info)["aufsatz.txt"].author == "Jürgen Müller"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is empty"),
        ("name,author\nx,y\n", "line 1 has no column id or filename, but name, author"),
        ("filname,author\nx,y\n", "line 1 .*did you mean 'filename'"),
        ("id,points\nx,3\n", "line 1 has no column besides the id"),
        ("id,name\na,1\n\na,2\n", "line 4 repeats 'a' from line 2"),
        ("id,name\n,1\n", "line 2 has no id"),
        ("id,name\na\n", "line 2 has 1 cells"),
        ("id,date\na,03/04/2026\n", "line 2 has the date '03/04/2026', which is ambiguous or not a date"),
        ('id,name\na,"x" y\n', "line 2 is not CSV"),
    ],
)
def test_errors_name_the_line(info: Path, text: str, problem: str) -> None:
    info.write_text(text)
    with pytest.raises(la.DocumentError, match=problem):
        read_metadata(info)


def test_a_row_names_a_document_by_the_end_of_its_path() -> None:
    known = for_documents({"one.txt": Metadata("One"), "b/two.txt": Metadata("Two")}, ["x/one.txt", "a/b/two.txt"])
    assert {name: values.name for name, values in known.items()} == {"x/one.txt": "One", "a/b/two.txt": "Two"}
    assert for_documents({"3": Metadata("Three")}, [3, 4])[3].name == "Three"


def test_a_row_for_no_document_or_two_is_an_error(info: Path) -> None:
    info.write_text("id,name\nonne.txt,One\n")
    with pytest.raises(la.DocumentError, match=r"line 2 names 'onne.txt', which is none .*did you mean 'one.txt'"):
        for_documents(read_metadata(info), ["a/one.txt"], info)
    with pytest.raises(la.DocumentError, match=r"names 'one.txt', which fits 'a/one.txt' and 'b/one.txt'"):
        for_documents({"one.txt": Metadata()}, ["a/one.txt", "b/one.txt"])


@pytest.mark.parametrize(
    ("a", "b", "first"),
    [
        ("2026-03-01", "2026-03-02", "a"),
        ("2026-03-02 10:00", "2026-03-02 09:00", "b"),
        ("2026-03-02", "2026-03-02 09:00", "same"),
        ("2026-03-02", "", None),
    ],
)
def test_who_was_first(a: str, b: str, first: str | None) -> None:
    assert first_of(metadata_of({"date": a}), metadata_of({"date": b})) == first


def test_a_result_keeps_what_it_was_told(tmp_path: Path) -> None:
    result = la.find({"a": "one two three four five six", "b": "one two three four five six"})
    told = result.with_metadata({"a": metadata_of({"author": "Ann", "date": "2026-03-01 10:30"})})
    told.save(tmp_path / "run")
    loaded = la.Result.load(tmp_path / "run")
    assert loaded.metadata == told.metadata
    assert loaded.to_dict()["metadata"] == [{"id": "a", "author": "Ann", "date": "2026-03-01T10:30:00"}]
    assert result.metadata == {}
