"""How right the answers are: `make accuracy` (QUICK=1 is smaller; DATA=DIR names labelled collections).

Three questions. Are estimates unbiased and within theory? Do `lsh` and `signatures` find the share of pairs that they
promise, counted against the exact join? And, on collections that people labelled, how well does the similarity of each
preset agree with them?

DATA is a folder of collections (see benchmarks/labelled.py). Without it ../shared/data is taken if it is there; else
only generated collections are used, and that is said. SWEEP=1 adds more recipes: words and characters by size.
"""

from __future__ import annotations

import math
import os
import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import pyarrow as pa
import pyarrow.compute as pc

import lookalike as la
from benchmarks import corpus
from benchmarks.estimates import measure_estimates
from benchmarks.labelled import NOT_A_PAIR, Histogram, Labelled, read_collections
from benchmarks.measure import ROOT, circumstances, is_quick, print_table, write_record
from lookalike import _native
from lookalike.settings import settings

if TYPE_CHECKING:
    from collections.abc import Iterator

PRESETS: Final = ("prose", "edited", "code", "cjk", "fineweb")
THRESHOLDS: Final = (0.5, 0.8)
METHODS: Final[tuple[Literal["lsh", "signatures"], ...]] = ("lsh", "signatures")
RECALLS: Final = (0.9, 0.99)
NEAR: Final = 0.05
"""Pairs from the threshold to this much above it are counted apart: a promise is tightest there."""
SIGMAS: Final = 4.0
SMALL: Final = 2_500_000
"""Up to this many characters all pairs of a collection are scored, down to LOWEST; beyond, those down to LOW."""
LOWEST, LOW = 0.05, 0.3


# -- recall against its promise ---------------------------------------------------------------------------------------


def generated() -> Iterator[tuple[Labelled, dict[str, la.Recipe]]]:
    """Yield generated collections, each with the recipes to try on it. Nothing in them is labelled."""
    latin, cjk = (1500, 500) if is_quick() else (10_000, 3_000)
    words, characters = la.PRESETS["prose"].recipe, la.Recipe(unit="char", k=9)
    english = Labelled("generated, English-like", list(corpus.texts(latin)), [], [])
    yield english, {"prose": words, "characters, k = 9": characters}
    yield Labelled("generated, Chinese-like", list(corpus.texts(cjk, "cjk")), [], []), {"cjk": la.PRESETS["cjk"].recipe}


def exact_pairs(collection: Labelled, recipe: la.Recipe) -> pa.Table:
    """Return key and Jaccard of all pairs at the lowest threshold or above."""
    found = la.find(collection.texts, min(THRESHOLDS), method="exact", recipe=recipe).pairs
    return pa.Table.from_arrays([collection.keys(found), found["jaccard"]], names=["key", "jaccard"])


def measure_recall(
    collection: Labelled, name: str, recipe: la.Recipe, truth: pa.Table, threshold: float, recall: float
) -> dict[str, Any]:
    """Search by every method and count against the exact join."""
    at_least = truth.filter(pc.greater_equal(truth["jaccard"], pa.scalar(threshold)))
    near = at_least.filter(pc.less(at_least["jaccard"], pa.scalar(threshold + NEAR)))
    row: dict[str, Any] = {
        "collection": collection.name,
        "preset": name,
        "threshold": threshold,
        "asked": recall,
        "pairs": at_least.num_rows,
        "near": near.num_rows,
    }
    for method in METHODS:
        try:
            result = la.find(collection.texts, threshold, method=method, recall=recall, recipe=recipe)
        except la.BandsError:
            row[method] = None  # no bands of so few hashes find that share
            continue
        keys = collection.keys(result.pairs).combine_chunks()
        row[method] = {
            "promised": result.recall.promised,
            "recall": _share(pc.is_in(at_least["key"], value_set=keys)),
            "recall_near": _share(pc.is_in(near["key"], value_set=keys)),
            "precision": _share(pc.is_in(keys, value_set=at_least["key"].combine_chunks())),
        }
    return row


def _share(true: pa.Array[Any] | pa.ChunkedArray[Any]) -> float:
    """Return the share of true values; of none, all."""
    return float(pc.sum(true).as_py() or 0) / len(true) if len(true) else 1.0


