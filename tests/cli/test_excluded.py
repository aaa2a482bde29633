"""`--skip`, `--min-words`, `--ignore`, `--meta`, `--group-by author`, `--marks`, and passages on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.conftest import SCRIPT

if TYPE_CHECKING:
    from tests.cli.conftest import Run

QUOTE = "the tide rises because the moon pulls the water of the sea towards itself"
SHEET = "Please write an essay of two pages about the tides and hand it in by Friday at noon."
OWN = "My own words are here, and there are a good many of them, which nobody else has written before."
A = f"{SHEET}\n\n{OWN} “{QUOTE}” says the first chapter of his book.\n"
B = f"{SHEET}\n\nSomebody wrote: “{QUOTE}”. I have completely different things to say about it, and I do say them.\n"
REFERENCES = "References\n\nSmith, J. (2010). The Sea and the Moon. London: Harbour Press, pp. 3-9.\n"


@pytest.fixture
def essays() -> None:
    """A folder of essays, the sheet beside it, and what is known of them."""
    folder = Path("essays")
    folder.mkdir()
    for name, text in {
        "a": A,
        "b": B,
        "c": A.replace("good many", "great many"),
        "d": f"Nothing here. {REFERENCES}",
    }.items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    Path("sheet.html").write_text(f"<p>{SHEET}</p>", encoding="utf-8")
    Path("info.csv").write_text(
        "filename,name,author,date\na.txt,First,Ann,2026-03-02\nb.txt,Other,Ben,2026-03-01\nc.txt,Second,Ann,2026-03-03\n"
    )


def pairs(found: Any) -> set[str]:
    return {Path(pair["a"]).stem + Path(pair["b"]).stem for pair in found["pairs"]}


@pytest.mark.usefixtures("essays")
def test_scan_leaves_out_templates_of_any_format_and_quotes(run: Run) -> None:
    scan = ("scan", "essays", "-t", "0.05", "--format", "json")
    assert pairs(run(*scan).json) == {"ab", "ac", "bc"}
    assert pairs(run(*scan, "--ignore", "sheet.html").json) == {"ab", "ac", "bc"}
    found = run(*scan, "--ignore", "sheet.html", "--skip", "quotes,references").json
    assert pairs(found) == {"ac"}
    assert found["left_out"] == [
        {"id": name, "quotes": 14, "references": 0, "template": 18, "common": 0} for name in ("a.txt", "c.txt")
    ]
    assert found["skip"] == ["quotes", "references"]


@pytest.mark.usefixtures("essays")
def test_the_table_shows_excluded_words_beside_the_score(run: Run) -> None:
    done = run("scan", "essays", "--skip", "quotes", "--ignore", "sheet.html", "-t", "0.5")
    assert re.search(r"Excluded +A +B\n.*\n *1 .*  32 \+ 32  a\.txt  c\.txt", done.out)
    assert "Excluded: words of A + words of B that do not count (quotes, templates)." in done.out
    assert "--ignore sheet.html --skip quotes" in " ".join(done.out.replace("\\\n", " ").split())
    assert "Excluded" not in run("scan", "essays", "-t", "0.5").out


@pytest.mark.usefixtures("essays")
def test_short_passages_do_not_count(run: Run) -> None:
    scan = ("scan", "essays", "-t", "0.05", "--format", "json", "--min-words", "25")
    done = run(*scan)
    assert pairs(done.json) == {"ac"}
    assert "note: 2 pairs are similar only in passages shorter than 25 words: " in done.err
    assert done.json["min_words"] == 25
    assert pairs(done.json["short_passages"]) == {"ab", "bc"}


@pytest.mark.usefixtures("essays")
def test_compare_leaves_out_the_same(run: Run) -> None:
    compare = ("compare", "essays/a.txt", "essays/b.txt")
    options = ("--skip", "quotes", "--ignore", "sheet.html")
    found = run(*compare, *options, "--format", "json").json
    assert (found["jaccard"], found["passages"]) == (0.0, [])
    assert found["left_out"] == {"a": {"quotes": 14, "template": 18}, "b": {"quotes": 14, "template": 18}}
    shown = run(*compare, *options).out
    assert "Excluded" in shown
    assert "A: 32 words (14 in quotes, 18 in the template)" in " ".join(shown.split())
    assert [each["units"] for each in run(*compare, "--min-words", "16", "--format", "json").json["passages"]] == [18]


@pytest.mark.usefixtures("essays")
def test_dedupe_leaves_out_the_same(run: Run) -> None:
    done = run("dedupe", "essays", "-t", "0.2", "--skip", "quotes", "--ignore", "sheet.html", "-o", "kept.txt")
    assert (done.code, len(Path("kept.txt").read_text().splitlines())) == (0, 3)


@pytest.mark.usefixtures("essays")
@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--skip", "citations"), "--skip must be quotes or references, or both, not 'citations'"),
        (("--min-words", "0"), "--min-words must be a whole number of at least 1, not 0"),
        (("--group-by", "author"), "--group-by 'author' requires --meta FILE, which has that column"),
        (
            ("--meta", "info.csv", "--group-by", "label"),
            "--group-by must be a column of the metadata, which has no label",
        ),
        (("--meta", "none.csv"), "none.csv does not exist"),
        (("--meta", "essays/a.txt"), "essays/a.txt"),
        (("--marks", "info.csv"), "info.csv: line 1 is not JSON"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(run: Run, options: tuple[str, ...], problem: str) -> None:
    assert problem in run("scan", "essays", *options).complaint


@pytest.mark.usefixtures("essays")
def test_a_class_list_may_name_who_handed_in_nothing(run: Run) -> None:
    with Path("info.csv").open("a") as file:
        file.write("e.txt,Fifth,Eve,\n")
    done = run("scan", "essays", "--meta", "info.csv")
    assert done.code == 0
    assert "info.csv: 1 row names no document that was read: e.txt" in done.err


@pytest.mark.usefixtures("essays")
def test_a_table_that_names_no_document_at_all_is_an_error_with_its_line(run: Run) -> None:
    Path("other.csv").write_text("id,name\ne.txt,Fifth\n", encoding="utf-8")
    assert run("scan", "essays", "--meta", "other.csv").complaint.startswith(
        "other.csv: line 2 names 'e.txt', which is none"
    )


@pytest.mark.usefixtures("essays")
def test_metadata_names_documents_and_tells_who_was_first(run: Run) -> None:
    done = run("scan", "essays", "-t", "0.05", "--meta", "info.csv")
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert any(line.endswith(" A First, Ann (a.txt) Second, Ann (c.txt)") for line in lines)
    assert any(line.endswith(" B First, Ann (a.txt) Other, Ben (b.txt)") for line in lines)
    assert "First: the older of the two, by --meta." in " ".join(done.out.split())
    rows = run("scan", "essays", "-t", "0.05", "--meta", "info.csv", "--format", "jsonl").out.splitlines()
    assert {row["b"]: row["first"] for row in map(json.loads, rows) if row["a"] == "a.txt"} == {
        "b.txt": "b.txt",
        "c.txt": "a.txt",
    }


@pytest.mark.usefixtures("essays")
def test_pairs_of_one_author_are_omitted(run: Run) -> None:
    scan = ("scan", "essays", "-t", "0.05", "--meta", "info.csv", "--group-by", "author")
    done = run(*scan, "--format", "json")
    assert pairs(done.json) == {"ab", "bc"}
    assert "note: 1 pair between documents of one author omitted (--group-by author)" in done.err
    assert "Ann, Ben" in run(*scan).out


@pytest.mark.usefixtures("essays")
def test_marked_pairs_are_omitted(run: Run) -> None:
    marks = [
        {"a": "c.txt", "b": "a.txt", "mark": "not an issue", "note": "one author"},
        {"a": "a.txt", "b": "b.txt", "mark": "checked", "note": ""},
    ]
    Path("marks.json").write_text(json.dumps({"schema": "lookalike-marks/1", "pairs": marks}))
    done = run("scan", "essays", "-t", "0.05", "--marks", "marks.json", "--format", "json")
    assert pairs(done.json) == {"ab", "bc"}
    assert "note: 1 pair marked as not an issue is omitted (--marks marks.json)" in done.err
    assert run("scan", "essays", "--marks", "marks.json", "-o", "marks.json").complaint.startswith(
        "marks.json is among"
    )


@pytest.mark.usefixtures("essays")
def test_passages_are_shown_when_asked_for(run: Run) -> None:
    scan = ("scan", "essays", "-t", "0.5")
    assert "longest passage" not in run(*scan).out
    shown = run(*scan, "--passages").out
    assert "Longest shared passage of each" in shown
    assert "1  30 words  in a.txt and c.txt" in shown
    assert (
        "1  9 words  in a.txt and c.txt" in run(*scan, "--passages", "--skip", "quotes", "--ignore", "sheet.html").out
    )


def on_terminal(*args: str, **env: str) -> str:
    """Run a command on a terminal of its own, and return what it shows there."""
    terminal, its_side = pty.openpty()
    given = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen([SCRIPT, *args], stdout=its_side, stderr=subprocess.DEVNULL, env=given | env) as process:
        os.close(its_side)
        shown = b""
        while True:
            try:
                block = os.read(terminal, 65536)
            except OSError:  # Linux says so when the other side is closed
                break
            if not block:
                break
            shown += block
        process.wait(30)
    os.close(terminal)
    return shown.decode()


@pytest.mark.usefixtures("essays")
def test_a_terminal_gets_passages_in_colour() -> None:
    shown = on_terminal("scan", "essays", "-t", "0.5")
    assert "Longest shared passage of each" in shown
    assert "\x1b[36mmany of them, which" in shown
    plain = on_terminal("scan", "essays", "-t", "0.5", NO_COLOR="1")
    assert "Longest shared passage of each" in plain
    assert "\x1b[" not in plain
    assert "longest passage" not in on_terminal("scan", "essays", "-t", "0.5", "--no-passages")
    assert "\x1b[36m" in on_terminal("compare", "essays/a.txt", "essays/b.txt")
