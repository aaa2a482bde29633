"""`lookalike check`: which stored documents are like a new one?"""

from __future__ import annotations

import csv
import io
import json
import os
import select
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import lookalike as la
from tests.cli.conftest import SCRIPT, words
from tests.index.postgres import server

if TYPE_CHECKING:
    from tests.cli.conftest import Run, Start

NO_ID = (
    "--add requires documents that have ids; a text on standard input has none; "
    '--jsonl takes lines {"id": …, "text": …}'
)


@pytest.fixture
def stored(run: Run, essays: Path) -> str:
    """An index of the essays, and a new text that is like three of them."""
    assert run("index", "build", "class.db", "essays").code == 0
    Path("new.txt").write_text(words(0, 98), encoding="utf-8")
    return "class.db"


def lines(*rows: Any) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def answers(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


# -- forms -------------------------------------------------------------------------------------------------------------


def test_json(run: Run, stored: str) -> None:
    done = run("check", "new.txt", "--index", stored, "--format", "json")
    assert (done.code, done.err) == (0, "")
    found = done.json
    assert (found["schema"], found["index"], found["threshold"]) == ("lookalike/1", "class.db", 0.8)
    (document,) = found["documents"]
    assert (document["id"], document["truncated"]) == ("new.txt", False)
    with la.Index.open(stored) as index:
        assert document["hits"] == [hit.to_dict() for hit in index.query(words(0, 98))]
    assert [hit["id"] for hit in document["hits"]] == ["bob/essay.txt", "ann/essay.txt", "ann/draft.txt"]
    assert set(document["hits"][0]) == {"id", "jaccard", "containment_query", "containment_document", "same_id"}
    assert document["recall"]["promised"] >= 0.999
    assert not {"nearest", "skipped_same_id"} & document.keys()


def test_the_table(run: Run, stored: str) -> None:
    done = run("check", "new.txt", "--index", stored, "--top", "2")
    assert (done.code, done.err) == (0, "lookalike: note: 1 document may have more hits than --top 2 lists\n")
    assert done.out.startswith("new.txt\n#  Jaccard  New in stored  Stored in new  Stored document\n")
    assert "1    98.9%         100.0%          98.9%  bob/essay.txt\n" in done.out
    assert "ann/draft.txt" not in done.out
    assert "Longest passage shared with the closest document\n1  98 words  in new.txt (A) and bob/essay.txt (B)\n" in (
        done.out
    )
    assert "1 document checked against class.db (4 documents) · 1 with hits ≥ 0.80 · scores\n" in done.out
    assert done.out.count("exact · recall not promised\n") == 1
    done = run("check", "new.txt", "--index", stored, "--top", "3")
    assert (done.code, done.err) == (0, "")
    assert done.out.count("exact · recall ≥ 0.999 of documents ≥ 0.80\n") == 1


def test_nothing_like_it(run: Run, stored: str) -> None:
    done = run("check", "-", "--index", stored, stdin=words(900, 990).encode())
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        "standard input: nothing similar\n\n1 document checked against class.db (4 documents) · 0 "
    )


def test_the_index_first(run: Run, stored: str) -> None:
    options = ["-t", "0.5", "--top", "1", "--format", "json"]
    assert (
        run("index", "query", stored, "new.txt", *options).out
        == run("check", "new.txt", "--index", stored, *options).out
    )


def test_csv_and_jsonl(run: Run, stored: str) -> None:
    done = run("check", "new.txt", "--index", stored, "-o", "hits.csv")
    assert (done.code, done.out) == (0, "")
    rows = list(csv.DictReader(io.StringIO(Path("hits.csv").read_text(encoding="utf-8"))))
    assert (rows[0]["id"], rows[0]["hit"]) == ("new.txt", "bob/essay.txt")
    assert 0.98 < float(rows[0]["jaccard"]) < 1
    done = run("check", "new.txt", "essays/cleo", "--index", stored, "--format", "jsonl", "--top", "1")
    assert [(one["id"], len(one["hits"])) for one in answers(done.out)] == [("new.txt", 1), ("essay.txt", 1)]


def test_csv_says_what_it_has_no_column_for(run: Run, stored: str) -> None:
    Path("marks.txt").write_text("... !!!", encoding="utf-8")
    asked = ["check", "new.txt", "marks.txt", "--index", stored, "-q"]
    assert "1 document not compared: no words" in run(*asked, "--format", "csv").err
    assert run(*asked, "--format", "json").err == ""


