from __future__ import annotations

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike import DocumentError, DuplicateIdError
from lookalike.documents import Limits, Skipped, open_paths
from lookalike.documents.document_batches import Log
from lookalike.documents.json_lines import JsonLines, _Block, _by_arrow
from lookalike.documents.raw_input import RawInput
from lookalike.documents.table_columns import Choice
from tests.documents.reading import documents, reasons, rows, texts
from tests.faults.child import PEAK, run


def write(path: Path, *lines: object) -> Path:
    path.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return path


def message(path: Path, **options: Any) -> str:
    """What the error says."""
    with pytest.raises(DocumentError) as caught:
        documents(open_paths([path], **options))
    return str(caught.value)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("x.jsonl")


def test_each_line_is_a_document(path: Path) -> None:
    write(path, {"id": "a", "text": "one\ntwo", "n": 1}, {"id": "b", "text": "Grüße 🐝", "n": {"x": [1]}})
    source = open_paths([path])
    assert documents(source) == {"a": "one\ntwo", "b": "Grüße 🐝"}
    assert source.notes() == ["x.jsonl: texts from the column 'text', ids from the column 'id'"]
    assert source.size().documents is None
    assert source.size().bytes == path.stat().st_size


def test_numbers_stay_numbers_and_row_numbers_are_positions(path: Path) -> None:
    write(path, {"id": 7, "text": "one"}, {"id": -(2**63), "text": "two"})
    assert documents(open_paths([path])) == {7: "one", -(2**63): "two"}
    assert documents(open_paths([path], id_column="")) == {0: "one", 1: "two"}


@pytest.mark.parametrize("value", [1.5, True])
def test_other_ids_become_text(path: Path, value: object) -> None:
    write(path, {"id": value, "text": "one"})
    source = open_paths([path])
    assert list(documents(source)) == [json.dumps(value)]
    assert rows(source) == [{"id": value, "text": "one"}]


def test_ids_of_several_kinds(path: Path) -> None:
    write(path, {"id": 1, "text": "one"}, {"id": "a", "text": "two"})
    assert list(documents(open_paths([path]))) == ["1", "a"]
    lines = [{"id": i, "text": "x" * 1000} for i in range(3000)]
    write(path, *lines, {"id": "late", "text": "two"})
    assert "'x.jsonl:3001': field 'id' is text, where the ids before it are 64-bit integers" in message(path)


def test_ids_that_are_missing_or_twice(path: Path) -> None:
    write(path, {"id": "a", "text": "one"}, {"text": "two"})
    assert "'x.jsonl:2': id is missing; give every row an id, or name another column with --id-column" in message(path)
    write(path, {"id": "a", "text": "one"}, {"id": "b", "text": "two"}, {"id": "a", "text": "one"})
    with pytest.raises(DuplicateIdError) as caught:
        documents(open_paths([path]))
    assert caught.value.document == "a"
    assert "'a': id is used by more than one document: row 1 of x.jsonl and row 3 of x.jsonl" in str(caught.value)
    assert list(documents(open_paths([path], id_column=""))) == [0, 1, 2]


def test_an_id_is_twice_in_two_files(path: Path) -> None:
    write(path, {"id": "a", "text": "one"})
    write(Path("y.jsonl"), {"id": "b", "text": "one"}, {"id": "a", "text": "one"})
    with pytest.raises(DuplicateIdError, match=r"row 1 of x.jsonl and row 2 of y.jsonl"):
        documents(open_paths([path, "y.jsonl"]))


def test_a_late_twin_is_found(path: Path) -> None:
    write(path, *({"id": f"n{i}", "text": "x" * 200} for i in range(20_000)), {"id": "n17", "text": "y"})
    with pytest.raises(DuplicateIdError, match=r"row 18 of x.jsonl and row 20001 of x.jsonl"):
        documents(open_paths([path]))


@pytest.mark.parametrize("column", ["text", "content", "body", "document", "article", "abstract", "Text", "CONTENT"])
def test_text_columns_that_are_found_by_name(path: Path, column: str) -> None:
    write(path, {"title": "no", column: "yes", "other": "no"})
    assert texts(open_paths([path])) == ["yes"]


def test_the_only_column_of_texts(path: Path) -> None:
    write(path, {"id": "a", "n": 1, "review": "yes", "score": 0.5})
    assert documents(open_paths([path])) == {"a": "yes"}


def test_no_way_to_choose_a_text_column(path: Path) -> None:
    write(path, {"title": "a", "review": "b", "n": 1})
    told = message(path)
    assert "text column cannot be chosen among the columns 'title', 'review'; say which has the texts" in told
    assert documents(open_paths([path], text_column="review")) == {0: "b"}


