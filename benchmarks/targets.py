"""What the stages have to reach: the rows of the design's table of speed and size that `make bench` measures."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Target", "targets"]


@dataclass(frozen=True, slots=True)
class Target:
    """A line of the design's table of speeds and what was measured."""

    row: int
    what: str
    measured: float
    limit: float
    most: bool = False
    """Whether the limit is the most, not the least."""

    @property
    def met(self) -> bool:
        """Whether it was reached."""
        return self.measured <= self.limit if self.most else self.measured >= self.limit

    def record(self) -> dict[str, Any]:
        """Return what is kept of it."""
        return {**asdict(self), "met": self.met}

    def cells(self) -> list[str]:
        """Return a row of the table that `make bench` ends with."""
        sign = "≤" if self.most else "≥"
        return [
            self.what,
            str(self.row),
            f"{self.measured:,.3g}" if self.measured < 100 else f"{self.measured:,.0f}",
            f"{sign} {self.limit:g}",
            "met" if self.met else "NOT MET",
        ]


def targets(record: dict[str, Any]) -> list[Target]:
    fast = "signatures, fast, 256 hashes"
    found = []
    for name in ("words, k = 5", "characters, k = 9", "characters, k = 9, only lowercased"):
        stage = record["cases"][name]["stages"][fast]
        found += [
            Target(1, f"{name}: sketch, MB/s on one thread", stage["mb_per_s"], 500),
            Target(1, f"{name}: sketch, speed to Parquet decoding", stage["to_parquet"], 0.7),
        ]
    for name in ("Chinese, default recipe", "Chinese, preset cjk"):
        speed = record["cases"][name]["stages"][fast]["mb_per_s"]
        found.append(Target(1, f"{name}: sketch, MB/s on one thread", speed, 150))
    for name, measured in record["datasketch"].items():
        for rival, times in measured["times_as_fast"].items():
            slowest = min(times, key=times.__getitem__)
            found.append(Target(2, f"{name}: slowest family ({slowest}) to {rival}", times[slowest], 10))
    join, large, start = record["exact_join"], record["large_document"], record["start"]
    found.append(Target(6, "exact join, seconds per 50 M shingles", join["seconds_per_50_million"], 4, most=True))
    for name in ("words, k = 5", "characters, k = 9"):
        speedup = record["two_threads"][name]
        found.append(Target(8, f"{name}: sketch, two threads to one", speedup, 1.8))
    return [
        *found,
        Target(9, "import lookalike, ms", start["import_ms"], 100, most=True),
        Target(9, "lookalike --help, ms", start["help_ms"], 200, most=True),
        Target(10, "find with one document of 50 MB, s", large["find_seconds"], 0.5, most=True),
        Target(10, "its memory, to the size of the document", large["find_memory"] / large["bytes"], 4, most=True),
    ]
