"""A target, and the targets of single stages, which `make bench` measures inside a process."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

__all__ = ["HEADERS", "Target", "targets"]

HEADERS: Final = ("work", "target", "measured", "met")


@dataclass(frozen=True, slots=True)
class Target:
    """A row of the table of targets: the target, and what was measured."""

    what: str
    measured: float | None
    """None if nothing was measured, or the command failed."""
    limit: float
    most: bool = False
    """Whether the limit is the most, not the least."""
    unit: str = ""
    spread: tuple[float, float] | None = None
    """The least and the most of several rounds; `measured` is their median."""
    note: str = ""
    """Why it failed, or at which other commit it was measured."""
    failed: bool = False

    @property
    def met(self) -> bool | None:
        """Whether it was reached; None if nothing was measured."""
        if self.measured is None:
            return False if self.failed else None
        return self.measured <= self.limit if self.most else self.measured >= self.limit

    def record(self) -> dict[str, Any]:
        """Return what is kept of it."""
        return {**asdict(self), "met": self.met}

    def cells(self) -> list[str]:
        """Return the row of a table: what, target, measured, whether it is met."""
        sign = "≤" if self.most else "≥"
        verdict = {True: "met", False: "NOT MET", None: "—"}[self.met]
        return [self.what, f"{sign} {self.limit:g} {self.unit}".rstrip(), self._said(), verdict]

    def _said(self) -> str:
        if self.measured is None:
            return self.note or "not measured"
        said = f"{_number(self.measured)} {self.unit}".rstrip()
        if self.spread:
            said += f" ({_number(self.spread[0])}–{_number(self.spread[1])})"
        return f"{said}; {self.note}" if self.note else said


def _number(value: float) -> str:
    """Return a number with three digits; what is less than 1 never reads 1.

    >>> _number(0.99969), _number(1.0), _number(12.34), _number(1234.5)
    ('0.9997', '1', '12.3', '1,234')
    """
    if value < 1.0 <= float(f"{value:.3g}"):
        return f"{value:.4g}"
    return f"{value:,.3g}" if value < 100 else f"{value:,.0f}"


def targets(record: dict[str, Any]) -> list[Target]:
    """Return the targets of the stages."""
    fast = "signatures, fast, 256 hashes"
    found = []
    for name in ("words, k = 5", "characters, k = 9", "characters, k = 9, only lowercased"):
        stage = record["cases"][name]["stages"][fast]
        found += [
            Target(f"{name}: sketch, MB/s on one thread", stage["mb_per_s"], 500),
            Target(f"{name}: sketch, speed to Parquet decoding", stage["to_parquet"], 0.7),
        ]
    for name in ("Chinese, default recipe", "Chinese, preset cjk"):
        speed = record["cases"][name]["stages"][fast]["mb_per_s"]
        found.append(Target(f"{name}: sketch, MB/s on one thread", speed, 150))
    for name, measured in record["datasketch"].items():
        for rival, times in measured["times_as_fast"].items():
            slowest = min(times, key=times.__getitem__)
            found.append(Target(f"{name}: slowest family ({slowest}) to {rival}", times[slowest], 10))
    join, large, start = record["exact_join"], record["large_document"], record["start"]
    found.append(Target("exact join, seconds per 50 M shingles", join["seconds_per_50_million"], 4, most=True))
    for name in ("words, k = 5", "characters, k = 9"):
        speedup = record["two_threads"][name]
        found.append(Target(f"{name}: sketch, two threads to one", speedup, 1.8))
    return [
        *found,
        Target("import lookalike, ms", start["import_ms"], 100, most=True),
        Target("lookalike --help, ms", start["help_ms"], 200, most=True),
        Target("find with one document of 50 MB, s", large["find_seconds"], 0.5, most=True),
        Target("its memory, to the size of the document", large["find_memory"] / large["bytes"], 4, most=True),
    ]
