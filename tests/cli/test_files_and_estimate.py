"""`lookalike files` and `lookalike estimate`: what would be read, and what it would cost."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import COLLECTION, words

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Start


@pytest.fixture
def mixed() -> str:
    Path("mixed").mkdir()
    Path("mixed/a.txt").write_text("größer", encoding="utf-8")
    Path("mixed/b.md").write_text("one two", encoding="utf-8")
    Path("mixed/empty.txt").touch()
    Path("mixed/.hidden").write_text("x", encoding="utf-8")
    Path("mixed/noise.txt").write_bytes(bytes(range(256)))
    return "mixed"


def test_files_of_the_sample_collection(start: Start) -> None:
    done = start("files", str(COLLECTION))
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "Read"
    assert "alter-bahnhof.txt           1,407  characters" in lines
    assert lines[-4:] == [
        "Skipped",
        "blank-page.txt  empty  the file has no bytes",
        "",
        "17 documents · 23,877 characters · 1 skipped: 1 empty",
    ]
    assert max(map(len, lines)) <= 80


def test_files_tells_why_not(run: Run, mixed: str) -> None:
    out = run("files", mixed).out
    for name, reason in ((".hidden", "hidden"), ("empty.txt", "empty"), ("noise.txt", "")):
        assert any(line.startswith(name) and reason in line for line in out.splitlines()), name
    assert "2 documents · 13 characters · 3 skipped: " in out
    assert ".hidden" in run("files", mixed, "--hidden").out.split("Skipped")[0]
    assert "b.md       excluded  matches no pattern to include" in run("files", mixed, "--include", "*.txt").out


def test_files_in_every_format(run: Run, mixed: str) -> None:
    as_json = run("files", mixed, "--format", "json").json
    assert as_json["schema"] == "lookalike/1"
    assert as_json["documents"] == [{"id": "a.txt", "characters": 6}, {"id": "b.md", "characters": 7}]
    assert {skipped["id"] for skipped in as_json["skipped"]} == {".hidden", "empty.txt", "noise.txt"}
    lines = [json.loads(line) for line in run("files", mixed, "--format", "jsonl").out.splitlines()]
    assert lines[0] == {"id": "a.txt", "read": True, "characters": 6, "reason": "", "detail": ""}
    assert [line["id"] for line in lines if not line["read"]] == [skipped["id"] for skipped in as_json["skipped"]]
    rows = list(csv.DictReader(io.StringIO(run("files", mixed, "--format", "csv").out)))
    assert [row["id"] for row in rows] == [line["id"] for line in lines]
    assert rows[0] == {"id": "a.txt", "read": "true", "characters": "6", "reason": "", "detail": ""}


def test_files_to_a_file(run: Run, mixed: str) -> None:
    printed = run("files", mixed, "--format", "csv").out
    done = run("files", mixed, "--format", "csv", "-o", "files.csv")
    assert (done.code, done.out) == (0, "")
    assert Path("files.csv").read_text(encoding="utf-8") == printed


def test_files_of_a_table_and_top(run: Run, tables: None) -> None:
    out = run("files", "corpus.parquet", "--top", "2").out
    assert out.splitlines()[1:4] == ["a1  689  characters", "a2  713  characters", "… and 4 more (--top 0 shows all)"]
    assert "… and" not in run("files", "corpus.parquet", "--top", "0").out


def test_files_of_nothing(run: Run) -> None:
    Path("empty").mkdir()
    assert run("files", "empty").out == "0 documents · 0 characters\n"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["files"], "Missing argument 'PATH"),
        (["files", "nowhere"], "nowhere does not exist"),
        (["files", "mixed", "--format", "parquet"], "--format must be table, json, jsonl or csv, not 'parquet'"),
        (["files", "mixed", "--top", "x"], "--top must be a whole number of at least 0, not 'x'"),
        (["files", "mixed", "-o", "mixed/a.txt"], "mixed/a.txt is among the documents"),
        (["estimate"], "Missing argument 'PATH"),
        (["estimate", "nowhere"], "nowhere does not exist"),
        (["estimate", "mixed", "--memory", "big"], "--memory must be a size such as 6GB"),
        (["estimate", "mixed", "--format", "csv"], "--format must be table or json, not 'csv'"),
    ],
)
def test_bad_input_is_one_line(run: Run, mixed: str, args: list[str], message: str) -> None:
    assert message in run(*args).complaint


def test_estimate_tells_the_cost_before_the_run(start: Start) -> None:
    Path("sample").symlink_to(COLLECTION)
    done = start("estimate", "sample", "-t", "0.7", "-k", "3")
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.split("\n\n")[0].splitlines()] == [
        *("documents", "method", "recall", "memory", "disk", "time")
    ]
    assert "documents  17 in 25 kB" in done.out
    assert done.out.endswith("\n\nNext: lookalike scan sample --threshold 0.7 -k 3\n")


def test_estimate_as_json(run: Run, tables: None) -> None:
    cost = run("estimate", "corpus.parquet", "--format", "json").json
    assert cost["schema"] == "lookalike/1"
    assert (cost["documents"], cost["method"], cost["promised_recall"], cost["disk"]) == (6, "exact", 1.0, 0)
    assert cost["memory"] > 0
    cost = run("estimate", "corpus.parquet", "--method", "lsh", "--recall", "0.95", "--format", "json").json
    assert cost["method"] == "lsh"
    assert 0.95 <= cost["promised_recall"] < 1


def test_estimate_of_a_search_larger_than_memory(run: Run) -> None:
    lines = (json.dumps({"text": words(n, n + 200)}) + "\n" for n in range(2000))
    Path("large.jsonl").write_text("".join(lines), encoding="utf-8")
    cost = run("estimate", "large.jsonl", "--method", "lsh", "--memory", "1MB", "--format", "json").json
    assert cost["method"] == "lsh"
    assert cost["disk"] > 0


def test_estimate_leaves_out_what_is_too_large(run: Run) -> None:
    Path("large").mkdir()
    Path("large/a.txt").write_text(words(0, 100), encoding="utf-8")
    Path("large/b.txt").write_text(words(0, 5000), encoding="utf-8")
    limit = ("--max-document", "20kB")
    assert run("estimate", "large", *limit).out.startswith("documents  1 in 689 B (1 skipped: 1 too large)\n")
    assert run("estimate", "large").out.startswith("documents  2 in ")
    cost = run("estimate", "large/b.txt", *limit, "--format", "json").json
    assert (cost["documents"], cost["bytes"], cost["too_large"]) == (0, 0, 1)


def test_the_old_name_works_and_is_not_shown(run: Run, tables: None) -> None:
    Path("plan").mkdir()  # a folder of that name is no reason to scan it
    assert run("plan", "corpus.parquet", "--format", "json").json["documents"]
    assert not re.search(r"^  plan ", run("--help").out, re.MULTILINE)
    assert run("index", "plan").code == 2
