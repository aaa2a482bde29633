"""The measures by which scores are judged against labels."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.labelled import Histogram, Labelled, read_collection

if TYPE_CHECKING:
    from pathlib import Path


def test_agreement_by_hand() -> None:
    scored = [(0.9, True), (0.8, True), (0.7, False), (0.6, True), (0.2, False), (0.1, False)]
    found = Histogram.of_labelled(scored).agreement(floor=0.0)
    assert (found.threshold, found.precision, found.recall) == (0.6, 0.75, 1.0)
    assert found.f1 == pytest.approx(6 / 7)
    assert found.auc == pytest.approx(8 / 9)  # of the nine pairs of pairs, 0.6 against 0.7 is wrong


def test_equal_scores_count_half() -> None:
    assert Histogram.of_labelled([(0.5, True), (0.5, False)]).auc() == 0.5


def test_precision_and_recall_at_a_threshold() -> None:
    histogram = Histogram.of_labelled([(0.8, True), (0.79, True), (0.8, False)])
    assert histogram.at(0.8) == (0.5, 0.5)
    assert histogram.at(0.9) == (0.0, 0.0)


def test_pairs_that_a_search_did_not_find_have_a_score_of_0() -> None:
    collection = Labelled("made up", ["a", "b", "c", "d"], [], clusters=[0, 0, 0, 1])
    found = pa.table({"a": pa.array([0, 0], pa.uint32()), "b": pa.array([1, 3], pa.uint32()), "jaccard": [0.9, 0.4]})
    histogram = Histogram.of_found(found["jaccard"], collection, found)
    assert (collection.positives, collection.negatives) == (3, 3)
    assert (sum(histogram.yes), histogram.yes[900], histogram.yes[0]) == (3, 1, 2)
    assert (sum(histogram.no), histogram.no[400], histogram.no[0]) == (3, 1, 2)


def write(folder: Path, name: str, rows: list[tuple[str, ...]]) -> None:
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def test_reading_pairs_and_clusters(tmp_path: Path) -> None:
    for name in ("by_pairs", "by_clusters"):
        (tmp_path / name).mkdir()
        pq.write_table(
            pa.table({"id": ["x", "y", "z"], "text": ["1", "2", "3"]}), tmp_path / name / "documents.parquet"
        )
    write(tmp_path / "by_pairs", "pairs.csv", [("a", "b", "label"), ("z", "x", "copy"), ("x", "y", "non")])
    write(tmp_path / "by_clusters", "clusters.csv", [("id", "cluster"), ("x", "p"), ("z", "p"), ("y", "q")])
    pairs, clusters = (read_collection(tmp_path / name) for name in ("by_pairs", "by_clusters"))
    assert pairs.only_labelled
    assert (pairs.positives, pairs.negatives) == (1, 1)
    assert not clusters.only_labelled
    assert (clusters.positives, clusters.negatives) == (1, 2)
    table = pa.table({"a": pa.array([0, 0], pa.uint32()), "b": pa.array([1, 2], pa.uint32())})
    for collection in (pairs, clusters):
        assert collection.together(table).to_pylist() == [False, True]
