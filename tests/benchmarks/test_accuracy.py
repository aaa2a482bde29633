"""The measures by which scores are judged against labels, the verdicts, and what is made of a record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from benchmarks.accuracy import __main__ as program
from benchmarks.accuracy import tables
from benchmarks.accuracy.agreement import CURVE, VERDICT_METRICS, measure_agreement, measures_of
from benchmarks.accuracy.judge import (
    LEAST,
    SIGMAS,
    STEPS,
    Histogram,
    better_than,
    compare,
    outcome,
    resampled,
    to_steps,
)
from benchmarks.accuracy.labelled import Labelled
from benchmarks.accuracy.pairs import METRICS, Judged
from benchmarks.accuracy.pictures import FOLDER, picture_name, pictures
from benchmarks.accuracy.recall import is_kept, least_allowed
from benchmarks.accuracy.recipes import OWN
from benchmarks.measure import RECORDS

if TYPE_CHECKING:
    from collections.abc import Iterator


def histogram(scored: list[tuple[float, bool]], weights: list[float] | None = None) -> Histogram:
    steps = to_steps(np.array([score for score, _ in scored]))
    together = np.array([yes for _, yes in scored])
    return Histogram.of(steps, together, np.array(weights or [1.0] * len(scored)))


# -- measures ---------------------------------------------------------------------------------------------------------


def test_agreement_by_hand() -> None:
    scored = [(0.9, True), (0.8, True), (0.7, False), (0.6, True), (0.2, False), (0.1, False)]
    found = histogram(scored).agreement()
    assert (found.threshold, found.precision, found.recall) == (0.6, 0.75, 1.0)
    assert found.f1 == pytest.approx(6 / 7)
    assert found.auc == pytest.approx(8 / 9)  # of the nine pairs of pairs, 0.6 against 0.7 is wrong


def test_a_weight_is_as_many_pairs() -> None:
    weighted = histogram([(0.9, True), (0.5, False), (0.4, True)], [2.0, 3.0, 1.0])
    single = [(0.9, True)] * 2 + [(0.5, False)] * 3 + [(0.4, True)]
    assert weighted.agreement() == histogram(single).agreement()


def test_equal_scores_count_half() -> None:
    assert histogram([(0.5, True), (0.5, False)]).auc() == 0.5


def test_precision_recall_and_f1_at_a_threshold() -> None:
    found = histogram([(0.8, True), (0.79, True), (0.8, False)])
    assert found.at(0.8) == (0.5, 0.5)
    assert found.f1_at(0.8) == 0.5
    assert found.at(0.9) == (0.0, 0.0)
    assert found.f1_at(0.9) == 0.0


def test_of_equal_thresholds_the_highest_is_best_and_never_0() -> None:
    assert histogram([(0.9, True), (0.3, False)]).agreement().threshold == 0.9
    assert histogram([(0.0, True), (0.0, False)]).agreement().threshold == 1.0


def test_a_score_is_in_the_step_that_it_reaches() -> None:
    assert to_steps(np.array([0.0, 0.29, 0.57, 1.0])).tolist() == [0, 2900, 5700, STEPS]


# -- chance -----------------------------------------------------------------------------------------------------------


def judged_pairs(scores: list[float], together: list[bool]) -> tuple[Judged, np.ndarray[Any, np.dtype[np.int64]]]:
    numbers = np.arange(len(scores))
    weight = np.ones(len(scores))
    return Judged(numbers, numbers + 1, np.array(together), weight, numbers, numbers), to_steps(np.array(scores))


def test_the_bootstrap_has_the_spread_of_theory() -> None:
    """Area under the curve of two overlapping sets of 60: by Hanley and McNeil's formula 0.043."""
    rng = np.random.default_rng(5)
    scores = np.concatenate([rng.normal(0.55, 0.1, 60), rng.normal(0.45, 0.1, 60)]).clip(0, 1)
    judged, steps = judged_pairs(scores.tolist(), [True] * 60 + [False] * 60)
    area = Histogram.of(steps, judged.together, judged.weight).auc()
    one, two = area / (2 - area), 2 * area**2 / (1 + area)
    theory = np.sqrt((area * (1 - area) + 59 * (one - area**2) + 59 * (two - area**2)) / 3600)
    draws = resampled(judged, {"x": steps}, rounds=300)["x"][:, 0]
    assert draws.std(ddof=1) == pytest.approx(theory, rel=0.2)
    assert draws.mean() == pytest.approx(area, abs=0.01)


