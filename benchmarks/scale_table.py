"""The tables of docs/scale.md: what the record of `benchmarks.spark` says, and what follows from it for more documents.

Bytes are those of the largest size. Core time is what tasks take for the documents that the largest size has more than
the smallest, so that the start of processes is not multiplied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchmarks.spark import problem

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "COST_HEADERS",
    "GROWTH_HEADERS",
    "RIVAL_HEADERS",
    "cost_rows",
    "growth_in_words",
    "growth_rows",
    "rival_rows",
]

Record = dict[str, Any]

STAGES: Final = {
    "`signed`": ("signed",),
    "`rows`": ("rows",),
    "`alike`, `unlike`": ("alike", "unlike", "copies"),
    "`buckets-…`": ("buckets",),
    "`candidates`": ("candidates", "hot"),
    "`components`, `members`": ("components", "members", "round"),
    "`verified`": ("verified",),
    "`pairs`, `groups`": ("pairs", "groups", "counts"),
}
"""The stages as docs/scale.md lists them, and how the names of their folders begin; ``counts`` writes no folder."""
SIZES: Final = (10**8, 10**9)
GROWTH_HEADERS: Final = (
    "documents",
    "`lookalike.find`, s",
    "Spark, s",
    "more per document, µs",
    "jobs",
    "bytes shuffled per document",
)
COST_HEADERS: Final = (
    "stage",
    "core-µs per document",
    "bytes shuffled per document",
    "10⁸ documents: core-hours",
    "shuffled",
    "10⁹ documents: core-hours",
    "shuffled",
)
RIVAL_HEADERS: Final = ("documents", "engine", "seconds", "recall", "precision")


def _done(record: Record, part: str = "rows") -> list[Record]:
    return [row for row in record.get(part, ()) if "spark_s" in row]


def growth_rows(record: Record) -> list[list[str]]:
    """Return a row for each size that was searched."""
    return [
        [
            f"{row['documents']:,}",
            f"{row['find_s']:.2f}",
            f"{row['spark_s']:.1f}",
            f"{(row['spark_s'] - row['find_s']) / row['documents'] * 1e6:,.0f}",
            str(row["jobs"]),
            f"{row['shuffled'] / row['documents']:,.0f}",
        ]
        for row in _done(record)
    ]


def growth_in_words(record: Record) -> str:
    """Say how the time grows, and whether the clusters were the same."""
    rows, growth = _done(record), record["growth"]
    same = sum(row["same"] for row in rows)
    said = [f"The clusters were those of `lookalike.find` in {same} of {len(rows)} searches."]
    if growth:
        said.append(
            f"{growth['documents_times']:.0f} times the documents take {growth['seconds_times']:.1f} times as long: "
            f"a fixed cost of {growth['fixed_s']:.0f} s, and {growth['spark_us_a_document']:.0f} µs per document."
        )
        off = [f"{abs(share):.0%} {'above' if share > 0 else 'below'}" for share in growth["off_the_line"]]
        said += [f"Sizes between are {' and '.join(off)} the line through the first and the last."] if off else []
    return " ".join(said)


def _by_stage(figures: Mapping[str, float]) -> dict[str, float]:
    """Return figures of folders as figures of the stages; a folder that belongs to none is an error."""
    found = dict.fromkeys(STAGES, 0.0)
    for folder, figure in figures.items():
        [stage] = [stage for stage, beginnings in STAGES.items() if folder.startswith(beginnings)]
        found[stage] += figure
    return found


def _core_us(small: Record, large: Record) -> dict[str, float]:
    """Return the core time that each stage takes for one document more."""
    first, last = (_by_stage(row["task_s_a_document"]) for row in (small, large))
    counts = small["documents"], large["documents"]
    return {
        stage: max(0.0, counts[1] * last[stage] - counts[0] * first[stage]) / (counts[1] - counts[0]) * 1e6
        for stage in STAGES
    }


def cost_rows(record: Record) -> list[list[str]]:
    """Return what each stage takes for a document, and for 10⁸ and 10⁹, with the plan of a large collection."""
    rows = _done(record, "large")
    if len(rows) < 2:
        return []
    core, shuffled = _core_us(rows[0], rows[-1]), _by_stage(rows[-1]["shuffled_by_stage"])
    made = [_cost(stage, core[stage], shuffled[stage]) for stage in STAGES]
    return [*made, _cost("**total**", sum(core.values()), sum(shuffled.values()))]


def _cost(stage: str, core_us: float, shuffled: float) -> list[str]:
    cells = [stage, f"{core_us:,.1f}", f"{shuffled:,.0f}"]
    for count in SIZES:
        cells += [f"{core_us * count / 3.6e9:,.1f}", _volume(shuffled * count)]
    return cells


def _volume(count: float) -> str:
    """Return a number of bytes in few characters.

    >>> _volume(0), _volume(54_307_910_000), _volume(1.8136e12)
    ('—', '54 GB', '1.8 TB')
    """
    if not count:
        return "—"
    return f"{count / 1e9:,.0f} GB" if count < 1e12 else f"{count / 1e12:,.1f} TB"


def rival_rows(record: Record) -> list[list[str]]:
    """Return a row for MLlib and one for lookalike, for each size; one that was stopped says so."""
    made = []
    for rival in record["mllib"]:
        count = f"{rival['documents']:,}"
        if "mllib" not in rival:
            made.append([count, "MLlib", problem(rival), "—", "—"])
            continue
        for engine, key in (("MLlib", "mllib"), ("lookalike", "lookalike")):
            own = rival[key]
            made.append([count, engine, f"{own['s']:.1f}", f"{own['recall']:.3f}", f"{own['precision']:.3f}"])
    return made