def kept(row: dict[str, Any], method: str) -> bool:
    """Tell whether the pairs near the threshold, and all, are found as promised, up to chance."""
    found = row[method]

    def within(measured: float, pairs: int) -> bool:
        promised = float(found["promised"])
        spread = SIGMAS * math.sqrt(promised * (1 - promised) / max(pairs, 1)) + 1 / max(pairs, 1)
        return measured >= promised - spread

    return found is None or (within(found["recall"], row["pairs"]) and within(found["recall_near"], row["near"]))


def show_recall(title: str, rows: list[dict[str, Any]]) -> None:
    def cells(row: dict[str, Any], method: str) -> list[str]:
        found = row[method]
        if found is None:
            return ["no bands", "", ""]
        return [
            f"{found['recall']:.4f}{'' if kept(row, method) else ' LOW'}",
            f"{found['recall_near']:.4f}",
            f"{found['promised']:.4f}",
        ]

    table = []
    for row in rows:
        head = [row["preset"], f"{row['threshold']:g}", f"{row['pairs']:,}", f"{row['near']:,}"]
        precision = min(row[method]["precision"] for method in METHODS if row[method])
        table.append([*head, *cells(row, "lsh"), *cells(row, "signatures"), f"{precision:.4f}"])
    headers = [
        "preset",
        "at",
        "pairs",
        f"near (+{NEAR})",
        "lsh recall",
        "near",
        "promised",
        "signatures",
        "near",
        "promised",
    ]
    print_table(title, [*headers, "precision"], table)


# -- agreement with labels --------------------------------------------------------------------------------------------


Scored = tuple[dict[str, Histogram], float]
"""Histograms by score, and the floor below which scores are not known."""


def score_labelled(collection: Labelled, recipe: la.Recipe, labels: set[str]) -> Scored:
    """Score the labelled pairs only, of these labels and of those that do not belong together."""
    native = settings(recipe)
    scored: dict[str, list[tuple[float, bool]]] = {"Jaccard": [], "containment": []}
    for a, b, label in collection.pairs:
        if label in labels or label == NOT_A_PAIR:
            shared, size_a, size_b = _native.overlap(collection.texts[a], collection.texts[b], native)
            scored["Jaccard"].append((shared / (size_a + size_b - shared), label != NOT_A_PAIR))
            scored["containment"].append((shared / min(size_a, size_b), label != NOT_A_PAIR))
    return {name: Histogram.of_labelled(pairs) for name, pairs in scored.items()}, 0.0


def score_all(collection: Labelled, recipe: la.Recipe) -> Scored:
    """Score all pairs whose Jaccard reaches a floor; the others count as 0.

    A large collection is searched by all signatures, with a recall of 0.9999 at the floor: the exact join so far down
    takes a minute where texts are much alike.
    """
    if collection.characters <= SMALL:
        floor = LOWEST
        found = la.find(collection.texts, floor, method="exact", recipe=recipe).pairs
    else:
        floor = LOW
        found = la.find(collection.texts, floor, method="signatures", recall=0.9999, recipe=recipe).pairs
    larger = pc.max_element_wise(found["containment_a"], found["containment_b"])
    scores = {"Jaccard": found["jaccard"], "containment": larger}
    return {name: Histogram.of_found(score, collection, found) for name, score in scores.items()}, floor


def measure_agreement(collection: Labelled, name: str, recipe: la.Recipe) -> dict[str, Any]:
    labels = sorted({label for _, _, label in collection.pairs} - {NOT_A_PAIR}) if collection.only_labelled else []
    histograms, floor = score_labelled(collection, recipe, set(labels)) if labels else score_all(collection, recipe)
    by_label = {label: score_labelled(collection, recipe, {label})[0] for label in labels}
    return {
        "collection": collection.name,
        "preset": name,
        "recipe": str(recipe),
        "positives": collection.positives,
        "negatives": collection.negatives if collection.complete else None,
        "floor": floor,
        "scores": {
            score: {
                "best": asdict(histogram.agreement(floor)) if collection.complete else None,
                "at": {str(threshold): histogram.at(threshold) for threshold in THRESHOLDS},
                "auc_by_label": {label: by_label[label][score].auc() for label in labels},
            }
            for score, histogram in histograms.items()
        },
    }


