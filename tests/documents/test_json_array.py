from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from lookalike import DocumentError
from lookalike.documents import open_paths
from tests.documents.reading import documents, reasons, rows, texts


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("x.json")


def test_an_array_of_objects(path: Path) -> None:
    path.write_text(json.dumps([{"id": "a", "text": "one", "n": 1}, {"id": "b", "text": "two"}], indent=2))
    source = open_paths([path])
    assert documents(source) == {"a": "one", "b": "two"}
    assert rows(source) == [{"id": "a", "text": "one", "n": 1}, {"id": "b", "text": "two", "n": None}]


def test_an_array_of_texts(path: Path) -> None:
    path.write_text(json.dumps(["one", "Grüße 🐝", ""]))
    source = open_paths([path])
    assert documents(source) == {0: "one", 1: "Grüße 🐝", 2: ""}
    assert rows(source) == [{"text": "one"}, {"text": "Grüße 🐝"}, {"text": ""}]


def test_a_compressed_array(path: Path) -> None:
    Path("x.json.gz").write_bytes(gzip.compress(json.dumps(["one"]).encode()))
    assert texts(open_paths(["x.json.gz"])) == ["one"]


def test_many_elements_come_in_batches(path: Path) -> None:
    path.write_text(json.dumps([{"text": f"{i} " * 1000} for i in range(4000)]))
    source = open_paths([path])
    assert len(texts(source)) == 4000
    assert len(list(source.batches())) > 1


def test_lines_under_the_name_of_an_array(path: Path) -> None:
    path.write_text('{"text": "one"}\n{"text": "two"}\n')
    assert texts(open_paths([path])) == ["one", "two"]
    path.write_text('{"text": "one"}')
    assert texts(open_paths([path])) == ["one"]


@pytest.mark.parametrize("content", ["[]", " [ ] ", "  \n"])
def test_nothing_in_it(path: Path, content: str) -> None:
    path.write_text(content)
    source = open_paths([path])
    assert documents(source) == {}
    assert reasons(source) == {"x.json": "empty"}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('[{"text": "a"}, nope]', "'x.json:2': element is not JSON (Expecting value)"),
        ('[{"text": "a"} {"text": "b"}]', "'x.json:2': element is not JSON (a comma or ] is missing)"),
        ('[{"text": "a"}', "element is not JSON (a comma or ] is missing)"),
        ("[" * 100_000, "'x.json:1': element is not JSON (nested too deeply)"),
        ('{"rows": [\n{"text": "a"}\n]}', "file is one JSON object, not an array"),
        ('"text"', "file is neither a JSON array nor JSON Lines"),
        ('[{"text": 5}]', "column 'text' holds int64, not text"),
    ],
    ids=lambda value: value[:30],
)
def test_what_is_wrong_is_named(path: Path, content: str, problem: str) -> None:
    path.write_text(content)
    with pytest.raises(DocumentError) as caught:
        documents(open_paths([path], text_column="text"))
    assert problem in str(caught.value)
    assert caught.value.remedy


def test_elements_that_are_no_documents_are_skipped(path: Path) -> None:
    path.write_text('[{"text": "a"}, 17, [], "b", {"text": 5}, null, {"text": null}, {"text": "c"}]')
    source = open_paths([path])
    for found in (documents(source), rows(source)):
        assert len(found) == 3
        assert [(skipped.id, skipped.reason, skipped.detail) for skipped in source.skipped()] == [
            ("x.json:2", "bad row", "element 2 is a number, not an object or a text"),
            ("x.json:3", "bad row", "element 3 is a list, not an object or a text"),
            ("x.json:5", "not text", "the field 'text' is a number, not text"),
            ("x.json:6", "bad row", "element 6 is null, not an object or a text"),
            ("6", "null text", "no value in the column 'text'"),
        ]
    path.write_text("[17, 18]")
    with pytest.raises(
        DocumentError, match=r"file has no object and no text: element 1 is a number.*JSON Lines in a .jsonl"
    ):
        documents(open_paths([path]))


def test_bytes_that_are_not_utf8(path: Path) -> None:
    path.write_bytes(b'["caf\xe9"]')
    with pytest.raises(DocumentError, match=r"file is not UTF-8 \(byte 6\); save it as UTF-8, or name its --encoding"):
        documents(open_paths([path]))
    assert texts(open_paths([path], encoding="latin-1")) == ["café"]