def test_estimates_say_so(run: Run, essays: Path) -> None:
    run("index", "build", "small.db", "essays", "--keep", "signature")
    Path("new.txt").write_text(words(0, 98), encoding="utf-8")
    hits = run("check", "new.txt", "--index", "small.db", "--format", "json").json["documents"][0]["hits"]
    assert set(hits[0]) == {"id", "jaccard", "estimate", "standard_error", "same_id"}
    assert all(hit["jaccard"] is None and hit["estimate"] >= 0.8 for hit in hits)
    assert run("check", "new.txt", "--index", "small.db", "--format", "csv").out.startswith(
        "id,hit,estimate,standard_error,same_id\n"
    )
    told = run("check", "new.txt", "--index", "small.db").out
    assert "≈ Jaccard     ±" in told
    assert told.endswith("scores\nestimated · recall not promised\n")
    assert run("check", "new.txt", "--index", "small.db", "--fail-over", "0.9").code == 1
    assert "about half" in run("index", "info", "small.db").out


def test_documents_of_any_kind(run: Run, stored: str) -> None:
    rows = [{"id": "one", "text": words(0, 99)}, {"id": "two", "text": words(700, 800)}]
    Path("rows.jsonl").write_bytes(lines(*rows))
    Path("page.html").write_text(f"<html><body><p>{words(500, 600)}</p></body></html>", encoding="utf-8")
    Path("empty.txt").touch()
    done = run("check", "rows.jsonl", "page.html", "empty.txt", "--index", stored, "--format", "json")
    found = {one["id"]: [hit["id"] for hit in one["hits"]] for one in done.json["documents"]}
    assert found["two"] == []
    assert found["one"][0] == "bob/essay.txt"
    assert found["page.html"] == ["cleo/essay.txt"]
    assert [(one["id"], one["reason"]) for one in done.json["skipped"]] == [("empty.txt", "empty")]
    assert done.err.endswith("lookalike: note: 1 skipped: 1 empty; lookalike files shows which, and why\n")


@pytest.mark.parametrize("kind", ["table", "csv"])
def test_files_that_cannot_be_read_are_named(run: Run, stored: str, kind: str) -> None:
    Path("damaged.docx").write_bytes(b"PK\x03\x04 and no more")
    asked = ["check", "new.txt", "damaged.docx", "--index", stored]
    assert "lookalike: skipped: damaged.docx: " in run(*asked, "--format", kind).err
    assert run(*asked, "-q").err == ""


# -- what is asked -----------------------------------------------------------------------------------------------------


def test_the_same_id_is_not_the_same_document(run: Run, stored: str, essays: Path) -> None:
    """A copy of last year's essay is found, though it has the same name."""
    asked = ["check", "essays", "--index", stored, "--format", "json", "--top", "1"]
    done = run(*asked, "--fail-over", "0.9")
    marked = {one["id"]: [(hit["id"], hit["same_id"]) for hit in one["hits"]] for one in done.json["documents"]}
    assert marked == {
        name: [(name, True)] for name in ("ann/draft.txt", "ann/essay.txt", "bob/essay.txt", "cleo/essay.txt")
    }
    assert (done.code, done.err) == (1, "")
    assert run("check", "essays", "--index", stored).out.count(".txt (same id)\n") == 4
    rows = list(csv.DictReader(io.StringIO(run(*asked[:4], "--format", "csv", "--top", "1").out)))
    assert {row["same_id"] for row in rows} == {"true"}

    done = run(*asked, "--skip-same-id")
    found = {one["id"]: [hit["id"] for hit in one["hits"]] for one in done.json["documents"]}
    assert found == {
        "ann/draft.txt": ["bob/essay.txt"],
        "ann/essay.txt": ["bob/essay.txt"],
        "bob/essay.txt": ["ann/essay.txt"],
        "cleo/essay.txt": [],
    }
    assert all(one["skipped_same_id"] for one in done.json["documents"])
    assert done.err == "lookalike: note: 4 stored under the same id, not compared\n"
    for kind, note in (("json", ""), ("csv", done.err)):  # CSV has no column for it
        assert run(*asked[:4], "--format", kind, "--skip-same-id", "-q").err == note
    told = run("check", "essays", "--index", stored, "--skip-same-id", "-q").out
    assert "cleo/essay.txt: nothing similar (1 stored under the same id, not compared)\n" in told


