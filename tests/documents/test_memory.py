from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lookalike import DocumentError
from lookalike.documents import Size, open_documents, open_paths
from tests.documents.reading import documents, texts
from tests.faults.child import run

if TYPE_CHECKING:
    from collections.abc import Iterator

anything: Any = open_documents  # the calls below are wrong on purpose, which their types would tell


def test_lists_tuples_and_iterators_are_numbered() -> None:
    expected = {0: "one", 1: "Grüße 🐝", 2: ""}

    def generator() -> Iterator[str]:
        yield from expected.values()

    for given in (list(expected.values()), tuple(expected.values()), generator(), iter(expected.values())):
        source = open_documents(given)
        assert documents(source) == expected
        assert documents(source) == expected  # an iterator too can be read again
        assert source.skipped() == []
        assert source.notes() == []
        assert source.schema is None
    assert open_documents(list(expected.values())).size() == Size(3, 10)


def test_a_dict_has_ids() -> None:
    assert documents(open_documents({"b": "one", "a": "two"})) == {"b": "one", "a": "two"}
    assert documents(open_documents({7: "one", -(2**63): "two"})) == {7: "one", -(2**63): "two"}
    assert documents(open_documents({})) == documents(open_documents([])) == {}


def test_a_source_is_itself(tmp_path: Path) -> None:
    source = open_paths([tmp_path])
    assert open_documents(source) is source


def test_a_path_and_a_list_of_paths(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "b.jsonl").write_text('{"k": "x", "t": "two"}')
    assert documents(open_documents(tmp_path / "a.txt")) == {(tmp_path / "a.txt").as_posix(): "one"}
    assert documents(open_documents(tmp_path / "b.jsonl", text_column="t", id_column="k")) == {"x": "two"}
    assert len(documents(open_documents([tmp_path / "a.txt", tmp_path / "b.jsonl"], text_column="t"))) == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("text", "are one str, not a collection; give a list or dict of texts, or Path(...) for a file or folder"),
        (b"text", "are one bytes, not a collection"),
        (["a", None], "document 1: text is NoneType, not str; leave the document out"),
        (["a", b"b"], "document 1: text is bytes, not str; decode it first"),
        ({"x": 3}, "document 'x': text is int, not str"),
        ({"a": "x", 1: "y"}, "document 1: id is not of the same type as the first"),
        ({2**63: "x"}, "id does not fit in 64 bits; give ids as text"),
        (7, "are int, which is not supported; give a list or dict of texts, a Path, or a data frame"),
        (None, "are NoneType, which is not supported"),
        ([Path("a"), "b"], "text is PosixPath, not str"),
    ],
    ids=repr,
)
def test_what_is_no_collection_of_texts(given: Any, message: str) -> None:
    with pytest.raises(DocumentError) as caught:
        anything(given)
    assert message in str(caught.value)


def test_columns_of_no_table() -> None:
    with pytest.raises(DocumentError, match="column 'text' does not exist: the documents are texts"):
        open_documents(["a"], text_column="text")


def test_lone_surrogates_are_replaced_as_in_every_text() -> None:
    assert texts(open_documents(["a\ud800b", "ok"])) == ["a\ufffdb", "ok"]
    assert list(documents(open_documents({"a\ud800": "x"}))) == ["a\ufffd"]


def test_large_collections_come_in_batches() -> None:
    source = open_documents(["word " * 1000] * 10_000)
    sizes = [batch.texts.nbytes for batch in source.batches()]
    assert len(sizes) > 3
    assert max(sizes) < 20_000_000
    assert list(documents(source)) == list(range(10_000))
    assert [len(batch) for batch in open_documents(["x"] * 200_000).batches()] == [65536, 65536, 65536, 3392]


@pytest.mark.parametrize("given", ["folder", "x.parquet", "x.jsonl", "x.csv", "x.arrow", "list"])
def test_pandas_is_not_imported_for_nothing(tmp_path: Path, given: str) -> None:
    program = """
import os, sys
os.chdir(sys.argv[1])
import pyarrow as pa
import pyarrow.parquet as pq
from pathlib import Path
from lookalike.documents import open_documents
Path("folder").mkdir()
Path("folder/a.txt").write_text("one")
buffers = [None, pa.py_buffer(b"\\0\\0\\0\\0\\3\\0\\0\\0"), pa.py_buffer(b"one")]
table = pa.Table.from_arrays([pa.Array.from_buffers(pa.string(), 1, buffers)], names=["text"])
pq.write_table(table, "x.parquet")
with pa.ipc.new_file("x.arrow", table.schema) as writer:
    writer.write_table(table)
Path("x.jsonl").write_text('{"id": 3, "text": "one"}')
Path("x.csv").write_text("text,n\\none,1\\n")
assert "pandas" not in sys.modules, "the test itself imports it"
given = ["one"] if sys.argv[2] == "list" else Path(sys.argv[2])
print(sum(len(batch) for batch in open_documents(given).batches()))
print("pandas" in sys.modules)
"""
    assert run(program, str(tmp_path), given).split() == ["1", "False"]