def show_agreement(title: str, rows: list[dict[str, Any]]) -> None:
    labels = list(rows[0]["scores"]["Jaccard"]["auc_by_label"])
    table = []
    for row in rows:
        for score, found in row["scores"].items():
            best = ("threshold", "f1", "precision", "recall", "auc")
            cells = [f"{found['best'][key]:.3f}" if found["best"] else "—" for key in best]
            for precision, recall in found["at"].values():
                cells += [f"{precision:.3f}" if found["best"] else "—", f"{recall:.3f}"]
            cells += [f"{found['auc_by_label'][label]:.2f}" for label in labels]
            table.append([row["preset"], score, *cells])
    headers = ["preset", "score", "best at", "F1", "precision", "recall", "AUC"]
    headers += [text for threshold in THRESHOLDS for text in (f"{threshold:g}: precision", "recall")]
    print_table(title, [*headers, *(f"AUC {label}" for label in labels)], table)


# -- all together -----------------------------------------------------------------------------------------------------


def recipes() -> dict[str, la.Recipe]:
    chosen = {name: la.PRESETS[name].recipe for name in PRESETS}
    if os.environ.get("SWEEP"):
        chosen |= {f"words, k = {k}": la.Recipe(k=k) for k in (1, 2, 3, 4, 7, 10)}
        chosen |= {f"code, k = {k}": replace(la.PRESETS["code"].recipe, k=k) for k in (2, 3, 4, 8, 12)}
        chosen |= {f"characters, k = {k}": la.Recipe(unit="char", k=k) for k in (4, 5, 7, 9, 13, 20)}
    return chosen


def data_folder() -> Path | None:
    given = os.environ.get("DATA")
    folder = Path(given) if given else ROOT.parent / "shared" / "data"
    if folder.is_dir():
        return folder
    if given:
        raise SystemExit(f"accuracy: DATA={given} is not a folder")
    return None


def measure_collection(collection: Labelled) -> dict[str, Any]:
    """Measure recall and agreement of every preset on one labelled collection."""
    started = time.perf_counter()
    recall, agreement = [], []
    for name, recipe in recipes().items():
        if name in PRESETS:
            truth = exact_pairs(collection, recipe)
            recall += [measure_recall(collection, name, recipe, truth, at, recall=0.99) for at in THRESHOLDS]
        agreement.append(measure_agreement(collection, name, recipe))
    size = f"{len(collection.texts):,} documents, {collection.characters / 1e6:.1f} M characters"
    show_recall(f"{collection.name}: {size}; found against the exact join", recall)
    show_agreement(f"{collection.name}: {_what_was_judged(collection, agreement[0]['floor'])}", agreement)
    print(f"  {time.perf_counter() - started:.1f} s")
    return {"recall": recall, "agreement": agreement}


def _what_was_judged(collection: Labelled, floor: float) -> str:
    together = f"{collection.positives:,} pairs belong together"
    if collection.only_labelled:
        return f"{together}, {collection.negatives:,} do not; only these are judged"
    if not collection.complete:
        return f"{together}; the labels are not complete, so that only their recall is counted"
    return f"{together}; all others do not; scores below a Jaccard of {floor:g} count as 0"


def main() -> None:
    started = time.perf_counter()
    record: dict[str, Any] = circumstances()
    print(f"lookalike {record['versions']['lookalike']} ({record['commit']})")
    record["estimates"] = measure_estimates()
    record["generated"] = []
    for collection, tried in generated():
        rows = []
        for name, recipe in tried.items():
            truth = exact_pairs(collection, recipe)
            rows += [
                measure_recall(collection, name, recipe, truth, at, recall) for at in THRESHOLDS for recall in RECALLS
            ]
        show_recall(f"{collection.name}, {len(collection.texts):,} documents; found against the exact join", rows)
        record["generated"] += rows
    folder = data_folder()
    if folder is None:
        print("\nonly generated collections were used: DATA=DIR names a folder of labelled ones")
    collections = read_collections(folder) if folder else []
    if is_quick():
        collections = collections[:3]
    record["labelled"] = {collection.name: measure_collection(collection) for collection in collections}
    every = [*record["generated"], *(row for found in record["labelled"].values() for row in found["recall"])]
    broken = [
        (row["collection"], row["preset"], row["threshold"], m) for row in every for m in METHODS if not kept(row, m)
    ]
    print(f"\nrecall below its promise beyond chance: {broken or 'nowhere'}")
    record["seconds"] = time.perf_counter() - started
    print(f"{record['seconds']:.0f} s; kept in {write_record('accuracy', record)}")


if __name__ == "__main__":
    main()