COLLAGE = " ".join((words(0, 40), words(300, 340), words(500, 540), words(2000, 2030)))


@pytest.mark.parametrize("keep", ["text", "shingles", "signature"])
def test_an_index_for_passages_never_says_that_nothing_is_similar(run: Run, essays: Path, keep: str) -> None:
    built = run("index", "build", "class.db", "essays", "--preset", "essays", "--keep", keep)
    assert "a copied paragraph is not searched: use lookalike scan NEW" in built.err
    assert "essays" in run("index", "info", "class.db").out
    Path("new.txt").write_text(COLLAGE, encoding="utf-8")
    Path("far.txt").write_text(words(5000, 5100), encoding="utf-8")
    done = run("check", "new.txt", "far.txt", "--index", "class.db")
    assert (done.code, done.err) == (0, "")
    assert "nothing similar" not in done.out
    assert "a copied paragraph is not searched" in done.out.replace("\n", " ")
    assert "new.txt: none ≥ 0.80; the nearest:\n" in done.out
    found = run("check", "new.txt", "--index", "class.db", "--format", "json")
    assert "a copied paragraph is not searched" in found.err
    assert run("check", "new.txt", "--index", "class.db", "--format", "csv", "-q").err == found.err
    (document,) = found.json["documents"]
    assert (document["hits"], found.json["preset"]) == ([], "essays")
    nearest = {hit["id"] for hit in document["nearest"]}
    assert {"cleo/essay.txt"} < nearest
    assert len(nearest) == 4
    assert run("check", "new.txt", "--index", "class.db", "--fail-over", "0.8").code == 0, "the nearest are no hits"
    if keep != "signature":
        added = run("check", "new.txt", "--index", "class.db", "--add", "--format", "json")
        assert "1 document added" in added.err
        (document,) = added.json["documents"]
        assert document["hits"] == []
        assert {hit["id"] for hit in document["nearest"]} == nearest, "what was added does not meet itself"


def test_fail_over(run: Run, stored: str) -> None:
    assert run("check", "new.txt", "--index", stored, "--fail-over", "0.9").code == 1
    assert run("check", "new.txt", "--index", stored, "--fail-over", "0.999").code == 0
    assert run("check", "new.txt", "--index", stored, "--fail-over", "0.5").complaint == (
        "--fail-over must be at least the threshold, 0.8, not 0.5; documents below the threshold are not searched for"
    )


def test_a_lower_threshold_than_that_of_the_index(run: Run, stored: str) -> None:
    Path("half.txt").write_text(words(0, 60), encoding="utf-8")
    assert run("check", "half.txt", "--index", stored, "--format", "json").json["documents"][0]["hits"] == []
    found = run("check", "half.txt", "--index", stored, "-t", "0.5", "--format", "json").json
    assert (found["threshold"], len(found["documents"][0]["hits"])) == (0.5, 3)


def test_the_nearest_ones(run: Run, stored: str) -> None:
    Path("far.txt").write_text(words(590, 690), encoding="utf-8")
    found = run("check", "far.txt", "--index", stored, "-t", "0", "--top", "1", "--format", "json").json
    (hit,) = found["documents"][0]["hits"]
    assert (hit["id"], found["threshold"]) == ("cleo/essay.txt", 0)
    assert 0 < hit["jaccard"] < 0.1
    for options in ([], ["--top", "0"], ["--top", "1", "--add"]):
        assert run("check", "far.txt", "--index", stored, "-t", "0", *options).complaint == (
            "--threshold must be above 0 unless --top N asks for the nearest, without --add, not '0'"
        )


@pytest.mark.parametrize("place", ["file", "postgres"])
def test_what_is_new_can_be_kept(run: Run, essays: Path, place: str) -> None:
    where = "class.db" if place == "file" else server().new_schema()
    run("index", "build", where, "essays", "--include", "cleo/*")
    done = run("check", "essays", "--index", where, "--add", "--format", "json")
    found = {one["id"]: [hit["id"] for hit in one["hits"]] for one in done.json["documents"]}
    assert found == {
        "ann/draft.txt": [],
        "ann/essay.txt": ["ann/draft.txt"],
        "bob/essay.txt": ["ann/draft.txt"],
        "cleo/essay.txt": ["cleo/essay.txt"],
    }, "a later document meets an earlier one"
    assert "1 document added to " in done.err
    assert "not added" not in done.err
    again = run("check", "essays", "--index", where, "--add", "--skip-same-id")
    assert "2 documents not added: " in again.err
    assert "2 stored under the same id, not compared" in again.err
    with la.Index.open(where) as index:
        assert list(index) == ["cleo/essay.txt", "ann/draft.txt"]
        assert index.verify().ok


