"""What chance does to a measurement: expected errors, intervals and the sign test, written out by hand.

>>> round(mean_deviation(0.5, 1), 3), round(mean_deviation(0.5, 100), 4)
(0.5, 0.0398)
>>> round(sign_test(58, 42), 3)
0.133
"""

from __future__ import annotations

import math
from statistics import fmean
from typing import TYPE_CHECKING, Final

from lookalike.engine.bands import wilson as interval

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Z", "correlation", "mean_deviation", "sign_test", "slope", "spread_of_deviation", "wilson"]

Z: Final = 3.291
"""Standard errors to each side of a 99.9 % interval. Not 95 %: of dozens of verdicts, some would be wrong."""


def mean_deviation(share: float, hashes: int) -> float:
    """Return the expected |estimate − share| of a signature: the mean deviation of a binomial variable, exact.

    De Moivre's formula 2·m·C(h, m)·pᵐ·(1 − p)ʰ⁻ᵐ⁺¹ / h, with m the first whole number above h·p.
    """
    if not 0 < share < 1:
        return 0.0
    m = math.floor(hashes * share) + 1
    logarithm = _log_choose(hashes, m) + m * math.log(share) + (hashes - m + 1) * math.log1p(-share)
    return 2 * m * math.exp(logarithm) / hashes


def spread_of_deviation(share: float, hashes: int) -> float:
    """Return the standard deviation of |estimate − share|."""
    return math.sqrt(max(0.0, share * (1 - share) / hashes - mean_deviation(share, hashes) ** 2))


def sign_test(more: int, fewer: int) -> float:
    """Return how likely a split at least as uneven would be if both signs were equally likely (both sides, exact)."""
    tries, least = more + fewer, min(more, fewer)
    if more == fewer:
        return 1.0
    half = tries * math.log(2)
    return min(1.0, 2 * math.fsum(math.exp(_log_choose(tries, n) - half) for n in range(least + 1)))


def wilson(successes: int, tries: int) -> tuple[float, float]:
    """Return Wilson's 99.9 % interval of a share.

    >>> [round(end, 2) for end in wilson(58, 100)]
    [0.42, 0.73]
    """
    return interval(successes, tries, Z)


def slope(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return the slope of the straight line with the least squares."""
    mean_x, mean_y = fmean(xs), fmean(ys)
    down = math.fsum((x - mean_x) ** 2 for x in xs)
    return math.fsum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / down if down else 0.0


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return Pearson's correlation, 0 if one of the two does not vary."""
    product = slope(xs, ys) * slope(ys, xs)
    return math.copysign(math.sqrt(min(1.0, product)), slope(xs, ys)) if product > 0 else 0.0


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
