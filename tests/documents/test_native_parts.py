"""What the native readers are told about tables, and how their errors are said."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike import _native
from lookalike.documents import LIMITS, Kept, NativePart, Skipped, open_documents, open_paths
from tests.documents.reading import documents
from tests.documents.test_fetch import fetched
from tests.faults.child import run

if TYPE_CHECKING:
    from pathlib import Path

Kinds = list[tuple[str, str]]


class FakeTable:
    """A native reader that knows its columns by the name of the file."""

    known: ClassVar[dict[str, Kinds]] = {}

    def __init__(self, kinds: Kinds) -> None:
        self._kinds = kinds

    @classmethod
    def open(cls, path: str, form: str, compression: str | None, limits: tuple[int, ...]) -> FakeTable:
        assert limits == LIMITS.native()
        assert form in ("parquet", "jsonl")
        assert compression in (None, "gz", "zst")
        return cls(cls.known[path.rpartition("/")[2]])

    def columns(self) -> Kinds:
        return self._kinds

    def rows(self) -> int | None:
        return len(self._kinds)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_native, "TableFile", FakeTable, raising=False)
    return tmp_path


def tables(columns: dict[str, Kinds], monkeypatch: pytest.MonkeyPatch, **options: str) -> list[NativePart] | None:
    monkeypatch.setattr(FakeTable, "known", columns)
    return open_paths(list(columns), **options).tables()  # type: ignore[arg-type]


TEXT, NUMBER = ("text", "text"), ("id", "integer")


def test_one_table(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.jsonl").write_text("{}")
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(b"{}"))
    (folder / "a.jsonl.zst").write_bytes(b"not looked at here")
    (folder / "a.parquet").write_bytes(b"nor this")
    said = ": texts from the column 'text', rows are numbered"
    expected = NativePart("a.jsonl", "jsonl", None, "text", None, "a.jsonl", False, True, said, 1)
    assert tables({"a.jsonl": [TEXT]}, monkeypatch) == [expected]
    for name, form, packed in (
        ("a.jsonl.gz", "jsonl", "gz"),
        ("a.jsonl.zst", "jsonl", "zst"),
        ("a.parquet", "parquet", None),
    ):
        (found,) = tables({name: [TEXT, NUMBER]}, monkeypatch) or []
        assert (found.format, found.compression, found.id, found.number_ids) == (form, packed, "id", True)
    (found,) = tables({"a.parquet": [("b", "bytes"), ("k", "text")]}, monkeypatch, text_column="b", id_column="k") or []
    assert (found.text, found.id, found.number_ids, found.note) == ("b", "k", False, "")


def test_ids_of_several_tables_are_of_one_kind(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (folder / name).write_text("{}")
    for other, numbers in (([TEXT, NUMBER], True), ([TEXT, ("id", "text")], False), ([TEXT], False)):
        found = tables({"a.jsonl": [TEXT, NUMBER], "b.jsonl": other}, monkeypatch) or []
        assert [(part.named_rows, part.number_ids) for part in found] == [(True, numbers)] * 2


@pytest.mark.parametrize(
    ("name", "content", "kinds"),
    [
        ("a.jsonl", b"\xef\xbb\xbf{}", [TEXT]),
        ("a.jsonl", b"\xff\xfe{\0", [TEXT]),
        ("a.jsonl", b"{}", [TEXT, ("id", "mixed")]),
        ("a.jsonl", b"{}", [TEXT, ("id", "null")]),
        ("a.jsonl", b"{}", [TEXT, ("id", "other")]),
        ("a.jsonl", b"{}", []),
        ("a.jsonl", b"{}", [("a", "text"), ("b", "text")]),
        ("a.jsonl.bz2", b"{}", [TEXT]),
        ("a.parquet", b"x", [("text", "null")]),
        ("a.parquet", b"x", [("text", "integer")]),
        ("a.csv", b"text", [TEXT]),
        ("a.txt", b"text", [TEXT]),
    ],
)
def test_what_other_readers_must_look_at(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, kinds: Kinds
) -> None:
    (folder / name).write_bytes(content)
    assert tables({name: kinds}, monkeypatch) is None


def test_all_or_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.jsonl").write_text("{}")
    (folder / "b.txt").write_text("text")
    assert tables({"a.jsonl": [TEXT], "b.txt": []}, monkeypatch) is None
    assert tables({"a.jsonl": [TEXT]}, monkeypatch, encoding="latin-1") is None
    assert tables({"a.jsonl": [TEXT]}, monkeypatch, encoding="utf8") is not None
    monkeypatch.delattr(_native, "TableFile")
    assert tables({"a.jsonl": [TEXT]}, monkeypatch) is None
    assert open_documents(["one"]).tables() is None
    with pytest.raises(NotImplementedError):
        open_documents(["one"]).read_elsewhere([], [])


def test_what_was_read_elsewhere_is_told(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text('{"text": "one"}\n{"text": null}\n{"text": "two"}\n')
    source = Kept(open_paths([tmp_path / "a.jsonl", tmp_path / "b.jsonl"]))
    skipped = Skipped("x", "null text")
    source.read_elsewhere([skipped], [("a.jsonl", ": a note"), ("b.jsonl", ": a note")], [2, 2])
    assert source.skipped() == [skipped]
    assert source.notes() == ["2 files (a.jsonl, b.jsonl): a note"]
    (tmp_path / "a.jsonl").unlink()
    assert fetched(source, [3]) == {3: "two"}


def test_columns_are_chosen_without_pyarrow(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1], "text": ["one"]}), tmp_path / "a.parquet")
    (tmp_path / "b.jsonl").write_text('{"id": 2, "text": "two"}')
    assert documents(open_paths([tmp_path / "a.parquet", tmp_path / "b.jsonl"])) == {1: "one", 2: "two"}
    program = """
import sys
from lookalike.documents import open_paths
print([(part.text, part.id, part.number_ids) for part in open_paths(sys.argv[1:]).tables()])
print("pyarrow" in sys.modules)
"""
    out = run(program, str(tmp_path / "a.parquet"), str(tmp_path / "b.jsonl")).splitlines()
    assert out == ["[('text', 'id', True), ('text', 'id', True)]", "False"]
