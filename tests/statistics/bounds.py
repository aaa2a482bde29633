"""How far chance may take a measurement from its theory.

All seeds are fixed, so a test here gives the same answer on every run. The bounds say how likely it was that a right
program would have failed when the seed was chosen: five standard deviations of a normal variable, 6·10⁻⁷ for each
comparison on both sides together. With fewer than 2000 comparisons in this folder, a false alarm had a chance of about
one in a thousand.
"""

from __future__ import annotations

import math
from typing import Final

__all__ = ["SIGMAS", "binomial_range", "largest_mean_square", "least_successes"]

SIGMAS: Final = 5.0


def binomial_range(tries: int, probability: float) -> tuple[float, float]:
    """Return the least and the most successes that chance explains.

    The normal approximation, one success wider, and never narrower than for five expected ones, where it is poor.
    """
    mean = tries * probability
    spread = SIGMAS * math.sqrt(max(mean * (1 - probability), 5.0)) + 1
    return mean - spread, mean + spread


def least_successes(tries: int, probability: float) -> int:
    """Return the least number of successes with P[at most this many] ≥ 3·10⁻⁷ if each has this probability; exact."""
    total = 0.0
    for successes in range(tries + 1):
        logarithm = math.lgamma(tries + 1) - math.lgamma(successes + 1) - math.lgamma(tries - successes + 1)
        logarithm += successes * math.log(probability) + (tries - successes) * math.log1p(-probability)
        total += math.exp(logarithm)
        if total >= 3e-7:
            return successes
    return tries


def largest_mean_square(samples: int, jaccard: float, hashes: int) -> float:
    """Return the most that the mean of ((estimate − J) / standard error)² may be if the standard error is right.

    The sum of n squares of normal variables has the chi-squared distribution with n degrees of freedom, whose quantile
    is by Wilson and Hilferty n·(1 − 2/9n + z·√(2/9n))³. The agreements of a signature are binomial instead; a larger
    kurtosis takes degrees of freedom away.
    """
    variance = jaccard * (1 - jaccard)
    kurtosis = 3 + (1 - 6 * variance) / (hashes * variance)
    freedom = 2 * samples / (kurtosis - 1)
    return float((1 - 2 / (9 * freedom) + SIGMAS * math.sqrt(2 / (9 * freedom))) ** 3)