def test_unknown_columns_are_listed(path: Path) -> None:
    write(path, {"id": 1, "text": "a", "title": "b"})
    told = message(path, text_column="txet")
    assert "column 'txet' does not exist; the columns are 'id', 'text', 'title'; did you mean 'text'?" in told
    assert "column 'key' does not exist" in message(path, id_column="key")
    write(path, {f"c{i}": "x" for i in range(1000)})
    assert "'c11' and 988 more" in message(path, text_column="zzz")


def test_a_column_that_comes_late(path: Path) -> None:
    write(path, *({"id": i, "title": "x" * 1000} for i in range(3000)), {"id": 9999, "body": "here"})
    source = open_paths([path], text_column="body")
    assert documents(source) == {9999: "here"}
    assert len(source.skipped()) == 3000


def test_null_texts_are_skipped_and_counted(path: Path) -> None:
    write(path, {"id": "a", "text": None}, {"id": "b", "text": ""}, {"id": "c"}, {"id": "d", "text": "x"})
    source = open_paths([path])
    assert documents(source) == {"b": "", "d": "x"}
    assert source.skipped() == [
        Skipped("a", "null text", "no value in the column 'text'"),
        Skipped("c", "null text", "no value in the column 'text'"),
    ]
    assert [row["id"] for row in rows(source)] == ["b", "d"]
    write(path, {"text": None}, {"text": "x"})
    source = open_paths([path])
    assert documents(source) == {1: "x"}
    assert reasons(source) == {"0": "null text"}


@pytest.mark.parametrize(
    ("value", "kind"),
    [(3, "a number"), (1.5, "a number"), (True, "true or false"), (["a"], "a list"), ({}, "an object")],
)
def test_a_text_that_is_no_text_is_not_judged(path: Path, value: object, kind: str) -> None:
    write(path, {"text": "one"}, {"text": value}, {"text": "three"})
    source = open_paths([path], text_column="text")
    assert documents(source) == {0: "one", 2: "three"}
    assert source.skipped() == [Skipped("x.jsonl:2", "not text", f"the field 'text' is {kind}, not text")]
    assert rows(source) == [{"text": "one"}, {"text": "three"}]


