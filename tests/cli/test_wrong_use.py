"""Commands that are wrong in ways that happen: each ends with one line that says what to write instead."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from tests.cli.conftest import COLLECTION

if TYPE_CHECKING:
    from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def collections() -> None:
    """Make a folder of texts, an empty one, a table, and files that only say that they are tables."""
    Path("essays").symlink_to(COLLECTION)
    Path("empty").mkdir()
    Path("rows.jsonl").write_text('{"id": 1, "text": "one two three four five"}\n', encoding="utf-8")
    pq.write_table(pa.table({"a": ["one"], "b": ["two"]}), "two.parquet")
    pq.write_table(pa.table({"text": ["one two three"] * 50}), "whole.parquet")
    whole = Path("whole.parquet").read_bytes()
    Path("short.parquet").write_bytes(whole[:-30])
    Path("noise.parquet").write_bytes(random.Random(1).randbytes(100))
    Path("page.parquet").write_bytes(whole[:30] + bytes(40) + whole[70:])


USES: list[tuple[str, list[str]]] = [
    ("scan essays --recall 1.5", ["--recall must be a number above 0 and at most 1, not '1.5'"]),
    ("scan essays --recall 95", ["did you mean 95%?"]),
    ("scan essays -t 0,5", ["--threshold must be", "'0,5'; did you mean 0.5?"]),
    ("scan essays --group-by lms", ["--group-by 'lms' requires file names of Moodle", "a name is 'alter-bahnhof.txt'"]),
    ("scan essays --group-by (", ["--group-by must be", "a valid regular expression", "unterminated subpattern"]),
    ("scan essays --skip quotes references", ["references does not exist", "write --skip quotes,references"]),
    ("scan --preset", ["'--preset' requires an argument", "lookalike scan --help"]),
    ("index build --recall", ["requires an argument", "lookalike index build --help"]),
    ("serve", ["INDEX must be given, as in: lookalike serve essays.db"]),
    ("scan ftp://example.org/x", ["ftp://example.org/x does not exist: URLs may begin with s3://"]),
    ("check essays/old-bridge.txt --server localhost:8765", ["did you mean 'http://localhost:8765'?"]),
    ("advise empty", ["empty contains no readable document: it is empty"]),
    ("find essays", ["essays is a directory", "search the folder with lookalike scan"]),
    ("scan short.parquet", ["short.parquet is not a Parquet file, or is incomplete: write it again"]),
    ("scan noise.parquet", ["noise.parquet is not a Parquet file, or is incomplete: write it again"]),
    ("scan page.parquet", ["page.parquet is damaged after row 0: write it again"]),
    (
        "scan two.parquet",
        ["text column cannot be chosen among the columns 'a', 'b'", "--text-column a (in Python: text='a')"],
    ),
]


@pytest.mark.parametrize(("command", "parts"), USES, ids=[command for command, _ in USES])
def test_the_error_says_what_to_write(run: Run, command: str, parts: list[str]) -> None:
    complaint = run(*command.split()).complaint
    assert [part for part in parts if part not in complaint] == [], complaint


IDLE: list[tuple[str, str]] = [
    ("scan essays --text-column nope", "leave out --text-column"),
    ("scan essays --id-column nope", "leave out --id-column"),
    ("dedupe essays --text-column nope", "leave out --text-column"),
    ("files essays --id-column nope", "leave out --id-column"),
    ("advise essays --text-column nope", "leave out --text-column"),
    ("estimate essays --text-column nope", "leave out --text-column"),
    ("sign essays -o x.sig --text-column nope", "leave out --text-column"),
    ("index build x.db essays --text-column nope", "leave out --text-column"),
    ("scan rows.jsonl --hidden", "--hidden has no effect"),
    ("scan rows.jsonl --include *.txt", "--include has no effect"),
    ("scan rows.jsonl --exclude *.txt", "--exclude has no effect"),
    ("scan essays/chess-final.txt essays/old-bridge.txt --exclude *.md", "--exclude has no effect"),
    ("find x.sig --hidden", "--hidden requires --texts"),
    ("dedupe --result x.lookalike --text-column a", "--text-column requires PATH"),
]


@pytest.mark.parametrize(("command", "part"), IDLE, ids=[command for command, _ in IDLE])
def test_an_option_that_does_nothing_is_refused(run: Run, command: str, part: str) -> None:
    assert part in run(*command.split()).complaint
    assert not Path("x.db").exists()
    assert not Path("x.sig").exists()


@pytest.mark.parametrize(
    "command",
    [
        "scan rows.jsonl --against essays --text-column text --include *.txt",
        "scan essays --against rows.jsonl --text-column text --include *.txt",
        "scan rows.jsonl --text-column text --ignore essays/old-bridge.txt",
        "scan rows.jsonl essays --id-column id --hidden",
    ],
)
def test_an_option_for_one_of_several_collections_is_taken(run: Run, command: str) -> None:
    assert run(*command.split()).code == 0


def test_the_library_refuses_a_column_of_a_folder_without_tables() -> None:
    with pytest.raises(la.DocumentError) as caught:
        la.find(Path("essays"), text="nope")
    assert caught.value.field == "column 'nope'"
    for given, old in ((Path("essays"), Path("rows.jsonl")), (Path("rows.jsonl"), Path("essays"))):
        assert la.find(given, text="text", against=old).documents


@pytest.mark.parametrize("given", ["x.db", Path("x.db")])
def test_an_index_is_opened_and_not_made(given: Any) -> None:
    with pytest.raises(la.RecipeError) as caught:
        la.Index(given)
    assert caught.value.hint == f"use la.Index.open({os.fspath(given)!r})"
