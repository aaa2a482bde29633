from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import DocumentError
from lookalike.documents import Limits, Skipped, open_paths
from tests.documents.reading import documents, reasons, rows, texts


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("x.csv")


def message(path: Path, **options: Any) -> str:
    with pytest.raises(DocumentError) as caught:
        documents(open_paths([path], **options))
    return str(caught.value)


def test_each_row_is_a_document(path: Path) -> None:
    path.write_text('id,text,n\n007,"one, two\nthree",1\nb,"say ""hello""",2\n')
    source = open_paths([path])
    assert documents(source) == {"007": "one, two\nthree", "b": 'say "hello"'}
    assert source.notes() == ["x.csv: texts from the column 'text', ids from the column 'id'"]
    assert rows(source) == [
        {"id": "007", "text": "one, two\nthree", "n": "1"},
        {"id": "b", "text": 'say "hello"', "n": "2"},
    ]


def test_rows_are_numbered_without_ids(path: Path) -> None:
    path.write_text("title,body\na,one\nb,two\n")
    assert documents(open_paths([path])) == {0: "one", 1: "two"}
    assert documents(open_paths([path], text_column="title", id_column="body")) == {"one": "a", "two": "b"}


@pytest.mark.parametrize(("delimiter", "spoken"), [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")])
def test_other_separators_are_found_and_said(path: Path, delimiter: str, spoken: str) -> None:
    path.write_text(f"id{delimiter}text\na{delimiter}one, two, three\nb{delimiter}four, five\n")
    source = open_paths([path])
    assert documents(source) == {"a": "one, two, three", "b": "four, five"}
    assert f"x.csv: cells are separated by {spoken}" in source.notes()


def test_tabs_by_name(path: Path) -> None:
    Path("x.tsv").write_text("id\ttext\na\tone; two, three\n")
    source = open_paths(["x.tsv"])
    assert documents(source) == {"a": "one; two, three"}
    assert len(source.notes()) == 1


def test_an_empty_cell_is_nothing_and_quotes_are_an_empty_text(path: Path) -> None:
    path.write_text('id,text\na,\nb,""\nc,x\n')
    source = open_paths([path])
    assert documents(source) == {"b": "", "c": "x"}
    assert reasons(source) == {"a": "null text"}


def test_one_column(path: Path) -> None:
    path.write_text('text\none\n"two, and more"\n\nthree\n')
    assert documents(open_paths([path])) == {0: "one", 1: "two, and more", 2: "three"}


def test_a_header_alone_or_nothing(path: Path) -> None:
    path.write_text("id,text\n")
    source = open_paths([path])
    assert documents(source) == {}
    assert reasons(source) == {"x.csv": "empty"}
    path.write_text("\n\n")
    assert documents(open_paths([path])) == {}


def test_other_encodings_are_detected_and_said(path: Path) -> None:
    line = "Der Müller und die größere Brücke über den Fluß\n"
    path.write_bytes(("text\n" + line * 20).encode("cp1252"))
    source = open_paths([path])
    assert set(texts(source)) == {line.strip()}
    assert "x.csv read as windows-1252" in source.notes()
    path.write_bytes(("text\n" + line).encode("utf-16"))
    source = open_paths([path])
    assert texts(source) == [line.strip()]
    path.write_bytes(("text\n" + line).encode("cp850"))
    assert texts(open_paths([path], encoding="cp850")) == [line.strip()]


def test_the_first_unusual_letter_may_come_late(path: Path) -> None:
    path.write_bytes(b"text\n" + b"plain words only\n" * 200_000 + "Müller und Brücke; größer\n".encode("cp1252") * 3)
    found = texts(open_paths([path]))
    assert found[-1] == "Müller und Brücke; größer"
    assert len(found) == 200_003


@pytest.mark.parametrize("ragged", [False, True])
def test_a_few_bad_bytes_do_not_change_the_encoding(path: Path, ragged: bool) -> None:
    lines = ["id,text"] + [f"{i},Müller und Brücke" for i in range(50)]
    data = "\n".join(lines).encode() + b"\n50,caf\xe9\n51,last\n"
    path.write_bytes(data)
    source = open_paths([path])
    found = documents(source)
    assert len(found) == 51
    assert found["51"] == "last"
    assert source.skipped() == [Skipped("x.csv:51", "bad row", "row 51 (line 52) is not UTF-8")]


def test_bad_bytes_in_a_column_that_is_not_read_are_found_too(path: Path) -> None:
    path.write_bytes("id,text,note\n1,Müller,Brücke\n".encode() + b"2,two,caf\xe9\n")
    source = open_paths([path])
    for found in (documents(source), rows(source)):
        assert len(found) == 1
        assert source.skipped() == [Skipped("x.csv:2", "bad row", "row 2 (line 3) is not UTF-8")]


def test_a_mark_is_no_part_of_the_header(path: Path) -> None:
    path.write_bytes("\ufefftext,n\nGrüße,1\n".encode())
    assert texts(open_paths([path])) == ["Grüße"]


REMEDY = "put cells with separators or line ends in quotes"


def test_ragged_rows_are_skipped_and_named(path: Path) -> None:
    path.write_text("id,text\na,one\nb,two,three\n\nc,three\nd\ne,five\n")
    source = open_paths([path])
    for found in (documents(source), rows(source)):
        assert len(found) == 3
        assert [(skipped.id, skipped.reason, skipped.detail) for skipped in source.skipped()] == [
            ("x.csv:2", "bad row", f"row 2 (line 3) has 3 cells and the header 2; {REMEDY}"),
            ("x.csv:4", "bad row", f"row 4 (line 6) has 1 cell and the header 2; {REMEDY}"),
        ]


@pytest.mark.parametrize("bad", [1, 99, 100])
def test_a_file_in_which_all_first_rows_are_ragged_is_refused(path: Path, bad: int) -> None:
    path.write_text("id,text\n" + "a,b,c\n" * bad)
    assert f"'x.csv:1': row has 3 cells and the header 2 (line 2); {REMEDY}, and close every quote" in message(path)
    path.write_text("id,text\n" + "a,b,c\n" * bad + "a,b\n")
    if bad == 100:
        assert "'x.csv:1': row has 3 cells and the header 2" in message(path)
    else:
        assert documents(open_paths([path])) == {"a": "b"}


def test_a_ragged_row_of_several_lines_may_have_swallowed_others(path: Path) -> None:
    path.write_text('id,text\na,one\nb,"two\nc,three\nd","four\n')
    assert "'x.csv:2': row has a quote that is never closed" in message(path)
    path.write_text('id,text\na,one\nb,"two\nc,three\nd","four"\ne,five\n')
    assert f"'x.csv:2': row has 3 cells and the header 2 (line 5); {REMEDY}, and close every quote" in message(path)


def test_a_quote_that_is_never_closed_does_not_swallow_the_rest(path: Path) -> None:
    path.write_text('id,text\na,one\nb,"two\nc,three\n')
    assert "'x.csv:2': row has a quote that is never closed; close it, or double it to keep it" in message(path)
    many = "".join(f"{i},some words\n" for i in range(100_000))
    path.write_text('id,text\na,one\nb,"two\n' + many)
    assert "'x.csv:2': row has a quote that is never closed" in message(path)
    path.write_text('id,text\na,a 5" disk\nb,two\n')
    assert texts(open_paths([path])) == ['a 5" disk', "two"]


def test_a_late_ragged_row_after_many_good_ones(path: Path) -> None:
    good = "".join(f"{i},{'words ' * 100}\n" for i in range(60_000))  # several blocks
    path.write_text("id,text\n" + good + "bad,one,two\n")
    source = open_paths([path])
    assert len(documents(source)) == 60_000
    assert [skipped.detail for skipped in source.skipped()] == [
        f"row 60001 (line 60002) has 3 cells and the header 2; {REMEDY}"
    ]


def test_two_columns_of_one_name(path: Path) -> None:
    path.write_text("text,text,id\na,b,1\n")
    assert "column 'text' is there 2 times; give every column its own name" in message(path, text_column="text")
    path.write_text("text,x,x\na,b,c\n")
    assert texts(open_paths([path])) == ["a"]


def test_unknown_column(path: Path) -> None:
    path.write_text("id,content\na,b\n")
    told = message(path, text_column="contents")
    assert "column 'contents' does not exist; the columns are 'id', 'content'; did you mean 'content'?" in told


def test_what_is_no_table_at_all(path: Path) -> None:
    path.write_bytes(b"PK\x03\x04 and so on")
    assert "'x.csv': file is a zip archive or an office document, not plain text" in message(path)
    path.write_bytes(b"\1\0\2" * 100)
    assert "file is not text (it has NUL bytes)" in message(path)


def test_compressed(path: Path) -> None:
    data = gzip.compress(b"id,text\na,one\nb,two\n")
    Path("x.csv.gz").write_bytes(data)
    assert documents(open_paths(["x.csv.gz"])) == {"a": "one", "b": "two"}
    Path("x.csv.gz").write_bytes(data[:-12])
    with pytest.raises(DocumentError, match="ends too early"):
        documents(open_paths(["x.csv.gz"]))


def test_a_very_wide_header_and_a_very_long_cell(path: Path) -> None:
    names = ",".join(f"column_{i}" for i in range(9_999))
    cells = "," * 9_998
    path.write_text(f"text,{names}\nhello,{cells}\n")
    assert texts(open_paths([path])) == ["hello"]
    long = "word " * 8_000_000
    path.write_text(f'id,text\na,one\nb,"{long}"\nc,three\n')
    found = documents(open_paths([path], limits=Limits(document=1 << 26)))
    assert {name: len(text) for name, text in found.items()} == {"a": 3, "b": len(long), "c": 5}


CELLS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]]) -> None:
    path = tmp_path_factory.mktemp("any") / "x.csv"
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL)
    writer.writerow(["text", "other"])
    writer.writerows(cells)
    path.write_text(buffer.getvalue(), encoding="utf-8-sig", newline="")
    source = open_paths([path], text_column="text", encoding="utf-8")
    assert texts(source) == [text for text, _ in cells]
    assert [row["other"] for row in rows(source)] == [other for _, other in cells]
