"""The tables of docs/scale.md follow from the record of Spark."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.scale_table import STAGES, cost_rows, growth_in_words, growth_rows, rival_rows


def row(documents: int, signed_s: float) -> dict[str, Any]:
    return {
        "documents": documents,
        "find_s": 1.0,
        "spark_s": 20.0 + documents / 1000,
        "same": True,
        "jobs": 36,
        "shuffled": 1000 * documents,
        "shuffled_by_stage": {"rows": 540.0, "buckets-0": 20.0, "buckets-2": 20.0, "round-1": 10.0, "counts": 1.0},
        "task_s_a_document": {"signed": signed_s / documents, "round-1": 1e-6},
    }


RECORD: dict[str, Any] = {
    "rows": [row(1000, 1.0), {"documents": 5000, "exceeded_s": 9}, row(10_000, 1.9)],
    "large": [row(1000, 1.0), row(10_000, 1.9)],
    "growth": {
        "documents_times": 10.0,
        "seconds_times": 1.4,
        "fixed_s": 20.0,
        "spark_us_a_document": 1000.0,
        "off_the_line": [-0.05],
    },
    "mllib": [
        {"documents": 2000, "exceeded_s": 60},
        {
            "documents": 9000,
            "mllib": {"s": 26.31, "recall": 0.9989, "precision": 0.99},
            "lookalike": {"s": 24.0, "recall": 1.0, "precision": 1.0},
        },
    ],
}


def test_a_size_that_was_stopped_has_no_row() -> None:
    assert growth_rows(RECORD) == [
        ["1,000", "1.00", "21.0", "20,000", "36", "1,000"],
        ["10,000", "1.00", "30.0", "2,900", "36", "1,000"],
    ]
    said = growth_in_words(RECORD)
    assert said.startswith(
        "The clusters were those of `lookalike.find` in 2 of 2 searches. 10 times the documents take"
    )
    assert said.endswith("Sizes between are 5% below the line through the first and the last.")


def test_costs_are_those_of_one_document_more() -> None:
    rows = {cells[0]: cells[1:] for cells in cost_rows(RECORD)}
    assert list(rows) == [*STAGES, "**total**"]
    assert rows["`signed`"] == ["100.0", "0", "2.8", "—", "27.8", "—"]  # 0.9 s for 9,000 documents more
    assert rows["`buckets-…`"] == ["0.0", "40", "0.0", "4 GB", "0.0", "40 GB"]
    assert rows["`components`, `members`"][:2] == ["1.0", "10"]
    assert rows["**total**"][:2] == ["101.0", "591"]
    assert cost_rows(RECORD | {"large": RECORD["large"][:1]}) == []


def test_a_stage_that_no_table_names_is_an_error() -> None:
    other = row(10_000, 1.0) | {"shuffled_by_stage": {"something": 1.0}}
    with pytest.raises(ValueError, match="not enough values"):
        cost_rows(RECORD | {"large": [RECORD["large"][0], other]})


def test_what_was_stopped_says_so() -> None:
    assert rival_rows(RECORD) == [
        ["2,000", "MLlib", "over 60 s", "—", "—"],
        ["9,000", "MLlib", "26.3", "0.999", "0.990"],
        ["9,000", "lookalike", "24.0", "1.000", "1.000"],
    ]
