"""Parquet and Arrow files."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike import DocumentError, DuplicateIdError
from lookalike.documents import open_paths
from tests.documents.reading import documents, reasons, rows, texts
from tests.faults.child import run

FORMS = ["parquet", "arrow", "arrows"]


def write(table: pa.Table, form: str, **options: Any) -> Path:
    path = Path(f"x.{form}")
    if form == "parquet":
        pq.write_table(table, path, **options)
    else:
        new = pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream
        with new(str(path), table.schema) as writer:
            writer.write_table(table, max_chunksize=options.get("row_group_size"))
    return path


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def message(path: Path, **options: Any) -> str:
    with pytest.raises(DocumentError) as caught:
        documents(open_paths([path], **options))
    return str(caught.value)


each_form = pytest.mark.parametrize("form", FORMS)


@each_form
def test_each_row_is_a_document(form: str) -> None:
    table = pa.table({"id": ["a", "b"], "text": ["one", "Grüße 🐝"], "n": [1, 2]})
    source = open_paths([write(table, form)])
    assert documents(source) == {"a": "one", "b": "Grüße 🐝"}
    assert source.schema == table.schema
    assert rows(source) == table.to_pylist()
    assert source.size().documents == (2 if form == "parquet" else None)
    assert source.size().bytes > 0


@each_form
@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()],
    ids=str,
)
def test_all_layouts_of_text(form: str, kind: pa.DataType) -> None:
    text = pa.array(["one", None, "Grüße", ""]).cast(pa.binary() if "binary" in str(kind) else pa.string()).cast(kind)
    source = open_paths([write(pa.table({"text": text}), form)], text_column="text")
    assert documents(source) == {0: "one", 2: "Grüße", 3: ""}
    assert reasons(source) == {"1": "null text"}


@each_form
def test_texts_and_ids_in_dictionaries(form: str) -> None:
    text = pa.array(["one", "two", "one", None]).dictionary_encode()
    ids = pa.array(["a", "b", "c", "d"]).dictionary_encode()
    assert documents(open_paths([write(pa.table({"id": ids, "text": text}), form)])) == {
        "a": "one",
        "b": "two",
        "c": "one",
    }


@each_form
@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (pa.array([3, 1], pa.int8()), [3, 1]),
        (pa.array([3, 2**40], pa.uint64()), ["3", str(2**40)]),
        (pa.array([1.5, 2.0]), ["1.5", "2"]),
        (pa.array([b"a", b"\xff"]), ["a", "ff"]),
        (pa.array([True, False]), ["true", "false"]),
    ],
    ids=["int8", "uint64", "float", "bytes", "bool"],
)
def test_ids_of_any_type(form: str, ids: pa.Array[Any], expected: list[object]) -> None:
    path = write(pa.table({"text": ["a", "b"], "id": ids}), form)
    assert list(documents(open_paths([path]))) == expected


@each_form
def test_a_table_without_rows(form: str) -> None:
    source = open_paths([write(pa.table({"text": pa.array([], pa.string())}), form)])
    assert documents(source) == {}
    assert reasons(source) == {"x." + form: "empty"}
    assert rows(source) == []


@each_form
def test_nested_and_numeric_columns_are_no_texts(form: str) -> None:
    path = write(
        pa.table({"list": [["a"]], "struct": [{"a": "b"}], "n": [1], "title": ["x"], "body_html": ["y"]}), form
    )
    assert "text column cannot be chosen among the columns 'title', 'body_html'" in message(path)
    assert "column 'list' holds list<" in message(path, text_column="list")
    assert "column 'struct' holds struct<a: string>, not text" in message(path, text_column="struct")
    assert "column 'n' holds int64, not text; name a column of texts with --text-column" in message(
        path, text_column="n"
    )
    assert "did you mean 'title'?" in message(path, text_column="titel")
    assert texts(open_paths([path], text_column="title")) == ["x"]


@each_form
def test_bytes_that_are_not_utf8_are_skipped(form: str) -> None:
    raw = pa.array([b"one", b"caf\xe9", b"three", None], pa.binary())
    text = pa.Array.from_buffers(pa.string(), 4, raw.buffers(), raw.null_count)
    source = open_paths([write(pa.table({"id": ["a", "b", "c", "d"], "text": text}), form)])
    assert documents(source) == {"a": "one", "c": "three"}
    assert reasons(source) == {"b": "not text", "d": "null text"}
    assert [row["id"] for row in rows(source)] == ["a", "c"]


@each_form
def test_ids_missing_or_twice(form: str) -> None:
    assert "'x." in message(write(pa.table({"id": ["a", None], "text": ["one", "two"]}), form))
    path = write(pa.table({"id": [5, 6, 5], "text": ["one", "two", "three"]}), form)
    with pytest.raises(
        DuplicateIdError, match=rf"5: id is used by more than one document: row 1 of x.{form} and row 3"
    ):
        documents(open_paths([path]))


@each_form
def test_a_file_that_is_none(form: str) -> None:
    Path(f"x.{form}").write_bytes(b"this is no table, whatever its name says")
    told = message(Path(f"x.{form}"))
    assert f"'x.{form}': file is not a" in told
    assert "write it again, or correct its name" in told


def test_a_truncated_file() -> None:
    path = write(pa.table({"text": [str(random.random()) * 50 for _ in range(2000)]}), "parquet", row_group_size=100)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert "is not a Parquet file, or is incomplete;" in message(path)
    path = write(pa.table({"text": [str(random.random()) * 50 for _ in range(2000)]}), "arrows", row_group_size=100)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert "is damaged after row" in message(path)


def test_damage_in_the_middle_is_named() -> None:
    path = write(pa.table({"text": [str(random.random()) * 50 for _ in range(5000)]}), "parquet", row_group_size=500)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 2000] = bytes(2000)
    path.write_bytes(data)
    assert "'x.parquet': file is damaged after row" in message(path)


def test_a_table_that_vanishes() -> None:
    path = write(pa.table({"text": ["a"]}), "parquet")
    source = open_paths([path])
    path.unlink()
    with pytest.raises(DocumentError, match=r"'x.parquet': file does not exist"):
        documents(source)


def test_a_compressed_table_is_refused() -> None:
    Path("x.parquet.gz").write_bytes(b"\x1f\x8b")
    assert "file is compressed as a whole; unpack it" in message(Path("x.parquet.gz"))


def test_small_row_groups_make_good_batches_and_large_ones_are_cut() -> None:
    table = pa.table({"id": range(20_000), "text": ["word " * 500] * 20_000})
    source = open_paths([write(table, "parquet", row_group_size=50)])
    sizes = [batch.texts.nbytes for batch in source.batches()]
    assert len(sizes) < 20
    assert max(sizes) < 40_000_000
    source = open_paths([write(table, "arrow", row_group_size=20_000)])
    sizes = [batch.texts.nbytes for batch in source.batches()]
    assert max(sizes) < 40_000_000
    assert list(documents(source)) == list(range(20_000))


def test_only_needed_columns_are_read() -> None:
    columns: dict[str, Any] = {f"c{i}": pa.array(["x" * 10_000] * 20) for i in range(500)}
    path = write(pa.table({"id": list(range(20)), "text": ["word"] * 20, **columns}), "parquet", use_dictionary=False)
    program = """
