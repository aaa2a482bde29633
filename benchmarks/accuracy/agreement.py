"""How well the scores of every recipe agree with the labels of a collection, and whether its preset is the best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from benchmarks.accuracy.judge import (
    LEAST,
    MEASURES,
    ROUNDS,
    SIGMAS,
    Histogram,
    better_than,
    compare,
    resampled,
    to_steps,
)
from benchmarks.accuracy.labelled import NOT_A_PAIR
from benchmarks.accuracy.pairs import METRICS, choose_pairs, score
from benchmarks.accuracy.recipes import OWN, own_recipes, recipes_for
from benchmarks.measure import is_quick, print_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from benchmarks.accuracy.labelled import Labelled
    from benchmarks.accuracy.pairs import Judged

__all__ = ["CURVE", "VERDICT_METRICS", "measure_agreement", "measures_of", "show", "show_verdict"]

THRESHOLDS: Final = (0.5, 0.8)
CURVE: Final = tuple(step / 50 for step in range(51))
"""The thresholds of the pictures."""
VERDICT_METRICS: Final = ("Jaccard", "containment")
"""Bags are measured to see what they would give; no preset counts repeats."""


def measures_of(complete: bool) -> tuple[str, ...]:
    """Return by what presets are compared: F1 needs to know what does not belong together."""
    return MEASURES if complete else MEASURES[:1]


def measure_agreement(collection: Labelled) -> dict[str, Any]:
    """Judge every recipe on the same pairs of one labelled collection."""
    judged = choose_pairs(collection, own_recipes())
    rows = _rows(collection, judged)
    measures = measures_of(collection.complete)
    better = {}
    for metric in VERDICT_METRICS:
        compared = {str(row["recipe"]): row["scores"][metric].get("own_is_better_by") for row in rows}
        better[metric] = better_than(compared, measures)
    return {
        "kind": collection.kind,
        "documents": len(collection.texts),
        "characters": collection.characters,
        "positives": collection.positives,
        "negatives": collection.negatives,
        "complete": collection.complete,
        "only_labelled": collection.only_labelled,
        "judged": len(judged),
        "units": judged.units,
        "agreement": rows,
        "better_than_own": better,
    }


def _rows(collection: Labelled, judged: Judged) -> list[dict[str, Any]]:
    """Return what is kept of every recipe, with the difference to the preset that is made for this kind of text."""
    recipes = recipes_for(collection.kind)
    steps = {
        (name, metric): to_steps(scores)
        for name, recipe in recipes.items()
        for metric, scores in score(collection.texts, recipe, judged).items()
    }
    histograms = {key: Histogram.of(found, judged.together, judged.weight) for key, found in steps.items()}
    draws = resampled(judged, steps, 20 if is_quick() else ROUNDS)
    rows: list[dict[str, Any]] = []
    for name, recipe in recipes.items():
        scores = {}
        for metric in METRICS:
            key = (name, metric)
            scores[metric] = _row(
                collection,
                histograms[key],
                draws[key],
                judged,
                steps[key],
                curve=name in OWN and metric in VERDICT_METRICS,
            )
            if collection.kind is not None and name != collection.kind:
                own = (collection.kind, metric)
                scores[metric]["own_is_better_by"] = compare(
                    histograms[own].measures(), histograms[key].measures(), draws[own] - draws[key]
                )
        rows.append({"recipe": name, "settings": str(recipe), "scores": scores})
    return rows


def _row(
    collection: Labelled,
    histogram: Histogram,
    draws: npt.NDArray[np.float64],
    judged: Judged,
    steps: npt.NDArray[np.int64],
    *,
    curve: bool,
) -> dict[str, Any]:
    """Return what is kept of one recipe and metric. F1 and precision say nothing where labels are not complete."""
    found = histogram.as_row()
    auc_error, f1_error = draws.std(axis=0, ddof=1)
    row: dict[str, Any] = {"auc": found["auc"], "auc_error": round(float(auc_error), 5)}
    if collection.complete:
        row |= found | {"f1_error": round(float(f1_error), 5)}
    row["at"] = {}
    for threshold in THRESHOLDS:
        precision, recall = histogram.at(threshold)
        row["at"][f"{threshold:g}"] = {"recall": round(recall, 5)}
        if collection.complete:
            row["at"][f"{threshold:g}"] |= {"precision": round(precision, 5)}
    if judged.label is not None and judged.source is not None:
        label = np.array(judged.label)
        labels = {str(name): (label == name) | (label == NOT_A_PAIR) for name in np.unique(label[judged.together])}
        sources = {str(number): judged.source == number for number in np.unique(judged.source)}
        row["auc_by_label"] = _auc_of_parts(judged, steps, labels)
        row["auc_by_source"] = _auc_of_parts(judged, steps, sources)
    if curve:
        row["curve"] = [round(value, 4) for value in _curve(histogram, collection.complete)]
    return row


def _curve(histogram: Histogram, complete: bool) -> list[float]:
    """Return F1 for the thresholds of the pictures; recall where F1 is not known."""
    return [histogram.f1_at(threshold) if complete else histogram.at(threshold)[1] for threshold in CURVE]


def _auc_of_parts(
    judged: Judged, steps: npt.NDArray[np.int64], parts: Mapping[str, npt.NDArray[np.bool_]]
) -> dict[str, float]:
    """Return the area under the curve of some of the pairs: of one label, or about one source."""
    return {
        name: round(Histogram.of(steps[chosen], judged.together[chosen], judged.weight[chosen]).auc(), 5)
        for name, chosen in parts.items()
    }


# -- what is printed --------------------------------------------------------------------------------------------------


def show(name: str, found: Mapping[str, Any]) -> None:
    """Print how well every recipe agrees."""
    together, rest = f"{found['positives']:,} pairs belong together", f"{found['judged']:,} pairs judged"
    title = f"{name} ({found['kind'] or 'of no known kind'}): {together}, {found['negatives']:,} do not; {rest}"
    rows = [[row["recipe"], metric, *_cells(row["scores"][metric])] for row in found["agreement"] for metric in METRICS]
    headers = ["recipe", "score", "AUC", "±", "best F1", "±", "at", "0.5: recall", "0.8: recall"]
    print_table(title, headers, rows)


def _cells(score: Mapping[str, Any]) -> list[str]:
    f1 = ["—"] * 3 if "f1" not in score else [f"{score[key]:.3f}" for key in ("f1", "f1_error", "threshold")]
    recalls = [f"{at['recall']:.3f}" for at in score["at"].values()]
    return [f"{score['auc']:.4f}", f"{score['auc_error']:.4f}", *f1, *recalls]


def show_verdict(found: Mapping[str, Any]) -> None:
    """Say whether the preset of the kind is the best of our own, and what of the grid is better."""
    for metric, by_measure in found["better_than_own"].items():
        for measure, better in by_measure.items():
            presets = [name for name in better if name in OWN]
            said = f"LOSES to {', '.join(presets)}" if presets else "no preset of our own is better"
            others = _rest(better)
            print(f"  {found['kind']}, {metric}, {measure}: {said}{f'; but {others} is' if others else ''}")
    print(f"  (a difference counts beyond {SIGMAS:g} standard errors, and from {LEAST:g} on)")


def _rest(better: Sequence[str]) -> str:
    return "; ".join(name for name in better if name not in OWN)