def test_a_column_of_numbers_or_lists_is_no_text(path: Path) -> None:
    write(path, {"n": 1, "l": ["a"], "text": "x"})
    assert (
        "column 'n' holds int64, not text; name a column of texts with --text-column (in Python: text=): 'text'"
        in message(path, text_column="n")
    )
    assert "column 'l' holds list<" in message(path, text_column="l")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"text": "a"', "is cut off: the JSON object has no end"),
        ('{"text": "a",}', "is not JSON (character 14)"),
        ("nonsense", "is not a JSON object: it does not begin with {"),
        ('{"text": "a"} {"text": "b"}', "is not JSON (character 15)"),
        ('{"text": "a"} null {"text": "b"}', "is not JSON (character 15)"),
        ("null", "is not a JSON object: it does not begin with {"),
        ('["a"]', "is not a JSON object: it does not begin with {"),
        ('"a"', "is not a JSON object: it does not begin with {"),
        ("17", "is not a JSON object: it does not begin with {"),
        ('{"text": "a\tb\0"}', "is not JSON (character 12)"),
        ('{"text": "a", "n": ' + "9" * 5000 + "}", "has a number of more than 4,300 digits"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
@pytest.mark.parametrize("before", [0, 1, 3])
def test_a_malformed_line_is_skipped_and_named(path: Path, line: str, problem: str, before: int) -> None:
    write(path, *[{"text": "good"}] * before, line, {"text": "good"})
    source = open_paths([path])
    assert list(documents(source)) == [*range(before), before + 1]
    assert source.skipped() == [Skipped(f"x.jsonl:{before + 1}", "bad row", f"line {before + 1} {problem}")]
    assert len(rows(source)) == before + 1
    write(path, line)
    assert f"'x.jsonl:1': line {problem}; put each object on its own line" in message(path)


def test_a_line_that_is_nested_too_deeply(path: Path) -> None:
    deep = '{"text": "a", "n": ' + "[" * 200_000 + "]" * 200_000 + "}"
    write(path, deep)
    assert "'x.jsonl:1': line is nested more than 500 deep; put each object on" in message(path)
    write(path, *[{"text": "x" * 1000}] * 2000, deep)  # Arrow does not mind, if the field is not asked for
    source = open_paths([path])
    for found in (documents(source), rows(source)):
        assert len(found) == 2000
        assert source.skipped() == [Skipped("x.jsonl:2001", "bad row", "line 2001 is nested more than 500 deep")]


@pytest.mark.parametrize("depth", [10, 60, 300, 380, 480])
@pytest.mark.parametrize("braces", ["[]", "{}"])
def test_rows_that_are_nested_rather_deeply(path: Path, depth: int, braces: str) -> None:
    inner: object = 1
    for _ in range(depth):
        inner = [inner] if braces == "[]" else {"a": inner}
    write(path, {"text": "a", "n": inner}, {"text": "b", "n": inner})
    found = [row["n"] for row in rows(open_paths([path]))]
    assert found == ([inner, inner] if depth < 50 else [json.dumps(inner)] * 2)


def test_blank_lines_are_counted_but_no_documents(path: Path) -> None:
    path.write_bytes(b'\n{"text": "one"}\r\n  \n\n{"text": "two"}\n\n')
    assert documents(open_paths([path])) == {1: "one", 4: "two"}


def test_without_a_last_line_end_and_with_a_mark(path: Path) -> None:
    path.write_bytes(b'\xef\xbb\xbf{"text": "one"}\n{"text": "two"}')
    assert documents(open_paths([path])) == {0: "one", 1: "two"}


@pytest.mark.parametrize("codec", ["utf-16", "utf-32", "utf-8-sig"])
def test_other_forms_of_unicode_by_their_mark(path: Path, codec: str) -> None:
    path.write_bytes('{"text": "Grüße"}\n{"text": "zwei"}\n'.encode(codec))
    assert texts(open_paths([path])) == ["Grüße", "zwei"]


def test_a_told_encoding(path: Path) -> None:
    path.write_bytes('{"text": "Grüße"}\n'.encode("cp1252"))
    assert texts(open_paths([path], encoding="windows-1252")) == ["Grüße"]
    path.write_bytes(b'{"text": "\x81"}\n')
    assert "file is not valid windows-1252" in message(path, encoding="windows-1252")


def test_lines_that_are_not_utf8_are_skipped(path: Path) -> None:
    path.write_bytes(b'{"text": "one"}\n{"text": "caf\xe9"}\n{"text": "three"}\n')
    source = open_paths([path])
    assert documents(source) == {0: "one", 2: "three"}
    assert reasons(source) == {"x.jsonl:2": "bad row"}
    assert "line 2 is not UTF-8 (byte 14)" in source.skipped()[0].detail


def test_escapes_are_read_as_json_means_them(path: Path) -> None:
    path.write_bytes(rb'{"text": "a\u0000\ud83d\udc1d\ud800\/\n"}' + b"\n")
    assert texts(open_paths([path])) == ["a\0🐝\ufffd/\n"]


def test_a_key_that_is_there_twice(path: Path) -> None:
    path.write_text('{"text": "first", "text": "last"}\n')
    assert texts(open_paths([path])) == ["last"]


def test_the_only_thing_in_a_file_is_blank(path: Path) -> None:
    path.write_text("\n \n")
    source = open_paths([path])
    assert documents(source) == {}
    assert source.skipped() == [Skipped("x.jsonl", "empty", "the table has no rows")]


def test_a_truncated_archive(path: Path) -> None:
    lines = "".join(json.dumps({"text": f"{random.random()} " * 50}) + "\n" for _ in range(1000))  # noqa: RUF100
    packed = gzip.compress(lines.encode())
    Path("x.jsonl.gz").write_bytes(packed)
    assert len(texts(open_paths(["x.jsonl.gz"]))) == 1000
    Path("x.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(DocumentError, match=r"cannot be read to its end: the gzip data ends too early.*get the file"):
        documents(open_paths(["x.jsonl.gz"]))


def test_a_file_that_vanishes(path: Path) -> None:
    write(path, {"text": "one"})
    source = open_paths([path])
    path.unlink()
    with pytest.raises(DocumentError, match=r"'x.jsonl': file does not exist"):
        documents(source)


def test_whole_rows_keep_what_they_are(path: Path) -> None:
    given_rows = [
        {"id": 1, "text": "a", "date": "2020-01-01", "n": 1, "tags": ["x"], "meta": {"a": 1, "b": None}, "odd": 1},
        {"id": 2, "text": "b", "date": "2020-01-02", "n": 2.5, "tags": [], "meta": {"a": 2, "b": "z"}, "odd": "s"},
        {"id": 3, "text": "c", "new": True, "odd": [1, "x"], "none": None, "void": {}},
    ]
    write(path, *given_rows)
    source = open_paths([path])
    found = rows(source)
    assert [row["date"] for row in found] == ["2020-01-01", "2020-01-02", None]
    assert [row["n"] for row in found] == [1.0, 2.5, None]
    assert [row["tags"] for row in found] == [["x"], [], None]
    assert [row["meta"] for row in found] == [{"a": 1, "b": None}, {"a": 2, "b": "z"}, None]
    assert [row["odd"] for row in found] == ["1", '"s"', '[1, "x"]']
    assert [row["new"] for row in found] == [None, None, True]
    assert [row["void"] for row in found] == [None, None, "{}"]
    assert list(documents(source)) == [1, 2, 3]


def test_types_of_all_blocks_count(path: Path) -> None:
    many = [{"id": i, "text": "x" * 400, "n": i} for i in range(60_000)]  # more than a block
    write(path, *many, {"id": -1, "text": "last", "n": 0.5, "late": "yes"})
    source = open_paths([path])
    found = rows(source)
    assert len(found) == 60_001
    assert found[-1] == {"id": -1, "text": "last", "n": 0.5, "late": "yes"}
    assert found[17] == {"id": 17, "text": "x" * 400, "n": 17.0, "late": None}


def test_a_long_line_among_short_ones(path: Path) -> None:
    long = "word " * 6_000_000
    write(path, {"text": "one"}, {"text": long}, {"text": "three"})
    found = texts(open_paths([path], limits=Limits(document=1 << 26)))
    assert [len(text) for text in found] == [3, len(long), 5]


def test_a_line_of_a_gigabyte_under_a_limit_of_memory(path: Path) -> None:
    write(Path("small.jsonl"), {"text": "small"})
    with path.open("wb") as file:
        file.write(b'{"text": "one"}\n{"text": "')
        file.truncate(1 << 30)
    program = (
        PEAK
        + """
import resource
from lookalike.documents import open_paths
list(open_paths(["small.jsonl"]).batches())
with open("/proc/self/statm") as status:
    limit = int(status.read().split()[0]) * resource.getpagesize() + (600 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
source = open_paths(["x.jsonl"])
print([list(batch.texts) for batch in source.batches()])
print(source.skipped())
print(peak() >> 20)
"""
    )
    found, told, peak = run(program).splitlines()
    assert found == "[['one']]"
    assert "'x.jsonl:2', reason='line too long', detail='line 2 is larger than 16 MiB; --max-document" in told
    assert int(peak) < 250


VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.lists(st.tuples(st.text(), st.dictionaries(st.text(min_size=1), VALUES, max_size=3)), min_size=1, max_size=8),
    st.booleans(),
)
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, given_rows: list[Any], ascii_only: bool) -> None:
    path = tmp_path_factory.mktemp("any") / "x.jsonl"
    lines = [json.dumps({**more, "text": text}, ensure_ascii=ascii_only) + "\n" for text, more in given_rows]
    path.write_text("".join(lines), encoding="utf-8", newline="")
    source = open_paths([path], text_column="text", id_column="")
    assert texts(source) == [text for text, _ in given_rows]
    assert [row["text"] for row in rows(source)] == [text for text, _ in given_rows]


