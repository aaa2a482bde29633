"""Every row of the design's table of speed and size, with what the newest records say of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchmarks.rivals.catalogue import OWN
from benchmarks.rivals.limits import READING, READING_ONLY
from benchmarks.targets import Target

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["HEADERS", "end_to_end_targets", "growth", "large_targets", "rival_targets", "stage_targets", "target_rows"]

Record = dict[str, Any]
HEADERS: Final = ("what", "row", "measured", "target", "")
MILLION: Final = 1_000_000


def stage_targets(record: Record) -> list[Target]:
    """Return what `make bench` found of single stages."""
    return [Target(**{key: value for key, value in one.items() if key != "met"}) for one in record["targets"]]


def rival_targets(record: Record) -> list[Target]:
    """Return what the comparison of engines found: row 3, from a Parquet file to groups."""
    task = record["limits"]["task"]
    rows = {row["engine"]: row for row in record["rows"] if row["task"] == task}
    own = rows[OWN]
    found = [
        Target(3, f"{task}: {name} takes so many times as long", rows[name]["ratio"], 50)
        for name in ("datasketch", "datasketch, xxh32")
        if name in rows and rows[name]["ratio"]
    ]
    quickest = _quickest(list(rows.values()))
    if quickest is not None:
        what = f"{task}: {quickest['engine']}, the quickest other that looks at every shingle (recall"
        found.append(Target(3, f"{what} {quickest['recall']:.3f})", quickest["ratio"], 8))
    same_recall = _quickest([row for row in rows.values() if (row["recall"] or 0) >= 0.99])
    if same_recall is not None and same_recall is not quickest:
        what = f"{task}: {same_recall['engine']}, the quickest other with a recall of 0.99 (precision"
        found.append(Target(3, f"{what} {same_recall['precision']:.3f})", same_recall["ratio"], 8))
    taken, limits = record["limits"]["lookalike_seconds"], record["limits"]["seconds"]
    return [
        *found,
        Target(3, f"{task}: time to that of {READING_ONLY}", taken / limits[READING_ONLY], 3, most=True),
        Target(3, f"{task}: time to that of {READING}, in a running process", taken / limits[READING], 3, most=True),
        Target(3, f"{task}: recall", own["recall"], 0.99),
        Target(3, f"{task}: precision", own["precision"], 1),
    ]


def _quickest(rows: Sequence[Record]) -> Record | None:
    others = [row for row in rows if row["seconds"] and row["full_set"] and row["engine"] != OWN]
    return min(others, key=lambda row: float(row["seconds"]), default=None)


def end_to_end_targets(record: Record) -> list[Target]:
    """Return what whole searches take: row 4, how time grows, and row 11, one command."""
    rows = {row["documents"]: row for row in record["rows"]}
    found = []
    growing = [row["search_seconds"] / count for count, row in rows.items() if count >= 10_000]
    if len(growing) > 1:
        what = f"time for each document, more to fewer of them, 10,000 to {max(rows):,}"
        found.append(Target(4, what, growth(growing), 1.3, most=True))
    for count, seconds, megabytes in ((10_000, 0.4, 150), (100_000, 0.75, 500)):
        if count in rows:
            whole = f"whole search of {count:,} documents"
            found.append(Target(11, f"{whole}, s", rows[count]["seconds"], seconds, most=True))
            found.append(Target(11, f"{whole}, peak MB", rows[count]["peak"] / 1e6, megabytes, most=True))
    return found


def growth(times: Sequence[float]) -> float:
    """Return how many times as long a document takes, at the worst, in a larger collection than in a smaller one."""
    return max(later / min(times[:at]) for at, later in enumerate(times) if at)


def large_targets(record: Record) -> list[Target]:
    """Return whether ten million documents stay within their budget: row 5."""
    (row,) = record["rows"]
    what = f"{row['documents'] // MILLION} million documents in {row['seconds']:.0f} s: peak GB"
    return [Target(5, what, row["peak"] / 1e9, record["memory"] / 1e9, most=True)]


def target_rows(targets: Sequence[Target]) -> list[list[str]]:
    """Return the cells of a table, in the order of the design's rows."""
    return [target.cells() for target in sorted(targets, key=lambda target: target.row)]
