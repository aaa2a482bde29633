"""How right the answers are: `make accuracy` (QUICK=1 is smaller; DATA=DIR names labelled collections).

Three questions. Are estimates unbiased and within theory? Do `lsh` and `signatures` find the share of pairs that they
promise, counted against the exact join? And, on collections that people labelled, how well does the similarity of each
preset and of a grid of other recipes agree with them, and is the preset for a kind of text the best of ours on it?

DATA is a folder of collections (see benchmarks/accuracy/labelled.py). Without it ../shared/data is taken if it is
there; else only generated collections are used, and that is said. A full run also draws the pictures of
docs/accuracy.md; its tables and those of the README are made by `python -m benchmarks.readme_table`.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lookalike as la
from benchmarks.accuracy import agreement, recall
from benchmarks.accuracy.estimates import measure_estimates
from benchmarks.accuracy.labelled import KIND, read_collections
from benchmarks.accuracy.pictures import write_pictures
from benchmarks.accuracy.recipes import OWN, SEARCHED
from benchmarks.measure import ROOT, circumstances, is_quick, write_record

if TYPE_CHECKING:
    from benchmarks.accuracy.labelled import Labelled


def data_folder() -> Path | None:
    given = os.environ.get("DATA")
    folder = Path(given) if given else ROOT.parent / "shared" / "data"
    if folder.is_dir():
        return folder
    if given:
        raise SystemExit(f"accuracy: DATA={given} is not a folder")
    return None


def measure_generated() -> list[dict[str, Any]]:
    """Measure recall on generated collections."""
    every = []
    for collection, tried in recall.generated():
        rows = recall.measure_recalls(collection, tried, recall.RECALLS)
        recall.show(f"{collection.name}, {len(collection.texts):,} documents; found against the exact join", rows)
        every += rows
    return every


def measure_collection(collection: Labelled) -> dict[str, Any]:
    """Measure recall and agreement on one labelled collection."""
    started = time.perf_counter()
    rows = recall.measure_recalls(collection, {name: la.PRESETS[name].recipe for name in SEARCHED}, [0.99])
    size = f"{len(collection.texts):,} documents, {collection.characters / 1e6:.1f} M characters"
    recall.show(f"{collection.name}: {size}; found against the exact join", rows)
    found = agreement.measure_agreement(collection) | {"recall": rows}
    agreement.show(collection.name, found)
    agreement.show_verdict(found)
    print(f"  {time.perf_counter() - started:.1f} s")
    return found


def sum_up(record: dict[str, Any]) -> None:
    """Print what would be a defect: a promise that is not kept, a preset that loses on its own kind of text."""
    rows = [*record["generated"], *(row for found in record["labelled"].values() for row in found["recall"])]
    broken = [
        (row["collection"], row["preset"], row["threshold"], method)
        for row in rows
        for method in recall.METHODS
        if not recall.is_kept(row, method)
    ]
    print(f"\nrecall below its promise beyond chance: {broken or 'nowhere'}")
    lost = [
        (name, metric, measure, other)
        for name, found in record["labelled"].items()
        for metric, by_measure in found["better_than_own"].items()
        for measure, better in by_measure.items()
        for other in better
        if other in OWN
    ]
    print(f"presets that lose on their own kind of text beyond chance: {lost or 'none'}")


def keep(record: dict[str, Any]) -> str:
    """Keep a record, and draw the pictures of a full one; return what was done.

    The pages show every known collection, so that a run which lacks one must not take the place of the last.
    """
    missing = KIND.keys() - record["labelled"].keys()
    if missing and not is_quick():
        return f"not kept, for want of {', '.join(sorted(missing))}"
    drawn = [] if is_quick() else write_pictures(record)
    return f"kept in {write_record('accuracy', record)}, with {len(drawn)} pictures"


def main() -> None:
    started = time.perf_counter()
    record: dict[str, Any] = circumstances()
    print(f"lookalike {record['versions']['lookalike']} ({record['commit']})")
    record["estimates"] = measure_estimates()
    record["generated"] = measure_generated()
    folder = data_folder()
    if folder is None:
        print("\nonly generated collections were used: DATA=DIR names a folder of labelled ones")
    collections = read_collections(folder) if folder else []
    if is_quick():
        collections = collections[:3]
    record["labelled"] = {collection.name: measure_collection(collection) for collection in collections}
    sum_up(record)
    record["seconds"] = time.perf_counter() - started
    print(f"{record['seconds']:.0f} s; {keep(record)}")


if __name__ == "__main__":
    main()
