"""What a scan asks of a result needs no pyarrow: importing that takes longer than most searches."""

import subprocess
import sys

PROGRAM = """
import io, sys
from array import array
import lookalike as la
from lookalike.result.view import SearchedDocuments, SearchSettings
from lookalike.tables.columns import Found
from lookalike.tables.packed import Ids

HEAVY = {"numpy", "pandas", "pyarrow", "pydantic", "ssl"}

def check(what):
    loaded = HEAVY & {name.split(".")[0] for name in sys.modules}
    assert not loaded, f"{what} loads {', '.join(sorted(loaded))}"

def numbers(kind, *values):
    return array(kind, values).tobytes()

# a and c are copies; b and d are near; d is old.
found = Found(numbers("I", 0, 1, 0, 3), numbers("I", 0, 0), numbers("I", 1, 3), *(numbers("d", .75, .9),) * 3, 5)
documents = SearchedDocuments(ids=Ids.of(["a", "b", "c"]), old_ids=Ids.of(["d"]), lengths=[3, 4, 5, 6])
search = SearchSettings(recipe=la.Recipe(), threshold=0.5, method="exact", recall=la.Recall(1.0))
result = la.Result(documents, search, found)
"""
ASK = """
assert result.pair_count == 5
assert [row["b"] for row in result.top_rows(2)] == ["c", "d"]
assert [group.principal for group in result.groups] == ["d"]
assert result.rethreshold(0.8).pair_count == 3
assert result.summary() and repr(result) and result.to_dict()["documents"] == 4
check("asking")
for form in ("csv", "jsonl", "json", "md"):
    result.write_pairs(io.BytesIO(), form)
    check(form)
result.with_ids(Ids(range(3)), old=Ids(range(1))).write_pairs(io.BytesIO(), "json")
check("numbers for ids")
"""
SHOW = """
from lookalike.cli.scan_output import Hint, Display, show
for form in ("table", "json", "jsonl", "csv", "md"):
    show(result, Display.chosen(form, None, None, "never", passages=True), Hint(), quiet=False)
    check(form)
"""
COMPARE = """
from pathlib import Path
from lookalike.cli import main
for name, last in (("a.txt", "six"), ("b.txt", "seven")):
    Path(name).write_text(f"one two three four five {last}")
for options in ([], ["--format", "json"], ["--skip", "quotes", "--min-words", "7"]):
    assert main(["compare", "a.txt", "b.txt", *options]) == 0
    check(f"compare {options}")
"""


def run(program: str, folder: object = None) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + program], cwd=str(folder or "."), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]


def test_a_result_answers_without_pyarrow() -> None:
    run(ASK)


def test_a_scan_is_shown_without_pyarrow() -> None:
    run(SHOW)


def test_two_texts_are_compared_without_pyarrow(tmp_path: object) -> None:
    run(COMPARE, tmp_path)
