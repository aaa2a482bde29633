"""Nothing is left out in silence: every command counts what it skipped, in whatever format it answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import words

if TYPE_CHECKING:
    from tests.cli.conftest import Run

COUNTED = "3 skipped: 1 binary, 1 empty, 1 too large"
NOTE = f"lookalike: note: {COUNTED}; lookalike files shows which, and why\n"
NAMED = "lookalike: note: 3 skipped: big.txt (too large), noise.txt (binary), blank.txt (empty)\n"
LIMIT = ("--max-document", "20kB")


@pytest.fixture(autouse=True)
def _sk() -> None:
    """A folder with two texts that are alike, and three files that are no documents."""
    Path("sk").mkdir()
    Path("sk/a.txt").write_text(words(0, 100), encoding="utf-8")
    Path("sk/b.txt").write_text(words(0, 100), encoding="utf-8")
    Path("sk/blank.txt").touch()
    Path("sk/noise.txt").write_bytes(bytes(range(256)) * 8)
    Path("sk/big.txt").write_text(words(0, 5000), encoding="utf-8")


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json", "parquet"])
def test_scan_for_programs(run: Run, kind: str) -> None:
    path = ["-o", "pairs"] if kind == "parquet" else []  # bytes that are no text
    done = run("scan", "sk", *LIMIT, "--format", kind, *path)
    assert done.code == 0
    assert done.err.startswith(NAMED)
    assert (f"({COUNTED})" in done.err) if path else (done.err == NAMED)
    assert run("scan", "sk", *LIMIT, "--format", kind, *path, "--quiet").err == ""


@pytest.mark.parametrize("kind", ["table", "md"])
def test_scan_for_people_names_them_and_counts_in_its_last_line(run: Run, kind: str) -> None:
    done = run("scan", "sk", *LIMIT, "--format", kind)
    assert COUNTED in " ".join(done.out.split())
    assert done.err == NAMED
    assert run("scan", "sk", *LIMIT, "--format", kind, "--quiet").err == ""


@pytest.mark.parametrize(
    ("empty", "left", "lists"), [(9, 2, "-v names them"), (12, 5, "lookalike files PATH --top 0 lists all")]
)
def test_scan_names_the_first_that_may_be_missed(run: Run, empty: int, left: int, lists: str) -> None:
    for number in range(empty):
        Path(f"sk/essay{number:02}.txt").touch()
    Path("sk/.hidden").touch()
    Path("sk/.git").mkdir()
    done = run("scan", "sk", *LIMIT)
    start = f"lookalike: note: {empty + 3} skipped: big.txt (too large), noise.txt (binary), blank.txt (empty), "
    assert done.err.startswith(start)
    assert done.err.endswith(f"essay06.txt (empty), and {left} more; {lists}\n")
    assert done.err.count("\n") == 1
    detailed = run("scan", "sk", *LIMIT, "--verbose").err
    assert (f"essay{empty - 1:02}.txt" in detailed) == (empty == 9)
    assert "; -v names them" not in detailed


def test_what_nobody_misses_is_only_counted(run: Run) -> None:
    Path("own").mkdir()
    for name in ("a.txt", ".hidden", ".git"):
        Path("own", name).write_text(words(0, 100), encoding="utf-8")
    done = run("scan", "own")
    assert (done.err, "1 skipped: 1 hidden" in done.out or "2 skipped" in done.out) == ("", True)


@pytest.mark.parametrize(("bad", "named"), [(2, True), (30, False)])
def test_rows_are_named_only_if_they_are_few(run: Run, bad: int, named: bool) -> None:
    rows = [
        *({"id": str(n), "text": words(n, 20)} for n in range(5)),
        *({"id": f"n{n}", "text": None} for n in range(bad)),
    ]
    Path("rows.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    err = run("scan", "rows.jsonl", "--format", "csv").err
    assert f"{bad} skipped: " in err
    assert ("n0" in err or ":6" in err) == named


@pytest.mark.parametrize("output", [["-o", "k.txt"], ["--removed", "r.txt"], ["--plan", "p.csv"]])
def test_dedupe(run: Run, output: list[str]) -> None:
    done = run("dedupe", "sk", *LIMIT, *output)
    assert done.code == 0
    assert done.err.startswith(NOTE)
    assert done.err.count("skipped") == 1
    assert run("dedupe", "sk", *LIMIT, *output, "--force", "--quiet").err == ""


def test_dedupe_of_a_saved_result(run: Run) -> None:
    run("scan", "sk", *LIMIT, "--save", "run.lookalike")
    assert NOTE in run("dedupe", "--result", "run.lookalike", "-o", "k.txt").err


def test_dedupe_of_parts(run: Run) -> None:
    assert NOTE in run("dedupe", "sk", *LIMIT, "--by", "line").err
    assert NOTE in run("dedupe", "sk", *LIMIT, "--by", "line", "-o", "k.jsonl").err
    assert "skipped" not in run("dedupe", "sk", *LIMIT, "--by", "line", "-o", "k2.jsonl", "--quiet").err


def test_sign_and_find(run: Run) -> None:
    done = run("sign", "sk", *LIMIT, "-o", "s.sig")
    assert done.err == f"{NOTE}lookalike: s.sig: 2 documents signed\n"
    assert run("sign", "sk", *LIMIT, "-o", "q.sig", "--quiet").err == ""
    assert COUNTED in " ".join(run("find", "s.sig").out.split())
    done = run("find", "s.sig", "--format", "json", "--save", "run.lookalike")
    assert done.err == NOTE
    assert sorted(one["id"] for one in done.json["skipped"]) == ["big.txt", "blank.txt", "noise.txt"]


def test_a_shard_without_documents_says_why(run: Run) -> None:
    done = run("sign", "sk/big.txt", *LIMIT, "-o", "s.sig")
    assert "1 skipped: 1 too large" in done.err
    assert done.err.endswith("lookalike: s.sig: 0 documents signed\n")


def test_strict(run: Run) -> None:
    plain = ["--exclude", "noise.txt", "--exclude", "big.txt"]
    assert run("dedupe", "sk", "--strict", *plain).code == 0, "an empty file is skipped on purpose"
    for more in ([], ["-o", "k.txt"], ["--by", "line"]):
        assert run("dedupe", "sk", *LIMIT, "--strict", *more).code == 3
    assert Path("k.txt").exists(), "what could be read is written"
    run("scan", "sk", *LIMIT, "--save", "run.lookalike")
    assert run("dedupe", "--result", "run.lookalike", "--strict").code == 3


def test_rows_that_are_skipped_count_too(run: Run) -> None:
    rows = [{"text": words(0, 50)}, {"text": None}, {"text": 7}]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = run("dedupe", "t.jsonl", "-o", "k.jsonl")
    assert "note: 2 skipped: 1 not text, 1 null text; lookalike files shows which, and why\n" in done.err
    assert "k.jsonl: 3 of 3 documents kept (of these 2 not judged), 0 removed\n" in done.err


# -- nothing left ------------------------------------------------------------------------------------------------------


def test_the_error_names_the_first_that_could_not_be_read(run: Run) -> None:
    Path("sk/a.txt").unlink()
    Path("sk/b.txt").unlink()
    start = "sk contains no readable document: "
    for command in (["scan", "sk"], ["dedupe", "sk"], ["dedupe", "sk", "--by", "line"]):
        complaint = run(*command, *LIMIT).complaint
        assert complaint.startswith(f"{start}big.txt: ")
        assert complaint.endswith("; lookalike files lists all 3")
    Path("sk/big.txt").unlink()
    assert run("scan", "sk").complaint.startswith(f"{start}noise.txt: ")
    Path("sk/noise.txt").unlink()
    assert run("scan", "sk").complaint.startswith(f"{start}blank.txt: ")


def test_the_error_does_not_repeat_the_name(run: Run) -> None:
    complaint = run("scan", "sk/noise.txt").complaint
    assert complaint.startswith("sk/noise.txt contains no readable document: ")
    assert complaint.count("noise.txt") == 1
    assert "lookalike files" not in complaint


@pytest.mark.parametrize("new", [["sk/a.txt"], ["sk"]], ids=["one", "several"])
def test_old_documents_of_which_none_is_read(run: Run, new: list[str]) -> None:
    Path("old").mkdir()
    done = run("scan", *new, "--against", "old", "--format", "csv")
    assert "note: old contains no readable document" in done.err
    assert done.code == 0
    Path("old/noise.txt").write_bytes(bytes(range(256)) * 8)
    assert run("scan", *new, "--against", "old").complaint.startswith("old contains no readable document: noise.txt: ")
