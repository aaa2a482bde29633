"""`scan --report`, `report` and `compare --html`: one file each, made from what the documents are now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lookalike as la
from lookalike.cli import running as asking
from tests.cli.conftest import COLLECTION, Run
from tests.report.page_data import parts_of

if TYPE_CHECKING:
    import pytest


def test_scan_writes_a_report_beside_its_table(run: Run, tmp_path: Path) -> None:
    done = run("scan", str(COLLECTION), "-t", "0.3", "--report", "report.html")
    assert done.code == 0
    assert "4 pairs" in done.out
    assert "lookalike: report.html: report of 17 documents (1 skipped: 1 empty)" in done.err
    head = parts_of(tmp_path / "report.html").head
    assert head["pairCount"] == 4
    assert head["title"] == str(COLLECTION)
    assert head["command"] == f"lookalike scan {COLLECTION} --threshold 0.3"
    assert [skipped[1] for skipped in head["skipped"]] == ["empty"]


def test_a_saved_result_becomes_the_same_report(run: Run, tmp_path: Path) -> None:
    run("scan", str(COLLECTION), "-t", "0.02", "--report", "first.html", "--save", "run.lookalike", "-q")
    first = parts_of(tmp_path / "first.html")
    for named in (str(COLLECTION), "--trust"):
        done = run("report", "run.lookalike", named, "-o", "second.html")
        assert (done.code, done.out) == (0, "")
        *opened, last = done.err.splitlines()
        assert last.startswith("lookalike: second.html: report of 17 documents")
        told = f"lookalike: note: documents read again from {COLLECTION}"
        assert opened == ([told] if named == "--trust" else [])
        second = parts_of(tmp_path / "second.html")
        assert first.body == second.body
        assert first.head | {"made": ""} == second.head | {"made": ""}
        (tmp_path / "second.html").unlink()


def test_the_files_that_a_result_names_are_read_only_if_somebody_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("old").mkdir()
    Path("old", "x.text").write_text("an old text with some words in it")
    search = ("--against", "old", "-t", "0.3", "--save", "run.lookalike", "-q")
    run("scan", str(COLLECTION), "--include", "*.txt", "--include", "*.text", *search)
    said = run("report", "run.lookalike").complaint
    assert said == (
        f"run.lookalike says that its documents are in {COLLECTION}, old, which are read only if you name them: type "
        f"lookalike report run.lookalike {COLLECTION} --against old --include '*.txt' --include '*.text', or add "
        "--trust if the file is yours"
    )
    assert not Path("report.html").exists()
    typed = [str(COLLECTION), "old", "--include", "*.txt", "--include", "*.text"]
    assert run("report", "run.lookalike", *typed, "-o", "named.html", "-q").err == ""
    assert run("report", "run.lookalike", "--trust", "-o", "trusted.html", "-q").err == ""
    assert parts_of(tmp_path / "named.html").body == parts_of(tmp_path / "trusted.html").body
    asked: list[str] = []

    def answer(question: str, **_: Any) -> bool:
        asked.append(question)
        return len(asked) > 1

    monkeypatch.setattr(asking, "_is_answered", lambda: True)
    monkeypatch.setattr("typer.confirm", answer)
    assert "read only if you name them" in run("report", "run.lookalike").complaint
    assert run("report", "run.lookalike", "-q").code == 0
    assert asked == [f"run.lookalike says that its documents are in {COLLECTION}, old. Read them for the report?"] * 2
    assert parts_of(tmp_path / "report.html").body == parts_of(tmp_path / "named.html").body


def test_many_or_odd_paths_are_told_in_short(run: Run) -> None:
    found = la.find({"a": "one two three four five six", "b": "one two three four five six"})
    for paths in (["x"] * 100, ["--output=/etc/passwd"], ["a\x1b[31mb"], ["\udcff"]):
        found.with_origin({"paths": paths}).save("run.lookalike")
        said = run("report", "run.lookalike").complaint
        assert said.endswith(": type lookalike report run.lookalike PATH, or add --trust if the file is yours")
        assert len(said) < 300
    found.with_origin({"paths": ["-"]}).save("run.lookalike")
    assert "came from standard input" in run("report", "run.lookalike", "--trust").complaint
    found.with_origin({}).save("run.lookalike")
    done = run("report", "run.lookalike")
    assert done.code == 0
    assert "texts were not given" in done.err


def test_a_report_at_another_threshold_with_names_and_marks(run: Run, tmp_path: Path) -> None:
    run("scan", str(COLLECTION), "-t", "0.3", "--save", "run.lookalike", "-q")
    Path("info.csv").write_text("id,name\nold-bridge.txt,The Bridge\n")
    marks = [{"a": "old-bridge.txt", "b": "old-bridge-rearranged.txt", "mark": "checked", "note": ""}]
    Path("marks.json").write_text(json.dumps({"schema": "lookalike-marks/1", "pairs": marks}))
    given = ("-t", "0.9", "--meta", "info.csv", "--marks", "marks.json", "-q")
    done = run("report", "run.lookalike", str(COLLECTION), *given)
    assert (done.code, done.err) == (0, "")
    head = parts_of(tmp_path / "report.html").head
    assert head["pairCount"] == 2
    assert "The Bridge" in head["documents"]["name"]
    assert head["marks"][0]["mark"] == "checked"


def test_documents_that_are_gone_are_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("old-bridge.txt", "old-bridge-rearranged.txt", "waggle-dance.txt"):
        (tmp_path / "in" / name).write_bytes((COLLECTION / name).read_bytes())
    run("scan", "in", "-t", "0.3", "--save", "run.lookalike", "-q")
    (tmp_path / "in" / "old-bridge.txt").write_text("another text now")
    done = run("report", "run.lookalike", "--trust", "-q")
    assert done.code == 0
    assert done.err.count("\n") == 1
    assert "1 document of in changed since the search" in done.err
    (tmp_path / "in" / "old-bridge.txt").write_bytes((COLLECTION / "old-bridge.txt").read_bytes())
    (tmp_path / "in").rename(tmp_path / "moved")
    assert "in does not exist" in run("report", "run.lookalike", "--trust", "-q").complaint
    done = run("report", "run.lookalike", "moved", "-q")
    assert (done.code, done.err) == (0, "")
    assert parts_of(tmp_path / "report.html").head["problem"] == ""


def test_compare_writes_the_page_of_one_pair(run: Run, tmp_path: Path) -> None:
    a, b = str(COLLECTION / "why-tides-rise.txt"), str(COLLECTION / "tides-homework.txt")
    done = run("compare", a, b, "--html", "pair.html")
    assert done.code == 0
    assert "Near-duplicate" in done.out
    parts = parts_of(tmp_path / "pair.html")
    assert parts.head["kind"] == "pair"
    assert parts.head["documents"]["id"] == [a, b]
    (units, places), *_ = parts.body["blocks"][0]
    assert units > 300
    assert len(places) > 8  # several runs, with different words between them


def test_a_report_is_never_written_over_a_document(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("a.txt", "b.txt", "c.html"):
        (tmp_path / "in" / name).write_text("one two three four five six seven")
    for command in (
        ("scan", "in", "--report", "in/a.txt"),
        ("compare", "in/a.txt", "in/b.txt", "--html", "in/b.txt"),
    ):
        assert "document" in run(*command).complaint
    run("scan", "in", "--save", "run.lookalike", "-q")
    assert "document" in run("report", "run.lookalike", "-o", "run.lookalike").complaint
    assert "document" in run("report", "run.lookalike", "--trust", "-o", "in/c.html").complaint
    assert (tmp_path / "in" / "c.html").read_text() == "one two three four five six seven"


def test_a_saved_result_that_lies_about_its_making_is_refused(run: Run) -> None:
    found = la.find({"a": "one two three four five six", "b": "one two three four five six"})
    wrong: list[dict[str, Any]] = [{"paths": [1]}, {"paths": "in"}, {"command": 5}, {"reading": []}]
    for origin in wrong:
        found.with_origin(origin).save("run.lookalike")
        assert "is damaged" in run("report", "run.lookalike").complaint
    Path("in").mkdir()
    found.with_origin({"paths": ["in"], "reading": {"unknown": 1}}).save("run.lookalike")
    assert run("report", "run.lookalike", "--trust", "-q").code == 0
