from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike import DocumentError, DuplicateIdError, RecipeError
from lookalike.documents import open_documents, open_paths
from tests.documents.reading import documents, reasons, rows


def fill(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"text of {name}")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_one_folder_gives_paths_inside_it(here: Path) -> None:
    fill(here, "essays/a.txt", "essays/sub/b.txt")
    assert list(documents(open_paths(["essays"]))) == ["a.txt", "sub/b.txt"]
    assert list(documents(open_paths(["essays/"]))) == ["a.txt", "sub/b.txt"]
    assert list(documents(open_paths([here / "essays"]))) == ["a.txt", "sub/b.txt"]
    assert list(documents(open_paths(["."]))) == ["essays/a.txt", "essays/sub/b.txt"]
    assert list(documents(open_documents(Path("essays")))) == ["a.txt", "sub/b.txt"]


def test_several_folders_are_told_apart_only_if_they_must(here: Path) -> None:
    fill(here, "one/a.txt", "two/b.txt", "three/a.txt")
    assert list(documents(open_paths(["one", "two"]))) == ["a.txt", "b.txt"]
    assert list(documents(open_paths(["two", "one", "three/"]))) == ["two/b.txt", "one/a.txt", "three/a.txt"]
    assert list(documents(open_documents([Path("one"), Path("three")]))) == ["one/a.txt", "three/a.txt"]


def test_files_are_called_as_they_were_written(here: Path) -> None:
    fill(here, "one/a.txt", "two/a.txt")
    assert list(documents(open_paths(["one/a.txt", "./two/a.txt"]))) == ["one/a.txt", "two/a.txt"]


def test_what_is_given_twice_is_read_once(here: Path) -> None:
    fill(here, "one/a.txt", "one/b.txt")
    source = open_paths(["one", "one/a.txt", "./one"])
    assert list(documents(source)) == ["a.txt", "b.txt"]
    assert reasons(source) == {"one/a.txt": "given twice", "one/b.txt": "given twice"}


def test_a_hidden_or_ignored_file_is_read_when_named(here: Path) -> None:
    fill(here, ".notes/a.txt", ".b.txt", "node_modules/c.txt")
    names = [".notes", ".b.txt", "node_modules"]
    assert list(documents(open_paths(names))) == ["a.txt", ".b.txt", "c.txt"]


def test_files_that_are_no_text_are_skipped_when_named_too(here: Path) -> None:
    fill(here, "a.txt", "c.pdf")
    Path("b.bin").write_bytes(b"\0\1")
    Path("empty.jsonl").touch()
    Path("empty.parquet").touch()
    source = open_paths(["a.txt", "b.bin", "c.pdf", "empty.jsonl", "empty.parquet"])
    assert list(documents(source)) == ["a.txt"]
    assert reasons(source) == {
        "b.bin": "binary",
        "c.pdf": "damaged",
        "empty.jsonl": "empty",
        "empty.parquet": "empty",
    }


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["no-such-file"], r"'no-such-file': file does not exist; check the name"),
        (["esay.txt"], r"did you mean 'essay.txt'\?"),
        (["essay.txt", "none/*.txt"], r"'none/\*.txt': file matches nothing"),
        ([""], r"is not the name of a file"),
        (["a\0b"], r"cannot be read"),
        (["essay.txt/x"], r"cannot be read \(Not a directory\)"),
        ([], r"paths are missing; give a folder or a file"),
    ],
)
def test_names_that_are_wrong(here: Path, given: list[str], message: str) -> None:
    fill(here, "essay.txt")
    with pytest.raises(DocumentError, match=message):
        open_paths(given)


def test_an_unknown_encoding(here: Path) -> None:
    with pytest.raises(RecipeError, match=r"encoding must be auto or the name of an encoding, not 'utf-9'"):
        open_paths(["."], encoding="utf-9")
    for name in ("rot13", "zip", ""):
        with pytest.raises(RecipeError):
            open_paths(["."], encoding=name)


def test_globs_that_the_shell_did_not_expand(here: Path) -> None:
    fill(here, "b.txt", "a.txt", "c.md", "sub/d.txt", "[x].txt")
    assert list(documents(open_paths(["?.txt"]))) == ["a.txt", "b.txt"]
    assert list(documents(open_paths(["**/*.txt"]))) == ["[x].txt", "a.txt", "b.txt", "sub/d.txt"]
    assert list(documents(open_paths(["[x].txt"]))) == ["[x].txt"]


def write_parquet(path: Path, ids: list[int], **columns: list[object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"id": ids, "text": [f"text {i}" for i in ids], **columns}), path)


