"""The tables on accuracy in docs/accuracy.md and the README, generated from a record."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from benchmarks.accuracy.agreement import VERDICT_METRICS, measures_of
from benchmarks.accuracy.judge import LEAST, SIGMAS, outcome
from benchmarks.accuracy.recall import METHODS, is_kept
from benchmarks.accuracy.recipes import GRID, IN_PART, OWN, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = [
    "Table",
    "better_others",
    "collection",
    "estimates",
    "grid",
    "lost",
    "parts",
    "recall",
    "summary",
    "tie_rule",
    "verdicts",
]

Record = dict[str, Any]
Table = tuple[list[str], list[list[str]]]
NAMES: Final = {"auc": "AUC", "f1": "best F1"}
DIGITS: Final = {"auc": 4, "f1": 3}
"""Among millions of pairs, the fourth digit of the area is still hundreds of them."""


# -- in short ---------------------------------------------------------------------------------------------------------


def summary(record: Record) -> tuple[Table, list[str]]:
    """Return one line for each labelled collection, and sentences about recall and estimates."""
    headers = ["collection", "kind", "documents", "pairs", "score", "AUC", "best F1", "at"]
    rows = []
    for name, found in record["labelled"].items():
        metric = best_metric(found)
        score = scores_of(found, found["kind"])[metric]
        f1 = [f"{score['f1']:.3f}", f"{score['threshold']:.2f}"] if found["complete"] else ["—", "—"]
        size = [f"{found['documents']:,}", f"{found['positives']:,}"]
        rows.append([name, f"`{found['kind']}`", *size, metric, f"{score['auc']:.3f}", *f1])
    return (headers, rows), [_about_verdicts(record), _about_recall(record), _about_estimates(record)]


def best_metric(found: Mapping[str, Any]) -> str:
    """Return the metric with which the preset of the kind ranks best; of equals the first."""
    scores = scores_of(found, found["kind"])
    return max(VERDICT_METRICS, key=lambda metric: round(scores[metric]["auc"], 3))


def scores_of(found: Mapping[str, Any], recipe: str) -> Mapping[str, Any]:
    """Return what is known of one recipe on a collection."""
    scores: Mapping[str, Any] = next(row["scores"] for row in found["agreement"] if row["recipe"] == recipe)
    return scores


def lost(record: Record) -> list[str]:
    """Return where a preset loses to another of ours on its own kind of text."""
    return [
        f"`{found['kind']}` to `{other}` on {name} ({metric}, {NAMES[measure]})"
        for name, found in record["labelled"].items()
        for metric, by_measure in found["better_than_own"].items()
        for measure, better in by_measure.items()
        for other in better
        if other in OWN
    ]


def _about_verdicts(record: Record) -> str:
    losses = lost(record)
    if losses:
        return f"On its own kind of text a preset is significantly worse: {'; '.join(losses)}."
    return "On its own kind of text, no preset is significantly worse than another of lookalike's presets."


def _searches(record: Record) -> list[tuple[Mapping[str, Any], str]]:
    rows = [*record["generated"], *(row for found in record["labelled"].values() for row in found["recall"])]
    return [(row, method) for row in rows for method in METHODS if row[method]]


def _about_recall(record: Record) -> str:
    searches = _searches(record)
    broken = sum(not is_kept(row, method) for row, method in searches)
    pairs = sum(row["pairs"] for row, _ in searches)
    missed = sum(round(row["pairs"] * (1 - row[method]["recall"])) for row, method in searches)
    kept = "all reach the recall they promise" if not broken else f"{broken} find less than they promise"
    return (
        f"Of {len(searches)} searches by `lsh` and `signatures`, checked against the exact join, {kept}, within "
        f"sampling error; of {pairs:,} pairs they missed {missed:,} ({missed / max(1, pairs):.3%})."
    )


def _about_estimates(record: Record) -> str:
    rows = record["estimates"]
    ratios = [row["sketches"]["fast"]["error_to_theory"] for row in rows]
    biases = [abs(row["sketches"]["fast"]["bias_sigmas"]) for row in rows]
    return (
        f"The error of the fast sketch is {min(ratios):.2f} to {max(ratios):.2f} times the theoretical error of "
        f"independent hashes; its bias is at most {max(biases):.1f} standard errors in {len(rows)} means."
    )


# -- estimates and recall ---------------------------------------------------------------------------------------------


def estimates(record: Record) -> Table:
    """Return bias and error of each sketch, by size and similarity."""
    names = list(record["estimates"][0]["sketches"])
    rows = []
    for row in record["estimates"]:
        theory = math.sqrt(row["jaccard"] * (1 - row["jaccard"]) / row["hashes"])
        found = [row["sketches"][name] for name in names]
        cells = [f"{sketch['error_to_theory']:.2f} ({sketch['bias_sigmas']:+.1f})" for sketch in found]
        rows.append([f"{row['n']:,}", f"{row['jaccard']:.3f}", f"{row['pairs']:,}", f"{theory:.4f}", *cells])
    return ["shingles", "Jaccard", "pairs", "theory", *names], rows


def recall(record: Record) -> Table:
    """Return what was promised and found: the generated collections, and of each labelled one all presets together."""
    headers = ["collection", "preset", "at", "asked", "pairs"]
    headers += [text for method in METHODS for text in (f"{method}: found", "near", "promised")]
    rows = []
    for row in record["generated"]:
        head = [row["collection"], f"`{row['preset']}`", f"{row['threshold']:g}", f"{row['asked']:g}"]
        rows.append(
            [*head, f"{row['pairs']:,}", *(cell for method in METHODS for cell in _recall_cells([row], method))]
        )
    for name, found in record["labelled"].items():
        for threshold in sorted({row["threshold"] for row in found["recall"]}):
            chosen = [row for row in found["recall"] if row["threshold"] == threshold]
            head = [name, f"{len(chosen)} presets", f"{threshold:g}", f"{chosen[0]['asked']:g}"]
            pairs = sum(row["pairs"] for row in chosen)
            rows.append([*head, f"{pairs:,}", *(cell for method in METHODS for cell in _recall_cells(chosen, method))])
    return headers, rows


def _recall_cells(rows: Sequence[Mapping[str, Any]], method: str) -> list[str]:
    """Return the share found, that just above the threshold, and the least promise, of some searches together."""
    found = [row for row in rows if row[method]]
    shares = []
    for count, share in (("pairs", "recall"), ("near", "recall_near")):
        pairs = sum(row[count] for row in found)
        shares.append(f"{sum(row[count] * row[method][share] for row in found) / pairs:.4f}" if pairs else "—")
    if not found:
        return ["—", "—", "no bands"]
    return [*shares, f"{min(row[method]['promised'] for row in found):.4f}"]


# -- labelled collections ---------------------------------------------------------------------------------------------


def verdicts(record: Record) -> Table:
    """Return, for each collection and metric, the preset of its kind beside the best other one of ours."""
    headers = ["collection", "preset", "score", "measure", "value", "best other", "its value", "difference", "verdict"]
    rows = [
        [name, f"`{found['kind']}`", metric, *_verdict(found, metric, measure)]
        for name, found in record["labelled"].items()
        for metric in VERDICT_METRICS
        for measure in measures_of(found["complete"])
    ]
    return headers, rows


def better_others(record: Record) -> str:
    """Name what else is better than the preset of a kind: published presets and other k."""
    said = []
    for name, found in record["labelled"].items():
        for metric, by_measure in found["better_than_own"].items():
            for measure, better in by_measure.items():
                others = [other if " " in other else f"`{other}`" for other in better if other not in OWN]
                if others:
                    said.append(f"{name} by {metric} ({NAMES[measure]}): {'; '.join(others)}")
    if not said:
        return "No published preset and no other k is significantly better."
    return f"These published presets and other k are significantly better than the preset: {'. '.join(said)}."


def _verdict(found: Mapping[str, Any], metric: str, measure: str) -> list[str]:
    own = scores_of(found, found["kind"])[metric]
    others = {name: scores_of(found, name)[metric] for name in OWN if name != found["kind"]}
    best = max(others, key=lambda name: others[name][measure])
    by = others[best]["own_is_better_by"][measure]
    said = outcome(by["difference"], by["error"])
    digits = DIGITS[measure]
    difference = f"{by['difference']:+.{digits}f} ± {by['error']:.{digits}f}"
    values = [f"{own[measure]:.{digits}f}", f"`{best}`", f"{others[best][measure]:.{digits}f}"]
    return [NAMES[measure], *values, difference, {"worse": "**worse**"}.get(said, said)]


def collection(record: Record, name: str) -> Table:
    """Return every preset on one collection: our own by every metric, published ones by Jaccard."""
    found = record["labelled"][name]
    headers = ["preset", "score", "AUC", "best F1", "at", "0.5: precision", "recall", "0.8: precision", "recall"]
    rows = []
    for row in found["agreement"]:
        if " k = " in row["recipe"]:
            continue
        preset = f"**`{row['recipe']}`**" if row["recipe"] == found["kind"] else f"`{row['recipe']}`"
        metrics = row["scores"] if row["recipe"] in (*OWN, *IN_PART) else ["Jaccard"]
        rows += [[preset, metric, *_cells(row["scores"][metric])] for metric in metrics]
    return headers, rows


def _cells(score: Mapping[str, Any]) -> list[str]:
    cells = [_with_error(score, "auc"), "—", "—"]
    if "f1" in score:
        cells[1:] = [_with_error(score, "f1"), f"{score['threshold']:.3f}"]
    for at in score["at"].values():
        cells += [f"{at['precision']:.3f}" if "precision" in at else "—", f"{at['recall']:.3f}"]
    return cells


def _with_error(score: Mapping[str, Any], measure: str) -> str:
    digits = DIGITS[measure]
    return f"{score[measure]:.{digits}f} ± {score[f'{measure}_error']:.{digits}f}"


def grid(record: Record) -> Iterator[tuple[str, Table]]:
    """Return for each family of recipes what each k gives, by Jaccard: AUC and best F1 by collection."""
    for family, (kinds, sizes) in GRID.items():
        names = [name for name, found in record["labelled"].items() if found["kind"] in kinds and not _is_easy(found)]
        by_recipe = {name: {row["recipe"]: row for row in record["labelled"][name]["agreement"]} for name in names}
        if not names:
            continue
        rows = []
        for k in sizes:
            found = [by_recipe[name].get(name_of(family, k)) for name in names]
            preset = next((row["recipe"] for row in found if row and row["recipe"] in OWN), None)
            cells = [_grid_cell(row["scores"]["Jaccard"]) if row else "—" for row in found]
            rows.append([f"{k} (`{preset}`)" if preset else k, *cells])
        yield family, (["k", *names], rows)


def _is_easy(found: Mapping[str, Any]) -> bool:
    """Tell whether every recipe is right on every pair: then it says nothing about k."""
    return all(row["scores"]["Jaccard"].get("f1") == 1.0 for row in found["agreement"])


def _grid_cell(score: Mapping[str, Any]) -> str:
    return f"{score['auc']:.4f} · {score['f1']:.3f}" if "f1" in score else f"{score['auc']:.4f}"


def parts(record: Record, name: str, key: str, recipes: Sequence[str]) -> Table:
    """Return the area under the curve by label or by source, for some recipes, by Jaccard and by containment."""
    found = record["labelled"][name]
    columns = list(scores_of(found, recipes[0])["Jaccard"][key])
    rows = []
    for recipe in recipes:
        for metric in VERDICT_METRICS:
            score = scores_of(found, recipe)[metric]
            label = recipe if " " in recipe else f"`{recipe}`"
            rows.append([label, metric, f"{score['auc']:.3f}", *(f"{score[key][column]:.2f}" for column in columns)])
    heads = columns if key == "auc_by_label" else [f"{number + 1}" for number in range(len(columns))]
    return ["recipe", "score", "all", *heads], rows


def tie_rule() -> str:
    """Say when a difference counts."""
    least = f"more than {SIGMAS:g} standard errors and at least {LEAST:g}"
    return f"A difference counts if it is {least}; otherwise it is a tie."
