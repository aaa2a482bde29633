"""`lookalike scan` for programs, how it ends, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet

import lookalike as la
from tests.cli.conftest import COLLECTION, ROWS, SCRIPT, words

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Start

posix_only = pytest.mark.skipif(os.name == "nt", reason="POSIX")
EXPECTED = la.find({row["id"]: row["text"] for row in ROWS})
COLUMNS = ["a", "b", "jaccard", "containment_a", "containment_b"]


@pytest.fixture(autouse=True)
def _tables(_here: None, tables: None) -> None:
    """Every test here has the tables."""


# -- formats -----------------------------------------------------------------------------------------------------------


def test_json_is_that_of_the_design(start: Start) -> None:
    done = start("scan", "corpus.parquet", "--threshold", "0.8", "--format", "json", "--quiet")
    assert (done.code, done.err) == (0, "")
    result = done.json
    assert list(result) == [
        "schema",
        "recipe",
        "threshold",
        "method",
        "metric",
        "recall",
        "bands",
        "candidates",
        "documents",
        "limited",
        "copies_listed",
        "notes",
        "skipped",
        "flags",
        "skip",
        "min_words",
        "short_passages",
        "left_out",
        "metadata",
        "pairs",
        "groups",
    ]
    assert result["schema"] == "lookalike/1"
    assert la.Recipe.from_dict(result["recipe"]) == la.Recipe()
    assert (result["threshold"], result["documents"], result["skipped"]) == (0.8, 6, [])
    assert result["recall"] == {"of": "pairs", "promised": 1.0, "measured": None}
    assert result["pairs"] == EXPECTED.pairs.to_pylist()
    assert result["groups"] == [
        {"principal": "a1", "members": ["a1", "a2", "a3"]},
        {"principal": "b1", "members": ["b1", "b2"]},
    ]


@pytest.mark.parametrize("name", ["corpus.parquet", "corpus.jsonl", "corpus.csv"])
def test_every_kind_of_table_gives_the_same(run: Run, name: str) -> None:
    assert run("scan", name, "--format", "json").json["pairs"] == EXPECTED.pairs.to_pylist()


def read(kind: str, data: bytes) -> list[dict[str, Any]]:
    if kind == "json":
        pairs: list[dict[str, Any]] = json.loads(data)["pairs"]
        return pairs
    if kind == "jsonl":
        return [json.loads(line) for line in data.decode().splitlines()]
    if kind == "parquet":
        rows: list[dict[str, Any]] = parquet.read_table(io.BytesIO(data)).to_pylist()
        return rows
    texts = csv.DictReader(io.StringIO(data.decode()))
    return [{name: float(row[name]) if name not in "ab" else row[name] for name in COLUMNS} for row in texts]


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv", "parquet"])
def test_pairs_in_every_format(run: Run, kind: str) -> None:
    command = ["scan", "corpus.jsonl", "--format", kind, "--quiet"]
    done = run(*command, "-o", "out")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert read(kind, Path("out").read_bytes()) == EXPECTED.pairs.to_pylist()
    assert run(*command, "--top", "1", "-o", "out").code == 0
    assert read(kind, Path("out").read_bytes()) == EXPECTED.top(1).to_pylist()
    if kind != "parquet":
        assert read(kind, run(*command).out.encode()) == EXPECTED.pairs.to_pylist()


def test_parquet_through_a_pipe() -> None:
    command = [SCRIPT, "scan", "corpus.jsonl", "--format", "parquet", "--quiet"]
    printed = subprocess.run(command, capture_output=True, check=True).stdout
    assert read("parquet", printed) == EXPECTED.pairs.to_pylist()


@pytest.mark.parametrize(
    "name", ["pairs.json", "pairs.jsonl", "pairs.ndjson", "pairs.CSV", "pairs.parquet", "pairs.md"]
)
def test_the_name_of_the_output_decides_the_format(run: Run, name: str) -> None:
    done = run("scan", "corpus.jsonl", "-o", name)
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines()[-1].startswith(f"lookalike: {name}: 6 documents · 4 pairs ≥ 0.80 in 2 clusters")
    data = Path(name).read_bytes()
    if name.endswith(".md"):
        assert data.startswith(b"# Near-duplicate documents\n")
    else:
        kind = name.rpartition(".")[2].lower().replace("ndjson", "jsonl")
        assert read(kind, data) == EXPECTED.pairs.to_pylist()
    assert run("scan", "corpus.jsonl", "-o", name, "--format", "table", "--quiet").err == ""
    assert Path(name).read_text(encoding="utf-8").startswith("4 pairs\n")


@pytest.mark.parametrize("ending", ["html", "docx", "pdf", "tsv", "csv.gz", "tar", "png"])
@pytest.mark.parametrize(
    ("command", "page"),
    [
        (["scan", "corpus.jsonl"], "--report"),
        (["compare", "a.txt", "b.txt"], "--html"),
        (["sources", "a.txt", "b.txt"], "--html"),
        (["files", "corpus.jsonl"], ""),
        (["check", "a.txt", "--index", "no.db"], ""),
        (["find", "no.sig"], ""),
        (["experiment", "batch", "a.txt", "b.txt"], ""),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_name_that_promises_another_format_is_refused(run: Run, command: list[str], page: str, ending: str) -> None:
    for name in ("a.txt", "b.txt"):
        Path(name).write_text(words(0, 50), encoding="utf-8")
    output = f"out.{ending}"
    done = run(*command, "-o", output)
    assert (done.code, done.out, Path(output).exists()) == (2, "", False)
    assert done.complaint.startswith(f"{output} has the ending of another format, ")
    assert (f"{page} {output} writes a page" if page and ending == "html" else "end it in .txt") in done.complaint


def test_a_folder_is_no_output_of_a_scan(run: Run) -> None:
    assert (
        run("scan", "corpus.jsonl", "-o", "out/").complaint == "out/ is the name of a folder: give the name of a file"
    )


@pytest.mark.parametrize(
    ("command", "output"),
    [
        (["scan", "corpus.jsonl", "--report"], "out.pdf"),
        (["scan", "corpus.jsonl", "--report"], "out.txt"),
        (["scan", "corpus.jsonl", "--save"], "out.json"),
        (["report", "no.lookalike", "-o"], "out.pdf"),
        (["compare", "corpus.jsonl", "corpus.jsonl", "--html"], "out.docx"),
        (["sources", "corpus.jsonl", "corpus.jsonl", "--html"], "out.md"),
        (["experiment", "walk", "one two", "one three", "--html"], "out.pdf"),
    ],
)
def test_so_is_one_for_a_page_or_a_saved_result(run: Run, command: list[str], output: str) -> None:
    done = run(*command, output)
    assert (done.code, done.out, Path(output).exists()) == (2, "", False)
    assert done.complaint.startswith(f"{output} has the ending of another format, ")


def test_json_by_the_name_of_the_output(run: Run) -> None:
    for command in (["compare", "corpus.jsonl", "corpus.jsonl"], ["files", "corpus.jsonl"]):
        assert run(*command, "-o", "out.json").code == 0
        json.loads(Path("out.json").read_bytes())


def test_csv_runs_nothing_in_a_spreadsheet(run: Run) -> None:
    rows = [{"id": name, "text": words(0, 50)} for name in ("=cmd()", "@sum", "plain")]
    Path("evil.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    out = run("scan", "evil.jsonl", "--format", "csv", "-q").out
    assert out.splitlines()[1].startswith('"\'=cmd()","\'@sum",')


def test_markdown(run: Run) -> None:
    Path("t.jsonl").write_text(
        "".join(json.dumps({"id": name, "text": words(0, 50)}) + "\n" for name in ("a|b", "*c*")), encoding="utf-8"
    )
    out = run("scan", "t.jsonl", "--format", "md").out
    assert "| # | Jaccard | A in B | B in A | A | B |\n|--:|--:|--:|--:|---|---|\n" in out
    assert r"| 1 | 100.0% | 100.0% | 100.0% | a\|b | \*c\* |" in out
    assert r"1. **a\|b** and \*c\*" in out


def test_markdown_of_nothing(run: Run) -> None:
    Path("t.jsonl").write_text('{"text": "one two"}\n{"text": "three four"}\n', encoding="utf-8")
    assert run("scan", "t.jsonl", "--format", "md").out.endswith("\n\nNothing was found.\n")


@pytest.mark.parametrize("kind", ["json", "jsonl", "csv"])
def test_no_pairs_in_every_format(run: Run, kind: str) -> None:
    Path("t.jsonl").write_text('{"text": "one two"}\n{"text": "three four"}\n', encoding="utf-8")
    assert read(kind, run("scan", "t.jsonl", "--format", kind).out.encode()) == []


def test_json_is_utf8_in_any_locale(start: Start) -> None:
    Path("名前").mkdir()
    for name in ("größe.txt", "雨.txt"):
        Path("名前", name).write_text(words(0, 50), encoding="utf-8")
    done = start("scan", "名前", "--format", "json", PYTHONIOENCODING="latin-1")
    assert done.json["groups"] == [{"principal": "größe.txt", "members": ["größe.txt", "雨.txt"]}]
    assert start("scan", "名前", PYTHONIOENCODING="ascii").code == 0


# -- how it ends -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", ["0.8", "80%", "0.99", "1"])
def test_fail_over_with_a_pair(run: Run, threshold: str) -> None:
    done = run("scan", "corpus.parquet", "--fail-over", threshold)
    assert done.code == 1
    assert "4 pairs" in done.out, "the result comes all the same"


def test_fail_over_without_such_a_pair(run: Run) -> None:
    Path("two").mkdir()
    Path("two/a.txt").write_text(words(0, 100), encoding="utf-8")
    Path("two/b.txt").write_text(words(0, 90), encoding="utf-8")
    assert run("scan", "two", "--fail-over", "0.95").code == 0
    assert run("scan", "two", "--fail-over", "0.85").code == 1
    assert run("scan", "two", "--metric", "containment", "--fail-over", "1").code == 1, "by the metric of the search"
    assert run("scan", str(COLLECTION), "-t", "0.99", "--exclude", "b*", "--fail-over", "0.99").code == 0


def test_strict(run: Run) -> None:
    Path("mixed").mkdir()
    Path("mixed/a.txt").write_text(words(0, 50), encoding="utf-8")
    for name in (".hidden", "empty.txt"):
        Path("mixed", name).touch()
    assert run("scan", "mixed", "--strict").code == 0, "hidden and empty files are left out on purpose"
    Path("mixed/broken.txt").write_bytes(bytes(range(256)))
    done = run("scan", "mixed", "--strict")
    assert done.code == 3
    assert run("scan", "mixed").code == 0
    Path("mixed/b.txt").write_text(words(0, 50), encoding="utf-8")
    assert run("scan", "mixed", "--fail-over", "0.9").code == 1
    assert run("scan", "mixed", "--strict", "--fail-over", "0.9").code == 3, "what was not read might be worse"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["scan"], "Missing argument 'PATH"),
        (["scan", "nowhere"], "nowhere does not exist: check the name"),
        (["scan", "corpus.parket"], "did you mean 'corpus.parquet'?"),
        (["scan", "corpus.jsonl", "-t", "0"], "--threshold must be a number above 0 and at most 1, not '0'"),
        (["scan", "corpus.jsonl", "-t", "80"], "not '80'; did you mean 80%?"),
        (["scan", "corpus.jsonl", "-t", "high"], "--threshold must be a number above 0 and at most 1, not 'high'"),
        (["scan", "corpus.jsonl", "-t", ""], "--threshold must be a number above 0 and at most 1, not ''"),
        (["scan", "corpus.jsonl", "--recall", "2"], "--recall must be a number above 0 and at most 1, not '2'"),
        (["scan", "corpus.jsonl", "--method", "lhs"], "brute, not 'lhs'; did you mean 'lsh'?"),
        (["scan", "corpus.jsonl", "--metric", "dice"], "bag, cosine or euclidean, not 'dice'"),
        (["scan", "corpus.jsonl", "--linkage", "single"], "--linkage must be star or linked, not 'single'"),
        (["scan", "corpus.jsonl", "--common", "5"], "--common must be a number above 0 and at most 1, not '5'"),
        (["scan", "corpus.jsonl", "--memory", "lots"], "--memory must be a size such as 6GB, 500MB or 2GiB"),
        (["scan", "corpus.jsonl", "--memory", "6"], "--memory must be a size such as 6GB, 500MB or 2GiB, not '6'"),
        (["scan", "corpus.jsonl", "--threads", "-1"], "--threads must be a whole number of at least 0, not -1"),
        (["scan", "corpus.jsonl", "--top", "-1"], "--top must be a whole number of at least 0, not -1"),
        (["scan", "corpus.jsonl", "--format", "xml"], "--format must be table, json, jsonl, csv, parquet, xlsx or md"),
        (["scan", "corpus.jsonl", "--audit=1"], "--audit must be a whole number of at least 2, not 1"),
        (["scan", "corpus.jsonl", "--fail-over", "0.5"], "--fail-over must be at least the threshold, 0.8, not '0.5'"),
        (["scan", "corpus.jsonl", "--group-by", "writer"], "put the author in (brackets)"),
        (["scan", "corpus.jsonl", "--group-by", "(a)(b)"], "put the author in (brackets)"),
        (
            ["scan", "corpus.jsonl", "--group-by", "("],
            "--group-by must be lms, dir, author, label, none, or a valid regular expression",
        ),
        (
            ["scan", "corpus.jsonl", "--group-by", "(nobody)"],
            "a pattern that some name has, not '(nobody)'; a name is ",
        ),
        (
            ["scan", "corpus.jsonl", "--group-by", "dir"],
            "used where documents are in folders below PATH, not 'dir'; a name",
        ),
        (
            ["scan", "corpus.jsonl", "--group-by", "lms"],
            "--group-by 'lms' requires file names of Moodle, Canvas or Blackboard; a name is ",
        ),
        (["scan", "corpus.jsonl", "--min-length", "-1"], "--min-length must be a whole number of at least 0, not -1"),
        (["scan", "corpus.jsonl", "--text-column", "txet"], "txet"),
        (["scan", "corpus.jsonl", "--ignore", "nowhere"], "nowhere does not exist: check the name"),
        (["scan", "corpus.jsonl", "--against", "nowhere"], "nowhere does not exist: check the name"),
        (["scan", "corpus.jsonl", "-o", "no/such/file"], "no/such/file cannot be written (No such file"),
        (["scan", "corpus.jsonl", "-o", "corpus.jsonl"], "corpus.jsonl is among the documents: write the result to"),
        (
            ["scan", "corpus.jsonl", "--save", "corpus.jsonl"],
            "corpus.jsonl is among the documents: write the result to",
        ),
        (["scan", "corpus.jsonl", "-o", "x.csv", "--save", "x.csv"], "x.csv is named twice"),
        (["scan", "corpus.jsonl", "-o", "folder"], "folder is a directory: give the name of a file"),
        (["scan", ".", "-o", "corpus.csv"], "corpus.csv is among the documents"),
        (["scan", "corpus.jsonl", "-k", "0"], "k must be a whole number from 1 to 64, not 0"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run: Run, args: list[str], message: str) -> None:
    Path("folder").mkdir()
    before = {path: path.read_bytes() for path in Path().glob("corpus.*")}
    done = run(*args, "--quiet") if len(args) > 1 else run(*args)
    assert message in done.complaint
    assert {path: path.read_bytes() for path in Path().glob("corpus.*")} == before


def test_a_failed_run_leaves_the_old_output_alone(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("pairs.csv").write_text("mine", encoding="utf-8")

    def fail(*args: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(la.Result, "write_pairs", fail)
    done = run("scan", "corpus.jsonl", "-o", "pairs.csv", "--quiet")
    assert done.complaint == "pairs.csv cannot be written (No space left on device): check the name and the disk"
    assert Path("pairs.csv").read_text(encoding="utf-8") == "mine"
    assert [path.name for path in Path().iterdir() if "pairs" in path.name] == ["pairs.csv"]


def test_ctrl_c_in_the_search_ends_with_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lookalike.search.find.find_kept", interrupted)
    done = run("scan", "corpus.jsonl")
    assert (done.code, done.out, done.err) == (130, "", "")
    done = run("scan", "corpus.jsonl", "--work", "here")
    assert (done.code, done.out) == (130, "")
    assert done.err == "lookalike: interrupted; run the same command again to resume\n"


@posix_only
def test_ctrl_c_while_reading_ends_with_130() -> None:
    with subprocess.Popen(
        [SCRIPT, "scan", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        process.stdin.write(b"x" * 200_000)  # more than a pipe holds: all taken means that it is reading
        process.stdin.flush()
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr is not None
        assert process.stderr.read() == b""


@posix_only
@pytest.mark.parametrize("kind", ["table", "json", "parquet"])
def test_a_reader_that_went_away_is_no_error(kind: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [SCRIPT, "scan", "corpus.jsonl", "--format", kind, "--quiet"]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
@pytest.mark.parametrize("kind", ["table", "parquet"])
def test_a_full_disk_is_one_line(kind: str) -> None:
    command = [SCRIPT, "scan", "corpus.jsonl", "--format", kind, "--quiet"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert b"No space left on device" in done.stderr


def test_output_can_be_caught_as_text() -> None:
    from contextlib import redirect_stdout

    from lookalike.cli import main

    for options in ([], ["--format", "json"]):
        with redirect_stdout(io.StringIO()) as caught:
            assert main(["scan", "corpus.jsonl", "--quiet", *options]) == 0
        assert "a3" in caught.getvalue()


# -- on a terminal -----------------------------------------------------------------------------------------------------


def on_a_terminal(*args: str, **env: str) -> str:
    """Run a command on a pseudo-terminal and return all that it writes there."""
    import pty

    master, slave = pty.openpty()
    environment = os.environ | {"COLUMNS": "80"} | env
    with subprocess.Popen([SCRIPT, *args], stdin=slave, stdout=slave, stderr=slave, env=environment) as process:
        os.close(slave)
        shown = b""
        while chunk := _read(master):
            shown += chunk
        assert process.wait(timeout=30) == 0
    os.close(master)
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side has been closed
        return b""


HIDE_CURSOR = "\x1b[?25l"


@posix_only
@pytest.mark.parametrize(
    ("env", "options", "bar"),
    [({}, [], True), ({}, ["--quiet"], False), ({"TERM": "dumb"}, [], False), ({"NO_COLOR": "1"}, [], True)],
)
def test_progress_on_a_terminal_only(env: dict[str, str], options: list[str], bar: bool) -> None:
    shown = on_a_terminal("scan", "corpus.parquet", *options, **env)
    assert (HIDE_CURSOR in shown) is bar
    assert shown.count(HIDE_CURSOR) == shown.count("\x1b[?25h"), "the cursor comes back"
    assert "4 pairs" in shown
    if "NO_COLOR" in env:
        assert "\x1b[36m" not in shown


@posix_only
def test_parquet_is_nothing_for_a_terminal() -> None:
    import pty

    master, slave = pty.openpty()
    command = [SCRIPT, "scan", "corpus.parquet", "--format", "parquet"]
    done = subprocess.run(command, stdout=slave, stderr=subprocess.PIPE, check=False)
    os.close(slave)
    os.close(master)
    assert done.returncode == 2
    assert done.stderr == b"lookalike: parquet cannot be shown on a terminal: write it to a file with -o FILE\n"


def test_stages_are_shown_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from lookalike.cli.messages import showing_progress

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with showing_progress() as report:
        assert report is not None
        report("reading", 10, None)
        report("reading", 500, 1000)
        report("searching", 0, None)
    with showing_progress(quiet=True) as report:
        assert report is None
    shown = terminal.getvalue()
    assert "searching" in shown


def test_a_log_gets_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    from lookalike.cli import messages

    now = 100.0
    monkeypatch.setattr(messages, "monotonic", lambda: now)
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    with messages.showing_progress() as report:
        assert report is not None
        for second in range(1, 26):
            now = 100.0 + second
            report("reading" if second < 15 else "verifying", second * 1000, 25_000 if second < 15 else None)
    assert log.getvalue() == "lookalike: reading: 10,000 of 25,000\nlookalike: verifying: 20,000\n"


def test_many_files_make_one_note(run: Run) -> None:
    folder = Path("many")
    folder.mkdir()
    for number in range(1200):
        (folder / f"{number:04}.jsonl").write_text(json.dumps({"text": f"text {number}", "id": number}))
    first, second = run("scan", "many").err.splitlines()
    assert first == "lookalike: note: many has 1,200 jsonl files and no texts: read as one table"
    named = "0000.jsonl, 0001.jsonl, 0002.jsonl, …"
    columns = "texts from the column 'text', ids from the column 'id'"
    assert second == f"lookalike: note: 1,200 files ({named}): {columns}"
