"""What the commands of an index say, and what a killed build leaves behind."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import lookalike as la
from tests.cli.conftest import words

if TYPE_CHECKING:
    from tests.cli.conftest import Run

KILLED = """
import os, signal, sys
from lookalike.documents import open_documents
from lookalike.index.new_documents import build

def judge(read):
    if sys.argv[2] == "wait":
        print("ready", flush=True)
        sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGKILL)

build(sys.argv[1], open_documents({"a": "one two three"}), judge=judge)
"""


def unfinished() -> set[str]:
    return {path.name for path in Path().iterdir() if ".new-" in path.name}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_the_next_build_removes_what_a_killed_one_left(run: Run, essays: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, "class.db", "now"], check=False, timeout=60)
    assert unfinished()
    Path("other.db.new-1-00000000").touch()
    assert run("index", "build", "class.db", "essays").code == 0
    assert unfinished() == {"other.db.new-1-00000000"}
    assert run("index", "verify", "class.db").code == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such locks")
def test_a_build_that_still_runs_is_left_alone(run: Run, essays: Path) -> None:
    command = [sys.executable, "-c", KILLED, "class.db", "wait"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        before = unfinished()
        assert before
        assert run("index", "build", "class.db", "essays").code == 0
        assert unfinished() == before
        other.communicate(b"\n", timeout=60)


def test_a_stored_id_names_replace() -> None:
    with la.Index.open("class.db") as index, la.Index.open(":memory:") as memory:
        for one in (index, memory):
            one.add({"fox": "one two three"})
            with pytest.raises(
                la.DuplicateIdError, match=r"id is in .* already; use replace\(\), or give it another id"
            ):
                one.add({"fox": "four five six"})
            with pytest.raises(la.DuplicateIdError, match="id is in "):
                one.add({"cat": "seven", "fox": "four five six"})


def test_another_threshold_names_the_way_out() -> None:
    la.Index.open("class.db", threshold=0.5).close()
    with pytest.raises(
        la.MismatchError, match=r"differ: threshold is 0\.5 and 0\.9; leave it out, or make another index"
    ):
        la.Index.open("class.db", threshold=0.9)


def test_zero_with_top_is_no_threshold() -> None:
    with la.Index.open(":memory:", threshold=0.5) as index:
        index.add({"a": words(0, 60), "b": words(30, 90), "c": words(200, 260)})
        assert index.query(words(0, 60), threshold=0, top=2) == index.query(words(0, 60), top=2)
        assert index.query(words(0, 60), threshold=0, top=2).ids == ["a", "b"]
        with pytest.raises(la.RecipeError, match="above 0 and at most 1, or 0 with top"):
            index.query(words(0, 60), threshold=0)


def test_the_closing_line_without_a_threshold(run: Run, essays: Path) -> None:
    run("index", "build", "class.db", "essays")
    Path("new.txt").write_text(words(0, 98), encoding="utf-8")
    done = run("check", "new.txt", "--index", "class.db", "-t", "0", "--top", "3")
    assert "≥" not in done.out
    assert "1 that shares something with them" in " ".join(done.out.split())


def test_problems_have_a_subject(run: Run, essays: Path) -> None:
    run("index", "build", "class.db", "essays")
    with closing(sqlite3.connect("class.db")) as connection:
        connection.execute("UPDATE state SET kind = 'foo'")
        connection.commit()
    assert run("index", "verify", "class.db").out.startswith("class.db is damaged:\n  the state is damaged\n")


def test_info_says_what_recall_means(run: Run, essays: Path) -> None:
    run("index", "build", "class.db", "essays")
    assert "at least 99.9 % of the hits at 0.8 are found" in run("index", "info", "class.db").out


def test_an_id_that_begins_with_a_dash(run: Run, essays: Path) -> None:
    run("index", "build", "class.db", "essays")
    assert "put -- before" in " ".join(run("index", "remove", "--help").out.split())
    assert run("index", "remove", "class.db", "--", "-x").err == "lookalike: note: not in class.db: '-x'\n"


def test_a_document_in_an_index_is_not_compared_as_a_file(run: Run) -> None:
    for name, start in (("old.txt", 0), ("other.txt", 200), ("new.txt", 400)):
        Path(name).write_text(words(start, start + 60), encoding="utf-8")
    run("index", "build", "class.db", "old.txt", "other.txt")
    done = run("scan", "new.txt", "other.txt", "--against", "class.db")
    assert "Next: lookalike check other.txt --index class.db" in " ".join(done.out.split())
