"""How sure a measurement is: times in rounds with their spread, and what chance does to a count.

Processor time is taken in rounds through all the works, each round kept. A machine that does something else spoils a
round, not a work; processor time does not count what other programs take; and two works are compared round by round, so
that what slows both cancels. What is left shows as a spread, and a verdict whose spread reaches across the cut is
"undecided".

>>> Spread.of([3.0, 1.0, 2.0])
Spread(low=1.0, middle=2.0, high=3.0)
>>> Spread.of_ratios([2.0, 4.2, 2.1], [1.0, 2.0, 1.0]).decide(holds_from=1.5, fails_to=1.2)
'holds'
>>> round(mean_deviation(0.5, 1), 3), round(mean_deviation(0.5, 100), 4)
(0.5, 0.0398)
>>> round(sign_test(58, 42), 3)
0.133
"""

from __future__ import annotations

import gc
import math
from statistics import fmean, median
from time import process_time
from typing import TYPE_CHECKING, Final, NamedTuple

from lookalike._native import SignatureMatrix, overlap
from lookalike.engine.bands import wilson as interval
from lookalike.experiments.definition import each
from lookalike.recipe import settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lookalike import Recipe
    from lookalike.experiments.definition import Finding, Progress

__all__ = [
    "ROUNDS",
    "Spread",
    "Z",
    "comparing",
    "correlation",
    "in_rounds",
    "mean_deviation",
    "sign_test",
    "signing",
    "signing_sets",
    "slope",
    "spread_of_deviation",
    "together",
    "wilson",
]

ROUNDS: Final = 9
"""With nine rounds, the second and the eighth of them enclose the median with a probability of 96 %."""


class Spread(NamedTuple):
    """A median over rounds, and between which values it lies: all rounds but the extremes, from seven rounds on."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Return the spread of what the rounds gave."""
        ordered = sorted(values)
        trimmed = ordered[1:-1] if len(ordered) >= 7 else ordered
        return cls(trimmed[0], median(ordered), trimmed[-1])

    @classmethod
    def of_ratios(cls, first: Sequence[float], second: Sequence[float]) -> Spread:
        """Return the spread of the first divided by the second, round by round."""
        return cls.of(a / max(b, 1e-12) for a, b in zip(first, second, strict=True))

    def decide(self, *, holds_from: float, fails_to: float) -> Finding:
        """Judge "at least": it holds if all of the spread is above one cut, and fails if all is below the other."""
        return "holds" if self.low >= holds_from else "does not hold" if self.high <= fails_to else "undecided"

    def decide_below(self, *, holds_to: float, fails_from: float) -> Finding:
        """Judge "at most": it holds if all of the spread is below one cut, and fails if all is above the other."""
        return "holds" if self.high <= holds_to else "does not hold" if self.low >= fails_from else "undecided"

    def __str__(self) -> str:
        """Return the median with its spread, for a sentence."""
        digits = max(0, 2 - math.floor(math.log10(abs(self.middle)))) if self.middle else 2
        low, middle, high = (f"{value:,.{min(digits, 4)}f}" for value in self)
        return f"{middle} ({low} to {high})"


def together(parts: Sequence[Finding]) -> Finding:
    """Return the finding on a conclusion of several parts, of which some may be undecided.

    >>> together(["holds", "holds"]), together(["holds", "does not hold"]), together(["holds", "undecided"])
    ('holds', 'holds in part', 'undecided')
    >>> together(["does not hold", "does not hold"]), together(["holds in part", "undecided"])
    ('does not hold', 'holds in part')
    """
    known = set(parts)
    if "holds in part" in known or {"holds", "does not hold"} <= known:
        return "holds in part"  # whatever the undecided ones are
    return "undecided" if "undecided" in known else next(iter(known))


def in_rounds(
    works: Sequence[Callable[[], object]], progress: Progress, *, rounds: int = ROUNDS, least: float = 0.0005
) -> list[list[float]]:
    """Return for each work the processor seconds of one call, in each of several rounds through all works.

    A call that is too short for the clock is repeated until the calls take `least` seconds together. The first call of
    a work, which fills caches, is not counted.

    >>> times = in_rounds([lambda: sum(range(100)), lambda: sum(range(100_000))], lambda share: None)
    >>> len(times[0]), Spread.of_ratios(times[1], times[0]).low > 10
    (9, True)
    """
    calls = [0] * len(works)
    taken: list[list[float]] = [[] for _ in works]
    collecting = gc.isenabled()
    gc.disable()
    try:
        for place in each([place for _ in range(rounds) for place in range(len(works))], progress):
            work = works[place]
            calls[place] = calls[place] or _enough(work, least)
            taken[place].append(_run(work, calls[place]) / calls[place])
    finally:
        if collecting:
            gc.enable()
    return taken


def _enough(work: Callable[[], object], least: float) -> int:
    """Return how many calls take `least` seconds; the first call is often slower than the others, so count again."""
    calls = max(1, math.ceil(least / max(_run(work, 1), 1e-9)))
    return max(1, math.ceil(least * calls / max(_run(work, calls), 1e-9))) if calls > 1 else 1


def _run(work: Callable[[], object], calls: int) -> float:
    start = process_time()
    for _ in range(calls):
        work()
    return process_time() - start


# -- works that are timed: calls of the core, without the checks that the public functions make in Python ------------


def signing(texts: Iterable[str], recipe: Recipe) -> Callable[[], SignatureMatrix]:
    """Return the work of making signatures from texts: every window is cut and hashed."""
    listed, translated = list(texts), settings(recipe)
    return lambda: SignatureMatrix.of_texts(listed, translated, 1)


def signing_sets(sets: list[list[int]], recipe: Recipe) -> Callable[[], SignatureMatrix]:
    """Return the work of making signatures from sets of different shingles, and of handing the sets over to the core.

    The same with one multiplicative hash is the handing over alone: the difference is the time of the functions.
    """
    translated = settings(recipe)
    return lambda: SignatureMatrix.of_sets(sets, translated, 1)


def comparing(pairs: Sequence[tuple[str, str]], recipe: Recipe) -> Callable[[], object]:
    """Return the work of cutting and comparing pairs of texts exactly."""
    translated = settings(recipe)
    return lambda: [overlap(a, b, translated) for a, b in pairs]


# -- chance: expected errors, intervals and the sign test --------------------------------------------------------------


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