import sys
import pyarrow as pa
from lookalike.documents import open_paths
source = open_paths([sys.argv[1]])
print(sum(len(batch) for batch in source.batches()), pa.default_memory_pool().max_memory() < 20_000_000)
"""
    assert run(program, str(path.absolute())).split() == ["20", "True"]
    assert len(rows(open_paths([path]))[0]) == 502


@each_form
def test_ids_that_are_kept_do_not_keep_the_texts(form: str) -> None:
    table = pa.table({"id": [f"n{i}" for i in range(2000)], "text": ["word " * 1000] * 2000})
    path = write(table, form)
    del table
    before = pa.total_allocated_bytes()
    ids = [batch.ids for batch in open_paths([path]).batches()]
    assert sum(map(len, ids)) == 2000
    assert pa.total_allocated_bytes() - before < 1_000_000


def test_several_tables_with_different_columns() -> None:
    pq.write_table(pa.table({"id": pa.array([1], pa.int32()), "text": ["a"], "n": [1]}), "a.parquet")
    pq.write_table(pa.table({"text": pa.array(["b"], pa.large_string()), "id": [2], "m": ["x"]}), "b.parquet")
    source = open_paths(["a.parquet", "b.parquet"])
    assert documents(source) == {1: "a", 2: "b"}
    assert rows(source) == [{"id": 1, "text": "a", "n": 1, "m": None}, {"id": 2, "text": "b", "n": None, "m": "x"}]


def test_a_uuid_column() -> None:
    import uuid

    value = uuid.uuid4()
    pq.write_table(pa.table({"uuid": pa.array([value.bytes], pa.uuid()), "text": ["a"]}), "x.parquet")
    assert list(documents(open_paths(["x.parquet"]))) == [str(value)]


@pytest.mark.parametrize("form", ["arrow", "arrows", "parquet"])
def test_flipped_bits_never_end_the_process(form: str) -> None:
    table = pa.table({"id": [f"n{i}" for i in range(50)], "text": [f"some words {i}" for i in range(50)]})
    path = write(table, form)
    program = """
import random, sys
from pathlib import Path
from lookalike import LookalikeError
from lookalike.documents import open_paths
path = Path(sys.argv[1])
data = path.read_bytes()
outcomes = {"read": 0, "refused": 0}
for seed in range(100):
    random.seed(seed)
    broken = bytearray(data)
    for _ in range(3):
        broken[random.randrange(len(broken))] ^= 1 << random.randrange(8)
    path.write_bytes(broken)
    try:
        for batch in open_paths([path]).batches():
            list(batch.ids), list(batch.texts)
        outcomes["read"] += 1
    except LookalikeError:
        outcomes["refused"] += 1
print(sum(outcomes.values()))
"""
    assert run(program, str(path.absolute())).strip() == "100"


@pytest.mark.parametrize("name", ["path", "File", "url", "file_name"])
def test_a_column_that_says_where_documents_are_is_not_taken_for_them(tmp_path: Path, name: str) -> None:
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"id": [1, 2], name: ["a.txt", "b.txt"]}), path)
    assert f"{name!r}, the only column of texts, seems to say where documents are" in message(path)
    assert len(documents(open_paths([path], text_column=name))) == 2
    pq.write_table(pa.table({"id": [1, 2], name: ["a.txt", "b.txt"], "story": ["one", "two"]}), path)
    assert "say which has the texts, for example --text-column" in message(path)
    pq.write_table(pa.table({"id": [1, 2], "n": [3, 4]}), path)
    assert "none of the columns holds texts: 'id', 'n'" in message(path)
