"""`lookalike dedupe --by` and `--passages`: what is cut, what is written, and that all else stays as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

if TYPE_CHECKING:
    from tests.cli.conftest import Run

LINE = "Read more of our stories here."
ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": f"Eins é.\n{LINE}", "n": 1.5},
    {"id": "b", "text": "Read MORE of our stories: here!\r\nZwei, “drei”.", "n": None},
    {"id": "c", "text": LINE, "n": -0.25},
]
LEFT = [ROWS[0]["text"], "Zwei, “drei”.", ""]
CUTS = [
    {"id": "b", "start": 0, "end": 33, "words": 6, "kept_id": "a"},
    {"id": "c", "start": 0, "end": 30, "words": 6, "kept_id": "a"},
]
SHOWN = """\
2 cuts would be made
Cut from  Characters  Words  First in
─────────────────────────────────────
b               0–33      6  a
c               0–30      6  a

2 cuts in 2 of 3 documents, 12 words; 1 document left empty. Nothing has been
written.
Next: lookalike dedupe in.jsonl --by line -o kept.jsonl --plan cuts.csv
"""
FORMATS = ["parquet", "jsonl", "csv"]


@pytest.fixture(autouse=True)
def _inputs() -> None:
    table = pa.Table.from_pylist(ROWS)
    parquet.write_table(table, "in.parquet")
    csv.write_csv(table, "in.csv")
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    Path("in.jsonl").write_text(lines, encoding="utf-8", newline="")


def read(name: str) -> list[dict[str, Any]]:
    if name.endswith("jsonl"):
        return [json.loads(line) for line in Path(name).read_text(encoding="utf-8").splitlines()]
    if name.endswith("csv"):
        options = csv.ParseOptions(newlines_in_values=True)
        found = csv.read_csv(name, parse_options=options, convert_options=csv.ConvertOptions(strings_can_be_null=False))
        rows: list[dict[str, Any]] = found.to_pylist()
        return rows
    return parquet.read_table(name).to_pylist()


@pytest.mark.parametrize("source", FORMATS)
@pytest.mark.parametrize("target", FORMATS)
@pytest.mark.parametrize("option", ["--by=line", "--passages=6"])
def test_every_format_in_and_out(run: Run, source: str, target: str, option: str) -> None:
    done = run("dedupe", f"in.{source}", option, "-o", f"out.{target}", "--plan", f"cuts.{target}", "-q")
    assert (done.code, done.err) == (0, "")
    assert read(f"cuts.{target}") == CUTS
    texts = source == "csv" != target  # where a CSV file has texts only, so have the others
    numbers = ["1.5", None, "-0.25"] if texts else [1.5, None, -0.25]
    rows = zip(ROWS, LEFT, numbers, strict=True)
    assert read(f"out.{target}") == [{**row, "text": text, "n": number} for row, text, number in rows]


def test_types_of_columns_stay(run: Run) -> None:
    texts = pa.array([row["text"] for row in ROWS])
    table = pa.table({"text": texts.dictionary_encode(), "id": ["a", "b", "c"], "more": [[1], None, []]})
    parquet.write_table(table, "in.parquet")
    run("dedupe", "in.parquet", "--by", "line", "-o", "out.parquet")
    written = parquet.read_table("out.parquet")
    assert written.schema.equals(parquet.read_table("in.parquet").schema)
    assert written["text"].to_pylist() == LEFT
    assert written.drop_columns("text").equals(table.drop_columns("text"))


def test_lines_stay_byte_for_byte_but_for_the_text(run: Run) -> None:
    lines = [
        f'{{"id" : 1e2, "text":"{LINE}", "big": 123456789012345678901234567890}}',
        f'{{"text": "x\\n{LINE}" ,"id":[ ] , "f": 1.50}}',
        '{"text": null, "id": 3}',
        '{"id": 4, "text": "\\u00e9"}',
    ]
    Path("in.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    run("dedupe", "in.jsonl", "--by", "line", "--id-column", "", "-o", "out.jsonl")
    lines[1] = '{"text": "x" ,"id":[ ] , "f": 1.50}'
    assert sorted(Path("out.jsonl").read_text(encoding="utf-8").splitlines()) == sorted(lines)


def test_for_a_person_it_shows_what_it_would_do(run: Run) -> None:
    before = sorted(Path().iterdir())
    done = run("dedupe", "in.jsonl", "--by", "line")
    assert (done.code, done.out) == (0, SHOWN)
    assert sorted(Path().iterdir()) == before
    assert run("dedupe", "in.jsonl", "--passages", "50").out == "Nothing to cut.\n"


def test_what_is_said_of_what_was_written(run: Run) -> None:
    done = run("dedupe", "in.csv", "--passages", "6", "-o", "out.csv", "--plan", "cuts.csv")
    assert "out.csv: 3 of 3 documents kept, 0 removed; 2 cut, 1 now empty\n" in done.err
    assert "cuts.csv: 2 cuts in 2 of 3 documents, 12 words\n" in done.err
    done = run("dedupe", "in.csv", "--passages", "6", "-o", "out.csv", "--drop-empty", "--force")
    assert "out.csv: 2 of 3 documents kept, 1 removed; 2 cut, 1 dropped\n" in done.err
    assert [row["id"] for row in read("out.csv")] == ["a", "b"]


def test_verbose_tells_the_recipe_and_what_was_skipped(run: Run) -> None:
    Path("in.jsonl").write_text('{"id": 1, "text": null}\n{"id": 2, "text": "one"}\n', encoding="utf-8")
    done = run("dedupe", "in.jsonl", "--by", "line", "--verbose")
    assert "recipe: lookalike-recipe" in done.err
    assert "skipped: " in done.err


def test_min_words_says_which_parts_count(run: Run) -> None:
    run("dedupe", "in.jsonl", "--by", "line", "--min-words", "7", "-o", "out.jsonl")
    assert read("out.jsonl") == ROWS


def test_ids_that_are_formulas_are_safe_in_the_plan_unless_it_is_raw(run: Run) -> None:
    rows = [{"id": "=1+1", "text": LINE}, {"id": "=2+2", "text": LINE}]
    Path("in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    run("dedupe", "in.jsonl", "--by", "line", "--plan", "cuts.csv")
    assert read("cuts.csv")[0]["id"] == "'=2+2"
    assert Path("cuts.csv").stat().st_mode & 0o077 == 0
    run("dedupe", "in.jsonl", "--by", "line", "--plan", "cuts.csv", "--force", "--raw-csv")
    assert read("cuts.csv")[0]["id"] == "=2+2"


def test_files_become_rows_with_their_paths(run: Run) -> None:
    Path("essays").mkdir()
    for name, text in (("a.txt", LINE), ("b.txt", f"Own.\n\n{LINE}")):
        Path("essays", name).write_text(text, encoding="utf-8")
    run("dedupe", "essays", "--by", "paragraph", "-o", "out.jsonl")
    assert read("out.jsonl") == [{"path": "essays/a.txt", "text": LINE}, {"path": "essays/b.txt", "text": "Own."}]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "lines"], "--by must be line, paragraph or sentence, not 'lines'; did you mean 'line'?"),
        (["--by", "line", "--passages", "9"], "--passages cannot be used with --by; give one of the two"),
        (["--by", "line", "--keep", "newest"], "--keep cannot be used with --by"),
        (["--by", "line", "-t", "0.9"], "--threshold cannot be used with --by"),
        (["--by", "line", "--drop-all"], "--drop-all cannot be used with --by"),
        (["--by", "line", "--removed", "x.csv"], "--removed cannot be used with --by"),
        (["--passages", "9", "--min-words", "3"], "--min-words cannot be used with --passages"),
        (["--passages", "0"], "--passages must be a whole number of at least 1, not 0"),
        (["--passages", "10001"], "--passages must be a whole number from 1 to 10000, not 10001"),
        (["--drop-empty"], "--drop-empty requires --by or --passages"),
        (
            ["--by", "line", "-o", "out.txt"],
            "out.txt has a name that does not say what to write: end it in .parquet, .jsonl, .csv or .tsv",
        ),
    ],
)
def test_options_that_do_not_go_together(run: Run, options: list[str], message: str) -> None:
    assert run("dedupe", "in.jsonl", *options).complaint == message


def test_without_documents(run: Run) -> None:
    assert run("dedupe", "--by", "line").complaint == "PATH is missing: give documents"
    Path("empty.jsonl").write_text("", encoding="utf-8")
    assert "contains no readable document" in run("dedupe", "empty.jsonl", "--by", "line").complaint


@pytest.mark.parametrize("kind", ["jsonl", "parquet"])
def test_texts_inside_another_column_cannot_be_changed(run: Run, tmp_path: Path, kind: str) -> None:
    rows = [{"doc": {"text": row["text"]}, "note": "stays"} for row in ROWS]
    path, output = tmp_path / f"in.{kind}", tmp_path / f"out.{kind}"
    if kind == "parquet":
        parquet.write_table(pa.Table.from_pylist(rows), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = run("dedupe", str(path), "--text-column", "doc.text", "--by", "line", "-o", str(output))
    assert done.code == 2
    assert "column 'doc.text' is inside another, where texts cannot be changed" in " ".join(done.err.split())
    assert not output.exists()
