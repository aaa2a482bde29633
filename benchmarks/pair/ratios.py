"""Ratios of the times of two wheels: their median, how sure it is, and whether the new wheel may be as slow as that."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["BOUND", "LIMIT", "MedianRatio", "interval", "median_ratio", "per_round"]

LIMIT: Final = 1.03
"""The most that the median may be."""
BOUND: Final = 1.06
"""What the upper end of the interval must be below."""
COVERAGE: Final = 0.95


@dataclass(frozen=True, slots=True)
class MedianRatio:
    """A median of ratios new / old, with its interval if there are enough rounds for one."""

    median: float
    interval: tuple[float, float] | None

    @property
    def met(self) -> bool | None:
        """Whether the new wheel is as fast as it must be; None if there are too few rounds to tell."""
        return None if self.interval is None else self.median <= LIMIT and self.interval[1] < BOUND

    def record(self) -> dict[str, Any]:
        """Return what is recorded of it."""
        return {"ratio": self.median, "interval": self.interval, "met": self.met}


def median_ratio(ratios: Sequence[float]) -> MedianRatio:
    """Return the median and its interval."""
    return MedianRatio(statistics.median(ratios), interval(ratios))


def interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return an interval with the median of the distribution in it, in at least 95 % of all cases; None below 6 values.

    It reaches from the k-th smallest to the k-th largest value. It misses the median only if fewer than k values are
    below it, or fewer than k above, and their number is binomial with p = 1/2 whatever the noise looks like: that of
    wall times is skewed, has outliers, and has two peaks where the order within a round matters. A bootstrap of the
    median of so few values covers less than it promises, and needs a seed. From 21 rounds these are the 6th and the
    16th value, with 97.3 %.

    >>> interval(range(1, 22)), interval(range(1, 7)), interval(range(5))
    ((6, 16), (1, 6), None)
    """
    count, tail, rank = len(values), 0.0, 0
    while (tail := tail + math.comb(count, rank) / 2**count) <= (1 - COVERAGE) / 2:
        rank += 1
    if not rank:
        return None
    ordered = sorted(values)
    return ordered[rank - 1], ordered[-rank]


def per_round(ratios: Mapping[str, Sequence[float]]) -> list[float]:
    """Return the geometric mean over all commands of each round: every command counts alike, however long it takes.

    >>> per_round({"scan": [2.0, 1.0], "start": [0.5, 4.0]})
    [1.0, 2.0]
    """
    return [statistics.geometric_mean(together) for together in zip(*ratios.values(), strict=True)]