PIECES = [
    b'{"text":"a"}',
    b'{"text":"b","n":[null,{}]}',
    b"null",
    b"{",
    b"}",
    b"[",
    b"]",
    b'"',
    b",",
    b"\n",
    b" ",
    b"1",
]


@given(st.lists(st.sampled_from([*PIECES, b"\n", b"\n"]), max_size=9))
def test_arrow_agrees_with_python_or_is_not_asked(pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    import pyarrow as pa

    schema = pa.schema([("text", pa.large_string())])
    block = _Block(0, bytearray(data), data.count(b"\n") + (not data.endswith(b"\n")))
    table = _by_arrow(block, schema) if data else None
    if table is not None:
        lines = JsonLines("x", RawInput("x", None))._objects(block, None)
        assert [row.get("text") for _, row in lines] == table.column("text").to_pylist()


def test_both_ways_read_the_same(path: Path) -> None:
    lines = [json.dumps({"id": i, "text": f"Grüße {i}\n", "m": [i]}, ensure_ascii=i % 2 == 0) for i in range(500)]
    write(path, *lines)
    table = JsonLines("x.jsonl", RawInput("x.jsonl", "x.jsonl"))
    quick = [row.batch.to_pylist() for row in table.read(Choice("text", "id"), Log(), whole=False)]
    write(path, *lines[:250], "", *lines[250:])  # a blank line makes Arrow step back
    slow = [row.batch.to_pylist() for row in table.read(Choice("text", "id"), Log(), whole=False)]
    assert quick == slow


def test_names_with_special_characters(tmp_path: Path) -> None:
    path = write(tmp_path / "über uns.jsonl", {"text": "one"})
    other = write(tmp_path / "b.jsonl", {"text": "two"})
    found = list(documents(open_paths([path, other])))
    assert [re.sub(r".*/", "", name) for name in found] == ["über uns.jsonl:1", "b.jsonl:1"]
