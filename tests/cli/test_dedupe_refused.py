"""What `dedupe` and `scan` refuse before they read: outputs that the next run would read, shards that do not match."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Run

NEXT_TIME = "would be one of the documents the next time"


@pytest.fixture
def corpus() -> None:
    Path("corpus/in").mkdir(parents=True)
    Path("corpus/in/a.jsonl").write_text('{"text": "one two"}\n{"text": "three four"}\n', encoding="utf-8")
    Path("essays").mkdir()
    for name in ("a", "b"):
        Path(f"essays/{name}.txt").write_text(f"{name} one two three", encoding="utf-8")
    Path("link").symlink_to("corpus/in")
    Path("elsewhere").mkdir()


@pytest.mark.parametrize("option", ["-o", "--removed", "--plan", "--unread"])
@pytest.mark.parametrize(
    ("source", "output"),
    [
        ("corpus", "corpus/out.jsonl"),
        ("corpus", "corpus/in/out.jsonl"),
        ("corpus", "link/out.jsonl"),
        ("link", "corpus/in/out.jsonl"),
        ("corpus/in", "elsewhere/../corpus/in/out.jsonl"),
        ("corpus/../corpus", "corpus/out.jsonl"),
        ("corpus/in/*.jsonl", "corpus/in/out.jsonl"),
        ("corpus/**/*.jsonl", "corpus/in/out.jsonl"),
        (".", "out.jsonl"),
    ],
)
@pytest.mark.usefixtures("corpus")
def test_an_output_of_dedupe_among_the_documents(run: Run, option: str, source: str, output: str) -> None:
    assert NEXT_TIME in run("dedupe", source, option, output).complaint
    assert not Path(output).exists()


@pytest.mark.parametrize(
    ("option", "output"),
    [
        ("-o", "essays/out.txt"),
        ("--report", "essays/out.html"),
        ("--save", "essays/run.lookalike"),
        ("-o", "essays/pairs.xlsx"),
    ],
)
@pytest.mark.usefixtures("corpus")
def test_an_output_of_scan_among_the_documents(run: Run, option: str, output: str) -> None:
    assert NEXT_TIME in run("scan", "essays", option, output).complaint


@pytest.mark.usefixtures("corpus")
def test_an_output_beside_the_documents_is_written(run: Run) -> None:
    for source in ("corpus/in", "corpus/in/*.jsonl", "corpus/in/a.jsonl"):
        assert run("dedupe", source, "-o", "corpus/out.jsonl", "--force").code == 0
    assert run("dedupe", "corpus/in/a.jsonl", "-o", "corpus/in/out.jsonl").code == 0


@pytest.mark.parametrize("command", [["dedupe"], ["scan"], ["dedupe", "--by", "line"]])
def test_strict_refuses_shards_with_other_text_columns(run: Run, command: list[str]) -> None:
    Path("shards").mkdir()
    for name, column in (("a", "text"), ("b", "text"), ("c", "content")):
        row = {column: f"words of {name}", "body": "more"}
        Path(f"shards/{name}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    complaint = run(*command, "shards", "--strict").complaint
    assert "c.jsonl" in complaint
    assert "a.jsonl" in complaint
    assert "'text'" in complaint
    assert "'content'" in complaint
    assert run(*command, "shards").code == 0
    assert run(*command, "shards", "--strict", "--text-column", "body").code == 0
    os.remove("shards/c.jsonl")  # noqa: PTH107
    assert run(*command, "shards", "--strict").code == 0


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["in.jsonl", "-o", "k.jsonl", "--unread", "u", "--skip-bad"], "--skip-bad cannot be used with --unread"),
        (["in.jsonl", "-o", "k.jsonl", "--strict", "--skip-bad"], "--skip-bad cannot be used with --strict"),
        (["in.jsonl", "--plan", "p.csv", "--skip-bad"], "--skip-bad cannot be used if no rows are written"),
        (["in.jsonl", "-o", "k.jsonl", "--unread", "k.jsonl"], "is named twice"),
        (["in.jsonl", "--unread", "in.jsonl"], "is among the documents"),
        (["--result", "run.lookalike", "--unread", "u"], "--unread 'u' requires PATH"),
    ],
)
def test_options_that_do_not_go_together(run: Run, arguments: list[str], problem: str) -> None:
    Path("in.jsonl").write_text('{"text": "one two"}\n', encoding="utf-8")
    assert run("scan", "in.jsonl", "--save", "run.lookalike", "-q").code == 0
    assert problem in run("dedupe", *arguments).complaint


def test_rows_without_a_text_stay_between_the_others_whatever_the_rule(run: Run) -> None:
    texts = ["one two three", None, "four five six", "one two three", None, "four five six", "seven eight"]
    rows = [{"id": number, "text": text, "stars": number % 4} for number, text in enumerate(texts)]
    Path("in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for kind in ("jsonl", "parquet"):
        assert run("dedupe", "in.jsonl", "--keep", "max:stars", "-o", f"k.{kind}", "-q").code == 0
    lines = Path("k.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == [1, 2, 3, 4, 6]
    assert run("dedupe", "k.parquet", "-o", "again.jsonl", "-q").code == 0
    assert [json.loads(line)["id"] for line in Path("again.jsonl").read_text().splitlines()] == [1, 2, 3, 4, 6]


def test_unread_lines_are_compressed_by_name(run: Run) -> None:
    import gzip

    Path("in.jsonl").write_bytes(b'{"text": "one two"}\nbroken\r\n')
    assert run("dedupe", "in.jsonl", "--unread", "u.gz").code == 0
    assert gzip.decompress(Path("u.gz").read_bytes()) == b"broken\r\n"