def test_a_folder_or_glob_of_tables_is_one_table(here: Path) -> None:
    write_parquet(Path("shards/part-1.parquet"), [3, 4])
    write_parquet(Path("shards/part-0.parquet"), [1, 2])
    Path("shards/_SUCCESS").touch()
    for path in ("shards", "shards/*.parquet"):
        source = open_paths([path])
        assert documents(source) == {1: "text 1", 2: "text 2", 3: "text 3", 4: "text 4"}
        assert source.size().documents == 4
        assert [row["id"] for row in rows(source)] == [1, 2, 3, 4]
    fill(Path("shards"), "README.md")
    source = open_paths(["shards"])
    assert list(documents(source)) == ["README.md"]
    assert reasons(source)["part-0.parquet"] == "table"


def test_tables_of_several_kinds_together(here: Path) -> None:
    write_parquet(Path("a.parquet"), [1, 2])
    Path("b.jsonl").write_text('{"id": "x", "text": "one"}\n{"id": "y", "text": "two"}\n')
    Path("c.csv").write_text("body\nthree\n")
    fill(here, "d.txt")
    source = open_paths(["a.parquet", "b.jsonl", "c.csv", "d.txt"])
    assert list(documents(source)) == ["1", "2", "x", "y", "c.csv:1", "d.txt"]
    assert source.schema is None
    tables = open_paths(["a.parquet", "b.jsonl"])
    with pytest.raises(DocumentError, match=r"'b.jsonl': columns have other types than in the earlier tables"):
        rows(tables)
    tables = open_paths(["b.jsonl", "c.csv"])
    assert rows(tables) == [
        {"id": "x", "text": "one", "body": None},
        {"id": "y", "text": "two", "body": None},
        {"id": None, "text": None, "body": "three"},
    ]


def test_ids_of_rows_and_names_of_files_may_not_be_the_same(here: Path) -> None:
    Path("a.jsonl").write_text('{"id": "b.txt", "text": "one"}\n')
    fill(here, "b.txt")
    with pytest.raises(DuplicateIdError, match=r"row 1 of a.jsonl and the file b.txt"):
        documents(open_paths(["a.jsonl", "b.txt"]))


def test_an_empty_table_does_not_change_the_ids_of_others(here: Path) -> None:
    Path("a.jsonl").write_text('{"id": 5, "text": "one"}\n')
    Path("b.jsonl").write_text("\n")
    source = open_paths(["a.jsonl", "b.jsonl"])
    assert documents(source) == {5: "one"}
    assert reasons(source) == {"b.jsonl": "empty"}


def test_rows_without_ids_are_called_by_position_or_by_table_and_row(here: Path) -> None:
    Path("a.jsonl").write_text('{"text": "one"}\n{"text": "two"}\n')
    Path("b.jsonl").write_text('{"text": "three"}\n')
    assert documents(open_paths(["a.jsonl"])) == {0: "one", 1: "two"}
    assert documents(open_paths(["a.jsonl", "b.jsonl"])) == {
        "a.jsonl:1": "one",
        "a.jsonl:2": "two",
        "b.jsonl:1": "three",
    }


def test_standard_input_is_json_lines_or_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    give(b'\n  {"text": "one"}\n{"text": "two"}\n')
    source = open_paths(["-"])
    assert documents(source) == {1: "one", 2: "two"}
    assert documents(source) == {1: "one", 2: "two"}
    give("Grüße".encode("cp1252"))
    assert documents(open_paths(["-"])) == {"standard input": "Grüße"}
    give(b"")
    source = open_paths(["-"])
    assert documents(source) == {}
    assert reasons(source) == {"standard input": "empty"}
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DocumentError, match=r"standard input.*is closed"):
        open_paths(["-"])


def test_ids_are_the_same_from_run_to_run(here: Path) -> None:
    Path("a.jsonl").write_text("".join(json.dumps({"text": str(i)}) + "\n" for i in range(100)))
    fill(here, "x/b.txt", "x/a.txt")
    paths = ["a.jsonl", "x"]
    assert documents(open_paths(paths)) == documents(open_paths(paths))


@pytest.mark.parametrize("ending", ["parquet", "arrow", "jsonl", "json"])
@pytest.mark.parametrize("inside", ["", "year=2024/"])
def test_a_damaged_file_of_a_folder_is_named_with_its_folder(here: Path, ending: str, inside: str) -> None:
    shard = Path("shards", f"{inside}zz.{ending}")
    shard.parent.mkdir(parents=True)
    shard.write_bytes(b"PAR1 [{ no table")
    for name in ("shards", "shards/", "./shards"):
        for read in (la.find, lambda source: list(source.batches()), lambda source: source.size()):
            with pytest.raises(la.DocumentError) as refused:
                read(la.open_paths([name]))
            assert str(refused.value.document).partition(":")[0] == f"shards/{inside}zz.{ending}"
