"""The tables in README.md and docs agree with the newest records."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.measure import RECORDS, ROOT
from benchmarks.readme_table import PAGES, filled, newest_rivals, rivals, speed_in_short

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_page_and_records_agree(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert filled(text, PAGES[page]) == text, "run `python -m benchmarks.readme_table`"


def test_commits_that_are_named_are_in_the_history() -> None:
    if git("rev-parse", "--is-shallow-repository").strip() != "false":
        pytest.skip("this is no whole clone")
    texts = [path.read_text(encoding="utf-8") for path in (*sorted(RECORDS.glob("*.json")), *PAGES)]
    named = {name for text in texts for name in re.findall(r"commit\"?:? \"?([0-9a-f]{7,40})\b", text)}
    assert len(named) > 3
    assert [name for name in sorted(named) if git("cat-file", "-t", name).strip() != "commit"] == []


def git(*words: str) -> str:
    return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False).stdout


def test_less_than_all_does_not_read_1() -> None:
    own = next(
        row for row in newest_rivals()["rows"] if row["engine"] == "lookalike" and row["task"].endswith("100 k pages")
    )
    assert own["recall"] < 1.0
    assert "recall 1" not in speed_in_short(newest_rivals())


def test_the_record_has_a_row_for_each_engine_and_task() -> None:
    record = newest_rivals()
    assert {"date", "machine", "versions", "commit", "rows"} <= record.keys()
    wanted = {"engine", "version", "task", "seconds", "mb_per_s", "ratio", "recall", "precision", "peak_rss_mb"}
    assert all(wanted <= row.keys() for row in record["rows"])
    assert all(row["seconds"] or row["why"] for row in record["rows"])
    names = [(row["engine"], row["task"]) for row in record["rows"]]
    assert len(set(names)) == len(names)


def test_a_page_without_its_region_is_an_error() -> None:
    with pytest.raises(ValueError, match="one region 'x'"):
        filled("no region", {"x": str})


def test_a_region_is_replaced_and_nothing_else() -> None:
    page = "a\n<!-- x: made by benchmarks.readme_table -->\nold\n<!-- end of x -->\nb\n"
    new = filled(page, {"x": lambda: r"new \1"})
    assert new == "a\n<!-- x: made by benchmarks.readme_table -->\n\nnew \\1\n\n<!-- end of x -->\nb\n"
    assert filled(new, {"x": lambda: r"new \1"}) == new


def test_the_table_names_what_was_not_measured() -> None:
    row: dict[str, Any] = {
        "engine": "lookalike",
        "version": "1",
        "task": "search 0.8, 1 k pages",
        "kind": "search",
        "documents": 1000,
        "seconds": 0.5,
        "mb_per_s": 5.0,
        "ratio": 1.0,
        "recall": 1.0,
        "precision": 1.0,
        "peak_rss_mb": 99.0,
        "answer": "pairs",
        "runs": 5,
        "full_set": True,
        "why": None,
    }
    missing = row | {"engine": "slow", "seconds": None, "answer": None, "why": "stopped after 60 s"}
    record = newest_rivals() | {"rows": [missing, row], "not_available": {"gone": "no wheel"}}
    table = rivals(record)
    assert table.index("**lookalike** 1 | 0.50 | 1.0 × | 99 | 1.000 | 1.000") < table.index("| slow | —")
    assert "Not measured: slow (stopped after 60 s); gone (no wheel)." in table
    assert "Not measured" not in speed_in_short(record)


def test_the_short_version_names_the_fastest_other_engine_and_where_others_are_faster() -> None:
    record = newest_rivals()
    said = speed_in_short(record)
    assert "lookalike finds the near-duplicates" in said
    others = [row for row in record["rows"] if row["ratio"] and row["ratio"] < 1]
    assert ("Other engines were faster in" in said) == bool(others)
