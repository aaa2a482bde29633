"""What chance does: binomial probabilities, and how far a measured share may be off."""

from __future__ import annotations

import math
from typing import Final

__all__ = ["Z95", "binomial", "wilson"]

Z95: Final = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %."""


def binomial(k: int, n: int, p: float) -> float:
    """Return the probability of `k` successes in `n` tries.

    >>> round(binomial(2, 4, 0.5), 4), binomial(3, 3, 1.0)
    (0.375, 1.0)
    """
    if p >= 1.0:
        return float(k == n)
    logarithm = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return math.exp(logarithm + k * math.log(p) + (n - k) * math.log1p(-p))


def wilson(found: int, total: int, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's interval for a share: with a confidence of 95 %, or as many standard errors as `z` says.

    >>> [round(end, 3) for end in wilson(99, 100)]
    [0.946, 0.998]
    >>> [round(end, 3) for end in wilson(10, 10)], wilson(0, 0)
    ([0.722, 1.0], (0.0, 1.0))
    """
    if not total:
        return 0.0, 1.0
    share, square = found / total, z * z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = z * math.sqrt(share * (1 - share) / total + square / (4 * total * total)) / (1 + square / total)
    # At the ends the formula gives the end itself, but for rounding.
    low = 0.0 if found == 0 else max(0.0, middle - half)
    return low, 1.0 if found == total else min(1.0, middle + half)