def test_the_same_draws_for_all_so_that_equals_do_not_differ() -> None:
    judged, steps = judged_pairs([0.9, 0.7, 0.6, 0.3], [True, False, True, False])
    draws = resampled(judged, {"one": steps, "other": steps}, rounds=20)
    assert (draws["one"] == draws["other"]).all()
    assert draws["one"].std() > 0
    again = resampled(judged, {"one": steps}, rounds=20)
    assert (draws["one"] == again["one"]).all()


def test_pairs_of_one_group_come_and_go_together() -> None:
    """Thirty pairs of one group are one witness: all of them are drawn, or none."""
    groups = np.array([0] * 30 + [1, 2, 3])
    together = np.array([True] * 30 + [True, True, False])
    steps = to_steps(np.array([0.2] * 30 + [0.9, 0.9, 0.5]))
    numbers = np.arange(33)
    as_groups = Judged(numbers, numbers, together, np.ones(33), groups, groups)
    as_pairs = Judged(numbers, numbers, together, np.ones(33), numbers, numbers)
    spread = [resampled(judged, {"x": steps}, 100)["x"][:, 0].std() for judged in (as_groups, as_pairs)]
    assert spread[0] > spread[1]


@pytest.mark.parametrize(
    ("difference", "error", "said"),
    [
        (0.1, 0.01, "better"),
        (-0.1, 0.01, "worse"),
        (-0.1, 0.04, "tie"),
        (-SIGMAS * 0.01, 0.01, "tie"),
        (-LEAST / 2, 0.0, "tie"),
        (-2 * LEAST, 0.0, "worse"),
        (0.0, 0.0, "tie"),
    ],
)
def test_what_counts_as_a_difference(difference: float, error: float, said: str) -> None:
    assert outcome(difference, error) == said


def test_a_verdict_names_what_is_better() -> None:
    draws = np.array([[0.0, 0.01], [0.02, 0.03], [0.04, 0.05]])
    by = compare({"auc": 0.9, "f1": 0.5}, {"auc": 0.97, "f1": 0.5}, draws)
    assert by["auc"] == {"difference": -0.07, "error": 0.02}
    compared = {"own": None, "other": by, "worse": compare({"auc": 0.9, "f1": 0.5}, {"auc": 0.1, "f1": 0.5}, draws)}
    assert better_than(compared, ["auc", "f1"]) == {"auc": ["other"], "f1": []}
    assert better_than(compared, measures_of(complete=False)) == {"auc": ["other"]}


def test_a_promise_is_kept_up_to_chance() -> None:
    row = {"pairs": 10_000, "near": 100, "lsh": {"promised": 0.99, "recall": 0.99, "recall_near": 0.95}}
    assert is_kept(row, "lsh")  # of 100 pairs chance may take five
    assert not is_kept(row | {"near": 10_000}, "lsh")
    assert is_kept(row | {"lsh": None}, "lsh")
    assert least_allowed(0.99, 100) == pytest.approx(0.99 - 4 * 0.00995 - 0.01, abs=1e-4)


