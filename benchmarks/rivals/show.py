"""The tables that `make bench-rivals` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchmarks.measure import print_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from benchmarks.rivals.tasks import Job

__all__ = ["show_missing", "show_task"]

NOTES: Final = {
    "kept": "k: it tells only which rows stay; recall and precision are of what it removes",
    "marked": "m: it marks every row that has a copy; recall and precision are of these rows",
}


def show_task(job: Job, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print one table, what letters in it mean, and who could not do it."""
    size = f"{job.documents - job.indexed:,} documents" + (f" against {job.indexed:,}" if job.indexed else "")
    cores = "one core" if job.threads == 1 else "two cores"
    shingle = f"{job.k} {'words' if job.unit == 'word' else 'characters'}"
    title = f"{job.name}: {size}, shingles of {shingle}, {cores}"
    estimates = job.kind == "signatures"
    headers = ["engine", "seconds", "documents/s", "MB/s", "to lookalike", "peak MB"]
    headers += ["error to theory"] if estimates else ["recall", "precision", ""]
    done = [row for row in rows if row["seconds"]]
    print_table(title, headers, [_cells(row, estimates=estimates) for row in done])
    for form in sorted({row["answer"] for row in done} & NOTES.keys()):
        print(f"  {NOTES[form]}")
    for row in rows:
        if row["why"]:
            print(f"  {row['engine']}: {row['why']}")


def _cells(row: Mapping[str, Any], *, estimates: bool) -> list[str]:
    cells = [
        row["engine"],
        f"{row['seconds']:.3f}",
        f"{row['documents_per_s']:,.0f}",
        f"{row['mb_per_s']:,.1f}",
        f"{row['ratio']:.1f} ×" if row["ratio"] else "",
        f"{row['peak_rss_mb']:,.0f}",
    ]
    if estimates:
        return [*cells, f"{row['error']:.2f}"]
    return [
        *cells,
        f"{row['recall']:.3f}",
        f"{row['precision']:.3f}",
        {"kept": "k", "marked": "m"}.get(row["answer"], ""),
    ]


def show_missing(ready: Mapping[str, Path | str]) -> None:
    """Say which engines could not be installed."""
    for name, why in ready.items():
        if isinstance(why, str):
            print(f"\nnot available: {name}: {why}")
