"""The table of targets: what is met and what is not, from records."""

from __future__ import annotations

from typing import Any

from benchmarks.rivals.limits import READING, READING_ONLY
from benchmarks.target_table import end_to_end_targets, large_targets, rival_targets, stage_targets, target_rows
from benchmarks.targets import Target


def rival(engine: str, seconds: float | None, *, recall: float = 0.9, full: bool = True) -> dict[str, Any]:
    ratio = seconds and seconds / 2
    row = {"engine": engine, "task": "search", "seconds": seconds, "ratio": ratio, "full_set": full}
    return row | {"recall": recall if seconds else None, "precision": 0.7 if seconds else None}


def test_row_3_names_the_quickest_engine_and_the_quickest_with_the_same_recall() -> None:
    own = rival("lookalike", 2.0, recall=1.0) | {"precision": 1.0}
    rows = [
        own,
        rival("sampler", 3.0, full=False),
        rival("swift", 10.0),
        rival("sure", 18.0, recall=0.995),
        rival("datasketch", 120.0),
        rival("absent", None),
        rival("swift", 1.0) | {"task": "another"},
    ]
    limits = {"task": "search", "lookalike_seconds": 2.0, "seconds": {READING: 0.5, READING_ONLY: 1.0}}
    found = {target.what: target for target in rival_targets({"rows": rows, "limits": limits})}
    assert [target.met for target in found.values()] == [True, False, True, True, False, True, True]
    assert [round(target.measured, 3) for target in found.values()] == [60, 5, 9, 2, 4, 1, 1]
    assert any("swift" in what and "0.900" in what for what in found)
    assert any("sure" in what and "0.700" in what for what in found)


def test_growth_is_the_worst_time_of_a_document_to_that_in_a_smaller_collection() -> None:
    seconds = {1_000: 0.9, 10_000: 2.0, 100_000: 10.0, 1_000_000: 120.0}
    rows = [
        {"documents": count, "search_seconds": took, "seconds": took + 0.1, "peak": 10**8}
        for count, took in seconds.items()
    ]
    growth, *whole = end_to_end_targets({"rows": rows})
    assert round(growth.measured, 6) == 1.2
    assert growth.met
    assert [target.met for target in whole] == [False, True, False, True]


def test_the_budget_of_ten_million_documents() -> None:
    row = {"documents": 10_000_000, "seconds": 400.0, "peak": 7 * 10**9}
    (target,) = large_targets({"rows": [row], "memory": 6 * 10**9})
    assert not target.met
    assert target.row == 5


def test_rows_come_in_the_order_of_the_design() -> None:
    kept = Target(9, "start", 50.0, 100, most=True)
    back = stage_targets({"targets": [kept.record()]})
    assert back == [kept]
    assert [cells[1] for cells in target_rows([kept, Target(3, "speed", 7.0, 8)])] == ["3", "9"]
