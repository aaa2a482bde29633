"""`lookalike dedupe`: what is kept, where it is written, and that no source is ever touched."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from tests.cli.conftest import COLLECTION, ROWS, words

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Start

SAMPLE = """\
2 documents would be removed
Removed               Score  Kept instead
──────────────────────────────────────────────────────
library-reopens.txt  100.0%  branch-news-saturday.txt
old-bridge.txt        92.8%  old-bridge-rearranged.txt

16 of 18 documents kept (first; of these 1 not judged), 2 removed from 2
clusters. Nothing has been written.
17 documents (1 skipped: 1 empty) · 2 pairs ≥ 0.80 in 2 clusters · scores exact
· recall 1 of pairs at or above the threshold · TIME
Next: lookalike dedupe sample -o kept.txt --plan plan.csv
"""


def read(name: str) -> list[dict[str, Any]]:
    if name.endswith("jsonl"):
        return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]
    table = parquet.read_table(name) if name.endswith("parquet") else csv.read_csv(name)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def ids(name: str) -> list[str]:
    return [row["id"] for row in read(name)]


# -- for a person ------------------------------------------------------------------------------------------------------


def test_without_an_output_it_shows_what_it_would_do(start: Start) -> None:
    Path("sample").symlink_to(COLLECTION)
    before = sorted(Path().iterdir())
    done = start("dedupe", "sample")
    assert (done.code, done.err) == (0, "")
    assert re.sub(r"[\d.]+ s$", "TIME", done.out, flags=re.MULTILINE) == SAMPLE
    assert sorted(Path().iterdir()) == before


def test_the_next_command_does_what_was_shown(run: Run, tables: None) -> None:
    options = ["--keep", "max:stars", "-t", "0.9", "--id-column", "id", "-k", "4"]
    out = run("dedupe", "corpus.jsonl", *options).out
    command = re.sub(r" \\\n +", " ", out[out.index("Next: ") :]).removeprefix("Next: lookalike ").split()
    assert run(*command).code == 0
    assert (ids("kept.jsonl"), ids("plan.csv")) == (["a2", "b2", "=c()"], ["a1", "a3", "b1"])


def test_nothing_to_remove(run: Run) -> None:
    Path("t.jsonl").write_text('{"text": "one two"}\n{"text": "three four"}\n', encoding="utf-8")
    out = run("dedupe", "t.jsonl").out
    assert out.startswith("Nothing to remove.\n")
    assert "Next" not in out


def test_many_removals_are_cut_short(run: Run) -> None:
    rows = [{"id": f"n{number}", "text": words(0, 50)} for number in range(30)]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    out = run("dedupe", "t.jsonl").out
    assert "29 documents would be removed\n" in out
    assert "… and 9 more; --plan FILE writes all\n" in out


def test_quiet(run: Run, tables: None) -> None:
    done = run("dedupe", "corpus.parquet", "--quiet")
    assert done.err == ""
    assert "Next" not in done.out
    assert run("dedupe", "corpus.parquet", "--quiet", "-o", "kept.parquet").err == ""


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["corpus.parquet", "corpus.jsonl", "corpus.csv"])
@pytest.mark.parametrize("kind", ["parquet", "jsonl", "csv"])
def test_from_every_format_to_every_format(run: Run, tables: None, source: str, kind: str) -> None:
    outputs = {name: f"{name}.{kind}" for name in ("kept", "removed", "plan")}
    done = run(
        *("dedupe", source, "--keep", "longest"),
        *("-o", outputs["kept"], "--removed", outputs["removed"], "--plan", outputs["plan"]),
    )
    assert (done.code, done.out) == (0, "")
    assert done.err.splitlines()[-3:] == [
        f"lookalike: kept.{kind}: 3 of 6 documents kept, 3 removed",
        f"lookalike: removed.{kind}: 3 documents removed",
        f"lookalike: plan.{kind}: 3 of 6 documents kept (longest), 3 removed from 2 clusters",
    ]
    rows = {row["id"]: row for row in ROWS}
    kept, removed, plan = (read(outputs[name]) for name in ("kept", "removed", "plan"))
    assert [row["id"] for row in kept] == ["a2", "b1", "=c()"]
    assert [row["id"] for row in removed] == ["a1", "a3", "b2"]
    for row in (*kept, *removed):
        assert {name: str(value) for name, value in row.items()} == {
            name: str(value) for name, value in rows[row["id"]].items()
        }
    assert [(row["id"], row["kept_id"]) for row in plan] == [("a1", "a2"), ("a3", "a2"), ("b2", "b1")]
    assert [round(row["score"], 3) for row in plan] == [0.97, 0.97, 0.948]


def test_the_command_of_the_design(start: Start, tables: None) -> None:
    done = start("dedupe", "corpus.parquet", "--keep", "longest", "-o", "kept.parquet", "--plan", "plan.csv")
    assert done.code == 0
    assert ids("kept.parquet") == ["a2", "b1", "=c()"]
    assert Path("plan.csv").read_text(encoding="utf-8").startswith("id,kept_id,score,group\n")


def test_parquet_keeps_its_schema(run: Run) -> None:
    texts = [words(0, 50), words(0, 50), words(100, 150)]
    table = pa.table(
        {
            "text": pa.array(texts, pa.large_string()),
            "tags": pa.array([["a"], [], None], pa.list_(pa.string())),
            "when": pa.array([1, 2, None], pa.timestamp("us", "UTC")),
            "price": pa.array(["1.10", "2.20", None]).cast(pa.decimal128(8, 2)),
            "raw": pa.array([b"\xff", b"", None], pa.binary()),
            "kind": pa.array(["x", "y", "x"]).dictionary_encode(),
        }
    )
    parquet.write_table(table, "rich.parquet")
    assert run("dedupe", "rich.parquet", "--keep", "first", "-o", "kept.parquet", "--quiet").code == 0
    kept = parquet.read_table("kept.parquet")
    assert kept.schema.equals(parquet.read_schema("rich.parquet"))
    assert kept.to_pylist() == [table.to_pylist()[0], table.to_pylist()[2]]
    assert run("dedupe", "rich.parquet", "--keep", "first", "-o", "kept.jsonl", "--quiet").code == 0
    assert read("kept.jsonl")[0] == {
        "text": texts[0],
        "tags": ["a"],
        "when": "1970-01-01T00:00:00.000001+00:00",
        "price": "1.10",
        "raw": "/w==",
        "kind": "x",
    }
    message = "'tags'"
    assert message in run("dedupe", "rich.parquet", "-o", "kept.csv", "--quiet").complaint
    assert not Path("kept.csv").exists()


def test_rows_without_a_text_are_kept_and_said(run: Run) -> None:
    Path("t.jsonl").write_text('{"text": "one two"}\n{"text": null}\n{"text": "one two"}\n', encoding="utf-8")
    done = run("dedupe", "t.jsonl", "-o", "kept.jsonl")
    assert "lookalike: kept.jsonl: 2 of 3 documents kept (of these 1 not judged), 1 removed\n" in done.err
    assert [row["text"] for row in read("kept.jsonl")] == ["one two", None]


def test_a_folder_is_listed_never_copied(run: Run, essays: Path) -> None:
    before = {path: path.read_bytes() for path in essays.rglob("*.txt")}
    outputs = ["-o", "kept.txt", "--removed", "removed.jsonl", "--plan", "plan.csv"]
    done = run("dedupe", str(essays), "--keep", "longest", *outputs)
    assert done.code == 0
    assert Path("kept.txt").read_text(encoding="utf-8").splitlines() == [
        "essays/ann/essay.txt",
        "essays/cleo/essay.txt",
    ]
    assert read("removed.jsonl") == [{"path": "essays/ann/draft.txt"}, {"path": "essays/bob/essay.txt"}]
    assert [(row["id"], row["kept_id"]) for row in read("plan.csv")] == [
        ("ann/draft.txt", "ann/essay.txt"),
        ("bob/essay.txt", "ann/essay.txt"),
    ]
    assert {path: path.read_bytes() for path in essays.rglob("*.txt")} == before


def test_standard_input_can_be_deduplicated(start: Start, tables: None) -> None:
    done = start("dedupe", "-", "-o", "kept.jsonl", stdin=Path("corpus.jsonl").read_bytes())
    assert done.code == 0, done.err
    assert ids("kept.jsonl") == ["a1", "b1", "=c()"]


# -- lines stay as they are --------------------------------------------------------------------------------------------

LINES = [
    b'{"id":1,"text":"one two three four","x":1,"big":12345678901234567890123,"f":2}',
    b'{"id" : 2, "text":"five six seven eight", "x":"s", "f":2.50, "deep":{"a":[1,"b",{}],"n":null}}  ',
    b'{"text":"one two three four","id":3,"x":null,"big":9007199254740993,"f":1e400}',
    '{"id":4,"text":"caf\\u00e9 \\ud83d\\ude00 nine ten","x":[true],"raw":"é\u2028"}'.encode(),
    b' {"id":5,"text":null,"x":{"y":1},"big":1.0}',
    b'{"id":6,"text":"eleven twelve thirteen","x":1,"x":2}',
]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz", "t.ndjson"])
def test_from_lines_to_lines_nothing_changes(run: Run, name: str, end: bytes) -> None:
    data = end.join([*LINES[:3], b"", *LINES[3:]])
    Path(name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    done = run("dedupe", name, "--keep", "first", "-o", "kept.jsonl", "--removed", "removed.ndjson")
    assert done.code == 0, done.err
    assert "several kinds" not in done.err
    rest = end.removesuffix(b"\n")
    kept = [LINES[at] + rest for at in (0, 1, 3, 4)] + [LINES[5]]  # the last line of the input has no end
    assert Path("kept.jsonl").read_bytes() == b"".join(line + b"\n" for line in kept)
    assert Path("removed.ndjson").read_bytes() == LINES[2] + end


def test_plain_lines_of_several_files_stay_as_they_are(run: Run) -> None:
    """The quick way: every line is a plain object; the types differ between the files."""
    first = [b'{"text": "%d one two three", "n": %d}' % (number % 40, number) for number in range(80)]
    second = [b'{"n":"%d","text":"other %d words"}' % (number, number) for number in range(3)]
    for name, lines in (("a.jsonl", first), ("b.jsonl", second)):
        Path(name).write_bytes(b"".join(line + b"\n" for line in lines))
    options = ["-t", "1", "--keep", "first", "--quiet"]
    assert run("dedupe", "a.jsonl", "b.jsonl", "-o", "kept.jsonl", "--removed", "gone.jsonl", *options).code == 0
    assert Path("kept.jsonl").read_bytes().splitlines() == first[:40] + second
    assert Path("gone.jsonl").read_bytes().splitlines() == first[40:]


def test_lines_that_are_not_one_row_each_are_refused(run: Run) -> None:
    Path("t.jsonl").write_text('{"text": "one two"} {"text": "three"}\n\n', encoding="utf-8")
    assert "t.jsonl:1" in run("dedupe", "t.jsonl", "-o", "kept.jsonl", "--quiet").complaint
    assert not Path("kept.jsonl").exists()


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_a_note_says_which_columns_became_text(run: Run, kind: str) -> None:
    rows = [{"text": "one two", "x": 1, "y": 1}, {"text": "three four", "x": "s", "y": 2}]
    Path("t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    Path("t.json").write_text(json.dumps(rows), encoding="utf-8")
    note = "lookalike: note: {}: values of several kinds written as JSON text in 'x'\n"
    done = run("dedupe", "t.jsonl", "-o", f"kept.{kind}", "--removed", "removed.jsonl")
    assert done.err.count(note.format(f"kept.{kind}")) == 1
    assert [row["x"] for row in read(f"kept.{kind}")] == ["1", '"s"']
    assert note.format("other.jsonl") in run("dedupe", "t.json", "-o", "other.jsonl").err
    assert run("dedupe", "t.jsonl", "-o", f"quiet.{kind}", "--quiet").err == ""


# -- rules -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ([], ["a1", "b1"]),
        (["--keep", "longest"], ["a2", "b1"]),
        (["--keep", "shortest"], ["a1", "b2"]),
        (["--keep", "first"], ["a1", "b1"]),
        (["--keep", "newest", "--date-column", "date"], ["a3", "b1"]),
        (["--keep", "oldest", "--date-column", "date"], ["a2", "b2"]),
        (["--keep", "newest:date"], ["a3", "b1"]),
        (["--keep", "max:stars"], ["a2", "b2"]),
        (["--keep", "min:stars"], ["a3", "b1"]),
        (["--keep", "source:a3,b2"], ["a3", "b2"]),
        (["--keep", "source:site=blog,wiki"], ["a3", "b2"]),
        (["--drop-all"], []),
    ],
)
@pytest.mark.parametrize("source", ["corpus.parquet", "corpus.jsonl", "corpus.csv"])
def test_keep(run: Run, tables: None, source: str, options: list[str], kept: list[str]) -> None:
    done = run("dedupe", source, *options, "-o", "kept.jsonl", "--plan", "plan.jsonl", "--quiet")
    assert done.code == 0, done.err
    assert ids("kept.jsonl") == [*kept, "=c()"]
    assert sorted(ids("plan.jsonl")) == sorted({"a1", "a2", "a3", "b1", "b2"} - set(kept))
    assert {row["kept_id"] for row in read("plan.jsonl")} - {None} == set(kept)


@pytest.mark.parametrize(("rule", "kept"), [("newest", "bob/essay.txt"), ("oldest", "ann/draft.txt")])
def test_the_date_of_a_file_is_that_of_its_last_change(run: Run, essays: Path, rule: str, kept: str) -> None:
    for days, name in enumerate(("ann/draft.txt", "ann/essay.txt", "bob/essay.txt")):
        os.utime(essays / name, (days * 86_400, days * 86_400))
    assert run("dedupe", str(essays), "--keep", rule, "-o", "kept.txt").code == 0
    listed = Path("kept.txt").read_text(encoding="utf-8").splitlines()
    assert listed == [f"essays/{kept}", "essays/cleo/essay.txt"]


def test_old_documents_are_kept_and_not_written(run: Run, tables: None) -> None:
    Path("old.jsonl").write_text(json.dumps({"id": "o", "text": words(0, 100)}) + "\n", encoding="utf-8")
    for options in ([], ["--keep", "max:stars"]):
        done = run("dedupe", "corpus.jsonl", "--against", "old.jsonl", "-o", "kept.jsonl", "--force", *options)
        assert done.code == 0, done.err
        assert "a1" not in ids("kept.jsonl")
        assert "o" not in ids("kept.jsonl")
        assert f"kept.jsonl: {len(ids('kept.jsonl'))} of 6 documents kept" in done.err


# -- a saved result ----------------------------------------------------------------------------------------------------


def test_a_saved_result_needs_no_second_search(run: Run, tables: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("scan", "corpus.parquet", "-t", "0.5", "--save", "run.lookalike").code == 0
    monkeypatch.setattr("lookalike.cli.dedupe.run_search", None)
    assert run("dedupe", "--result", "run.lookalike", "--plan", "plan.csv").code == 0
    assert ids("plan.csv") == ["a2", "a3", "b2"]
    assert run("dedupe", "--result", "run.lookalike", "-o", "kept.txt", "-t", "0.96").code == 0
    assert Path("kept.txt").read_text(encoding="utf-8").split() == ["a1", "b1", "b2", "=c()"]
    assert run("dedupe", "corpus.parquet", "--result", "run.lookalike", "-o", "kept.parquet").code == 0
    assert ids("kept.parquet") == ["a1", "b1", "=c()"]
    shown = run("dedupe", "--result", "run.lookalike")
    assert "Next: lookalike dedupe --result run.lookalike -o kept.txt --plan plan.csv\n" in shown.out


def test_a_saved_result_of_other_documents_is_refused(run: Run, tables: None) -> None:
    assert run("scan", "corpus.parquet", "--save", "run.lookalike").code == 0
    Path("corpus.jsonl").write_text(json.dumps(ROWS[3]) + "\n", encoding="utf-8")
    for options in (["-o", "kept.jsonl"], ["--keep", "max:stars", "--plan", "plan.csv"]):
        complaint = run("dedupe", "corpus.jsonl", "--result", "run.lookalike", *options).complaint
        assert "corpus.jsonl does not hold the documents that were searched" in complaint
    assert not Path("kept.jsonl").exists()
    assert not Path("plan.csv").exists()


# -- what is refused ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "PATH is missing: give documents, or a saved result with --result FILE"),
        (["nowhere"], "nowhere does not exist: check the name"),
        (["corpus.parquet", "--keep", "longst"], "did you mean 'longest'?"),
        (["corpus.parquet", "--keep", "max:star"], "did you mean 'stars'?"),
        (["corpus.parquet", "--keep", "newest"], "--keep 'newest' requires --date-column"),
        (["corpus.parquet", "--date-column", "date"], "--date-column 'date' requires --keep newest or oldest"),
        (["essays", "--keep", "max:stars"], "a rule for files, which have no columns"),
        (["corpus.parquet", "-o", "kept.xlsx"], "kept.xlsx has a name that does not say what to write"),
        (["corpus.parquet", "-o", "kept.txt"], "kept.txt has a name that does not say what to write"),
        (["corpus.parquet", "--plan", "plan"], "plan has a name that does not say what to write"),
        (["corpus.parquet", "-o", "corpus.parquet"], "corpus.parquet is among the documents"),
        (["corpus.parquet", "-o", "corpus.parquet", "--force"], "corpus.parquet is among the documents"),
        (["corpus.parquet", "--plan", "link.parquet", "--force"], "link.parquet is among the documents"),
        (["essays", "-o", "essays/ann/essay.txt", "--force"], "essays/ann/essay.txt is among the documents"),
        (["corpus.parquet", "-o", "mine.csv"], "mine.csv exists: give another name, or --force to overwrite it"),
        (["corpus.parquet", "-o", "a.csv", "--plan", "./a.csv"], "./a.csv is named twice"),
        (["corpus.parquet", "-o", "no/kept.csv"], "no/kept.csv cannot be written (No such file or directory)"),
        (["--result", "nowhere", "--plan", "plan.csv"], "nowhere does not exist"),
        (["--result", "mine.csv", "--plan", "plan.csv"], "mine.csv"),
        (["--result", "run.lookalike", "--keep", "max:stars"], "give the documents too"),
        (["--result", "run.lookalike", "-t", "0.5"], "to go lower, search again"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    run: Run, tables: None, essays: Path, args: list[str], message: str
) -> None:
    run("scan", "corpus.parquet", "--save", "run.lookalike")
    Path("mine.csv").write_text("mine", encoding="utf-8")
    Path("link.parquet").hardlink_to("corpus.parquet")
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    assert message in run("dedupe", *args, "--quiet").complaint
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


def test_force_writes_over_a_file(run: Run, tables: None) -> None:
    Path("kept.jsonl").write_text("mine", encoding="utf-8")
    assert run("dedupe", "corpus.parquet", "-o", "kept.jsonl", "--force").code == 0
    assert ids("kept.jsonl") == ["a1", "b1", "=c()"]


def test_a_failure_while_writing_leaves_only_whole_files(
    run: Run, tables: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lookalike.tables import row_writers

    def fail(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(row_writers.JsonRows, "write", fail)
    before = sorted(Path().iterdir())
    done = run("dedupe", "corpus.parquet", "-o", "kept.jsonl", "--removed", "removed.parquet", "--quiet")
    assert "kept.jsonl cannot be written (No space left on device)" in done.complaint
    assert sorted(Path().iterdir()) == sorted([*before, Path("removed.parquet")])
    assert parquet.read_table("removed.parquet").num_rows > 0


def test_options_of_a_search_are_refused_with_a_saved_result(run: Run, essays: Path) -> None:
    assert run("scan", str(essays), "--save", "run.lookalike", "--quiet").code == 0
    done = run("dedupe", "--result", "run.lookalike", "--metric", "containment", "-k", "3")
    assert done.code == 2
    assert "--metric containment -k 3 cannot be used with --result" in done.err


# -- a list of paths as a table ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["kept.parquet", "kept.jsonl", "kept.csv"])
def test_a_table_of_paths_is_not_read_back_as_texts(run: Run, name: str) -> None:
    Path("sample").symlink_to(COLLECTION)
    assert run("dedupe", "sample", "-o", name).code == 0
    complaint = run("scan", name).complaint
    assert "'path', the only column of texts, seems to say where documents are" in complaint
    assert "--text-column path" in complaint
    assert run("scan", name, "--text-column", "path").code == 0