# -- lines in, lines out -----------------------------------------------------------------------------------------------


def test_lines(run: Run, stored: str) -> None:
    given = lines({"id": "a", "text": words(0, 98)}, {"text": words(900, 950)}, {"id": 3, "text": words(500, 600)})
    wrong = b'\nnot json\n[1]\n{"id": "x"}\n{"id": true, "text": "t"}\n'
    done = run("check", "-", "--index", stored, "--jsonl", "--top", "1", stdin=given + wrong + given.rstrip(b"\n"))
    assert done.code == 0
    found = answers(done.out)
    assert len(found) == 10, "one line out for each line in; a blank one is none"
    assert [(one.get("id"), [hit["id"] for hit in one["hits"]]) for one in found[:3]] == [
        ("a", ["bob/essay.txt"]),
        (1, []),
        (3, ["cleo/essay.txt"]),
    ]
    assert [one["error"] for one in found[3:7]] == [
        "line 5 is not JSON",
        "line 6 is no object with a text in 'text'",
        "line 7 is no object with a text in 'text'",
        "line 8 has an id in 'id' that is neither a text nor a whole number of 64 bits",
    ]
    assert done.err == "lookalike: note: 4 lines could not be read; the output says why\n"
    assert found[9]["hits"] == found[2]["hits"], "the last line needs no end"


def test_other_fields_and_long_lines(run: Run, stored: str) -> None:
    given = lines({"key": "a", "body": words(0, 98)}, {"key": "b", "body": "x" * 3000}, {"key": "c", "body": "y"})
    options = ["--text-column", "body", "--id-column", "key", "--max-document", "2000B"]
    found = answers(run("check", "-", "--index", stored, "--jsonl", *options, stdin=given).out)
    assert [one.get("id") for one in found] == ["a", None, "c"]
    assert found[1] == {"line": 2, "error": "line 2 is larger than --max-document allows"}


def test_lines_that_are_kept(run: Run, stored: str) -> None:
    text = words(700, 760)
    given = lines(
        {"id": "a", "text": text}, {"id": "b", "text": text}, {"text": words(1, 9)}, {"id": "a", "text": "z z"}
    )
    done = run("check", "-", "--index", stored, "--jsonl", "--add", stdin=given)
    found = answers(done.out)
    assert found[0]["hits"] == []
    assert [hit["id"] for hit in found[1]["hits"]] == ["a"]
    assert found[2]["error"] == "line 3 has no id in 'id'; --add needs one", "what is added needs an id"
    assert "1 document added to class.db" in done.err
    assert "1 document not added" in done.err
    with la.Index.open(stored) as index:
        assert len(index) == 5
        assert index.get("a") == text


def test_an_answer_does_not_wait_for_the_next_line(stored: str) -> None:
    command = [SCRIPT, "check", "-", "--index", stored, "--jsonl", "--add"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=os.environ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for name, expected in (("a", 0), ("b", 1)):
                process.stdin.write(lines({"id": name, "text": words(800, 850)}))
                process.stdin.flush()
                ready, _, _ = select.select([process.stdout], [], [], 60)
                assert ready, "no answer"
                assert len(json.loads(process.stdout.readline())["hits"]) == expected
            process.stdin.close()
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (["new.txt"], "give the index with --index INDEX, or a server with --server URL"),
        (["new.txt", "--index", "no.db"], "no.db does not exist; check the name, or make it: lookalike index build"),
        (["no.txt", "--index", "class.db"], "no.txt does not exist: check the name"),
        (["new.txt", "--index", "class.db", "--top", "x"], "--top must be a whole number of at least 0, not 'x'"),
        (
            ["new.txt", "--index", "class.db", "--format", "xml"],
            "--format must be table, json, jsonl or csv, not 'xml'",
        ),
        (
            ["new.txt", "--index", "class.db", "-o", "class.db"],
            "class.db is among the documents: write the result to another place",
        ),
        (["-", "--index", "class.db", "--jsonl", "--format", "csv"], "--format must be jsonl with --jsonl, not 'csv'"),
        (
            ["new.txt", "--index", "class.db", "--jsonl"],
            "--jsonl requires - (standard input); name a .jsonl file without it",
        ),
        (
            ["-", "--index", "class.db", "--add"],
            NO_ID,
        ),
    ],
)
def test_errors(run: Run, stored: str, args: list[str], problem: str) -> None:
    assert run("check", *args, stdin=b"some text").complaint == problem