# -- a tiny record ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", autouse=True)
def quick() -> Iterator[None]:
    """Few draws: nothing here depends on how many."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUICK", "1")
        yield


@pytest.fixture(scope="module")
def record(quick: None) -> dict[str, Any]:
    """A record of one small collection that has the name of a known one."""
    texts = [
        f"the answer number {i // 2} is about {' '.join(f'thing{i // 2}{j}' for j in range(12))} {i}" for i in range(12)
    ]
    found = measure_agreement(Labelled("ocr_pages", texts, [], [i // 2 for i in range(12)]))
    share = {"promised": 0.99, "recall": 1.0, "recall_near": 1.0, "precision": 1.0}
    searches = {"collection": "x", "preset": "prose", "threshold": 0.5, "pairs": 50, "near": 20}
    rows = [searches | {"asked": asked, "lsh": share, "signatures": share} for asked in (0.9, 0.99)]
    sketch = {"bias": 0.0, "bias_sigmas": 0.5, "error": 0.02, "error_to_theory": 0.9}
    estimates = [{"n": n, "jaccard": 0.5, "pairs": 9, "hashes": 256, "sketches": {"fast": sketch}} for n in (5, 100)]
    return {"estimates": estimates, "generated": rows, "labelled": {"ocr_pages": found | {"recall": rows[1:]}}}


def test_what_is_kept_of_a_collection(record: dict[str, Any]) -> None:
    found = record["labelled"]["ocr_pages"]
    assert json.loads(json.dumps(found)) == found
    assert (found["kind"], found["documents"], found["positives"], found["judged"]) == ("edited", 12, 6, 66)
    scores = {row["recipe"]: row["scores"] for row in found["agreement"]}
    assert set(OWN) < scores.keys()
    assert scores["words, k = 4"]["Jaccard"]["auc"] == 1.0
    assert tuple(scores["edited"]) == METRICS
    assert len(scores["edited"]["Jaccard"]["curve"]) == len(CURVE)
    assert "own_is_better_by" not in scores["edited"]["Jaccard"]
    assert scores["prose"]["Jaccard"]["own_is_better_by"]["auc"]["difference"] == 0.0
    assert found["better_than_own"] == {metric: {"auc": [], "f1": []} for metric in VERDICT_METRICS}


def test_a_loss_appears_in_every_place(record: dict[str, Any]) -> None:
    lost = json.loads(json.dumps(record))
    found = lost["labelled"]["ocr_pages"]
    cjk = next(row["scores"] for row in found["agreement"] if row["recipe"] == "cjk")["Jaccard"]
    edited = next(row["scores"] for row in found["agreement"] if row["recipe"] == "edited")["Jaccard"]
    edited["auc"] = 0.8
    cjk["own_is_better_by"]["auc"] = {"difference": -0.2, "error": 0.01}
    found["better_than_own"]["Jaccard"]["auc"] = ["cjk", "words, k = 1"]
    for name in ("prose", "code"):
        next(row["scores"] for row in found["agreement"] if row["recipe"] == name)["Jaccard"]["auc"] = 0.5
    assert tables.lost(lost) == ["`edited` to `cjk` on ocr_pages (Jaccard, AUC)"]
    assert "is significantly worse: `edited` to `cjk`" in tables.summary(lost)[1][0]
    row = tables.verdicts(lost)[1][0]
    assert row[3:] == ["AUC", "0.8000", "`cjk`", "1.0000", "-0.2000 ± 0.0100", "**worse**"]
    assert tables.better_others(lost).endswith("ocr_pages by Jaccard (AUC): words, k = 1.")
    assert tables.lost(record) == []
    assert tables.better_others(record).startswith("No published preset")


def test_the_summary_has_a_line_for_each_collection(record: dict[str, Any]) -> None:
    (headers, rows), sentences = tables.summary(record)
    assert len(headers) == len(rows[0])
    assert rows[0][:5] == ["ocr_pages", "`edited`", "12", "6", "Jaccard"]
    assert "Of 6 searches" in sentences[1]
    assert "all reach the recall they promise" in sentences[1]
    broken = json.loads(json.dumps(record))
    broken["generated"][1]["lsh"]["recall"] = 0.5
    assert "1 find less than they promise" in tables.summary(broken)[1][1]


def test_labels_that_are_not_complete_give_no_f1() -> None:
    texts = [f"terms {i // 2} " + " ".join(f"clause{i // 2}x{j}" for j in range(9)) + f" {i}" for i in range(8)]
    found = measure_agreement(Labelled("terms_versions", texts, [], [i // 2 for i in range(8)]))
    score = found["agreement"][0]["scores"]["Jaccard"]
    assert "f1" not in score
    assert "precision" not in score["at"]["0.5"]
    assert found["better_than_own"]["Jaccard"].keys() == {"auc"}
    assert tables.collection({"labelled": {"terms_versions": found}}, "terms_versions")[1][0][3:6] == ["—"] * 3


def test_pictures_are_small_and_the_same_each_time(record: dict[str, Any]) -> None:
    drawn = pictures(record)
    assert drawn.keys() == {picture_name(name) for name in ("estimates", "recall", "ocr_pages")}
    assert pictures(record) == drawn
    for content in drawn.values():
        assert len(content) < 60_000
        assert b"<text" in content  # not drawn as paths
        assert b"<dc:date>" not in content
    other = json.loads(json.dumps(record))
    other["estimates"][0]["sketches"]["fast"]["error"] = 0.03
    assert pictures(other)[picture_name("estimates")] != drawn[picture_name("estimates")]


def test_a_run_without_all_collections_is_not_kept(monkeypatch: pytest.MonkeyPatch, record: dict[str, Any]) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("it would take the place of a whole record")

    monkeypatch.setenv("QUICK", "")
    monkeypatch.setattr(program, "write_record", refuse)
    monkeypatch.setattr(program, "write_pictures", refuse)
    said = program.keep(record)
    assert said.startswith("not kept, for want of articles_100, articles_1000")
    assert "ocr_pages" not in said


def test_the_pictures_of_the_page_are_those_of_the_record() -> None:
    kept = json.loads((RECORDS / "accuracy-latest.json").read_text(encoding="utf-8"))
    names = {picture_name(name) for name in ("estimates", "recall", *kept["labelled"])}
    assert {path.name for path in FOLDER.glob("accuracy-*.svg")} == names
    assert all(path.stat().st_size < 60_000 for path in FOLDER.glob("accuracy-*.svg"))