def test_nothing_to_check(run: Run, stored: str) -> None:
    Path("empty.txt").touch()
    complaint = run("check", "empty.txt", "--index", stored, "--format", "json").complaint
    assert complaint == "empty.txt contains no readable document: the file has no bytes"


def test_checking_loads_nothing_heavy(stored: str) -> None:
    import sys

    program = """
import sys
from lookalike.cli import main
assert main(["check", "new.txt", "--index", "class.db", "--format", "json"]) == 0
assert main(["check", "new.txt", "--index", "class.db"]) == 0
print(*sorted({"numpy", "pandas", "pyarrow", "pydantic", "ssl", "psycopg"} & set(sys.modules)), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.split() == []


def test_the_shell_completes_formats(start: Start) -> None:
    done = start(_LOOKALIKE_COMPLETE="complete_bash", COMP_WORDS="lookalike check --format j", COMP_CWORD="3")
    assert set(done.out.split()) == {"json", "jsonl"}


# -- ids of the wrong kind ---------------------------------------------------------------------------------------------


def test_an_id_of_the_wrong_kind_stops_nobody_else(run: Run, stored: str) -> None:
    texts = [words(400 + 50 * number, 440 + 50 * number) for number in range(5)]
    rows = [{"id": name, "text": text} for name, text in zip(["a", "b", 5, "d", "x" * (1 << 21)], texts, strict=True)]
    done = run("check", "-", "--index", stored, "--jsonl", "--add", stdin=lines(*rows))
    assert done.code == 0
    said = answers(done.out)
    assert [one.get("id") for one in said] == ["a", "b", None, "d", None]
    assert said[2] == {"line": 3, "error": "id is a number; the ids of class.db are texts"}
    assert said[4] == {"line": 5, "error": "id is longer than 1 MiB"}
    with la.Index.open(stored) as index:
        assert {"a", "b", "d"} <= set(index)
        assert len(index) == 7


def test_the_first_id_decides_in_an_empty_index(run: Run) -> None:
    la.Index.open("new.db").close()
    rows = [{"id": name, "text": words(50 * place, 50 * place + 40)} for place, name in enumerate([1, "b", 3])]
    done = run("check", "-", "--index", "new.db", "--jsonl", "--add", stdin=lines(*rows))
    assert done.code == 0
    assert answers(done.out)[1] == {"line": 2, "error": "id is a text; the ids of new.db are numbers"}
    with la.Index.open("new.db") as index:
        assert list(index) == [1, 3]


def test_without_add_an_id_may_be_of_any_kind(run: Run, stored: str) -> None:
    done = run("check", "-", "--index", stored, "--jsonl", stdin=lines({"id": 5, "text": words(0, 98)}))
    assert answers(done.out)[0]["hits"]


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"text": "one"}, "line 1 has no id in 'id'; --add needs one"),
        ({"id": None, "text": "one"}, "line 1 has no id in 'id'; --add needs one"),
        ({"id": 1.5, "text": "one"}, "line 1 has an id in 'id' that is neither a text nor a whole number of 64 bits"),
    ],
)
def test_a_line_without_an_id_is_not_added(run: Run, stored: str, row: dict[str, Any], problem: str) -> None:
    done = run("check", "-", "--index", stored, "--jsonl", "--add", stdin=lines(row))
    assert answers(done.out) == [{"line": 1, "error": problem}]


def test_the_document_with_the_wrong_id_is_named(run: Run) -> None:
    la.Index.open("new.db").close()
    with la.Index.open("new.db") as index:
        index.add({7: words(0, 40)})
    Path("rows.jsonl").write_bytes(lines({"id": "seven", "text": words(50, 90)}))
    done = run("check", "rows.jsonl", "--index", "new.db", "--add")
    assert done.complaint.startswith("document 'seven': id is a text; the ids of new.db are numbers; ")


def test_documents_without_words_are_not_counted_as_checked(run: Run, stored: str) -> None:
    Path("marks.txt").write_text("!!! ???\n", encoding="utf-8")
    done = run("check", "marks.txt", "--index", stored)
    assert "0 documents checked (1 without words not compared) against class.db (4\ndocuments)\n" in done.out
